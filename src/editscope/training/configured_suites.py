"""Suites that a file of settings names: where their data are, and errors about entries instead of flags."""

from __future__ import annotations

import re
from pathlib import Path

from editscope.errors import BadInput
from editscope.suites.base import Suite
from editscope.suites.datafolder.suite import REMOTE
from editscope.suites.registry import load_suite


def data_place(data: str, folder: Path) -> str:
    """Where the data of a suite are: relative to the file of the settings, unless the path is absolute or on the hub.

    >>> data_place("PICABench", Path("experiments")), data_place("hf:Andrew613/PICABench", Path("experiments"))
    ('experiments/PICABench', 'hf:Andrew613/PICABench')
    """
    return data if not data or data.startswith(REMOTE) else str(folder / data)


def configured_suite(spec: str, data: str | None, where: str) -> Suite:
    """Load the suite of a spec with its data; BadInput says ``where`` it is named."""
    try:
        return load_suite(spec, **({"root": data} if data else {}))
    except BadInput as error:
        raise BadInput(f"{where}: {in_entries(str(error))}") from error


def check_judged(suite: Suite, judged: bool, where: str, write: str) -> None:
    """Raise BadInput for a judged suite without a judge, and for a pixel-scored suite with one.

    ``write`` is the entry that names judges, as it may be written.
    """
    entry = write.partition(" ")[0]
    if suite.scoring == "judged" and not judged:
        raise BadInput(f"{where}: {suite.name} is scored by judges; write {write}")
    if suite.scoring == "pixels" and judged:
        raise BadInput(f"{where}: {suite.name} is scored by pixels; remove {entry}")


def in_entries(sentence: str) -> str:
    """A sentence about flags of other commands, in terms of the entries of a file.

    >>> in_entries("suite worldedit needs its data: give --data DIR. See docs/worldedit.md")
    'suite worldedit needs its data: write data = "DIR". See docs/worldedit.md'
    >>> in_entries("or give --data hf:stepfun-ai/GEdit-Bench; see docs/gedit.md")
    'or write data = "hf:stepfun-ai/GEdit-Bench"; see docs/gedit.md'
    """
    sentence = re.sub(r"\bgive --data ([\w:/.@-]*[\w/@-])", r'write data = "\1"', sentence)
    sentence = sentence.replace("use --where to keep a part of it", "leave its options out")
    return sentence.replace("--data takes", "data names")
