"""Batches as they are planned: draws of a mixture, collected by bucket until a batch is full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editscope.errors import BadInput
from editscope.training.data.buckets import BucketKey, bucket_of
from editscope.training.data.mixture import Draw, Mixture, number_of
from editscope.training.data.settings import DataSettings
from editscope.training.data.sources import TrainingSource


@dataclass(frozen=True, slots=True)
class PlannedBatch:
    """Draws whose examples have one size and as many pictures."""

    number: int
    key: BucketKey
    draws: tuple[Draw, ...]


class BatchPlanner:
    """Batches in order. It reads no pictures, so that restoring a position takes no time."""

    def __init__(self, settings: DataSettings, sources: Sequence[TrainingSource], batch: int, multiple: int) -> None:
        self._settings, self._sources, self._batch, self._multiple = settings, sources, batch, multiple
        counts = [(source.entries or 1) * part.repeats for source, part in zip(sources, settings.parts, strict=True)]
        weights = [
            count if part.weight is None else part.weight for count, part in zip(counts, settings.parts, strict=True)
        ]
        self._mixture = Mixture(weights)
        self._end = settings.epochs * sum(counts) if settings.epochs else None
        self._waiting: dict[BucketKey, list[Draw]] = {}
        self._planned = 0

    def next(self) -> PlannedBatch | None:
        """The next batch; None at the end, where incomplete batches are dropped."""
        while self._end is None or sum(self._mixture.taken) < self._end:
            draw = self._mixture.next()
            key = self.key_of(draw)
            waiting = self._waiting.setdefault(key, [])
            waiting.append(draw)
            if len(waiting) == self._batch:
                del self._waiting[key]
                self._planned += 1
                return PlannedBatch(self._planned - 1, key, tuple(waiting))
        return None

    @property
    def left_out(self) -> int:
        """How many examples wait for others of their size; at the end they are dropped."""
        return sum(map(len, self._waiting.values()))

    def number(self, draw: Draw) -> int:
        """The number of a draw in its source."""
        source = self._sources[draw.part]
        return number_of(draw.turn, source.entries, source.settings, self._settings.seed)

    def key_of(self, draw: Draw) -> BucketKey:
        """The bucket of a draw."""
        source, number = self._sources[draw.part], self.number(draw)
        return bucket_of(source.shape(number), self._settings.sizes, self._multiple, source.name_of(number))

    def state(self) -> dict[str, Any]:
        """The current position, as JSON."""
        return {
            "planned": self._planned,
            "taken": list(self._mixture.taken),
            "waiting": [
                {"size": [key.width, key.height], "pictures": key.pictures, "draws": [[d.part, d.turn] for d in draws]}
                for key, draws in self._waiting.items()
            ],
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a position."""
        try:
            self._planned = int(state["planned"])
            taken = [int(count) for count in state["taken"]]
            self._waiting = {
                BucketKey(width, height, waiting["pictures"]): [Draw(part, turn) for part, turn in waiting["draws"]]
                for waiting in state["waiting"]
                for width, height in [waiting["size"]]
            }
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"the position in the data cannot be read from the checkpoint ({error!r})") from None
        if len(taken) != len(self._sources):
            raise BadInput(
                f"the checkpoint has {len(taken)} parts of data, but the experiment has {len(self._sources)}"
            )
        self._mixture.taken = taken
