"""Tables and entries that a kind of training does not use: refused, not ignored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from editscope.cases import NOTHING
from editscope.errors import BadInput
from editscope.training.log.settings import TrackingSettings
from editscope.training.monitors import LIMITS
from editscope.training.settings import Experiment, read_table


@dataclass(frozen=True, slots=True)
class UnusedSettings:
    """What a kind of training does not use: whole ``tables``, and ``entries`` by their table, each with what takes its
    place. ``harmless`` are values that change nothing.
    """

    training: str
    tables: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    entries: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: NOTHING)
    harmless: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: NOTHING)


SUPERVISED = UnusedSettings(
    "supervised training",
    entries={
        "monitors": {
            "held_out_fall": "it compares a reward with a held-out score; write held_out_above, which watches the loss "
            "on held-out cases",
        },
    },
    harmless={"monitors": {"held_out_fall": False}},
)

PLANNER = UnusedSettings(
    "the training of a planner",
    entries={
        "training": {
            "drop_instruction": "every pair keeps its instruction; nothing takes its place",
            "cache": "pairs are texts, of which nothing is cached; nothing takes its place",
        },
    },
    harmless={"training": {"drop_instruction": 0}},
)

_SAMPLES = (
    "the fixed cases are edited in supervised training only; write [evaluation] and [reinforcement] held_out_every"
)
REINFORCEMENT = UnusedSettings(
    "reinforcement learning",
    tables={
        "optimizer": "write [reinforcement] rate, weight_decay and planner_rate; it is AdamW with the betas 0.9 and "
        "0.999",
        "schedule": "the rate is constant; write [reinforcement] rate",
        "timesteps": "noise levels are those of the sampler; write [reinforcement] steps (and nft_times for "
        "DiffusionNFT)",
        "ema": "no average of the weights is kept; DiffusionNFT's old policy has [reinforcement] nft_decay",
    },
    entries={
        "training": {
            "steps": "a run has rounds; write [reinforcement] rounds",
            "batch": "write [reinforcement] batch",
            "global_batch": "write [reinforcement] prompts, group_size and updates",
            "clip": "write [reinforcement] most_gradient",
            "drop_instruction": "every edit gets its instruction; nothing takes its place",
            "cache": "nothing is cached, since each round has its own examples; nothing takes its place",
            "log_every": "every round is logged; nothing takes its place",
        },
        "tracking": {"samples_every": _SAMPLES, "samples": _SAMPLES, "sample_steps": _SAMPLES},
        "checkpoints": {"every": "write [reinforcement] save_every"},
        "evaluation": {"every": "write [reinforcement] held_out_every"},
    },
    harmless={"training": {"steps": 1}, "tracking": {"samples_every": 0}},  # earlier versions required steps = 1
)


def refuse_unused(given: Mapping[str, Any], unused: UnusedSettings, file: str) -> None:
    """Raise BadInput for the first table or entry, of those that a file has, that would change nothing."""
    for table, instead in unused.tables.items():
        if table in given:
            raise BadInput(f"{file}, [{table}]: remove this table, which {unused.training} does not use: {instead}")
    for table, entries in unused.entries.items():
        for entry, instead in entries.items():
            values = given.get(table, {})
            if entry in values and not _same(values[entry], unused.harmless.get(table, {}).get(entry)):
                raise BadInput(
                    f"{file}, [{table}] {entry}: remove this entry, which {unused.training} does not use: {instead}"
                )


def refuse_unwatched(experiment: Experiment, file: str) -> None:
    """Raise BadInput for a limit of ``[monitors]`` on a number that a supervised run does not have.

    Limits that are on by default may stay unwatched: only those that the file has count.
    """
    from editscope.training.data.fixed_cases import are_held_out
    from editscope.training.data.settings import data_settings

    written = experiment.given.get("monitors", {})
    limits = [name for name in LIMITS if written.get(name, False) is not False]
    if not limits:
        return
    tracking = read_table(TrackingSettings, experiment.given.get("tracking", {}), f"{file}, [tracking]")
    if not tracking.samples_every:
        raise BadInput(
            f"{file}, [monitors] {limits[0]}: watches the fixed cases, which [tracking] samples_every = 0 turns off; "
            "write samples_every = 100 or another number of steps, or remove this limit"
        )
    data = data_settings(experiment.data, file, experiment.folder)
    if "held_out_above" in limits and not are_held_out(data, tracking.samples):
        raise BadInput(
            f"{file}, [monitors] held_out_above: watches the loss on held-out cases, but the fixed cases are also "
            "trained on; train on streams, or on data sets with a split validation or test, or remove this limit"
        )


def _same(value: Any, harmless: Any) -> bool:
    return bool(value == harmless) and isinstance(value, bool) == isinstance(harmless, bool)
