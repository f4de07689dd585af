"""The page of a case in Chromium: drawing, typing, undoing, two tabs, and a studio that is away for a while."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from support.reports.render_report import PATIENCE_MS
from support.studio.annotated import call, make_folders, newest, start_project
from support.studio.studio_server import studio
from support.studio.watched_page import studio_page

pytestmark = pytest.mark.slow
WAIT = float(PATIENCE_MS)


def saved(page: Page) -> None:
    expect(page.locator("[data-saved]")).to_have_attribute("data-state", "saved", timeout=WAIT)


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag on the canvas, from and to shares of its width and height."""
    box = page.locator("[data-canvas]").bounding_box()
    assert box is not None
    at = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in (start, end)]
    page.mouse.move(*at[0])
    page.mouse.down()
    page.mouse.move(*at[1], steps=4)
    page.mouse.up()


def test_a_case_is_annotated_with_pointer_and_keys(browser: Browser, tmp_path: Path) -> None:
    with studio(make_folders(tmp_path)) as address:
        project = start_project(address, "picabench", "physics")
        with studio_page(browser, f"{address}/annotate/{project}/case/1") as page:
            regions = page.locator(".layer0 .region")
            expect(regions).to_have_count(2)
            page.keyboard.press("b")
            drag(page, (0.3, 0.4), (0.5, 0.6))
            expect(regions).to_have_count(3)
            expect(page.locator("[data-field=regions] .remarks.own")).to_contain_text("no question looks at it yet")
            saved(page)
            _, values = newest(address, project, 1)
            drawn = values["regions"][2]["box"]
            assert all(side > 50 for side in drawn)
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Control+ArrowDown")
            page.keyboard.press("q")
            page.keyboard.type("Has the <b>cup</b> been removed and is it clean?")
            question = page.locator("[data-field=questions] .entries > li").nth(2)
            expect(question).to_contain_text("'and' may join two")
            expect(question).to_contain_text("must be Yes or No")
            question.get_by_role("button", name="Yes").click()
            expect(question).not_to_contain_text("must be Yes or No")
            saved(page)
            _, values = newest(address, project, 1)
            x, _, _, h = values["regions"][2]["box"]
            assert x == pytest.approx(drawn[0] + 1.6, abs=0.02) and h == pytest.approx(drawn[3] + 1.6, abs=0.02)
            assert values["questions"][2] == {
                "question": "Has the <b>cup</b> been removed and is it clean?",
                "answer": "Yes",
                "category": "",
                "region": values["regions"][2]["id"],
            }
            page.locator("[data-canvas]").focus()
            page.keyboard.press("g")
            for x_share, y_share in ((0.6, 0.3), (0.8, 0.35), (0.7, 0.6)):
                drag(page, (x_share, y_share), (x_share, y_share))
            page.keyboard.press("Enter")
            expect(page.locator(".layer0 polygon")).to_have_count(1)
            page.keyboard.press("Delete")
            expect(page.locator(".layer0 polygon")).to_have_count(0)
            page.keyboard.press("Control+z")
            expect(page.locator(".layer0 polygon")).to_have_count(1)
            page.keyboard.press("Control+y")
            expect(page.locator(".layer0 polygon")).to_have_count(0)
            view = page.locator("[data-canvas]").get_attribute("viewBox")
            page.keyboard.press("+")
            assert page.locator("[data-canvas]").get_attribute("viewBox") != view
            saved(page)
            page.keyboard.press("j")
            expect(page.locator("h1")).to_have_text("00001")
            expect(regions).to_have_count(2)
            page.keyboard.press("?")
            expect(page.locator("dialog")).to_contain_text("Draw polygons")


def test_two_tabs_both_keep_their_words_and_a_studio_that_is_away_loses_none(browser: Browser, tmp_path: Path) -> None:
    make_folders(tmp_path)
    with studio(tmp_path) as address:
        project = start_project(address, "worldedit", "world")
        with studio_page(browser, f"{address}/annotate/{project}/case/1", excused=("Failed to load resource",)) as page:
            text = page.get_by_label("Implicit instruction")
            _, values = newest(address, project, 1)
            body = {"base": 1, "values": values | {"explanation": "from another tab"}, "token": "another-tab"}
            assert call(address, f"/annotate/api/{project}/cases/1", "PUT", body)[0] == 200
            text.fill("mine")
            dialog = page.locator("dialog.conflict")
            expect(dialog).to_contain_text("from another tab")
            dialog.get_by_role("button", name="Keep mine").click()
            saved(page)
            assert newest(address, project, 1)[1]["instruction"] == "mine"
            page.context.set_offline(True)
            text.fill("typed while the studio was away")
            expect(page.locator("[data-saved]")).to_have_attribute("data-state", "away", timeout=WAIT)
            assert newest(address, project, 1)[1]["instruction"] == "mine"
            page.context.set_offline(False)
            saved(page)
            number, values = newest(address, project, 1)
            assert values["instruction"] == "typed while the studio was away"
            page.get_by_role("button", name="History").click()
            page.get_by_role("button", name="Go back to revision 1", exact=True).click()
            saved(page)
            assert newest(address, project, 1)[0] == number + 1
            assert newest(address, project, 1)[1]["instruction"].startswith("What happens")


def test_a_project_is_started_and_exported_and_other_forms_show_what_they_ask(browser: Browser, tmp_path: Path) -> None:
    with studio(make_folders(tmp_path)) as address, studio_page(browser, f"{address}/annotate") as page:
        page.wait_for_selector("body[data-ready]")
        page.get_by_label("Folder").select_option("steps/data")
        page.get_by_role("button", name="Start").click()
        page.get_by_role("link", name="dynamic_process_1").click()
        items = page.locator("[data-field=checklist]")
        expect(items).to_contain_text("at least 2 are needed")
        items.get_by_role("button", name="Add: check item").click()
        items.get_by_placeholder("title").nth(1).fill("Light")
        items.get_by_placeholder("description").nth(1).fill("It fades.")
        expect(items).not_to_contain_text("at least 2 are needed")
        page.get_by_label("Category").select_option("process_plausibility")
        expect(page.locator("[data-field=instruction_A]")).to_be_visible()
        expect(items).to_be_hidden()
        page.get_by_role("button", name="Undo").click()
        expect(items).to_be_visible()
        saved(page)
        page.get_by_role("link", name="steps/data").click()
        page.wait_for_selector("body[data-ready]")
        page.get_by_role("button", name="Export").first.click()
        expect(page.get_by_label("Name of the folder")).to_have_value("data annotated")
        page.locator("[data-export-form] button[type=submit]").click()
        expect(page.locator("[data-export-result]")).to_contain_text("The suite loads 5 of them")
    assert "Check Item 2: Light" in (tmp_path / "data annotated" / "data.json").read_text()
