"""Votes of places for a camera that stands or for one that moves, where corners to follow are few: edges vote, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

WINDOW = 25
"""Pixels along the surroundings of a place that are compared."""
STEP = 12
"""Pixels between places that vote."""
TEXTURED = 14.0
"""Standard deviation of detail, of 255, from which a place can vote; noise has less."""
ALIKE, BETTER = 0.6, 0.12
"""A place votes for what gives this correlation at least, and this much more than the other."""
AGAINST = 0.2
"""The camera stands where this share of the votes is for it."""
LEAST_VOTES = 6
LEAST_SPREAD = 0.1
LEAST_EXTENT = 0.6
"""What the voters of a camera span: this share of the picture, or this share of one side."""

WIDE, HARDLY = 0.25, 0.1
"""Pictures have nothing in common where more than the first share has detail and less than the second of it stayed."""


def standing_or_moving(first: Image, second: Image, motions: Sequence[Matrix], cv2: Any) -> Matrix | None:
    """The motion that more places of a picture vote for than for one that stands; None where no motion wins.

    A place votes for a motion where its surroundings correlate better with the second picture after the motion than
    without it. Places along one edge vote, too, which corners leave out. Voters in one clump off the border of the
    picture are an object that moves.
    """
    tried = [*motions, *_aligned(first, second, motions, cv2)]
    still = _likeness(first, second, cv2)
    best: tuple[int, Matrix | None] = (0, None)
    for motion in tried:
        if not 0.4 < float(np.hypot(motion[0, 0], motion[1, 0])) < 2.5:
            continue
        moved, there = _warped(first, motion, cv2)
        likeness = _likeness(moved, second, cv2)
        with_it = there & (likeness > ALIKE) & (likeness > still + BETTER)
        against = there & (still > ALIKE) & (still > likeness + BETTER)
        votes, stays = _votes(with_it), _votes(against)
        if votes < LEAST_VOTES or stays >= max(2, AGAINST * (votes + stays)) or not _camera_like(with_it, cv2):
            continue
        if votes - stays > best[0]:
            best = votes - stays, motion
    return best[1]


def nothing_alike(first: Image, second: Image, cv2: Any) -> bool:
    """Whether much of both pictures has detail, and hardly any place is as it was."""
    still = _likeness(first, second, cv2)
    textured = still > -1
    return float(textured.mean()) > WIDE and float((still[textured] > ALIKE).mean()) < HARDLY


def _likeness(first: Image, second: Image, cv2: Any) -> Floats:
    """The correlation of the surroundings of each place, -1 where one of the two has too little detail."""
    a, b = first.astype(np.float32), second.astype(np.float32)
    size = (WINDOW, WINDOW)
    mean_a, mean_b = cv2.blur(a, size), cv2.blur(b, size)
    var_a, var_b = cv2.blur(a * a, size) - mean_a**2, cv2.blur(b * b, size) - mean_b**2
    both = cv2.blur(a * b, size) - mean_a * mean_b
    likeness: Floats = both / np.sqrt(np.maximum(var_a, 1) * np.maximum(var_b, 1))
    likeness[np.maximum(var_a, var_b) < TEXTURED**2] = -1
    return likeness


def _warped(image: Image, motion: Matrix, cv2: Any) -> tuple[Image, Mask]:
    """A picture after a motion, and where its surroundings are still within the picture."""
    size = image.shape[::-1]
    moved = cv2.warpAffine(image, motion, size, borderMode=cv2.BORDER_REPLICATE)
    inside = cv2.warpAffine(np.ones_like(image), motion, size)
    there: Mask = cv2.erode(inside, np.ones((WINDOW // 2, WINDOW // 2), np.uint8)) > 0
    return moved, there


def _votes(mask: Mask) -> int:
    return int(mask[STEP // 2 :: STEP, STEP // 2 :: STEP].sum())


def _camera_like(voters: Mask, cv2: Any) -> bool:
    """Whether voters lie as those of a camera do: far apart, and not in one clump off the border."""
    grid = voters[STEP // 2 :: STEP, STEP // 2 :: STEP]
    places = np.argwhere(grid).astype(np.float32)
    height, width = grid.shape
    extent = (places.max(axis=0) - places.min(axis=0) + 1) / (height, width)
    hull = float(cv2.contourArea(cv2.convexHull(places))) / max(1, height * width)
    if hull < LEAST_SPREAD and float(extent.max()) < LEAST_EXTENT:
        return False
    near = cv2.dilate(grid.astype(np.uint8), np.ones((5, 5), np.uint8))
    clumps = int(cv2.connectedComponents(near)[0]) - 1
    edge = 3
    at_border = grid[:edge].any() or grid[-edge:].any() or grid[:, :edge].any() or grid[:, -edge:].any()
    return clumps > 1 or bool(at_border)


def _aligned(first: Image, second: Image, motions: Sequence[Matrix], cv2: Any) -> list[Matrix]:
    """Motions that maximize the correlation of both pictures, from a shift and from the motions that are known."""
    scale = min(1.0, 256 / max(first.shape))
    size = (max(1, round(first.shape[1] * scale)), max(1, round(first.shape[0] * scale)))
    a, b = (cv2.resize(one, size, interpolation=cv2.INTER_AREA).astype(np.float32) for one in (first, second))
    if min(a.shape) < 16:
        return []
    (dx, dy), _ = cv2.phaseCorrelate(a, b, cv2.createHanningWindow(a.shape[::-1], cv2.CV_32F))
    starts = [np.eye(2, 3), np.asarray([[1, 0, dx], [0, 1, dy]])]
    for motion in motions[:2]:
        scaled = motion.copy()
        scaled[:, 2] *= scale
        starts.append(scaled)
    found = []
    for start in starts:
        stops = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-3)
        try:
            _, warp = cv2.findTransformECC(a, b, start.astype(np.float32), cv2.MOTION_AFFINE, stops, None, 5)
        except cv2.error:  # it does not converge
            continue
        # ECC warps the second picture onto the first: where a place of the first lies in the second.
        motion = np.asarray(warp, np.float64)
        motion[:, 2] /= scale
        found.append(motion)
    return found
