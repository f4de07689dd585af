"""Several tabs and people at the same moment, on SQLite and PostgreSQL: one wins, and all get an answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from editscope.studio.annotate.tables import REVISIONS
from editscope.studio.review.tables import DECISIONS, REVIEWERS
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.tables import RATERS, VOTES
from support.studio.postgres import database_of
from support.studio.route_calls import RawClient
from support.studio.studio_server import studio
from support.studio.whole_studio import WholeStudio, whole_studio

pytestmark = pytest.mark.slow
TABS = 8


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[WholeStudio, str]]:
    """A studio with something in every part, and its address."""
    folder: Path = tmp_path_factory.mktemp("tabs")
    with database_of(request.param) as database:
        made = whole_studio(folder, database)
        with studio(folder, database=database) as address:
            yield made, address


def at_once(address: str, ask: Callable[[RawClient, int], tuple[int, Any]]) -> list[tuple[int, Any]]:
    """The answers to what several tabs ask at the same moment."""

    def tab(number: int) -> tuple[int, Any]:
        with closing(RawClient(address)) as client:
            return ask(client, number)

    with ThreadPoolExecutor(TABS) as pool:
        return list(pool.map(tab, range(TABS)))


def sent(client: RawClient, method: str, target: str, body: Any) -> tuple[int, Any]:
    answer = client.send(method, target, body)
    return answer.status, json.loads(answer.body)


def counted(made: WholeStudio, table: Any, *where: Any) -> int:
    store = Store.opened(Settings(made.folder, database=made.database))
    try:
        with store.reading() as connection:
            return int(connection.execute(select(func.count()).select_from(table).where(*where)).scalar_one())
    finally:
        store.close()


def test_tabs_that_vote_on_one_item_leave_one_vote(place: tuple[WholeStudio, str]) -> None:
    made, address = place
    before = counted(made, VOTES)

    def ask(client: RawClient, number: int) -> tuple[int, Any]:
        ballot = {"item": made.waiting[0], "key": f"key-of-tab-{number}", "side": ("left", "right")[number % 2]}
        return sent(client, "POST", f"/rate/{made.rater}/api/votes", {"votes": [ballot]})

    answers = at_once(address, ask)
    assert {status for status, _ in answers} == {200}
    assert Counter(answer["receipts"][0]["status"] for _, answer in answers) == {"saved": 1, "already": TABS - 1}
    assert counted(made, VOTES) == before + 1


def test_tabs_that_save_one_case_leave_one_revision_and_the_others_learn_of_it(place: tuple[WholeStudio, str]) -> None:
    made, address = place
    case = made.cases[0]
    target = f"/annotate/api/{made.project}/cases/{case}"

    def ask(client: RawClient, number: int) -> tuple[int, Any]:
        values = {**made.values, "explicit_prompt": f"words of tab {number}"}
        return sent(client, "PUT", target, {"base": 1, "values": values, "token": f"token-of-{number}"})

    answers = at_once(address, ask)
    assert Counter(status for status, _ in answers) == {200: 1, 409: TABS - 1}
    (won,) = [number for number, (status, _) in enumerate(answers) if status == 200]
    assert all(a["values"]["explicit_prompt"] == f"words of tab {won}" for status, a in answers if status == 409)
    assert counted(made, REVISIONS, REVISIONS.c.case_id == case) == 2


def test_one_save_that_arrives_several_times_at_once_is_one_revision(place: tuple[WholeStudio, str]) -> None:
    made, address = place
    case = made.cases[1]
    values = {**made.values, "index": "1", "explicit_prompt": "sent again and again"}
    body = {"base": 1, "values": values, "token": "the-same-token"}
    answers = at_once(
        address, lambda client, _: sent(client, "PUT", f"/annotate/api/{made.project}/cases/{case}", body)
    )
    assert [(status, answer.get("revision")) for status, answer in answers] == [(200, 2)] * TABS
    assert counted(made, REVISIONS, REVISIONS.c.case_id == case) == 2


def test_one_decision_that_arrives_several_times_at_once_is_one(place: tuple[WholeStudio, str]) -> None:
    made, address = place
    record = {"record": made.record.id, "fingerprint": made.record.fingerprint, "decision": "accept", "key": "k" * 12}
    target = f"/rate/review/{made.reviewer}/api/decisions"
    answers = at_once(address, lambda client, _: sent(client, "POST", target, record))
    assert answers == [(200, {"saved": "k" * 12, "done": 1})] * TABS
    assert counted(made, DECISIONS) == 1


def test_reviewers_raters_and_projects_that_are_added_at_once(place: tuple[WholeStudio, str]) -> None:
    made, address = place
    people = f"/review/{made.queue}/api/reviewers"
    answers = at_once(address, lambda client, _: sent(client, "POST", people, {"name": "the same"}))
    assert Counter(status for status, _ in answers) == {200: 1, 409: TABS - 1}
    assert counted(made, REVIEWERS, REVIEWERS.c.name == "the same") == 1
    before = counted(made, RATERS)
    raters = at_once(address, lambda client, _: sent(client, "POST", "/studies/people/api/raters", {"number": 2}))
    assert raters == [(200, {"added": 2})] * TABS
    assert counted(made, RATERS) == before + 2 * TABS
    cases = at_once(address, lambda client, _: sent(client, "POST", f"/annotate/api/{made.project}/cases", {}))
    assert Counter(status for status, _ in cases) == {201: TABS}
    with closing(RawClient(address)) as client:
        targets = [f"/annotate/api/{made.project}/cases/{answer['case']}/history" for _, answer in cases]
        ids = [sent(client, "GET", target, None)[1]["revisions"][0]["content"]["index"] for target in targets]
        assert len(set(ids)) == TABS
        for _, answer in cases:
            gone = {"base": 1, "token": "of-the-removal"}
            assert sent(client, "DELETE", f"/annotate/api/{made.project}/cases/{answer['case']}", gone)[0] == 200
    new = {"name": "at once", "layout": "picabench", "folder": "physics"}
    answers = at_once(address, lambda client, _: sent(client, "POST", "/annotate/api/projects", new))
    assert Counter(status for status, _ in answers) == {201: 1, 400: TABS - 1}


def test_a_project_is_exported_and_decisions_are_listed(place: tuple[WholeStudio, str]) -> None:
    made, address = place
    with closing(RawClient(address)) as client:
        status, answer = sent(client, "POST", f"/annotate/api/{made.project}/export", {"folder": "written out"})
        assert (status, answer["cases"], answer["loaded"]) == (200, 3, 3), answer
        rows = [
            json.loads(line) for line in client.send("GET", f"/review/{made.queue}/decisions.jsonl").text.splitlines()
        ]
        assert [row["id"] for row in rows] == ["rec-0", "rec-1"]
        for page in ("/annotate", f"/annotate/{made.project}", "/review", f"/review/{made.queue}", "/studies/people"):
            assert client.send("GET", page).status == 200
