"""A run that was done: its summary, its scores, and the cases behind every number."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from editscope.errors import BadInput, unknown
from editscope.runs.disk import safe_path
from editscope.runs.journal import Line, progress, read_journal
from editscope.runs.plan import Info, aggregation_from, read_info
from editscope.runs.tables import SUMMARY, as_table, coverage, metric_names, score_columns, scored, summary

THUMBS = "thumbs"
KINDS = ("input", "answer", "edit", "error", "levels")


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


class Thumbs(Mapping[str, Path]):
    """The small pictures of a case by what they show, looked up when first asked for.

    A report of twelve runs has a hundred thousand of them, a comparison needs none.
    """

    def __init__(self, run: Path, case_id: str) -> None:
        self._run, self._case_id = run, case_id
        self._found: dict[str, Path] | None = None

    def _paths(self) -> dict[str, Path]:
        if self._found is None:
            folder = self._run / THUMBS / safe_path(self._case_id)
            try:
                paths = {path.name.partition(".")[0]: path for path in sorted(folder.iterdir())}
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


class Run:
    """A run on disk, finished or not. It reads; only ``editscope.run`` and ``resume`` write.

    ``archive`` is the file that it was opened from, where that was one of ``editscope pack``; ``path`` is
    then the folder that holds its content.
    """

    def __init__(self, path: Path, info: Info, archive: Path | None = None) -> None:
        self.path = path
        self.info = info
        self.archive = archive

    def __repr__(self) -> str:
        done = f"{len(self._pairs):,} of {self.info['selection']['n']:,} cases"
        where = self.archive or self.path
        return f"<Run {where}: {self.info['suite']['name']}, {self.info['editor']['name']}, {done}>"

    def _repr_html_(self) -> str:
        from editscope.runs.notebook import run_html

        return run_html(self)

    @cached_property
    def _pairs(self) -> list[tuple[Line, Line]]:
        return scored(progress(read_journal(self.path)))

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        return score_columns(self._pairs)

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
        return dict(self._columns)

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, in order."""
        return tuple(metric_names(self._pairs))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The names of the tags that cases have, in order."""
        return tuple(dict.fromkeys(tag for _, score in self._pairs for tag in score["tags"]))

    def table(self) -> Any:
        """The columns of scores.parquet, as a pyarrow Table."""
        return as_table(self.rows())

    def frame(self, kind: Literal["pandas", "polars"] | None = None) -> Any:
        """One row per case as a pandas or Polars frame; without ``kind``, the one that is installed.

        The columns of scores.parquet, curves as lists, then ``instruction`` and ``image`` (the path of the
        edit in full size, or None). Metrics are fractions: ``run.frame().groupby("task")["miou"].mean()``.
        """
        from editscope.runs.frames import as_frame

        more = {
            "instruction": [score["instruction"] for _, score in self._pairs],
            "image": [None if path is None else str(path) for path in map(self._image, self._pairs)],
        }
        return as_frame(self.rows() | more, kind)

    def records(self) -> list[CaseRecord]:
        """Every scored case, in the order of the suite."""
        return list(self._records)

    @cached_property
    def _records(self) -> list[CaseRecord]:
        return [self._record(pair) for pair in self._pairs]

    def cases(self, **tags: str) -> Selection:
        """The cases that have these tags: ``run.cases(task="border").worst(5).show()``."""
        for tag in tags:
            if tag not in self.tags:
                raise unknown(f"tag in {self.path}", tag, self.tags)
        wanted = tags.items()
        headline = aggregation_from(self.info).headline
        return Selection(tuple(r for r in self.records() if wanted <= dict(r.tags).items()), headline)

    def case(self, case_id: str) -> CaseRecord:
        """One case by its id."""
        for pair in self._pairs:
            if pair[1]["case"] == case_id:
                return self._record(pair)
        ids = [score["case"] for _, score in self._pairs]
        near = difflib.get_close_matches(case_id, ids, n=3, cutoff=0.4)
        hint = f"; near it are {', '.join(near)}" if near else ""
        raise BadInput(f"{self.path} has no scored case {case_id!r}{hint}")

    def _image(self, pair: tuple[Line, Line]) -> Path | None:
        """Where the edit lies in full size; an archive speaks only for what is inside it."""
        place = pair[0]["image"]
        if isinstance(place, dict):
            inside = place.get("packed")
            outside = None if self.archive is not None else Path(place["source"])
            return outside if inside is None else self._inside(inside)
        return self._inside(place) if place else None

    def _inside(self, place: str) -> Path:
        if place.startswith("/") or ".." in place.split("/"):
            raise BadInput(f"{self.path}: the journal names the image {place!r}, which is outside the run")
        return self.path / place

    def _record(self, pair: tuple[Line, Line]) -> CaseRecord:
        edit, score = pair
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
            thumbs=Thumbs(self.path, score["case"]),
            image=self._image(pair),
            latency_s=edit["latency_s"],
            notes=tuple(edit["notes"]),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Selection(Sequence[CaseRecord]):
    """Some cases of a run, to look at."""

    records: tuple[CaseRecord, ...]
    headline: str = "miou"

    def __repr__(self) -> str:
        first = ", ".join(record.case_id for record in self.records[:3])
        return f"<Selection of {len(self.records):,} cases: {first}{', …' if len(self.records) > 3 else ''}>"

    def _repr_html_(self) -> str:
        from editscope.runs.notebook import selection_html

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
    """Open a run, finished or not: its folder, or an archive of it made by ``editscope pack``.

    An archive is checked and unpacked into the user's cache once; see ``editscope.runs.unpack``.
    """
    folder = Path(path)
    if not folder.is_file():
        return Run(folder, read_info(folder))
    from editscope.runs.unpack import unpacked

    inside = unpacked(folder)
    return Run(inside, read_info(inside), archive=folder)
