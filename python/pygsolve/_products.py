"""Products of sparse matrices, files, lists of names, and the comparison of formats."""
from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, Iterator, Union

import numpy as np
import scipy.sparse

from ._arrays import F64, MatrixView, dense_view, device_spec, matrix_view, wait_for
from ._library import BadArgument, BadFile, Context, Error, ffi, filled, lib, text
from ._ranks import read_matrix, read_vectors, write_vectors

Path = Union[str, "os.PathLike[str]"]


# --- matrices that the library has made ------------------------------------------------------------

def _array(ctx: Context, pointer: Any, count: int, dtype: np.dtype, owner: Any) -> np.ndarray:
    """An array over memory of the library, which `owner` frees when the last array over it has gone."""
    if count == 0:
        return np.empty(0, dtype)
    block = ffi.gc(ffi.cast("char *", pointer), lambda _, keep=owner: None)
    return np.frombuffer(ffi.buffer(block, count * dtype.itemsize), dtype)


def _scipy_matrix(ctx: Context, csr: Any) -> scipy.sparse.csr_array:
    """A CSR matrix of the library on the host, without a copy."""
    owner = ctx.owned(csr, lib.gsolve_csr_free)
    offset = np.dtype(np.int32 if csr.offset == lib.GSOLVE_O32 else np.int64)
    start = _array(ctx, csr.start, csr.nrows + 1, offset, owner)
    count = int(start[-1])
    value = _array(ctx, csr.value, count, np.dtype(np.float32 if csr.type == lib.GSOLVE_F32 else np.float64), owner)
    matrix = scipy.sparse.csr_array((csr.nrows, csr.ncols), dtype=value.dtype)
    matrix.indptr, matrix.indices, matrix.data = start, _array(ctx, csr.col, count, np.dtype(np.int32), owner), value
    matrix.has_canonical_format = True
    return matrix


def _device_matrix(ctx: Context, csr: Any, like: MatrixView) -> Any:
    """A CSR matrix of the library in GPU memory, copied to arrays of the package of another matrix."""
    family = like.family
    kinds = (np.dtype(np.int32 if csr.offset == lib.GSOLVE_O32 else np.int64), np.dtype(np.int32), like.dtype)
    end = ffi.new("int64_t *", 0)
    last = ffi.cast("char *", csr.start) + csr.nrows * kinds[0].itemsize
    ctx.check(lib.gsolve_copy(ctx.handle, end, lib.GSOLVE_HOST, last, lib.GSOLVE_DEVICE, kinds[0].itemsize))
    arrays = []
    for pointer, count, kind in zip((csr.start, csr.col, csr.value), (csr.nrows + 1, end[0], end[0]), kinds):
        array = family.empty((int(count),), kind, like.value)
        ctx.check(lib.gsolve_copy(ctx.handle, ffi.cast("void *", family.address(array)), lib.GSOLVE_DEVICE, pointer, lib.GSOLVE_DEVICE,
                                  int(count) * kind.itemsize))
        arrays.append(array)
    ctx.wait()
    shape = (csr.nrows, csr.ncols)
    lib.gsolve_csr_free(csr, ctx.handle)
    return family.sparse(arrays, shape)


def spgemm(A: Any, B: Any, method: str = "auto", *, device: str | None = None, threads: int | None = None) -> Any:
    """The sparse product A B, a CSR matrix with ascending columns: of SciPy for matrices on the host, of the package of A for
    matrices in GPU memory. method: one of `pygsolve.products()`, such as "esc"."""
    a, b = matrix_view(A), matrix_view(B)
    if a.gpu != b.gpu:
        raise BadArgument("A and B must be at the same place, on the host or on one GPU")
    if a.dtype != b.dtype:
        a, b = (v if v.dtype == F64 else v.with_values(v.family.cast(v.value, F64), F64) for v in (a, b))
    ctx = Context(device_spec(a.gpu, device, threads))
    wait_for(ctx, a, b)
    csr = ffi.new("gsolve_csr *")
    ctx.check(lib.gsolve_csr_multiply(csr, ctx.handle, method.encode(), a.csr, b.csr))
    return _scipy_matrix(ctx, csr) if a.gpu is None else _device_matrix(ctx, csr, a)


# --- files -----------------------------------------------------------------------------------------

def read(path: Path, *, dense: bool = False, cache: bool = False, comm: Any = None, rows: int | None = None) -> Any:
    """Reads a sparse matrix as a SciPy CSR array, or with dense=True vectors as a NumPy array, shape (n,) or (n, k). The file
    formats are those of the command; "gen:poisson3d,n=40" generates a matrix. cache: keep and use a binary copy beside the
    file. comm: a communicator of mpi4py; each rank gets its rows of a matrix, with about as many entries as the others, and of vectors
    as many as `rows` says."""
    options = ffi.new("gsolve_read_options *")
    options.cache = cache
    if comm is not None:
        return read_vectors(comm, path, options, rows) if dense else read_matrix(comm, path, options)
    ctx = Context("cpu")
    name = os.fspath(path).encode()
    if not dense:
        csr = ffi.new("gsolve_csr *")
        ctx.check(lib.gsolve_read_matrix(csr, ctx.handle, name, options, ffi.NULL))
        return _scipy_matrix(ctx, csr)
    vectors = ffi.new("gsolve_dense *")
    ctx.check(lib.gsolve_read_dense(vectors, ctx.handle, name, options, ffi.NULL))
    owner = ctx.owned(vectors, lib.gsolve_dense_free)
    stride = max(int(vectors.stride), vectors.nrows)
    memory = _array(ctx, vectors.value, stride * vectors.ncols, F64, owner)
    array = memory.reshape(vectors.ncols, stride)[:, :vectors.nrows].T
    return array[:, 0] if vectors.ncols == 1 else array


def write(path: Path, array: Any, *, symmetric: bool = False, comment: str = "", comm: Any = None) -> None:
    """Writes a sparse matrix, or a NumPy array of vectors, to a file. symmetric: only the lower triangle of a matrix that is
    symmetric. The file appears complete or not at all. comm: a communicator of mpi4py; the ranks write their rows of vectors to one
    file."""
    if comm is not None:
        write_vectors(comm, path, array, comment)
        return
    ctx = Context("cpu")
    name, words = os.fspath(path).encode(), comment.encode() or ffi.NULL
    if isinstance(array, np.ndarray):
        vectors = dense_view(np.asfortranarray(array), "array", None, F64)
        ctx.check(lib.gsolve_write_dense(ctx.handle, name, vectors.view, words))
        return
    view = matrix_view(array)
    if view.gpu is not None:
        raise BadFile("the matrix is in the memory of a GPU; copy it to the host first")
    symmetry = lib.GSOLVE_SYMMETRIC if symmetric else lib.GSOLVE_GENERAL
    ctx.check(lib.gsolve_write_matrix(ctx.handle, name, view.csr, symmetry, words))


# --- names -----------------------------------------------------------------------------------------

def _names(at: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    while True:
        plugin = at(len(found))
        if not plugin:
            return found
        found[text(plugin.name)] = text(plugin.summary)


def methods() -> dict[str, str]:
    """The methods, each with one line about it."""
    return _names(lib.gsolve_method_at)


def preconditioners() -> dict[str, str]:
    """The preconditioners, each with one line about it."""
    ctx = Context("cpu")
    return _names(lambda k: lib.gsolve_precond_at(ctx.handle, k))


def formats(device: str = "cpu") -> dict[str, str]:
    """The storage formats of a device, each with one line about it."""
    ctx = Context(device)
    return _names(lambda k: lib.gsolve_format_at(ctx.handle, k))


def products() -> dict[str, str]:
    """The methods of `spgemm`, each with one line about it."""
    return _names(lib.gsolve_multiplier_at)


def generators() -> dict[str, str]:
    """The generators of matrices for `read("gen:NAME,...")`, each with one line about it."""
    return _names(lib.gsolve_generator_at)


def devices() -> dict[str, str]:
    """The devices that this build supports, each with one line about it."""
    return _names(lib.gsolve_device_at)


# --- comparison of formats -------------------------------------------------------------------------

@dataclass(frozen=True)
class FormatTime:
    """The product y = A x in one format. `seconds`: the median of several products; `build_seconds`: the conversion, paid once;
    `bytes`: what one product reads and writes. If the format cannot store the matrix, `reason` says why and the times are NaN."""

    format: str
    seconds: float
    build_seconds: float
    bytes: int
    reason: str = ""


class Comparison(list):  # type: ignore[type-arg]
    """The rows of `compare`, the fastest first."""

    def __repr__(self) -> str:
        lines = [f"{'format':<14}{'product':>12}{'build':>12}{'GB/s':>8}"]
        for row in self:
            speed = f"{1e-9 * row.bytes / row.seconds:8.1f}" if row.seconds > 0 else "       -"
            lines.append(f"{row.format:<14}" + (f"{1e6 * row.seconds:9.1f} us{1e3 * row.build_seconds:9.2f} ms{speed}" if not row.reason else f"  {row.reason}"))
        return "\n".join(lines)


def _seconds_of(product: Any, wait: Any) -> Iterator[float]:
    product()
    wait()
    for _ in range(7):
        begin = time.perf_counter()
        product()
        wait()
        yield time.perf_counter() - begin


def compare(A: Any, formats: list[str] | None = None, *, device: str | None = None, threads: int | None = None) -> Comparison:
    """Compares the product y = A x in the storage formats; the command `gsolve compare` compares whole solves. The result is a
    list of `FormatTime`, the fastest first."""
    view = matrix_view(A)
    ctx = Context(device_spec(view.gpu, device, threads))
    rows = []
    kind = ffi.sizeof("float") if view.dtype != F64 else ffi.sizeof("double")
    x, y = (lib.gsolve_alloc(ctx.handle, lib.GSOLVE_DEVICE, max(n, 1), kind) for n in (view.shape[1], view.shape[0]))
    ones = np.ones(view.shape[1], view.dtype)
    ctx.check(lib.gsolve_copy(ctx.handle, x, lib.GSOLVE_DEVICE, ffi.from_buffer(ones), lib.GSOLVE_HOST, ones.nbytes))
    location = lib.GSOLVE_DEVICE if ctx.on_gpu else lib.GSOLVE_HOST
    column = [ffi.new("gsolve_dense *", {"nrows": n, "ncols": 1, "stride": n, "value": p, "type": view.csr.type, "location": location})[0]
              for n, p in ((view.shape[1], x), (view.shape[0], y))]
    for name in formats or list(_names(lambda k: lib.gsolve_format_at(ctx.handle, k))):
        handle, info = ffi.new("gsolve_matrix **"), filled("gsolve_matrix_info")
        try:
            ctx.check(lib.gsolve_matrix_create(handle, ctx.handle, name.encode(), view.csr))
        except Error as reason:
            rows.append(FormatTime(name, np.nan, np.nan, 0, str(reason)))
            continue
        lib.gsolve_matrix_describe(handle[0], info)
        times = list(_seconds_of(lambda: ctx.check(lib.gsolve_matrix_apply(handle[0], 1, column[0], 0, column[1])), ctx.wait))
        rows.append(FormatTime(name, float(np.median(times)), info.build_seconds, info.bytes))
        lib.gsolve_matrix_destroy(handle)
    return Comparison(sorted(rows, key=lambda row: (bool(row.reason), row.seconds)))
