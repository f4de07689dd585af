"""Plugins: what packages register as entry points. Suites, judges, editors and metrics share it."""

from __future__ import annotations

from collections.abc import Container
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from editscope.errors import BadInput
from editscope.outside import one_line

OURS = "editscope"
"""The name of this package, whose entry points no other package replaces."""


def registered(group: str, built_in: Container[str] = ()) -> dict[str, EntryPoint]:
    """The entry points of a group by name, none of them imported. A name that ships with Editscope stays ours."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=group):
        if point.name not in built_in and (point.name not in found or package_of(point) == OURS):
            found[point.name] = point
    return found


def load_registered(what: str, point: EntryPoint) -> Any:
    """What an entry point leads to; BadInput where it cannot be imported, or two packages register its name.

    ``what`` begins the sentence of an error ("suite", "judges of kind").
    """
    packages = sorted({package_of(rival) for rival in entry_points(group=point.group, name=point.name)})
    if len(packages) > 1 and OURS not in packages:
        raise BadInput(f"{what} {point.name!r}: registered by {' and '.join(packages)}; uninstall all but one of them")
    try:
        return point.load()
    except (Exception, SystemExit) as error:  # a module may do anything at import
        raise BadInput(
            f"{what} {point.name!r}: registered as {point.value} but cannot be imported ({one_line(error)}); "
            f"install or remove the package {package_of(point)}"
        ) from error


def package_of(point: EntryPoint) -> str:
    """The package that registers an entry point."""
    return point.module if point.dist is None else point.dist.name
