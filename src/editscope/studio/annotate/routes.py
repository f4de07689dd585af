"""Pages and addresses of annotation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import Field
from sqlalchemy import Row

from editscope.errors import BadInput
from editscope.studio.annotate.exporting import export
from editscope.studio.annotate.folders import annotatable, export_name, picture_at, pictures_in
from editscope.studio.annotate.pictures import SIDES, picture_tag, read_annotated
from editscope.studio.annotate.projects import OldBase, OpenProject, Projects
from editscope.studio.failures import Missing
from editscope.studio.rendering import page
from editscope.studio.sent import Number, SentBody, SentText
from editscope.studio.state import Studio, studio_of
from editscope.suites.annotation.form import Remark
from editscope.suites.annotation.layout import picture_sizes
from editscope.suites.annotation.registry import annotation_layout, layout_names

router = APIRouter(prefix="/annotate")
PART = "annotate"
PAGE_SIZE = 100
Given = Annotated[Studio, Depends(studio_of)]


class NewProject(SentBody):
    """A project to start."""

    name: SentText = Field(max_length=200)
    layout: SentText = Field(max_length=60)
    folder: SentText = Field(max_length=4096)


class NewCase(SentBody):
    """A case to add, of these pictures."""

    pictures: list[SentText] = Field(default_factory=list, max_length=20)


class DraftBody(SentBody):
    """The values of a case to check."""

    values: dict[str, Any]


class SaveBody(DraftBody):
    """The values of a case to save on top of a revision."""

    base: Number
    token: SentText = Field(min_length=8, max_length=64)


class RemoveBody(SentBody):
    """A case to remove, at a revision."""

    base: Number
    token: SentText = Field(min_length=8, max_length=64)


class ExportBody(SentBody):
    """Where to export to."""

    folder: SentText = Field(default="", max_length=200)
    ready_only: bool = False


def projects_of(studio: Given) -> Projects:
    """The projects of the studio that answers; a dependency of FastAPI."""
    return Projects(studio.settings, studio.store)


Known = Annotated[Projects, Depends(projects_of)]


def project_of(project: Number, projects: Known) -> OpenProject:
    """The project that an address names; a dependency of FastAPI."""
    return projects.project(project)


Opened = Annotated[OpenProject, Depends(project_of)]


@router.get("", response_class=HTMLResponse)
def start_page(request: Request, studio: Given, projects: Known) -> Response:
    """All projects, and what a new one can be made of."""
    layouts = {name: annotation_layout(name) for name in layout_names()}
    titles = {name: layout.title for name, layout in layouts.items()}
    return page(
        request, "annotate/start.html", part=PART, projects=projects.listed(), titles=titles,
        folders=[asdict(folder) for folder in annotatable(studio.settings.folder)],
        labels={name: layout.files_label for name, layout in layouts.items()},
    )  # fmt: skip


@router.get("/{project}", response_class=HTMLResponse)
def project_page(
    request: Request,
    project: Opened,
    projects: Known,
    show: str = "all",
    q: Annotated[str, Query(max_length=500)] = "",
    at: Annotated[int, Query(ge=1, le=10**6)] = 1,
) -> Response:
    """The cases of a project."""
    rows = projects.cases(project.id)
    counts = {name: sum(map(passes, rows)) for name, passes in SHOWN.items()}
    wanted = q.strip().casefold()
    chosen = [
        row
        for row in rows
        if SHOWN.get(show, SHOWN["all"])(row) and (wanted in row.key.casefold() or wanted in row.title.casefold())
    ]
    first = (at - 1) * PAGE_SIZE
    return page(
        request, "annotate/project.html", part=PART, project=project, counts=counts, show=show, q=q, at=at,
        cases=chosen[first : first + PAGE_SIZE], total=len(chosen), pages=-(-len(chosen) // PAGE_SIZE),
        files=project.layout.files_label,
        export_name=export_name(request.app.state.studio.settings.folder, project.name),
    )  # fmt: skip


SHOWN: Mapping[str, Callable[[Row[Any]], bool]] = {
    "all": lambda row: True,
    "wrong": lambda row: row.wrong > 0,
    "ready": lambda row: row.wrong == 0,
    "changed": lambda row: row.newest > 1,
}
"""The cases that a list can be cut to."""


@router.get("/{project}/case/{case}", response_class=HTMLResponse)
def case_page(request: Request, project: Opened, case: Number, projects: Known) -> Response:
    """One case: its pictures with the canvas, and its form."""
    rows = projects.cases(project.id)
    place = next((place for place, row in enumerate(rows) if row.id == case), None)
    if place is None:
        raise Missing("There is no such case in this project, or it was removed.")
    revision, values, _ = projects.newest(project, case)
    form = project.form
    filled = form.filled(values)
    _, remarks = projects.check(project, case, filled)
    data = {
        "project": project.id,
        "case": case,
        "form": form.as_json(),
        "values": filled,
        "revision": revision,
        "remarks": _shown(remarks),
        "sizes": picture_sizes(form, filled, project.root),
        "before": rows[place - 1].id if place else None,
        "after": rows[place + 1].id if place + 1 < len(rows) else None,
        "canvas": bool(form.of_kind("regions")),
    }
    return page(
        request, "annotate/case.html", part=PART, project=project, key=rows[place].key, place=place + 1,
        total=len(rows), data=data,
    )  # fmt: skip


@router.get("/{project}/picture", response_class=Response)
def picture(request: Request, project: Opened, path: Annotated[str, Query(max_length=4096)], side: int = 0) -> Response:
    """A picture of the project's folder, in full or small."""
    if side not in SIDES:
        raise BadInput(f"side is one of {', '.join(map(str, SIDES))}")
    place = picture_at(project.root, path)
    headers = {"Cache-Control": "private, no-cache", "ETag": picture_tag(place, side)}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    read = read_annotated(place, side)
    return Response(read.data, media_type=read.kind, headers=headers)


@router.post("/api/projects", status_code=201)
def create(body: NewProject, projects: Known) -> dict[str, Any]:
    """Start a project."""
    return {"project": projects.create(body.name, body.layout, body.folder)}


@router.get("/api/{project}/pictures")
def pictures(project: Opened) -> dict[str, Any]:
    """The pictures below the project's folder."""
    return {"pictures": pictures_in(project.root)}


@router.get("/api/{project}/size")
def size(project: Opened, path: Annotated[str, Query(max_length=4096)]) -> dict[str, Any]:
    """Width and height of a picture."""
    from editscope.errors import BadImage
    from editscope.images import probe

    try:
        return {"size": probe(picture_at(project.root, path))}
    except BadImage as error:
        raise Missing("This picture cannot be decoded.") from error


@router.post("/api/{project}/cases", status_code=201)
def add_case(project: Opened, body: NewCase, projects: Known) -> dict[str, Any]:
    """Add a case."""
    for path in body.pictures:
        picture_at(project.root, path)
    return {"case": projects.add(project, body.pictures)}


@router.post("/api/{project}/cases/{case}/check")
def check(project: Opened, case: Number, body: DraftBody, projects: Known) -> dict[str, Any]:
    """What is wrong with values that nobody saved yet."""
    return {"remarks": _shown(projects.check(project, case, body.values)[1])}


@router.put("/api/{project}/cases/{case}", response_model=None)
def save(project: Opened, case: Number, body: SaveBody, projects: Known) -> dict[str, Any] | Response:
    """Save a case: answered when the revision is on disk."""
    try:
        saved = projects.save(project, case, body.base, body.values, body.token)
    except OldBase as error:
        return _conflict(project, error)
    return {"revision": saved.revision, "remarks": _shown(saved.remarks)}


@router.delete("/api/{project}/cases/{case}", response_model=None)
def remove(project: Opened, case: Number, body: RemoveBody, projects: Known) -> dict[str, Any] | Response:
    """Take a case out of the project; its revisions stay."""
    _, values, _ = projects.newest(project, case)
    try:
        saved = projects.save(project, case, body.base, project.form.filled(values), body.token, kind="remove")
    except OldBase as error:
        return _conflict(project, error)
    return {"revision": saved.revision}


@router.get("/api/{project}/cases/{case}/history")
def history(project: Opened, case: Number, projects: Known) -> dict[str, Any]:
    """The revisions of a case."""
    return {"revisions": projects.history(project, case)}


@router.post("/api/{project}/export")
def write_export(project: Opened, body: ExportBody, studio: Given, projects: Known) -> dict[str, Any]:
    """Write the authors' files."""
    result = export(studio.settings, projects, project, name=body.folder, ready_only=body.ready_only)
    return asdict(result)


def _conflict(project: OpenProject, error: OldBase) -> Response:
    """What somebody else saved, so that the page can offer both."""
    answer = {"error": str(error), "revision": error.revision, "values": project.form.filled(error.values)}
    return JSONResponse(answer, status_code=409, headers={"Cache-Control": "no-store"})


def _shown(remarks: Any) -> list[dict[str, Any]]:
    return [asdict(remark) for remark in remarks if isinstance(remark, Remark)]
