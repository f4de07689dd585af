"""Export of a project: the authors' files, into its own folder with copies of the earlier ones, or into a new one."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, EditscopeError
from editscope.studio.annotate.folders import new_folder
from editscope.studio.annotate.projects import OpenProject, Projects, source_hash
from editscope.studio.failures import Conflict, told_without_paths
from editscope.studio.settings import Settings
from editscope.suites.annotation.layout import AnnotationRecord
from editscope.suites.datafolder.rows import inside


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What was written where, and what the suite that loads it says."""

    folder: str
    files: tuple[str, ...]
    cases: int
    left_out: int
    loaded: int
    notes: tuple[str, ...]


def export(
    settings: Settings, projects: Projects, project: OpenProject, *, name: str, ready_only: bool
) -> ExportResult:
    """Write the cases; ``name`` is that of a new folder, "" writes into the project's own.

    ``ready_only`` leaves out cases with something wrong, and is for new folders: the files of the project keep them.
    """
    with told_without_paths(settings.folder):
        return _export(settings, projects, project, name, ready_only)


def _export(settings: Settings, projects: Projects, project: OpenProject, name: str, ready_only: bool) -> ExportResult:
    rows = projects.contents(project.id)
    kept = [row for row in rows if not (ready_only and row.wrong)]
    if not kept:
        raise BadInput("No case is ready to be exported; mend what is wrong with one first.")
    twice = _first_twice([row.key for row in kept])
    if twice:
        raise BadInput(f"Two cases have the id {twice!r}; give one of them another before you export.")
    records = [AnnotationRecord(row.content, row.raw) for row in kept]
    if name:
        root = _into_new(settings, project, records, name)
        written = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        files = tuple(path for path in written if not _is_picture(path))
    else:
        if ready_only and len(kept) < len(rows):
            raise BadInput("Cases with something wrong stay in the project's own files; export ready ones elsewhere.")
        if source_hash(project.layout, project.root) != project.source_hash:
            raise Conflict(
                "The files of this project were changed by something else since it was opened or exported last; "
                "export into a new folder, and compare the two."
            )
        root = project.root
        files = tuple(path.relative_to(root).as_posix() for path in project.layout.write(root, records))
        _remember(projects, project, {row.key: row.id for row in kept})
    loaded, notes = _loaded(project, root)
    return ExportResult(
        root.relative_to(settings.folder).as_posix(), files, len(kept), len(rows) - len(kept), loaded, notes
    )


def _into_new(settings: Settings, project: OpenProject, records: list[AnnotationRecord], name: str) -> Path:
    """Write files and pictures beside, then move them in place: the new folder is whole or not there."""
    target = new_folder(settings.folder, name)
    with tempfile.TemporaryDirectory(prefix=".export-", dir=settings.folder) as beside:
        root = Path(beside) / target.name
        root.mkdir()
        form = project.form
        paths = {
            entry["path"]
            for record in records
            for field in form.of_kind("pictures")
            for entry in record.values.get(field.name, ())
        }
        for path in sorted(paths | set(project.layout.companions(project.root))):
            source, copy = inside(project.root, path), inside(root, path)
            if source is not None and copy is not None and source.is_file():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, copy)
        project.layout.write(root, records)
        if target.exists():
            raise BadInput(f"There is a folder {target.name!r} already; choose another name.")
        root.rename(target)
    return target


def _remember(projects: Projects, project: OpenProject, ids: dict[str, int]) -> None:
    """Keep what the files hold now as the start of the next export."""
    raws: dict[int, Any] = {}
    for record in project.layout.read(project.root):
        case_id = ids.get(project.layout.key(record.values))
        if case_id is not None:
            raws[case_id] = record.raw
    projects.exported(project, source_hash(project.layout, project.root), raws)


def _loaded(project: OpenProject, root: Path) -> tuple[int, tuple[str, ...]]:
    """How many cases the suite loads from what was written, and what it says about the others, without paths."""
    try:
        suites = project.layout.loaded(root)
    except EditscopeError as error:
        return 0, (_without(root, str(error)),)
    notes = [_without(root, note) for suite in suites for note in suite.notes()]
    return sum(len(suite) for suite in suites), tuple(notes[:20])


def _without(root: Path, text: str) -> str:
    return text.replace(f"{root}/", "").replace(str(root), root.name)


def _is_picture(path: str) -> bool:
    from editscope.studio.annotate.folders import SUFFIXES

    return path.lower().endswith(SUFFIXES)


def _first_twice(keys: list[str]) -> str:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    return ""
