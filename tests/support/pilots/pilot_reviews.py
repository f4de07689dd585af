"""People who review a pilot in a real browser: they accept most records, reject one and change the text of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from drills.counts import times
from editscope.factory.steps.review import FOLDER
from editscope.review_queue import DECISIONS_FILE, QueueRecord, read_decisions, read_queue
from support.studio.reviewing import decide
from support.studio.studio_server import studio
from support.studio.watched_page import studio_page

BY_HAND = times(5, 10_000)
"""Records of a queue that are decided in the browser; the others are accepted over the studio's API."""


@dataclass(frozen=True)
class ReviewTask:
    """What a person does at a review step: texts to write into one record, and why another one is rejected.

    ``changed`` and ``rejected`` are the places of these records in the queue.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    changed: int = 0
    rejected: int = 3


@dataclass(frozen=True)
class BrowserReviews:
    """Reviews the queues of a build as they come up, each as its task says; others are accepted whole.

    ``looked`` has a look at the page of the first record of a queue. ``queues`` are the records that people saw.
    """

    browser: Browser
    tasks: Mapping[str, ReviewTask]
    looked: Callable[[Page, QueueRecord], None] = lambda page, record: None
    queues: dict[str, list[QueueRecord]] = field(default_factory=dict)

    def __call__(self, build: Path) -> None:
        """Decide on all that waits."""
        for folder in sorted((build / FOLDER).iterdir()):
            if not (folder / DECISIONS_FILE).is_file():
                self.queues[folder.name] = read_queue(folder)
                self._review(build, folder)

    def changed(self, step: str) -> str:
        """The id of the record whose text was changed."""
        return self.queues[step][self.tasks[step].changed].id

    def rejected(self, step: str) -> str:
        """The id of the record that was rejected."""
        return self.queues[step][self.tasks[step].rejected].id

    def _review(self, build: Path, folder: Path) -> None:
        records, task = self.queues[folder.name], self.tasks.get(folder.name, ReviewTask())
        by_hand = max(BY_HAND, task.changed + 1)
        with studio(build) as address, studio_page(self.browser, f"{address}/review") as page:
            page.get_by_role("link", name=folder.name, exact=True).click()
            page.get_by_label("Name").fill("Ann")
            page.get_by_role("button", name="Add").click()
            page.get_by_role("link", name="open").click()
            for place, record in enumerate(records[:by_hand]):
                _comes(page, record.id)
                if place == 0:
                    self.looked(page, record)
                _decide(page, place, task)
            saved = page.locator('#saved[data-state="saved"]')
            saved.wait_for()
            for number in range(by_hand, len(records)):
                assert decide(page.url, number, "accept")[0] == 200
            if len(records) > by_hand:
                page.reload()
            _comes(page, "")
            expect(page.locator("#progress")).to_have_text(f"{len(records)} of {len(records)} decided by you")
        made = read_decisions(folder)
        assert {name for name, one in made.items() if one.outcome != "accept"} == (
            {records[task.rejected].id} if task.reason else set()
        )


def _decide(page: Page, place: int, task: ReviewTask) -> None:
    if place == task.changed:
        for name, text in task.texts.items():
            page.get_by_label(name, exact=True).fill(text)
        page.get_by_role("button", name="Accept").click()
    elif place == task.rejected and task.reason:
        page.get_by_label("Reason to reject").select_option(task.reason)
        page.get_by_role("button", name="Reject").click()
    else:
        page.keyboard.press("a")


def _comes(page: Page, record: str) -> None:
    """Wait for a record, or for the end where it has no name."""
    page.locator(f'html[data-record="{record}"]').wait_for(state="attached")


def as_decided(reviews: BrowserReviews, step: str, records: Mapping[str, Mapping[str, Any]]) -> None:
    """Of a finished build: one record has the texts that a person wrote, and the one that was rejected is gone."""
    task = reviews.tasks[step]
    assert not [name for name in records if _from(name, reviews.rejected(step))]
    changed = [fields for name, fields in records.items() if _from(name, reviews.changed(step))]
    assert changed and all(fields[name] == text for fields in changed for name, text in task.texts.items())
    others = {reviews.changed(step), reviews.rejected(step)}
    for record in (one for one in reviews.queues[step] if one.id not in others):
        for fields in (fields for name, fields in records.items() if _from(name, record.id)):
            assert {name: str(fields.get(name) or "") for name in record.texts} == dict(record.texts)


def _from(name: str, record: str) -> bool:
    """Whether a record is another one or was made of it."""
    return name == record or name.startswith(f"{record}.")
