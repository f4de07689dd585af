"""Tables of a run that pixels score: one row for each edit, and the summary with failure modes and the floor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from editscope.errors import BadInput
from editscope.results.repeats_summary import about_repeats
from editscope.runfolder.journal import Line, Progress
from editscope.runfolder.repeats import REPEAT, folded, plain, repeats_of
from editscope.runfolder.run_json import Info, aggregation_from

FLOOR = "floor_miou"
RIGHT = 0.9
"""From this mIoU on an edit counts as right in pass@k."""
COUNTS = ("edit_pixels", "preservation_pixels")
LISTS = ("hits", "spilled", "changed_pixels")
CURVES = ("iou_curve", "edit_accuracy_curve", "preservation_accuracy_curve")

Pairs: TypeAlias = Sequence[tuple[Line, Line]]
Columns: TypeAlias = "dict[str, list[Any]]"
Ints: TypeAlias = "NDArray[np.int64]"


def metric_names(info: Info, pairs: Pairs) -> list[str]:
    """The metrics of a run, in order."""
    return list(dict.fromkeys(metric for _, score in pairs for metric in score["metrics"]))


def score_columns(info: Info, pairs: Pairs) -> Columns:
    """One row per edit: case, repeat where there are several, tags, status, metrics, failure mode, counts, curves."""
    scores = [score for _, score in pairs]
    metrics = metric_names(info, pairs)
    tags = list(dict.fromkeys(tag for score in scores for tag in score["tags"]))
    columns: Columns = {
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


def averages(info: Info, pairs: Pairs, done: Progress) -> dict[str, Any]:
    """What summary.json says of a run that pixels score: means, failure modes and the floor."""
    from editscope.stats.summary import summarize

    aggregation = aggregation_from(info)
    columns, metrics = score_columns(info, pairs), metric_names(info, pairs)
    table = summarize(folded(columns, [*metrics, FLOOR]), aggregation, [*metrics, FLOOR])
    return {
        "overall": {metric: cell for metric, cell in table["overall"].items() if metric != FLOOR},
        "groups": [row for row in table["groups"] if row["metric"] != FLOOR],
        "failures": _failures(pairs, aggregation.exclude),
        "floor": {"miou": table["overall"][FLOOR]},
        **about_repeats(columns, aggregation, metrics, repeats_of(info), RIGHT),
    }


def _failures(pairs: Pairs, exclude: Mapping[str, str]) -> dict[str, int]:
    """How many edits have which failure mode, most common first; diagnostic cases stay out, unless all are."""
    counted = [score for _, score in pairs if not exclude or not exclude.items() <= score["tags"].items()]
    modes = Counter(score["failure"] for score in counted or [score for _, score in pairs])
    return dict(sorted(modes.items(), key=lambda item: (-item[1], item[0])))


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
