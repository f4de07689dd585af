"""Folder of pictures beside a report: copies of the runs' own, and inputs and answers made again."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import quote

from editscope.cases import Case
from editscope.errors import BadInput, EditscopeError
from editscope.images import ImageLike, load
from editscope.processes import end_with_parent
from editscope.report.html.gallery_data import SharedCase
from editscope.report.html.picture_budget import NONE, Place
from editscope.report.model import Sheet
from editscope.report.options import ReportOptions
from editscope.runfolder.files import safe_path
from editscope.runfolder.stored_edits import check_stored
from editscope.scoring.effect_overlay import effect_overlay

MARK = ".editscope-report"
"""A file by which we know a folder that we made and may therefore replace."""
ROLES = ("input", "answer")
CHUNK = 32


def bundle_folder(out: Path) -> Path:
    """Where the pictures of a report go: ``report.html`` has ``report_files``."""
    return out.with_name(f"{out.stem}_files")


def write_bundle(
    cases: Sequence[SharedCase], copies: Mapping[str, Path], out: Path, options: ReportOptions
) -> dict[str, list[Place]]:
    """Write the folder whole or not at all; the addresses of full-size inputs and answers.

    ``copies`` are files of the runs by their path in the folder: hard links where the disk can, else copies.
    """
    folder = bundle_folder(out)
    if folder.exists() and not (folder / MARK).is_file():
        raise BadInput(f"{folder} exists and was not created by a report; move it, or choose another name for --out")
    making = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    stored = _stored(cases)
    try:
        making.mkdir(parents=True)
        (making / MARK).write_text("Pictures of the report beside this folder.\n", encoding="utf-8")
        for number, (inside, source) in enumerate(copies.items()):
            if number % 1000 == 0:
                options.say("copying pictures", number, len(copies))
            if source in stored:
                check_stored(source, *stored[source])
            _put(source, making / inside)
        columns = _originals(cases, making, folder.name, options)
        if folder.exists():
            shutil.rmtree(folder)
        making.replace(folder)
    except OSError as error:
        raise BadInput(f"cannot write {folder}: {error.strerror or error}; choose another place") from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return columns


def _stored(cases: Sequence[SharedCase]) -> dict[Path, tuple[Mapping[Path, str], Path]]:
    """For each edit that was stored with a hash: the hashes of its record, and the run."""
    stored: dict[Path, tuple[Mapping[Path, str], Path]] = {}
    for case in cases:
        runs = {view.index: view.run.path for view in case.sheet.runs}
        for index, record in case.records.items():
            hashes = record.hashes
            stored |= dict.fromkeys(hashes, (hashes, runs[index]))
    return stored


def _put(source: Path, target: Path) -> None:
    if not source.is_file():  # a pipe or a device is not a picture, and copying one would never end
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        target.hardlink_to(source)
    except FileNotFoundError:  # an edit that was moved away; its small picture is still there
        return
    except OSError:  # another disk, or one without links
        shutil.copyfile(source, target)


def _originals(cases: Sequence[SharedCase], making: Path, name: str, options: ReportOptions) -> dict[str, list[Place]]:
    """Inputs and answers in full, from the suites that the runs were made with, and their addresses."""
    columns: dict[str, list[Place]] = {f"full_{role}": [NONE] * len(cases) for role in ROLES}
    for sheet in dict.fromkeys(case.sheet for case in cases):
        here = {n: case.first.case_id for n, case in enumerate(cases) if case.sheet is sheet}
        inside = f"cases-{sheet.runs[0].letter}"
        try:
            written = _made_again(sheet, list(dict.fromkeys(here.values())), making / inside, options)
        except EditscopeError as error:
            options.say(f"inputs and answers of {sheet.suite} stay small: {error}", 0, 0)
            continue
        for number, case_id in here.items():
            for role in written.get(case_id, ()):
                column = columns.setdefault(f"full_{role}", [NONE] * len(cases))
                column[number] = quote(f"{name}/{inside}/{safe_path(case_id)}/{role}.png")
    return columns


def _made_again(sheet: Sheet, ids: list[str], folder: Path, options: ReportOptions) -> dict[str, tuple[str, ...]]:
    """Write the pictures of cases as PNG; which of them each case has."""
    name, settings = suite_of(sheet)
    chunks = [ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK)]
    jobs = min(os.cpu_count() or 1, len(chunks) // 2)
    roles_by_case: dict[str, tuple[str, ...]] = {}
    if jobs < 2:
        for chunk in chunks:
            roles_by_case |= _write_originals(name, settings, chunk, folder)
            options.say("making inputs and answers", len(roles_by_case), len(ids))
        return roles_by_case
    with ProcessPoolExecutor(jobs, get_context("spawn"), end_with_parent) as pool:
        pending = [pool.submit(_write_originals, name, settings, chunk, folder) for chunk in chunks]
        for done in as_completed(pending):
            roles_by_case |= done.result()
            options.say("making inputs and answers", len(roles_by_case), len(ids))
    return roles_by_case


def suite_of(sheet: Sheet) -> tuple[str, dict[str, Any]]:
    """Name and options of the suite whose cases a set has; BadInput where it gives other cases today."""
    from editscope.suites import load_suite

    suite_info = sheet.runs[0].run.info["suite"]
    name, settings = str(suite_info["name"]), dict(suite_info.get("options") or {})
    suite = load_suite(name, **settings)
    if suite.fingerprint != sheet.fingerprint:
        raise BadInput(f"the set that {name} gives today is another one ({suite.fingerprint}, not {sheet.fingerprint})")
    return name, settings


def pictures_of_case(case: Case) -> dict[str, ImageLike]:
    """What a case gives, by the role that runs name it by: input, input2, reference, answer, effects."""
    pictures = {_numbered("input", i): image for i, image in enumerate(case.images)}
    pictures |= {_numbered("reference", i): image for i, image in enumerate(case.references)}
    if case.answer is None:
        return pictures
    pictures["answer"] = case.answer
    return pictures | ({"effects": effect_overlay(load(case.answer), case.effects)} if case.effects else {})


def _write_originals(name: str, settings: dict[str, Any], ids: list[str], folder: Path) -> dict[str, tuple[str, ...]]:
    from editscope.images import write_png
    from editscope.suites import load_suite

    suite = load_suite(name, **settings)
    roles_by_case: dict[str, tuple[str, ...]] = {}
    for case_id in ids:
        pictures = pictures_of_case(suite[case_id])
        for role, picture in pictures.items():
            target = folder / safe_path(case_id) / f"{role}.png"
            if isinstance(picture, str | Path) and Path(picture).suffix.lower() == ".png":
                _put(Path(picture), target)
            else:
                write_png(target, load(picture))
        roles_by_case[case_id] = tuple(pictures)
    return roles_by_case


def _numbered(role: str, place: int) -> str:
    """The role of one of several pictures, as runs name their small ones: input, input2 …"""
    return role if place == 0 else f"{role}{place + 1}"
