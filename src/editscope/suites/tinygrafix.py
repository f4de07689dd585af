"""TinyGrafixBench in the released layout. Making fresh charts is not part of this version."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.suites.base import Suite
from editscope.suites.released import ReleasedFolder, Sidecar

CHARTS = ("bar_chart", "heatmap", "line_chart", "network", "scatter_plot")

AGGREGATION = Aggregation(
    overall=Group("overall", (), ("task", "chart")),
    groups=(Group("chart", ("chart",), ("task",)), Group("task", ("task",))),
    strata=("task",),
    orders={"chart": CHARTS},
)


def load(root: str | Path | None = None, *, split: Literal["test", "preservation", "all"] = "all") -> Suite:
    """A TinyGrafixBench set from a folder."""
    if root is None:
        raise BadInput("tinygrafix needs --data DIR (a released set); this version does not make fresh charts")
    return ReleasedFolder("tinygrafix", root, AGGREGATION, _tags, aliases=("TinyGrafixBench",), split=split)


def _tags(folder: str, fields: Sidecar) -> Mapping[str, str]:
    chart = next((c for c in CHARTS if folder.startswith(c + "_")), folder)
    return {"chart": chart, "task": folder, "mode": fields.mode}
