"""Reference editors: one that does nothing, one that is right, and nine that each fail in one known way.

All but ``identity`` start from the answer, so only their own flaw separates them from a perfect score. Those for cases
with effects are in ``reference_effects``. ``ref:NAME?strength=S`` makes the flaw stronger or weaker; 1 is the default,
and each docstring says of what.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from editscope.editors.base import Editor, Request
from editscope.editors.reference_effects import EFFECT_FLAWS
from editscope.errors import BadInput, unknown
from editscope.images import Pixels

Flaw: TypeAlias = Callable[[Pixels, Pixels, float, np.random.Generator], Pixels]
"""(input, answer, strength, random numbers) → the edit."""

FLAWS: dict[str, Flaw] = {}

STRONGEST = 10.0

OPTIONS: Mapping[str, str] = {"strength": f"a number above 0, at most {STRONGEST:g}; 1 is the default"}


def flaw(function: Flaw) -> Flaw:
    """Register a reference editor under the name of its function."""
    FLAWS[function.__name__] = function
    return function


def load(target: str, *, strength: Any = 1.0) -> Editor:
    """The editor for ``ref:NAME?strength=S``."""
    if target not in FLAWS and target not in EFFECT_FLAWS:
        raise unknown("reference editor", target, (*FLAWS, *EFFECT_FLAWS))
    if isinstance(strength, bool) or not isinstance(strength, int | float) or not 0 < strength <= STRONGEST:
        raise BadInput(f"strength of ref:{target} must be a number above 0 and at most {STRONGEST:g}, not {strength!r}")
    return ReferenceEditor(target, float(strength))


def names() -> dict[str, str]:
    """The reference editors, each with the first sentence about it."""
    functions = {**FLAWS, **EFFECT_FLAWS}
    sentences = {name: " ".join((function.__doc__ or "").split()) for name, function in functions.items()}
    return {name: re.split(r"(?<=\.) ", sentence)[0] for name, sentence in sentences.items()}


class ReferenceEditor(Editor):
    """Applies one flaw to the answer."""

    workers = None
    needs_answer = True

    def __init__(self, flaw_name: str, strength: float = 1.0) -> None:
        self.flaw_name = flaw_name
        self.strength = strength
        self.name = flaw_name if strength == 1 else f"{flaw_name}-{strength:g}"

    def edit(self, case: Request) -> Pixels:
        """The answer with the flaw."""
        if self.flaw_name == "identity":
            return case.arrays[0]  # also where nobody knows the answer
        if case.answer is None:
            raise BadInput(f"case {case.case_id} has no answer, which ref:{self.flaw_name} needs")
        rng = np.random.default_rng(case.seed)
        if self.flaw_name in EFFECT_FLAWS:
            if not case.effects:
                raise BadInput(f"case {case.case_id} names no effects, which ref:{self.flaw_name} needs")
            return EFFECT_FLAWS[self.flaw_name](case.arrays[0], case.answer, case.effects, self.strength, rng)
        return FLAWS[self.flaw_name](case.arrays[0], case.answer, self.strength, rng)


@flaw
def identity(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """The input, unchanged. Strength means nothing."""
    return source


@flaw
def oracle(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """The answer, exactly. Strength means nothing."""
    return answer


@flaw
def drift(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """Every color a little off: paler, each channel by another amount. Strength 1 is a ΔE of about 3, at most 10."""
    reach = np.rint(rng.uniform(4.0, 8.0, size=3) * strength).clip(1, 127)
    levels = np.arange(256)
    # Away from the nearer end of the range, so that no color is clipped back to the right one.
    tables = np.where(levels < 128, levels + reach[:, None], levels - reach[:, None]).astype(np.uint8)
    return np.stack([tables[channel][answer[..., channel]] for channel in range(3)], axis=-1)


@flaw
def jpeg(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """Saved as JPEG with halved chroma. Strength 1 is quality 75; the quality is divided by the strength."""
    from PIL import Image

    quality = round(min(100.0, max(1.0, 75 / strength)))
    buffer = io.BytesIO()
    Image.fromarray(answer).save(buffer, "JPEG", quality=quality, subsampling="4:2:0")
    return np.asarray(Image.open(buffer).convert("RGB"))


@flaw
def noise(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """Every channel of every pixel off by ±1…±k, k = 3 at strength 1, folded back at 0 and 255."""
    most = max(1, round(3 * strength))
    offsets = np.array([*range(-most, 0), *range(1, most + 1)], np.int16)  # no 0: no pixel is right by luck
    noisy = offsets[rng.integers(0, len(offsets), answer.shape, dtype=np.uint8)]
    noisy += answer
    np.abs(noisy, out=noisy)
    np.minimum(noisy, 510 - noisy, out=noisy)
    return noisy.astype(np.uint8)


@flaw
def shift(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """Moved diagonally, the border repeated. Strength 1 is 8 pixels on each axis."""
    height, width = answer.shape[:2]
    by = max(1, round(8 * strength))
    top, left = (int(side) * 2 * by for side in rng.integers(0, 2, size=2))
    padded = np.pad(answer, ((by, by), (by, by), (0, 0)), mode="edge")
    return np.ascontiguousarray(padded[top : top + height, left : left + width])


@flaw
def half(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """The edit done on one side only. At strength 1 half of the changed pixels are left as in the input."""
    changed = np.any(source != answer, axis=-1)
    axis = int(rng.integers(2))
    from_far_side = bool(rng.integers(2))
    along = np.cumsum(np.count_nonzero(changed, axis=1 - axis))
    left_out = min(1.0, 0.5 * strength)
    cut = int(np.searchsorted(along, along[-1] * (1 - left_out if from_far_side else left_out)))
    undone = slice(cut, None) if from_far_side else slice(None, cut)
    edit = answer.copy()
    where = (undone, slice(None)) if axis == 0 else (slice(None), undone)
    edit[where] = source[where]
    return edit


@flaw
def blur(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """Out of focus. Strength 1 is a Gaussian blur with a radius of 0.75 % of the shorter side."""
    from PIL import Image, ImageFilter

    radius = 0.0075 * min(answer.shape[:2]) * strength
    return np.asarray(Image.fromarray(answer).filter(ImageFilter.GaussianBlur(radius)))


@flaw
def unrelated(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """Another picture of the same size: soft clouds of random color. Strength is how fine they are."""
    from PIL import Image

    height, width = answer.shape[:2]
    cells = max(2, round(12 * strength))
    clouds = rng.integers(0, 256, (cells, cells, 3), dtype=np.uint8)
    return np.asarray(Image.fromarray(clouds).resize((width, height), Image.Resampling.BICUBIC))


@flaw
def resized(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """The right picture in another size. At strength 1 the sides are 5/4 of the answer's; nothing is lost."""
    from PIL import Image

    height, width = answer.shape[:2]
    scale = 1 + strength / 4
    size = (round(width * scale), round(height * scale))
    return np.asarray(Image.fromarray(answer).resize(size, Image.Resampling.NEAREST))


@flaw
def cropped(source: Pixels, answer: Pixels, strength: float, rng: np.random.Generator) -> Pixels:
    """The right size, but a part: the middle, enlarged. At strength 1 a tenth of each side is lost."""
    from PIL import Image

    height, width = answer.shape[:2]
    keep = 1 / (1 + strength / 9)
    inner_w, inner_h = max(1, round(width * keep)), max(1, round(height * keep))
    left, top = (width - inner_w) // 2, (height - inner_h) // 2
    middle = Image.fromarray(answer[top : top + inner_h, left : left + inner_w])
    return np.asarray(middle.resize((width, height), Image.Resampling.NEAREST))
