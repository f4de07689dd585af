"""The pixel metric of PaintBench: counts of right and wrong pixels at eleven color tolerances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import ImageLike, Layout, Pixels, cover, load
from editscope.scoring.failure import failure_mode

TOLERANCES = tuple(range(11))
"""ΔE76 from 0 (equal) to 10 (plainly different side by side)."""

ROLES = ("input", "answer", "output")
"""What messages call the three pictures."""
NOTHING_RIGHT = (0.0,) * len(TOLERANCES)


def accuracy_at(right: int, total: int) -> float:
    """The share of a region's pixels that are right; 1.0 for a region without pixels.

    >>> accuracy_at(right=30, total=40), accuracy_at(right=0, total=0)
    (0.75, 1.0)
    """
    return right / total if total else 1.0


def iou_at(hits: int, edit: int, spilled: int) -> float:
    """Jaccard index of pixel correctness: hits / (edit + spilled); 1.0 when both are empty.

    >>> iou_at(hits=50, edit=100, spilled=25)
    0.4
    >>> iou_at(hits=0, edit=0, spilled=0), iou_at(hits=0, edit=0, spilled=1)
    (1.0, 0.0)
    """
    return hits / (edit + spilled) if edit + spilled else 1.0


@dataclass(frozen=True)
class PixelScore:
    """What the pixels of one output say. Counts are the evidence; everything else follows from them.

    E is where input and answer differ, P the rest. At tolerance t = 0 … 10: ``hits`` = |E ∧ ΔE ≤ t|,
    ``spilled`` = |P ∧ ΔE > t| with ΔE between output and answer; ``changed_pixels`` = |ΔE > t| between output
    and input. ``output_size`` is (width, height) as delivered and None when there was no output, which makes every
    metric 0; ``resized`` says whether it had to be fitted.
    """

    edit_pixels: int
    preservation_pixels: int
    hits: tuple[int, ...]
    spilled: tuple[int, ...]
    changed_pixels: tuple[int, ...]
    resized: bool = False
    output_size: tuple[int, int] | None = None

    def __repr__(self) -> str:
        figures = {
            "miou": self.miou,
            "edit": _mean(self.edit_accuracy),
            "preservation": _mean(self.preservation_accuracy),
        }
        shown = ", ".join(f"{name}={value:.4g}" for name, value in figures.items())
        size = "none" if self.output_size is None else "{}×{}".format(*self.output_size)
        pixels = f"edit_pixels={self.edit_pixels}, output={size}{' resized' if self.resized else ''}"
        return f"<PixelScore {shown}, failure={self.failure}, {pixels}>"

    @cached_property
    def edit_accuracy(self) -> tuple[float, ...]:
        """|E ∧ ΔE ≤ t| / |E| for t = 0 … 10."""
        if self.output_size is None:
            return NOTHING_RIGHT
        return tuple(accuracy_at(hits, self.edit_pixels) for hits in self.hits)

    @cached_property
    def preservation_accuracy(self) -> tuple[float, ...]:
        """|P ∧ ΔE ≤ t| / |P| for t = 0 … 10."""
        if self.output_size is None:
            return NOTHING_RIGHT
        total = self.preservation_pixels
        return tuple(accuracy_at(total - spilled, total) for spilled in self.spilled)

    @cached_property
    def iou(self) -> tuple[float, ...]:
        """|E ∧ ΔE ≤ t| / (|E| + |P ∧ ΔE > t|) for t = 0 … 10."""
        if self.output_size is None:
            return NOTHING_RIGHT
        return tuple(iou_at(h, self.edit_pixels, s) for h, s in zip(self.hits, self.spilled, strict=True))

    @property
    def miou(self) -> float:
        """The mean of the eleven IoU."""
        return _mean(self.iou)

    @property
    def over_edit_ratio(self) -> float:
        """Pixels changed at ΔE 5 for each pixel that was to be changed; 1.0 is right, 0.0 is nothing.

        Without pixels to change, each changed one counts in full: the ratio is taken to one pixel.
        """
        return self.changed_pixels[5] / max(1, self.edit_pixels)

    @property
    def failure(self) -> str:
        """The failure mode, one of ``FAILURE_MODES``."""
        unchanged = self.output_size is not None and self.changed_pixels[0] == 0
        return failure_mode(self.edit_accuracy, self.preservation_accuracy, self.iou, unchanged=unchanged)

    def metrics(self) -> dict[str, float]:
        """The reported metrics as fractions 0..1 (the over-edit ratio may exceed 1)."""
        return {
            "miou": self.miou,
            "iou@0": self.iou[0],
            "iou@5": self.iou[5],
            "iou@10": self.iou[10],
            "edit_accuracy": _mean(self.edit_accuracy),
            "preservation_accuracy": _mean(self.preservation_accuracy),
            "over_edit_ratio": self.over_edit_ratio,
        }

    def to_json(self) -> dict[str, Any]:
        """The counts, as plain values for a journal line."""
        return {
            "edit_pixels": self.edit_pixels,
            "preservation_pixels": self.preservation_pixels,
            "hits": list(self.hits),
            "spilled": list(self.spilled),
            "changed_pixels": list(self.changed_pixels),
            "resized": self.resized,
            "output_size": None if self.output_size is None else list(self.output_size),
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> PixelScore:
        """The score that ``to_json`` wrote."""
        try:
            size = record["output_size"]
            return cls(
                edit_pixels=int(record["edit_pixels"]),
                preservation_pixels=int(record["preservation_pixels"]),
                hits=_eleven(record["hits"]),
                spilled=_eleven(record["spilled"]),
                changed_pixels=_eleven(record["changed_pixels"]),
                resized=bool(record["resized"]),
                output_size=None if size is None else (int(size[0]), int(size[1])),
            )
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise BadInput(f"a pixel score cannot be read ({error!r}); Editscope did not write it") from error


def score_pixels(
    input: ImageLike,  # noqa: A002
    answer: ImageLike,
    output: ImageLike,
    *,
    layout: Layout | None = None,
) -> PixelScore:
    """Score an output against input and answer; an output of another size is fitted by ``cover`` first.

    A picture is a path, the bytes of a file, a PIL image, an array or a tensor: uint8, or floats of 0 to 1.
    ``layout`` says whether arrays have their channels last (``"hwc"``) or first (``"chw"``), where their shape does
    not.

    >>> before = np.zeros((2, 2, 3), np.uint8)
    >>> after = before.copy(); after[0] = 255
    >>> score_pixels(before, after, output=after).miou
    1.0
    >>> half = before.copy(); half[0, 0] = 255
    >>> score_pixels(before, after, output=half).metrics()["miou"]
    0.5
    """
    return grade_pixels(input, answer, output, layout=layout)[0]


def grade_pixels(
    input: ImageLike,  # noqa: A002
    answer: ImageLike,
    output: ImageLike,
    with_levels: bool = False,
    layout: Layout | None = None,
) -> tuple[PixelScore, npt.NDArray[np.uint8], Pixels]:
    """The score, the level of every pixel (see ``_kernels.grade``; empty unless asked for), and the answer."""
    before, wanted, got = (load_role(p, role, layout) for p, role in zip((input, answer, output), ROLES, strict=True))
    return grade_loaded(before, wanted, got, with_levels)


def grade_loaded(
    before: Pixels, wanted: Pixels, got: Pixels, with_levels: bool = False
) -> tuple[PixelScore, npt.NDArray[np.uint8], Pixels]:
    """What ``grade_pixels`` gives, of pictures that are decoded already."""
    levels = np.empty(wanted.shape[:2] if with_levels else (0, 0), np.uint8)
    return _graded(before, wanted, got, levels, np.empty(0, np.int64)), levels, wanted


def grade_case(before: Pixels, wanted: Pixels, got: Pixels) -> tuple[PixelScore, npt.NDArray[np.uint8], float]:
    """All that a run keeps of one edit, in one pass: the score, the level of every pixel, and ``floor_miou``."""
    levels, edits = np.empty(wanted.shape[:2], np.uint8), np.zeros(len(TOLERANCES) + 1, np.int64)
    score = _graded(before, wanted, got, levels, edits)
    return score, levels, _floor(edits)


def _graded(
    before: Pixels, wanted: Pixels, got: Pixels, levels: npt.NDArray[np.uint8], edits: npt.NDArray[np.int64]
) -> PixelScore:
    from editscope.scoring._kernels import grade

    _check_pair(before, wanted)
    height, width = wanted.shape[:2]
    fitted = cover(got, width, height)
    counts = grade(flat(before), flat(wanted), flat(fitted), levels.reshape(-1), edits)
    return _from_counts(counts, resized=fitted is not got, output_size=(got.shape[1], got.shape[0]))


def missing_score(input: ImageLike, answer: ImageLike) -> PixelScore:  # noqa: A002
    """The score of no output: every metric is 0. That there was none is for the caller to say."""
    before, wanted = _pair(input, answer)
    edit = int((before != wanted).any(axis=2).sum())
    rest = before.shape[0] * before.shape[1] - edit
    none, all_of_it = (0,) * 11, (rest,) * 11
    return PixelScore(edit, rest, hits=none, spilled=all_of_it, changed_pixels=none)


def floor_miou(input: ImageLike, answer: ImageLike) -> float:  # noqa: A002
    """The mIoU of an editor that changes nothing: the mean over t of |E ∧ ΔE(input, answer) ≤ t| / |E|.

    >>> before = np.full((1, 2, 3), 100, np.uint8)
    >>> after = before.copy(); after[0, 1] += 10   # ΔE 4.06: too far for t = 0 … 4, near enough for 5 … 10
    >>> round(floor_miou(before, after), 4) == round(6 / 11, 4)
    True
    """
    from editscope.scoring._kernels import edit_distances

    before, wanted = _pair(input, answer)
    return _floor(edit_distances(flat(before), flat(wanted)))


def _floor(counts: npt.NDArray[np.int64]) -> float:
    hits, total = counts.cumsum().tolist(), int(counts.sum())
    return _mean([accuracy_at(hits[t], total) for t in TOLERANCES])


def load_role(picture: ImageLike, role: str, layout: Layout | None = None) -> Pixels:
    """The pixels of a picture; messages call it by its path, or by its role where it has none."""
    named = isinstance(picture, str) or hasattr(picture, "__fspath__") or bool(getattr(picture, "filename", ""))
    return load(picture, name=None if named else f"the {role}", layout=layout)


def _pair(before: ImageLike, answer: ImageLike) -> tuple[Pixels, Pixels]:
    first, second = load_role(before, "input"), load_role(answer, "answer")
    _check_pair(first, second)
    return first, second


def _check_pair(first: Pixels, second: Pixels) -> None:
    if first.shape != second.shape:
        raise BadInput(
            f"the answer is {second.shape[1]}×{second.shape[0]} but the input is {first.shape[1]}×{first.shape[0]}; "
            "an answer must have the size of its input"
        )


def flat(pixels: Pixels) -> npt.NDArray[np.uint8]:
    """The picture as one run of bytes, in the layout that compiled code takes."""
    if not (pixels.flags.c_contiguous and pixels.flags.writeable):
        pixels = np.array(pixels, order="C")
    return pixels.reshape(-1)


def _from_counts(counts: npt.NDArray[np.int64], *, resized: bool, output_size: tuple[int, int] | None) -> PixelScore:
    edit, rest, changed = counts
    within = counts.cumsum(axis=1)[:, :11]
    return PixelScore(
        edit_pixels=int(edit.sum()),
        preservation_pixels=int(rest.sum()),
        hits=tuple(within[0].tolist()),
        spilled=tuple((rest.sum() - within[1]).tolist()),
        changed_pixels=tuple((changed.sum() - within[2]).tolist()),
        resized=resized,
        output_size=output_size,
    )


def _eleven(values: Sequence[Any]) -> tuple[int, ...]:
    if len(values) != len(TOLERANCES):
        raise ValueError(f"{len(values)} values where {len(TOLERANCES)} belong")
    return tuple(int(value) for value in values)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
