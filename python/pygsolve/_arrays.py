"""Arrays of NumPy, SciPy, CuPy, PyTorch and JAX as views that the library reads in place.

A `Family` knows the arrays of one of these packages: where they are, how to make a new one, and how to wait for the work that
writes them. The library's own work is complete when a function of this package returns."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from ._library import BadArgument, BadMatrix, Context, ffi, lib

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
_TYPE = {F32: lib.GSOLVE_F32, F64: lib.GSOLVE_F64}
HOST, DEVICE = lib.GSOLVE_HOST, lib.GSOLVE_DEVICE


# --- the packages ----------------------------------------------------------------------------------

class Family:
    """NumPy; the other classes override what differs."""

    name = "numpy"

    def gpu(self, array: Any) -> int | None:
        """The index of the GPU that holds the array, or None for the memory of the host."""
        return None

    def address(self, array: Any) -> int:
        return array.ctypes.data if array.size else 0

    def strides(self, array: Any) -> tuple[int, ...]:
        """In elements."""
        return tuple(s // array.itemsize for s in array.strides)

    def dtype(self, array: Any) -> np.dtype:
        return np.dtype(array.dtype)

    def cast(self, array: Any, dtype: np.dtype) -> Any:
        """The array with another type; a copy only if the type differs."""
        return array.astype(dtype, copy=False)

    def compact(self, array: Any) -> Any:
        return np.ascontiguousarray(array)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype, like: Any, column_major: bool = False) -> Any:
        return np.empty(shape, dtype, order="F" if column_major else "C")

    def clear(self, target: Any) -> None:
        target[...] = 0

    def copy_into(self, target: Any, source: Any) -> None:
        target[...] = source

    def bounds(self, array: Any) -> tuple[int, int]:
        return int(array.min()), int(array.max())

    def wait(self, array: Any) -> None:
        """Waits until the work that writes the array is done."""

    def finish(self, array: Any) -> Any:
        """What a function returns for an array that the library has written."""
        return array

    def to_host(self, array: Any) -> np.ndarray:
        return np.asarray(array)

    def sparse(self, arrays: list[Any], shape: tuple[int, int]) -> Any:
        """A CSR matrix of start, columns and values."""
        raise NotImplementedError


class _Cupy(Family):
    name = "cupy"

    def _module(self) -> Any:
        return sys.modules["cupy"]

    def gpu(self, array: Any) -> int | None:
        return int(array.device.id)

    def address(self, array: Any) -> int:
        return int(array.data.ptr) if array.size else 0

    def compact(self, array: Any) -> Any:
        return self._module().ascontiguousarray(array)

    def empty(self, shape: tuple[int, ...], dtype: np.dtype, like: Any, column_major: bool = False) -> Any:
        with like.device:
            return self._module().empty(shape, dtype, order="F" if column_major else "C")

    def wait(self, array: Any) -> None:
        self._module().cuda.get_current_stream().synchronize()

    def to_host(self, array: Any) -> np.ndarray:
        return array.get()

    def sparse(self, arrays: list[Any], shape: tuple[int, int]) -> Any:
        from cupyx.scipy.sparse import csr_matrix
        return csr_matrix((arrays[2], arrays[1], arrays[0]), shape=shape)


class _Torch(Family):
    name = "torch"

    def _module(self) -> Any:
        return sys.modules["torch"]

    def gpu(self, array: Any) -> int | None:
        if array.device.type == "cpu":
            return None
        if array.device.type != "cuda":
            raise BadArgument(f"the tensor is on the device '{array.device}'; gsolve works on cpu and cuda")
        return array.device.index or 0

    def address(self, array: Any) -> int:
        return int(array.data_ptr())

    def strides(self, array: Any) -> tuple[int, ...]:
        return tuple(array.stride())

    def dtype(self, array: Any) -> np.dtype:
        return np.dtype(str(array.dtype).removeprefix("torch.").replace("bfloat16", "float16"))

    def cast(self, array: Any, dtype: np.dtype) -> Any:
        return array.detach().to(getattr(self._module(), dtype.name))

    def compact(self, array: Any) -> Any:
        return array.contiguous()

    def empty(self, shape: tuple[int, ...], dtype: np.dtype, like: Any, column_major: bool = False) -> Any:
        kind, device = getattr(self._module(), dtype.name), like.device
        if column_major:
            return self._module().empty(shape[::-1], dtype=kind, device=device).T
        return self._module().empty(shape, dtype=kind, device=device)

    def copy_into(self, target: Any, source: Any) -> None:
        target.copy_(source)

    def wait(self, array: Any) -> None:
        if array.device.type == "cuda":
            self._module().cuda.current_stream(array.device).synchronize()

    def to_host(self, array: Any) -> np.ndarray:
        return array.detach().cpu().numpy()

    def sparse(self, arrays: list[Any], shape: tuple[int, int]) -> Any:
        start, col, value = arrays
        return self._module().sparse_csr_tensor(start.to(col.dtype), col, value, size=shape)


class _Jax(Family):
    """JAX arrays cannot be changed. A result is written to memory of NumPy on the CPU, and to a new array of JAX on a GPU, which
    nobody else has seen yet."""

    name = "jax"

    def _numpy(self) -> Any:
        return sys.modules["jax.numpy"]

    def _device(self, array: Any) -> Any:
        return next(iter(array.devices()))

    def gpu(self, array: Any) -> int | None:
        device = self._device(array) if hasattr(array, "devices") else None
        return None if device is None or device.platform == "cpu" else int(device.id)

    def address(self, array: Any) -> int:
        if isinstance(array, np.ndarray):
            return Family.address(self, array)
        return int(array.unsafe_buffer_pointer()) if array.size else 0

    def strides(self, array: Any) -> tuple[int, ...]:
        if isinstance(array, np.ndarray):
            return Family.strides(self, array)
        return (1,) if array.ndim == 1 else (array.shape[1], 1)

    def cast(self, array: Any, dtype: np.dtype) -> Any:
        cast = array.astype(dtype)
        if np.dtype(cast.dtype) != dtype:
            raise BadArgument(f"JAX makes no {dtype.name} arrays; call jax.config.update('jax_enable_x64', True) first")
        return cast

    def compact(self, array: Any) -> Any:
        return array

    def empty(self, shape: tuple[int, ...], dtype: np.dtype, like: Any, column_major: bool = False) -> Any:
        if self.gpu(like) is None:
            return np.empty(shape, dtype, order="F" if column_major else "C")
        import jax
        return jax.device_put(self._numpy().zeros(shape, dtype), self._device(like))

    def clear(self, target: Any) -> None:
        if isinstance(target, np.ndarray):
            target[...] = 0  # one of JAX is 0

    def copy_into(self, target: Any, source: Any) -> None:
        if not isinstance(target, np.ndarray):
            raise BadArgument("a JAX array on a GPU cannot be an initial guess; leave x0 out")
        target[...] = np.asarray(source)

    def wait(self, array: Any) -> None:
        if not isinstance(array, np.ndarray):
            array.block_until_ready()

    def finish(self, array: Any) -> Any:
        return self._numpy().asarray(array)

    def sparse(self, arrays: list[Any], shape: tuple[int, int]) -> Any:
        from jax.experimental.sparse import BCSR
        return BCSR((arrays[2], arrays[1], arrays[0]), shape=shape)


_NUMPY = Family()
_FAMILIES = {"numpy": _NUMPY, "cupy": _Cupy(), "torch": _Torch(), "jax": _Jax(), "jaxlib": _Jax()}


def family_of(array: Any) -> Family | None:
    """The package of an array, or None if it is not one of the known packages."""
    if isinstance(array, np.ndarray):
        return _NUMPY
    return _FAMILIES.get(type(array).__module__.split(".")[0])


def as_array(value: Any, name: str) -> tuple[Any, Family]:
    """An array, made by NumPy from lists and the like, and its package."""
    if value is None:
        raise BadArgument(f"{name} is None; give an array")
    family = family_of(value)
    if family is None:
        if hasattr(value, "__cuda_array_interface__"):
            raise BadArgument(f"{name} is a {type(value).__name__}; give arrays in GPU memory as arrays of CuPy, PyTorch or JAX")
        value, family = np.asarray(value), _NUMPY
    if family.dtype(value).kind not in "fiub":
        raise BadArgument(f"{name} has the type {family.dtype(value)}; gsolve computes with real numbers")
    return value, family


# --- dense vectors ---------------------------------------------------------------------------------

class DenseView(NamedTuple):
    view: Any  # gsolve_dense, to be passed by value
    array: Any  # keeps the memory alive
    family: Family

    @property
    def dtype(self) -> np.dtype:
        return self.family.dtype(self.array)

    def cast(self, dtype: np.dtype) -> DenseView:
        """A copy with another type."""
        array = self.family.cast(self.array, dtype)
        return DenseView(view_of(array, self.family, dtype), array, self.family)


def dense_view(value: Any, name: str, nrows: int | None, dtype: np.dtype | None) -> DenseView:
    """A view of one or several vectors of nrows elements: shape (nrows,) or (nrows, k), any layout. It is a copy where the type
    differs or no dimension has stride 1."""
    array, family = as_array(value, name)
    if array.ndim not in (1, 2) or (nrows is not None and array.shape[0] != nrows):
        wanted = "(n,) or (n, k)" if nrows is None else f"({nrows},) or ({nrows}, k)"
        raise BadArgument(f"{name} has the shape {tuple(array.shape)}; it must have the shape {wanted}")
    present = family.dtype(array)
    wanted_type = dtype or (present if present in _TYPE else F64)
    if present != wanted_type:
        array = family.cast(array, wanted_type)
    strides = family.strides(array)
    if (array.ndim == 1 and strides[0] != 1) or (array.ndim == 2 and 1 not in strides) or min(strides) < 0:
        array = family.compact(array)
    return DenseView(view_of(array, family, wanted_type), array, family)


def view_of(array: Any, family: Family, dtype: np.dtype) -> Any:
    """A gsolve_dense of an array with a stride of 1."""
    view = ffi.new("gsolve_dense *")
    strides = family.strides(array)
    view.nrows, view.ncols = array.shape[0], array.shape[1] if array.ndim == 2 else 1
    row_major = array.ndim == 2 and strides[1] == 1 and array.shape[1] > 1
    view.layout = lib.GSOLVE_ROW_MAJOR if row_major else lib.GSOLVE_COLUMN_MAJOR
    view.stride = (strides[0] if row_major else strides[1]) if array.ndim == 2 else array.shape[0]
    if not row_major:
        view.stride = max(view.stride, array.shape[0])
    view.value = ffi.cast("void *", family.address(array))
    view.type = _TYPE[dtype]
    view.location = HOST if family.gpu(array) is None else DEVICE
    return view


def vector_view(n: int, dtype: np.dtype) -> Any:
    """A gsolve_dense of n elements on the host that has no address yet."""
    return ffi.new("gsolve_dense *", {"nrows": n, "ncols": 1, "stride": n, "type": _TYPE[dtype], "location": HOST})


def new_like(dense: DenseView, nrows: int, dtype: np.dtype) -> DenseView:
    """A new array of nrows rows, with the columns, the layout and the package of another one. Its type is float32 if the package
    makes no float64, which JAX does not unless it is asked to."""
    shape = (nrows,) if dense.array.ndim == 1 else (nrows, dense.array.shape[1])
    column_major = dense.array.ndim == 2 and dense.view.layout == lib.GSOLVE_COLUMN_MAJOR
    array = dense.family.empty(shape, dtype, dense.array, column_major)
    return DenseView(view_of(array, dense.family, dense.family.dtype(array)), array, dense.family)


# --- sparse matrices -------------------------------------------------------------------------------

class MatrixView(NamedTuple):
    csr: Any  # gsolve_csr *, or gsolve_dist_csr * for rows of a rank
    start: Any
    col: Any
    value: Any
    family: Family
    shape: tuple[int, int]
    dtype: np.dtype
    gpu: int | None
    in_place: bool  # the values are those of the caller, in his order

    def with_values(self, value: Any, dtype: np.dtype | None = None) -> MatrixView:
        """The same pattern with other values, of the type of A or of another one."""
        array, family = as_array(value, "values")
        if tuple(array.shape) != tuple(self.value.shape):
            raise BadArgument(f"there are {tuple(array.shape)} values for {int(self.value.shape[0])} entries")
        array = family.compact(family.cast(array, dtype or self.dtype))
        if (family.gpu(array) is None) != (self.gpu is None):
            raise BadArgument("the new values must be where the matrix is, on the host or on the GPU")
        view = csr_view(self.start, self.col, array, family, self.shape, wide=self.wide)
        return view.placed_as(self) if self.wide else view

    def placed_as(self, other: MatrixView) -> MatrixView:
        """This view of rows of a rank, which become the same rows of the whole matrix as those of another one."""
        if self.shape != other.shape:
            raise BadMatrix(f"the new A has the shape {self.shape} on this rank, and the first one {other.shape}")
        self.csr.rows, self.csr.cols = other.csr.rows, other.csr.cols
        return self

    @property
    def wide(self) -> bool:
        """A view of rows of a rank."""
        return bool(ffi.typeof(self.csr) is ffi.typeof("gsolve_dist_csr *"))


def csr_view(start: Any, col: Any, value: Any, family: Family, shape: tuple[int, ...], in_place: bool = True, wide: bool = False) -> MatrixView:
    """A view of three arrays in CSR. Columns of 64 bits are checked and copied; values that are not float32 or float64 become
    float64. wide: the rows of a rank, whose columns have 64 bits; those of 32 bits are copied. place_rows sets which rows they are."""
    nrows, ncols = (int(n) for n in shape)
    if max(nrows, 0 if wide else ncols) >= 2**31:
        raise BadMatrix(f"the matrix is {nrows} x {ncols}; gsolve takes less than 2^31 rows and columns")
    if family.dtype(value).kind not in "fiub":
        raise BadMatrix(f"the matrix has values of the type {family.dtype(value)}; gsolve computes with real numbers")
    dtype = family.dtype(value) if family.dtype(value) in _TYPE else F64
    if wide:
        col = family.cast(col, np.dtype(np.int64))
    elif family.dtype(col) != np.dtype(np.int32):
        if col.shape[0] > 0:
            least, most = family.bounds(col)
            if least < 0 or most >= ncols:
                raise BadMatrix(f"a column number is {least if least < 0 else most}; the matrix has {ncols} columns, counted from 0")
        col = family.cast(col, np.dtype(np.int32))
    if family.dtype(start) not in (np.dtype(np.int32), np.dtype(np.int64)):
        start = family.cast(start, np.dtype(np.int64))
    start, col, value = (family.compact(a) for a in (start, col, family.cast(value, dtype)))
    csr = ffi.new("gsolve_dist_csr *" if wide else "gsolve_csr *")
    if not wide:
        csr.nrows, csr.ncols = nrows, ncols
    csr.start = ffi.cast("void *", family.address(start))
    csr.col = ffi.cast("int64_t *" if wide else "int32_t *", family.address(col))
    csr.value = ffi.cast("void *", family.address(value))
    csr.offset = lib.GSOLVE_O32 if family.dtype(start).itemsize == 4 else lib.GSOLVE_O64
    csr.type = _TYPE[dtype]
    gpu = family.gpu(value)
    csr.location = HOST if gpu is None else DEVICE
    return MatrixView(csr, start, col, value, family, (nrows, ncols), dtype, gpu, in_place)


def rows_view(start: Any, col: Any, value: Any, family: Family, shape: tuple[int, ...], in_place: bool = True, wide: bool = False) -> MatrixView:
    """csr_view of arrays that come from a caller: the library cannot see their lengths, so they are checked here."""
    if start.shape[0] != int(shape[0]) + 1:
        raise BadMatrix(f"indptr has {start.shape[0]} elements; a matrix of {shape[0]} rows needs {int(shape[0]) + 1}")
    entries = int(start[-1])
    for name, array in (("indices", col), ("data", value)):
        if array.shape[0] < entries:
            raise BadMatrix(f"{name} has {array.shape[0]} elements; the last element of indptr is {entries}, so at least {entries} are needed")
    return csr_view(start, col, value, family, shape, in_place, wide)


def matrix_view(A: Any, wide: bool = False) -> MatrixView:
    """A view of a sparse matrix of SciPy, CuPy, PyTorch or JAX, or of a dense array of NumPy. Other formats than CSR are
    converted by the package first. wide: the rows of a rank."""
    package = type(A).__module__.split(".")[0]
    if isinstance(A, MatrixView):
        return A
    if package == "torch":
        torch = sys.modules["torch"]
        in_place = A.layout == torch.sparse_csr
        rows = A.detach() if in_place else A.detach().coalesce().to_sparse_csr() if A.layout == torch.sparse_coo else A.detach().to_sparse_csr()
        return rows_view(rows.crow_indices(), rows.col_indices(), rows.values(), _FAMILIES["torch"], (A.shape[0], A.shape[1]), in_place, wide)
    if package == "jax":
        return _jax_view(A, wide)
    if package in ("cupy", "cupyx"):
        in_place = getattr(A, "format", "") == "csr"
        rows = A if in_place else A.tocsr() if hasattr(A, "tocsr") else sys.modules["cupyx"].scipy.sparse.csr_matrix(A)
        return rows_view(rows.indptr, rows.indices, rows.data, _FAMILIES["cupy"], rows.shape, in_place, wide)
    import scipy.sparse
    in_place = scipy.sparse.issparse(A) and A.format == "csr"
    if not scipy.sparse.issparse(A):
        A = np.asarray(A)
        if A.ndim != 2 or A.dtype.kind not in "fiub":
            raise BadMatrix("A must be a sparse matrix of SciPy, CuPy, PyTorch or JAX, a LinearOperator, or a two-dimensional array "
                            f"of real numbers, not {type(A).__name__} with shape {A.shape} and type {A.dtype}")
    rows = A if in_place else scipy.sparse.csr_matrix(A)
    return rows_view(rows.indptr, rows.indices, rows.data, _NUMPY, rows.shape, in_place, wide)


def _jax_view(A: Any, wide: bool) -> MatrixView:
    from jax.experimental import sparse
    in_place = isinstance(A, sparse.BCSR)
    if isinstance(A, sparse.BCOO):
        A = sparse.BCSR.from_bcoo(A.sum_duplicates())
    if not isinstance(A, sparse.BCSR):
        return matrix_view(np.asarray(A), wide)
    if A.n_batch or A.n_dense:
        raise BadMatrix("the BCSR matrix has batch or dense dimensions; give one matrix with scalar entries")
    return rows_view(A.indptr, A.indices, A.data, _FAMILIES["jax"], A.shape, in_place, wide)


def columns_of(array: Any, name: str) -> Any:
    """The array as columns, column-major: shape (n, k)."""
    array, family = as_array(array, name)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    return np.asfortranarray(array) if family.name == "numpy" else family.compact(array.T).T


def library_view(csr: Any, like: MatrixView) -> MatrixView:
    """A view of a transpose that the library has allocated on the host."""
    return MatrixView(csr, csr, None, None, _NUMPY, like.shape[::-1], like.dtype, None, False)


def device_spec(gpu: int | None, device: str | None, threads: int | None) -> str:
    """The spec of the context for a matrix: the device that the caller names, or that of the matrix."""
    spec = device or ("cpu" if gpu is None else f"cuda,index={gpu}")
    if gpu is not None and spec.split(",")[0] == "cpu":
        raise BadArgument("A is in the memory of a GPU and device='cpu' is given; copy A to the host or leave device out")
    if threads is not None:
        spec += f",threads={threads}"
    return spec


def wait_for(context: Context, *views: Any) -> None:
    """Waits until the arrays in GPU memory are complete."""
    if context.on_gpu:
        for view in views:
            array = view.array if isinstance(view, DenseView) else view.value
            if array is not None and view.family.gpu(array) is not None:
                view.family.wait(array)
