"""Style sheets and scripts of the studio, its own and those that it shares with the report and Plotly."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter, HTTPException, Response

from editscope.report.html.plots import installed, script
from editscope.studio.rendering import SHARED_ASSETS, shared_asset

router = APIRouter(include_in_schema=False)

TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
HEADERS = {"Cache-Control": "no-cache"}


@router.get("/static/shared/{name}")
def shared(name: str) -> Response:
    """A file of the report's design."""
    if name not in SHARED_ASSETS:
        raise HTTPException(404, "There is no such file.")
    return Response(shared_asset(name), media_type=TYPES[name.rpartition(".")[2]], headers=HEADERS)


@router.get("/static/plotly.js")
def plotly() -> Response:
    """Plotly's script, from its installed package."""
    if not installed():
        raise HTTPException(404, "Plotly is not installed.")
    return Response(script() or "", media_type=TYPES["js"], headers={"Cache-Control": "max-age=3600"})


@router.get("/static/{part}/{name}")
def own(part: str, name: str) -> Response:
    """A file of one part of the studio."""
    data = _own_files().get(f"{part}/{name}")
    if data is None:
        raise HTTPException(404, "There is no such file.")
    return Response(data, media_type=TYPES[name.rpartition(".")[2]], headers=HEADERS)


@cache
def _own_files() -> dict[str, bytes]:
    """Every file under static/, read once: what a request names is looked up, never joined to a path."""
    folder = files("editscope.studio") / "static"
    return {
        f"{part.name}/{file.name}": file.read_bytes()
        for part in folder.iterdir()
        if part.is_dir()
        for file in part.iterdir()
        if file.is_file() and file.name.rpartition(".")[2] in TYPES
    }
