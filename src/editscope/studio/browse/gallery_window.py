"""A window on the gallery: the cards of some cases, with the results of the runs that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from editscope.studio.browse.addresses import case_page, picture
from editscope.studio.browse.case_query import CaseQuery
from editscope.studio.catalog.case_set import CaseSet, RunColumn
from editscope.wording import failure, plain

MOST_CARDS = 120
MOST_RUNS = 6
LONGEST_TEXT = 320


def shown_runs(cases: CaseSet, wanted: Sequence[str]) -> list[RunColumn]:
    """The runs whose edits a gallery shows: those that are named, else the best ones."""
    named = [run for run in cases.ranked if run.card.id in wanted]
    return (named or list(cases.ranked[:3]))[:MOST_RUNS]


def window(cases: CaseSet, query: CaseQuery, wanted: Sequence[str], offset: int, limit: int) -> dict[str, Any]:
    """The cards from ``offset`` on, and how many cases there are."""
    places = query.places(cases)
    runs = shown_runs(cases, wanted)
    address = query.address()
    limit = min(max(limit, 0), MOST_CARDS)
    metric = query.metric if cases.metric(query.metric) is not None else cases.first.headline
    return {
        "total": len(places),
        "of": len(cases),
        "offset": offset,
        "cards": [_card(cases, int(place), runs, address, metric) for place in places[offset : offset + limit]],
    }


def _card(cases: CaseSet, place: int, runs: Sequence[RunColumn], address: str, metric: str) -> dict[str, Any]:
    case, variant = cases.ids[place], cases.variants[place]
    home = next((run for run in cases.runs if run.modes[place] >= 0), cases.runs[0]).card.id
    text = cases.texts[place]
    given = ["input"] if cases.first.judged else ["input", "answer"]
    tags = [plain(value) for tag in list(cases.tags)[:3] if (value := cases.tags[tag][place])]
    return {
        "name": cases.names[place],
        "text": text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]} …",
        "tags": tags,
        "href": case_page(cases.id, case, variant, address),
        "given": [{"label": plain(kind), "src": picture(home, case, variant, kind, 160)} for kind in given],
        "runs": [_result(cases, run, place, metric) for run in runs],
    }


def _result(cases: CaseSet, run: RunColumn, place: int, metric: str) -> dict[str, Any]:
    if run.modes[place] < 0:
        return {"name": run.name, "color": run.place % 8, "none": "Not in this run"}
    mode = cases.modes[int(run.modes[place])]
    status = cases.statuses[int(run.statuses[place])]
    shown = cases.metric(metric)
    result = {
        "name": run.name,
        "color": run.place % 8,
        "score": "–" if shown is None else shown.shown(run.value(metric, place)),
        "mode": mode,
        "label": failure(mode).label,
    }
    if not run.edited[place]:
        return {**result, "none": plain(status) if status != "ok" else "No picture"}
    # One call may compare two edits; the run keeps a small picture of each then, and the first stands for both.
    return {**result, "src": picture(run.card.id, cases.ids[place], cases.variants[place], "edit", 160)}
