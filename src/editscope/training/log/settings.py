"""Settings of what is logged of a training: the table ``[tracking]`` of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.errors import BadInput, unknown
from editscope.trackers.targets import INSTALL, PLACES, TENSORBOARD


@dataclass(frozen=True, slots=True)
class TrackingSettings:
    """Where steps are logged, and how often fixed cases are edited.

    ``trackers`` are targets like those of ``--log``; "tensorboard" alone logs into the folder of the run. Before the
    first step, every ``samples_every`` steps and after the last one the same ``samples`` cases are edited and the edits
    are saved; 0 turns this off. ``sample_steps`` are the sampler's; None for those of ``[evaluation]``, or those that
    the model was published with.
    """

    trackers: Sequence[str] = (TENSORBOARD,)
    samples_every: int = 100
    samples: int = 4
    sample_steps: int | None = None

    def check(self, where: str) -> None:
        """Raise BadInput for unusable values; ``where`` names the file and the table."""
        listed = isinstance(self.trackers, list | tuple)
        if not listed or not all(isinstance(text, str) for text in self.trackers):
            raise BadInput(f'{where} trackers: {self.trackers!r} is not a list of strings; write ["tensorboard"]')
        for text in self.trackers:
            kind, _, place = text.partition(":")
            if kind not in INSTALL:
                raise BadInput(f"{where} trackers: {unknown('tracker', kind, INSTALL)}")
            if not place.strip() and text != TENSORBOARD:
                raise BadInput(f"{where} trackers: {text!r} has no {PLACES[kind]}; write {kind}:{PLACES[kind]}")
        if self.samples_every < 0:
            raise BadInput(f"{where} samples_every: {self.samples_every} is negative; 0 keeps no samples")
        if self.sample_steps is not None and self.sample_steps < 1:
            raise BadInput(f"{where} sample_steps: {self.sample_steps} must be 1 or more")
        if self.samples < 1:
            raise BadInput(f"{where} samples: {self.samples} must be 1 or more; samples_every = 0 keeps no samples")
