"""Functions of Python as matrices and preconditioners: products by a SciPy LinearOperator."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._arrays import F64
from ._library import BadArgument, Context, ffi, keep_exception, lib


def is_operator(A: Any) -> bool:
    from scipy.sparse.linalg import LinearOperator
    return isinstance(A, LinearOperator)


def _host_vector(view: Any) -> np.ndarray:
    """The memory of a vector of doubles on the host."""
    count = view.nrows
    return np.frombuffer(ffi.buffer(view.value, 8 * count), F64) if count else np.empty(0)


class Function:
    """The products of a LinearOperator, as the library calls them. It must live as long as the handle that uses it."""

    def __init__(self, operator: Any):
        if np.dtype(operator.dtype or float).kind == "c":
            raise BadArgument("the LinearOperator is complex; gsolve computes with real numbers")
        self.apply: Callable[[np.ndarray], np.ndarray] = operator.matvec
        self.apply_transpose: Callable[[np.ndarray], np.ndarray] = operator.rmatvec
        self.user = ffi.new_handle(self)


@ffi.def_extern(name="pygsolve_apply", error=lib.GSOLVE_UNSUPPORTED, onerror=keep_exception)
def _apply(ctx: Any, x: Any, y: Any, user: Any) -> int:
    _host_vector(y)[:] = ffi.from_handle(user).apply(_host_vector(x))
    return int(lib.GSOLVE_OK)


@ffi.def_extern(name="pygsolve_apply_transpose", error=lib.GSOLVE_UNSUPPORTED, onerror=keep_exception)
def _apply_transpose(ctx: Any, x: Any, y: Any, user: Any) -> int:
    _host_vector(y)[:] = ffi.from_handle(user).apply_transpose(_host_vector(x))
    return int(lib.GSOLVE_OK)


def _require_host(ctx: Context) -> None:
    if ctx.on_gpu:
        raise BadArgument("a LinearOperator computes on the host; leave device out or give device='cpu'")


def operator_handle(handle: Any, ctx: Context, operator: Any, functions: Function) -> int:
    """Creates a matrix of the library that calls the LinearOperator."""
    _require_host(ctx)
    nrows, ncols = operator.shape
    return int(lib.gsolve_matrix_create_operator(handle, ctx.handle, nrows, ncols, lib.GSOLVE_F64, lib.pygsolve_apply,
                                                 lib.pygsolve_apply_transpose, functions.user))


def function_precond(handle: Any, ctx: Context, n: int, dtype: np.dtype, functions: Function) -> int:
    """Creates a preconditioner of the library that calls the LinearOperator."""
    _require_host(ctx)
    if dtype != F64:
        raise BadArgument("a LinearOperator as preconditioner needs a matrix in double precision")
    return int(lib.gsolve_precond_create_function(handle, ctx.handle, n, lib.GSOLVE_F64, lib.pygsolve_apply,
                                                  lib.pygsolve_apply_transpose, functions.user))
