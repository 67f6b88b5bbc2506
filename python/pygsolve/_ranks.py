"""Ranks: processes of MPI that share systems, each with rows of its own. `comm` is a communicator of mpi4py.

All ranks make the same calls. What a rank does alone, such as looking at its arguments, is inside `with ctx.together():`, so that an
error of one rank becomes one of all, and none waits for another."""
from __future__ import annotations

import os
import re
import threading
from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import numpy as np
import scipy.sparse

from ._arrays import F32, F64, MatrixView, as_array, dense_view, matrix_view, new_like
from ._library import BadArgument, BadMatrix, Context, Error, Unsupported, error_of, ffi, interrupts, lib, release_context, status_of, text

_INSTALL = "install it for the MPI of gsolve: pip install --no-binary=mpi4py mpi4py, or python3-mpi4py of Debian"


# --- MPI and libgsolve_mpi -------------------------------------------------------------------------

def _mpi_of(comm: Any) -> Any:
    """The module mpi4py.MPI, if comm is a communicator of it."""
    try:
        from mpi4py import MPI
    except ImportError as missing:
        raise ImportError(f"comm is a communicator of mpi4py, which cannot be imported: {missing}; {_INSTALL}") from missing
    null = isinstance(comm, MPI.Comm) and comm == MPI.COMM_NULL
    if null or not isinstance(comm, MPI.Intracomm):
        found = "MPI.COMM_NULL" if null else f"a {type(comm).__name__}"
        raise BadArgument(f"comm is {found}; give a communicator of mpi4py, such as MPI.COMM_WORLD")
    if not MPI.Is_initialized() or MPI.Is_finalized():
        raise BadArgument("MPI has been finalised" if MPI.Is_finalized() else "MPI is not initialised; call MPI.Init_thread() first")
    return MPI


def _version_of(library: Any) -> str:
    """The MPI that a library has been linked with, such as "Open MPI v4.1.4"."""
    address = lib.pygsolve_symbol(library, b"MPI_Get_library_version")
    if not address:
        return "an unknown MPI"
    words, length = ffi.new("char[]", 8192), ffi.new("int *")
    ffi.cast("int (*)(char *, int *)", address)(words, length)
    return re.sub(r"\s*Version:\s*", " ", re.split("[,\n]", text(words))[0])


def _load(MPI: Any) -> Any:
    """libgsolve_mpi, which must use the MPI of mpi4py: both then find the same function at the same address."""
    major, minor = text(lib.gsolve_version()).split(".")[:2]
    library = lib.pygsolve_load(f"libgsolve_mpi.so.{major}.{minor}".encode())
    if not library:
        raise Unsupported(f"comm needs libgsolve_mpi, which cannot be loaded: {text(lib.pygsolve_load_error())}. Build gsolve with "
                          f"-DGSOLVE_MPI=ON, or the package by GSOLVE_MPI=ON pip install ., for the MPI of mpi4py, which is "
                          f"{_version_of(lib.pygsolve_load(MPI.__file__.encode()))}")
    mpi4py = lib.pygsolve_load(MPI.__file__.encode())
    if lib.pygsolve_symbol(library, b"MPI_Initialized") != lib.pygsolve_symbol(mpi4py, b"MPI_Initialized"):
        raise Unsupported(f"mpi4py uses {_version_of(mpi4py)} and libgsolve_mpi {_version_of(library)}, and they cannot work together; "
                          "install mpi4py for the MPI of gsolve (pip install --no-binary=mpi4py mpi4py, with MPICC set to its mpicc), or "
                          "build gsolve for the MPI of mpi4py (-DMPI_C_COMPILER names its mpicc)")
    if not lib.pygsolve_is_own(library):
        raise Unsupported("libgsolve_mpi belongs to another build of gsolve than this package; take it out of LD_LIBRARY_PATH")
    return library


# --- contexts --------------------------------------------------------------------------------------

class RankContext(Context):
    """The context of this rank. It belongs to a communicator, and serves one solver after another."""

    distributed = True

    def __init__(self, comm: Any, MPI: Any, library: Any, spec: str):
        self._comm, self._mpi, self._library = comm, MPI, library
        super().__init__(spec)
        self.lock = _RankLock()

    def _create(self, handle: Any, spec: bytes) -> None:
        library = self._library
        kind = {4: "int", 8: "void *"}[self._mpi._sizeof(self._mpi.Comm)]  # of MPI_Comm: of MPICH and its like, of Open MPI
        create = ffi.cast(f"gsolve_status (*)(gsolve_context **, const char *, {kind})",
                          lib.pygsolve_symbol(library, b"gsolve_context_create_mpi"))
        error = ffi.cast("const char *(*)(void)", lib.pygsolve_symbol(library, b"gsolve_mpi_error"))
        status = create(handle, spec, ffi.cast(f"{kind} *", self._mpi._addressof(self._comm))[0])
        if status != lib.GSOLVE_OK:
            raise error_of(status, error())

    def close(self) -> None:
        """Destroys the context with all that solvers have created in it; later calls of these solvers are refused."""
        self.lock = _Closed()
        if self.handle:
            lib.gsolve_context_destroy(self._address)
            self.handle = None

    @contextmanager
    def together(self) -> Iterator[list[str]]:
        """Around what this rank does alone: an error of one rank is raised on all. Yields a list for texts that must be the same on
        all ranks."""
        same: list[str] = []
        error: BaseException | None = None
        try:
            yield same
        except BaseException as caught:
            error = caught
        self.agree(error, same)

    def agree(self, error: BaseException | None = None, same: Sequence[str] = ()) -> None:
        """Raises on all ranks if one has an error, or an exception of a function that the library called or of a signal handler."""
        raised = self.raised() or interrupts.exception()
        error = raised or error
        status, sentence = lib.GSOLVE_OK, ""
        if error is not None:
            status = lib.GSOLVE_INTERRUPTED if raised else status_of(error)
            sentence = str(error) if isinstance(error, Error) else f"{type(error).__name__}: {error}".removesuffix(": ")
        status = lib.gsolve_context_agree(self.handle, status, sentence.encode(), "\n".join(same).encode())
        if error is not None and (raised or not isinstance(error, Exception)):
            raise error
        try:
            self.check(status)
        except Error as of_all:
            raise of_all from error

    def check(self, status: int) -> None:
        """If the call has succeeded, the other ranks go on. So an exception of a function of Python waits for the next agreement, with
        which each function of this package ends."""
        if status != lib.GSOLVE_OK:
            super().check(status)

    def ended(self, stopped: bool) -> None:
        """After a run, whose outcome is the same on all ranks. It stops on all of them if one has raised an exception."""
        if stopped:
            self.agree()
        exception = self.raised()  # too late to stop the run
        if exception is not None:
            raise exception


class _RankLock:
    """The lock of a context of ranks."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        interrupts.__enter__()
        self._lock.acquire()

    def __exit__(self, *error: Any) -> None:
        self._lock.release()
        interrupts.__exit__(*error)


class _Closed:
    """In place of the lock of a context that is gone."""

    def __enter__(self) -> None:
        raise BadArgument("the communicator has been freed; create the Solver again, with another one")

    def __exit__(self, *_: Any) -> None:
        pass


_keyval: int | None = None  # of the list of contexts that MPI keeps with a communicator


def _close_all(comm: Any, keyval: int, contexts: list[RankContext]) -> None:
    """For MPI, when a communicator is freed, which all ranks do together. Solvers may still be there, other ones on each rank."""
    for context in contexts:
        context.close()


def _contexts_of(comm: Any, MPI: Any) -> list[RankContext]:
    """The contexts of a communicator, in the same order on all ranks."""
    global _keyval
    if _keyval is None:
        _keyval = MPI.Comm.Create_keyval(delete_fn=_close_all)
    contexts: list[RankContext] | None = comm.Get_attr(_keyval)
    if contexts is None:
        contexts = []
        comm.Set_attr(_keyval, contexts)
    return contexts


def rank_context(comm: Any, spec: str) -> RankContext:
    """A context of that spec: the first one that no solver uses on any rank, or a new one. Python frees a solver at another time on
    each rank, and creating a context needs all ranks."""
    MPI, library, problem = _mpi_of(comm), None, ""
    try:
        library = _load(MPI)
    except Unsupported as missing:
        problem = str(missing)
    contexts = _contexts_of(comm, MPI)
    states = comm.allgather((problem, spec, [c.spec == spec and not c.busy and not c.failed for c in contexts]))
    for rank, (problem, other, _) in enumerate(states):
        if problem:
            raise Unsupported(problem if comm.size == 1 else f"rank {rank}: {problem}")
        if other != states[0][1]:
            raise BadArgument(f"rank {rank}: device and threads make '{other}', and '{states[0][1]}' on rank 0; pass the same on all ranks")
    free = [k for k in range(len(contexts)) if all(state[2][k] for state in states)]
    if not free:
        contexts.append(RankContext(comm, MPI, library, spec))
    context = contexts[free[0] if free else -1]
    context.busy = True
    return context


@contextmanager
def _borrowed(comm: Any) -> Iterator[RankContext]:
    """A context for one call."""
    with interrupts:
        context = rank_context(comm, "cpu")
        try:
            with context.lock:
                yield context
        finally:
            release_context(context)


# --- rows of this rank -----------------------------------------------------------------------------

def _row_range(counts: Sequence[int], rank: int) -> Any:
    """The rows of this rank, behind those of the ranks before it, if ranks have these numbers of rows: a gsolve_row_range."""
    return {"first": sum(counts[:rank]), "total": sum(counts), "count": counts[rank]}


def _even_range(total: int, rank: int, ranks: int) -> Any:
    size, more = divmod(total, ranks)
    return {"first": rank * size + min(rank, more), "total": total, "count": size + (rank < more)}


def place_rows(comm: Any, view: MatrixView) -> None:
    """Sets the rows and the elements of x that this rank owns. The elements of x are divided like the rows if A is square, and
    else evenly."""
    shapes = comm.allgather(view.shape)
    width = shapes[0][1]
    for rank, shape in enumerate(shapes):
        if shape[1] != width:
            raise BadMatrix(f"rank {rank}: A has {shape[1]} columns, and {width} on rank 0; give this rank's rows with the columns of the "
                            "whole matrix")
    view.csr.rows = _row_range([shape[0] for shape in shapes], comm.rank)
    view.csr.cols = view.csr.rows if view.csr.rows.total == width else _even_range(width, comm.rank, comm.size)


def _array(pointer: Any, count: int, dtype: Any) -> np.ndarray:
    """A copy of memory of the library."""
    size = count * np.dtype(dtype).itemsize
    return np.frombuffer(ffi.buffer(ffi.cast("char *", pointer), size), dtype).copy() if size else np.empty(0, dtype)


def _values(csr: Any, count: int) -> np.ndarray:
    return _array(csr.value, count, F32 if csr.type == lib.GSOLVE_F32 else F64)


def _copied(csr: Any) -> scipy.sparse.csr_array:
    """The rows that the library has made, as a matrix of SciPy."""
    start = _array(csr.start, csr.rows.count + 1, np.int32 if csr.offset == lib.GSOLVE_O32 else np.int64)
    count = int(start[-1])
    shape = (csr.rows.count, csr.cols.total or csr.rows.total)
    return scipy.sparse.csr_array((_values(csr, count), _array(csr.col, count, np.int64), start), shape=shape)


def assemble(i: Any, j: Any, v: Any, rows: int, *, comm: Any) -> scipy.sparse.csr_array:
    """This rank's rows of a square matrix that is the sum of triplets: entry (i, j) is the sum of all v with these row and column
    numbers, which are those of the whole matrix. A rank may give triplets for rows of other ranks, such as those of finite elements at
    its border. rows: the number of rows that this rank owns; ranks own consecutive rows, in their order."""
    with _borrowed(comm) as ctx:
        with ctx.together():
            where = [np.ascontiguousarray(as_array(array, name)[0], np.int64) for array, name in ((i, "i"), (j, "j"))]
            values = np.ascontiguousarray(as_array(v, "v")[0], F64)
            shapes = [array.shape for array in (*where, values)]
            if values.ndim != 1 or len(set(shapes)) > 1:
                raise BadArgument(f"i, j and v have the shapes {shapes[0]}, {shapes[1]} and {shapes[2]}; they must have one dimension, "
                                  "and equal lengths")
            count = _row_count(rows)
        csr = ffi.new("gsolve_dist_csr *")
        row_range = ffi.new("gsolve_row_range *", _row_range(comm.allgather(count), comm.rank))
        addresses = [ffi.cast("int64_t *", array.ctypes.data) for array in where]
        ctx.check(lib.gsolve_dist_csr_assemble(csr, ctx.handle, row_range[0], len(values), *addresses, ffi.cast("double *", values.ctypes.data)))
        with ctx.together():
            return _copied(ctx.owned(csr, lib.gsolve_dist_csr_free))


def _row_count(rows: Any) -> int:
    try:
        count = int(rows)
    except (TypeError, ValueError):
        count = -1
    if not 0 <= count < 2**31:
        raise BadArgument(f"rows is {rows!r}; give the number of rows that this rank owns")
    return count


class Redistribution:
    """Another division of the rows of a square matrix among the ranks, in which products need fewer elements of x of other ranks. A is
    this rank's rows. how: "blocks" (equal numbers of entries), "metis", "scotch" or "auto".

        R = pygsolve.Redistribution(A, comm=comm)
        x = R.back(pygsolve.solve(R.rows, R.apply(b), comm=comm))

    `rows` is the matrix P A P' in the new division, where P numbers the rows again; `name` is what "auto" took."""

    def __init__(self, A: Any, how: str = "auto", *, comm: Any):
        self._address, self._new = ffi.new("gsolve_redistribution **"), ffi.new("gsolve_dist_csr *")
        with interrupts:
            self._ctx = rank_context(comm, "cpu")
            with self._ctx.together():
                spec, self._view = how.encode(), matrix_view(A, wide=True)
            place_rows(comm, self._view)
            self._ctx.check(lib.gsolve_redistribution_create(self._address, self._ctx.handle, spec, self._view.csr, self._new))
            with self._ctx.together():
                self.name = text(lib.gsolve_redistribution_name(self._address[0]))
                self.rows = _copied(self._new)

    def __del__(self, destroy: Any = lib.gsolve_redistribution_destroy, free: Any = lib.gsolve_dist_csr_free,
                release: Any = release_context) -> None:
        ctx = getattr(self, "_ctx", None)
        if ctx and ctx.handle:
            destroy(self._address)
            free(self._new, ctx.handle)
            release(ctx)

    def apply(self, vectors: Any) -> Any:
        """Moves vectors, such as b, from the old division to the new one. Each rank passes its rows."""
        return self._move(vectors, False)

    def back(self, vectors: Any) -> Any:
        """Vectors in the new division, such as x, in the old one."""
        return self._move(vectors, True)

    def _move(self, vectors: Any, back: bool) -> Any:
        counts = (self._view.csr.rows.count, self._new.rows.count)
        with self._ctx.lock:
            with self._ctx.together():
                given = dense_view(vectors, "vectors", counts[back], None)
                moved = new_like(given, counts[not back], given.dtype)
            self._ctx.check(lib.gsolve_redistribution_apply(self._address[0], back, given.view[0], moved.view[0]))
            with self._ctx.together():
                return moved.family.finish(moved.array)

    def values(self, values: Any) -> np.ndarray:
        """New values of A, in its order, as those of `rows`, for Solver.update."""
        with self._ctx.lock:
            with self._ctx.together():
                view = self._view.with_values(values)
            self._ctx.check(lib.gsolve_redistribution_update(self._address[0], view.csr, self._new))
            with self._ctx.together():
                return _values(self._new, self.rows.nnz)


# --- files -----------------------------------------------------------------------------------------

def read_matrix(comm: Any, path: Any, options: Any) -> scipy.sparse.csr_array:
    """This rank's rows of a matrix that all ranks read or generate together."""
    with _borrowed(comm) as ctx:
        with ctx.together():
            name = os.fspath(path).encode()
        csr = ffi.new("gsolve_dist_csr *")
        ctx.check(lib.gsolve_read_matrix_dist(csr, ctx.handle, name, options, ffi.NULL))
        with ctx.together():
            return _copied(ctx.owned(csr, lib.gsolve_dist_csr_free))


def read_vectors(comm: Any, path: Any, options: Any, rows: Any) -> np.ndarray:
    """This rank's rows of vectors that rank 0 reads."""
    with _borrowed(comm) as ctx:
        with ctx.together():
            name, count = os.fspath(path).encode(), _row_count(rows)
        vectors, row_range = ffi.new("gsolve_dense *"), ffi.new("gsolve_row_range *", _row_range(comm.allgather(count), comm.rank))
        ctx.check(lib.gsolve_read_dense_dist(vectors, ctx.handle, name, row_range[0], options))
        with ctx.together():
            owner = ctx.owned(vectors, lib.gsolve_dense_free)
            stride, columns = max(int(owner.stride), count), int(owner.ncols)
            array = _array(owner.value, stride * columns, F64).reshape(columns, stride)[:, :count].T
            return array[:, 0] if columns == 1 else array


def write_vectors(comm: Any, path: Any, array: Any, comment: str) -> None:
    """Writes vectors whose rows are distributed over the ranks to one file."""
    with _borrowed(comm) as ctx:
        with ctx.together():
            if not isinstance(array, np.ndarray):
                raise Unsupported(f"array is a {type(array).__name__}; several ranks write NumPy arrays of vectors, and no matrices")
            name, words = os.fspath(path).encode(), comment.encode()
            vectors = dense_view(np.asfortranarray(array), "array", None, F64)
        row_range = ffi.new("gsolve_row_range *", _row_range(comm.allgather(vectors.array.shape[0]), comm.rank))
        ctx.check(lib.gsolve_write_dense_dist(ctx.handle, name, row_range[0], vectors.view, words or ffi.NULL))
        ctx.agree()
