"""A judge and a hosted editor talk to their servers in the same way: one session, one reading of faults, one check."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping

import pytest
from aiohttp import web

from editscope.errors import BadInput
from editscope.judges import Call, Field, Schema
from editscope.judges.registry import load_judge
from support.hosted_edits import edit
from support.servers.editor_server import OpenAIServer, quick, request
from support.servers.judge_server import JudgeServer, ask_all
from support.servers.loopback import Fault, Loopback, as_json

CALL = Call("q", ("Is it red?",), Schema((Field("answer", "yes_no"),)))
KEY = "key-of-this-test-file"
MODELS = {"judge": "gpt-4o", "editor": "gpt-image-1"}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


class Recorder(Loopback):
    """Notes the headers and the address of every request, sets a cookie, and answers nothing of use."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, Mapping[str, str]]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        self.seen.append((str(request.url), dict(request.headers)))
        return as_json({"error": {"message": "no"}}, 404, {"Set-Cookie": "session=1"})


def asked_twice(role: str, base_url: str) -> None:
    """Two requests of one judge, or of one editor, to a server that knows no answer."""
    spec = f"openai:{MODELS[role]}?base_url={base_url}"
    if role == "judge":
        ask_all(spec, CALL, CALL, concurrency=1, retries=0)
    else:
        editor = quick(spec, retries=0)
        try:
            for number in range(2):
                editor.edit(request(number))
        finally:
            editor.close()


def in_common(headers: Mapping[str, str]) -> dict[str, str | None]:
    return {name: headers.get(name) for name in ("User-Agent", "Accept-Encoding", "Authorization", "Cookie")}


def test_both_introduce_themselves_in_the_same_way_and_keep_no_cookies() -> None:
    with Recorder() as server:
        for role in MODELS:
            asked_twice(role, f"http://127.0.0.1:{server.port}/v1")
    headers = [in_common(headers) for _, headers in server.seen]
    wanted = {"User-Agent": "editscope", "Accept-Encoding": "gzip, deflate", "Authorization": f"Bearer {KEY}"}
    assert headers == [{**wanted, "Cookie": None}] * 4


@pytest.mark.parametrize("role", MODELS)
def test_both_go_through_the_proxy_that_the_environment_names(role: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it is a machine of the local network, as proxies are, and the service is outside."""
    with Recorder() as proxy:
        monkeypatch.setenv("http_proxy", f"http://localhost:{proxy.port}")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        asked_twice(role, "http://api.example.org/v1")
    assert len(proxy.seen) == 2
    assert all(url.startswith("http://api.example.org/v1/") for url, _ in proxy.seen)


FAULTS = {
    "unknown path": Fault(404, "no such thing"),
    "objection": Fault(400, "the picture is too dark"),
    "too large": Fault(413),
    "content filter": Fault(400, error={"code": "content_policy_violation"}),
    "server error": Fault(500),
    "busy": Fault(429, headers={"Retry-After": "0"}),
    "dropped": Fault(kind="drop"),
    "cut off": Fault(kind="truncated"),
    "not JSON": Fault(kind="malformed"),
    "empty": Fault(kind="empty"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_same_fault_has_the_same_status_and_the_same_words(name: str) -> None:
    with JudgeServer([FAULTS[name]]) as judge, OpenAIServer([FAULTS[name]]) as editor:
        (verdict,) = ask_all(judge.spec(), CALL, retries=1)
        made = edit(editor.spec(), retries=1)
    assert (verdict.status, verdict.reason) == (made.status, made.reason)
    assert verdict.usage.attempts == made.attempts


def complaint(role: str, base_url: str) -> str:
    """What the check says of a server, with the words in common for the role and the model."""
    spec = f"openai:{MODELS[role]}?base_url={base_url}"

    def check() -> None:
        if role == "editor":
            quick(spec).check()
        else:
            asyncio.run(load_judge(spec).check())

    with pytest.raises(BadInput) as raised:
        check()
    return str(raised.value).replace(MODELS[role], "MODEL").replace(role, "ROLE")


def nobody(role: str) -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return complaint(role, f"http://127.0.0.1:{taken.getsockname()[1]}/v1").split(" cannot ")[1]


def wrong_key(role: str) -> str:
    server = JudgeServer(keys=["another"]) if role == "judge" else OpenAIServer(keys=["another"])
    with server as started:
        return complaint(role, started.url).partition(" does ")[2]


@pytest.mark.parametrize("trouble", [nobody, wrong_key])
def test_the_check_says_the_same_of_both(trouble: Callable[[str], str]) -> None:
    assert trouble("judge") == trouble("editor") != ""
