#!/usr/bin/env python3
"""python_device.py [N]: Poisson in three dimensions with N^3 unknowns (128) in arrays of CuPy and PyTorch on a GPU: pygsolve beside
cg and gmres of cupyx.scipy.sparse.linalg, each to a true residual of 1e-8 from the same arrays. Prints a record a line: times in
seconds, medians of 5 (of 3 or 1 for the slow ones), with set-up unless the record says otherwise; what a first solve allocates in
CuPy and in PyTorch; the error of gradients. Ends with the ratios."""
import inspect
import json
import statistics
import sys
import time

import cupy
import cupyx.scipy.sparse as csp
import cupyx.scipy.sparse.linalg as cspla
import numpy as np
import pygsolve
from pygsolve._arrays import matrix_view
from pygsolve._library import ffi

RTOL = 1e-8


def poisson(n):
    one = csp.identity(n, format="csr")
    line = csp.diags([2.0, -1.0, -1.0], [0, -1, 1], shape=(n, n), format="csr")
    A = (csp.kron(csp.kron(line, one), one) + csp.kron(csp.kron(one, line), one) + csp.kron(csp.kron(one, one), line)).tocsr()
    A.sort_indices()
    return A


def show(**record):
    print(json.dumps({"bench": "python_device", **record}), flush=True)


# --- times -----------------------------------------------------------------------------------------

def median(work, runs):
    times = []
    for _ in range(runs):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        x = work()
        cupy.cuda.Device().synchronize()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), x


def measure(A, b, jobs):
    """jobs: name, function and number of runs. Returns the times of those that reached the tolerance."""
    seconds = {}
    for name, work, runs in jobs:
        if runs > 1:
            work()  # warm
        seconds[name], x = median(work, runs)
        residual = float(cupy.linalg.norm(b - A @ cupy.asarray(x)) / cupy.linalg.norm(b))
        show(what=name, unknowns=A.shape[0], seconds=seconds[name], residual=residual, reached=residual <= 1.5 * RTOL)
    return seconds


def jobs_of_cupy(A, b):
    tolerance = {"rtol" if "rtol" in inspect.signature(cspla.cg).parameters else "tol": RTOL}
    jacobi = cspla.LinearOperator(A.shape, matvec=lambda r: r / 6.0, dtype=A.dtype)
    S = pygsolve.Solver(A, "cg", "amg", rtol=RTOL)
    J = pygsolve.Solver(A, "cg", "jacobi", rtol=RTOL)
    return [("pygsolve, automatic", lambda: pygsolve.solve(A, b, rtol=RTOL), 5),
            ("pygsolve, cg + amg", lambda: pygsolve.solve(A, b, method="cg", precond="amg", rtol=RTOL), 5),
            ("pygsolve, cg + jacobi", lambda: pygsolve.solve(A, b, method="cg", precond="jacobi", rtol=RTOL), 5),
            ("pygsolve, gmres + amg", lambda: pygsolve.solve(A, b, method="gmres", precond="amg", rtol=RTOL), 5),
            ("pygsolve, cg + amg, without set-up", lambda: S.solve(b), 5),
            ("pygsolve, cg + jacobi, without set-up", lambda: J.solve(b), 5),
            ("cupyx cg", lambda: cspla.cg(A, b, **tolerance)[0], 3),
            ("cupyx cg, Jacobi", lambda: cspla.cg(A, b, M=jacobi, **tolerance)[0], 3),
            ("cupyx gmres, restart 20, at most 20000 steps", lambda: cspla.gmres(A, b, restart=20, maxiter=20000, **tolerance)[0], 1)]


# --- arrays in place -------------------------------------------------------------------------------

class Allocations(cupy.cuda.MemoryHook):
    """Counts what CuPy allocates."""
    name = "Allocations"

    def __init__(self):
        self.count = self.bytes = 0

    def malloc_preprocess(self, device_id, size, mem_size):
        self.count, self.bytes = self.count + 1, self.bytes + size


def same_addresses(A, arrays):
    view = matrix_view(A).csr
    return [int(ffi.cast("uintptr_t", pointer)) for pointer in (view.start, view.col, view.value)] == arrays


def count_of_cupy(A, b):
    with Allocations() as made:
        S = pygsolve.Solver(A, "cg", "jacobi", rtol=RTOL)
        S.solve(b)
    show(what="in place, CuPy", same_addresses=same_addresses(A, [int(a.data.ptr) for a in (A.indptr, A.indices, A.data)]),
         allocations=made.count, bytes=made.bytes, bytes_of_x=b.nbytes, bytes_of_A=A.data.nbytes + A.indices.nbytes + A.indptr.nbytes)


def count_of_torch(torch, T, b):
    def made():
        cupy.cuda.Device().synchronize()
        stats = torch.cuda.memory_stats()
        return np.array([stats["allocation.all.allocated"], stats["allocated_bytes.all.allocated"]])
    before = made()
    pygsolve.Solver(T, "cg", "jacobi", rtol=RTOL).solve(b)
    count, size = (int(k) for k in made() - before)
    show(what="in place, PyTorch", same_addresses=same_addresses(T, [a.data_ptr() for a in (T.crow_indices(), T.col_indices(), T.values())]),
         allocations=count, bytes=size, bytes_of_x=8 * b.numel())


# --- PyTorch ---------------------------------------------------------------------------------------

def gradient_error(torch):
    """The largest difference of the gradients of sum(x^2) with respect to A and b from central differences."""
    import pygsolve.torch
    A = poisson(4)
    start, col, values = (torch.from_dlpack(a) for a in (A.indptr, A.indices, A.data.copy()))
    b = torch.linspace(1, 2, A.shape[0], dtype=torch.float64, device="cuda")

    def loss(values, b):
        T = torch.sparse_csr_tensor(start, col, values, size=A.shape)
        return (pygsolve.torch.solve(T, b, rtol=1e-13) ** 2).sum()
    worst = 0.0
    for k, given in enumerate((values, b)):
        leaf = given.clone().requires_grad_()
        loss(*((leaf, b) if k == 0 else (values, leaf))).backward()
        for i in range(0, given.numel(), 7):
            step = torch.zeros_like(given)
            step[i] = 1e-5
            high, low = (loss(*((given + s, b) if k == 0 else (values, given + s))) for s in (step, -step))
            worst = max(worst, abs(float((high - low) / 2e-5 - leaf.grad[i])))
    return worst


def with_torch(A, b):
    try:
        import torch
    except ImportError:
        show(what="PyTorch", skipped="torch is not installed")
        return {}
    T = torch.sparse_csr_tensor(*(torch.from_dlpack(a) for a in (A.indptr, A.indices, A.data)), size=A.shape)
    tb = torch.from_dlpack(b)
    count_of_torch(torch, T, tb)
    show(what="gradients, PyTorch", largest_error=gradient_error(torch))
    return measure(A, b, [("pygsolve, automatic, PyTorch", lambda: cupy.from_dlpack(pygsolve.solve(T, tb, rtol=RTOL)), 5)])


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    A = poisson(n)
    b = cupy.ones(A.shape[0])
    show(what="versions", device=cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(), pygsolve=pygsolve.__version__, cupy=cupy.__version__)
    count_of_cupy(A, b)
    seconds = measure(A, b, jobs_of_cupy(A, b))
    seconds.update(with_torch(A, b))
    cg = min(seconds["cupyx cg"], seconds["cupyx cg, Jacobi"])
    gmres = next(t for name, t in seconds.items() if name.startswith("cupyx gmres"))
    show(what="ratios", cg_over_automatic=cg / seconds["pygsolve, automatic"], gmres_over_automatic=gmres / seconds["pygsolve, automatic"])


if __name__ == "__main__":
    main()
