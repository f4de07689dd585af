"""InEdit-Bench: the way from a start to an end picture, drawn as one picture of numbered steps."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from editscope.cases import Aggregation, Case, Group, Instruction
from editscope.suites.datafolder.finding import list_of_cases
from editscope.suites.datafolder.rows import DataRow, json_list, tag_name
from editscope.suites.datafolder.suite import FiledCase, JudgedSuite, basis

CATEGORIES = (
    "state_transition",
    "temporal_sequence",
    "dynamic_process",
    "scientific_simulation",
    "process_plausibility",
)
"""The five categories, in the order of the paper's tables."""
SUBTASKS = (
    *("construction_and_assembly", "decoration_and_painting"),
    *("organization_and_arrangement", "processing_and_deformation"),
    *("environment_and_society", "growth_and_decay", "physical_transformation", "temporal_measurement"),
    *("biology_and_nature", "coordinated_motion", "daily_life", "mechanical_operation", "sudden_events"),
    *("biology", "chemistry", "physics"),
)
"""The sixteen sub-tasks of the first four categories, in the order of the paper's tables."""
CHECKED = ("dynamic_process", "scientific_simulation")
"""The categories whose cases have a checklist of what is scientifically right."""
PATHS = "process_plausibility"
"""The category whose cases ask for two ways, A and B, one plausible and one not."""
FILE = "data.json"


class InEditSuite(JudgedSuite):
    """The cases of a ``data.json``.

    A case has one instruction; one of process plausibility has two, the variants "A" and "B". Its picture is start and
    end in one. Where ``image`` is a list of two, or ``start`` and ``end`` are given instead, they are joined.
    """

    name = "inedit"
    default_protocol = "inedit"
    home = (
        "Get it with `git clone https://github.com/SZStrong1/InEdit-Bench` and give that folder, which holds "
        "data/data.json; see docs/inedit.md"
    )
    aggregation = Aggregation(
        overall=Group("overall", ()),
        groups=(Group("category", ("category",)), Group("subtask", ("subtask",))),
        strata=("category",),
        headline="overall",
        orders={"category": CATEGORIES, "subtask": SUBTASKS},
    )

    def __init__(self, root: str | Path | None, skip_bad: bool) -> None:
        super().__init__(root, skip_bad=skip_bad)

    def find_root(self, root: str | Path | None) -> tuple[Path, str]:
        """The folder of ``data.json``: the one given, or ``data`` in it."""
        folder, source = super().find_root(root)
        return list_of_cases(folder, FILE, self.home).parent, source

    def rows(self) -> Iterator[DataRow]:
        """The entries of ``data.json``; their paths are relative to its folder."""
        return json_list(self.root / FILE, self.root)

    def case_of(self, row: DataRow) -> FiledCase:
        """The case of one entry."""
        index, category = row.identifier("index"), row.choice("category", CATEGORIES)
        images = _pictures(row)
        paths = {"A": row.text("instruction_A"), "B": row.text("instruction_B")} if category == PATHS else {}
        texts = paths or {"": row.text("instruction")}
        checklist = row.text("checklist", None if category in CHECKED else "")
        subtask = tag_name(row.text("subtask", subtasks().get(index, "")))
        return FiledCase(
            id=index,
            suite=self.name,
            images=images,
            instructions=tuple(Instruction(text, variant=variant) for variant, text in texts.items()),
            tags={"category": category, **({"subtask": subtask} if subtask else {})},
            checklist=checklist or None,
            details={"category": category, "joined": len(images) > 1},
            basis=basis(category=category, checklist=checklist, texts=texts),
            files=images,
        )

    def case(self, case_id: str) -> Case:
        """One case; start and end that are files of their own are joined."""
        case = self._cases[case_id]
        if len(case.images) == 1:
            return case
        from editscope.suites.inedit.joining import join

        start, end = case.images
        return replace(case, images=(join(start, end),))

    def output_names(self, case_id: str, variant: str = "") -> tuple[str, ...]:
        """``images/<category>/<index>``, for path pairs with ``_A`` or ``_B``; also without the outer folders."""
        name = f"{case_id}_{variant}" if variant else case_id
        category = self._cases[case_id].tags["category"]
        return (f"images/{category}/{name}", f"{category}/{name}", name)


def load(root: str | Path | None = None, skip_bad: bool = False) -> InEditSuite:
    """InEdit-Bench from a folder."""
    return InEditSuite(root, skip_bad)


@cache
def subtasks() -> dict[str, str]:
    """The sub-task of each of the 203 cases that have one, by index.

    >>> subtasks()["dynamic_process_3"], len(subtasks()), set(subtasks().values()) == set(SUBTASKS)
    ('daily_life', 203, True)
    """
    text = files("editscope.suites.inedit").joinpath("subtasks.csv").read_text(encoding="utf-8")
    return {row["index"]: row["subtask"] for row in csv.DictReader(io.StringIO(text))}


def _pictures(row: DataRow) -> tuple[Path, ...]:
    """The one picture of a row, or start and end."""
    given: Any = row.fields.get("image")
    if isinstance(given, list):
        if len(given) != 2:
            row.flaw(f"field 'image' lists {len(given)} pictures; give one, or start and end")
        return tuple(row.picture("image", path) for path in given)
    if not row.has("image") and (row.has("start") or row.has("end")):
        return row.picture("start"), row.picture("end")
    return (row.picture("image"),)
