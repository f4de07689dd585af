"""Larger pictures inside a report: input, answer and edit of a case in one size, where the page has room for them."""

from __future__ import annotations

import os
from binascii import b2a_base64
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeAlias

from editscope.errors import EditscopeError
from editscope.processes import end_with_parent
from editscope.report.html.picture_budget import NONE, Places, fair_order
from editscope.report.html.picture_folder import pictures_of_case, suite_of
from editscope.report.options import ReportOptions
from editscope.runfolder.repeats import plain

if TYPE_CHECKING:
    from editscope.report.html.gallery_data import SharedCase
    from editscope.report.model import Sheet
    from editscope.results.case_record import CaseRecord

SIDE = 512
"""The longer side of a larger picture in pixels."""
MOST = 600
"""As many are made for one report: a few seconds of work."""
CHUNK, CHUNKS_PER_JOB = 8, 6
"""Cases that are made at once, and how many such lots are worth a process of its own, which takes a second to start."""
LEAST_ROOM = 100_000

Slot: TypeAlias = "tuple[int, str]"
"""A picture of a case: the run's number and the role; -1 for what all runs share."""
SHARED = -1


@dataclass(frozen=True)
class Wanted:
    """A case whose pictures are to be made larger, and the files of its edits."""

    number: int
    case_id: str
    edits: Mapping[Slot, str]


def enlarge(places: Places, cases: Sequence[SharedCase], options: ReportOptions) -> int:
    """Put larger pictures in place of small ones, case by case in a fair order while there is room; how many cases.

    A case gets all of its pictures in the larger size or none: a sharp edit beside a blurred input misleads.
    """
    if places.outside or places.room < LEAST_ROOM:
        return 0
    wanted = _wanted(cases)
    made = 0
    for number, pictures in _made(wanted, cases, options):
        if not pictures:
            continue
        if not _replace(places, number, pictures):
            break
        made += 1
    return made


def _wanted(cases: Sequence[SharedCase]) -> dict[Sheet, list[Wanted]]:
    """The cases to begin with, up to ``MOST`` pictures, by their set."""
    by_sheet: dict[Sheet, list[Wanted]] = {}
    total = 0
    for number in fair_order(cases):
        case = cases[number]
        edits = {slot: path for index, record in case.records.items() for slot, path in _edits(index, record)}
        total += 2 + len(edits)
        if total > MOST:
            break
        by_sheet.setdefault(case.sheet, []).append(Wanted(number, case.first.case_id, edits))
    return by_sheet


def _edits(index: int, record: CaseRecord) -> Iterator[tuple[Slot, str]]:
    """The files of an edit by their role, both paths of a pair too; an edit that has no verdict is still to be seen."""
    if len(record.images) > 1:
        yield from (((index, f"edit {plain(variant)[0]}"), str(path)) for variant, path in record.images.items())
    elif record.image is not None and (record.status == "ok" or record.verdicts):
        yield (index, "edit"), str(record.image)


def _made(
    wanted: Mapping[Sheet, Sequence[Wanted]], cases: Sequence[SharedCase], options: ReportOptions
) -> Iterator[tuple[int, dict[Slot, str]]]:
    """The pictures of each wanted case as the page holds them; nothing for a case that cannot be made again."""
    total = sum(map(len, wanted.values()))
    done = 0
    for sheet, batch in wanted.items():
        try:
            name, settings = suite_of(sheet)
        except EditscopeError as error:
            options.say(f"pictures of {sheet.suite} stay small: {error}", 0, 0)
            continue
        chunks = [batch[start : start + CHUNK] for start in range(0, len(batch), CHUNK)]
        jobs = min(os.cpu_count() or 1, len(chunks) // CHUNKS_PER_JOB)
        for pictures in _in_order(name, settings, chunks, jobs):
            yield from pictures
            done += len(pictures)
            options.say("making larger pictures", done, total)


def _in_order(
    name: str, settings: dict[str, Any], chunks: Sequence[Sequence[Wanted]], jobs: int
) -> Iterator[list[tuple[int, dict[Slot, str]]]]:
    if jobs < 2:
        yield from (_larger(name, settings, chunk) for chunk in chunks)
        return
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), end_with_parent)
    try:
        for pending in [pool.submit(_larger, name, settings, chunk) for chunk in chunks]:
            yield pending.result()
    finally:
        pool.shutdown(cancel_futures=True)  # the page is full: what was still to come is not wanted


def _larger(name: str, settings: dict[str, Any], chunk: Sequence[Wanted]) -> list[tuple[int, dict[Slot, str]]]:
    from editscope.suites import load_suite

    suite = load_suite(name, **settings)
    return [(one.number, _pictures(suite[one.case_id], one.edits)) for one in chunk]


def _pictures(case: Any, edits: Mapping[Slot, str]) -> dict[Slot, str]:
    """All pictures of a case in the larger size; none at all where one of them cannot be read."""
    given = {(SHARED, role): picture for role, picture in pictures_of_case(case).items()}
    try:
        return {slot: _encoded(picture) for slot, picture in {**given, **edits}.items()}
    except (EditscopeError, OSError):  # an edit that was moved away, or a data set that changed: small ones are there
        return {}


def _encoded(picture: Any) -> str:
    from editscope.images import encode_thumbnail, load, thumbnail

    return b2a_base64(encode_thumbnail(thumbnail(load(picture), SIDE)), newline=False).decode("ascii")


def _replace(places: Places, number: int, pictures: Mapping[Slot, str]) -> bool:
    """Take the larger pictures of a case for the small ones; False, and nothing changed, where they have no room."""
    old = list(places.blocks[number])
    columns = [(SHARED, places.shared), *enumerate(places.own)]
    inside = [
        (column, (index, role), old[place])
        for index, by_role in columns
        for role, column in by_role.items()
        if isinstance(place := column[number], int) and place != NONE
    ]
    texts = [pictures.get(slot, text) for _, slot, text in inside]
    block: dict[str, int] = {}
    for text in texts:
        block.setdefault(text, len(block))
    grown = sum(map(len, block)) - sum(map(len, old))
    if grown > places.room:
        return False
    places.room -= grown
    places.blocks[number] = block
    for (column, _, _), text in zip(inside, texts, strict=True):
        column[number] = block[text]
    return True
