"""What suites there are: what they test, how large they are, where their data is, and what a full run costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from editscope.errors import BadInput
from editscope.suites.base import Suite
from editscope.suites.benchmark import Benchmark
from editscope.suites.full_run import FullRun, full_run
from editscope.suites.own.manifest import FILE
from editscope.suites.registry import benchmark, benchmarks, known_benchmark, load_suite, suite_names


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list: ``cases`` is None where nobody knows, ``here`` says whether it can be run now.

    ``data`` is where you download its data, ``detail`` where it is, or how to get it and give it.
    """

    name: str
    title: str
    about: str
    cases: int | None
    scoring: str
    here: bool
    data: str
    detail: str
    full_run: FullRun | None


def listed(data: Path | None = None) -> Iterator[Listed]:
    """Every suite that is installed, then the benchmarks of one's own in ``data``.

    The data of a suite is looked for in ``data`` itself and in a folder of the suite's name in it.
    """
    if data is not None and not data.is_dir():
        raise BadInput(f"{data} is not a folder; --data takes a folder with the data of suites")
    records = benchmarks()
    for record in records:
        if record.listed:
            yield _installed(record, data)
    for name in sorted({*suite_names()} - {record.name for record in records}):
        try:
            benchmark(name)
        except BadInput as error:  # a package that cannot be used is listed with the reason
            yield _missing(name, None, error)
    for folder in [] if data is None else sorted({path.parent for path in (*data.glob(FILE), *data.glob(f"*/{FILE}"))}):
        yield _read(folder.name, folder, load_own=True)


def listed_suite(name: str, data: Path | None = None) -> Listed:
    """One suite that is installed, or a module's, as ``listed`` tells it."""
    return _installed(known_benchmark(name) or benchmark(name), data)


def _installed(record: Benchmark, data: Path | None) -> Listed:
    name = record.name
    try:
        return _of(load_suite(name), record)
    except BadInput as error:
        missing = _missing(name, record, error)
    if data is None:
        return missing
    tried = [_read(name, place) for place in (data / name, data) if place.is_dir()]
    return next((one for one in tried if one.here), tried[0])


def _read(name: str, folder: Path, load_own: bool = False) -> Listed:
    record = known_benchmark(name)
    try:
        return _of(load_suite(str(folder)) if load_own else load_suite(name, root=folder), record)
    except BadInput as error:
        return _missing(name, record, error)


def _missing(name: str, record: Benchmark | None, error: BadInput) -> Listed:
    if record is None:
        return Listed(name, name, "", None, "–", False, "", str(error), None)
    return Listed(
        name,
        record.title,
        record.about,
        record.cases,
        record.scoring,
        False,
        record.data,
        str(error),
        full_run(record),
    )


def _of(suite: Suite, record: Benchmark | None) -> Listed:
    title, about, data = (suite.name, "", "") if record is None else (record.title, record.about, record.data)
    cost = None if record is None else full_run(record)
    return Listed(suite.name, title, about, len(suite), suite.scoring, True, data, suite.label(), cost)
