"""The fault drill: an editor's server that fails in every way, a run that is killed, and a key that appears nowhere."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import editscope as es
from editscope.cases import Edit
from editscope.editors import EditLimits
from editscope.images import Pixels, encode_png, load, pixels_digest
from editscope.runfolder.journal import read_journal
from editscope.runs import resume
from support.servers.editor_server import (
    KEY,
    EditorServer,
    Fault,
    OpenAIServer,
    Outcome,
    Reply,
    Seen,
    load_bytes,
    negative,
    quick,
    request,
)
from support.servers.editor_server_ark import ArkServer
from support.servers.editor_server_bfl import BFLServer
from support.servers.editor_server_gemini import GeminiServer

pytestmark = pytest.mark.slow

KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "BFL_API_KEY", "ARK_API_KEY")
OTHER = np.full((40, 60, 3), (10, 200, 30), np.uint8)


def animated() -> bytes:
    file = io.BytesIO()
    frames = [Image.fromarray(pixels) for pixels in (OTHER, negative(OTHER))]
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    return file.getvalue()


GOOD = Reply()
KINDS: dict[str, tuple[list[Outcome], str]] = {
    "right at once": ([GOOD], "ok"),
    "busy, with Retry-After": ([Fault(429, headers={"Retry-After": "0"}), GOOD], "ok"),
    "overloaded": ([Fault(503), GOOD], "ok"),
    "server error": ([Fault(500), GOOD], "ok"),
    "dropped connection": ([Fault(kind="drop"), GOOD], "ok"),
    "truncated body": ([Fault(kind="truncated"), GOOD], "ok"),
    "HTML for JSON": ([Fault(kind="malformed"), GOOD], "ok"),
    "0-byte body": ([Fault(kind="empty"), GOOD], "ok"),
    "hanging": ([Fault(kind="hang"), GOOD], "ok"),
    "0-byte picture": ([Reply(b""), GOOD], "ok"),
    "broken base64": ([Reply(broken_base64=True), GOOD], "ok"),
    "truncated picture": ([Reply(encode_png(OTHER)[:60]), GOOD], "ok"),
    "behind an address": ([Reply(by_url=True)], "ok"),
    "another size": ([Reply(encode_png(OTHER))], "ok"),
    "an animation": ([Reply(animated())], "ok"),
    "moderation": ([Reply(refused="Rejected by the safety system.")], "refused"),
    "always broken": ([Fault(500)], "error"),
    "never a picture": ([Reply(b"not a picture")], "no_output"),
    "turned away": ([Fault(400, message=f"no picture for the key {KEY}")], "error"),
}
"""What the server does when a case is asked for the first, second, … time, and how its edit must end."""

NAMES = list(KINDS)
FIXED = ("another size", "an animation")


class Drill:
    """Small cases, one kind of trouble after the other, and who asked for what and when."""

    def __init__(self, folder: Path, make_set: Callable[..., Path], per_task: int) -> None:
        self.folder = folder
        suite = es.load_suite("paintbench", root=make_set(folder / "set", per_task=per_task))
        self.inputs: dict[str, Pixels] = {case.id: load(case.images[0]) for case in suite}
        self.ids = list(self.inputs)
        self.case_of = {pixels_digest(pixels): case_id for case_id, pixels in self.inputs.items()}
        assert len(self.case_of) == len(self.ids), "every case has another picture"
        self.asked: list[tuple[str, float]] = []

    def kind(self, case_id: str) -> str:
        return NAMES[self.ids.index(case_id) % len(NAMES)]

    def script(self, seen: Seen) -> Outcome:
        case_id = self.case_of[pixels_digest(load_bytes(seen.pictures[0]))]
        self.asked.append((case_id, seen.time))
        outcomes = KINDS[self.kind(case_id)][0]
        times = sum(one == case_id for one, _ in self.asked)
        return outcomes[min(times, len(outcomes)) - 1]

    def start(self, *command: str) -> subprocess.Popen[str]:
        env = {**os.environ, **dict.fromkeys(KEYS, KEY)}
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, spec: str) -> subprocess.Popen[str]:
        where = ["--data", "set", "--editor", spec, "--out", "run", "--jobs", "1"]
        how = ["--edit-concurrency", "6", "--edit-retries", "2", "--timeout", "6"]
        return self.start("-m", "editscope", "run", "paintbench", *where, *how)

    def edits(self) -> list[dict[str, Any]]:
        return [line for line in read_journal(self.folder / "run") if line["step"] == "edit"]

    def wait_for_edits(self, process: subprocess.Popen[str], count: int) -> None:
        until = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < until:
            if (self.folder / "run/journal.jsonl").exists() and len(self.edits()) >= count:
                return
            time.sleep(0.005)

    def picture(self, case_id: str) -> Pixels:
        return OTHER if self.kind(case_id) in FIXED else negative(self.inputs[case_id])

    def written(self) -> Iterator[tuple[Path, bytes]]:
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                yield path, path.read_bytes()


@pytest.mark.parametrize(("vendor", "per_task"), [(OpenAIServer, 10), (BFLServer, 5)])
def test_after_a_kill_every_edit_ends_as_it_must_and_no_finished_one_is_asked_for_again(
    tmp_path: Path, make_set: Callable[..., Path], vendor: type[EditorServer], per_task: int
) -> None:
    drill = Drill(tmp_path, make_set, per_task)
    assert len(drill.ids) >= len(KINDS), "every kind of trouble at least once"
    with vendor(drill.script, latency=0.03, keys=[KEY]) as server:
        killed = drill.run(server.spec())
        drill.wait_for_edits(killed, per_task)
        killed.send_signal(signal.SIGKILL)
        first, _ = killed.communicate(timeout=600)
        at_kill = time.monotonic()
        assert killed.returncode == -signal.SIGKILL, first
        finished = {line["case"] for line in drill.edits()}
        assert per_task <= len(finished) < len(drill.ids)
        resumed = drill.start("-m", "editscope", "resume", "run", "--jobs", "1")
        second, _ = resumed.communicate(timeout=600)
        assert resumed.returncode == 1, second  # done, and some cases have no picture
    assert not finished & {case_id for case_id, when in drill.asked if when > at_kill}
    assert server.wrong == [] and server.leaks == 0

    run = es.open_run(tmp_path / "run")
    assert run.complete
    records = {record.case_id: record for record in run.records()}
    assert {case_id: records[case_id].status for case_id in drill.ids} == {
        case_id: KINDS[drill.kind(case_id)][1] for case_id in drill.ids
    }
    lines = {line["case"]: line for line in drill.edits()}
    assert len(drill.edits()) == len(lines) == len(drill.ids)
    for case_id, line in lines.items():
        if line["status"] == "ok":
            assert np.array_equal(load(tmp_path / "run" / line["image"]), drill.picture(case_id)), drill.kind(case_id)
            assert line["cost_usd"] > 0
        else:
            assert line["image"] is None and line["reason"], drill.kind(case_id)
    for case_id in drill.ids:
        if drill.kind(case_id) == "an animation":
            assert "first of 2 frames" in lines[case_id]["notes"]
        if drill.kind(case_id) == "moderation":
            assert "Rejected by the safety system." in lines[case_id]["reason"]

    assert KEY not in first + second
    assert [path for path, data in drill.written() if KEY.encode() in data] == []


@pytest.mark.parametrize("vendor", [GeminiServer, ArkServer])
def test_every_kind_of_trouble_ends_as_it_must_at_the_other_vendors(
    vendor: type[EditorServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, KEY)
    times: Counter[str] = Counter()

    def script(seen: Seen) -> Outcome:
        times[seen.instruction] += 1
        outcomes = KINDS[seen.instruction][0]
        return outcomes[min(times[seen.instruction], len(outcomes)) - 1]

    asked = [request(number, instruction=name) for number, name in enumerate(NAMES)]
    with vendor(script, keys=[KEY]) as server:
        editor = quick(server.spec(), retries=2, timeout_s=4.0)
        editor.load()
        with ThreadPoolExecutor(editor.at_once) as threads:
            made = list(threads.map(editor.edit, asked))
        editor.close()
    assert server.wrong == [] and server.leaks == 0
    for one, edit in zip(asked, made, strict=True):
        assert isinstance(edit, Edit)
        assert edit.status == KINDS[one.instruction][1], (one.instruction, edit.reason)
        assert KEY not in repr(replace(edit, image=None))
        if edit.status == "ok":
            right = OTHER if one.instruction in FIXED else negative(one.arrays[0])
            assert np.array_equal(edit.image, right), one.instruction  # type: ignore[arg-type]
        else:
            assert edit.image is None and edit.reason


def test_a_spent_budget_stops_the_run_and_a_higher_one_goes_on_with_it(
    tmp_path: Path, make_set: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    suite = es.load_suite("paintbench", root=make_set(tmp_path / "set"))
    with OpenAIServer([Reply(usage={})], latency=0.01) as server:
        spec = server.spec(quality="low", size="1024x1024")
        settings: dict[str, Any] = {"out": tmp_path / "run", "jobs": 1, "progress": False}
        with pytest.raises(es.EditscopeError, match=r"editscope resume .*--max-edit-cost N") as stopped:
            es.run(suite, spec, edit_limits=EditLimits(max_cost=0.07, concurrency=3), **settings)
        assert KEY not in str(stopped.value)
        done = [line["case"] for line in read_journal(tmp_path / "run") if line["step"] == "edit"]
        assert len(done) == server.calls == 5, "five at 1.4 cents"
        run = resume(tmp_path / "run", jobs=1, progress=False, edit_limits=EditLimits(max_cost=1.0))
    assert run.complete and run.coverage == {"ok": 12}
    assert server.calls == 12, "no edit is paid for twice"


def test_a_key_that_runs_out_stops_the_run_and_fails_no_edit(
    tmp_path: Path, make_set: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    suite = es.load_suite("paintbench", root=make_set(tmp_path / "set"))
    fine = True

    def script(seen: Seen) -> Outcome:
        return Reply() if fine or seen.number < 3 else Fault(401, f"Incorrect API key provided: {KEY}")

    with OpenAIServer(script) as server:
        fine = False
        limits = EditLimits(concurrency=1)
        with pytest.raises(es.EditscopeError, match="does not accept the key"):
            es.run(suite, server.spec(), out=tmp_path / "run", edit_limits=limits, jobs=1, progress=False)
        lines = [line for line in read_journal(tmp_path / "run") if line["step"] == "edit"]
        assert Counter(line["status"] for line in lines) == {"ok": 3}, "a key that ran out fails no edit"
        fine = True
        run = resume(tmp_path / "run", jobs=1, progress=False)
    assert run.complete and run.coverage == {"ok": 12}
    assert server.calls == 13
