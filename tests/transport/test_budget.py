"""Money: what is reserved, what is booked, and that a budget stops a run cleanly and resumably."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.errors import BadInput, Stopped
from editscope.judges import Call, Field, Picture, Schema, Verdict
from editscope.judges.prices import load_prices
from editscope.judges.registry import load_judge
from editscope.judges.tokens import picture_size
from editscope.transport.budget import Bill, Budget, BudgetSpent
from editscope.transport.prices import SHIPPED, price_of
from support.servers.judge_server import Fault, JudgeServer, Outcome, Reply, ask_all

SCALE = Schema((Field("score", "integer", 1, 5),))
GOOD = Reply({"score": 3, "reason": "r"}, input_tokens=1000, output_tokens=50)
"""0.003 dollars with gpt-4o."""


def calls(count: int) -> list[Call]:
    return [Call(f"q{n}", (f"Rate {n}.",), SCALE) for n in range(count)]


def spend(spec: str, count: int, **options: float) -> tuple[list[Verdict], list[BaseException], Budget]:
    """Ask all calls at once: the verdicts, what was raised, the budget afterwards."""

    async def work() -> tuple[list[Verdict], list[BaseException], Budget]:
        judge = load_judge(spec, backoff=0.001, **options)  # type: ignore[arg-type]
        done = await asyncio.gather(*(judge.ask(call) for call in calls(count)), return_exceptions=True)
        await judge.close()
        verdicts = [outcome for outcome in done if isinstance(outcome, Verdict)]
        raised = [outcome for outcome in done if isinstance(outcome, BaseException)]
        return verdicts, raised, judge.budget  # type: ignore[attr-defined]

    return asyncio.run(work())


@pytest.mark.parametrize("most", [0, 1, 7])
def test_no_more_calls_are_made_than_allowed_and_all_that_are_allowed(most: int) -> None:
    with JudgeServer([GOOD], latency=0.01) as server:
        verdicts, raised, budget = spend(server.spec(), 20, max_calls=most, concurrency=4)
    assert server.calls == len(verdicts) == budget.spent.calls == most
    assert len(raised) == 20 - most
    assert all(isinstance(error, BudgetSpent) and isinstance(error, Stopped) for error in raised)
    assert "--max-calls" in str(raised[0])


def test_money_is_reserved_before_it_is_spent() -> None:
    with JudgeServer([GOOD], latency=0.01) as server:
        verdicts, raised, budget = spend(server.spec(), 30, max_cost=0.03, concurrency=8)
    assert budget.spent.cost_usd <= 0.03
    assert budget.spent.cost_usd == pytest.approx(0.003 * len(verdicts))
    assert len(verdicts) >= 8, "what was reserved too high is used in the end"
    assert "--max-cost" in str(raised[0])
    assert server.calls == len(verdicts)


def test_retries_that_a_server_turned_away_cost_nothing() -> None:
    script: list[Outcome] = [Fault(500), Fault(429), GOOD]
    with JudgeServer(script) as server:
        verdicts, raised, budget = spend(server.spec(), 1, max_calls=1)
    assert (len(verdicts), len(raised), budget.spent.calls) == (1, 0, 1)
    assert verdicts[0].usage.cost_usd == pytest.approx(0.003)


def test_a_reply_that_is_no_verdict_is_paid_for_and_counts() -> None:
    with JudgeServer([Reply("hm"), GOOD]) as server:
        _, raised, budget = spend(server.spec(), 1, max_calls=1)
    assert isinstance(raised[0], BudgetSpent), "asking again would be a second call"
    assert budget.spent.calls == server.calls == 1


def test_a_call_that_timed_out_may_have_been_paid_for_and_counts() -> None:
    with JudgeServer([Fault(kind="hang")]) as server:
        verdicts, _, budget = spend(server.spec(), 1, retries=0, timeout=0.3)
    assert verdicts[0].status == "error"
    assert budget.spent.calls == 1
    assert budget.spent.cost_usd > 0


def test_a_budget_in_dollars_needs_a_price() -> None:
    with pytest.raises(BadInput, match="no price is known for the judge 'my-model'"):
        load_judge("openai:my-model", max_cost=1.0)


@pytest.mark.parametrize(("name", "value"), [("max_cost", -1.0), ("max_cost", float("nan")), ("max_calls", -1)])
def test_a_budget_below_nothing_is_turned_away(name: str, value: float) -> None:
    with pytest.raises(BadInput, match=name.replace("_", "-")):
        load_judge("openai:gpt-4o", **{name: value})  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(
    costs=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.booleans()), max_size=40),
    most=st.integers(0, 100),
)
def test_a_budget_is_passed_at_most_by_what_replies_cost_above_their_estimates(
    costs: list[tuple[int, int, bool]], most: int
) -> None:
    """Requests with any estimate and any real cost, some turned away, all at once."""
    budget = Budget(max_cost=most)
    over = 0

    async def one(estimate: int, real: int, turned_away: bool) -> None:
        nonlocal over
        held = await budget.reserve(estimate)
        await asyncio.sleep(0)
        if turned_away:
            budget.settle(held, 0)
        else:
            over += max(0, real - estimate)
            budget.settle(held, 1, Bill(real))

    async def work() -> list[BaseException | None]:
        return await asyncio.gather(*(one(*cost) for cost in costs), return_exceptions=True)

    done = asyncio.run(asyncio.wait_for(work(), 30))
    assert budget.spent.cost_usd <= most + over
    assert all(outcome is None or isinstance(outcome, BudgetSpent) for outcome in done)


def test_a_users_prices_replace_ours_and_add_others(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"gpt-4o" = { input = 1, output = 1 }\n"mine" = { input = 0, output = 0 }\n')
    prices = load_prices(file)
    assert (prices["gpt-4o"].input, prices["mine"].cost(10, 10)) == (1.0, 0.0)
    assert prices["gpt-5"] == load_prices()["gpt-5"]
    with JudgeServer([GOOD]) as server:
        (verdict,) = ask_all(server.spec(), calls(1)[0], prices=file)
    assert verdict.usage.cost_usd == pytest.approx(1050e-6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models", "is not TOML"),
        ("x = 1", "no table [models]"),
        ("[models]\nm = 3", "model 'm': write"),
        ("[models]\nm = { input = 1 }", "output is None"),
        ("[models]\nm = { input = -1, output = 1 }", "input is -1"),
        ("[models]\nm = { input = 1, output = 1, image = { rule = 'magic' } }", "image needs a rule"),
        ("[models]\nm = { input = 1, output = 1, image = { rule = 'tiles', base = 1 } }", "needs the number 'tile'"),
    ],
)
def test_a_broken_file_of_prices_names_file_model_and_fix(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(BadInput, match=r"prices\.toml") as raised:
        load_prices(file)
    assert said in str(raised.value)


def test_a_file_of_prices_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"none\.toml cannot be read"):
        load_prices(tmp_path / "none.toml")


def test_the_papers_judges_have_prices_and_dated_names_find_them() -> None:
    ours = load_prices(SHIPPED)
    for name in ("gpt-4o", "gpt-5", "gpt-4o-2024-11-20", "gpt-4.1-2025-04-14", "qwen-vl-max", "qwen-vl-max-latest"):
        assert price_of(name, ours) is not None, name
    assert price_of("gpt-4o-mini-2024-07-18", ours) is ours["gpt-4o-mini"]
    assert price_of("gpt-4o-realtime", ours) is None


def test_the_size_of_a_picture_is_read_from_its_header() -> None:
    import io

    from PIL import Image

    for form, mode in (("JPEG", "RGB"), ("JPEG", "L"), ("PNG", "RGB")):
        file = io.BytesIO()
        Image.new(mode, (321, 123)).save(file, form, **({"progressive": True} if form == "JPEG" else {}))
        assert picture_size(Picture(file.getvalue())) == (321, 123)
    assert picture_size(Picture(b"\xff\xd8\xff\xe0\x00")) == (1024, 1024)
