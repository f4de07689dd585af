"""Settings of a training loop: batches, optimizer, learning rate, noise levels, averages, checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from editscope.errors import BadInput
from editscope.training.models.sampler_options import check_sampler

OptimizerKind = Literal["adamw", "fused", "8bit"]
ScheduleKind = Literal["constant", "linear", "cosine"]
Distribution = Literal["uniform", "logit-normal"]
Weighting = Literal["none", "sigma_sqrt", "cosmap"]
Parallel = Literal["ddp", "fsdp", "deepspeed"]
LARGEST_SEED = 2**63 - 1


def check_seed(seed: int, where: str) -> None:
    """Raise BadInput for a seed that generators do not take."""
    if not 0 <= seed <= LARGEST_SEED:
        raise BadInput(f"{where} seed: {seed} is out of range; write a whole number from 0 to {LARGEST_SEED}")


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Table ``[training]``.

    ``batch`` is how many examples go through the network at once; ``global_batch`` how many make a step, over all
    processes. ``clip`` is the largest norm of a gradient; 0 turns clipping off. ``drop_instruction`` is the share of
    examples that are trained without their text. ``cache`` is a folder for embeddings and latents.
    """

    steps: int
    batch: int = 1
    global_batch: int | None = None
    seed: int = 0
    clip: float = 1.0
    drop_instruction: float = 0.0
    cache: str | None = None
    parallel: Parallel = "ddp"
    deepspeed: str | None = None
    log_every: int = 10

    @property
    def examples(self) -> int:
        """Examples of a step."""
        return self.global_batch or self.batch

    def check(self, where: str) -> None:
        """Raise BadInput for values that a run cannot have."""
        for name in ("steps", "batch", "log_every"):
            if getattr(self, name) < 1:
                raise BadInput(f"{where} {name}: {getattr(self, name)} must be 1 or more")
        if self.examples < 1 or self.examples % self.batch:
            raise BadInput(f"{where} global_batch: {self.examples} is not a multiple of the batch size {self.batch}")
        check_seed(self.seed, where)
        if self.clip < 0:
            raise BadInput(f"{where} clip: {self.clip:g} is negative; 0 turns clipping off")
        if not 0 <= self.drop_instruction <= 1:
            raise BadInput(f"{where} drop_instruction: {self.drop_instruction:g} must be from 0 to 1")
        if (self.parallel == "deepspeed") != (self.deepspeed is not None):
            raise BadInput(f'{where} deepspeed: names the JSON file for parallel = "deepspeed"; set both or neither')


@dataclass(frozen=True, slots=True)
class OptimizerSettings:
    """Table ``[optimizer]``: AdamW, with PyTorch's fused kernel, or with torchao's states of 8 bits."""

    kind: OptimizerKind = "adamw"
    rate: float = 1e-4
    weight_decay: float = 0.01
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    def check(self, where: str) -> None:
        """Raise BadInput for values that AdamW does not take."""
        if not 0 < self.rate < 1:
            raise BadInput(f"{where} rate: {self.rate:g} must be above 0 and below 1")
        if self.weight_decay < 0:
            raise BadInput(f"{where} weight_decay: {self.weight_decay:g} is negative")
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise BadInput(f"{where} {name}: {getattr(self, name):g} must be at least 0 and below 1")
        if self.epsilon <= 0:
            raise BadInput(f"{where} epsilon: {self.epsilon:g} must be above 0")


@dataclass(frozen=True, slots=True)
class ScheduleSettings:
    """Table ``[schedule]``: the learning rate rises for ``warmup`` steps, then stays or falls to a share."""

    kind: ScheduleKind = "constant"
    warmup: int = 0
    floor: float = 0.0

    def check(self, where: str) -> None:
        """Raise BadInput for values that a schedule cannot have."""
        if self.warmup < 0:
            raise BadInput(f"{where} warmup: {self.warmup} is negative; 0 starts with the full rate")
        if not 0 <= self.floor <= 1:
            raise BadInput(f"{where} floor: {self.floor:g} must be from 0 to 1")


@dataclass(frozen=True, slots=True)
class TimestepSettings:
    """Table ``[timesteps]``: which noise levels are trained, and with what weight.

    ``shift`` is a number, or "resolution" for the shift of the pipeline's own scheduler at the size of the picture.
    """

    distribution: Distribution = "logit-normal"
    mean: float = 0.0
    deviation: float = 1.0
    shift: float | Literal["resolution"] = 1.0
    weighting: Weighting = "none"

    def check(self, where: str) -> None:
        """Raise BadInput for values that a distribution cannot have."""
        if self.deviation <= 0:
            raise BadInput(f"{where} deviation: {self.deviation:g} must be above 0")
        if isinstance(self.shift, float | int) and self.shift <= 0:
            raise BadInput(f"{where} shift: {self.shift:g} must be above 0; 1 means no shift")


@dataclass(frozen=True, slots=True)
class EmaSettings:
    """Table ``[ema]``: an average of the trained weights, which is evaluated and exported instead of them."""

    decay: float = 0.999
    warmup: bool = True

    def check(self, where: str) -> None:
        """Raise BadInput for a decay that is not between 0 and 1."""
        if not 0 < self.decay < 1:
            raise BadInput(f"{where} decay: {self.decay:g} must be above 0 and below 1")


@dataclass(frozen=True, slots=True)
class CheckpointSettings:
    """Table ``[checkpoints]``: a checkpoint every ``every`` steps and at the end; the last ``keep`` are kept."""

    every: int = 500
    keep: int = 3

    def check(self, where: str) -> None:
        """Raise BadInput for counts below 1."""
        for name in ("every", "keep"):
            if getattr(self, name) < 1:
                raise BadInput(f"{where} {name}: {getattr(self, name)} must be 1 or more")


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """Table ``[evaluation]``: a suite that is run with the current weights every ``every`` steps and at the end.

    ``suite`` may have options (``paintbench?split=…``), ``data`` is the folder of a suite that has one, ``limit`` is
    the number of cases. ``steps``, ``guidance`` and ``scale`` are the sampler's; None for the model's published ones.
    """

    suite: str
    every: int = 500
    data: str | None = None
    limit: int | None = None
    judge: str | None = None
    steps: int | None = None
    guidance: float | None = None
    scale: float | None = None
    max_area: int | None = None

    def check(self, where: str) -> None:
        """Raise BadInput for counts below 1, and for a sampler that the diffusers editor does not take."""
        for name in ("every", "limit", "steps"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput(f"{where} {name}: {value} must be 1 or more")
        check_sampler(self, where)
