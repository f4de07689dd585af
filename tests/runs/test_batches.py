"""Runs by batch: as without it in every score, half the price, and nothing paid twice, however they are interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image, ImageOps

import editscope as es
from editscope.errors import BadInput, Stopped
from editscope.judges.batches.log import FILE, BatchLog
from editscope.runs import execute, plan_again, resume
from editscope.runs.forecast import forecast
from editscope.transport.account import read_balance
from support.judged_data import make_picabench
from support.servers.batch_server import BatchServer
from support.servers.judge_server import KEY, Asked, Outcome, Reply

pytestmark = pytest.mark.slow

KINDS = {"openai": "gpt-4o", "responses": "gpt-4o", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-pro"}


def opinion(asked: Asked) -> Outcome:
    if "thing 0.1 " in asked.text:
        return {"answer": "No", "reason": "it is not"}
    if "thing 2.1 " in asked.text:
        return Reply(refusal="I would rather not")
    if "thing 1.0 " in asked.text:
        return "no verdict at all"
    return {"answer": "Yes", "reason": "it is"}


class BatchSite:
    """Four cases with two questions each, and edits of all of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = make_picabench(folder / "data", 4)
        self.outputs = folder / "outputs"
        self.outputs.mkdir()
        for source in sorted((self.data / "input_img").iterdir()):
            ImageOps.invert(Image.open(source)).save(self.outputs / source.name)

    def run(self, server: BatchServer, out: str, kind: str = "openai", **more: Any) -> es.Run:
        suite = es.load_suite("picabench", root=self.data)
        settings: dict[str, Any] = {"judge": server.spec(KINDS[kind], kind), "cache": "off", "jobs": 1, **more}
        return es.run(suite, f"folder:{self.outputs}", out=self.folder / out, progress=False, **settings)

    def start(self, server: BatchServer, out: str, kind: str = "openai", *more: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "editscope", "run", "picabench", "--data", str(self.data)]
        command += ["--editor", f"folder:{self.outputs}", "--judge", server.spec(KINDS[kind], kind), "--batch"]
        command += ["--out", str(self.folder / out), "--cache", "off", "--jobs", "1", "--yes", *more]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def log(self, out: str) -> BatchLog:
        return BatchLog(self.folder / out)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BatchSite:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, KEY)
    return BatchSite(tmp_path)


def scores(run: es.Run) -> Any:
    return pq.read_table(run.path / "scores.parquet").to_pylist()


def verdict_lines(run: es.Run) -> list[dict[str, Any]]:
    lines = map(json.loads, (run.path / "journal.jsonl").read_text().splitlines())
    return [line for line in lines if line["step"] == "verdict"]


def verdicts(run: es.Run) -> dict[tuple[str, str], tuple[Any, ...]]:
    kept = ("status", "values", "reply", "reason", "snapshot", "sample")
    return {
        (line["case"], line["key"]): (line["digest"], *(line["verdict"][name] for name in kept))
        for line in verdict_lines(run)
    }


def statuses(run: es.Run) -> set[str]:
    return {line["verdict"]["status"] for line in verdict_lines(run)}


def cost(run: es.Run) -> float:
    return sum(float(line["verdict"]["usage"]["cost_usd"]) for line in verdict_lines(run))


def wait_until(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 300
    while not true():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline
        time.sleep(0.02)


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=300)


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_by_batch_equals_one_without_at_half_the_price(site: BatchSite, kind: str) -> None:
    with BatchServer(opinion, looks=2, keys=[KEY]) as server:
        plain = site.run(server, "plain", kind)
        bodies = sorted(json.dumps(asked.body, sort_keys=True) for asked in server.asked)
        server.asked.clear()
        batch = site.run(server, "batch", kind, batch=True)
    assert scores(batch) == scores(plain)
    assert verdicts(batch) == verdicts(plain)
    assert sorted(json.dumps(asked.body, sort_keys=True) for asked in server.asked) == bodies
    assert cost(batch) == pytest.approx(cost(plain) / 2) and cost(plain) > 0
    # Eight calls at first; the reply that is not a verdict is asked for twice more, each time in another batch.
    assert [len(served.requests) for served in server.batches] == [8, 1, 1]


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
def test_calls_that_failed_expired_or_are_missing_go_into_another_batch(site: BatchSite, kind: str) -> None:
    def fate(asked: Asked, times: int) -> str:
        fates = {"thing 0.0 ": "errored", "thing 1.1 ": "expired", "thing 3.1 ": "missing"}
        return next((fate for text, fate in fates.items() if text in asked.text and not times), "ok")

    with BatchServer(fate=fate) as server:
        run = site.run(server, "run", kind, batch=True)
    assert statuses(run) == {"ok"}
    assert set(server.run.values()) == {1} and len(server.run) == 8
    assert [len(served.requests) for served in server.batches] == [8, 3]


def test_a_batch_that_expires_as_a_whole_is_submitted_again(site: BatchSite) -> None:
    with BatchServer(ends="expired") as server:
        run = site.run(server, "run", batch=True)
    assert statuses(run) == {"ok"}
    assert set(server.run.values()) == {1} and [len(served.requests) for served in server.batches] == [8, 8]


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
def test_a_batch_whose_acceptance_was_never_heard_of_is_found_and_not_submitted_again(
    site: BatchSite, kind: str
) -> None:
    with BatchServer(lost_replies=1, looks=0) as server:
        run = site.run(server, "run", kind, batch=True)
    assert statuses(run) == {"ok"}
    assert len(server.batches) == 1 and set(server.run.values()) == {1}


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
def test_killed_while_polling_resume_takes_up_the_batch(site: BatchSite, kind: str) -> None:
    with BatchServer(opinion, held=True) as server:
        process = site.start(server, "run", kind)
        wait_until(lambda: bool(server.batches and server.batches[0].looks), process)
        killed(process)
        assert site.log("run").batches
        server.held = False
        run = resume(site.folder / "run", jobs=1, progress=False)
    assert [len(served.requests) for served in server.batches] == [8, 1, 1]
    assert len(verdicts(run)) == 8


@pytest.mark.parametrize("kind", ["openai", "anthropic", "gemini"])
def test_killed_between_acceptance_and_its_record_resume_finds_the_batch(site: BatchSite, kind: str) -> None:
    with BatchServer(lost_replies=1, hangs=True, looks=0) as server:
        process = site.start(server, "run", kind)
        wait_until(lambda: bool(server.batches), process)
        killed(process)
        (logged,) = site.log("run").batches.values()
        assert not logged.batch
        run = resume(site.folder / "run", jobs=1, progress=False)
    assert len(verdicts(run)) == 8 and statuses(run) == {"ok"}
    assert len(server.batches) == 1 and set(server.run.values()) == {1}


def test_killed_before_the_server_got_anything_resume_submits(site: BatchSite) -> None:
    with BatchServer(held=True) as server:
        process = site.start(server, "run")
        wait_until(lambda: bool(server.batches and server.batches[0].looks), process)
        killed(process)
        server.batches.clear()  # a server that has never heard of it
        server.run.clear()
        server.held = False
        run = resume(site.folder / "run", jobs=1, progress=False)
    assert len(verdicts(run)) == 8 and len(server.batches) == 1 and set(server.run.values()) == {1}


def test_ctrl_c_ends_at_once_and_the_results_come_with_resume(site: BatchSite) -> None:
    with BatchServer(held=True) as server:
        process = site.start(server, "run")
        wait_until(lambda: bool(server.batches and server.batches[0].looks), process)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 3 and "editscope resume" in said
        assert "batch of 8 calls submitted to openai:gpt-4o" in said
        server.held = False
        run = resume(site.folder / "run", jobs=1, progress=False)
    assert len(verdicts(run)) == 8 and len(server.batches) == 1 and set(server.run.values()) == {1}


def test_the_budget_holds_a_whole_batch_and_gets_back_what_it_did_not_cost(site: BatchSite) -> None:
    with BatchServer(lambda asked: Reply({"answer": "Yes", "reason": "."}, 100, None, 100, 5), held=True) as server:
        process = site.start(server, "run", "openai", "--budget", "0.05")
        wait_until(lambda: bool(server.batches and server.batches[0].looks), process)
        held = read_balance(site.folder / "run" / "spending.json").committed
        killed(process)
        (logged,) = site.log("run").batches.values()
        assert held == pytest.approx(logged.held_usd) and held > 0
        server.held = False
        run = resume(site.folder / "run", jobs=1, progress=False)
    spent = cost(run)
    balance = read_balance(site.folder / "run" / "spending.json")
    assert spent <= balance.committed < held or spent == pytest.approx(balance.committed)
    assert len(server.batches) == 1


def test_a_budget_that_is_too_small_for_all_stops_and_overdraws_nothing(site: BatchSite) -> None:
    with BatchServer() as server, pytest.raises(Stopped, match="--budget"):
        site.run(server, "run", batch=True, budget=0.006)
    assert 0 < sum(server.run.values()) < 8
    assert read_balance(site.folder / "run" / "spending.json").committed <= 0.006 + 1e-9


def test_a_server_without_a_batch_api_is_named_before_anything_is_spent(site: BatchSite) -> None:
    with BatchServer(has_batches=False) as server, pytest.raises(BadInput, match="has no batch API"):
        site.run(server, "run", batch=True)
    assert server.calls == 0 and not (site.folder / "run" / "run.json").exists()


def test_judges_without_a_batch_api_and_ray_are_refused(site: BatchSite) -> None:
    with BatchServer() as server:
        with pytest.raises(BadInput, match="python:m:Mine has no batch API"):
            site.run(server, "run", judge="python:m:Mine", batch=True)
        with pytest.raises(BadInput, match="--batch does not work with --engine ray"):
            site.run(server, "run", batch=True, engine="ray")


def test_samples_of_a_call_keep_their_own_replies_after_a_kill(site: BatchSite) -> None:
    times: Counter[str] = Counter()

    def second_is_no_verdict(asked: Asked) -> Outcome:
        times[asked.text] += 1
        server.held = server.held or times[asked.text] > 2
        return "hm" if times[asked.text] == 2 else {"answer": "Yes", "reason": f"reply {asked.number}"}

    with BatchServer(second_is_no_verdict) as server:
        process = site.start(server, "run", "openai", "--samples", "2")
        wait_until(lambda: len(server.batches) == 2 and bool(server.batches[1].looks), process)
        killed(process)
        server.held = False
        run = resume(site.folder / "run", jobs=1, progress=False)
    lines = verdict_lines(run)
    assert len({line["verdict"]["reason"] for line in lines}) == len(lines) == 16
    assert [len(served.requests) for served in server.batches] == [16, 8]


def test_asking_again_submits_anew_what_has_no_verdict(site: BatchSite) -> None:
    with BatchServer(opinion) as server:
        site.run(server, "run", batch=True)
        before = len(server.batches)
        server.script = lambda asked: {"answer": "Yes", "reason": "at last"}
        plan = plan_again(site.folder / "run", again=True)
        run = execute(plan, jobs=1)
    # The refusal and the reply that was not a verdict.
    assert [len(served.requests) for served in server.batches[before:]] == [2]
    assert {verdict[1] for verdict in verdicts(run).values()} == {"ok"}


def test_a_forecast_says_which_calls_are_in_batches_already(site: BatchSite) -> None:
    with BatchServer(held=True) as server:
        process = site.start(server, "run")
        wait_until(lambda: bool(server.batches and server.batches[0].looks), process)
        killed(process)
        lines = list(forecast(plan_again(site.folder / "run")).lines())
    assert "8 calls in submitted batches are counted above, and not paid for again" in lines


def test_a_run_with_batches_goes_on_by_batches_only(site: BatchSite) -> None:
    with BatchServer(held=True) as server:
        process = site.start(server, "run")
        wait_until(lambda: bool(server.batches and server.batches[0].looks), process)
        killed(process)
        with pytest.raises(BadInput, match="has submitted batches"):
            site.run(server, "run")


def test_a_dry_run_says_batches_price_and_how_long_it_may_take(site: BatchSite) -> None:
    with BatchServer() as server:
        said, _ = site.start(server, "run", "openai", "--dry-run").communicate(timeout=300)
    assert "8 calls in 1 batch or more" in said and "up to 24 hours" in said
    assert not (site.folder / "run").exists() and not server.batches


def test_a_torn_last_line_of_the_log_is_cut_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    log = BatchLog(tmp_path)
    log.write("submitting", "abc", judge="j", calls=["a-0"], held_usd=0.5)
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"event":"subm')
    again = BatchLog(tmp_path)
    assert [batch.calls for batch in again.of("j")] == [("a-0",)]
    again.write("submitted", "abc", batch="b1")
    assert BatchLog(tmp_path).batches["abc"].batch == "b1"
    (tmp_path / FILE).write_bytes(b"{}\n")
    with pytest.raises(BadInput, match="line 1, is damaged"):
        BatchLog(tmp_path)
