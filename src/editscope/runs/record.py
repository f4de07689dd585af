"""A run that was done: its summary, its scores, and the cases behind every number."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.runs.disk import safe_path
from editscope.runs.journal import Line, progress, read_journal
from editscope.runs.plan import Info, aggregation_from, read_info
from editscope.runs.tables import SUMMARY, as_table, coverage, score_columns, scored, summary

THUMBS = "thumbs"
KINDS = ("input", "answer", "edit", "error")


@dataclass(frozen=True, slots=True)
class CaseRecord:
    """All that a run knows about one case; metrics are fractions, paths point into the run."""

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


class Run:
    """A run on disk, finished or not. It reads; only ``editscope.run`` and ``resume`` write."""

    def __init__(self, path: Path, info: Info) -> None:
        self.path = path
        self.info = info

    def __repr__(self) -> str:
        done = f"{len(self._pairs):,} of {self.info['selection']['n']:,} cases"
        return f"<Run {self.path}: {self.info['suite']['name']}, {self.info['editor']['name']}, {done}>"

    @cached_property
    def _pairs(self) -> list[tuple[Line, Line]]:
        return scored(progress(read_journal(self.path)))

    @property
    def complete(self) -> bool:
        """Whether every case has its score line."""
        return len(self._pairs) >= int(self.info["selection"]["n"])

    @property
    def coverage(self) -> dict[str, int]:
        """How many cases have which status; ``pending`` ones are not done yet."""
        return coverage(int(self.info["selection"]["n"]), self._pairs)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary of a finished run; of an unfinished one, the same over the cases it has."""
        path = self.path / SUMMARY
        if self.complete and path.is_file():
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return content
        if not self._pairs:
            raise BadInput(f"{self.path} has no scored case yet; `editscope resume {self.path}` goes on with it")
        return summary(self.info, self._pairs)

    def rows(self) -> dict[str, list[Any]]:
        """The columns of scores.parquet, as lists."""
        return score_columns(self._pairs)

    def table(self) -> Any:
        """The columns of scores.parquet, as a pyarrow Table."""
        return as_table(self.rows())

    def records(self) -> list[CaseRecord]:
        """Every scored case, in the order of the suite."""
        return [self._record(edit, score) for edit, score in self._pairs]

    def cases(self, **tags: str) -> Selection:
        """The cases that have these tags: ``run.cases(task="border").worst(5).show()``."""
        known = {tag for _, score in self._pairs for tag in score["tags"]}
        for tag in tags:
            if tag not in known:
                raise unknown(f"tag in {self.path}", tag, known)
        wanted = tags.items()
        headline = aggregation_from(self.info).headline
        return Selection(tuple(r for r in self.records() if wanted <= dict(r.tags).items()), headline)

    def case(self, case_id: str) -> CaseRecord:
        """One case by its id."""
        for edit, score in self._pairs:
            if score["case"] == case_id:
                return self._record(edit, score)
        ids = [score["case"] for _, score in self._pairs]
        near = difflib.get_close_matches(case_id, ids, n=3, cutoff=0.4)
        hint = f"; near it are {', '.join(near)}" if near else ""
        raise BadInput(f"{self.path} has no scored case {case_id!r}{hint}")

    def _record(self, edit: Line, score: Line) -> CaseRecord:
        from editscope.images import THUMB_SUFFIX

        folder = self.path / THUMBS / safe_path(score["case"])
        thumbs = {kind: folder / f"{kind}{THUMB_SUFFIX}" for kind in KINDS}
        place = edit["image"]
        image = Path(place["source"]) if isinstance(place, dict) else self.path / place if place else None
        return CaseRecord(
            case_id=score["case"],
            variant=score["variant"],
            tags=score["tags"],
            instruction=score["instruction"],
            status=score["status"],
            reason=edit["reason"],
            metrics=score["metrics"],
            failure=score["failure"],
            evidence=score["evidence"],
            fingerprint=score["fingerprint"],
            thumbs={kind: path for kind, path in thumbs.items() if path.is_file()},
            image=image,
            latency_s=edit["latency_s"],
            notes=tuple(edit["notes"]),
        )


@dataclass(frozen=True, slots=True)
class Selection(Sequence[CaseRecord]):
    """Some cases of a run, to look at."""

    records: tuple[CaseRecord, ...]
    headline: str = "miou"

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
        print(text)
        return text

    def _by_score(self, n: int, sign: int) -> Selection:
        ordered = sorted(self.records, key=lambda r: (sign * r.metrics.get(self.headline, 0.0), r.case_id))
        return Selection(tuple(ordered[:n]), self.headline)


def describe(record: CaseRecord, headline: str = "miou") -> str:
    """One case in a few lines of text."""
    status = "" if record.status == "ok" else f" · {record.status}" + (f": {record.reason}" if record.reason else "")
    where = record.image or record.thumbs.get("input") or "no picture"
    score = f"{headline} {100 * record.metrics.get(headline, 0.0):.1f}"
    return f"{record.case_id}  {score} · {record.failure}{status}\n    {record.instruction}\n    {where}"


def open_run(path: str | Path) -> Run:
    """Open a run folder, finished or not."""
    folder = Path(path)
    return Run(folder, read_info(folder))
