"""Material of a study: cases with the edits of several models, from runs or from a file that lists them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from editscope.cases import Case
from editscope.errors import BadInput, EditscopeError
from editscope.images import ImageLike
from editscope.outside import is_text
from editscope.results import Run, open_run
from editscope.runfolder.repeats import plain
from editscope.suites import load_suite


@dataclass(frozen=True, slots=True)
class StudyCase:
    """A case at one level: its sources, and the edit that each model made of it."""

    case_id: str
    level: str
    instruction: str
    sources: tuple[ImageLike, ...]
    edits: Mapping[str, ImageLike]
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Material:
    """The cases that a study draws from, the models, and the run of each model ("" where there is none)."""

    cases: tuple[StudyCase, ...]
    models: Mapping[str, str]


def from_runs(named: Mapping[str, Path]) -> Material:
    """The cases that every run has an edit of. ``named`` are run folders by the name of their model."""
    if len(named) < 1:
        raise BadInput("name at least one run")
    runs = {name: open_run(path) for name, path in named.items()}
    first = next(iter(runs.values()))
    for name, run in runs.items():
        if run.info["suite"]["fingerprint"] != first.info["suite"]["fingerprint"]:
            raise BadInput(
                f"the run of {name} ({run.path}) has other cases than {first.path}, so that people cannot compare them"
            )
    edits = {name: _edits(run) for name, run in runs.items()}
    shared = [key for key in edits[next(iter(runs))] if all(key in own for own in edits.values())]
    if not shared:
        raise BadInput(f"there is no case that all of {', '.join(map(str, named.values()))} have an edit of")
    records = {(record.case_id, variant): record for record in first.records() for variant in _variants(record)}
    suite = _suite(first)
    cases = []
    for case_id, variant in shared:
        record = records.get((case_id, variant))
        if record is None or case_id not in suite:
            continue
        case: Case = suite[case_id]
        if case.fingerprint != record.fingerprint:
            raise BadInput(f"{case_id} is no longer the case that {first.path} was made with; its data has changed")
        own = {name: edits[name][case_id, variant] for name in runs}
        instruction = next((one for one in case.instructions if one.variant == variant), case.instructions[0])
        level = "" if instruction.level == "default" else instruction.level
        cases.append(StudyCase(case_id, level, instruction.text, suite.inputs(case), own, dict(record.tags)))
    return Material(tuple(cases), {name: str(path) for name, path in named.items()})


def _variants(record: Any) -> list[str]:
    return list(record.images) or [record.variant]


def _edits(run: Run) -> dict[tuple[str, str], Path]:
    """The first edit of every case and variant that has a picture."""
    found = {}
    for (case_id, variant), line in run.edits().items():
        name, repeat = plain(variant)
        if repeat == 0 and line.get("image") and (path := run.image_of(line)) is not None and path.is_file():
            found[case_id, name] = path
    return found


def _suite(run: Run) -> Any:
    info = run.info["suite"]
    try:
        return load_suite(info["name"], **(info.get("options") or {}))
    except EditscopeError as error:
        raise BadInput(f"the pictures that {run.path} started from cannot be read: {error}") from error


def from_file(path: Path) -> Material:
    """The cases of a JSON Lines file: ``case``, ``instruction``, ``source`` (one or several), ``edits`` by model.

    ``level`` and ``tags`` are optional. Pictures are paths from the file's folder.
    """
    cases = []
    for number, row in read_lines(path):
        where = f"{path}, line {number}"
        edits = row.get("edits")
        if not isinstance(edits, dict) or not edits:
            raise BadInput(f"{where}: edits must be an object with a picture for each model")
        sources = row.get("source", [])
        sources = [sources] if isinstance(sources, str) else sources
        tags = row.get("tags", {})
        if not isinstance(sources, list) or not isinstance(tags, dict):
            raise BadInput(f"{where}: source must be a path or a list of paths, and tags an object")
        cases.append(
            StudyCase(
                text_of(row, "case", where),
                str(row.get("level", "")),
                text_of(row, "instruction", where),
                tuple(path.parent / str(source) for source in sources),
                {str(model): path.parent / str(edit) for model, edit in edits.items()},
                {str(tag): str(value) for tag, value in tags.items()},
            )
        )
    models = dict.fromkeys((model for case in cases for model in case.edits), "")
    for case in cases:
        if missing := models.keys() - case.edits.keys():
            raise BadInput(
                f"{path}: case {case.case_id!r} has no edit of {min(missing)!r}; every case needs one of each"
            )
    return Material(tuple(cases), models)


def read_lines(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{path}, line {number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise BadInput(f"{path}, line {number}: not an object")
        rows.append((number, row))
    if not rows:
        raise BadInput(f"{path} has no lines; each is an object with case, instruction, source and edits")
    return rows


def text_of(row: Mapping[str, Any], name: str, where: str) -> str:
    """A text of a row; BadInput where there is none."""
    value = row.get(name)
    if not isinstance(value, str) or not is_text(value):
        raise BadInput(f"{where}: {name} must be a text")
    return value


def sampled(
    cases: Sequence[StudyCase], items: int | None, levels: Sequence[str], stratify: str, seed: int
) -> list[StudyCase]:
    """``items`` cases of each level, with a share for every value of the tag ``stratify``; the same for a seed.

    >>> made = [StudyCase(f"{law}{i}", "", "", (), {}, {"law": law}) for law in "ab" for i in range(10)]
    >>> sorted(case.case_id[0] for case in sampled(made, 4, ("",), "law", seed=1))
    ['a', 'a', 'b', 'b']
    """
    wanted = [level for level in levels if level] or list(dict.fromkeys(case.level for case in cases))
    chosen: list[StudyCase] = []
    for level in wanted:
        here = [case for case in cases if case.level == level]
        if not here:
            known = ", ".join(sorted({case.level or "(none)" for case in cases}))
            raise BadInput(
                f"no case has the level {level!r}; the cases have {known}. Take those with --levels, or make runs with "
                f"{level!r} too"
            )
        if items is None or items >= len(here):
            chosen += here
            continue
        if stratify and not any(stratify in case.tags for case in here):
            tags = ", ".join(sorted({tag for case in here for tag in case.tags})) or "none"
            raise BadInput(f"no case has the tag {stratify!r}, which the sample is spread over; tags are {tags}")
        strata: dict[Hashable, list[StudyCase]] = defaultdict(list)
        for case in here:
            strata[case.tags.get(stratify, "") if stratify else ""].append(case)
        # The same cases at every level, where they have them: the draw depends on the stratum, not on the level.
        for stratum, number in _shares({name: len(group) for name, group in strata.items()}, items).items():
            group = sorted(strata[stratum], key=lambda case: case.case_id)
            chosen += Random(f"{seed}:{stratum}").sample(group, number)
    return chosen


def _shares(sizes: Mapping[Hashable, int], total: int) -> dict[Hashable, int]:
    """How many of each stratum: as even as their sizes allow.

    >>> _shares({"a": 10, "b": 1, "c": 10}, 7)
    {'a': 3, 'b': 1, 'c': 3}
    """
    shares = dict.fromkeys(sizes, 0)
    left = total
    while left:
        open_ones = [name for name in sizes if shares[name] < sizes[name]]
        for name in open_ones[:left]:
            shares[name] += 1
        left -= len(open_ones[:left])
        if not open_ones:
            break
    return shares
