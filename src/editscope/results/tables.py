"""Scores and summary of a run, as they follow from the lines of its journal."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from editscope.errors import BadInput
from editscope.results import judged_tables
from editscope.results.repeats_summary import about_repeats
from editscope.results.speed import speed
from editscope.runfolder.journal import Line, Progress
from editscope.runfolder.repeats import REPEAT, folded, plain, repeats_of
from editscope.runfolder.run_json import Info, aggregation_from

SCORES = "scores.parquet"
SUMMARY = "summary.json"
FLOOR = "floor_miou"
RIGHT = 0.9
"""From this mIoU on an edit counts as right in pass@k."""
COUNTS = ("edit_pixels", "preservation_pixels")
LISTS = ("hits", "spilled", "changed_pixels")
CURVES = ("iou_curve", "edit_accuracy_curve", "preservation_accuracy_curve")

Ints: TypeAlias = "NDArray[np.int64]"


def scored(progress: Progress) -> list[tuple[Line, Line]]:
    """The edit and score lines of all finished cases, in the order of the suite; of several edits the first."""
    pairs = []
    for step, score in progress.scores.items():
        edited = (step[0], score["unit"][0]) if "unit" in score else step
        if edited in progress.edits:
            pairs.append((progress.edits[edited], score))

    def order(pair: tuple[Line, Line]) -> tuple[Any, ...]:
        variant, repeat = plain(pair[1]["variant"])
        return pair[1]["index"], pair[1].get("place", 0), repeat, variant

    return sorted(pairs, key=order)


def finished(pairs: Sequence[tuple[Line, Line]], repeats: int = 1) -> int:
    """How many cases have all their scores, in all repeats."""
    units = Counter(score["case"] for _, score in pairs)
    wanted = {score["case"]: repeats * score.get("units", 1) for _, score in pairs}
    return sum(units[case_id] >= wanted[case_id] for case_id in units)


def score_columns(info: Info, pairs: Sequence[tuple[Line, Line]]) -> dict[str, list[Any]]:
    """One row per edit: case, repeat where there are several, tags, status, metrics, failure mode, counts and curves.

    Of a run with judges one row per number; see ``judged_tables``.
    """
    if judged_tables.is_judged(info):
        return judged_tables.score_columns(info, pairs)
    scores = [score for _, score in pairs]
    metrics = metric_names(info, pairs)
    tags = list(dict.fromkeys(tag for score in scores for tag in score["tags"]))
    columns: dict[str, list[Any]] = {
        "case_id": [score["case"] for score in scores],
        "variant": [score["variant"] for score in scores],
    }
    if repeats_of(info) > 1:
        columns[REPEAT] = [plain(score["variant"])[1] + 1 for score in scores]
    columns |= {tag: [score["tags"].get(tag) for score in scores] for tag in tags}
    columns["status"] = [score["status"] for score in scores]
    columns["reason"] = [edit["reason"] for edit, _ in pairs]
    columns |= {metric: [score["metrics"].get(metric) for score in scores] for metric in metrics}
    columns["failure"] = [score["failure"] for score in scores]
    columns |= {name: [score["evidence"].get(name) for score in scores] for name in (*COUNTS, *LISTS, FLOOR)}
    columns |= _curves(scores)
    columns["fingerprint"] = [score["fingerprint"] for score in scores]
    columns["latency_s"] = [edit["latency_s"] for edit, _ in pairs]
    columns["cost_usd"] = [edit["cost_usd"] for edit, _ in pairs]
    return columns


def metric_names(info: Info, pairs: Sequence[tuple[Line, Line]]) -> list[str]:
    """The metrics of a run, in order; of a run with judges its measures."""
    if judged_tables.is_judged(info):
        return [measure["name"] for measure in info["judging"]["measures"]]
    return list(dict.fromkeys(metric for _, score in pairs for metric in score["metrics"]))


def averaged(info: Info, pairs: Sequence[tuple[Line, Line]], columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The rows that means and comparisons are made of: each case once, by the mean over its repeats."""
    return folded(columns, [*metric_names(info, pairs), FLOOR])


def summary(info: Info, pairs: Sequence[tuple[Line, Line]], done: Progress) -> dict[str, Any]:
    """What summary.json says: means with intervals, coverage, what belongs to pixels or to judges, and the speed.

    ``done`` is all that the journal says; ``pairs`` hold the edit and the score of each unit that has one.
    """
    n = info["selection"]["n"]
    took = speed(done.edits.values())
    return {
        "suite": info["suite"]["name"],
        "editor": info["editor"]["spec"] or info["editor"]["name"],
        "judge": info["judge"],
        "n_cases": n,
        "coverage": coverage(n, pairs, repeats_of(info)),
        **_averages(info, pairs, done),
        **({} if took is None else {"speed": took}),
    }


def _averages(info: Info, pairs: Sequence[tuple[Line, Line]], done: Progress) -> dict[str, Any]:
    from editscope.stats.summary import summarize

    aggregation = aggregation_from(info)
    if judged_tables.is_judged(info):
        return judged_tables.summary(info, pairs, aggregation, done.superseded)
    columns, metrics = score_columns(info, pairs), metric_names(info, pairs)
    table = summarize(averaged(info, pairs, columns), aggregation, [*metrics, FLOOR])
    return {
        "overall": {metric: cell for metric, cell in table["overall"].items() if metric != FLOOR},
        "groups": [row for row in table["groups"] if row["metric"] != FLOOR],
        "failures": _failures(pairs, aggregation.exclude),
        "floor": {"miou": table["overall"][FLOOR]},
        **about_repeats(columns, aggregation, metrics, repeats_of(info), RIGHT),
    }


def _failures(pairs: Sequence[tuple[Line, Line]], exclude: Mapping[str, str]) -> dict[str, int]:
    """How many edits have which failure mode, most common first; diagnostic cases stay out, unless all are."""
    counted = [score for _, score in pairs if not exclude or not exclude.items() <= score["tags"].items()]
    modes = Counter(score["failure"] for score in counted or [score for _, score in pairs])
    return dict(sorted(modes.items(), key=lambda item: (-item[1], item[0])))


def coverage(n: int, pairs: Sequence[tuple[Line, Line]], repeats: int = 1) -> dict[str, int]:
    """How many edits (units of cases, for judges; each repeat by itself) have which status.

    Cases that lack the score of any repeat are ``pending``.
    """
    counts = Counter(score["status"] for _, score in pairs)
    found = {"ok": counts.pop("ok", 0), **dict(sorted(counts.items()))}
    left = n - finished(pairs, repeats)
    return found | ({"pending": left} if left > 0 else {})


def as_table(columns: Mapping[str, list[Any]]) -> Any:
    """The columns as a pyarrow Table."""
    import pyarrow as pa

    types = {"reason": pa.string(), "image": pa.string(), "latency_s": pa.float64(), "cost_usd": pa.float64()}
    types |= {"value": pa.float64(), "agreement": pa.float64()}
    return pa.table({name: pa.array(values, type=types.get(name)) for name, values in columns.items()})


def as_parquet(columns: Mapping[str, list[Any]], about: Mapping[str, str]) -> bytes:
    """The columns as the bytes of scores.parquet, with what its metadata says."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(as_table(columns).replace_schema_metadata(dict(about)), buffer, compression="zstd")
    return buffer.getvalue()


def _curves(scores: Sequence[Line]) -> dict[str, list[Any]]:
    """The three curves of every case, computed for all cases at once from the counts in the journal."""
    if not scores:
        return {name: [] for name in CURVES}
    edit, rest, hits, spilled, there = _counts([score["evidence"] for score in scores])
    wanted = edit + spilled
    shares = (
        np.divide(hits, wanted, out=np.ones(hits.shape), where=wanted != 0),
        np.divide(hits, edit, out=np.ones(hits.shape), where=edit != 0),
        np.divide(rest - spilled, rest, out=np.ones(hits.shape), where=rest != 0),
    )
    return {name: np.where(there, share, 0.0).tolist() for name, share in zip(CURVES, shares, strict=True)}


def _counts(evidence: Sequence[Mapping[str, Any]]) -> tuple[Ints, Ints, Ints, Ints, NDArray[np.bool_]]:
    """|E|, |P|, hits and spilled pixels of each case at each tolerance, and whether there was an output."""
    from editscope.scoring import TOLERANCES, PixelScore

    def column(name: str) -> Ints:
        return np.array([counts[name] for counts in evidence], dtype=np.int64).reshape(len(evidence), -1)

    try:
        edit, rest, hits, spilled = map(column, (*COUNTS, *LISTS[:2]))
        there = np.array([[counts["output_size"] is not None] for counts in evidence])
        whole = edit.shape[1] == rest.shape[1] == 1 and hits.shape[1] == spilled.shape[1] == len(TOLERANCES)
    except (KeyError, TypeError, ValueError, OverflowError):
        whole = False
    if not whole:
        for counts in evidence:  # one of them is damaged, and this says which value
            PixelScore.from_json(counts)
        raise BadInput("the pixel scores of this journal cannot be read; Editscope did not write them")
    return edit, rest, hits, spilled, there
