"""Files in the folder of a training: their names, and the checkpoints that are there. Needs no PyTorch."""

from __future__ import annotations

import re
from pathlib import Path

from editscope.runfolder.whole_folders import put_aside_from

EXPERIMENT = "experiment.toml"
"""The copy of the experiment in the folder of its run."""
FINAL = "weights"
"""The folder of the weights that a training ends with."""
LORA, NETWORK = "pytorch_lora_weights.safetensors", "transformer"
"""Weights in the form that pipelines load: the file of a LoRA, or the folder of a network."""
CHECKPOINTS, STATE = "checkpoints", "state.json"
_STEP = re.compile(r"step-(\d{8,})")


def checkpoints_in(folder: Path) -> list[tuple[int, Path]]:
    """The checkpoints of a run, by their steps; also one that a killed save had put aside for a new one."""
    home = folder / CHECKPOINTS
    paths = sorted(home.iterdir()) if home.is_dir() else []  # those put aside first, as their names begin with a dot
    named = ((_STEP.fullmatch((put_aside_from(path) or path).name), path) for path in paths)
    return sorted({int(match[1]): path for match, path in named if match and (path / STATE).is_file()}.items())


def weights_in(folder: Path) -> Path | None:
    """The weights that a training has written to its folder: a network or a LoRA; None if it has not finished."""
    final = folder / FINAL
    weights = final if (final / NETWORK).is_dir() else final / LORA
    return weights if weights.exists() else None
