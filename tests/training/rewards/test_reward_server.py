"""`editscope serve-reward`: the values of the function, by HTTP, and one sentence for what cannot be served."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import pytest

import editscope as es
from editscope.cli import main
from editscope.errors import BadInput, Stopped
from editscope.training.rewards import Reward, RewardValue, Rollout, load_reward, reward_function
from editscope.training.rewards.client import RemoteReward, RewardClient
from editscope.training.rewards.problems import Problems, example_of
from editscope.training.rewards.server.messages import write_picture, write_rollout
from editscope.training.rewards.server.serve import ServedReward
from editscope.training.rewards.server.served import describe
from support.servers.judge_server import KEY, JudgeServer, agreeable
from support.servers.reward_server import RewardServer
from support.training.rollouts import ANSWER, SOURCE, a_rollout, answer_of, shades

pytestmark = pytest.mark.slow


class Graded(Reward):
    """A reward with a scale of its own."""

    name = "graded"
    low, high = -2.0, 5.0

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        return [RewardValue(3.0)] * len(rollouts)


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(autouse=True)
def _closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close every client at the end of its test."""
    made: list[RewardClient] = []
    begin = RewardClient.__init__

    def noted(self: RewardClient, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        made.append(self)

    monkeypatch.setattr(RewardClient, "__init__", noted)
    yield
    for client in made:
        client.close()


@pytest.mark.parametrize("encoding", ["rgb", "png"])
def test_a_server_gives_what_the_function_gives(encoding: Any) -> None:
    rollouts = [*shades(5), a_rollout(ANSWER), a_rollout(SOURCE)]
    with RewardServer(["miou", "psnr_outside"]) as server:
        here = server.served.reward.score(rollouts)
        there = RemoteReward(server.url, encoding=encoding, batch=3)
        there.prepare()
        assert (there.low, there.high) == (0.0, 2.0)
        assert there.score(rollouts) == here
        assert load_reward(server.url).score(rollouts) == here, "an address is the spec of a reward"


def test_a_server_that_is_down_gives_no_value_and_a_run_waits_for_it() -> None:
    (value,) = RemoteReward("http://127.0.0.1:1", retries=0).score([a_rollout()])
    assert value.value is None and value.status == "error" and "does not answer" in value.reason


def test_a_sum_has_the_scale_that_its_server_turns_out_to_have() -> None:
    with RewardServer([Graded()]) as server:
        function = reward_function({"grade": server.url, "minus": "miou"}, weights={"minus": -1.0})
        assert (function.low, function.high) == (-1.0, 1.0), "nobody was asked yet"
        function.prepare()
        assert (function.low, function.high) == (function.sum.low, function.sum.high) == (-3.0, 5.0)
        assert "from -3 to 5" in describe(ServedReward(function.sum, Problems([])))[0]
        with RewardServer([RemoteReward(server.url)]) as second:
            second.served.reward.prepare()
            assert (second.served.reward.low, second.served.reward.high) == (-2.0, 5.0)


def test_a_problem_is_named_by_its_suite_and_id() -> None:
    suite = es.load_suite("paintbench")
    ids = suite.ids[:3]
    with RewardServer(suites=["paintbench"]) as server:
        client = RewardClient(server.url)
        wrong = write_picture(np.asarray(es.to_array(answer_of(suite[ids[0]]))))
        sent = [{"suite": "paintbench", "id": ids[0], "picture": wrong}, {"id": ids[1], "picture": wrong}]
        first, second = client.rewards(sent)
        assert first.value == 1.0
        assert second.value is not None and second.value < 1
        rollout = Rollout(example_of(suite[ids[2]]), es.to_array(answer_of(suite[ids[2]])))
        remote = RemoteReward(server.url, by_id=True)
        assert remote.score([rollout])[0].value == 1.0
        health = client.health()
        assert health["suites"] == {"paintbench": len(suite)} and health["scored"] == 3


def test_another_problem_under_the_same_id_is_not_scored(tmp_path: Path) -> None:
    suite = es.load_suite("paintbench")
    case = suite[suite.ids[0]]
    other = Rollout(example_of(es.Case(case.id, case.suite, (SOURCE,), case.instructions, {}, answer=ANSWER)), ANSWER)
    with RewardServer(suites=["paintbench"]) as server:
        (value,) = RemoteReward(server.url, by_id=True).score([other])
        assert value.value is None and "differs from yours" in value.reason


def test_a_suite_of_a_judge_is_served_by_its_protocol(tmp_path: Path) -> None:
    case = es.Case("7", "s", (SOURCE,), (es.Instruction("Wet it."),), {"mode": "humidity"})
    with JudgeServer(agreeable) as judge, RewardServer([f"rubric:worldedit?judge={judge.spec()}"]) as server:
        (value,) = load_reward(server.url).score([Rollout(example_of(case), ANSWER)])
        assert value.value == 1.0


def test_a_budget_that_is_spent_stops_the_server_and_says_so() -> None:
    with JudgeServer(agreeable) as judge, RewardServer([f"reason?judge={judge.spec()}&budget=0.0000001"]) as server:
        remote = RemoteReward(server.url, retries=0)
        with pytest.raises(Stopped, match=r"has stopped: .*budget"):  # not a judge that is down, for which a run waits
            remote.score([a_rollout()])
        with pytest.raises(BadInput, match="has stopped"):
            remote.prepare()
        with pytest.raises(Stopped, match="has stopped"):
            RewardClient(server.url).rewards([write_rollout(a_rollout())])


def test_only_who_has_the_token_is_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "a-secret-of-more-than-sixteen-characters"
    with RewardServer(token=secret) as server:
        with pytest.raises(BadInput, match="the token is missing or wrong; set the variable EDITSCOPE_SERVE_TOKEN"):
            RewardClient(server.url).health()
        monkeypatch.setenv("EDITSCOPE_SERVE_TOKEN", secret)
        assert RewardClient(server.url).health()["rewards"] == {"miou": 1.0}
    monkeypatch.delenv("EDITSCOPE_SERVE_TOKEN")
    with RewardServer() as server:
        page = Request(server.url.replace("/reward", "/health"), headers={"Origin": "https://example.org"})
        with pytest.raises(OSError, match="403"):
            urlopen(page, timeout=60)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["paintbnch"], "there is no suite or reward 'paintbnch'; did you mean 'paintbench'"),
        (["paintbench", "--judge", "openai:m"], "is scored by pixels and needs no judge"),
        (["miou", "--judge", "openai:m"], "--judge is for a suite that a judge scores"),
        (["miou", "miou?jobs=1"], "the reward miou is named twice"),
        (["miou", "--weights", "one"], "--weights 'one' is not a list of numbers"),
        (["miou", "--weights", "nan"], "the weight of miou is nan"),
        (["miou", "--host", "0.0.0.0"], "0.0.0.0 can be reached by others; set a token"),
        (["miou", "--idle-timeout", "0"], "--idle-timeout is 0"),
        (["miou", "--suite", "paintbench", "--suite", "paintbench"], "named twice"),
        (["causal"], "names no judge"),
        (["http://127.0.0.1:9"], "does not answer"),
    ],
)
def test_what_cannot_be_served_is_told_before_it_listens(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RewardClient, "_pause", lambda *_: 0.0)
    with pytest.raises(SystemExit) as end:
        main(["serve-reward", *words])
    assert end.value.code == 2
    assert said in capsys.readouterr().err.replace("\n", " ")


def test_a_dry_run_says_what_would_be_served(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["serve-reward", "miou", "psnr_outside", "--weights", "1,0.5", "--suite", "paintbench", "--dry-run"])
    assert not end.value.code
    out = capsys.readouterr().out
    assert "rewards: miou + psnr_outside × 0.5, from 0 to 1.5" in out
    assert "problems: 1,920 of paintbench" in out
    assert "nothing was asked or paid" in out


@contextmanager
def started(port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command in a process of its own: its address and the process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "editscope", "serve-reward", "miou", "--port", str(port)],
        env=os.environ.copy(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if match := re.search(r"http://\S+/reward", line):
                yield match[0], process
                return
        raise AssertionError("it did not start")
    finally:
        process.kill()
        process.wait(60)
        process.stdout.close()


def test_a_trainer_outlives_the_kill_and_restart_of_the_server() -> None:
    rollouts = shades(4)
    here = load_reward("miou").score(rollouts)
    with started() as (url, first):
        port = int(re.search(r":(\d+)/", url)[1])  # type: ignore[index]
        remote = RemoteReward(url, retries=30)
        assert remote.score(rollouts) == here
        first.send_signal(signal.SIGKILL)
        first.wait(60)
        answers: list[Any] = []
        waiting = threading.Thread(target=lambda: answers.append(remote.score(rollouts)))
        waiting.start()
        time.sleep(0.3)
        with started(port):
            waiting.join(600)
        assert answers == [here]


def test_ctrl_c_ends_the_server_cleanly() -> None:
    with started() as (_, process):
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def test_problems_that_are_not_there_are_told() -> None:
    suite = es.load_suite("paintbench")
    problems = Problems([suite], kept=2)
    for case_id in suite.ids[:4]:
        assert problems.example(case_id).id == case_id
    assert problems.example(suite.ids[3]) is problems.example(suite.ids[3]), "kept"
    with pytest.raises(BadInput, match="there is no suite here 'kris'"):
        problems.example(suite.ids[0], "kris")
    with pytest.raises(BadInput, match="no suite is loaded"):
        Problems([]).example("x")
    with pytest.raises(BadInput, match="there is no variant of case"):
        problems.example(suite.ids[0], variant="klingon")


def test_the_reply_is_plain_json() -> None:
    with RewardServer() as server:
        body = {
            "rollouts": [
                {
                    "sources": [write_picture(SOURCE)],
                    "answer": write_picture(ANSWER, "png"),
                    "picture": write_picture(ANSWER),
                }
            ]
        }
        sent = Request(server.url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urlopen(sent, timeout=60) as reply:
            assert json.load(reply) == {
                "rewards": [{"value": 1.0, "status": "ok", "reason": "", "parts": {"miou": 1.0}}]
            }
