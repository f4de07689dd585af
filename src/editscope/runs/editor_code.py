"""Code of an editor: the hash of its source files, which run.json lists and the lines of edits name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.editors import Editor
from editscope.errors import BadInput
from editscope.outside import received
from editscope.plugins import one_sentence
from editscope.runfolder.code_versions import CODE
from editscope.runfolder.files import write_whole
from editscope.runfolder.journal import Journal, Line, Step
from editscope.runfolder.run_json import FILE, info_json, read_info
from editscope.runfolder.stored_edits import content_hash

if TYPE_CHECKING:
    from editscope.runs.plan import Plan

CHANGED = "changed"
"""What stands among the statuses of ``edit_again`` for edits that another version of the code made."""
DIGITS = 16
"""Hex digits of the hash, which stands in the line of every edit."""


@dataclass(frozen=True, slots=True)
class EditorCode:
    """A version of an editor's code: the hash of its source files, and their names without folders."""

    hash: str
    file: str

    def to_json(self) -> dict[str, str]:
        """The version as run.json lists it, found now."""
        return {"hash": self.hash, "file": self.file, "from": datetime.now(UTC).isoformat(timespec="seconds")}


def code_of(editor: Editor) -> EditorCode | None:
    """The version of an editor's code as its files are now; None for an editor without code of its own."""
    contents: dict[Path, bytes] = {}
    with one_sentence(f"editor {editor.name or type(editor).__name__}: its source_files failed"):
        for file in editor.source_files():
            path = Path(file)
            if path.is_file():
                contents[path] = path.read_bytes()
    if not contents:
        return None
    hashes = [content_hash(data) for data in contents.values()]
    digest = hashes[0] if len(hashes) == 1 else content_hash("|".join(hashes).encode())
    return EditorCode(digest[:DIGITS], received(" and ".join(dict.fromkeys(path.name for path in contents))))


def check_edit_again(editor: Editor, statuses: tuple[str, ...]) -> None:
    """Raise BadInput where edits of other code are to be made again, and nobody knows the code of the editor."""
    if CHANGED in statuses and code_of(editor) is None:
        raise BadInput(
            f"--edit-again-changed is for editors whose code Editscope knows, such as python:module:Class; "
            f"{editor.name} has no source file here"
        )


def made_by_other_code(plan: Plan, edits: Mapping[Step, Line]) -> frozenset[Step]:
    """The edits that the code of now did not make, as far as their lines say it."""
    code = code_of(plan.editor)
    return frozenset(step for step, line in edits.items() if code is not None and line.get(CODE) != code.hash)


def sign_edits(plan: Plan, journal: Journal) -> None:
    """Have every edit from now on say which version of the code made it; run.json lists that version first.

    Only who holds the run's lock may. A run that judges the edits of another says what that one says.
    """
    if "edits_of" in plan.info:
        journal.code_of = getattr(plan.editor, "code_of_edit", None)
        return
    code = code_of(plan.editor)
    if code is None:
        return
    info: dict[str, Any] = read_info(plan.out)
    versions = info["editor"].get(CODE, [])
    if code.hash not in [version["hash"] for version in versions]:
        info["editor"] = {**info["editor"], CODE: [*versions, code.to_json()]}
        write_whole(plan.out / FILE, info_json(info), make_folder=False)
    journal.code_of = lambda line: code.hash
