"""Creation of a study: the items that raters will see, with their pictures, in one transaction."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import insert, select

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.material import Material, StudyCase, read_lines, text_of
from editscope.studio.studies.pictures import PictureFolder, damaged, fitted, loaded, prepared
from editscope.studio.studies.tables import ITEMS, STUDIES

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
VOTE, CHECK, QUALIFICATION, CALIBRATION = "vote", "check", "qualification", "calibration"
CHECKS = 12
"""Attention checks that are made; a rater meets each at most once."""
ENDLESS = 1_000_000_000
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class CalibrationItem:
    """An edit whose scores are known: raters score it first and then see these."""

    instruction: str
    source: Path
    edit: Path
    scores: Mapping[str, int]
    note: str = ""


def _pictures(
    case: StudyCase, folder: PictureFolder
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]], dict[str, Pixels]]:
    """Sources and edits as the database keeps them, and the pixels of the edits."""
    what = f"case {case.case_id!r}"
    edits = {model: loaded(edit, f"{what}, edit of {model}") for model, edit in case.edits.items()}
    sources = [loaded(source, f"{what}, source") for source in case.sources]
    shown, (width, height) = prepared(sources or list(edits.values())[:1])
    sized = {model: fitted(edit, width, height) for model, edit in edits.items()}
    kept = [folder.keep(source) for source in shown] if sources else []
    return kept, {model: folder.keep(edit) for model, edit in sized.items()}, sized


def create_study(
    store: Store,
    settings: Settings,
    name: str,
    design: StudyDesign,
    material: Material,
    cases: Sequence[StudyCase],
    *,
    calibration: Sequence[CalibrationItem] = (),
    progress: Progress | None = None,
) -> int:
    """Make a study of the cases and return its number. Nothing is stored where a picture cannot be used."""
    design.checked()
    if not NAME.fullmatch(name):
        raise BadInput(f"the name of a study has letters, digits, dots and dashes, at most 80, unlike {name!r}")
    models = list(material.models)
    least = 2 if design.kind == "pairwise" else 1
    if len(models) < least:
        raise BadInput(f"a {design.kind} study needs at least {least} models, but there are {len(models)}")
    if not cases:
        raise BadInput("the study has no case")
    with store.reading() as connection:
        if connection.execute(select(STUDIES.c.id).where(STUDIES.c.name == name)).first():
            raise BadInput(f"there is a study {name!r} already; choose another name")
    folder = PictureFolder(settings.own_folder)
    rows = [*_rows(design, cases, folder, progress), *_calibration_rows(design, calibration, folder)]
    order = Random(secrets.randbits(64))
    places = order.sample(range(len(rows)), len(rows))
    known = [{"name": model, "run": material.models[model]} for model in models]
    with store.writing() as connection:
        values = {"name": name, "kind": design.kind, "design": design.as_json(), "models": known}
        more = {"secret": secrets.token_hex(32), "state": "open", "created_at": time.time()}
        study = int(connection.execute(insert(STUDIES).values(values | more).returning(STUDIES.c.id)).scalar_one())
        for row, place in zip(rows, places, strict=True):
            row |= {"study_id": study, "key": secrets.token_hex(12), "given": 0, "place": place}
        connection.execute(insert(ITEMS), rows)
    return study


def _rows(
    design: StudyDesign, cases: Sequence[StudyCase], folder: PictureFolder, progress: Progress | None
) -> Iterator[dict[str, Any]]:
    checks = CHECKS if design.check_every else 0
    order = Random(design.seed).sample(range(len(cases)), len(cases))
    trials = [order[turn % len(order)] for turn in range(design.qualification + checks)]
    if progress is not None:
        progress(0, len(cases))
    for number, case in enumerate(cases):
        sources, edits, pixels = _pictures(case, folder)
        shared = {
            "case_id": case.case_id,
            "level": case.level,
            "tags": dict(case.tags),
            "instruction": case.instruction,
        }
        fresh = {"kind": VOTE, "wanted": design.votes, "expected": {}}
        if design.kind == "pairwise":
            for first, second in combinations(edits, 2):
                names = {"first_model": first, "second_model": second}
                shown = {"sources": sources, "first": edits[first], "second": edits[second]}
                yield shared | fresh | names | {"pictures": shown}
        else:
            for model, edit in edits.items():
                names = {"first_model": model, "second_model": ""}
                yield shared | fresh | names | {"pictures": {"sources": sources, "first": edit}}
        for turn, trial in enumerate(trials):
            if trial == number:
                kind = QUALIFICATION if turn < design.qualification else CHECK
                yield shared | _known_item(design, kind, sources, edits, pixels, turn, folder)
        if progress is not None:
            progress(number + 1, len(cases))


def _known_item(
    design: StudyDesign,
    kind: str,
    sources: list[dict[str, Any]],
    edits: Mapping[str, dict[str, Any]],
    pixels: Mapping[str, Pixels],
    turn: int,
    folder: PictureFolder,
) -> dict[str, Any]:
    """An item whose answer is known: an edit beside, or instead of, one with its blocks shuffled."""
    model = sorted(edits)[turn % len(edits)]
    broken = folder.keep(damaged(pixels[model], turn))
    row: dict[str, Any] = {"kind": kind, "wanted": ENDLESS, "first_model": "", "second_model": ""}
    if design.kind == "pairwise":
        # Which of the two is the broken one changes, so that "always the first" is not an answer either.
        good, bad = ("first", "second") if turn % 2 else ("second", "first")
        return row | {
            "pictures": {"sources": sources, good: edits[model], bad: broken},
            "expected": {"choice": good},
        }
    most = {scale.name: (scale.low + scale.high) // 2 for scale in design.scales}
    return row | {"pictures": {"sources": sources, "first": broken}, "expected": {"at_most": most}}


def _calibration_rows(
    design: StudyDesign, items: Sequence[CalibrationItem], folder: PictureFolder
) -> Iterator[dict[str, Any]]:
    if items and design.kind != "ratings":
        raise BadInput("calibration items are for studies with ratings")
    for item in items:
        what = f"calibration item {item.edit.name}"
        (source,), (width, height) = prepared([loaded(item.source, what)])
        edit = folder.keep(fitted(loaded(item.edit, what), width, height))
        yield {
            "kind": CALIBRATION,
            "wanted": ENDLESS,
            "case_id": item.edit.name,
            "level": "",
            "tags": {},
            "instruction": item.instruction,
            "first_model": "",
            "second_model": "",
            "pictures": {"sources": [folder.keep(source)], "first": edit},
            "expected": {"scores": dict(item.scores), "note": item.note},
        }


def read_calibration(path: Path, design: StudyDesign) -> list[CalibrationItem]:
    """Calibration items of a JSON Lines file: ``instruction``, ``source``, ``edit``, ``scores``, and ``note``."""
    items = []
    for number, row in read_lines(path):
        where = f"{path}, line {number}"
        scores = row.get("scores")
        if not isinstance(scores, dict):
            raise BadInput(f"{where}: scores must be an object with a number for each scale")
        for scale in design.scales:
            value = scores.get(scale.name)
            if not isinstance(value, int) or not scale.low <= value <= scale.high:
                raise BadInput(f"{where}: scores.{scale.name} must be a whole number, {scale.low} to {scale.high}")
        source, edit = (path.parent / text_of(row, name, where) for name in ("source", "edit"))
        known = {scale.name: scores[scale.name] for scale in design.scales}
        items.append(CalibrationItem(text_of(row, "instruction", where), source, edit, known, str(row.get("note", ""))))
    return items
