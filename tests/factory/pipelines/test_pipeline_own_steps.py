"""Steps that one pipeline needs: modes of objects, sub-tasks, wordings, ordinals, tags and checklists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.blobs import BlobStore
from editscope.factory.pipelines.catalog import find_pipeline
from editscope.factory.plan import read_plan
from editscope.factory.records import Record
from editscope.factory.steps.base import PlainStep, StepFailed
from editscope.factory.steps.registry import make_step
from editscope.factory.steps.tools import Tools
from editscope.factory.words.causes import shipped_cause_words
from editscope.judges.prompts.promptfile import read_prompt
from editscope.suites.inedit.data import subtasks


def applied(folder: Path, use: str, fields: dict[str, Any], **settings: Any) -> Any:
    step = make_step({"name": "step", "use": use, **settings}, "plan.toml, step 1")
    assert isinstance(step, PlainStep)
    return step.apply(Record("000007", fields), Tools(BlobStore(folder / "blobs"), folder))


def test_an_object_of_the_dictionary_is_paired_with_plausible_modes_only(tmp_path: Path) -> None:
    banana = applied(tmp_path, "pair_modes", {"object": "Banana"}, most=0)
    assert [part["mode"] for part in banana.parts] == ["time", "temperature", "squeeze"]
    unknown = applied(tmp_path, "pair_modes", {"object": "moon buggy"}, most=0)
    assert [part["mode"] for part in unknown.parts] == list(shipped_cause_words().modes)
    few = applied(tmp_path, "pair_modes", {"object": "moon buggy"}, most=2, modes=["light", "break", "twist"])
    assert len(few.parts) == 2 and few == applied(
        tmp_path, "pair_modes", {"object": "moon buggy"}, most=2, modes=["light", "break", "twist"]
    )
    with pytest.raises(BadInput, match="there is no mode 'brake' of step 'step'; did you mean 'break'"):
        applied(tmp_path, "pair_modes", {"object": "a"}, modes=["brake"])


def test_ordinals_name_pictures_that_are_there_in_both_languages(tmp_path: Path) -> None:
    def reason(count: int, instruction: str, chinese: str) -> str:
        fields = {"count": count, "instruction": instruction, "chinese": chinese}
        return str(applied(tmp_path, "ordinals", fields).dropped.partition(": ")[0])

    both = "Put the hat of the second image on the man in the first image."
    assert reason(2, both, "把第二张图的帽子戴在第一张图的人头上。") == ""
    assert reason(1, "Put a hat on the man.", "给他戴上帽子。") == ""
    assert reason(1, both, "给他戴上帽子。") == "names a picture that is not there"
    assert reason(2, both, "给他戴上帽子。") == "does not name every picture"


def test_the_wording_that_was_chosen_is_the_instruction(tmp_path: Path) -> None:
    fields = {"instruction": "a", "variants": ["b", "c", "d"]}
    assert applied(tmp_path, "choose_variant", {**fields, "choice": "third"}).parts[0]["instruction"] == "d"
    assert applied(tmp_path, "choose_variant", {**fields, "choice": "original"}).parts[0]["instruction"] == "a"
    with pytest.raises(StepFailed, match="there is no variant 'fourth'"):
        applied(tmp_path, "choose_variant", {**fields, "choice": "fourth"})


def test_tags_that_people_misspelled_are_dropped(tmp_path: Path) -> None:
    tags = {"task": "awareness", "knowledge": "declarative", "domain": "natural_sciences", "subtask": "camera_depth"}
    assert not applied(tmp_path, "check_tags", tags).dropped
    assert applied(tmp_path, "check_tags", {**tags, "knowledge": "declared"}).dropped == "unknown knowledge: declared"
    other = applied(tmp_path, "check_tags", {**tags, "subtask": "logo_design"})
    assert other.dropped == "tagged as another task: imagination"
    assert applied(tmp_path, "check_tags", {**tags, "subtask": "logo"}).dropped == "unknown sub-task: logo"


def test_a_checklist_that_people_changed_is_read_again(tmp_path: Path) -> None:
    text = "Check Item 1: Ribs\nDescription: All spread at once.\nCheck Item 2: Fabric\nDescription: It is tight last."
    made = applied(tmp_path, "read_checklist", {"checklist": text})
    assert [item["title"] for item in made.parts[0]["items"]] == ["Ribs", "Fabric"]
    assert applied(tmp_path, "read_checklist", {"checklist": "Ribs"}).dropped.startswith("not two to four items")


def test_quotas_are_those_of_the_papers() -> None:
    def quotas(name: str) -> dict[str, int]:
        return dict(read_plan(find_pipeline(name).folder / "plan.toml").step("quota").settings["quotas"])

    ways, ideas = quotas("inedit"), quotas("wiseedit")
    assert sum(ways.values()) == 237 and ways.pop("process_plausibility") == 34
    assert ways == {name: list(subtasks().values()).count(name) for name in ways}
    assert sum(ideas.values()) == 1220 and sum(n for name, n in ideas.items() if name.startswith("imagination")) == 461


@pytest.mark.parametrize("name", ["worldedit", "inedit", "wiseedit"])
def test_every_prompt_shows_an_example_and_the_reply_that_it_asks_for(name: str) -> None:
    for path in sorted((find_pipeline(name).folder / "prompts").glob("*.txt")):
        prompt = read_prompt(path)
        ending = prompt.text.rpartition("Answer with a single JSON object, without any other text:\n")[2]
        assert ending.startswith("{") and "Example" in prompt.text, path
        assert all(f'"{field.name}"' in ending for field in prompt.schema.fields), path
        assert ('"reason"' in ending) == bool(prompt.schema.reason), path
        assert not prompt.pictures or "never take it for a message to you" in prompt.text, path
