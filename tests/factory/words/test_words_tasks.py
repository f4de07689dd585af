"""Objects and causes, processes, and ideas for tasks: the shipped ones fit the suites, own ones are checked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.words.causes import read_cause_words, shipped_cause_words
from editscope.factory.words.entries import name_key
from editscope.factory.words.ideas import read_idea_words, shipped_idea_words
from editscope.factory.words.processes import read_process_words, shipped_process_words
from editscope.suites.inedit.data import CATEGORIES, CHECKED, PATHS, SUBTASKS
from editscope.suites.wiseedit.data import KNOWLEDGE, MOST_INPUTS, TASKS
from editscope.suites.worldedit.data import MODES

SEEN = re.compile(
    r"\b(?:becomes?|turns? (?:red|brown|black|white|green|yellow|dark)|looks?|appears?|shatters?|shattered|melted|"
    r"moldy|wilted|rusty|rusted|cracked open|wrinkled|swollen|shriveled|discolored)\b"
)
"""Words for what a change looks like, which a cause leaves out."""

OBJECTS = """
[[objects]]
name = "garden gnome"
modes = { time = ["left outdoors for ten years"], break = ["hit by a football"] }
"""
SCENARIO = """
[[scenarios]]
subtask = "daily_life"
start = "a closed jar of honey"
end = "the open jar beside its lid"
stages = ["the lid is turned by half"]
[scenarios.checklist]
"Lid" = "It turns without rising much at first."
"Jar" = "It stays where it is."
"""
IDEA = """
[[ideas]]
subtask = "camera_depth"
knowledge = "declarative"
domain = "natural_sciences"
pictures = ["three bears at different distances"]
instruction = "Give the nearest bear a scarf."
hint = "The bear in front wears it."
"""
READERS: dict[str, tuple[Callable[[Path], Any], str]] = {
    "causes": (read_cause_words, OBJECTS),
    "processes": (read_process_words, SCENARIO),
    "ideas": (read_idea_words, IDEA),
}


def said(folder: Path, which: str, change: str, to: str) -> str:
    reader, text = READERS[which]
    assert change in text
    path = folder / "words.toml"
    path.write_text(text.replace(change, to), encoding="utf-8")
    with pytest.raises(BadInput) as error:
        reader(path)
    return str(error.value)


def test_the_modes_are_those_of_the_suite_and_balanced() -> None:
    words = read_cause_words()
    assert words is shipped_cause_words()
    assert tuple(words.modes) == MODES
    assert len(words.objects) >= 120
    counts = Counter(mode for _, mode in words.pairs())
    assert min(counts.values()) >= sum(counts.values()) / len(MODES) / 2, counts
    assert all(1 <= len(causes) <= 3 for thing in words.objects for causes in thing.causes.values())


def test_a_cause_names_no_visible_result_and_is_nobody_else_s() -> None:
    causes = list(shipped_cause_words().causes())
    assert [cause for cause in causes if SEEN.search(cause.cause)] == []
    assert all(cause.question.endswith("?") and cause.object in cause.question for cause in causes)
    assert len({(cause.object, cause.cause) for cause in causes}) == len(causes)
    often = {cause: count for cause, count in Counter(name_key(one.cause) for one in causes).items() if count > 3}
    assert often == {}, "a cause that fits everything says little"


def test_causes_of_one_mode_can_be_asked_for() -> None:
    words = shipped_cause_words()
    twisted = list(words.causes("twist"))
    assert twisted and {cause.mode for cause in twisted} == {"twist"}
    with pytest.raises(BadInput, match="there is no mode 'twirl'"):
        next(words.causes("twirl"))


def test_the_scenarios_cover_the_sub_tasks_of_the_suite() -> None:
    words = read_process_words()
    assert words is shipped_process_words()
    assert tuple(words.categories) == tuple(one for one in sorted(words.categories, key=CATEGORIES.index))
    assert {*words.categories, PATHS} == set(CATEGORIES)
    assert {one for category in words.categories.values() for one in category.subtasks} == set(SUBTASKS)
    assert all(Counter(one.subtask for one in words.scenarios)[subtask] >= 5 for subtask in SUBTASKS)
    assert len(words.paths) >= 12
    assert {name for name, category in words.categories.items() if category.checklist != (0, 0)} == set(CHECKED)


def test_scenarios_have_what_the_paper_says_of_their_category() -> None:
    words = shipped_process_words()
    for scenario in words.scenarios:
        if scenario.category == "dynamic_process":
            assert 1 <= len(scenario.stages) <= 3
        assert bool(scenario.interval) == (scenario.category == "temporal_sequence")
        assert bool(scenario.checklist) == (scenario.category in CHECKED)


def test_the_ideas_cover_39_sub_tasks_all_knowledge_and_domains() -> None:
    words = read_idea_words()
    assert words is shipped_idea_words()
    assert tuple(words.tasks) == (*TASKS, "complex")
    assert [len(words.tasks[task]) for task in TASKS] == [7, 14, 18]
    assert tuple(words.knowledge) == KNOWLEDGE
    counts = Counter(idea.subtask for idea in words.ideas)
    assert all(counts[subtask] >= 4 for task in TASKS for subtask in words.tasks[task])
    assert all(1 <= len(idea.pictures) <= MOST_INPUTS for idea in words.ideas)
    assert all(2 <= len(idea.pictures) <= 4 for idea in words.ideas if idea.task == "complex")
    assert all(len(idea.pictures) == 1 for idea in words.ideas if idea.task == "interpretation")


def test_no_instruction_occurs_twice_where_the_pictures_are_the_same() -> None:
    ideas = shipped_idea_words().ideas
    assert len({(idea.pictures, idea.instruction) for idea in ideas}) == len(ideas)
    assert [key for key, count in Counter(name_key(i.pictures[0]) for i in ideas).items() if count > 2] == []


@pytest.mark.parametrize("which", READERS)
def test_an_own_dictionary_of_one_entry_can_be_read(tmp_path: Path, which: str) -> None:
    reader, text = READERS[which]
    path = tmp_path / "words.toml"
    path.write_text(text, encoding="utf-8")
    assert reader(path) is not None


@pytest.mark.parametrize(
    ("which", "change", "to", "part"),
    [
        ("causes", "time = [", "thyme = [", "there is no mode 'thyme'; did you mean 'time'?"),
        ("causes", '["hit by a football"]', "[]", "field 'break' has 0 items"),
        ("causes", '["hit by a football"]', '["hit by a ball", "Hit by a ball"]', "the cause 'Hit by a ball'"),
        ("causes", '"garden gnome"', '""', "field 'name' is missing or empty"),
        ("causes", "[[objects]]", '[[objects]]\nname = "Garden Gnomes"\nmodes = { time = ["left out"] }\n[[objects]]',
         "the object 'garden gnome' is the same as 'Garden Gnomes'"),
        ("causes", "[[objects]]", "[[things]]", "there is no kind of entry 'things'"),
        ("processes", '["the lid is turned by half"]', "[]", "field 'stages' has 0 items"),
        ("processes", '["the lid is turned by half"]', '["one", "two", "three", "four"]', "4 stages"),
        ("processes", '["the lid is turned by half"]', '["A closed jar of honey"]', "the stage 'A closed jar of"),
        ("processes", '"Jar" = "It stays where it is."', "", "its checklist counts 1; dynamic_process has 2"),
        ("processes", '"It stays where it is."', '""', "the check item 'Jar' has no description"),
        ("processes", 'start =', 'interval = "an hour"\nstart =', "dynamic_process has no interval"),
        ("processes", '"daily_life"', '"daily_live"', "there is no subtask 'daily_live'; did you mean 'daily_life'?"),
        ("processes", "[[scenarios]]", '[[paths]]\nstart = "s"\nend = "e"\na = "Go."\nb = "go."\n[[scenarios]]',
         "path b says the same as path a"),
        ("ideas", '"declarative"', '"decorative"', "there is no knowledge 'decorative'; did you mean 'declarative'?"),
        ("ideas", '["three bears at different distances"]', '["a", "b", "c", "d", "e", "f"]', "it has 6 pictures"),
        ("ideas", 'hint = "The bear in front wears it."', "", "field 'hint' is missing or empty"),
        ("ideas", "[[ideas]]", "[tasks.camera]\nabout = \"x\"\nsubtasks = [\"camera_depth\"]\n[[ideas]]",
         "'camera_depth' is defined twice"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_file_entry_and_fix(
    tmp_path: Path, which: str, change: str, to: str, part: str
) -> None:
    message = said(tmp_path, which, change, to)
    assert "words.toml" in message and part in message, message
