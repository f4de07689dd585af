"""Tables on a terminal that is too narrow for them: no figure and no word is cut."""

from __future__ import annotations

import io

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from editscope import printing


def table() -> Table:
    made = Table(box=None, pad_edge=False)
    made.add_column("", no_wrap=True)
    for heading in ("mIoU", "95 %", "preservation"):
        made.add_column(heading, justify="right", no_wrap=True, min_width=8)
    made.add_row("overall", "49.9", "49.8 … 50.0", "100.0")
    made.add_row(Text("by category", style="dim"))
    made.add_row("  geometric_transformation", "50.1", "", "99.5", style="dim")
    return made


def shown(width: int, *, terminal: bool = True) -> list[str]:
    stream = io.StringIO()
    console = printing.console(file=stream, width=width, force_terminal=terminal, no_color=True, color_system=None)
    console.print(table())
    return stream.getvalue().rstrip("\n").split("\n")


def test_a_table_that_fits_is_a_table() -> None:
    lines = shown(80)
    assert lines[0].split() == ["mIoU", "95", "%", "preservation"]
    assert len(lines) == 4 and lines[1].split() == ["overall", "49.9", "49.8", "…", "50.0", "100.0"]


def test_one_that_does_not_fit_is_written_row_by_row_with_every_figure() -> None:
    for width in (50, 40, 30):
        lines = shown(width)
        assert all(cell_len(line) <= width for line in lines)
        assert " ".join(" ".join(lines).split()) == (
            "overall mIoU 49.9 · 95 % 49.8 … 50.0 · preservation 100.0 by category "
            "geometric_transformation mIoU 50.1 · preservation 99.5"
        )


def test_a_name_is_folded_after_separators_and_never_cut() -> None:
    assert printing.folded("  structural_manipulation", 16) == "  structural_\n    manipulation"
    assert printing.folded("  geometric_transformation", 16) == "  geometric_transformation"
