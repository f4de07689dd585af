"""Judged suites: cases read from a folder of data, with a list of everything that is wrong with it."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Literal

import xxhash

from editscope.cases import NOTHING, Case
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.suites.base import Suite, short_hash
from editscope.suites.datafolder.rows import DataRow, Flaw

MOST_SHOWN = 10
REMOTE = "hf:"
"""How a root begins that is a dataset on the Hugging Face hub."""


class BadData(BadInput):
    """A dataset with flaws. The message shows the first ten, ``flaws`` holds them all."""

    def __init__(self, flaws: tuple[Flaw, ...], message: str) -> None:
        super().__init__(message)
        self.flaws = flaws

    def __reduce__(self) -> tuple[Any, ...]:
        return BadData, (self.flaws, str(self))


@dataclass(frozen=True, eq=False)
class FiledCase(Case):
    """A case whose pictures are files.

    ``basis`` is all that its scores depend on besides them, as text: every level and language that its row has, so
    that a run with one level and a run with three agree that this is the same case.
    """

    basis: str = ""
    files: tuple[Path, ...] = ()

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the suite, the id, the texts of its row and the bytes of its picture files."""
        parts = [self.suite, self.id, self.basis, *(file_digest(path) for path in self.files)]
        return sha256("\x1f".join(parts).encode()).hexdigest()[:24]


class JudgedSuite(Suite):
    """A folder of cases that a judge scores.

    A suite of this kind says where its rows are (``rows``) and what case a row makes (``case_of``). A row with flaws
    makes none: all flaws of all rows are raised together, or noted and left out with ``skip_bad``.
    """

    scoring: Literal["pixels", "judged"] = "judged"
    home: ClassVar[str] = ""
    """Where to get the data, as a sentence."""

    def __init__(
        self, root: str | Path | None, *, skip_bad: bool = False, options: Mapping[str, Any] = NOTHING
    ) -> None:
        self.root, source = self.find_root(root)
        self.options = {"root": source, **{key: value for key, value in options.items() if value is not None}}
        if skip_bad:
            self.options["skip_bad"] = True
        self._cases: dict[str, FiledCase] = {}
        self._left_out = 0
        flaws, oddities = self._read()
        self.flaws = tuple(flaws)
        """All that is wrong with the data; empty unless bad cases are skipped."""
        self._oddities = tuple(oddities)
        if flaws and not skip_bad:
            raise BadData(self.flaws, self._flaws_message(flaws))
        if not self._cases:
            reason = f": {flaws[0]}" if flaws else f". {self.home}"
            raise BadInput(f"{self.root} holds no case of {self.name} that can be used{reason}")

    def find_root(self, root: str | Path | None) -> tuple[Path, str]:
        """The folder that the data is in, and how to name it so that it is found again; BadInput where there is none.

        ``hf:OWNER/NAME@REVISION`` is a dataset on the Hugging Face hub.
        """
        if root is None:
            raise BadInput(f"suite {self.name} needs its data: give --data DIR. {self.home}")
        if str(root).startswith(REMOTE):
            from editscope.suites.datafolder.hub import fetch

            return fetch(str(root))
        folder = Path(root)
        if not folder.is_dir():
            raise BadInput(f"{folder} is not a folder; --data takes the data of {self.name}. {self.home}")
        return folder, str(folder.resolve())

    def _read(self) -> tuple[list[Flaw], list[Flaw]]:
        flaws: list[Flaw] = []
        oddities: list[Flaw] = []
        places: dict[str, str] = {}
        for row in self.rows():
            if not row.flaws:
                row.check_texts()
            case = None if row.flaws else self.case_of(row)
            if case is not None and not row.flaws and case.id in places:
                row.flaw(f"id {case.id!r} was used before, in {places[case.id]}; give every case an id of its own")
            flaws += row.flaws
            if row.flaws:
                self._left_out += 1
            elif case is not None:
                oddities += row.oddities
                self._cases[case.id], places[case.id] = case, row.where
        return flaws, oddities

    @abstractmethod
    def rows(self) -> Iterable[DataRow]:
        """The rows of the data, in order."""

    @abstractmethod
    def case_of(self, row: DataRow) -> FiledCase | None:
        """The case that a row makes; whatever is wrong is added to the row's flaws. None: not part of this suite."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all cases that can be used, in the order of the data."""
        return tuple(self._cases)

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._cases

    def __len__(self) -> int:
        return len(self._cases)

    def tags(self, case_id: str) -> Mapping[str, str]:
        """The tags of one case."""
        return self._cases[case_id].tags

    def case(self, case_id: str) -> Case:
        """One case, its pictures as paths."""
        return self._cases[case_id]

    def variants(self, case_id: str) -> tuple[str, ...]:
        """The edits that a case asks for: one for each of its instructions."""
        return tuple(instruction.variant for instruction in self._cases[case_id].instructions)

    def label(self) -> str:
        """The folder, and how many cases of it are left out."""
        left_out = f", {self._left_out:,} left out" if self._left_out else ""
        return f"read from {self.root}{left_out}"

    def notes(self) -> tuple[str, ...]:
        """What was left out because it cannot be used, and what is odd, one sentence each."""
        odd = tuple(map(str, self._oddities))
        if not self.flaws:
            return odd
        rows = "row was" if self._left_out == 1 else "rows were"
        return (f"{self._left_out:,} {rows} left out (--skip-bad)", *map(str, self.flaws), *odd)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the fingerprints of all cases, whatever levels or languages of them were chosen."""
        return short_hash(self.name, *(case.fingerprint for case in self._cases.values()))

    def _flaws_message(self, flaws: list[Flaw]) -> str:
        lines = [str(flaw).rstrip(".") for flaw in flaws[:MOST_SHOWN]]
        lines += [f"and {len(flaws) - MOST_SHOWN:,} more"] if len(flaws) > MOST_SHOWN else []
        number = "one flaw" if len(flaws) == 1 else f"{len(flaws):,} flaws"
        between = "\n  " if len(flaws) > 1 else " "
        return between.join([f"the data of {self.name} has {number} (--skip-bad leaves these cases out):", *lines])


def basis(**texts: Any) -> str:
    """All that the scores of a case depend on besides its pictures, as one text.

    >>> basis(question="Is it wet?", box=[1, 2])
    '{"box": [1, 2], "question": "Is it wet?"}'
    """
    return json.dumps(texts, sort_keys=True)


def file_digest(path: Path) -> str:
    """Hash of the bytes of a file; read again only when its size or time has changed."""
    try:
        status = path.stat()
        return _digest(path, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); it was there when the suite was loaded") from error


@lru_cache(maxsize=1 << 16)
def _digest(path: Path, size: int, time_ns: int) -> str:
    return xxhash.xxh3_128_hexdigest(read_file(path, DOCUMENT))
