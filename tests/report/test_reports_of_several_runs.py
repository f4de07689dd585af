"""Faults that somebody found who used tables, comparisons, diagnosis and report for the first time."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from editscope.cli import main
from editscope.published import suites
from editscope.report.html.plots import Line, LinePlot
from editscope.report.html.sections.details.edit_size import LEAST, _above
from editscope.report.html.sections.findings.comparison import comparison
from editscope.report.html.sections.findings.diagnosis import diagnosis
from editscope.report.html.sections.provenance.sources import provenance
from editscope.report.model import gather
from editscope.report.options import ReportOptions
from editscope.report.text.latex import PREAMBLE, ROWS, _tagged
from editscope.results import Run
from editscope.results.comparison import run_names
from editscope.stats.diagnosis import largest_differences
from editscope.suites.tables import Column, PaperCell, PaperRow, PaperTable
from support.reports.report_browser import opened, without_plots
from support.reports.report_runs import copy_run, make_run, with_miou

TEX = shutil.which("pdflatex")
LONG = "a-model-with-a-name-that-no-column-is-wide-enough-for"


def names(*runs: Run) -> list[str]:
    return [view.name for view in gather(runs, None).runs]


@pytest.mark.slow
def test_a_report_calls_runs_of_one_editor_by_their_folders_as_compare_does(tmp_path: Path) -> None:
    run = make_run(tmp_path, "Mine", thumbs=False)
    runs = [copy_run(run, tmp_path / "monday"), copy_run(run, tmp_path / "friday")]
    assert names(*runs) == ["Mine · monday", "Mine · friday"]
    assert list(run_names(runs)) == names(*runs)


@pytest.mark.slow
def test_a_run_that_is_given_twice_still_has_two_names(tmp_path: Path) -> None:
    run = make_run(tmp_path, "Mine", thumbs=False)
    here = copy_run(run, tmp_path / "runs" / "a")
    assert names(here, here) == ["Mine · 1", "Mine · 2"]
    assert names(here, copy_run(run, tmp_path / "b"), here) == ["Mine · a · 1", "Mine · b", "Mine · a · 2"]


@pytest.mark.slow
def test_a_difference_that_the_test_does_not_see_is_not_called_better(tmp_path: Path) -> None:
    """Tasks in opposite directions: resampling within tasks varies nothing, so there is no interval, and p is large."""
    first = make_run(tmp_path, "a", thumbs=False, change=with_miou(lambda case: 0.5))
    better = {"legend": 0.6, "recolor": 0.42}
    change = with_miou(lambda case: better.get(case["tags"]["task"], 0.5))
    second = make_run(tmp_path, "b", thumbs=False, change=change)
    text = str(comparison(gather([first, second], None).sheets[0], ReportOptions()))
    assert "+0.7" in text
    assert "+0.7 … +0.7" not in text
    assert "cannot be told apart" in text
    assert "better than a<" not in text


@pytest.mark.slow
def test_every_pair_counts_the_cases_that_the_averages_have(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, name, thumbs=False) for name in "abc"]
    averaged = [case for case in runs[0].records() if case.tags["split"] == "test"]
    text = str(comparison(gather(runs, None).sheets[0], ReportOptions()))
    assert len(averaged) < len(runs[0].records())
    assert f"on {len(averaged)} cases that all runs have" in text


@pytest.mark.slow
def test_diagnostic_cases_are_not_where_runs_differ_most(tmp_path: Path) -> None:
    scores = {"preservation/000": 0.0, "preservation/001": 1.0, "border/000": 0.6}
    same = make_run(tmp_path, "a", change=with_miou(lambda case: 0.5))
    other = make_run(tmp_path, "b", change=with_miou(lambda case: scores.get(case["case"], 0.5)))
    sheet = gather([same, other], None).sheets[0]
    text = str(comparison(sheet, ReportOptions()))
    assert "border/000" in text
    assert "preservation/00" not in text

    a, b = (view.rows for view in sheet.runs)
    assert largest_differences(a, b, "miou", n=1)[0].case_id.startswith("preservation")
    found = largest_differences(a, b, "miou", exclude=sheet.aggregation.exclude)
    assert [case.case_id for case in found] == ["border/000"]


@pytest.mark.slow
def test_of_many_runs_the_best_shows_its_diagnosis_at_once(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, f"m{i}", skill=0.2 + 0.1 * i, thumbs=False) for i in range(5)]
    text = str(diagnosis(gather(runs, None).sheets[0], ReportOptions()))
    opened_ones = [part for part in text.split("<details")[1:] if part.startswith(" open")]
    assert len(opened_ones) == 1
    assert "m4" in opened_ones[0]


@pytest.mark.slow
def test_sources_count_what_was_scored_and_write_options_as_a_person_would(tmp_path: Path) -> None:
    options = {"conditions": ["baseline", "striped"], "canvas": [640, 480]}
    run = make_run(tmp_path, "a", missing=("border/000", "border/001"), options=options, thumbs=False)
    sheet = gather([run], None).sheets[0]
    text = str(provenance(sheet, ReportOptions()))
    assert f"{len(run.records()) - 2} of {len(run.records())}" in text
    assert "conditions baseline,striped, canvas 640,480" in text


def test_a_ratio_of_0_has_a_place_on_a_logarithmic_scale() -> None:
    raised = _above([Line(0, "a", [0.0, 2.0, None], [0.0, 1.5, None], [400.0, 3.0, None])])
    plot = LinePlot(["small", "large", "none"], raised, "pixels", "", log=True)
    assert plot.traces()[0]["y"] == [LEAST, 2.0, None]
    assert plot.traces()[0]["error_y"]["arrayminus"][0] == 0.0
    assert "NaN" not in str(plot.svg("over-editing"))


def test_tables_of_runs_with_short_and_long_names_can_be_read(browser: Browser, tmp_path: Path) -> None:
    runs = [make_run(tmp_path, name, skill=skill) for name, skill in (("ab", 0.3), (f"<b>{LONG}", 0.6), ("c", 0.9))]
    page_file = without_plots(runs, tmp_path / "r.html")
    with opened(browser, page_file) as page:
        page.locator(".scores").first.scroll_into_view_if_needed()
        bars = page.locator(".scores tbody tr").first.locator(".bar")
        widths = [bars.nth(i).evaluate("e => e.getBoundingClientRect().width") for i in range(bars.count())]
        assert len(widths) == 3
        assert max(widths) - min(widths) < 3, "bars on one scale have one length"

        page.locator(".paper .overall").first.scroll_into_view_if_needed()
        weights = (
            page.locator(".paper")
            .first.locator(".overall td")
            .evaluate_all(
                "cells => cells.map(td => Math.max(...[td, ...td.querySelectorAll('*')]"
                ".filter(e => !e.closest('small')).map(e => +getComputedStyle(e).fontWeight)))"
            )
        )
        assert [weight >= 600 for weight in weights] == [False, False, True], "only the best is bold"
    with opened(browser, page_file, viewport={"width": 360, "height": 700}) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        assert page.locator(".title p").evaluate("e => e.scrollWidth <= e.clientWidth")


def test_the_menu_of_a_report_on_two_sets_can_be_seen(browser: Browser, tmp_path: Path) -> None:
    runs = [make_run(tmp_path, "a"), make_run(tmp_path, "b", fingerprint="other")]
    with opened(browser, without_plots(runs, tmp_path / "r.html")) as page:
        page.locator(".set-links > summary").first.click()
        box = page.locator(".set-links[open] > div").bounding_box()
        assert box is not None
        shown = page.screenshot(clip=box)
        page.locator(".set-links[open] > div").evaluate("e => e.style.visibility = 'hidden'")
        assert shown != page.screenshot(clip=box)


@pytest.mark.slow
@pytest.mark.skipif(TEX is None, reason="pdflatex is not installed")
def test_a_tall_table_is_scaled_to_the_page(tmp_path: Path) -> None:
    rows = tuple(PaperRow("row", f"row {i}", {}, (PaperCell(50.0, None, 12),)) for i in range(ROWS))
    column = Column("model", "", 0)
    table = PaperTable("tall", "Tall", "A long caption. " * 30, (column,), rows, "miou")
    text = "".join([PREAMBLE, "\\begin{document}\n", *_tagged(table, "tall"), "\\end{document}\n"])
    (tmp_path / "t.tex").write_text(text, encoding="ascii")
    command = [str(TEX), "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=600)
    assert done.returncode == 0, done.stdout[-1500:]
    assert "Float too large" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--models"], ["--models", "paintbench"]])
def test_published_names_are_whole_in_a_narrow_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["published", *arguments])
    out = capsys.readouterr().out
    assert "…" not in out
    assert max(len(line.rstrip()) for line in out.splitlines()) <= 80
    if not arguments:
        assert all(f"\n{suite} " in f"\n{out}" for suite in suites())
