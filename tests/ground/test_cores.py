"""The number of processes where ``--jobs`` does not say it: the cores that the system allows, or EDITSCOPE_JOBS."""

from __future__ import annotations

import os

import pytest

from editscope.errors import BadInput
from editscope.processes import JOBS, cores


def test_the_variable_comes_before_what_the_system_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(JOBS, " 3 ")
    assert cores() == 3
    for unset in ("", None):
        monkeypatch.delenv(JOBS) if unset is None else monkeypatch.setenv(JOBS, unset)
        assert 1 <= cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "1.5", "٣"])
def test_anything_but_a_whole_number_from_1_is_refused(monkeypatch: pytest.MonkeyPatch, wrong: str) -> None:
    monkeypatch.setenv(JOBS, wrong)
    with pytest.raises(BadInput, match="EDITSCOPE_JOBS must be a whole number from 1"):
        cores()
