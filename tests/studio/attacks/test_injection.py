"""Texts with markup, other directions or 100,000 characters, in every field that is kept: shown as text, everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from editscope.review_queue import QueueRecord, write_queue
from editscope.studio.review.queues import key_of
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.studies.creating import create_study
from editscope.studio.studies.design import StudyDesign
from editscope.studio.studies.material import Material
from editscope.studio.studies.raters import add_raters
from editscope.studio.studies.records import find_study
from support.studio.made_study import made_cases
from support.studio.route_calls import RawClient, RouteCall, route_calls
from support.studio.studio_server import studio
from support.studio.watched_page import studio_page
from support.studio.whole_studio import WholeStudio, whole_studio

pytestmark = pytest.mark.slow
TAG = "<i id=planted"
LONG = 100_000


def nasty(field: str) -> str:
    """A text that would leave a script, an attribute or an element, and turns the direction of what follows."""
    return f"\"'></script>{TAG}>{field}\u202e مرحبا"


def escaped(field: str) -> tuple[str, ...]:
    """How pages may show it: as HTML, and in the data of a script."""
    text = f"{TAG}>{field}"
    in_html = text.replace("<", "&lt;").replace(">", "&gt;")
    return in_html, text.replace("<", "\\u003c").replace(">", "\\u003e"), text.replace("<", "\\u003C")


KEPT = (
    *("NewExclusion.reason", "NewProject.name", "NewReviewer.name", "NewDecision.reason", "NewDecision.note"),
    *("explicit_prompt", "design.question", "design.welcome", "design.consent", "record.text"),
    *("record.field", "record.made by"),
)
"""Fields whose texts are kept and shown again, by body and name."""


def plant_study(made: WholeStudio) -> str:
    """A study whose every text is nasty; the secret of a rater of it."""
    store = Store.opened(Settings(made.folder))
    try:
        words: dict[str, Any] = {name: nasty(f"design.{name}") for name in ("title", "question", "welcome", "consent")}
        cases = [replace(case, instruction=nasty("instruction")) for case in made_cases(2)]
        material = Material(tuple(cases), dict.fromkeys(cases[0].edits, ""))
        create_study(store, Settings(made.folder), "nasty", StudyDesign(**words), material, cases)
        with store.writing() as connection:
            return add_raters(connection, find_study(connection, "nasty"), 1)[0].secret
    finally:
        store.close()


def plant(client: RawClient, calls: list[RouteCall], made: WholeStudio) -> dict[str, str]:
    """Send nasty texts in every field of every body, and what else keeps texts; addresses that show them."""
    names = {call.name: call for call in calls}
    for call in calls:
        for name, make in call.texts() if call.changes else ():
            for text in (nasty(f"{body_of(call)}.{name}"), nasty("long") + "x" * LONG):
                answer = client.send(call.method, call.target(), call.sending(name, make(text)).body)
                assert answer.status < 500, (call.name, name, answer.text[:300])
    values = {**made.values, "explicit_prompt": nasty("explicit_prompt")}
    save = names["PUT /annotate/api/{project}/cases/{case}"]
    for base, saved in enumerate((values, {**values, "intermediate_prompt": "\u202e" + "ש" * LONG}), start=1):
        body = {"base": base, "values": saved, "token": f"token-of-{base}"}
        assert client.send("PUT", save.target(), body).status == 200
    texts = {"text": nasty("record.text")}
    record = QueueRecord("one", {}, texts, {"f": nasty("record.field")}, {"by": nasty("record.made by")})
    write_queue(made.folder / "nasty", [record])
    key = key_of("nasty")
    links = {}
    for person, role in (("a", "reviewer"), ("b", "reviewer"), ("c", "adjudicator")):
        added = client.send("POST", f"/review/{key}/api/reviewers", {"name": person, "role": role})
        links[person] = json.loads(added.body)["link"]
    decision = {"record": "one", "fingerprint": record.fingerprint, "decision": "reject"}
    sent: dict[str, Any] = {"reason": nasty("NewDecision.reason"), "note": nasty("NewDecision.note"), "key": "k" * 9}
    assert client.send("POST", f"{links['a']}/api/decisions", decision | sent).status == 200
    accept = {"decision": "accept", "texts": {"text": nasty("edited")}, "key": "k" * 10}
    assert client.send("POST", f"{links['b']}/api/decisions", decision | accept).status == 200
    rater = plant_study(made)
    client.send("POST", f"/rate/{rater}/api/items", {"agreed": True})
    return {
        "studies": "/studies", "study": "/studies/people", "nasty study": "/studies/nasty", "rating": f"/rate/{rater}",
        "projects": "/annotate", "project": f"/annotate/{made.project}",
        "search": f"/annotate/{made.project}?q=%3Ci%20id%3Dplanted",
        "case": f"/annotate/{made.project}/case/{made.cases[0]}", "queues": "/review", "queue": f"/review/{made.queue}",
        "nasty queue": f"/review/{key}", "reviewing": links["c"],
    }  # fmt: skip


def body_of(call: RouteCall) -> str:
    """The name of the body of a request."""
    return {
        "/studies/{name}/api/exclusions": "NewExclusion",
        "/annotate/api/projects": "NewProject",
        "/review/{key}/api/reviewers": "NewReviewer",
    }.get(call.template, call.name)


@contextmanager
def planted(folder: Path) -> Iterator[tuple[str, RawClient, list[RouteCall], dict[str, str]]]:
    made = whole_studio(folder)
    with studio(folder) as address:
        calls = route_calls(made, address)
        client = RawClient(address)
        try:
            yield address, client, calls, plant(client, calls, made)
        finally:
            client.close()


def test_no_text_that_was_sent_becomes_markup_on_any_page(tmp_path: Path) -> None:
    with planted(tmp_path) as (_, client, calls, pages):
        targets = [call.target() for call in calls if not call.changes] + list(pages.values())
        targets += [f"{pages['reviewing']}/api/record/0", f"{pages['nasty queue']}/decisions.jsonl"]
        seen: dict[str, set[str]] = {}
        for target in targets:
            answer = client.send("GET", target)
            assert answer.status < 500, target
            if answer.headers["content-type"].startswith("text/html"):
                assert TAG not in answer.text, target
            for field in KEPT:
                plain = answer.headers["content-type"].startswith("application/") and f"{TAG}>{field}" in answer.text
                if plain or any(text in answer.text for text in escaped(field)):
                    seen.setdefault(field, set()).add(target)
    assert set(seen) == set(KEPT), set(KEPT) - set(seen)


def test_pages_with_such_texts_run_none_of_them_and_stay_within_the_window(browser: Browser, tmp_path: Path) -> None:
    with planted(tmp_path) as (address, _, _, pages):
        for name, path in pages.items():
            # Plotly itself has an inline style for a page with plots, which the policy refuses.
            excused = ("Applying inline style",) if name == "study" else ()
            with studio_page(browser, address + path, excused=excused) as page:
                expect(page.locator("main")).to_be_visible()
                page.wait_for_load_state("networkidle")
                assert page.locator("#planted").count() == 0, name
                wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert wide <= 0, (name, wide)
                if name == "study":
                    page.wait_for_selector(".plot .svg-container")
                boxes = [plot.bounding_box() for plot in page.locator(".plot .svg-container").all()]
                assert bool(boxes) == (name == "study")
                sides = [(box["x"], box["x"] + box["width"]) for box in boxes if box is not None]
                assert all(ends <= starts for (_, ends), (starts, _) in pairwise(sides[:2])), sides
