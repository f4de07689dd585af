"""Figures of a judge audit: a table with intervals, a plot of score against mIoU, a matrix of levels and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import TypeAlias

from editscope.audit.audit import Audit
from editscope.audit.findings import Findings, Mean, ScoredEdit, sorted_verdicts
from editscope.audit.known_edits import LEVELS
from editscope.report.html.inline_bars import interval_bar
from editscope.report.html.markup import Html, el

Cell: TypeAlias = "Callable[[Findings], Html | str]"
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 420, 270, 34, 12, 10, 36


def figures(audit: Audit) -> Html:
    """All figures of all judges in one table."""
    groups: tuple[tuple[str, tuple[tuple[str, Cell], ...]], ...] = (
        ("Ranking", tuple(_ranking())),
        ("Two edits side by side", tuple(_pairs())),
        ("Asked again", tuple(_again())),
        ("Verdicts and what they cost", tuple(_costs())),
    )
    rows: list[Html] = []
    for title, lines in groups:
        rows.append(el("tr", el("th", title, cls="label", colspan=1 + len(audit.findings)), cls="group"))
        rows += [
            el(
                "tr",
                el("th", label, cls="label", scope="row"),
                [el("td", cell(one), cls=f"run{place % 8}") for place, one in enumerate(audit.findings)],
            )
            for label, cell in lines
        ]
    head = el(
        "tr",
        el("th", "", cls="label"),
        [el("th", one.judge.partition("?")[0], scope="col") for one in audit.findings],
    )
    table = el("table", el("thead", head), el("tbody", rows), cls="listing audit-table")
    return el("section", el("h2", "Figures"), el("div", table, cls="scroller"), cls="card", id="figures")


def _ranking() -> list[tuple[str, Cell]]:
    kinds = ("right over none", "right over damaged", "damaged over none", "less damaged over more")
    by_kind: list[tuple[str, Cell]] = [(f"… {kind}", lambda one, k=kind: share(one.rank_by[k])) for kind in kinds]  # type: ignore[misc]
    return [
        ("Rank accuracy, a tie counts half", lambda one: share(one.rank_accuracy)),
        *by_kind,
        ("Ties", lambda one: share(one.ties)),
        ("Kendall's tau with mIoU, within problems", lambda one: plain(one.kendall)),
        ("Spearman's rho with mIoU, over all", lambda one: plain(one.spearman)),
    ]


def _pairs() -> list[tuple[str, Cell]]:
    return [
        ("The better one chosen", lambda one: share(one.pair_accuracy)),
        ("The first one chosen (50 % is fair)", lambda one: share(one.chose_first)),
        ("The same one in both orders", lambda one: share(one.same_in_both_orders)),
    ]


def _again() -> list[tuple[str, Cell]]:
    return [
        ("The same score", lambda one: share(one.same_again)),
        ("Mean distance of the two scores", lambda one: plain(one.apart_again)),
    ]


def _costs() -> list[tuple[str, Cell]]:
    return [
        ("Calls", lambda one: f"{one.asked:,}"),
        ("Unparsed", lambda one: _counted(one, "unparsed")),
        ("Refused", lambda one: _counted(one, "refused")),
        ("Errors", lambda one: _counted(one, "error")),
        ("Cost of a verdict", lambda one: _money(one.spent["cost_per_verdict_usd"])),
        ("Cost of the audit", lambda one: _money(one.spent["cost_usd"])),
        ("Tokens of a verdict, in and out", _tokens),
        ("Seconds for a verdict", lambda one: f"{one.spent['seconds_per_verdict']:.2f}"),
        ("Requests for a verdict", lambda one: f"{one.spent['requests_per_verdict']:.2f}"),
    ]


def share(found: Mean) -> Html | str:
    """A share in percent with its interval, in figures and as a bar."""
    if found.value is None:
        return "–"
    low, high = (found.value if side is None else side for side in (found.lo, found.hi))
    within = "" if found.lo is None else f"{100 * low:.0f} … {100 * high:.0f}"
    return el(
        "span",
        f"{100 * found.value:.1f} % ",
        el("small", within),
        interval_bar(100 * low, 100 * (high - low), 100 * found.value),
    )


def plain(found: Mean) -> Html | str:
    """A number with its interval."""
    if found.value is None:
        return "–"
    return el(
        "span", f"{found.value:.2f} ", el("small", "" if found.lo is None else f"{found.lo:.2f} … {found.hi:.2f}")
    )


def plots(audit: Audit) -> list[Html]:
    """Score against mIoU, one drawing for each judge: every exhibit as a point, the mean of each level as a ring."""
    return [
        el(
            "figure",
            el("figcaption", el("h3", one.judge.partition("?")[0])),
            _plot(one, _scored(audit, one)),
            cls=f"run{place % 8}",
        )
        for place, one in enumerate(audit.findings)
    ]


def _plot(found: Findings, scored: list[ScoredEdit]) -> Html:
    points = [
        el("circle", cx=_x(one.miou), cy=_y(score + _apart(one, n)), r=3, cls="point")
        for one in scored
        for n, score in enumerate(one.scores)
        if score is not None
    ]
    grid = [
        part
        for score in range(1, 6)
        for part in (
            el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=_y(score), y2=_y(score), cls="grid"),
            el("text", str(score), x=LEFT - 8, y=_y(score) + 4, cls="tick end"),
        )
    ]
    grid += [el("text", str(at), x=_x(at / 100), y=HEIGHT - BOTTOM + 22, cls="tick middle") for at in range(0, 101, 25)]
    names = [
        el("text", "mIoU of the edit", x=WIDTH - RIGHT, y=HEIGHT - 2, cls="axis-name end"),
        el("text", "score", x=0, y=TOP - 2, cls="axis-name"),
    ]
    means = []
    for level, mean in found.levels.items():
        here = [one.miou for one in scored if one.level == level]
        if mean.value is None or not here:
            continue
        x = _x(sum(here) / len(here))
        if mean.lo is not None and mean.hi is not None:
            means.append(el("line", x1=x, x2=x, y1=_y(mean.lo), y2=_y(mean.hi), cls="spread"))
        means.append(el("circle", cx=x, cy=_y(mean.value), r=6, cls="level"))
    label = "Scores against mIoU: " + ", ".join(
        f"{level} {mean.value:.2f}" for level, mean in found.levels.items() if mean.value is not None
    )
    return el(
        "svg",
        grid,
        points,
        means,
        names,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        cls="audit-plot",
        role="img",
        aria_label=label,
    )


def matrices(audit: Audit, names: Mapping[str, str]) -> list[Html]:
    """How often each level got each score, one table for each judge; a cell filters the exhibits."""
    return [_matrix(place, one, names) for place, one in enumerate(audit.findings)]


def _matrix(place: int, found: Findings, names: Mapping[str, str]) -> Html:
    rows = []
    for level in LEVELS:
        counts = found.distribution[level]
        total = sum(counts.values())
        mean = found.levels[level].value
        cells = [_matrix_cell(place, level, score, count, total, names) for score, count in counts.items()]
        said = "" if mean is None else f"mean {mean:.2f}"
        rows.append(el("tr", el("th", names[level], el("small", said), scope="row"), cells))
    head = el("tr", el("th", ""), [el("th", score, scope="col") for score in found.distribution["oracle"]])
    caption = el("caption", found.judge.partition("?")[0])
    return el("table", caption, el("thead", head), el("tbody", rows), cls=f"matrix run{place % 8}")


def _matrix_cell(place: int, level: str, score: str, count: int, total: int, names: Mapping[str, str]) -> Html:
    heat = 0 if not total else round(70 * count / total)
    if not count:
        return el("td", style="--heat:0%")
    title = f"{names[level]}, score {score}: {count} of {total}"
    return el(
        "td",
        el(
            "button",
            str(count),
            type="button",
            data_cell=f"{place}-{level}-{score}",
            title=title,
            aria_label=title,
            aria_pressed="false",
        ),
        style=f"--heat:{heat}%",
    )


def _scored(audit: Audit, found: Findings) -> list[ScoredEdit]:
    own = {(case, key, n): v for (case, key, spec, n), v in audit.verdicts.items() if spec == found.judge}
    return sorted_verdicts(audit.edit_set.problems, own)[0]


def _apart(one: ScoredEdit, sample: int) -> float:
    """A little up or down, so that equal scores do not hide each other; the same every time."""
    mark = sha256(f"{one.problem}|{one.level}|{sample}".encode()).digest()[0]
    return (mark / 255 - 0.5) * 0.5


def _x(miou: float) -> float:
    return round(LEFT + miou * (WIDTH - LEFT - RIGHT), 2)


def _y(score: float) -> float:
    return round(TOP + (5.4 - score) / 4.8 * (HEIGHT - TOP - BOTTOM), 2)


def _counted(found: Findings, status: str) -> str:
    count = found.statuses.get(status, 0)
    return f"{count:,} ({100 * found.share(status):.1f} %)" if count else "0"


def _money(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:,.5f}" if cost < 0.1 else f"${cost:,.2f}"


def _tokens(found: Findings) -> str:
    spent = found.spent
    return f"{spent['input_tokens_per_verdict']:,.0f} · {spent['output_tokens_per_verdict']:,.0f}"
