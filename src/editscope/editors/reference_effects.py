"""Reference editors for cases with effects: each leaves out, weakens, moves or tints one part of the right edit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.cases import Effect
from editscope.images import Pixels

Effects: TypeAlias = tuple[Effect, ...]
EffectFlaw: TypeAlias = Callable[[Pixels, Pixels, Effects, float, np.random.Generator], Pixels]
"""(input, answer, effects, strength, random numbers) → the edit."""

EFFECT_FLAWS: dict[str, EffectFlaw] = {}


def effect_flaw(function: EffectFlaw) -> EffectFlaw:
    """Register a reference editor under the name of its function."""
    EFFECT_FLAWS[function.__name__] = function
    return function


@effect_flaw
def cutout(source: Pixels, answer: Pixels, effects: Effects, strength: float, rng: np.random.Generator) -> Pixels:
    """The object alone changes; all consequences stay away. Strength means nothing."""
    return np.where(_direct(effects)[..., None], answer, source)


@effect_flaw
def consequences(source: Pixels, answer: Pixels, effects: Effects, strength: float, rng: np.random.Generator) -> Pixels:
    """All consequences are there; the object stays as it was. Strength means nothing."""
    return np.where(_followed(effects)[..., None], answer, source)


@effect_flaw
def faint(source: Pixels, answer: Pixels, effects: Effects, strength: float, rng: np.random.Generator) -> Pixels:
    """The right change at 1 / (1 + strength) of its light: half of it at strength 1."""
    from editscope.scoring import linear_light, srgb_bytes

    start = linear_light(source)
    return srgb_bytes(start + (linear_light(answer) - start) / (1 + strength))


@effect_flaw
def gain(source: Pixels, answer: Pixels, effects: Effects, strength: float, rng: np.random.Generator) -> Pixels:
    """The right edit, darker and tinted: each channel divided by 1.15 to 1.5 at strength 1, in linear light."""
    from editscope.scoring import linear_light, srgb_bytes

    # Darker, because a brighter picture would be cut at white and no gain could bring that back.
    return srgb_bytes(linear_light(answer) / (1 + strength * rng.uniform(0.15, 0.5, size=3)))


@effect_flaw
def shifted_shadow(
    source: Pixels, answer: Pixels, effects: Effects, strength: float, rng: np.random.Generator
) -> Pixels:
    """The object is right, and the consequences lie beside their place, by 1/16 of the shorter side at strength 1.

    They go to the corner where most of them is to be seen: neither under the object nor out of the picture.
    """
    from editscope.scoring import linear_light, srgb_bytes

    start, followed = linear_light(source), _followed(effects)
    change = np.where(followed[..., None], linear_light(answer) - start, 0.0)
    by = max(1, round(min(source.shape[:2]) / 16 * strength))
    padded, direct = np.pad(change, ((by, by), (by, by), (0, 0))), _direct(effects)[..., None]
    height, width = source.shape[:2]
    corners = [(2 * by * down, 2 * by * right) for down in (0, 1) for right in (0, 1)]
    rng.shuffle(corners)
    seen = [np.where(direct, 0.0, padded[y : y + height, x : x + width]) for y, x in corners]
    moved = max(seen, key=lambda shown: float(np.abs(shown).sum()))
    return np.where(direct, answer, srgb_bytes(start + moved))


def _direct(effects: Effects) -> npt.NDArray[np.bool_]:
    return _union((effect for effect in effects if effect.direct), effects[0])


def _followed(effects: Effects) -> npt.NDArray[np.bool_]:
    """The pixels that consequences change and the object does not cover."""
    return _union((effect for effect in effects if not effect.direct), effects[0]) & ~_direct(effects)


def _union(effects: Iterable[Effect], like: Effect) -> npt.NDArray[np.bool_]:
    union = np.zeros_like(like.mask)
    for effect in effects:
        union |= effect.mask
    return union
