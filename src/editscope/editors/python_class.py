"""Editors that are a Python class of the user: ``python:module:Class?key=value``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editscope.editors.base import Editor
from editscope.python_class import load_object

OPTIONS: Mapping[str, str] = {"…": "every option is a keyword argument of the class"}


def load(target: str, **options: Any) -> Editor:
    """The editor for ``python:module:Class``; without a name of its own it has that of its class."""
    editor = load_object("editor", target, Editor, options)
    if not editor.name:
        editor.name = target.partition(":")[2]
    return editor
