"""Grid of cases and models, as every paper prints it, with input, instruction and answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from editscope.errors import unknown
from editscope.report.paper_figures.grid_layout import GAP, WORDS, Band, Tile, paint
from editscope.report.paper_figures.grid_pictures import Pictures
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw, axis_label, figure
from editscope.report.paper_figures.style import FAILURE_INKS, SOFT, Figure, wrapped
from editscope.results.case_record import CaseRecord
from editscope.stats.summary import percent_scale
from editscope.wording import failure, metric_name, value

ROWS = 5
"""How many cases are chosen when none were asked for."""
DPI = 400
"""Pixels of a picture for each inch of paper."""
MOST_ACROSS = {"double": 8, "single": 4}
LARGEST = 1.35
"""Inches: a picture is never wider than this."""


@figure("grid", "Input, answer and what each model made of the same cases; scores stand below the pictures.")
def grid(context: FigureContext) -> Figure:
    """One band for each case: its instruction, then input, answer and one picture for each run."""
    chosen = records_by_case(context) if context.cases else _chosen(context)
    answers = _have_answers(context, chosen)
    tiles = 1 + answers + len(context.runs)
    across = math.ceil(tiles / math.ceil(tiles / MOST_ACROSS[context.width]))  # lines of nearly the same length
    side = min((context.inches - GAP * (across - 1)) / across, LARGEST)
    pictures = Pictures(context.sheet, round(side * DPI))
    width = across * side + (across - 1) * GAP
    bands = [
        Band(wrapped(first_of(records).instruction, width, WORDS, 4), _tiles(context, records, pictures, answers))
        for records in chosen
    ]
    if not any(tile.pixels is not None for band in bands for tile in band.tiles):
        raise NothingToDraw("these runs have no pictures any more, and their suite is not here to make them again")
    return paint(bands, across, side)


def records_by_case(context: FigureContext) -> list[dict[int, CaseRecord]]:
    """The cases that were asked for by id."""
    cases = _by_case(context)
    for case_id in context.cases:
        if case_id not in cases:
            raise unknown(f"case in these runs of {context.sheet.suite}", case_id, cases)
    return [cases[case_id] for case_id in context.cases]


def _chosen(context: FigureContext) -> list[dict[int, CaseRecord]]:
    """One case for each category: the one on which runs differ most; of one run, the middle one."""
    groups = context.sheet.aggregation.groups
    tag = groups[0].by[0] if groups else ""
    averaged = {record.case_id for view in context.runs for record in context.sheet.averaged(view)}
    homes: dict[str, list[dict[int, CaseRecord]]] = {}
    for case_id, records in _by_case(context).items():
        if case_id in averaged and len(records) == len(context.runs):
            homes.setdefault(first_of(records).tags.get(tag, ""), []).append(records)
    order = [key for key in context.sheet.keys(groups[0].name) if key in homes] if groups else list(homes)
    return [_telling(context, homes[key]) for key in order[:ROWS]]


def most_telling(context: FigureContext) -> dict[int, CaseRecord]:
    """Of all cases that every run has, the one on which runs differ most; of one run, the middle one."""
    averaged = {record.case_id for view in context.runs for record in context.sheet.averaged(view)}
    cases = [
        records
        for case_id, records in _by_case(context).items()
        if case_id in averaged and len(records) == len(context.runs)
    ]
    if not cases:
        raise NothingToDraw("these runs have no case in common")
    return _telling(context, cases)


def _telling(context: FigureContext, cases: Sequence[dict[int, CaseRecord]]) -> dict[int, CaseRecord]:
    metric = context.sheet.headline

    def scores(records: dict[int, CaseRecord]) -> list[float]:
        return sorted(record.metrics.get(metric) or 0.0 for record in records.values())

    if len(context.runs) == 1:
        return sorted(cases, key=scores)[len(cases) // 2]
    return max(cases, key=lambda records: _spread(scores(records)))  # the first of equal ones


def _spread(scores: Sequence[float]) -> float:
    """How evenly and widely scores are spread: the range, plus the standard deviation.

    >>> _spread([0.0, 0.5, 1.0]) > _spread([0.0, 0.0, 0.5])
    True
    """
    mean = sum(scores) / len(scores)
    deviation = math.sqrt(sum((score - mean) ** 2 for score in scores) / len(scores))
    return scores[-1] - scores[0] + deviation


def _by_case(context: FigureContext) -> dict[str, dict[int, CaseRecord]]:
    cases: dict[str, dict[int, CaseRecord]] = {}
    for view in context.runs:
        for record in view.records:
            cases.setdefault(record.case_id, {}).setdefault(view.index, record)  # of several edits, the first
    return cases


def first_of(records: Mapping[int, CaseRecord]) -> CaseRecord:
    """The first record of a case, for what all of them share."""
    return next(iter(records.values()))


def _have_answers(context: FigureContext, chosen: Sequence[dict[int, CaseRecord]]) -> bool:
    """Whether there is an answer to show: judged suites have none, and a column of empty frames says nothing."""
    pictures = Pictures(context.sheet, 16)
    return not context.sheet.judged or any(pictures.shared("answer", records) is not None for records in chosen)


def _tiles(
    context: FigureContext, records: Mapping[int, CaseRecord], pictures: Pictures, answers: bool
) -> tuple[Tile, ...]:
    first = first_of(records)
    groups = context.sheet.aggregation.groups
    home = first.tags.get(groups[0].by[0], "") if groups else ""
    task = axis_label(first.tags.get("task", ""), home)
    tiles = [
        Tile("Input", pictures.shared("input", records), task or first.case_id, first.case_id if task else ""),
        *([Tile("Answer", pictures.shared("answer", records))] if answers else []),
    ]
    for view, name in zip(context.runs, context.names, strict=True):
        record = records.get(view.index)
        tiles.append(Tile(name, None, "not run") if record is None else _edit(context, name, record, pictures))
    return tuple(tiles)


def _edit(context: FigureContext, name: str, record: CaseRecord, pictures: Pictures) -> Tile:
    metric = context.sheet.headline
    fraction = record.metrics.get(metric)
    score = value(None if fraction is None else fraction * percent_scale(metric), metric)
    mode = record.failure or record.status
    under = f"{metric_name(metric)} {score}"
    return Tile(name, pictures.edit(record), under, failure(mode).label.lower(), FAILURE_INKS.get(mode, SOFT))
