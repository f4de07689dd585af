"""Edits by a hosted editor, from loading it to closing it, for tests of the vendors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import editscope as es
from editscope.cases import Edit
from editscope.editors import Editor, Request
from editscope.runfolder.journal import read_journal
from support.servers.editor_server import KEY, negative, quick, request


def edits(spec: str, *requests: Request, **limits: Any) -> list[Edit]:
    """The edits of some requests, one after the other, with short pauses between attempts."""
    editor = quick(spec, **limits)
    try:
        made = [editor.edit(one) for one in requests]
    finally:
        editor.close()
    assert all(isinstance(edit, Edit) for edit in made)
    return [edit for edit in made if isinstance(edit, Edit)]


def edit(spec: str, asked: Request | None = None, **limits: Any) -> Edit:
    """One edit."""
    return edits(spec, asked or request(), **limits)[0]


def edited(editor: Editor, number: int = 0, **more: Any) -> Edit:
    """One edit by an editor that is there already; the request is that of the number."""
    made = editor.edit(request(number, **more))
    assert isinstance(made, Edit)
    return made


def paintbench_run(spec: str, folder: Path) -> list[dict[str, Any]]:
    """The journal's edits of a short run on PaintBench; no file of it holds the key."""
    suite = es.load_suite("paintbench", canvas="256x192")
    run = es.run(suite, spec, out=folder, limit=3, jobs=1, progress=False)
    assert run.complete
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files and [path for path in files if KEY.encode() in path.read_bytes()] == []
    return [line for line in read_journal(folder) if line["step"] == "edit"]


def is_negative(made: Edit, asked: Request | None = None) -> bool:
    """Whether an edit is what the servers make of the first picture where their script names no other."""
    return made.status == "ok" and np.array_equal(made.image, negative((asked or request()).arrays[0]))  # type: ignore[arg-type]
