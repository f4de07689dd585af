"""Suites by name: the built-in ones and those that other packages register as entry points."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from typing import Any, cast

from editscope.errors import BadInput, unknown
from editscope.suites.base import Suite

GROUP = "editscope.suites"


def suite_names() -> tuple[str, ...]:
    """Names of all suites that are installed."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def set_writer(name: str) -> Callable[..., int]:
    """The function that writes a set of a made suite to disk: ``write_set(out, jobs=…, on_progress=…, **options)``."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        raise unknown("suite", name, points)
    writer = getattr(import_module(points[name].module), "write_set", None)
    if writer is None:
        raise BadInput(f"suite {name!r} is not made from seeds, so there is nothing to generate; give --data to run it")
    return cast("Callable[..., int]", writer)


def load_suite(name: str, **options: Any) -> Suite:
    """The suite called ``name``.

    ``load_suite("paintbench")`` makes its cases in memory; ``load_suite("paintbench", root=DIR)`` reads a
    folder in the released layout. Other options are the suite's own (see its page in the documentation).
    """
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        raise unknown("suite", name, points)
    try:
        loader = points[name].load()
    except ImportError as error:
        raise BadInput(
            f"suite {name!r} is registered as {points[name].value} but cannot be imported: {error}"
        ) from error
    known = [key for key, p in signature(loader).parameters.items() if p.kind is not p.VAR_KEYWORD]
    for key in options:
        if key not in known and len(known) == len(signature(loader).parameters):
            takes = ", ".join(f"--{k.replace('_', '-')}" for k in known if k != "root")
            raise BadInput(f"suite {name!r} does not take --{key.replace('_', '-')}; it takes --data, {takes}")
    suite = loader(**options)
    if not isinstance(suite, Suite):
        raise BadInput(f"suite {name!r} ({points[name].value}) returned {type(suite).__name__}, not a Suite")
    return suite
