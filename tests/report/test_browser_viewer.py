"""Claims about the viewer of the HTML report in a real browser, on runs that were really made."""

from __future__ import annotations

import io
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

import editscope as es
from editscope.results import Run
from editscope.runs import run as execute_run
from editscope.scoring.errormap import EDITED, MISSED, SPILLED
from editscope.suites import load_suite
from support.reports.report_browser import Watched, opened, without_plots
from support.reports.report_runs import make_run

pytestmark = pytest.mark.slow

EDITORS = ("half", "drift", "identity")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("runs")
    suite = load_suite("paintbench", canvas="256x256", conditions="baseline", per_mode=1)
    where = {"task": ("recolor", "removal", "border", "translation")}
    return [
        execute_run(suite, f"ref:{name}", out=folder / name, where=where, jobs=1, progress=False) for name in EDITORS
    ]


@pytest.fixture(scope="module")
def report(runs: list[Run]) -> Path:
    return without_plots(runs, runs[0].path.parent / "report.html")


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    with opened(browser, report) as page:
        yield page


def look(page: Page, case: str, letter: str) -> Locator:
    """Open a case in the viewer, as a link from elsewhere on the page does."""
    page.evaluate("address => { location.hash = address; }", f"#cases?case={case}&view={letter}")
    viewer = page.locator("dialog.viewer")
    expect(viewer.locator("h2")).to_have_text(case)
    return viewer


def seen(area: Locator) -> npt.NDArray[np.int64]:
    """The pixels of a part of the page, without its border."""
    picture = np.asarray(Image.open(io.BytesIO(area.screenshot())).convert("RGB")).astype(np.int64)
    return picture[8:-8, 8:-8]


def share(picture: npt.NDArray[np.int64], color: tuple[int, int, int]) -> float:
    return float((np.abs(picture - color).max(axis=2) <= 40).mean())


def settle(viewer: Locator) -> None:
    """Wait until full-size edits have come, so that nothing changes any more."""
    expect(viewer.locator(".pane .note").filter(has_text="full size").first).to_be_visible()


def test_keys_turn_cases_and_runs_and_close(page: Page) -> None:
    order = page.locator(".case").evaluate_all("cards => cards.map(card => card.dataset.id)")
    page.locator(".case").nth(0).locator(".result").nth(0).click()
    viewer = page.locator("dialog.viewer")
    expect(viewer.locator("h2")).to_have_text(order[0])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(viewer.locator("h2")).to_have_text(order[2])
    page.keyboard.press("ArrowLeft")
    expect(viewer.locator("h2")).to_have_text(order[1])
    assert viewer.locator("[aria-selected=true]").inner_text().startswith("A")
    page.keyboard.press("ArrowDown")
    expect(viewer.locator("[aria-selected=true]")).to_have_text(re.compile("^B"))
    expect(viewer.locator("polyline")).to_have_count(3)
    expect(page).to_have_url(re.compile(re.escape(f"case={order[1]}&view=B")))
    page.keyboard.press("Escape")
    expect(viewer).to_be_hidden()
    expect(page).not_to_have_url(re.compile("case="))  # the address follows when the dialog has closed


def test_back_closes_the_viewer(page: Page) -> None:
    page.locator(".case .result").first.click()
    expect(page.locator("dialog.viewer")).to_be_visible()
    page.go_back()
    expect(page.locator("dialog.viewer")).to_be_hidden()


def test_the_divider_uncovers_the_answer_under_the_edit(page: Page, runs: list[Run]) -> None:
    case = next(c.case_id for c in runs[2].records() if c.tags["task"] == "removal")
    viewer = look(page, case, "C")  # an edit that is the input: it differs from the answer where the edit should be
    page.keyboard.press("2")
    window, slider = viewer.locator(".by-swipe .window"), viewer.locator(".cut-slider")
    slider.fill("100")
    edit = seen(window)
    slider.fill("0")
    answer = seen(window)
    assert np.abs(edit - answer).max() > 60
    slider.fill("50")
    both, middle = seen(window), edit.shape[1] // 2
    assert np.abs(both[:, : middle - 24] - edit[:, : middle - 24]).max() == 0
    assert np.abs(both[:, middle + 24 :] - answer[:, middle + 24 :]).max() == 0
    box = window.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 40, steps=3)
    page.mouse.up()
    assert float(slider.input_value()) == pytest.approx(80, abs=1)


def test_blinking_shows_edit_and_answer_in_turn(page: Page, runs: list[Run]) -> None:
    viewer = look(page, next(c.case_id for c in runs[2].records() if c.tags["task"] == "removal"), "C")
    page.keyboard.press("3")
    now = viewer.locator(".now")
    expect(now).to_have_text("Answer")
    expect(now).to_have_text("Edit")
    expect(now).to_have_text("Answer")
    viewer.get_by_role("button", name="Pause").click()
    window = viewer.locator(".by-blink .window")
    first, shown = seen(window), now.inner_text()
    viewer.get_by_role("button", name="Switch").click()
    assert {shown, now.inner_text()} == {"Edit", "Answer"}
    assert np.abs(seen(window) - first).max() > 60


def test_nothing_blinks_where_less_motion_is_wanted(browser: Browser, report: Path) -> None:
    with opened(browser, report, reduced_motion="reduce") as page:
        page.locator(".case .result").first.click()
        viewer = page.locator("dialog.viewer")
        page.keyboard.press("3")
        expect(viewer.get_by_role("button", name="Blink", exact=True).last).to_be_visible()
        assert viewer.locator(".now").inner_text() == "Edit"
        page.wait_for_timeout(900)
        assert viewer.locator(".now").inner_text() == "Edit"
        viewer.locator(".pane").click()
        page.keyboard.press("Space")
        assert viewer.locator(".now").inner_text() == "Answer"


@pytest.mark.parametrize(("letter", "number"), [("A", 0), ("B", 1)])
def test_the_error_map_follows_the_tolerance_and_shows_the_shares_of_the_curve(
    page: Page, runs: list[Run], letter: str, number: int
) -> None:
    record = max(runs[number].records(), key=lambda r: r.evidence["edit_pixels"])  # large, so that blocks hardly matter
    viewer = look(page, record.case_id, letter)
    slider = viewer.locator(".map-legend input")
    window = viewer.locator(".pane", has=page.locator("[data-role=error]")).locator(".window")
    rows, place = runs[number].rows(), runs[number].rows()["case_id"].index(record.case_id)
    pixels = record.evidence["edit_pixels"] + record.evidence["preservation_pixels"]
    changed = []
    for tolerance in (0, 5, 10):
        slider.fill(str(tolerance))
        edit = rows["edit_accuracy_curve"][place][tolerance]
        preserved = rows["preservation_accuracy_curve"][place][tolerance]
        said = viewer.locator(".shares-now").inner_text()
        assert f"{100 * edit:.1f} % of the edit" in said
        assert f"{100 * preserved:.1f} % of the rest" in said
        picture = seen(window)
        changed.append(picture)
        inside = record.evidence["edit_pixels"] / pixels
        assert share(picture, EDITED) == pytest.approx(edit * inside, abs=0.04)
        assert share(picture, MISSED) == pytest.approx((1 - edit) * inside, abs=0.04)
        assert share(picture, SPILLED) == pytest.approx((1 - preserved) * (1 - inside), abs=0.04)
    if letter == "B":  # colors that are only near come right as the tolerance grows
        assert np.abs(changed[0] - changed[2]).max() > 60


def test_error_maps_of_the_gallery_follow_the_same_slider(page: Page) -> None:
    page.locator(".cases").scroll_into_view_if_needed()
    drift = page.locator(".case .result.run1 .frame").filter(has=page.locator(".levels")).first
    drift.scroll_into_view_if_needed()
    slider = page.locator(".gallery .tolerance-slider input")
    slider.fill("0")
    strict = seen(drift)
    slider.fill("10")
    assert share(strict, SPILLED) > 0.5
    assert share(seen(drift), SPILLED) < 0.05
    page.locator(".case .result").first.click()
    assert page.locator("dialog.viewer .map-legend output").inner_text() == "10"


def test_pictures_zoom_and_move_together_and_pixels_stay_sharp(page: Page) -> None:
    page.locator(".case .result").first.click()
    viewer = page.locator("dialog.viewer")
    page.keyboard.press("+")
    page.keyboard.press("+")
    assert viewer.locator(".zoom-says").inner_text() == "4 ×"
    sizes = "nodes => [...new Set(nodes.map(n => Math.round(n.getBoundingClientRect().width)))]"
    planes = viewer.locator(".plane")
    assert len(planes.evaluate_all(sizes)) == 1
    assert planes.evaluate_all("nodes => getComputedStyle(nodes[0].querySelector('img')).imageRendering") == "pixelated"
    lefts = (
        "nodes => nodes.map(n => n.getBoundingClientRect().left - n.closest('.window').getBoundingClientRect().left)"
    )
    before = planes.evaluate_all(lefts)
    box = viewer.locator(".window").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 60, steps=3)
    page.mouse.up()
    after = planes.evaluate_all(lefts)
    assert [b - a for a, b in zip(before, after, strict=True)] == pytest.approx([40] * len(after), abs=1)
    page.keyboard.press("0")
    assert viewer.locator(".zoom-says").inner_text() == ""


def test_all_runs_of_a_case_stand_side_by_side(page: Page) -> None:
    page.locator(".case .result").first.click()
    viewer = page.locator("dialog.viewer")
    page.keyboard.press("4")
    assert viewer.locator(".pane").count() == 1 + len(EDITORS)
    captions = viewer.locator(".pane figcaption").all_inner_texts()
    assert all(any(name in caption for caption in captions) for name in EDITORS)
    viewer.get_by_label("What to show of every run").select_option("error")
    assert viewer.locator(".pane .levels").count() == len(EDITORS)


def test_edits_are_shown_in_full_size_from_the_run_beside_the_report(page: Page) -> None:
    page.locator(".case .result").first.click()
    viewer = page.locator("dialog.viewer")
    settle(viewer)
    notes = dict(zip(("Input", "Answer", "Edit"), viewer.locator(".pane .note").all_inner_texts(), strict=False))
    assert notes == {"Input": "256 × 256", "Answer": "256 × 256", "Edit": "full size, 256 × 256"}
    page.keyboard.press("2")  # what is compared is of one size, or the sharper picture would seem better
    expect(viewer.locator(".pane .note")).to_have_text("256 × 256 · open full size")


def test_a_sharp_edit_never_stands_beside_a_blurred_input(
    browser: Browser, runs: list[Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editscope.report.html.larger_pictures.MOST", 0)  # as where the page has no room
    out = without_plots(runs[:2], runs[0].path.parent / "small.html")
    with opened(browser, out) as page:
        page.locator(".case .result").first.click()
        notes = page.locator("dialog.viewer .pane .note")
        expect(notes.nth(2)).to_have_text("small, 160 × 160 · open full size")
        assert notes.all_inner_texts()[:2] == ["small, 160 × 160"] * 2


def test_a_bundle_shows_everything_in_full_size_wherever_it_goes(
    browser: Browser, runs: list[Run], tmp_path: Path
) -> None:
    out = without_plots(runs[:2], tmp_path / "made" / "report.html", bundle=True)
    away = tmp_path / "away"
    shutil.move(out.parent, away)
    with opened(browser, away / "report.html") as page:
        page.locator(".case .result").first.click()
        viewer = page.locator("dialog.viewer")
        for role in range(3):
            expect(viewer.locator(".pane .note").nth(role)).to_have_text("full size, 256 × 256")
        page.keyboard.press("2")
        expect(viewer.locator(".pane .note")).to_have_text("full size, 256 × 256")


def test_a_report_that_was_sent_alone_shows_the_small_pictures(browser: Browser, report: Path, tmp_path: Path) -> None:
    alone = shutil.copy(report, tmp_path / "alone.html")
    watched = Watched()
    with opened(browser, Path(alone), watched) as page:
        page.locator(".case .result").first.click()
        viewer = page.locator("dialog.viewer")
        expect(viewer.locator(".pane .note").nth(2)).to_have_text("256 × 256")
        for _ in range(4):
            page.keyboard.press("ArrowRight")
        expect(viewer.locator(".pane .note").nth(2)).to_have_text("256 × 256")
    missing = [url for url in watched.asked if url.endswith(".png")]
    assert len(missing) <= 2  # a folder that is not there is not asked again and again


class _Counting(SimpleHTTPRequestHandler):
    asked: list[str]

    def __init__(self, *arguments: object, asked: list[str], **options: object) -> None:
        self.asked = asked
        super().__init__(*arguments, **options)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def served(runs: list[Run]) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = partial(_Counting, asked=asked, directory=str(runs[0].path.parent))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_report_that_is_served_finds_its_pictures_too(
    browser: Browser, report: Path, served: tuple[str, list[str]]
) -> None:
    address, asked = served
    watched = Watched()
    with opened(browser, f"{address}/{report.name}", watched) as page:
        page.locator(".case .result").first.click()
        settle(page.locator("dialog.viewer"))
    assert watched.said == []
    assert any(path.endswith("_output.png") for path in asked)


def test_the_page_lets_nothing_be_fetched_from_the_network(
    browser: Browser, report: Path, served: tuple[str, list[str]]
) -> None:
    address, asked = served
    attempt = """address => new Promise((done) => {
      const image = new Image();
      image.onload = () => done('loaded');
      image.onerror = () => done('refused');
      image.src = address + '/report.html?image';
      fetch(address + '/report.html?fetch').catch(() => {});
      const script = document.createElement('script');
      script.src = address + '/report.html?script';
      document.body.append(script);
    })"""
    with opened(browser, report, Watched()) as page:
        assert page.evaluate(attempt, address) == "refused"
        page.wait_for_timeout(200)
    assert asked == []


def test_maps_of_runs_made_before_level_maps_are_shown_as_they_are(browser: Browser, tmp_path: Path) -> None:
    old = without_plots([make_run(tmp_path, "old", slots=1)], tmp_path / "old.html")
    with opened(browser, old) as page:
        page.locator(".case .result").first.click()
        viewer = page.locator("dialog.viewer")
        expect(viewer.locator(".pane").last).to_contain_text("at ΔE 5, from an older run")
        assert viewer.locator(".pane").last.locator("img").count() == 1


class Thinker(es.Editor):
    """Says what it was really asked and what it thought, with markup in both."""

    name = "thinker"

    def edit(self, case: es.Request) -> es.Edit:
        asked = f"<b>Plainly:</b> {case.instruction}"
        return es.Edit(case.case_id, image=case.arrays[0], asked=asked, trace="first I look\n" + "then I think " * 400)


def test_the_viewer_shows_what_the_model_was_really_asked_and_its_trace(browser: Browser, tmp_path: Path) -> None:
    suite = load_suite("paintbench", canvas="256x256", conditions="baseline", per_mode=1)
    run = execute_run(suite, Thinker(), out=tmp_path / "run", where={"task": "border"}, limit=2, progress=False)
    with opened(browser, without_plots([run], tmp_path / "report.html")) as page:
        viewer = look(page, run.records()[0].case_id, "A")
        expect(viewer.locator(".story")).to_contain_text(f"<b>Plainly:</b> {run.records()[0].instruction}")
        expect(viewer.locator(".story")).to_contain_text("first I look")
        expect(viewer.locator(".story")).to_contain_text(re.compile("then I think .{0,20} …"))
