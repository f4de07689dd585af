"""Arrow columns from lists and NumPy arrays, made of buffers: ``pyarrow.array`` would import pandas, half a second."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MOST_BYTES = 2**31 - 1
"""As many bytes of text fit into one column with 32-bit offsets."""


def arrow_table(columns: Mapping[str, Any], types: Mapping[str, Any]) -> Any:
    """The columns as a pyarrow Table; ``types`` has the types of those that may be empty."""
    import pyarrow as pa

    return pa.table({name: arrow_column(values, types.get(name)) for name, values in columns.items()})


def arrow_column(values: Sequence[Any] | np.ndarray[Any, Any], kind: Any = None) -> Any:
    """One column, equal to ``pyarrow.array(values, kind)``; the rows of an array of two dimensions become lists."""
    import pyarrow as pa

    if isinstance(values, np.ndarray):
        return _from_array(values)
    if kind is None:
        kind = _kind(values)
    if kind is None:
        return pa.array(values)
    if kind == pa.null():
        return pa.nulls(len(values))
    present = np.fromiter((value is not None for value in values), np.bool_, len(values))
    valid = None if present.all() else _bits(present)
    if pa.types.is_string(kind):
        return _texts(values, valid, kind)
    if pa.types.is_list(kind):
        return _lists(values, valid, kind)
    if pa.types.is_boolean(kind):
        data = _bits(np.fromiter((value is True for value in values), np.bool_, len(values)))
    else:
        number: Any = np.float64 if pa.types.is_floating(kind) else np.int64
        data = pa.py_buffer(np.fromiter((0 if value is None else value for value in values), number, len(values)))
    return pa.Array.from_buffers(kind, len(values), [valid, data])


def _from_array(values: np.ndarray[Any, Any]) -> Any:
    """A column of numbers or texts, or of lists where the array has two dimensions."""
    import pyarrow as pa

    if values.ndim == 2:
        items = _from_array(np.ascontiguousarray(values).ravel())
        starts = np.arange(0, values.size + 1, max(1, values.shape[1]), dtype=np.int32)[: len(values) + 1]
        return pa.Array.from_buffers(pa.list_(items.type), len(values), [None, pa.py_buffer(starts)], children=[items])
    kinds = {"float64": pa.float64(), "int64": pa.int64()}
    if values.dtype.name not in kinds:
        return arrow_column(values.tolist())
    data = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kinds[values.dtype.name], len(values), [None, data])


def _kind(values: Sequence[Any]) -> Any:
    """The type of a column as pyarrow infers it; None where it is none of the types of our tables."""
    import pyarrow as pa

    present = {type(value) for value in values} - {type(None)}
    if not present:
        return pa.null()
    if present == {bool}:
        return pa.bool_()
    if present == {int}:
        fits = all(value is None or -(2**63) <= value < 2**63 for value in values)
        return pa.int64() if fits else None
    if present in ({float}, {float, int}):
        return pa.float64()
    if present == {str}:
        return pa.string()
    if present == {list}:
        inner = _kind([item for value in values if value is not None for item in value])
        return None if inner is None else pa.list_(inner)
    return None


def _bits(flags: np.ndarray[Any, Any]) -> Any:
    """Flags as Arrow keeps them: one bit each, the lowest first."""
    import pyarrow as pa

    return pa.py_buffer(np.packbits(flags, bitorder="little"))


def _texts(values: Sequence[Any], valid: Any, kind: Any) -> Any:
    import pyarrow as pa

    encoded = [b"" if value is None else value.encode() for value in values]
    lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
    if lengths.sum() > MOST_BYTES:
        return pa.array(values, kind)
    return pa.Array.from_buffers(
        kind, len(values), [valid, pa.py_buffer(_offsets(lengths)), pa.py_buffer(b"".join(encoded))]
    )


def _lists(values: Sequence[Any], valid: Any, kind: Any) -> Any:
    import pyarrow as pa

    lengths = np.fromiter((0 if value is None else len(value) for value in values), np.int64, len(values))
    items = arrow_column([item for value in values if value is not None for item in value], kind.value_type)
    offsets = pa.py_buffer(_offsets(lengths))
    return pa.Array.from_buffers(kind, len(values), [valid, offsets], children=[items])


def _offsets(lengths: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Where each value begins, and where the last ends."""
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
