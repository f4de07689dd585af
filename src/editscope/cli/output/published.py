"""Published results as commands print them: overview, rankings, tables, models and slips."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from editscope import printing

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from editscope.published import MatrixColumn, MatrixRow, ModelCard, Result

WORDS = {
    "miou_delta": "Δ to baseline",
    "miou_lo": "low end",
    "miou_hi": "high end",
    "miou": "mIoU",
    "_accuracy": "",
    "_": " ",
}
DERIVED = ("_lo", "_hi", "_delta", "_gain")
"""Metrics that say something about another one; they are no column of a leaderboard."""
NUMBERS = ("models", "values", "B", "year")
NEVER_CUT = ("suite", "model", "weights", "year")
HOW_TO_READ = "Published rows stand beside a run with this label, never in a paired test."


OVERVIEW = ("suite", "paper", "tables", "models", "judges", "values", "best")


def overview(console: Console) -> None:
    """Every suite that has published results, with the best of them."""
    from editscope import published

    rows, total = [], 0
    for suite in published.suites():
        results = published.results(suite)
        total += len(results)
        best = published.best(suite)
        cells = (
            suite,
            published.PAPERS[results[0].source].name,
            _spans(row.table for row in results),
            str(len({row.model for row in results})),
            ", ".join(dict.fromkeys(row.judge for row in results if row.judge)) or "none: pixels",
            f"{len(results):,}",
            f"{_said(best)} {best.model}" if best else "–",
        )
        rows.append(dict(zip(OVERVIEW, cells, strict=True)))
    console.print(_fitting(rows, OVERVIEW, ("judges", "values", "paper"), console))
    console.print(
        f"\n{total:,} numbers of {len(published.PAPERS)} papers. {HOW_TO_READ}"
        "\nOne suite: editscope published paintbench · the models: editscope published --models",
        markup=False,
    )


def _fitting(rows: Sequence[dict[str, str]], columns: Sequence[str], spare: Sequence[str], console: Console) -> Table:
    """A table without as many of the ``spare`` columns, in their order, as it takes to fit the terminal."""
    from rich.table import Table

    for left_out in range(len(spare) + 1):
        visible = [name for name in columns if name not in spare[:left_out]]
        shown = Table(box=None, pad_edge=False)
        for name in visible:
            shown.add_column(name, justify="right" if name in NUMBERS else "left", no_wrap=name in NEVER_CUT)
        for row in rows:
            shown.add_row(*(row[name] for name in visible))
        if console.measure(shown, options=console.options.update(max_width=1000)).maximum <= console.width:
            break
    return shown


def leaderboard(suite: str, console: Console) -> None:
    """Every model over the whole suite, best first, with what is known about it."""
    from editscope import published

    ranked = published.main_leaderboard(suite)
    first = ranked[0]
    others = dict.fromkeys(
        row.metric
        for row in published.results(suite, by="overall")
        if row.metric != first.metric and not row.metric.endswith(DERIVED)
    )
    beside = {
        metric: {row.model: row for row in rows}
        for metric in others
        if (rows := published.main_leaderboard(suite, metric))
    }
    unlimited = console.options.update(max_width=1000)
    for known in (("developer", "weights", "B", "year"), ("weights", "B", "year"), ()):
        shown = _ranking(ranked, beside, known)
        if console.measure(shown, options=unlimited).maximum <= console.width:
            break
    console.print(shown)
    console.print()
    _source(suite, [*ranked, *(row for rows in beside.values() for row in rows.values())], console)


def _ranking(ranked: Sequence[Result], beside: dict[str, dict[str, Result]], known: Sequence[str]) -> Table:
    """Places, models and metrics, and as much of what is known about a model as fits."""
    from rich.table import Table

    from editscope import published

    shown = Table(box=None, pad_edge=False)
    for heading in ("", "model", _name(ranked[0].metric), *map(_name, beside), *known):
        left = heading in ("model", "developer", "weights")
        shown.add_column(heading, justify="left" if left else "right", no_wrap=True)
    for row in ranked:
        card = published.models().get(row.model) or published.ModelCard(row.model, "", "", "", None, None, None)
        facts = dict(zip(("developer", "weights", "B", "year"), (card.developer, *_facts(card)), strict=True))
        metrics = (_said(row), *(_said(rows.get(row.model)) for rows in beside.values()))
        shown.add_row(str(_place(row, ranked)), row.model, *metrics, *(facts[fact] for fact in known))
    return shown


def matrix(suite: str, rows: Sequence[Result], *, main: bool, metric: str | None, console: Console) -> None:
    """Rows against models, in as many blocks as the width of the terminal needs."""
    from rich.table import Table
    from rich.text import Text

    from editscope import published

    if main:  # without a table: the main protocol, and the headline metric where none was named
        wanted = published.HEADLINES[suite]
        metric = metric or (wanted.metric if any(row.metric == wanted.metric for row in rows) else None)
        rows = [row for row in rows if row.setting == "" and metric in (None, row.metric)] or rows
        for field in ("judge", "level", "language"):
            rows = [row for row in rows if getattr(row, field) == getattr(wanted, field)] or rows
    laid = published.matrix(rows)
    names = [_heading(column) for column in laid.columns]
    labels = [_label(row) for row in laid.rows]
    kinds = [row.by for row in laid.rows]
    plain = max(kinds, key=kinds.count)  # the rows that the others are averages of
    widths = [max(len(name), *(len(_said(row.cells[i])) for row in laid.rows)) + 2 for i, name in enumerate(names)]
    for block in _blocks(widths, console.width - max(map(len, labels)) - 2):
        shown = Table(box=None, pad_edge=False)
        shown.add_column("", no_wrap=True)
        for i in block:
            shown.add_column(names[i], justify="right", no_wrap=True)
        for row, label in zip(laid.rows, labels, strict=True):
            style = "" if row.by == plain else "bold"
            shown.add_row(Text(label), *(_said(row.cells[i]) for i in block), style=style)
        console.print(shown)
        console.print()
    listed = dict.fromkeys(row.metric for row in rows)
    console.print(f"{suite} · {', '.join(map(_name, listed))} by {', '.join(dict.fromkeys(kinds))}")
    _source(suite, rows, console)


def standing(model: str, console: Console) -> None:
    """Where one model stands in every suite."""
    from rich.table import Table

    from editscope import published

    name = published.known_model(model)
    shown = Table(box=None, pad_edge=False)
    for heading in ("suite", "metric", name, "place", "best", "label"):
        shown.add_column(heading, justify="right" if heading in (name, "place", "best") else "left")
    for suite in published.suites():
        ranked = published.main_leaderboard(suite)
        for row in ranked:
            if row.model == name:
                place = f"{_place(row, ranked)} of {len(ranked)}"
                shown.add_row(suite, _name(row.metric), _said(row), place, _said(ranked[0]), published.label(row))
    console.print(shown)
    console.print(HOW_TO_READ)


def models(cards: Sequence[ModelCard], console: Console) -> None:
    """What is known about models."""
    columns = ("model", "family", "developer", "architecture", "weights", "B", "year")
    rows = [dict(zip(columns, (*_names(card), *_facts(card)), strict=True)) for card in cards]
    console.print(_fitting(rows, columns, ("architecture", "developer", "family"), console))
    console.print("\nB: billions of parameters; a blank means that no source states it for certain.")


def models_as_csv(cards: Sequence[ModelCard]) -> None:
    """The same as CSV, with the other names of each model."""
    headings = ("name", "family", "developer", "architecture", "weights", "parameters_b", "year", "aliases")
    printing.say_csv(headings, ((*_names(card), *_facts(card), "|".join(card.aliases)) for card in cards))


def slips(sources: Sequence[str], console: Console) -> None:
    """What was corrected in the tables of papers, and what contradicts itself in them."""
    from editscope import published

    for source in sources:
        console.print(f"{published.PAPERS[source].title}", markup=False)
        for slip in published.corrections(source):
            line = f"  Table {slip.table}, {slip.cell}: {slip.printed!r} read as {slip.used!r}: {slip.reason}"
            console.print(line, markup=False, soft_wrap=True)
        for odd in published.contradictions(source):
            line = (
                f"  Table {odd.table}, {odd.cell}: printed {odd.printed}, its parts give {odd.computed}: {odd.remark}"
            )
            console.print(line, markup=False, soft_wrap=True)


def _source(suite: str, rows: Sequence[Result], console: Console) -> None:
    """From which paper and tables, with which label, and how to read it."""
    from editscope import published

    labels = dict.fromkeys(published.label(row) for row in rows)
    paper = published.PAPERS[rows[0].source]
    tables = {row.table for row in rows}
    text = f"{paper.title}, {'Tables' if len(tables) > 1 else 'Table'} {_spans(tables)}"
    console.print(text + f"\n{'; '.join(labels)}. {HOW_TO_READ}", markup=False)
    if remark := published.REMARKS.get(suite):
        console.print(remark, markup=False)
    slips = sum(slip.table in tables for slip in published.corrections(paper.source))
    odd = sum(cell.table in tables for cell in published.contradictions(paper.source))
    if slips or odd:
        text = f"slips of the text corrected: {slips} · cells that disagree with their parts: {odd}"
        console.print(f"{text} · list: editscope published {suite} --slips", markup=False)


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """Columns in groups that fit the room; at least one each.

    >>> _blocks([10, 10, 10], 25)
    [[0, 1], [2]]
    """
    blocks: list[list[int]] = []
    left = 0
    for i, width in enumerate(widths):
        if not blocks or width > left:
            blocks.append([])
            left = room
        blocks[-1].append(i)
        left -= width
    return blocks


def _spans(tables: Iterable[str]) -> str:
    """Table numbers, runs of them as a span; tables without a number come last.

    >>> _spans(["1", "3", "2", "12"]), _spans(["2", "A1"])
    ('1–3, 12', '2, A1')
    """
    names = set(tables)
    runs: list[list[int]] = []
    for number in sorted(int(table) for table in names if table.isdecimal()):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    return ", ".join([*spans, *sorted(table for table in names if not table.isdecimal())])


def _names(card: ModelCard) -> tuple[str, str, str, str]:
    return card.name, card.family, card.developer, card.architecture


def _facts(card: ModelCard) -> tuple[str, str, str]:
    """Weights, billions of parameters, year; blank where nobody says."""
    weights = {True: "open", False: "closed", None: ""}[card.open]
    size = "" if card.parameters_b is None else f"{card.parameters_b:g}"
    return weights, size, "" if card.year is None else str(card.year)


def _said(row: Result | None) -> str:
    """A number with the decimals of its paper, and its half-width where there is one."""
    from editscope.published import decimals

    if row is None:
        return "–"
    sign = "+" if row.value and row.metric.endswith(("_delta", "_gain")) else ""
    spread = "" if row.half_width is None else f" ± {row.half_width:.{decimals(row.suite, row.metric)}f}"
    return f"{row.value:{sign}.{decimals(row.suite, row.metric)}f}{spread}"


def _place(row: Result, ranked: Sequence[Result]) -> int:
    return 1 + sum(other.value > row.value for other in ranked)


def _label(row: MatrixRow) -> str:
    return " · ".join((row.group or row.by, *(_name(detail) for detail in row.details if detail)))


def _name(metric: str) -> str:
    """A metric as a table heads it.

    >>> _name("miou"), _name("preservation_accuracy@5_gain")
    ('mIoU', 'preservation@5 gain')
    """
    for part, word in WORDS.items():
        metric = metric.replace(part, word)
    return metric


def _heading(column: MatrixColumn) -> str:
    """The shortest name of a model, or what differs where all columns are of one model."""
    from editscope.published import card

    if column.details:
        return " · ".join(_name(detail) for detail in column.details if detail)
    known = card(column.model)
    return column.model if known is None else min((column.model, *known.aliases), key=len)
