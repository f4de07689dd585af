"""The ``suite.toml`` of your own benchmark: its name, what it measures, and how its tables average."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from editscope.cases import MOST_STEPS, scale_of
from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput, unknown
from editscope.files import SETTINGS
from editscope.suites.datafolder.rows import inside, read_text

FILE = "suite.toml"

RESERVED = frozenset(
    (
        *("overall", "case_id", "variant", "repeat", "metric", "key", "value", "low", "high", "status", "edit_status"),
        *("asked", "answered", "agreement", "fingerprint", "reason", "failure", "latency_s", "cost_usd", "instruction"),
        *("edit_pixels", "preservation_pixels", "hits", "spilled", "changed_pixels", "floor_miou", "output_size"),
        *("miou", "edit_accuracy", "preservation_accuracy", "over_edit_ratio"),
    )
)
"""Columns that tables of scores have; a tag or a metric of the same name would overwrite them."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
MOST = {"metrics": 200, "averages": 200, "tags": 50, "tables": 50}
"""Entries of each kind that a suite.toml may have; every metric is a call for every edit."""
LONGEST = 10_000
"""Characters of any text in it."""


class ManifestTable(BaseModel):
    """A table of suite.toml, in which no key is unknown."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MetricEntry(ManifestTable):
    """One thing that a judge is asked about every edit."""

    name: str
    prompt: str
    """A file beside suite.toml, or ``pack/name`` for a prompt that ships."""
    label: str = ""
    field: str = ""
    """Which field of the reply is the value, where a prompt asks for several."""
    reply: str = ""
    """The scale, such as 1-5, or yes/no; needed where the prompt file has no header."""
    images: tuple[str, ...] = ()
    """What the judge sees, in order, where the prompt file has no header: source, edit, answer, references."""
    only: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Tags and their values: the cases that the metric is for."""
    right: Literal["yes", "no"] = "yes"
    """Which answer to a yes-or-no question is the good one."""


class AverageEntry(ManifestTable):
    """A number made of several metrics."""

    name: str
    metrics: tuple[str, ...]
    label: str = ""
    of: Literal["cases", "metrics"] = "cases"
    """Mean over cases of each case's mean, or mean of the metrics' means."""


class Manifest(ManifestTable):
    """The whole of a suite.toml."""

    name: str
    about: str = ""
    scoring: Literal["judged", "pixels"] = "judged"
    protocol: str = ""
    cases: str = "cases.jsonl"
    tags: tuple[str, ...] = ()
    headline: str = ""
    metrics: tuple[MetricEntry, ...] = ()
    averages: tuple[AverageEntry, ...] = ()
    tables: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)

    @property
    def first(self) -> str:
        """The metric that comes first: the one asked for, else the first average, else the first metric."""
        if self.scoring == "pixels":
            return "miou"
        names = [average.name for average in self.averages] + [metric.name for metric in self.metrics]
        return self.headline or next(iter(names), "average")

    def rubric(self, folder: Path) -> dict[str, Any]:
        """What the rubric has to know, in plain values; prompt files with their whole path."""
        metrics = [entry.model_dump(mode="json") for entry in self.metrics]
        for entry in metrics:
            if entry["prompt"].endswith(".txt"):
                entry["prompt"] = str((folder / entry["prompt"]).resolve())
        return {"metrics": metrics, "averages": [entry.model_dump(mode="json") for entry in self.averages]}

    def problems(self, folder: Path) -> Iterator[str]:
        """What contradicts itself or names what is not there."""
        if not _NAME.fullmatch(self.name):
            yield f"name {self.name!r} is not small letters, digits, '-' and '_', beginning with a letter"
        if self.scoring == "pixels" and (self.metrics or self.averages or self.protocol):
            yield "a suite scored by pixels has no metrics, averages or protocol; take them out, or scoring = 'judged'"
        elif self.scoring == "judged" and bool(self.metrics) == bool(self.protocol):
            yield "a judged suite has [[metrics]], or a protocol such as protocol = 'kris': one of the two"
        if inside(folder, self.cases) is None:
            yield f"cases {self.cases!r} leaves {folder}"
        yield from self._tables()
        yield from self._names()
        for metric in self.metrics:
            yield from (f"metric {metric.name!r}: {what}" for what in self._metric(metric, folder))

    def _tables(self) -> Iterator[str]:
        for tag in self.tags:
            if not _NAME.fullmatch(tag):
                yield f"tags: {tag!r} cannot be the name of a tag; use small letters, digits and '_'"
            elif tag in RESERVED:
                yield f"tags: {tag!r} is the name of a column of the tables; choose another"
        for name, over in self.tables.items():
            for tag in (*over,) if name == "overall" else (name, *over):
                if tag not in self.tags:
                    yield f"tables.{name}: {unknown('tag', tag, self.tags)}; list it under tags"

    def _names(self) -> Iterator[str]:
        known = [metric.name for metric in self.metrics]
        names = known + [average.name for average in self.averages]
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                yield f"the name {name!r} is given to {names.count(name)} metrics or averages"
            if name in RESERVED or name in self.tags:
                what = "a tag" if name in self.tags else "a column of the tables"
                yield f"the name {name!r} of a metric is that of {what}; choose another"
            if not _NAME.fullmatch(name):
                yield f"the name {name!r} of a metric is not small letters, digits, '-' and '_'"
        for average in self.averages:
            if not average.metrics:
                yield f"average {average.name!r} has no metrics"
            for name in average.metrics:
                if name not in known:
                    yield f"average {average.name!r}: {unknown('metric', name, known)}"
        if self.headline and self.metrics and self.headline not in names:
            yield f"headline: {unknown('metric', self.headline, names)}"

    def _metric(self, metric: MetricEntry, folder: Path) -> Iterator[str]:
        if metric.prompt.endswith(".txt"):
            path = inside(folder, metric.prompt)
            if path is None:
                yield f"the prompt {metric.prompt!r} leaves {folder}"
            elif not path.is_file():
                yield f"the prompt {path} is {'not a regular file' if os.path.lexists(path) else 'missing'}"
        elif not re.fullmatch(r"[a-z]+/[a-z_]+", metric.prompt):
            yield f"prompt {metric.prompt!r} is neither a .txt file nor one that ships, such as 'kris/quality'"
        if metric.reply and metric.reply != "yes/no" and scale_of(metric.reply) is None:
            shown = metric.reply if len(metric.reply) <= 40 else metric.reply[:40] + "…"
            yield f"reply {shown!r} is neither a scale such as '1-5' (at most {MOST_STEPS:,} steps) nor 'yes/no'"
        for tag in metric.only:
            if tag not in self.tags:
                yield f"only: {unknown('tag', tag, self.tags)}; list it under tags"


def read_manifest(folder: Path) -> Manifest:
    """The suite.toml of a folder; BadInput that names all that is wrong with it."""
    path = folder / FILE
    if not os.path.lexists(path):
        raise BadInput(f"{folder} holds no {FILE}; `editscope suite new DIR` makes a benchmark to start from")
    try:
        content = read_toml(read_text(path, SETTINGS))
    except Malformed as error:
        raise BadInput(f"{path} is not TOML: {error}") from None
    if excesses := list(_excesses(content)):
        raise BadInput(f"{path}: {'; '.join(excesses)}")
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError as error:
        raise BadInput(f"{path}: {'; '.join(_validation_message(entry) for entry in error.errors())}") from None
    problems = list(manifest.problems(folder))
    if problems:
        raise BadInput(f"{path}: {'; '.join(problems)}")
    return manifest


def _excesses(content: Mapping[str, Any]) -> Iterator[str]:
    """What there is too much of, said before anything is made of it."""
    for name, most in MOST.items():
        given = content.get(name)
        if isinstance(given, list | dict) and len(given) > most:
            yield f"{name!r} has {len(given):,} entries; at most {most} make sense"
    waiting: list[tuple[str, Any]] = list(content.items())
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str) and len(value) > LONGEST:
            yield f"{name!r} has {len(value):,} characters; a text has at most {LONGEST:,}"
        elif isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [(name, item) for item in value]


def _validation_message(error: Any) -> str:
    """One complaint of pydantic in our words: ``metrics 2, prompt: is missing``."""
    place = [f"{part + 1}" if isinstance(part, int) else str(part) for part in error["loc"]]
    where = " ".join(place)
    if error["type"] == "missing":
        return f"{where!r} is missing"
    if error["type"] == "extra_forbidden":
        parts: dict[str, type[ManifestTable]] = {"metrics": MetricEntry, "averages": AverageEntry}
        owner = parts.get(place[0], Manifest) if len(place) > 1 else Manifest
        return f"{where!r}: {unknown('key', place[-1], owner.model_fields)}"
    return f"{where!r}: {error['msg'][:1].lower()}{error['msg'][1:]}"
