"""Failure modes of an edit whose effects are known: what happened to the object and to what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.scoring.failure import THRESHOLDS

APART = 0.5
"""The gap from which direct effects and consequences count as treated differently."""
WEAK = 0.8
"""The strength below which an edit that fits is too weak, and the fit from which it fits."""
SAME_LIGHT = 0.25
"""How far the change of light may be from what was asked, as a share of it, to be the same change elsewhere."""


@dataclass(frozen=True, slots=True)
class EffectOutcome:
    """The figures of one edit that the diagnosis reads; ``preservation`` is a curve over tolerances 0 … 10."""

    direct: float | None
    consequences: float | None
    preservation: Sequence[float]

    @property
    def done(self) -> bool:
        """Whether every kind of effect is there and the rest was kept."""
        kept = sum(self.preservation) / len(self.preservation)
        return min([kept, *self.recoveries]) >= THRESHOLDS.success

    @property
    def recoveries(self) -> list[float]:
        """Direct and consequences, as far as the case has them."""
        return [value for value in (self.direct, self.consequences) if value is not None]


def effect_failure(
    plain: EffectOutcome,
    gained: EffectOutcome,
    *,
    strength: float,
    fit: float,
    elsewhere: float,
    unchanged: bool = False,
) -> str:
    """The failure mode of one edit; ``gained`` is after the best gain. The first rule that holds decides.

    0. execution omission: the output equals the input.
    1. success: direct, consequences and preservation are all high.
    2. tone shift: they are after one gain per channel.
    3. structural catastrophe: nothing of the rest was kept, not even after the gain.
    4. execution omission: hardly any recovery, and the rest was kept.
    5. misplaced consequences: consequences are not where they belong, some of the rest changed, most of it
       did not, and the light changed in sum by what was asked (``elsewhere`` is near 1).
    6. consequences missing, consequences only: the gap is large.
    7. too weak: the edit is the right change times a factor below 1.
    8. color imprecision: what is wrong with the rest is gone at tolerance 10.
    9. structural imprecision: anything else.

    >>> half = EffectOutcome(0.5, 0.5, [1.0] * 11)
    >>> effect_failure(half, half, strength=0.5, fit=0.98, elsewhere=0.5)
    'too_weak'
    >>> cutout = EffectOutcome(1.0, 0.0, [1.0] * 11)
    >>> effect_failure(cutout, cutout, strength=0.6, fit=0.4, elsewhere=0.0)
    'consequences_missing'
    """
    if unchanged and plain.recoveries:
        return "execution_omission"
    if plain.done:
        return "success"
    if gained.done:
        return "tone_shift"
    direct, consequences, kept = plain.direct, plain.consequences, plain.preservation[-1]
    if max(kept, gained.preservation[-1]) <= THRESHOLDS.near_zero:
        return "structural_catastrophe"
    # Noise changes all pixels a little and light in sum by nothing; what was moved leaves most of the rest alone.
    moved = APART <= plain.preservation[1] < 1 and abs(elsewhere - 1) <= SAME_LIGHT
    if max(plain.recoveries, default=1.0) <= THRESHOLDS.near_zero and kept >= THRESHOLDS.kept and not moved:
        return "execution_omission"
    if consequences is not None and consequences < WEAK and moved:
        return "misplaced_consequences"
    if direct is not None and consequences is not None and abs(direct - consequences) >= APART:
        return "consequences_missing" if direct > consequences else "consequences_only"
    if fit >= WEAK > strength:
        return "too_weak"
    right = kept >= THRESHOLDS.kept and min(plain.recoveries, default=1.0) >= APART
    return "color_imprecision" if right and plain.preservation[0] < kept else "structural_imprecision"
