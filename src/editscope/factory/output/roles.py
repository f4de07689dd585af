"""Roles of fields in training: pictures that go in, instructions, and the picture that should come out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.factory.output.columns import ExportColumn
from editscope.factory.output.settings import OutputSettings

INPUTS = (("pictures",), ("before",), ("picture",))
ANSWERS = ("answer", "after", "edit")
INSTRUCTIONS = ("instruction", "superficial", "intermediate", "explicit", "paraphrase")
_PICTURES = ("picture", "pictures")


@dataclass(frozen=True, slots=True)
class TrainingRoles:
    """Names of columns by what training does with them."""

    inputs: tuple[str, ...]
    instructions: tuple[str, ...]
    answer: str = ""

    def to_json(self) -> dict[str, Any]:
        """The roles for a file."""
        return {"inputs": list(self.inputs), "instructions": list(self.instructions), "answer": self.answer}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> TrainingRoles:
        """Roles from a file."""
        return cls(tuple(kept["inputs"]), tuple(kept["instructions"]), kept["answer"])


def roles_of(settings: OutputSettings, columns: Sequence[ExportColumn]) -> TrainingRoles:
    """The roles that a plan gives; without them, those that the usual names of fields have."""
    types = {column.name: column.type for column in columns}
    pictures = {name for name, type_ in types.items() if type_ in _PICTURES}
    for name in (*settings.inputs, *settings.instructions, *filter(None, [settings.answer])):
        if name not in types:
            raise unknown("column", name, types, of="the export, for [output] inputs, answer and instructions")
    for name in (*settings.inputs, *filter(None, [settings.answer])):
        if name not in pictures:
            raise BadInput(f"[output]: the column {name!r} is a {types[name]}, and inputs and answer are pictures")
    inputs = settings.inputs or next((names for names in INPUTS if pictures.issuperset(names)), ())
    answer = settings.answer or next((name for name in ANSWERS if name in pictures and name not in inputs), "")
    instructions = settings.instructions or tuple(name for name in INSTRUCTIONS if types.get(name) == "text")
    return TrainingRoles(tuple(inputs), instructions, answer)
