"""Checkpoints of a training run: whole folders or none, the last few kept, and only for the same settings."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import torch

from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.files import DiskError, writing
from editscope.training.places import same_place

FOLDER = "checkpoints"
STATE, WEIGHTS, AVERAGE, OPTIMIZER = "state.json", "weights.safetensors", "average.safetensors", "optimizer.pt"
_NAME = re.compile(r"step-(\d{8,})")
_PIECE = 1 << 22
MOST_SHOWN = 6


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """Everything that a run needs to go on as if it had not stopped.

    ``settings`` are those that decide what weights come out, by dotted name; ``more`` is what the loop keeps besides
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
    """Write a checkpoint beside its place, wait for the disk, rename it; then remove all but the last ``keep``.

    DiskError where the disk refuses; the checkpoints before it stay as they are.
    """
    from safetensors.torch import save_file

    home = folder / FOLDER
    place = home / f"step-{checkpoint.step:08d}"
    beside = home / f".{place.name}.{os.getpid()}.tmp"
    with writing(place):
        home.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir()
        try:
            _tensors(save_file, checkpoint.weights, beside / WEIGHTS)
            if checkpoint.average is not None:
                _tensors(save_file, checkpoint.average, beside / AVERAGE)
            with (beside / OPTIMIZER).open("wb") as file:
                torch.save(dict(checkpoint.optimizer), file)
            state = {
                "step": checkpoint.step,
                "settings": dict(checkpoint.settings),
                "loader": dict(checkpoint.loader),
                "random": dict(checkpoint.random),
                "more": dict(checkpoint.more),
                "files": {path.name: _hash(path) for path in sorted(beside.iterdir())},
            }
            (beside / STATE).write_text(json.dumps(state, indent=1, allow_nan=False))
            for path in beside.iterdir():
                _sync(path)
            _sync(beside)
            if place.exists():
                shutil.rmtree(place)
            beside.rename(place)
            _sync(home)
        except RuntimeError as error:  # PyTorch and safetensors do not say OSError of a full disk
            raise OSError(getattr(error, "errno", None) or 0, _short(error)) from error
        except Exception as error:
            if type(error).__name__ == "SafetensorError":
                raise OSError(0, _short(error)) from error
            raise
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    for _, old in checkpoints_in(folder)[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    return place


def check_writable(folder: Path) -> None:
    """DiskError where nothing can be written to a folder, or it cannot be made. Nothing is made."""
    there = next((place for place in (folder.absolute(), *folder.absolute().parents) if place.exists()), Path("/"))
    if not there.is_dir():
        raise DiskError(f"cannot write {folder}: {there} is a file; choose another folder")
    if not os.access(there, os.W_OK | os.X_OK):
        read_only = os.statvfs(there).f_flag & os.ST_RDONLY
        reason = "Read-only file system" if read_only else "Permission denied"
        raise DiskError(f"cannot write {folder}: {reason}; make room or allow writing there")


def make_run_folder(folder: Path) -> None:
    """Make a folder where there is none; DiskError where the disk refuses."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)


def checkpoints_in(folder: Path) -> list[tuple[int, Path]]:
    """The checkpoints of a run, by their steps."""
    home = folder / FOLDER
    named = ((_NAME.fullmatch(path.name), path) for path in home.iterdir()) if home.is_dir() else ()
    return sorted((int(match[1]), path) for match, path in named if match and (path / STATE).is_file())


def remove_unfinished(folder: Path) -> None:
    """Remove what a save left that was killed."""
    home = folder / FOLDER
    for path in home.iterdir() if home.is_dir() else ():
        if re.fullmatch(r"\.step-\d+\.\d+\.tmp", path.name):
            shutil.rmtree(path, ignore_errors=True)


def load_checkpoint(place: Path) -> TrainingState:
    """A checkpoint from its folder; BadInput names the file that is damaged."""
    from safetensors.torch import load_file

    state = read_state(place)
    advice = f"; remove {place} to go on from the checkpoint before it"
    for name, wanted in state["files"].items():
        try:
            same = _hash(place / name) == wanted
        except OSError as error:
            raise BadInput(f"{place / name} cannot be read ({error.strerror or error}){advice}") from error
        if not same:
            raise BadInput(f"{place / name} is not what was saved{advice}")
    average = load_file(place / AVERAGE) if (place / AVERAGE).is_file() else None
    optimizer = torch.load(place / OPTIMIZER, map_location="cpu", weights_only=True)
    return TrainingState(
        step=state["step"],
        weights=load_file(place / WEIGHTS),
        average=average,
        optimizer=optimizer,
        settings=state["settings"],
        loader=state["loader"],
        random=state["random"],
        more=state["more"],
    )


def read_state(place: Path) -> dict[str, Any]:
    """What ``state.json`` of a checkpoint says."""
    try:
        state = read_json(read_file(place / STATE, DOCUMENT))
        if not isinstance(state, dict) or not {"step", "settings", "loader", "random", "more", "files"} <= state.keys():
            raise Malformed("it lacks entries")
    except (OSError, Malformed) as error:
        raise BadInput(
            f"{place / STATE} cannot be read ({error}); remove {place} to go on from the one before"
        ) from error
    return state


def check_same(place: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """BadInput where a checkpoint was made with other settings; says which, saved and wanted."""
    missing = object()
    apart = [
        name
        for name in sorted(saved.keys() | wanted.keys())
        if _plain(saved.get(name, missing)) != _plain(wanted.get(name, missing))
        and not same_place(name, saved.get(name), wanted.get(name))
    ]
    if not apart:
        return
    shown = "; ".join(
        f"{name} was {_said(saved.get(name, missing), missing)}, now {_said(wanted.get(name, missing), missing)}"
        for name in apart[:MOST_SHOWN]
    )
    more = f"; and {len(apart) - MOST_SHOWN} more" if len(apart) > MOST_SHOWN else ""
    raise BadInput(
        f"the checkpoint {place} is of other settings ({shown}{more}); set them back, or begin anew with another --out"
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
        state["cuda"] = [one.numpy().tobytes().hex() for one in torch.cuda.get_rng_state_all()]
    return state


def set_random_state(state: Mapping[str, Any]) -> None:
    """Put the generators where they stood."""
    version, numbers, following = state["python"]
    random.setstate((version, tuple(numbers), following))
    name, keys, position, has_gauss, gauss = state["numpy"]
    np.random.set_state((name, np.array(keys, np.uint32), position, has_gauss, gauss))
    torch.set_rng_state(_bytes(state["torch"]))
    if torch.cuda.is_available() and len(state.get("cuda", ())) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([_bytes(one) for one in state["cuda"]])


def _bytes(text: str) -> torch.Tensor:
    return torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)


def _tensors(save: Callable[..., None], values: Mapping[str, torch.Tensor], path: Path) -> None:
    save({name: value.detach().cpu().contiguous() for name, value in values.items()}, path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _hash(path: Path) -> str:
    hashed = blake2b(digest_size=16)
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            hashed.update(piece)
    return hashed.hexdigest()


def _plain(value: Any) -> Any:
    """A value as JSON gives it back."""
    return json.loads(json.dumps(value, default=str)) if isinstance(value, list | tuple | dict | Path) else value


def _said(value: Any, missing: object) -> str:
    return "not set" if value is missing else json.dumps(value, default=str)


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
