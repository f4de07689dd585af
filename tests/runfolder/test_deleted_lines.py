"""Journals from which somebody deleted a line: resume does the step again, and says the same as before."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.errors import Stopped
from editscope.runs.judging.settings import Limits
from editscope.runs.plan import plan_again
from editscope.runs.start import execute, resume
from support.judged_data import make_picabench
from support.run_surgery import read, write
from support.servers.judge_server import Asked, JudgeServer, Reply

pytestmark = pytest.mark.slow

CASES = 4


class Place:
    """A judged run, and the server of its judge."""

    def __init__(self, folder: Path, server: JudgeServer) -> None:
        self.server = server
        data = make_picabench(folder / "data", CASES, questions=2)
        suite = es.load_suite("picabench", root=data)
        made = es.run(
            suite, "ref:identity", judge=server.spec(), out=folder / "run", cache="off", jobs=1, progress=False
        )
        self.run = made.path


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with pytest.MonkeyPatch.context() as patch, JudgeServer() as server:
        patch.setenv("OPENAI_API_KEY", "loopback-key")
        yield Place(tmp_path_factory.mktemp("deleted"), server)


@pytest.mark.parametrize(("step", "asked"), [("edit", 0), ("verdict", 1), ("score", 0)])
def test_the_step_of_a_deleted_line_is_done_again_at_once(place: Place, tmp_path: Path, step: str, asked: int) -> None:
    run = Path(shutil.copytree(place.run, tmp_path / "run"))
    lines = read(run)
    number = next(n for n, line in enumerate(lines) if line["step"] == step)
    write(run, lines[:number] + lines[number + 1 :])
    calls = place.server.calls
    again = resume(run, jobs=1, progress=False, cache="off")
    assert place.server.calls - calls == asked
    assert again.complete
    assert again.summary["overall"] == es.open_run(place.run).summary["overall"]
    assert sum(line["step"] == step for line in read(run)) == sum(line["step"] == step for line in lines)


def test_verdicts_that_were_asked_for_again_stay_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "loopback-key")
    suite = es.load_suite("picabench", root=make_picabench(tmp_path / "data", CASES, questions=1))
    broken = True

    def answer(asked: Asked) -> Reply:
        return Reply("no verdict at all") if broken else Reply({"answer": "Yes", "reason": "so it is"})

    with JudgeServer(answer) as server:
        es.run(suite, "ref:identity", judge=server.spec(), out=tmp_path / "run", cache="off", jobs=1, progress=False)
        first = es.open_run(tmp_path / "run").summary["spent"]
        broken = False
        again = execute(plan_again(tmp_path / "run", limits=Limits(cache="off"), again=True), jobs=1)
    spent = again.summary["spent"]
    assert (first["calls"], spent["calls"]) == (CASES, 2 * CASES)
    assert spent["input_tokens"] > first["input_tokens"] > 0
    verdicts = [line["verdict"]["usage"] for line in read(tmp_path / "run") if line["step"] == "verdict"]
    assert spent["input_tokens"] == sum(usage["input_tokens"] for usage in verdicts)


def test_attempts_before_a_spent_budget_stay_paid_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "loopback-key")
    suite = es.load_suite("picabench", root=make_picabench(tmp_path / "data", 1, questions=1))
    broken = True

    def answer(asked: Asked) -> Reply:
        return Reply("no verdict at all") if broken else Reply({"answer": "Yes", "reason": "so it is"})

    with JudgeServer(answer) as server:
        judging: dict[str, Any] = {"judge": server.spec(), "cache": "off", "jobs": 1, "progress": False}
        with pytest.raises(Stopped):
            es.run(suite, "ref:identity", out=tmp_path / "run", max_calls=1, **judging)
        assert server.calls == 1
        (stopped,) = (line for line in read(tmp_path / "run") if line["step"] == "verdict")
        assert stopped["verdict"]["status"] == "error" and stopped["verdict"]["usage"]["cost_usd"] > 0
        broken = False
        again = resume(tmp_path / "run", jobs=1, progress=False, cache="off")
    assert server.calls == 2 and again.complete
    spent = again.summary["spent"]
    verdicts = [line["verdict"] for line in read(tmp_path / "run") if line["step"] == "verdict"]
    assert [verdict["status"] for verdict in verdicts] == ["error", "ok"]
    assert spent["calls"] == 2
    assert spent["cost_usd"] == pytest.approx(sum(verdict["usage"]["cost_usd"] for verdict in verdicts))
    assert [verdict.status for verdict in next(iter(again.cases())).verdicts] == ["ok"]
