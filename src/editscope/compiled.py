"""Numba compilation with the cache on disk where one can be written, and without it where none can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")

# What may be assumed of float32 work whose doubtful results are computed again in float64. Not "arcp":
# approximate reciprocals differ between makers of processors.
LOOSE = frozenset({"contract", "nnan", "ninf", "nsz"})


def compiled(*, loose: bool = False) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function on its first call, without the interpreter lock, and keep the machine code on disk.

    Functions that call each other belong in one file: the cache of a function notices changes of its own
    file only. ``loose`` allows fused multiply-add, for float32 work that is checked afterwards.
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": set(LOOSE) if loose else False}
        try:
            kernel: Any = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # neither the package's folder nor the user's cache can be written
            kernel = numba.njit(**options)(function)
        else:
            _forgive_full_disk(kernel)
        return kernel  # type: ignore[no-any-return]

    return wrap


def _forgive_full_disk(kernel: Any) -> None:
    """Machine code that cannot be kept is compiled again next time; that is no reason to fail now."""
    cache: Any = getattr(kernel, "_cache", None)
    save = getattr(cache, "save_overload", None)
    if save is None:
        return

    def save_if_possible(*args: Any) -> None:
        try:
            save(*args)
        except OSError:
            return

    cache.save_overload = save_if_possible
