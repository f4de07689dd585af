"""Judges that are a Python class of the user: ``python:module:Class?key=value``."""

from __future__ import annotations

from editscope.judges.records import Judge
from editscope.python_class import load_object
from editscope.specs import read_value


def load(target: str, **options: str) -> Judge:
    """The judge for ``python:module:Class``; its options are keyword arguments of the class."""
    read = {name: read_value(value) for name, value in options.items()}
    return load_object("judge", target, Judge, read)  # type: ignore[type-abstract]
