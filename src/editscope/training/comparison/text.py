"""Text of a comparison for a terminal: groups in rows, arms in columns, each with its difference and interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from editscope import printing
from editscope.suites.tables import OVERALL
from editscope.suites.tables.judged import short
from editscope.training.comparison.figures import ArmFigure, ComparedLevel
from editscope.training.comparison.results import ComparisonResults, ratio, share
from editscope.training.comparison.settings import BASE
from editscope.training.comparison.tables import arm_label, missing_in_words, title_of
from editscope.wording import metric_name, plain

PER_ARM, STUB = 34, 30
"""Letters that an arm takes with its difference, and that the names of groups take with the base."""


def comparison_text(results: ComparisonResults, width: int) -> str:
    """All tables and sentences as plain text."""
    console = printing.console(soft_wrap=False)
    console.no_color, console.width = True, max(width, STUB + PER_ARM)
    with console.capture() as captured:
        for part in parts(results, console.width):
            console.print(part, markup=False, highlight=False, soft_wrap=isinstance(part, str))
    return Text.from_ansi(captured.get()).plain + "\n"


def parts(results: ComparisonResults, width: int) -> Iterator[RenderableType]:
    """What is printed, in order."""
    for compared in results.judged:
        for level in compared.levels:
            yield title_of(compared, level.level)
            for metric in compared.metrics:
                yield from _tables(level, metric, width)
            yield ""
        yield from (f" missing: {sentence}" for sentence in missing_in_words(compared))
    if results.judged:
        yield Group("what the edits did to their pictures", _drift(results))
        yield ""
        yield "Δ: an arm minus the base, paired by case, with its 95 % interval; none where there are too few cases"
    yield from results.sentences()


def _tables(level: ComparedLevel, metric: str, width: int) -> Iterator[Table]:
    """One table, or several where the arms do not fit side by side."""
    arms = [arm for arm in level.figures if arm != BASE]
    room = max(1, (width - STUB) // PER_ARM)
    for start in range(0, max(1, len(arms)), room):
        yield _table(level, metric, arms[start : start + room])


def _table(level: ComparedLevel, metric: str, arms: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    head = short(metric) if len(metric) == 2 else metric_name(metric)  # VC, IF
    table.add_column(head, no_wrap=True, overflow="ellipsis", min_width=12, max_width=STUB - 9)
    table.add_column(BASE, justify="right", no_wrap=True)
    for arm in arms:
        table.add_column(arm_label(arm), justify="right", overflow="fold", max_width=16)
        table.add_column("Δ", justify="right", no_wrap=True)
        table.add_column("95 %", justify="right", no_wrap=True)
    for at in level.columns:
        if at[2] != metric:
            continue
        cells = [_mean(level.figures[BASE][at])]
        for arm in arms:
            cells += [_mean(level.figures[arm][at]), *_difference(level.figures[arm][at])]
        overall = at[:2] == OVERALL
        table.add_row(Text("overall" if overall else plain(at[1])), *cells)
    return table


def _mean(figure: ArmFigure) -> str:
    return "–" if figure.mean is None else f"{figure.mean:.2f}"


def _difference(figure: ArmFigure) -> tuple[str, str]:
    paired = figure.difference
    if paired is None:
        return "–", ""
    between = "" if paired.lo is None or paired.hi is None else f"{_signed(paired.lo)} … {_signed(paired.hi)}"
    return _signed(paired.difference), between


def _signed(number: float) -> str:
    text = f"{number:+.2f}"
    return text.replace("-", "−") if text.strip("+-0.") else text.lstrip("+-")


def _drift(results: ComparisonResults) -> Table:
    table = Table(box=None, pad_edge=False)
    for head, justify in (
        ("", "left"),
        ("arm", "left"),
        ("edits", "right"),
        ("unchanged", "right"),
        ("over-edit", "right"),
    ):
        table.add_column(head, justify=justify)  # type: ignore[arg-type]
    for evaluation, arms in results.drift.items():
        for arm, drift in arms.items():
            table.add_row(
                Text(evaluation),
                Text(arm_label(arm)),
                f"{drift.edits:,}",
                share(drift.identity),
                ratio(drift.over_edit),
            )
    return table
