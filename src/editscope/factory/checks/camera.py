"""Camera motion between two pictures: a shift, zoom and turn that the whole picture makes, not an object in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from editscope.factory.checks.alignment import nothing_alike, standing_or_moving
from editscope.factory.checks.change import measured
from editscope.factory.extra import factory_package
from editscope.images import Pixels

Points = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float64]

SIDE = 512
CELLS = 16
"""Cells along the longer side. Points come evenly from cells, so that one rich object does not outvote the rest."""
PER_CELL = 3
NEAR = 1.5
"""Pixels of the measured picture within which a point follows a motion."""
LEAST_CELLS = 5
"""Fewer cells with something to follow tell nothing about the camera."""
STILL_SHARE = 0.3
"""The camera stands where this share of the cells that can tell stayed in place."""
TRUSTED_SHARE = 0.5
"""Where fewer of the cells agree, every way of following is tried, and the one with the most cells is believed."""
SLIGHT = 0.5
"""Percent of the longer side below which a camera stands."""
LEAST_SPREAD = 0.12
"""The share of the picture that the cells of a motion must span; an object alone spans less, or leaves still cells."""


@dataclass(frozen=True, slots=True)
class CameraMotion:
    """How the camera moved between two pictures.

    ``shift_px`` is the mean distance that places of the picture moved, in pixels of the picture as it came.
    ``share`` is the same in percent of the longer side. ``matched`` is False where the pictures have detail but none
    in common, so that nothing can be said.
    """

    shift_px: float = 0.0
    share: float = 0.0
    zoom: float = 1.0
    rotation_deg: float = 0.0
    matched: bool = True


STILL = CameraMotion()


def camera_motion(before: Pixels, after: Pixels) -> CameraMotion:
    """The motion of the camera between two pictures of one size.

    Corners spread over the picture are followed with optical flow, there and back; where few agree, features are
    matched and phases correlated, and the motion of the most cells counts. RANSAC fits a similarity q = s·R·p + t.
    Cells that it would move and that stayed in place speak for a camera that stands: an object moved. Where corners
    are too few or too close to each other, or ways of following disagree, all places with an edge vote for a motion or
    for none. The shift is the mean of |s·R·p + t - p| over a grid of places p.

    >>> rng = np.random.default_rng(0)
    >>> wide = np.repeat(np.repeat(rng.integers(0, 255, (40, 50, 3), dtype=np.uint8), 8, 0), 8, 1)
    >>> round(camera_motion(wide[:256, :256], wide[:256, 12:268]).shift_px)
    12
    >>> camera_motion(wide, wide).shift_px
    0.0
    """
    cv2 = factory_package("cv2", "measuring camera motion")
    first, second = (_detail(measured(one, SIDE), cv2) for one in (before, after))
    height, width = first.shape
    scale = max(before.shape[:2]) / max(height, width)
    starts = _corners(first, cv2)
    enough = TRUSTED_SHARE * len(_cells(starts, (height, width)))
    best, most = CameraMotion(matched=False), 0
    fitted: list[Matrix] = []
    stands = False
    unsure = len(_cells(starts, (height, width))) < LEAST_CELLS
    for follow in (_flow, _features, _correlation):
        p, q = follow(first, second, starts, cv2) if len(starts) else (starts, starts)
        said = _judged(p, q, (height, width), scale, cv2)
        unsure = unsure or said.unsure
        fitted += [] if said.matrix is None else [said.matrix]
        stands = stands or (said.cells >= LEAST_CELLS and said.motion.share < SLIGHT)
        if said.cells > most:
            best, most = said.motion, said.cells
        if most >= max(LEAST_CELLS, enough):
            break
    disagree = stands and best.share >= SLIGHT
    if not disagree and (most >= LEAST_CELLS or (most and not unsure)):
        return best
    moved = standing_or_moving(first, second, fitted, cv2)
    if moved is None and not stands and nothing_alike(first, second, cv2):
        return CameraMotion(matched=False)
    return _motion(moved, (height, width), scale)


@dataclass(frozen=True, slots=True)
class _Said:
    """What followed points say, how many cells say so, and the motion that was fitted.

    ``unsure`` where the points are too few, or too close to each other, to tell an object from the camera.
    """

    motion: CameraMotion = CameraMotion(matched=False)
    cells: int = 0
    matrix: Matrix | None = None
    unsure: bool = False


def _judged(p: Points, q: Points, shape: tuple[int, int], scale: float, cv2: Any) -> _Said:
    if len(p) < LEAST_CELLS:
        return _Said()
    moved = np.linalg.norm(q - p, axis=1)
    still_cells = len(_cells(p[moved < NEAR], shape))
    all_cells = len(_cells(p, shape))
    if still_cells >= max(LEAST_CELLS, 0.5 * all_cells):
        inside = moved < NEAR
        return _Said(_motion(_fitted(p[inside], q[inside], cv2), shape, scale), still_cells)
    matrix = _fitted(p, q, cv2)
    if matrix is None or not 0.4 < np.hypot(matrix[0, 0], matrix[1, 0]) < 2.5:
        return _Said()
    predicted = p @ matrix[:, :2].T + matrix[:, 2]
    follows = np.linalg.norm(predicted - q, axis=1) < NEAR
    would_move = np.linalg.norm(predicted - p, axis=1) > 2 * NEAR
    stays = (moved < NEAR) & would_move
    with_it, against = _cells(p[follows], shape), _cells(p[stays], shape)
    if len(with_it) < LEAST_CELLS:
        return _Said(matrix=matrix)
    if len(against) >= max(3, STILL_SHARE * (len(_cells(p[follows & would_move], shape)) + len(against))):
        return _Said(STILL, len(against))
    if len(with_it) < 0.25 * all_cells and still_cells < 0.25 * all_cells:
        return _Said(matrix=matrix)
    if _spread(p[follows], shape) < LEAST_SPREAD:
        return _Said(matrix=matrix, unsure=True)
    return _Said(_motion(matrix, shape, scale), len(with_it), matrix)


def _motion(matrix: Matrix | None, shape: tuple[int, int], scale: float) -> CameraMotion:
    if matrix is None:
        return STILL
    height, width = shape
    places = np.stack(np.meshgrid(np.linspace(0, width, 9), np.linspace(0, height, 9)), axis=-1).reshape(-1, 2)
    shift = float(np.linalg.norm(places @ matrix[:, :2].T + matrix[:, 2] - places, axis=1).mean())
    return CameraMotion(
        round(shift * scale, 2),
        round(100 * shift / max(shape), 3),
        round(float(np.hypot(matrix[0, 0], matrix[1, 0])), 4),
        round(float(np.degrees(np.arctan2(matrix[1, 0], matrix[0, 0]))), 3),
    )


def _fitted(p: Points, q: Points, cv2: Any) -> Matrix | None:
    if len(p) < 3:
        return None
    matrix, _ = cv2.estimateAffinePartial2D(
        p, q, method=cv2.RANSAC, ransacReprojThreshold=NEAR, maxIters=2000, confidence=0.999
    )
    return matrix if matrix is None else np.asarray(matrix, np.float64)


def _detail(pixels: Pixels, cv2: Any) -> npt.NDArray[np.uint8]:
    """Brightness with light taken out: less its surroundings, over their contrast. Day and night look alike then."""
    gray = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    gray = cv2.GaussianBlur(gray, (0, 0), 1.0)
    around = cv2.GaussianBlur(gray, (0, 0), 12)
    contrast = np.sqrt(cv2.GaussianBlur((gray - around) ** 2, (0, 0), 12))
    detail = (gray - around) / (contrast + 6.0)
    out: npt.NDArray[np.uint8] = np.clip(128 + 50 * detail, 0, 255).astype(np.uint8)
    return out


def _corners(image: npt.NDArray[np.uint8], cv2: Any) -> Points:
    """The strongest corners of every cell."""
    strength = cv2.cornerMinEigenVal(image, 7)
    height, width = image.shape
    side = _cell(image.shape)
    found: list[tuple[float, float]] = []
    least = 1e-3
    for top in np.arange(0, height, side):
        for left in np.arange(0, width, side):
            y, x = int(top), int(left)
            part = strength[y : int(top + side), x : int(left + side)].copy()
            for _ in range(PER_CELL):
                place = int(part.argmax())
                row, column = divmod(place, part.shape[1])
                if part[row, column] < least:
                    break
                found.append((x + column, y + row))
                part[max(0, row - 5) : row + 6, max(0, column - 5) : column + 6] = 0
    return np.asarray(found, np.float32).reshape(-1, 2)


def _flow(first: Any, second: Any, starts: Points, cv2: Any) -> tuple[Points, Points]:
    """Where points went by optical flow; those that do not come back to where they began are left out."""
    options = {"winSize": (21, 21), "maxLevel": 4}
    there, ok, _ = cv2.calcOpticalFlowPyrLK(first, second, starts, None, **options)
    back, ok_back, _ = cv2.calcOpticalFlowPyrLK(second, first, there, None, **options)
    good = (ok.ravel() > 0) & (ok_back.ravel() > 0) & (np.linalg.norm(back - starts, axis=1) < 1.0)
    height, width = first.shape
    good &= (there >= 0).all(axis=1) & (there[:, 0] < width) & (there[:, 1] < height)
    good &= _alike(first, second, starts, there, cv2)
    return starts[good], there[good]


def _alike(first: Any, second: Any, p: Points, q: Points, cv2: Any) -> npt.NDArray[np.bool_]:
    """Whether the patches around two points look alike: a correlation of at least 0.7."""
    alike = np.zeros(len(p), bool)
    for place, (a, b) in enumerate(zip(p, q, strict=True)):
        one = cv2.getRectSubPix(first, (15, 15), (float(a[0]), float(a[1])))
        other = cv2.getRectSubPix(second, (15, 15), (float(b[0]), float(b[1])))
        alike[place] = cv2.matchTemplate(one, other, cv2.TM_CCOEFF_NORMED)[0, 0] > 0.7
    return alike


def _features(first: Any, second: Any, starts: Points, cv2: Any) -> tuple[Points, Points]:
    """Matches of features, for motions that are too large for optical flow."""
    finder = cv2.SIFT_create(nfeatures=1200, contrastThreshold=0.02)
    points, described = finder.detectAndCompute(first, None)
    others, described_others = finder.detectAndCompute(second, None)
    nothing = np.zeros((0, 2), np.float32)
    if described is None or described_others is None or len(others) < 2:
        return nothing, nothing
    pairs = cv2.BFMatcher(cv2.NORM_L2).knnMatch(described, described_others, k=2)
    good = [pair[0] for pair in pairs if len(pair) == 2 and pair[0].distance < 0.75 * pair[1].distance]
    if not good:
        return nothing, nothing
    p = np.asarray([points[match.queryIdx].pt for match in good], np.float32)
    q = np.asarray([others[match.trainIdx].pt for match in good], np.float32)
    return p, q


def _correlation(first: Any, second: Any, starts: Points, cv2: Any) -> tuple[Points, Points]:
    """The one shift that phase correlation finds, for points whose patches confirm it."""
    window = cv2.createHanningWindow(first.shape[::-1], cv2.CV_32F)
    (dx, dy), response = cv2.phaseCorrelate(first.astype(np.float32), second.astype(np.float32), window)
    there = starts + np.asarray([dx, dy], np.float32)
    height, width = first.shape
    good = (there >= 8).all(axis=1) & (there[:, 0] < width - 8) & (there[:, 1] < height - 8)
    if response < 0.05 or not good.any():
        return starts[:0], starts[:0]
    p, q = starts[good], there[good].astype(np.float32)
    good = _alike(first, second, p, q, cv2)
    return p[good], q[good]


def _cell(shape: tuple[int, ...]) -> float:
    return max(12.0, max(shape[:2]) / CELLS)


def _cells(points: Points, shape: tuple[int, int]) -> npt.NDArray[np.int64]:
    """The cells that points lie in."""
    return np.unique((points // _cell(shape)).astype(np.int64), axis=0)


def _spread(points: Points, shape: tuple[int, int]) -> float:
    """The share of the picture within the hull of points, the farthest twentieth left out."""
    cv2 = factory_package("cv2", "measuring camera motion")
    hull = cv2.convexHull(points.astype(np.float32))
    return float(cv2.contourArea(hull)) / (shape[0] * shape[1])
