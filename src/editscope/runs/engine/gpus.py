"""GPUs of workers: each worker gets one of those that this process may use."""

from __future__ import annotations

import os
from collections.abc import Mapping

from editscope.editors.gpus import VISIBLE, gpu_names


def visible_gpus() -> tuple[str, ...]:
    """The devices that this process may use, as one writes them into CUDA_VISIBLE_DEVICES; empty without any."""
    return gpu_names()


def only_device(device: str, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which a process sees one device and no other.

    The libraries of AMD look at the same variable.

    >>> only_device("3", {"CUDA_VISIBLE_DEVICES": "2,3", "HOME": "/h"})
    {'CUDA_VISIBLE_DEVICES': '3', 'HOME': '/h'}
    """
    return dict(os.environ if environment is None else environment) | {VISIBLE: device}
