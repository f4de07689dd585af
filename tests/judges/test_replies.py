"""A judge's reply is a verdict that satisfies its schema, or it is none; never anything in between."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.judges import Field, Schema
from editscope.judges.replies import LONGEST, AskedField, Broken, Parsed, is_refusal, json_schema, parse

FIVE = Schema((Field("score", "integer", 1, 5),))
TEN = Schema((Field("score", "integer", 1, 10),))
ZERO_ONE = Schema((Field("score", "integer", 0, 1),))
TWO = Schema((Field("instruction", "integer", 1, 5), Field("knowledge", "integer", 1, 5)))
YES_NO = Schema((Field("answer", "yes_no"),))


def score(text: str, schema: Schema = FIVE) -> Any:
    """The one value of a reply; a reply that is broken has none."""
    found = parse(text, schema)
    assert isinstance(found, Parsed), found
    (value,) = found.values.values()
    return value


def why(text: str, schema: Schema = FIVE) -> str:
    """Why a reply is not a verdict."""
    found = parse(text, schema)
    assert isinstance(found, Broken), found
    return found.why


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "clean", "score": 4}',
        '{"score": 4, "reason": "clean"}',
        '```json\n{"reason": "clean", "score": 4}\n```',
        '```\n{"reason": "clean", "score": 4}\n```',
        'Here is my verdict:\n\n{"reason": "clean", "score": 4}\n\nLet me know if you need more.',
        '\ufeff{"reason": "clean", "score": 4}',
        '{"reason": "the sign says {\\"score\\": 1} and } too", "score": 4}',
        '{"Reason": "clean", "Score": 4}',
        '{"reason": "1. clean\n2. sharp\tthroughout", "score": 4}',
        '[{"reason": "clean", "score": 4}]',
        'I looked at the set {1, 2} of squares. {"reason": "clean", "score": 4}',
        '<think>Maybe {"score": 2}? No.</think>{"reason": "clean", "score": 4}',
        '{"reason": "评分：很好，没有问题。", "score": 4}',
        '{"reason": "clean", "score": 4} {"reason": "as I said", "score": 4}',
        '{"reason": "clean", "score": 4}\n\n**Final Score:** **4**',
        "Final Score: 4",
        "final score: 4.",
        "It is good.\n\n**Final Score:** **4**",
        "It is good.\n\n**Final Score: 4**\n",
        "### Final Score: **4**",
        "> FINAL SCORE:4",
        "Final Score：4",
        "Final Score: ４",
        "Final Score: 4\nFinal Score: 4",
    ],
)
def test_a_reply_that_is_clear_is_read(text: str) -> None:
    assert score(text) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the reply is empty"),
        ("  \n\t ", "the reply is empty"),
        ("4", "no JSON object with 'score' and no line 'Final Score: …'"),
        ("The score is 4.", "no JSON object"),
        ("I would give it 4 out of 5.", "no JSON object"),
        ('{"reason": "x", "score": "four"}', "score is the text 'four', not an integer from 1 to 5"),
        ('{"reason": "x", "score": 4.5}', "score is 4.5, not an integer"),
        ('{"reason": "x", "score": 4.0}', "score is 4.0, not an integer"),
        ('{"reason": "x", "score": "4"}', "score is the text '4', not an integer"),
        ('{"reason": "x", "score": 11}', "score is 11, not an integer from 1 to 5"),
        ('{"reason": "x", "score": 0}', "score is 0, not"),
        ('{"reason": "x", "score": -4}', "score is -4, not"),
        ('{"reason": "x", "score": "10/10"}', "score is the text '10/10', not"),
        ('{"reason": "x", "score": null}', "score is null, not"),
        ('{"reason": "x", "score": true}', "score is true, not"),
        ('{"reason": "x", "score": ""}', "score is an empty text, not"),
        ('{"reason": "x", "score": NaN}', "score is nan, not"),
        ('{"reason": "x", "score": Infinity}', "score is inf, not"),
        ('{"reason": "x", "score": 1e400}', "score is inf, not"),
        ('{"reason": "x", "score": [4]}', "score is a list, not"),
        ('{"reason": "x", "score": {"value": 4}}', "score is an object, not"),
        ('{"reason": "x", "score": ' + "4" * 5000 + "}", "cut off or not valid JSON"),
        ('{"reason": "x", "score": 4, "score": 3}', "the field 'score' stands twice"),
        ('{"reason": "x", "score": 4, "score": 4}', "the field 'score' stands twice"),
        ('{"reason": "x", "score": 4, "Score": 3}', "the field 'Score' stands twice"),
        ('{"reason": "x", "score": 4, "final_score": 3}', "'final_score' with a number of its own"),
        ('{"reason": "x", "score": 4, "parts": {"color": [3]}}', "'parts' with a number of its own"),
        ('{"reason": "x", "rating": 4}', "no JSON object with 'score'"),
        ('{"verdict": {"reason": "x", "score": 4}}', "no JSON object with 'score'"),
        ('{"reason": "x", "score": 4} or {"reason": "y", "score": 3}', "two verdicts that differ: score 4; score 3"),
        ('[{"score": 4}, {"score": 3}]', "two verdicts that differ"),
        ('{"reason": "x", "score": 4}\nFinal Score: 3', "two verdicts that differ"),
        ("Final Score: 4\nFinal Score: 3", "two verdicts that differ"),
        ('{"reason": "the left hand is', "cut off"),
        ('{"reason": "x", "score": 4', "cut off"),
        ('```json\n{"reason": "x", "score":', "cut off"),
        ('{"before": {"score": 3}, "after": {"sco', "cut off"),
        ('<think>It could be {"score": 4}', "cut off while the judge was thinking"),
        ("{'reason': 'x', 'score': 4}", "no JSON object"),
        ("{reason: x, score: 4}", "no JSON object"),
        ('{"reason": "x", "score": 4,}', "not valid JSON"),
        ('{"reason"："x"，"score"：4}', "not valid JSON"),
        ("{“reason”: “x”, “score”: 4}", "not valid JSON"),
        ("最终得分：4", "no JSON object"),
        ("Final Score: four", "score is the text 'four', not"),
        ("Final Score: 4/5", "score is the text '4/5', not"),
        ("Final Score: 4 out of 5", "score is the text '4 out of 5', not"),
        ("Final Score: 4.5", "score is the text '4.5', not"),
        ("Final Score: 11", "score is 11, not"),
        ("Final Score: -1", "score is -1, not"),
        ("Final Score: 1-5", "score is the text '1-5', not"),
        ("Final Score: ", "score is an empty text, not"),
        ("Final Score: **4, 5**", "score is the text '4, 5', not"),
        ("My Final Score: 4", "no JSON object"),
        ("I'm sorry, but I can't help with that.", "no JSON object"),
        ('{"score":' * 20_000, "cut off"),
        ("x" * (LONGEST + 1), "characters"),
    ],
)
def test_a_reply_that_is_broken_says_why_and_is_no_number(text: str, said: str) -> None:
    assert said in why(text)


@pytest.mark.parametrize("depth", [100, 600, 2_000, 40_000])
def test_lists_in_lists_raise_nothing(depth: int) -> None:
    for inner in ("[" * depth + "]" * depth, '{"a":' * depth + '"b"' + "}" * depth):
        found = parse(f'{{"reason": {inner}, "score": 4}}', FIVE)
        assert isinstance(found, Broken) or found.values == {"score": 4}


def test_a_minus_sign_is_not_a_bullet_that_may_be_dropped() -> None:
    assert "not an integer from 0 to 1" in why("Final Score: -1", ZERO_ONE)
    assert score("- Final Score: 1", ZERO_ONE) == 1


def test_a_score_of_ten_is_read_where_the_scale_has_it() -> None:
    assert score('{"reason": "x", "score": 10}', TEN) == 10
    assert score("Final Score: 10", TEN) == 10
    assert "11" in why("Final Score: 11", TEN)


def test_a_missing_reason_costs_no_verdict_and_words_around_stand_in_for_it() -> None:
    assert parse('{"score": 4}', FIVE) == Parsed({"score": 4}, "")
    assert parse('{"score": 4, "reason": null}', FIVE) == Parsed({"score": 4}, "")
    assert parse('A stray shadow.\n```json\n{"score": 4}\n```', FIVE) == Parsed({"score": 4}, "A stray shadow.")
    assert parse("A stray shadow.\nFinal Score: 4", FIVE) == Parsed({"score": 4}, "A stray shadow.")


def test_a_reason_in_steps_and_words_beside_it_are_taken_as_words() -> None:
    found = parse('{"reason": ["first", {"then": "second"}], "score": 4, "note": "x", "tags": ["a", null]}', FIVE)
    assert found == Parsed({"score": 4}, "first\nthen: second")


def test_several_integers_come_in_one_object_and_never_from_a_line() -> None:
    assert parse('{"reason": "r", "knowledge": 1, "instruction": 2}', TWO) == Parsed(
        {"knowledge": 1, "instruction": 2}, "r"
    )
    assert "no field 'knowledge'" in why('{"reason": "r", "instruction": 2}', TWO)
    assert "no JSON object with 'instruction' and 'knowledge'" in why("Final Score: 4", TWO)
    assert "knowledge is 6" in why('{"instruction": 2, "knowledge": 6}', TWO)
    assert "differ" in why('{"instruction": 2, "knowledge": 1} {"instruction": 2, "knowledge": 2}', TWO)
    assert "no field" in why('{"instruction": 2} {"knowledge": 1}', TWO)


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "x", "answer": "Yes"}',
        '{"answer": "yes."}',
        '{"answer": " YES "}',
        "Answer: Yes",
        "**Answer:** yes.",
    ],
)
def test_yes_is_yes(text: str) -> None:
    assert score(text, YES_NO) is True
    assert score(text.replace("Yes", "No").replace("yes", "no").replace("YES", "NO"), YES_NO) is False


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "Yes, it does.",
        "Answer: Yes, partly",
        "Answer: Yes/No",
        "Answer: Yes\nAnswer: No",
        '{"answer": true}',
        '{"answer": 1}',
        '{"answer": "Yes or No"}',
        '{"answer": "是"}',
        '{"answer": null}',
        '{"answer": "Unclear"}',
        '{"answer": "Yes"} {"answer": "No"}',
        "Final Score: 1",
    ],
)
def test_what_is_neither_yes_nor_no_is_no_verdict(text: str) -> None:
    why(text, YES_NO)


def test_a_field_may_be_asked_for_under_another_name() -> None:
    schema = Schema((AskedField("score", "integer", 1, 5, "quality_score"),), "reasoning")
    assert parse('{"reasoning": "r", "quality_score": 4}', schema) == Parsed({"score": 4}, "r")
    assert "'quality_score'" in why('{"reasoning": "r", "score": 4}', schema)
    assert list(json_schema(schema)["properties"]) == ["reasoning", "quality_score"]


def test_the_schema_for_servers_allows_exactly_the_values_of_the_scale() -> None:
    shape = json_schema(TWO)
    assert shape["properties"]["knowledge"] == {"type": "integer", "enum": [1, 2, 3, 4, 5]}
    assert shape["required"] == ["reason", "instruction", "knowledge"]
    assert shape["additionalProperties"] is False
    assert list(json_schema(Schema(FIVE.fields, ""))["properties"]) == ["score"]


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't assist with that request.",
        "I’m sorry, I can’t help with identifying people.",
        "Sorry, I cannot evaluate this image.",
        "I am unable to process this content.",
        "I won't rate this picture.",
        "I must decline to answer.",
        "This is against our guidelines.",
        "抱歉，我无法评价这张图片。",
    ],
)
def test_a_refusal_is_known_as_one(text: str) -> None:
    assert is_refusal(text)
    assert isinstance(parse(text, FIVE), Broken)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The image is blurred.",
        "I cannot see any difference.",
        "4",
        '{"score": "four"}',
        "The dog can't be identified.",
    ],
)
def test_a_clumsy_reply_is_no_refusal(text: str) -> None:
    assert not is_refusal(text)


SCHEMAS = st.sampled_from([FIVE, TEN, ZERO_ONE, TWO, YES_NO])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
FRAGMENTS = st.sampled_from(
    (
        *('{"score": 4}', '{"score": 3', '{"answer": "Yes", ', '"instruction": 2', "{", "}", "[", '"', "```json"),
        *("Final Score: 4", "**Final Score:** 7", "Final Score:", "Answer: no", "<think>", "</think>"),
        *("\n", "：", "\ud800", "\x00", "\u2028"),
    )
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    text=st.one_of(st.text(max_size=200), st.lists(FRAGMENTS | st.text(max_size=5), max_size=12).map("".join)),
    schema=SCHEMAS,
)
def test_no_text_raises_and_no_value_is_out_of_range(text: str, schema: Schema) -> None:
    within(parse(text, schema), schema)
    is_refusal(text)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(
    pairs=st.lists(
        st.tuples(st.sampled_from(["score", "answer", "instruction", "knowledge", "reason", "x"]), JSON), max_size=5
    ),
    schema=SCHEMAS,
)
def test_no_object_raises_and_no_value_is_out_of_range(pairs: list[tuple[str, Any]], schema: Schema) -> None:
    text = "{" + ", ".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in pairs) + "}"
    within(parse(text, schema), schema)


def within(found: Parsed | Broken, schema: Schema) -> None:
    if isinstance(found, Broken):
        assert found.why
        return
    assert set(found.values) == {field.name for field in schema.fields}
    for field in schema.fields:
        value = found.values[field.name]
        if field.kind == "yes_no":
            assert isinstance(value, bool)
        else:
            assert type(value) is int
            assert field.low <= value <= field.high


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    data=st.data(),
    schema=SCHEMAS,
    reason=st.text(st.characters(exclude_categories=["Cs"]), max_size=60),
    around=st.sampled_from(
        ["{}", "```json\n{}\n```", "Here you are:\n{}\nBye.", "<think>{{5}}</think>\n{}", "\n\n{}\n"]
    ),
    indent=st.sampled_from([None, 2]),
    ascii_only=st.booleans(),
)
def test_a_valid_reply_is_always_read(
    data: st.DataObject, schema: Schema, reason: str, around: str, indent: int | None, ascii_only: bool
) -> None:
    values: dict[str, int | bool] = {}
    written: dict[str, Any] = {"reason": reason}
    for field in schema.fields:
        if field.kind == "yes_no":
            values[field.name] = data.draw(st.booleans())
            written[field.name] = "Yes" if values[field.name] else "No"
        else:
            values[field.name] = written[field.name] = data.draw(st.integers(field.low, field.high))
    found = parse(around.format(json.dumps(written, indent=indent, ensure_ascii=ascii_only)), schema)
    assert isinstance(found, Parsed), found
    assert found.values == values
    assert reason.strip() in found.reason
