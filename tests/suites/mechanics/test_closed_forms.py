"""Closed forms agree with other ways to find the same number, and scenes with the closed forms."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editscope.suites.mechanics.closed_forms import catenary, draft, seesaw_tilt, spring_length, torque, water_level
from editscope.suites.mechanics.tasks import TASKS
from editscope.suites.physics.edit import SceneEdit
from editscope.suites.physics.make import edits

SEEDS = range(12)


def drawn(task: str, seed: int) -> SceneEdit:
    return next(edits(TASKS[task], seed))


def height_of(scene: Any, name: str) -> float:
    solid = scene.solid(name)
    ends = [point[1] for line in solid.lines for point in line]
    return float(max(ends) - min(ends))


@given(apart=st.floats(0.5, 4.0), slack=st.floats(1.02, 3.0))
def test_a_catenary_is_as_long_as_its_rope_and_its_tension_balances_its_weight(apart: float, slack: float) -> None:
    points = catenary(apart, apart * slack, 4001)
    assert points[0] == pytest.approx((0.0, 0.0), abs=1e-9)
    assert points[-1] == pytest.approx((apart, 0.0), abs=1e-9)
    assert math.fsum(math.dist(a, b) for a, b in pairwise(points)) == pytest.approx(apart * slack, rel=1e-5)
    # Statics: the horizontal tension is the same everywhere, so slope over length from the lowest point is constant.
    middle = len(points) // 2
    step = apart * slack / 4000
    ratios = []
    for number in (middle + 500, middle + 1000, middle + 1800):
        (x0, y0), (x1, y1) = points[number - 1], points[number + 1]
        ratios.append((y1 - y0) / (x1 - x0) / ((number - middle) * step))
    assert ratios == pytest.approx([ratios[0]] * 3, rel=1e-3)


def test_a_rope_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="does not reach"):
        catenary(2.0, 1.9, 5)


@given(unloaded=st.floats(0.1, 2), give=st.floats(-0.1, 0.3), load=st.floats(0, 9), more=st.floats(0, 9))
def test_springs_add_up(unloaded: float, give: float, load: float, more: float) -> None:
    once = spring_length(unloaded, give, load + more)
    assert spring_length(spring_length(unloaded, give, load), give, more) == pytest.approx(once)


@given(density=st.floats(0.05, 0.98), height=st.floats(0.1, 1), base=st.floats(0.01, 1), area=st.floats(1.1, 3))
def test_what_floats_displaces_its_own_mass_of_water(density: float, height: float, base: float, area: float) -> None:
    rise = water_level(0.5, area, base * draft(height, density)) - 0.5
    assert rise * area == pytest.approx(base * height * density)


@given(density=st.floats(1.0, 9.0), height=st.floats(0.1, 1))
def test_what_sinks_displaces_its_volume(density: float, height: float) -> None:
    assert draft(height, density) == height


@given(axle=st.floats(0.1, 0.6), radius=st.floats(0.0, 0.1), half=st.floats(0.8, 2.0))
def test_the_end_of_a_seesaw_touches_the_floor(axle: float, radius: float, half: float) -> None:
    tilt = math.radians(seesaw_tilt(axle, radius, half))
    # The lower corner in the board's own frame, turned about the axle.
    assert axle + radius * math.cos(tilt) - half * math.sin(tilt) == pytest.approx(0.0, abs=1e-9)


def test_torque_is_mass_times_distance() -> None:
    assert torque([(1, -4), (2, 2)]) == 0
    assert torque([(3, -2)]) == 6
    assert torque([(3, 2), (1, -1)]) == -5


@pytest.mark.parametrize("seed", SEEDS)
def test_the_spring_in_the_picture_follows_hooke(seed: int) -> None:
    edit = drawn("load_spring", seed)
    words = edit.asked.split()
    mass = int(words[words.index("kg") - 1] if "kg" in words else words[words.index("kg.") - 1])
    give = int(words[words.index("cm") - 1])
    change = height_of(edit.after, "spring") - height_of(edit.before, "spring")
    assert change * 100 == pytest.approx(mass * give * (1 if edit.asked.startswith("Hang") else -1), abs=0.05)
    assert all(
        solid.place[1] >= 0.05
        for scene in (edit.before, edit.after)
        for solid in scene.solids
        if "weight" in solid.name
    )
    # The weight hangs from the end of the spring before and after.
    first = next(name for name, role in edit.roles.items() if role == "moved" and name != "spring")
    for scene in (edit.before, edit.after):
        spring, weight = scene.solid("spring"), scene.solid(first)
        bottom = spring.place[1] - height_of(scene, "spring")
        assert bottom - (weight.place[1] + weight.size[1]) == pytest.approx(0.01, abs=0.011)


@pytest.mark.parametrize("task", ["shorten_rope", "move_post"])
@pytest.mark.parametrize("seed", SEEDS)
def test_ropes_in_the_picture_have_the_length_that_the_sentence_says(task: str, seed: int) -> None:
    edit = drawn(task, seed)
    lengths = [math.fsum(math.dist(*line) for line in scene.solid("rope").lines) for scene in (edit.before, edit.after)]
    if task == "shorten_rope":
        said = [float(edit.asked.split(word)[1].split()[0]) for word in ("from ", " to ")]
    else:
        said = [float(edit.asked.split("both is ")[1].split()[0])] * 2
    assert lengths == pytest.approx(said, abs=0.006)  # 24 straight rods are a little shorter than the curve
    rope = edit.after.solid("rope")
    assert rope.place[1] + min(point[1] for line in rope.lines for point in line) > 0.05, "the rope lies on the floor"


@pytest.mark.parametrize("task", ["put_in_water", "take_from_water"])
@pytest.mark.parametrize("seed", SEEDS)
def test_no_water_is_lost_and_blocks_float_or_sink_as_their_density_says(task: str, seed: int) -> None:
    edit = drawn(task, seed)
    empty, full = (edit.before, edit.after) if task == "put_in_water" else (edit.after, edit.before)
    block, low, high = full.solid(edit.target), empty.solid("water"), full.solid("water")
    words = edit.asked.split()
    density = float(words[words.index("times") - 1])
    area = low.size[0] * low.size[2]
    under = min(block.size[1], high.place[1] + high.size[1] - block.place[1])
    displaced = block.size[0] * block.size[2] * under
    assert high.size[1] * area - displaced == pytest.approx(low.size[1] * area, abs=0.002)
    assert under / block.size[1] == pytest.approx(min(1.0, density), abs=0.002)
    assert (block.place[1] > low.place[1] + 0.01) == (density < 1)
    if density < 1:
        # It stays upright: the metacenter is above the center of mass.
        beam = min(block.size[0], block.size[2])
        assert beam**2 / (12 * under) + under / 2 - block.size[1] / 2 > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seesaw_lies_on_the_side_of_the_larger_torque(seed: int) -> None:
    edit = drawn("load_seesaw", seed)
    for scene in (edit.before, edit.after):
        board = scene.solid("board")
        angle, axle = math.radians(board.tilt), scene.solid("axle").place
        total = 0.0
        for solid in scene.solids:
            if solid.name.endswith("weight"):
                mass = (solid.size[1] - 0.16) / 0.06
                x, y = solid.center[0] - axle[0], solid.center[1] - axle[1]
                total += mass * (x * math.cos(angle) + y * math.sin(angle))
        assert total * board.tilt < 0, "weights on the right tilt clockwise, which is negative"
    assert edit.before.solid("board").tilt == -edit.after.solid("board").tilt


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stack_of_springs_gets_shorter_by_the_sum(seed: int) -> None:
    edit = drawn("press_springs", seed)
    springs = [name for name in edit.roles if name.endswith("spring")]
    shorter = sum(height_of(edit.before, name) - height_of(edit.after, name) for name in springs)
    first = next(name for name, role in edit.roles.items() if name.endswith("weight") and role == "moved")
    assert edit.before.solid(first).place[1] - edit.after.solid(first).place[1] == pytest.approx(shorter, abs=0.001)
    assert shorter * 100 == pytest.approx(float(edit.sentences["moved"].split(" is ")[-1].split()[0]), abs=0.1)
