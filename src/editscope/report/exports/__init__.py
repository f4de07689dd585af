"""Exports of runs for other people's tools: a data set, a model card, a leaderboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from editscope.errors import BadInput, unknown
from editscope.results.run import Run

KINDS = {
    "hf-dataset": "a folder that `datasets.load_dataset` reads: one row per edit, with pictures and a card",
    "leaderboard": "a JSON file with one ranked list per set of cases",
    "model-index": "a YAML file with the results as a model card on the Hugging Face Hub has them",
}
"""What can be exported, each in words."""


def export(
    runs: Sequence[Run],
    kind: str,
    target: str | Path,
    *,
    images: bool = True,
    told: Callable[[int, int], None] | None = None,
) -> Path:
    """Write runs as ``kind`` to a file or folder, whole or not at all.

    ``images`` puts pictures in full size into a data set, else the small ones that every run has. ``told`` is called
    with the number of rows done and of all. Exports name no folder of this machine.
    """
    target = Path(target)
    if kind not in KINDS:
        raise unknown("export", kind, KINDS)
    if kind == "hf-dataset":
        from editscope.report.exports.hf_dataset import write_dataset

        return write_dataset(runs, target, images=images, told=told)
    if target.is_dir():
        raise BadInput(f"{target} is a folder; {kind} is written to a file, so give the name of one in it")
    if kind == "leaderboard":
        from editscope.report.exports.leaderboard import write_leaderboard

        return write_leaderboard(runs, target)
    from editscope.report.exports.model_index import write_model_index

    return write_model_index(runs, target)
