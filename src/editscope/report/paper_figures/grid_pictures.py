"""Pictures for the grid: full size where they can be had, made again from the suite, else the run's small ones."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from editscope.cases import Case
from editscope.errors import EditscopeError
from editscope.images import Pixels, load, thumbnail
from editscope.report.model import Sheet
from editscope.results.case_record import CaseRecord
from editscope.runfolder.stored_edits import check_stored


class Pictures:
    """Inputs, answers and edits of the cases of one set."""

    def __init__(self, sheet: Sheet, side: int) -> None:
        self._sheet = sheet
        self._side = side
        self._cases: dict[str, Case | None] = {}

    def shared(self, role: str, records: Mapping[int, CaseRecord]) -> Pixels | None:
        """Input or answer of a case."""
        record = next(iter(records.values()))
        case = self._case(record.case_id)
        if case is not None and case.fingerprint == record.fingerprint:
            picture = case.images[0] if role == "input" else case.answer
            return None if picture is None else thumbnail(load(picture), self._side)
        thumbs = (self._read(record.thumbs.get(role)) for record in records.values())
        return next((pixels for pixels in thumbs if pixels is not None), None)

    def edit(self, record: CaseRecord) -> Pixels | None:
        """What a run made of a case; BadInput where its file is not the one that the run stored."""
        path = record.image
        if path is not None:
            check_stored(path, record.hashes, self._run_of(path))
        full = self._read(path)
        return full if full is not None else self._read(record.thumbs.get("edit"))

    def classes(self, record: CaseRecord, tolerance: int) -> Pixels | None:
        """Which pixels are rightly or wrongly edited or preserved at a tolerance; None where no picture says so."""
        case = self._case(record.case_id)
        if case is None or case.fingerprint != record.fingerprint or case.answer is None:
            return stored_classes(record, tolerance)
        if record.image is None or not record.image.is_file():
            return stored_classes(record, tolerance)
        from editscope.scoring import error_map

        check_stored(record.image, record.hashes, self._run_of(record.image))
        try:
            return thumbnail(error_map(case.images[0], case.answer, record.image, tolerance), self._side)
        except EditscopeError:
            return None

    def _run_of(self, path: Path) -> Path:
        paths = [view.run.path for view in self._sheet.runs]
        return next((run for run in paths if run in path.parents), paths[0])

    def _read(self, path: Path | None) -> Pixels | None:
        if path is None or not path.is_file():
            return None
        try:
            return thumbnail(load(path), self._side)
        except EditscopeError:
            return None

    def _case(self, case_id: str) -> Case | None:
        if case_id not in self._cases:
            suite = self._suite
            self._cases[case_id] = suite[case_id] if suite is not None and case_id in suite else None
        return self._cases[case_id]

    @cached_property
    def _suite(self) -> Any:
        """The suite of the runs, loaded again; None where its data is no longer there or has changed."""
        from editscope.suites import load_suite

        info = self._sheet.runs[0].run.info["suite"]
        try:
            suite = load_suite(info["name"], **(info.get("options") or {}))
        except EditscopeError:
            return None
        return suite if suite.fingerprint == self._sheet.fingerprint else None


def stored_classes(record: CaseRecord, tolerance: int) -> Pixels | None:
    """The same from the small pictures of a run: the map of levels, and the answer behind it."""
    codes, answer = record.thumbs.get("levels"), record.thumbs.get("answer")
    if codes is None or answer is None:
        return None
    from editscope.scoring import color_codes

    try:
        levels, ghost = load(codes), load(answer)
    except EditscopeError:
        return None
    rows, columns = (
        [place * across // size for place in range(size)]
        for size, across in zip(levels.shape[:2], ghost.shape[:2], strict=True)
    )
    return color_codes(levels, ghost[rows][:, columns], tolerance)
