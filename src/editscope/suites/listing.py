"""What suites there are: how large, how they are scored, whether their data is here and how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from editscope.errors import BadInput
from editscope.suites.base import Suite
from editscope.suites.benchmark import Benchmark
from editscope.suites.own.manifest import FILE
from editscope.suites.registry import benchmark, known_benchmark, load_suite, suite_names


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of the list: ``cases`` is None where nobody knows, ``here`` says whether it can be run now."""

    name: str
    cases: int | None
    scoring: str
    here: bool
    said: str


def listed(data: Path | None = None) -> Iterator[Listed]:
    """Every suite that is installed, then the benchmarks of one's own in ``data``.

    The data of a suite is looked for in ``data`` itself and in a folder of the suite's name in it.
    """
    if data is not None and not data.is_dir():
        raise BadInput(f"{data} is not a folder; --data takes a folder with the data of suites")
    for name in suite_names():
        try:
            record = benchmark(name)
        except BadInput as error:  # a package that cannot be used is listed with the reason
            yield Listed(name, None, "–", False, str(error))
            continue
        if record.listed:
            yield _installed(record, data)
    for folder in [] if data is None else sorted({path.parent for path in (*data.glob(FILE), *data.glob(f"*/{FILE}"))}):
        yield _read(folder.name, folder, load_own=True)


def _installed(record: Benchmark, data: Path | None) -> Listed:
    name = record.name
    try:
        return _of(load_suite(name))
    except BadInput as error:
        missing = Listed(name, record.cases, record.scoring, False, str(error))
    if data is None:
        return missing
    tried = [_read(name, place) for place in (data / name, data) if place.is_dir()]
    return next((one for one in tried if one.here), tried[0])


def _read(name: str, folder: Path, load_own: bool = False) -> Listed:
    try:
        return _of(load_suite(str(folder)) if load_own else load_suite(name, root=folder))
    except BadInput as error:
        record = known_benchmark(name)
        return Listed(name, record.cases if record else None, record.scoring if record else "–", False, str(error))


def _of(suite: Suite) -> Listed:
    return Listed(suite.name, len(suite), suite.scoring, True, suite.label())
