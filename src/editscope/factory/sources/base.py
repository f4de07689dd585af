"""Base class of sources: where the records of a pipeline come from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from editscope.factory.records import Fields
from editscope.factory.steps.tools import Tools


class RecordSource(ABC):
    """Records in an order that is always the same. Their ids come from what they hold, not from their places."""

    settings_of: ClassVar[Mapping[str, Any]] = {}
    """The settings that a plan may give, with their defaults."""
    code: str = ""
    """A hash of its file, where a plan names a class of yours."""
    named_by: tuple[str, ...] = ("id",)
    """Fields that tell a record from the others, where it has them."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = {**self.settings_of, **settings}

    def identity(self, tools: Tools) -> Any:
        """All that decides which records come, as JSON."""
        return [f"{type(self).__module__}:{type(self).__qualname__}", self.settings]

    @abstractmethod
    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """The fields of each record, from a place on."""

    def naming(self, fields: Fields) -> Any:
        """What the id of a record comes from: the fields that name it, or all of them where it has none of those."""
        named = {name: fields[name] for name in self.named_by if fields.get(name) is not None}
        return named or dict(fields)

    def count(self, tools: Tools) -> int | None:
        """How many there are; None where only reading them tells."""
        return None
