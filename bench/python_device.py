#!/usr/bin/env python3
"""python_device.py [N]: Poisson in three dimensions with N^3 unknowns (128) in arrays of CuPy and PyTorch on a GPU: pygsolve beside
cg and gmres of cupyx.scipy.sparse.linalg, each to a true residual of 1e-8 from the same arrays. A record a line; times in seconds
are medians of 5, with set-up unless the record says otherwise."""
import inspect
import json
import statistics
import sys
import time

import cupy
import cupyx.scipy.sparse as csp
import cupyx.scipy.sparse.linalg as cspla
import pygsolve


def poisson(n):
    one = csp.identity(n, format="csr")
    line = csp.diags([2.0, -1.0, -1.0], [0, -1, 1], shape=(n, n), format="csr")
    return (csp.kron(csp.kron(line, one), one) + csp.kron(csp.kron(one, line), one) + csp.kron(csp.kron(one, one), line)).tocsr()


def median(work, runs=5):
    times = []
    for _ in range(runs):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        x = work()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), x


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    A = poisson(n)
    A.sort_indices()
    b = cupy.ones(A.shape[0])

    def record(name, work, runs=5):
        work()  # warm
        seconds, x = median(work, runs)
        x = cupy.asarray(x)
        residual = float(cupy.linalg.norm(b - A @ x) / cupy.linalg.norm(b))
        print(json.dumps({"bench": "python_device", "matrix": f"poisson3d,n={n}", "what": name, "seconds": seconds, "residual": residual,
                          "device": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()}), flush=True)

    tolerance = {"rtol" if "rtol" in inspect.signature(cspla.cg).parameters else "tol": 1e-8}
    diagonal = cspla.LinearOperator(A.shape, matvec=lambda r: r / 6.0, dtype=A.dtype)
    record("pygsolve, automatic", lambda: pygsolve.solve(A, b))
    record("pygsolve, cg + amg", lambda: pygsolve.solve(A, b, method="cg", precond="amg"))
    record("pygsolve, cg + jacobi", lambda: pygsolve.solve(A, b, method="cg", precond="jacobi"))
    S = pygsolve.Solver(A, "cg", "amg")
    record("pygsolve, cg + amg, without set-up", lambda: S.solve(b))
    S = pygsolve.Solver(A, "cg", "jacobi")
    record("pygsolve, cg + jacobi, without set-up", lambda: S.solve(b))
    record("cupyx cg", lambda: cspla.cg(A, b, **tolerance)[0], 3)
    record("cupyx cg with Jacobi", lambda: cspla.cg(A, b, M=diagonal, **tolerance)[0], 3)
    record("pygsolve, gmres + amg", lambda: pygsolve.solve(A, b, method="gmres", precond="amg"))
    record("pygsolve, gmres,restart=20 + none", lambda: pygsolve.solve(A, b, method="gmres,restart=20", precond="none", maxit=20000, check=False), 1)
    record("cupyx gmres (at most 20000 steps)", lambda: cspla.gmres(A, b, restart=20, maxiter=20000, **tolerance)[0], 1)
    try:
        import torch
    except ImportError:
        return
    T = torch.sparse_csr_tensor(*(torch.from_dlpack(a) for a in (A.indptr, A.indices, A.data)), size=A.shape)
    tb = torch.from_dlpack(b)
    record("pygsolve, automatic, PyTorch", lambda: cupy.from_dlpack(pygsolve.solve(T, tb)))


main()
