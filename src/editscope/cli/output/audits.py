"""Audits of judges in the terminal: one column for each judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from rich.console import Console

    from editscope.audit.audit import Audit
    from editscope.audit.findings import Findings
    from editscope.audit.judge_findings import JudgeFindings
    from editscope.audit.means import Mean
    from editscope.audit.question_findings import QuestionFindings

Row: TypeAlias = tuple[str, Callable[[Any], str]]


def audit_table(found: Audit, console: Console) -> None:
    """What an audit found, judge by judge."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("", no_wrap=True)
    for one in found.findings:
        table.add_column(one.judge.partition("?")[0], justify="right")
    for label, cell in _rows(found):
        cells = [cell(one) for one in found.findings]
        if any(text != "–" for text in cells):
            table.add_row(f" {label}", *cells)
    console.print(table, markup=False)
    for name, alpha in found.agreement.items():
        console.print(f" agreement of the judges on {name}: alpha {alpha['value']:.2f}", markup=False)
    for one in found.findings:
        who = "" if len(found.findings) == 1 else f"{one.judge.partition('?')[0]}: "
        for flag, sentence in one.flags.items():
            console.print(f" {who}{flag}: {sentence}", markup=False)
        if not one.flags:
            console.print(f" {who}no weaknesses found", markup=False)
    for change in found.drifts:
        console.print(f" {change.sentence}", markup=False)


def _share(found: Mean) -> str:
    if found.value is None:
        return "–"
    within = "" if found.lo is None else f" ({100 * found.lo:.0f} … {100 * (found.hi or 0):.0f})"
    return f"{100 * found.value:.1f} %{within}"


def _plain(found: Mean) -> str:
    if found.value is None:
        return "–"
    within = "" if found.lo is None else f" ({found.lo:.2f} … {found.hi:.2f})"
    return f"{found.value:.2f}{within}"


def _cost(found: JudgeFindings) -> str:
    cost = found.spent["cost_per_verdict_usd"]
    return "–" if cost is None else f"${cost:.5f}"


def _levels(found: Findings) -> str:
    return " ".join("–" if mean.value is None else f"{mean.value:.1f}" for mean in found.levels.values())


def _rows(found: Audit) -> list[Row]:
    if not found.edit_set.asks:
        return [*SCORE_ROWS, *CALL_ROWS]
    first = found.findings[0]
    rows = [*QUESTION_ROWS]
    for name, label in (("effect", "{}: right"), ("size", "effects of {}: right")):
        rows += [(label.format(key), _right(name, key)) for key in first.by[name]]  # type: ignore[attr-defined]
    return [*rows, ("asked again: same answer", lambda one: _share(one.same_again)), *CALL_ROWS]


def _right(group: str, key: str) -> Callable[[QuestionFindings], str]:
    return lambda one: _share(one.by[group][key].accuracy) if key in one.by[group] else "–"


SCORE_ROWS: tuple[Row, ...] = (
    ("rank accuracy (ties half)", lambda one: _share(one.rank_accuracy)),
    ("right edit over none", lambda one: _share(one.rank_by["right over none"])),
    ("ties", lambda one: _share(one.ties)),
    ("Kendall's tau with mIoU", lambda one: _plain(one.kendall)),
    ("Spearman's rho with mIoU", lambda one: _plain(one.spearman)),
    ("mean score, right … none", _levels),
    ("pairs: better one chosen", lambda one: _share(one.pair_accuracy)),
    ("pairs: first one chosen", lambda one: _share(one.chose_first)),
    ("pairs: same in both orders", lambda one: _share(one.same_in_both_orders)),
    ("asked again: same score", lambda one: _share(one.same_again)),
)
QUESTION_ROWS: tuple[Row, ...] = (
    ("answers that are right", lambda one: _share(one.overall.accuracy)),
    ("Yes to what is not so", lambda one: _share(one.overall.false_yes)),
    ("No to what is so", lambda one: _share(one.overall.false_no)),
)
CALL_ROWS: tuple[Row, ...] = (
    ("verdicts", lambda one: f"{one.statuses.get('ok', 0):,} of {one.asked:,}"),
    ("unparsed", lambda one: f"{100 * one.share('unparsed'):.1f} %"),
    ("refused", lambda one: f"{100 * one.share('refused'):.1f} %"),
    ("errors", lambda one: f"{100 * one.share('error'):.1f} %"),
    ("cost of a verdict", _cost),
)
