"""Claims about figures of a set, with and without a run, and about the line y = x between two suites."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editscope.cli import main
from editscope.report import figures_of_suite
from editscope.report.figure_data.set_statistics import statistics_of_runs, statistics_of_suite
from editscope.report.html.sections.details.set_statistics import set_statistics
from editscope.report.model import gather
from editscope.report.options import ReportOptions
from editscope.report.paper_figures.draw import _kind
from editscope.report.paper_figures.registry import FigureContext
from editscope.report.paper_figures.set_statistics import drawn_statistics
from editscope.report.paper_figures.style import settle, styled
from editscope.suites import load_suite
from support.judged_data import make_picabench
from support.reports.report_judged_runs import made_run
from support.reports.report_runs import make_run

pytestmark = pytest.mark.slow

LEVELS = ("superficial", "intermediate", "explicit")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """16 cases with two questions each; an instruction has 3, 5 or 9 words by its level."""
    folder = make_picabench(tmp_path_factory.mktemp("set") / "data", 16, hub=True)
    rows = json.loads((folder / "meta_info.json").read_text(encoding="utf-8"))
    for row in rows:
        for level, words in zip(LEVELS, (3, 5, 9), strict=True):
            row[f"{level}_prompt"] = " ".join(f"word{place}" for place in range(words))
    (folder / "meta_info.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def test_statistics_of_a_suite_need_no_run(data: Path) -> None:
    suite = load_suite("picabench", root=data, levels=",".join(LEVELS))
    told: list[tuple[int, int]] = []
    record = statistics_of_suite(suite, lambda done, total: told.append((done, total)))
    assert (len(record.cases), len(record.questions), told[-1]) == (16, 32, (16, 16))
    by_law = record.questions_by("law", suite.aggregation.orders["law"])
    assert list(by_law)[:2] == ["light_propagation", "light_source_effects"], "in the order of the paper"
    assert {law: dict(answers) for law, answers in by_law.items()} == {law: {"Yes": 2, "No": 2} for law in by_law}
    assert {level: (len(of), record.median_words(level)) for level, of in record.words.items()} == {
        "superficial": (16, 3.0),
        "intermediate": (16, 5.0),
        "explicit": (16, 9.0),
    }
    with styled():
        figure = settle(drawn_statistics(record, ["dimension", "law"], suite.aggregation.orders, 6.9))
    questions, words = figure.axes
    assert questions.get_title(loc="left") == "32 questions"
    assert [bar.get_width() for bar in questions.patches] == [2.0] * 16, "two answers in each of eight laws"
    said = [text.get_text() for text in words.get_legend().get_texts()]
    assert said == ["Superficial: median 3", "Intermediate: median 5", "Explicit: median 9"]


def test_the_command_draws_a_suite_without_a_run(data: Path, tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "figures"
    with pytest.raises(SystemExit) as end:
        main(["figures", "--suite", "picabench", "--data", str(data), "--out", str(out), "--format", "svg"])
    assert not end.value.code
    assert sorted(path.name for path in out.iterdir()) == ["picabench-composition.svg", "picabench-statistics.svg"]
    assert "picabench-statistics.svg" in capsys.readouterr().out
    composition, statistics = figures_of_suite(load_suite("picabench", root=data), out, formats=["png"])
    assert composition.caption.endswith("PICABench, 16 cases.")
    assert statistics.files[0].is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give run folders, or --suite NAME"),
        (["--data", "here"], "--data goes with --suite"),
        (["--suite", "picabench", "--pairs"], "leave out the runs"),
        (["--suite", "paintbench", "--only", "radar"], "radar"),
        (["--suite", "nobodys"], "nobodys"),
    ],
)
def test_what_does_not_go_together_is_said_before_anything_is_drawn(
    arguments: list[str], said: str, tmp_path: Path, capsys: Any
) -> None:
    with pytest.raises(SystemExit) as end:
        main(["figures", "--out", str(tmp_path / "out"), *arguments])
    assert end.value.code == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_run_knows_the_statistics_of_its_cases(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = made_run(tmp_path_factory, "picabench")
    sheet = gather([run], None).sheets[0]
    record = statistics_of_runs(sheet)
    assert (len(record.cases), len(record.questions)) == (8, 16), "levels ask the same questions"
    assert {level: len(of) for level, of in record.words.items()} == {"superficial": 8, "explicit": 8}
    html = str(set_statistics(sheet, ReportOptions()))
    assert "8 cases, 16 questions. Instructions have 3 words." in html
    assert "Questions by law" in html
    assert "Length of the instructions" not in html, "one length has no distribution"


def correlation(run: Any) -> Any:
    model = gather([run], None)
    with styled():
        return settle(_kind("correlation").draw(FigureContext(model, model.sheets[0], with_published=True)))


def test_scores_on_one_scale_have_the_line_of_equal_scores(tmp_path: Path) -> None:
    axes = correlation(make_run(tmp_path, "one", thumbs=False)).axes[0]
    (line,) = [line for line in axes.get_lines() if line.get_label() == "y = x"]
    assert list(line.get_xdata()) == list(line.get_ydata())
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert tuple(line.get_xdata()) == (max(left, bottom), min(right, top)), "as far as the frame goes"


def test_scores_on_two_scales_have_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    axes = correlation(made_run(tmp_path_factory, "worldedit")).axes[0]
    assert not [line for line in axes.get_lines() if line.get_label() == "y = x"], "1 to 5 against 0 to 100"
