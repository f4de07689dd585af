"""Suites and editors as bytes, for processes that cannot make the same from a name."""

from __future__ import annotations

import pickle
from typing import Any

from editscope.errors import BadInput
from editscope.suites import Suite
from editscope.suites.registry import known_benchmark


def suite_setup(suite: Suite) -> bytes | tuple[str, dict[str, Any]]:
    """The suite as workers get it: as it is, which spares them reading a folder again, or by name."""
    data = pickled(suite)
    if data is not None:
        return data
    if known_benchmark(suite.name) is None:
        raise BadInput(
            f"suite {suite.name} is not installed and cannot be sent to workers; define its class in a module"
        )
    return suite.name, dict(suite.options)


def pickled(thing: object) -> bytes | None:
    """The thing as bytes that another process can read; None where its class lives only in this one."""
    if type(thing).__module__ == "__main__":
        return None
    try:
        return pickle.dumps(thing)
    except Exception:
        return None
