"""Speed and cost of an editor, from the edit lines of a journal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from math import floor, log10
from typing import Any

import numpy as np

from editscope.results.left_unchanged import left_unchanged
from editscope.runfolder.journal import Line

PERCENTILES = (50, 90, 95, 99)


def speed(edits: Iterable[Line]) -> dict[str, Any] | None:
    """What ``summary.json`` says of an editor's time and money; None where the edits were files already.

    Cases that the editor was not asked, since it cannot take their pictures, are not in it, nor are the times of those
    that it left unchanged without trying.
    Where no edit gave a picture there is no time, but the cost stands there all the same.

    ``latency_s`` are seconds from asking to having the picture, over the edits that gave one: mean, percentiles, the
    longest. An edit of a batch took as long as its batch. ``throughput`` is edits a second while at least one was
    being made: edits / length of the union of their times, so a pause between a run and its resumption does not
    count; ``at_once`` is how many were being made at a time, on average. ``cost_usd`` is over the edits whose cost is
    known, ``memory_mb`` the most GPU memory of any.
    """
    tried = [line for line in edits if not isinstance(line["image"], dict) and line.get("applicable", True)]
    timed = [line for line in tried if line["status"] == "ok" and line["latency_s"] is not None and _was_tried(line)]
    stats: dict[str, Any] = {"edits": len(timed), "failed": len(tried) - sum(line["status"] == "ok" for line in tried)}
    if not timed:
        return stats | _money(tried) | _attempts(tried) if _money(tried) else None
    seconds = [float(line["latency_s"]) for line in timed]
    stats["latency_s"] = latencies(seconds)
    busy = union_s([(ended(line) - float(line["latency_s"]), ended(line)) for line in timed])
    if busy > 0:
        stats |= {"throughput": round(len(timed) / busy, 4), "at_once": round(sum(seconds) / busy, 2)}
        stats["busy_s"] = round(busy, 3)
    return stats | _money(tried) | _memory(tried) | _attempts(tried)


def _was_tried(line: Line) -> bool:
    return not left_unchanged(line)


def latencies(seconds: Sequence[float]) -> dict[str, float]:
    """Mean, percentiles and maximum of some durations.

    >>> latencies([1.0, 2.0, 3.0])
    {'mean': 2.0, 'p50': 2.0, 'p90': 2.8, 'p95': 2.9, 'p99': 2.98, 'max': 3.0}
    """
    marks = np.percentile(seconds, PERCENTILES)
    named = {f"p{q}": float(mark) for q, mark in zip(PERCENTILES, marks, strict=True)}
    shown = {"mean": float(np.mean(seconds)), **named, "max": float(np.max(seconds))}
    return {name: round(value, 4) for name, value in shown.items()}


def union_s(spans: Iterable[tuple[float, float]]) -> float:
    """How long at least one of the spans lasted.

    >>> union_s([(0.0, 2.0), (1.0, 3.0), (10.0, 11.0)])
    4.0
    """
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def ended(line: Line) -> float:
    """When an edit was ready, in seconds since 1970."""
    return datetime.fromisoformat(line["at"]).timestamp()


def speed_in_words(found: Mapping[str, Any]) -> str:
    """Time and money in a line, for a terminal.

    >>> cost = {"total": 1.5, "mean": 0.03}
    >>> speed_in_words({"latency_s": {"p50": 1.234, "p95": 3.0}, "throughput": 2.5, "cost_usd": cost})
    '1.23 s an edit (95 %: 3.00 s) · 2.5 edits a second · $1.50, $0.030 an edit'
    """
    latency = found.get("latency_s")
    parts = [f"{duration(latency['p50'])} an edit (95 %: {duration(latency['p95'])})"] if latency else []
    if "throughput" in found:
        per_s = found["throughput"]
        parts.append(f"{rate(per_s)} edits a second" if per_s >= 0.1 else f"{60 * per_s:.3g} edits a minute")
    if "cost_usd" in found and not latency:
        parts.append(f"{dollars(found['cost_usd']['total'])} for edits that gave no picture")
    elif "cost_usd" in found:
        parts.append(f"{dollars(found['cost_usd']['total'])}, {dollars(found['cost_usd']['mean'])} an edit")
    if "memory_mb" in found:
        parts.append(f"{found['memory_mb'] / 1024:.1f} GiB of GPU memory")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """Seconds as one reads them.

    >>> duration(0.0042), duration(0.7), duration(12.34), duration(95)
    ('4 ms', '0.70 s', '12.3 s', '95 s')
    """
    if seconds < 0.1:
        return f"{1000 * seconds:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s" if seconds < 60 else f"{seconds:.0f} s"


def rate(per_s: float) -> str:
    """So many a second, with three digits that count.

    >>> rate(0.4567), rate(95.37), rate(10432.1)
    ('0.457', '95.4', '10,432')
    """
    return f"{per_s:.3g}" if per_s < 100 else f"{per_s:,.0f}"


def dollars(amount: float) -> str:
    """US dollars, with more digits where there are few of them.

    >>> dollars(12.5), dollars(0.039), dollars(0.00042), dollars(0.00005)
    ('$12.50', '$0.039', '$0.00042', '$0.00005')
    """
    if amount == 0 or amount >= 1:
        return f"${amount:,.2f}"
    if amount >= 0.01:
        return f"${amount:.3f}"
    return f"${amount:.{1 - floor(log10(amount))}f}".rstrip("0")


def _money(made: Sequence[Line]) -> dict[str, Any]:
    known = [float(line["cost_usd"]) for line in made if line["cost_usd"] is not None]
    if not known:
        return {}
    total = sum(known)
    pictures = sum(line["status"] == "ok" for line in made if line["cost_usd"] is not None)
    mean = total / pictures if pictures else total / len(known)
    return {"cost_usd": {"total": round(total, 6), "mean": round(mean, 6), "known": len(known)}}


def _memory(made: Sequence[Line]) -> dict[str, Any]:
    known = [float(line["memory_mb"]) for line in made if line.get("memory_mb") is not None]
    return {"memory_mb": round(max(known), 1)} if known else {}


def _attempts(made: Sequence[Line]) -> dict[str, Any]:
    known = [int(line["attempts"]) for line in made if line.get("attempts") is not None]
    return {"attempts": sum(known)} if known else {}
