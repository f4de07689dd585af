"""Records from dictionaries of tasks: objects and causes, ways from a start to an end, ideas that need knowledge."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any, ClassVar

from editscope.errors import BadInput, unknown
from editscope.factory.records import Fields, digest
from editscope.factory.sources.base import RecordSource
from editscope.factory.sources.mixing import least_served
from editscope.factory.steps.tools import Tools
from editscope.factory.words.causes import CauseWords, read_cause_words
from editscope.factory.words.ideas import read_idea_words
from editscope.factory.words.processes import read_process_words
from editscope.factory.words.reading import shipped_law_words
from editscope.factory.words.templates import with_article

PATH_PAIRS = "process_plausibility"
"""The group of records with two ways from one start to one end."""
PER = ("object", "pair", "cause")


class SeedSource(RecordSource):
    """Records that seeds of a dictionary give, in groups: as many of each group as ``sizes`` says.

    Where a group has fewer seeds than that, they come again as variations: ``variation`` counts them, 0 is the seed
    itself, and ``nudge`` names a subject and a scene for the others, so that a model writes something new. Groups come
    side by side from the first record on. ``path`` is a dictionary of yours; without one it is the shipped one.
    """

    settings_of: ClassVar[Mapping[str, Any]] = {"path": "", "sizes": {}}

    def identity(self, tools: Tools) -> Any:
        """The settings, and a hash of the dictionary."""
        return [*super().identity(tools), digest(self.seeds(tools)).hex()]

    @abstractmethod
    def seeds(self, tools: Tools) -> dict[str, list[Fields]]:
        """The seeds by group, in the order of the dictionary."""

    def sizes(self, seeds: Mapping[str, Sequence[Fields]]) -> dict[str, int]:
        """How many records each group gives."""
        given = self.settings["sizes"]
        for group, size in given.items():
            if group not in seeds:
                raise unknown("group", group, seeds, of="the dictionary, in sizes of the source")
            if not isinstance(size, int) or isinstance(size, bool) or size < 0:
                raise BadInput(f"the size of {group} is {size!r}; write a whole number from 0")
        return {group: given.get(group, 0 if given else len(found)) for group, found in seeds.items()}

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """The records of all groups, mixed by their sizes."""
        return islice(self._all(tools), start, None)

    def _all(self, tools: Tools) -> Iterator[Fields]:
        seeds = self.seeds(tools)
        sizes = self.sizes(seeds)
        for group, found in seeds.items():
            tools.dice(type(self).__name__, group).shuffle(found)
        taken = dict.fromkeys(sizes, 0)
        while left := [group for group, size in sizes.items() if taken[group] < size]:
            group = least_served(taken, sizes, left)
            variation, place = divmod(taken[group], len(seeds[group]))
            seed = seeds[group][place]
            if variation:
                words = nudge(tools.dice(type(self).__name__, group, str(taken[group])))
                seed = {**self.varied(seed), "nudge": words}
            taken[group] += 1
            yield {**seed, "variation": variation}

    def varied(self, seed: Fields) -> Fields:
        """What a variation takes over from its seed."""
        return seed

    def count(self, tools: Tools) -> int | None:
        """How many there are."""
        return sum(self.sizes(self.seeds(tools)).values())

    def _path(self, tools: Tools) -> str | None:
        return str(tools.folder / str(self.settings["path"])) if self.settings["path"] else None


class CauseSource(SeedSource):
    """Objects and what can happen to them. ``per`` says what makes a record: an object, a pair with a mode, or a cause.

    Groups are modes; with ``per = "object"`` there is one, ``objects``.
    """

    settings_of: ClassVar = {**SeedSource.settings_of, "per": "pair"}

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        if self.settings["per"] not in PER:
            raise unknown("word", str(self.settings["per"]), PER, of="per of the source")

    def seeds(self, tools: Tools) -> dict[str, list[Fields]]:
        """Objects, pairs or causes."""
        words = read_cause_words(self._path(tools))
        if self.settings["per"] == "object":
            return {"objects": [{"object": one.name, "modes": list(one.causes)} for one in words.objects]}
        if self.settings["per"] == "cause":
            return {mode: list(_caused(words, mode)) for mode in words.modes}
        return {
            mode: [
                {"object": one.name, "mode": mode, "mode_about": about, "causes": list(one.causes[mode])}
                for one in words.objects
                if mode in one.causes
            ]
            for mode, about in words.modes.items()
        }


def _caused(words: CauseWords, mode: str) -> Iterator[Fields]:
    for one in words.causes(mode):
        fields = {"object": one.object, "mode": mode, "mode_about": words.modes[mode]}
        yield {**fields, "cause": one.cause, "question": one.question}


class ProcessSource(SeedSource):
    """Ways from a start to an end. Groups are sub-tasks, and ``process_plausibility`` for pairs of paths."""

    def seeds(self, tools: Tools) -> dict[str, list[Fields]]:
        """Scenarios and pairs of paths."""
        words = read_process_words(self._path(tools))
        groups: dict[str, list[Fields]] = {
            subtask: [] for category in words.categories.values() for subtask in category.subtasks
        }
        for one in words.scenarios:
            checklist = [{"title": title, "description": about} for title, about in one.checklist.items()]
            fields: dict[str, Any] = {
                "category": one.category, "about": words.categories[one.category].about, "subtask": one.subtask,
                "start": one.start, "end": one.end, "stages": list(one.stages),
            }  # fmt: skip
            groups[one.subtask].append({
                **fields, **({"interval": one.interval} if one.interval else {}),
                **({"checklist": checklist} if checklist else {}),
            })  # fmt: skip
        if words.paths:
            about = "Two ways from the same start to the same end."
            groups[PATH_PAIRS] = [
                {"category": PATH_PAIRS, "about": about, "start": pair.start, "end": pair.end, "path_a": pair.a,
                 "path_b": pair.b}
                for pair in words.paths
            ]  # fmt: skip
        return {group: found for group, found in groups.items() if found}

    def varied(self, seed: Fields) -> Fields:
        """Start and end; stages, interval and checklist are those of the seed alone."""
        return {name: value for name, value in seed.items() if name not in ("stages", "interval", "checklist")}


class IdeaSource(SeedSource):
    """Ideas that need knowledge. Groups are tasks with their number of pictures, such as ``awareness_2``."""

    def seeds(self, tools: Tools) -> dict[str, list[Fields]]:
        """Ideas."""
        groups: dict[str, list[Fields]] = {}
        words = read_idea_words(self._path(tools))
        for one in sorted(words.ideas, key=lambda idea: (list(words.tasks).index(idea.task), len(idea.pictures))):
            subset = f"{one.task}_{len(one.pictures)}"
            groups.setdefault(subset, []).append({
                "task": one.task, "task_about": words.about[one.task], "subset": subset, "subtask": one.subtask,
                "knowledge": one.knowledge, "domain": one.domain, "count": len(one.pictures),
                "scenes": list(one.pictures), "instruction": one.instruction, "hint": one.hint,
            })  # fmt: skip
        return groups

    def varied(self, seed: Fields) -> Fields:
        """Task and number of pictures; what the seed asks for is an example, ``seed`` and ``seed_hint``."""
        left = ("instruction", "hint", "scenes", "knowledge", "domain")
        taken = {name: value for name, value in seed.items() if name not in left}
        return {**taken, "seed": seed["instruction"], "seed_hint": seed["hint"]}


def nudge(dice: Random) -> str:
    """A subject and a scene of the dictionary of laws, drawn at random.

    >>> nudge(Random(1)).count(";")
    1
    """
    words = shipped_law_words()
    subject, scene = dice.choice(words.subjects), dice.choice(words.scenes)
    return f"{with_article(subject.name)}; {with_article(scene.name)}"
