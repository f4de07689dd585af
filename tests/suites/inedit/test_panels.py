"""Claims about panels that are found without a judge: their number, near-equal neighbors, copies of the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from editscope.cases import Case, Instruction
from editscope.images import Pixels, load, resize
from editscope.scoring.rubrics import Unit
from editscope.suites.inedit.joining import join
from editscope.suites.inedit.panels import end_picture, find_panels, panel_checks
from editscope.suites.inedit.rubric import InEditRubric
from support.places import SAMPLES

SIDE = 120


def stage(share: float, seed: int = 0) -> Pixels:
    """A picture of a process that is done to some share: a bar that grows in front of a hilly ground."""
    x = np.arange(SIDE)
    ground = 120 + 60 * np.sin(x / 9 + seed) + 30 * np.cos(x[:, None] / 7)
    picture = np.repeat(ground[:, :, None], 3, axis=2).astype(np.uint8)
    picture[50:72, 14 : 14 + round(84 * share)] = (220, 30, 40)
    return picture


def grid(panels: Sequence[Pixels], columns: int, gap: int = 6, color: int = 255, margin: int = 0) -> Pixels:
    """Panels in rows with strips between them, each with a number in its corner."""
    rows = -(-len(panels) // columns)
    height, width = (n * SIDE + (n - 1) * gap for n in (rows, columns))
    picture = np.full((height + 2 * margin, width + 2 * margin, 3), color, np.uint8)
    for place, panel in enumerate(panels):
        y, x = (margin + k * (SIDE + gap) for k in divmod(place, columns))
        picture[y : y + SIDE, x : x + SIDE] = panel
        picture[y + 4 : y + 14, x + 4 : x + 8 + 2 * place] = (255, 255, 0)
    return picture


START, END = stage(0.0), stage(1.0)
JOINED = join(START, END)


@pytest.mark.parametrize(("number", "columns"), [(2, 2), (3, 3), (4, 2), (6, 3), (9, 3), (8, 4), (4, 1), (12, 4)])
@pytest.mark.parametrize(("gap", "color", "margin"), [(6, 255, 0), (3, 0, 0), (6, 255, 10), (8, 255, 40)])
def test_panels_are_counted_whatever_is_between_and_around_them(
    number: int, columns: int, gap: int, color: int, margin: int
) -> None:
    stages = [stage(k / (number - 1), seed=k) for k in range(number)]
    found = find_panels(grid(stages, columns, gap, color, margin))
    assert len(found) == number
    right, bottom = found[0][2:]
    assert margin or max(abs(right - SIDE), abs(bottom - SIDE)) <= 2


def test_panels_that_touch_are_told_by_what_they_show() -> None:
    stages = [np.full((SIDE, SIDE, 3), shade, np.uint8) for shade in (30, 90, 160, 220)]
    assert len(find_panels(grid(stages, 2, gap=0))) == 4


def test_bands_may_have_different_numbers_of_panels() -> None:
    upper = grid([stage(k / 6, seed=k) for k in range(3)], 3)
    lower = grid([stage(k / 6, seed=k) for k in range(3, 5)], 2)
    wide = resize(lower, upper.shape[1], SIDE)
    strip = np.full((6, upper.shape[1], 3), 255, np.uint8)
    assert len(find_panels(np.concatenate([upper, strip, wide]))) == 5


def test_a_picture_without_borders_is_one_panel() -> None:
    assert find_panels(START) == ((0, 0, SIDE, SIDE),)
    assert find_panels(np.full((10, 10, 3), 7, np.uint8)) == ((0, 0, 10, 10),)


def test_a_way_with_a_step_in_each_panel_passes_all_checks() -> None:
    edit = grid([stage(share) for share in (0.2, 0.4, 0.6, 0.8)], 2)
    assert panel_checks(JOINED, edit) == {"panels": 4, "alike_neighbors": 0, "end_copies": 0}


def test_the_last_panel_may_show_the_end_and_no_other() -> None:
    assert panel_checks(JOINED, grid([stage(s) for s in (0.3, 0.6, 0.8, 1.0)], 2))["end_copies"] == 0
    stacked = panel_checks(JOINED, grid([stage(s) for s in (0.5, 1.0, 1.0, 1.0)], 2))
    assert stacked == {"panels": 4, "alike_neighbors": 2, "end_copies": 2}


def test_noise_does_not_make_two_panels_different() -> None:
    noise = np.random.default_rng(0).integers(-6, 7, (SIDE, SIDE, 3))
    again = np.clip(stage(0.5) + noise, 0, 255).astype(np.uint8)
    assert panel_checks(JOINED, grid([stage(0.2), stage(0.5), again, stage(0.8)], 2))["alike_neighbors"] == 1


@pytest.mark.parametrize("direction", ["right", "down"])
def test_copies_of_the_end_and_of_the_input_are_told(direction: str) -> None:
    joined = join(START, END, direction)  # type: ignore[arg-type]
    assert panel_checks(joined, resize(END, 512, 512)) == {"panels": 1, "alike_neighbors": 0, "end_copies": 1}
    assert panel_checks(joined, joined)["end_copies"] == 1
    assert np.abs(resize(end_picture(joined), SIDE, SIDE).astype(int) - END).mean() < 6


def test_the_rubric_has_them_for_each_edit_and_no_score_depends_on_them() -> None:
    rubric = InEditRubric()
    edit = grid([stage(s) for s in (0.2, 0.5, 0.8)], 3)
    alone = Case("1", "inedit", (JOINED,), (Instruction("Show it."),), {"category": "state_transition"})
    numbers = rubric.from_pixels(alone, Unit("1", ("",)), {"": edit})
    assert list(numbers) == [check.name for check in rubric.checks]
    pair = rubric.from_pixels(alone, Unit("1", ("A", "B")), {"A": edit, "B": START})
    assert (pair["panels@A"], pair["panels@B"]) == (3, 1)
    assert not {check.name for check in rubric.checks} & set(rubric.measures_order())


@pytest.mark.slow
@pytest.mark.skipif(not (SAMPLES / "inedit").is_dir(), reason="the real samples are not here")
@pytest.mark.parametrize("path", sorted((SAMPLES / "inedit").rglob("*.png")), ids=lambda path: Path(path).stem)
def test_of_real_pictures_the_end_is_found_and_a_copy_of_it_is_told(path: Path) -> None:
    joined = load(path)
    end = end_picture(joined)
    assert abs(end.shape[1] - joined.shape[1] / 2) < 6
    assert panel_checks(joined, end)["end_copies"] == 1 or len(find_panels(end)) > 1
