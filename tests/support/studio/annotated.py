"""Requests to a studio's annotation, and folders to annotate."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from support.judged_data import make_picabench, make_wiseedit, make_worldedit
from support.judged_data_more import make_inedit


def call(address: str, path: str, method: str = "GET", body: Any = None) -> tuple[int, Any]:
    """Status and JSON of one answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"content-type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


def make_folders(folder: Path, size: tuple[int, int] = (640, 420)) -> Path:
    """A studio's folder with a small set in each layout."""
    make_picabench(folder / "physics", 3, size=size)
    make_worldedit(folder / "world", 3)
    make_wiseedit(folder / "wise", per_subset=1, tags=True)
    make_inedit(folder / "steps", per_category=1)
    return folder


def start_project(address: str, layout: str, folder: str, name: str = "") -> int:
    """A new project; its number."""
    status, answer = call(
        address, "/annotate/api/projects", "POST", {"name": name or folder, "layout": layout, "folder": folder}
    )
    assert status == 201, answer
    return int(answer["project"])


def newest(address: str, project: int, case: int) -> tuple[int, dict[str, Any]]:
    """Number and values of a case's newest revision."""
    status, answer = call(address, f"/annotate/api/{project}/cases/{case}/history")
    assert status == 200, answer
    first = answer["revisions"][0]
    return first["number"], first["content"]
