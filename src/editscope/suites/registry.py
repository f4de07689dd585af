"""Suites by name or spec: the built-in benchmarks, those of other packages, and folders with a suite.toml."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from importlib.metadata import EntryPoint
from inspect import signature
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote

from editscope.errors import BadInput, EditscopeError, unknown
from editscope.outside import one_line
from editscope.plugins import load_registered, registered
from editscope.python_class import find_object
from editscope.specs import split_options
from editscope.suites.base import Suite
from editscope.suites.benchmark import Benchmark

GROUP = "editscope.suites"
OWN = "own"
"""The benchmark whose cases are a folder of the user's."""
PYTHON = "python:"
TWICE = "; separate several values with commas"


def suite_names() -> tuple[str, ...]:
    """Names of all suites that are installed."""
    return tuple(sorted(_points()))


def benchmark(name: str) -> Benchmark:
    """What is known about an installed benchmark, without loading its cases."""
    points = _points()
    if name not in points:
        raise unknown("suite", name, points)
    return _record(points[name])


def known_benchmark(name: str) -> Benchmark | None:
    """The benchmark of this name; None where none is installed, as for a folder of your own."""
    if name.startswith(PYTHON):
        return _python(name)
    return benchmark(name) if name in _points() else None


def benchmarks() -> tuple[Benchmark, ...]:
    """All benchmarks that are installed and can be imported, in the order of lists."""
    records = []
    for point in _points().values():
        try:
            records.append(_record(point))
        except BadInput:  # `benchmark(name)` says why
            continue
    return tuple(sorted(records, key=lambda record: (record.place, record.name)))


def suite_title(name: str) -> str:
    """A suite as its authors write it.

    >>> suite_title("paintbench"), suite_title("mine")
    ('PaintBench', 'mine')
    """
    record = known_benchmark(name)
    return name if record is None else record.title


def set_writer(name: str) -> Callable[..., int]:
    """The function that writes a set of a made suite to disk: ``write_set(out, jobs=…, on_progress=…, **options)``."""
    record = benchmark(name)
    if not record.write_set:
        raise BadInput(
            f"suite {name!r} is not generated from seeds, so there is nothing to generate; use --data to run it"
        )
    return cast("Callable[..., int]", record.part("write_set"))


def judged_writer(name: str) -> Callable[..., int]:
    """The function that writes cases whose effects are known in the layout of a benchmark that asks questions."""
    record = known_benchmark(name)
    if record is None or not record.write_judged:
        known = [one.name for one in benchmarks() if one.write_judged]
        raise unknown("format", name, known)
    return cast("Callable[..., int]", record.part("write_judged"))


def load_suite(name: str, **options: Any) -> Suite:
    """The suite called ``name``.

    ``load_suite("paintbench")`` makes its cases in memory; ``load_suite("paintbench", root=DIR)`` reads a
    folder in the released layout. A folder with a suite.toml is a suite too: ``load_suite(DIR)``, or its own name
    with ``root=DIR``. A suite of your own package needs no entry point: ``load_suite("python:package.module:NAME")``.
    Other options are the suite's own; give them as arguments or in the name, ``"picabench?region=whole"``.
    ``editscope suites NAME`` lists them.
    """
    plain, texts = split_spec(name)
    record = known_benchmark(plain)
    if record is None:
        root = _own_root(plain, options.get("root"))
        if root is None:
            raise unknown("suite", plain, _points())
        record, options = benchmark(OWN), {**options, "root": root}
    cases, protocol = record.read_options(texts)
    if both := cases.keys() & options.keys():
        raise BadInput(f"{min(both)} is set twice for suite {plain!r}; set it once")
    suite = _made(plain, record, {**record.checked(options), **cases})
    if protocol and suite.scoring == "pixels":
        raise BadInput(f"{min(protocol)} is about what a judge sees, and {plain!r} is scored by pixels; leave it out")
    if protocol:
        suite.protocol_options = protocol
    if record.name != OWN:  # other processes find the suite, and its rubric, by the same name
        suite.name = record.name
        suite.default_protocol = record.judged_by or suite.default_protocol
    return suite


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """The name and the options of a suite spec.

    >>> split_spec("worldedit?forms=implicit,paraphrase&kp-gate=enforced")
    ('worldedit', {'forms': 'implicit,paraphrase', 'kp_gate': 'enforced'})
    """
    name, query = _name_and_query(text)
    hint = f"; write {name}?option=value"
    options: dict[str, str] = {}
    for key, value in split_options(f"suite {name!r}", query, hint=hint, twice=TWICE).items():
        key = key.strip().replace("-", "_")
        if key in options:
            raise BadInput(f"suite {name!r} has the option {key!r} twice{TWICE}")
        options[key] = unquote(value)
    if not all(options.values()):
        raise BadInput(f"{text!r} has an option without a value{hint}")
    return name, options


def _name_and_query(text: str) -> tuple[str, str]:
    """A spec at the mark before its options; the mark may be part of the name of a folder with a suite.toml."""
    if "?" not in text:
        return text, ""
    from editscope.suites.own.manifest import FILE

    for end in (len(text), *(place for place, sign in reversed([*enumerate(text)]) if sign == "?")):
        with suppress(OSError):  # options of a benchmark may be longer than the name of a file can be
            if Path(text[:end], FILE).is_file():
                return text[:end], text[end + 1 :]
    name, _, query = text.partition("?")
    return name, query


@lru_cache(maxsize=1)
def _points() -> dict[str, EntryPoint]:
    return registered(GROUP)


@lru_cache(maxsize=128)
def _record(point: EntryPoint) -> Benchmark:
    """The benchmark of an entry point, which names its record or, as in version 0.1, its loader."""
    return _as_record(point.name, point.value, load_registered("suite", point))


def _as_record(name: str, where: str, value: Any) -> Benchmark:
    if isinstance(value, Benchmark):
        if wrong := value.wrong_field():
            raise BadInput(f"suite {name!r} ({where}): {wrong}")
        return replace(value, name=name)  # by which everybody finds it
    if callable(value):
        return Benchmark(name=name, title=name, about="", load=where)
    raise BadInput(f"suite {name!r} ({where}) is {type(value).__name__}; give a Benchmark or a function that loads it")


def _python(name: str) -> Benchmark:
    """A benchmark that is named by module and attribute, without an entry point."""
    where = name.removeprefix(PYTHON)
    value = find_object("suite", where)
    return _as_record(name, where, value)


def _made(name: str, record: Benchmark, options: Mapping[str, Any]) -> Suite:
    """The suite that a benchmark makes of options that it knows."""
    loader = record.part("load")
    if not callable(loader):
        raise BadInput(f"suite {name!r} ({record.load}) is {type(loader).__name__}, not a function that loads it")
    parameters = signature(loader).parameters
    known = [key for key, p in parameters.items() if p.kind is not p.VAR_KEYWORD]
    for key in options:
        if key not in known and len(known) == len(parameters):
            raise record.unknown_option(key)
    try:
        suite = loader(**options)
    except EditscopeError:
        raise
    except Exception as error:
        if record.load.startswith("editscope."):
            raise
        raise BadInput(f"suite {name!r} ({record.load}) could not be loaded ({one_line(error)})") from error
    if not isinstance(suite, Suite):
        raise BadInput(f"suite {name!r} ({record.load}) returned {type(suite).__name__}, not a Suite")
    return suite


def _own_root(name: str, root: Any) -> Path | None:
    """The folder of a benchmark of your own, given in place of a name, or as the root of a suite of this name."""
    from editscope.suites.own.manifest import FILE, read_manifest

    folder = Path(name if root is None else root)
    if root is None and folder.is_dir() and not (folder / FILE).is_file():
        raise BadInput(
            f"{name} is a folder without a {FILE}; name the suite whose data it is (run SUITE --data {name}), "
            "or create your own benchmark with `editscope suite new DIR`"
        )
    if not (folder / FILE).is_file():
        return None
    suite = read_manifest(folder).name
    if root is not None and suite != name:
        raise BadInput(f"{folder / FILE} is the suite {suite!r}, not {name!r}; run it with `editscope run {folder}`")
    return folder
