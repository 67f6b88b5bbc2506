"""Preconditioners: those that a `Solver` makes, and those for the solvers of other packages."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from ._arrays import F32, F64, MatrixView, columns_of, dense_view, device_spec, matrix_view, new_like, wait_for
from ._library import BadArgument, Context, ffi, filled, lib, text
from ._operators import Function, function_precond, is_operator


class Handle:
    """A gsolve_precond in a context, for a matrix of that context."""

    def __init__(self, ctx: Context, matrix: Any, spec: str, extras: dict[str, Any]):
        self._ctx = ctx
        self.address = ffi.new("gsolve_precond **")
        given = [name for name in ("near_null", "coordinates") if extras.get(name) is not None]
        if len(given) == 2:
            raise BadArgument("near_null and coordinates are both given; coordinates stand for the rigid body motions")
        if given:
            spec += ",near_null=given"
            with ctx.together():
                vectors = dense_view(columns_of(extras[given[0]], given[0]), given[0], None, None)
        ctx.check(lib.gsolve_precond_create_from(self.address, ctx.handle, spec.encode(), matrix))
        self.handle = self.address[0]
        if given:
            wait_for(ctx, vectors)
            set_vectors = lib.gsolve_precond_set_near_null if given[0] == "near_null" else lib.gsolve_precond_set_coordinates
            ctx.check(set_vectors(self.handle, vectors.view[0]))

    def describe(self) -> Any:
        info = filled("gsolve_precond_info")
        lib.gsolve_precond_describe(self.handle, info)
        return info

    @property
    def spec(self) -> str:
        return text(self.describe().spec)

    @property
    def setup_seconds(self) -> float:
        return float(self.describe().setup_seconds)

    def update(self, matrix: Any) -> None:
        self._ctx.check(lib.gsolve_precond_update_from(self.handle, matrix))


class FunctionHandle(Handle):
    """A gsolve_precond that calls a LinearOperator."""

    def __init__(self, ctx: Context, n: int, dtype: np.dtype, operator: Any):
        self._ctx = ctx
        self.address = ffi.new("gsolve_precond **")
        self._functions = Function(operator)
        ctx.check(function_precond(self.address, ctx, n, dtype, self._functions))
        self.handle = self.address[0]

    def update(self, matrix: Any) -> None:
        """The function stays."""


def precond_for(ctx: Context, matrix: Any, precond: Any, shape: tuple[int, int], extras: dict[str, Any]) -> Handle | None:
    """The preconditioner of a Solver; None: none."""
    info = filled("gsolve_matrix_info")
    lib.gsolve_matrix_describe(matrix, info)
    if is_operator(precond):
        with ctx.together():
            if tuple(precond.shape) != tuple(shape):
                raise BadArgument(f"precond has the shape {precond.shape}; A has the shape {tuple(shape)}")
            return FunctionHandle(ctx, shape[0], F32 if info.type == lib.GSOLVE_F32 else F64, precond)
    if not isinstance(precond, str):
        raise BadArgument(f"precond is a {type(precond).__name__}; give a name such as 'amg' or a LinearOperator")
    if text(info.format) == "operator" and precond == "auto":
        return None
    return None if precond == "none" else Handle(ctx, matrix, precond, extras)


class Preconditioner(LinearOperator):
    """A preconditioner of gsolve as a SciPy LinearOperator: M.matvec(r) computes z = M^-1 r. It works as M in the solvers of
    scipy.sparse.linalg, and as `precond` of `Solver`. Also for arrays of CuPy, PyTorch and JAX, by calling it: M(r)."""

    def __init__(self, A: Any, kind: str = "amg", *, near_null: Any = None, coordinates: Any = None, device: str | None = None,
                 threads: int | None = None):
        self._view: MatrixView = matrix_view(A)
        super().__init__(self._view.dtype, self._view.shape)
        self._ctx = Context(device_spec(self._view.gpu, device, threads))
        wait_for(self._ctx, self._view)
        handle = ffi.new("gsolve_matrix **")
        self._ctx.check(lib.gsolve_matrix_create(handle, self._ctx.handle, b"csr", self._view.csr))
        self._matrix = handle[0]
        self._M = Handle(self._ctx, self._matrix, kind, dict(near_null=near_null, coordinates=coordinates))

    def __call__(self, r: Any) -> Any:
        return self._apply(r, lib.gsolve_precond_apply)

    def _apply(self, r: Any, function: Any) -> Any:
        with self._ctx.lock:
            dense = dense_view(r, "r", self.shape[0], self._view.dtype)
            if dense.view.layout == lib.GSOLVE_ROW_MAJOR:
                dense = dense_view(columns_of(dense.array, "r"), "r", self.shape[0], self._view.dtype)
            z = new_like(dense, self.shape[0], self._view.dtype)
            wait_for(self._ctx, dense, z)
            self._ctx.check(function(self._M.handle, dense.view[0], z.view[0]))
            self._ctx.wait()
            return z.family.finish(z.array)

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self(np.asarray(x).reshape(self.shape[0], -1)).reshape(np.shape(x))

    def _matmat(self, X: np.ndarray) -> np.ndarray:
        return self(X)

    def _rmatvec(self, x: np.ndarray) -> np.ndarray:
        return self._apply(np.asarray(x).reshape(self.shape[0], -1), lib.gsolve_precond_apply_transpose).reshape(np.shape(x))

    def update(self, A: Any) -> None:
        """New values: an array of them in the order of A, or a matrix with the pattern of A."""
        view = self._view.with_values(A) if getattr(A, "ndim", 0) == 1 else matrix_view(A)
        with self._ctx.lock:
            wait_for(self._ctx, view)
            self._ctx.check(lib.gsolve_matrix_update(self._matrix, view.csr))
            self._M.update(self._matrix)
        self._view = view

    @property
    def levels(self) -> list[dict[str, Any]]:
        """The levels of a multilevel preconditioner, the finest first: rows, entries and format; [] for others."""
        found: list[dict[str, Any]] = []
        info = filled("gsolve_level_info")
        while lib.gsolve_precond_level(self._M.handle, len(found), info):
            found.append({"rows": info.rows, "entries": info.entries, "format": text(info.form)})
        return found

    def __repr__(self) -> str:
        info = self._M.describe()
        note = text(info.note)
        return f"<pygsolve.Preconditioner {text(info.spec)} for {self.shape[0]} unknowns{', ' + note if note else ''}>"


def aspreconditioner(A: Any, kind: str = "amg", **options: Any) -> Preconditioner:
    """A preconditioner for A as a LinearOperator: M = aspreconditioner(A, "amg"); scipy.sparse.linalg.cg(A, b, M=M)."""
    return Preconditioner(A, kind, **options)


def amg(A: Any, B: Any = None, coordinates: Any = None, options: str = "", **others: Any) -> Preconditioner:
    """Algebraic multigrid for A. B: near-null vectors as columns, as in pyamg. coordinates: those of the nodes of an elastic
    body, shape (nodes, 2 or 3). options: those of "amg", such as "strength=0.1,cycle=w"."""
    return Preconditioner(A, f"amg,{options}" if options else "amg", near_null=B, coordinates=coordinates, **others)
