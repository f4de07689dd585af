"""Claims about exemplars and the four classes of pixels: the typical case, its map, and its curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.report.figure_data.exemplars import exemplars
from editscope.report.html.sections.findings.exemplars import typical_failures
from editscope.report.model import Sheet, gather
from editscope.report.options import ReportOptions
from editscope.report.paper_figures.draw import _kind
from editscope.report.paper_figures.registry import FigureContext
from editscope.report.paper_figures.style import settle, styled
from editscope.results import Run
from editscope.runs import run as execute_run
from editscope.scoring import color_codes, error_map, level_map, score_and_levels
from editscope.scoring.errormap import EDITED, MISSED, SPILLED
from editscope.suites import load_suite
from support.reports.report_runs import Line, make_run

pytestmark = pytest.mark.slow


def test_a_map_of_codes_in_full_size_is_the_error_map() -> None:
    rng = np.random.default_rng(7)
    before = rng.integers(0, 256, (24, 30, 3), dtype=np.uint8)
    after = before.copy()
    after[4:12, 5:20] = rng.integers(0, 256, (8, 15, 3), dtype=np.uint8)
    output = np.clip(after.astype(int) + rng.integers(-9, 10, after.shape), 0, 255).astype(np.uint8)
    codes = level_map(score_and_levels(before, after, output)[1], side=30)
    for tolerance in (0, 3, 5, 10):
        small = color_codes(codes, after, tolerance).astype(int)
        whole = error_map(before, after, output, tolerance).astype(int)
        assert np.abs(small - whole).max() <= 1, "a ghost may be rounded otherwise"


def test_a_block_shows_its_wrong_pixels_more_weakly_where_most_are_right() -> None:
    levels = np.zeros((4, 4), np.uint8)
    levels[0, 0] = 11
    codes = level_map(levels, side=1)
    (red, green, blue) = color_codes(codes, np.full((1, 1, 3), 255, np.uint8))[0, 0].tolist()
    pure, ghost = np.array(SPILLED), np.full(3, 244)
    assert [red, green, blue] == np.round(0.42 * pure + 0.58 * ghost).tolist()


def graded(shares: dict[str, float]) -> Any:
    """A change after which cases of a task are color imprecision with these shares right from ΔE 5 on."""

    def change(edit: Line, score: Line) -> bool:
        number = int(score["case"].rpartition("/")[2])
        share = shares.get(score["case"])
        if number > 2 or score["tags"]["split"] == "preservation":
            return False
        right = round(1000 * (1.0 if share is None else share))
        score["evidence"]["hits"] = [0] * 5 + [right] * 6
        score["evidence"]["spilled"] = [0] * 11
        score["failure"] = "success" if share is None else "color_imprecision"
        return True

    return change


def sheet_of(*runs: Run) -> Sheet:
    return gather(runs, None).sheets[0]


def test_an_exemplar_is_the_case_nearest_to_the_mean_curves_of_its_mode(tmp_path: Path) -> None:
    run = make_run(tmp_path, "known", change=graded({"border/000": 0.2, "border/001": 0.6, "border/002": 0.9}))
    (one,) = exemplars(sheet_of(run))
    assert (one.mode, one.record.case_id, one.n) == ("color_imprecision", "border/001", 3), "0.57 is the mean"
    assert one.total == len(run.records())
    iou, edit, preservation = one.curves
    assert edit == (0.0,) * 5 + (60.0,) * 6
    assert iou == edit, "nothing was spilled"
    assert preservation == (100.0,) * 11


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    suite = load_suite("paintbench", tasks="translation,recolor", conditions="baseline", per_mode=1, canvas="320x320")
    home = tmp_path_factory.mktemp("runs")
    return [execute_run(suite, f"ref:{name}", out=home / name, jobs=1, progress=False) for name in ("identity", "half")]


def drawn(runs: list[Run], name: str, **asked: Any) -> Any:
    model = gather(runs, None)
    with styled():
        return settle(_kind(name).draw(FigureContext(model, model.sheets[0], **asked)))


def pictures(figure: Any) -> list[Any]:
    return [axes.get_images()[0].get_array() for axes in figure.axes if axes.get_images()]


def near(pixels: Any, color: tuple[int, int, int]) -> bool:
    return bool((np.abs(np.asarray(pixels).astype(int) - color).max(axis=-1) <= 2).any())


def test_exemplars_show_each_mode_with_its_map_and_curves(runs: list[Run]) -> None:
    figure = drawn(runs, "exemplars")
    words = [text.get_text() for text in figure.texts]
    assert "Structural\nimprecision" in words
    assert "Execution\nomission" in words
    shown = pictures(figure)
    assert len(shown) == 8, "four for each of two modes"
    half, nothing = shown[3], shown[7]
    assert near(half, EDITED)
    assert near(half, MISSED)
    assert near(nothing, MISSED)
    assert not near(nothing, EDITED)
    curves = [axes for axes in figure.axes if not axes.get_images()]
    assert [line.get_label() for line in curves[0].get_lines()] == ["IoU", "Edit accuracy", "Preservation accuracy"]
    assert list(curves[1].get_lines()[1].get_ydata()) == [0.0] * 11, "nothing of the edit was made"


def test_classes_show_the_case_that_was_asked_for_at_three_tolerances(runs: list[Run]) -> None:
    case = runs[0].records()[0].case_id
    figure = drawn(runs, "classes", cases=(case,))
    words = [text.get_text() for text in figure.texts]
    assert [word for word in words if word.startswith("ΔE")] == ["ΔE = 0", "ΔE ≤ 5", "ΔE ≤ 10"]
    assert sum(case in word for word in words) == 2, "once for each run"
    assert len(pictures(figure)) == 12


def test_the_page_embeds_them(runs: list[Run], tmp_path: Path) -> None:
    html = str(typical_failures(sheet_of(*runs), ReportOptions()))
    assert html.count("<article") == 2
    assert html.count('src="data:image/png') == 2, "one map for each mode"
    assert "Structural imprecision" in html
    bare = make_run(tmp_path, "bare", thumbs=False)
    assert typical_failures(sheet_of(bare), ReportOptions()) is None
