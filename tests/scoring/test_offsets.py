"""Claims about how far off an edit is: distances of known length, angles of known size, and what is not measured."""

from __future__ import annotations

from math import cos, hypot, radians, sin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import editscope as es
from editscope.editors.reference import FLAWS
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring.offsets import RADII, AskedChange, change_errors, iou_within, miou_within

RED, BLUE, GRAY = (220, 20, 30), (20, 40, 200), (150, 150, 150)
SIDE = 200
MOVE = AskedChange(RED, "turn", "area")

pytestmark = pytest.mark.slow


def ground() -> Pixels:
    return np.full((SIDE, SIDE, 3), GRAY, np.uint8)


def drawn(
    at: tuple[float, float] = (100, 100),
    degrees: float = 0.0,
    sides: tuple[float, float] = (60, 30),
    slant: float = 0.0,
    color: tuple[int, int, int] = RED,
    onto: Pixels | None = None,
) -> Pixels:
    """A picture with an L-shaped object: ``sides`` wide and tall, turned clockwise, slanted along x."""
    picture = ground() if onto is None else onto.copy()
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    x, y = columns + 0.5 - at[0], rows + 0.5 - at[1]
    x = x - slant * y
    turn = radians(degrees)
    x, y = cos(turn) * x + sin(turn) * y, cos(turn) * y - sin(turn) * x
    wide, tall = sides
    inside = (abs(x) < wide / 2) & (abs(y) < tall / 2) & ~((x > 0) & (y < 0))
    picture[inside] = color
    return picture


# --- IoU within a distance ------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(0, 6))
def test_what_is_moved_by_no_more_than_the_radius_is_right(dx: int, dy: int, radius: int) -> None:
    before, answer, output = ground(), drawn(), drawn(at=(100 + dx, 100 + dy))
    iou = iou_within(before, answer, output, radius)
    assert (iou[0] == 1.0) == (hypot(dx, dy) <= radius)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_it_is_the_metric_at_radius_0_and_never_falls_as_the_radius_grows(seed: int, colors: int) -> None:
    rng = np.random.default_rng(seed)
    palette = rng.integers(0, 256, (colors + 1, 3), dtype=np.uint8)
    before, answer, output = (palette[rng.integers(0, colors + 1, (12, 14))] for _ in range(3))
    score = es.score_pixels(before, answer, output)
    assert iou_within(before, answer, output, 0) == pytest.approx(score.iou)
    curve = [score.miou, *miou_within(before, answer, output, (1, 2, 4, 8))]
    assert curve == sorted(curve)


def test_by_its_definition_pixel_by_pixel() -> None:
    rng = np.random.default_rng(3)
    palette = np.array([RED, BLUE, GRAY, (230, 30, 40)], np.uint8)
    before, answer, output = (palette[rng.integers(0, 4, (9, 11))] for _ in range(3))
    from editscope.images.lab import differences

    for radius in (1, 2):
        hits = edit = spilled = 0
        for y in range(9):
            for x in range(11):
                near = [(v, u) for v in range(9) for u in range(11) if (u - x) ** 2 + (v - y) ** 2 <= radius**2]
                wanted = min(float(differences(output[q], answer[y, x])) for q in near)
                meant = min(float(differences(answer[q], output[y, x])) for q in near)
                right = max(wanted, meant) <= 5
                changes = bool((before[y, x] != answer[y, x]).any())
                edit, hits, spilled = edit + changes, hits + (changes and right), spilled + (not changes and not right)
        assert iou_within(before, answer, output, radius)[5] == pytest.approx(hits / (edit + spilled))


def test_a_wrong_color_stays_wrong_at_every_distance() -> None:
    before, answer = ground(), drawn()
    assert iou_within(before, answer, drawn(color=BLUE), 8)[10] == 0.0
    noisy = FLAWS["noise"](before, answer, 1.0, np.random.default_rng(0))
    assert miou_within(before, answer, noisy) == pytest.approx((es.score_pixels(before, answer, noisy).miou,) * 3)


def test_nothing_done_is_nothing_right() -> None:
    before = drawn(at=(60, 60))
    assert miou_within(before, drawn(at=(140, 140)), before) == (0.0, 0.0, 0.0)


def test_an_output_of_another_size_is_fitted_and_a_radius_out_of_range_is_refused() -> None:
    before, answer = ground(), drawn()
    large = np.repeat(np.repeat(answer, 2, axis=0), 2, axis=1)
    assert miou_within(before, answer, large) == (1.0, 1.0, 1.0)
    with pytest.raises(BadInput, match="0 to 32"):
        iou_within(before, answer, answer, 40)


# --- errors of an object --------------------------------------------------------------------------


@pytest.mark.parametrize(("dx", "dy"), [(7, 0), (0, -7), (3, 4), (0, 0), (-60, 25)])
def test_a_shape_moved_by_so_many_pixels_is_off_by_so_many(dx: int, dy: int) -> None:
    found = change_errors(drawn(at=(60, 60)), drawn(), drawn(at=(100 + dx, 100 + dy)), MOVE)
    assert found.position == pytest.approx(hypot(dx, dy), abs=1e-4)
    assert found.angle == pytest.approx(0, abs=0.2) and found.size == 0 and found.color == 0


@pytest.mark.parametrize("degrees", [10, -25, 90, 179, 3])
def test_a_shape_turned_by_so_many_degrees_is_off_by_so_many(degrees: int) -> None:
    found = change_errors(drawn(at=(60, 60)), drawn(degrees=30), drawn(degrees=30 + degrees), MOVE)
    assert found.angle == pytest.approx(abs(degrees), abs=0.5)
    assert found.size == pytest.approx(0, abs=1)


@pytest.mark.parametrize("percent", [110, 80, 160])
def test_a_shape_of_another_size_is_off_by_so_many_percent(percent: int) -> None:
    sides = (80 * percent / 100, 40 * percent / 100)
    found = change_errors(drawn(at=(60, 60)), drawn(sides=(80, 40)), drawn(sides=sides), MOVE)
    assert found.size == pytest.approx(abs(percent - 100), abs=0.1)


def test_a_shape_stretched_along_one_side_is_off_by_that_side() -> None:
    change = AskedChange(RED, size="sides")
    found = change_errors(drawn(at=(60, 60)), drawn(), drawn(sides=(60, 40)), change)
    assert found.size == pytest.approx(100 / 3, abs=0.5) and found.angle is None


@pytest.mark.parametrize("slant", [0.0, 0.1, 0.5])
def test_a_slant_is_off_by_the_difference_of_slopes(slant: float) -> None:
    change = AskedChange(RED, "slant_x", "area")
    found = change_errors(drawn(at=(60, 60)), drawn(slant=0.3), drawn(slant=0.3 + slant), change)
    assert found.angle == pytest.approx(np.degrees(np.arctan(slant)), abs=0.6)


def test_a_color_that_is_off_is_measured_and_still_found() -> None:
    found = change_errors(drawn(at=(60, 60)), drawn(), drawn(color=(226, 28, 36), at=(104, 100)), MOVE)
    assert found.position == 4 and 0 < (found.color or 0) < 5


def test_a_shape_that_was_left_where_it_was_is_off_by_the_whole_way() -> None:
    before = drawn(at=(60, 60))
    assert change_errors(before, drawn(at=(60, 100)), before, MOVE).position == pytest.approx(40, abs=1e-4)


def test_a_shape_that_was_copied_is_measured_at_its_new_place() -> None:
    before = drawn(at=(60, 60))
    assert change_errors(before, drawn(), drawn(at=(105, 100), onto=before), MOVE).position == 5


def test_others_of_the_same_color_are_not_taken_for_it() -> None:
    other = drawn(at=(150, 40))
    before, answer, output = (drawn(at=at, onto=other) for at in ((60, 60), (60, 140), (66, 148)))
    assert change_errors(before, answer, output, MOVE).position == 10


def test_a_round_shape_has_no_angle_and_a_symmetric_one_its_smallest() -> None:
    rows, columns = np.mgrid[0:SIDE, 0:SIDE]
    before = answer = ground().copy()
    answer[(columns - 100) ** 2 + (rows - 100) ** 2 < 40**2] = RED
    assert change_errors(ground(), answer, answer, MOVE).angle is None
    square = {turn: ground() for turn in (0, 60)}
    for turn, picture in square.items():
        x, y = columns - 100, rows - 100
        u, v = cos(radians(turn)) * x + sin(radians(turn)) * y, cos(radians(turn)) * y - sin(radians(turn)) * x
        picture[(abs(u) < 30) & (abs(v) < 30)] = RED
    assert change_errors(ground(), square[0], square[60], MOVE).angle == pytest.approx(30, abs=0.7)
    assert before is answer


def test_what_is_cut_off_or_not_there_is_not_measured() -> None:
    before, away = drawn(at=(60, 60)), ground()
    assert change_errors(before, drawn(at=(10, 100)), drawn(at=(20, 100)), MOVE).position is None
    gone = change_errors(before, drawn(), away, MOVE)
    assert (gone.position, gone.angle, gone.size, gone.color) == (None, None, None, None)
    clouds = FLAWS["unrelated"](before, drawn(), 1.0, np.random.default_rng(2))
    assert change_errors(before, drawn(color=(0, 255, 0)), clouds, AskedChange((0, 255, 0), "turn")).position is None


def test_new_colors_of_a_region_are_off_by_their_median_difference() -> None:
    before, answer = drawn(), drawn(color=BLUE)
    assert change_errors(before, answer, answer, AskedChange()).color == 0
    off = change_errors(before, answer, drawn(color=(30, 50, 200)), AskedChange())
    assert off.position is None and 2 < (off.color or 0) < 8
    assert change_errors(before, before, before, AskedChange()).color is None


# --- the benchmark says what was to change --------------------------------------------------------


def test_the_tasks_say_what_was_to_change_and_a_shifted_answer_is_off_by_the_shift() -> None:
    tasks = ("translation", "rotation", "reflection", "scaling", "shearing", "construction", "border")
    suite = es.load_suite("paintbench", tasks=tasks, per_mode=1, conditions="baseline", canvas="256x256")
    measured = set()
    for case in suite:
        change = suite.change(case)
        if change is None or change.color is None:
            continue
        before, answer = np.asarray(case.images[0]), np.asarray(case.answer)
        exact = change_errors(before, answer, answer, change)
        if exact.position is None:
            continue
        assert exact.position == 0 and not exact.size and not exact.color and (exact.angle or 0) < 0.5
        shifted = FLAWS["shift"](before, answer, 0.5, np.random.default_rng(0))
        assert change_errors(before, answer, shifted, change).position == pytest.approx(4 * 2**0.5, abs=0.6)
        measured.add(case.tags["task"])
    assert measured >= {"translation", "rotation", "scaling", "shearing"}
    assert RADII == (1, 2, 4)
