"""Pages of trainings: what they say, what they survive, and that nothing from outside acts in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from editscope.errors import BadInput
from editscope.training.log import TrainingLog
from editscope.training.log.metrics_file import FILE, read_training
from editscope.training.page import write_training_page
from editscope.training.page.findings import best_steps, reward_before, steps_there, stop
from support.command_line import Called
from support.nasty_strings import BUNDLES
from support.reports.report_browser import opened
from support.training.rollouts import rollouts
from support.training.trainings import write_training


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_training(tmp_path_factory.mktemp("trainings") / "mine", steps=80, side=48)


def text_of(page: Path) -> str:
    """The words of a page, without markup and scripts."""
    html = re.sub(r"<(script|style)\b.*?</\1>", " ", page.read_text(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def without_plotly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without Plotly's script, which is most of them."""
    for module in ("training.page.page", "report.html.plots.plotly_frame"):
        monkeypatch.setattr(f"editscope.{module}.installed", lambda: False)


def test_the_best_checkpoint_is_that_of_the_best_held_out_score(training: Path) -> None:
    record = read_training(training)
    best, other = best_steps(record)
    scores = record.curve("held_out/miou")
    assert (best.step, best.value) == max(scores, key=lambda point: point[1]) and best.step == 50
    assert (best.last_step, best.last_value) == scores[-1] and best.checkpoint == "Checkpoint step-50 was saved."
    assert other.metric == "held_out/preservation_accuracy" and other.step == 80


def test_a_best_checkpoint_that_was_removed_is_not_offered(tmp_path: Path) -> None:
    with TrainingLog(tmp_path, trackers=()) as log:
        for step, score, distance in ((1, 9.0, 3.0), (2, 8.0, 1.0)):
            log.step(step, {"held_out/miou": score, "held_out/lpips": distance})
            log.event(step, "checkpoint", f"Checkpoint of step {step} saved.")
    there = tmp_path / "checkpoints" / "step-00000002"
    there.mkdir(parents=True)
    (there / "state.json").write_text("{}")
    assert steps_there(tmp_path) == {2}
    words = text_of(write_training_page(tmp_path))
    gone = "Checkpoint of step 1 saved. It is no longer in the folder: [checkpoints] keep removes old ones."
    assert words.count(gone) == 2, "in the first sentence and in the table"
    assert "Checkpoint of step 2 saved. It is not" not in words


def test_a_number_that_is_no_score_has_no_best_checkpoint_and_of_a_distance_the_lowest_is(tmp_path: Path) -> None:
    with TrainingLog(tmp_path, trackers=()) as log:
        for step, value in ((1, 1.0), (2, 8.0)):
            names = ("lpips", "loss", "over_edit_ratio", "identity_rate", "miou")
            log.step(step, {f"held_out/{name}": value for name in names})
    best = {one.metric: one.step for one in best_steps(read_training(tmp_path))}
    assert best == {"held_out/miou": 2, "held_out/lpips": 1, "held_out/loss": 1}


def test_each_score_stands_against_the_rewards_since_the_one_before(tmp_path: Path) -> None:
    with TrainingLog(tmp_path, trackers=()) as log:
        for step in range(1, 5):
            log.step(step, {"reward/miou": step})
        log.step(2, {"held_out/miou": 10.0})
        log.step(4, {"held_out/miou": 20.0})
    assert reward_before(read_training(tmp_path), "reward/miou", "held_out/miou") == [(2, 1.5, 10.0), (4, 3.5, 20.0)]


def test_a_training_that_went_on_after_a_stop_is_not_stopped(tmp_path: Path) -> None:
    with TrainingLog(tmp_path, trackers=()) as log:
        log.step(5, {"loss": 1.0})
        log.event(5, "stopped", "The loss was no number.")
    assert stop(read_training(tmp_path)) is not None
    with TrainingLog(tmp_path, trackers=(), start=5) as log:
        assert stop(read_training(tmp_path)) is not None
        log.step(6, {"loss": 1.0})
    assert stop(read_training(tmp_path)) is None


@pytest.mark.slow
def test_a_page_says_what_to_know(training: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_plotly(monkeypatch)
    page = write_training_page(training, tmp_path / "mine.html")
    words = text_of(page)
    for part in (
        "The best step by mIoU is 50 (43); the last one, 80, has 22.4. Checkpoint step-50 was",
        "Stopped at step 80: The identity rate is 0.62",
        "80 steps",
        "started 2 times, the last time from step 40",
        "Held-out score against reward",
        "divided by the seconds of the step and by the dense bf16 operations a second",
        "The disk is full; the checkpoint of step 200 is whole. (superseded)",
        "stream:paintbench?size=512 3 75.0 %",
        "optimizer. rate 0.0001",
        "Recolor the square to red.",
    ):
        assert part in words
    assert words.count("Identity rate") and words.count("Over-edit ratio") and words.count("Pictures a second")
    assert write_training_page(training, tmp_path / "again.html").read_bytes() == page.read_bytes(), (
        "same log, same page"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b'{"kind":"step"', b'{"kind":"step","step":1}\nnull\n[1]\n', b"\xff\x00" * 99]
)
def test_an_empty_or_cut_log_gives_a_page(tmp_path: Path, content: bytes, editscope: Callable[..., Called]) -> None:
    (tmp_path / FILE).write_bytes(content)
    written = editscope("report", tmp_path)
    assert written.returncode == 0 and "Traceback" not in written.stderr
    assert "No step was logged yet" in text_of(tmp_path / "report.html")


def test_a_log_that_is_cut_anywhere_gives_a_page(
    training: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_plotly(monkeypatch)
    data = (training / FILE).read_bytes()
    for share in (0.003, 0.2, 0.5, 0.9):
        (tmp_path / FILE).write_bytes(data[: int(share * len(data))])
        write_training_page(tmp_path)
    lines = data.splitlines(keepends=True)
    (tmp_path / FILE).write_bytes(b"".join([*lines[:5], b"{}\n", lines[5].replace(b"0.", b"1."), *lines[6:9]]))
    assert f"2 lines of {FILE} cannot be read as written" in text_of(write_training_page(tmp_path))


def test_one_step_and_numbers_at_the_ends_of_their_range_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_plotly(monkeypatch)
    values = {"loss": 1e-300, "rate": 0.0, "gradient_norm": 1e300, "reward/a": -1e9, "held_out/x": 5e-324, "kl": 0}
    with TrainingLog(tmp_path, trackers=()) as log:
        log.step(10**12, values)
    words = text_of(write_training_page(tmp_path))
    assert "nan" not in words.lower() and "1,000,000,000,000 steps" in words


@pytest.mark.slow
def test_nothing_from_outside_acts_in_a_page(tmp_path: Path, browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    without_plotly(monkeypatch)
    evil = [
        *BUNDLES,
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        '"><b>',
        "javascript:alert(1)",
    ]
    settings = {text: text for text in evil} | {"data": {"parts": [{text: text} for text in evil]}}
    with TrainingLog(tmp_path / "mine", settings=settings, trackers=()) as log:
        for text in evil:
            log.step(1, {text: 1.0, f"reward/{text}": 1.0, f"held_out/{text}": 1.0})
            log.event(1, text, text)
        given = rollouts(1, count=1)[0]
        made = [
            replace(given, example=replace(given.example, id=f"{n}", instruction=text)) for n, text in enumerate(evil)
        ]
        log.sample(1, made[-12:])
    page = write_training_page(tmp_path / "mine", title=evil[-2])
    html = page.read_text()
    assert "<img src=x" not in html and "<script>alert" not in html and '"><b>' not in html
    with opened(browser, page, ready=".card") as shown:
        assert shown.locator("section#events").is_visible()


@pytest.mark.slow
def test_a_case_can_be_looked_at_large_at_every_step(training: Path, browser: Browser) -> None:
    page = write_training_page(training)
    with opened(browser, page, ready=".card") as shown:
        shown.locator(".shots button").nth(2).click()
        viewer = shown.locator("dialog.viewer")
        assert viewer.locator(".pane").count() == 3 and "step 10" in viewer.locator(".steps").inner_text()
        viewer.get_by_text("full size, 48 × 48").first.wait_for()
        shown.keyboard.press("ArrowDown")
        assert viewer.locator(".steps output").inner_text() == "step 20"
        viewer.get_by_role("button", name="All steps").click()
        assert viewer.locator(".pane").count() == 2 + 8
        viewer.get_by_role("button", name="Zoom in").click()
        assert viewer.locator(".zoom-says").inner_text() == "2 ×"
        shown.keyboard.press("ArrowRight")
        assert "recolor/001" in viewer.locator("h2").inner_text()
        viewer.get_by_role("button", name="Blink").click()
        shown.keyboard.press("Escape")
        assert not viewer.is_visible()


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_fits_its_window(training: Path, browser: Browser, width: int, scheme: str) -> None:
    page = write_training_page(training)
    with opened(browser, page, ready=".card", viewport={"width": width, "height": 900}, color_scheme=scheme) as shown:
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        shown.locator("figure.plot").first.scroll_into_view_if_needed()  # a plot is drawn when it is seen
        shown.locator("figure.plot .live .main-svg").first.wait_for()


@pytest.mark.parametrize("path", ["../secret.png", "/etc/passwd", "a/../../b.png", "\ud800.png", "a\0b.png", 7, None])
def test_pictures_outside_of_the_folder_are_no_samples(tmp_path: Path, path: object) -> None:
    case = {"id": "a", "instruction": "b", "inputs": ["samples/a/input.png"], "answer": None, "edit": path}
    line = {"kind": "samples", "step": 1, "seconds": 1.0, "cases": [case]}
    (tmp_path / FILE).write_text(json.dumps(line) + "\n")
    record = read_training(tmp_path)
    assert record.samples == {} and record.damaged == 1


def test_what_is_no_training_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no training: it has no metrics\.jsonl"):
        write_training_page(tmp_path)
    (tmp_path / FILE).write_text("")
    with pytest.raises(BadInput, match=r"ends in \.html"):
        write_training_page(tmp_path, tmp_path / "page.md")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(BadInput, match="is a folder"):
        write_training_page(tmp_path, tmp_path / "folder.html")


@pytest.mark.slow
def test_the_command_knows_a_training(training: Path, editscope: Callable[..., Called], tmp_path: Path) -> None:
    written = editscope("report", training, "--out", tmp_path / "page.html", "--title", "My training")
    assert written.returncode == 0 and written.stdout.strip().endswith("page.html")
    assert text_of(tmp_path / "page.html").startswith("My training")
    for arguments, words in (
        ((training, training), "give its folder alone"),
        ((training, "--bundle"), "--bundle is for reports of runs"),
        ((training, "--out", tmp_path / "page.tex"), "the report of a training is an HTML page"),
    ):
        refused = editscope("report", *arguments)
        assert refused.returncode == 2 and words in " ".join(refused.stderr.split())


def test_samples_of_a_resumed_training_are_those_that_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_plotly(monkeypatch)
    with TrainingLog(tmp_path, trackers=()) as log:
        log.sample(5, rollouts(5))
        log.sample(9, rollouts(9))
    with TrainingLog(tmp_path, trackers=(), start=5) as log:
        log.sample(7, rollouts(7))
    words = text_of(write_training_page(tmp_path))
    assert "Step 5" in words and "Step 7" in words and "Step 9" not in words
