"""Suites by name: the built-in ones and those that other packages register as entry points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from pathlib import Path
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
    folder in the released layout. A folder with a suite.toml is a suite too: ``load_suite(DIR)``, or its own name
    with ``root=DIR``. Other options are the suite's own (see its page in the documentation).
    """
    points = {point.name: point for point in entry_points(group=GROUP)}
    if name not in points:
        root = _own_root(name, options.get("root"))
        if root is None:
            raise unknown("suite", name, points)
        from editscope.suites.own import data as own

        return _made(name, f"{own.__name__}:load", own.load, {**options, "root": root})
    try:
        loader = points[name].load()
    except ImportError as error:
        raise BadInput(
            f"suite {name!r} is registered as {points[name].value} but cannot be imported: {error}"
        ) from error
    return _made(name, points[name].value, loader, options)


def _made(name: str, where: str, loader: Callable[..., Any], options: Mapping[str, Any]) -> Suite:
    """The suite that a loader makes of options that it knows."""
    known = [key for key, p in signature(loader).parameters.items() if p.kind is not p.VAR_KEYWORD]
    for key in options:
        if key not in known and len(known) == len(signature(loader).parameters):
            takes = ", ".join(f"--{k.replace('_', '-')}" for k in known if k != "root")
            raise BadInput(f"suite {name!r} does not take --{key.replace('_', '-')}; it takes --data, {takes}")
    suite = loader(**options)
    if not isinstance(suite, Suite):
        raise BadInput(f"suite {name!r} ({where}) returned {type(suite).__name__}, not a Suite")
    return suite


def _own_root(name: str, root: Any) -> Path | None:
    """The folder of a benchmark of one's own, given in place of a name, or as the root of a suite of this name."""
    from editscope.suites.own.manifest import FILE, read_manifest

    folder = Path(name if root is None else root)
    if root is None and folder.is_dir() and not (folder / FILE).is_file():
        raise BadInput(
            f"{name} is a folder without a {FILE}; name the suite whose data it is (run SUITE --data {name}), "
            "or make a benchmark of your own with `editscope suite new DIR`"
        )
    if not (folder / FILE).is_file():
        return None
    found = read_manifest(folder).name
    if root is not None and found != name:
        raise BadInput(f"{folder / FILE} is the suite {found!r}, not {name!r}; run it with `editscope run {folder}`")
    return folder
