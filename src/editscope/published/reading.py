"""Reading the tables of papers that ship with the package; nothing is read before it is asked for."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from editscope.errors import BadInput
from editscope.published.records import Contradiction, Correction, ModelCard
from editscope.suites.benchmark import Benchmark, Paper
from editscope.suites.registry import benchmarks

HERE = Path(__file__).parent

HOMES: dict[str, Benchmark] = {record.paper.source: record for record in benchmarks() if record.paper}
"""The benchmark of each paper whose results are carried."""

PAPERS: dict[str, Paper] = {source: record.paper for source, record in HOMES.items() if record.paper}
"""The papers whose results are carried, by the benchmark in whose folder they lie."""

FIELDS = (
    "source",
    "table",
    "suite",
    "judge",
    "model",
    "level",
    "language",
    "setting",
    "by",
    "group",
    "metric",
    "value",
    "half_width",
)


@lru_cache(maxsize=len(PAPERS))
def result_lines(source: str) -> tuple[tuple[str, ...], ...]:
    """Every number of a paper as a line of text, in the order of its tables, with the fields of ``FIELDS``.

    Records are made of the lines that somebody asks for: ten thousand frozen ones would take longer than the rest.
    """
    return tuple(_lines(_folder(source) / "results.csv", FIELDS))


@lru_cache(maxsize=1)
def all_corrections() -> tuple[Correction, ...]:
    """Every slip in the text of a table that was corrected on the way in."""
    fields = ("source", "table", "cell", "printed", "used", "reason")
    return tuple(Correction(*line) for source in PAPERS for line in _lines(_folder(source) / "corrections.csv", fields))


@lru_cache(maxsize=1)
def all_contradictions() -> tuple[Contradiction, ...]:
    """Every cell that does not follow from the other cells of its paper."""
    fields = ("source", "table", "cell", "printed", "computed", "remark")
    return tuple(
        Contradiction(*line) for source in PAPERS for line in _lines(_folder(source) / "contradictions.csv", fields)
    )


@lru_cache(maxsize=1)
def all_models() -> dict[str, ModelCard]:
    """The models of all papers, by name: those that several papers ran, and those that a benchmark lists itself."""
    fields = ("name", "family", "developer", "architecture", "parameters_b", "open", "year", "aliases")
    listed = {
        line[0]: _card(*line) for source in reversed(PAPERS) for line in _lines(_folder(source) / "models.csv", fields)
    }
    return listed | {line[0]: _card(*line) for line in _lines(HERE / "models.csv", fields)}


def _folder(source: str) -> Path:
    """What the paper of a benchmark printed lies in the benchmark's own folder."""
    return HOMES[source].folder / "published"


def _card(
    name: str,
    family: str,
    developer: str,
    architecture: str,
    parameters_b: str,
    weights: str,
    year: str,
    aliases: str,
) -> ModelCard:
    return ModelCard(
        name=name,
        family=family,
        developer=developer,
        architecture=architecture,
        parameters_b=float(parameters_b) if parameters_b else None,
        open={"yes": True, "no": False}.get(weights),
        year=int(year) if year else None,
        aliases=tuple(alias for alias in aliases.split("|") if alias),
    )


def _lines(path: Path, fields: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The lines of a file below its heading; a paper without such a file has none."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        heading = tuple(next(reader, ()))
        if heading != fields:
            raise BadInput(f"{path} begins with {','.join(heading)!r} instead of {','.join(fields)!r}")
        for line in reader:
            if len(line) != len(fields):
                raise BadInput(f"{path} line {reader.line_num} has {len(line)} fields, not {len(fields)}: quote commas")
            yield tuple(line)
