"""Figures of a judge audit: a table with intervals, a plot of score against mIoU, a matrix of levels and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, TypeAlias

from editscope.audit.audit import Audit
from editscope.audit.findings import Findings, ScoredEdit, sorted_verdicts
from editscope.audit.judge_findings import JudgeFindings
from editscope.audit.known_edits import LEVELS
from editscope.audit.means import Mean
from editscope.report.html.inline_bars import interval_bar
from editscope.report.html.markup import Html, el

Cell: TypeAlias = "Callable[[Any], Html | str]"
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 420, 270, 34, 12, 10, 36


def figures(audit: Audit) -> Html:
    """All figures of all judges in one table."""
    groups: list[tuple[str, list[tuple[str, Cell]]]] = [
        ("Ranking", _ranking()),
        ("Two edits side by side", _pairs()),
        ("Asked again", _again()),
    ]
    if audit.edit_set.asks:
        groups = _answers()
    groups.append(("Verdicts and what they cost", _costs()))
    rows: list[Html] = []
    for title, lines in groups:
        rows.append(el("tr", el("th", title, cls="label", colspan=1 + len(audit.findings)), cls="group"))
        rows += [
            el(
                "tr",
                el("th", label, cls="label", scope="row"),
                [el("td", cell(findings), cls=f"run{place % 8}") for place, findings in enumerate(audit.findings)],
            )
            for label, cell in lines
        ]
    head = el(
        "tr",
        el("th", "", cls="label"),
        [el("th", findings.judge.partition("?")[0], scope="col") for findings in audit.findings],
    )
    table = el("table", el("thead", head), el("tbody", rows), cls="listing audit-table")
    return el("section", el("h2", "Figures"), el("div", table, cls="scroller"), cls="card", id="figures")


def _ranking() -> list[tuple[str, Cell]]:
    kinds = ("right over none", "right over damaged", "damaged over none", "less damaged over more")
    return [
        ("Rank accuracy, a tie counts half", lambda findings: share(findings.rank_accuracy)),
        *((f"… {kind}", _rank_accuracy(kind)) for kind in kinds),
        ("Ties", lambda findings: share(findings.ties)),
        ("Kendall's tau with mIoU, within problems", lambda findings: plain(findings.kendall)),
        ("Spearman's rho with mIoU, over all", lambda findings: plain(findings.spearman)),
    ]


def _rank_accuracy(kind: str) -> Cell:
    return lambda findings: share(findings.rank_by[kind])


def _pairs() -> list[tuple[str, Cell]]:
    return [
        ("The better one chosen", lambda findings: share(findings.pair_accuracy)),
        ("The first one chosen (50 % is fair)", lambda findings: share(findings.chose_first)),
        ("The same one in both orders", lambda findings: share(findings.same_in_both_orders)),
    ]


def _answers() -> list[tuple[str, list[tuple[str, Cell]]]]:
    return [
        (
            "Answers",
            [
                ("Right (50 % is chance)", lambda findings: share(findings.overall.accuracy)),
                ("Yes to what is not so", lambda findings: share(findings.overall.false_yes)),
                ("No to what is so", lambda findings: share(findings.overall.false_no)),
                ("Yes in all", lambda findings: share(findings.yes)),
            ],
        ),
        ("Asked again", [("The same answer", lambda findings: share(findings.same_again))]),
    ]


def _again() -> list[tuple[str, Cell]]:
    return [
        ("The same score", lambda findings: share(findings.same_again)),
        ("Mean distance of the two scores", lambda findings: plain(findings.apart_again)),
    ]


def _costs() -> list[tuple[str, Cell]]:
    return [
        ("Calls", lambda findings: f"{findings.asked:,}"),
        ("Unparsed", lambda findings: _counted(findings, "unparsed")),
        ("Refused", lambda findings: _counted(findings, "refused")),
        ("Errors", lambda findings: _counted(findings, "error")),
        ("Cost of a verdict", lambda findings: _money(findings.spent["cost_per_verdict_usd"])),
        ("Cost of the audit", lambda findings: _money(findings.spent["cost_usd"])),
        ("Tokens of a verdict, in and out", _tokens),
        ("Seconds for a verdict", lambda findings: f"{findings.spent['seconds_per_verdict']:.2f}"),
        ("Requests for a verdict", lambda findings: f"{findings.spent['requests_per_verdict']:.2f}"),
    ]


def share(mean: Mean) -> Html | str:
    """A share in percent with its interval, in figures and as a bar."""
    if mean.value is None:
        return "–"
    low, high = (mean.value if side is None else side for side in (mean.lo, mean.hi))
    within = "" if mean.lo is None else f"{100 * low:.0f} … {100 * high:.0f}"
    return el(
        "span",
        f"{100 * mean.value:.1f} % ",
        el("small", within),
        interval_bar(100 * low, 100 * (high - low), 100 * mean.value),
    )


def plain(mean: Mean) -> Html | str:
    """A number with its interval."""
    if mean.value is None:
        return "–"
    return el("span", f"{mean.value:.2f} ", el("small", "" if mean.lo is None else f"{mean.lo:.2f} … {mean.hi:.2f}"))


def plots(audit: Audit) -> list[Html]:
    """Score against mIoU, one drawing for each judge: every exhibit as a point, the mean of each level as a ring."""
    return [
        el(
            "figure",
            el("figcaption", el("h3", findings.judge.partition("?")[0])),
            _plot(findings, _scored(audit, findings)),
            cls=f"run{place % 8}",
        )
        for place, findings in _scored_judges(audit)
    ]


def _plot(findings: Findings, scored: list[ScoredEdit]) -> Html:
    points = [
        el("circle", cx=_x(edit.miou), cy=_y(score + _apart(edit, n)), r=3, cls="point")
        for edit in scored
        for n, score in enumerate(edit.scores)
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
    for level, mean in findings.levels.items():
        here = [edit.miou for edit in scored if edit.level == level]
        if mean.value is None or not here:
            continue
        x = _x(sum(here) / len(here))
        if mean.lo is not None and mean.hi is not None:
            means.append(el("line", x1=x, x2=x, y1=_y(mean.lo), y2=_y(mean.hi), cls="spread"))
        means.append(el("circle", cx=x, cy=_y(mean.value), r=6, cls="level"))
    label = "Scores against mIoU: " + ", ".join(
        f"{level} {mean.value:.2f}" for level, mean in findings.levels.items() if mean.value is not None
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
    return [_matrix(place, findings, names) for place, findings in _scored_judges(audit)]


def _scored_judges(audit: Audit) -> list[tuple[int, Findings]]:
    return [(place, one) for place, one in enumerate(audit.findings) if isinstance(one, Findings)]


def _matrix(place: int, findings: Findings, names: Mapping[str, str]) -> Html:
    rows = []
    for level in LEVELS:
        counts = findings.distribution[level]
        total = sum(counts.values())
        mean = findings.levels[level].value
        cells = [_matrix_cell(place, level, score, count, total, names) for score, count in counts.items()]
        note = "" if mean is None else f"mean {mean:.2f}"
        rows.append(el("tr", el("th", names[level], el("small", note), scope="row"), cells))
    head = el("tr", el("th", ""), [el("th", score, scope="col") for score in findings.distribution["oracle"]])
    caption = el("caption", findings.judge.partition("?")[0])
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


def _scored(audit: Audit, findings: Findings) -> list[ScoredEdit]:
    own = {(case, key, n): v for (case, key, spec, n), v in audit.verdicts.items() if spec == findings.judge}
    return sorted_verdicts(audit.edit_set.problems, own)[0]


def _apart(edit: ScoredEdit, sample: int) -> float:
    """A little up or down, so that equal scores do not hide each other; the same every time."""
    mark = sha256(f"{edit.problem}|{edit.level}|{sample}".encode()).digest()[0]
    return (mark / 255 - 0.5) * 0.5


def _x(miou: float) -> float:
    return round(LEFT + miou * (WIDTH - LEFT - RIGHT), 2)


def _y(score: float) -> float:
    return round(TOP + (5.4 - score) / 4.8 * (HEIGHT - TOP - BOTTOM), 2)


def _counted(findings: JudgeFindings, status: str) -> str:
    count = findings.statuses.get(status, 0)
    return f"{count:,} ({100 * findings.share(status):.1f} %)" if count else "0"


def _money(cost: float | None) -> str:
    return "unknown" if cost is None else f"${cost:,.5f}" if cost < 0.1 else f"${cost:,.2f}"


def _tokens(findings: JudgeFindings) -> str:
    spent = findings.spent
    return f"{spent['input_tokens_per_verdict']:,.0f} · {spent['output_tokens_per_verdict']:,.0f}"
