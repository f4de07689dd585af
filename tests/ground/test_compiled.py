"""Compiled code runs wherever the package is installed, whether or not its cache can be kept."""

from __future__ import annotations

from typing import Any

import numba
import pytest

from editscope.compiled import compiled


def double(x: int) -> int:
    return 2 * x


def test_without_a_place_for_the_cache_functions_are_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    njit = numba.njit

    def read_only(*args: Any, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function 'double': no locator available for file")
        return njit(*args, **options)

    monkeypatch.setattr(numba, "njit", read_only)
    assert compiled()(double)(21) == 42


def test_a_full_disk_costs_the_cache_and_not_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core.caching import IndexDataCacheFile

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "save", full)
    assert compiled()(double)(4) == 8
