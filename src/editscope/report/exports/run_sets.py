"""Sets of runs that may be ranked together: the same cases, judged in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from editscope.errors import BadInput
from editscope.report.exports.public_text import public_spec
from editscope.report.judged_runs import protocol_of
from editscope.report.model import RunView, Sheet, gather
from editscope.results.accounting import accounting_of
from editscope.results.run import Run
from editscope.runfolder.run_names import run_names
from editscope.runs.choose_folder import slug
from editscope.suites import suite_title
from editscope.wording import part_of_cases


@dataclass(frozen=True, eq=False)
class RunSet:
    """Runs over exactly the same cases, with the same judge and accounting. ``key`` tells it from the others."""

    sheet: Sheet
    views: tuple[RunView, ...]
    key: str

    @property
    def title(self) -> str:
        """The suite, and which part of it where it is not all of it."""
        selection = self.views[0].run.info["selection"]
        whole = int(selection["n"]) == int(selection.get("of") or selection["n"])
        name = suite_title(self.sheet.suite)
        return name if whole else f"{name} ({part_of_cases(selection)})"

    def about(self) -> dict[str, Any]:
        """What its runs have in common."""
        info = self.views[0].run.info
        judged = {}
        if self.sheet.judged:
            judged = {
                "judge": public_spec(str(info["judge"])),
                "protocol": protocol_of(info),
                "accounting": accounting_of(info),
            }
        return {
            "suite": public_spec(self.sheet.suite),
            "title": self.title,
            "fingerprint": self.sheet.fingerprint,
            "cases": int(info["selection"]["n"]),
            "cases_of_the_suite": int(info["selection"].get("of") or info["selection"]["n"]),
            "cases_digest": info["selection"].get("ids_digest"),
            "scoring": "judged" if self.sheet.judged else "pixels",
            **judged,
        }


def run_sets(runs: Sequence[Run]) -> list[RunSet]:
    """Runs by the set of cases that they were scored on, in the order in which they are given."""
    sets: dict[tuple[int, tuple[Any, ...]], list[RunView]] = {}
    model = gather(runs, None)
    for number, sheet in enumerate(model.sheets):
        for view in sheet.runs:
            sets.setdefault((number, _same(view)), []).append(view)
    keys: list[str] = []
    for number, _ in sets:
        name = slug(model.sheets[number].suite)
        keys.append(next(key for n in count(1) if (key := name if n == 1 else f"{name}-{n}") not in keys))
    named = _named(list(sets.values()))
    return [RunSet(model.sheets[number], views, key) for (number, _), views, key in zip(sets, named, keys, strict=True)]


def _named(sets: Sequence[Sequence[RunView]]) -> list[tuple[RunView, ...]]:
    """The runs of each set with names that tell them apart there: the same editor keeps its name in all sets."""
    views = [(place, view) for place, members in enumerate(sets) for view in members]
    names = run_names(
        [view.run.info["editor"] for _, view in views],
        [(view.run.archive or view.run.path).absolute().name for _, view in views],
        [place for place, _ in views],
    )
    homes: list[list[RunView]] = [[] for _ in sets]
    for (place, view), name in zip(views, names, strict=True):
        homes[place].append(replace(view, name=public_spec(name)))
    return [tuple(members) for members in homes]


def _same(view: RunView) -> tuple[Any, ...]:
    """What must agree for two runs of a sheet to be ranked in one list; where a judge is served does not matter."""
    info = view.run.info
    selection = info["selection"]
    judged = (
        (public_spec(info["judge"]), accounting_of(info), info["judging"].get("missing")) if view.run.judged else ()
    )
    return (selection.get("ids_digest"), selection["n"], *judged)


def check_complete(sets: Sequence[RunSet], what: str) -> None:
    """Raise BadInput where a run is not finished: its means are over other cases than it will have."""
    for view in (view for one in sets for view in one.views):
        if not view.run.complete:
            raise BadInput(
                f"{view.run.path} is not finished ({view.part}), and {what} has no place for that; "
                f"`editscope resume {view.run.path}` finishes it"
            )
