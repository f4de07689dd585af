"""Claims about faint edits: rims that nobody sees do not change, and doing nothing scores next to nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.images import Pixels
from editscope.images.lab import differences
from editscope.scoring import floor_miou
from editscope.suites.generated.suite import MOST_FLOOR
from editscope.suites.tinygrafix.canvas import plain_settings, the_canvas
from editscope.suites.tinygrafix.make import attempts, draw
from editscope.suites.tinygrafix.rims import floor_of, settle_rims
from editscope.suites.tinygrafix.slots import ChartSlot
from support.tinygrafix_measures import lab, without_faint_rims

GROUND = (200, 190, 180)


def pair(seed: int, width: int, height: int) -> tuple[Pixels, Pixels]:
    """Two pictures with areas that are equal, areas that change alike, and faint changes."""
    rng = np.random.default_rng(seed)
    palette = rng.integers(0, 256, (3, 3))
    before = np.tile(np.array(GROUND, np.uint8), (height, width, 1))
    after = before.copy()
    for picture in (before, after):
        for _ in range(3):
            x0, x1 = sorted(rng.integers(0, width + 1, 2))
            picture[rng.integers(0, height), x0:x1] = palette[rng.integers(0, 3)]
        faint = rng.random((height, width)) < 0.2
        picture[faint] = np.clip(picture[faint] + rng.integers(-3, 4, (int(faint.sum()), 3)), 0, 255)
    return before, after


pairs = st.builds(pair, st.integers(0, 10**6), st.integers(1, 90), st.integers(1, 7))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(pairs)
def test_the_floor_is_what_the_score_gives_for_doing_nothing(pictures: tuple[Pixels, Pixels]) -> None:
    before, after = pictures
    kept = before.copy(), after.copy()
    expected = floor_miou(before, after) if (before != after).any() else 1.0
    assert abs(settle_rims(before, after, GROUND, 0.0) - expected) < 1e-12
    assert abs(floor_of(differences(before, after)) - expected) < 1e-12
    assert np.array_equal(before, kept[0]) and np.array_equal(after, kept[1])


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(pairs)
def test_what_changes_can_be_seen_and_all_else_stays(pictures: tuple[Pixels, Pixels]) -> None:
    before, after = pictures
    expected = without_faint_rims(before, after, "#C8BEB4")
    floor = settle_rims(before, after, GROUND)
    assert np.array_equal(before, expected[0]) and np.array_equal(after, expected[1])
    changed = (before != after).any(axis=2)
    if changed.any():
        assert np.linalg.norm(lab(before[changed]) - lab(after[changed]), axis=1).min() >= 3
        assert abs(floor - floor_miou(before, after)) < 1e-12


def test_nothing_is_left_of_the_rim_of_what_is_removed() -> None:
    after = np.tile(np.array(GROUND, np.uint8), (1, 8, 1))
    before = after.copy()
    before[0, 3:6] = (199, 190, 180), (0, 0, 0), (200, 191, 180)
    settle_rims(before, after, GROUND)
    assert (after == GROUND).all()
    assert (before != GROUND).any(axis=2).tolist() == [[False] * 4 + [True] + [False] * 3]


@pytest.mark.slow
def test_an_edit_that_is_too_faint_is_drawn_again() -> None:
    canvas, rejected = the_canvas(), 0
    with plain_settings():
        for number in (46, 47, 70, 88):
            slot = ChartSlot("network", "swap_nodes", number)
            taken, *_ = draw(slot, "faint", canvas)
            for attempt in attempts(slot, "faint", canvas):
                chart, change = attempt.chart, attempt.change
                ground = chart.shared(canvas, change.before)
                states = change.before, change.after
                one, two = (canvas.draw(ground, chart.content(canvas, state)) for state in states)
                floor = floor_miou(*without_faint_rims(one, two, change.before.theme.background))
                assert (floor <= MOST_FLOOR) == (change == taken.change)
                if floor <= MOST_FLOOR:
                    break
                rejected += 1
    assert rejected == 3
