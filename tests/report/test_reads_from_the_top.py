"""The report begins with its verdict in words, holds pictures that can be judged, and ends with where it comes from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from editscope.report.html.sections.findings.diagnosis import diagnosis
from editscope.report.html.sections.findings.verdict import verdict
from editscope.report.model import gather
from editscope.report.options import ReportOptions
from editscope.results import Run
from editscope.runfolder.repeats import case_name
from editscope.runs import run as execute_run
from editscope.suites import load_suite
from support.reports.report_browser import opened, without_plots
from support.reports.report_judged_runs import made_run
from support.reports.report_page import text_of
from support.reports.report_runs import make_run

pytestmark = pytest.mark.slow

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    suite = load_suite("paintbench", conditions="baseline", per_mode=1)
    return [
        execute_run(suite, f"ref:{name}", out=folder / name, limit=20, jobs=1, progress=False)
        for name in ("drift", "identity", "half")
    ]


def words(runs: list[Run]) -> str:
    return text_of(str(verdict(gather(runs, None).sheets[0])))


def test_one_run_is_told_with_score_scale_and_interval(tmp_path: Path) -> None:
    run = make_run(tmp_path, "mine", skill=0.6, slots=6)
    cell = run.summary["overall"]["miou"]
    text = words([run])
    assert text.startswith(
        f"mine scores {cell['mean']:.1f} of 100 (95 % interval {cell['lo']:.1f} to {cell['hi']:.1f})"
    )
    assert ": mIoU over 74 cases." in text


def test_too_few_cases_have_no_interval_and_what_goes_wrong_is_told(runs: list[Run]) -> None:
    text = words(runs[:1])
    assert "of 100 (too few cases for an interval): mIoU over 20 of 35 cases." in text
    assert "color imprecision, 100 % of cases" in text


def test_of_several_runs_the_best_is_named_with_its_lead_over_the_next(tmp_path: Path) -> None:
    skills = (("weak", 0.2), ("strong", 0.9), ("middling", 0.5))
    text = words([make_run(tmp_path, name, skill=skill, slots=6) for name, skill in skills])
    assert text.startswith("strong scores best: ")
    assert "It is better than middling, the next, by " in text and "that both have" not in text


def test_a_lead_over_a_run_with_other_cases_names_the_cases_of_both(runs: list[Run], tmp_path: Path) -> None:
    suite = load_suite("paintbench", conditions="baseline", per_mode=1)
    more = execute_run(suite, "ref:oracle", out=tmp_path / "oracle", limit=30, jobs=1, progress=False)
    assert "the next, by" in words([runs[0], more]) and " on the 20 cases that both have" in words([runs[0], more])


def test_runs_that_cannot_be_told_apart_are_not_ranked(tmp_path: Path) -> None:
    twins = [make_run(tmp_path, "one", skill=0.5), make_run(tmp_path, "two", skill=0.5)]
    assert "but it cannot be told apart from" in words(twins)


def test_runs_with_the_same_score_have_no_best(tmp_path: Path) -> None:
    suite = load_suite("paintbench", conditions="baseline", per_mode=1)
    same = [
        execute_run(suite, "ref:identity", out=tmp_path / name, limit=12, jobs=1, progress=False)
        for name in ("one", "two")
    ]
    text = words(same)
    assert " score the same: " in text and "highest" not in text and "best" not in text


def test_a_mark_is_told_on_its_own_scale_with_what_is_missing(tmp_path_factory: pytest.TempPathFactory) -> None:
    text = words([made_run(tmp_path_factory, "worldedit")])
    assert "on a scale from 1 (worst) to 5 (best): Average over 22 cases." in text
    assert re.search(r"verdicts are missing; whatever the verdicts would have been, the score lies between", text)


def test_marks_are_told_with_their_meaning(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    page = without_plots([made_run(tmp_path_factory, "worldedit")], tmp_path / "r.html").read_text("utf-8")
    assert "5 = perfect: nothing outside of the instruction differs" in page
    assert "1 = severe: most of what should have stayed is different" in page


def test_findings_come_before_the_cases_and_provenance_after_everything(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    run = made_run(tmp_path_factory, "worldedit")
    page = without_plots([run], tmp_path / "r.html").read_text("utf-8")
    order = ["verdict-0", "overview-0", "diagnosis-0", "opinions-0", "cases", "tables-0", "judging-0", "provenance-0"]
    places = {name: page.index(f'id="{name}"') for name in order}
    assert sorted(order[2:], key=places.__getitem__) == order[2:]
    assert places["verdict-0"] < places["diagnosis-0"]
    judged = page[places["judging-0"] : places["provenance-0"]]
    assert "{&quot;" not in judged
    assert "base_url" not in page[: page.index('type="application/json"')]
    assert str(tmp_path.parent) not in page
    records = run.records()
    scored = sum(record.status == "ok" for record in records)
    assert f"Scored {scored} of {len(records)} edits" in text_of(page[places["provenance-0"] :])


def test_a_small_card_shows_the_edit_that_has_the_score(tmp_path_factory: pytest.TempPathFactory) -> None:
    run = made_run(tmp_path_factory, "worldedit")
    sheet = gather([run], None).sheets[0]
    told = re.findall(r"Average (\S+) (\S+)", text_of(str(diagnosis(sheet, ReportOptions()))))
    scores = {case_name(r.case_id, r.variant): r.metrics["average"] for r in run.records() if "average" in r.metrics}
    assert len(told) >= 5
    assert any("@paraphrase" in name for _, name in told)
    assert [(f"{100 * scores[name]:.2f}", name) for _, name in told] == told


def test_pictures_of_a_case_are_inside_in_one_size_that_can_be_judged(
    browser: Browser, runs: list[Run], tmp_path: Path
) -> None:
    out = without_plots(runs[:1], tmp_path / "sent.html")
    with opened(browser, out) as page:
        expect(page.locator(".inside")).to_contain_text("with sides of up to 512 pixels. For all of them in full size:")
        expect(page.locator(".inside code")).to_have_text("editscope report drift --out sent.html --bundle")
        page.locator(".case .result").first.click()
        notes = page.locator("dialog.viewer .pane .note")
        for place in range(3):
            expect(notes.nth(place)).to_contain_text("512 × 512" if place < 2 else " × ")


def test_the_page_says_how_many_cases_have_small_pictures_only(
    runs: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editscope.report.html.larger_pictures.MOST", 9)
    text = text_of(without_plots(runs[:1], tmp_path / "r.html").read_text("utf-8"))
    assert "the pictures of 3 of 20 cases with sides of up to 512 pixels, the others with 160" in text


def test_a_phone_has_a_menu_of_all_sections(browser: Browser, runs: list[Run], tmp_path: Path) -> None:
    out = without_plots(runs, tmp_path / "r.html")
    with opened(browser, out, **PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 390
        menu = page.get_by_role("button", name="Sections")
        assert page.get_by_role("link", name="Diagnosis").count() == 0
        menu.click()
        assert menu.get_attribute("aria-expanded") == "true"
        expect(page.get_by_role("link", name="Sources")).to_be_visible()
        page.get_by_role("link", name="Diagnosis").click()
        expect(page.get_by_role("link", name="Sources")).to_be_hidden()
        expect(page.locator("#diagnosis-0 h2")).to_be_in_viewport()


def test_numbers_of_the_comparison_are_seen_on_a_phone(browser: Browser, runs: list[Run], tmp_path: Path) -> None:
    out = without_plots(runs, tmp_path / "r.html")
    with opened(browser, out, **PHONE) as page:
        cell = page.locator(".versus tbody tr").first.locator("td:visible").first
        cell.scroll_into_view_if_needed()
        box = cell.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
        assert re.match(r"[+−]\d", cell.inner_text())
        rows = page.locator("details[open] .heat tbody th").evaluate_all("rows => rows.map(row => row.offsetHeight)")
        assert rows
        assert max(rows) <= 60
