"""Packages of the extra ``factory``, imported when they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from editscope.errors import BadInput


def factory_package(module: str, what: str) -> Any:
    """A package of the extra; BadInput says how to install it.

    >>> factory_package("no_such_package.inner", "reading videos")
    Traceback (most recent call last):
    editscope.errors.BadInput: reading videos needs no_such_package: pip install 'editscope[factory]'
    """
    try:
        return import_module(module)
    except ImportError:
        raise BadInput(f"{what} needs {module.split('.')[0]}: pip install 'editscope[factory]'") from None
