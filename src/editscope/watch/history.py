"""The history of a watch: one result for each checkpoint, stored as JSON and CSV beside the runs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.files import write_whole
from editscope.wording import metric_in_text, p_value, short_scale, signed, signed_range, value

JSON, CSV = "watch.json", "watch.csv"
FORMAT = 1
SHORT = 10.0
COLUMNS = (
    *("name", "step", "status", "metric", "mean", "lo", "hi", "n", "fallen"),
    *("baseline", "difference", "difference_lo", "difference_hi", "p"),
    *("best", "to_best", "to_best_lo", "to_best_hi", "p_best", "run", "reason", "at"),
)

CheckpointStatus = Literal["done", "failed", "gone"]


@dataclass(frozen=True, slots=True)
class ScoreDifference:
    """A paired difference to another run, in percent, with its interval, its p-value and whether it is a fall."""

    name: str
    difference: float
    lo: float | None
    hi: float | None
    p: float
    cases: int
    fallen: bool

    def in_words(self, metric: str = "") -> str:
        """The difference in words.

        >>> ScoreDifference("a", -6.21, -8.0, -4.12, 0.0004, 40, True).in_words()
        '−6.2 (−8.0 … −4.1, p <0.001)'
        """
        parts = [signed_range(self.lo, self.hi, metric), f"p {p_value(self.p, compact=True)}"]
        return f"{signed(self.difference, metric)} ({', '.join(filter(None, parts))})"


@dataclass(frozen=True, slots=True)
class CheckpointResult:
    """What came of one checkpoint: its score, and how it differs from the baseline and from the best before it."""

    name: str
    path: str
    step: int | None
    seen: str
    run: str
    status: CheckpointStatus
    attempts: int = 1
    reason: str = ""
    metric: str = ""
    score: Mapping[str, Any] | None = None
    baseline: ScoreDifference | None = None
    best: ScoreDifference | None = None
    at: str = ""

    @property
    def mean(self) -> float:
        """Its score; below all others where it has none."""
        mean = (self.score or {}).get("mean")
        return float("-inf") if mean is None else float(mean)

    @property
    def scale(self) -> str:
        """The metric, as figures of it are written: with two decimals where they are small, as on a scale to 5."""
        return short_scale(self.metric) if self.score and self.mean <= SHORT else self.metric

    @property
    def fallen(self) -> bool:
        """Whether its score has fallen below that of the baseline beyond chance."""
        return self.baseline is not None and self.baseline.fallen

    def over(self, status: CheckpointStatus, reason: str) -> CheckpointResult:
        """The result with how it ended."""
        return replace(self, status=status, reason=reason, at=datetime.now(UTC).isoformat(timespec="seconds"))

    def scored(
        self, metric: str, score: Mapping[str, Any], baseline: ScoreDifference | None, best: ScoreDifference | None
    ) -> CheckpointResult:
        """The result with its score and what it is compared with."""
        return replace(self, metric=metric, score=dict(score), baseline=baseline, best=best)

    def unscored(self, reason: str) -> CheckpointResult:
        """The result without a score, and why."""
        return replace(self, reason=reason, score=None, baseline=None, best=None)

    def __str__(self) -> str:
        """One line: the score with its interval, the differences, and whether it has fallen."""
        if self.score is None or self.score["mean"] is None:
            return f"{self.name}  {self.reason or 'no case has a value'}"
        lo, hi = self.score["lo"], self.score["hi"]
        span = f" ({value(lo, self.scale)} … {value(hi, self.scale)})" if lo is not None and hi > lo else ""
        parts = [f"{self.name}  {metric_in_text(self.metric)} {value(self.mean, self.scale)}{span}"]
        if self.baseline is not None:
            parts.append(f"{self.baseline.in_words(self.scale)} to {self.baseline.name}")
        if self.best is not None and (self.baseline is None or self.best.name != self.baseline.name):
            parts.append(f"{self.best.in_words(self.scale)} to the best, {self.best.name}")
        if self.best is not None and self.best.difference > 0:
            parts.append("best so far")
        if self.fallen:
            parts.append("FALLEN")
        return " · ".join(parts)


@dataclass(frozen=True, eq=False)
class History:
    """All results of a watch, in the order in which they were taken; ``about`` and ``how`` say what was watched."""

    about: Mapping[str, Any]
    how: Mapping[str, Any]
    results: dict[str, CheckpointResult] = field(default_factory=dict)

    def get(self, name: str) -> CheckpointResult | None:
        """The result of a checkpoint, by its name."""
        return self.results.get(name)

    def __iter__(self) -> Iterator[CheckpointResult]:
        return iter(list(self.results.values()))

    def in_order(self) -> list[CheckpointResult]:
        """All results by the numbers of their checkpoints, those without one last."""
        return sorted(self.results.values(), key=lambda one: (one.step is None, one.step or 0))


def read_history(folder: Path, about: Mapping[str, Any]) -> History | None:
    """The history that a folder holds, None where it holds none; BadInput where it is of another watch."""
    path = folder / JSON
    if not path.is_file():
        return None
    try:
        document = read_json(read_file(path, DOCUMENT))
        results = [_result(fields) for fields in document["checkpoints"]]
        there, how, written = dict(document["about"]), dict(document["how"]), int(document["format"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} cannot be read ({type(error).__name__}: {error}); move it away to start over"
        ) from error
    if written > FORMAT:
        raise BadInput(f"{path} was written by a newer version; upgrade with pip install --upgrade editscope")
    other = [
        f"{name} {there.get(name)!r} (asked: {value!r})" for name, value in about.items() if there.get(name) != value
    ]
    if other:
        raise BadInput(f"--out {folder} holds another watch, with {', '.join(other)}; give another folder")
    return History(there, how, {result.name: result for result in results})


def write_history(folder: Path, history: History) -> None:
    """Write watch.json and watch.csv, each whole or not at all."""
    document = {
        "format": FORMAT,
        "about": dict(history.about),
        "how": dict(history.how),
        "checkpoints": [asdict(result) for result in history],
    }
    write_whole(folder / JSON, (json.dumps(document, indent=1, ensure_ascii=False) + "\n").encode())
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for result in history.in_order():
        writer.writerow(_flat(result))
    write_whole(folder / CSV, text.getvalue().encode())


def _result(fields: Mapping[str, Any]) -> CheckpointResult:
    against = {name: None if fields[name] is None else ScoreDifference(**fields[name]) for name in ("baseline", "best")}
    return CheckpointResult(**{**fields, **against})


def _flat(result: CheckpointResult) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(result, name) for name in ("step", "status", "metric", "run", "at")}
    row |= {"name": _harmless(result.name), "reason": _harmless(result.reason), "fallen": int(result.fallen)}
    row |= dict(result.score or {})
    for found, names in (
        (result.baseline, ("baseline", "difference", "difference_lo", "difference_hi", "p")),
        (result.best, ("best", "to_best", "to_best_lo", "to_best_hi", "p_best")),
    ):
        if found is not None:
            row |= dict(zip(names, (_harmless(found.name), found.difference, found.lo, found.hi, found.p), strict=True))
    return row


def _harmless(text: str) -> str:
    """Text that a spreadsheet will not run as a formula."""
    return f"'{text}" if text[:1] in tuple("=+-@\t\r") else text
