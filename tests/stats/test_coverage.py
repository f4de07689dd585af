"""Claims about chance: intervals hold the truth as often as they say, and the paired test seldom cries wolf."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import pytest

from drills import counts
from editscope.stats import smallest_difference
from support.places import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.drill]

SCRIPT = ROOT / "benchmarks" / "interval_coverage.py"
REPETITIONS = 2_000
SETS = counts.times(usual=1_000, full=2_000)
"""Made sets whose interval is computed, which takes the longest."""
RESAMPLES = counts.times(usual=1_000, full=2_000)


def _bench() -> Any:
    spec = importlib.util.spec_from_file_location("coverage_of_intervals", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCH = _bench()
HIERARCHIES = {
    "flat": (BENCH.flat(30), BENCH.skewed),
    "flat, 60 cases": (BENCH.flat(60), BENCH.even),
    "task, category, overall": (BENCH.tasks_in("", BENCH.CATEGORIES, 30), BENCH.skewed),
    "task, category, overall, uneven": (BENCH.tasks_in("", BENCH.UNEVEN, 30), BENCH.even),
    "task, chart, overall": (BENCH.tasks_in("", BENCH.CHARTS, 30), BENCH.even),
    "metrics of a case as rows": (BENCH.long_rows(30), BENCH.even),
    "pooled questions": (BENCH.questions(30, by_case=False), BENCH.yes_or_no),
    "questions, case first": (BENCH.questions(30, by_case=True), BENCH.yes_or_no),
}


@pytest.mark.parametrize("name", HIERARCHIES)
def test_the_interval_holds_the_truth_95_times_in_100(name: str) -> None:
    design, sampler = HIERARCHIES[name]
    assert 0.935 <= BENCH.coverage(design, sampler, SETS, resamples=RESAMPLES) <= 0.965


def test_the_interval_of_a_few_cases_is_too_narrow_as_documented() -> None:
    shares = [BENCH.coverage(BENCH.flat(size), BENCH.even, REPETITIONS, resamples=500) for size in (5, 10, 20)]
    assert shares == sorted(shares)
    assert shares[0] < 0.85
    assert shares[1] < 0.92


NULL = {name: (design, sampler) for name, design, sampler in BENCH.null_cases() if "few patterns" not in name}


@pytest.mark.parametrize("name", NULL)
def test_the_paired_test_sees_a_difference_that_is_not_there_5_times_in_100(name: str) -> None:
    design, sampler = NULL[name]
    assert 0.035 <= BENCH.false_alarms(design, sampler, REPETITIONS, resamples=999) <= 0.065


def test_few_distinct_patterns_make_the_paired_test_careful_never_rash() -> None:
    design, sampler = next((d, s) for name, d, s in BENCH.null_cases() if "few patterns" in name)
    assert BENCH.false_alarms(design, sampler, REPETITIONS, resamples=999) <= 0.06


def test_a_difference_that_60_cases_should_show_4_times_in_5_is_seen_so_often() -> None:
    shift = smallest_difference(60, 0.1 * 2**0.5)
    assert 0.77 <= BENCH.false_alarms(BENCH.flat(60), BENCH.normal, REPETITIONS, 999, shift) <= 0.83
