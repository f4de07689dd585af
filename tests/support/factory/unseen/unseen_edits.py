"""Edits of made pictures: things that appear, patches that change, many small places, tints and weather."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from support.factory.unseen.unseen_damage import share
from support.factory.unseen.unseen_scenes import scene
from support.factory.unseen.unseen_strokes import Plane, Rng, anything, disc, fractal, line, sprite, words, write

Box = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels, right and bottom exclusive."""
SWAPPED = ("landscape", "portrait", "water", "foliage", "crowd", "night")


@dataclass(frozen=True)
class Edited:
    """A picture after an edit: the places where it was edited, and what was done in each."""

    picture: Plane
    boxes: tuple[Box, ...]
    about: tuple[str, ...]


def put(canvas: Plane, thing: Plane, x: float, y: float) -> None:
    """Lay a thing with its middle on a place of a canvas, which changes."""
    high, wide = thing.shape[:2]
    left, top = round(x - wide / 2), round(y - high / 2)
    start_x, start_y = max(left, 0), max(top, 0)
    end_x, end_y = min(left + wide, canvas.shape[1]), min(top + high, canvas.shape[0])
    if start_x >= end_x or start_y >= end_y:
        return
    part = thing[start_y - top : end_y - top, start_x - left : end_x - left]
    area = canvas[start_y:end_y, start_x:end_x]
    area += (part[..., :3] - area) * part[..., 3:]


def thing_at(rng: Rng, canvas: Plane, x: float, y: float, side: int, least: float = 0) -> Plane:
    """The canvas with a new thing that stands out from it by 27 levels on at least a part of the picture."""
    for _ in range(30):
        changed = canvas.copy()
        put(changed, sprite(rng, side), x, y)
        if share(canvas, changed, 27) >= least:
            return changed
    changed = canvas.copy()
    bold = sprite(rng, side)
    middle = canvas[max(round(y) - 5, 0) : round(y) + 5, max(round(x) - 5, 0) : round(x) + 5].mean()
    bold[..., :3] = bold[..., :3] * 0.2 + (0 if middle > 128 else 200)
    put(changed, bold, x, y)
    return changed


def small_thing(rng: Rng, canvas: Plane) -> tuple[Plane, str]:
    """A picture in which a thing appears, or moves, or the color of a small place changes."""
    height, width = canvas.shape[:2]
    side = round(float(np.sqrt(width * height * rng.uniform(0.012, 0.06))))
    x, y = rng.uniform(0.15, 0.85) * width, rng.uniform(0.15, 0.85) * height
    if rng.random() < 0.35:
        spot = np.zeros((height, width), np.float32)
        cv2.circle(spot, (round(x), round(y)), max(4, round(side * 0.45)), 1.0, -1, cv2.LINE_AA)
        light = 40 if canvas[round(y), round(x)].mean() < 128 else -40
        return np.asarray(canvas + light * spot[..., None], np.float32), "a spot of other light"
    return thing_at(rng, canvas, x, y, side, 0.004), f"a thing of {side} pixels appears"


def places(rng: Rng, width: int, height: int, count: int, most: float) -> list[Box]:
    """Boxes that are apart from each other and together cover at most a part of the picture."""
    found: list[Box] = []
    while len(found) < count:
        area = width * height * rng.uniform(0.25, 0.95) * most / count
        shape = float(np.exp(rng.uniform(-0.4, 0.4)))
        wide, high = int(min(np.sqrt(area * shape), width * 0.8)), int(min(np.sqrt(area / shape), height * 0.8))
        left, top = int(rng.integers(width - wide + 1)), int(rng.integers(height - high + 1))
        box = (left, top, left + wide, top + high)
        gap = 0.07 * max(width, height)
        apart = (
            box[0] > one[2] + gap or one[0] > box[2] + gap or box[1] > one[3] + gap or one[1] > box[3] + gap
            for one in found
        )
        if all(apart):
            found.append(box)
        elif rng.random() < 0.02:
            found.clear()
    return found


def edit_one(rng: Rng, canvas: Plane, box: Box) -> tuple[Plane, str]:
    """A picture with one place edited, nothing of it outside of the box."""
    left, top, right, bottom = box
    wide, high, x, y = right - left, bottom - top, (left + right) / 2, (top + bottom) / 2
    kind = int(rng.integers(6))
    if kind <= 1:
        side = min(wide, high)
        if kind == 1:
            canvas = canvas.copy()
            shadow = np.zeros(canvas.shape[:2], np.float32)
            disc(shadow, x, y + side * 0.43, side * 0.36, side * 0.05, np.ones(3, np.float32))
            canvas -= (0.45 * canvas) * shadow[..., None]
        return thing_at(rng, canvas, x, y, side, 0.4 * side * side / canvas[..., 0].size), "a new thing"
    soft = np.zeros(canvas.shape[:2], np.float32)
    axes = (max(1, wide // 2 - 3), max(1, high // 2 - 3))
    cv2.ellipse(soft, (round(x), round(y)), axes, 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    if kind == 2:
        paint = anything(rng)
        near = canvas.mean(2, keepdims=True)[top:bottom, left:right].mean()
        paint = paint * 0.4 if near > 128 else 130 + paint * 0.45
        new = canvas * 0.35 + 0.65 * paint
        return np.asarray(canvas + (new - canvas) * soft[..., None], np.float32), "a part of another color"
    if kind == 3:
        patch = scene(str(rng.choice(np.asarray(SWAPPED))), rng, max(wide, 16), max(high, 16))
        new = canvas.copy()
        new[top:bottom, left:right] = patch[:high, :wide]
        if rng.random() < 0.5:
            return new, "a part replaced by another picture"
        return np.asarray(canvas + (new - canvas) * soft[..., None], np.float32), "a round part replaced"
    if kind == 4:
        new = canvas.copy()
        ink = np.full(3, 15 if canvas[top:bottom, left:right].mean() > 128 else 240, np.float32)
        size = min(high * 0.6, wide / 6)
        written = write(np.asarray(np.clip(canvas, 0, 255)), left, top, words(rng, 2)[:10], size, ink)
        new[top:bottom, left:right] = written[top:bottom, left:right]
        return new, "text"
    grains = (
        120 + 28 * fractal(rng, canvas.shape[1], canvas.shape[0], 12, 0.75)[..., None] + 0.3 * (anything(rng) - 120)
    )
    return np.asarray(canvas + (grains - canvas) * soft[..., None], np.float32), "a part of another material"


def edited(rng: Rng, canvas: Plane, count: int) -> Edited:
    """An edit in so many places, together under 37 % of the picture."""
    height, width = canvas.shape[:2]
    boxes = places(rng, width, height, count, rng.uniform(0.05, 0.37))
    about, picture = [], canvas
    for box in boxes:
        picture, what = edit_one(rng, picture, box)
        about.append(what)
    return Edited(picture, tuple(boxes), tuple(about))


def six_places(rng: Rng, canvas: Plane) -> tuple[Plane, str]:
    """Six to nine things that appear far from each other."""
    height, width = canvas.shape[:2]
    cells = rng.permutation(9)[: int(rng.integers(6, 10))]
    for cell in cells:
        x, y = (
            (int(cell) % 3 + rng.uniform(0.42, 0.58)) * width / 3,
            (int(cell) // 3 + rng.uniform(0.42, 0.58)) * height / 3,
        )
        side = round(float(np.sqrt(width * height * rng.uniform(0.01, 0.016))))
        canvas = thing_at(rng, canvas, x, y, side, 0.0035)
    return canvas, f"{len(cells)} things appear all over"


def tinted(rng: Rng, canvas: Plane, low: float, high: float) -> tuple[Plane, str]:
    """A picture in another tint: nearly every pixel changes by the mean of so many levels at least."""
    clean = np.clip(canvas, 0, 255)
    for step in range(60):
        way = rng.choice([-1, 1], 3) * rng.uniform(0.4, 1.6, 3)
        if step > 20:
            way = np.abs(way) * (1 if clean.mean() < 128 else -1)
        way = way / np.abs(way).mean() * rng.uniform(low, high)
        changed = np.asarray(np.clip(clean + way, 0, 255), np.float32)
        if share(clean, changed, min(low, 12.5) - 0.5) > 0.97:
            return changed, f"tint {'/'.join(f'{part:+.0f}' for part in way)}"
    return changed, f"tint {'/'.join(f'{part:+.0f}' for part in way)}"


def weather(rng: Rng, picture: Plane, rain: bool) -> Plane:
    """A picture with falling snow or rain, under a tenth of it."""
    fallen, unit = picture.copy(), min(picture.shape[:2])
    height, width = picture.shape[:2]
    for _ in range(int(rng.integers(60, 160))):
        x, y, size = rng.uniform(0, width), rng.uniform(0, height), unit * rng.uniform(0.002, 0.006)
        if rain:
            line(fallen, (x, y), (x + size, y + size * 6), np.full(3, 200, np.float32), 1)
        else:
            disc(fallen, x, y, size, size, np.full(3, 235, np.float32))
    return np.asarray(picture * 0.3 + fallen * 0.7, np.float32)
