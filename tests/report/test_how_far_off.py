"""Claims about the sections that explain scores: how far off edits are, and checks that need no judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.cli import main
from editscope.editors import Editor, Request
from editscope.report.figure_data.offsets import offsets_of
from editscope.report.html.gallery_data import shared_cases
from editscope.report.html.gallery_verdicts import evidence_blocks
from editscope.report.html.sections.findings.checks import values_of
from editscope.report.model import gather
from editscope.results import Run, open_run
from editscope.results.case_record import describe
from editscope.results.classic_measures import averages, measures
from editscope.runs.measure import measure_run
from editscope.scoring.classic import parse_measures
from editscope.suites.protocol import checks_from
from support.reports.report_browser import without_plots
from support.reports.report_judged_runs import judged_run, suite_of

pytestmark = pytest.mark.slow

TASKS = ("translation", "recolor", "removal")
WANTED = parse_measures("within,errors")


@pytest.fixture(scope="module")
def shifted(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The right pictures, moved by 4 pixels on each axis, and measured."""
    suite = es.load_suite("paintbench", tasks=TASKS, conditions="baseline", per_cell=6, canvas="160x160")
    run = es.run(suite, "ref:shift?strength=0.5", out=tmp_path_factory.mktemp("far") / "run", jobs=1, progress=False)
    before = (run.path / "summary.json").read_bytes()
    measure_run(run.path, WANTED, jobs=1)
    assert (run.path / "summary.json").read_bytes() == before
    return open_run(run.path)


def test_a_picture_moved_by_four_pixels_each_way_is_off_by_so_many(shifted: Run) -> None:
    columns = measures(shifted.path)
    moved = [error for error in columns["position_error"] if error is not None]
    assert len(moved) >= 3 and np.median(moved) == pytest.approx(32**0.5, abs=0.01)
    tasks = [case_id.partition("/")[0] for case_id in columns["case_id"]]
    measured = {task for task, error in zip(tasks, columns["color_error"], strict=True) if error is not None}
    assert measured == {"translation", "recolor"}
    assert all(value is None for value in columns["position_error_outside"])


def test_a_distance_never_lowers_the_score_and_the_whole_way_makes_it_right(shifted: Run) -> None:
    means = averages(shifted)[()]
    values = [shifted.summary["overall"]["miou"]["mean"]]
    values += [mean.mean for name in WANTED if name.startswith("miou") and (mean := means[name])]
    assert len(values) == 4 and values == sorted(values) and values[-1] > values[0]


def test_the_report_has_them_where_they_were_measured_and_nowhere_else(shifted: Run, tmp_path: Path) -> None:
    page = without_plots([shifted], tmp_path / "r.html").read_text("utf-8")
    assert "<h2>How far off</h2>" in page and "within 4 px" in page and "Position, px" in page
    assert "where a right pixel may be 4 px away" in page and "Objects are off by 5.7 px" in page
    assert "Classic measures beside ours" not in page
    suite = es.load_suite("paintbench", tasks="removal", conditions="baseline", per_cell=2, canvas="160x160")
    other = es.run(suite, "ref:identity", out=tmp_path / "other", jobs=1, progress=False)
    assert "How far off" not in without_plots([other], tmp_path / "o.html").read_text("utf-8")


def test_the_figures_of_the_section_are_those_of_the_table(shifted: Run) -> None:
    (sheet,) = gather([shifted], None).sheets
    known = offsets_of(sheet, sheet.runs[0])
    assert known is not None and list(known.within) == [0, 1, 2, 4]
    (moved,) = (row for row in known.rows if row.key == "translation")
    assert moved.cases == 6 and moved.errors["position_error"].median.mean == pytest.approx(32**0.5, abs=0.01)
    assert moved.errors["angle_error"].median.mean < 0.5


def test_the_command_prints_medians_by_task(shifted: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["measure", str(shifted.path), "--measures", "within,errors", "--quiet"])
    said = capsys.readouterr().out
    assert "mIoU within 4 px (%)" in said and "position px  angle °  size %  color ΔE  measured" in said
    assert max(map(len, said.splitlines()[:-1])) <= 80
    with pytest.raises(SystemExit, match="2"):
        main(["measure", str(shifted.path), "--measures", "within=3"])


class Panels(Editor):
    """Draws four panels with strips between them, the second and the third the same."""

    name = "panels"

    def edit(self, case: Request) -> Any:
        """Four shades of a ramp."""
        ramp = np.repeat(np.linspace(60, 200, 60, dtype=np.uint8)[:, None], 60, axis=1)[:, :, None].repeat(3, axis=2)
        shades = [ramp // part for part in (1, 2, 2, 5)]
        picture = np.full((126, 126, 3), 255, np.uint8)
        for place, shade in enumerate(shades):
            y, x = (66 * k for k in divmod(place, 2))
            picture[y : y + shade.shape[0], x : x + shade.shape[1]] = shade
        return picture


def test_checks_without_a_judge_are_counted_and_stand_beside_the_verdicts(tmp_path: Path) -> None:
    run = judged_run(suite_of("inedit", tmp_path / "data"), tmp_path / "run", Panels())
    (sheet,) = gather([run], None).sheets
    view = sheet.runs[0]
    panels, alike, copies = checks_from(run.info["judging"])
    assert set(values_of(panels, view)) == {4.0} and set(values_of(alike, view)) == {1.0}
    assert len(values_of(copies, view)) == 12  # eight cases with one edit, two path pairs
    page = without_plots([run], tmp_path / "r.html").read_text("utf-8")
    assert "Checks without a judge" in page and "12 of 12; mean 1.0" in page
    blocks = evidence_blocks([view], shared_cases(gather([run], None)))
    assert all(calls["0"][-1]["t"] == "Checked without a judge" for calls in blocks.values())
    assert "without a judge: panels 4, alike neighbors 1" in describe(run.records()[0], "overall")


def test_a_run_from_before_there_were_checks_has_no_section(tmp_path: Path) -> None:
    assert checks_from({"protocol": {"name": "inedit"}}) == ()
    run = judged_run(suite_of("kris", tmp_path / "data"), tmp_path / "run")
    assert "Checks without a judge" not in without_plots([run], tmp_path / "r.html").read_text("utf-8")
