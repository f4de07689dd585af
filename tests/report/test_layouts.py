"""Claims about the papers' tables: their order, that they say what the summaries say, and who is best in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editscope.report.model import Sheet, gather
from editscope.report.paper_tables import paper_tables, registry
from editscope.results import Run
from editscope.runs import run as execute_run
from editscope.suites import Benchmark, load_suite
from editscope.suites.tables import (
    FiguresByGroup,
    PaperCell,
    PaperRow,
    PaperTable,
    figure,
    half_width,
    ranks,
    table_ranks,
)
from support.reports.report_runs import make_run


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One problem for each task of two chart types, half done."""
    suite = load_suite("tinygrafix", per_task=1, charts="bar_chart,network")
    return execute_run(suite, "ref:half", out=tmp_path_factory.mktemp("charts") / "half", jobs=1, progress=False)


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    runs = [
        make_run(tmp_path, name, skill=skill) for name, skill in (("weak", 0.2), ("strong", 0.8), ("middling", 0.5))
    ]
    return gather(runs, None).sheets[0]


def table_of(sheet: Sheet, name: str, published: bool = False) -> PaperTable:
    return next(table for table in paper_tables(sheet, published) if table.name == name)


def wanted(sheet: Sheet, run: int, by: str, key: str, metric: str = "miou") -> dict[str, Any]:
    """What summary.json says."""
    summary = sheet.runs[run].run.summary
    if by == "overall":
        return dict(summary["overall"][metric])
    return next(g for g in summary["groups"] if (g["by"], g["key"], g["metric"]) == (by, key, metric))


def test_tasks_stand_under_their_category_with_its_average_and_the_benchmark_comes_last(sheet: Sheet) -> None:
    table = table_of(sheet, "tasks")
    assert [(row.kind, row.label) for row in table.rows] == [
        ("head", "Structural"),
        ("average", "Category average"),
        ("row", "Border"),
        ("row", "Removal"),
        ("head", "Color change"),
        ("average", "Category average"),
        ("row", "Recolor"),
        ("head", "Symbolic"),
        ("average", "Category average"),
        ("row", "Legend"),
        ("overall", "Benchmark"),
    ]
    assert [column.label for column in table.columns] == ["weak", "strong", "middling"]
    assert [column.run_index for column in table.columns] == [0, 1, 2]
    assert "Table 1" in table.source


def test_every_figure_is_the_summary_s_with_half_of_its_interval(sheet: Sheet) -> None:
    rows = {row.label: row for row in table_of(sheet, "tasks").rows if row.kind in ("row", "overall")}
    for run in range(3):
        for by, key, label in (("task", "border", "Border"), ("overall", "", "Benchmark")):
            cell, says = rows[label].cells[run], wanted(sheet, run, by, key)
            assert cell is not None
            assert (cell.value, cell.n) == (says["mean"], says["n"])
            assert cell.half_width == pytest.approx((says["hi"] - says["lo"]) / 2)


def test_a_condition_is_shown_as_its_difference_from_the_baseline(sheet: Sheet) -> None:
    table = table_of(sheet, "conditions")
    assert [row.label for row in table.rows] == ["Baseline", "Background (baseline: solid)", "Striped"]
    striped = table.rows[2]
    for run in range(3):
        cell = striped.cells[run]
        assert cell is not None
        assert cell.value is not None
        mean = wanted(sheet, run, "condition", "striped")["mean"]
        assert cell.value + wanted(sheet, run, "condition", "baseline")["mean"] == pytest.approx(mean)
        assert figure(table, cell)[0] in "+−0"
    assert table_ranks(table)[2] == (None, None, None)  # a smaller loss is not a better score
    assert table_ranks(table)[0] == (3, 1, 2)
    assert dict(striped.filter) == {"condition": "striped"}


def test_modes_are_rows_and_a_task_without_modes_is_one(sheet: Sheet) -> None:
    table = table_of(sheet, "modes-edit_accuracy")
    labels = [row.label for row in table.rows if row.kind == "row"]
    assert labels == [
        "Border",
        "Removal, attribute",
        "Removal, location",
        "Recolor, color code",
        "Recolor, dropper",
        "Legend",
    ]
    assert table.metric == "edit_accuracy"
    assert "Table 17" in table.source


def test_averages_have_models_as_rows_and_the_best_of_each_column(sheet: Sheet) -> None:
    table = table_of(sheet, "averages")
    assert [row.label for row in table.rows] == ["weak", "strong", "middling"]
    assert [column.label for column in table.columns] == ["Structural", "Color change", "Symbolic", "Benchmark"]
    assert [places[-1] for places in table_ranks(table)] == [3, 1, 2]
    assert table.link(1, 0) == ({"category": "structural"}, 1)
    assert all(half_width(table, row, cell) for row in table.rows for cell in row.cells)


def test_a_cell_leads_to_its_cases_and_its_run(sheet: Sheet) -> None:
    table = table_of(sheet, "tasks")
    place = next(i for i, row in enumerate(table.rows) if row.label == "Removal")
    assert table.link(place, 2) == ({"task": "removal"}, 2)


def test_published_columns_come_last_labeled_and_ranked_among_themselves(sheet: Sheet) -> None:
    table = table_of(sheet, "tasks", published=True)
    kinds = [column.published for column in table.columns]
    assert kinds == sorted(kinds)
    assert kinds.count(False) == 3
    assert kinds.count(True) == 11
    assert {column.note for column in table.columns if column.published} == {"authors' set"}
    border = next(i for i, row in enumerate(table.rows) if row.label == "Border")
    values = {c.label: cell.value for c, cell in zip(table.columns, table.rows[border].cells, strict=True) if cell}
    assert values["Nano Banana 2"] == 18.9
    assert values["GPT-Image-2"] == 15.2
    places = table_ranks(table)[border]
    assert places[:3] == (3, 1, 2)
    assert places[[c.label for c in table.columns].index("Nano Banana 2")] == 1
    benchmark = table.rows[-1].cells[3]
    assert benchmark is not None
    assert (benchmark.value, benchmark.half_width) == (17.1, 0.7)
    assert "not paired" in table.caption


def test_the_caption_tells_cases_set_method_and_what_is_missing(tmp_path: Path) -> None:
    run = make_run(tmp_path, "gappy", missing=("border/001", "recolor/002"))
    caption = table_of(gather([run], None).sheets[0], "tasks").caption
    for said in ("36 cases", "set f00d", "percentile bootstrap", "within task and mode", "gappy (2 no output)"):
        assert said in caption
    assert "counts as 0" in caption


def test_an_editor_on_two_sets_keeps_its_plain_name_in_each(tmp_path: Path) -> None:
    here, there = make_run(tmp_path, "mine"), make_run(tmp_path, "mine", fingerprint="beef")
    for sheet in gather([here, there], None).sheets:
        assert [column.label for column in table_of(sheet, "tasks").columns] == ["mine"]


@pytest.mark.slow
def test_chart_tasks_do_not_repeat_their_chart(charts: Run) -> None:
    table = table_of(gather([charts], None).sheets[0], "tasks")
    labels = [row.label for row in table.rows]
    assert labels[:4] == ["Bar chart", "Chart average", "Add bar", "Sort bars"]
    assert labels[-1] == "Benchmark"
    assert len([row for row in table.rows if row.kind == "row"]) == 8
    assert {t.source.split(" of ")[0] for t in paper_tables(gather([charts], None).sheets[0]) if t.source} == {
        "Tables 3 and 22",
        "Table 14",
        "Table 23",
        "Table 24",
    }


def test_a_suite_without_a_layout_of_its_own_gets_its_groups(tmp_path: Path) -> None:
    run = make_run(tmp_path, "model", suite="somebody-s-own")
    tables = paper_tables(gather([run], None).sheets[0], published=True)
    assert [table.name for table in tables] == ["rows", "mode", "condition", "diagnostic"]
    assert [row.label for row in tables[0].rows][:4] == ["Structural", "Average", "Border", "Removal"]
    assert tables[0].rows[-1].label == "somebody-s-own"
    assert [column.label for column in tables[0].columns] == ["model"]


def one_row(board: FiguresByGroup) -> list[PaperTable]:
    row = board.row("overall", "All", "overall", "", "miou")
    return [PaperTable("one", "One row", "", board.columns, (row,), "miou")]


def test_a_layout_is_a_small_function_that_a_benchmark_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = Benchmark(name="my-suite", title="Mine", about="", load="", tables=f"{__name__}:one_row")
    monkeypatch.setattr(registry, "known_benchmark", lambda name: mine)
    run = make_run(tmp_path, "model", suite="my-suite")
    (table,) = paper_tables(gather([run], None).sheets[0])
    assert figure(table, table.rows[0].cells[0]) == f"{run.summary['overall']['miou']['mean']:.1f}"


@given(st.lists(st.one_of(st.none(), st.floats(0, 100)), max_size=8), st.booleans())
def test_equal_figures_share_a_place_and_better_ones_stand_before(values: list[float | None], higher: bool) -> None:
    row = PaperRow("row", "r", {}, tuple(None if v is None else PaperCell(v) for v in values))
    places = ranks(row, higher_is_better=higher)
    shown = [(round(v, 1), place) for v, place in zip(values, places, strict=True) if v is not None]
    assert all(place is None for v, place in zip(values, places, strict=True) if v is None)
    if len({v for v, _ in shown}) < 2:
        assert all(place is None for _, place in shown)
        return
    for v, place in shown:
        assert place is not None
        assert place == 1 + len({other for other, _ in shown if (other > v if higher else other < v)})
