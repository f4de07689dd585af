"""The released layout of PaintBench and TinyGrafixBench: ``<root>/<task>/NNN{_input.png,_answer.png,.json}``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import xxhash
from pydantic import BaseModel, ConfigDict, ValidationError

from editscope.cases import Aggregation, Case, Instruction
from editscope.documents import Malformed, read_json
from editscope.errors import BadImage, BadInput
from editscope.files import DOCUMENT, SETTINGS, read_file
from editscope.images import probe
from editscope.outside import required
from editscope.suites.base import Suite
from editscope.suites.datafolder.rows import unfit_fields
from editscope.suites.generated.suite import valid_strata
from editscope.suites.generated.whole import AGAIN, MARKER, check_whole

if TYPE_CHECKING:
    from editscope.scoring.offsets import AskedChange


class Sidecar(BaseModel):
    """The fields of ``NNN.json`` that a score or a table needs; everything else is kept as detail."""

    model_config = ConfigDict(extra="allow")
    instruction: str
    task: str
    category: str = ""
    mode: str = "default"
    visual_condition: str = ""
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ReleasedProblem:
    """One problem on disk."""

    case_id: str
    input: Path
    answer: Path
    sidecar: Path
    fields: Sidecar


class ReleasedFolder(Suite):
    """A folder of problems in the released layout, ours or the authors' own."""

    def __init__(
        self,
        name: str,
        root: str | Path,
        aggregation: Callable[[str], Aggregation],
        tags_of: Callable[[str, Sidecar], Mapping[str, str]],
        aliases: tuple[str, ...] = (),
        split: Literal["test", "preservation", "all"] = "all",
        strata: str | None = None,
        environment: Callable[[], Mapping[str, str]] | None = None,
        remark: Callable[[Suite], str] | None = None,
        change_of: Callable[[Case], AskedChange | None] | None = None,
        folders: str = "<task>",
        only_ours: bool = False,
    ) -> None:
        self.name = name
        self.aggregation = aggregation(valid_strata(strata))
        self.root = _find_root(Path(root), name, aliases)
        self.options = {"root": str(Path(root).resolve()), "split": split}
        if self.aggregation.resampling != "release":
            self.options["strata"] = self.aggregation.resampling
        self._environment, self._remark, self._change_of = environment, remark, change_of
        check_whole(self.root, name, only_ours=only_ours)
        self._entries = {
            entry.case_id: entry
            for folder in sorted(p for p in self.root.iterdir() if p.is_dir())
            if split == "all" or (folder.name == "preservation") == (split == "preservation")
            for entry in _entries(folder)
        }
        if not self._entries:
            raise BadInput(
                f"{self.root} holds no problems of {name}: expected {self.root}/{folders}/000.json and its PNGs"
            )
        self._tags = {i: tags_of(Path(i).parts[0], e.fields) for i, e in self._entries.items()}

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids ``<task>/NNN``, in the order of folders and numbers."""
        return tuple(self._entries)

    def __contains__(self, case_id: object) -> bool:
        return case_id in self._entries

    def tags(self, case_id: str) -> Mapping[str, str]:
        """The tags of one problem, from its sidecar."""
        return self._tags[case_id]

    def case(self, case_id: str) -> Case:
        """One problem, its pictures as paths."""
        entry = self._entries[case_id]
        return Case(
            id=case_id,
            suite=self.name,
            images=(entry.input,),
            instructions=(Instruction(entry.fields.instruction),),
            tags=self.tags(case_id),
            answer=entry.answer,
            details=entry.fields.model_dump(),
        )

    def change(self, case: Case) -> AskedChange | None:
        """What a problem asks for, from its sidecar."""
        return None if self._change_of is None else self._change_of(case)

    def notes(self) -> tuple[str, ...]:
        """What to know about the authors' own set, or that ours was drawn with other versions than those here."""
        if self._remark is not None and not (self.root / MARKER).exists() and (said := self._remark(self)):
            return (said,)
        recorded = _environment_of(self.root)
        if self._environment is None or not recorded:
            return ()
        here = self._environment()
        other = [f"{k} {v} (here {here.get(k, 'missing')})" for k, v in recorded.items() if here.get(k) != v]
        if not other:
            return ()
        return (
            f"{self.root} was drawn with {', '.join(other)}: its pictures are scored as they are, but a set made here "
            "may differ from it in some pixels",
        )

    def label(self) -> str:
        """The folder's name."""
        return f"read from {self.root}"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the bytes of all files of all problems."""
        digest = xxhash.xxh3_128()
        for case_id, entry in self._entries.items():
            digest.update(case_id.encode())
            for path in (entry.sidecar, entry.input, entry.answer):
                digest.update(_bytes(path))
        return digest.hexdigest()[:16]

    def check(self) -> None:
        """Look at every picture's header: readable, whole, within limits, input and answer of one size."""
        for entry in self._entries.values():
            sizes = [probe(path) for path in (entry.input, entry.answer)]
            if sizes[0] != sizes[1]:
                raise BadImage(
                    f"{entry.answer} is {sizes[1][0]}×{sizes[1][1]} but its input is {sizes[0][0]}×{sizes[0][1]}; "
                    "an answer must have the size of its input"
                )


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path, DOCUMENT)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check the set") from error


def _find_root(root: Path, name: str, aliases: tuple[str, ...]) -> Path:
    if not root.is_dir():
        raise BadInput(
            f"{root} is not a folder; --data takes a set of {name}, such as `editscope generate {name}` writes"
        )
    for alias in aliases:
        if (root / alias).is_dir():
            return root / alias
    return root


def _environment_of(root: Path) -> dict[str, str]:
    """The versions that a set of ours was drawn with; empty for the authors' own."""
    try:
        content = read_json(read_file(root / MARKER, SETTINGS))
        return {str(k): str(v) for k, v in content.get("environment", {}).items()}
    except (OSError, ValueError, AttributeError):
        return {}


def _entries(folder: Path) -> list[ReleasedProblem]:
    entries = []
    for sidecar in sorted(folder.glob("*.json")):
        number = sidecar.stem
        if not number.isdigit():
            continue
        entry = ReleasedProblem(
            case_id=f"{required(f'the folder of the problem {sidecar.name}', folder.name)}/{number}",
            input=folder / f"{number}_input.png",
            answer=folder / f"{number}_answer.png",
            sidecar=sidecar,
            fields=_read_sidecar(sidecar),
        )
        for picture in (entry.input, entry.answer):
            if not picture.is_file():
                again = f"; {AGAIN} to write it" if (folder.parent / MARKER).is_file() else ""
                raise BadInput(f"{picture} is missing; {sidecar} describes a problem that needs it{again}")
        entries.append(entry)
    return entries


def _remedy(sidecar: Path) -> str:
    if (sidecar.parents[1] / MARKER).is_file():
        return f"remove it and {AGAIN}"
    return "write it again or remove the problem"


def _read_sidecar(path: Path) -> Sidecar:
    try:
        data = read_file(path, SETTINGS)
        content: Any = read_json(data)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); {_remedy(path)}") from error
    except Malformed as error:
        raise BadInput(f"{path} is not JSON ({error}); {_remedy(path)}") from error
    if not isinstance(content, dict):
        raise BadInput(f"{path} holds a {type(content).__name__}, not an object with instruction, task, mode …")
    # Only an escape or a byte beyond ASCII can stand for half of a character or a NUL.
    if (b"\\u" in data or not data.isascii()) and (unfit := unfit_fields(content)):
        raise BadInput(f"{path}: field {unfit[0]!a} holds a NUL or half of a character; write it again")
    try:
        return Sidecar.model_validate(content)
    except ValidationError as error:
        problems = "; ".join(f"field {'.'.join(map(str, e['loc']))!r}: {e['msg'].lower()}" for e in error.errors())
        raise BadInput(f"{path}: {problems}") from error
