"""Memory of the device: the most that was in use, and whether an error means that it was not enough."""

from __future__ import annotations

import gc
from typing import Any

ENOUGH = ("out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory")
"""What PyTorch says, besides its own kind of error, when memory is not enough."""

TRY = (
    "the model ran out of memory with one edit at a time; try ?offload=model, a smaller ?max_area=, ?dtype=bf16 or "
    "?vae_tiling=true"
)


def out_of_memory(error: BaseException) -> bool:
    """Whether an error, or one that it came of, says that there was not enough memory.

    >>> out_of_memory(RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 1 bytes"))
    True
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, MemoryError) or type(seen).__name__ == "OutOfMemoryError":
            return True
        if isinstance(seen, RuntimeError) and any(said in str(seen).lower() for said in ENOUGH):
            return True
        seen = seen.__cause__
    return False


def begin(torch: Any) -> None:
    """Start counting the most GPU memory that is in use."""
    if torch.cuda.is_available():
        for number in range(torch.cuda.device_count()):
            torch.cuda.reset_peak_memory_stats(number)


def most_mb(torch: Any) -> float | None:
    """The most GPU memory that was in use since ``begin``, over all GPUs of this process; None without one."""
    if not torch.cuda.is_available():
        return None
    used: int = sum(torch.cuda.max_memory_allocated(number) for number in range(torch.cuda.device_count()))
    return round(used / 2**20, 1)


def let_go(torch: Any) -> None:
    """Give back what a failed attempt still holds."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
