"""What batch APIs send back, read: shapes that differ between versions, and nonsense."""

from __future__ import annotations

import asyncio
from typing import Any

from editscope.judges.batches.api import BatchState, Talk
from editscope.judges.batches.gemini import GeminiBatches
from editscope.judges.batches.openai import OpenAIBatches
from editscope.judges.wire.base import Answer, JudgeSettings
from editscope.judges.wire.chat import Chat
from editscope.judges.wire.gemini import Gemini
from editscope.transport.faults import Fault


def gemini_results(operation: dict[str, Any], *ids: str) -> dict[str, Answer | Fault]:
    talk = Talk(None, Gemini(), JudgeSettings("m", "http://127.0.0.1"))
    state = BatchState(True, data=operation)
    return dict(asyncio.run(GeminiBatches().results(talk, "batches/a", state, ids)))


def said(text: str) -> dict[str, Any]:
    return {"response": {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}}


def texts(results: dict[str, Answer | Fault]) -> dict[str, str]:
    return {name: outcome.text for name, outcome in results.items()}


def test_gemini_responses_without_keys_are_taken_in_the_order_of_the_requests() -> None:
    operation = {"done": True, "response": {"inlinedResponses": {"inlinedResponses": [said("one"), said("two")]}}}
    assert texts(gemini_results(operation, "a", "b")) == {"a": "one", "b": "two"}


def test_gemini_responses_without_keys_of_another_number_belong_to_nobody() -> None:
    operation = {"done": True, "response": {"inlinedResponses": {"inlinedResponses": [said("one")]}}}
    assert gemini_results(operation, "a", "b") == {}


def test_gemini_responses_in_the_output_of_the_batch_are_read_by_their_keys() -> None:
    listed = [{"metadata": {"key": "b"}, **said("two")}, {"metadata": {"key": "a"}, "error": {"code": 8}}]
    operation = {"metadata": {"state": "JOB_STATE_SUCCEEDED", "output": {"inlinedResponses": listed}}}
    results = gemini_results(operation, "a", "b")
    assert results["b"].text == "two" and isinstance(results["a"], Fault) and results["a"].busy


def test_a_gemini_batch_that_expired_can_be_asked_again() -> None:
    (outcome,) = gemini_results({"metadata": {"state": "BATCH_STATE_EXPIRED"}}, "a").values()
    assert isinstance(outcome, Fault) and outcome.again and "expired" in outcome.text


def openai_results(**data: Any) -> dict[str, Answer | Fault]:
    talk = Talk(None, Chat(), JudgeSettings("m", "http://127.0.0.1"))
    return dict(asyncio.run(OpenAIBatches().results(talk, "b", BatchState(True, data=data), ["a"])))


def test_an_openai_batch_that_was_turned_away_says_why_and_a_full_queue_is_waited_for() -> None:
    wrong = openai_results(status="failed", errors={"data": [{"code": "x", "message": "model not found"}]})["a"]
    assert isinstance(wrong, Fault) and "model not found" in wrong.text and not wrong.again
    full = openai_results(status="failed", errors={"data": [{"code": "token_limit_exceeded", "message": "full"}]})["a"]
    assert isinstance(full, Fault) and full.again and full.busy


def test_an_openai_batch_that_was_canceled_can_be_asked_again() -> None:
    outcome = openai_results(status="cancelled")["a"]
    assert isinstance(outcome, Fault) and outcome.again
