"""Evaluation results as the card of a model on the Hugging Face Hub has them: its ``model-index``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.report.exports.run_sets import RunSet, check_complete, run_sets
from editscope.report.exports.yaml_text import as_yaml
from editscope.report.model import RunView
from editscope.results.run import Run
from editscope.runfolder.files import write_whole
from editscope.wording import metric_title

TASK = {"type": "image-to-image", "name": "Image editing"}
CARD = ".md"
"""The suffix of a card, whose metadata stand between two lines of dashes."""
CONFIDENCE = 0.95
"""That of every interval in a summary."""
DECIMALS = 4


def write_model_index(runs: Sequence[Run], target: Path) -> Path:
    """Write the results of runs; a name that ends in .md gets a card with nothing but them."""
    if target.suffix.lower() == CARD and target.exists():
        raise BadInput(
            f"{target} exists; write to a file that ends in .yaml, and copy its lines between the dashes of that card"
        )
    sets = run_sets(runs)
    check_complete(sets, "a model card")
    text = as_yaml({"model-index": model_index(sets)})
    write_whole(target, (f"---\n{text}---\n" if target.suffix.lower() == CARD else text).encode())
    return target


def model_index(sets: Sequence[RunSet]) -> list[dict[str, Any]]:
    """One entry per editor, with one result for each set of cases that it was run on."""
    models: dict[str, list[dict[str, Any]]] = {}
    for one in sets:
        for view in one.views:
            models.setdefault(view.name, []).append(_result(one, view))
    return [{"name": name, "results": results} for name, results in models.items()]


def _result(one: RunSet, view: RunView) -> dict[str, Any]:
    about = one.about()
    overall = view.summary["overall"]
    how = {name: about[name] for name in ("scoring", "judge", "protocol", "accounting") if name in about}
    metrics = [_metric(m, overall[m]) for m in one.sheet.metrics if overall.get(m, {}).get("mean") is not None]
    if not metrics:
        raise BadInput(f"{view.run.path} has no score at all, so there is nothing to put on a card")
    dataset = {"type": about["suite"], "name": about["title"], "split": "test", "revision": about["fingerprint"]}
    return {"task": TASK, "dataset": {**dataset, "args": {"cases": about["cases"], **how}}, "metrics": metrics}


def _metric(metric: str, cell: dict[str, Any]) -> dict[str, Any]:
    args: dict[str, Any] = {"cases": cell["n"]}
    if cell["lo"] is not None:
        args |= {"confidence": CONFIDENCE, "lo": round(cell["lo"], DECIMALS), "hi": round(cell["hi"], DECIMALS)}
    named = {"type": str(metric), "name": metric_title(metric), "value": round(cell["mean"], DECIMALS)}
    return {**named, "args": args}
