"""Claims about columns of Arrow tables that are made without pandas."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from editscope.results.arrow_columns import column

NOTHING = st.none()
COLUMNS = st.one_of(
    st.lists(NOTHING),
    st.lists(st.one_of(NOTHING, st.text())),
    st.lists(st.one_of(NOTHING, st.booleans())),
    st.lists(st.one_of(NOTHING, st.integers(-(2**63), 2**63 - 1))),
    st.lists(st.one_of(NOTHING, st.floats(allow_nan=False))),
    st.lists(st.one_of(NOTHING, st.integers(-9, 9), st.floats(-9, 9))),
    st.lists(st.lists(st.integers(0, 9))),
)


def stored(array: Any) -> bytes:
    buffer = io.BytesIO()
    parquet.write_table(pa.table([array], names=["x"]), buffer)
    return buffer.getvalue()


@settings(deadline=None)
@given(values=COLUMNS)
def test_a_column_is_the_one_that_arrow_makes_down_to_the_bytes_of_its_file(values: list[Any]) -> None:
    made, theirs = column(values), pa.array(values)
    made.validate(full=True)
    assert made.type == theirs.type and made.equals(theirs)
    assert stored(made) == stored(theirs)


@pytest.mark.parametrize("kind", [pa.string(), pa.float64()])
@pytest.mark.parametrize("values", [[], [None, None]])
def test_a_column_without_values_has_the_type_that_is_asked_for(values: list[None], kind: Any) -> None:
    assert column(values, kind).equals(pa.array(values, type=kind))


def test_whole_numbers_become_fractions_where_that_is_asked_for() -> None:
    assert column([1, None], pa.float64()).equals(pa.array([1.0, None]))


def test_a_number_that_is_too_large_is_refused_as_arrow_refuses_it() -> None:
    with pytest.raises((OverflowError, pa.ArrowInvalid)):
        column([2**70])


@pytest.mark.slow
def test_tables_are_made_without_pandas() -> None:
    code = (
        "import sys; from editscope.results.tables import as_parquet;"
        "as_parquet({'case_id': ['a', 'b'], 'value': [1.0, None], 'reason': [None, None], 'n': [1, 2], "
        "'ok': [True, None]}, {'about': 'x'}); print('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
