"""Monitors of training: numbers that show that a run goes wrong, each with a limit that stops the run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean, median
from typing import Any

import numpy as np

from editscope.call_options import check_options
from editscope.errors import BadInput, Stopped
from editscope.images import Pixels

LEVELS = 16
"""A pixel counts as changed if a channel differs by more than this; compression and autoencoders stay below it."""
SHARE = 0.002
"""Up to this share of changed pixels, an edit is nearly equal to its input."""


class MonitorStop(Stopped):
    """A monitor stopped the run; the message names the number that went wrong. The checkpoint stays."""


class Monitor(ABC):
    """Watches one number. ``observe`` returns the sentence that ends the run, or None."""

    name: str
    unit: str = "step"
    """What a run counts: steps, or the rounds of reinforcement learning."""

    @abstractmethod
    def observe(self, step: int, value: float) -> str | None:
        """Take the value of a step."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """The state to save."""

    @abstractmethod
    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved state."""


class RollingLimit(Monitor):
    """Stops the run if the mean of the last ``window`` values is above a limit."""

    def __init__(self, name: str, limit: float, window: int, meaning: str) -> None:
        if window < 1:
            raise BadInput(f"[monitors] the window of {name} is {window}; give 1 or more")
        self.name = name
        self._limit = limit
        self._meaning = meaning
        self._last: deque[float] = deque(maxlen=window)

    def observe(self, step: int, value: float) -> str | None:
        """Take a value of a step."""
        self._last.append(value)
        if len(self._last) < (self._last.maxlen or 1) or fmean(self._last) <= self._limit:
            return None
        mean = fmean(self._last)
        return (
            f"stopped at {self.unit} {step}: the {self.name} is {mean:.3g} over the last {len(self._last)} checks, "
            f"above the limit of {self._limit:.3g}; {self._meaning}"
        )

    def state(self) -> dict[str, Any]:
        """The last values."""
        return {"last": list(self._last)}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved state."""
        self._last.clear()
        self._last.extend(state["last"])


def identity_rate_limit(limit: float = 0.9, window: int = 5) -> RollingLimit:
    """Too many edits are equal, or nearly equal, to their inputs: the model learns not to edit."""
    return RollingLimit("identity rate", limit, window, "the model drifts toward leaving pictures unchanged")


def over_edit_limit(limit: float, window: int = 5) -> RollingLimit:
    """Too many pixels are changed for each pixel that should change."""
    return RollingLimit("over-edit ratio", limit, window, "the model changes what should stay the same")


class RewardAgainstHeldOut(Monitor):
    """Stops the run if the reward rises while a score on held-out cases falls: the run is hacking its reward.

    Each held-out score is compared with the best one so far. It counts as hacking if the score is lower by more than
    the share ``fall`` of the best score, and the mean reward since is higher than it was then, ``patience`` times in a
    row.
    """

    name = "reward against held-out score"

    def __init__(self, fall: float = 0.05, patience: int = 2) -> None:
        if fall < 0 or patience < 1:
            raise BadInput(
                f"[monitors] held_out_fall is {fall} and held_out_patience is {patience}; give at least 0 and 1"
            )
        self._fall = fall
        self._patience = patience
        self._rewards: list[float] = []
        self._best: tuple[int, float | None, float] | None = None
        self._in_a_row = 0

    def observe(self, step: int, value: float) -> str | None:
        """Take the mean reward of a step."""
        self._rewards.append(value)
        return None

    def observe_held_out(self, step: int, score: float) -> str | None:
        """Take a held-out score, after the rewards of the steps before it."""
        if not self._rewards:  # the weights that the run started with: their reward is that of the next round
            self._best = self._best or (step, None, score)
            return None
        first, reward, self._rewards = self._rewards[0], fmean(self._rewards), []
        if self._best is not None and self._best[1] is None:
            self._best = (self._best[0], first, self._best[2])
        if self._best is None or score >= self._best[2]:
            self._best, self._in_a_row = (step, reward, score), 0
            return None
        then, score_then = self._best[0], self._best[2]
        reward_then = first if self._best[1] is None else self._best[1]
        hacking = score < score_then - self._fall * abs(score_then) and reward > reward_then
        self._in_a_row = self._in_a_row + 1 if hacking else 0
        if self._in_a_row < self._patience:
            return None
        return (
            f"stopped at {self.unit} {step}: since {self.unit} {then} the reward rose from {reward_then:.3g} to "
            f"{reward:.3g} while the held-out score fell from {score_then:.3g} to {score:.3g}; the run is hacking "
            "its reward"
        )

    def state(self) -> dict[str, Any]:
        """Rewards since the last held-out score, and the best one."""
        return {"rewards": list(self._rewards), "best": self._best, "in_a_row": self._in_a_row}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved state."""
        self._rewards = list(state["rewards"])
        self._best = None if state["best"] is None else tuple(state["best"])
        self._in_a_row = int(state["in_a_row"])


class HeldOutLossLimit(Monitor):
    """Stops the run if the loss on held-out cases stays above its lowest value by more than a share, several checks in
    a row: the model is overfitting."""

    name = "held-out loss"

    def __init__(self, above: float, patience: int = 2) -> None:
        if above < 0 or patience < 1:
            raise BadInput(
                f"[monitors] held_out_above is {above} and held_out_patience is {patience}; give at least 0 and 1"
            )
        self._above = above
        self._patience = patience
        self._best: tuple[int, float] | None = None
        self._in_a_row = 0

    def observe(self, step: int, value: float) -> str | None:
        """Take the loss of a step."""
        if self._best is None or value <= self._best[1]:
            self._best, self._in_a_row = (step, value), 0
            return None
        then, lowest = self._best
        self._in_a_row = self._in_a_row + 1 if value > (1 + self._above) * lowest else 0
        if self._in_a_row < self._patience:
            return None
        return (
            f"stopped at {self.unit} {step}: the loss on held-out cases rose from {lowest:.3g} at {self.unit} {then} "
            f"to {value:.3g}; the model is overfitting"
        )

    def state(self) -> dict[str, Any]:
        """The lowest loss, and how often in a row it was above."""
        return {"best": self._best, "in_a_row": self._in_a_row}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved state."""
        self._best = None if state["best"] is None else (int(state["best"][0]), float(state["best"][1]))
        self._in_a_row = int(state["in_a_row"])


@dataclass(frozen=True, slots=True)
class MonitorSettings:
    """The table ``[monitors]`` of an experiment; a monitor whose limit is None is off.

    ``held_out_fall`` is for training by rewards, ``held_out_above`` for the loss of supervised training.
    """

    identity_rate: float | None = 0.9
    over_edit_ratio: float | None = None
    held_out_fall: float | None = 0.05
    held_out_above: float | None = None
    held_out_patience: int = 2
    window: int = 5


LIMITS = ("identity_rate", "over_edit_ratio", "held_out_fall", "held_out_above")


def read_monitors(table: Mapping[str, Any], file: str = "experiment.toml") -> MonitorSettings:
    """The settings of a TOML table. ``false`` as a limit turns its monitor off."""
    where = f"{file}, [monitors]"
    if not isinstance(table, Mapping):
        raise BadInput(
            f"{file}, monitors: is {table!r}, not a table; write [monitors] on its own line, and false for each limit "
            "to turn off, such as identity_rate = false"
        )
    options: dict[str, Any] = {
        name: None if value is False and name in LIMITS else value for name, value in table.items()
    }
    check_options(where, where, MonitorSettings, options)
    _check_limits(options, where)
    if options.get("window", 1) < 1 or options.get("held_out_patience", 1) < 1:
        raise BadInput(f"{where} window, held_out_patience: must be at least 1")
    return MonitorSettings(**options)


def _check_limits(options: Mapping[str, Any], where: str) -> None:
    """Raise BadInput for limits that no number can exceed, so that they would never stop a run."""
    for name in LIMITS:
        value = options.get(name)
        if value is None:
            continue
        share = name in ("identity_rate", "held_out_fall")
        if not 0 <= value < (1 if share else inf):
            wanted = "at least 0 and below 1" if share else "0 or more"
            raise BadInput(f"{where} {name}: must be {wanted}, not {value!r}; write false to turn this monitor off")


class TrainingMonitors:
    """All monitors of a run. They take numbers, and raise MonitorStop with the sentence of the one that stops the run.

    ``unit`` is what the run counts, for messages: "step" or "round".
    """

    def __init__(self, settings: MonitorSettings | None = None, unit: str = "step") -> None:
        chosen = settings or MonitorSettings()
        identity, over, fall = chosen.identity_rate, chosen.over_edit_ratio, chosen.held_out_fall
        self._identity = None if identity is None else identity_rate_limit(identity, chosen.window)
        self._over = None if over is None else over_edit_limit(over, chosen.window)
        self._held_out = None if fall is None else RewardAgainstHeldOut(fall, chosen.held_out_patience)
        above = chosen.held_out_above
        self._loss = None if above is None else HeldOutLossLimit(above, chosen.held_out_patience)
        for monitor in self._all():
            monitor.unit = unit

    def step(
        self,
        step: int,
        *,
        identity: float | None = None,
        over_edit: float | None = None,
        reward: float | None = None,
        held_out: float | None = None,
        held_out_loss: float | None = None,
    ) -> None:
        """Take the numbers of a step; None for those that are unknown."""
        watched = (
            (self._identity, identity),
            (self._over, over_edit),
            (self._held_out, reward),
            (self._loss, held_out_loss),
        )
        sentences = [
            monitor.observe(step, value) for monitor, value in watched if monitor is not None and value is not None
        ]
        if self._held_out is not None and held_out is not None:
            sentences.append(self._held_out.observe_held_out(step, held_out))
        for sentence in sentences:
            if sentence is not None:
                raise MonitorStop(sentence)

    def state(self) -> dict[str, Any]:
        """The states to save, by the name of the monitor."""
        return {monitor.name: monitor.state() for monitor in self._all()}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore saved states; a monitor that has none starts over."""
        for monitor in self._all():
            if monitor.name in state:
                monitor.load_state(state[monitor.name])

    def _all(self) -> list[Monitor]:
        return [m for m in (self._identity, self._over, self._held_out, self._loss) if m is not None]


def is_identity(inputs: Sequence[Pixels], edit: Pixels) -> bool:
    """Whether an edit is equal, or nearly equal, to one of its inputs.

    It is if at most SHARE of its pixels differ by more than LEVELS in a channel.

    >>> gray = np.full((32, 32, 3), 128, np.uint8)
    >>> noisy = gray + np.arange(9, dtype=np.uint8)[np.arange(32 * 32 * 3).reshape(32, 32, 3) % 9]
    >>> dotted = gray.copy(); dotted[:2, :2] = 255
    >>> is_identity([gray], gray), is_identity([gray], noisy), is_identity([gray], dotted)
    (True, True, False)
    """
    return any(
        picture.shape == edit.shape
        and float((np.abs(picture.astype(np.int16) - edit).max(axis=2) > LEVELS).mean()) <= SHARE
        for picture in inputs
    )


def identity_rate(pairs: Iterable[tuple[Sequence[Pixels], Pixels]]) -> float | None:
    """The share of edits that are equal, or nearly equal, to an input; None without edits."""
    same = [is_identity(inputs, edit) for inputs, edit in pairs]
    return fmean(same) if same else None


def over_edit_ratio(triples: Iterable[tuple[Pixels, Pixels, Pixels]]) -> float | None:
    """The median over-edit ratio of edits whose answer is known (input, answer, edit); None without any.

    The ratio of an edit is that of the pixel metric: pixels changed for each pixel that should change.
    """
    from editscope.scoring.pixels import score_pixels

    ratios = [score_pixels(source, answer, edit).over_edit_ratio for source, answer, edit in triples]
    return median(ratios) if ratios else None
