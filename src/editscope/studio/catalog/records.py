"""Records of the catalog: a run as pages list it, its cases, and its scores as columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, TypeAlias

Cell: TypeAlias = dict[str, Any]
"""``{"mean", "lo", "hi", "n"}``, in the units of tables."""
Doc: TypeAlias = dict[str, Any]
"""All that a run says about one case and variant."""


@dataclass(frozen=True, slots=True)
class ShownMetric:
    """A metric as pages show it; ``low`` and ``high`` are the ends of its scale."""

    key: str
    label: str
    note: str = ""
    low: float = 0.0
    high: float = 100.0
    decimals: int = 1
    unit: str = ""

    def shown(self, value: float | None) -> str:
        """A value as text; a dash where there is none.

        >>> ShownMetric("miou", "mIoU").shown(54.512)
        '54.5'
        """
        return "–" if value is None else f"{value:.{self.decimals}f}"


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run as lists and leaderboards show it. ``problem`` is why it cannot be read, in a sentence."""

    id: str
    suite: str = ""
    suite_title: str = ""
    fingerprint: str = ""
    set_id: str = ""
    protocol: str = ""
    editor: Mapping[str, Any] = field(default_factory=dict)
    spec: str = ""
    created: str = ""
    n: int = 0
    part: str = ""
    judged: bool = False
    judges: tuple[str, ...] = ()
    headline: str = ""
    metrics: tuple[ShownMetric, ...] = ()
    overall: Mapping[str, Cell] = field(default_factory=dict)
    groups: Sequence[Mapping[str, Any]] = ()
    coverage: Mapping[str, int] = field(default_factory=dict)
    complete: bool = False
    facts: Sequence[tuple[str, str]] = ()
    suite_options: Mapping[str, Any] = field(default_factory=dict)
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    problem: str = ""

    @property
    def done(self) -> int:
        """Edits that have their score."""
        return sum(number for status, number in self.coverage.items() if status != "pending")

    @property
    def total(self) -> int:
        """Edits that the run is to have."""
        return sum(self.coverage.values())

    @property
    def main(self) -> ShownMetric | None:
        """The metric that comes first."""
        return self.metric(self.headline)

    def metric(self, key: str) -> ShownMetric | None:
        """A metric by its key; None where the run has no such one."""
        return next((metric for metric in self.metrics if metric.key == key), None)

    def cell(self, key: str) -> Cell:
        """The overall mean of a metric, with its interval; empty where there is none."""
        return self.overall.get(key) or {}

    def to_json(self) -> str:
        """The card as the index keeps it."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> RunCard:
        """A card that the index kept."""
        fields = json.loads(text)
        fields["metrics"] = tuple(ShownMetric(**metric) for metric in fields["metrics"])
        fields["judges"] = tuple(fields["judges"])
        return cls(**fields)


@dataclass(frozen=True, slots=True, eq=False)
class CaseList:
    """The cases of a run, as columns; runs over the same cases share one. ``tags`` are values by name."""

    ids: list[str]
    variants: list[str]
    prints: list[str]
    texts: list[str]
    tags: dict[str, list[str | None]]

    def to_json(self) -> str:
        """The list as the index keeps it."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> CaseList:
        """A list that the index kept."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumns:
    """What a run made of its cases, in the order of its case list: how each ended, and its metrics as shown.

    ``edited`` is 1 where there is an edit to look at.
    """

    modes: list[str]
    statuses: list[str]
    metrics: dict[str, list[float | None]]
    latency_s: list[float | None]
    edited: list[int]

    def to_json(self) -> str:
        """The columns as the index keeps them."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> ScoreColumns:
        """Columns that the index kept."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True, eq=False)
class RunIndex:
    """A run as the index keeps it."""

    card: RunCard
    cases: CaseList
    columns: ScoreColumns
    docs: Sequence[Doc]


def digest(*texts: str) -> str:
    """A short name for some texts, safe in an address.

    >>> digest("paintbench", "f00d", "")
    '3c81d29dfcfd'
    """
    return sha256("\x1f".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]
