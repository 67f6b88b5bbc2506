"""The C library: its functions, its errors, and contexts."""
from __future__ import annotations

import atexit
import os
import signal
import threading
import time
from contextlib import nullcontext
from typing import Any, ContextManager

from ._messages import in_python


def _load() -> tuple[Any, Any]:
    """Loads the library. Its OpenMP threads spin for about half a millisecond (10000 rounds) while they wait for each other, and
    then sleep: a Python process often has threads of other libraries, and where they take the processor, spinning as long as OpenMP
    does by default makes a solve several times slower. OMP_WAIT_POLICY and GOMP_SPINCOUNT of the caller win. OpenMP reads them when
    it is loaded, so the variable goes again."""
    own = not {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"} & set(os.environ)
    if own:
        os.environ["GOMP_SPINCOUNT"] = "10000"
    try:
        from ._gsolve import ffi, lib
    finally:
        if own:
            del os.environ["GOMP_SPINCOUNT"]
    return ffi, lib


ffi, lib = _load()
_INTERRUPT = ffi.addressof(lib, "pygsolve_interrupt")


class Error(Exception):
    """An error of the library. `status` names its kind, such as "BAD_MATRIX"."""

    status = ""


class BadArgument(Error, ValueError):
    """An argument is wrong."""


class BadSpec(Error, ValueError):
    """A spec such as "amg,theta=0.1" has an unknown name or a bad value."""


class BadMatrix(Error, ValueError):
    """The matrix is not what the call needs."""


class BadFile(Error, OSError):
    """A file cannot be read or written."""


class NoMemory(Error, MemoryError):
    """There is not enough memory."""


class NoDevice(Error, RuntimeError):
    """The device is not there, or this build does not support it."""


class Unsupported(Error, NotImplementedError):
    """The combination is not supported."""


class ZeroPivot(Error, ArithmeticError):
    """A factorisation met a pivot that is 0."""


class DeviceFailed(Error, RuntimeError):
    """The GPU failed."""


class Interrupted(Error, RuntimeError):
    """The call was asked to stop."""


class RankFailed(Error, RuntimeError):
    """Another rank of a distributed system is gone, or the connection to it failed."""


_CLASS_OF: dict[int, type[Error]] = {
    lib.GSOLVE_BAD_ARGUMENT: BadArgument, lib.GSOLVE_BAD_SPEC: BadSpec, lib.GSOLVE_BAD_MATRIX: BadMatrix,
    lib.GSOLVE_BAD_FILE: BadFile, lib.GSOLVE_NO_MEMORY: NoMemory, lib.GSOLVE_NO_DEVICE: NoDevice,
    lib.GSOLVE_UNSUPPORTED: Unsupported, lib.GSOLVE_ZERO_PIVOT: ZeroPivot, lib.GSOLVE_DEVICE_FAILED: DeviceFailed,
    lib.GSOLVE_INTERRUPTED: Interrupted, lib.GSOLVE_RANK_FAILED: RankFailed,
}
for _cls, _name in ((cls, ffi.string(ffi.cast("gsolve_status", code)).removeprefix("GSOLVE_")) for code, cls in _CLASS_OF.items()):
    _cls.status = _name


def text(pointer: Any) -> str:
    """A Python string of a C string, which may be NULL."""
    return ffi.string(pointer).decode(errors="replace") if pointer else ""


def filled(kind: str) -> Any:
    """A new struct that the library fills, as GSOLVE_INIT makes it."""
    struct = ffi.new(f"{kind} *")
    struct.size = ffi.sizeof(kind)
    return struct


def error_of(status: int, sentence: Any) -> Error:
    """The exception for a call that failed, with its sentence."""
    return _CLASS_OF[status](in_python(text(sentence)))


def status_of(error: BaseException) -> int:
    """The status of an exception, for the other ranks."""
    for status, kind in _CLASS_OF.items():
        if isinstance(error, kind):
            return status
    if not isinstance(error, Exception):  # such as KeyboardInterrupt
        return int(lib.GSOLVE_INTERRUPTED)
    return int(lib.GSOLVE_NO_MEMORY if isinstance(error, MemoryError) else lib.GSOLVE_BAD_ARGUMENT)


# --- exceptions in functions that the library calls ----------------------------------------------

_raised = threading.local()


def keep_exception(kind: Any, exception: BaseException, traceback: Any) -> None:
    """For cffi: keeps an exception of a callback until the call of the library returns."""
    _raised.exception = exception.with_traceback(traceback)


@ffi.def_extern(name="pygsolve_handle_signals", error=1, onerror=keep_exception)
def _handle_signals() -> int:
    """Python runs its signal handlers before it returns from here, in the main thread. The library calls this during a run, a
    set-up and the reading of a file."""
    interrupts.deliver()
    return 0


class Interrupts:
    """Inside `with interrupts:` the program's handler of SIGINT waits until the library, an agreement of ranks or the end asks for it. An
    exception that it raised at another place would take this rank away from the others, which wait for it."""

    def __init__(self) -> None:
        self._depth = 0
        self._handler: Any = None
        self._signal: tuple[Any, ...] = ()  # what the handler gets

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():  # the others get no signals
            self._depth += 1
            if self._depth == 1:
                handler = signal.getsignal(signal.SIGINT)
                if callable(handler):
                    self._handler = handler
                    signal.signal(signal.SIGINT, self._keep)

    def __exit__(self, *error: Any) -> None:
        if threading.current_thread() is threading.main_thread():
            self._depth -= 1
            if self._depth == 0 and self._handler:
                signal.signal(signal.SIGINT, self._handler)
                try:
                    self.deliver()
                finally:
                    self._handler = None

    def _keep(self, *arguments: Any) -> None:
        self._signal = arguments

    def deliver(self) -> None:
        """Calls the handler if a signal has come."""
        if self._signal and threading.current_thread() is threading.main_thread():
            arguments, self._signal = self._signal, ()
            self._handler(*arguments)

    def exception(self) -> BaseException | None:
        """That of the handler, if a signal has come."""
        try:
            self.deliver()
        except BaseException as raised:
            return raised
        return None


interrupts = Interrupts()


# --- contexts --------------------------------------------------------------------------------------

class Context:
    """A context of the library: a device, its memory, and the last error. `lock` is held while the library uses it, so that
    several threads can share an object."""

    distributed = False  # this process is one of several ranks (RankContext)

    def __init__(self, spec: str):
        handle = ffi.new("gsolve_context **")
        self._create(handle, spec.encode())
        self.spec = spec
        self.failed = False  # the GPU or another rank has
        self.busy = True  # a solver uses it
        self._address = handle
        self.handle = handle[0]
        self.lock: ContextManager[Any] = threading.RLock()
        self._asked = ffi.new("double *", time.monotonic())
        lib.gsolve_context_set_interrupt_test(self.handle, _INTERRUPT, self._asked)
        info = filled("gsolve_context_info")
        lib.gsolve_context_describe(self.handle, info)
        self.device = text(info.device)
        self.on_gpu = self.device == "cuda"

    def _create(self, handle: Any, spec: bytes) -> None:
        status = lib.gsolve_context_create(handle, spec)
        if status != lib.GSOLVE_OK:
            raise error_of(status, lib.gsolve_error(ffi.NULL))

    def __del__(self, destroy: Any = lib.gsolve_context_destroy) -> None:
        if getattr(self, "handle", None):
            destroy(self._address)
            self.handle = None

    def together(self) -> ContextManager[list[str]]:
        """Around what each rank does alone; see RankContext."""
        return nullcontext([])

    def agree(self) -> None:
        """After calls that ranks make together; see RankContext."""

    def owned(self, view: Any, free: Any) -> Any:
        """A view whose arrays are freed with it. The context may have gone before, with all that it had allocated, when Python
        collects a cycle."""
        return ffi.gc(view, lambda struct: free(struct, self.handle) if self.handle else None)

    def raised(self) -> BaseException | None:
        """The exception of a function of Python that the library called, which is then forgotten."""
        exception: BaseException | None = getattr(_raised, "exception", None)
        if exception is not None:
            _raised.exception = None
            lib.gsolve_context_interrupt(self.handle, False)  # later calls may work
        return exception

    def check(self, status: int) -> None:
        """Raises the exception of a function of Python that the call made, or the error of a call that failed."""
        exception = self.raised()
        if exception is not None:
            raise exception
        if status != lib.GSOLVE_OK:
            self.failed = self.failed or status in (lib.GSOLVE_DEVICE_FAILED, lib.GSOLVE_RANK_FAILED)
            raise error_of(status, lib.gsolve_error(self.handle))

    def ended(self, stopped: bool) -> None:
        """After a run; see RankContext."""

    def describe(self) -> Any:
        info = filled("gsolve_context_info")
        lib.gsolve_context_describe(self.handle, info)
        return info

    def wait(self) -> None:
        """Waits until the GPU has done the work of this context."""
        if self.on_gpu:
            block = lib.gsolve_alloc(self.handle, lib.GSOLVE_DEVICE, 1, 8)
            number = ffi.new("double *")
            status = lib.gsolve_copy(self.handle, number, lib.GSOLVE_HOST, block, lib.GSOLVE_DEVICE, 8) if block else lib.GSOLVE_NO_MEMORY
            lib.gsolve_free(self.handle, lib.GSOLVE_DEVICE, block)
            self.check(status)


# --- contexts for the next solver ------------------------------------------------------------------

_KEPT_SHARE = 1 / 32  # of the memory of a GPU, at most, in a context that is kept
_kept: dict[tuple[int, str], list[Context]] = {}  # of a process, by their specs


def acquire_context(spec: str) -> Context:
    """A context of that spec: on a GPU one that is kept from an earlier solver, if there is one."""
    try:
        return _kept[os.getpid(), spec].pop()
    except (KeyError, IndexError):
        return Context(spec)


def release_context(context: Context) -> None:
    """Keeps a context on a GPU, with its memory, for the next solver. Its handles have been destroyed. At most one is kept for each
    spec, and none that has had much memory, or in which something is left. Those of ranks belong to their communicator."""
    context.busy = False
    if context.distributed or not context.on_gpu or context.failed or not context.handle:
        return
    kept = _kept.setdefault((os.getpid(), context.spec), [])
    free, total = ffi.new("size_t *"), ffi.new("size_t *")
    info = context.describe()
    if not kept and info.blocks == 0 and lib.gsolve_context_memory(context.handle, free, total) == lib.GSOLVE_OK \
            and info.peak <= _KEPT_SHARE * total[0]:
        kept.append(context)


def free_gpu_memory() -> None:
    """Gives back the GPU memory that is kept for the next solver: up to 1/32 of a GPU's memory, for each device and number of
    threads."""
    _kept.clear()


atexit.register(free_gpu_memory)  # while the GPU can still be used
