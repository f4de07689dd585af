"""A database that is locked, full, read-only or damaged: every answer is a sentence, and no vote is lost."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from sqlalchemy import event, text
from sqlalchemy.exc import DBAPIError

from editscope.errors import BadInput
from editscope.studio.failures import told_of_database
from editscope.studio.settings import OWN_FOLDER, Settings
from editscope.studio.store import engine
from editscope.studio.store.engine import FILE, Store
from editscope.studio.store.group_commit import GroupCommit
from editscope.studio.studies.records import Rater
from support.studio.annotated import call
from support.studio.made_study import made_study
from support.studio.studio_server import studio
from support.studio.watched_page import studio_page


def made(folder: Path) -> Rater:
    store = Store.opened(Settings(folder))
    _, raters = made_study(store, folder, raters=1)
    store.close()
    return raters[0]


def given(address: str, rater: Rater) -> list[Any]:
    status, answer = call(address, f"/rate/{rater.secret}/api/items", "POST", {"want": 3, "agreed": True})
    assert status == 200, answer
    return list(answer["items"])


def vote(address: str, rater: Rater, item: Any) -> tuple[int, Any]:
    ballot = {"item": item["key"], "key": f"key-{item['key']}", "side": "left"}
    return call(address, f"/rate/{rater.secret}/api/votes", "POST", {"votes": [ballot]})


def test_a_locked_database_refuses_a_vote_with_a_sentence_and_takes_it_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BUSY_S", 0.2)
    rater = made(tmp_path)
    with studio(tmp_path) as address:
        items = given(address, rater)
        other = sqlite3.connect(tmp_path / OWN_FOLDER / FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        status, answer = vote(address, rater, items[0])
        assert status == 503 and "locked" in answer["error"] and "nothing was saved" in answer["error"]
        assert call(address, "/studies/people/api/raters", "POST", {"number": 1})[0] == 503
        other.execute("ROLLBACK")
        other.close()
        status, answer = vote(address, rater, items[0])
        assert status == 200 and answer["receipts"][0]["status"] == "saved"


def test_a_rater_keeps_votes_that_the_database_does_not_take_and_reads_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Browser
) -> None:
    monkeypatch.setattr(engine, "BUSY_S", 0.2)
    rater = made(tmp_path)
    excused = ("Failed to load resource",)
    with studio(tmp_path) as address, studio_page(browser, f"{address}/rate/{rater.secret}", excused=excused) as page:
        page.click("text=I agree, start")
        expect(page.locator(".frame img")).to_have_count(3)
        other = sqlite3.connect(tmp_path / OWN_FOLDER / FILE, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#saved")).to_have_text("Not saved yet: 1 vote kept here, sent later")
        expect(page.locator("#saved")).to_have_attribute("title", re.compile("locked; nothing was saved"))
        other.execute("ROLLBACK")
        other.close()
        expect(page.locator("#saved")).to_have_text("All votes saved")


def test_a_full_disk_is_told_by_admin_pages_too(tmp_path: Path) -> None:
    store = Store.opened(Settings(tmp_path))

    @event.listens_for(store.engine, "connect")
    def no_room(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    store.engine.dispose()
    with pytest.raises(OSError, match="disk is full") as caught, store.writing() as connection:
        connection.execute(text("CREATE TABLE more AS SELECT randomblob(1000000) AS a"))
    store.close()
    cause = caught.value.__cause__
    assert isinstance(cause, DBAPIError)
    assert told_of_database(cause) == (507, "The disk of the studio is full; nothing was saved.")


def test_a_database_that_may_not_be_written_says_so(tmp_path: Path) -> None:
    made(tmp_path)
    place = tmp_path / OWN_FOLDER / FILE
    store = Store(engine.make_engine(f"sqlite:///file:{place}?mode=ro&uri=true"))
    with pytest.raises(DBAPIError) as caught, store.writing() as connection:
        connection.execute(text("CREATE TABLE more (a INTEGER)"))
    store.close()
    status, said = told_of_database(caught.value)
    assert status == 503 and "cannot be written" in said


def damage(place: Path) -> None:
    connection = sqlite3.connect(place)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with place.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(place.stat().st_size - 100))


def test_a_database_that_is_damaged_meanwhile_is_told_on_every_page(tmp_path: Path) -> None:
    rater = made(tmp_path)
    with studio(tmp_path) as address:
        items = given(address, rater)
        damage(tmp_path / OWN_FOLDER / FILE)
        status, answer = vote(address, rater, items[0])
        assert status == 503 and "damaged" in answer["error"]
        status, answer = call(address, "/studies")
        assert status == 503 and "damaged" in answer["error"]


@pytest.mark.parametrize("content", [b"hello" * 1000, os.urandom(5000)])
def test_a_studio_does_not_start_on_a_file_that_is_no_database(content: bytes, tmp_path: Path) -> None:
    (tmp_path / OWN_FOLDER).mkdir()
    (tmp_path / OWN_FOLDER / FILE).write_bytes(content)
    with pytest.raises(BadInput, match=r"studio\.db is damaged .* put a copy of it back, or move it away"):
        Store.opened(Settings(tmp_path))
    assert (tmp_path / OWN_FOLDER / FILE).read_bytes() == content


@pytest.mark.slow
def test_the_command_says_that_the_database_is_damaged(tmp_path: Path, editscope: Any) -> None:
    (tmp_path / OWN_FOLDER).mkdir()
    (tmp_path / OWN_FOLDER / FILE).write_bytes(b"hello" * 1000)
    for command in (("studio", tmp_path, "--no-browser", "--port", "0"), ("study", "status", "--dir", tmp_path)):
        ended = editscope(*command)
        assert ended.returncode == 2 and "is damaged" in ended.stderr and "Traceback" not in ended.stderr


def test_an_answer_that_nobody_waits_for_any_more_does_not_end_the_writer(tmp_path: Path) -> None:
    store = Store.opened(Settings(tmp_path))
    writer = GroupCommit(store)

    def echo(connection: Any, values: Any) -> Any:
        return values

    first = writer.submit(echo, 1)
    assert not first.cancel()
    assert [first.result(60), writer.submit(echo, 2).result(60)] == [1, 2]
    writer.close()
    store.close()


def test_numbers_that_no_database_holds_are_refused(tmp_path: Path) -> None:
    made(tmp_path)
    with studio(tmp_path) as address:
        assert call(address, f"/studies/people/api/exclusions/{10**20}", "DELETE")[0] == 422
        assert call(address, "/studies/people/api/exclusions", "POST", {"rater": 10**20, "reason": "x"})[0] == 422
        assert call(address, f"/studies/people/api/raters/{10**20}", "POST", {"open": False})[0] == 422
