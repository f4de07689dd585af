"""Blocks of a journal: read, checked and parsed a part at a time, so that a long one need not be in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xxhash

from editscope.errors import BadInput
from editscope.files import open_file
from editscope.runfolder.journal_lines import SUM, Line, checksum_holds, fault

PIECE = 1 << 20
"""Bytes that are read at a time."""


@dataclass(frozen=True, slots=True)
class Source:
    """Which journal something was made from: how long it was, and a hash of its lines."""

    bytes: int
    lines: int
    hash: str

    def to_json(self) -> dict[str, Any]:
        """As tables keep it."""
        return {"bytes": self.bytes, "lines": self.lines, "hash": self.hash}


class SourceHash:
    """Finds out which journal some bytes are, given to it in pieces."""

    def __init__(self) -> None:
        self._digest, self._bytes, self._lines = xxhash.xxh3_128(), 0, 0

    def update(self, lines: bytes) -> None:
        """Take the next bytes, which end with a newline."""
        self._digest.update(lines)
        self._bytes += len(lines)
        self._lines += lines.count(b"\n")

    @property
    def source(self) -> Source:
        """The journal of all bytes so far."""
        return Source(self._bytes, self._lines, self._digest.hexdigest())


def source_of(pieces: Iterable[bytes]) -> Source:
    """Which journal these bytes are; what follows the last newline is torn and takes no part."""
    found = SourceHash()
    for lines in whole_lines(pieces):
        found.update(lines)
    return found.source


def read_pieces(path: Path) -> Iterator[bytes]:
    """The bytes of a journal in pieces; none where there is no journal."""
    try:
        with open_file(path) as file:
            while piece := file.read(PIECE):
                yield piece
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror or error})") from error


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that end with a newline; what follows the last newline is torn and left out."""
    torn = b""
    for piece in pieces:
        end = piece.rfind(b"\n") + 1
        if end:
            yield torn + piece[:end]
            torn = piece[end:]
        else:
            torn += piece


class JournalBlocks:
    """The lines of a journal, a block at a time; BadInput that names the first line with something wrong.

    Where ``judged`` is given, a score of the other kind is wrong as well. ``source`` is right when all blocks were
    read. ``data`` is read in place of the file.
    """

    def __init__(self, path: Path, data: bytes | None = None, *, judged: bool | None = None) -> None:
        self._path, self._judged = path, judged
        self._pieces: Iterable[bytes] = read_pieces(path) if data is None else [data]
        self._hash = SourceHash()

    @property
    def source(self) -> Source:
        """Which journal it is."""
        return self._hash.source

    def __iter__(self) -> Iterator[list[Line]]:
        summed = False
        for data in whole_lines(self._pieces):
            first = self._hash.source.lines + 1
            self._hash.update(data)
            lines = _parsed_block(self._path, data, first)
            summed = _check_sums(self._path, lines, first, summed)
            if self._judged is not None:
                _check_kind(self._path, lines, first, self._judged)
            yield lines


def parse_journal(path: Path, data: bytes) -> tuple[list[Line], Source]:
    """The lines of a journal from its bytes; BadInput that names the first line with something wrong."""
    blocks = JournalBlocks(path, data)
    lines = [line for block in blocks for line in block]
    return lines, blocks.source


def _parsed_block(path: Path, data: bytes, first: int) -> list[Line]:
    raw = data.split(b"\n")[:-1]
    try:
        # All lines as one list: reading a large journal takes half the time.
        lines: list[Line] = json.loads(b"[" + b",".join(raw) + b"]")
        whole = len(lines) == len(raw) and not any(map(fault, lines)) and all(map(checksum_holds, raw, lines))
    except (ValueError, RecursionError):
        whole = False
    if whole:
        return lines
    return [_parsed(path, number, line) for number, line in enumerate(raw, start=first)]


def _check_sums(path: Path, lines: Sequence[Line], first: int, summed: bool) -> bool:
    """Lines of version 0.1 have no checksum; after the first line that has one, every line must. Whether one had."""
    for number, line in enumerate(lines, start=first):
        if SUM in line:
            summed = True
        elif summed:
            raise _not_used(path, number, "has lost its checksum")
    return summed


def _check_kind(path: Path, lines: Sequence[Line], first: int, judged: bool) -> None:
    for number, line in enumerate(lines, start=first):
        if line["step"] == "score" and ("rows" in line) is not judged:
            by = "pixels" if judged else "judges"
            raise BadInput(f"{path}: line {number} is a score by {by}, which this run has none of")


def _parsed(path: Path, number: int, data: bytes) -> Line:
    try:
        line = json.loads(data)
    except (ValueError, RecursionError):
        raise BadInput(
            f"{path}: line {number} is damaged; cut the file before that line "
            f"(`head -n {number - 1}`) to lose only the steps from there on"
        ) from None
    wrong = fault(line)
    if wrong is None and not checksum_holds(data, line):
        wrong = "was changed after it was written (its checksum differs)"
    if wrong is not None:
        raise _not_used(path, number, wrong)
    return dict(line)


def _not_used(path: Path, number: int, wrong: str) -> BadInput:
    return BadInput(
        f"{path}: line {number} {wrong}; delete that line (`sed -i {number}d {path}`) to have its step done again"
    )
