"""Checkpoints of a training run: written completely or not at all, and only loaded with the same settings."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch

from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.outside import reason_of
from editscope.runfolder.files import DiskError, half_written, writing
from editscope.runfolder.whole_folders import put_aside_from, put_back, whole_folder
from editscope.training.changes import changes_in_words
from editscope.training.places import same_place
from editscope.training.run_files import CHECKPOINTS
from editscope.training.run_files import STATE as STATE
from editscope.training.run_files import checkpoints_in as checkpoints_in

FOLDER = CHECKPOINTS
WEIGHTS, AVERAGE, OPTIMIZER = "weights.safetensors", "average.safetensors", "optimizer.pt"
_PIECE = 1 << 22


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """Everything that a run needs to continue as if it had not stopped.

    ``settings`` are those that determine the trained weights, by dotted name; ``more`` is the loop's other state
    (counts, monitors).
    """

    step: int
    weights: Mapping[str, torch.Tensor]
    optimizer: Mapping[str, Any]
    settings: Mapping[str, Any]
    loader: Mapping[str, Any]
    average: Mapping[str, torch.Tensor] | None = None
    random: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)


def save_checkpoint(folder: Path, checkpoint: TrainingState, keep: int) -> Path:
    """Write a checkpoint, whole or not at all; then remove all but the last ``keep``.

    DiskError if it cannot be written; earlier checkpoints are left as they are, also one of the same step.
    """
    from safetensors.torch import save_file

    place = folder / FOLDER / f"step-{checkpoint.step:08d}"
    weights, average, optimizer = map(_on_cpu, (checkpoint.weights, checkpoint.average, checkpoint.optimizer))
    with whole_folder(place) as new:
        with disk_errors(RuntimeError):
            save_file(weights, new / WEIGHTS)
            if average is not None:
                save_file(average, new / AVERAGE)
            with (new / OPTIMIZER).open("wb") as file:
                torch.save(optimizer, file)
        state = {
            "step": checkpoint.step,
            "settings": dict(checkpoint.settings),
            "loader": dict(checkpoint.loader),
            "random": dict(checkpoint.random),
            "more": dict(checkpoint.more),
            "files": {path.name: _hash(path) for path in sorted(new.iterdir())},
        }
        (new / STATE).write_text(json.dumps(state, indent=1, allow_nan=False), encoding="utf-8")
    for _, old in checkpoints_in(folder)[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    return place


def check_writable(folder: Path) -> None:
    """Raise DiskError if a folder cannot be made or written to. Nothing is written."""
    there = next((place for place in (folder.absolute(), *folder.absolute().parents) if place.exists()), Path("/"))
    if not there.is_dir():
        raise DiskError(f"cannot write {folder}: {there} is a file; choose another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        read_only = os.statvfs(there).f_flag & os.ST_RDONLY
        reason = "Read-only file system" if read_only else "Permission denied"
        raise DiskError(f"cannot write {folder}: {reason}; make room or allow writing there")


def make_run_folder(folder: Path) -> None:
    """Make a folder if it does not exist; DiskError if that fails."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what a killed save left behind, and bring back a checkpoint that it had put aside for a new one."""
    home = folder / FOLDER
    for path in list(home.iterdir()) if home.is_dir() else ():
        place = put_aside_from(path)
        if place is not None:
            put_back(place)
        if place is not None or half_written(path):
            shutil.rmtree(path, ignore_errors=True)


def load_checkpoint(place: Path, *, optimizer: bool = True) -> TrainingState:
    """Load a checkpoint from its folder; BadInput names a damaged file.

    Without ``optimizer`` its state is left out: it may have types of libraries that are not imported yet.
    """
    from safetensors.torch import load_file

    state = read_state(place)
    advice = f"; delete {place} to resume from the previous checkpoint"
    for name, wanted in state["files"].items():
        if name == OPTIMIZER and not optimizer:
            continue
        try:
            same = _hash(place / name) == wanted
        except OSError as error:
            raise BadInput(f"{place / name} cannot be read ({error.strerror or error}){advice}") from error
        if not same:
            raise BadInput(f"{place / name} is corrupt{advice}")
    average = load_file(place / AVERAGE) if (place / AVERAGE).is_file() else None
    return TrainingState(
        step=state["step"],
        weights=load_file(place / WEIGHTS),
        average=average,
        optimizer=torch.load(place / OPTIMIZER, map_location="cpu", weights_only=True) if optimizer else {},
        settings=state["settings"],
        loader=state["loader"],
        random=state["random"],
        more=state["more"],
    )


def read_state(place: Path) -> dict[str, Any]:
    """Read ``state.json`` of a checkpoint."""
    try:
        state = read_json(read_file(place / STATE, DOCUMENT))
        if not isinstance(state, dict) or not {"step", "settings", "loader", "random", "more", "files"} <= state.keys():
            raise Malformed("entries are missing")
    except (OSError, Malformed) as error:
        raise BadInput(
            f"{place / STATE} cannot be read ({error}); delete {place} to resume from the previous checkpoint"
        ) from error
    return state


def check_same(place: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Raise BadInput if a checkpoint was saved with different settings, with the old and new values."""
    missing = object()
    apart = [
        name
        for name in sorted(saved.keys() | wanted.keys())
        if _plain(saved.get(name, missing)) != _plain(wanted.get(name, missing))
        and not same_place(name, saved.get(name), wanted.get(name))
    ]
    if apart:
        raise BadInput(
            f"the checkpoint {place} was saved with different settings ({changes_in_words(apart, saved, wanted)}); "
            "restore them, or start over with another --out"
        )


def random_state() -> dict[str, Any]:
    """The state of the generators of Python, NumPy and PyTorch, as JSON can hold it."""
    version, numbers, following = random.getstate()
    name, keys, position, has_gauss, gauss = np.random.get_state(legacy=True)
    state: dict[str, Any] = {
        "python": [version, list(numbers), following],
        "numpy": [str(name), keys.tolist(), int(position), int(has_gauss), float(gauss)],  # type: ignore[union-attr]
        "torch": torch.get_rng_state().numpy().tobytes().hex(),
    }
    if torch.cuda.is_available():
        state["cuda"] = [device.numpy().tobytes().hex() for device in torch.cuda.get_rng_state_all()]
    return state


def set_random_state(state: Mapping[str, Any]) -> None:
    """Restore the state of the generators."""
    version, numbers, following = state["python"]
    random.setstate((version, tuple(numbers), following))
    name, keys, position, has_gauss, gauss = state["numpy"]
    np.random.set_state((name, np.array(keys, np.uint32), position, has_gauss, gauss))
    torch.set_rng_state(_bytes(state["torch"]))
    if torch.cuda.is_available() and len(state.get("cuda", ())) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([_bytes(text) for text in state["cuda"]])


@contextmanager
def disk_errors(*kinds: type[Exception]) -> Iterator[None]:
    """Turn what safetensors raises when the disk refuses, and other ``kinds``, into an OSError.

    PyTorch raises a RuntimeError, as it does for much else.
    """
    from safetensors import SafetensorError

    caught: tuple[type[Exception], ...] = (SafetensorError, *kinds)
    try:
        yield
    except caught as error:
        raise OSError(getattr(error, "errno", None) or 0, reason_of(error)) from error


def _bytes(text: str) -> torch.Tensor:
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)


def _on_cpu(value: Any) -> Any:
    """Tensors on the CPU, also those in dicts and lists: moving them can fail for reasons other than the disk."""
    if torch.is_tensor(value):
        return value.detach().cpu().contiguous()
    if isinstance(value, Mapping):
        return {name: _on_cpu(item) for name, item in value.items()}
    return type(value)(map(_on_cpu, value)) if type(value) in (list, tuple) else value


def _hash(path: Path) -> str:
    hashed = blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            hashed.update(piece)
    return hashed.hexdigest()


def _plain(value: Any) -> Any:
    """A value as JSON gives it back."""
    return json.loads(json.dumps(value, default=str)) if isinstance(value, list | tuple | dict | Path) else value
