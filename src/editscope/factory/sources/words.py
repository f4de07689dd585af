"""Records from a dictionary for laws: a subject in a scene, and what happens to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar

from editscope.errors import BadInput, unknown
from editscope.factory.records import Fields, digest
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.tools import Tools
from editscope.factory.words.combining import across_laws
from editscope.factory.words.reading import read_law_words
from editscope.factory.words.records import LawWords

COUNT = 105_085
"""As many samples as the largest set that was made in this way."""


class LawWordsSource(RecordSource):
    """``count`` combinations of subject, scene and motion, the laws in turn, seeded by the plan.

    Each record has ``law``, ``subject``, ``scene``, ``prompt`` (the first frame in words) and ``motion`` (what happens
    then). ``laws`` leaves out others; ``folder`` is a dictionary of one's own, beside the plan. A smaller count is the
    beginning of a larger one.
    """

    settings_of: ClassVar = {"count": COUNT, "laws": [], "folder": ""}

    def identity(self, tools: Tools) -> Any:
        """The settings, and a hash of the words."""
        return [*super().identity(tools), digest(repr(self._words(tools))).hex()]

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """The combinations as fields."""
        words = self._words(tools)
        made = across_laws(words, self._count(), tools.seed, self.settings["laws"] or None)
        for one in islice(made, start, None):
            yield {
                "law": one.law,
                "subject": one.subject.name,
                "scene": one.scene.name,
                "prompt": one.first_frame,
                "motion": one.caption,
            }

    def count(self, tools: Tools) -> int | None:
        """As many as the settings say."""
        return self._count()

    def _count(self) -> int:
        count = int(self.settings["count"])
        if count < 1:
            raise BadInput(f"the source law_words: count is {count}; write 1 or more")
        return count

    def _words(self, tools: Tools) -> LawWords:
        folder = str(self.settings["folder"])
        words = read_law_words(tools.folder / folder if folder else None)
        for law in self.settings["laws"]:
            if law not in words.laws:
                raise unknown("law", str(law), words.laws, of="the source law_words")
        return words


class LawKeywordsSource(RecordSource):
    """One record for each law: ``law``, ``about`` (a sentence), and ``known``: its keywords."""

    settings_of: ClassVar = {"laws": [], "folder": ""}

    def identity(self, tools: Tools) -> Any:
        """The settings, and the keywords."""
        return [*super().identity(tools), list(self.records(tools))]

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """The laws with their keywords."""
        words = LawWordsSource(self.settings)._words(tools)
        laws = [law for law in words.laws if not self.settings["laws"] or law in self.settings["laws"]]
        for law in laws[start:]:
            yield {"law": law, "about": words.laws[law], "known": list(words.keywords.get(law, ()))}

    def count(self, tools: Tools) -> int | None:
        """The number of laws."""
        return sum(1 for _ in self.records(tools))
