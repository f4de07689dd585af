"""Pictures of a data set as bytes of files: in full size from run and suite, else the small ones of the run."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from editscope.cases import Case
from editscope.errors import EditscopeError
from editscope.files import PICTURE, read_file
from editscope.images import encode_png, load
from editscope.report.model import RunView
from editscope.results.case_record import CaseRecord
from editscope.runfolder.stored_edits import check_stored

AS_THEY_ARE = (".png", ".jpg", ".jpeg", ".webp")
"""Files that every reader of data sets can decode."""


class DatasetPictures:
    """Pictures of the cases of one run by what they show: input, input2 …, answer, edit."""

    def __init__(self, view: RunView, *, full: bool) -> None:
        self._view = view
        self._full = full

    def of(self, record: CaseRecord, kind: str) -> bytes | None:
        """One picture of a case; None where there is none. BadInput where an edit is not the one that was stored."""
        data = (self._edit(record) if kind == "edit" else self._original(record, kind)) if self._full else None
        return data or _read(self._thumb(record, kind))

    def _thumb(self, record: CaseRecord, kind: str) -> Path | None:
        """The small picture; of an edit in several parts, such as two paths, the first."""
        exact = record.thumbs.get(kind)
        return exact or next((path for name, path in record.thumbs.items() if name.startswith(f"{kind} ")), None)

    def _edit(self, record: CaseRecord) -> bytes | None:
        path = record.image or next(iter(record.images.values()), None)
        if path is None:
            return None
        check_stored(path, record.hashes, self._view.run.path)
        return _read(path)

    def _original(self, record: CaseRecord, kind: str) -> bytes | None:
        case = self._case(record)
        if case is None:
            return None
        place = int(kind.removeprefix("input") or 1) - 1 if kind.startswith("input") else 0
        pictures = (case.answer,) if kind == "answer" else case.images
        picture = pictures[place] if place < len(pictures) else None
        if picture is None:
            return None
        if isinstance(picture, str | Path):
            return _read(Path(picture))
        return encode_png(load(picture))

    def _case(self, record: CaseRecord) -> Case | None:
        """The case as the suite has it today, where that is the same one."""
        known = self.__dict__.setdefault("_last", {})
        if record.case_id not in known:
            known.clear()  # rows come case by case
            case = self._suite[record.case_id] if self._suite is not None and record.case_id in self._suite else None
            known[record.case_id] = case if case is not None and case.fingerprint == record.fingerprint else None
        found: Case | None = known[record.case_id]
        return found

    @cached_property
    def _suite(self) -> Any:
        """The suite of the run, loaded again; None where its data is no longer there or has changed."""
        from editscope.suites import load_suite

        info = self._view.run.info["suite"]
        try:
            suite = load_suite(info["name"], **(info.get("options") or {}))
        except EditscopeError:
            return None
        return suite if suite.fingerprint == info["fingerprint"] else None


def _read(path: Path | None) -> bytes | None:
    """The bytes of a picture, as a PNG where it is of a rare kind; None where it is gone or none."""
    if path is None or not path.is_file():
        return None
    try:
        return read_file(path, PICTURE) if path.suffix.lower() in AS_THEY_ARE else encode_png(load(path))
    except (OSError, EditscopeError):
        return None
