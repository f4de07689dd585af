"""Loader of training examples: batches for one process, in an order that can be resumed."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import count
from types import TracebackType
from typing import Any

from editscope.errors import BadInput
from editscope.training.data.batches import BatchPlanner, PlannedBatch
from editscope.training.data.captions import chance_of
from editscope.training.data.checks import check_data, check_epochs
from editscope.training.data.examples import EditExample
from editscope.training.data.settings import DataSettings
from editscope.training.data.sources import TrainingSource, open_source
from editscope.training.data.worker_process import ExampleJob
from editscope.training.data.workers import InTrainer, InWorkers


@dataclass(frozen=True, slots=True)
class _Round:
    """A batch that is being made: the tickets of its examples, and the position after it."""

    tickets: tuple[int, ...]
    after: Mapping[str, Any]


class ExampleLoader:
    """Batches of examples for one process of a training.

    Batch number n goes to the process n mod ``world``, whatever their number, so that all processes together see
    what one would. Every batch has one size. Between two batches ``state()`` is the position after the last one; a
    loader with that state continues exactly like this one.
    """

    def __init__(
        self,
        settings: DataSettings,
        sources: Sequence[TrainingSource],
        *,
        batch: int,
        multiple: int = 16,
        rank: int = 0,
        world: int = 1,
        cases: bool = True,
    ) -> None:
        self._sources = tuple(sources)
        self.settings, self.batch, self._rank, self._world = settings, batch, rank, world
        self._planner = BatchPlanner(settings, sources, batch, multiple)
        self._maker = (InWorkers if settings.workers else InTrainer)(sources, settings, cases)
        self._tickets = count()
        self._ahead: deque[_Round] = deque()
        self._decides = _decides(settings, sources, batch, multiple)
        self._place: Mapping[str, Any] = self._planner.state()

    def __iter__(self) -> Iterator[tuple[EditExample, ...]]:
        """Batches from the current position."""
        return self

    def __next__(self) -> tuple[EditExample, ...]:
        while len(self._ahead) <= (self.settings.ahead if self.settings.workers else 0):
            if (planned := self._next_round()) is None:
                break
            self._ahead.append(planned)
        if not self._ahead:
            raise StopIteration
        current = self._ahead.popleft()
        made = tuple(self._maker.get(ticket) for ticket in current.tickets)
        self._place = current.after
        return made

    def take(self, number: int) -> list[EditExample]:
        """The next examples, in complete batches."""
        if number % self.batch:
            raise BadInput(f"{number} is not a multiple of the batch size {self.batch}")
        return [example for _ in range(number // self.batch) for example in next(self)]

    def state(self) -> dict[str, Any]:
        """The position after the last batch, as JSON; the same for every process."""
        return {"made_with": dict(self._decides), "content": self._content, **self._place}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a position; BadInput if it belongs to other data."""
        made_with = state.get("made_with", {})
        if other := sorted(
            name for name in {*self._decides, *made_with} if self._decides.get(name) != made_with.get(name)
        ):
            raise BadInput(
                f"the checkpoint was saved with different data ({', '.join(other)}); restore the settings, or start "
                "over with another --out"
            )
        saved = state.get("content", {})  # earlier versions saved none
        if changed := [label for label, content in self._content.items() if saved.get(label, content) != content]:
            raise BadInput(
                f"the records of {', '.join(f'part {label!r}' for label in changed)} have changed since the checkpoint "
                "was saved, such as by another export; restore the folder as it was, or start over with another --out"
            )
        self._planner.load_state(state)
        self._place = self._planner.state()
        self._ahead.clear()
        self._maker.forget()

    @cached_property
    def _content(self) -> dict[str, str]:
        """Hashes of the records of parts, where there are any: apart from what decides the order of examples."""
        contents = {part.label: source.content for part, source in zip(self.settings.parts, self._sources, strict=True)}
        return {label: content for label, content in contents.items() if content is not None}

    @property
    def left_out(self) -> int:
        """At the end of the epochs: examples that did not fill a batch."""
        return self._planner.left_out

    def close(self) -> None:
        """Stop the workers."""
        self._maker.close()

    def __enter__(self) -> ExampleLoader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _next_round(self) -> _Round | None:
        """Plan a batch for every process and start making ours; None at the end, which all processes reach together."""
        planned = [self._planner.next() for _ in range(self._world)]
        mine = planned[self._rank]
        if mine is None or planned[-1] is None:
            return None
        tickets = tuple(self._asked(mine))
        return _Round(tickets, self._planner.state())

    def _asked(self, planned: PlannedBatch) -> Iterator[int]:
        for draw in planned.draws:
            ticket = next(self._tickets)
            chance = chance_of(self.settings.seed, "level", self.settings.parts[draw.part].label, draw.turn)
            self._maker.ask(ExampleJob(ticket, draw.part, self._planner.number(draw), chance, planned.key))
            yield ticket


def open_loader(
    settings: DataSettings,
    *,
    batch: int,
    multiple: int = 16,
    rank: int = 0,
    world: int = 1,
    answers: bool = True,
    cases: bool | None = None,
    where: str = "the experiment",
    wanted: tuple[int, int] | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> ExampleLoader:
    """A loader of checked examples: BadInput before anything starts.

    ``answers`` says that every example needs one, as in supervised training. ``multiple`` is what sides of pictures
    are multiples of. ``cases`` keeps the case of an example, for rubrics; without answers it is kept. ``say`` gets
    what was looked at. ``wanted`` are steps and examples of each, for which epochs have to suffice.
    """
    if batch < 1 or not 0 <= rank < world:
        raise BadInput(f"{where}: a batch of {batch} for process {rank} of {world} is not possible")
    sources, checked = checked_sources(
        settings, batch=batch * world, multiple=multiple, answers=answers, where=where, wanted=wanted
    )
    for sentence in checked:
        say(sentence)
    keep = not answers if cases is None else cases
    return ExampleLoader(settings, sources, batch=batch, multiple=multiple, rank=rank, world=world, cases=keep)


def checked_sources(
    settings: DataSettings,
    *,
    batch: int,
    multiple: int,
    answers: bool,
    where: str,
    wanted: tuple[int, int] | None = None,
) -> tuple[list[TrainingSource], list[str]]:
    """The sources of all parts, and what was checked; BadInput for anything that would stop the training later.

    ``batch`` is that of all processes.
    """
    settings.check(where, multiple)
    sources = [open_source(part) for part in settings.parts]
    checked = check_data(settings, sources, batch=batch, multiple=multiple, answers=answers, where=where)
    if wanted is not None:
        check_epochs(settings, sources, wanted, where)
    return sources, checked


def _decides(settings: DataSettings, sources: Sequence[TrainingSource], batch: int, multiple: int) -> dict[str, Any]:
    """The settings that determine the order of examples, by name; a checkpoint must have the same ones."""
    decides: dict[str, Any] = {"batch": batch, "seed": settings.seed, "epochs": settings.epochs}
    decides["sizes"] = _digest({**asdict(settings.sizes), "multiple": multiple})
    for part, source in zip(settings.parts, sources, strict=True):
        about = {**{name: getattr(part, name) for name in part.__slots__}, "levels": dict(part.levels), "data": ""}
        if part.kind == "set":
            about["source"] = "set"  # a folder may have moved
        decides[f"part {part.label}"] = _digest({**about, **source.decides})
    return decides


def _digest(settings: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:16]
