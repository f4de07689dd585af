"""Claims about the gallery of the HTML report in a real browser: filters, addresses, text from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.reports.report_browser import opened, without_plots
from support.reports.report_runs import NASTY, Line, make_run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    runs = [
        make_run(folder, "strong", skill=0.95, slots=6),
        make_run(folder, "<b>weak</b>", skill=0.3, slots=6, missing=("border/001",)),
    ]
    return without_plots(runs, folder / "report.html")


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    with opened(browser, report) as page:
        yield page


def ids(page: Page) -> list[str]:
    return page.locator(".case").evaluate_all("cards => cards.map(card => card.dataset.id)")  # type: ignore[no-any-return]


def found(page: Page) -> str:
    return page.locator(".found").inner_text()


def choose(page: Page, label: str, value: str) -> None:
    page.get_by_label(label, exact=True).select_option(value)


def fragment(page: Page) -> str:
    return page.url.partition("#")[2]


def walk(page: Page) -> tuple[set[str], int]:
    """Turn through all pages of the gallery: all ids that were seen, and the most cards that existed at once."""
    seen: set[str] = set()
    most = 0
    forward = page.get_by_role("button", name="Next page").first
    while True:
        now = ids(page)
        seen |= set(now)
        most = max(most, len(now))
        if not forward.count() or forward.is_disabled():
            return seen, most
        forward.click()


def test_every_case_is_reached_page_by_page_and_only_one_page_exists(page: Page) -> None:
    assert found(page) == "74 of 74 cases"
    seen, most = walk(page)
    assert len(seen) == 74
    assert most <= 12
    assert "page=7" in fragment(page)
    page.go_back()
    expect(page.locator(".pager [aria-current]").first).to_have_text("6")
    choose(page, "Order", "best")
    expect(page.locator(".pager [aria-current]").first).to_have_text("1")


def test_text_from_outside_is_text(page: Page) -> None:
    page.get_by_label("Search").fill("border/000")
    assert (page.locator(".case .ask").text_content() or "").split() == NASTY.split()
    assert "broken" not in page.title()
    assert page.locator("b:text-is('weak')").count() == 0
    assert page.get_by_text("<b>weak</b>").first.is_visible()
    page.locator(".case .result").nth(1).click()
    viewer = page.locator("dialog.viewer")
    assert (viewer.locator(".ask").text_content() or "").split() == NASTY.split()
    assert viewer.locator("[aria-selected=true]").inner_text().split()[1] == "<b>weak</b>"


def test_tags_ids_and_reasons_from_outside_are_text(browser: Browser, tmp_path: Path) -> None:
    evil = "\"><img src=x onerror=\"document.title='broken'\"><script>document.title='broken'</script>'&"

    def change(edit: Line, score: Line) -> None:
        edit["case"] = score["case"] = edit["case"] + evil
        score["tags"]["mode"] = evil
        edit["reason"] = edit["reason"] and evil

    run = make_run(tmp_path, evil, slots=1, missing=("border/001",), change=change)
    with opened(browser, without_plots([run], tmp_path / "evil.html", title=evil)) as page:
        assert page.locator("select[name='tag:mode'] option").count() in (0, 2)
        choose(page, "Failure mode", "no_output")
        page.locator(".case .result").click()
        expect(page.locator("dialog.viewer h2")).to_have_text(f"border/001{evil}")
        assert page.locator("dialog.viewer dd").filter(has_text="onerror").count() >= 1
        assert page.locator("img[src=x]").count() == 0
        page.reload()  # the address holds the id, and opens the case again
        expect(page.locator("dialog.viewer h2")).to_have_text(f"border/001{evil}")
        assert "broken" not in page.title().partition(evil)[2]


def test_filters_narrow_and_reset_brings_everything_back(page: Page) -> None:
    choose(page, "Task", "removal")
    choose(page, "Mode", "location")
    choose(page, "Condition", "striped")
    assert found(page) == "6 of 74 cases"
    assert all(case.startswith("removal/") for case in ids(page))
    page.get_by_label("Search").fill("no such words")
    assert page.locator(".case").count() == 0
    assert page.get_by_text("No case fits").is_visible()
    page.get_by_role("button", name="Reset", exact=True).click()
    assert found(page) == "74 of 74 cases"


def test_choices_say_how_many_cases_they_would_leave(page: Page) -> None:
    choose(page, "Task", "removal")
    mode = page.get_by_label("Mode", exact=True)
    said = mode.locator("option").all_inner_texts()
    assert "Location (12)" in said
    assert "Dropper (0)" in said
    assert "Border (12)" in page.get_by_label("Task", exact=True).locator("option").all_inner_texts()
    mode.select_option("location")
    assert found(page) == "12 of 74 cases"


def test_failure_mode_status_and_score_are_filters_on_the_shown_runs(page: Page) -> None:
    choose(page, "Failure mode", "no_output")
    assert ids(page) == ["border/001"]
    page.locator(".toggle").nth(1).click()
    assert found(page) == "0 of 74 cases"
    page.get_by_role("button", name="Reset", exact=True).click()
    choose(page, "Status", "no_output")
    assert ids(page) == ["border/001"]
    page.get_by_role("button", name="Reset", exact=True).click()
    page.get_by_label("Highest score", exact=True).fill("0")
    assert ids(page) == ["border/001"]


def test_both_ends_of_a_score_range_can_be_slid(page: Page) -> None:
    page.locator(".toggle").nth(1).click()  # one run, so that each card has one score
    low, high = page.get_by_label("Lowest score, slider"), page.get_by_label("Highest score, slider")
    low.fill("40")
    high.fill("60")
    assert page.get_by_label("Lowest score", exact=True).input_value() == "40"
    scores = page.locator(".case .score").all_inner_texts()
    assert scores
    assert all(40 <= float(score) <= 60 for score in scores)
    high.fill("100")
    assert "to=" not in fragment(page)


def test_worst_comes_first_and_best_when_asked(page: Page) -> None:
    page.locator(".toggle").nth(0).click()
    scores = "cards => cards.map(card => Number(card.querySelector('.score').textContent))"
    worst = page.locator(".case").evaluate_all(scores)
    assert worst == sorted(worst)
    choose(page, "Order", "best")
    best = page.locator(".case").evaluate_all(scores)
    assert best == sorted(best, reverse=True)


def test_two_runs_can_be_set_against_each_other(page: Page) -> None:
    choose(page, "Compare", "0")
    choose(page, "with", "1")
    said = "nodes => nodes.map(n => Number(n.lastChild.textContent.replace('−', '-')))"
    differences = page.locator(".apart").evaluate_all(said)
    assert len(differences) > 5
    assert [abs(d) for d in differences] == sorted((abs(d) for d in differences), reverse=True)
    choose(page, "Better is", "b")
    assert all(d > 0 for d in page.locator(".apart").evaluate_all(said))
    choose(page, "Better is", "a")
    page.get_by_label("By at least").fill("30")
    differences = page.locator(".apart").evaluate_all(said)
    assert differences
    assert all(d <= -30 for d in differences)
    assert "a=A" in fragment(page)
    assert "by=30" in fragment(page)


def test_a_view_can_be_sent_as_an_address(page: Page, browser: Browser) -> None:
    choose(page, "Task", "removal")
    page.locator(".toggle").nth(0).click()
    page.get_by_label("Search").fill("shape")
    choose(page, "Order", "best")
    page.locator(".tolerance-slider input").first.fill("8")
    address, cases = page.url, ids(page)
    assert "task=removal" in address
    assert "run=B" in address
    with opened(browser, address) as other:
        assert ids(other) == cases
        assert found(other) == found(page)
        assert other.get_by_label("Task", exact=True).input_value() == "removal"
        assert other.locator(".toggle").nth(0).get_attribute("aria-pressed") == "false"
        assert other.locator(".tolerance-slider output").first.inner_text() == "8"


def test_back_goes_to_the_filters_before(page: Page) -> None:
    choose(page, "Task", "removal")
    choose(page, "Condition", "striped")
    assert found(page) == "12 of 74 cases"
    page.go_back()
    expect(page.locator(".found")).to_have_text("24 of 74 cases")
    page.go_back()
    expect(page.locator(".found")).to_have_text("74 of 74 cases")
    page.go_forward()
    expect(page.locator(".found")).to_have_text("24 of 74 cases")


def test_addresses_that_name_nothing_known_show_everything(browser: Browser, report: Path) -> None:
    for odd in ("#cases?task=nonsense&run=Z&a=Q&sort=sideways&t=99&case=none/000", "#cases?%%%", "#nowhere"):
        with opened(browser, report.as_uri() + odd) as page:
            assert found(page) in ("74 of 74 cases", "0 of 74 cases")


def test_a_figure_of_a_table_leads_to_the_cases_behind_it(page: Page) -> None:
    tables = page.locator(".tables").first
    row = tables.locator("tr", has=page.get_by_role("button", name="Removal", exact=True))
    row.locator("td").nth(1).locator(".cell:visible").click()
    assert found(page) == "24 of 74 cases"
    seen, _ = walk(page)
    assert len(seen) == 24
    assert all(case.startswith("removal/") for case in seen)
    assert page.locator(".case .result").count() == page.locator(".case").count()  # of the run whose figure it was
    assert "run=B" in fragment(page)


def test_the_cases_behind_an_average_hold_no_diagnostics(page: Page) -> None:
    tables = page.locator(".tables").first
    row = tables.locator("tr", has=page.get_by_role("button", name="Baseline", exact=True))
    row.locator(".cell:visible").first.click()
    assert found(page) == "36 of 74 cases"
    row = tables.locator("tr", has=page.get_by_role("button", name="Preservation", exact=True))
    row.locator(".cell:visible").first.click()
    assert sorted(ids(page)) == ["preservation/000", "preservation/001"]


def test_a_missing_picture_has_a_placeholder_and_a_reason(page: Page) -> None:
    choose(page, "Failure mode", "no_output")
    assert page.locator(".case .none").count() == 2
    page.locator(".case .result").nth(1).click()
    assert page.get_by_text("no file in the folder").is_visible()


def test_a_phone_needs_no_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".case .result").first.click()
    viewer = page.locator("dialog.viewer")
    for key in "1234":
        page.keyboard.press(key)
        assert viewer.evaluate("node => node.scrollWidth") <= 390


def test_a_tall_picture_is_shown_whole(page: Page) -> None:
    picture = page.locator(".case img").first
    picture.scroll_into_view_if_needed()
    sizes = "img => [img.getBoundingClientRect().height, img.parentElement.getBoundingClientRect().height]"
    height, frame = picture.evaluate(sizes)
    assert height <= frame
    assert picture.evaluate("img => getComputedStyle(img).objectFit") == "contain"


def test_every_picture_and_control_has_a_name(page: Page) -> None:
    page.locator(".case .result").first.click()
    for key in "1234":
        page.keyboard.press(key)
        assert page.locator("img:not([alt])").count() == 0
        nameless = (
            "nodes => nodes.filter(n => !(n.textContent.trim() || n.getAttribute('aria-label') || n.title)).length"
        )
        assert page.locator("button").evaluate_all(nameless) == 0
        unlabeled = "nodes => nodes.filter(n => !n.labels.length && !n.ariaLabel).length"
        assert page.locator("select, input").evaluate_all(unlabeled) == 0
