"""Failure modes of an edit whose effects are known: what happened to the object and to what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.scoring.failure import THRESHOLDS

APART = 0.5
"""The gap from which direct effects and consequences count as treated differently."""
WEAK = 0.8
"""The strength below which an edit that fits is too weak, and the fit from which it fits."""
SAME_LIGHT = 0.5
"""The share of the light that should come and go from which on it did, wherever that was."""
LEAST_REST = 0.1
"""The share of the picture outside all masks below which it says nothing that the rest was kept."""
BESIDE = 0.02
"""The share of a change that lies outside all masks from which on it is beside its place, and not within it."""


@dataclass(frozen=True, slots=True)
class EffectOutcome:
    """What became of the effects and of the rest; ``preservation`` is a curve over tolerances 0 … 10."""

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


@dataclass(frozen=True, slots=True)
class EffectChange:
    """The change that an edit made, against the one that was asked for.

    ``strength`` is the share of it that fits the edit best, ``fit`` how much of the edit that explains; ``direct`` and
    ``consequences`` are the strengths of these effects alone. Noise lowers the recovery of faint effects, and leaves
    their strength. ``same_light`` is how much of the light that should come and go outside the direct effects did,
    wherever; ``beside`` is the share of the change there that lies outside all masks. ``edited`` is the share of
    pixels of the edit that are right at tolerance 10. ``made`` is how much changed within the masks, as a share of what
    should change there, and ``rest`` the share of the picture outside all masks.
    """

    strength: float
    fit: float
    direct: float | None = None
    consequences: float | None = None
    same_light: float = 0.0
    beside: float = 0.0
    edited: float = 0.0
    made: float = 0.0
    rest: float = 1.0

    @property
    def strengths(self) -> list[float]:
        """Of direct effects and consequences, as far as the case has them."""
        return [value for value in (self.direct, self.consequences) if value is not None]


def effect_failure(
    plain: EffectOutcome, gained: EffectOutcome, change: EffectChange, *, unchanged: bool = False
) -> str:
    """The failure mode of one edit; ``gained`` is after the best gain. The first rule that holds decides.

    0. execution omission: the output equals the input.
    1. success: direct, consequences and preservation are all high.
    2. tone shift: they are after one gain per channel.
    3. structural catastrophe: nothing of the rest was kept, not even after the gain.
    4. execution omission: hardly any recovery, and the rest was kept; where hardly anything is left to be kept, what
       should change must also have stayed about as it was.
    5. misplaced consequences: consequences are not where they belong, some of their change lies outside all masks,
       most of the rest was kept, and the light that came and the light that went are about what was asked.
    6. consequences missing, consequences only: the gap is large, and what lags behind is too weak.
    7. too weak: the edit is the right change times a factor below 1.
    8. color imprecision: what is wrong is gone at tolerance 10.
    9. structural imprecision: anything else.

    >>> half = EffectOutcome(0.5, 0.5, [1.0] * 11)
    >>> effect_failure(half, half, EffectChange(strength=0.5, fit=0.98, direct=0.5, consequences=0.5))
    'too_weak'
    >>> cutout = EffectOutcome(1.0, 0.0, [1.0] * 11)
    >>> effect_failure(cutout, cutout, EffectChange(strength=0.6, fit=0.4, direct=1.0, consequences=0.0))
    'consequences_missing'
    """
    if unchanged and plain.recoveries:
        return "execution_omission"
    if plain.done:
        return "success"
    if gained.done:
        return "tone_shift"
    kept = plain.preservation[-1]
    if max(kept, gained.preservation[-1]) <= THRESHOLDS.near_zero:
        return "structural_catastrophe"
    moved = change.beside >= BESIDE and change.same_light >= SAME_LIGHT and plain.preservation[5] >= APART
    nothing = max(plain.recoveries, default=1.0) <= THRESHOLDS.near_zero and max(change.strengths, default=1.0) < APART
    idle = change.rest >= LEAST_REST or change.made < APART
    if nothing and kept >= THRESHOLDS.kept and idle and not moved:
        return "execution_omission"
    if plain.consequences is not None and max(plain.consequences, change.consequences or 0.0) < WEAK and moved:
        return "misplaced_consequences"
    return _treated_differently(plain, change) or _imprecision(plain, change)


def _treated_differently(plain: EffectOutcome, change: EffectChange) -> str:
    """Which of object and consequences is there without the other; "" where the edit treats them alike."""
    direct, consequences = plain.direct, plain.consequences
    if direct is None or consequences is None or abs(direct - consequences) < APART:
        return ""
    if direct > consequences:
        return "consequences_missing" if (change.consequences or 0.0) < WEAK else ""
    return "consequences_only" if (change.direct or 0.0) < WEAK else ""


def _imprecision(plain: EffectOutcome, change: EffectChange) -> str:
    """What an edit is that treats object and consequences alike, and neither is right."""
    if change.fit >= WEAK > change.strength:
        return "too_weak"
    kept = plain.preservation[-1]
    there = min(plain.recoveries, default=1.0) >= APART
    close = change.edited >= THRESHOLDS.kept
    hidden = close and min(change.strengths, default=1.0) >= WEAK
    right = kept >= THRESHOLDS.kept and (there or hidden)
    return "color_imprecision" if right and (close or plain.preservation[0] < kept) else "structural_imprecision"
