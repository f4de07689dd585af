"""Review: two people decide without seeing each other, an adjudicator settles, nothing that was saved is lost."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Route, expect

from editscope.review_queue import QueueRecord, write_queue
from editscope.studio.review.queues import key_of
from support.judged_data import draw
from support.studio.reviewing import add, ask, decide
from support.studio.studio_server import studio
from support.studio.watched_page import AWAY, studio_page

NASTY = "</script><img src=x onerror=alert(1)> \u202e مرحبا"


def make_queue(folder: Path, n: int = 3) -> str:
    """A queue of n records with two pictures each; its key."""
    for number in range(n):
        draw(folder / "q" / f"{number}a.png", number)
        draw(folder / "q" / f"{number}b.png", number + 50)
    write_queue(
        folder / "q",
        [
            QueueRecord(
                f"rec-{i}",
                {"source": f"{i}a.png", "edit": f"{i}b.png"},
                {"instruction": f"Wish {i} {NASTY}"},
                {"law": "optics"},
                {"made by": "hand"},
            )
            for i in range(n)
        ],
    )
    return key_of("q")


def exported(address: str, key: str) -> list[dict[str, Any]]:
    """The export of decisions."""
    with urllib.request.urlopen(f"{address}/review/{key}/decisions.jsonl", timeout=30) as answer:
        return [json.loads(line) for line in answer.read().decode().splitlines()]


@pytest.mark.slow
def test_two_reviewers_and_an_adjudicator_decide(tmp_path: Path) -> None:
    key = make_queue(tmp_path)
    with studio(tmp_path) as address:
        ann, bo = add(address, key, "ann"), add(address, key, "bo")
        judge = add(address, key, "cy", "adjudicator")
        assert ask(f"{judge}/api/next")[1]["number"] is None
        assert decide(ann, 0, "accept")[0] == decide(bo, 0, "accept")[0] == 200
        assert decide(ann, 1, "accept", texts={"instruction": "better"})[0] == 200
        assert decide(bo, 1, "reject", reason="wrong edit", note="blurred")[0] == 200
        assert decide(ann, 2, "reject")[0] == 400, "a reason is needed"
        assert ask(f"{bo}/api/record/1")[1]["others"] == [], "reviewers do not see each other"
        assert ask(f"{ann}/api/next")[1] == {"number": 2, "done": 2, "total": 3}
        assert ask(f"{judge}/api/next")[1]["number"] == 1
        assert [other["reviewer"] for other in ask(f"{judge}/api/record/1")[1]["others"]] == ["ann", "bo"]
        assert [row["outcome"] for row in exported(address, key)] == ["accept", "disputed", "pending"]
        assert decide(judge, 1, "accept", texts={"instruction": "settled"})[0] == 200
        row = exported(address, key)[1]
        assert (row["outcome"], row["texts"], row["adjudicated"]) == ("accept", {"instruction": "settled"}, True)
        assert [(one["reviewer"], one["decision"], one["reason"]) for one in row["decisions"]] == [
            ("ann", "accept", ""),
            ("bo", "reject", "wrong edit"),
            ("cy", "accept", ""),
        ]
    with studio(tmp_path) as address:  # another studio of the folder knows it all
        assert exported(address, key)[1]["outcome"] == "accept"


@pytest.mark.slow
def test_a_decision_counts_once_can_be_changed_and_is_void_when_its_record_changes(tmp_path: Path) -> None:
    key = make_queue(tmp_path, 1)
    with studio(tmp_path) as address:
        ann = add(address, key, "ann")
        assert decide(ann, 0, "accept")[0] == decide(ann, 0, "accept")[0] == 200, "sent twice"
        assert len(exported(address, key)[0]["decisions"]) == 1
        decide(ann, 0, "reject", reason="other")
        assert [one["decision"] for one in exported(address, key)[0]["decisions"]] == ["reject"]
        status, answer = decide(ann, 0, "accept", fingerprint="old", key="another-key")
        assert status == 409 and "changed since" in answer["error"]
        (tmp_path / "q" / "queue.jsonl").write_text('{"id": "rec-0", "texts": {"instruction": "new"}}\n')
        assert exported(address, key)[0]["outcome"] == "pending"
        assert ask(f"{ann}/api/next")[1]["number"] == 0


@pytest.mark.slow
def test_only_those_with_a_link_or_the_token_get_in(tmp_path: Path) -> None:
    key = make_queue(tmp_path)
    token = "a-long-secret-of-the-admin"
    with studio(tmp_path) as address:
        link = add(address, key, "ann").removeprefix(address)
        assert ask(f"{address}/review/{key}/api/reviewers", {"name": "ann"})[0] == 409
    with studio(tmp_path, admin_token=token) as address:
        assert ask(f"{address}/review")[0] == ask(f"{address}/review/{key}/decisions.jsonl")[0] == 401
        assert ask(f"{address}/review/{key}/api/reviewers", {"name": "eve"})[0] == 401
        assert ask(f"{address}{link}/api/next")[0] == 200
        assert ask(f"{address}/rate/review/forged/api/next")[0] == 404
        assert ask(f"{address}/rate/review/%00/api/next")[0] == 404
        assert ask(f"{address}{link}/api/record/99")[0] == ask(f"{address}{link}/picture/0/9")[0] == 404
        assert ask(f"{address}{link}/picture/0/..%2f..%2fqueue.jsonl")[0] in (404, 422)
        given = {"record": "rec-0", "fingerprint": "", "decision": "accept", "key": "k" * 8}
        assert ask(f"{address}{link}/api/decisions", given, Origin="http://attacker.example")[0] == 403
        assert ask(f"{address}{link}/api/decisions", given | {"decision": "maybe"})[0] == 422
        assert ask(f"{address}{link}/api/decisions", given | {"record": "rec-9"})[0] == 404


def test_a_form_waits_for_its_script(tmp_path: Path, browser: Browser) -> None:
    """A person who is faster than the script would lose what they wrote: the page would be loaded again."""
    key = make_queue(tmp_path)
    with studio(tmp_path) as address, studio_page(browser, f"{address}/review") as page:
        held: list[Route] = []
        page.route("**/static/review/queue.js", lambda route: held.append(route))
        page.goto(f"{address}/review/{key}", wait_until="commit")
        page.get_by_label("Name").fill("Ann")
        expect(page.get_by_role("button", name="Add")).to_be_disabled()
        page.get_by_label("Name").press("Enter")
        expect(page.get_by_label("Name")).to_have_value("Ann")
        page.wait_for_function("document.readyState !== 'loading'")
        held[0].continue_()
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("link", name="open")).to_be_visible()


def test_a_person_reviews_by_keyboard_goes_back_and_loses_nothing_when_the_studio_is_away(
    tmp_path: Path, browser: Browser
) -> None:
    key = make_queue(tmp_path)
    (tmp_path / "q" / "1b.png").write_bytes(b"no picture")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "queue.jsonl").write_text("nonsense\n")
    with studio(tmp_path) as address, studio_page(browser, f"{address}/review", excused=AWAY) as page:
        expect(page.get_by_text("line 1 is not JSON")).to_be_visible()
        page.get_by_role("link", name="q", exact=True).click()
        page.get_by_label("Name").fill("Ann")
        page.get_by_role("button", name="Add").click()
        page.get_by_role("link", name="open").click()
        title = page.locator("#record-id")
        expect(title).to_have_text("1. rec-0")
        expect(page.get_by_label("instruction")).to_have_value(f"Wish 0 {NASTY}")
        page.keyboard.press("e")
        page.keyboard.press("Control+A")
        page.keyboard.type("A better wish")
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        expect(title).to_have_text("2. rec-1")
        expect(page.locator("#saved")).to_have_text("saved")
        expect(page.get_by_text("This picture is missing or cannot be read.")).to_be_visible()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_label("instruction")).to_have_value("A better wish")
        page.keyboard.press("ArrowRight")
        expect(title).to_have_text("2. rec-1")
        page.context.set_offline(True)
        page.get_by_label("Reason to reject").select_option("bad picture")
        page.get_by_label("Reason to reject").blur()
        page.keyboard.press("r")
        expect(page.locator("#saved")).to_contain_text("not saved yet")
        expect(title).to_have_text("3. rec-2")
        page.context.set_offline(False)
        expect(page.locator("#saved")).to_have_text("saved")
        page.keyboard.press("a")
        expect(page.get_by_role("heading", name="Nothing waits for you")).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_text("Back to the record before")).to_be_visible()
        rows = exported(address, key)
        assert [[one["decision"] for one in row["decisions"]] for row in rows] == [["accept"], ["reject"], ["accept"]]
        assert rows[0]["decisions"][0]["texts"] == {"instruction": "A better wish"}
        assert rows[1]["decisions"][0]["reason"] == "bad picture"
