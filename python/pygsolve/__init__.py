"""Sparse linear systems A x = b, solved by the library gsolve on CPUs and NVIDIA GPUs.

    import pygsolve
    x = pygsolve.solve(A, b)                             chooses method and preconditioner
    S = pygsolve.Solver(A, method="cg", precond="amg")   one set-up, many right-hand sides and new values
    M = pygsolve.aspreconditioner(A, "amg")              for scipy.sparse.linalg.cg(A, b, M=M)
    x = pygsolve.solve(A, b, comm=MPI.COMM_WORLD)        this rank's rows of A, b and x, with mpi4py

A is a sparse matrix of SciPy, CuPy, PyTorch or JAX, b an array of NumPy or of the same package. Gradients: pygsolve.torch and
pygsolve.jax. The command: python -m pygsolve."""
from ._library import (BadArgument, BadFile, BadMatrix, BadSpec, DeviceFailed, Error, Interrupted, NoDevice, NoMemory, RankFailed,
                       Unsupported, ZeroPivot, ffi as _ffi, free_gpu_memory, lib as _lib)
from ._messages import Diagnosis
from ._precond import Preconditioner, amg, aspreconditioner
from ._products import (Comparison, FormatTime, compare, devices, formats, generators, methods, preconditioners, products, read, spgemm,
                        write)
from ._ranks import Redistribution, assemble
from ._report import Report, report
from ._solver import Info, NotConverged, Solver, solve

__version__: str = _ffi.string(_lib.gsolve_version()).decode()
__all__ = [
    "BadArgument", "BadFile", "BadMatrix", "BadSpec", "Comparison", "DeviceFailed", "Diagnosis", "Error", "FormatTime", "Info", "Interrupted", "NoDevice", "NoMemory",
    "NotConverged", "Preconditioner", "RankFailed", "Redistribution", "Report", "Solver", "Unsupported", "ZeroPivot", "amg", "aspreconditioner", "assemble", "compare", "devices", "formats", "free_gpu_memory",
    "generators", "methods", "preconditioners", "products", "read", "report", "solve", "spgemm", "write",
]
