"""LaTeX: the papers' tables with booktabs in a document that compiles as it is, and from which a paper can take any."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from editscope.report.model import Model, Sheet
from editscope.report.paper_tables import paper_tables
from editscope.report.text.latex_escape import escaped, in_comment, label_of, width
from editscope.suites import suite_title
from editscope.suites.tables import (
    Column,
    PaperCell,
    PaperRow,
    PaperTable,
    Ranks,
    figure,
    half_width,
    headings,
    small_n,
    table_ranks,
)
from editscope.wording import count

TEXT_WIDTH = 469.0
"""Points between the margins of the document: letter paper, one inch around."""
SHRINK = 1.08
"""How much wider than the page a table may come out; it is then scaled, which the eye hardly sees."""
ROWS = 58
"""More rows than this do not stand on one page."""
LONGEST = 40
"""Letters of a name that stands upright above its column."""
SIZES = (
    (9.0, 7.0, 4.5, r"\small", r"\scriptsize"),
    (8.0, 5.0, 3.5, r"\footnotesize", r"\tiny"),
    (7.0, 5.0, 2.5, r"\scriptsize", r"\tiny"),
)
"""Font sizes of figures and of what follows ±, space beside a column, and their commands."""

HOW = r"""% Tables made by Editscope. Each stands between %<*name> and %</name>: cut it out, or, with
% \usepackage{catchfilebetweentags}, say \ExecuteMetaData[this-file.tex]{name}.
% The tables need booktabs and graphicx.
"""
PREAMBLE = r"""\documentclass[10pt,letterpaper]{article}
\usepackage[margin=1in]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{xcolor}
\pagestyle{plain}
\setlength{\abovecaptionskip}{4pt}
\makeatletter\setlength{\@fptop}{0pt}\makeatother
"""
FITTED = r"""\providecommand{\fitted}[1]{\setbox0\hbox{#1}\leavevmode
  \ifdim\wd0>\linewidth\setbox0\hbox{\resizebox{\linewidth}{!}{\box0}}\fi
  \ifdim\dimexpr\ht0+\dp0\relax>.86\textheight\resizebox*{!}{.86\textheight}{\box0}\else\box0\fi}
"""
FEW = r"""\providecommand{\fewcases}[1]{\ifdefined\textcolor\textcolor{gray}{#1}\else\textit{#1}\fi}% gray with xcolor
"""
LETTER = r"""\providecommand{\unicodeletter}[1]{\texttt{[U+#1]}}% with a font that has it: \symbol{"#1}
"""


@dataclass(frozen=True)
class _Part:
    """A table, or as much of it as stands on a page."""

    table: PaperTable
    ranks: tuple[Ranks, ...]
    number: int
    parts: int


@dataclass(frozen=True)
class _Style:
    """The size in which a table fits, and whether the names above its columns stand upright."""

    size: str
    small: str
    gap: float
    upright: bool
    spread: bool


def as_latex(model: Model, *, published: bool = False) -> Iterator[str]:
    r"""A small document with all tables of the report. A paper needs booktabs and graphicx.

    Every table stands between ``%<*name>`` and ``%</name>``, so it can be cut out by hand or taken with
    ``\ExecuteMetaData[file.tex]{name}`` of the package catchfilebetweentags, and stays up to date.
    """
    suites = [sheet.suite for sheet in model.sheets]
    parts = []
    for number, sheet in enumerate(model.sheets):
        prefix = sheet.suite if suites.count(sheet.suite) == 1 else f"{sheet.suite}-{number + 1}"
        parts.append((_about(sheet), prefix, paper_tables(sheet, published)))
    yield from latex_document(model.title, parts)


def latex_document(title: str, parts: Iterable[tuple[str, str, Sequence[PaperTable]]]) -> Iterator[str]:
    """A document of tables in parts: each has a sentence about it, a prefix for the names of its tables, and those."""
    yield f"% {in_comment(title)}\n"
    yield HOW
    yield PREAMBLE + LETTER
    yield "\\begin{document}\n"
    yield f"\\section*{{{escaped(title)}}}\n"
    for about, prefix, tables in parts:
        yield f"\n{escaped(about)}\n\n"
        for table in tables:
            yield from _tagged(table, label_of(prefix, table.name))
    yield "\\end{document}\n"


def _about(sheet: Sheet) -> str:
    runs = count(len(sheet.runs), "run")
    return f"{suite_title(sheet.suite)}: {runs} over {sheet.cases_in_words}, set {sheet.fingerprint}."


def _tagged(table: PaperTable, name: str) -> Iterator[str]:
    text = "".join(piece for part in _parts(table) for piece in _float(part, name))
    yield f"%<*{name}>\n"
    if table.source:
        yield f"% laid out as {in_comment(table.source)}\n"
    yield FITTED + (LETTER if r"\unicodeletter" in text else "") + (FEW if r"\fewcases" in text else "")
    yield text
    yield f"%</{name}>\n\\clearpage\n\n"


def _parts(table: PaperTable) -> list[_Part]:
    """The table cut into pieces that fit a page: first its columns, then its rows."""
    ranks = table_ranks(table)
    pieces: list[tuple[PaperTable, tuple[Ranks, ...]]] = []
    for columns in _column_pieces(table):
        rows = tuple(
            replace(row, cells=tuple(row.cells[i] for i in columns)) if row.cells else row for row in table.rows
        )
        column_ranks = tuple(tuple(places[i] for i in columns) if places else places for places in ranks)
        whole = replace(table, columns=tuple(table.columns[i] for i in columns), rows=rows)
        pieces += [
            (replace(whole, rows=rows[start:stop]), column_ranks[start:stop]) for start, stop in _row_pieces(table.rows)
        ]
    return [_Part(piece, places, i + 1, len(pieces)) for i, (piece, places) in enumerate(pieces)]


def _column_pieces(table: PaperTable) -> list[range]:
    """Which columns stand together: all, else runs and published ones apart, else as many as fit."""
    number = len(table.columns)
    runs = sum(not column.published for column in table.columns)
    if _fits(table, range(number)):
        return [range(number)]
    blocks = [block for block in (range(runs), range(runs, number)) if block]
    return [piece for block in blocks for piece in _even_pieces(table, block)]


def _even_pieces(table: PaperTable, block: range) -> list[range]:
    """As few pieces as possible of nearly the same size."""
    for parts in range(1, len(block) + 1):
        size = math.ceil(len(block) / parts)
        pieces = [block[start : start + size] for start in range(0, len(block), size)]
        if all(_fits(table, piece) for piece in pieces):
            return pieces
    return [block[i : i + 1] for i in range(len(block))]


def _fits(table: PaperTable, columns: range) -> bool:
    return _natural(table, columns, *SIZES[-1][:3], upright=True) <= SHRINK * TEXT_WIDTH


def _row_pieces(rows: Sequence[PaperRow]) -> list[tuple[int, int]]:
    """Where to cut a table that is too long: before a heading if there is one."""
    pieces, start = [], 0
    while len(rows) - start > ROWS:
        heads = [i for i in range(start + 1, start + ROWS + 1) if rows[i].kind == "head"]
        stop = heads[-1] if heads else start + ROWS
        pieces.append((start, stop))
        start = stop
    return [*pieces, (start, len(rows))]


def _natural(
    table: PaperTable, columns: Sequence[int], size: float, small: float, gap: float, *, upright: bool
) -> float:
    """About how wide the table comes out, in points."""
    labels = [width(row.label) + row.depth for row in table.rows if row.kind != "head"]
    total = size * max([*labels, width(table.stub)]) + 3.5 * gap
    for i in columns:
        total += (
            max(_figures_width(table, i, size, small), size if upright else _head_width(table.columns[i], size))
            + 2 * gap
        )
    return total


def _figures_width(table: PaperTable, column: int, size: float, small: float) -> float:
    widest = [
        1.12 * size * width(figure(table, row.cells[column]))
        + (small * (width(f"±{after}") + 0.4) if (after := _after(table, row, row.cells[column])) else 0.0)
        for row in table.rows
        if row.cells
    ]
    return max(widest, default=0.0)


def _head_width(column: Column, size: float) -> float:
    return size * max(map(width, _head_lines(column.label)))


def _head_lines(label: str) -> list[str]:
    """A name broken where a reader would break it, into lines of about eleven letters.

    >>> _head_lines("Geometric transformation"), _head_lines("GPT-Image-2")
    (['Geometric', 'transformation'], ['GPT-Image-2'])
    """
    pieces = label.replace("-", "- ").replace(" · ", " ").split()
    lines: list[str] = []
    for piece in pieces:
        joined = (lines[-1] + ("" if lines[-1].endswith("-") else " ") + piece) if lines else piece
        if lines and len(joined) <= 11:
            lines[-1] = joined
        else:
            lines.append(piece)
    return lines or [""]


def _style(table: PaperTable) -> _Style:
    everything = range(len(table.columns))
    spread = any(_after(table, row, cell) for row in table.rows for cell in row.cells)
    for upright in (False, True):
        for size, small, gap, command, below in SIZES:
            if _natural(table, everything, size, small, gap, upright=upright) <= TEXT_WIDTH:
                return _Style(command, below, gap, upright, spread)
    *_, gap, command, below = SIZES[-1]
    return _Style(command, below, gap, True, spread)


def _float(part: _Part, name: str) -> Iterator[str]:
    table, style = part.table, _style(part.table)
    caption = table.caption if part.number == 1 else f"{table.title}, continued."
    if part.parts > 1:
        caption += f" Part {part.number} of {part.parts}."
    label = name if part.parts == 1 else f"{name}-{part.number}"
    yield "\\begin{table*}[!htbp]\n\\centering\n"
    yield f"\\caption{{{escaped(caption)}{_legend(part)}}}\n\\label{{tab:{label}}}\n"
    yield f"{style.size}\\setlength{{\\tabcolsep}}{{{style.gap}pt}}\\renewcommand{{\\arraystretch}}{{1.04}}%\n"
    yield f"\\fitted{{\\begin{{tabular}}{{{_columns(table, style)}}}\n\\toprule\n"
    yield from _heads(table, style)
    yield "\\midrule\n"
    yield from _body(part, style)
    yield "\\bottomrule\n\\end{tabular}}\n\\end{table*}\n"


def _legend(part: _Part) -> str:
    places = {place for ranks in part.ranks for place in ranks}
    marks = [text for place, text in ((1, r"\textbf{Best}"), (2, r"\underline{second best}")) if place in places]
    if not marks:
        return ""
    table = part.table
    heads = table.rows if table.models == "rows" else table.columns
    both = len({head.published for head in heads}) == 2
    return f" {' and '.join(marks)}{' of the runs and of the published results, each apart' if both else ''}."


def _columns(table: PaperTable, style: _Style) -> str:
    """The column specification: figures line up at the decimal point, what follows ± in a column of its own."""
    spec = r"r@{\,}l" if style.spread else "r"
    first = next((i for i, column in enumerate(table.columns) if column.published), None)
    specs = [f"@{{\\hskip {3 * style.gap:g}pt}}{spec}" if i == first and i else spec for i in range(len(table.columns))]
    return f"l@{{\\hskip {2.5 * style.gap:g}pt}}" + "".join(specs)


def _heads(table: PaperTable, style: _Style) -> Iterator[str]:
    span = 2 if style.spread else 1
    known = [column for column in table.columns if column.published]
    runs = len(table.columns) - len(known)
    if known:
        notes = list(dict.fromkeys(column.note for column in known))
        heading = f"Published ({notes[0]})" if len(notes) == 1 else "Published (see the caption)"
        start = 2 + runs * span
        over = f"\\multicolumn{{{runs * span}}}{{c}}{{Runs}} & " if runs else ""
        yield f" & {over}\\multicolumn{{{len(known) * span}}}{{c}}{{{escaped(heading)}}} \\\\\n"
        rules = [(2, start - 1)] if runs else []
        rules.append((start, start + len(known) * span - 1))
        yield "".join(f"\\cmidrule(lr){{{low}-{high}}}" for low, high in rules) + "\n"
    yield from _above(table, span)
    heads = [_head(column, style, span) for column in table.columns]
    yield f"{escaped(table.stub)} & {' & '.join(heads)} \\\\\n"


def _above(table: PaperTable, span: int) -> Iterator[str]:
    """The headings that several columns share, each with a rule under it."""
    over = headings(table.columns)
    if not over:
        return
    cells, rules, start = [], [], 2
    for text, number in over:
        end = start + number * span - 1
        cells.append(f"\\multicolumn{{{number * span}}}{{c}}{{{_stacked(_head_lines(text))}}}")
        rules += [f"\\cmidrule(lr){{{start}-{end}}}"] if text else []
        start = end + 1
    yield f" & {' & '.join(cells)} \\\\\n{''.join(rules)}\n"


def _stacked(lines: Sequence[str]) -> str:
    shown = [escaped(line) for line in lines]
    below = " \\\\ ".join(shown)
    return below if len(shown) == 1 else f"\\shortstack{{{below}}}"


def _head(column: Column, style: _Style, span: int) -> str:
    if style.upright:
        name = column.label if len(column.label) <= LONGEST else column.label[: LONGEST - 1] + "…"
        shown = f"\\rotatebox{{90}}{{{escaped(name)}~}}"
    else:
        shown = _stacked(_head_lines(column.label))
    return f"\\multicolumn{{{span}}}{{c}}{{{shown}}}"


def _body(part: _Part, style: _Style) -> Iterator[str]:
    table = part.table
    span = 1 + len(table.columns) * (2 if style.spread else 1)
    apart = False
    for i, (row, places) in enumerate(zip(table.rows, part.ranks, strict=True)):
        if row.kind == "head":
            gap = "\\addlinespace[3pt]" if i else ""
            yield f"{gap}\\multicolumn{{{span}}}{{l}}{{\\textbf{{{escaped(row.label)}}}}} \\\\\n"
            continue
        if row.kind == "overall" and i:
            yield "\\midrule\n"
        if row.published and not apart:
            apart = True
            heading = f"Published ({row.note})" if row.note else "Published"
            yield f"\\midrule\n\\multicolumn{{{span}}}{{l}}{{\\textit{{{escaped(heading)}}}}} \\\\\n"
        yield _line(table, row, places, style)


def _line(table: PaperTable, row: PaperRow, places: Ranks, style: _Style) -> str:
    label = escaped(row.label)
    label = {"average": f"\\textit{{{label}}}", "overall": f"\\textbf{{{label}}}"}.get(row.kind, label)
    indent = "\\quad " * row.depth
    cells = [_cell(table, row, cell, place, style) for cell, place in zip(row.cells, places, strict=True)]
    return f"{indent}{label} & {' & '.join(cells)} \\\\\n"


def _cell(table: PaperTable, row: PaperRow, cell: PaperCell | None, place: int | None, style: _Style) -> str:
    text = escaped(figure(table, cell))
    if place == 1:
        text = f"\\textbf{{{text}}}"
    elif place == 2:
        text = f"\\underline{{{text}}}"
    if n := small_n(cell):
        return f"\\fewcases{{{text}}} & \\fewcases{{{style.small}${n.replace(',', '{,}')}$}}"
    after = half_width(table, row, cell)
    if not style.spread:
        return text
    return f"{text} & {{{style.small}$\\pm${after}}}" if after else f"{text} &"


def _after(table: PaperTable, row: PaperRow, cell: PaperCell | None) -> str:
    return half_width(table, row, cell) or small_n(cell)
