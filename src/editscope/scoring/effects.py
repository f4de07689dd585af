"""Recovery of effects in linear light: how far an edit went toward the answer in each region that should change.

I, A and O are input, answer and output; ‖·‖ is the Euclidean norm of a pixel's linear red, green and blue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from math import fsum
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.cases import Effect
from editscope.errors import BadInput
from editscope.images import Pixels, cover
from editscope.scoring.effect_change import Mask, distance, moved_light, strength_of
from editscope.scoring.effect_failure import EffectChange, EffectOutcome, effect_failure
from editscope.scoring.gain import MOST_GAIN, NO_GAIN, Gain, best_gain, with_gain
from editscope.scoring.pixels import TOLERANCES, PixelScore, grade_loaded, missing_score

Levels: TypeAlias = npt.NDArray[np.uint8]

LEVEL, IN_EDIT = np.uint8(15), np.uint8(16)
"""The bits of a level, as ``_kernels.grade`` writes them."""


def recovery(before: Pixels, answer: Pixels, output: Pixels, mask: Mask) -> float | None:
    """How far the output moved from input to answer: 1 − Σ‖O − A‖ / Σ‖I − A‖ over the mask, cut to 0 … 1.

    The input has exactly 0, the answer exactly 1. None where input and answer agree on the whole mask: there is
    nothing to recover.

    >>> before, answer = np.zeros((1, 4, 3), np.uint8), np.full((1, 4, 3), 255, np.uint8)
    >>> output = before.copy(); output[0, 0] = 255
    >>> round(recovery(before, answer, output, np.ones((1, 4), bool)), 4)
    0.25
    >>> recovery(before, before, output, np.ones((1, 4), bool)) is None
    True
    """
    inside = answer[mask]
    whole = distance(before[mask], inside)
    return max(0.0, 1.0 - distance(output[mask], inside) / whole) if whole else None


def consequence_gap(direct: float | None, consequences: float | None) -> float | None:
    """direct − consequences; None where either is missing.

    >>> consequence_gap(1.0, 0.25), consequence_gap(None, 0.25)
    (0.75, None)
    """
    return None if direct is None or consequences is None else direct - consequences


@dataclass(frozen=True, slots=True)
class EffectRecovery:
    """What became of one effect: its recovery, the same after the best gain, and the strength of its change."""

    name: str
    direct: bool
    pixels: int
    recovery: float
    gain_recovery: float
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class EffectScore:
    """The score of an edit whose effects are known.

    ``pixels`` counts as for any edit, with all masks as the edit region and without the ignored pixels. ``strength``
    is the share of the asked change that fits the edit best, and ``fit`` how much of the edit that share explains.
    ``same_light`` is how much of the light that should come and go outside the direct effects did so, and ``beside``
    the share of the change there that lies outside all masks. ``made`` is how much changed within the masks, as a share
    of what should change there.
    """

    pixels: PixelScore
    effects: tuple[EffectRecovery, ...]
    ignored_pixels: int = 0
    gain: Gain = NO_GAIN
    gain_preservation: tuple[float, ...] = (0.0,) * len(TOLERANCES)
    strength: float = 0.0
    fit: float = 0.0
    same_light: float = 0.0
    beside: float = 0.0
    made: float = 0.0

    @property
    def direct(self) -> float | None:
        """The mean recovery of direct effects; None without any."""
        return _mean(effect.recovery for effect in self.effects if effect.direct)

    @property
    def consequences(self) -> float | None:
        """The mean recovery of all other effects; None without any."""
        return _mean(effect.recovery for effect in self.effects if not effect.direct)

    @property
    def gap(self) -> float | None:
        """direct − consequences: 1 where the object changed and nothing followed."""
        return consequence_gap(self.direct, self.consequences)

    @property
    def ignored_share(self) -> float:
        """The share of all pixels that are left out of scoring."""
        scored = self.pixels.edit_pixels + self.pixels.preservation_pixels
        return self.ignored_pixels / max(1, scored + self.ignored_pixels)

    @property
    def change(self) -> EffectChange:
        """The change that was made, against the one that was asked for."""
        return EffectChange(
            self.strength,
            self.fit,
            direct=_mean(min(1.0, effect.strength) for effect in self.effects if effect.direct),
            consequences=_mean(min(1.0, effect.strength) for effect in self.effects if not effect.direct),
            same_light=self.same_light,
            beside=self.beside,
            edited=self.pixels.edit_accuracy[-1],
            made=self.made,
            rest=self.pixels.preservation_pixels / max(1, self.pixels.edit_pixels + self.pixels.preservation_pixels),
        )

    @property
    def failure(self) -> str:
        """The failure mode; see ``effect_failure``."""
        gained = self._gained()
        return effect_failure(
            EffectOutcome(self.direct, self.consequences, self.pixels.preservation_accuracy),
            EffectOutcome(gained["direct"], gained["consequences"], self.gain_preservation),
            self.change,
            unchanged=self.pixels.output_size is not None and self.pixels.changed_pixels[0] == 0,
        )

    def metrics(self) -> dict[str, float | None]:
        """The reported metrics as fractions; the gap is −1 … 1. ``gain_…`` is after the best gain.

        ``recovery:NAME`` is the recovery of an effect; effects of one name are averaged.
        """
        names = dict.fromkeys(effect.name for effect in sorted(self.effects, key=lambda e: (not e.direct, e.name)))
        return {
            "consequences": self.consequences,
            "direct": self.direct,
            "gap": self.gap,
            **{f"gain_{name}": value for name, value in self._gained().items()},
            "ignored_share": self.ignored_share,
            **{f"recovery:{name}": _mean(e.recovery for e in self.effects if e.name == name) for name in names},
            **self.pixels.metrics(),
        }

    def _gained(self) -> dict[str, float | None]:
        direct = _mean(effect.gain_recovery for effect in self.effects if effect.direct)
        consequences = _mean(effect.gain_recovery for effect in self.effects if not effect.direct)
        return {
            "consequences": consequences,
            "direct": direct,
            "gap": consequence_gap(direct, consequences),
            "preservation": _mean(self.gain_preservation),
        }

    def to_json(self) -> dict[str, Any]:
        """The evidence, as plain values for a journal line: that of ``PixelScore``, and the effects."""
        return {
            **self.pixels.to_json(),
            "effects": [
                {
                    "name": effect.name,
                    "direct": effect.direct,
                    "pixels": effect.pixels,
                    "recovery": effect.recovery,
                    "gain_recovery": effect.gain_recovery,
                    "strength": effect.strength,
                }
                for effect in self.effects
            ],
            "ignored_pixels": self.ignored_pixels,
            "gain": list(self.gain),
            "gain_preservation": list(self.gain_preservation),
            "strength": self.strength,
            "fit": self.fit,
            "same_light": self.same_light,
            "beside": self.beside,
            "made": self.made,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> EffectScore:
        """The score that ``to_json`` wrote."""
        try:
            red, green, blue = map(float, record["gain"])
            return cls(
                pixels=PixelScore.from_json(record),
                effects=tuple(EffectRecovery(**effect) for effect in record["effects"]),
                ignored_pixels=int(record["ignored_pixels"]),
                gain=(red, green, blue),
                gain_preservation=tuple(map(float, record["gain_preservation"])),
                strength=float(record["strength"]),
                fit=float(record["fit"]),
                same_light=float(record["same_light"]),
                beside=float(record["beside"]),
                made=float(record["made"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"a score of effects cannot be read ({error!r}); Editscope did not write it") from error


def score_effects(
    before: Pixels, answer: Pixels, output: Pixels, effects: Sequence[Effect], ignored: Mask | None = None
) -> EffectScore:
    """Score an output by the effects of its edit; one of another size is fitted by ``cover`` first.

    >>> before = np.full((2, 4, 3), 100, np.uint8)
    >>> answer = before.copy(); answer[0, :2] = 200
    >>> masks = np.zeros((2, 2, 4), bool); masks[0, 0, 0] = masks[1, 0, 1] = True
    >>> effects = [Effect("object", masks[0], direct=True), Effect("shadow", masks[1])]
    >>> cutout = np.where(masks[0][..., None], answer, before)
    >>> score = score_effects(before, answer, cutout, effects)
    >>> score.direct, score.consequences, score.gap, score.failure
    (1.0, 0.0, 1.0, 'consequences_missing')
    """
    return grade_effects(before, answer, output, effects, ignored)[0]


def grade_effects(
    before: Pixels, answer: Pixels, output: Pixels, effects: Sequence[Effect], ignored: Mask | None = None
) -> tuple[EffectScore, Levels]:
    """The score, and the level of every pixel as ``grade_case`` gives it, with the masks as the edit region."""
    scored, union = _regions(answer, effects, ignored)
    fitted = cover(output, answer.shape[1], answer.shape[0])
    pixels, levels = _graded(before, answer, fitted, union, scored)
    pixels = replace(pixels, resized=fitted is not output, output_size=(output.shape[1], output.shape[0]))
    gain, gained, preserved = _gained(before, answer, fitted, pixels, union, scored)
    strength, fit = strength_of(before, answer, fitted, union)
    same_light, beside = moved_light(before, answer, fitted, effects, scored)
    asked = distance(before[union], answer[union])
    score = EffectScore(
        pixels,
        _recoveries(before, answer, fitted, gained, effects, scored),
        ignored_pixels=int((~scored).sum()),
        gain=gain,
        gain_preservation=preserved,
        strength=strength,
        fit=fit,
        same_light=same_light,
        beside=beside,
        made=distance(before[union], fitted[union]) / asked if asked else 0.0,
    )
    return score, levels


def missing_effects(
    before: Pixels, answer: Pixels, effects: Sequence[Effect], ignored: Mask | None = None
) -> EffectScore:
    """The score of no output: every recovery and the preservation are 0."""
    scored, union = _regions(answer, effects, ignored)
    edit, rest = int(union.sum()), int((scored & ~union).sum())
    pixels = replace(
        missing_score(before, answer), edit_pixels=edit, preservation_pixels=rest, spilled=(rest,) * len(TOLERANCES)
    )
    known = _recoveries(before, answer, before, before, effects, scored)
    return EffectScore(pixels, known, ignored_pixels=int((~scored).sum()))


def effects_floor(before: Pixels, answer: Pixels, effects: Sequence[Effect], ignored: Mask | None = None) -> float:
    """The mIoU of an editor that changes nothing, with the masks as the edit region."""
    scored, union = _regions(answer, effects, ignored)
    return _graded(before, answer, before, union, scored)[0].miou


def _regions(answer: Pixels, effects: Sequence[Effect], ignored: Mask | None) -> tuple[Mask, Mask]:
    """The pixels that are scored, and those of them that any effect changes."""
    shape = answer.shape[:2]
    masks = {f"the mask of effect {effect.name!r}": effect.mask for effect in effects}
    for what, mask in (masks | ({} if ignored is None else {"the mask of ignored pixels": ignored})).items():
        if mask.shape != shape or mask.dtype != np.bool_:
            raise BadInput(
                f"{what} is {mask.dtype} of {' × '.join(map(str, mask.shape))}; it must be bool of "
                f"{shape[0]} × {shape[1]}, the height and width of the answer"
            )
    scored = np.ones(shape, np.bool_) if ignored is None else ~ignored
    union = np.zeros(shape, np.bool_)
    for effect in effects:
        union |= effect.mask
    return scored, union & scored


def _graded(before: Pixels, answer: Pixels, output: Pixels, union: Mask, scored: Mask) -> tuple[PixelScore, Levels]:
    """The counts with ``union`` as the edit region; pixels that are not scored are in no region and never wrong."""
    if not scored.all():
        kept = scored[..., None]
        before, output = np.where(kept, before, answer), np.where(kept, output, answer)
    whole, levels, _ = grade_loaded(before, answer, output, with_levels=True)
    levels &= LEVEL
    inside, outside = levels[union], levels[scored & ~union]
    spilled = _counts(outside)
    score = replace(
        whole,
        edit_pixels=inside.size,
        preservation_pixels=outside.size,
        hits=tuple(_counts(inside).tolist()),
        spilled=tuple((outside.size - spilled).tolist()),
    )
    levels[union] |= IN_EDIT
    return score, levels


def _gained(
    before: Pixels, answer: Pixels, output: Pixels, plain: PixelScore, union: Mask, scored: Mask
) -> tuple[Gain, Pixels, tuple[float, ...]]:
    """The best gain, the output with it, and the preservation then.

    The gain is fitted where nothing should change. It is 1 where it would make preservation worse: then the rest
    differs by more than a tone, such as a shadow beside its place, and a fit to that says nothing of the tone. It is
    also 1 where it is too large to be a tone: a blank picture would become a mean gray.
    """
    gain = best_gain(answer, output, scored & ~union & (before == answer).all(axis=2))
    if not all(1 / MOST_GAIN <= factor <= MOST_GAIN for factor in gain):
        return NO_GAIN, output, plain.preservation_accuracy
    gained = with_gain(output, gain)
    if gained is not output:
        preserved = _graded(before, answer, gained, union, scored)[0].preservation_accuracy
        if sum(preserved) > sum(plain.preservation_accuracy):
            return gain, gained, preserved
    return NO_GAIN, output, plain.preservation_accuracy


def _counts(levels: Levels) -> npt.NDArray[np.int64]:
    """How many pixels are right at each tolerance."""
    return np.bincount(levels, minlength=len(TOLERANCES) + 1).cumsum()[: len(TOLERANCES)]


def _recoveries(
    before: Pixels, answer: Pixels, output: Pixels, gained: Pixels, effects: Sequence[Effect], scored: Mask
) -> tuple[EffectRecovery, ...]:
    """Each effect that changes a scored pixel, in the order of their names and then of all they say."""
    recoveries = []
    for effect in effects:
        mask = effect.mask & scored
        plain = recovery(before, answer, output, mask)
        if plain is not None:
            after = plain if gained is output else recovery(before, answer, gained, mask) or 0.0
            strength, _ = strength_of(before, answer, output, mask)
            recoveries.append(EffectRecovery(effect.name, effect.direct, int(mask.sum()), plain, after, strength))
    return tuple(sorted(recoveries, key=astuple))


def _mean(values: Iterable[float]) -> float | None:
    """The mean, summed exactly, so that no order of effects changes a bit of it."""
    known = list(values)
    return fsum(known) / len(known) if known else None
