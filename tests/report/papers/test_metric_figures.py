"""Claims about figures of metrics: radar and bars, histograms, heat maps and divided rows show the known values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from editscope.report.figure_data.metric_means import metric_grid, metric_profile
from editscope.report.figure_data.score_histograms import score_histograms
from editscope.report.figure_data.splits import split_means
from editscope.report.html.sections.details.metrics import metrics
from editscope.report.model import Sheet, gather
from editscope.report.options import ReportOptions
from editscope.report.paper_figures.draw import _kind
from editscope.report.paper_figures.registry import FigureContext
from editscope.report.paper_figures.style import settle, styled
from editscope.results import Run
from editscope.suites import load_suite
from support.judged_data import make_wiseedit, make_worldedit
from support.judged_data_more import make_inedit
from support.reports.report_judged_runs import judged_run
from support.reports.report_runs import Line, make_run
from support.servers.judge_server import Asked, Reply

pytestmark = pytest.mark.slow

SHARES = {"border": 0.2, "removal": 0.4, "recolor": 0.6, "legend": 0.8}


def sheet_of(*runs: Run) -> Sheet:
    return gather(runs, None).sheets[0]


def drawn(runs: Sequence[Run], name: str, **asked: Any) -> Any:
    model = gather(runs, None)
    with styled():
        return settle(_kind(name).draw(FigureContext(model, model.sheets[0], **asked)))


def mark(number: int, asked: Asked) -> Reply:
    """A reply with this mark in every field that takes one."""
    properties = (asked.schema or {})["properties"]
    return Reply({name: number if "enum" in shape else "so" for name, shape in properties.items()})


def known(edit: Line, score: Line) -> None:
    """Every case of a task has the share of its task, in mIoU and twice less in edit accuracy."""
    share = SHARES.get(score["tags"]["task"], 0.0)
    score["metrics"] |= {"miou": share, "edit_accuracy": share / 2}


@pytest.fixture(scope="module")
def pixels(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("pixels"), "known", change=known)


@pytest.fixture(scope="module")
def wise(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Two editors: one gets 4 of 10 wherever the input is multi-image and 10 else; the other always 7."""
    root = tmp_path_factory.mktemp("wise")
    subsets = (("Awareness", 1), ("Awareness", 2), ("Imagination", 1), ("Imagination", 3))
    suite = load_suite("wiseedit", root=make_wiseedit(root / "data", 3, subsets=subsets, tags=True))

    def by_inputs(asked: Asked) -> Reply:
        return mark(10 if re.search(r"of \w+_1\b", asked.text) else 4, asked)

    return [
        judged_run(suite, root / "uneven", script=by_inputs),
        judged_run(suite, root / "even", script=lambda asked: mark(7, asked)),
    ]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """20 cases, marked 1 to 5 by turns wherever the judge reads the number of the case."""
    root = tmp_path_factory.mktemp("world")
    suite = load_suite("worldedit", root=make_worldedit(root / "data", 20))

    def by_turns(asked: Asked) -> Reply:
        found = re.search(r"thing (\d+)", asked.text)
        return mark(1 + int(found[1]) % 5 if found else 3, asked)

    return judged_run(suite, root / "run", script=by_turns)


def test_the_metric_radar_of_wiseedit_has_five_metrics_and_three_kinds_of_knowledge(wise: list[Run]) -> None:
    profile = metric_profile(sheet_of(*wise))
    assert profile is not None
    metrics_ = ["Instruction following", "Detail preserving", "Visual quality", "Knowledge fidelity", "Creative fusion"]
    assert [axis.label for axis in profile.axes] == [*metrics_, "Declarative", "Procedural", "Metacognitive"]
    assert profile.means(1) == [pytest.approx(100 * 6 / 9)] * 8, "7 on a scale from 1 to 10"
    figure = drawn(wise, "metrics")
    radar, bars = figure.axes
    even = radar.get_lines()[1]
    assert even.get_ydata().tolist() == [pytest.approx(100 * 6 / 9)] * 9
    assert [label.get_text() for label in bars.get_yticklabels()] == [axis.label for axis in profile.axes]
    assert {round(bar.get_width(), 2) for bar in bars.containers[1]} == {66.67}


def test_metrics_on_another_scale_stay_out_of_the_radar(tmp_path: Path) -> None:
    root = make_inedit(tmp_path / "data", 6)
    run = judged_run(load_suite("inedit", root=root), tmp_path / "run", script=lambda asked: mark(5, asked))
    profile = metric_profile(sheet_of(run))
    assert profile is not None
    assert [axis.metric for axis in profile.axes] == ["ac", "pq", "sc", "lc", "sp", "pp"], "accuracy is a percentage"
    grid = metric_grid(sheet_of(run), "subtask")
    assert grid is not None
    assert list(grid.metrics) == ["ac", "pq", "sc", "lc", "sp", "overall"], "pairs of paths have no sub-task"
    rows = dict(zip(grid.keys, grid.runs[0][1], strict=True))
    unchecked = next(cells for key, cells in rows.items() if cells[4] is None)
    assert [cell["mean"] for cell in unchecked if cell] == [100.0] * 5
    figure = drawn([run], "heat-metrics")
    assert sum(text.get_text() == "–" for text in figure.axes[0].texts) == sum(row[4] is None for row in rows.values())


def test_heat_maps_have_the_means_of_every_task(pixels: Run, tmp_path: Path) -> None:
    grid = metric_grid(sheet_of(pixels), "task")
    assert grid is not None
    miou, edit = grid.metrics.index("miou"), grid.metrics.index("edit_accuracy")
    for key, row in zip(grid.keys, grid.runs[0][1], strict=True):
        means = [cell["mean"] for cell in (row[miou], row[edit]) if cell is not None]
        assert means == pytest.approx([100 * SHARES[key], 50 * SHARES[key]]), key
    assert set(grid.keys) == set(SHARES)
    assert "over_edit_ratio" not in grid.metrics
    other = make_run(tmp_path, "other", change=lambda edit, score: score["metrics"].update(miou=1.0))
    axes = drawn([pixels, other], "heat-models").axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["known", "other"]
    assert [text.get_text() for text in axes.texts] == ["20", "40", "60", "80", *["100"] * 4]


def test_histograms_count_the_marks_of_each_metric(world: Run) -> None:
    by_metric = {one.metric: one for one in score_histograms(sheet_of(world))}
    assert list(by_metric) == ["vc", "vq", "if", "kp"]
    follows = by_metric["if"]
    assert follows.steps == ("1", "2", "3", "4", "5")
    assert follows.runs[0][1:] == ((4, 4, 4, 4, 4), 0)
    assert follows.shares(0) == [20.0] * 5
    assert follows.means == (2.0,), "the third bar"
    axes = drawn([world], "histograms").axes[2]
    assert axes.get_title().replace("\n", " ") == "Instruction following"
    assert [round(bar.get_height(), 6) for bar in axes.patches] == [20.0] * 5


def test_histograms_of_pixels_are_tenths_of_the_scale(pixels: Run) -> None:
    by_metric = {one.metric: one for one in score_histograms(sheet_of(pixels))}
    miou = by_metric["miou"]
    numbers = {task: sum(r.tags["task"] == task for r in pixels.records()) for task in SHARES}
    assert miou.steps == tuple(str(10 * place) for place in range(11))
    places = {round(10 * share): numbers[task] for task, share in SHARES.items()}
    assert miou.runs[0][1] == tuple(places.get(place, 0) for place in range(10)), "diagnostic cases stay out"


def test_single_and_multi_image_inputs_stand_side_by_side(wise: list[Run]) -> None:
    splits = {split.tag: split for split in split_means(sheet_of(*wise), "task")}
    inputs = splits["inputs"]
    assert (inputs.values, inputs.rows) == (("single", "multi"), ("", "awareness", "imagination"))
    # A judge of visual quality reads no instruction and says 4, which is 33.3; the other three say 10, which is 100.
    single, multi = pytest.approx((3 * 100 + 100 / 3) / 4), pytest.approx(100 / 3)
    uneven, even = ([[cell["mean"] for cell in row if cell] for row in cells] for _, cells in inputs.runs)
    assert uneven == [[single, multi]] * 3
    assert even == [[pytest.approx(100 * 6 / 9)] * 2] * 3
    assert list(splits) == ["inputs", "language"]
    panels = [axes for axes in drawn(wise, "split").axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == 2 * ["All", "Awareness", "Imagination"]
    first = [round(bar.get_width(), 1) for bar in panels[1].containers[0]]
    assert first == [83.3, 66.7], "single inputs of both runs"


def test_the_page_shows_them_too(wise: list[Run], pixels: Run) -> None:
    html = str(metrics(sheet_of(*wise), ReportOptions()))
    for words in ("Metric by metric", "Means by metric", "Profile", "Average by inputs", "Creative fusion"):
        assert words in html
    assert "Average by task and run" in html
    assert "Task by metric" in str(metrics(sheet_of(pixels), ReportOptions()))
    assert ">20.0<" in str(metrics(sheet_of(pixels), ReportOptions()))
