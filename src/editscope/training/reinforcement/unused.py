"""Tables and entries of supervised training, which reinforcement learning does not read: refused, not ignored."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.errors import BadInput
from editscope.training.settings import Experiment

TABLES: Mapping[str, str] = {
    "optimizer": "write [reinforcement] rate, weight_decay and planner_rate; it is AdamW with the betas 0.9 and 0.999",
    "schedule": "the rate is the same in all rounds; write [reinforcement] rate",
    "timesteps": "noise levels are those of the sampler; write [reinforcement] steps (and nft_times for DiffusionNFT)",
    "ema": "no average of the weights is kept; DiffusionNFT's old policy has [reinforcement] nft_decay",
}
"""What takes the place of a table."""
SAMPLES = (
    "the fixed cases are edited in supervised training only; write [evaluation] and [reinforcement] held_out_every"
)
ENTRIES: Mapping[str, Mapping[str, str]] = {
    "training": {
        "steps": "a run has rounds; write [reinforcement] rounds",
        "batch": "write [reinforcement] batch",
        "global_batch": "write [reinforcement] prompts, group_size and updates",
        "clip": "write [reinforcement] most_gradient",
        "drop_instruction": "every edit is asked for with its instruction; nothing takes its place",
        "cache": "nothing is cached, for each round has examples of its own; nothing takes its place",
        "log_every": "every round is logged; nothing takes its place",
    },
    "tracking": {"samples_every": SAMPLES, "samples": SAMPLES, "sample_steps": SAMPLES},
    "checkpoints": {"every": "write [reinforcement] save_every"},
    "evaluation": {"every": "write [reinforcement] held_out_every"},
}
"""What takes the place of an entry."""
HARMLESS = {("training", "steps"): 1, ("tracking", "samples_every"): 0}
"""Values that say what happens anyway; ``steps = 1`` was needed once."""


def refuse_unused(experiment: Experiment, file: str) -> None:
    """BadInput for the first table or entry that would change nothing, with what takes its place."""
    for table, instead in TABLES.items():
        if table in experiment.given:
            raise BadInput(f"{file}, [{table}]: reinforcement learning does not use this table, take it out: {instead}")
    for table, entries in ENTRIES.items():
        for entry, instead in entries.items():
            given = experiment.given.get(table, {})
            if entry in given and given[entry] != HARMLESS.get((table, entry)):
                raise BadInput(
                    f"{file}, [{table}] {entry}: reinforcement learning does not use it, take it out: {instead}"
                )
