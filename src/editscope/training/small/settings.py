"""Settings of the small editor's training: a recipe in TOML with its network and stages.

``[network]`` has the sizes, ``[stage]`` the settings that all stages share, and each ``[[stages]]`` what one stage
changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editscope.editors.small.sentences import token_count
from editscope.errors import BadInput, unknown
from editscope.training.models.settings import check_device
from editscope.training.settings import flattened, read_document, read_table

MOST = (1 << 63) - 1
TABLES = ("name", "network", "stage", "stages")
FREE = ("network.words", "stage.workers", "stage.device", "stage.compiled", "stage.log_every", "stage.save_every")
"""Settings that a checkpoint does not record: the vocabulary decides the first, and the others may change on resume."""


@dataclass(frozen=True, slots=True)
class NetworkSettings:
    """Table ``[network]``: the sizes of the network. The defaults are those of the weights that ship."""

    words: int = field(default_factory=token_count)
    """Tokens of the vocabulary; a recipe does not set it."""
    width: int = 384
    layers: int = 12
    heads: int = 6
    registers: int = 8
    fine: int = 64
    """Channels at half the size of the grid; twice as many at a quarter."""

    def check(self, where: str) -> None:
        """Raise BadInput for values that cannot be used."""
        _within(where, self, width=(4, 1 << 13), layers=(1, 256), heads=(1, 256), registers=(5, 1024), fine=(8, 4096))
        if self.words != token_count():
            raise BadInput(f"{where} words: the vocabulary decides it; leave it out")
        if self.width % (4 * self.heads):
            raise BadInput(f"{where} width: {self.width} must be a multiple of 4 times the heads, {4 * self.heads}")
        if self.fine % 8:
            raise BadInput(f"{where} fine: {self.fine} must be a multiple of 8")


@dataclass(frozen=True, slots=True)
class StageSettings:
    """Table ``[stage]``. A stage ends after ``seconds`` of training, or after ``steps``.

    The rate grows for ``warmup`` steps, stays, and falls to 0 over the last ``fall`` (a share of the stage).
    ``shares`` are the weights of tasks, 1 by default; ``without`` lists conditions, tasks and modes to hold out.
    A step has ``batch`` problems, which workers make in parts of ``part``. With ``reward`` = "miou", a stage maximizes
    the mIoU that the network expects of its pixels, and the loss of the lessons gets the weight ``lessons``.
    """

    seconds: float = 480.0
    steps: int = 1_000_000
    batch: int = 256
    part: int = 16
    workers: int = 14
    rate: float = 1.5e-3
    decay: float = 0.02
    warmup: int = 200
    fall: float = 0.0
    average: float = 0.999
    reward: str = ""
    lessons: float = 1.0
    seed: int = 1
    shares: Mapping[str, float] = field(default_factory=dict)
    without: tuple[str, ...] | list[str] = ()
    device: str = "auto"
    compiled: bool = True
    log_every: int = 50
    save_every: int = 500

    def check(self, where: str) -> None:
        """Raise BadInput for values that cannot be used."""
        from editscope.training.small.stream import cells_of, held_out_names, task_names

        _within(where, self, batch=(1, 1 << 16), part=(1, 1 << 16), workers=(0, 1024))
        counts = dict.fromkeys(("steps", "log_every", "save_every"), (1, MOST))
        _within(where, self, seed=(0, MOST), warmup=(0, MOST), **counts)
        check_device(str(self.device), where)
        if not self.seconds > 0 or not self.rate > 0:
            raise BadInput(f"{where} seconds and rate must be above 0")
        if self.batch % self.part:
            raise BadInput(f"{where} batch: {self.batch} must be a multiple of part, {self.part}")
        if not (0 <= self.fall <= 1 and 0 <= self.average < 1 and self.decay >= 0):
            raise BadInput(f"{where}: fall must be 0 to 1, average 0 to below 1, and decay 0 or more")
        if self.reward not in ("", "miou"):
            raise BadInput(f'{where} reward: {self.reward!r} is not a reward; write "miou", or "" for lessons only')
        if not self.lessons >= 0 or (self.lessons != 1.0 and not self.reward):
            raise BadInput(f"{where} lessons must be 0 or more, and needs a stage with a reward")
        if not isinstance(self.shares, Mapping):
            raise BadInput(f"{where} shares: {self.shares!r} is not a table; write one, such as {{ recolor = 2.0 }}")
        for task, share in self.shares.items():
            if task not in task_names():
                raise BadInput(f"{where} shares: {unknown('task', task, task_names())}")
            if isinstance(share, bool) or not isinstance(share, int | float) or not share >= 0:
                raise BadInput(f"{where} shares: {task} is {share!r}; write a number, 0 or more")
        if not isinstance(self.without, list | tuple) or not all(isinstance(name, str) for name in self.without):
            raise BadInput(f'{where} without: {self.without!r} is not a list of names; write one, such as ["striped"]')
        for name in self.without:
            if name not in held_out_names():
                raise BadInput(f"{where} without: {unknown('task, mode or condition', name, held_out_names())}")
        if not any(share > 0 for _, share in cells_of(self.shares, self.without)):
            raise BadInput(f"{where}: without and shares leave no problems to learn from; hold out less")

    @property
    def on(self) -> str:
        """The device to train on. Raises BadInput if this machine does not have it."""
        import torch

        there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        if self.device == "auto":
            return "cuda" if there["cuda"] else "cpu"
        if not there[self.device]:
            raise BadInput(f'[stage] device: PyTorch finds no {self.device} here; write "cpu" or "auto"')
        return self.device


@dataclass(frozen=True, slots=True)
class SmallRecipe:
    """A recipe: the sizes of the network, the stages of its training, and which of them is next."""

    network: NetworkSettings = field(default_factory=NetworkSettings)
    stages: tuple[StageSettings, ...] = (StageSettings(),)
    number: int = 1

    @property
    def stage(self) -> StageSettings:
        """The next stage. After the last one, it is the last one again."""
        return self.stages[min(self.number, len(self.stages)) - 1]

    @property
    def decides(self) -> dict[str, Any]:
        """The settings that determine the resulting weights, by dotted name."""
        flat = flattened({"network": self.network, "stage": self.stage})
        return {name: value for name, value in flat.items() if name not in FREE}

    def lasting(self, seconds: float | None) -> SmallRecipe:
        """The recipe with stages that last ``seconds``; None leaves it as it is."""
        if seconds is None:
            return self
        if not seconds > 0:
            raise BadInput(f"--seconds {seconds:g}: must be above 0")
        return replace(self, stages=tuple(replace(stage, seconds=seconds) for stage in self.stages))


def read_recipe(path: Path) -> SmallRecipe:
    """Read the recipe in a TOML file. A BadInput names the file, table and entry."""
    document = read_document(path)
    for entry in document:
        if entry in ("model", "training"):
            raise BadInput(f"{path} is an experiment, because it has [{entry}]; use `editscope train run {path}`")
        if entry not in TABLES:
            raise BadInput(f"{path}: {unknown('table', entry, TABLES)}")
    common, listed = document.get("stage", {}), document.get("stages", [{}])
    if not isinstance(common, dict) or not isinstance(listed, list) or not listed:
        raise BadInput(f"{path}: write [stage] once, and [[stages]] for each stage that differs from it")
    return SmallRecipe(
        read_table(NetworkSettings, document.get("network", {}), f"{path}, [network]"),
        tuple(
            read_table(
                StageSettings,
                {**common, **own} if isinstance(own, dict) else own,
                f"{path}, [stage]" if own == {} else f"{path}, [[stages]] {number}",
            )
            for number, own in enumerate(listed, 1)
        ),
    )


def _within(where: str, table: Any, **bounds: tuple[int, int]) -> None:
    """Raise BadInput for numbers that are not whole, or out of bounds."""
    for name, (least, most) in bounds.items():
        value = getattr(table, name)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            upper = "2^63 − 1" if most == MOST else f"{most:,}"
            raise BadInput(f"{where} {name}: {value!r} must be a whole number from {least} to {upper}")
