"""The one way to the terminal: everything that is printed passes here, so that no foreign text can steer it."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from pathlib import PurePath
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TextIO

from editscope.outside import redacted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_SEQUENCES = re.compile("(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)")
"""Whole commands to a terminal: colors, moves of the cursor, titles of the window."""

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff]"
)
"""C0 but tab and newline, C1, what changes the direction of a line, other line breaks, halves of characters.

Zero-width joiners stay: emoji and several scripts are written with them, and they move nothing.
"""

_WORDS = re.compile(r"(\s*)(\S+)")
_SEPARATED = re.compile(r"[^/\\?&=,;:_.-]*[/\\?&=,;:_.-]*")
ENDLESS = 10_000
NARROWEST = 16
"""Columns; a terminal that says it has fewer is not believed."""


def plain(text: str) -> str:
    """A text that a terminal shows and does not obey: commands vanish, other control characters become U+FFFD.

    >>> plain("a \\x1b[31mred\\x1b[0m\\tword\\r\\nand \\x07 \\u202e"), plain("\\x1b")
    ('a red\\tword\\nand � �', '�')
    """
    if text.isprintable():
        return text
    return _UNSAFE.sub("\ufffd", _SEQUENCES.sub("", text.replace("\r\n", "\n")))


def wrapped(text: str, width: int) -> str:
    """A text whose lines fit a terminal: broken between words, further lines indented a little more.

    A word that is wider than a line, such as a path, is broken after a separator.

    >>> print(wrapped(" weakest  border 0.0 · removal 1.5\\n at /data/sets/first", 16))
     weakest  border
       0.0 · removal
       1.5
     at /data/sets/
       first
    """
    return "\n".join(part for line in text.split("\n") for part in _folded(line, max(width, NARROWEST)))


def folded(cell: str, width: int) -> str:
    """A cell of a table in lines that fit a width; as it is where a part of a word would be cut.

    A table that is then too wide for the terminal is printed row by row.

    >>> folded("  structural_manipulation", 16), folded("  geometric_transformation", 16)
    ('  structural_\\n    manipulation', '  geometric_transformation')
    """
    lines = wrapped(cell, width)
    return lines if _unfolded(lines).split() == cell.split() else cell


def line_width(console: Console) -> int:
    """How wide lines may be: a terminal has an end, a file has none."""
    return console.width if console.is_terminal else ENDLESS


def room(width: int, *columns: Iterable[str], gap: int = 2) -> int:
    """The columns of a terminal that are left beside some columns of a table.

    >>> room(80, ["suite", "paintbench"], ["cases", "1,920"])
    61
    """
    return max(NARROWEST, width - sum(max(map(_cells, column), default=0) + gap for column in columns))


def _folded(line: str, width: int) -> Iterable[str]:
    """The lines that one line is broken into."""
    if _cells(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    if len(indent) + 2 > width // 2:
        indent = ""
    lines, current = [], ""
    for gap, word in _WORDS.findall(line):
        for place, piece in enumerate(_pieces(word, width - len(indent) - 2)):
            joint = gap if not place else ""
            if current.strip() and _cells(current) + _cells(joint + piece) > width:
                lines.append(current.rstrip())
                current = f"{indent}  {piece}"
            else:
                current += joint + piece
    return [*lines, current]


def _pieces(word: str, width: int) -> Iterable[str]:
    """A word as it is, or, where it is too wide, its parts between separators, cut where there is none."""
    if _cells(word) <= width:
        return [word]
    parts = [part for part in _SEPARATED.findall(word) if part]
    return [part[start : start + width] for part in parts for start in range(0, len(part), width)]


def _cells(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def say(text: object = "", *, error: bool = False, end: str = "\n") -> None:
    """Print a text to stdout, or to stderr; on a terminal its lines are broken between words, unless ``end`` is ""."""
    write(sys.stderr if error else sys.stdout, text, end)


def write(stream: TextIO, text: object, end: str = "\n") -> None:
    """Print a text to a stream; what its encoding does not have becomes a question mark."""
    shown = plain(redacted(str(text)))
    if end and stream.isatty():
        shown = wrapped(shown, get_terminal_size().columns)
    _written(stream, shown + end)


def say_json(value: Any) -> None:
    """Print a value as JSON; what would steer a terminal is written as an escape, so that the value stays the same.

    Records become objects, paths become texts, and what is not a number becomes null.
    """
    text = json.dumps(_as_json(value), indent=2, ensure_ascii=False, allow_nan=False)
    _written(sys.stdout, _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def _as_json(value: Any) -> Any:
    """A value of nothing but objects, lists, texts, finite numbers, booleans and null.

    >>> _as_json({"mean": float("nan"), "path": PurePath("a"), 3: (1, 2.5)})
    {'mean': None, 'path': 'a', '3': [1, 2.5]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_as_json(item) for item in value]
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    return str(value) if isinstance(value, PurePath) else value


def say_csv(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(rows)
    say(text.getvalue(), end="")


def redraw(text: str = "") -> None:
    """Show a text in place of the current line of stderr; "" clears it. For terminals only."""
    _written(sys.stderr, f"\r{plain(text)}\033[K")


def console(**options: Any) -> Console:
    """A Rich console whose texts cannot steer the terminal; ``options`` are those of Rich's ``Console``.

    Markup, emoji codes and highlighting are off: texts are data. Use ``Text`` with a style for colors.
    """
    return _console_class()(**{"emoji": False, "markup": False, "highlight": False, **options})


@cache
def _console_class() -> type[Console]:
    from rich.console import Console, Group
    from rich.segment import Segment
    from rich.table import Table

    class SafeConsole(Console):
        """All that is shown becomes segments in ``render``; those that are texts are made plain there."""

        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            width = (options or self.options).max_width
            if isinstance(renderable, Table) and self.is_terminal and _width_of(renderable) > width:
                renderable = Group(*_stacked(renderable, width))
            for segment in super().render(renderable, options):
                if segment.control or segment.text.isprintable():
                    yield segment
                else:
                    yield Segment(plain(segment.text), segment.style)

        def print(self, *objects: Any, **options: Any) -> None:
            """Print; where Rich would leave it to the terminal to break a line, it is broken between words."""
            if self.soft_wrap and self.is_terminal:
                objects = tuple(wrapped(plain(one), self.width) if isinstance(one, str) else one for one in objects)
                options.setdefault("soft_wrap", all(isinstance(one, str) for one in objects))  # a table keeps in line
            super().print(*objects, **options)

        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(plain(text), **options)

    return SafeConsole


def _width_of(table: Table) -> int:
    """The columns of a terminal that a table needs, so that no figure and no word of it is cut."""
    columns = [[str(column.header), *map(str, column.cells)] for column in table.columns]
    widths = []
    for column, texts in zip(table.columns, columns, strict=True):
        parts = [part for text in texts for part in (text.split("\n") if column.no_wrap else text.split())]
        widths.append(max(column.min_width or 0, *map(_cells, parts), 0))
    return sum(widths) + 2 * (len(widths) - 1)


def _stacked(table: Table, width: int) -> Iterable[Text]:
    """A table row by row, for a terminal that is too narrow for it: the name, then each figure with its heading."""
    from rich.text import Text

    headings = [str(column.header) for column in table.columns]
    cells = [[_unfolded(str(cell)) for cell in column.cells] for column in table.columns]
    for row, (name, *values) in zip(table.rows, zip(*cells, strict=True), strict=True):
        figures = [f"{heading} {value}".strip() for heading, value in zip(headings[1:], values, strict=True) if value]
        lines = [wrapped(line, width) for line in (name.rstrip(), *([f"    {' · '.join(figures)}"] if figures else []))]
        yield Text("\n".join(lines), style=row.style or "", no_wrap=True, overflow="ignore")


def _unfolded(text: str) -> str:
    """A cell in one line again: a path or a spec that was broken after a separator has no space there.

    >>> _unfolded("ref:noise?\\n  strength=2"), _unfolded("edits that\\n  people made")
    ('ref:noise?strength=2', 'edits that people made')
    """
    return re.sub(r"(?<=[/\\?&=_:-])\n\s*", "", text).replace("\n", " ").replace("   ", " ")


def _written(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
