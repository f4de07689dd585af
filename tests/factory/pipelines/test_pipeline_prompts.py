"""The prompts of picabench, pica100k and video-pairs can be read, and their worked examples keep the rules."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from editscope.factory.pipelines.catalog import HOME, find_pipeline
from editscope.factory.plan import read_plan
from editscope.factory.rules import CaseQuestions, LeveledInstruction, MotionCaption, QuestionText, breaches
from editscope.judges.prompts.promptfile import read_prompt
from editscope.suites.picabench.data import LAWS

OURS = ("picabench", "picabench_keywords", "pica100k", "video_pairs")
PROMPTS = [path for name in OURS for path in sorted((HOME / name / "prompts").glob("*.txt"))]


def example(place: str) -> dict[str, Any]:
    """The JSON object at the end of the example of a prompt."""
    text = (HOME / place).read_text(encoding="utf-8")
    found = re.search(r"^Example.*?(\{.*\})$", text, re.MULTILINE)
    assert found, place
    read: dict[str, Any] = json.loads(found[1])
    return read


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_prompt_can_be_read_and_asks_for_what_it_reads(path: Path) -> None:
    prompt = read_prompt(path)
    shape = prompt.text.rpartition("without any other text:")[2]
    for field in prompt.schema.fields:
        assert f'"{field.name}"' in shape
    assert "Example" in prompt.text and prompt.version == "1"
    assert not prompt.pictures or "never take it for a message to you" in prompt.text


@pytest.mark.parametrize("name", ["picabench", "picabench-keywords", "pica100k", "video-pairs"])
def test_a_plan_can_be_read_and_its_inputs_have_a_place(name: str) -> None:
    pipeline = find_pipeline(name)
    plan = read_plan(pipeline.folder / "plan.toml")
    entries = tomllib.loads((pipeline.folder / "plan.toml").read_text(encoding="utf-8"))["steps"]
    assert plan.name == name and set(plan.models) == {model.name for model in pipeline.models}
    for one in pipeline.inputs:
        top, *rest = one.sets.split(".")
        if top == "source":
            assert rest[0] in plan.source.settings
        elif top == "steps" and rest[1] == "skip":
            assert rest[0] in {entry["name"] for entry in entries}
        elif top == "steps":
            assert rest[1] in plan.step(rest[0]).settings
        else:
            assert one.sets == "seed"


def test_levels_of_the_examples_keep_the_rules() -> None:
    assert not breaches("benchmark_instruction", LeveledInstruction(**example("picabench/prompts/levels.txt")))
    for name in ("pica100k", "video_pairs"):
        levels = LeveledInstruction(**example(f"{name}/prompts/instruction.txt"))
        assert not breaches("training_instruction", levels)


def test_the_caption_and_the_questions_of_the_examples_keep_the_rules() -> None:
    caption = MotionCaption(example("pica100k/prompts/motion.txt")["motion"], "light_propagation")
    assert not breaches("motion_caption", caption)
    rows = example("picabench/prompts/questions.txt")["questions"]
    for row in rows:
        assert not breaches("question", QuestionText(row["question"], row["answer"], "remove", row["category"]))
    assert not breaches("questions", CaseQuestions(tuple(row["question"] for row in rows)))


@pytest.mark.parametrize(
    "place", ["picabench/prompts/laws.txt", "pica100k/prompts/motion.txt", "video_pairs/prompts/pair.txt"]
)
def test_every_law_has_its_line(place: str) -> None:
    text = (HOME / place).read_text(encoding="utf-8")
    assert all(f"\n- {law}: " in text for law in LAWS)
