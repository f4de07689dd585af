"""Files in the folder of a training: their names, and the checkpoints that are there. Needs no PyTorch."""

from __future__ import annotations

import re
from pathlib import Path

EXPERIMENT = "experiment.toml"
"""The copy of the experiment in the folder of its run."""
FINAL = "weights"
"""The folder of the weights that a training ends with."""
LORA, NETWORK = "pytorch_lora_weights.safetensors", "transformer"
"""Weights in the form that pipelines load: the file of a LoRA, or the folder of a network."""
CHECKPOINTS, STATE = "checkpoints", "state.json"
_STEP = re.compile(r"step-(\d{8,})")


def checkpoints_in(folder: Path) -> list[tuple[int, Path]]:
    """The checkpoints of a run, by their steps."""
    home = folder / CHECKPOINTS
    named = ((_STEP.fullmatch(path.name), path) for path in home.iterdir()) if home.is_dir() else ()
    return sorted((int(match[1]), path) for match, path in named if match and (path / STATE).is_file())


def weights_in(folder: Path) -> Path | None:
    """The weights that a training has written to its folder: a network or a LoRA; None if it has not finished."""
    final = folder / FINAL
    weights = final if (final / NETWORK).is_dir() else final / LORA
    return weights if weights.exists() else None
