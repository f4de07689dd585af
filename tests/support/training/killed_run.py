"""A small run that kills itself in a phase of its third round: `python -m support.training.killed_run PHASE FOLDER`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from editscope.files import sync_path
from editscope.runfolder import whole_folders
from editscope.training.reinforcement.run_folder import FolderCheckpoints
from support.training.simple_rewards import ByFunction, brightness
from support.training.small_runs import mixed, small_run, small_settings
from support.training.tiny_flow import TinyFlow

PHASES = ("sample", "reward", "update", "save")


def killing(original: Callable[..., Any], at: int) -> Callable[..., Any]:
    """A function that kills its process when it is called for the nth time."""
    calls = []

    def called(*given: Any, **more: Any) -> Any:
        calls.append(given)
        if len(calls) == at:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*given, **more)

    return called


def the_run(folder: Path, phase: str = "") -> TinyFlow:
    """Four rounds of two groups, with a checkpoint after each; without a phase it goes on to its end."""
    editor = TinyFlow()
    if phase == "sample":
        editor.pixels = killing(editor.pixels, 6)  # type: ignore[method-assign]
    reward = killing(brightness, 40) if phase == "reward" else brightness
    if phase == "update":
        torch.optim.AdamW.step = killing(torch.optim.AdamW.step, 6)  # type: ignore[method-assign]
    if phase == "save":
        vars(whole_folders)["sync_path"] = killing(sync_path, 12)
    settings = small_settings(rounds=4, save_every=1, updates=2)
    small_run(settings, editor, mixed({"b": ByFunction(reward)}), checkpoints=FolderCheckpoints(folder))
    return editor


if __name__ == "__main__":
    torch.set_num_threads(1)
    the_run(Path(sys.argv[2]), sys.argv[1])
