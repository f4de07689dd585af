"""Replies have a limit: nothing that a server sends fills the memory, the disk or the budget's trust."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from aiohttp import web

import editscope as es
from editscope.editors import Editor, Request, load_editor
from editscope.editors.make_edits import made
from editscope.errors import BadInput
from editscope.judges.registry import load_judge
from editscope.outside import LONGEST
from editscope.transport.reply import MOST_TEXT
from support.judged.calls import IS_IT_RED as CALL
from support.places import TESTS
from support.servers.judge_server import JudgeServer, Reply, ask_all
from support.servers.loopback import Loopback
from support.worker_skeleton import filled


class Sender(Loopback):
    """Sends the same bytes to whoever asks for anything."""

    def __init__(self, body: bytes, encoding: str = "", status: int = 200, kind: str = "application/json") -> None:
        super().__init__()
        self.body, self.status, self.kind, self.calls = body, status, kind, 0
        self.headers = {"Content-Encoding": encoding} if encoding else {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        self.calls += 1
        return web.Response(body=self.body, status=self.status, headers=self.headers, content_type=self.kind)


def answer(text: str) -> bytes:
    message = {"role": "assistant", "content": text}
    return json.dumps({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]}).encode()


def raw_deflate(data: bytes) -> bytes:
    packed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packed.compress(data) + packed.flush()


PACKERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "plain": ("", bytes),
    "gzip": ("gzip", gzip.compress),
    "gzip in two members": ("gzip", lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:])),
    "deflate": ("deflate", zlib.compress),
    "raw deflate": ("deflate", raw_deflate),
}


@pytest.mark.parametrize("packer", PACKERS)
def test_a_compressed_reply_is_read(packer: str) -> None:
    encoding, pack = PACKERS[packer]
    with Sender(pack(answer('{"reason": "yes", "score": 4}')), encoding) as server:
        (verdict,) = ask_all(f"openai:m?base_url={server.url}", CALL)
    assert (verdict.status, verdict.values) == ("ok", {"score": 4})


@pytest.mark.parametrize("packer", PACKERS)
def test_a_reply_above_the_limit_is_an_error_that_is_not_asked_for_again(packer: str) -> None:
    encoding, pack = PACKERS[packer]
    with Sender(pack(answer("x" * (MOST_TEXT + 1))), encoding) as server:
        (verdict,) = ask_all(f"openai:gpt-4o?base_url={server.url}", CALL)
    assert verdict.status == "error" and verdict.reason == "the reply is too large (more than 1 MB)"
    assert server.calls == 1 and verdict.usage.cost_usd  # it may have been paid for
    assert verdict.reply == ""


@pytest.mark.parametrize(
    ("encoding", "body"),
    [("br", b"\x8b"), ("gzip", b"not gzip"), ("gzip", gzip.compress(b"x" * 99, mtime=0)[:-9])],
    ids=["not asked for", "broken", "cut off"],
)
def test_a_reply_in_a_broken_or_unasked_encoding_is_an_error(encoding: str, body: bytes) -> None:
    with Sender(body, encoding) as server:
        (verdict,) = ask_all(f"openai:m?base_url={server.url}", CALL, retries=1)
    assert verdict.status == "error" and "compressed" in verdict.reason and server.calls == 2


def test_an_endless_error_page_is_quoted_and_cut() -> None:
    with Sender(b"no such thing " * 1_000_000, status=400, kind="text/plain") as server:
        (verdict,) = ask_all(f"openai:m?base_url={server.url}", CALL)
    assert verdict.status == "error" and "no such thing" in verdict.reason and len(verdict.reason) < 400


def test_a_list_of_models_without_end_is_said_before_the_run() -> None:
    import asyncio

    with Sender(b'{"data": [' + b" " * 20_000_000 + b"]}") as server, pytest.raises(BadInput, match="too large"):
        asyncio.run(load_judge(f"openai:m?base_url={server.url}").check())


def test_a_long_reply_is_kept_only_in_part_and_says_so() -> None:
    with JudgeServer(lambda asked: Reply({"reason": "y" * 150_000, "score": 4})) as server:
        (verdict,) = ask_all(server.spec(), CALL)
    assert (verdict.status, verdict.values) == ("ok", {"score": 4})
    assert len(verdict.reason) < LONGEST + 60 and verdict.reason.endswith("… [cut: 150,000 characters]")
    assert len(verdict.reply) < LONGEST + 60


BOMB = """
import resource, sys
import numpy as np
sys.path.insert(0, {tests!r})
from editscope.editors import Request, load_editor
from editscope.judges import Call
from support.servers.judge_server import ask_all
from support.judged.calls import IS_IT_RED as CALL

ask_all("openai:m?base_url={warm}", CALL, again=0)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
(verdict,) = ask_all("openai:m?base_url={url}", CALL)
assert "too large" in verdict.reason, verdict
editor = load_editor("{url}/edit")
editor.load()
edit = editor.edit(Request("c", (np.zeros((8, 8, 3), np.uint8),), "Make it red.", seed=0))
editor.close()
assert "too large" in edit.reason, edit
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the memory is counted in KiB on Linux only")
def test_a_bomb_takes_little_memory() -> None:
    bomb = gzip.compress(answer("x" * 120_000_000), 1)
    with Sender(bomb, "gzip") as server, Sender(answer("x")) as warm:
        script = BOMB.format(tests=str(TESTS), url=server.url, warm=warm.url)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 80, f"{done.stdout} MB"


def small(editor: Editor) -> Any:
    editor.limit(es.EditLimits(retries=0))
    editor.load()
    try:
        return made(editor, [Request("c", (np.zeros((8, 8, 3), np.uint8),), "Make it red.", seed=0)])[0]
    finally:
        editor.close()


def test_an_editors_words_are_kept_only_in_part() -> None:
    with Sender(json.dumps({"status": "refused", "reason": "r" * 200_000, "trace": "t" * 200_000}).encode()) as server:
        edit = small(load_editor(f"{server.url}/edit"))
    assert edit.status == "refused" and len(edit.reason) < LONGEST + 60 and len(edit.trace) < LONGEST + 60
    assert edit.trace.endswith("… [cut: 200,000 characters]")


@pytest.mark.slow
def test_a_worker_that_floods_its_pipe_fails_and_says_why(tmp_path: Any) -> None:
    worker = tmp_path / "worker.py"
    worker.write_text(
        filled(
            "def load(options):\n    return {}\n\n"
            "def edit(request):\n    return {'status': 'refused', 'reason': 'x' * (9 << 20)}\n"
        )
    )
    editor = load_editor(f"worker:{sys.executable} {worker}")
    editor.load()
    try:
        (edit,) = editor.edit_batch([Request("c", (np.zeros((8, 8, 3), np.uint8),), "Make it red.", seed=0)])
    finally:
        editor.close()
    assert isinstance(edit, es.cases.Edit) and edit.status == "error"
    assert "it sent a line of more than 8 MB" in str(edit.reason)
