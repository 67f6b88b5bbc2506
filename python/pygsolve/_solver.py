"""Solvers: `Solver`, `solve`, and what a run reports."""
from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ._arrays import F32, F64, DenseView, MatrixView, as_array, columns_of, dense_view, device_spec, library_view, matrix_view, new_like, vector_view, wait_for
from ._display import info_html, info_table
from ._library import BadArgument, Error, Unsupported, acquire_context, ffi, filled, interrupts, lib, release_context, text
from ._messages import Diagnosis, diagnosis_of, in_python
from ._operators import Function, is_operator, operator_handle
from ._precond import precond_for
from ._ranks import place_rows, rank_context


from_buffer = ffi.from_buffer
_DEFAULT_RTOL = {F64: 1e-8, F32: 1e-5}
_DIAGNOSIS = ("name", "cause", "method", "precond", "options", "remedy")
_MONITOR, _ATTEMPT = ffi.addressof(lib, "pygsolve_monitor"), ffi.addressof(lib, "pygsolve_attempt")


@dataclass(frozen=True)
class Info:
    """What a solve did. `residual` is |b - A x| / |b|, computed again from A, b and the x that was returned, in double precision;
    with several columns it is that of the worst column. Times are in seconds."""

    outcome: str
    converged: bool
    residual: float
    iterations: int
    method: str
    precond: str
    format: str
    device: str
    setup_seconds: float
    solve_seconds: float
    note: str = ""
    columns: tuple[tuple[str, int, float], ...] = field(default=(), repr=False)  # outcome, iterations, residual of each column
    ranks: int = 1

    def __repr__(self) -> str:
        return info_table(self)

    def _repr_html_(self) -> str:
        return info_html(self)


class NotConverged(Error):
    """A solve that did not reach its tolerance. `x` is the best iterate, `info` describes the run, `explanation` says what happened
    and what to try, and `diagnosis` says it for programs. The message is the explanation."""

    status = "NOT_CONVERGED"

    def __init__(self, x: Any, info: Info, explanation: str, diagnosis: Diagnosis):
        super().__init__(f"{info.outcome} after {info.iterations} iterations, |b - A x| / |b| = {info.residual:.1e}. {explanation}")
        self.x, self.info, self.explanation, self.diagnosis = x, info, explanation, diagnosis


_SUCCESS = (lib.GSOLVE_CONVERGED, lib.GSOLVE_ACCEPTED)
_NO_SOLUTION = ("A is square and singular, or nearly so, and no x solves A x = b. The member x of this exception minimises |b - A x|. Add "
                "boundary conditions, or give the null space of A as null_space; least_squares=True returns this x. ")


class _Rounded(NamedTuple):
    """A column of x after it was rounded to float32."""

    residual: float  # |b - A x| / |b|
    missed: float | None  # the tolerance that the column met in float64 only


def _options(pairs: dict[str, Any]) -> str:
    """ "key=value,..." of the pairs that are not None."""
    return ",".join(f"{key}={value:.17g}" if isinstance(value, float) else f"{key}={value}" for key, value in pairs.items() if value is not None)


def _outcome(result: Any, missed: float | None) -> str:
    return "rounded to float32" if missed is not None else text(lib.gsolve_outcome_text(result.outcome))


def _same_on_all_ranks(arguments: dict[str, Any]) -> str:
    """The arguments in words; of arrays and functions, that they are given."""
    return " ".join(f"{key}={value if value is None or isinstance(value, (str, int, float)) else 'given'}" for key, value in arguments.items())


def _joined(*parts: str) -> str:
    return ",".join(part for part in parts if part)


class Solver:
    """A solver for one matrix, which can get new values and solve for many right-hand sides.

    A        a sparse matrix of SciPy, CuPy, PyTorch or JAX (CSR with 32-bit columns is read in place, and copied once into the
             library), a dense NumPy array, or a SciPy LinearOperator
    method   "auto", or a method with options, such as "gmres,restart=50" (`pygsolve.methods()` lists them)
    precond  "auto", "none", a preconditioner with options, such as "amg,cycle=w", a `Preconditioner`, or a SciPy
             LinearOperator that approximates the inverse of A
    rtol, atol, maxit   |b - A x| <= max(rtol |b|, atol) in every column, after at most maxit iterations. rtol is 1e-8 by default, and
             1e-5 if A and b are in float32
    format   the storage format of the products, "auto" or one of `pygsolve.formats()`
    device   "cpu", "cuda", "cuda,index=1" or "auto"; default: where A is
    threads  on the CPU; default: all
    near_null, coordinates   for "amg": near-null vectors as columns, or the coordinates of the nodes of an elastic body
    null_space   "constants" or an array of columns that A maps to 0
    least_squares   True: if A is square and singular, and no x solves A x = b, `solve` returns the x that minimises |b - A x|. It
             always does so for an A that is not square, and with null_space
    scale, order   scaling and ordering of the automatic solver, such as scale="auto", order="rcm"
    comm     a communicator of mpi4py: each rank gives its rows of A, with the columns of the whole matrix, and its rows of b, and gets
             its rows of x. Ranks own consecutive rows, in their order. All ranks make the same calls, with the same arguments other
             than arrays. An error of one rank is raised on all. `shape` is that of this rank: its rows and its elements of x

    With method="auto" and precond="auto" the solver chooses both, and tries the next choice if one fails. One thread at a time
    works with a solver; others wait. Solvers share nothing, so that several threads can work with one solver each.
    """

    def __init__(self, A: Any, method: str = "auto", precond: Any = "auto", *, rtol: float | None = None, atol: float | None = None,
                 maxit: int | None = None, format: str = "auto", device: str | None = None, threads: int | None = None,
                 near_null: Any = None, coordinates: Any = None, null_space: Any = None, scale: str | None = None,
                 order: str | None = None, least_squares: bool = False, comm: Any = None):
        self._arguments = dict(method=method, precond=precond, rtol=rtol, atol=atol, maxit=maxit, format=format, device=device,
                               threads=threads, scale=scale, order=order, least_squares=bool(least_squares) or null_space is not None,
                               comm=comm)
        self._operator = is_operator(A)
        self._view: MatrixView | None = None
        self._handles: list[tuple[Any, Any]] = []
        self._extras: dict[str, Any] = dict(near_null=near_null, coordinates=coordinates)
        with nullcontext() if comm is None else interrupts:
            if comm is None:
                self._view = None if self._operator else matrix_view(A)
                self._ctx = acquire_context(device_spec(self._view.gpu if self._view else None, device, threads))
            else:
                self._ctx = rank_context(comm, device_spec(None, device, threads))
            with self._ctx.lock:
                self._create(A, null_space)

    def _create(self, A: Any, null_space: Any) -> None:
        comm = self._arguments["comm"]
        with self._ctx.together() as same:
            self._read_arguments(A)
            same.append(_same_on_all_ranks({**self._arguments, **self._extras, "null_space": null_space}))
        if comm is not None and self._view is not A:
            place_rows(comm, self._view_of_A())
        self._create_matrix(A)
        if null_space is not None:
            self._set_null_space(null_space)
        self._create_solver()
        with self._ctx.together():
            self._minimises = self._arguments["least_squares"] or not self._square
            self._plain_shape = (self.shape[0],) if min(self.shape) > 0 and comm is None else None
            self._views = [vector_view(n, F64) for n in self.shape]

    def _read_arguments(self, A: Any) -> None:
        """What needs neither the library nor other ranks."""
        method, precond, rtol, atol, maxit, scale, order = (
            self._arguments[name] for name in ("method", "precond", "rtol", "atol", "maxit", "scale", "order"))
        if not isinstance(method, str):
            raise TypeError(f"method is {method!r}; give a string, such as 'auto' or 'cg'")
        self._rtol = _DEFAULT_RTOL[F64] if rtol is None else float(rtol)
        self._tolerances = _options({"rtol": self._rtol, "atol": None if atol is None else float(atol), "maxit": maxit})
        self._method, self._precond, self._format = method, precond, self._arguments["format"]
        self._transforms = _options({"scale": scale, "order": order})
        self._automatic = method.split(",")[0] == "auto" and isinstance(precond, str) and precond == "auto" and not self._operator
        self._adjoint: Solver | None = None
        self._ran = False
        self._rounded: list[_Rounded] | None = None  # the columns of x after they were rounded to float32
        self._watch = ffi.gc(lib.pygsolve_new_watch(), lib.pygsolve_free_watch)
        self._result = filled("gsolve_result")
        if self._transforms and not self._automatic:
            raise BadArgument("scale and order belong to the automatic solver; leave method and precond out, or scale and order")
        if self._automatic and any(vectors is not None for vectors in self._extras.values()):
            self._automatic, self._precond = False, "amg"
        if self._ctx.distributed:
            if self._operator:
                raise BadArgument("A is a LinearOperator, which works on one rank; give this rank's rows as a sparse matrix")
            if self._transforms:
                raise BadArgument("scale and order work on one rank; leave them out, or comm")
            self._view = matrix_view(A, wide=True)

    def __del__(self, release: Any = release_context) -> None:
        """The context may serve the next solver, without what this one has created."""
        if not getattr(self, "_ctx", None) or not self._ctx.handle:
            return
        while self._handles:
            destroy, handle = self._handles.pop()
            destroy(handle)
        release(self._ctx)

    # --- creation ----------------------------------------------------------------------------------

    def _new(self, kind: str) -> Any:
        """The address of a handle, which is destroyed with this object."""
        handle = ffi.new(f"{kind} **")
        self._handles.append((getattr(lib, f"{kind}_destroy"), handle))
        return handle

    def _create_matrix(self, A: Any) -> None:
        handle = self._new("gsolve_matrix")
        if self._operator:
            self._functions = Function(A)
            self._ctx.check(operator_handle(handle, self._ctx, A, self._functions))
            self.shape, self.dtype = tuple(A.shape), F64
        else:
            view = self._view_of_A()
            wait_for(self._ctx, view)
            create = lib.gsolve_matrix_create_dist if view.wide else lib.gsolve_matrix_create
            self._ctx.check(create(handle, self._ctx.handle, self._format.encode(), view.csr))
            self.shape, self.dtype = (view.csr.rows.count, view.csr.cols.count) if view.wide else view.shape, view.dtype
        self._matrix = handle[0]
        rows, cols = ffi.new("gsolve_row_range *"), ffi.new("gsolve_row_range *")
        lib.gsolve_matrix_row_range(self._matrix, rows, cols, ffi.NULL, ffi.NULL)
        self._square = rows.total == cols.total

    def _set_null_space(self, null_space: Any) -> None:
        space = ffi.new("gsolve_null_space *")
        with self._ctx.together():
            if isinstance(null_space, str):
                if null_space != "constants":
                    raise BadArgument(f"null_space is '{null_space}'; give 'constants' or an array of columns")
                space.constants = True
            else:
                vectors = dense_view(columns_of(null_space, "null_space"), "null_space", self.shape[0], None)
                space.vectors = vectors.view[0]
        self._ctx.check(lib.gsolve_matrix_set_null_space(self._matrix, space, ffi.NULL))

    def _create_solver(self) -> None:
        ctx = self._ctx
        if self._automatic:
            handle = self._new("gsolve_auto")
            options = _joined(self._method.partition(",")[2], self._tolerances, self._transforms)
            with ctx.together():
                ctx.check(lib.gsolve_auto_create_from(handle, ctx.handle, options.encode(), self._matrix))
            self._solver = handle[0]
            lib.gsolve_auto_set_monitor(self._solver, _MONITOR, self._watch)
            lib.gsolve_auto_set_attempt_monitor(self._solver, _ATTEMPT, self._solver)
            self._run = lib.gsolve_auto_run
            return
        self._M = precond_for(ctx, self._matrix, self._precond, self.shape, self._extras)
        if self._M:
            self._handles.append((lib.gsolve_precond_destroy, self._M.address))
        handle = self._new("gsolve_solver")
        spec = _joined(self._method, self._tolerances)
        ctx.check(lib.gsolve_solver_create(handle, ctx.handle, spec.encode(), self._matrix, self._M.handle if self._M else ffi.NULL))
        self._solver = handle[0]
        lib.gsolve_solver_set_monitor(self._solver, _MONITOR, self._watch)
        self._run = lib.gsolve_solver_run

    # --- new values --------------------------------------------------------------------------------

    def update(self, values: Any) -> None:
        """Gives the matrix new values: an array of them in the order of A, if A is in CSR, or a matrix with the pattern of A. What
        depends on the pattern alone is kept."""
        if self._view is None:
            raise Unsupported("a LinearOperator has no values; create a new Solver")
        with self._ctx.lock:
            with self._ctx.together():
                view = self._view_of_values(values)
            wait_for(self._ctx, view)
            update = lib.gsolve_matrix_update_dist if view.wide else lib.gsolve_matrix_update
            self._ctx.check(update(self._matrix, view.csr))
            if not self._automatic and self._M is not None:
                self._M.update(self._matrix)
            self._view = view
            if self._adjoint is not None:
                self._adjoint.update(self._transposed())
            self._ctx.agree()

    def _view_of_values(self, values: Any) -> MatrixView:
        first = self._view_of_A()
        if getattr(values, "ndim", 0) == 1 or isinstance(values, list):
            if not first.in_place:
                raise BadArgument("A was converted to CSR, so the order of its values is not yours; give a matrix with its pattern")
            return first.with_values(values)
        view = matrix_view(values, first.wide)
        return view.placed_as(first) if first.wide else view

    def _view_of_A(self) -> MatrixView:
        if self._view is None:
            raise Unsupported("a LinearOperator has no rows; create a Solver for its adjoint")
        return self._view

    # --- solve -------------------------------------------------------------------------------------

    def solve(self, b: Any, x0: Any = None, *, check: bool = True) -> Any:
        """Returns x with A x = b. b has the shape (n,) or (n, k) for k right-hand sides; x is an array of the same package and
        layout. x0 is the initial guess, 0 by default. Raises NotConverged if the tolerance is not reached, unless check=False; also
        for a square A if the outcome is "least squares", unless the Solver has null_space or least_squares=True."""
        with self._ctx.lock:
            if x0 is None and type(b) is np.ndarray and b.dtype == F64 and b.shape == self._plain_shape and b.flags.c_contiguous:
                x = self._solve_plain(b)
            else:
                x = self._solve_any(b, x0, check)
            if check and not self._succeeded():
                least_squares = self._result.outcome == lib.GSOLVE_LEAST_SQUARES
                raise NotConverged(x, self.info, (_NO_SOLUTION if least_squares else "") + self.explain(), self._diagnose()[0])
        return x

    def _succeeded(self) -> bool:
        outcome = self._result.outcome
        return outcome in _SUCCESS or (outcome == lib.GSOLVE_LEAST_SQUARES and self._minimises)

    def _solve_plain(self, b: np.ndarray) -> np.ndarray:
        """solve for a vector of NumPy that needs no conversion: the views are there and get new addresses."""
        x = np.zeros(self.shape[1])
        rhs, solution = self._views
        rhs.value, solution.value = from_buffer(b), from_buffer(x)
        self._need_tolerance(F64)
        self._run_on(rhs[0], solution[0])
        self._columns_of_b, self._rounded = 1, None
        return x

    def _solve_any(self, b: Any, x0: Any, check: bool) -> Any:
        """x is in float32 if A and b are. The library computes it in float64, since rounding x alone can give a residual far above
        any useful tolerance, and it is rounded at the end. A package without float64 gets x from the library in float32."""
        with self._ctx.together() as same:
            single = self.dtype == F32 and b is not None and as_array(b, "b")[1].dtype(as_array(b, "b")[0]) == F32
            rhs = dense_view(b, "b", self.shape[0], F32 if single else F64)
            x = self._first_guess(rhs, x0)
            same.append(f"check={bool(check)}, single={single}")
        wait_for(self._ctx, rhs, x)
        self._need_tolerance(F32 if single else F64)
        self._run_on(rhs.view[0], x.view[0])
        self._columns_of_b, self._rounded = 1 if rhs.array.ndim == 1 else rhs.array.shape[1], None
        if single and x.dtype == F64:
            x = x.cast(F32)
            wait_for(self._ctx, x)
            self._measure_rounded(rhs, x)
        return x.family.finish(x.array)

    def _first_guess(self, rhs: DenseView, x0: Any) -> DenseView:
        """A new array for x, beside b."""
        x = new_like(rhs, self.shape[1], F64)
        if x0 is None:
            x.family.clear(x.array)
            return x
        guess, _ = as_array(x0, "x0")
        if tuple(guess.shape) != tuple(x.array.shape):
            raise BadArgument(f"x0 has the shape {tuple(guess.shape)}; it must have the shape {tuple(x.array.shape)}")
        x.family.copy_into(x.array, guess)
        return x

    def _need_tolerance(self, dtype: np.dtype) -> None:
        """Sets the default tolerance for x of that type."""
        if self._arguments["rtol"] is None and self._rtol != _DEFAULT_RTOL[dtype]:
            set_options = lib.gsolve_auto_set if self._automatic else lib.gsolve_solver_set
            self._ctx.check(set_options(self._solver, f"rtol={_DEFAULT_RTOL[dtype]}".encode()))
            self._rtol = _DEFAULT_RTOL[dtype]

    def _measure_rounded(self, b: DenseView, x: DenseView) -> None:
        """The residual of the result becomes that of x after it was rounded to float32."""
        limits = self._limits(b)
        columns = self._columns_of_b
        residuals = ffi.new("double[]", max(columns, 1))
        self._ctx.check(lib.gsolve_matrix_residual(self._matrix, b.view[0], x.view[0], residuals))
        self._rounded = []
        for k, (residual, limit) in enumerate(zip(residuals[0:columns], limits)):
            exact = self._column(k)
            fits = exact is None or exact.outcome != lib.GSOLVE_CONVERGED or residual <= max(limit, exact.relative_residual)
            self._rounded.append(_Rounded(residual, None if fits else limit))  # not fits: also NaN, where x overflows
        self._result.relative_residual = max(residuals[0:columns], default=0.0)

    def _limits(self, b: DenseView) -> list[float]:
        """The largest |b - A x| / |b| of each column that meets rtol or atol."""
        atol = self._arguments["atol"]
        if atol is None:  # the last one of the method's options
            atol = [0.0, *(float(part[5:]) for part in self._method.split(",") if part.startswith("atol="))][-1]
        if not atol:
            return [self._rtol] * self._columns_of_b
        norms = np.atleast_1d(np.linalg.norm(b.family.to_host(b.array).astype(F64), axis=0))
        comm = self._arguments["comm"]
        norms = (norms if comm is None else np.linalg.norm(comm.allgather(norms), axis=0)).tolist()
        return [max(self._rtol, atol / norm if norm > 0 else atol) for norm in norms]

    def _column(self, k: int) -> Any:
        """The library's result for column k of the last run, or None."""
        if self._columns_of_b == 1:
            return self._result
        column = filled("gsolve_result")
        return column if lib.gsolve_solver_column(self._current(), k, column) == lib.GSOLVE_OK else None

    def _run_on(self, b: Any, x: Any) -> None:
        """A run of the library; the result is in self._result, the residuals are in self._watch."""
        self._watch.length = 0
        self._ctx.check(self._run(self._solver, b, x, self._result))
        self._ctx.ended(self._result.outcome == lib.GSOLVE_STOPPED)
        self._ctx.wait()
        self._ran = True

    __call__ = solve

    @property
    def adjoint(self) -> Solver:
        """A solver for A', with the method, the preconditioner and the tolerances of this one. It is this solver if A is symmetric.
        Updates of this solver update it, too. All ranks ask for it together."""
        view = self._view_of_A()
        with self._ctx.lock:
            if self._adjoint is None:
                statistics = filled("gsolve_statistics")
                self._ctx.check(lib.gsolve_matrix_statistics(self._matrix, statistics))
                self._ctx.agree()
                if statistics.symmetric:
                    return self
                device = self._arguments["device"] or (None if view.gpu is None else device_spec(view.gpu, None, None))
                self._adjoint = Solver(self._transposed(), **{**self._arguments, "device": device})
            return self._adjoint

    def _transposed(self) -> MatrixView:
        """The transpose of A, on the host."""
        view = self._view_of_A()
        if view.wide:
            of_rank = ffi.new("gsolve_dist_csr *")
            self._ctx.check(lib.gsolve_dist_csr_transpose(of_rank, self._ctx.handle, view.csr))
            with self._ctx.together():
                return library_view(self._ctx.owned(of_rank, lib.gsolve_dist_csr_free), view)
        rows, result = ffi.new("gsolve_csr *"), ffi.new("gsolve_csr *")
        self._ctx.check(lib.gsolve_matrix_csr(self._matrix, rows))
        self._ctx.check(lib.gsolve_csr_transpose(result, self._ctx.handle, rows))
        return library_view(self._ctx.owned(result, lib.gsolve_csr_free), view)

    # --- what happened -----------------------------------------------------------------------------

    def _current(self) -> Any:
        """The gsolve_solver of the last run."""
        return lib.gsolve_auto_solver(self._solver) if self._automatic else self._solver

    @property
    def info(self) -> Info:
        """What the last solve did."""
        if not self._ran:
            raise BadArgument("there is no solve yet; call solve first")
        with self._ctx.lock:
            result, matrix = self._result, filled("gsolve_matrix_info")
            lib.gsolve_matrix_describe(self._matrix, matrix)
            columns = []
            for k in range(self._columns_of_b if self._columns_of_b > 1 else 0):
                column = self._column(k)
                if column is not None:
                    residual, missed = self._rounded[k] if self._rounded else (column.relative_residual, None)
                    columns.append((_outcome(column, missed), column.iterations, residual))
            method, precond, setup = self._parts()
            outcome = _outcome(result, self._missed())
            return Info(outcome, self._succeeded(), result.relative_residual, result.iterations,
                        method, precond, text(matrix.form), text(self._ctx.describe().description), setup, result.seconds,
                        self._note(), tuple(columns), self._ctx.describe().ranks)

    def _missed(self) -> float | None:
        """The tolerance that x met in float64 only, for the column where it is smallest; None: there is none."""
        if not self._rounded or self._result.outcome != lib.GSOLVE_CONVERGED:
            return None
        return min((column.missed for column in self._rounded if column.missed is not None), default=None)

    def _note(self) -> str:
        note = in_python(text(lib.gsolve_solver_note(self._current())))
        missed = self._missed()
        if missed is not None:
            rounding = f"x met the tolerance {missed:.0e} and was then rounded to float32; give b in float64 for an x in float64."
            note = f"{note} {rounding}" if note else rounding
        return note

    def _parts(self) -> tuple[str, str, float]:
        """The specs of method and preconditioner, and the time of the set-up."""
        if self._automatic:
            info = filled("gsolve_auto_info")
            lib.gsolve_auto_describe(self._solver, info)
            return text(info.method), text(info.precond), info.setup_seconds
        name = text(lib.gsolve_solver_name(self._solver))
        return (name if self._method.split(",")[0] == "auto" else self._method), self._M.spec if self._M else "none", \
            self._M.setup_seconds if self._M else 0.0

    def _diagnose(self) -> tuple[Diagnosis, str]:
        """Why the last solve failed, and the library's own sentence about the remedy; both are empty after a success."""
        found = filled("gsolve_diagnosis")
        self._ctx.check((lib.gsolve_auto_diagnose if self._automatic else lib.gsolve_solver_diagnose)(self._solver, found))
        name, cause, method, precond, options, remedy = (text(getattr(found, member)) for member in _DIAGNOSIS)
        return diagnosis_of(name, cause, method, precond, options, remedy), remedy

    def explain(self) -> str:
        """Sentences about the last solve: why it ended as it did, and what to try next. All ranks call it; print on one."""
        with self._ctx.lock:
            words = text(lib.gsolve_auto_explain(self._solver) if self._automatic else lib.gsolve_solver_explain(self._solver))
            diagnosis, remedy = self._diagnose()
            return in_python(words.replace(remedy, diagnosis.remedy) if remedy else words)

    @property
    def history(self) -> np.ndarray:
        """The relative residual of each iteration of the last solve, from iteration 0 on, as the method estimates it."""
        length = self._watch.length
        return np.frombuffer(ffi.buffer(self._watch.history, 8 * length), F64).copy() if length else np.empty(0)

    def plot(self, axes: Any = None) -> Any:
        """Draws the residuals of the last solve with matplotlib; returns the axes."""
        from ._display import plot_history
        return plot_history(self.history, f"{self.info.method} + {self.info.precond}", axes)

    @property
    def memory(self) -> int:
        """Bytes that the solver holds, on the host and on the device."""
        with self._ctx.lock:
            return int(self._ctx.describe().bytes)

    def __repr__(self) -> str:
        kind = "LinearOperator" if self._operator else "matrix"
        return f"<pygsolve.Solver for a {kind} of {self.shape[0]} x {self.shape[1]}, {self._method} + {self._precond}>"


def solve(A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
    """Solves A x = b and returns x. `options` are those of `Solver`, and check=False of `Solver.solve`.

        x = pygsolve.solve(A, b)                        chooses method and preconditioner
        x = pygsolve.solve(A, b, method="cg", precond="amg", rtol=1e-10)
        x = pygsolve.solve(A, b, comm=MPI.COMM_WORLD)   this rank's rows of A, b and x

    Raises NotConverged if the tolerance is not reached, and for a singular square A if no x solves A x = b, unless
    least_squares=True."""
    check = options.pop("check", True)
    return Solver(A, **options).solve(b, x0, check=check)
