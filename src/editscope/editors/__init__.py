"""Editors, who make the edits: reference editors, folders of outputs, models here and behind APIs, your own classes."""

from __future__ import annotations

from editscope.editors.base import EditLimits, Editor, Inventory, Request, request_seed
from editscope.editors.kinds import EditorKind
from editscope.editors.registry import editor_kinds, load_editor, parse_spec

__all__ = [
    "EditLimits",
    "Editor",
    "EditorKind",
    "Inventory",
    "Request",
    "editor_kinds",
    "load_editor",
    "parse_spec",
    "request_seed",
]
