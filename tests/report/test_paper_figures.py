"""Claims about figures for a paper: which are drawn, what they show, and that their bytes never change."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.images import load, thumbnail
from editscope.report import figures_for
from editscope.report.model import gather
from editscope.report.paper_figures import figure_names
from editscope.report.paper_figures.draw import _kind
from editscope.report.paper_figures.grid_pictures import Pictures
from editscope.report.paper_figures.registry import FigureContext, NothingToDraw
from editscope.report.paper_figures.style import WIDTHS, settle, styled
from editscope.results import Run, open_run
from editscope.runs import run as execute_run
from editscope.suites import load_suite
from support.reports.report_runs import PLAN, Line, make_run

pytestmark = pytest.mark.slow

TASKS = "translation,border,removal,recolor,legend"
EDITORS = ("identity", "drift", "half")

OTHER_CASES = ("split", "effects", "ladder", "exact-judged")
"""Figures that need levels, languages or effects, which PaintBench does not have, in their order."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Three editors over a few small problems under three conditions."""
    conditions = "baseline,nonstandard,striped"
    suite = load_suite("paintbench", tasks=TASKS, conditions=conditions, per_mode=1, canvas="320x320")
    home = tmp_path_factory.mktemp("runs")
    return [execute_run(suite, f"ref:{name}", out=home / name, jobs=1, progress=False) for name in EDITORS]


def drawn(runs: Sequence[Any], name: str, *, published: bool = False, **asked: Any) -> Any:
    """A figure as Matplotlib has it."""
    model = gather(runs, None)
    with styled():
        return settle(_kind(name).draw(FigureContext(model, model.sheets[0], with_published=published, **asked)))


def texts(figure: Any) -> list[str]:
    """All words of a figure."""
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_every_figure_is_drawn(runs: list[Run], tmp_path: Path) -> None:
    made = figures_for(runs, tmp_path, formats=["svg"], published=True)
    assert [one.name for one in made] == list(figure_names())
    assert [one.name for one in made if one.reason] == [*OTHER_CASES], (
        "its cases have neither levels nor languages, nor effects"
    )
    drawn_names = [one.name for one in made if not one.reason]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["correlation.svg", *(f"paintbench-{name}.svg" for name in drawn_names if name != "correlation")]
    )
    number, fingerprint = len(runs[0].records()), runs[0].info["suite"]["fingerprint"]
    assert all(f" PaintBench, {number} cases, set {fingerprint}." in one.caption for one in made if not one.reason)
    beside = [one.name for one in made if one.caption.endswith("Published results: authors' set.")]
    assert beside == ["radar", "heat-models", "tasks"]


def test_the_same_runs_give_the_same_bytes_in_another_process(runs: list[Run], tmp_path: Path) -> None:
    call = (
        "import sys; from editscope import open_run; from editscope.report import figures_for; "
        "figures_for([open_run(p) for p in sys.argv[2:]], sys.argv[1], formats=('pdf', 'svg'), "
        "only=('composition', 'grid'))"
    )
    folders = [str(run.path) for run in runs]
    env = {**os.environ, "PYTHONHASHSEED": "12345", "TZ": "UTC-7"}
    there, here = tmp_path / "there", tmp_path / "here"
    subprocess.run([sys.executable, "-c", call, str(there), *folders], env=env, check=True, timeout=600)
    figures_for(runs, here, formats=("pdf", "svg"), only=("composition", "grid"))
    kinds = {".pdf": b"%PDF", ".svg": b"<?xm"}
    files = sorted(here.iterdir())
    assert len(files) == 4
    for file in files:
        assert file.read_bytes()[:4] == kinds[file.suffix]
        assert file.read_bytes() == (there / file.name).read_bytes(), file.name


@pytest.mark.skipif(shutil.which("pdffonts") is None, reason="poppler is not installed")
@pytest.mark.parametrize("width", ["single", "double"])
def test_fonts_are_embedded_and_the_figure_is_as_wide_as_asked(runs: list[Run], tmp_path: Path, width: str) -> None:
    (one,) = figures_for(runs, tmp_path, only=["curves"], width=width)
    fonts = subprocess.run(["pdffonts", one.files[0]], capture_output=True, text=True, check=True).stdout
    lines = fonts.splitlines()[2:]
    assert lines
    assert all("TrueType" in line and re.search(r"\byes +yes\b", line) for line in lines)
    page = subprocess.run(["pdfinfo", one.files[0]], capture_output=True, text=True, check=True).stdout
    found = re.search(r"Page size: +([\d.]+)", page)
    assert found is not None
    assert float(found[1]) / 72 == pytest.approx(WIDTHS[width], abs=0.01)
    assert "CreationDate" not in page


def test_the_user_s_own_settings_neither_show_nor_change(runs: list[Run], tmp_path: Path) -> None:
    import matplotlib

    (plain,) = figures_for(runs, tmp_path / "a", only=["curves"], formats=["svg"])
    with matplotlib.rc_context({"font.size": 30.0, "axes.facecolor": "pink"}):
        (again,) = figures_for(runs, tmp_path / "b", only=["curves"], formats=["svg"])
        assert matplotlib.rcParams["font.size"] == 30.0
    assert plain.files[0].read_bytes() == again.files[0].read_bytes()


def test_curves_are_those_of_the_runs(runs: list[Run]) -> None:
    iou = drawn(runs, "curves").axes[0]
    lines = {line.get_label(): line.get_ydata() for line in iou.get_lines()}
    assert list(lines) == list(EDITORS)
    for run in runs:
        mean = run.summary["overall"]["miou"]["mean"]
        assert np.mean(lines[run.info["editor"]["name"]]) == pytest.approx(mean)


def test_failure_shares_fill_every_bar(runs: list[Run]) -> None:
    figure = drawn(runs, "failures")
    for axes in figure.axes:
        if axes.get_visible():
            for place in range(len(runs)):
                bars = [bar for bar in axes.patches if round(bar.get_y() + bar.get_height() / 2) == place]
                assert sum(bar.get_width() for bar in bars) == pytest.approx(100)
    assert "Execution omission" in [text.get_text() for text in figure.legends[0].get_texts()]


def test_the_composition_counts_every_case(runs: list[Run]) -> None:
    said = texts(drawn(runs, "composition"))
    number = len(runs[0].records())
    assert f"{number}\ncases" in said
    assert "Translation" in said
    assert "Striped" in said


def made_pairs(folder: Path) -> list[Run]:
    """Four editors on two suites."""
    found = []
    for suite in ("paintbench", "tinygrafix"):
        for name, skill in (("a", 0.2), ("b", 0.4), ("c", 0.6), ("d", 0.9)):
            set_name = f"set of {suite}"
            found.append(make_run(folder / suite, name, skill=skill, suite=suite, fingerprint=set_name, thumbs=False))
    return found


def test_the_published_tables_give_the_published_correlation(tmp_path: Path) -> None:
    said = texts(drawn(made_pairs(tmp_path), "correlation", published=True))
    assert any(text.startswith("R² = 0.91, p < 0.001") for text in said)
    assert "Published (authors' sets)" in said
    assert "These runs" in said
    assert "PaintBench mIoU (%)" in said
    assert "TinyGrafixBench mIoU (%)" in said


def test_a_figure_without_data_is_left_out_with_a_reason(tmp_path: Path) -> None:
    run = make_run(tmp_path, "alone", thumbs=False)
    made = {
        one.name: one for one in figures_for([run], tmp_path / "f", only=["correlation", "palette", "grid", "curves"])
    }
    assert "two suites" in made["correlation"].reason
    assert "nonstandard" in made["palette"].reason
    assert "no pictures" in made["grid"].reason
    assert made["curves"].files
    assert sorted(path.name for path in (tmp_path / "f").iterdir()) == ["paintbench-curves.pdf"]


def test_the_grid_shows_the_cases_that_were_asked_for(runs: list[Run]) -> None:
    chosen = [record.case_id for record in runs[0].records()][:2]
    figure = drawn(runs, "grid", cases=tuple(chosen))
    said = texts(figure)
    assert [text for text in said if text in chosen] == chosen
    assert [text for text in said if text in ("Input", "Answer", *EDITORS)] == ["Input", "Answer", *EDITORS]
    instruction = runs[0].case(chosen[0]).instruction
    assert any(instruction.startswith(text.replace("\n", " ")[:40]) for text in said)
    assert sum(bool(axes.images) for axes in figure.axes) == 2 * 5


def test_the_grid_chooses_one_case_for_each_category(runs: list[Run]) -> None:
    said = texts(drawn(runs, "grid"))
    shown = [record for record in runs[0].records() if record.case_id in said]
    assert len(shown) == len({record.tags["category"] for record in shown}) == 4


def test_an_unknown_case_is_named_with_those_near_it(runs: list[Run], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"border/999.*border/000"):
        figures_for(runs, tmp_path, only=["grid"], cases=["border/999"])


def test_pictures_are_made_again_in_full_size_or_taken_from_the_thumbnails(runs: list[Run]) -> None:
    sheet = gather(runs, None).sheets[0]
    records: dict[int, Any] = {view.index: view.records[0] for view in sheet.runs}
    suite = load_suite(runs[0].info["suite"]["name"], **runs[0].info["suite"]["options"])
    case = suite[records[0].case_id]
    assert case.answer is not None
    made = Pictures(sheet, 320).shared("answer", records)
    assert made is not None
    assert np.array_equal(made, load(case.answer))
    elsewhere = replace(sheet, fingerprint="another set")
    small = Pictures(elsewhere, 320).shared("answer", records)
    assert small is not None
    assert small.shape == load(records[0].thumbs["answer"]).shape
    edit = Pictures(sheet, 100).edit(records[0])
    assert edit is not None
    assert np.array_equal(edit, thumbnail(load(records[0].image), 100))


def test_any_instruction_and_name_can_be_drawn(tmp_path: Path) -> None:
    def change(edit: Line, score: Line) -> None:
        score["instruction"] = "Paint $x^2$ of the 形状 \\frac{ & <b>" * 9

    names = ("costs $5 and $6", "模型 <b>", "under_score^{2}")
    strange = [make_run(tmp_path, name, change=change) for name in names]
    made = figures_for(strange, tmp_path / "f", formats=["svg"], only=["tasks", "distributions"])
    assert all(one.files for one in made)
    assert "costs $5 and $6" in texts(drawn(strange, "curves"))
    assert any("$x^2$" in text for text in texts(drawn(strange, "grid")))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"only": ["curve"]}, r"figure.*'curve'.*curves"),
        ({"formats": ["jpeg"]}, r"format.*'jpeg'.*pdf"),
        ({"width": "triple"}, r"width.*'triple'.*double"),
    ],
)
def test_what_there_is_not_is_named_with_what_there_is(runs: list[Run], tmp_path: Path, asked: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        figures_for(runs, tmp_path, **asked)


def test_a_folder_that_cannot_be_made_is_said(runs: list[Run], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match="cannot make the folder"):
        figures_for(runs, tmp_path / "file" / "figures")


def test_the_command_prints_what_it_drew_and_what_it_left_out(runs: list[Run], editscope: Callable[..., Any]) -> None:
    done = editscope("figures", runs[0].path, "--out", "f", "--only", "conditions,correlation", "--format", "png,svg")
    assert done.returncode == 0
    assert done.stdout.split() == ["f/paintbench-conditions.svg", "f/paintbench-conditions.png"]
    assert done.stderr.startswith("left out: paintbench correlation, it needs runs on two suites")


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Runs whose edits took known times, however busy this machine is."""
    folder = tmp_path_factory.mktemp("timed")

    def made(name: str, seconds: float) -> Run:
        def change(edit: Line, score: Line) -> None:
            edit["latency_s"] = seconds

        return make_run(folder, name, change=change, thumbs=False)

    return [made("quick", 0.4), made("middling", 1.25), made("slow", 14.0)]


@pytest.mark.parametrize("width", ["single", "double"])
@pytest.mark.parametrize("name", [name for name in figure_names() if name not in (*OTHER_CASES, "correlation")])
def test_nothing_is_cut_off_at_the_edge(runs: list[Run], timed: list[Run], name: str, width: str) -> None:
    figure = drawn(timed if name == "cost" else runs, name, width=width, published=True)
    box = figure.get_tightbbox()
    across, up = figure.get_size_inches()
    assert min(box.x0, box.y0) > -0.01
    assert box.x1 < across + 0.01
    assert box.y1 < up + 0.01


def test_twelve_runs_stay_readable(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, f"model number {i}", skill=i / 12, thumbs=False) for i in range(12)]
    for name in ("curves", "tasks", "distributions", "conditions"):
        figure = drawn(runs, name)
        width, height = figure.get_size_inches()
        assert width == pytest.approx(WIDTHS["double"])
        assert height < 9.5
        assert {f"model number {i}" for i in range(12)} <= set(texts(figure))


def test_runs_that_are_read_again_draw_the_same(runs: list[Run]) -> None:
    again = [open_run(run.path) for run in runs]
    assert texts(drawn(again, "tasks")) == texts(drawn(runs, "tasks"))


def test_a_radar_needs_three_categories(tmp_path: Path) -> None:
    conditions = replace(PLAN, groups=tuple(group for group in PLAN.groups if group.name == "condition"))
    run = make_run(tmp_path, "few", aggregation=conditions, thumbs=False)
    with pytest.raises(NothingToDraw, match="three categories"):
        drawn([run], "radar")
