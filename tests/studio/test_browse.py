"""Browsing: runs, leaderboards, gallery, cases and comparisons, of real run folders, also bad ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from editscope.runfolder.journal import Journal
from editscope.studio.browse.case_query import CaseQuery
from editscope.studio.catalog.catalog import Catalog
from support.reports.report_runs import make_run
from support.studio.studio_runs import ask, get, the_set
from support.studio.studio_server import studio
from support.studio.watched_page import studio_page

NASTY = "</script><script>document.title='broken'</script> <b>bold</b> \u202e\u05d0 & " + "long " * 20_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs over the same cases, one of them deeper in the folder, with a nasty instruction in one case."""

    def nasty(edit: dict[str, object], score: dict[str, object]) -> None:
        if str(score["case"]).endswith("/000"):
            score["instruction"] = NASTY

    root = tmp_path_factory.mktemp("runs")
    make_run(root, "good", skill=0.9, change=nasty)
    make_run(root, "bad", skill=0.2, change=nasty)
    make_run(root / "deep", "middle", skill=0.5, change=nasty)
    for picture in list(root.rglob("thumbs/**/error.*")):
        shutil.copyfile(picture, picture.with_name(f"levels{picture.suffix}"))
    return root


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """A studio of these runs."""
    with studio(folder) as found:
        yield found


def test_a_catalog_keeps_its_index_and_reads_a_run_again_only_when_it_changed(folder: Path, tmp_path: Path) -> None:
    runs = shutil.copytree(folder, tmp_path / "runs", ignore=shutil.ignore_patterns(".editscope*"))
    own = tmp_path / "own"
    catalog = Catalog(runs, own)
    while catalog.refresh(5.0):
        pass
    first = {entry.card.id: entry.card for entry in catalog.entries()}
    assert set(first) == {"good", "bad", "deep/middle"}
    catalog.close()
    (own / "index.db").write_bytes(b"no database")
    catalog = Catalog(runs, own)  # a damaged index is made again
    while catalog.refresh(5.0):
        pass
    cases = catalog.case_set(first["good"].set_id)
    assert {entry.card.id: entry.card for entry in catalog.entries()} == first
    assert catalog.case_set(first["good"].set_id) is cases
    worst = CaseQuery(run="bad", order="worst").places(cases)
    values = cases.run("bad").metrics["miou"][worst]  # type: ignore[union-attr]
    assert list(values) == sorted(values)
    shutil.rmtree(runs / "bad")
    catalog._scanned_at = 0.0
    catalog.refresh(5.0)
    assert {entry.card.id for entry in catalog.entries()} == {"good", "deep/middle"}
    catalog.close()


def test_every_page_answers_and_names_no_folder_of_the_machine(address: str, folder: Path) -> None:
    name = the_set(address)
    case = ask(f"{address}/api/sets/{name}/cases")["cards"][0]["href"]
    pages = ["/", f"/sets/{name}", f"/sets/{name}/cases", case, "/runs/deep/middle", f"/sets/{name}/compare"]
    for path in pages:
        status, html = get(address + path)
        assert status == 200, (path, html[:500])
        assert str(folder) not in html and "/home/somebody" not in html
        assert "style=" not in html and "<script>" not in html, path


def test_filters_search_and_order_choose_cases(address: str) -> None:
    api = f"{address}/api/sets/{the_set(address)}/cases"
    everything = ask(api)
    assert everything["total"] == everything["of"] > 20
    task = everything["cards"][-1]["name"].partition("/")[0]
    assert 0 < ask(f"{api}?tag.task={task}")["total"] < everything["of"]
    assert ask(f"{api}?q=no-such-word")["total"] == 0
    high, low = ask(f"{api}?run=good&min=50")["total"], ask(f"{api}?run=bad&min=50")["total"]
    assert high > low
    spread = ask(f"{api}?sort=spread&show=good&show=bad&limit=1")["cards"][0]["runs"]
    assert len(spread) == 2


@pytest.mark.parametrize("trick", ["../good", "/etc", "good/../bad", "..%2f", "\x00", "good/images", "a" * 900])
def test_path_tricks_find_nothing(address: str, trick: str) -> None:
    name, value = the_set(address), quote(trick, safe="")
    case = ask(f"{address}/api/sets/{name}/cases")["cards"][0]["name"]
    for path in (
        f"/runs/{value}", f"/sets/{value}", f"/sets/{name}/case?id={value}",
        f"/sets/{name}/case?id={case}&variant={value}",
        f"/picture?run={value}&case={case}&kind=edit", f"/picture?run=good&case={value}&kind=edit",
        f"/picture?run=good&case={case}&kind={value}", f"/picture?run=good&case={case}&variant={value}&kind=edit",
        f"/api/sets/{name}/details?run={value}&id={case}",
    ):  # fmt: skip
        status, text = get(address + path, "application/json")
        assert status == 404, (path, status, text)
        assert "error" in json.loads(text)


def test_a_picture_that_does_not_decode_and_a_half_written_run_are_sentences(folder: Path, tmp_path: Path) -> None:
    runs = shutil.copytree(folder, tmp_path / "runs", ignore=shutil.ignore_patterns(".editscope*"))
    for picture in (runs / "good").rglob("edit*"):
        picture.write_bytes(b"no picture")
    (runs / "half").mkdir()
    (runs / "half" / "run.json").write_text('{"format": 1, "suite"', encoding="utf-8")
    journal = runs / "bad" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-40].replace(b'"step":"score"', b'"step":"sc', 1))
    with studio(runs) as address:
        name = the_set(address)
        _, html = get(f"{address}/")
        assert "half" in html and "cannot be read" in html and str(tmp_path) not in html
        card = next(
            one for one in ask(f"{address}/api/sets/{name}/cases?show=good")["cards"] if one["runs"][0].get("src")
        )
        status, text = get(address + card["runs"][0]["src"], "image/*")
        assert status == 200 and "cannot be decoded" in text and "<svg" in text
        shutil.rmtree(runs / "good")
        assert get(address + card["runs"][0]["src"], "application/json")[0] in (200, 404)


def test_a_person_browses_with_the_keyboard(address: str, browser: Browser) -> None:
    name = the_set(address)
    with studio_page(browser, f"{address}/sets/{name}/cases") as page:
        expect(page.locator(".case-card code").first).to_be_visible()
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url("**/case?*")
        assert page.title() != "broken"
        expect(page.locator(".pane")).to_have_count(5)
        before = page.locator("h1").inner_text()
        page.keyboard.press("+")
        zooms = page.evaluate("[...document.querySelectorAll('.plane')].map(p => getComputedStyle(p).transform)")
        assert len(zooms) == 5 and all(zoom.startswith("matrix(2, 0, 0, 2, -1") for zoom in zooms), zooms
        page.keyboard.press("ArrowDown")
        expect(page.locator("#runs-table .chosen-row")).to_have_attribute("data-place", "1")
        page.keyboard.press("e")
        expect(page.locator(".levels").first).to_be_visible()
        page.keyboard.press("]")
        assert "levels-6" in page.evaluate("document.documentElement.style.getPropertyValue('--levels')")
        page.keyboard.press("2")
        expect(page.locator(".divider")).to_be_visible()
        page.keyboard.press(" ")
        expect(page.locator(".now")).not_to_be_empty()
        page.keyboard.press("?")
        expect(page.locator("dialog")).to_contain_text("Next case")
        page.keyboard.press("Escape")
        page.keyboard.press("j")
        expect(page.locator("h1")).not_to_have_text(before)


def test_a_running_run_moves_without_a_reload(folder: Path, tmp_path: Path, browser: Browser) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(folder / "good", runs / "good")
    whole = (runs / "good" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (runs / "good" / "journal.jsonl").write_bytes(b"".join(whole[:20]))
    with studio(runs) as address, studio_page(browser, f"{address}/") as page:
        expect(page.locator(".progress-cell")).to_contain_text("10 of")
        with Journal(runs / "good") as journal:
            journal.append(*(json.loads(line) for line in whole[20:30]))
            expect(page.locator(".progress-cell")).to_contain_text("Running")
            expect(page.locator(".progress-cell")).to_contain_text("15 of")


def test_a_comparison_counts_wins_ties_and_losses(address: str, browser: Browser) -> None:
    name = the_set(address)
    with studio_page(browser, f"{address}/sets/{name}/compare?run=bad&run=good&run=deep/middle") as page:
        expect(page.locator("tbody").first.locator("tr")).to_have_count(2)
        expect(page.locator("tbody").first).to_contain_text("wins")
        expect(page.locator(".contrast").first).to_be_visible()


def test_a_gallery_shows_runs_in_the_order_of_the_leaderboard(address: str) -> None:
    name = the_set(address)
    for shown in (["bad", "deep/middle", "good"], ["good", "bad"]):
        wanted = "&".join(f"show={quote(run, safe='')}" for run in shown)
        first = ask(f"{address}/api/sets/{name}/cases?{wanted}")["cards"][0]
        assert [run["name"] for run in first["runs"]] == [one for one in ("good", "middle", "bad") if one in str(shown)]


def test_published_results_have_no_rank_and_stand_below_the_runs(address: str) -> None:
    _, page = get(f"{address}/sets/{the_set(address)}")
    runs, divided, published = page.partition("Published, on other cases")
    assert divided and 'class="ours"' in runs and 'class="ours"' not in published
    assert '<td class="figure quiet">1</td>' in runs and '<td class="figure quiet"></td>' in published
