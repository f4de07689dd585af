"""Tables of a comparison as papers print them: base, + A, Δ, + B, Δ, with published rows below."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from editscope.published import HEADLINES, label, results
from editscope.published.records import Result
from editscope.suites import suite_title
from editscope.suites.tables import Column, PaperCell, PaperRow, PaperTable, difference
from editscope.suites.tables.judged import short
from editscope.training.comparison.figures import ArmFigure, At, ComparedJudge, ComparedLevel
from editscope.training.comparison.settings import BASE
from editscope.wording import listed, plain

DELTA = "Δ"
NOTE = (
    "Δ is an arm minus the base over the cases that both have a verdict on, ± half of its paired 95 % interval. "
    "Gray figures with n have too few cases for an interval."
)


def arm_label(name: str) -> str:
    """An arm as a row is called.

    >>> arm_label("base"), arm_label("PICA-100K")
    ('base', '+ PICA-100K')
    """
    return name if name == BASE else f"+ {name}"


def comparison_tables(compared: ComparedJudge) -> Iterator[PaperTable]:
    """A table for each level of instruction."""
    for level in compared.levels:
        yield _table(compared, level)


def title_of(compared: ComparedJudge, level: str) -> str:
    """What a table shows, in a line."""
    parts = [compared.evaluation.label if compared.evaluation.name else suite_title(compared.suite)]
    parts += [f"{level} instructions"] if level else []
    parts += [f"instructions differ ({_forms(compared)})"] if compared.across else []
    return ", ".join([*parts, f"judge {compared.judge_name}"])


def _forms(compared: ComparedJudge) -> str:
    specs = {arm: compared.evaluation.spec_for(arm).partition("?")[2] or "default" for arm in compared.runs}
    return "; ".join(f"{arm}: {spec}" for arm, spec in specs.items())


def _table(compared: ComparedJudge, level: ComparedLevel) -> PaperTable:
    columns = tuple(
        Column(short(metric), above=plain(key) if key else "Overall", filter={by: key} if key else {})
        for by, key, metric in level.columns
    )
    rows: list[PaperRow] = []
    for arm, figures in level.figures.items():
        rows.append(PaperRow("row", arm_label(arm), cells=tuple(_cell(figures[at]) for at in level.columns)))
        if arm != BASE:
            rows.append(PaperRow("average", DELTA, cells=tuple(_delta(figures[at]) for at in level.columns), depth=1))
    printed = list(_published_rows(compared, level))
    return PaperTable(
        name=level.level or "overall",
        title=title_of(compared, level.level),
        caption=" ".join(
            [f"{title_of(compared, level.level)}.", NOTE, *_missing(compared), *_sources(compared, level)]
        ),
        columns=columns,
        rows=(*rows, *printed),
        metric=compared.headline,
        decimals=2,
        stub="Arm",
        spread=("average",),
        models="rows",
    )


def _cell(figure: ArmFigure) -> PaperCell | None:
    half = None if figure.lo is None or figure.hi is None else (figure.hi - figure.lo) / 2
    return None if figure.mean is None else PaperCell(figure.mean, half, figure.n, few=half is None)


def _delta(figure: ArmFigure) -> PaperCell | None:
    paired = figure.difference
    if paired is None:
        return None
    half = None if paired.lo is None or paired.hi is None else (paired.hi - paired.lo) / 2
    return PaperCell(paired.difference, half, paired.n, ranked=False, signed=True, few=half is None)


def missing_in_words(compared: ComparedJudge) -> list[str]:
    """A sentence for each arm whose run lacks edits or verdicts."""
    sentences = []
    for arm in compared.runs:
        parts = [
            f"{n:,} {what} {plain(status).lower()}"
            for what, counts in compared.missing(arm).items()
            for status, n in counts.items()
        ]
        if parts:
            sentences.append(f"{arm_label(arm)}: {', '.join(parts)}")
        if arm in compared.unpaired:
            sentences.append(f"{arm_label(arm)} has no differences: {compared.unpaired[arm]}")
    return sentences


def _missing(compared: ComparedJudge) -> list[str]:
    sentences = missing_in_words(compared)
    return [f"Missing: {'; '.join(sentences)}. A missing verdict takes no part in a mean."] if sentences else []


# --- what papers print ----------------------------------------------------------------------------------------------


def published_of(compared: ComparedJudge, level: str, arm: str) -> dict[At, Result]:
    """The printed figures that the plan names for an arm: of this level, by the judge that is most like the run's."""
    named = compared.evaluation.published.get(arm, "")
    if not named:
        return {}
    model, _, setting = named.partition(", ")
    main = HEADLINES.get(compared.suite)
    wanted_level = level or (main.level if main and main.level else "")
    found = [
        one
        for one in results(compared.suite, model=model)
        if one.setting == setting and (not one.level or one.level == wanted_level)
    ]
    judges = list(dict.fromkeys(one.judge for one in found))
    same = [judge for judge in judges if _letters(judge) in _letters(compared.judge_name)]
    judge = same[0] if same else main.judge if main and main.judge in judges else next(iter(judges), "")
    figures: dict[At, Result] = {}
    for one in found:
        if one.judge == judge:
            figures.setdefault((one.by, one.group, one.metric), one)
    return figures


def _published_rows(compared: ComparedJudge, level: ComparedLevel) -> Iterator[PaperRow]:
    printed = {arm: published_of(compared, level.level, arm) for arm in level.figures}
    there = {arm: cells for arm, cells in printed.items() if any(at in cells for at in level.columns)}
    base = _printed(there.get(BASE, {}), level.columns)
    for arm, cells in there.items():
        shown = _printed(cells, level.columns)
        yield PaperRow("row", compared.evaluation.published[arm], cells=shown, note="published", published=True)
        if arm != BASE and any(base):
            deltas = tuple(difference(cell, other) for cell, other in zip(shown, base, strict=True))
            yield PaperRow("average", DELTA, cells=deltas, depth=1, published=True)


def _printed(cells: Mapping[At, Result], columns: Sequence[At]) -> tuple[PaperCell | None, ...]:
    found = (cells.get(at) for at in columns)
    return tuple(None if one is None else PaperCell(one.value, one.half_width, published=True) for one in found)


def _sources(compared: ComparedJudge, level: ComparedLevel) -> list[str]:
    labels = dict.fromkeys(
        label(one) for arm in level.figures for one in published_of(compared, level.level, arm).values()
    )
    return [f"Published: {listed(list(labels))}; not paired with these runs."] if labels else []


def _letters(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())
