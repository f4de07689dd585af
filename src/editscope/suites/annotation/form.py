"""A form as data: what a person enters about a case, field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from editscope.cases import NOTHING

Kind: TypeAlias = Literal[
    "text", "long", "choice", "texts", "checklist", "named", "pictures", "regions", "questions"
]  # fmt: skip
"""What a field holds:

- ``text`` and ``long`` are texts, of one line or of several; ``choice`` is one of ``options``, or any text if ``open``
- ``texts`` is a list of texts, ``checklist`` a list of ``{title, description}``, ``named`` a list of ``{name, text}``
- ``pictures`` is a list of ``{path, role}``, in order
- ``regions`` is a list of ``{id, box, points, rest}``: ``box`` is x, y, width and height; a polygon has ``points``
- ``questions`` is a list of ``{question, answer, category, region, rest}``; ``region`` is the id of one of ``of``
"""

Values: TypeAlias = Mapping[str, Any]
"""What a person entered, by the name of the field."""
Sizes: TypeAlias = Mapping[str, tuple[int, int]]
"""Width and height of the pictures of a case, by path; pictures that cannot be read are not in it."""

CANVAS_SIDE = 1024
"""The longer side of the canvas that regions with the unit ``canvas`` are drawn on."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What is wrong with a field, or could be better; ``entry`` counts the entries of a list from 0."""

    field: str
    message: str
    severity: Literal["wrong", "advice"] = "wrong"
    entry: int | None = None


@dataclass(frozen=True, slots=True)
class FormField:
    """One field of a form.

    ``least`` and ``most`` count the entries of a list. ``when`` names fields and the values for which this one is
    asked for. ``derived`` marks what the layout works out and nobody types.
    """

    name: str
    label: str
    kind: Kind = "text"
    section: str = ""
    help: str = ""
    required: bool = False
    options: tuple[str, ...] = ()
    open: bool = False
    least: int = 0
    most: int | None = None
    roles: tuple[str, ...] = ()
    unit: Literal["source", "canvas"] = "source"
    of: str = ""
    language: str = ""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)

    def asked(self, values: Values) -> bool:
        """Whether a case with these values has the field.

        >>> steps = FormField("steps", "Steps", when={"kind": ("process",)})
        >>> steps.asked({"kind": "process"}), steps.asked({"kind": "state"})
        (True, False)
        """
        return all(values.get(name) in wanted for name, wanted in self.when.items())

    @property
    def empty(self) -> Any:
        """What it holds where nothing was entered."""
        return "" if self.kind in ("text", "long", "choice") else []


@dataclass(frozen=True, slots=True)
class AnnotationForm:
    """The fields of a case, in the order in which they are asked for."""

    fields: tuple[FormField, ...]

    def __getitem__(self, name: str) -> FormField:
        return next(one for one in self.fields if one.name == name)

    def of_kind(self, kind: Kind) -> tuple[FormField, ...]:
        """The fields of one kind."""
        return tuple(one for one in self.fields if one.kind == kind)

    def filled(self, values: Values) -> dict[str, Any]:
        """The values with every field of the form, empty ones too."""
        return {one.name: values.get(one.name, one.empty) for one in self.fields}

    def as_json(self) -> list[dict[str, Any]]:
        """The form for a page."""
        return [
            {part.name: getattr(one, part.name) for part in fields(one)} | {"when": dict(one.when)}
            for one in self.fields
        ]
