"""Plugins: what packages register as entry points. Suites, judges, editors and metrics share it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from editscope.errors import BadInput, EditscopeError
from editscope.outside import one_line

OURS = "editscope"
"""The name of this package, whose entry points no other package replaces."""

Wanted: TypeAlias = tuple[Callable[[Any], bool], str]
"""What an attribute must be: a test of its value, and what messages call that."""


def installed(group: str) -> EntryPoints:
    """The entry points of a group. Those of all packages are read once, and again when a package comes or goes."""
    points: EntryPoints = _installed(tuple((place, _changed_ns(place)) for place in sys.path)).select(group=group)
    return points


@lru_cache(maxsize=1)
def _installed(places: tuple[tuple[str, int], ...]) -> Any:
    return entry_points()


def _changed_ns(place: str) -> int:
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0


def registered(group: str, built_in: Container[str] = ()) -> dict[str, EntryPoint]:
    """The entry points of a group by name, none of them imported. A name that ships with Editscope stays ours."""
    found: dict[str, EntryPoint] = {}
    for point in installed(group):
        if point.name not in built_in and (point.name not in found or package_of(point) == OURS):
            found[point.name] = point
    return found


def load_registered(what: str, point: EntryPoint) -> Any:
    """What an entry point leads to; BadInput where it cannot be imported, or two packages register its name.

    ``what`` begins the sentence of an error ("suite", "judges of kind").
    """
    packages = sorted({package_of(rival) for rival in installed(point.group).select(name=point.name)})
    if len(packages) > 1 and OURS not in packages:
        raise BadInput(f"{what} {point.name!r}: registered by {' and '.join(packages)}; uninstall all but one of them")
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # a module may do anything at import
        raise BadInput(
            f"{what} {point.name!r}: registered as {point.value} but cannot be imported ({one_line(error)}); "
            f"install or remove the package {package_of(point)}"
        ) from error


def folder_of(point: EntryPoint) -> Path | None:
    """The folder of an entry point's module, which is not imported; None where it is registered but not there."""
    try:
        spec = find_spec(point.module)
    except (Exception, SystemExit):  # the package around it is not there, or cannot be imported
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def broken(what: str, point: EntryPoint) -> str:
    """Why an entry point cannot be used; "" where it can be imported."""
    try:
        load_registered(what, point)
    except BadInput as error:
        return str(error)
    return ""


@contextmanager
def one_sentence(where: str) -> Iterator[None]:
    """What code of a user raises, as BadInput in one line that begins with ``where``; our own errors pass.

    >>> with one_sentence("metric sharpness could not be loaded"):
    ...     int("three")
    Traceback (most recent call last):
    editscope.errors.BadInput: metric sharpness could not be loaded (ValueError: invalid literal for int() ...
    """
    try:
        yield
    except EditscopeError:
        raise
    except (Exception, SystemExit) as error:  # it may do anything
        raise BadInput(f"{where} ({one_line(error)})") from error


def instance_of(kind: Any, called: str) -> Wanted:
    """An attribute of one type, as ``isinstance`` takes it; True and False are no numbers."""
    return lambda value: isinstance(value, kind) and (kind is bool or not isinstance(value, bool)), called


def whole_number(least: int, or_none: bool = False) -> Wanted:
    """An attribute that counts something."""
    words = f"a whole number from {least}" + (" or None" if or_none else "")
    return lambda value: (or_none and value is None) or (type(value) is int and value >= least), words


def all_texts(value: Any) -> bool:
    """Whether a value is a tuple or a list of texts; a single text is none."""
    return isinstance(value, tuple | list) and all(isinstance(text, str) for text in value)


TEXT = instance_of(str, "a text")
FLAG = instance_of(bool, "True or False")
TEXTS: Wanted = (all_texts, "a tuple of texts")


def wrong_attribute(thing: Any, wanted: Mapping[str, Wanted]) -> str:
    """What is wrong with the first attribute of a thing that Editscope cannot use; "" where nothing is.

    >>> from types import SimpleNamespace
    >>> wrong_attribute(SimpleNamespace(concurrency="many"), {"concurrency": whole_number(1)})
    "concurrency is 'many', not a whole number from 1"
    """
    for name, (fits, called) in wanted.items():
        try:
            value = getattr(thing, name)
        except (Exception, SystemExit) as error:  # a property may do anything
            return f"{name} cannot be read ({one_line(error)})"
        if not fits(value):
            return f"{name} is {value!r}, not {called}"
    return ""


def package_of(point: EntryPoint) -> str:
    """The package that registers an entry point."""
    return point.module if point.dist is None else point.dist.name
