"""A run on disk: its summary, its scores, and the cases behind every number."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from editscope.errors import BadInput, unknown
from editscope.results.accounting import CountedRows, count_rows
from editscope.results.case_record import CaseRecord, Selection, Thumbs, describe
from editscope.results.diagnosis.tolerance_metrics import curve_at, with_tolerance_metric
from editscope.results.judged_tables import unit_metrics
from editscope.results.stored_tables import PixelScan, kept_summary, make_tables, read_columns, summary_of
from editscope.results.tables import (
    PENDING,
    as_table,
    averaged,
    coverage,
    metric_names,
    score_columns,
    scored,
    summary,
)
from editscope.results.verdicts import SummaryDict, shared_tags, verdict_records
from editscope.runfolder.journal import JournalContent, JournalReader, Line, Progress, Source
from editscope.runfolder.repeats import folded, plain, repeats_of
from editscope.runfolder.run_json import Info, aggregation_from, is_judged, read_info, runs_inside
from editscope.runfolder.stored_edits import HASH
from editscope.suites.protocol import measures_from

__all__ = ["CaseRecord", "Run", "Selection", "Thumbs", "describe", "open_run", "open_runs"]


class Run:
    """A run on disk, finished or not. It reads; only ``editscope.run`` and ``resume`` write.

    ``archive`` is the file that it was opened from, where that was one of ``editscope pack``; ``path`` is
    then the folder that holds its content.
    """

    def __init__(
        self, path: Path, info: Info, archive: Path | None = None, *, journal: JournalReader | None = None
    ) -> None:
        self.path = path
        self.info = info
        self.archive = archive
        self._remark = ""
        self._reader = journal or JournalReader(path, judged=is_judged(info))

    def __repr__(self) -> str:
        n = int(self.info["selection"]["n"])
        done = f"{n - self.coverage.get(PENDING, 0):,} of {n:,} cases"
        statuses = {status: count for status, count in self.coverage.items() if status != PENDING and count}
        if set(statuses) - {"ok"}:
            done += f" ({', '.join(f'{count:,} {status}' for status, count in statuses.items())})"
        where = self.archive or self.path
        return f"<Run {where}: {self.info['suite']['name']}, {self.info['editor']['name']}, {done}>"

    def _repr_html_(self) -> str:
        from editscope.results.notebook import run_html

        return run_html(self)

    @cached_property
    def _journal(self) -> JournalContent:
        content = self._reader.read()
        if self.__dict__.get("_source", content.source) != content.source:  # it has grown since its tables were read
            for name in ("_source", "_stored", "summary"):
                self.__dict__.pop(name, None)
        self.__dict__.pop("_scan", None)
        return content

    @cached_property
    def _source(self) -> Source:
        return self._journal.source if "_journal" in self.__dict__ else self._reader.source()

    @cached_property
    def _scan(self) -> PixelScan | None:
        """What tables need of the journal, where pixels score and nobody needed its lines so far."""
        return None if self.judged or "_journal" in self.__dict__ else PixelScan.of(self.path, self.info)

    @cached_property
    def _stored(self) -> dict[str, Any] | None:
        """The summary of a finished run as its folder has it; None where that was not made from the journal of now."""
        stored = kept_summary(self.path, self.info, self._source)
        return None if stored is None or PENDING in stored["coverage"] else stored

    @property
    def progress(self) -> Progress:
        """What its journal says is finished: edits, verdicts and scores."""
        return self._journal.progress

    @cached_property
    def _pairs(self) -> list[tuple[Line, Line]]:
        return scored(self.progress)

    @cached_property
    def _counted(self) -> CountedRows:
        return count_rows(self.info, [score for _, score in self._pairs])

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        return score_columns(self.info, self._pairs)

    @property
    def repeats(self) -> int:
        """How many edits each case gets."""
        return repeats_of(self.info)

    @property
    def judged(self) -> bool:
        """Whether it was scored by judges."""
        return is_judged(self.info)

    @property
    def complete(self) -> bool:
        """Whether every case has its score, in every repeat."""
        return PENDING not in self.coverage

    @property
    def coverage(self) -> dict[str, int]:
        """How many edits have which status, each repeat by itself; cases that are not done yet are ``pending``."""
        if self._stored is not None:
            return dict(self._stored["coverage"])
        if self._scan is not None:
            return self._scan.coverage(self.info)
        return coverage(int(self.info["selection"]["n"]), self._pairs, self.repeats)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The summary of a finished run; of an unfinished one, the same over the cases it has.

        ``run.summary["overall"]["miou"]["mean"]`` is a number; ``run.summary["miou"]`` is the mean with its interval.
        """
        if self._stored is not None:
            return SummaryDict(self._stored)
        scan = self._scan
        if self.complete:
            if scan is None:
                source, make = (
                    self._journal.source,
                    partial(make_tables, self.info, self.progress, self._journal.source),
                )
            else:
                source, make = scan.source, partial(scan.tables, self.info)
            found, self._remark = summary_of(self.path, self.info, source, make, archive=self.archive)
            self.__dict__ |= {"_source": source, "_stored": found, "_scan": None}
            return SummaryDict(found)
        if not any(n for status, n in self.coverage.items() if status != PENDING):
            raise BadInput(f"{self.path} has no scored case yet; `editscope resume {self.path}` continues it")
        return SummaryDict(summary(self.info, self._pairs, self.progress) if scan is None else scan.summary(self.info))

    @property
    def remark(self) -> str:
        """What a user should know about the tables on disk, in a sentence; "" where they follow from the journal.

        Asking for it checks them, and makes those of a finished run again where they do not.
        """
        if self.complete:
            _ = self.summary
        return self._remark

    def stored_columns(self, *names: str) -> dict[str, list[Any]] | None:
        """Columns of the scores.parquet of a finished run; None where it does not follow from the journal of now."""
        stored = kept_summary(self.path, self.info, self._source)
        return None if stored is None or PENDING in stored["coverage"] else read_columns(self.path, names)

    def rows(self) -> dict[str, list[Any]]:
        """The columns of scores.parquet, as lists; a run with repeats has a row for each."""
        return dict(self._columns)

    @cached_property
    def _averaged(self) -> dict[str, list[Any]]:
        return averaged(self.info, self._pairs, self._columns)

    def averaged_rows(self, metric: str = "") -> dict[str, list[Any]]:
        """The same with each case once, by the mean over its repeats: what is averaged and compared.

        ``metric`` adds one that no table has, such as ``edit_accuracy@5``, from the counts in the journal.
        """
        if not metric or metric in self._averaged or not self.has_metric(metric):
            return dict(self._averaged)
        return folded(with_tolerance_metric(self._columns, metric), [*self.metrics, metric])

    def has_metric(self, name: str) -> bool:
        """Whether the run has a metric: one of ``metrics``, or accuracy at a tolerance, such as ``edit_accuracy@5``."""
        return name in self.metrics or (not self.judged and curve_at(name) is not None)

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, in order."""
        return tuple(metric_names(self.info, self._pairs))

    def metrics_of(self, measure: str) -> tuple[str, ...] | None:
        """In a run with judges, the metrics of the rows that a measure averages; None in a run that pixels score."""
        if not self.judged:
            return None
        return next((one.metrics for one in measures_from(self.info["judging"]) if one.name == measure), ())

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The names of the tags that cases have, in order; in a run with judges also those of rows."""
        rows = (row for _, score in self._pairs for row in score.get("rows", ()))
        case_tags = dict.fromkeys(tag for _, score in self._pairs for tag in score["tags"])
        return tuple(case_tags | dict.fromkeys(tag for row in rows for tag in row.get("tags", ())))

    def table(self) -> Any:
        """The columns of scores.parquet, as a pyarrow Table."""
        return as_table(self.rows())

    def frame(self, kind: Literal["pandas", "polars"] | None = None) -> Any:
        """One row per edit as a pandas or Polars frame; without ``kind``, the one that is installed.

        The columns of scores.parquet, curves as lists, then ``instruction`` and ``image`` (the path of the
        edit in full size, or None). Metrics are fractions: ``run.frame().groupby("task")["miou"].mean()``. Of a run
        with judges one row per number, with ``metric`` and ``value``. Repeats have a column ``repeat``, from 1.
        """
        from editscope.results.frame import as_frame

        if self.judged:
            return as_frame(self.rows(), kind)
        more = {
            "instruction": [score["instruction"] for _, score in self._pairs],
            "image": [None if path is None else str(path) for path in (self.image_of(edit) for edit, _ in self._pairs)],
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
        matches = tuple(record for record in self.records() if tags.items() <= dict(record.tags).items())
        return Selection(matches, aggregation_from(self.info).headline)

    def case(self, case_id: str, variant: str | None = None) -> CaseRecord:
        """One case by its id; of several variants the first, unless it is named, here or as ``"id@variant"``.

        ``"id@~2"`` is the second repeat.
        """
        for pair in self._pairs:
            if pair[1]["case"] == case_id and variant in (None, pair[1]["variant"]):
                return self._record(pair)
        name, at, named = case_id.rpartition("@")
        if at and variant is None:
            return self.case(name, named)
        if variants := [score["variant"] for _, score in self._pairs if score["case"] == case_id]:
            listed = ", ".join(f"{case_id}@{one}" if one else case_id for one in variants)
            raise BadInput(
                f"{self.path} has no scored case {f'{case_id}@{variant}'!r}; of this case there are {listed}"
            )
        ids = list(dict.fromkeys(score["case"] for _, score in self._pairs))
        near = difflib.get_close_matches(case_id, ids, n=3, cutoff=0.4)
        hint = f"; near it are {', '.join(near)}" if near else ""
        raise BadInput(f"{self.path} has no scored case {case_id!r}{hint}")

    def repeats_of(self, record: CaseRecord) -> list[CaseRecord]:
        """A case in all its repeats, in order: the record itself where there are no others."""
        variant = plain(record.variant)[0]
        mine = [p for p in self._pairs if p[1]["case"] == record.case_id and plain(p[1]["variant"])[0] == variant]
        return [self._record(pair) for pair in mine]

    def edits(self) -> dict[tuple[str, str], Line]:
        """The line of every edit that was made, by case and variant."""
        return dict(self.progress.edits)

    def image_of(self, edit: Line) -> Path | None:
        """Where an edit lies in full size; an archive speaks only for what is inside it."""
        place = edit["image"]
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
            tags={**score["tags"], **shared_tags(score.get("rows", ()))},
            instruction=score["instruction"],
            status=score["status"],
            reason=edit["reason"],
            fingerprint=score["fingerprint"],
            image=self.image_of(edit),
            latency_s=edit["latency_s"],
            notes=tuple(edit["notes"]),
            asked=edit.get("asked"),
            trace=edit.get("trace"),
            cost_usd=edit["cost_usd"],
            hashes=self._hashes(score["case"], score.get("unit", [score["variant"]])),
            **(self._judged_part(score) if self.judged else self._pixel_part(score)),
        )

    def _hashes(self, case_id: str, variants: Sequence[str]) -> dict[Path, str]:
        lines = [self.progress.edits.get((case_id, variant), {}) for variant in variants]
        return {path: line[HASH] for line in lines if line.get(HASH) and (path := self.image_of(line)) is not None}

    def _pixel_part(self, score: Line) -> dict[str, Any]:
        return {
            "metrics": score["metrics"],
            "failure": score["failure"],
            "evidence": score["evidence"],
            "thumbs": Thumbs(self.path, score["case"], [score["variant"]]),
        }

    def _judged_part(self, score: Line) -> dict[str, Any]:
        thumbs = Thumbs(self.path, score["case"], score["unit"])
        rows = [dict(row) for row in self._counted.rows[score["case"], score["variant"]]]
        edits = {variant: self.progress.edits.get((score["case"], variant)) for variant in score["unit"]}
        places = {variant: self.image_of(line) for variant, line in edits.items() if line is not None}
        lines = self.progress.verdicts.get((score["case"], score["variant"]), {})
        return {
            "metrics": unit_metrics(measures_from(self.info["judging"]), rows),
            "failure": "" if score["status"] == "ok" else score["status"],
            "evidence": score["pixels"],
            "thumbs": thumbs,
            "rows": tuple(rows),
            "verdicts": verdict_records(score, lines, self.info["judging"]["judges"], thumbs),
            "images": {variant: path for variant, path in places.items() if path is not None},
        }


def open_run(path: str | Path) -> Run:
    """Open a run, finished or not: its folder, or an archive of it made by ``editscope pack``.

    An archive is checked and unpacked into the user's cache once; see ``editscope.results.archive.unpack``.
    """
    folder = Path(path)
    if not folder.is_file():
        return Run(folder, read_info(folder))
    from editscope.results.archive.unpack import unpacked_run

    inside = unpacked_run(folder)
    return Run(inside, read_info(inside), archive=folder)


def open_runs(*places: Run | str | Path) -> list[Run]:
    """Open runs: each a run, its folder or archive, or a folder that holds several runs and stands for all of them."""
    runs: list[Run] = []
    for place in places:
        if isinstance(place, Run):
            runs.append(place)
        else:
            runs += map(open_run, runs_inside(Path(place)) or [Path(place)])
    return runs
