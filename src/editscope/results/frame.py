"""Scores of a run as a frame of pandas or Polars, whichever is installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from editscope.errors import BadInput, unknown

KINDS = ("pandas", "polars")
NEEDED = "install it with pip install 'editscope[report]', or take run.table(), which is a PyArrow table"


def as_frame(columns: Mapping[str, list[Any]], kind: str | None = None) -> Any:
    """Columns as a pandas or Polars frame; without ``kind``, pandas if it is installed, else Polars.

    >>> as_frame({"case_id": ["a", "b"], "miou": [0.25, None]}, "polars").shape
    (2, 2)
    """
    if kind is None:
        kind = next((name for name in KINDS if find_spec(name) is not None), None)
        if kind is None:
            raise BadInput(f"run.frame() needs pandas or Polars, and neither is installed; {NEEDED}")
    if kind not in KINDS:
        raise unknown("kind of frame", kind, KINDS)
    if find_spec(kind) is None:
        raise BadInput(f"run.frame({kind!r}) needs {kind}, which is not installed; {NEEDED}")
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(dict(columns))
    import polars as pl

    from editscope.results.tables import as_table

    return pl.DataFrame(pl.from_arrow(as_table(columns)))
