"""Our PaintBench problems follow the release's mix: sizes, shares of forms, numbers of targets, in every task-mode."""

from __future__ import annotations

import pytest

from drills import counts
from editscope.images import Indexed
from editscope.scoring.pixels import floor_miou, missing_score
from editscope.suites.paintbench.data import load
from editscope.suites.paintbench.suite import PaintBenchSuite
from support.distributions import known
from support.paintbench.measures import Sample, compare, compared, described, measure, sample_of

pytestmark = [pytest.mark.slow, pytest.mark.drill]

MODES = tuple(known()["paintbench"])
PER_CONDITION = counts.times(usual=5, full=8)
"""Problems of a mode in each of the eight conditions."""
FLOOR = 5.0
"""The highest mIoU, of 100, that an editor may reach by returning the picture as it is."""

SHRUNK = (
    "changed_pixels",
    "changed_share_percent",
    "edit_region_bin",
    "target_bbox_percent_of_picture",
    "target_size_percent_of_shorter",
)
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("reflection/local", "noop_miou_percent"): "the release resamples, which leaves faint rims; ours draws anew",
    ("reflection/external", "noop_miou_percent"): "the release resamples, which leaves faint rims; ours draws anew",
    ("comparison/default", "smallest_step_ratio"): "ranks that a person cannot see are not taken over",
    ("ordering/default", "smallest_step_ratio"): "ranks that a person cannot see are not taken over",
    **{("copying/default", name): "no shape is smaller than 32 px; the release shrinks to 14" for name in SHRUNK},
}
"""What differs from the release on purpose, and why."""

COMPARED = {mode: [name for name in compared(mode) if (mode, name) not in EXCEPTIONS] for mode in MODES}
LIMIT = 0.001 / sum(len(names) for names in COMPARED.values())
"""p below 0.001, shared by all comparisons."""


@pytest.fixture(scope="module", params=MODES)
def measured(request: pytest.FixtureRequest) -> tuple[str, Sample]:
    """The problems of one task-mode in a namespace of their own, made once for all tests here."""
    mode = str(request.param)
    return mode, sample_of(mode, "distribution", PER_CONDITION)


def test_problems_are_distributed_like_the_releases(measured: tuple[str, Sample]) -> None:
    mode, sample = measured
    p = compare(mode, sample)
    differing = [name for name in COMPARED[mode] if not p[name] >= LIMIT]
    lines = [f"  {name}: p = {p[name]:.2g}, {described(mode, name, sample)}" for name in differing]
    assert not differing, "\n".join([f"{mode} differs from the release in {len(differing)} of {len(p)}:", *lines])


def test_an_unchanged_picture_scores_next_to_nothing(measured: tuple[str, Sample]) -> None:
    mode, sample = measured
    floors = sample.numbers["noop_miou_percent"]
    assert len(floors) == len(sample.numbers["changed_pixels"]), f"{mode}: a problem changes nothing"
    assert max(floors) <= FLOOR, f"{mode}: {sum(floor > FLOOR for floor in floors)} problems, up to {max(floors):.1f}"


@pytest.mark.parametrize("task", ["gradient", "recolor", "cropping", "point_operations"])
def test_measures_of_pictures_are_those_of_the_metric(task: str) -> None:
    suite = load(tasks=task, conditions="baseline", per_mode=1)
    assert isinstance(suite, PaintBenchSuite)
    made = suite.problem(suite.ids[0])
    before, after = (
        picture.rgb() if isinstance(picture, Indexed) else picture for picture in (made.input, made.answer)
    )
    found = measure(made).numbers
    assert found["changed_pixels"] == missing_score(before, after).edit_pixels
    assert found["noop_miou_percent"] == pytest.approx(100 * floor_miou(before, after))


def test_exceptions_name_what_is_compared() -> None:
    assert all(name in compared(mode) for mode, name in EXCEPTIONS)
