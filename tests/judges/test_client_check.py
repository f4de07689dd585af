"""Wrong key, unknown model, no network: one sentence each, with the fix, before anything is spent."""

from __future__ import annotations

import asyncio
import socket
import sys

import pytest

from editscope.errors import BadInput
from editscope.judges.registry import load_judge
from support.servers.judge_server import KEY, Fault, JudgeServer

KINDS = {"openai": "OPENAI_API_KEY", "responses": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
KINDS["anthropic"] = "ANTHROPIC_API_KEY"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KINDS.values():
        monkeypatch.setenv(name, KEY)


def check(spec: str) -> None:
    async def work() -> None:
        judge = load_judge(spec)
        try:
            await judge.check()
        finally:
            await judge.close()

    asyncio.run(work())


def complaint(spec: str) -> str:
    with pytest.raises(BadInput) as raised:
        check(spec)
    said = str(raised.value)
    assert "\n" not in said
    assert KEY not in said
    return said


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_that_is_well_is_checked_free_of_charge(kind: str) -> None:
    with JudgeServer(models=["gpt-4o"], keys=[KEY]) as server:
        check(server.spec(kind=kind))
    assert (server.checks, server.calls) == (1, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_describes_no_models_gets_one_tiny_request(kind: str) -> None:
    with JudgeServer(lists_models=False, takes_schema=False) as server:
        check(server.spec(kind=kind))
    assert server.calls == 1
    assert not server.asked[0].pictures
    assert len(server.asked[0].text) < 50


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lists", [True, False])
def test_a_wrong_key_names_the_variable(kind: str, lists: bool) -> None:
    with JudgeServer(keys=["another"], lists_models=lists) as server:
        said = complaint(server.spec(kind=kind))
    assert KINDS[kind] in said
    assert "does not accept the key" in said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lists", [True, False])
def test_an_unknown_model_is_named(kind: str, lists: bool) -> None:
    with JudgeServer(models=["gpt-4o"], lists_models=lists) as server:
        said = complaint(server.spec("gpt-40", kind=kind))
    assert "'gpt-40'" in said
    assert server.calls == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_key_names_the_variable_without_asking_anybody(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KINDS[kind])
    assert f"put it into the variable {KINDS[kind]}" in complaint(f"{kind}:some-model")


def test_a_server_of_your_own_needs_no_key_unless_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with JudgeServer() as server:
        check(server.spec())
    with JudgeServer(keys=["wanted"]) as server:
        assert "wants a key; put it into the variable OPENAI_API_KEY" in complaint(server.spec())


def test_a_key_can_have_another_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHSCOPE_API_KEY", "for-qwen")
    with JudgeServer(keys=["for-qwen"]) as server:
        check(server.spec(key_env="DASHSCOPE_API_KEY"))
        assert "OPENAI_API_KEY" in complaint(server.spec())


def test_a_key_that_cannot_be_one_is_not_sent_and_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret\nX-Evil: 1")
    assert "secret" not in complaint("openai:gpt-4o")


@pytest.mark.parametrize("library", ["aiohttp", "orjson"])
def test_a_missing_library_is_one_sentence_with_the_command(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    assert "pip install 'editscope[judge]'" in complaint("openai:gpt-4o")


def test_no_network_is_said_with_the_address() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        said = complaint(f"openai:gpt-4o?base_url={address}")
    assert f"{address} cannot be reached" in said


def test_an_address_that_is_no_judge_is_said_so() -> None:
    with JudgeServer([Fault(404, "Not Found")], lists_models=False) as server:
        said = complaint(server.spec())
    assert "is not an endpoint of the kind openai" in said
    assert "base_url" in said


def test_an_account_without_credit_is_said_before_the_run() -> None:
    with JudgeServer([Fault(429, error={"code": "insufficient_quota"})], lists_models=False) as server:
        assert "no credit left" in complaint(server.spec())


def test_a_temperature_that_the_model_does_not_take_is_said_before_the_run() -> None:
    with JudgeServer(takes_temperature=False, lists_models=False) as server:
        assert "temperature" in complaint(server.spec("gpt-5", temperature=0.3))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_just_now_does_not_stop_a_run(status: int) -> None:
    with JudgeServer([Fault(status)], lists_models=False) as server:
        check(server.spec())
