"""Log of reinforcement learning: numbers and lines of rounds, and how the training ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from editscope.errors import Stopped
from editscope.training.log.training_log import TrainingLog
from editscope.training.reinforcement.loop import Metrics
from editscope.training.supervised.evaluation import in_words

HELD_OUT = "held_out/"


class RoundLog:
    """Logs the rounds of a run, and says a line for each. ``done`` is how many are done when it starts."""

    def __init__(self, log: TrainingLog, rounds: int, done: int, say: Callable[[str], None]) -> None:
        self._log, self._rounds, self._done, self._say = log, rounds, done, say

    @contextmanager
    def open(self) -> Iterator[None]:
        """Log the reason if the training stops, and close the log."""
        try:
            yield
        except Stopped as stop:
            self._log.event(self._done, "stopped", str(stop))
            raise
        finally:
            self._log.close()

    def round(self, number: int, metrics: Metrics) -> None:
        """Log a round, which is counted from 0."""
        self._done = number + 1
        self._log.step(self._done, metrics)
        self._say(round_in_words(number, self._rounds, metrics))

    def held_out(self, rounds: int, metrics: Metrics) -> None:
        """Log the held-out scores of the weights after so many rounds."""
        self._log.step(rounds, metrics)
        scores = {name.removeprefix(HELD_OUT): value for name, value in metrics.items() if name.startswith(HELD_OUT)}
        self._say(f"held-out scores after round {rounds}: {in_words(scores)}")

    def ended(self, sentence: str) -> None:
        """Log that the data ended before the last round."""
        self._log.event(self._done, "ended", sentence)
        self._say(sentence)

    def saved(self, rounds: int) -> None:
        """Log a checkpoint."""
        self._log.event(rounds, "checkpoint", f"Checkpoint of round {rounds} saved.")


def round_in_words(number: int, rounds: int, metrics: Metrics) -> str:
    """The line of a round, which is counted from 0."""
    seconds = sum(value for name, value in metrics.items() if name.startswith("seconds/"))
    reward = f"reward {metrics['reward/total']:.4f}" if "reward/total" in metrics else "no verdict"
    speed = metrics.get("pictures", 0.0) / max(seconds, 1e-9)
    edits, lost = metrics.get("pictures", 0.0), metrics.get("groups/without_verdict", 0.0)
    without = f", {lost:.0f} of {edits:.0f} without a verdict" if lost else ""
    return f"round {number + 1} of {rounds}: {reward}, {edits:.0f} edits{without}, {speed:.2f} pictures/s"
