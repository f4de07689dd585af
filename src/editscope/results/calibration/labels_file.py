"""Files of human labels, CSV or JSONL: which edit, who scored it, and how."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.results.run import Run
from editscope.runfolder.repeats import plain
from editscope.suites.datafolder.rows import DataRow, csv_rows, json_lines

NAMES: Mapping[str, tuple[str, ...]] = {
    "case": ("case", "case_id"),
    "variant": ("variant", "level"),
    "run": ("run", "model", "model_a", "editor"),
    "rater": ("rater", "rater_id"),
    "metric": ("metric", "scale"),
    "key": ("key", "question"),
    "score": ("score", "rating"),
    "scores": ("scores",),
    "excluded": ("excluded",),
}
"""The fields of a label, each with the names that a file may give it."""
SCALE = "score_"
"""What the column of one scale is called before its name, where a row has several."""
VOTE = "vote"
"""What a study calls an item that counts; others, such as qualification, show edits that were not chosen at random."""
MOST_FLAWS = 3


@dataclass(frozen=True, slots=True)
class HumanLabel:
    """One score of one person. ``where`` is its place in the file; what is not said is ""."""

    case: str
    score: float
    variant: str = ""
    run: str = ""
    rater: str = ""
    metric: str = ""
    key: str = ""
    where: str = ""


@dataclass(frozen=True, eq=False)
class HumanLabels:
    """The labels of a file."""

    path: Path
    entries: tuple[HumanLabel, ...]
    excluded: int = 0

    @cached_property
    def runs(self) -> tuple[str, ...]:
        """The names of runs that labels give, in order."""
        return tuple(dict.fromkeys(label.run for label in self.entries if label.run))

    def of_run(self, run: Run, name: str = "", *, alone: bool = True) -> list[HumanLabel]:
        """The labels of a run, by the name of its folder, its editor, or the ``name`` that a report calls it.

        HumanLabels that name no run belong to the only one; BadInput where there are several.
        """
        if any(not label.run for label in self.entries) and not alone:
            raise BadInput(
                f"{self.path} does not say which run each label is of; add a column 'run' with the name of the run's "
                "folder or of its editor"
            )
        folder = (run.archive or run.path).absolute().name
        spec = str(run.info["editor"].get("spec") or "")
        mine = {folder, name, str(run.info["editor"]["name"]), spec} - {""}
        chosen = [label for label in self.entries if not label.run or Path(label.run).name in mine or label.run in mine]
        if not chosen and alone:
            raise BadInput(
                f"{self.path} has labels of {', '.join(self.runs)}, and none of {folder}; name the run's folder or its "
                "editor in the column 'run'"
            )
        return chosen


def read_labels(path: str | Path) -> HumanLabels:
    """The labels of a CSV file with a header, or of a file with one JSON object a line.

    Every row has a ``case`` and a ``score``; ``variant``, ``run``, ``rater``, ``metric`` and ``key`` say more. Rows
    whose ``excluded`` is not empty are left out, and counted. BadInput names file, row, field and fix.
    """
    path = Path(path)
    rows = _rows(path)
    entries: list[HumanLabel] = []
    excluded = 0
    for row in rows:
        if row.flaws:
            continue
        fields = {name: _first(row.fields, names) for name, names in NAMES.items()}
        if fields["excluded"] not in (None, "", False, 0, "0", "false") or row.fields.get("kind", VOTE) not in (
            VOTE,
            "",
        ):
            excluded += 1
            continue
        entries += _labels(row, fields)
    flaws = [flaw for row in rows for flaw in row.flaws]
    if flaws:
        more = f" (and {len(flaws) - MOST_FLAWS:,} more)" if len(flaws) > MOST_FLAWS else ""
        raise BadInput("; ".join(map(str, flaws[:MOST_FLAWS])) + more)
    if not entries:
        raise BadInput(f"{path} has no labels; it needs a row for each score, with 'case' and 'score'")
    return HumanLabels(path, tuple(entries), excluded)


def _rows(path: Path) -> list[DataRow]:
    if not path.is_file():
        raise BadInput(f"--labels {path} is not a file; name a CSV or JSONL file with 'case' and 'score'")
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return list(json_lines(path, path.parent, id_field="case"))
    if path.suffix.lower() != ".csv":
        raise BadInput(f"--labels {path} ends in neither .csv nor .jsonl; the suffix says how to read it")
    rows = list(csv_rows(path, path.parent, (), id_field="case"))
    for wanted in ("case", "score"):
        several = wanted == "score" and rows and any(name.startswith(SCALE) for name in rows[0].fields)
        if rows and not rows[0].flaws and not several and not any(name in rows[0].fields for name in NAMES[wanted]):
            header = ", ".join(map(repr, rows[0].fields))
            raise BadInput(f"{path}: the header lacks {wanted!r} (it has: {header})")
    return rows


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _labels(row: DataRow, fields: Mapping[str, Any]) -> Iterator[HumanLabel]:
    """The labels of one row: one, or one for each scale where it has ``scores`` by scale."""
    texts = {}
    for name in ("case", "variant", "run", "rater", "metric", "key"):
        value = fields[name]
        if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
            row.flaw(f"field {name!r} is not text; write it as one")
        texts[name] = "" if value is None else str(value).strip()
    if not texts["case"]:
        row.flaw("field 'case' is missing or empty; name the case that was scored")
    # The name of a repeat is not part of what people see: a case counts by the mean of its repeats.
    texts["variant"] = plain(texts["variant"])[0]
    scores = fields["scores"]
    by_column = {name.removeprefix(SCALE): value for name, value in row.fields.items() if name.startswith(SCALE)}
    if scores is None and fields["score"] is None and by_column:
        scores = {scale: value for scale, value in by_column.items() if value not in (None, "")}
        if not scores:  # an item that is not a rating, such as a practice one
            return
    if scores is None:
        yield HumanLabel(score=_score(row, "score", fields["score"]), where=row.where, **texts)
        return
    if not isinstance(scores, Mapping) or not scores:
        row.flaw("field 'scores' is not an object of scores by scale; write {\"scale\": score}")
        return
    for scale, score in scores.items():
        yield HumanLabel(
            score=_score(row, f"scores.{scale}", score), where=row.where, **{**texts, "metric": str(scale)}
        )


def _score(row: DataRow, name: str, value: Any) -> float:
    try:
        number = float("nan") if value is None or isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not isfinite(number):
        row.flaw(f"field {name!r} holds {value!r}, which is not a number; write the score that was given")
    return number
