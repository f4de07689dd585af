"""A budget that does not believe a server: what it claims counts only where it is not less than what we know."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.editors import Request, load_editor
from editscope.editors.make_edits import made
from editscope.errors import Stopped
from editscope.judges import Call
from editscope.judges.records import Field, Schema
from editscope.judges.tokens import call_tokens
from editscope.runs.engine.edit_budget import EditBudget
from editscope.transport.budget import BudgetSpent
from editscope.transport.rate_control import Pace, retry_after
from support.servers.editor_server import OpenAIServer
from support.servers.editor_server import Reply as EditReply
from support.servers.editor_server_bfl import BFLServer, Task
from support.servers.http_editor_server import Raw, RawServer
from support.servers.judge_server import JudgeServer, Reply, ask_all

SCALE = Schema((Field("score", "integer", 1, 5),))
LONG = Call("q", ("Is it red? " * 400,), SCALE)
NONSENSE: tuple[Any, ...] = (None, -1_000_000, 0, float("nan"), float("inf"), True, "1", 10**18, -1e9, [1], {})


def said(value: Any) -> Reply:
    return Reply(
        {"reason": "It is as red as it can be, in every part.", "score": 4}, input_tokens=value, output_tokens=value
    )


@pytest.mark.parametrize("kind", ["openai", "responses", "gemini", "anthropic"])
@pytest.mark.parametrize("claim", NONSENSE, ids=repr)
def test_nonsense_for_usage_is_replaced_by_the_estimate_and_counted(kind: str, claim: Any) -> None:
    models = {"gemini": "gemini-2.5-flash", "anthropic": "claude-sonnet-4-5"}
    with JudgeServer(lambda asked: said(claim)) as server:
        (verdict,) = ask_all(server.spec(models.get(kind, "gpt-4o"), kind), LONG)
    assert verdict.status == "ok" and verdict.usage.estimated == 1
    assert verdict.usage.input_tokens == pytest.approx(call_tokens(LONG), rel=0.05)
    assert 10 < verdict.usage.output_tokens < 40
    assert verdict.usage.cost_usd is not None and 0 < verdict.usage.cost_usd < 0.1


@pytest.mark.parametrize("claim", [1, *NONSENSE], ids=repr)
def test_no_claim_raises_a_budget(claim: Any) -> None:
    """A call is about 1,140 tokens in: at gpt-4o's price $0.003, so $0.02 are a few calls, whatever is said."""
    with JudgeServer(lambda asked: said(claim)) as server, pytest.raises(BudgetSpent):
        ask_all(server.spec(), *[LONG] * 30, max_cost=0.02, concurrency=1)
    assert 2 <= server.calls <= 8


def test_the_cost_that_is_shown_is_the_servers_where_it_makes_sense() -> None:
    with JudgeServer(lambda asked: Reply({"reason": "r", "score": 4}, input_tokens=900, output_tokens=7)) as server:
        (verdict,) = ask_all(server.spec(), LONG)
    assert (verdict.usage.input_tokens, verdict.usage.output_tokens, verdict.usage.estimated) == (900, 7, 0)
    assert verdict.usage.cost_usd == pytest.approx((900 * 2.5 + 7 * 10) / 1e6)


def one(number: int = 0) -> Request:
    return Request(f"c{number}", (np.zeros((8, 8, 3), np.uint8),), "Make it red.", seed=0)


def edits_within(spec: str, dollars: float) -> list[es.cases.Edit]:
    """The edits that a budget allows."""
    editor = load_editor(spec)
    editor.limit(es.EditLimits(max_cost=dollars, concurrency=1, retries=0))
    editor.load()
    found: list[es.cases.Edit] = []
    try:
        while len(found) < 30:
            found += made(editor, [one(len(found))])
    except Stopped:
        pass
    finally:
        editor.close()
    return found


@pytest.mark.parametrize("claim", [1, -5_000, None, float("inf"), "0", 10**15, True], ids=repr)
def test_no_claim_of_tokens_raises_the_budget_of_edits(monkeypatch: pytest.MonkeyPatch, claim: Any) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-this-test-file")
    usage = {"input_tokens": claim, "output_tokens": claim, "input_tokens_details": {"text_tokens": claim}}
    with OpenAIServer([EditReply(usage=usage)]) as server:
        edits = edits_within(server.spec(), 0.5)
    assert 1 <= len(edits) <= 12
    assert all(edit.cost_usd is not None and 0 <= edit.cost_usd < 1 for edit in edits)


@pytest.mark.slow
@pytest.mark.parametrize("claim", [0, -1, float("nan"), float("inf"), 1e300, "5", True], ids=repr)
def test_no_claim_of_credits_raises_the_budget_of_edits(monkeypatch: pytest.MonkeyPatch, claim: Any) -> None:
    monkeypatch.setenv("BFL_API_KEY", "key-of-this-test-file")
    with BFLServer([Task(cost=claim)]) as server:
        edits = edits_within(server.spec(poll=0.01), 0.2)
    assert 1 <= len(edits) <= 12
    assert all(edit.cost_usd is not None and 0 <= edit.cost_usd < 1 for edit in edits)


def test_measures_that_make_no_sense_are_not_kept() -> None:
    wild = [{"latency_s": value, "memory_mb": value, "cost_usd": value} for value in (-1, 1e308, True, "x", [1])]
    with RawServer([Raw(body={"status": "refused", "reason": "r", **fields}) for fields in wild]) as server:
        editor = load_editor(server.url)
        editor.load()
        edits = [edit for number in range(len(wild)) for edit in made(editor, [one(number)])]
        editor.close()
    assert all((edit.cost_usd, edit.memory_mb) == (None, None) for edit in edits)
    assert all(edit.latency_s is not None and 0 <= edit.latency_s < 60 for edit in edits)


def test_the_budget_of_edits_takes_what_counts_against_it() -> None:
    budget = EditBudget(es.EditLimits(max_cost=1.0))
    budget.spend({"cost_usd": 0.0, "charged_usd": 0.7})
    budget.spend({"cost_usd": 0.2})
    assert budget.cost_usd == pytest.approx(0.9)


def test_a_wild_claim_of_tokens_does_not_stop_the_pace_for_hours() -> None:
    pace = Pace(per_minute=60)
    pace.reserve(0.0, 1)
    pace.correct(10**9)
    assert pace.reserve(0.0, 1) <= 62


@pytest.mark.parametrize("said", ["-5", "nan", "inf", "1e999", "soon", "", "\x00", "Wed, 99 Foo 2015 99:99:99 GMT"])
def test_a_wait_that_makes_no_sense_is_not_waited_for(said: str) -> None:
    assert retry_after({"Retry-After": said}) is None
