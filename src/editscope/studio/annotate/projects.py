"""Annotation projects in the database: cases, and revisions that are added and never changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from editscope.errors import BadInput
from editscope.studio.annotate.folders import folder_at, pictures_in
from editscope.studio.annotate.tables import CASES, PROJECTS, REVISIONS
from editscope.studio.failures import Conflict, Missing, told_without_paths
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.suites.annotation.cleaning import cleaned
from editscope.suites.annotation.form import AnnotationForm, Remark
from editscope.suites.annotation.layout import AnnotationLayout, picture_sizes
from editscope.suites.annotation.registry import annotation_layout

LONGEST_TITLE = 240
MOST_HISTORY = 500


@dataclass(frozen=True, slots=True)
class OpenProject:
    """A project with its layout and the folder that its paths are relative to."""

    id: int
    name: str
    layout_name: str
    folder: str
    source_hash: str
    layout: AnnotationLayout
    root: Path
    form: AnnotationForm


@dataclass(frozen=True, slots=True)
class SavedDraft:
    """A revision that is on disk, and what is wrong with it."""

    revision: int
    remarks: Sequence[Remark]


class OldBase(Conflict):
    """A save on top of a revision that is not the newest any more; it holds what is."""

    def __init__(self, revision: int, values: Mapping[str, Any]) -> None:
        super().__init__("This case was saved somewhere else meanwhile. Keep that version or yours.")
        self.revision, self.values = revision, values


class Projects:
    """All annotation projects of a studio."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self._folder, self._store = settings.folder, store

    def create(self, name: str, layout_name: str, folder: str) -> int:
        """A project of a folder: of its data where it has some in the layout, else a case for each of its pictures."""
        name = name.strip()
        if not name or len(name) > 120:
            raise BadInput("Give the project a name of at most 120 characters.")
        layout, root = annotation_layout(layout_name), folder_at(self._folder, folder)
        with told_without_paths(self._folder):
            root, rows = _start(layout, root)
            form = layout.form(root)
        row = {
            "name": name,
            "layout": layout_name,
            "folder": root.relative_to(self._folder).as_posix(),
            "source_hash": source_hash(layout, root),
            "created_at": time.time(),
        }
        summaries = [_summary(layout, form, root, values) for _, values in rows]
        try:
            with self._store.writing() as connection:
                project_id = int(connection.execute(insert(PROJECTS).values(row)).inserted_primary_key[0])  # type: ignore[index]
                for place, ((raw, values), summary) in enumerate(zip(rows, summaries, strict=True), start=1):
                    _add(connection, project_id, place, raw, values, summary)
        except IntegrityError as error:
            raise BadInput(f"There is a project named {name!r} already; choose another name.") from error
        return project_id

    def listed(self) -> list[dict[str, Any]]:
        """All projects with how many cases each has, how many were changed and how many have something wrong."""
        counted = (
            select(
                CASES.c.project_id,
                func.count().label("cases"),
                func.sum((CASES.c.newest > 1).cast(CASES.c.newest.type)).label("changed"),
                func.sum((CASES.c.wrong > 0).cast(CASES.c.newest.type)).label("wrong"),
            )
            .where(CASES.c.removed.is_(False))
            .group_by(CASES.c.project_id)
            .subquery()
        )
        query = select(PROJECTS, counted.c.cases, counted.c.changed, counted.c.wrong).outerjoin(
            counted, counted.c.project_id == PROJECTS.c.id
        )
        with self._store.reading() as connection:
            rows = connection.execute(query.order_by(PROJECTS.c.created_at.desc())).mappings().all()
        return [{**row, "cases": row["cases"] or 0, "changed": row["changed"] or 0, "wrong": row["wrong"] or 0}
                for row in rows]  # fmt: skip

    def project(self, project_id: int) -> OpenProject:
        """A project by its number; Missing where there is none, or where its folder is gone."""
        with self._store.reading() as connection:
            row = connection.execute(select(PROJECTS).where(PROJECTS.c.id == project_id)).first()
        if row is None:
            raise Missing("There is no such annotation project.")
        layout = annotation_layout(row.layout)
        root = folder_at(self._folder, row.folder)
        with told_without_paths(self._folder):
            form = layout.form(root)
        return OpenProject(row.id, row.name, row.layout, row.folder, row.source_hash, layout, root, form)

    def cases(self, project_id: int) -> list[Row[Any]]:
        """The cases of a project, in order, each with what lists show of it."""
        columns = [column for column in CASES.c if column.name != "raw"]
        query = select(*columns).where(CASES.c.project_id == project_id, CASES.c.removed.is_(False))
        with self._store.reading() as connection:
            return list(connection.execute(query.order_by(CASES.c.place, CASES.c.id)))

    def contents(self, project_id: int) -> list[Row[Any]]:
        """The cases of a project with their entry in the file and their newest values."""
        query = (
            select(CASES.c.id, CASES.c.raw, CASES.c.key, CASES.c.wrong, REVISIONS.c.content)
            .join(REVISIONS, (REVISIONS.c.case_id == CASES.c.id) & (REVISIONS.c.number == CASES.c.newest))
            .where(CASES.c.project_id == project_id, CASES.c.removed.is_(False))
        )
        with self._store.reading() as connection:
            return list(connection.execute(query.order_by(CASES.c.place, CASES.c.id)))

    def newest(self, project: OpenProject, case_id: int) -> tuple[int, dict[str, Any], bool]:
        """The number and the values of a case's newest revision, and whether the case was removed."""
        with self._store.reading() as connection:
            return _newest(connection, project.id, case_id)

    def check(self, project: OpenProject, case_id: int, values: Any) -> tuple[dict[str, Any], list[Remark]]:
        """Values as they may be kept, and all that is wrong with them or could be better."""
        form = project.form
        kept = cleaned(form, values)
        with self._store.reading() as connection:
            return kept, self._remarks(connection, project, form, case_id, kept)

    def save(
        self, project: OpenProject, case_id: int, base: int, values: Any, token: str, kind: str = "edit"
    ) -> SavedDraft:
        """Add a revision on top of ``base``; OldBase where another one was added meanwhile.

        The same ``token`` again is the same save, whose first answer may have been lost.
        """
        form = project.form
        kept = cleaned(form, values)
        summary = _summary(project.layout, form, project.root, kept)
        with self._store.writing() as connection:
            # Another save of the same case waits here until this one is on disk.
            connection.execute(select(CASES.c.id).where(CASES.c.id == case_id).with_for_update())
            remarks = self._remarks(connection, project, form, case_id, kept)
            again = connection.execute(
                select(REVISIONS.c.number).where(REVISIONS.c.case_id == case_id, REVISIONS.c.token == token)
            ).scalar()
            if again is not None:
                return SavedDraft(again, remarks)
            newest, now, _ = _newest(connection, project.id, case_id)
            if newest != base:
                raise OldBase(newest, now)
            if kind == "edit" and form.filled(now) == kept:
                return SavedDraft(newest, remarks)
            removed = kind == "remove"
            summary |= {"newest": base + 1, "removed": removed, "wrong": sum(r.severity == "wrong" for r in remarks)}
            connection.execute(update(CASES).where(CASES.c.id == case_id).values(summary))
            revision = {"case_id": case_id, "number": base + 1, "kind": kind, "content": kept}
            connection.execute(insert(REVISIONS).values(revision | {"token": token, "saved_at": time.time()}))
        return SavedDraft(base + 1, remarks)

    def add(self, project: OpenProject, pictures: Sequence[str]) -> int:
        """A new case at the end, with the first id that is free; its number."""
        form = project.form
        with self._store.writing() as connection:
            # Another new case of the project waits here, so that both get an id of their own.
            connection.execute(select(PROJECTS.c.id).where(PROJECTS.c.id == project.id).with_for_update())
            place = int(
                connection.execute(
                    select(func.coalesce(func.max(CASES.c.place), 0)).where(CASES.c.project_id == project.id)
                ).scalar_one()
            )
            keys = set(connection.execute(select(CASES.c.key).where(CASES.c.project_id == project.id)).scalars())
            number = place + 1
            while project.layout.key(values := form.filled(project.layout.blank(number, pictures))) in keys:
                number += 1
            summary = _summary(project.layout, form, project.root, values)
            return _add(connection, project.id, place + 1, {}, values, summary)

    def history(self, project: OpenProject, case_id: int) -> list[dict[str, Any]]:
        """The revisions of a case, newest first."""
        with self._store.reading() as connection:
            _newest(connection, project.id, case_id)
            query = select(REVISIONS.c.number, REVISIONS.c.kind, REVISIONS.c.saved_at, REVISIONS.c.content)
            rows = connection.execute(
                query.where(REVISIONS.c.case_id == case_id).order_by(REVISIONS.c.number.desc()).limit(MOST_HISTORY)
            ).mappings()
            return [{**row, "content": project.form.filled(row["content"])} for row in rows]

    def exported(self, project: OpenProject, new_hash: str, raws: Mapping[int, Mapping[str, Any]]) -> None:
        """Remember what the files of a project hold after they were written."""
        with self._store.writing() as connection:
            connection.execute(update(PROJECTS).where(PROJECTS.c.id == project.id).values(source_hash=new_hash))
            for case_id, raw in raws.items():
                connection.execute(update(CASES).where(CASES.c.id == case_id).values(raw=dict(raw)))

    def _remarks(
        self, connection: Connection, project: OpenProject, form: AnnotationForm, case_id: int, values: dict[str, Any]
    ) -> list[Remark]:
        remarks = project.layout.check(form, values, picture_sizes(form, values, project.root))
        key = project.layout.key(values)
        others = select(func.count()).where(
            CASES.c.project_id == project.id, CASES.c.id != case_id, CASES.c.key == key, CASES.c.removed.is_(False)
        )
        if key and connection.execute(others).scalar_one():
            remarks.insert(0, Remark(form.fields[0].name, f"Another case has the id {key!r}; ids are unique."))
        return remarks


def _start(layout: AnnotationLayout, folder: Path) -> tuple[Path, list[tuple[dict[str, Any], dict[str, Any]]]]:
    """The cases that a project of a folder begins with, each with its entry in the file."""
    root = layout.find(folder)
    if root is not None:
        records = [(dict(record.raw), record.values) for record in layout.read(root)]
    else:
        root = folder
        records = [({}, layout.blank(number, [path])) for number, path in enumerate(pictures_in(root), start=1)]
    if not records:
        raise BadInput(f"The folder holds no case of {layout.title} and no pictures to start from.")
    form = layout.form(root)
    return root, [(raw, form.filled(values)) for raw, values in records]


def source_hash(layout: AnnotationLayout, root: Path) -> str:
    """A hash of what the files of a folder hold; "" where it has none."""
    if layout.find(root) is None:
        return ""
    text = json.dumps(list(layout.raws(root)), sort_keys=True, ensure_ascii=False, default=dict)
    return hashlib.sha256(text.encode()).hexdigest()


def _summary(
    layout: AnnotationLayout, form: AnnotationForm, root: Path, values: Mapping[str, Any]
) -> dict[str, Any]:  # fmt: skip
    """What lists show of a case."""
    remarks = layout.check(form, values, picture_sizes(form, values, root))
    texts = [str(values.get(field.name, "")) for field in form.fields if field.kind == "long" and field.asked(values)]
    pictures = [entry["path"] for field in form.of_kind("pictures") for entry in values.get(field.name, ())]
    wrong = sum(remark.severity == "wrong" for remark in remarks)
    return {
        "key": layout.key(values),
        "title": next((text.strip()[:LONGEST_TITLE] for text in texts if text.strip()), ""),
        "picture": pictures[0] if pictures else "",
        "wrong": wrong,
        "advice": len(remarks) - wrong,
    }


def _add(
    connection: Connection,
    project_id: int,
    place: int,
    raw: Mapping[str, Any],
    values: Mapping[str, Any],
    summary: Mapping[str, Any],
) -> int:
    case = {"project_id": project_id, "place": place, "raw": dict(raw), "newest": 1, "removed": False, **summary}
    case_id = int(connection.execute(insert(CASES).values(case)).inserted_primary_key[0])  # type: ignore[index]
    first = {"case_id": case_id, "number": 1, "kind": "start", "content": dict(values), "token": "start"}
    connection.execute(insert(REVISIONS).values(first | {"saved_at": time.time()}))
    return case_id


def _newest(connection: Connection, project_id: int, case_id: int) -> tuple[int, dict[str, Any], bool]:
    query = (
        select(CASES.c.newest, REVISIONS.c.content, CASES.c.removed)
        .join(REVISIONS, (REVISIONS.c.case_id == CASES.c.id) & (REVISIONS.c.number == CASES.c.newest))
        .where(CASES.c.id == case_id, CASES.c.project_id == project_id)
    )
    row = connection.execute(query).first()
    if row is None:
        raise Missing("There is no such case in this project.")
    return row.newest, dict(row.content), row.removed
