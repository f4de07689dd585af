"""What a server and a network can do to an edit: it ends with the right picture or the right status, nothing else."""

from __future__ import annotations

import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from editscope.cases import Edit
from editscope.editors import Editor
from editscope.errors import BadInput, Stopped
from editscope.images import encode_png
from editscope.transport.budget import BudgetSpent
from support.hosted_edits import edited
from support.servers.editor_server import KEY, Fault, OpenAIServer, Outcome, Reply, Seen, negative, quick, request

PASSING: dict[str, Outcome] = {
    "429": Fault(429),
    "429 with Retry-After": Fault(429, headers={"Retry-After": "0.05"}),
    "500": Fault(500),
    "502": Fault(502, headers={"Retry-After": "0"}),
    "503": Fault(503),
    "hang": Fault(kind="hang"),
    "drop": Fault(kind="drop"),
    "truncated body": Fault(kind="truncated"),
    "HTML for JSON": Fault(kind="malformed"),
    "empty body": Fault(kind="empty"),
    "no picture": Reply(text_only=True),
    "broken base64": Reply(broken_base64=True),
    "0-byte picture": Reply(b""),
    "truncated picture": Reply(encode_png(np.random.default_rng(1).integers(0, 256, (32, 32, 3), np.uint8))[:900]),
    "no picture at all": Reply(b"<html>busy</html>"),
}
LASTING = {
    "400": Fault(400, "image is not a picture"),
    "403": Fault(403, "not for you"),
    "404": Fault(404, "no such model"),
    "413": Fault(413, "too large"),
    "redirect": Fault(301, "moved", headers={"Location": "http://127.0.0.1:9/elsewhere"}),
    "an hour's pause": Fault(429, headers={"Retry-After": "3600"}),
}
CLOSED = {
    "401": Fault(401, f"Incorrect API key provided: {KEY}"),
    "402": Fault(402, "pay first"),
    "no credit": Fault(429, "You exceeded it", error={"code": "insufficient_quota"}),
    "billing": Fault(400, "Billing hard limit has been reached", error={"code": "billing_hard_limit_reached"}),
}
UNREADABLE = ("0-byte picture", "truncated picture", "no picture at all")


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def edited_at_once(editor: Editor, count: int) -> list[Edit | BaseException]:
    """Edits from as many threads as the editor bears, as the engine asks for them."""

    def one(number: int) -> Edit | BaseException:
        try:
            return edited(editor, number)
        except Stopped as stop:
            return stop

    editor.load()
    with ThreadPoolExecutor(editor.at_once) as pool:
        return list(pool.map(one, range(count)))


@pytest.mark.slow
@pytest.mark.parametrize("fault", PASSING)
def test_what_passes_is_tried_again_until_the_picture_is_there(used: Callable[..., Editor], fault: str) -> None:
    with OpenAIServer([PASSING[fault], Reply()]) as server:
        edit = edited(used(server.spec(), timeout_s=3.0 if fault == "hang" else 60.0))
    assert edit.status == "ok" and np.array_equal(edit.image, negative(request().arrays[0]))  # type: ignore[arg-type]
    assert server.calls == edit.attempts == 2


@pytest.mark.parametrize("fault", LASTING)
def test_what_lasts_is_an_error_at_once(used: Callable[..., Editor], fault: str) -> None:
    with OpenAIServer([LASTING[fault], Reply()]) as server:
        edit = edited(used(server.spec()))
    assert (edit.status, edit.image, server.calls) == ("error", None, 1)
    assert edit.reason and KEY not in repr(edit)


@pytest.mark.parametrize("fault", ["429", "503", "500", "drop", "empty body", "broken base64", *UNREADABLE])
def test_what_does_not_pass_has_its_status_after_so_many_attempts(used: Callable[..., Editor], fault: str) -> None:
    with OpenAIServer([PASSING[fault]]) as server:
        edit = edited(used(server.spec(), retries=2))
    attempts = 2 if fault in UNREADABLE else 7 if fault in ("429", "503") else 3
    assert (edit.status, edit.image) == ("no_output" if fault in UNREADABLE else "error", None)
    assert server.calls == edit.attempts == attempts, "waiting cures load; a picture of no use is paid for each time"
    assert f"({attempts} attempts)" in str(edit.reason)


@pytest.mark.parametrize("fault", CLOSED)
def test_an_account_that_is_turned_away_stops_the_run_and_fails_no_edit(
    used: Callable[..., Editor], fault: str
) -> None:
    with OpenAIServer([Reply(), CLOSED[fault]]) as server:
        editor = used(server.spec(), concurrency=1)
        assert edited(editor).status == "ok"
        for number in (1, 2):
            with pytest.raises(Stopped, match="cannot be asked any more") as raised:
                edited(editor, number)
        assert server.calls == 2, "nobody is asked again after that"
    assert KEY not in str(raised.value)


def test_a_moderation_block_is_refused_with_what_the_server_says_and_is_not_sent_again(
    used: Callable[..., Editor],
) -> None:
    with OpenAIServer([Reply(refused=f"Rejected by the safety system for {KEY}.")]) as server:
        edit = edited(used(server.spec()))
    assert (edit.status, edit.image, server.calls, edit.cost_usd) == ("refused", None, 1, 0.0)
    assert "Rejected by the safety system for [key]." in str(edit.reason)


def test_a_server_that_is_not_there_is_an_error(used: Callable[..., Editor]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        spec = f"openai:gpt-image-1?base_url=http://127.0.0.1:{taken.getsockname()[1]}/v1"
        edit = edited(used(spec, retries=1))
    assert (edit.status, edit.attempts, edit.cost_usd) == ("error", 2, 0.0)
    assert "no connection" in str(edit.reason)


def test_latency_is_that_of_the_request_that_succeeded_and_the_cost_counts_what_was_lost(
    used: Callable[..., Editor],
) -> None:
    script: list[Outcome] = [Fault(500, latency=0.3), Fault(kind="drop", latency=0.3), Reply(usage={}, latency=0.05)]
    with OpenAIServer(script) as server:
        began = time.perf_counter()
        edit = edited(used(server.spec(quality="low", size="1024x1024")))
        took = time.perf_counter() - began
    assert edit.latency_s is not None and 0.05 <= edit.latency_s <= took - 0.6, "without the two that failed"
    assert edit.cost_usd == pytest.approx(2 * (0.011 + 0.003)), "the dropped one may have been paid for, the 500 not"
    assert "the cost counts a lost request that may have been paid for" in edit.notes


def test_waiting_for_a_place_is_no_part_of_the_latency(used: Callable[..., Editor]) -> None:
    with OpenAIServer(latency=0.1) as server:
        editor = used(server.spec(), concurrency=1)
        editor.load()
        began = time.perf_counter()
        with ThreadPoolExecutor(4) as pool:
            latencies = [edit.latency_s or 0.0 for edit in pool.map(lambda number: edited(editor, number), range(4))]
        took = time.perf_counter() - began
    assert server.peak == 1 and min(latencies) >= 0.1
    assert sum(latencies) <= took, "one after the other: no moment counts twice"


def test_as_many_at_once_as_allowed_and_each_gets_its_own_picture(used: Callable[..., Editor]) -> None:
    with OpenAIServer(latency=0.03) as server:
        editor = used(server.spec(), concurrency=6)
        edits = edited_at_once(editor, 30)
    assert 2 <= server.peak <= 6 and editor.at_once == 6
    for number, edit in enumerate(edits):
        assert isinstance(edit, Edit)
        assert np.array_equal(edit.image, negative(request(number).arrays[0]))  # type: ignore[arg-type]


def test_a_busy_server_is_asked_less_and_rpm_spreads_the_rest(used: Callable[..., Editor]) -> None:
    def script(seen: Seen) -> Outcome:
        return Fault(429, headers={"Retry-After": "0.1"}) if seen.number < 4 else Reply()

    with OpenAIServer(script) as server:
        editor: Any = used(server.spec(), concurrency=4)
        edits = edited_at_once(editor, 4)
        limit = editor._traffic.control.limit
    assert Counter(edit.status for edit in edits if isinstance(edit, Edit)) == {"ok": 4}
    assert limit < 4, "one burst halves the limit, successes add a little"
    with OpenAIServer() as server:
        began = time.monotonic()
        edited_at_once(used(server.spec(), rpm=600, concurrency=16), 16)
    assert max(seen.time for seen in server.seen) - began >= 0.5, "600 a minute, ten of them at once"


def test_a_budget_in_dollars_is_kept_to_the_last_edit_and_then_stops_the_run(used: Callable[..., Editor]) -> None:
    with OpenAIServer([Reply(usage={})], latency=0.01) as server:
        editor = used(server.spec(quality="low", size="1024x1024"), max_cost=0.1, concurrency=4)
        ended = edited_at_once(editor, 20)
    done = [edit for edit in ended if isinstance(edit, Edit)]
    assert (len(done), server.calls) == (7, 7), "seven at 1.4 cents fit into ten cents"
    assert {type(stop) for stop in ended if not isinstance(stop, Edit)} == {BudgetSpent}
    said = {str(stop) for stop in ended if isinstance(stop, BudgetSpent)}
    assert all("--max-edit-cost" in one and "$0.10" in one for one in said)


def test_a_budget_of_requests_counts_those_that_may_have_been_paid_for(used: Callable[..., Editor]) -> None:
    def script(seen: Seen) -> Outcome:
        return Fault(429) if seen.number == 1 else Fault(kind="drop") if seen.number == 3 else Reply()

    with OpenAIServer(script) as server:
        ended = edited_at_once(used(server.spec(), max_calls=5, concurrency=1), 9)
    assert sum(isinstance(edit, Edit) for edit in ended) == 4
    assert server.calls == 6, "five that count and one that was turned away"
    assert "--max-edits" in str(ended[-1])


@pytest.mark.parametrize(("outcome", "each"), [(Fault(500), 1), (Reply(b"not a picture"), 2)])
def test_a_server_that_has_stopped_giving_pictures_stops_the_run(
    used: Callable[..., Editor], outcome: Outcome, each: int
) -> None:
    with OpenAIServer([outcome]) as server:
        ended = edited_at_once(used(server.spec(), retries=0, concurrency=1), 20)
    failed = [edit for edit in ended if isinstance(edit, Edit)]
    assert len(failed) == 11 and server.calls == 12 * each
    assert "has not answered 12 edits in a row" in str(ended[-1])


def test_an_address_in_the_reply_is_fetched_without_the_key(used: Callable[..., Editor]) -> None:
    with OpenAIServer([Reply(by_url=True)], keys=[KEY]) as server:
        edit = edited(used(server.spec()))
    assert edit.status == "ok" and np.array_equal(edit.image, negative(request().arrays[0]))  # type: ignore[arg-type]
    assert (server.fetches, server.leaks) == (1, 0)


def test_a_fetch_that_fails_is_tried_again_and_the_edit_is_not_asked_for_twice(used: Callable[..., Editor]) -> None:
    picture = encode_png(np.zeros((8, 8, 3), np.uint8))
    with OpenAIServer() as server:
        moved = server.file(server.file(Fault(503), Fault(kind="drop"), picture))
        server.script = [Reply(raw={"data": [{"url": moved}]}), Reply(raw={"data": [{"url": server.file(Fault(404))}]})]
        assert edited(used(server.spec())).status == "ok"
        assert server.calls == 1 and server.fetches >= 5, "a busy server, a broken connection, each after a redirect"
        gone = edited(used(server.spec()))
    assert (gone.status, server.calls) == ("error", 2) and "could not be fetched (404)" in str(gone.reason)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x.png", "gopher://x", "http://[::1", "x"])
def test_nothing_but_http_is_fetched_whoever_points_there(used: Callable[..., Editor], url: str) -> None:
    with OpenAIServer() as server:
        pointed = [url] if url == "x" else [url, server.file(url)]
        for where in pointed:
            server.script = [Reply(raw={"data": [{"url": where}]})]
            edit = edited(used(server.spec(), retries=0))
            assert edit.status == "error" and "not http or https" in str(edit.reason)


def test_a_server_on_the_internet_cannot_point_into_the_local_network() -> None:
    from editscope.editors.hosted import Exchange, Failed, ServiceSettings
    from editscope.editors.hosted.vendors.openai_images import OpenAIImages

    exchange = Exchange(None, OpenAIImages(ServiceSettings("m", OpenAIImages.home)), KEY, 1.0)
    for url in ("https://169.254.169.254/latest", "https://localhost/x", "https://10.0.0.1/x", "http://example.org/x"):
        with pytest.raises(Failed):
            exchange._must_be_safe(url)
    exchange._must_be_safe("https://files.example.org/x.png")
    assert exchange.may_see_key("https://api.openai.com/v1/x")
    assert not exchange.may_see_key("https://api.openai.com.example.org/x")


def test_a_reply_without_end_is_cut_off(used: Callable[..., Editor], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editscope.editors.hosted.exchange.MOST_PICTURE", 1000)
    with OpenAIServer([Reply(by_url=True), Reply()]) as server:
        edit = edited(used(server.spec(), retries=0), side=64)
    assert edit.status == "error" and "the reply is too large" in str(edit.reason)


def test_limits_that_make_no_sense_are_named(used: Callable[..., Editor]) -> None:
    for limits in ({"concurrency": 0}, {"rpm": -1.0}, {"timeout_s": 0.0}, {"retries": -1}):
        with pytest.raises(BadInput, match=f"limit {next(iter(limits))} of the editor"):
            used("openai:gpt-image-1", **limits)


def test_closing_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    with OpenAIServer() as server:
        editor = quick(server.spec())
        editor.load()
        assert edited(editor).status == "ok"
        editor.close()
        editor.close()
    assert threading.active_count() == before
