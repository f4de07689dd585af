"""Models write texts into records: a real server on loopback, its faults, and one budget."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.funnel import funnel_rows
from editscope.factory.models.loading import load_models
from editscope.factory.plan import BuildPlan, plan_from
from editscope.judges.prompts.promptfile import read_prompt
from editscope.judges.replies import Broken, Parsed, parse
from editscope.transport.account import BudgetSpent
from support.places import ROOT
from support.servers.judge_server import KEY, Asked, Fault, JudgeServer, Reply

PROMPT = """version: 1
words: subject, law
reply: caption text, law one of heat|light, questions rows 1-3 of question+answer
reason:
---
Write about {subject} under {law}. Answer with one JSON object.
"""


def written(asked: Asked) -> Mapping[str, Any]:
    subject = asked.text.partition("about ")[2].partition(" under")[0]
    return {
        "caption": f"{subject} glows",
        "law": "Heat",
        "questions": [{"question": f"Is {subject} red?", "answer": "Yes"}],
    }


def asking_plan(folder: Path, spec: str, **step: Any) -> BuildPlan:
    (folder / "ask.txt").write_text(PROMPT)
    (folder / "words.csv").write_text("subject,law\n" + "".join(f"cup {n},heat\n" for n in range(6)))
    plan = {
        "name": "asked",
        "source": {"use": "list", "path": "words.csv", "key": ["subject"]},
        "models": {"writer": spec},
        "steps": [
            {"name": "write", "use": "ask", "model": "writer", "prompt": "ask.txt", "into": {"law": "named"}, **step},
            {"name": "each", "use": "expand", "field": "questions", "into": "question"},
        ],
    }
    return plan_from(plan, "plan.toml", folder)


def run(plan: BuildPlan, folder: Path, **options: Any) -> tuple[Any, list[Any]]:
    with Build(plan, folder, models=load_models(plan), **options) as build:
        result = build.run()
        return result, [record.to_json() for record in build.records()]


def test_a_model_writes_into_records_and_is_asked_once(tmp_path: Path) -> None:
    with JudgeServer(written) as server:
        plan = asking_plan(tmp_path, server.spec())
        result, records = run(plan, tmp_path / "build")
        again, same = run(plan, tmp_path / "build")
        assert len(server.asked) == 6
    assert result.records == 6 and records == same and again.counts == result.counts
    name, fields, history = records[0]
    assert name.endswith(".1") and fields["caption"] == "cup 0 glows" and fields["named"] == "heat"
    assert fields["law"] == "heat" and fields["question"] == {"question": "Is cup 0 red?", "answer": "Yes"}
    ((step, notes),) = history
    assert step == "write" and notes["prompt"].startswith("ask ") and KEY not in json.dumps(records)


def test_prose_stays_pending_a_refusal_drops_and_neither_is_the_other(tmp_path: Path) -> None:
    answers = {"cup 1": Reply("Here is my answer in prose."), "cup 2": Reply(refusal="I will not"), "cup 3": Fault(500)}

    def mixed(asked: Asked) -> Any:
        return next((answer for cup, answer in answers.items() if cup in asked.text), written(asked))

    with JudgeServer(mixed) as server:
        plan = asking_plan(tmp_path, server.spec())
        result, _ = run(plan, tmp_path / "build")
        counts = result.counts["write"]
        assert (counts.records_in, counts.records_out, counts.pending) == (6, 3, 2)
        assert dict(counts.dropped) == {"the model declined": 1}
        before = len(server.asked)
        answers.clear()
        result, records = run(plan, tmp_path / "build")
        assert result.pending == 0 and len(records) == 5 and len(server.asked) == before + 2
        assert dict(result.counts["write"].dropped) == {"the model declined": 1}


def test_another_prompt_or_model_asks_again_and_other_fields_do_not(tmp_path: Path) -> None:
    with JudgeServer(written) as server:
        run(asking_plan(tmp_path, server.spec()), tmp_path / "build")
        plan = asking_plan(tmp_path, server.spec())
        (tmp_path / "words.csv").write_text("subject,law,note\n" + "".join(f"cup {n},heat,new\n" for n in range(6)))
        run(plan, tmp_path / "build")
        assert len(server.asked) == 6  # the prompt does not show the note
        (tmp_path / "ask.txt").write_text(PROMPT.replace("Write about", "Write two lines about"))
        run(plan_from_folder(tmp_path, server.spec()), tmp_path / "build")
        assert len(server.asked) == 12


def plan_from_folder(folder: Path, spec: str) -> BuildPlan:
    step = {"name": "write", "use": "ask", "model": "writer", "prompt": "ask.txt"}
    source = {"use": "list", "path": "words.csv", "key": ["subject"]}
    return plan_from({"name": "a", "source": source, "models": {"writer": spec}, "steps": [step]}, "plan.toml", folder)


def test_a_budget_stops_the_build_which_goes_on_with_more(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    with JudgeServer(written) as server:
        plan = asking_plan(tmp_path, server.spec(), at_once=1)
        model = plan.models["writer"].partition("?")[0].partition(":")[2]
        prices.write_text(f'[models."{model}"]\ninput = 1000.0\noutput = 0.0\n')
        from editscope.factory.models.loading import ModelOptions

        models = load_models(plan, ModelOptions(prices=prices))
        with Build(plan, tmp_path / "build", models=models, budget=2.5) as build:
            with pytest.raises(BudgetSpent, match=r"at step 'write', .* build again with a higher --budget"):
                build.run()
            rows = funnel_rows(plan, build.counts_so_far, build.store.spent(), stopped=True)
            assert 0 < rows[0].records_in < 6 and rows[0].cost_usd > 0
        paid = len(server.asked)
        assert 0 < paid < 6
        with Build(plan, tmp_path / "build", models=load_models(plan, ModelOptions(prices=prices)), budget=50) as build:
            assert build.run().records == 6
        assert len(server.asked) == 6


def test_a_plan_that_names_what_is_not_there_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"there is no model 'writr' of the plan .*, for step 'write'; did you mean 'writer'"
    ):
        asking_plan(tmp_path, "openai:made", model="writr")
    with pytest.raises(BadInput, match=r"there is no setting 'modle'.*did you mean 'model'"):
        asking_plan(tmp_path, "openai:made", modle="writer")
    with pytest.raises(BadInput, match="there is no step 'aks'; did you mean 'ask'"):
        asking_plan(tmp_path, "openai:made", use="aks")
    plan = asking_plan(tmp_path, "openai:made", prompt="other.txt")
    with pytest.raises(BadInput, match=r"other\.txt cannot be read"):
        Build(plan, tmp_path / "build")
    (tmp_path / "two.toml").write_text("name = 'x'\nname = 'y'\n")
    from editscope.factory.plan import read_plan

    with pytest.raises(BadInput, match=r"two\.toml is not TOML"):
        read_plan(tmp_path / "two.toml")


def documented_replies() -> list[tuple[str, str]]:
    """The forms of replies that the page on prompts lists, each with a reply."""
    page = (ROOT / "docs" / "prompts.md").read_text(encoding="utf-8")
    lines = (
        page.partition("## Texts that a model writes")[2].partition("```text\n")[2].partition("\n```")[0].splitlines()
    )
    return [(form, reply) for form, reply in (re.split(r" {2,}", line) for line in lines[1:])]


@pytest.mark.parametrize(("form", "reply"), documented_replies())
def test_a_reply_has_the_form_that_the_page_on_prompts_gives(tmp_path: Path, form: str, reply: str) -> None:
    (tmp_path / "ask.txt").write_text(f"version: 1\nreply: {form}\n---\nWrite.\n")
    schema = read_prompt(tmp_path / "ask.txt").schema
    read = parse(reply, schema)
    assert isinstance(read, Parsed)
    values: dict[str, Any] = dict(read.values) if schema.fields else {schema.reason: read.reason}
    assert values == json.loads(reply)
    assert isinstance(parse("A cup on a table.", schema), Broken)


def test_a_plain_text_goes_into_the_field_that_the_reason_names(tmp_path: Path) -> None:
    asking_plan(tmp_path, "")
    prompt = "version: 1\nwords: subject\nreply: text\nreason: caption\n---\nWrite about {subject} under glass.\n"
    (tmp_path / "ask.txt").write_text(prompt)

    def one_text(asked: Asked) -> Mapping[str, Any]:
        return {"caption": written(asked)["caption"]}

    with JudgeServer(one_text) as server:
        _, records = run(plan_from_folder(tmp_path, server.spec()), tmp_path / "build")
    assert [fields["caption"] for _, fields, _ in records] == [f"cup {number} glows" for number in range(6)]
