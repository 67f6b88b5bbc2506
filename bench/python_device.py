#!/usr/bin/env python3
"""python_device.py [N]: Poisson in three dimensions with N^3 unknowns (128) in arrays of CuPy and PyTorch on a GPU: pygsolve beside
cg and gmres of cupyx.scipy.sparse.linalg, each to a true residual of 1e-8 from the same arrays. Prints a record a line: times in
seconds, medians of 5 (of 3 or 1 for the slow ones), with set-up unless the record says otherwise; what a first solve allocates in
CuPy and in PyTorch; the error of gradients; where the time of a solve goes, by the functions of the library that Python calls. Ends
with the ratios."""
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
from pygsolve import _arrays, _library, _precond, _solver
from pygsolve._arrays import matrix_view
from pygsolve._library import Context, ffi, filled, lib

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


def in_new_context(A, b, **options):
    pygsolve.free_gpu_memory()
    return pygsolve.solve(A, b, rtol=RTOL, **options)


def jobs_of_cupy(A, b):
    tolerance = {"rtol" if "rtol" in inspect.signature(cspla.cg).parameters else "tol": RTOL}
    jacobi = cspla.LinearOperator(A.shape, matvec=lambda r: r / 6.0, dtype=A.dtype)
    S = pygsolve.Solver(A, "cg", "amg", rtol=RTOL)
    J = pygsolve.Solver(A, "cg", "jacobi", rtol=RTOL)
    return [("pygsolve, automatic", lambda: pygsolve.solve(A, b, rtol=RTOL), 5),
            ("pygsolve, cg + amg", lambda: pygsolve.solve(A, b, method="cg", precond="amg", rtol=RTOL), 5),
            ("pygsolve, automatic, new context", lambda: in_new_context(A, b), 5),
            ("pygsolve, cg + amg, new context", lambda: in_new_context(A, b, method="cg", precond="amg"), 5),
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


# --- where the time goes ---------------------------------------------------------------------------

class TimedLibrary:
    """The library, with the time of each function until the GPU has done its work."""

    def __init__(self):
        self.seconds = {}

    def __getattr__(self, name):
        member = getattr(lib, name)
        if not name.startswith("gsolve_"):
            return member

        def timed(*arguments):
            begin = time.perf_counter()
            value = member(*arguments)
            cupy.cuda.runtime.deviceSynchronize()
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begin
            return value
        return timed


def parts_of_a_solve(name, A, b, **options):
    """The median of five solves, each function of the library's share, and what the library itself says about the last one."""
    totals, parts = [], []
    modules = (_arrays, _library, _precond, _solver)
    for _ in range(6):
        timed = TimedLibrary()
        for module in modules:
            module.lib = timed
        begin = time.perf_counter()
        S = pygsolve.Solver(A, rtol=RTOL, **options)
        created = time.perf_counter()
        S.solve(b)
        solved = time.perf_counter()
        info = S.info
        described = time.perf_counter()
        for module in modules:
            module.lib = lib
        del S
        end = time.perf_counter()
        totals.append(end - described + solved - begin)
        parts.append({**timed.seconds, "creation of the Solver": created - begin, "Solver.solve": solved - created,
                      "release": end - described, "set-up, by the library": info.setup_seconds, "run, by the library": info.solve_seconds})
    names = sorted({name for part in parts for name in part})
    show(what=f"parts of {name}", seconds=statistics.median(totals[1:]), method=info.method, precond=info.precond, iterations=info.iterations,
         **{part: statistics.median(run.get(part, 0.0) for run in parts[1:]) for part in names})


def parts_of_the_library(A):
    """The times of calls that a solve makes, or that it made in earlier versions, in a context that has its memory."""
    view, ctx = matrix_view(A), Context("cuda")

    def timed(call):
        ctx.wait()
        begin = time.perf_counter()
        value = call()
        ctx.wait()
        return time.perf_counter() - begin, value
    for run in range(3):
        seconds = {}
        statistics_of_A, handle, M = filled("gsolve_statistics"), ffi.new("gsolve_matrix **"), ffi.new("gsolve_precond **")
        seconds["check and statistics"] = timed(lambda: ctx.check(lib.gsolve_csr_statistics(ctx.handle, view.csr, statistics_of_A)))[0]
        seconds["matrix"] = timed(lambda: ctx.check(lib.gsolve_matrix_create(handle, ctx.handle, b"auto", view.csr)))[0]
        seconds["statistics"] = timed(lambda: ctx.check(lib.gsolve_matrix_statistics(handle[0], statistics_of_A)))[0]
        seconds["set-up of amg"] = timed(lambda: ctx.check(lib.gsolve_precond_create_from(M, ctx.handle, b"amg", handle[0])))[0]
        seconds["release of amg"] = timed(lambda: lib.gsolve_precond_destroy(M))[0]
        rows = ffi.new("gsolve_csr *")
        seconds["copy to the host"] = timed(lambda: ctx.check(lib.gsolve_matrix_csr(handle[0], rows)))[0]
        seconds["release of the matrix"] = timed(lambda: lib.gsolve_matrix_destroy(handle))[0]
        show(what="calls of the library", run=run, entries=int(statistics_of_A.entries), **seconds)
    begin = time.perf_counter()
    del ctx
    destroyed = time.perf_counter()
    Context("cuda")
    show(what="context", destroy=destroyed - begin, create_and_destroy=time.perf_counter() - destroyed)


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
    parts_of_a_solve("the automatic solver", A, b)
    parts_of_a_solve("cg + amg", A, b, method="cg", precond="amg")
    parts_of_the_library(A)
    seconds = measure(A, b, jobs_of_cupy(A, b))
    seconds.update(with_torch(A, b))
    cg = min(seconds["cupyx cg"], seconds["cupyx cg, Jacobi"])
    gmres = next(t for name, t in seconds.items() if name.startswith("cupyx gmres"))
    for name in ("pygsolve, automatic", "pygsolve, cg + amg"):
        show(what="ratios", of=name, cg=cg / seconds[name], gmres=gmres / seconds[name])


if __name__ == "__main__":
    main()
