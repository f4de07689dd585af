"""Pictures of a report: small ones inside the page while there is room, the rest beside it."""

from __future__ import annotations

import os
from binascii import b2a_base64
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from editscope.files import PICTURE, read_file
from editscope.images import THUMB_SUFFIX
from editscope.report.html.gallery_data import SharedCase
from editscope.report.model import RunView
from editscope.results.case_record import CaseRecord
from editscope.runfolder.files import THUMBS, safe_path

MIME = {".webp": "image/webp", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png"}
SHARED = ("input", "answer", "effects")
OWN = ("edit", "levels", "error")
"""Small pictures of each run. ``error`` is a colored map at ΔE 5, of runs that were made before level maps."""
OF_THE_CASE = ("input", "answer", "reference")
"""How the roles of pictures begin that all runs of a judged case share."""
FULL = "full"
NONE, LIKE_THE_OTHERS = -1, -2

Place: TypeAlias = "int | str"
"""A number in the case's block of pictures, or ``NONE``, or an address as seen from the page."""


class RunPictures:
    """The pictures of one run: where they are on disk, and how the page gets at those that stay beside it."""

    def __init__(self, view: RunView, out: Path, bundle: bool) -> None:
        self.view = view
        self._known = _known_kinds(view)
        self._run = str(view.run.path)
        self._out = os.path.abspath(out.parent)  # noqa: PTH100 (as the user named it, links unresolved)
        self._bundle = f"{out.stem}_files/{view.letter}" if bundle else None
        lasting = view.run.archive is None  # an archive is unpacked for now only
        self._address = self._relative(self._run) if lasting else None
        self._lasting = lasting
        self.copies: dict[str, str] = {}
        """What the bundle has to hold: the file for each path in it."""

    def small(self, record: CaseRecord, home: str, role: str) -> str | None:
        """The file of a small picture, if there is one."""
        if self._known is None:
            path = record.thumbs.get(role)
            return None if path is None else str(path)
        if role not in self._known or (role in OWN and record.status != "ok"):
            return None
        return f"{self._run}{os.sep}{THUMBS}{os.sep}{home}{os.sep}{role}{THUMB_SUFFIX}"

    def full(self, record: CaseRecord, home: str) -> dict[str, str]:
        """The addresses of the edits in full size, by the role that they have on the page: ``full``, ``full A``."""
        edits: Mapping[str, Path | None] = record.images or {"": record.image}
        addresses: dict[str, str] = {}
        for variant, image in edits.items():
            if image is not None and image.suffix.lower() in MIME:
                role = f"{FULL} {variant}" if len(edits) > 1 else FULL
                place = self.address(str(image), home, f"{FULL}@{variant}" if variant else FULL)
                addresses |= {role: place} if place else {}
        return addresses

    def address(self, path: str, home: str, name: str) -> str | None:
        """A file as seen from the page; None where no link could last."""
        if self._bundle is not None:
            inside = f"{home}/{name}{os.path.splitext(path)[1]}"  # noqa: PTH122 (a hundred thousand of them)
            self.copies[f"{self.view.letter}/{inside}"] = path
            return quote(f"{self._bundle}/{inside}")
        if path.startswith(self._run + os.sep):
            return None if self._address is None else self._address + quote(path[len(self._run) :].replace(os.sep, "/"))
        return self._relative(path) if self._lasting else None

    def _relative(self, path: str) -> str | None:
        absolute = os.path.abspath(path)  # noqa: PTH100
        try:
            if len(Path(os.path.commonpath([absolute, self._out])).parts) < 2:  # nothing in common but the root
                return None
            return quote(os.path.relpath(absolute, self._out).replace(os.sep, "/"))
        except ValueError:  # another drive
            return None


def _known_kinds(view: RunView) -> frozenset[str] | None:
    """Which small pictures every edit of a run has, so that nobody has to look into a folder for each case.

    None where it must be asked case by case: a judged run, or one that two versions worked on.
    """
    if view.run.judged:  # cases have as many inputs, references and questions as they have
        return None
    edited = [record for record in view.records if record.status == "ok"]
    if not edited:
        return frozenset(SHARED)
    first, last = (frozenset(edited[place].thumbs) for place in (0, -1))
    return first if first == last else None


@dataclass(eq=False)
class Places:
    """Blocks of pictures for each case, and columns that say where each picture is."""

    room: int
    blocks: list[dict[str, int]]
    shared: dict[str, list[Place]]
    own: list[dict[str, list[Place]]]
    outside: int = field(default=0)
    """How many small pictures found no room in the page."""

    def put(self, case: int, path: str) -> int | None:
        """Take a picture into the page; None where it has no more room."""
        if self.room <= 0:
            return None
        text = _encoded(path)
        if text is None:
            return NONE
        block = self.blocks[case]
        if text not in block:
            self.room -= len(text) + 3
            if self.room <= 0:
                return None
            block[text] = len(block)
        return block[text]


def place_pictures(pictures_of: Sequence[RunPictures], cases: Sequence[SharedCase], room: int) -> Places:
    """Decide where every picture is. Inside the page: inputs and answers first, then what runs made of a case.

    Cases take turns, so that every kind of case has some of its pictures inside: first the worst of each stratum,
    then the second worst, and so on. All runs of a case go in together, and equal pictures of a case are kept once.
    """
    n = len(cases)
    places = Places(
        room,
        [{} for _ in cases],
        {role: [NONE] * n for role in SHARED},
        [{role: [NONE] * n for role in (*OWN, FULL)} for _ in pictures_of],
    )
    order = fair_order(cases)
    homes = [home_of(case) for case in cases]
    for number in order:
        for role in _roles(cases[number], SHARED, shared=True):
            for index, record in cases[number].records.items():
                if path := pictures_of[index].small(record, homes[number], role):
                    at = _place(places, pictures_of[index], homes[number], number, path)
                    places.shared.setdefault(role, [NONE] * n)[number] = at
                    break
    for number in order:
        roles = _roles(cases[number], OWN, shared=False)
        for index, record in cases[number].records.items():
            own = places.own[index]
            for role in roles:
                if path := pictures_of[index].small(record, homes[number], role):
                    at = _place(places, pictures_of[index], homes[number], number, path)
                    own.setdefault(role, [NONE] * n)[number] = at
            for role, address in pictures_of[index].full(record, homes[number]).items():
                own.setdefault(role, [NONE] * n)[number] = address
    return places


def _roles(case: SharedCase, usual: Sequence[str], *, shared: bool) -> Sequence[str]:
    """Which small pictures a case has: those of pixel suites, or whatever a judged one has, edits before crops."""
    if not case.sheet.judged:
        return usual
    kinds = dict.fromkeys(kind for record in case.records.values() for kind in record.thumbs)
    return sorted((k for k in kinds if k.startswith(OF_THE_CASE) == shared), key=lambda k: not k.startswith("edit"))


def _place(places: Places, pictures: RunPictures, home: str, number: int, path: str) -> Place:
    inside = places.put(number, path)
    if inside is not None:
        return inside
    places.outside += 1
    return pictures.address(path, home, os.path.splitext(os.path.basename(path))[0]) or NONE  # noqa: PTH119, PTH122


def home_of(case: SharedCase) -> str:
    """The path of a case inside a folder of pictures."""
    return str(safe_path(case.first.case_id))


def fair_order(cases: Sequence[SharedCase]) -> list[int]:
    """Places of cases: the worst of every stratum, then the second worst of every stratum, and so on."""
    ranked = sorted(range(len(cases)), key=lambda number: _score(cases[number]))
    seen: Counter[tuple[str | None, ...]] = Counter()
    turns = {}
    for number in ranked:
        case = cases[number]
        stratum = (case.sheet.fingerprint, *(case.first.tags.get(tag) for tag in case.sheet.aggregation.strata))
        turns[number] = seen[stratum]
        seen[stratum] += 1
    return sorted(ranked, key=turns.__getitem__)


def _score(case: SharedCase) -> float:
    """The mean headline: 0 of an edit without any score, and last of all a case that has no such thing."""
    values: Iterable[CaseRecord] = case.records.values()
    metric = case.sheet.headline
    scores = [record.metrics.get(metric) or 0.0 for record in values if metric in record.metrics or not record.metrics]
    return sum(scores) / len(scores) if scores else inf


def columns(places: Places, cases: Sequence[SharedCase], shared_full: dict[str, list[Place]]) -> dict[str, Any]:
    """Where the pictures are, for the page. Addresses that follow one pattern are written once, as the pattern."""
    homes = [quote(home_of(case)) for case in cases]
    shared = {**places.shared, **shared_full}
    return {
        "homes": homes if _needs_homes(places, shared_full) else [],
        "shared": {role: _column(column, homes) for role, column in shared.items()},
        "own": [{role: _column(column, homes) for role, column in run.items()} for run in places.own],
    }


def _needs_homes(places: Places, shared_full: dict[str, list[Place]]) -> bool:
    columns = [*shared_full.values(), *places.shared.values(), *(c for run in places.own for c in run.values())]
    return any(isinstance(place, str) for column in columns for place in column)


def _column(column: list[Place], homes: Sequence[str]) -> dict[str, Any]:
    """A column and its pattern: the text before and after the case's home in its first address.

    >>> _column(["r/a/edit.png", 3, "r/b/edit.png", "q.png"], ["a", "b", "b", "c"])
    {'like': ['r/', '/edit.png'], 'at': [-2, 3, -2, 'q.png']}
    """
    for place, home in zip(column, homes, strict=True):
        if isinstance(place, str):
            before, inside, after = place.rpartition(home)
            if not inside:
                break
            at = [
                LIKE_THE_OTHERS if isinstance(p, str) and p == before + h + after else p
                for p, h in zip(column, homes, strict=True)
            ]
            return {"like": [before, after], "at": at}
    if all(place == NONE for place in column):
        return {"at": []}
    return {"at": column}


def _encoded(path: str) -> str | None:
    """A picture as base64, with the kind in front unless it is WebP; None where the file is missing."""
    kind = MIME.get(os.path.splitext(path)[1].lower())  # noqa: PTH122
    if kind is None:
        return None
    try:
        text = b2a_base64(read_file(path, PICTURE), newline=False).decode("ascii")
    except OSError:
        return None
    return text if kind == "image/webp" else f"data:{kind};base64,{text}"
