"""Tables of a run with judges: one row for each number of each unit, and the summary with coverage and bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, TypeAlias

from editscope.cases import Aggregation
from editscope.errors import BadInput
from editscope.results.accounting import (
    CountedRows,
    accounting_of,
    count_rows,
    other_than,
    release_of,
    rules_in_words,
    unsupported_rule,
    without_a_row,
)
from editscope.results.repeats_summary import about_repeats
from editscope.runfolder.journal import Line, Progress
from editscope.runfolder.repeats import REPEAT, folded, plain, repeated, repeats_of
from editscope.runfolder.run_json import aggregation_from
from editscope.scoring.rubrics import Measure
from editscope.suites.protocol import measures_from

Info: TypeAlias = Mapping[str, Any]
Pairs: TypeAlias = Sequence[tuple[Line, Line]]
Columns: TypeAlias = "dict[str, list[Any]]"

WORST, BEST = " worst", " best"  # columns beside the tags; no tag starts with a space
COUNTS = ("images", "inputs")
"""Tags that say how many pictures a case has; of some of their values nothing is left by definition."""
FIXED = ("metric", "key", "value", "low", "high", "status", "edit_status", "asked", "answered", "agreement")


def score_columns(info: Info, pairs: Pairs, counts: CountedRows | None = None) -> Columns:
    """One row for each number: case, variant, tags, metric, the key of its call, value and status; then the measures.

    ``value`` is on the natural scale of the rubric (1–5, yes as 1); it lies between ``low`` and ``high`` whatever the
    missing verdicts would be. The column of a measure has the value where the row's metric belongs to it, as a
    hundredth of what tables show, and none elsewhere: what is averaged and what is compared are these columns.
    ``counts`` says which rows count; by default as run.json says.
    """
    measures = measures_from(info["judging"])
    rows = list(_rows(pairs, counts or count_rows(info, [score for _, score in pairs]), measures))
    tags = list(dict.fromkeys([tag for row in rows for tag in row["tags"]] + [*_tags_of(info)]))
    columns: Columns = {name: [row[name] for row in rows] for name in ("case_id", "variant")}
    if repeats_of(info) > 1:
        columns[REPEAT] = [row[REPEAT] for row in rows]
    columns |= {tag: [row["tags"].get(tag) for row in rows] for tag in tags}
    columns |= {name: [row[name] for row in rows] for name in FIXED}
    columns |= {measure.name: [_counted(measure, row) for row in rows] for measure in measures}
    columns["fingerprint"] = [row["fingerprint"] for row in rows]
    return columns


def metric_names(info: Info, pairs: Pairs) -> list[str]:
    """The names of the measures of a run, in order."""
    return [measure["name"] for measure in info["judging"]["measures"]]


def averages(info: Info, pairs: Pairs, done: Progress) -> dict[str, Any]:
    """What summary.json says of a run with judges, after suite, editor and cases: means, coverage and bounds."""
    aggregation = aggregation_from(dict(info))
    measures = measures_from(info["judging"])
    names = [measure.name for measure in measures]
    counts = count_rows(info, [score for _, score in pairs])
    columns = score_columns(info, pairs, counts)
    means = _means(columns, aggregation, measures)
    return {
        "headline": info["judging"]["headline"],
        "measures": info["judging"]["measures"],
        "edits": dict(Counter(_edit_status(score) for _, score in pairs)),
        **_unsupported(info, pairs, columns, aggregation),
        "verdicts": verdict_coverage(pairs),
        "spent": spent(pairs, done.superseded),
        "snapshots": snapshots(pairs),
        **means,
        "accounting": _accounting(info, pairs, aggregation, counts, means["overall"]),
        **_labels(columns),
        **_agreement(columns),
        **_panel(pairs),
        **about_repeats(columns, aggregation, names, repeats_of(info), full_marks(info, measures)),
    }


def _means(columns: Columns, aggregation: Aggregation, measures: Sequence[Measure]) -> dict[str, Any]:
    """The overall mean of every measure and those of all groups that have cases, with bounds where verdicts lack."""
    from editscope.stats.summary import summarize

    names = [measure.name for measure in measures]
    table = summarize(folded(columns, names), aggregation, names)
    groups = [row for row in table["groups"] if row["n"]]
    for measure in measures:
        _bound(table["overall"], groups, measure, columns, aggregation)
    return {"overall": table["overall"], "groups": groups}


def unit_metrics(measures: Sequence[Measure], rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The measures of one unit: the mean of its rows, as a hundredth of what is shown; none where it has no value.

    >>> vq = Measure("vq", ("vq",), "Quality", worst=1, best=10, zero=1, scale=100 / 9)
    >>> unit_metrics([vq], [{"metric": "vq", "value": 5.5}])
    {'vq': 0.5}
    """
    metrics = {}
    for measure in measures:
        values = [row["value"] for row in rows if row["metric"] in measure.metrics and row["value"] is not None]
        if values:
            metrics[measure.name] = measure.shown(sum(values) / len(values)) / 100
    return metrics


def verdict_coverage(pairs: Pairs) -> dict[str, int]:
    """How many verdicts have which status."""
    counts: Counter[str] = Counter()
    for _, score in pairs:
        counts.update(score["verdicts"])
    return {"ok": counts.pop("ok", 0), **dict(sorted(counts.items()))}


def snapshots(pairs: Pairs) -> dict[str, dict[str, int]]:
    """For each judge, the models that its server named, with how many verdicts are of each."""
    by_judge: dict[str, Counter[str]] = {}
    for _, score in pairs:
        for judge, seen in score["snapshots"].items():
            by_judge.setdefault(judge, Counter()).update(seen)
    return {judge: dict(sorted(seen.items())) for judge, seen in sorted(by_judge.items())}


def spent(pairs: Pairs, superseded: Sequence[Line] = ()) -> dict[str, Any]:
    """Calls that were made for this run, tokens and dollars; dollars are None where a price is not known.

    ``superseded`` are verdicts in whose place later ones came, after ``--ask-again``: they count too.
    """
    earlier = [line["verdict"]["usage"] for line in superseded if not line["verdict"]["cached"]]
    parts = [score["spent"] for _, score in pairs] + [{**usage, "calls": 1, "cached": 0} for usage in earlier]
    total = {name: sum(part[name] for part in parts) for name in ("calls", "cached", "input_tokens", "output_tokens")}
    costs = [part["cost_usd"] for part in parts if part["calls"]]
    known = [cost for cost in costs if cost is not None]
    if estimated := sum(part.get("estimated", 0) for part in parts):
        total["estimated"] = estimated
    return {**total, "cost_usd": round(sum(known), 6) if len(known) == len(costs) else None}


def _rows(pairs: Pairs, counts: CountedRows, measures: Sequence[Measure]) -> Iterator[dict[str, Any]]:
    scales = {metric: (measure.worst, measure.best) for measure in measures for metric in measure.metrics}
    for _, score in pairs:
        repeat = plain(score["variant"])[1]
        for row in counts.rows[score["case"], score["variant"]]:
            # Journals of older versions do not say where a number lies whose verdict is missing.
            low, high = scales[row["metric"]] if row["value"] is None else (row["value"], row["value"])
            yield {
                "case_id": score["case"],
                "variant": repeated(row["variant"], repeat) if "variant" in row else score["variant"],
                REPEAT: repeat + 1,
                "tags": {**score["tags"], **row.get("tags", {})},
                "metric": row["metric"],
                "key": row.get("key", ""),
                "value": row["value"],
                "low": row.get("low", low),
                "high": row.get("high", high),
                "status": row.get("status", "ok"),
                "edit_status": _edit_status(score),
                "asked": row.get("asked", 0),
                "answered": row.get("answered", 0),
                "agreement": row.get("agreement"),
                "fingerprint": score["fingerprint"],
            }


def _edit_status(score: Line) -> str:
    return "not_applicable" if not score["applicable"] else score["missing"] or "ok"


def _counted(measure: Measure, row: Mapping[str, Any]) -> float | None:
    if row["value"] is None or row["metric"] not in measure.metrics:
        return None
    return measure.shown(row["value"]) / 100


def _tags_of(info: Info) -> list[str]:
    """The tags that the tables need, which no row may have."""
    own = ("case_id", "variant", REPEAT, *FIXED)
    return [tag for tag in aggregation_from(dict(info)).tags if tag not in own]


def _bound(
    overall: dict[str, Any],
    groups: Sequence[dict[str, Any]],
    measure: Measure,
    columns: Columns,
    aggregation: Aggregation,
) -> None:
    """Add to each cell of a measure how many verdicts are missing, and where the mean lies with all at worst or best.

    Edits that are missing are no part of it: they count as the worst, or not at all.
    """
    from editscope.stats.missing import missing_bounds

    low, high = columns["low"], columns["high"]
    mine = [i for i, metric in enumerate(columns["metric"]) if metric in measure.metrics and low[i] is not None]
    if all(low[place] == high[place] for place in mine):
        return
    rows = {name: [values[place] for place in mine] for name, values in columns.items()}
    for end, values in ((WORST, low), (BEST, high)):
        rows[end] = [measure.shown(values[place]) / 100 for place in mine]
    rows = folded(rows, (measure.name, WORST, BEST))
    try:
        table = missing_bounds(rows, aggregation, measure.name, filled=(WORST, BEST))
    except BadInput:  # all of its rows are diagnostics
        return
    cells = {("", ""): overall[measure.name]}
    cells |= {(row["by"], row["key"]): row for row in groups if row["metric"] == measure.name}
    bounds = {("", ""): table.overall, **{(group.by, group.key): group.bounds for group in table.groups}}
    for where, found in bounds.items():
        if found.missing and where in cells:
            cells[where] |= {"missing": found.missing, "worst": found.worst, "best": found.best}


def _accounting(
    info: Info, pairs: Pairs, aggregation: Aggregation, counts: CountedRows, overall: Mapping[str, Any]
) -> dict[str, Any]:
    """How the run counts what is missing, and its means as the other accounting has them.

    ``other`` has all groups where the two differ, and ``difference`` says by how much: other less used. Where the
    other needs verdicts that nobody asked for, ``unknown`` counts the edits that they are about.
    """
    used, release = accounting_of(info), release_of(info)
    common: dict[str, Any] = {
        "used": used,
        "rules": rules_in_words(info),
        "release": None if release is None else release.title,
    }
    other = count_rows(info, [score for _, score in pairs], other_than(used))
    if counts.unknown or other.unknown:
        return {**common, "differs": None, "unknown": counts.unknown or other.unknown}
    if counts.same(other):
        return {**common, "differs": False, "other": {"name": other_than(used), "overall": overall}}
    means = _means(score_columns(info, pairs, other), aggregation, measures_from(info["judging"]))
    apart = {
        name: round(cell["mean"] - overall[name]["mean"], 9)
        for name, cell in means["overall"].items()
        if cell["mean"] is not None and overall[name]["mean"] is not None
    }
    return {**common, "differs": True, "difference": apart, "other": {"name": other_than(used), **means}}


def _unsupported(info: Info, pairs: Pairs, columns: Columns, aggregation: Aggregation) -> dict[str, Any]:
    """What becomes of edits that the editor cannot make because it takes fewer pictures; nothing where it takes all.

    ``vanished`` names the groups of which no case counts, so that none is left out of the averages in silence.
    """
    n = sum(not score["applicable"] for _, score in pairs)
    if not n:
        return {}
    tags = (*aggregation.overall.over, *(group.by[0] for group in aggregation.groups if len(group.by) == 1))
    vanished = {}
    for tag in dict.fromkeys(tag for tag in tags if tag in columns and tag not in ("case_id", *COUNTS, *FIXED)):
        values = list(zip(columns[tag], columns["value"], strict=True))
        gone = {key for key, _ in values if key is not None} - {key for key, value in values if value is not None}
        if gone:
            vanished[tag] = sorted(gone)
    scores = [score for _, score in pairs]
    fields = {"n": n, "rule": unsupported_rule(info), "without_a_row": without_a_row(info, scores)}
    return {"unsupported": {**fields, "vanished": vanished}}


def _labels(columns: Columns) -> dict[str, Any]:
    """For questions with one right answer: what a judge that always says yes gets, and a picture without change."""
    labels = [label for label in columns.get("label", ()) if label is not None]
    if not labels:
        return {}
    yes = 100 * sum(label.strip().lower() == "yes" for label in labels) / len(labels)
    shares = {"yes": yes, "always_yes": yes, "unchanged": 100 - yes}
    return {"labels": {"questions": len(labels), **{name: round(share, 9) for name, share in shares.items()}}}


def full_marks(info: Info, measures: Sequence[Measure]) -> float:
    """From where on an edit counts as right in pass@k: the best that the headline's scale has."""
    first = next(measure for measure in measures if measure.name == info["judging"]["headline"])
    return first.shown(first.best) / 100


def _agreement(columns: Columns) -> dict[str, Any]:
    """Where calls were asked several times: the share of pairs of verdicts that say the same, averaged over rows."""
    known = [value for value in columns["agreement"] if value is not None]
    return {"agreement": {"mean": round(100 * sum(known) / len(known), 9), "n": len(known)}} if known else {}


def _panel(pairs: Pairs) -> dict[str, Any]:
    """Of several judges, how far they agree: Krippendorff's alpha on each field of each prompt, with its interval."""
    from editscope.stats.agreement import krippendorff_alpha

    items: dict[tuple[str, str], list[list[float | None]]] = {}
    for _, score in pairs:
        prompts = {call["key"]: call["prompt"] for call in score["calls"]}
        for key, fields in score.get("panel", {}).items():
            for name, values in fields.items():
                items.setdefault((prompts[key], name), []).append(values)
    rows = []
    for (prompt, name), ratings in sorted(items.items()):
        if len(set(map(len, ratings))) > 1:
            raise BadInput(f"the journal has verdicts of different numbers of judges on {prompt}; it was changed")
        if any(sum(value is not None for value in item) > 1 for item in ratings):
            alpha = krippendorff_alpha(list(zip(*ratings, strict=True)), "nominal" if name == "answer" else "interval")
            numbers = {"alpha": alpha.value, "lo": alpha.lo, "hi": alpha.hi}
            rows.append({"prompt": prompt, "field": name, **_finite(numbers), "items": alpha.items})
    return {"panel": rows} if rows else {}


def _finite(numbers: Mapping[str, float | None]) -> dict[str, float | None]:
    """Numbers as JSON can hold them; none for what has no value, such as alpha where all say the same."""
    return {name: None if value is None or not isfinite(value) else round(value, 9) for name, value in numbers.items()}
