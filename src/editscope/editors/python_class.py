"""Editors that are a Python class of the user: ``python:module:Class?key=value``."""

from __future__ import annotations

import difflib
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from editscope.editors.base import Editor
from editscope.editors.make_edits import named
from editscope.errors import BadInput


def load(target: str, **options: Any) -> Editor:
    """Import ``module:Class`` and construct it with the options as keyword arguments.

    The current folder is looked in too, after everything that is installed.
    """
    module_name, colon, class_name = target.partition(":")
    if not colon or not module_name or not class_name:
        raise BadInput(f"editor python:{target} is not of the form python:module:Class")
    kind = _class(_module(module_name, target), class_name, target)
    try:
        editor = kind(**options)
    except Exception as error:
        raise BadInput(f"editor python:{target} could not be constructed ({named(error)})") from error
    if not isinstance(editor, Editor):
        raise BadInput(f"editor python:{target} is a {type(editor).__name__}, not an editscope.Editor")
    if not editor.name:
        editor.name = class_name
    return editor


def _module(name: str, target: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # a module may do anything at import
        raise BadInput(f"editor python:{target} cannot be imported ({named(error)}); looked in {here} too") from error


def _class(module: ModuleType, name: str, target: str) -> Any:
    found = getattr(module, name, None)
    if found is None:
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        near = difflib.get_close_matches(name, classes, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise BadInput(f"editor python:{target}: module {module.__name__} has no class {name!r}{hint}")
    if not callable(found):
        raise BadInput(f"editor python:{target}: {name!r} is a {type(found).__name__}, not a class")
    return found
