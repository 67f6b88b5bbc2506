"""Differentiable solves for JAX.

    x = pygsolve.jax.solve(data, indices, indptr, b)      the three arrays of a BCSR matrix; gradients flow to data and b

For x = A^-1 b and the cotangent g of x, that of b is v = A^-T g, and that of the entry a_ij is -v_i x_j. The solve runs on the host,
also inside jax.jit; A is square."""
from __future__ import annotations

import functools
from typing import Any

import jax as _jax
import jax.numpy as _jnp
import numpy as np
import scipy.sparse as _sparse

from ._solver import Solver


def _solve_on_host(options: tuple[tuple[str, Any], ...], transpose: bool, data: Any, indices: Any, indptr: Any, b: Any) -> np.ndarray:
    data, indices, indptr, b = (np.asarray(array) for array in (data, indices, indptr, b))
    n = indptr.shape[0] - 1
    A = _sparse.csr_matrix((data, indices, indptr), shape=(n, n))
    return np.asarray(Solver(A.T.tocsr() if transpose else A, **dict(options)).solve(b), b.dtype)


def _call(options: tuple[tuple[str, Any], ...], transpose: bool, data: Any, indices: Any, indptr: Any, b: Any) -> Any:
    function = functools.partial(_solve_on_host, options, transpose)
    return _jax.pure_callback(function, _jax.ShapeDtypeStruct(b.shape, b.dtype), data, indices, indptr, b, vmap_method="sequential")


@functools.partial(_jax.custom_vjp, nondiff_argnums=(0,))
def _solve(options: tuple[tuple[str, Any], ...], data: Any, indices: Any, indptr: Any, b: Any) -> Any:
    return _call(options, False, data, indices, indptr, b)


def _forward(options: tuple[tuple[str, Any], ...], data: Any, indices: Any, indptr: Any, b: Any) -> tuple[Any, tuple[Any, ...]]:
    x = _solve(options, data, indices, indptr, b)
    return x, (data, indices, indptr, x)


def _backward(options: tuple[tuple[str, Any], ...], saved: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
    data, indices, indptr, x = saved
    v = _call(options, True, data, indices, indptr, g)
    row = _jnp.repeat(_jnp.arange(indptr.shape[0] - 1), _jnp.diff(indptr), total_repeat_length=data.shape[0])
    products = -v[row] * x[indices]
    no_gradient = (np.zeros(array.shape, _jax.dtypes.float0) for array in (indices, indptr))
    return (products if products.ndim == 1 else products.sum(1), *no_gradient, v)


_solve.defvjp(_forward, _backward)


def solve(data: Any, indices: Any, indptr: Any, b: Any, **options: Any) -> Any:
    """Solves A x = b for the BCSR matrix A = BCSR((data, indices, indptr), shape=(n, n)); b has the shape (n,) or (n, k). x has
    gradients with respect to data and b. options: those of `Solver`, strings and numbers only."""
    return _solve(tuple(sorted(options.items())), data, indices, indptr, b)
