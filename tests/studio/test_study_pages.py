"""Pages of studies for their admin: result, links, exclusions with a reason, exports."""

from __future__ import annotations

import csv
import io
import json
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from support.studio.made_study import NAMES, made_study
from support.studio.simulated_raters import by_strength, vote_all
from support.studio.studio_server import studio
from support.studio.watched_page import studio_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_an_admin_reads_the_result_adds_raters_and_leaves_one_out(tmp_path: Path, browser: Browser) -> None:
    store = Store.opened(Settings(tmp_path))
    try:
        study, raters = made_study(store, tmp_path, cases=4, raters=3, votes=3)
        vote_all(store, study, raters, by_strength(dict(zip(NAMES, (1.0, 0.5, 0.0), strict=True))))
    finally:
        store.close()
    with studio(tmp_path) as address:
        with studio_page(browser, f"{address}/studies") as page:
            expect(page.locator("tbody")).to_contain_text("36 of 36")
            page.click("tbody a")
            expect(page.locator("#result + .wide tbody tr")).to_have_count(3)
            expect(page.locator("text=Every vote counts")).to_be_visible()
            ready = page.locator("body[data-ready]")
            expect(ready).to_be_visible()
            page.fill("input[name=number]", "2")
            page.click("#add-form button")
            expect(page.locator("input.link")).to_have_count(5)
            expect(ready).to_be_visible()
            page.click("[data-exclude='1']")
            page.fill("dialog textarea", "knew <b>the models</b>")
            page.click("dialog .first")
            expect(page.locator("[aria-labelledby=out]")).to_contain_text("knew <b>the models</b>")
            expect(page.locator("text=With and without the exclusions")).to_be_visible()
            expect(ready).to_be_visible()
            page.click("text=Count again")
            expect(page.locator("text=Every vote counts")).to_be_visible()
            expect(ready).to_be_visible()
            page.click("text=Close the study")
            expect(page.locator("text=Open again")).to_be_visible()
        with urllib.request.urlopen(f"{address}/studies/people/votes.csv") as answer:
            rows = list(csv.DictReader(io.StringIO(answer.read().decode())))
        with urllib.request.urlopen(f"{address}/studies/people/votes.jsonl") as answer:
            lines = [json.loads(line) for line in answer.read().decode().splitlines()]
    assert len(rows) == len(lines) == 36 and {row["winner"] for row in rows} <= set(NAMES)
