"""What a server and a network can do to a call: it ends with the right verdict or the right status, never a number."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from editscope.errors import Stopped
from editscope.judges import Call, Field, Schema
from editscope.judges.registry import load_judge
from support.places import TESTS
from support.servers.judge_server import KEY, Asked, Fault, JudgeServer, Outcome, Reply, ask_all

KINDS = ("openai", "responses", "gemini", "anthropic")
SCALE = Schema((Field("score", "integer", 1, 5),))
GOOD = Reply({"score": 3, "reason": "so-so"})

PASSING = {
    "429": Fault(429),
    "429 with Retry-After": Fault(429, headers={"Retry-After": "0.05"}),
    "429 with milliseconds": Fault(429, headers={"retry-after-ms": "20"}),
    "500": Fault(500),
    "502": Fault(502, headers={"Retry-After": "0"}),
    "503": Fault(503),
    "504": Fault(504),
    "529": Fault(529),
    "hang": Fault(kind="hang"),
    "drop": Fault(kind="drop"),
    "truncated": Fault(kind="truncated"),
    "malformed": Fault(kind="malformed"),
}
LASTING = {
    "400": Fault(400, "image is not a picture"),
    "401": Fault(401, f"Incorrect API key provided: {KEY}"),
    "403": Fault(403, "not for you"),
    "404": Fault(404, "no such model"),
    "413": Fault(413, "too large"),
    "no credit": Fault(429, "You exceeded it", error={"code": "insufficient_quota"}),
    "no credit, as 400": Fault(400, "Your credit balance is too low to access the API."),
    "redirect": Fault(301, "moved", headers={"Location": "http://127.0.0.1:9/elsewhere"}),
}


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


def call(name: str = "q") -> Call:
    return Call(name, (f"Rate {name}.",), SCALE)


@pytest.mark.slow
@pytest.mark.parametrize("fault", PASSING)
@pytest.mark.parametrize("kind", KINDS)
def test_what_passes_is_tried_again_until_it_succeeds(kind: str, fault: str) -> None:
    with JudgeServer([PASSING[fault], GOOD]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), call(), timeout=2.0 if fault == "hang" else 60.0)
    assert (verdict.status, verdict.values) == ("ok", {"score": 3})
    assert server.calls == verdict.usage.attempts == 2


@pytest.mark.parametrize("fault", LASTING)
@pytest.mark.parametrize("kind", KINDS)
def test_what_lasts_is_an_error_at_once_and_never_a_number(kind: str, fault: str) -> None:
    with JudgeServer([LASTING[fault], GOOD]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), call())
    assert (verdict.status, verdict.values) == ("error", {})
    assert server.calls == 1
    assert verdict.reason
    assert KEY not in str(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["500", "429", "drop", "truncated", "malformed", "hang"])
def test_what_does_not_pass_ends_as_an_error_after_the_retries(fault: str) -> None:
    with JudgeServer([PASSING[fault]]) as server:
        (verdict,) = ask_all(server.spec(), call(), retries=2, backoff=0.001, timeout=1.0 if fault == "hang" else 60.0)
    assert (verdict.status, verdict.values) == ("error", {})
    assert server.calls == verdict.usage.attempts == (7 if fault == "429" else 3), "waiting cures load, so it gets more"
    assert "attempts" in verdict.reason


@pytest.mark.parametrize(
    "fault",
    [
        Fault(400, "flagged", error={"code": "content_policy_violation"}),
        Fault(400, "The response was filtered due to Azure's content management policy."),
        Fault(400, "Input data may contain inappropriate content.", error={"code": "data_inspection_failed"}),
    ],
)
def test_a_filter_that_answers_400_is_a_refusal(fault: Fault) -> None:
    with JudgeServer([fault, GOOD]) as server:
        (verdict,) = ask_all(server.spec(), call())
    assert (verdict.status, verdict.values, server.calls) == ("refused", {}, 1)


def test_a_server_that_is_not_there_is_an_error() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        spec = f"openai:gpt-4o?base_url=http://127.0.0.1:{taken.getsockname()[1]}/v1"
        (verdict,) = ask_all(spec, call(), retries=1)
    assert (verdict.status, verdict.values, verdict.usage.attempts) == ("error", {}, 2)
    assert "no connection" in verdict.reason


@pytest.mark.slow
def test_a_retry_after_in_seconds_or_as_a_date_holds_back_every_call() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=1.5), usegmt=True)
    for value, least in (("0.3", 0.3), (later, 0.0)):
        script: list[Outcome] = [Fault(429, headers={"Retry-After": value}), GOOD]
        with JudgeServer(script) as server:
            verdicts = ask_all(server.spec(), *(call(f"q{n}") for n in range(4)), concurrency=1)
        assert {verdict.status for verdict in verdicts} == {"ok"}
        gaps = [asked.time - server.asked[0].time for asked in server.asked[1:]]
        assert min(gaps) >= least


def test_gemini_says_in_the_body_how_long_to_wait() -> None:
    message = "You exceeded your current quota, please check your plan and billing details."
    wait = {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.2s"}]}
    with JudgeServer([Fault(429, message, error=wait), GOOD]) as server:
        (verdict,) = ask_all(server.spec(kind="gemini"), call())
    assert verdict.status == "ok"
    assert server.asked[1].time - server.asked[0].time >= 0.2


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    with JudgeServer([Fault(429, headers={"Retry-After": "3600"})]) as server:
        (verdict,) = ask_all(server.spec(), call())
    assert (verdict.status, server.calls) == ("error", 1)


def test_concurrency_never_passes_the_limit_and_falls_when_the_server_is_busy() -> None:
    def script(asked: Asked) -> Outcome:
        return Fault(429, headers={"Retry-After": "0.02"}) if asked.number < 8 else GOOD

    async def work(spec: str) -> tuple[list[Any], float]:
        judge: Any = load_judge(spec, concurrency=8, backoff=0.001)
        verdicts = await asyncio.gather(*(judge.ask(call(f"q{n}")) for n in range(12)))
        lowest = judge.control.limit
        await judge.close()
        return verdicts, lowest

    with JudgeServer(script, latency=0.02) as server:
        verdicts, limit = asyncio.run(work(server.spec()))
    assert {verdict.status for verdict in verdicts} == {"ok"}
    assert server.peak <= 8
    assert 4 <= limit < 8, "one burst of refusals halves once, then successes add a little"


def test_a_judge_that_has_gone_for_good_stops_the_run_instead_of_failing_every_case() -> None:
    with JudgeServer([Fault(401)]) as server, pytest.raises(Stopped, match="5 calls in a row") as raised:
        ask_all(server.spec(), *(call(f"q{n}") for n in range(30)), give_up=5, concurrency=1)
    assert server.calls == 5
    assert KEY not in str(raised.value)


def test_a_few_failures_among_answers_do_not_stop_the_run() -> None:
    def script(asked: Asked) -> Outcome:
        return GOOD if asked.number % 4 == 0 else Fault(400, "bad picture")

    with JudgeServer(script) as server:
        verdicts = ask_all(server.spec(), *(call(f"q{n}") for n in range(40)), give_up=5, concurrency=1)
    assert Counter(verdict.status for verdict in verdicts) == {"ok": 10, "error": 30}


@pytest.mark.slow
def test_every_kind_of_fault_at_once_and_every_call_ends_as_it_should() -> None:
    """Each call meets its own fault once or for ever; totals add up, and no failure is a number."""
    faults = {**PASSING, **LASTING}
    plan: dict[str, Outcome] = {f"Rate {name}.": fault for name, fault in faults.items()}
    seen: Counter[str] = Counter()

    def script(asked: Asked) -> Outcome:
        seen[asked.text] += 1
        fault = plan.get(asked.text)
        return fault if fault is not None and seen[asked.text] == 1 else GOOD

    names = [*faults, *(f"fine {n}" for n in range(20))]
    with JudgeServer(script) as server:
        verdicts = ask_all(server.spec(), *(call(name) for name in names), concurrency=6, timeout=5.0)
    by_name = dict(zip(names, verdicts, strict=True))
    for name, verdict in by_name.items():
        assert verdict.status == ("error" if name in LASTING else "ok"), name
        assert verdict.values == ({} if name in LASTING else {"score": 3}), name
    assert server.calls == len(names) + len(PASSING)


def test_a_canceled_call_gives_its_place_back() -> None:
    async def work(spec: str) -> str:
        judge = load_judge(spec, concurrency=1)
        slow = [asyncio.create_task(judge.ask(call(f"slow {n}"))) for n in range(3)]
        await asyncio.sleep(0.1)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
        verdict = await judge.ask(call("quick"))
        await judge.close()
        return verdict.status

    def script(asked: Asked) -> Outcome:
        return Fault(kind="hang") if "slow" in asked.text else GOOD

    with JudgeServer(script) as server:
        assert asyncio.run(work(server.spec())) == "ok"


@pytest.mark.slow
def test_a_server_killed_in_the_middle_leaves_errors_not_numbers() -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "support.servers.judge_server", "--latency", "1"]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()

        async def work() -> list[Any]:
            judge = load_judge(f"openai:gpt-4o?base_url={url}", retries=1, backoff=0.001)
            first = await judge.ask(call("first"))
            rest = [asyncio.create_task(judge.ask(call(f"q{n}"))) for n in range(5)]
            await asyncio.sleep(0.1)
            os.kill(process.pid, signal.SIGKILL)
            verdicts = [first, *await asyncio.gather(*rest)]
            await judge.close()
            return verdicts

        verdicts = asyncio.run(work())
    assert [verdict.status for verdict in verdicts] == ["ok"] + ["error"] * 5
    assert all(not verdict.values for verdict in verdicts[1:])
