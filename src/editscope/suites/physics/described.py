"""What a description of a scene edit must say before its masks are used, and what must be true of its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from editscope.cases import Case
from editscope.images import load

MOST_SHOWN = 3


class MaskFields(BaseModel):
    """A mask as lengths of runs."""

    model_config = ConfigDict(strict=True)
    mask: list[Annotated[int, Field(ge=0)]]


class EffectFields(MaskFields):
    """One effect."""

    name: Annotated[str, Field(pattern=r"\S")]
    direct: bool


class SceneEditFields(BaseModel):
    """The fields that effects and regions are made of."""

    model_config = ConfigDict(strict=True)
    effects: Annotated[list[EffectFields], Field(min_length=1)]
    ignored: MaskFields
    box: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=4, max_length=4)]


def check_description(details: Mapping[str, Any]) -> None:
    """Raise ValueError, which names the field, unless effects and masks can be read from a description.

    >>> check_description({"effects": [], "ignored": {"mask": [4]}, "box": [0, 0, 2, 2]})
    Traceback (most recent call last):
    ValueError: field 'effects': list should have at least 1 item after validation, not 0
    """
    try:
        SceneEditFields.model_validate(details)
    except ValidationError as error:
        found = [f"field {'.'.join(map(str, one['loc']))!r}: {_lower(one['msg'])}" for one in error.errors()]
        more = f" and {len(found) - MOST_SHOWN:,} more" if len(found) > MOST_SHOWN else ""
        raise ValueError("; ".join(found[:MOST_SHOWN]) + more) from None
    pixels = sum(details["ignored"]["mask"])
    for effect in details["effects"]:
        if sum(effect["mask"]) != pixels:
            raise ValueError(f"the mask of the effect {effect['name']!r} is of another size than the ignored pixels")


def check_change(case: Case) -> None:
    """Raise ValueError unless every effect has pixels and nothing else changes but what is ignored."""
    assert case.answer is not None
    before, answer = load(case.images[0]), load(case.answer)
    if before.shape != answer.shape:
        sizes = [f"{pixels.shape[1]} × {pixels.shape[0]}" for pixels in (answer, before)]
        raise ValueError(f"the answer has {sizes[0]} pixels and the input {sizes[1]}")
    height, width = before.shape[:2]
    for region in case.regions:
        left, top, right, bottom = region.box
        if not (left < right <= width and top < bottom <= height):
            raise ValueError(f"the box {list(region.box)} is not part of a picture of {width} × {height} pixels")
    explained = np.zeros(before.shape[:2], np.bool_) if case.ignored is None else case.ignored.copy()
    for effect in case.effects:
        if not effect.mask.any():
            raise ValueError(f"the mask of the effect {effect.name!r} is empty")
        explained |= effect.mask
    elsewhere = int((np.any(before != answer, axis=2) & ~explained).sum())
    if elsewhere:
        pixels = f"{elsewhere:,} pixel{'' if elsewhere == 1 else 's'}"
        raise ValueError(f"input and answer differ in {pixels} outside all masks of effects and ignored pixels")


def _lower(message: str) -> str:
    return message[:1].lower() + message[1:]
