"""The index of a test suite: hashes and small pictures of all its pictures, and its texts; computed once and kept."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from editscope.cachefolder import cache_folder
from editscope.cases import Case
from editscope.errors import BadInput
from editscope.factory.leaks.pictures import PictureTraces, joined, traces_of
from editscope.factory.leaks.texts import words_of
from editscope.factory.records import digest
from editscope.files import DOCUMENT, read_file
from editscope.images import load
from editscope.runfolder.files import write_whole
from editscope.suites.base import Suite
from editscope.suites.registry import known_benchmark, load_suite

VERSION = 2
"""Goes up when an index is computed otherwise."""
LEAST_WORDS = 4
"""Words from which a text beside the instructions counts as one that could leak: a tag does not."""


@dataclass(frozen=True, slots=True, eq=False)
class SuiteIndex:
    """What is compared with: ``picture_cases`` and ``text_cases`` name the case of each picture and of each text."""

    name: str
    pictures: PictureTraces
    picture_cases: tuple[str, ...]
    texts: tuple[str, ...]
    text_cases: tuple[str, ...]
    fingerprints: Mapping[str, str]
    """The id of each case by its fingerprint."""


def open_suite(spec: str, folder: Path) -> Suite:
    """The suite of an entry such as ``NAME``, ``NAME=FOLDER`` or ``NAME=FOLDER?option=value``.

    The folder is relative to that of the plan.
    """
    name, equals, path = spec.partition("=") if "?" not in spec else _with_options(spec)
    if not name or (equals and not path):
        raise BadInput(f"suites has {spec!r}; write the name of a suite, or NAME=FOLDER where it has data")
    return load_suite(name, **({"root": folder / path} if path else {}))


def _with_options(spec: str) -> tuple[str, str, str]:
    """The name with its options, and the folder between them."""
    head, _, options = spec.partition("?")
    name, equals, path = head.partition("=")
    return (f"{name}?{options}", equals, path)


def index_path(suite: Suite) -> Path:
    """Where the index of a suite is kept: under the identity of its cases."""
    key = digest(VERSION, suite.name, suite.fingerprint).hex()
    return cache_folder() / "leaks" / f"{key}.npz"


def suite_index(suite: Suite, progress: Callable[[int, int], None] = lambda done, total: None) -> Path:
    """The file with the index of a suite, made where it is not there yet."""
    path = index_path(suite)
    if path.is_file():
        return path
    traces, picture_cases, texts, text_cases = [], [], [], []
    fingerprints = {}
    made = _is_made(suite)
    for number, case in enumerate(suite):
        shown = (*case.images, *((case.answer,) if case.answer is not None else ()), *case.references)
        traces.append(traces_of(map(load, shown)))
        picture_cases += [case.id] * len(shown)
        if made:
            fingerprints[case.fingerprint] = case.id
        else:
            for text in dict.fromkeys(_texts(case)):
                texts.append(text)
                text_cases.append(case.id)
        progress(number + 1, len(suite))
    written = {
        "name": suite.name, "picture_cases": picture_cases, "texts": texts, "text_cases": text_cases,
        "fingerprints": fingerprints,
    }  # fmt: skip
    found, file = joined(traces), io.BytesIO()
    np.savez(
        file,
        hashes=found.hashes,
        grays=found.grays,
        colors=found.colors,
        rest=np.frombuffer(json.dumps(written, ensure_ascii=False).encode("utf-8", "surrogatepass"), np.uint8),
    )
    write_whole(path, file.getvalue())
    return path


def read_index(path: Path) -> SuiteIndex:
    """An index that was kept."""
    try:
        with np.load(io.BytesIO(read_file(path, DOCUMENT)), allow_pickle=False) as found:
            pictures = PictureTraces(found["hashes"], found["grays"], found["colors"])
            rest: dict[str, Any] = json.loads(found["rest"].tobytes().decode("utf-8", "surrogatepass"))
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise BadInput(
            f"the index {path} cannot be read ({error}); remove it, and the next build makes it again"
        ) from (error)
    return SuiteIndex(
        rest["name"],
        pictures,
        tuple(rest["picture_cases"]),
        tuple(rest["texts"]),
        tuple(rest["text_cases"]),
        rest["fingerprints"],
    )


def _is_made(suite: Suite) -> bool:
    """Whether cases come from seeds: other seeds give the same sentences, which are therefore no leak."""
    record = known_benchmark(suite.name)
    return record is not None and bool(record.write_set)


def _texts(case: Case) -> Iterator[str]:
    """All instructions of a case, and what its data says beside: other levels and languages, hints, explanations."""
    yield from (instruction.text for instruction in case.instructions)
    basis = getattr(case, "basis", "")
    beside = [dict(case.details), json.loads(basis) if basis else None, case.hint, case.checklist]
    yield from (text for text in _strings(beside) if len(words_of(text)) >= LEAST_WORDS)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
