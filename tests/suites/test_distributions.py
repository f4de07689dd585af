"""The comparison of distributions itself: it stays silent over equal ones and finds those that differ."""

from __future__ import annotations

import random

import numpy as np

from support.distributions import LEVELS, bonferroni, known, same_numbers, same_shares


def quantiles(values: list[float]) -> list[float]:
    return [float(q) for q in np.quantile(values, LEVELS)]


def test_equal_distributions_are_seldom_told_apart() -> None:
    rng = random.Random(1)
    low = 0
    for _ in range(300):
        release, ours = ([rng.gauss(0, 1) for _ in range(n)] for n in (96, 64))
        low += same_numbers(ours, quantiles(release), 96) < 0.05
    assert low <= 22
    whole = [[float(rng.randint(3, 5)) for _ in range(n)] for n in (96, 64)]
    assert same_numbers(whole[1], quantiles(whole[0]), 96) > 0.2


def test_equal_shares_are_seldom_told_apart() -> None:
    rng, low = random.Random(2), 0
    for _ in range(300):
        release, ours = ([rng.choice("aabcd") for _ in range(n)] for n in (96, 64))
        shares = {name: release.count(name) / 96 for name in "abcd"}
        low += same_shares({name: ours.count(name) for name in "abcd"}, shares, 96) < 0.05
    assert low <= 24


def test_other_distributions_are_found() -> None:
    rng = random.Random(3)
    release = [rng.uniform(0, 1) for _ in range(96)]
    assert same_numbers([rng.uniform(0.35, 1.35) for _ in range(64)], quantiles(release), 96) < 1e-3
    assert same_shares({"a": 50, "b": 14}, {"a": 0.5, "b": 0.5}, 96) < 1e-3
    assert same_shares({"a": 64}, {"a": 0.5, "b": 0.5}, 96) < 1e-6
    assert bonferroni({"x": 0.0004, "y": 0.5}) == {"x": 0.0004}
    assert bonferroni({"x": 0.0006, "y": 0.5}) == {}


def test_the_file_has_every_task_mode() -> None:
    assert len(known()["paintbench"]) == 35
    assert len(known()["tinygrafix"]) == 20
    assert all({"release", "version_1"} <= found.keys() for found in known()["paintbench"].values())
