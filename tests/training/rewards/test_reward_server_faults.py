"""`editscope serve-reward` under faults: each is told in one sentence, and the next request is answered as ever."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from aiohttp import web

from editscope.errors import BadInput, EditscopeError, Stopped
from editscope.images import encode_png
from editscope.training.rewards import Reward, RewardValue, Rollout, load_reward
from editscope.training.rewards.client import RewardClient
from editscope.training.rewards.server.messages import PACKED, write_picture, write_rollout
from support.servers.http_editor_server import Raw
from support.servers.loopback import Loopback
from support.servers.reward_server import RewardServer
from support.training.rollouts import ANSWER, SOURCE, a_rollout, shades

pytestmark = pytest.mark.slow

GOOD = write_rollout(a_rollout())
PATIENCE_S = 600.0


@pytest.fixture(scope="module")
def server() -> Iterator[RewardServer]:
    with RewardServer(suites=["paintbench"], max_body=1 << 20, max_pixels=20_000, silent_s=0.5) as running:
        yield running


def connected(url: str) -> socket.socket:
    at = urlsplit(url)
    assert at.hostname and at.port
    return socket.create_connection((at.hostname, at.port), timeout=PATIENCE_S)


def head(length: int, *headers: str) -> bytes:
    lines = ["POST /reward HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def answer(url: str, body: bytes, *headers: str) -> tuple[int, dict[str, Any]]:
    """The status and the JSON that the server says to a body."""
    with closing(connected(url)) as wire:
        wire.sendall(head(len(body), "Connection: close", *headers) + body)
        return read_answer(wire)


def read_answer(wire: socket.socket) -> tuple[int, dict[str, Any]]:
    said = b""
    while piece := wire.recv(1 << 16):
        said += piece
    top, _, content = said.partition(b"\r\n\r\n")
    return (int(top.split()[1]), json.loads(content)) if top else (0, {})


def a_body(**changed: Any) -> bytes:
    fields = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    return json.dumps({"rollouts": [fields]}).encode()


def check_alive(server: RewardServer) -> None:
    status, said = answer(server.url, a_body())
    assert (status, said["rewards"][0]["value"]) == (200, 1.0)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "is not valid JSON"),
        (b"{", "is not valid JSON"),
        (b"\xff\xfe\x00", "is not valid JSON"),
        (b"NaN", "is not a JSON object such as"),
        (b"[" * 5000, "nested more than 64 levels"),
        (b"[]", "is not a JSON object such as"),
        (b'{"rollouts": 3}', "is not a JSON object such as"),
        (b'{"rollouts": [], "rollouts": []}', "stands twice"),
        (b'{"rollouts": [NaN]}', "rollouts[0] is a float, not an object"),
        (a_body(picture=None), 'rollouts[0] lacks "picture"'),
        (a_body(picture=float("nan")), "rollouts[0].picture is neither a file in base64 nor"),
        (a_body(picture={"rgb": "AAAA", "size": [float("nan"), 1]}), "two positive whole numbers"),
        (a_body(picture={"rgb": "AAAA", "size": [0, 1]}), "two positive whole numbers"),
        (a_body(picture={"rgb": "AAAA", "size": [True, 1]}), "two positive whole numbers"),
        (a_body(pictur="x"), "there is no field 'pictur'; did you mean 'picture'"),
        (a_body(sources=None), 'needs "id" or "sources"'),
        (a_body(sources="x"), "is not a list of 1 to 16 pictures"),
        (a_body(answer=None), "has no answer, and the reward miou needs an answer"),
        (a_body(answer=write_picture(ANSWER[:20])), "an answer of 32×20 pixels"),
        (a_body(instruction=7), "rollouts[0].instruction is not a string"),
        (a_body(plan="a\0b"), "rollouts[0].plan is not a string"),
        (a_body(id="border/999"), "there is no case in paintbench 'border/999'"),
        (a_body(id="border/000", suite="kris"), "there is no suite here 'kris'"),
        (a_body(id="border/000", suite="python:os:system"), "there is no suite here 'python:os:system'"),
        (a_body(id="border/000", variant="x"), "there is no variant of case 'border/000' 'x'"),
    ],
)
def test_a_wrong_request_is_told_in_one_sentence(server: RewardServer, body: bytes, said: str) -> None:
    status, reply = answer(server.url, body)
    assert status == 400
    assert said in reply["error"] and "\n" not in reply["error"] and "Traceback" not in reply["error"]
    check_alive(server)


PNG = encode_png(ANSWER)


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        ("", "empty"),
        ("not base64!", "is not base64"),
        (b64encode(b"no picture at all").decode(), "rollouts[1].picture"),
        (b64encode(PNG[: len(PNG) // 2]).decode(), "rollouts[1].picture"),
        (b64encode(PNG[:40] + bytes(20) + PNG[60:]).decode(), "rollouts[1].picture"),
        (write_picture(np.zeros((200, 200, 3), np.uint8), "png"), "is 200×200"),
        ({"rgb": "", "size": [10**9, 10**9]}, "pixels; the limit is 20,000"),
        ({"rgb": "AAAA", "size": [2, 2]}, "has 3 bytes, but 2×2 pixels have 12"),
    ],
)
def test_a_broken_picture_costs_its_rollout_the_reward_and_no_other(
    server: RewardServer, picture: Any, said: str
) -> None:
    body = {"rollouts": [GOOD, {**GOOD, "picture": picture}, GOOD]}
    status, reply = answer(server.url, json.dumps(body).encode())
    assert status == 200
    first, broken, last = reply["rewards"]
    assert (first["value"], last["value"]) == (1.0, 1.0)
    assert (broken["value"], broken["status"]) == (None, "no_output")
    assert said.lower() in broken["reason"].lower()
    _, reply = answer(server.url, json.dumps({"rollouts": [{**GOOD, "answer": picture}]}).encode())
    assert (reply["rewards"][0]["value"], reply["rewards"][0]["status"]) == (None, "error")


@pytest.mark.parametrize(
    ("packed", "said"),
    [
        (b"no line at all", "is not valid JSON"),
        (b'{"rollouts": [{"picture": {"at": 0, "bytes": 3}}]}\nabc', 'needs "id" or "sources"'),
        (b'{"rollouts": [{"id": "border/000", "picture": {"at": 1, "bytes": 3}}]}\nabc', "does not have"),
        (b'{"rollouts": [{"id": "border/000", "picture": {"at": -3, "bytes": 3}}]}\nabc', "does not have"),
        (b'{"rollouts": [{"id": "border/000", "picture": {"at": 0, "bytes": NaN}}]}\nabc', "does not have"),
        (
            b'{"rollouts": [{"id": "border/000", "picture": {"at": 0, "bytes": 3, "size": [1]}}]}\nabc',
            "[width, height]",
        ),
    ],
)
def test_a_packed_request_that_is_wrong_is_told_in_one_sentence(server: RewardServer, packed: bytes, said: str) -> None:
    status, reply = answer(server.url, packed, f"Content-Type: {PACKED}")
    assert status == 400 and said in reply["error"]
    broken = b'{"rollouts": [{"id": "border/000", "picture": {"at": 0, "bytes": 3, "size": [1, 2]}}]}\nabc'
    status, reply = answer(server.url, broken, f"Content-Type: {PACKED}")
    assert status == 200 and reply["rewards"][0]["status"] == "no_output"


def test_what_is_too_large_is_refused_before_it_is_read(server: RewardServer) -> None:
    with closing(connected(server.url)) as wire:
        wire.sendall(head(1 << 40) + b"{")
        status, said = read_answer(wire)
    assert status == 413 and "larger than 1 MiB" in said["error"]
    assert answer(server.url, b" " * (1 << 20) + b"{}")[0] == 413
    chunked = b"POST /reward HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    with closing(connected(server.url)) as wire:
        wire.sendall(chunked)
        try:
            for _ in range(40):
                wire.sendall(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
        except ConnectionError:
            pass
        else:
            assert read_answer(wire)[0] == 413
    assert answer(server.url, gzip.compress(a_body()), "Content-Encoding: gzip")[0] == 415
    many = json.dumps({"rollouts": [{}] * 1025}).encode()
    assert answer(server.url, many)[0] == 413
    pictures = {"rollouts": [{**GOOD, "sources": [write_picture(np.zeros((140, 140, 3), np.uint8), "png")] * 5}]}
    status, said = answer(server.url, json.dumps(pictures).encode())
    assert status == 413 and "pixels together" in said["error"]
    check_alive(server)


def test_a_connection_that_breaks_or_falls_silent_harms_nobody(server: RewardServer) -> None:
    body = a_body()
    for cut in (0, 10, len(body) // 2, len(body) - 1):
        with closing(connected(server.url)) as wire:
            wire.sendall(head(len(body)) + body[:cut])
    with closing(connected(server.url)) as wire:
        wire.sendall(head(len(body)) + body)  # and does not wait for the answer
    with closing(connected(server.url)) as wire:
        wire.sendall(head(len(body)) + body[:50])
        status, said = read_answer(wire)
    assert status == 408 and "too slowly" in said["error"]
    with closing(connected(server.url)) as wire:
        wire.sendall(b"GARBAGE\r\n\r\n")
        wire.recv(1 << 16)
    check_alive(server)


def test_other_routes_and_methods_are_told(server: RewardServer) -> None:
    for line, status in ((b"GET /reward", 405), (b"POST /", 405), (b"GET /etc/passwd", 404)):
        with closing(connected(server.url)) as wire:
            wire.sendall(line + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            assert read_answer(wire)[0] == status


class Slow(Reward):
    """A reward that waits for a gate."""

    name = "slow"

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.sizes: list[int] = []

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        self.sizes.append(len(rollouts))
        assert self.gate.wait(PATIENCE_S)
        return [RewardValue(0.5)] * len(rollouts)


def test_a_full_queue_says_when_to_come_again_and_retrying_gets_everything_done() -> None:
    slow = Slow()
    with RewardServer([slow], most_waiting=3) as server:
        values: list[float | None] = []
        lock = threading.Lock()

        def ask() -> None:
            with RewardClient(server.url, retries=200, pause=0.01) as client:
                (value,) = client.rewards([GOOD])
                with lock:
                    values.append(value.value)

        callers = [threading.Thread(target=ask) for _ in range(12)]
        for caller in callers:
            caller.start()
        deadline = time.monotonic() + PATIENCE_S
        refused: dict[str, Any] = {}
        while time.monotonic() < deadline and not refused:
            with closing(connected(server.url)) as wire:
                body = json.dumps({"rollouts": [GOOD] * 4}).encode()
                wire.settimeout(2)
                wire.sendall(head(len(body), "Connection: close") + body)
                try:
                    top = wire.recv(1 << 16)
                except TimeoutError:
                    continue
                assert top.startswith(b"HTTP/1.1 503") and b"Retry-After: 1" in top
                refused = json.loads(top.partition(b"\r\n\r\n")[2] or b'{"error": "later"}')
        assert refused
        slow.gate.set()
        for caller in callers:
            caller.join(PATIENCE_S)
        assert values == [0.5] * 12


def test_requests_that_wait_are_scored_together() -> None:
    slow = Slow()
    callers: list[threading.Thread] = []

    def call() -> None:
        callers.append(threading.Thread(target=answer, args=(running.url, a_body())))
        callers[-1].start()

    with RewardServer([slow]) as running:
        for busy in range(1, 5):
            call()
            until(lambda busy=busy: len(slow.sizes) == busy)  # type: ignore[misc]
        for _ in range(16):
            call()
        until(lambda: running.queue._held == 16)
        slow.gate.set()
        for caller in callers:
            caller.join(PATIENCE_S)
    assert slow.sizes == [1, 1, 1, 1, 16]


def until(holds: Callable[[], bool]) -> None:
    """Wait for something that other threads do."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([RewardValue(float("nan"))], "gave nan, which is not a finite number"),
        ([RewardValue(float("inf"))], "gave inf, which is not a finite number"),
        ([], "gave 0 values for 1 rollouts"),
        (None, "gave None for 1 rollouts"),
        ([0.5], "gave a float, not an editscope.RewardValue"),
        (RuntimeError("out of memory"), "failed (RuntimeError: out of memory)"),
        ([RewardValue(None, "refused", "no")], "no"),
    ],
)
def test_what_a_reward_of_ones_own_does_wrong_is_a_status(given: Any, said: str) -> None:
    class Own(Reward):
        name = "own"

        def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
            if isinstance(given, Exception):
                raise given
            return given  # type: ignore[no-any-return]

    with RewardServer([Own()]) as server:
        status, reply = answer(server.url, a_body())
        assert status == 200
        (row,) = reply["rewards"]
        assert row["value"] is None and row["status"] != "ok" and said in row["reason"]


def test_sixty_four_clients_at_once_get_what_the_function_gives(server: RewardServer) -> None:
    rollouts = shades(48)
    expected = [value.value for value in load_reward("miou").score(rollouts)]
    wrong: list[Any] = []

    def trainer(number: int) -> None:
        with RewardClient(server.url, retries=200, pause=0.01) as client:
            own = [(number + step) % 48 for step in range(6)]
            for place in own:
                (value,) = client.rewards([write_rollout(rollouts[place])])
                if value.value != expected[place]:
                    wrong.append((number, place, value))

    clients = [threading.Thread(target=trainer, args=(number,)) for number in range(64)]
    for client in clients:
        client.start()
    for client in clients:
        client.join(PATIENCE_S)
    assert wrong == []
    check_alive(server)


class Scripted(Loopback):
    """Gives one answer after the other, the last one again."""

    def __init__(self, script: Sequence[Raw]) -> None:
        super().__init__()
        self.script, self.seen = script, 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        raw = self.script[min(self.seen, len(self.script) - 1)]
        self.seen += 1
        if raw.kind == "drop" and request.transport is not None:
            request.transport.close()
        return raw.response()


@pytest.mark.parametrize(
    ("header", "at_least", "at_most"),
    [
        ({"Retry-After": "600"}, 30.0, 30.0),
        ({"Retry-After": "Wed, 21 Oct 2099 07:28:30 GMT"}, 30.0, 30.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT"}, 0.0, 0.25),
        ({"Retry-After": "2"}, 2.0, 2.25),
        ({}, 0.0, 0.25),
    ],
)
def test_a_client_waits_as_long_as_a_server_asks_up_to_its_cap(
    header: dict[str, str], at_least: float, at_most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    fine = Raw(200, {"rewards": [{"value": 0.25, "status": "ok", "reason": ""}]})
    pauses: list[float] = []
    monkeypatch.setattr("editscope.training.rewards.client.time", SimpleNamespace(sleep=pauses.append))
    with Scripted([Raw(503, {"error": "full"}, headers=header), fine]) as raw, RewardClient(raw.url) as client:
        assert client.rewards([GOOD])[0].value == 0.25
    (pause,) = pauses
    assert at_least <= pause <= at_most


def test_a_timeout_of_zero_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(BadInput, match="timeout must be above 0, and retries 0 or more"):
        RewardClient("http://127.0.0.1:1", timeout=0)


def test_a_client_retries_what_waiting_cures_and_nothing_else() -> None:
    fine = Raw(200, {"rewards": [{"value": 0.25, "status": "ok", "reason": ""}]})
    busy = Raw(503, {"error": "full"}, headers={"Retry-After": "0"})
    script = [busy, Raw(429, {"error": "later"}), Raw(kind="drop"), Raw(200, b"{nonsense", "application/json"), fine]
    with Scripted(script) as raw, RewardClient(raw.url, pause=0.001) as client:
        assert [value.value for value in client.rewards([GOOD])] == [0.25]
        assert raw.seen == 5
    with Scripted([Raw(400, {"error": "rollouts[0] lacks a picture"})]) as raw, RewardClient(raw.url) as client:
        with pytest.raises(BadInput, match=r"refuses the request: rollouts\[0\] lacks a picture"):
            client.rewards([GOOD])
        assert raw.seen == 1
    given_up = pytest.raises(Stopped, match=r"does not answer \(3 attempts, last: full\)")
    with Scripted([busy]) as raw, RewardClient(raw.url, retries=2, pause=0.001) as client, given_up:
        client.rewards([GOOD])
    for row in ({"value": "0.5"}, {"value": True}, {}, {"value": None, "status": "refused", "reason": "no"}, 3):
        with Scripted([Raw(200, {"rewards": [row]})]) as raw, RewardClient(raw.url) as client:
            assert client.rewards([GOOD])[0].value is None
    too_few = pytest.raises(EditscopeError, match="did not return 1 rewards for 1 rollouts")
    with Scripted([Raw(200, {"rewards": []})]) as raw, RewardClient(raw.url) as client, too_few:
        client.rewards([GOOD])


def test_a_picture_of_floats_with_nan_has_no_reward_and_is_not_zero() -> None:
    from editscope.training.rewards import reward_function

    broken = ANSWER.astype(np.float32) / 255
    broken[0, 0] = np.nan
    given = {"sources": [SOURCE, SOURCE], "answers": [ANSWER, ANSWER]}
    function = reward_function("miou")
    fine, lost = function.values([ANSWER, broken], **given)
    assert fine.value == 1.0
    assert (lost.value, lost.status) == (None, "no_output")
    assert np.isnan(function([broken], sources=[SOURCE], answers=[ANSWER])[0])
