"""One budget for edits and judges: what servers were asked never costs more, however the run ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from drills.counts import times
from editscope.errors import BadInput, Stopped
from editscope.runfolder.journal import read_journal
from editscope.runs import resume
from editscope.runs.budget import spent_in
from editscope.transport.account import FILE, read_balance
from support.judged_data import make_worldedit
from support.servers.editor_server import OpenAIServer
from support.servers.http_editor_server import Raw, RawServer
from support.servers.judge_server import KEY, Asked, JudgeServer, Reply, agreeable

pytestmark = pytest.mark.slow

EDIT, VERDICT = 0.10, 0.02
PRICES = """
[editors."gpt-image-1"]
picture = 0.10

[models]
"gpt-4o" = { input = 20.0, output = 100.0 }
"""
PRICED = """
import editscope as es
from editscope.cases import Edit

class Priced(es.Editor):
    def estimate(self, edits, images=1):
        return 0.4 * edits
    def edit(self, case):
        return Edit(case.case_id, image=case.arrays[0], cost_usd=0.4)

class SaysAfterwards(es.Editor):
    def edit(self, case):
        return Edit(case.case_id, image=case.arrays[0], cost_usd=0.4)
"""


def answer(asked: Asked) -> Reply:
    """A verdict of two cents, as long as we guess before."""
    values: Any = agreeable(asked)
    return Reply(values, input_tokens=500, output_tokens=100)


@pytest.fixture
def servers() -> Iterator[tuple[OpenAIServer, JudgeServer]]:
    with OpenAIServer(latency=0.02) as editor, JudgeServer(answer, latency=0.02) as judge:
        yield editor, judge


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with six cases, prices, and editors with a price."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    make_worldedit(tmp_path / "world", 6)
    (tmp_path / "prices.toml").write_text(PRICES)
    (tmp_path / "priced_editors.py").write_text(PRICED)
    return tmp_path


def run(editor: str, judge: str | None, **more: Any) -> es.Run:
    limits = es.EditLimits(prices="prices.toml", concurrency=2)
    judging: dict[str, Any] = {} if judge is None else {"prices": "prices.toml", "concurrency": 2, "cache": "off"}
    suite = es.load_suite("worldedit", root="world")
    return es.run(suite, editor, judge, out="run", jobs=1, progress=False, edit_limits=limits, **judging, **more)


def billed(editor: OpenAIServer, judge: JudgeServer) -> float:
    """What the servers charge."""
    return round(editor.calls * EDIT + judge.calls * VERDICT, 6)


def test_edits_and_judges_spend_one_budget_and_resume_goes_on_with_more(
    here: Path, servers: tuple[OpenAIServer, JudgeServer]
) -> None:
    editor, judge = servers
    with pytest.raises(
        Stopped, match=r"does not fit into the budget of \$0\.55 .* higher limit: editscope resume run --budget N"
    ):
        run(editor.spec(), judge.spec(), budget=0.55)
    assert 0.4 <= billed(editor, judge) <= 0.55
    assert editor.calls and judge.calls
    assert json.loads(Path("run/run.json").read_text())["settings"]["budget"] == 0.55
    assert spent_in(read_journal(Path("run"))) == pytest.approx(billed(editor, judge), abs=1e-6)

    with pytest.raises(Stopped, match="--budget"):
        resume("run", progress=False, jobs=1)  # it keeps its budget
    assert billed(editor, judge) <= 0.55

    done = resume("run", progress=False, jobs=1, budget=2.0)
    assert done.coverage == {"ok": 6}
    assert (editor.calls, judge.calls) == (6, 24), "nothing was asked twice"
    assert read_balance(Path("run") / FILE).budget == 2.0


def test_without_its_file_the_journal_says_what_was_spent(
    here: Path, servers: tuple[OpenAIServer, JudgeServer]
) -> None:
    editor, judge = servers
    with pytest.raises(Stopped, match="--budget"):
        run(editor.spec(), judge.spec(), budget=0.55)
    (here / "run" / FILE).unlink()
    with pytest.raises(Stopped, match="--budget"):
        resume("run", progress=False, jobs=1)
    assert billed(editor, judge) <= 0.55


@pytest.mark.parametrize("budget", [0, 0.05])
def test_a_budget_below_one_edit_is_refused_before_anything_is_spent(
    here: Path, servers: tuple[OpenAIServer, JudgeServer], budget: float
) -> None:
    editor, judge = servers
    with pytest.raises(BadInput, match=r"does not allow one edit, which costs about \$0\.10; raise --budget"):
        run(editor.spec(), judge.spec(), budget=budget)
    assert editor.calls == judge.calls == 0
    assert not (here / "run").exists()


def test_wrappers_of_wrappers_and_their_judges_spend_the_same_budget(
    here: Path, servers: tuple[OpenAIServer, JudgeServer]
) -> None:
    editor, judge = servers
    spec = f"best_of(2, by={judge.spec()}, cache=off):rewrite(judge={judge.spec()}, cache=off):{editor.spec()}"
    with pytest.raises(Stopped, match="--budget"):
        run(spec, judge.spec(), budget=1.0)
    assert 0.5 <= billed(editor, judge) <= 1.0


def test_a_server_that_claims_absurd_costs_ends_the_run_at_once(here: Path) -> None:
    claims = [Raw(body={"status": "refused", "reason": "no", "cost_usd": 9_000.0})]
    with RawServer(claims) as server, JudgeServer(answer) as judge:
        with pytest.raises(Stopped, match="--budget"):
            run(server.url, judge.spec(), budget=5.0)
        assert judge.calls == 0
    assert 1 <= len([line for line in read_journal(Path("run")) if line["step"] == "edit"]) <= 2


def test_an_editor_of_ones_own_stops_before_it_goes_over(here: Path, small_set: Path) -> None:
    suite = es.load_suite("paintbench", root="set")
    with pytest.raises(Stopped, match=r"another edit \(about \$0\.40\) does not fit into the budget of \$1\.00"):
        es.run(suite, "python:priced_editors:Priced", out="run", jobs=2, progress=False, budget=1.0)
    assert len([line for line in read_journal(Path("run")) if line["step"] == "edit"]) == 2


def test_an_editor_that_tells_its_price_afterwards_is_stopped_from_the_second_on(here: Path, small_set: Path) -> None:
    suite = es.load_suite("paintbench", root="set")
    with pytest.raises(Stopped, match="--budget"):
        es.run(suite, "python:priced_editors:SaysAfterwards", out="run", jobs=1, progress=False, budget=1.0)
    assert len([line for line in read_journal(Path("run")) if line["step"] == "edit"]) == 2


def test_a_judge_without_a_price_cannot_keep_a_budget(here: Path) -> None:
    with pytest.raises(BadInput, match="--budget cannot be enforced, because no price is known for the judge 'gpt-x'"):
        run("ref:identity", "openai:gpt-x?base_url=https://judge.example.org/v1", budget=1.0)


@pytest.mark.drill
def test_killed_at_any_moment_a_run_does_not_overdraw_its_budget(
    here: Path, servers: tuple[OpenAIServer, JudgeServer]
) -> None:
    editor, judge = servers
    options = ["--prices", "prices.toml", "--jobs", "1", "--cache", "off", "-q"]
    start = ["run", "worldedit", "--data", "world", "-e", editor.spec(), "--judge", judge.spec(), "--out", "run"]
    start += ["--budget", "0.9", "--edit-concurrency", "1", "--concurrency", "3"]
    for number in range(times(1, 6)):
        asked = editor.calls + judge.calls
        process = subprocess.Popen([sys.executable, "-m", "editscope", *start, *options], stderr=subprocess.PIPE)
        until = time.monotonic() + 300
        while editor.calls + judge.calls < asked + 2 + number and process.poll() is None:
            assert time.monotonic() < until
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
    last = subprocess.run(
        [sys.executable, "-m", "editscope", "resume", "run", "--jobs", "1", "--cache", "off", "-q"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert last.returncode == 3 and "--budget" in last.stderr, last.stderr
    assert billed(editor, judge) <= 0.9
