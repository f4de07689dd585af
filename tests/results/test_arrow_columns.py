"""Columns made of buffers equal those that pyarrow makes, and pandas is not imported for them."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.results.arrow_columns import arrow_column, arrow_table

TEXTS = st.text(max_size=5)
NUMBERS = st.floats(allow_nan=False) | st.integers(-(2**40), 2**40)
COLUMNS = st.one_of(
    *(
        st.lists(st.none() | values, max_size=20)
        for values in (
            st.booleans(),
            st.integers(-(2**63), 2**63 - 1),
            st.floats(),
            NUMBERS,
            TEXTS,
            st.lists(st.floats(0, 1), max_size=4),
            st.lists(st.none() | TEXTS, max_size=3),
            st.lists(st.lists(st.integers(0, 9), max_size=2), max_size=2),
        )
    )
)


@settings(max_examples=300, deadline=None)
@given(COLUMNS)
def test_a_column_equals_that_of_pyarrow(values: list[Any]) -> None:
    ours, theirs = arrow_column(values), pa.array(values)
    ours.validate(full=True)
    assert ours.type == theirs.type
    assert repr(ours.to_pylist()) == repr(theirs.to_pylist())


@pytest.mark.parametrize("kind", [pa.string(), pa.float64()])
@pytest.mark.parametrize("empty", [[], [None], [None, None]])
def test_a_column_without_values_has_the_type_that_is_given(empty: list[None], kind: Any) -> None:
    column = arrow_column(empty, kind)
    column.validate(full=True)
    assert column == pa.array(empty, kind)


def test_integers_in_a_column_of_floats_become_floats() -> None:
    assert arrow_column([1, None, 2.5], pa.float64()) == pa.array([1.0, None, 2.5])


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0),
        np.arange(6),
        np.array(["a", "bc", ""]),
        np.array([True, False]),
        np.arange(12.0).reshape(4, 3)[:, ::-1],
        np.empty((0, 3)),
        np.arange(5, dtype=np.float64)[::2],
    ],
)
def test_arrays_become_columns_and_their_rows_lists(array: np.ndarray[Any, Any]) -> None:
    column = arrow_column(array)
    column.validate(full=True)
    assert column.to_pylist() == array.tolist()


def test_values_of_other_types_are_left_to_pyarrow() -> None:
    assert arrow_column([b"x", None]) == pa.array([b"x", None])
    assert arrow_column([{"a": 1}]) == pa.array([{"a": 1}])
    with pytest.raises(pa.ArrowInvalid):
        arrow_column([1, "two"])
    assert math.isnan(arrow_column([math.nan, None]).to_pylist()[0])


@pytest.mark.slow
def test_tables_are_written_without_pandas() -> None:
    script = """
import json, sys
from editscope.results.tables import as_parquet
as_parquet({"case_id": ["a", "b"], "reason": [None, "late"], "iou": [[0.5, 1.0], None]}, {"v": "1"})
print(json.dumps("pandas" in sys.modules))
"""
    assert json.loads(subprocess.check_output([sys.executable, "-c", script])) is False
    assert arrow_table({"a": [1]}, {}).num_rows == 1
