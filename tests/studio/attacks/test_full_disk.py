"""A disk without room: what cannot be saved is refused with a sentence, and arrives once when there is room again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import func, select

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.tables import VOTES
from support.studio.route_calls import RawClient, RouteCall, everything_in, route_calls
from support.studio.small_disk import KINDS, SmallDisk, small_disk
from support.studio.studio_server import StudioProcess
from support.studio.watched_page import studio_page
from support.studio.whole_studio import WholeStudio, whole_studio

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("kind", KINDS)]
FULL = "disk of the studio is full"


@contextmanager
def on_small_disk(folder: Path, kind: str) -> Iterator[tuple[SmallDisk, WholeStudio, str]]:
    """A studio with something in every part on a small disk, and its address."""
    with small_disk(folder, kind) as disk:
        if disk is None:
            pytest.skip("needs root to mount a small file system")
        made = whole_studio(folder)
        process = StudioProcess(folder)
        disk.pid = process.process.pid
        try:
            yield disk, made, process.address
        finally:
            process.stop()
        assert "Traceback" not in "".join(process.said)


def votes(folder: Path) -> int:
    store = Store.opened(Settings(folder))
    try:
        with store.reading() as connection:
            return int(connection.execute(select(func.count()).select_from(VOTES)).scalar_one())
    finally:
        store.close()


def folders(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {".ballast"}


def that_writes(call: RouteCall, made: WholeStudio) -> RouteCall:
    """A request that has something to save: other words for a case, more items than the rater has."""
    new: dict[str, Any] = {"values": {**made.values, "explicit_prompt": "changed"}, "want": 40}
    for name in new.keys() & call.fields.keys():
        call = call.sending(name, new[name])
    return call


def test_nothing_is_half_saved_and_every_request_is_accepted_when_there_is_room(kind: str, tmp_path: Path) -> None:
    with ExitStack() as opened:
        disk, made, address = opened.enter_context(on_small_disk(tmp_path, kind))
        calls = route_calls(made, address)
        client = opened.enter_context(closing(RawClient(address)))
        changes = [that_writes(call, made) for call in calls if call.changes and not call.template.endswith("/check")]
        before, there = everything_in(made), folders(tmp_path)
        disk.fill()
        for call in changes:
            answer = client.call(call.sending("open", False) if "open" in call.fields else call)
            assert answer.status == 507 and FULL in answer.text, (call.name, answer.status, answer.text)
        for call in calls:
            if not call.changes:
                assert client.call(call).status == 200, call.name
        disk.free()
        assert everything_in(made) == before and folders(tmp_path) == there
        for call in changes:
            assert client.call(call).status in (200, 201), call.name
        assert votes(tmp_path) == 2  # the earlier one, and the one that was refused before
        ballot = next(call for call in changes if call.name.endswith("/api/votes"))
        (receipt,) = json.loads(client.call(ballot).body)["receipts"]
        assert receipt["status"] == "saved" and votes(tmp_path) == 2  # sent again, counted once


def test_votes_wait_in_the_browser_until_there_is_room(kind: str, browser: Browser, tmp_path: Path) -> None:
    with on_small_disk(tmp_path, kind) as (disk, made, address):
        with studio_page(browser, f"{address}/rate/{made.rater}", excused=("status of 507",)) as page:
            shown = page.locator("#work .choice img").first
            expect(shown).to_be_visible()
            page.keyboard.press("ArrowLeft")
            expect(page.locator("#saved")).to_have_text("All votes saved")
            page.wait_for_load_state("networkidle")
            disk.fill()
            for number in (1, 2, 3):
                page.keyboard.press("ArrowRight")
                expect(page.locator("#saved")).to_contain_text(f"{number} vote")
            expect(page.locator("#saved")).to_contain_text("3 votes kept here")
            disk.free()
            expect(page.locator("#saved")).to_have_text("All votes saved", timeout=60_000)
        assert votes(tmp_path) == 5
