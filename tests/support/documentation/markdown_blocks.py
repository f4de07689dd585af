"""Code blocks of README and docs, with what stands before each of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from support.places import DOCS, ROOT

NOT_RUN = re.compile(r"<!-- not run(?: \((?P<only>[^)]+)\))?: (?P<why>.+?) -->")
"""The comment before a block that cannot run here; in parentheses, a text that only such commands have."""
CODE = re.compile(r"`+ ?((?:editscope|make) .+?) ?`+")
"""A command inside a sentence or a table."""

_BLOCK = re.compile(
    r"(?:^[ ]*(?P<comment><!-- .+? -->)\n+)?(?:^`(?P<file>[\w./-]+)`:\n\n)?"
    r"^(?P<indent>[ ]*)```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A code block. ``file`` is the name that it is to be saved under, where the page gives one."""

    page: Path
    line: int
    language: str
    text: str
    file: str = ""
    why_not: str = ""
    only: str = ""

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def runs(self, command: str = "") -> bool:
        """Whether a command of it can run here, or all of it."""
        return not self.why_not or bool(self.only and self.only not in command)


def pages() -> tuple[Path, ...]:
    """Every page that is written by hand, README first."""
    return (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))


@cache
def blocks(page: Path) -> tuple[Block, ...]:
    """The code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return tuple(_block(page, text, found) for found in _BLOCK.finditer(text))


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return _BLOCK.sub("", page.read_text(encoding="utf-8"))


def _block(page: Path, text: str, found: re.Match[str]) -> Block:
    mark = NOT_RUN.fullmatch(found["comment"] or "")
    indent = len(found["indent"])
    code = "".join(line[indent:] or "\n" for line in found["text"].splitlines(keepends=True))
    first_line = re.match(r"# ([\w/-]+\.\w+)\n", code)
    return Block(
        page,
        text.count("\n", 0, found.start("language")) + 1,
        found["language"],
        code,
        found["file"] or found["title"] or (first_line[1] if first_line else ""),
        mark["why"] if mark else "",
        (mark["only"] or "") if mark else "",
    )
