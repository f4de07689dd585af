"""Tables and entries of supervised training that reinforcement learning does not use: refused, not ignored."""

from __future__ import annotations

from collections.abc import Mapping

from editscope.errors import BadInput
from editscope.training.settings import Experiment

TABLES: Mapping[str, str] = {
    "optimizer": "write [reinforcement] rate, weight_decay and planner_rate; it is AdamW with the betas 0.9 and 0.999",
    "schedule": "the rate is constant; write [reinforcement] rate",
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
        "drop_instruction": "every edit gets its instruction; nothing takes its place",
        "cache": "nothing is cached, since each round has its own examples; nothing takes its place",
        "log_every": "every round is logged; nothing takes its place",
    },
    "tracking": {"samples_every": SAMPLES, "samples": SAMPLES, "sample_steps": SAMPLES},
    "checkpoints": {"every": "write [reinforcement] save_every"},
    "evaluation": {"every": "write [reinforcement] held_out_every"},
}
"""What takes the place of an entry."""
HARMLESS = {("training", "steps"): 1, ("tracking", "samples_every"): 0}
"""Values that change nothing; earlier versions required ``steps = 1``."""


def refuse_unused(experiment: Experiment, file: str) -> None:
    """Raise BadInput for the first table or entry that would change nothing, with what takes its place."""
    for table, instead in TABLES.items():
        if table in experiment.given:
            raise BadInput(
                f"{file}, [{table}]: remove this table, which reinforcement learning does not use: {instead}"
            )
    for table, entries in ENTRIES.items():
        for entry, instead in entries.items():
            given = experiment.given.get(table, {})
            if entry in given and given[entry] != HARMLESS.get((table, entry)):
                raise BadInput(
                    f"{file}, [{table}] {entry}: remove this entry, which reinforcement learning does not "
                    f"use: {instead}"
                )
