"""Strokes for made pictures: noise, gradients, polygons, text, and whole things with an alpha.

A canvas is a plane of floats, height x width x 3, from 0 to 255.
"""

from __future__ import annotations

import colorsys

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

Plane = npt.NDArray[np.float32]
Rng = np.random.Generator

WORDS = (
    *("river", "stone", "light", "over", "the", "window", "table", "seven", "letters", "green", "paper", "harbor"),
    *("slow", "train", "of", "morning", "and", "under", "bright", "copper", "garden", "with", "north", "answer"),
    *("between", "silver", "road", "people", "carry", "small", "boxes", "into", "market", "before", "rain", "again"),
)


def fractal(rng: Rng, width: int, height: int, coarse: float = 3, rough: float = 0.55, stretch: float = 1) -> Plane:
    """Noise of many sizes with mean 0 and deviation 1; ``stretch`` over 1 makes it lie flat."""
    total = np.zeros((height, width), np.float32)
    side, cells, weight = max(width, height), float(coarse), 1.0
    while cells < side / 2:
        shape = (int(cells * height / side) + 3, int(cells * width / side / stretch) + 3)
        grid = rng.standard_normal(shape, np.float32)
        total += weight * cv2.resize(grid, (width, height), interpolation=cv2.INTER_CUBIC)
        cells, weight = cells * 2, weight * rough
    return np.asarray((total - total.mean()) / (total.std() + 1e-6), np.float32)


def color(rng: Rng, hue: tuple[float, float], full: tuple[float, float], light: tuple[float, float]) -> Plane:
    """A color with hue, saturation and value drawn from ranges of 0 to 1."""
    parts = colorsys.hsv_to_rgb(rng.uniform(*hue) % 1, rng.uniform(*full), rng.uniform(*light))
    return np.asarray(parts, np.float32) * 255


def anything(rng: Rng) -> Plane:
    return color(rng, (0, 1), (0.2, 0.95), (0.2, 0.95))


def blend(low: Plane, high: Plane, amount: Plane) -> Plane:
    """``low`` where the amount is 0, ``high`` where it is 1."""
    amount = np.clip(amount, 0, 1)[..., None]
    return np.asarray(low + (high - low) * amount, np.float32)


def flat(width: int, height: int, top: Plane, bottom: Plane) -> Plane:
    """A vertical gradient between two colors."""
    rows = np.linspace(0, 1, height, dtype=np.float32)[:, None]
    return np.repeat(blend(top, bottom, rows), width, axis=1)


def glow(width: int, height: int, x: float, y: float, radius: float) -> Plane:
    """A soft disc of light, 1 at its center."""
    rows, columns = np.ogrid[:height, :width]
    return np.asarray(np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (radius * radius)), np.float32)


def below(rng: Rng, width: int, height: int, level: float, swing: float, coarse: float = 3) -> Plane:
    """1 under an uneven line across the picture, 0 above it."""
    line = fractal(rng, width, 4, coarse, 0.5)[0] * swing + level
    return np.asarray(np.clip(np.arange(height, dtype=np.float32)[:, None] - line, 0, 1), np.float32)


def tuples(paint: Plane) -> tuple[float, float, float]:
    return float(paint[0]), float(paint[1]), float(paint[2])


def corners(canvas: Plane, points: list[tuple[float, float]], paint: Plane) -> None:
    """Fill a polygon."""
    cv2.fillPoly(canvas, [np.asarray(points, np.float32).round().astype(np.int32)], tuples(paint), cv2.LINE_AA)


def disc(canvas: Plane, x: float, y: float, wide: float, high: float, paint: Plane, turn: float = 0) -> None:
    """Fill an ellipse."""
    axes = (max(1, round(wide)), max(1, round(high)))
    cv2.ellipse(canvas, (round(x), round(y)), axes, turn, 0, 360, tuples(paint), -1, cv2.LINE_AA)


def bar(canvas: Plane, left: float, top: float, right: float, bottom: float, paint: Plane) -> None:
    cv2.rectangle(canvas, (round(left), round(top)), (round(right), round(bottom)), tuples(paint), -1)


def line(canvas: Plane, start: tuple[float, float], end: tuple[float, float], paint: Plane, thick: float) -> None:
    ends = [(round(x), round(y)) for x, y in (start, end)]
    cv2.line(canvas, ends[0], ends[1], tuples(paint), max(1, round(thick)), cv2.LINE_AA)


def write(canvas: Plane, x: float, y: float, text: str, size: float, paint: Plane) -> Plane:
    """The canvas with a line of text."""
    picture = Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8))
    ink = tuple(int(part) for part in paint)
    ImageDraw.Draw(picture).text((x, y), text, ink, ImageFont.load_default(max(8.0, size)))
    return np.asarray(picture, np.float32)


def words(rng: Rng, count: int) -> str:
    return " ".join(str(word) for word in rng.choice(WORDS, count))


def tree(rng: Rng, canvas: Plane, x: float, foot: float, size: float, paint: Plane) -> None:
    """A fir or a round tree."""
    trunk = paint * 0.5
    bar(canvas, x - size * 0.04, foot - size * 0.4, x + size * 0.04, foot, trunk)
    if rng.random() < 0.5:
        for step in range(4):
            top, wide = foot - size * (1 - step * 0.2), size * (0.12 + step * 0.07)
            points = [(x, top), (x - wide, top + size * 0.32), (x + wide, top + size * 0.32)]
            corners(canvas, points, paint * rng.uniform(0.8, 1.2))
        return
    for _ in range(70):
        dx, dy = rng.normal(0, 0.14, 2) * size
        disc(canvas, x + dx, foot - size * 0.65 + dy, size * 0.055, size * 0.045, paint * rng.uniform(0.7, 1.25))


def cuboid(rng: Rng, canvas: Plane, x: float, foot: float, wide: float, high: float, paint: Plane) -> None:
    """A box seen from above a corner, with drawers."""
    lift, push = high * 0.25, wide * rng.uniform(-0.35, 0.35)
    bar(canvas, x, foot - high, x + wide, foot, paint)
    top = [
        (x, foot - high),
        (x + wide, foot - high),
        (x + wide + push, foot - high - lift),
        (x + push, foot - high - lift),
    ]
    corners(canvas, top, np.minimum(paint * 1.25, 255))
    side = x + wide if push > 0 else x
    back = [(side, foot - high), (side + push, foot - high - lift), (side + push, foot - lift), (side, foot)]
    corners(canvas, back, paint * 0.7)
    for shelf in range(1, int(rng.integers(1, 5))):
        level = foot - high * shelf / 4
        line(canvas, (x, level), (x + wide, level), paint * 0.6, high * 0.02)
        disc(canvas, x + wide / 2, level + high * 0.12, high * 0.02, high * 0.02, paint * 0.4)


def ball(canvas: Plane, x: float, y: float, size: float, paint: Plane) -> None:
    """A ball with light from the upper left."""
    for step in range(8):
        part, lit = 1 - step / 9, 0.55 + 0.09 * step
        disc(canvas, x - size * 0.3 * (1 - part), y - size * 0.3 * (1 - part), size * part, size * part, paint * lit)
    disc(canvas, x - size * 0.33, y - size * 0.36, size * 0.09, size * 0.07, np.full(3, 250, np.float32))


def sprite(rng: Rng, size: int) -> Plane:
    """A thing of about the given size: a person, a car, a ball, a box, a balloon, a sign or a bush, with its alpha."""
    side = size * 2
    key = np.array([-500, -500, -500], np.float32)
    canvas, paint = np.tile(key, (side, side, 1)), anything(rng)
    kind = int(rng.integers(7))
    if kind == 0:
        disc(canvas, side * 0.5, side * 0.65, side * 0.2, side * 0.34, paint)
        disc(
            canvas, side * 0.5, side * 0.18, side * 0.13, side * 0.16, color(rng, (0.04, 0.08), (0.3, 0.6), (0.4, 0.95))
        )
    elif kind == 1:
        bar(canvas, side * 0.03, side * 0.5, side * 0.97, side * 0.75, paint)
        corners(
            canvas,
            [(side * 0.2, side * 0.5), (side * 0.3, side * 0.28), (side * 0.7, side * 0.28), (side * 0.82, side * 0.5)],
            paint * 0.8,
        )
        for x in (0.25, 0.75):
            disc(canvas, side * x, side * 0.75, side * 0.1, side * 0.1, np.full(3, 25, np.float32))
    elif kind == 2:
        ball(canvas, side * 0.5, side * 0.5, side * 0.46, paint)
    elif kind == 3:
        cuboid(rng, canvas, side * 0.2, side * 0.95, side * 0.55, side * 0.65, paint)
    elif kind == 4:
        disc(canvas, side * 0.5, side * 0.38, side * 0.32, side * 0.36, paint)
        line(canvas, (side * 0.5, side * 0.72), (side * 0.45, side * 0.98), paint * 0.5, side * 0.02)
    elif kind == 5:
        bar(canvas, side * 0.05, side * 0.1, side * 0.95, side * 0.6, paint)
        bar(canvas, side * 0.46, side * 0.6, side * 0.54, side * 0.98, paint * 0.4)
    else:
        for _ in range(160):
            dx, dy = np.clip(rng.normal(0.5, 0.15, 2), 0.08, 0.92)
            disc(canvas, side * dx, side * dy, side * 0.07, side * 0.05, paint * rng.uniform(0.5, 1.2))
    alpha = (canvas.min(2) > -50).astype(np.float32)
    if kind == 5:
        canvas = write(canvas, side * 0.12, side * 0.22, words(rng, 1), side * 0.2, 255 - paint)
    canvas = np.clip(canvas, 0, 255) * (1 + 0.06 * fractal(rng, side, side, 6, 0.7)[..., None])
    four = np.dstack([np.clip(canvas, 0, 255) * alpha[..., None], alpha])
    small = np.asarray(cv2.resize(four, (size, size), interpolation=cv2.INTER_AREA), np.float32)
    small[..., :3] /= np.maximum(small[..., 3:], 1e-3)
    return small


def sky_over(rng: Rng, width: int, height: int) -> Plane:
    dusk = rng.random() < 0.3
    top = color(rng, (0.55, 0.65), (0.3, 0.7), (0.35, 0.55) if dusk else (0.6, 0.9))
    low = color(rng, (0.03, 0.12), (0.3, 0.7), (0.75, 0.95)) if dusk else color(rng, (0.5, 0.6), (0.08, 0.3), (0.85, 1))
    canvas = flat(width, height, top, low)
    clouds = fractal(rng, width, height, rng.uniform(2, 4), 0.55, rng.uniform(1.5, 3)) * 0.4 + rng.uniform(-0.2, 0.3)
    canvas = blend(canvas, color(rng, (0, 1), (0, 0.08), (0.8, 1)), clouds * 0.85)
    sun = glow(width, height, rng.uniform(0, width), rng.uniform(0.05, 0.5) * height, rng.uniform(0.05, 0.12) * width)
    return blend(canvas, np.array([255, 245, 215], np.float32), sun * 1.6)


def waves(rng: Rng, width: int, height: int, horizon: float, paint: Plane) -> Plane:
    """Water up to a horizon, with waves that grow towards the viewer."""
    rows, columns = np.mgrid[:height, :width].astype(np.float32)
    near = np.maximum((rows - horizon) / height, 0.01)
    bend = fractal(rng, width, height, 4, 0.5, 2)
    wave = np.zeros_like(near)
    for _ in range(5):
        slant, pace = rng.uniform(-2, 2), rng.uniform(3, 9)
        wave += np.sin(pace / near + slant * columns / (width * near) + bend * 2 + rng.uniform(0, 6))
    wave = wave * np.minimum(near * 4, 1) * 9 + fractal(rng, width, height, 12, 0.8, 4) * 6
    return np.asarray(paint * (0.8 + 0.4 * near[..., None]) + wave[..., None], np.float32)
