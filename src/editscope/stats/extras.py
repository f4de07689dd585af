"""Libraries that some statistics need and that are loaded only when they are asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from editscope.errors import BadInput


def needs(module: str, what: str) -> Any:
    """Import a module of the extra ``report``, or say what needs it and how to get it.

    >>> needs("no_such_library.stats", "a rank correlation")
    Traceback (most recent call last):
    editscope.errors.BadInput: a rank correlation needs no_such_library: pip install 'editscope[report]'
    """
    try:
        return import_module(module)
    except ImportError:
        raise BadInput(f"{what} needs {module.split('.')[0]}: pip install 'editscope[report]'") from None
