"""Base classes of steps. A step says what becomes of a record; the engine sees to order, retries, budget and memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from editscope.cases import NOTHING
from editscope.errors import EditscopeError
from editscope.factory.records import Fields, Record, digest

if TYPE_CHECKING:
    from editscope.factory.steps.tools import Tools

Kind: TypeAlias = Literal["map", "expand", "filter", "sample", "review"]
KINDS: tuple[Kind, ...] = ("map", "expand", "filter", "sample", "review")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a record: the fields of the records that go on, or the reason why none does.

    ``notes`` go into the history of the record. ``cost_usd`` and ``attempts`` are what models took.
    """

    parts: tuple[Fields, ...] = ()
    dropped: str = ""
    notes: Fields = field(default_factory=lambda: NOTHING)
    cost_usd: float = 0.0
    attempts: int = 0

    def to_json(self) -> list[Any]:
        """The outcome as a store keeps it."""
        return [[dict(part) for part in self.parts], self.dropped, dict(self.notes)]

    @classmethod
    def from_json(cls, kept: list[Any]) -> Outcome:
        """An outcome that a store kept."""
        parts, dropped, notes = kept
        return cls(tuple(parts), dropped, notes)


class StepFailed(EditscopeError):
    """A step could not be done for a record now. The record stays pending: it is neither kept nor dropped."""

    def __init__(self, reason: str, cost_usd: float = 0.0, attempts: int = 0, gone: str = "") -> None:
        super().__init__(reason)
        self.cost_usd = cost_usd
        self.attempts = attempts
        self.gone = gone
        """The name of a blob that it needs and whose file is gone."""


class PipelineStep(ABC):
    """A step of a plan: a name, a kind, and settings that decide what it does.

    ``reads`` are the fields that its outcome depends on: where they are given, a change of other fields does not make
    it again. ``version`` goes up with every change of the code that changes outcomes; for a class that a plan names as
    ``python:module:Class``, a change of its file is enough.
    """

    kind: Kind
    version: ClassVar[int] = 1
    settings_of: ClassVar[Mapping[str, Any]] = {}
    """The settings that a plan may give, with their defaults."""
    models: ClassVar[Mapping[str, str]] = {}
    """Settings that name a model of the plan, with the kind of model: text, image, video, editor or judge."""
    code: str = ""
    """A hash of its file, where a plan names a class of yours: its records are made again when that changes."""
    decisive: Sequence[str] = ()
    """Settings that decide which records it drops: where all are dropped, somebody should look at these."""

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        self.name = name
        self.settings = {**self.settings_of, **settings}
        self.reads = tuple(reads)

    def begin(self, tools: Tools) -> None:  # noqa: B027 - most steps need nothing
        """Read the files that the settings name, before anything else; BadInput where one cannot be used."""

    def identity(self) -> Any:
        """All that decides outcomes, as JSON: the class and its version, and the settings."""
        place = f"{type(self).__module__}:{type(self).__qualname__}"
        return [self.kind, place, self.version, self.settings, self.reads]

    def key(self, record: Record, step: bytes) -> bytes:
        """What the outcome for a record is filed under; ``step`` stands for the step."""
        fields = record.fields
        seen = {name: fields.get(name) for name in self.reads} if self.reads else dict(fields)
        return digest(step, record.id, seen)


class RecordStep(PipelineStep):
    """A step that looks at one record at a time.

    With ``in_process`` its work is heavy and goes to other processes, else it runs in the event loop: there it must
    await what takes long, as calls of models do.
    """

    in_process: ClassVar[bool] = False
    at_once: int = 32
    """Records in its hands at a time."""
    when: Mapping[str, Any] = NOTHING
    """Conditions on fields; records that do not meet them pass the step by, unchanged."""

    async def prepare(self, tools: Tools) -> None:
        """Make ready, once, before the first record."""

    @abstractmethod
    async def run(self, record: Record, tools: Tools) -> Outcome:
        """What becomes of a record. StepFailed leaves it pending."""


class PlainStep(RecordStep):
    """A step that computes and calls nobody."""

    @abstractmethod
    def apply(self, record: Record, tools: Tools) -> Outcome:
        """What becomes of a record."""

    async def run(self, record: Record, tools: Tools) -> Outcome:
        """What becomes of a record."""
        return self.apply(record, tools)


@dataclass(frozen=True, slots=True)
class RecordDecision:
    """What a step that looks at all records says about one: a reason to drop it, or fields that it changes.

    One that is ``waiting`` is neither kept nor dropped yet.
    """

    id: str
    dropped: str = ""
    fields: Fields = field(default_factory=lambda: NOTHING)
    waiting: bool = False


class WholeStep(PipelineStep):
    """A step that must see all records before it can decide about one: a sample, a quota, a review."""

    needs: tuple[str, ...] = ()
    """Fields that it needs to see; others are not read, so that a hundred thousand records fit."""
    expects: Mapping[str, str] = NOTHING
    """Fields that a record or another should have, each with the setting that names it: a build warns of others."""

    @abstractmethod
    def decide(self, records: Iterable[Record], tools: Tools) -> Iterator[RecordDecision]:
        """A decision about every record, in their order."""


def kept(*parts: Fields, notes: Fields = NOTHING, cost_usd: float = 0.0, attempts: int = 0) -> Outcome:
    """The record goes on, with these fields; as several, where several are given.

    >>> kept({"text": "A cup"}).parts, kept().parts
    (({'text': 'A cup'},), ({},))
    """
    return Outcome(parts or ({},), notes=notes, cost_usd=cost_usd, attempts=attempts)


def dropped(reason: str, notes: Fields = NOTHING, cost_usd: float = 0.0, attempts: int = 0) -> Outcome:
    """The record ends here, for this reason."""
    return Outcome((), reason, notes, cost_usd, attempts)
