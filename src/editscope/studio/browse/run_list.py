"""Lists of runs: by the set of cases that they are over, and one run by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from editscope.runfolder.run_names import run_names
from editscope.studio.browse.addresses import case_page, gallery, picture, run_page
from editscope.studio.browse.case_query import CaseQuery
from editscope.studio.browse.leaderboards import bar_of, interval_of
from editscope.studio.catalog.catalog import Catalog, Entry
from editscope.wording import failure, failure_order, plain

STATES = {"running": "Running", "stopped": "Stopped", "done": "Done", "problem": "Unreadable"}
MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run in a list."""

    entry: Entry
    name: str
    address: str
    score: str
    interval: str
    state: str
    when: str


@dataclass(frozen=True, slots=True)
class ListedSet:
    """Runs over one set of cases."""

    id: str
    title: str
    suite: str
    detail: str
    metric: str
    runs: Sequence[ListedRun]


def run_sets(entries: Sequence[Entry]) -> list[ListedSet]:
    """The runs by set, the set with the newest run first."""
    by_set: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.card.set_id:
            by_set.setdefault(entry.card.set_id, []).append(entry)
    return [_run_set(set_id, members) for set_id, members in by_set.items()]


def _run_set(set_id: str, entries: Sequence[Entry]) -> ListedSet:
    cards = [entry.card for entry in entries]
    names = run_names([card.editor for card in cards], [card.id.rpartition("/")[2] for card in cards])
    first = next((card for card in cards if card.metrics), cards[0])
    largest = max(card.n for card in cards)
    judged = f", judged by {first.protocol}" if first.judged else ""
    return ListedSet(
        id=set_id,
        title=first.suite_title,
        suite=first.suite,
        detail=f"{largest:,} case{'' if largest == 1 else 's'}{judged} · set {first.fingerprint[:8]}",
        metric=first.main.label if first.main else "",
        runs=[_listed(entry, name) for entry, name in zip(entries, names, strict=True)],
    )


def _listed(entry: Entry, name: str) -> ListedRun:
    card = entry.card
    cell = card.cell(card.headline)
    return ListedRun(
        entry=entry,
        name=name,
        address=run_page(card.id),
        score=card.main.shown(cell.get("mean")) if card.main else "–",
        interval=interval_of(cell, card.main) if card.main else "",
        state=STATES[entry.state],
        when=card.created[:16].replace("T", " "),
    )


def run_view(catalog: Catalog, run_id: str) -> dict[str, Any]:
    """The page of one run."""
    entry = catalog.entry(run_id)
    card = entry.card
    view: dict[str, Any] = {
        "entry": entry,
        "card": card,
        "name": card.editor.get("name", run_id),
        "state": STATES[entry.state],
        "modes": [],
        "worst": [],
        "metrics": [
            (metric, metric.shown(cell.get("mean")), interval_of(cell, metric), bar_of(cell, metric))
            for metric in card.metrics
            for cell in [card.cell(metric.key)]
        ],
        "set": f"/sets/{card.set_id}",
        "gallery": "",
        "coverage": [(plain(status), number) for status, number in card.coverage.items() if number],
    }
    if not card.set_id or card.problem:
        return view
    cases = catalog.case_set(card.set_id)
    column = cases.run(run_id)
    if column is None or not len(cases):
        return view
    counts = {mode: int((column.modes == place).sum()) for place, mode in enumerate(cases.modes)}
    total = max(1, sum(counts.values()))
    view["modes"] = [
        {
            "mode": mode,
            "label": failure(mode).label,
            "note": failure(mode).note,
            "n": counts[mode],
            "share": round(100 * counts[mode] / total, 2),
            "href": gallery(card.set_id, CaseQuery(run=run_id, mode=mode).address()),
        }
        for mode in failure_order([mode for mode, n in counts.items() if n])
    ]
    lowest = CaseQuery(run=run_id, order="worst")
    view["gallery"] = gallery(card.set_id, lowest.address())
    view["name"] = column.name
    view["worst"] = [
        {
            "name": cases.names[place],
            "href": case_page(card.set_id, cases.ids[place], cases.variants[place], lowest.address()),
            "score": "–" if card.main is None else card.main.shown(column.value(card.headline, int(place))),
            "src": picture(run_id, cases.ids[place], cases.variants[place], "edit", 160),
            "edited": bool(column.edited[place]),
        }
        for place in lowest.places(cases)[:MOST_SHOWN]
    ]
    return view
