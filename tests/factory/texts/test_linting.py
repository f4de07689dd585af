"""Texts are checked by rules: in a step of their own, and as soon as a model has written them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.models.loading import ModelOptions, load_models
from editscope.factory.plan import BuildPlan, plan_from
from editscope.factory.rules import RULES_VERSION
from editscope.factory.steps import linting
from editscope.judges.registry import load_judge
from support.servers.judge_server import Asked, JudgeServer, Reply

PROMPT = """version: 1
words: subject{remarks}
reply: questions rows 1-6 of question+answer
reason:
---
Write questions about {{subject}}.
{place}
"""
FOUR = (
    "Is there a red cup on the left side of the table?",
    "Is the lamp above the sofa lit?",
    "Does the cup on the left cast a shadow toward the wall?",
    "Is the book under the window open?",
)


def answered(*questions: str) -> Mapping[str, Any]:
    return {"questions": [{"question": question, "answer": "Yes"} for question in questions]}


def plan_of(folder: Path, source: Sequence[Mapping[str, Any]], *steps: Mapping[str, Any], spec: str = "") -> BuildPlan:
    (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in source))
    plan: dict[str, Any] = {"name": "checked", "source": {"use": "list", "path": "records.jsonl"}, "steps": list(steps)}
    return plan_from(plan | ({"models": {"writer": spec}} if spec else {}), "plan.toml", folder)


def built(plan: BuildPlan, folder: Path, models: Any = None) -> tuple[Any, list[Any]]:
    models = models or load_models(plan)
    with Build(plan, folder, models=models) as build:
        result = build.run()
        return result, [record.to_json() for record in build.records()]


def captions() -> list[Mapping[str, Any]]:
    return [
        {
            "motion": "The mug slides right by half its width and its shadow follows, camera static.",
            "law": "reflection",
        },
        {"motion": "The mug slides right and its reflection follows. Camera static.", "law": "reflection"},
        {"motion": "The mug slides to the right and its reflection follows it.", "law": "reflection"},
        {"motion": "The mug slides to the right. Its reflection follows it.", "law": "reflection"},
    ]


def test_records_are_dropped_by_the_first_rule_that_they_break(tmp_path: Path) -> None:
    step = {"name": "rules", "use": "lint", "subject": "motion_caption", "fields": {"text": "motion", "law": "law"}}
    chosen = {**step, "rules": ["one_sentence", "camera_at_end"]}
    result, records = built(plan_of(tmp_path, captions(), chosen), tmp_path / "build")
    assert dict(result.counts["rules"].dropped) == {"one_sentence": 2, "camera_at_end": 1} and len(records) == 1
    result, records = built(plan_of(tmp_path, captions(), {**chosen, "except": ["one_sentence"]}), tmp_path / "other")
    assert dict(result.counts["rules"].dropped) == {"camera_at_end": 3} and len(records) == 1


def test_every_entry_of_a_list_is_checked_and_its_own_fields_come_first(tmp_path: Path) -> None:
    rows = [
        {"questions": answered(*FOUR)["questions"], "operation": "add"},
        {"questions": [{"question": FOUR[0], "answer": "yes"}], "operation": "add"},
    ]
    step = {"name": "rules", "use": "lint", "subject": "question", "each": "questions", "except": ["located_target"]}
    fields = {"text": "question", "answer": "answer", "category": "category"}
    plan = plan_of(tmp_path, rows, {**step, "fields": fields})
    result, records = built(plan, tmp_path / "build")
    assert dict(result.counts["rules"].dropped) == {"plain_answer": 1} and len(records) == 1


def test_a_record_without_the_text_stays_pending(tmp_path: Path) -> None:
    step = {"name": "rules", "use": "lint", "subject": "paraphrase", "fields": {"text": "paraphrase"}}
    result, _ = built(plan_of(tmp_path, [{"other": "x"}, {"paraphrase": 3}], step), tmp_path / "build")
    assert result.pending == 2 and result.records == 0


def test_another_version_of_the_rules_checks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = {"name": "rules", "use": "lint", "subject": "motion_caption", "fields": {"text": "motion", "law": "law"}}
    before = plan_of(tmp_path, captions(), step).steps[0].identity()
    monkeypatch.setattr(linting, "RULES_VERSION", RULES_VERSION + 1)
    assert plan_of(tmp_path, captions(), step).steps[0].identity() != before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"subject": "captions", "fields": {"text": "motion"}}, "there is no subject of rules 'captions'"),
        ({"subject": "paraphrase"}, "names no fields; write: fields = { text = 'field' }"),
        ({"subject": "paraphrase", "fields": {"txt": "a"}}, "no entry 'txt'.*did you mean 'text'"),
        ({"subject": "paraphrase", "fields": {"text": "a"}, "rules": ["no_moods"]}, "did you mean 'no_mood'"),
        ({"subject": "paraphrase", "fields": {"text": "a"}, "rules": ["token_limits"]}, "of the subject 'paraphrase'"),
        ({"subject": "paraphrase", "fields": {"text": "a"}, "except": ["strong_effect"]}, "code cannot decide"),
    ],
)
def test_settings_that_name_what_is_not_there_are_refused(
    tmp_path: Path, settings: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        plan_of(tmp_path, captions(), {"name": "rules", "use": "lint", **settings})


def asking(**more: Any) -> dict[str, Any]:
    rules = {"subject": "questions", "fields": {"texts": "questions"}}
    return {"name": "write", "use": "ask", "model": "writer", "prompt": "ask.txt", "rules": rules, **more}


def write_prompt(folder: Path, remarks: bool = True) -> None:
    place = "\nThe last answer was wrong:\n{remarks}\n" if remarks else ""
    (folder / "ask.txt").write_text(PROMPT.format(remarks=", remarks?" if remarks else "", place=place))


SUBJECTS = [{"subject": "a cup"}]


def test_the_same_question_four_times_is_asked_again_with_what_was_wrong(tmp_path: Path) -> None:
    write_prompt(tmp_path)
    with JudgeServer([answered(*FOUR[:1] * 4), answered(*FOUR)]) as server:
        plan = plan_of(tmp_path, SUBJECTS, asking(), spec=server.spec())
        prices = tmp_path / "prices.toml"
        prices.write_text('[models."gpt-4o"]\ninput = 1000.0\noutput = 0.0\n')
        with Build(plan, tmp_path / "build", models=load_models(plan, ModelOptions(prices=prices))) as build:
            assert build.run().records == 1
            (record,) = build.records()
            _, cost, _, attempts = build.store.spent()["write"]
        first, second = server.asked
    assert [row["question"] for row in record.fields["questions"]] == list(FOUR)
    assert "was wrong" not in first.text and "- no_repeated_question: questions 1 and 2 ask the same" in second.text
    assert cost == pytest.approx(2.0) and attempts == 2


def test_the_same_question_four_times_again_drops_the_record(tmp_path: Path) -> None:
    write_prompt(tmp_path)
    with JudgeServer([answered(*FOUR[:1] * 4)]) as server:
        plan = plan_of(tmp_path, SUBJECTS, asking(tries=3), spec=server.spec())
        result, records = built(plan, tmp_path / "build")
        built(plan, tmp_path / "build")
        assert len(server.asked) == 3
    assert records == [] and dict(result.counts["write"].dropped) == {"no_repeated_question": 1}


def test_prose_stays_pending_also_on_the_second_try(tmp_path: Path) -> None:
    write_prompt(tmp_path)
    with JudgeServer([answered(*FOUR[:1] * 4), Reply("Here are four more, in prose.")]) as server:
        plan = plan_of(tmp_path, SUBJECTS, asking(), spec=server.spec())
        result, records = built(plan, tmp_path / "build")
        assert result.pending == 1 and not result.counts["write"].dropped and records == []


def test_without_a_place_for_remarks_the_model_is_asked_again_and_no_cache_repeats_its_reply(tmp_path: Path) -> None:
    write_prompt(tmp_path, remarks=False)

    def by_turns(asked: Asked) -> Mapping[str, Any]:
        return answered(*FOUR) if asked.number else answered(*FOUR[:1] * 4)

    with JudgeServer(by_turns) as server:
        plan = plan_of(tmp_path, SUBJECTS, asking(), spec=server.spec())
        models = {"writer": load_judge(server.spec(), cache=tmp_path / "cache")}
        result, _ = built(plan, tmp_path / "build", models=models)
        assert len(server.asked) == 2 and result.records == 1
        assert server.asked[0].text == server.asked[1].text


def test_remarks_that_the_first_try_cannot_have_are_refused(tmp_path: Path) -> None:
    write_prompt(tmp_path)
    file = tmp_path / "ask.txt"
    file.write_text(file.read_text().replace("remarks?", "remarks"))
    plan = plan_of(tmp_path, SUBJECTS, asking(), spec="openai:made")
    with pytest.raises(BadInput, match=r"ask\.txt: the first try has no remarks; write 'remarks\?'"):
        Build(plan, tmp_path / "build")
    with pytest.raises(BadInput, match="tries is 0"):
        plan_of(tmp_path, SUBJECTS, asking(tries=0), spec="openai:made")
