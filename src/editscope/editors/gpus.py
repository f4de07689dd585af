"""Number of GPUs that an editor may use here, known without loading PyTorch."""

from __future__ import annotations

import os
import re
from pathlib import Path

VISIBLE = "CUDA_VISIBLE_DEVICES"
CARDS = Path("/proc/driver/nvidia/gpus")
DEVICES = Path("/dev")


def gpu_count() -> int:
    """The number of CUDA devices that this process may see: those that CUDA_VISIBLE_DEVICES names, else all."""
    return len(gpu_names())


def gpu_names() -> tuple[str, ...]:
    """What to write into CUDA_VISIBLE_DEVICES for each GPU alone; empty where there is none.

    As CUDA does, a list ends at the first -1 or empty entry.
    """
    cards = _cards()
    named = os.environ.get(VISIBLE)
    if named is None or not cards:
        return tuple(str(number) for number in range(cards))
    listed: list[str] = []
    for name in (part.strip() for part in named.split(",")):
        if not name or name.startswith("-"):
            break
        listed.append(name)
    return tuple(listed)


def _cards() -> int:
    try:
        return sum(1 for _ in CARDS.iterdir())
    except OSError:
        pass
    try:  # containers often have the devices but not the folder
        return sum(1 for path in DEVICES.iterdir() if re.fullmatch(r"nvidia\d+", path.name))
    except OSError:
        return 0
