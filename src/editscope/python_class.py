"""Loader of the classes that a user names in a spec: ``python:module:Class?key=value``.

Editors, judges, suites and metrics share it, so a mistake gets the same sentence everywhere.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from editscope.call_options import check_options
from editscope.errors import BadInput
from editscope.outside import kind_of, one_line
from editscope.plugins import one_sentence

KIND = "python"
"""What such a spec begins with."""

Base = TypeVar("Base")


def load_object(what: str, target: str, base: type[Base], options: Mapping[str, Any]) -> Base:
    """Import ``module:Class`` and construct it with the options as keyword arguments.

    ``what`` begins the sentence of an error ("editor", "judge", "metric"); ``base`` is the class that it must derive
    from. The current folder is searched too, after everything that is installed.
    """
    where = f"{what} {KIND}:{target}"
    candidate = find_class(what, target, options)
    with one_sentence(f"{where} could not be constructed"):
        instance = candidate(**options)
    if not isinstance(instance, base):
        raise BadInput(f"{where} is {kind_of(instance)}, not an editscope.{base.__name__}")
    return instance


def find_class(what: str, target: str, options: Mapping[str, Any]) -> Callable[..., Any]:
    """Import ``module:Class``, and check by its signature that it takes the options; nothing is constructed."""
    where = f"{what} {KIND}:{target}"
    candidate = find_object(what, target)
    if not callable(candidate):
        raise BadInput(f"{where}: {target.partition(':')[2]!r} is {kind_of(candidate)}, not a class")
    check_options(target.partition(":")[2], where, candidate, options)
    return candidate  # type: ignore[no-any-return]


def find_object(what: str, target: str) -> Any:
    """Import ``module:Name`` and return what the name stands for, as it is."""
    where = f"{what} {KIND}:{target}"
    module_name, colon, name = target.partition(":")
    if not colon or not module_name or not name:
        raise BadInput(f"{where} is not of the form {KIND}:module:Class")
    return _attribute(_module(module_name, where), name, where)


def _module(name: str, where: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # a module may do anything at import
        raise BadInput(f"{where} cannot be imported ({one_line(error)}); looked in {here} too") from error


def _attribute(module: ModuleType, name: str, where: str) -> Any:
    attribute = getattr(module, name, None)
    if attribute is None:
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        near = difflib.get_close_matches(name, classes, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise BadInput(f"{where}: module {module.__name__} has no class {name!r}{hint}")
    return attribute
