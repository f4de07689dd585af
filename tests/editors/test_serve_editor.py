"""`editscope serve-editor`: any editor behind HTTP, equal to the editor itself, and hard to break."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import pytest

import editscope as es
from editscope.cases import Edit
from editscope.editors import EditLimits, Editor, Request, load_editor
from editscope.editors.server.serve import serve
from editscope.editors.server.site import ServerSettings
from editscope.errors import BadInput, Stopped
from editscope.images import encode_png
from editscope.runfolder.journal import read_journal
from support.servers.http_editor_server import Served

pytestmark = pytest.mark.slow

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
PIXELS = np.random.default_rng(3).integers(0, 256, (9, 11, 3), dtype=np.uint8)
PNG = encode_png(PIXELS)

DITHER = """
import os
from pathlib import Path
import numpy as np
import editscope as es

class Dither(es.Editor):
    edits = 0
    def edit(self, case):
        self.edits += 1
        if self.edits == 5 and Path("dies").exists():
            Path("dies").unlink()
            os.kill(os.getpid(), 9)
        dice = np.random.default_rng([case.seed, len(case.instruction), *case.case_id.encode()])
        noise = dice.integers(0, 40, case.arrays[0].shape, dtype=np.uint8)
        return es.cases.Edit(case.case_id, image=case.arrays[0] ^ noise, trace=case.tags["task"] + case.variant)
"""


class Counting(Editor):
    """Gives back its input in negative; notes how many came at once."""

    name = "counting"

    def __init__(self, batch: int = 1, at_once: int = 1, result: Any = None) -> None:
        self.batch, self.at_once, self.result = batch, at_once, result
        self.sizes: list[int] = []
        self.gate = threading.Event()
        self.gate.set()

    def edit(self, case: Request) -> Any:
        self.sizes.append(1)
        self.gate.wait(600)
        if isinstance(self.result, BaseException):
            raise self.result
        return 255 - case.arrays[0] if self.result is None else self.result

    def edit_batch(self, cases: Any) -> Any:
        self.sizes.append(len(cases))
        return [255 - case.arrays[0] for case in cases]


Answer = tuple[int, str, bytes]


def post(
    url: str, *, fields: dict[str, str] | None = None, images: tuple[bytes, ...] = (PNG,), **headers: str
) -> Answer:
    """One request made by hand: status, type, body."""

    async def send() -> Answer:
        form = aiohttp.FormData(default_to_multipart=True)
        for name, value in (fields if fields is not None else {"instruction": "Invert."}).items():
            form.add_field(name, value)
        for picture in images:
            form.add_field("image", io.BytesIO(picture), filename="a.png", content_type="image/png")
        said = {name.replace("_", "-"): value for name, value in headers.items()}
        async with aiohttp.ClientSession() as session, session.post(url, data=form, headers=said) as response:
            return response.status, response.content_type, await response.read()

    return asyncio.run(send())


def a_request(case: str = "a") -> Request:
    return Request(case, (PIXELS,), "Invert.", 1)


# --- the same edits -------------------------------------------------------------------------------------------


@contextmanager
def server(
    folder: Path, *arguments: str, env: dict[str, str] | None = None
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own: its address and the process; stopped as by Ctrl-C."""
    process = subprocess.Popen(
        [sys.executable, "-m", "editscope", "serve-editor", *arguments],
        cwd=folder,
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"answers at (\S+)", line)
        assert found, line + process.stdout.read()
        yield found[1], process
    finally:
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        process.stdout.close()
        process.wait(600)


def images(run: Path) -> dict[str, bytes]:
    return {str(path.relative_to(run)): path.read_bytes() for path in sorted((run / "images").rglob("*.png"))}


def edits(run: Path) -> dict[str, tuple[Any, ...]]:
    """The edit lines of a journal without what depends on the clock and on the way."""
    lines = [line for line in read_journal(run) if line["step"] == "edit"]
    assert len({line["case"] for line in lines}) == len(lines), "an edit is there twice"
    return {line["case"]: (line["status"], line["trace"], line["size"], line["notes"]) for line in lines}


def test_a_run_through_http_equals_the_run_itself_also_when_the_server_was_killed(
    editscope: Cli, small_set: Path, tmp_path: Path
) -> None:
    (tmp_path / "here" / "mine.py").write_text(DITHER)
    direct, far = tmp_path / "direct", tmp_path / "far"
    common = ("run", "paintbench", "--data", small_set, "--quiet", "--out")
    assert editscope(*common, direct, "--editor", "python:mine:Dither").returncode == 0
    (tmp_path / "here" / "dies").touch()
    with server(tmp_path / "here", "python:mine:Dither", "--port", "0") as (url, process):
        port = url.split(":")[2].removesuffix("/edit")
        command = [sys.executable, "-m", "editscope", *map(str, common), str(far), "--editor", url]
        run = subprocess.Popen([*command, "--edit-retries", "40"], cwd=tmp_path / "here")
        assert process.wait(600) == -signal.SIGKILL
    with server(tmp_path / "here", "python:mine:Dither", "--port", port):
        assert run.wait(600) == 0
    assert images(far) == images(direct) and len(images(far)) == 12
    assert edits(far) == edits(direct)
    assert es.open_run(far).summary["overall"] == es.open_run(direct).summary["overall"]


def test_an_edit_keeps_its_trace_notes_and_measures_on_the_way() -> None:
    whole = Edit(
        "a", image=PIXELS, trace="»thought«", notes=("half\nread",), model="modèle", latency_s=1.5, memory_mb=3.0
    )
    for result in (whole, Edit("a", image=PIXELS, latency_s=1.5, memory_mb=3.0, model="m", cost_usd=0.5)):
        with Served(Counting(result=result)) as url:
            editor = load_editor(url)
            edit = editor.edit(a_request())
            editor.close()
        assert isinstance(edit, Edit) and np.array_equal(edit.image, PIXELS)  # type: ignore[arg-type]
        for name in ("status", "reason", "trace", "notes", "model", "latency_s", "memory_mb", "cost_usd"):
            assert getattr(edit, name) == getattr(result, name), name


@pytest.mark.parametrize(
    ("result", "status", "said"),
    [
        (Edit("a", status="refused", reason="a person"), "refused", "a person"),
        (Edit("a", status="unparsed", reason="what?"), "unparsed", "what?"),
        (Edit("a"), "no_output", "the editor returned nothing"),
        (b"no picture", "no_output", "not a picture"),
        (ValueError("cannot do\nthis"), "error", "ValueError: cannot do this"),
        (SystemExit(3), "error", "SystemExit: 3"),
    ],
)
def test_a_status_is_the_same_on_the_other_side(
    result: Any, status: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Served(Counting(result=result)) as url:
        editor = load_editor(url)
        edit = editor.edit(a_request())
        editor.close()
        code, kind, body = post(url)
    assert isinstance(edit, Edit) and edit.status == status and said in (edit.reason or "") and edit.attempts == 1
    assert (code, kind) == (422, "application/json") and b"Traceback" not in body


def test_an_editor_that_stops_ends_the_run_on_the_other_side() -> None:
    with Served(Counting(result=Stopped("the budget of $1.00 is spent"))) as url:
        editor = load_editor(url)
        with pytest.raises(Stopped, match=r"the budget of \$1.00 is spent"):
            editor.edit(a_request())
        editor.close()
        with pytest.raises(BadInput, match="makes no more edits"):
            load_editor(url).check()


def test_requests_that_wait_go_to_the_editor_together() -> None:
    slow = Counting(batch=4)
    slow.gate.clear()
    served = Served(slow)
    with served as url:
        editor = load_editor(f"{url}#concurrency=9")
        editor.load()
        threads = [threading.Thread(target=editor.edit, args=(a_request(str(n)),)) for n in range(9)]
        threads[0].start()
        while not slow.sizes:
            threading.Event().wait(0.005)
        for thread in threads[1:]:
            thread.start()
        while len(served.queue._waiting) < 8:
            threading.Event().wait(0.005)
        slow.gate.set()
        for thread in threads:
            thread.join()
        editor.close()
    assert slow.sizes == [1, 4, 4]
    assert served.queue.done == 9


def test_nobody_waits_for_an_edit_whose_caller_has_left() -> None:
    slow = Counting()
    slow.gate.clear()
    served = Served(slow)
    with served as url:
        editor = load_editor(f"{url}#concurrency=9")
        editor.limit(EditLimits(timeout_s=3.0, retries=0))
        first = threading.Thread(target=editor.edit, args=(a_request("in hand"),))
        second = threading.Thread(target=editor.edit, args=(a_request("waits"),))
        first.start()
        while not slow.sizes:
            threading.Event().wait(0.005)
        second.start()
        while second.is_alive() and not served.queue._waiting:
            threading.Event().wait(0.005)
        first.join()
        second.join()
        editor.close()
        while any(not waiting.gone() for waiting in list(served.queue._waiting)):
            threading.Event().wait(0.005)  # the server learns of it only when it reads from the connection
        slow.gate.set()
        assert post(url)[0] == 200
    assert slow.sizes == [1, 1], "an edit was made for nobody"


# --- what it does not let in ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"images": ()}, "the field image is missing"),
        ({"images": (PNG,) * 17}, "more than the 16 pictures"),
        ({"images": (b"",)}, "picture 1 is empty"),
        ({"images": (PNG, b"GIF89a nothing")}, "picture 2"),
        ({"images": (encode_png(np.zeros((40, 40, 3), np.uint8)),)}, "over the limit"),
        ({"fields": {}}, "the field instruction is missing"),
        ({"fields": {"instruction": " "}}, "the field instruction is missing, empty"),
        ({"fields": {"instruction": "a", "seed": "-1"}}, "the field seed"),
        ({"fields": {"instruction": "a", "details": "[]"}}, "the field details"),
        ({"fields": {"instruction": "a", "details": "[" * 100_000}}, "the field details"),
    ],
)
def test_a_request_that_cannot_be_read_is_answered_with_a_sentence(given: dict[str, Any], said: str) -> None:
    with Served(Counting(), ServerSettings(port=0, max_pixels=1000)) as url:
        code, kind, body = post(url, **given)
        assert post(url)[0] == 200, "one bad request broke the server"
    assert (code, kind) == (400, "application/json")
    assert said in json.loads(body)["error"]


def test_a_body_that_is_too_large_and_a_path_that_is_not_there_are_turned_away() -> None:
    with Served(Counting(), ServerSettings(port=0, max_body=1 << 20)) as url:
        assert post(url, images=(PNG + bytes(2 << 20),))[0] == 413
        assert post(url.replace("/edit", "/other"))[0] == 404
        assert post(url, content_type="text/plain")[0] == 400


def test_so_many_may_wait_and_no_more() -> None:
    slow = Counting()
    slow.gate.clear()
    served = Served(slow, ServerSettings(port=0, most_waiting=1))
    with served as url:
        found: list[Answer] = []
        threads = [threading.Thread(target=lambda: found.append(post(url))) for _ in range(2)]
        threads[0].start()
        while not slow.sizes:
            threading.Event().wait(0.005)
        threads[1].start()
        while not served.queue._waiting:
            threading.Event().wait(0.005)
        assert post(url)[0] == 503
        slow.gate.set()
        for thread in threads:
            thread.join()
    assert [code for code, _, _ in found] == [200, 200]


def test_a_page_in_the_browser_of_this_machine_is_not_answered() -> None:
    with Served(Counting()) as url:
        assert post(url, Origin="https://example.org")[0] == 403
        assert post(url, Host="rebound.example.org")[0] == 403
        assert post(url, Host="localhost:8008")[0] == 200


def test_with_a_token_nobody_is_let_in_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "token-of-a-test")
    with Served(Counting(), ServerSettings(port=0, token="token-of-a-test")) as url:
        assert [post(url)[0], post(url, Authorization="Bearer wrong")[0]] == [401, 401]
        with pytest.raises(BadInput, match="without a token"):
            load_editor(url).check()
        editor = load_editor(f"{url}#key_env=MY_TOKEN")
        editor.check()
        edit = editor.edit(a_request())
        editor.close()
    assert isinstance(edit, Edit) and edit.status == "ok"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ref:oracle", "needs the answers of a suite"),
        ("folder:here", "returns existing files"),
    ],
)
def test_an_editor_that_needs_more_than_a_request_is_not_served(tmp_path: Path, spec: str, said: str) -> None:
    (tmp_path / "here").mkdir()
    editor = load_editor(spec.replace("here", str(tmp_path / "here")))
    with pytest.raises(BadInput, match=said):
        serve(editor, ServerSettings(port=0), print)


def test_beyond_this_machine_a_token_is_needed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editscope", "serve-editor", "ref:identity", "--host", "0.0.0.0", "--port", "0"]
    env = {name: value for name, value in os.environ.items() if name != "EDITSCOPE_SERVE_TOKEN"}
    said = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    assert said.returncode == 2 and "set a token in EDITSCOPE_SERVE_TOKEN" in said.stderr
    token = {"EDITSCOPE_SERVE_TOKEN": "long-token-of-a-test"}
    with server(tmp_path, "ref:identity", "--host", "0.0.0.0", "--port", "0", env=token) as (url, _):
        near = url.replace("0.0.0.0", "127.0.0.1")
        assert post(near)[0] == 401
        code, _, body = post(near, Authorization="Bearer long-token-of-a-test")
    assert (code, body) == (200, PNG)


def test_a_port_that_is_taken_is_said_before_the_model_is_loaded() -> None:
    class Heavy(Counting):
        def load(self) -> None:
            raise AssertionError("the model was loaded")

    with Served(Counting()) as url, pytest.raises(BadInput, match="cannot be used"):
        serve(Heavy(), ServerSettings(port=int(url.split(":")[2].removesuffix("/edit"))), print)
    with pytest.raises(BadInput, match="cannot be used"):
        serve(Heavy(), ServerSettings(host="no.such.host.invalid"), print)


def test_worker_new_writes_a_worker_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editscope", "worker", "new", "my_worker.py"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert said.returncode == 0 and "worker:python my_worker.py" in said.stdout
    assert "worker:python my_worker.py?key=value" in (tmp_path / "my_worker.py").read_text()
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert again.returncode == 2 and "already exists" in again.stderr
