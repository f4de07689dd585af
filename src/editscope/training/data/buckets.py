"""Buckets: sizes that pictures are scaled to, so that those of a batch have one size."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from editscope.errors import BadInput
from editscope.images import Pixels, resize
from editscope.training.data.examples import EditExample
from editscope.training.data.settings import SizeSettings

Size: TypeAlias = tuple[int, int]
"""Width and height."""


@dataclass(frozen=True, slots=True)
class ExampleShape:
    """The size of the picture that should come out (of the first input where there is none), and how many go in."""

    size: Size
    pictures: int


@dataclass(frozen=True, slots=True, order=True)
class BucketKey:
    """What all examples of a batch have in common: the size, and how many pictures go in."""

    width: int
    height: int
    pictures: int


def bucket_of(shape: ExampleShape, settings: SizeSettings, multiple: int, name: str) -> BucketKey:
    """The bucket of a picture; BadInput if it fits in none. ``name`` says whose picture it is."""
    width, height = shape.size
    if not settings.sizes:
        size = (width // multiple * multiple, height // multiple * multiple)
        if not all(size):
            raise BadInput(f"{name} is {width}×{height}; this model needs sides of {multiple} pixels or more")
        return BucketKey(*size, shape.pictures)
    if settings.fit == "exact":
        if shape.size not in settings.sizes:
            listed = ", ".join(f"{w}×{h}" for w, h in settings.sizes)
            raise BadInput(
                f"{name} is {width}×{height}, but fit = 'exact' only accepts {listed}; write fit = 'crop' or resize it"
            )
        return BucketKey(width, height, shape.pictures)
    best = min(settings.sizes, key=lambda size: (round(cropped(shape.size, size), 6), abs(_zoom(shape.size, size))))
    scale, lost = math.exp(_zoom(shape.size, best)), cropped(shape.size, best)
    if scale > settings.enlarge + 1e-9:
        raise BadInput(
            f"{name} is {width}×{height} and would be enlarged {scale:.1f} times for the bucket {best[0]}×{best[1]}; "
            "add a smaller size, or raise enlarge"
        )
    if settings.fit == "crop" and lost > settings.most_cropped + 1e-9:
        raise BadInput(
            f"{name} is {width}×{height} and would lose {100 * lost:.0f} % in the bucket {best[0]}×{best[1]}; add a "
            "size of its proportions, or raise most_cropped"
        )
    return BucketKey(*best, shape.pictures)


def cropped(size: Size, bucket: Size) -> float:
    """The share of a picture that is outside of a bucket which it covers.

    >>> cropped((1024, 1024), (1024, 512)), cropped((512, 256), (1024, 512))
    (0.5, 0.0)
    """
    ours, theirs = size[0] / size[1], bucket[0] / bucket[1]
    return 1 - min(ours, theirs) / max(ours, theirs)


def _zoom(size: Size, bucket: Size) -> float:
    """The logarithm of the scale at which a picture covers a bucket."""
    return math.log(max(bucket[0] / size[0], bucket[1] / size[1]))


def fitted(pixels: Pixels, key: BucketKey, settings: SizeSettings) -> Pixels:
    """A picture brought to the size of its bucket.

    It is scaled until it covers the bucket, with sides rounded to whole pixels, and cropped at the center.
    """
    height, width = pixels.shape[:2]
    if (width, height) == (key.width, key.height):
        return pixels
    if settings.sizes and settings.fit == "stretch":
        return np.ascontiguousarray(resize(pixels, key.width, key.height, settings.resample))
    if settings.sizes or width < key.width or height < key.height:
        scale = max(key.width / width, key.height / height)
        covering = max(key.width, round(width * scale)), max(key.height, round(height * scale))
        pixels = resize(pixels, *covering, settings.resample)
    left, top = (pixels.shape[1] - key.width) // 2, (pixels.shape[0] - key.height) // 2
    return np.ascontiguousarray(pixels[top : top + key.height, left : left + key.width])


def fit_example(example: EditExample, key: BucketKey, settings: SizeSettings) -> EditExample:
    """An example whose pictures have the size of its bucket, those of its case included where they are in memory."""
    pictures = tuple(fitted(picture, key, settings) for picture in example.pictures)
    answer = None if example.answer is None else fitted(example.answer, key, settings)
    case = example.case
    if case is not None and all(isinstance(image, np.ndarray) for image in case.images):
        changes: dict[str, Any] = {"images": pictures}
        if isinstance(case.answer, np.ndarray):
            changes["answer"] = answer
        case = replace(case, **changes)
    return replace(example, pictures=pictures, answer=answer, case=case)
