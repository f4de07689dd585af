"""What a judge is sent and what its reply becomes, in each of the four wire formats, over real HTTP."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.judges import Call, Field, Picture, Schema
from editscope.judges.registry import judge_kinds, load_judge, parse_spec
from support.servers.judge_server import KEY, Asked, Fault, JudgeServer, Reply, ask_all

KINDS = ("openai", "responses", "gemini", "anthropic")
SCALE = Schema((Field("score", "integer", 1, 5),))
YES_NO = Schema((Field("answer", "yes_no"),))
BEFORE = Picture(b"\xff\xd8before", "image/jpeg")
AFTER = Picture(b"\x89PNG after", "image/png")
CALL = Call("if", ("The source:", BEFORE, "The edit, “made” by\na model:", AFTER, "评分"), SCALE, system="Be strict.")


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_and_pictures_arrive_in_order_and_unchanged(kind: str) -> None:
    with JudgeServer() as server:
        (verdict,) = ask_all(server.spec(kind=kind), CALL)
    asked = server.asked[0]
    assert asked.parts == (CALL.parts[0], BEFORE.data, CALL.parts[2], AFTER.data, CALL.parts[4])
    assert asked.key == KEY
    assert verdict.status == "ok"
    assert verdict.values == {"score": 5}


@pytest.mark.parametrize("kind", KINDS)
def test_the_system_prompt_the_schema_and_temperature_0_are_sent(kind: str) -> None:
    with JudgeServer() as server:
        ask_all(server.spec(kind=kind, max_tokens=77), CALL)
    body = server.asked[0].body
    assert _temperature(body) == 0
    assert set((server.asked[0].schema or {})["required"]) == {"score", "reason"}
    assert "Be strict." in str(body)
    assert "77" in str(body)


@pytest.mark.parametrize("kind", KINDS)
def test_a_verdict_carries_snapshot_reply_tokens_cost_and_prompt_hash(kind: str) -> None:
    reply = Reply({"score": 4, "reason": "a stray shadow"}, snapshot="m-77", input_tokens=2000, output_tokens=100)
    with JudgeServer([reply]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), replace(CALL, prompt_hash="p1"))
    assert (verdict.reason, verdict.snapshot, verdict.prompt_hash) == ("a stray shadow", "m-77", "p1")
    assert '"a stray shadow"' in verdict.reply
    assert (verdict.usage.input_tokens, verdict.usage.output_tokens, verdict.usage.attempts) == (2000, 100, 1)
    assert verdict.usage.cost_usd == pytest.approx(2000 * 2.5e-6 + 100 * 10e-6)
    assert verdict.judge == server.spec(kind=kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_cost_of_a_model_without_a_price_is_unknown_not_zero(kind: str) -> None:
    with JudgeServer() as server:
        (verdict,) = ask_all(server.spec("my-own-model", kind=kind), CALL)
    assert verdict.usage.cost_usd is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reply", [Reply(refusal="I can't help with that."), Reply(filtered=True)])
def test_a_refusal_and_a_content_filter_are_refused_at_the_first_asking(kind: str, reply: Reply) -> None:
    with JudgeServer([reply, Reply({"score": 5, "reason": "too late"})]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), CALL)
    assert verdict.status == "refused"
    assert not verdict.values
    assert verdict.reason
    assert server.calls == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_in_words_that_declines_is_refused(kind: str) -> None:
    with JudgeServer(["I'm sorry, but I cannot assist with evaluating this picture."]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), CALL)
    assert (verdict.status, verdict.values, server.calls) == ("refused", {}, 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text", ["", "four", '{"score": 6, "reason": "out of range"}', '{"score": 4.5, "reason": "x"}']
)
def test_a_reply_that_is_no_verdict_is_asked_for_again_twice_and_then_unparsed(kind: str, text: str) -> None:
    with JudgeServer([text]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), CALL)
    assert (verdict.status, verdict.values, verdict.reply) == ("unparsed", {}, text)
    assert server.calls == verdict.usage.attempts == 3
    assert verdict.usage.input_tokens == 3000, "what the broken replies cost is counted"


@pytest.mark.parametrize("kind", KINDS)
def test_asking_again_can_end_well(kind: str) -> None:
    with JudgeServer(["hm", {"score": 2, "reason": "no"}]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), CALL)
    assert (verdict.status, verdict.values, verdict.usage.attempts) == ("ok", {"score": 2}, 2)


@pytest.mark.parametrize("kind", KINDS)
def test_a_reply_cut_off_at_the_limit_of_tokens_says_so(kind: str) -> None:
    with JudgeServer([Reply('{"reason": "the shadow of the', cut=True)]) as server:
        (verdict,) = ask_all(server.spec(kind=kind), CALL)
    assert verdict.status == "unparsed"
    assert "max_tokens" in verdict.reason


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_without_json_schema_is_asked_in_a_plainer_form(kind: str) -> None:
    script = [Reply('{"score": 3, "reason": "plain"}')]
    with JudgeServer(script, takes_schema=False, takes_object=False) as server:
        verdicts = ask_all(server.spec(kind=kind), CALL, CALL, concurrency=1)
    assert [verdict.values for verdict in verdicts] == [{"score": 3}, {"score": 3}]
    assert server.calls == 2, "objections to the form are no replies"
    assert server.asked[-1].schema is None


def test_a_form_that_the_user_asked_for_is_used_from_the_start() -> None:
    with JudgeServer(['{"score": 3, "reason": "r"}']) as server:
        ask_all(server.spec(json="object"), CALL)
        ask_all(server.spec(json="off"), CALL)
    assert server.asked[0].body["response_format"] == {"type": "json_object"}
    assert "response_format" not in server.asked[1].body


def test_a_model_that_takes_no_temperature_is_asked_without() -> None:
    with JudgeServer(takes_temperature=False) as server:
        (verdict,) = ask_all(server.spec("gpt-5"), CALL)
    assert verdict.status == "ok"
    assert "temperature" not in server.asked[0].body


def test_a_temperature_that_the_user_asked_for_is_never_dropped() -> None:
    with JudgeServer(takes_temperature=False) as server:
        (verdict,) = ask_all(server.spec("gpt-5", temperature=0.5), CALL)
    assert verdict.status == "error"
    assert "temperature" in verdict.reason
    assert server.calls == 0


def test_the_limit_of_tokens_gets_its_new_name_where_a_server_wants_it() -> None:
    def script(asked: Asked) -> Reply | Fault:
        if "max_tokens" in asked.body:
            return Fault(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        return Reply({"score": 5, "reason": "r"})

    with JudgeServer(script) as server:
        (verdict,) = ask_all(server.spec(max_tokens=500), CALL)
    assert verdict.status == "ok"
    assert server.asked[-1].body["max_completion_tokens"] == 500


def test_samples_of_a_seeded_judge_have_different_seeds() -> None:
    async def work(spec: str) -> None:
        judge = load_judge(spec)
        for sample in range(3):
            assert (await judge.ask(CALL, sample)).sample == sample
        await judge.close()

    with JudgeServer() as server:
        asyncio.run(work(server.spec(seed=7)))
    assert [asked.body["seed"] for asked in server.asked] == [7, 8, 9]


def test_detail_and_effort_reach_the_server() -> None:
    with JudgeServer() as server:
        ask_all(server.spec(detail="low", effort="minimal"), CALL)
        ask_all(server.spec(kind="responses", detail="low", effort="minimal"), CALL)
        ask_all(server.spec(kind="gemini", detail="low"), CALL)
    chat, responses, gemini = (asked.body for asked in server.asked)
    assert chat["messages"][1]["content"][1]["image_url"]["detail"] == "low"
    assert chat["reasoning_effort"] == "minimal"
    assert responses["input"][0]["content"][1]["detail"] == "low"
    assert responses["reasoning"] == {"effort": "minimal"}
    assert responses["store"] is False
    assert gemini["generationConfig"]["mediaResolution"] == "MEDIA_RESOLUTION_LOW"


def test_geminis_schema_is_in_its_dialect_with_the_fields_in_order() -> None:
    with JudgeServer() as server:
        ask_all(server.spec(kind="gemini"), CALL)
    schema = server.asked[0].schema or {}
    assert "additionalProperties" not in schema
    assert schema["propertyOrdering"] == list(schema["properties"])
    assert (schema["properties"]["score"]["minimum"], schema["properties"]["score"]["maximum"]) == (1, 5)


def test_two_uses_of_anthropics_tool_are_two_verdicts_and_so_none() -> None:
    from editscope.judges.wire.anthropic import Anthropic

    block = {"type": "tool_use", "input": {"score": 1}}
    other = {"type": "tool_use", "input": {"score": 5}}
    answer = Anthropic().read({"content": [block, other], "stop_reason": "tool_use", "usage": {}})
    assert answer.text == '{"score":1}\n{"score":5}'


def test_pictures_of_several_megabytes_go_through() -> None:
    large = Picture(bytes(range(256)) * 12_000)
    with JudgeServer() as server:
        (verdict,) = ask_all(server.spec(), Call("q", ("?", large), YES_NO))
    assert verdict.values == {"answer": True}
    assert server.asked[0].pictures == (large.data,)


def test_a_judge_can_be_used_under_one_event_loop_after_another() -> None:
    with JudgeServer() as server:
        judge = load_judge(server.spec())

        async def once() -> str:
            await judge.check()
            verdict = await judge.ask(CALL)
            await judge.close()
            return verdict.status

        assert [asyncio.run(once()) for _ in range(2)] == ["ok", "ok"]


def test_an_estimate_counts_calls_pictures_tokens_and_dollars() -> None:
    judge = load_judge("openai:gpt-4o", max_cost=5.0)
    two = judge.estimate([CALL, CALL], samples=2)
    assert (two.calls, two.images) == (4, 8)
    assert two.input_tokens > 8 * 85
    assert two.cost_usd == pytest.approx(two.input_tokens * 2.5e-6 + two.output_tokens * 10e-6)
    assert load_judge("openai:nobody-knows").estimate([CALL]).cost_usd is None


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("gpt-4o", "openai:gpt-4o"),
        ("openai:", "kind:model"),
        ("opnai:gpt-4o", "did you mean 'openai'"),
        ("openai:gpt-4o?temprature=0", "did you mean 'temperature'"),
        ("openai:gpt-4o?temperature=hot", "not a number from 0 to 2"),
        ("openai:gpt-4o?seed=1.5", "not a number"),
        ("openai:gpt-4o?json=yes", "schema, object, off"),
        ("anthropic:claude?seed=1", "no option"),
        ("openai:m?base_url=ftp://x", "http://127.0.0.1:8000/v1"),
        ("openai:m?base_url=localhost:8000", "http://127.0.0.1:8000/v1"),
        ("openai:m?temperature", "?key=value"),
    ],
)
def test_a_wrong_spec_is_one_sentence_with_the_fix(spec: str, said: str) -> None:
    with pytest.raises(BadInput) as raised:
        load_judge(spec)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "spec",
    [
        "openai:m?key=sk-very-secret",
        "openai:m?api_key=sk-very-secret",
        "openai:m?token=sk-very-secret",
        "openai:m?base_url=https://me:sk-very-secret@host/v1",
    ],
)
def test_a_key_in_a_spec_is_turned_away_and_not_repeated(spec: str) -> None:
    with pytest.raises(BadInput, match="key_env") as raised:
        load_judge(spec)
    assert "very-secret" not in str(raised.value)


def test_a_spec_is_written_the_same_way_whatever_the_order_of_its_options() -> None:
    one, other = "openai:m?seed=1&json=off", "openai:m?json=off&seed=1"
    assert str(parse_spec(one)) == str(parse_spec(other))
    assert str(parse_spec(str(parse_spec(one)))) == str(parse_spec(one))


def test_the_built_in_kinds_are_there() -> None:
    assert {"anthropic", "gemini", "local", "openai", "responses"} <= set(judge_kinds())


@pytest.mark.parametrize("name", ["concurrency", "rpm", "tpm", "timeout"])
def test_limits_must_be_positive(name: str) -> None:
    with pytest.raises(BadInput, match=f"--{name} is 0"):
        load_judge("openai:m", **{name: 0})  # type: ignore[arg-type]


def _temperature(body: Any) -> Any:
    return body.get("generationConfig", body)["temperature"]
