"""Claims about the page of a judged case in a real browser: what the judge saw, was asked, and said."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from support.reports.report_browser import opened, without_plots
from support.reports.report_judged_runs import NASTY, made_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A report of PICABench, of WiseEdit and of InEdit-Bench."""
    root = tmp_path_factory.mktemp("pages")
    made = {}
    for name in ("picabench", "wiseedit", "inedit"):
        made[name] = without_plots([made_run(tmp_path_factory, name)], root / f"{name}.html")
    return made


def look_at(page: Page, case: str) -> None:
    page.goto(page.url.partition("#")[0] + f"#cases?case={quote(case)}")
    expect(page.locator(".viewer h2")).to_have_text(case)


def test_a_question_stands_beside_the_crop_that_the_judge_saw_with_label_reply_and_reason(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with opened(browser, pages["picabench"]) as page:
        look_at(page, "00001")
        first = page.locator(".call").first
        expect(first).to_contain_text("Is thing 1.0 where it belongs?")
        expect(first.locator(".expected")).to_have_text("Right answer: No")
        expect(first.locator("header .mark")).to_have_text("right")
        assert first.locator(".crop img").evaluate("image => image.decode().then(() => image.naturalWidth)") > 8
        expect(first.locator("small").first).to_have_text("gpt-4o-2024-11-20")
        first.locator(".reply summary").click()
        expect(first.locator(".reply pre")).to_contain_text('"answer":"No"')


def test_markup_in_a_reply_is_text_on_the_page(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["picabench"]) as page:
        title = page.title()
        look_at(page, "00001")
        shown = page.locator(".why").first.inner_text()
        assert shown.startswith(" ".join(NASTY.split("\u2028")[0].split()))
        assert page.locator(".verdicts script, .verdicts .why b").count() == 0
        assert page.title() == title


def test_a_refusal_is_a_status_and_can_be_filtered_for(
    browser: Browser, pages: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    refused = [record for record in made_run(tmp_path_factory, "picabench").records() if record.failure == "refused"]
    with opened(browser, pages["picabench"]) as page:
        page.get_by_label("Verdicts").select_option("refused")
        expect(page.locator(".case")).to_have_count(len(refused))
        assert 0 < len(refused) < 16
        page.locator(".result").first.click()
        expect(page.locator(".call .mark.none").first).to_have_text("Refused")
        expect(page.locator(".mode-says b")).to_have_text("Refused")


def test_cases_are_filtered_by_level_law_and_score(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["picabench"]) as page:
        page.get_by_label("Level", exact=True).select_option("explicit")
        expect(page.locator(".found")).to_have_text("8 of 16 edits")
        page.get_by_label("Law", exact=True).select_option("reflection")
        expect(page.locator(".case code")).to_have_text(["00002@explicit"])
        page.get_by_label("Law", exact=True).select_option("")
        page.get_by_label("Lowest score", exact=True).fill("100")
        count = page.locator(".case").count()
        assert 0 < count < 8
        assert set(page.locator(".case .score").all_inner_texts()) == {"100.0"}


def test_a_figure_of_the_paper_s_table_leads_to_its_cases(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["picabench"]) as page:
        row = page.locator("#papers-0 details[open] tr.row").first
        row.locator("td").nth(5).locator("button").click()  # consistency by the third law
        expect(page.locator(".case code")).to_have_text(["00002"])


def test_several_inputs_and_references_stand_beside_the_edit_and_no_error_map(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with opened(browser, pages["wiseedit"]) as page:
        look_at(page, "Imagination_3/2@en")
        captions = [text.split(" ")[0:2] for text in page.locator(".pane figcaption").all_inner_texts()]
        names = [" ".join(words) if words[1].isdigit() else words[0] for words in captions]
        assert names == ["Input", "Input 2", "Input 3", "Reference", "Reference 2", "Edit"]
        expect(page.locator(".viewer .map-legend")).to_have_count(0)
        expect(page.locator("#cases .map-legend").first).to_be_hidden()
        page.keyboard.press("2")
        expect(page.get_by_label("Second picture")).to_have_value("reference2")


def test_both_paths_of_a_pair_are_one_entry_with_one_score(browser: Browser, pages: dict[str, Path]) -> None:
    with opened(browser, pages["inedit"]) as page:
        look_at(page, "process_plausibility_1@A+B")
        captions = page.locator(".pane figcaption").all_inner_texts()
        assert [text[:6].strip() for text in captions] == ["Input", "Edit A", "Edit B"]
        expect(page.locator(".call header b").first).to_have_text("Process plausibility")
        expect(page.locator(".figures > span:not(.bar)")).to_contain_text(["Overall", "Process plausibility"])
