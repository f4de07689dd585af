"""Claims about before and after: known differences, with intervals, of two runs and of two levels of one."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import editscope
from editscope.editors import Editor, Request
from editscope.errors import BadInput
from editscope.report import figures_for, write
from editscope.report.figure_data.changes import change_metrics, changes_between, changes_of_variants, run_pairs
from editscope.report.html.sections.findings.before_after import before_after
from editscope.report.model import Sheet, gather
from editscope.report.options import ReportOptions
from editscope.report.paper_figures.draw import _kind
from editscope.report.paper_figures.registry import FigureContext
from editscope.report.paper_figures.style import settle, styled
from editscope.results import Run
from editscope.suites import load_suite
from support.judged_data import make_picabench
from support.reports.report_judged_runs import judged_run
from support.reports.report_runs import Line, make_run, with_miou
from support.servers.judge_server import Asked, Reply

pytestmark = pytest.mark.slow


def counted(hits: dict[str, int], spilled: int) -> Any:
    """A change that gives every case of a task these right and spilled pixels at ΔE 5, and others elsewhere."""

    def change(edit: Line, score: Line) -> None:
        number = int(score["case"].rpartition("/")[2])
        at_five = hits.get(score["tags"]["task"], 500) + (100 if number % 2 else -100)
        score["evidence"]["hits"] = [0] * 5 + [at_five] * 6
        score["evidence"]["spilled"] = [9000] * 5 + [spilled] * 6

    return change


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Before, 500 of 1,000 pixels of every edit are right at ΔE 5; after, 100 more, and 300 more in borders."""
    folder = tmp_path_factory.mktemp("pair")
    after = dict.fromkeys(("removal", "recolor", "legend"), 600) | {"border": 800}
    return [
        make_run(folder, "before", change=counted({}, spilled=900), slots=4),
        make_run(folder, "after", change=counted(after, spilled=450), slots=4),
    ]


def sheet_of(*runs: Run) -> Sheet:
    return gather(runs, None).sheets[0]


def test_accuracy_at_a_tolerance_is_a_metric_of_every_run_with_counts(pair: list[Run]) -> None:
    edit = editscope.compare(*pair, metric="edit_accuracy@5", resamples=200)
    assert edit.overall.mean_a == pytest.approx(50.0)
    assert edit.overall.mean_b == pytest.approx((70 + 60 + 60) / 3), "the mean of categories, as the suite averages"
    by_task = {group.key: group.paired.difference for group in edit.groups if group.by == "task"}
    assert by_task == {"border": 30.0, "removal": 10.0, "recolor": 10.0, "legend": 10.0}
    kept = editscope.compare(*pair, metric="preservation_accuracy@5", resamples=200)
    assert kept.overall.difference == pytest.approx(5.0), "450 of 9,000 pixels fewer are spilled"
    assert edit.cases(1)[0].difference == pytest.approx(30.0)
    assert pair[0].has_metric("iou@7")
    with pytest.raises(BadInput, match="'edit_accuracy@11'"):
        editscope.compare(*pair, metric="edit_accuracy@11")


def test_before_and_after_has_the_metrics_of_the_paper_with_intervals(pair: list[Run]) -> None:
    sheet = sheet_of(*pair)
    assert list(change_metrics(sheet)) == ["miou", "edit_accuracy@5", "preservation_accuracy@5"]
    (change,) = changes_between(sheet, run_pairs(sheet), "edit_accuracy@5", "task", 500)
    assert (change.before, change.after) == ("before", "after")
    border = change.row("border")
    assert border is not None
    assert (border.mean_a, border.mean_b, border.difference) == (50.0, 80.0, 30.0)
    assert change.rows[0][0] == "", "all cases come first"
    assert [key for key, _ in change.rows[1:]] == ["border", "removal", "recolor", "legend"]


def test_the_whisker_of_the_figure_is_the_interval_of_the_difference(tmp_path: Path) -> None:
    def better(edit: Line, score: Line) -> None:
        number = int(score["case"].rpartition("/")[2])
        score["metrics"]["miou"] = 0.2 + (0.1 if number % 2 else 0.3)

    runs = [
        make_run(tmp_path, "before", slots=6, change=lambda edit, score: score["metrics"].update(miou=0.2)),
        make_run(tmp_path, "after", slots=6, change=better),
    ]
    sheet = sheet_of(*runs)
    (change,) = changes_between(sheet, run_pairs(sheet), "miou", "task", 1000)
    paired = change.row("")
    assert paired is not None
    assert paired.lo is not None
    assert paired.hi is not None
    assert paired.difference == pytest.approx(20.0)
    assert 10 < paired.lo < 20 < paired.hi < 30
    model = gather(runs, None)
    with styled():
        figure = settle(_kind("before-after").draw(FigureContext(model, sheet)))
    axes = figure.axes[0]
    spans = [tuple(np.round(line.get_xdata(), 6)) for line in axes.get_lines() if list(line.get_ydata()) == [0, 0]]
    assert (20.0, 40.0) in spans, "from before to after"
    assert (round(20 + paired.lo, 6), round(20 + paired.hi, 6)) in spans
    assert any(text.get_text().startswith("+20.0") for text in axes.texts)


def test_runs_are_taken_two_by_two_if_asked(tmp_path: Path) -> None:
    scores = {"a": 0.1, "a tuned": 0.3, "b": 0.5, "b tuned": 0.9}
    runs = [
        make_run(tmp_path, name, thumbs=False, change=with_miou(lambda _, share=share: share))  # type: ignore[misc]
        for name, share in scores.items()
    ]
    sheet = sheet_of(*runs)
    by_two = changes_between(sheet, run_pairs(sheet, two_by_two=True), "miou", "", 100)
    assert [(c.before, c.after) for c in by_two] == [("a", "a tuned"), ("b", "b tuned")]
    assert [c.rows[0][1].difference for c in by_two] == pytest.approx([20.0, 40.0])
    with pytest.raises(BadInput, match="give an even number"):
        figures_for(runs[:3], tmp_path / "out", only=["before-after"], pairs=True)


class ByLevel(Editor):
    """White where the instruction is explicit, black else."""

    name = "by-level"

    def edit(self, case: Request) -> Any:
        """One color."""
        return np.full((64, 96, 3), 255 if "explicit" in case.instruction else 0, np.uint8)


def test_levels_of_one_run_are_compared_case_by_case(tmp_path: Path) -> None:
    make_picabench(tmp_path / "data", 16, hub=True)
    suite = load_suite("picabench", root=tmp_path / "data", levels="superficial,explicit")

    def judge(asked: Asked) -> Reply:
        """Right about white pictures, and about the first four cases whatever they look like."""
        found = re.search(r"thing (\d+)\.(\d+)", asked.text)
        assert found is not None
        number, question = int(found[1]), int(found[2])
        white = Image.open(BytesIO(asked.pictures[0])).convert("L").getpixel((5, 5)) > 128  # type: ignore[operator]
        right = "No" if (number + question) % 2 else "Yes"
        wrong = {"Yes": "No", "No": "Yes"}[right]
        answer = right if white or number < 4 else wrong
        properties = (asked.schema or {})["properties"]
        return Reply({name: answer if "enum" in shape else "so" for name, shape in properties.items()})

    run = judged_run(suite, tmp_path / "run", ByLevel(), judge)
    sheet = sheet_of(run)
    (change,) = changes_of_variants(sheet, sheet.runs[0], "accuracy", "law", 500)
    assert (change.before, change.after) == ("Superficial", "Explicit")
    whole = change.row("")
    assert whole is not None
    assert (whole.mean_a, whole.mean_b, whole.difference, whole.cases) == (25.0, 100.0, 75.0, 16)
    assert whole.lo is not None
    assert 0 < whole.lo <= 75
    assert "Superficial → Explicit" in str(before_after(sheet, ReportOptions()))


def test_the_page_has_the_section_for_a_few_runs_only(pair: list[Run], tmp_path: Path) -> None:
    assert before_after(sheet_of(pair[0]), ReportOptions()) is None
    html = str(before_after(sheet_of(*pair), ReportOptions()))
    assert "Edit accuracy@5 (%): before → after" in html
    assert "50.0 → 80.0, +30.0" in html
    page = write(pair, tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="changes-0"' in page
