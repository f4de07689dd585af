"""Rows of a run that pixels score, kept as columns: a hundredth of what the lines of a long journal would take."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from editscope.errors import BadInput
from editscope.results.left_unchanged import left_unchanged
from editscope.runfolder.code_versions import CODE
from editscope.runfolder.journal import Line, Step
from editscope.runfolder.repeats import REPEAT, plain
from editscope.scoring import TOLERANCES, PixelScore

FLOOR = "floor_miou"
RESIZED = "resized"
"""Whether an output came in another size and was fitted to the answer."""
COUNTS = ("edit_pixels", "preservation_pixels")
LISTS = ("hits", "spilled", "changed_pixels")
CURVES = ("iou_curve", "edit_accuracy_curve", "preservation_accuracy_curve")
KEPT = ("status", "reason", "latency_s", "cost_usd", "applicable", "memory_mb", "attempts", "at", CODE)
"""What tables need of the line of an edit."""

Columns: TypeAlias = "dict[str, Any]"
"""Lists, or arrays of numbers: of one dimension, or of one row for each edit."""
Ints: TypeAlias = "NDArray[np.int64]"

_LENGTH = len(TOLERANCES)
_WIDTH = len(COUNTS) + len(LISTS) * _LENGTH


class PixelRows:
    """The edits and scores of a journal, each line forgotten but for what tables need.

    As in ``journal.progress``, a later line of a step stands for it, a later edit makes an earlier score void,
    and a line ``again`` the edit itself.
    """

    def __init__(self) -> None:
        self.edits: dict[Step, Line] = {}
        self._scores: dict[Step, int] = {}
        self._lists: dict[str, list[Any]] = {
            name: []
            for name in ("case", "variant", "index", "status", "failure", "fingerprint", FLOOR, RESIZED, "names")
        }
        self._metrics: dict[str, list[Any]] = {}
        self._counts = array("q")
        self._there = bytearray()
        self._texts: dict[str, str] = {}
        self._names: dict[Any, int] = {}

    def add(self, lines: Iterable[Line]) -> None:
        """Take the next lines of the journal."""
        for line in lines:
            step = line["case"], line.get("variant", "")
            if line["step"] in ("edit", "again"):
                self._scores.pop(step, None)
            if line["step"] == "edit":
                self.edits[step] = self._slim(line)
            elif line["step"] == "again":
                self.edits.pop(step, None)
            elif line["step"] == "score":
                self._scores[step] = len(self._there)
                self._add_score(line)

    def table(self, repeats: int) -> tuple[Columns, list[str]]:
        """The columns of scores.parquet for all edits with a score, in the order of the suite; and their metrics."""
        steps = [step for step in self._scores if step in self.edits]
        indices, variants = self._lists["index"], self._lists["variant"]
        split = {variant: plain(variant) for variant in set(variants)}

        def order(step: Step) -> tuple[int, int, str]:
            variant, repeat = split[step[1]]
            return indices[self._scores[step]], repeat, variant

        steps.sort(key=order)
        rows = [self._scores[step] for step in steps]
        edits = [self.edits[step] for step in steps]

        def column(name: str) -> list[Any]:
            values = self._lists[name]
            return [values[row] for row in rows]

        known = list(self._names)
        kinds = dict.fromkeys(column("names"))
        metrics = dict.fromkeys(chain.from_iterable(known[kind][1] for kind in kinds))
        tags = [dict(known[kind][0]) for kind in range(len(known))]
        columns: Columns = {"case_id": column("case"), "variant": column("variant")}
        if repeats > 1:
            columns[REPEAT] = [split[variant][1] + 1 for variant in columns["variant"]]
        for tag in dict.fromkeys(chain.from_iterable(tags[kind] for kind in kinds)):
            columns[tag] = [tags[kind].get(tag) for kind in column("names")]
        columns["status"] = column("status")
        columns["reason"] = [edit["reason"] for edit in edits]
        columns |= {metric: [self._metrics[metric][row] for row in rows] for metric in metrics}
        columns["failure"] = column("failure")
        columns |= self._numbers(np.array(rows, dtype=np.intp))
        columns[FLOOR], columns[RESIZED] = column(FLOOR), column(RESIZED)
        columns |= _curves(columns, np.frombuffer(self._there, dtype=np.bool_)[np.array(rows, dtype=np.intp)])
        columns["fingerprint"] = column("fingerprint")
        columns["latency_s"] = [edit["latency_s"] for edit in edits]
        columns["cost_usd"] = [edit["cost_usd"] for edit in edits]
        return columns, list(metrics)

    def _slim(self, line: Line) -> Line:
        kept: Line = {name: line[name] for name in KEPT if name in line}
        kept["status"], kept["reason"] = self._text(line["status"]), self._text(line["reason"])
        if CODE in kept:
            kept[CODE] = self._text(kept[CODE])
        if unchanged := left_unchanged(line):
            kept["notes"] = [self._text(note) for note in unchanged]
        kept["image"] = {} if isinstance(line["image"], dict) else None  # whether it was a file already
        return kept

    def _add_score(self, line: Line) -> None:
        evidence, row = line["evidence"], len(self._there)
        for name in ("case", "index", "fingerprint"):
            self._lists[name].append(line[name])
        for name in ("variant", "status", "failure"):
            self._lists[name].append(self._text(line[name]))
        self._lists[FLOOR].append(evidence.get(FLOOR))
        self._lists[RESIZED].append(bool(evidence.get(RESIZED)))
        names = tuple(line["tags"].items()), tuple(line["metrics"])
        self._lists["names"].append(self._names.setdefault(names, len(self._names)))
        for name in line["metrics"]:
            if name not in self._metrics:
                self._metrics[name] = [None] * row
        for name, values in self._metrics.items():
            values.append(line["metrics"].get(name))
        try:
            self._counts.extend(evidence[name] for name in COUNTS)
            for name in LISTS:
                self._counts.extend(evidence[name])
            self._there.append(evidence["output_size"] is not None)
        except (KeyError, TypeError, ValueError, OverflowError):
            self._there.append(False)
        if len(self._counts) != _WIDTH * (row + 1):
            PixelScore.from_json(evidence)  # says which value is damaged
            raise BadInput("the pixel scores of this journal cannot be read; Editscope did not write them")

    def _text(self, text: Any) -> Any:
        """The same text, in memory once."""
        return self._texts.setdefault(text, text)

    def _numbers(self, rows: NDArray[np.intp]) -> Columns:
        numbers = np.frombuffer(self._counts, dtype=np.int64).reshape(-1, _WIDTH)
        columns: Columns = {name: numbers[rows, place] for place, name in enumerate(COUNTS)}
        for place, name in enumerate(LISTS):
            start = len(COUNTS) + place * _LENGTH
            columns[name] = numbers[rows, start : start + _LENGTH]
        return columns


def as_lists(columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The same columns without arrays."""
    return {name: values.tolist() if isinstance(values, np.ndarray) else values for name, values in columns.items()}


def without_lists(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of which a row has one value: those that can be averaged or grouped by."""
    return {name: values for name, values in columns.items() if name not in (*LISTS, *CURVES)}


def _curves(columns: Mapping[str, Any], there: NDArray[np.bool_]) -> Columns:
    """The three curves of every case, computed for all cases at once from the counts in the journal."""
    edit, rest = (columns[name][:, None] for name in COUNTS)
    hits, spilled = columns["hits"], columns["spilled"]
    wanted = edit + spilled
    shares = (
        np.divide(hits, wanted, out=np.ones(hits.shape), where=wanted != 0),
        np.divide(hits, edit, out=np.ones(hits.shape), where=edit != 0),
        np.divide(rest - spilled, rest, out=np.ones(hits.shape), where=rest != 0),
    )
    return {name: np.where(there[:, None], share, 0.0) for name, share in zip(CURVES, shares, strict=True)}
