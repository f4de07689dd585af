"""PaintBench sets on disk, ours or the authors' own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from editscope.suites.base import Suite
from editscope.suites.generated.released import ReleasedFolder, Sidecar
from editscope.suites.paintbench.catalog import CATEGORY_OF, PRESERVATION, aggregation


def read_set(
    root: str | Path, split: Literal["test", "preservation", "all"], strata: str | None = None
) -> ReleasedFolder:
    """A set in the released layout."""
    return ReleasedFolder(
        "paintbench", root, aggregation, tags_of, aliases=("PaintBench",), split=split, strata=strata, remark=_remark
    )


def _remark(suite: Suite) -> str:
    turned = [case_id for case_id in suite.ids if suite.tags(case_id)["task"] == "rotation"]
    if not turned or "attempt" in suite[turned[0]].details:  # a field that only our sets have
        return ""
    return (
        "the released answers of the task rotation turn the other way than their instructions say: an editor without "
        "error gets about half of that task (docs/faults-found.md shows it)"
    )


def tags_of(folder: str, fields: Sidecar) -> Mapping[str, str]:
    """The tags of a problem, the same for a made and a read one."""
    return problem_tags(folder, fields.mode, fields.visual_condition)


def problem_tags(folder: str, mode: str, condition: str) -> dict[str, str]:
    """Tags from the folder's name, the mode and the condition."""
    return {
        "category": CATEGORY_OF.get(folder, folder),
        "task": folder,
        "mode": mode,
        "condition": condition,
        "split": PRESERVATION if folder == PRESERVATION else "test",
    }
