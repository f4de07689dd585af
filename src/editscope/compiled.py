"""Numba compilation: machine code is kept on disk, made once by one process, and made ahead where that saves time."""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

import numba

try:
    import fcntl
except ImportError:  # Windows: processes that start together compile the same function twice
    fcntl = None  # type: ignore[assignment]

P = ParamSpec("P")
R = TypeVar("R")

# What may be assumed of float32 work whose doubtful results are computed again in float64. Not "arcp":
# approximate reciprocals differ between makers of processors.
LOOSE = frozenset({"contract", "nnan", "ninf", "nsz"})
LOCK_FILE = "editscope-compiling.lock"
PATIENCE_S = 120.0
"""How long to wait for another process that compiles the same function, before doing it here as well."""
POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A compiled function, and the types of arguments that the package calls it with."""

    function: Any
    signature: str

    @property
    def types(self) -> Any:
        """The same types as the cache knows them."""
        from numba.core import sigutils

        return sigutils.normalize_signature(self.signature)[0]  # type: ignore[no-untyped-call]


_KERNELS: list[_Kernel] = []
"""The kernels of all modules that are imported, in the order of their definition."""
_lock_files: dict[str, int] = {}


def compiled(
    signature: str = "", *, loose: bool = False, inner: bool = False, uses: Sequence[ModuleType] = ()
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function on its first call, without the interpreter lock, and keep the machine code on disk.

    ``signature`` names the types of its arguments, such as ``"u1[::1], i8"``, so that ``compile_ahead`` can compile it
    before it is called; calls with other types are compiled when they come. ``inner`` functions are called by compiled
    functions only, which saves the code that Python would call them by. ``loose`` allows fused multiply-add, for
    float32 work that is checked afterwards.

    Numba keeps the machine code until the file of the function changes. ``uses`` are modules of whose functions and
    constants the function makes use, itself or by what it calls: a change of their files makes new machine code too.
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        options: dict[str, Any] = {
            "nogil": True,
            "error_model": "numpy",
            "fastmath": set(LOOSE) if loose else False,
            "no_cfunc_wrapper": True,
            "no_cpython_wrapper": inner,
        }
        try:
            kernel: Any = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # neither the package's folder nor the user's cache can be written
            kernel = numba.njit(**options)(function)
        else:
            if not hasattr(kernel, "_cache"):  # NUMBA_DISABLE_JIT: the function as it is
                return function
            _keep_until_changed(kernel, uses)
            _keep_safely(kernel)
            if signature:
                _KERNELS.append(_Kernel(kernel, f"({signature},)"))
        return kernel  # type: ignore[no-any-return]

    return wrap


def compile_ahead(modules: Iterable[str], on_progress: Callable[[int, int], None] | None = None) -> None:
    """Compile those functions of some modules that have a signature and are not in the cache, and keep them there.

    Processes that do this at the same time share the work: each takes functions that nobody is compiling. Whoever
    returns first may find a function still missing; the call of it waits. ``on_progress`` is called with how many
    functions are compiled and how many there are, and not at all where nothing is missing.
    """
    names = set(modules)
    for name in names:
        import_module(name)
    kernels = [kernel for kernel in _KERNELS if kernel.function.py_func.__module__ in names]
    missing = [kernel for kernel in kernels if not _is_kept(kernel)]
    if not missing:
        return
    total = len(kernels)
    # The longest first, so that nobody is left with a long one at the end.
    for kernel in sorted(missing, key=lambda kernel: -len(kernel.function.py_func.__code__.co_code)):
        if on_progress is not None:
            on_progress(total - sum(not _is_kept(other) for other in missing), total)
        if not _is_kept(kernel):
            with _claimed(kernel.function, wait=False) as ours:
                if ours:
                    kernel.function.compile(kernel.types)
    if on_progress is not None:
        on_progress(total - sum(not _is_kept(other) for other in missing), total)


def _is_kept(kernel: _Kernel) -> bool:
    """Whether the cache has the machine code of a kernel for this processor."""
    cache, context = kernel.function._cache, kernel.function.targetctx
    try:
        return cache._index_key(kernel.types, context.codegen()) in cache._cache_file._load_index()
    except OSError:
        return False


def _keep_until_changed(kernel: Any, uses: Sequence[ModuleType]) -> None:
    """Add the times and sizes of more files to those that machine code is kept for."""
    if uses:
        stamps = [Path(str(module.__file__)).stat() for module in uses]
        file = kernel._cache._cache_file
        file._source_stamp = (file._source_stamp, *((stamp.st_mtime, stamp.st_size) for stamp in stamps))


def _keep_safely(kernel: Any) -> None:
    """Compile and write to the cache with the claim on the kernel; a disk that is full is no reason to fail."""
    from numba.core.compiler_lock import global_compiler_lock

    compile_now, cache = kernel.compile, kernel._cache
    save = cache.save_overload

    def compile_once(signature: Any) -> Any:
        # Numba's own lock comes first: a thread that holds the claim must not wait for one that wants it.
        with global_compiler_lock, _claimed(kernel, wait=True):
            _leave_scipy_out()
            return compile_now(signature)

    def save_if_possible(*arguments: Any) -> None:
        with contextlib.suppress(OSError):
            _remove_outdated(cache._cache_file)
            save(*arguments)

    kernel.compile = compile_once
    cache.save_overload = save_if_possible


@cache
def _leave_scipy_out() -> None:
    """Keep Numba from importing SciPy's linear algebra before a function needs it: 0.2 s, and ours never do.

    Numba imports it with its own module of array functions, only to know that it is there. It imports it again when it
    compiles a function that uses it, so functions of yours still can.
    """
    try:
        linalg: Any = import_module("numba.np.linalg")
        import_at_once = linalg.ensure_blas
    except (ImportError, AttributeError):  # a Numba that is built otherwise
        return

    def look() -> None:
        if find_spec("scipy") is None:
            raise ImportError("SciPy is not installed")

    linalg.ensure_blas = look
    try:
        arrays: Any = import_module("numba.np.arraymath")
        if getattr(arrays, "ensure_blas", None) is look:
            arrays.ensure_blas = import_at_once
    finally:
        linalg.ensure_blas = import_at_once


def _remove_outdated(file: Any) -> None:
    """Remove the machine code of an older source file.

    Numba writes the new index before the new code: who is killed in between would leave an index of old code.
    """
    if not file._load_index():
        with contextlib.suppress(FileNotFoundError):
            for number in count(1):
                Path(file._data_path(file._data_name(number))).unlink()


@contextlib.contextmanager
def _claimed(kernel: Any, *, wait: bool) -> Iterator[bool]:
    """Hold the claim on a kernel among all processes that share its cache; whether it was there to be had.

    One process compiles a kernel, and the others then find it in the cache. It also keeps two from writing the same
    index at once. Where there are no locks, everybody has the claim.
    """
    file = _lock_file(kernel._cache.cache_path)
    place = zlib.crc32(kernel._cache._impl.filename_base.encode())
    if file is None:
        yield True
        return
    until = time.monotonic() + (PATIENCE_S if wait else 0.0)
    held = _lock(file, place)
    while held is False and time.monotonic() < until:
        time.sleep(POLL_S)
        held = _lock(file, place)
    try:
        yield held is not False
    finally:
        if held:
            with contextlib.suppress(OSError):
                fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


def _lock(file: int, place: int) -> bool | None:
    """Try to lock one byte of the lock file; None on a file system that has no locks."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return None
    return True


def _lock_file(folder: str) -> int | None:
    """The lock file of a cache folder, which stays open: closing it would give up every claim of this process."""
    if fcntl is None:
        return None
    if folder not in _lock_files:
        try:
            _lock_files[folder] = os.open(Path(folder, LOCK_FILE), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError:
            return None
    return _lock_files[folder]
