"""The fault drill: a judge that fails in every way, a run that is killed, and a key that appears nowhere."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageOps

import editscope as es
from editscope.runfolder.journal import read_journal
from support.judged_data import make_picabench
from support.servers.judge_server import KEY, Asked, Fault, JudgeServer, Outcome, Reply

pytestmark = pytest.mark.slow

YES = {"answer": "Yes", "reason": "it is"}

KINDS: dict[str, tuple[list[Outcome], str]] = {
    "right at once": ([YES], "ok"),
    "busy, with Retry-After": ([Fault(429, headers={"Retry-After": "0"}), YES], "ok"),
    "overloaded": ([Fault(503), YES], "ok"),
    "server error": ([Fault(500), YES], "ok"),
    "dropped connection": ([Fault(kind="drop"), YES], "ok"),
    "truncated body": ([Fault(kind="truncated"), YES], "ok"),
    "malformed body": ([Fault(kind="malformed"), YES], "ok"),
    "hanging": ([Fault(kind="hang"), YES], "ok"),
    "unparsed once": (["I give it a 5.", YES], "ok"),
    "never parsed": (["Yes and no", "7/10", '{"answer": "maybe"}'], "unparsed"),
    "refusal": ([Reply(refusal="I cannot help with that")], "refused"),
    "content filter": ([Reply(filtered=True)], "refused"),
    "always broken": ([Fault(500)], "error"),
    "turned away": ([Fault(400, message=f"no picture for the key {KEY}")], "error"),
}
"""What the server does when a question is asked for the first, second, … time, and how the question must end."""

NAMES = list(KINDS)


class Drill:
    """A set of cases, each with one question, one kind of trouble after the other; and who asked what."""

    def __init__(self, folder: Path, per_kind: int, latency: float = 0.03) -> None:
        self.folder = folder
        self.n = per_kind * len(KINDS)
        self.latency = latency
        self.times: Counter[int] = Counter()
        make_picabench(folder / "data", self.n, questions=1)
        (folder / "outputs").mkdir()
        for source in sorted((folder / "data/input_img").iterdir()):
            ImageOps.invert(Image.open(source)).save(folder / "outputs" / source.name)

    def kind(self, number: int) -> str:
        return NAMES[number % len(NAMES)]

    def script(self, asked: Asked) -> Outcome:
        number = int(re.findall(r"thing (\d+)\.0", asked.text)[0])
        self.times[number] += 1
        outcomes = KINDS[self.kind(number)][0]
        return outcomes[min(self.times[number], len(outcomes)) - 1]

    def command(self, server: JudgeServer, *more: str) -> list[str]:
        where = ["--data", "data", "--editor", "folder:outputs", "--out", "run", "--cache", "cache"]
        how = ["--judge", server.spec(), "--concurrency", "6", "--jobs", "1", "--judge-timeout", "4", "--retries", "2"]
        return [sys.executable, "-m", "editscope", "run", "picabench", *where, *how, *more]

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        env = {**os.environ, "OPENAI_API_KEY": KEY}
        return subprocess.Popen(
            command, cwd=self.folder, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def verdicts(self) -> list[dict[str, Any]]:
        return [line for line in read_journal(self.folder / "run") if line["step"] == "verdict"]

    def wait_for_verdicts(self, process: subprocess.Popen[str], count: int) -> None:
        until = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < until:
            if (self.folder / "run/journal.jsonl").exists() and len(self.verdicts()) >= count:
                return
            time.sleep(0.005)

    def written(self) -> Iterator[tuple[Path, bytes]]:
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                yield path, path.read_bytes()


def test_after_a_kill_every_question_ends_as_it_must_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    drill = Drill(tmp_path, per_kind=3)
    with JudgeServer(drill.script, latency=drill.latency, keys=[KEY]) as server:
        killed = drill.start(drill.command(server))
        drill.wait_for_verdicts(killed, 12)
        killed.send_signal(signal.SIGKILL)
        first, _ = killed.communicate(timeout=600)
        assert killed.returncode == -signal.SIGKILL
        before, at_kill = drill.verdicts(), server.calls
        assert 12 <= len(before) < drill.n
        resumed = drill.start([sys.executable, "-m", "editscope", "resume", "run", "--jobs", "1"])
        second, _ = resumed.communicate(timeout=600)
        assert resumed.returncode == 1, second  # done, and some cases have no score
        after = [asked.text for asked in server.asked[at_kill:]]
    paid = {int(line["case"]) for line in before}
    again = {int(number) for text in after for number in re.findall(r"thing (\d+)\.0", text)}
    assert not paid & again

    run = es.open_run(tmp_path / "run")
    assert run.complete
    ended = {int(record.case_id): record.verdicts[0].status for record in run.records()}
    assert ended == {number: KINDS[drill.kind(number)][1] for number in range(drill.n)}
    table = run.rows()
    for case_id, metric, value, status in zip(
        table["case_id"], table["metric"], table["value"], table["status"], strict=True
    ):
        if metric == "accuracy":
            must = KINDS[drill.kind(int(case_id))][1]
            assert (status, value is not None) == (must, must == "ok")
    counts = Counter(must for _, must in KINDS.values())
    assert run.summary["verdicts"] == {status: 3 * counts[status] for status in ("ok", "error", "refused", "unparsed")}
    assert sum(run.coverage.values()) == run.summary["n_cases"] == drill.n
    assert run.summary["overall"]["accuracy"]["n"] == 3 * counts["ok"]
    assert run.summary["overall"]["accuracy"]["missing"] == drill.n - 3 * counts["ok"]

    assert KEY not in first + second
    holding = [path for path, data in drill.written() if KEY.encode() in data]
    assert holding == []


def test_ctrl_c_keeps_every_answer_that_was_under_way(tmp_path: Path) -> None:
    drill = Drill(tmp_path, per_kind=1, latency=0.2)
    with JudgeServer(lambda asked: YES, latency=0.2) as server:
        command = drill.command(server)
        command[command.index("--concurrency") + 1] = "2"
        command[command.index("--cache") + 1] = "off"
        stopped = drill.start(command)
        drill.wait_for_verdicts(stopped, 2)
        stopped.send_signal(signal.SIGINT)
        said, _ = stopped.communicate(timeout=600)
        assert stopped.returncode == 3, said
        assert "editscope resume run" in said
        assert 2 <= len(drill.verdicts()) == server.calls < drill.n
        resumed = drill.start([sys.executable, "-m", "editscope", "resume", "run", "--jobs", "1", "--quiet"])
        said, _ = resumed.communicate(timeout=600)
        assert resumed.returncode == 0, said
        assert server.calls == drill.n
    assert es.open_run(tmp_path / "run").summary["verdicts"] == {"ok": drill.n}


def test_a_judge_that_stops_answering_stops_the_run_and_not_the_scores(tmp_path: Path) -> None:
    drill = Drill(tmp_path, per_kind=3)
    with JudgeServer(lambda asked: Fault(500)) as server:
        suite = es.load_suite("picabench", root=tmp_path / "data")
        with pytest.raises(es.EditscopeError, match="has not answered 25 calls in a row"):
            es.run(
                suite,
                f"folder:{tmp_path / 'outputs'}",
                judge=server.spec(),
                out=tmp_path / "run",
                retries=0,
                jobs=1,
                cache="off",
                progress=False,
                keep_going=True,  # five equal failures at the start would stop it before
            )
    statuses = Counter(line["verdict"]["status"] for line in drill.verdicts())
    assert set(statuses) == {"error"}
    for record in es.open_run(tmp_path / "run").records():
        assert "accuracy" not in record.metrics


def test_the_journal_never_holds_what_a_server_says_about_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    drill = Drill(tmp_path, per_kind=1)
    with JudgeServer([{"answer": "Yes", "reason": f"the key is {KEY}"}]) as server:
        suite = es.load_suite("picabench", root=tmp_path / "data")
        settings: dict[str, Any] = {"judge": server.spec(), "out": tmp_path / "run", "cache": tmp_path / "cache"}
        run = es.run(suite, f"folder:{tmp_path / 'outputs'}", limit=2, jobs=1, progress=False, **settings)
    assert run.summary["verdicts"] == {"ok": 2}
    assert [path for path, data in drill.written() if KEY.encode() in data] == []
    assert "the key is" in json.dumps([line["verdict"] for line in drill.verdicts()])
