"""Who makes the edit: reference editors, folders of outputs, and the user's own classes."""

from __future__ import annotations

from editscope.editors.base import EditLimits, Editor, Inventory, Request, request_seed
from editscope.editors.registry import editor_kinds, load_editor, parse_spec

__all__ = ["EditLimits", "Editor", "Inventory", "Request", "editor_kinds", "load_editor", "parse_spec", "request_seed"]
