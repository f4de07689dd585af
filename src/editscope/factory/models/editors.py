"""Editors as models of a plan: whatever the registry of editors knows."""

from __future__ import annotations

from editscope.editors.base import EditLimits, Editor, Request
from editscope.editors.make_edits import made
from editscope.editors.registry import load_editor
from editscope.errors import BadInput
from editscope.factory.models.base import MadeMedia, as_picture
from editscope.images import Pixels


def load_plan_editor(text: str, limits: EditLimits = EditLimits()) -> Editor:
    """The editor that a spec names; BadInput for one that needs the answer of a case, or files named by case."""
    editor = load_editor(text)
    if editor.needs_answer or editor.wants_answer:
        raise BadInput(f"editor {text} looks at the answer of a case, and records have none; use another one")
    if editor.in_place:
        raise BadInput(f"editor {text} looks files up by case; use a step that reads them, such as the source 'folder'")
    editor.limit(limits)
    return editor


def edit_once(editor: Editor, pictures: tuple[Pixels, ...], instruction: str, seed: int, name: str) -> MadeMedia:
    """One edit of some pictures, paid for from the budget of the build."""
    if reason := editor.not_applicable(name, "", len(pictures)):
        return MadeMedia(status="error", reason=reason, attempts=0)
    (edit,) = made(editor, [Request(name, pictures, instruction, seed)])
    return as_picture(edit, "the picture that the editor made")
