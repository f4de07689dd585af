"""Attacks on every route of the studio, taken from its table of routes: paths, other sites, missing tokens, bodies."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from editscope.studio.access import LARGEST_BODY
from support.judged_data import draw
from support.nasty_strings import HALVES
from support.studio.made_study import NAMES
from support.studio.route_calls import RawClient, RouteCall, everything_in, route_calls
from support.studio.studio_server import studio
from support.studio.whole_studio import WholeStudio, whole_studio

pytestmark = pytest.mark.slow
TOKEN = "a-long-secret-of-the-admin"
MARK = b"a secret outside of the studio"
LEAKS = (MARK, b"SQLite format 3", b"create_app", b"root:x:0")


@dataclass(frozen=True)
class Attacked:
    """A studio, its routes, and a connection to it."""

    made: WholeStudio
    calls: list[RouteCall]
    client: RawClient

    def changing(self) -> list[RouteCall]:
        """The requests that change something."""
        return [call for call in self.calls if call.changes]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> WholeStudio:
    return whole_studio(tmp_path_factory.mktemp("outside") / "studio")


@contextmanager
def attacked(made: WholeStudio, **settings: str) -> Iterator[Attacked]:
    with studio(made.folder) as address:
        calls = route_calls(made, address)
    with studio(made.folder, **settings) as address:
        client = RawClient(address)
        try:
            yield Attacked(made, calls, client)
        finally:
            client.close()


@pytest.fixture(scope="module")
def target(filled: WholeStudio) -> Iterator[Attacked]:
    """A studio of loopback."""
    with attacked(filled) as found:
        yield found


def ways_out(folder: Path) -> Iterator[str]:
    """Texts that lead to files outside of the studio's folder, or into its own."""
    for up in ("../", "../../", "..%2f", "..%2F..%2f", "%2e%2e/", "..\\", "....//", "%252e%252e%252f"):
        yield f"{up}secret.png"
    yield from (str(folder.parent / "secret.png"), "/etc/passwd", "file:///etc/passwd", ".editscope-studio/studio.db")
    yield from ("../../src/editscope/studio/app.py", "..", ".", "~root", "", "a%00.png", "%ff%fe", "x" * 3000)


def files_outside(folder: Path) -> set[Path]:
    return {path for path in folder.parent.rglob("*") if not path.is_relative_to(folder)}


def test_no_parameter_of_any_route_is_a_way_out_of_the_folder(target: Attacked, filled: WholeStudio) -> None:
    folder = filled.folder
    draw(folder.parent / "secret.png", 3)
    with (folder.parent / "secret.png").open("ab") as file:
        file.write(MARK)
    before, asked = files_outside(folder), 0
    for call in target.calls:
        for way in ways_out(folder):
            raw = way.replace("\\", "%5c")
            targets = [(call.target(**{name: raw}), call.body) for name in call.path]
            targets += [(call.asking(name, way).target(), call.body) for name in call.asks]
            targets += [(call.target(), call.sending(name, make(way)).body) for name, make in call.texts()]
            for address, body in targets:
                answer = target.client.send(call.method, address, body)
                asked += 1
                assert answer.status < 500, (call.name, address, body, answer.text)
                assert not any(leak in answer.body for leak in LEAKS), (call.name, address)
                assert str(folder).encode() not in answer.body, (call.name, address, body, answer.text[:500])
    assert asked > 1_000
    assert files_outside(folder) == before


def test_an_address_with_a_nul_is_no_page_of_any_route(target: Attacked) -> None:
    for call in target.calls:
        addresses = [call.target(**{name: "a%00b"}) for name in call.path]
        for address in (*addresses, *(call.asking(name, "a\0b").target() for name in call.asks)):
            assert target.client.send(call.method, address, call.body).status == 404, (call.name, address)


FOREIGN = (
    {"Origin": "http://attacker.example"},
    {"Origin": "null"},
    {"Origin": "http://["},
    {"Sec_Fetch_Site": "cross-site"},
    {"Sec_Fetch_Site": "same-site", "Origin": "http://127.0.0.1:1"},
    {"Content_Type": "text/plain"},
    {"Content_Type": "application/x-www-form-urlencoded"},
    {"Content_Type": "multipart/form-data; boundary=x"},
)


def test_no_other_site_changes_anything_through_any_route(target: Attacked, filled: WholeStudio) -> None:
    before = everything_in(filled)
    assert len(target.changing()) > 10
    for call in target.changing():
        for headers in FOREIGN:
            if "Content_Type" in headers and call.body is None:
                continue
            answer = target.client.call(call, **headers)
            assert answer.status in (403, 415), (call.name, headers, answer.status)
    assert everything_in(filled) == before


def test_bodies_that_are_too_large_or_no_json_are_refused_by_every_route(
    target: Attacked, filled: WholeStudio
) -> None:  # fmt: skip
    before = everything_in(filled)
    bodies = (
        b"[" * 100_000,
        b'{"number": ' + b"9" * 5_000 + b"}",
        b'{"\xff": 1}',
        b'{"\\ud800": 1}',
        b"NaN",
        b'"text"',
        b"null",
        b"",
    )
    for call in target.changing():
        for body in bodies if call.body is not None else ():
            answer = target.client.send(call.method, call.target(), body)
            assert 400 <= answer.status < 500, (call.name, body[:30], answer.status)
        for headers in ({"Content-Length": str(LARGEST_BODY + 1)}, {"Content-Length": "9" * 400}):
            refused = RawClient(target.client.address)  # one that does not wait for the body that was announced
            assert refused.send(call.method, call.target(), b"{}", headers).status in (400, 413), call.name
            refused.close()
    assert everything_in(filled) == before


def test_half_of_a_character_and_nul_get_a_sentence_in_every_text(target: Attacked) -> None:
    for call in target.changing():
        for name, make in call.texts():
            for text in ("a\0b" + "c" * 8, *(f"good {half} good" for half in HALVES[:3])):
                answer = target.client.send(call.method, call.target(), call.sending(name, make(text)).body)
                assert answer.status in (400, 404, 409, 422), (call.name, name, text, answer.status, answer.text)


def test_without_the_token_no_route_answers_but_those_of_raters(filled: WholeStudio) -> None:
    with attacked(filled, host="0.0.0.0", admin_token=TOKEN) as target:
        before = everything_in(filled)
        for call in target.calls:
            for headers in ({}, {"Cookie": "editscope_studio=forged"}, {"Cookie": f"editscope_studio={TOKEN}"}):
                if not call.for_raters:
                    answer = target.client.call(call, **headers)
                    assert answer.status == 401, call.name
                    assert not any(name in answer.text for name in NAMES)
        assert everything_in(filled) == before
        assert target.client.send("GET", "/openapi.json").status == 401
        signed_in = target.client.send("GET", f"/?token={TOKEN}").headers["set-cookie"].partition(";")[0]
        target.client.runs_are_read(signed_in)
        for call in target.calls:
            if not call.changes:
                assert target.client.call(call, Cookie=signed_in).status == 200, call.name
                if call.for_raters:
                    assert target.client.call(call).status == 200, call.name


def test_a_link_that_is_forged_or_another_persons_opens_no_route_of_raters(
    target: Attacked, filled: WholeStudio
) -> None:
    before = everything_in(filled)
    links = [call for call in target.calls if call.for_raters]
    assert len(links) > 8
    for call in links:
        reviewing = call.template.startswith("/rate/review/")
        another_kind = filled.rater if reviewing else filled.reviewer
        own = filled.reviewer if reviewing else filled.rater
        for secret in ("forged", another_kind, own[:-1], own.swapcase(), f"{own}x", "x" * 5_000, "%27%20OR%201=1"):
            answer = target.client.send(call.method, call.target(secret=secret), call.body)
            assert answer.status in (400, 404), (call.name, secret, answer.status)
            assert own not in answer.text and not any(name in answer.text for name in NAMES)
        if "item" in call.path:  # a picture of an item that another rater was given
            assert target.client.send("GET", call.target(secret=filled.other_rater)).status == 404
    assert everything_in(filled) == before


def test_a_withdrawn_link_opens_no_route_until_it_is_given_back(target: Attacked, filled: WholeStudio) -> None:
    links = [call for call in target.calls if call.template.startswith("/rate/{secret}")]
    switch = "/studies/people/api/raters/1"
    assert target.client.send("POST", switch, {"open": False}).status == 200
    before = everything_in(filled)
    for call in links:
        answer = target.client.call(call)
        assert answer.status == 400 and "withdrawn" in answer.text, (call.name, answer.text)
    assert everything_in(filled) == before
    assert target.client.send("POST", switch, {"open": True}).status == 200
    assert all(target.client.call(call).status == 200 for call in links if not call.changes)


def test_a_link_that_two_browsers_use_is_told_to_the_admin(tmp_path: Path) -> None:
    made = whole_studio(tmp_path)
    with attacked(made) as target:
        for number, item in enumerate(made.waiting[:2]):
            ballot = {"item": item, "key": f"a-key-of-{number}", "side": "left", "browser": f"browser-{number}"}
            answer = target.client.send("POST", f"/rate/{made.rater}/api/votes", {"votes": [ballot]})
            assert json.loads(answer.body)["receipts"][0]["status"] == "saved"
        page = target.client.send("GET", "/studies/people").text
    assert "browsers" in page
