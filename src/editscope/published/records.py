"""What papers printed, as records: a number, a model, a slip that was corrected, a cell that contradicts others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """One number of one table; text fields are empty where they do not apply.

    ``value`` is as printed: percent, or the unit of the metric (WorldEdit 1 to 5, consistency in dB).
    ``by`` and ``group`` name the row of a summary that it stands beside; ``half_width`` is half of the
    95 % interval, where the paper gives one.
    """

    source: str
    table: str
    suite: str
    judge: str
    model: str
    level: str
    language: str
    setting: str
    by: str
    group: str
    metric: str
    value: float
    half_width: float | None = None


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What is known for sure about a model; empty or None where it is not.

    ``parameters_b`` counts billions; ``year`` is when this version came out; ``aliases`` are the other
    ways in which the papers write the name, the shortest column label first.
    """

    name: str
    family: str
    developer: str
    architecture: str
    parameters_b: float | None
    open: bool | None
    year: int | None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """A slip in the text of a table, what it says, and what was carried instead."""

    source: str
    table: str
    cell: str
    printed: str
    used: str
    reason: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A cell that does not follow from the other cells of its paper; the printed value is carried."""

    source: str
    table: str
    cell: str
    printed: str
    computed: str
    remark: str
