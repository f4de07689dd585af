"""Targets of ``--log``: which tracker, and where in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from editscope.errors import BadInput, unknown

OPTION = "--log"
TENSORBOARD, WANDB, TRACKIO = "tensorboard", "wandb", "trackio"
INSTALL: Mapping[str, str] = {
    TENSORBOARD: "pip install 'editscope[train]'",
    WANDB: "pip install 'editscope[train]'",
    TRACKIO: "pip install trackio",
}
"""Each tracker, which is also the name of its library, and the command that installs it."""
PLACES: Mapping[str, str] = {TENSORBOARD: "DIR", WANDB: "PROJECT", TRACKIO: "PROJECT"}
KEY, MODE = "WANDB_API_KEY", "WANDB_MODE"
WITHOUT_KEY = ("offline", "dryrun", "disabled")


@dataclass(frozen=True, slots=True)
class LogTarget:
    """A tracker and the folder or project in it.

    >>> str(LogTarget("tensorboard", "logs"))
    'tensorboard:logs'
    """

    kind: str
    place: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.place}"

    @property
    def key(self) -> str:
        """The target, the same from whatever folder it is named."""
        return f"{self.kind}:{self.full_place}"

    @property
    def full_place(self) -> str:
        """The place, a folder with its whole path."""
        return str(Path(self.place).absolute()) if self.kind == TENSORBOARD else self.place


def read_targets(texts: str | Sequence[str] | None, option: str = OPTION) -> tuple[LogTarget, ...]:
    """The targets that were asked for, each with its library and key at hand; BadInput where one is not usable.

    ``option`` is where they were asked for, as messages name it.

    >>> [target.kind for target in read_targets(None)]
    []
    """
    targets = [_target(text, option) for text in ([texts] if isinstance(texts, str) else texts or ())]
    for place, target in enumerate(targets):
        if target.key in [earlier.key for earlier in targets[:place]]:
            raise BadInput(f"{option} {target} is given twice; give each target once")
        _check(target, option)
    return tuple(targets)


def _target(text: str, option: str) -> LogTarget:
    kind, _, place = text.partition(":")
    if kind not in INSTALL:
        raise unknown(f"tracker for {option}", kind, INSTALL)
    if not place.strip():
        raise BadInput(f"{option} {text} names no {PLACES[kind]}; write {option} {kind}:{PLACES[kind]}")
    return LogTarget(kind, place.strip())


def installed(library: str) -> bool:
    """Whether a library can be imported; a folder of logs that has its name is none."""
    spec = find_spec(library)
    return spec is not None and spec.origin is not None


def _check(target: LogTarget, option: str) -> None:
    if not installed(target.kind):
        raise BadInput(f"{option} {target} needs {target.kind}: {INSTALL[target.kind]}")
    if target.kind == TENSORBOARD:
        blocked = next((p for p in (Path(target.place), *Path(target.place).parents) if p.exists()), None)
        if blocked is not None and not blocked.is_dir():
            raise BadInput(f"{option} {target}: {blocked} is a file; name a folder")
    if target.kind == WANDB and not os.environ.get(KEY) and os.environ.get(MODE) not in WITHOUT_KEY:
        raise BadInput(
            f"{option} {target} needs your key in the environment variable {KEY}; or set {MODE}=offline to log to "
            "files and upload them later with `wandb sync`"
        )
