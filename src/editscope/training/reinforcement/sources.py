"""Where a run gets its examples and keeps its checkpoints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from editscope.errors import BadInput
from editscope.training.data.examples import EditExample
from editscope.training.data.loader import ExampleLoader, checked_sources
from editscope.training.data.settings import DataSettings, data_settings
from editscope.training.data.sources import TrainingSource
from editscope.training.models.loading import check_pipeline
from editscope.training.reinforcement.settings import ReinforcementSettings
from editscope.training.settings import Experiment
from editscope.training.supervised.outline import sides_of


class ExampleSource(Protocol):
    """Examples whose place can be saved, such as those of an ExampleLoader. StopIteration at their end."""

    def take(self, count: int) -> Sequence[EditExample]:
        """The next examples."""

    def state(self) -> dict[str, Any]:
        """The current place."""

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Continue from a place."""


class Checkpoints(Protocol):
    """Where the states of a run are saved."""

    def save(self, step: int, state: Mapping[str, Any]) -> None:
        """Save a state whole or not at all."""

    def latest(self) -> Mapping[str, Any] | None:
        """The last state that was saved whole; None if there is none."""


def open_examples(
    experiment: Experiment, settings: ReinforcementSettings, file: str, workers: int | None = None
) -> ExampleLoader:
    """The examples of an experiment, in batches of one; BadInput if they end before its rounds."""
    data = data_settings(experiment.data, file, experiment.folder)
    data = data if workers is None else replace(data, workers=workers)
    multiple = sides_of(experiment, check_pipeline(experiment.model))
    sources, _ = checked_sources(data, batch=1, multiple=multiple, answers=False, where=file)
    check_rounds(data, sources, settings, file)
    return ExampleLoader(data, sources, batch=1, multiple=multiple)


def check_rounds(
    data: DataSettings, sources: Sequence[TrainingSource], settings: ReinforcementSettings, file: str
) -> None:
    """Raise BadInput if the epochs of the data end before the rounds of a run."""
    records = sum((source.entries or 0) * source.settings.repeats for source in sources)
    rounds = data.epochs * records // settings.prompts
    if not data.epochs or rounds >= settings.rounds:
        return
    given = f"{file}, [data] epochs: {data.epochs} of {records:,} records"
    if rounds == 0:
        raise BadInput(
            f"{given} are not enough for one round of [reinforcement] prompts = {settings.prompts}; remove epochs, or "
            f"lower [reinforcement] prompts to {data.epochs * records} or less"
        )
    raise BadInput(
        f"{given} are enough for {rounds:,} round{'s' * (rounds != 1)} of [reinforcement] prompts = {settings.prompts}"
        f", but [reinforcement] rounds is {settings.rounds:,}; remove epochs, or write rounds = {rounds}"
    )
