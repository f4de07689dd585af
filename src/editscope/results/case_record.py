"""Cases of a finished run: each with its scores and pictures, and selections of them to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editscope import printing
from editscope.results.verdicts import VerdictRecord, kinds_of
from editscope.runfolder.files import THUMBS, safe_path
from editscope.wording import plain

KINDS = ("input", "answer", "edit", "error", "levels")


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """All that a run knows about one case; metrics are fractions, paths point into the run.

    A run with judges has one record for each unit of a case: ``variant`` is its name, ``metrics`` are its measures (a
    hundredth of what tables show), ``rows`` the numbers behind them and ``verdicts`` what the judges said. ``images``
    are the edits by variant. A run with repeats has one for each: ``variant`` ends in "~2" in the second.
    ``asked`` is what the model was really told, where a wrapper changed it; ``trace`` what the editor said or thought.
    """

    case_id: str
    variant: str
    tags: Mapping[str, str]
    instruction: str
    status: str
    reason: str | None
    metrics: Mapping[str, float]
    failure: str
    evidence: Mapping[str, Any]
    fingerprint: str
    thumbs: Mapping[str, Path]
    image: Path | None
    latency_s: float | None
    notes: tuple[str, ...] = ()
    rows: tuple[Mapping[str, Any], ...] = ()
    verdicts: tuple[VerdictRecord, ...] = ()
    images: Mapping[str, Path] = field(default_factory=dict)
    asked: str | None = None
    trace: str | None = None
    cost_usd: float | None = None
    hashes: Mapping[Path, str] = field(default_factory=dict)
    """The hash that each file of an edit had when it was stored; runs of version 0.1 have none."""


class Thumbs(Mapping[str, Path]):
    """The small pictures of a case by what they show, looked up when first asked for.

    A report of twelve runs has a hundred thousand of them, a comparison needs none.
    """

    def __init__(self, run: Path, case_id: str, variants: Sequence[str] = ("",)) -> None:
        self._run, self._case_id, self._variants = run, case_id, variants
        self._found: dict[str, Path] | None = None

    def _paths(self) -> dict[str, Path]:
        if self._found is None:
            folder = self._run / THUMBS / safe_path(self._case_id)
            try:
                named = {path.name.partition(".")[0]: path for path in sorted(folder.iterdir()) if path.is_file()}
                paths = {kind: path for name, path in named.items() if (kind := kinds_of(name, self._variants))}
            except OSError:  # a run without thumbnails is still a run
                paths = {}
            ordered = [kind for kind in KINDS if kind in paths] + [kind for kind in paths if kind not in KINDS]
            self._found = {kind: paths[kind] for kind in ordered if kind}
        return self._found

    def __getitem__(self, kind: str) -> Path:
        return self._paths()[kind]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths())

    def __len__(self) -> int:
        return len(self._paths())

    def __repr__(self) -> str:
        return repr(self._paths())


@dataclass(frozen=True, slots=True, repr=False)
class Selection(Sequence[CaseRecord]):
    """Some cases of a run, to look at."""

    records: tuple[CaseRecord, ...]
    headline: str = "miou"

    def __repr__(self) -> str:
        first = ", ".join(record.case_id for record in self.records[:3])
        return f"<Selection of {len(self.records):,} cases: {first}{', …' if len(self.records) > 3 else ''}>"

    def _repr_html_(self) -> str:
        from editscope.results.notebook import selection_html

        return selection_html(self)

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[CaseRecord]:
        return iter(self.records)

    def __getitem__(self, index: Any) -> Any:
        return self.records[index]

    def worst(self, n: int = 5) -> Selection:
        """The n cases with the lowest score, lowest first."""
        return self._by_score(n, sign=1)

    def best(self, n: int = 5) -> Selection:
        """The n cases with the highest score, highest first."""
        return self._by_score(n, sign=-1)

    def show(self) -> str:
        """Print and return one paragraph per case: score, failure, instruction, where its pictures are."""
        text = "\n".join(describe(record, self.headline) for record in self.records) or "no cases"
        printing.say(text)
        return text

    def _by_score(self, n: int, sign: int) -> Selection:
        known = [record for record in self.records if self.headline in record.metrics]
        ordered = sorted(known, key=lambda r: (sign * r.metrics[self.headline], r.case_id, r.variant))
        return Selection(tuple(ordered[:n]), self.headline)


def describe(record: CaseRecord, headline: str = "miou") -> str:
    """One case in a few lines of text; with what the judges said, where they were asked."""
    status = "" if record.status == "ok" else f" · {record.status}" + (f": {record.reason}" if record.reason else "")
    where = record.image or record.thumbs.get("input") or "no picture"
    value = record.metrics.get(headline)
    score = f"{headline} –" if value is None else f"{headline} {100 * value:.1f}"
    failure = f" · {record.failure}" if record.failure and not record.rows else ""
    name = f"{record.case_id}@{record.variant}" if record.variant else record.case_id
    verdict_lines = "".join(f"\n    {verdict}" for verdict in record.verdicts)
    # Of a judged case, what pixels say besides.
    known = {plain(what).lower(): value for what, value in record.evidence.items() if isinstance(value, int | float)}
    pixels = ", ".join(f"{what} {value:g}" for what, value in known.items()) if record.rows else ""
    seen = f"\n    without a judge: {pixels}" if pixels else ""
    return f"{name}  {score}{failure}{status}\n    {record.instruction}\n    {where}{verdict_lines}{seen}"
