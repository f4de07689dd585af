"""Page of a watch: the score over checkpoints as a drawing, and a table of all checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from editscope.report.html.markup import Html, el
from editscope.report.pages.checkpoint_reports import report_link
from editscope.runfolder.files import write_whole
from editscope.suites import suite_title
from editscope.watch.history import CheckpointResult, History, ScoreDifference
from editscope.wording import metric_in_text, p_value, signed, signed_range, value

PAGE = "watch.html"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 920, 340, 52, 20, 16, 46
MOST_TICKS = 8
STYLE = """
:root { color-scheme: light dark; --ink: #1c1e26; --soft: #5d626e; --hair: #e4e4e0; --page: #f6f5f2; --card: #fffefb;
  --line: #0d5fb3; --fallen: #c8321f; --best: #14805e; }
@media (prefers-color-scheme: dark) { :root { --ink: #eceef2; --soft: #a3a9b5; --hair: #343842; --page: #15171c;
  --card: #1d2027; --line: #6cb2ff; --fallen: #ff7a66; --best: #4cc79b; } }
body { margin: 0; padding: 24px; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 980px; margin: 0 auto; }
section { background: var(--card); border: 1px solid var(--hair); border-radius: 10px; padding: 18px 22px;
  margin: 16px 0; overflow-x: auto; }
h1 { font-size: 22px; margin: 0; } p { color: var(--soft); margin: 4px 0; }
svg { width: 100%; min-width: 640px; height: auto; } svg text { fill: var(--soft); font-size: 12px; }
.grid { stroke: var(--hair); } .line { fill: none; stroke: var(--line); stroke-width: 2; }
.whisker { stroke: var(--line); stroke-width: 1.5; opacity: .7; } .dot { fill: var(--line); }
.fallen .dot { fill: var(--fallen); } .fallen .whisker { stroke: var(--fallen); } .best .dot { fill: var(--best); }
.middle { text-anchor: middle; } .end { text-anchor: end; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: 5px 10px; border-top: 1px solid var(--hair); white-space: nowrap; }
th:first-child, td:first-child, td.text { text-align: left; } thead th { border: 0; color: var(--soft); }
td.text { white-space: normal; color: var(--soft); }
a { color: var(--line); }
tr.fallen td:first-child, tr.fallen td:first-child a { color: var(--fallen); font-weight: 600; }
"""


def write_watch_page(folder: Path, history: History) -> Path:
    """Write the page beside the runs, whole or not at all; same history and reports, same bytes."""
    looks = history.in_order()
    links = {look.name: link for look in looks if (link := report_link(folder, look))}
    scored = [look for look in looks if look.score is not None and look.score["mean"] is not None]
    about, how = history.about, history.how
    title = f"{suite_title(str(about['suite']))} over checkpoints"
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("title", title),
        el("style", Html(STYLE)),
    )
    metric = scored[-1].metric if scored else ""
    body = el(
        "main",
        el("h1", title),
        el("p", _about(about, how)),
        el("section", el("p", f"{metric_in_text(metric)} with its interval"), _drawing(scored, links))
        if scored
        else None,
        el("section", _table(looks, metric, links, both=how["baseline"] != "best")),
    )
    target = folder / PAGE
    write_whole(target, f"<!doctype html>\n{el('html', head, el('body', body), lang='en')}\n".encode())
    return target


def _about(about: Mapping[str, Any], how: Mapping[str, Any]) -> str:
    where: Mapping[str, Sequence[str]] = about["where"] or {}
    parts = [f"{tag}={','.join(values)}" for tag, values in where.items()]
    parts += [f"at most {about['limit']:,} cases"] if about["limit"] else []
    cases = " · ".join(parts) or "all cases"
    base = f"the {how['baseline']}" if how["baseline"] in ("first", "best") else Path(str(how["baseline"])).name
    sure = f"{100 * how['confidence']:g} % interval"
    if how["baseline"] == "best":
        base, sure = "the best before it", f"{sure}, widened for the number of checkpoints to choose from,"
    return f"{about['editor']} · {cases} · a fall is a paired difference to {base} whose {sure} is below 0"


def _drawing(looks: Sequence[CheckpointResult], links: Mapping[str, str]) -> Html:
    """Means with intervals over steps; over places where a checkpoint has no step."""
    numbered = all(look.step is not None for look in looks)
    places = [float(look.step or 0) if numbered else float(i) for i, look in enumerate(looks)]
    cells = [look.score or {} for look in looks]
    ends = [cell[end] for cell in cells for end in ("mean", "lo", "hi") if cell.get(end) is not None]
    low, high = min(ends), max(ends)
    room = 0.08 * (high - low) or 1.0
    low, high = (max(0.0, low - room) if low >= 0 else low - room), high + room
    first, last = min(places), max(places)

    def x(place: float) -> float:
        share = (place - first) / (last - first) if last > first else 0.5
        return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)

    def y(number: float) -> float:
        share = float(number - low) / float(high - low)
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (1 - share), 1)

    grid = []
    for at in _ticks(low, high):
        grid += [
            el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y(at), y2=y(at), cls="grid"),
            el("text", f"{at:.3g}", x=LEFT - 8, y=y(at) + 4, cls="end"),
        ]
    step = max(1, -(-len(looks) // MOST_TICKS))
    for place, look in list(zip(places, looks, strict=True))[::step]:
        label = f"{look.step:,}" if numbered else look.name[:16]
        grid.append(el("text", label, x=x(place), y=HEIGHT - BOTTOM + 18, cls="middle"))
    points = " ".join(f"{x(place)},{y(cell['mean'])}" for place, cell in zip(places, cells, strict=True))
    best = max(looks, key=lambda look: look.mean)
    marks = [
        _linked(_mark(look, x(place), y, look is best), links.get(look.name))
        for place, look in zip(places, looks, strict=True)
    ]
    label = "Score over checkpoints"
    drawn = [grid, el("polyline", points=points, cls="line"), marks]
    return el("svg", drawn, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two ends, about five of them.

    >>> _ticks(18.2, 88.3), _ticks(0.12, 0.31)
    ([20.0, 40.0, 60.0, 80.0], [0.15, 0.2, 0.25, 0.3])
    """
    rough = (high - low) / 5
    size = 10.0 ** floor(log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [round(n * step, 9) for n in range(ceil(low / step), floor(high / step) + 1)]


def _mark(look: CheckpointResult, x: float, y: Any, best: bool) -> Html:
    cell = look.score or {}
    whisker = None
    if cell.get("lo") is not None and cell["hi"] > cell["lo"]:
        whisker = el("line", x1=x, x2=x, y1=y(cell["lo"]), y2=y(cell["hi"]), cls="whisker")
    dot = el("circle", cx=x, cy=y(cell["mean"]), r=6 if look.fallen or best else 4, cls="dot")
    return el("g", whisker, dot, el("title", str(look)), cls="fallen" if look.fallen else "best" if best else None)


def _linked(what: Html | str, link: str | None) -> Html | str:
    """What a reader can click on to get to a report, where there is one."""
    return el("a", what, href=link) if link else what


def _table(looks: Sequence[CheckpointResult], metric: str, links: Mapping[str, str], *, both: bool) -> Html:
    """All looks, the latest first; ``both`` where the baseline is not the best before."""
    names = ["Checkpoint", metric_in_text(metric), "95 %", *(["To the baseline", "p"] if both else [])]
    names += ["To the best before", "p", ""]
    head = el("thead", el("tr", [el("th", name, scope="col") for name in names]))
    return el("table", head, el("tbody", [_row(look, links.get(look.name), both) for look in reversed(looks)]))


def _row(look: CheckpointResult, link: str | None, both: bool) -> Html:
    cell = look.score or {}
    if not cell:
        return el("tr", el("td", _linked(look.name, link)), el("td", look.reason, cls="text", colspan=7 if both else 5))
    span = ""
    if cell.get("lo") is not None and cell["hi"] > cell["lo"]:
        span = f"{value(cell['lo'], look.scale)} – {value(cell['hi'], look.scale)}"
    note = "fallen" if look.fallen else look.reason
    return el(
        "tr",
        el("td", _linked(look.name, link)),
        el("td", "–" if cell["mean"] is None else value(cell["mean"], look.scale)),
        el("td", span),
        _against(look.baseline, look.scale) if both else None,
        _against(look.best, look.scale),
        el("td", note, cls="text"),
        cls="fallen" if look.fallen else None,
    )


def _against(against: ScoreDifference | None, metric: str) -> list[Html]:
    if against is None:
        return [el("td", "–"), el("td", "")]
    around = signed_range(against.lo, against.hi, metric)
    span = f" ({around})" if around else ""
    return [el("td", f"{signed(against.difference, metric)}{span}", title=against.name), el("td", p_value(against.p))]
