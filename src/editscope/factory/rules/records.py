"""Records of the rules for texts: a rule, a breach of it, and the texts that rules are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, Literal, Self, TypeAlias, TypeVar

from editscope.errors import BadInput

Subject: TypeAlias = Literal[
    "question",
    "questions",
    "benchmark_instruction",
    "motion_caption",
    "training_instruction",
    "implicit_instruction",
    "paraphrase",
    "translation",
]
"""What a rule is about."""
DecidedBy: TypeAlias = Literal["code", "model"]

LEVELS = ("superficial", "intermediate", "explicit")
"""The levels of an instruction, in the order of what they say."""


class RuledText:
    """A text that rules are about; a record is read from the entries of a JSON object."""

    @classmethod
    def from_json(cls, entries: Mapping[str, Any]) -> Self:
        """The record with the entries that it knows; others are passed over, such as a label."""
        known = {field.name for field in fields(cls)}  # type: ignore[arg-type]
        given = {name: value for name, value in entries.items() if name in known}
        if not given:
            raise BadInput(f"a {cls.__name__} needs one of {', '.join(sorted(known))}; the entry has none of them")
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})


@dataclass(frozen=True, slots=True)
class QuestionText(RuledText):
    """A yes-or-no question about an edit.

    ``category`` is what it checks; the form of a question about physics does not follow the operation.
    """

    text: str
    answer: str = ""
    operation: str = ""
    category: str = ""


@dataclass(frozen=True, slots=True)
class CaseQuestions(RuledText):
    """The questions of a case together."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeveledInstruction(RuledText):
    """An instruction at three levels; one that is empty is not checked."""

    superficial: str = ""
    intermediate: str = ""
    explicit: str = ""

    def levels(self) -> Iterator[tuple[str, str]]:
        """The levels that have a text, each with it."""
        return ((level, text) for level in LEVELS if (text := getattr(self, level)).strip())


@dataclass(frozen=True, slots=True)
class MotionCaption(RuledText):
    """A caption from which a video is made, and the law of physics that it shows."""

    text: str
    law: str = ""


@dataclass(frozen=True, slots=True)
class PlainText(RuledText):
    """A text by itself: an implicit instruction, or a paraphrase of one."""

    text: str


@dataclass(frozen=True, slots=True)
class Translation(RuledText):
    """A text, and the language that it should be in: ``en`` or ``zh``."""

    text: str
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Breach:
    """A rule that a text breaks, and a sentence that names the words in question."""

    rule: str
    reason: str


Text = TypeVar("Text", bound=RuledText)


@dataclass(frozen=True, slots=True)
class TextRule(Generic[Text]):
    """A rule for texts: what it asks for, where it comes from, and who decides it."""

    name: str
    about: str
    source: str
    subjects: tuple[Subject, ...]
    record: type[Text]
    find: Callable[[Text], str | None] | None = None

    @property
    def decided_by(self) -> DecidedBy:
        """``code`` where the words decide, ``model`` where somebody has to understand text or picture."""
        return "code" if self.find else "model"

    def check(self, text: Text) -> Breach | None:
        """What the text breaks; None where it keeps the rule."""
        if self.find is None:
            raise BadInput(f"code cannot decide the rule {self.name!r}; ask a model: {self.about}")
        reason = self.find(text)
        return Breach(self.name, reason) if reason else None
