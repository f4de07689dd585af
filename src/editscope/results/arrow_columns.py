"""Columns of Arrow tables, made of lists without pandas: Arrow imports it, where it is installed, to look at a list."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

MOST_BYTES = 2**31 - 1
"""Bytes of text that one column can hold."""


def column(values: list[Any], kind: Any = None) -> Any:
    """What ``pyarrow.array(values, type=kind)`` gives; importing pandas takes half a second, so it is not asked.

    Columns of texts, of numbers and of yes or no are made here, all others there.

    >>> column(["a", None, "bc"]).to_pylist(), column([1.5, None]).type
    (['a', None, 'bc'], DataType(double))
    """
    import pyarrow as pa

    kinds = set(map(type, values)) - {type(None)}
    if not kinds:
        return pa.nulls(len(values), kind)
    own = {str: pa.string(), float: pa.float64(), int: pa.int64(), bool: pa.bool_()}
    only = kinds.pop() if len(kinds) == 1 else None
    if only not in own or kind not in (None, own[only]):
        return pa.array(values, type=kind)
    there = np.fromiter((value is not None for value in values), np.bool_, len(values))
    valid = None if there.all() else _bits(pa, there)
    if only is str:
        return _texts(pa, values, kind, valid)
    if only is bool:
        data = _bits(pa, np.fromiter(map(bool, values), np.bool_, len(values)))
    else:
        try:
            numbers = [0 if value is None else value for value in values]
            data = pa.py_buffer(np.array(numbers, np.float64 if only is float else np.int64))
        except OverflowError:  # Arrow says what is wrong
            return pa.array(values, type=kind)
    return pa.Array.from_buffers(own[only], len(values), [valid, data])


def _texts(pa: Any, values: list[Any], kind: Any, valid: Any) -> Any:
    encoded = [b"" if value is None else value.encode() for value in values]
    ends = np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)))
    if ends[-1] > MOST_BYTES:
        return pa.array(values, type=kind)
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    return pa.Array.from_buffers(
        pa.string(), len(values), [valid, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    )


def _bits(pa: Any, flags: npt.NDArray[np.bool_]) -> Any:
    return pa.py_buffer(np.packbits(flags, bitorder="little"))
