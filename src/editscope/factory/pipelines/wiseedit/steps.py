"""Sub-tasks for pictures, wordings that were chosen, pictures that are named by number, and tags."""

from __future__ import annotations

from typing import ClassVar

from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools
from editscope.factory.words.ideas import shipped_idea_words
from editscope.suites.wiseedit.ordinals import ordinal_remarks

ORIGINAL = "original"
PLACES = ("first", "second", "third")


class AssignSubtaskStep(PlainStep):
    """A sub-task for a picture that comes without one, with an idea of the dictionary as an example.

    The sub-task is drawn at random among those that have ideas for one picture.
    """

    kind = "map"

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with task, sub-task and example; the picture is its first input."""
        words, dice = shipped_idea_words(), tools.dice(self.name, record.id)
        single = [idea for idea in words.ideas if len(idea.pictures) == 1]
        subtask = dice.choice(sorted({idea.subtask for idea in single}))
        seed = dice.choice([idea for idea in single if idea.subtask == subtask])
        return kept({
            "task": seed.task, "task_about": words.about[seed.task], "subtask": subtask, "subset": f"{seed.task}_1",
            "count": 1, "seed": seed.instruction, "seed_hint": seed.hint, "picture_1": record.fields.get("picture"),
        })  # fmt: skip


class ChooseVariantStep(PlainStep):
    """The wording that a model chose becomes the instruction; the first one is kept as ``original``."""

    kind = "map"

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record with its wording."""
        choice, variants = record.fields.get("choice"), record.fields.get("variants")
        if not isinstance(variants, list) or choice not in (ORIGINAL, *PLACES[: len(variants)]):
            raise StepFailed(f"there is no variant {choice!r}")
        first = record.fields["instruction"]
        chosen = first if choice == ORIGINAL else variants[PLACES.index(str(choice))]
        return kept({"instruction": chosen, "original": first, "choice": None})


class OrdinalsStep(PlainStep):
    """Records whose instructions name no picture that is not there; with several pictures, each must be named."""

    kind = "filter"
    settings_of: ClassVar = {"texts": ["instruction", "chinese"], "count": "count"}

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record, or what its ordinals contradict."""
        pictures = int(record.fields[self.settings["count"]])
        for name in self.settings["texts"]:
            for wrong, sentence in ordinal_remarks(str(record.fields.get(name, "")), pictures):
                if wrong:
                    return dropped(f"names a picture that is not there: {name}: {sentence}")
                if pictures > 1:
                    return dropped(f"does not name every picture: {name}: {sentence}")
        return kept()


class CheckTagsStep(PlainStep):
    """Records whose tags are those of the dictionary, and whose sub-task belongs to their task."""

    kind = "filter"

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The record, or the tag that does not fit."""
        words, fields = shipped_idea_words(), record.fields
        for name, known in (("knowledge", words.knowledge), ("domain", words.domains)):
            if fields.get(name) not in known:
                return dropped(f"unknown {name}: {fields.get(name)}")
        owner = next((task for task, subtasks in words.tasks.items() if fields.get("subtask") in subtasks), None)
        if owner is None:
            return dropped(f"unknown sub-task: {fields.get('subtask')}")
        return kept() if owner == fields.get("task") else dropped(f"tagged as another task: {owner}")
