"""Ways from a start to an end: scenarios by sub-task, with stages, intervals and checklists; pairs of paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from editscope.errors import unknown
from editscope.factory.words.entries import (
    SHIPPED,
    balance,
    check_kinds,
    name_key,
    raise_flaws,
    repeated_within,
    repeats,
    rows_of,
    table,
    texts,
    toml_files,
)
from editscope.factory.words.names import toml_kind
from editscope.suites.datafolder.rows import DataRow, Flaw

MOST_STAGES = 20


@dataclass(frozen=True, slots=True)
class ProcessCategory:
    """A kind of process, and what its scenarios have."""

    name: str
    about: str
    subtasks: tuple[str, ...]
    stages: tuple[int, int]
    """How few and how many stages lie between start and end."""
    checklist: tuple[int, int]
    """How few and how many items a checklist has; (0, 0) where there is none."""
    interval: bool
    """Whether the stages lie equally far apart in time."""


@dataclass(frozen=True, slots=True)
class ProcessScenario:
    """One way from a start to an end."""

    category: str
    subtask: str
    start: str
    end: str
    stages: tuple[str, ...]
    """What is seen between the two, in order."""
    interval: str
    """The time between two stages; "" where the category has none."""
    checklist: Mapping[str, str]
    """What must be right, each with a description."""


@dataclass(frozen=True, slots=True)
class PathPair:
    """Two ways from the same start to the same end."""

    start: str
    end: str
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class ProcessWords:
    """A dictionary of processes."""

    categories: Mapping[str, ProcessCategory]
    scenarios: tuple[ProcessScenario, ...]
    paths: tuple[PathPair, ...]


@cache
def shipped_process_words() -> ProcessWords:
    """The dictionary that comes with Editscope."""
    return _read(SHIPPED / "processes", None)


def read_process_words(path: str | Path | None = None) -> ProcessWords:
    """A dictionary of processes from a TOML file or a folder of them; None is the shipped one.

    Categories that it defines come in addition to the shipped ones. BadInput lists all that is wrong with it.
    """
    return shipped_process_words() if path is None else _read(Path(path), SHIPPED / "processes")


def _read(path: Path, base: Path | None) -> ProcessWords:
    own = toml_files(path)
    flaws = list(check_kinds(own, ("categories", "scenarios", "paths")))
    categories = _categories([*(toml_files(base) if base else []), *own], flaws)
    owners = {subtask: category for category in categories.values() for subtask in category.subtasks}
    scenarios = list(_scenarios(own, owners, flaws))
    paths = list(_paths(own, flaws))
    flaws += repeats(((where, f"{one.start} to {one.end}") for where, one in scenarios), "scenario")
    flaws += repeats(((where, f"{one.start} to {one.end}") for where, one in paths), "path pair")
    if not scenarios and not paths:
        flaws.append(Flaw(str(path), "there is no [[scenarios]] and no [[paths]] entry; add some"))
    used = {one.subtask for _, one in scenarios}
    counts = {subtask: sum(one.subtask == subtask for _, one in scenarios) for subtask in owners if subtask in used}
    raise_flaws([*flaws, *balance(counts, str(path), "scenarios", "sub-task")], f"the dictionary {path}")
    return ProcessWords(categories, tuple(one for _, one in scenarios), tuple(one for _, one in paths))


def _categories(contents: Sequence[tuple[Path, Mapping[str, Any]]], flaws: list[Flaw]) -> dict[str, ProcessCategory]:
    found: dict[str, ProcessCategory] = {}
    for file, content in contents:
        given = content.get("categories", {})
        if not isinstance(given, dict):
            flaws.append(Flaw(str(file), f"'categories' is a {toml_kind(given)}, not a table"))
            continue
        for name, fields in given.items():
            where = f"{file} categories.{name}"
            if not isinstance(fields, dict):
                flaws.append(Flaw(where, f"the category is a {toml_kind(fields)}, not a table"))
                continue
            row = DataRow(where, fields, file.parent)
            for key in fields:
                if key not in (known := ("about", "subtasks", "stages", "checklist", "interval")):
                    row.flaw(str(unknown("key", key, known)))
            category = ProcessCategory(
                name,
                row.text("about"),
                texts(row, "subtasks"),
                _range(row, "stages", (1, MOST_STAGES)),
                _range(row, "checklist", (0, 0)),
                fields.get("interval", False) is True,
            )
            taken = {subtask for other in found.values() for subtask in other.subtasks} & set(category.subtasks)
            if name in found or taken:
                row.flaw(f"{min(taken, default=name)!r} is defined already; choose another name")
            flaws += row.flaws
            found[name] = category
    return found


def _range(row: DataRow, name: str, default: tuple[int, int]) -> tuple[int, int]:
    value = row.fields.get(name, list(default))
    whole = isinstance(value, list) and len(value) == 2 and all(type(one) is int for one in value)
    if not whole or not 0 <= value[0] <= value[1] <= MOST_STAGES:
        row.flaw(f"field {name!r} is not two whole numbers such as [1, 3], at most {MOST_STAGES}")
        return default
    return value[0], value[1]


def _scenarios(
    contents: Sequence[tuple[Path, Mapping[str, Any]]], owners: Mapping[str, ProcessCategory], flaws: list[Flaw]
) -> Iterator[tuple[str, ProcessScenario]]:
    known = ("subtask", "start", "end", "stages", "interval", "checklist")
    for row in rows_of(contents, "scenarios", known, "start"):
        if not row.flaws:
            subtask = row.choice("subtask", tuple(owners))
            start, end, stages = row.text("start"), row.text("end"), texts(row, "stages")
            category = owners.get(subtask)
            if category is not None:
                _check(row, category, stages, start, end)
                interval = row.text("interval") if category.interval else ""
                items = {title: about for title, about in table(row, "checklist").items() if isinstance(about, str)}
                yield row.where, ProcessScenario(category.name, subtask, start, end, stages, interval, items)
        flaws += row.flaws


def _check(row: DataRow, category: ProcessCategory, stages: tuple[str, ...], start: str, end: str) -> None:
    """Flaws where a scenario has not what its category asks for."""
    least, most = category.stages
    if not row.flaws and not least <= len(stages) <= most:
        row.flaw(f"it has {len(stages)} stages; {category.name} has {least} to {most}")
    if not category.interval and row.has("interval"):
        row.flaw(f"{category.name} has no interval; take it out")
    row.flaws.extend(repeated_within(row.where, (start, *stages, end), "stage"))
    least, most = category.checklist
    items = table(row, "checklist")
    if not least <= len(items) <= most:
        row.flaw(f"its checklist counts {len(items)}; {category.name} has {least} to {most} items")
    for title, about in items.items():
        if not title.strip() or not isinstance(about, str) or not about.strip():
            row.flaw(f"the check item {title!r} has no description; write one")


def _paths(contents: Sequence[tuple[Path, Mapping[str, Any]]], flaws: list[Flaw]) -> Iterator[tuple[str, PathPair]]:
    for row in rows_of(contents, "paths", ("start", "end", "a", "b"), "start"):
        if not row.flaws:
            pair = PathPair(row.text("start"), row.text("end"), row.text("a"), row.text("b"))
            if pair.a and name_key(pair.a) == name_key(pair.b):
                row.flaw("path b says the same as path a; describe another way")
            yield row.where, pair
        flaws += row.flaws
