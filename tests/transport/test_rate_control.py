"""Concurrency, pace and waiting: pure of any network, and true for every order of events."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.judges import Call, Field, Schema
from editscope.transport.rate_control import Concurrency, Pace, full_jitter, retry_after
from support.servers.judge_server import Fault, JudgeServer, Reply, ask_all

SCALE = Schema((Field("score", "integer", 1, 5),))


def test_a_burst_of_refusals_halves_the_limit_once() -> None:
    control = Concurrency(64)
    assert [control.cut(0, now=0.0) for _ in range(30)] == [True] + [False] * 29
    assert control.limit == 32


def test_refusals_of_requests_sent_after_a_cut_halve_again_down_to_one() -> None:
    control = Concurrency(8)
    for ticket in range(6):
        control.cut(ticket, now=0.0)
    assert control.limit == 1


def test_a_round_of_successes_adds_about_one_and_never_passes_the_most() -> None:
    control = Concurrency(16)
    control.cut(0, now=0.0)
    for _ in range(8):
        control.grow()
    assert 8.9 < control.limit < 9.0
    for _ in range(1000):
        control.grow()
    assert control.limit == 16


@settings(max_examples=60, deadline=None)
@given(most=st.integers(1, 6), seed=st.integers(0, 2**20), tasks=st.integers(1, 40))
def test_whatever_happens_nobody_starves_and_the_limit_holds(most: int, seed: int, tasks: int) -> None:
    """Tasks enter, succeed, fail for load or are canceled, in any order; each place is given back exactly once."""
    dice = Random(seed)
    control = Concurrency(most)
    served = 0

    async def one() -> None:
        nonlocal served
        ticket = await control.enter()
        try:
            assert control.in_flight <= most
            for _ in range(dice.randrange(3)):
                await asyncio.sleep(0)
            if dice.random() < 0.3:
                control.cut(ticket, now=0.0)
            else:
                control.grow()
            served += 1
        finally:
            control.leave()

    async def work() -> int:
        running = [asyncio.create_task(one()) for _ in range(tasks)]
        for task in running:
            if dice.random() < 0.25:
                await asyncio.sleep(0)
                task.cancel()
        done = await asyncio.gather(*running, return_exceptions=True)
        return sum(isinstance(outcome, asyncio.CancelledError) for outcome in done)

    canceled = asyncio.run(asyncio.wait_for(work(), 30))
    assert served + canceled >= tasks
    assert control.in_flight == 0
    assert 1 <= control.limit <= most


@given(
    per_minute=st.floats(1, 6000),
    steps=st.lists(st.tuples(st.floats(0, 5), st.floats(0.1, 50)), min_size=1, max_size=60),
)
def test_in_any_stretch_of_time_no_more_is_used_than_the_rate_and_one_second_allow(
    per_minute: float, steps: list[tuple[float, float]]
) -> None:
    pace, now = Pace(per_minute), 100.0
    used: list[tuple[float, float]] = []
    for gap, amount in steps:
        now += gap
        used.append((now + pace.reserve(now, amount), amount))
    for first in range(len(used)):
        total = 0.0
        for at, amount in used[first:]:
            allowed = (at - used[first][0]) * pace.rate + max(pace.rate, 1.0)
            assert (
                total <= allowed + 1e-6
            )  # what started before this one; it may itself be larger than a second's worth
            total += amount


@pytest.mark.slow
def test_requests_per_minute_are_kept() -> None:
    calls = [Call(f"q{n}", (f"{n}",), SCALE) for n in range(12)]
    with JudgeServer() as server:
        ask_all(server.spec(), *calls, rpm=300)  # five a second, five at once: the last one 1.4 s after the first
    times = [asked.time for asked in server.asked]
    assert max(times) - min(times) >= 0.7


def test_tokens_per_minute_are_kept_as_the_server_counts_them() -> None:
    calls = [Call(f"q{n}", (f"{n}",), SCALE) for n in range(3)]
    with JudgeServer([Reply({"score": 1, "reason": "r"}, input_tokens=40_000, output_tokens=0)]) as server:
        ask_all(server.spec(), *calls, tpm=3_000_000, concurrency=1)  # 50,000 a second: the third waits for 0.6 s
    times = [asked.time for asked in server.asked]
    assert max(times) - min(times) >= 0.3


@given(attempt=st.integers(0, 2000), seed=st.integers(0, 1000))
def test_jitter_stays_between_nothing_and_the_doubling_limit(attempt: int, seed: int) -> None:
    assert 0 <= full_jitter(attempt, Random(seed), base=0.5, most=30.0) <= min(30.0, 0.5 * 2 ** min(attempt, 7))


@pytest.mark.parametrize("value", ["", "-3", "nan", "inf", "tomorrow", "Thu, 99 Foo 2020"])
def test_a_retry_after_that_means_nothing_is_none(value: str) -> None:
    assert retry_after({"Retry-After": value}) is None


def test_a_retry_after_in_the_past_is_now() -> None:
    assert retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0


def test_time_outs_slow_the_judge_down_too() -> None:
    from editscope.judges.registry import load_judge

    async def work(spec: str) -> float:
        judge = load_judge(spec, concurrency=8, timeout=0.3, retries=0)
        await judge.ask(Call("q", ("?",), SCALE))
        await judge.close()
        return float(judge.control.limit)  # type: ignore[attr-defined]

    with JudgeServer([Fault(kind="hang")]) as server:
        assert asyncio.run(work(server.spec())) == 4
