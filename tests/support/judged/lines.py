"""Score lines of judged cases without a run: from verdicts by hand to the tables that a run would write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from editscope.cases import Aggregation, Case, Status
from editscope.judges import Verdict
from editscope.results.judged_tables import averages, score_columns
from editscope.runfolder.journal import Progress
from editscope.runfolder.run_json import aggregation_json
from editscope.runs.judging.unit_verdicts import _row
from editscope.scoring.rubrics import Rubric, Unit
from editscope.stats.summary import summarize
from editscope.suites.protocol import Protocol, described

PIXELS = np.full((6, 8, 3), 100, np.uint8)
Said = Mapping[str, Sequence[Verdict]]


def run_info(rubric: Rubric, aggregation: Aggregation, **judging: Any) -> dict[str, Any]:
    """What run.json says, as far as tables need it."""
    plan = rubric.aggregation(aggregation)
    said = described(Protocol(rubric.name, rubric.options), rubric)
    settings: dict[str, Any] = {"timeout_s": None, "repeats": 1}
    return {
        "judging": {**said, "missing": "worst", "accounting": "ours", "samples": 1, "judges": ["judge"], **judging},
        "aggregation": aggregation_json(plan),
        "settings": settings,
    }


def score_line(
    rubric: Rubric,
    case: Case,
    unit: Unit,
    said: Said,
    *,
    pixels: Mapping[str, float | None] | None = None,
    missing: Status | None = None,
    applicable: bool = True,
    white: Said | None = None,
) -> dict[str, Any]:
    """The score line of a unit; ``white`` are verdicts on a white picture in place of a missing edit."""
    rows = rubric.rows(case, unit, said, pixels or {}, missing)
    on_white = () if white is None else rubric.rows(case, unit, white, {})
    return {
        "case": case.id,
        "variant": unit.name,
        "missing": missing,
        "applicable": applicable,
        "rows": [_row(row, unit) for row in rows],
        **({"white": [_row(row, unit) for row in on_white]} if white is not None else {}),
        "calls": [],
        "verdicts": {},
        "snapshots": {},
        "spent": {"calls": 0, "cached": 0, "input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0},
        "tags": dict(case.tags),
        "fingerprint": "",
    }


def tables(info: dict[str, Any], lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The judged part of summary.json."""
    return averages(info, [({}, line) for line in lines], Progress())


def overall(info: dict[str, Any], lines: Sequence[dict[str, Any]]) -> dict[str, float | None]:
    """Every measure's overall mean, without intervals."""
    from editscope.runfolder.run_json import aggregation_from

    names = [measure["name"] for measure in info["judging"]["measures"]]
    columns = score_columns(info, [({}, line) for line in lines])
    found = summarize(columns, aggregation_from(info), names, resamples=1)["overall"]
    return {name: found[name]["mean"] for name in names}


def renamed(case: Case, case_id: str) -> tuple[Case, Unit]:
    """A copy of a case with another id, and the unit of its one edit."""
    return replace(case, id=case_id), Unit(case_id, ("",))
