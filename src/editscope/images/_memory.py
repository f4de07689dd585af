"""Freed memory, which the C library keeps for the next picture where it can be told to."""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of glibc's malloc.h
KEPT = 256 * 1024 * 1024
LARGEST = 32 * 1024 * 1024


def keep_freed_memory() -> bool:
    """Let this process keep up to 256 MiB of freed memory; whether that worked.

    A picture is a few megabytes, and by default glibc gives such blocks back at once, so every new one costs
    page faults: a sixth of the time of a worker that makes and scores pictures all day.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_MMAP_THRESHOLD, LARGEST)) and bool(mallopt(_TRIM_THRESHOLD, KEPT))
