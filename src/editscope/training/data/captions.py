"""Captions: which of the instructions of a record is trained on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from editscope.cases import NOTHING


@dataclass(frozen=True, slots=True)
class Caption:
    """One instruction of a record, at one level."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class CaptionChoice:
    """Weights of levels; none means every level, equally often."""

    weights: Mapping[str, float] = field(default_factory=lambda: NOTHING)

    def choose(self, captions: Sequence[Caption], chance: float) -> Caption | None:
        """The caption that a number from 0 to 1 chooses, by the weights of the levels that there are.

        >>> texts = [Caption("superficial", "Melt it."), Caption("explicit", "Turn the ice into a puddle.")]
        >>> CaptionChoice({"superficial": 3, "explicit": 1}).choose(texts, 0.8).level
        'explicit'
        """
        counts: dict[str, int] = {}
        for caption in captions:
            if not self.weights or caption.level in self.weights:
                counts[caption.level] = counts.get(caption.level, 0) + 1
        if not counts:
            return None
        weights = {level: float(self.weights.get(level, 1.0)) for level in counts}
        left = chance * sum(weights.values())
        chosen = None
        for caption in captions:
            if caption.level not in counts:
                continue
            chosen = caption
            left -= weights[caption.level] / counts[caption.level]
            if left < 0:
                break
        return chosen


def chance_of(*parts: object) -> float:
    """A number from 0 to under 1 that is always the same for the same parts, in every process.

    >>> round(chance_of(0, "level", 17), 6) == round(chance_of(0, "level", 17), 6)
    True
    """
    return int(sha256("|".join(map(str, parts)).encode()).hexdigest()[:13], 16) / 16**13
