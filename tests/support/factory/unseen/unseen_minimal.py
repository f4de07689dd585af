"""Pictures that show nothing, and pictures that show hardly anything, but something."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from editscope.images import Pixels
from support.factory.unseen.unseen_damage import h264, jpeg, pixels
from support.factory.unseen.unseen_edits import put, thing_at
from support.factory.unseen.unseen_scenes import portrait, scene
from support.factory.unseen.unseen_strokes import (
    Plane,
    Rng,
    anything,
    blend,
    color,
    disc,
    flat,
    fractal,
    glow,
    line,
    sprite,
    words,
    write,
)


def nothing(rng: Rng, width: int, height: int) -> tuple[Pixels, str]:
    """A picture with nothing to see: one color, nearly black, nearly white, or noise."""
    kind = int(rng.integers(7))
    if kind < 3:
        level = [anything(rng), np.full(3, rng.uniform(0, 7)), np.full(3, rng.uniform(247, 255))][kind]
        about = ["one color", "nearly black", "nearly white"][kind]
        edge = 1 - glow(width, height, width / 2, height / 2, max(width, height))
        plain = level - rng.uniform(0, 3) * edge[..., None]
        plain = plain + rng.standard_normal((height, width, 3)) * rng.choice([0, rng.uniform(0, 2.5)])
        return coded(rng, pixels(plain.astype(np.float32))), about
    if kind == 3:
        shape = (height, width, int(rng.choice([1, 3])))
        noise = rng.uniform(60, 190) + rng.standard_normal(shape) * rng.uniform(15, 70)
        return pixels(np.broadcast_to(noise, (height, width, 3)).astype(np.float32)), "noise of a sensor"
    if kind == 4:
        return rng.integers(0, 256, (height, width, 3), np.uint8), "random bytes"
    if kind == 5:
        cell = int(rng.integers(2, 5))
        dots = rng.integers(0, 256, (-(-height // cell), -(-width // cell)), np.uint8)
        large = cv2.resize(dots, (width, height), interpolation=cv2.INTER_NEAREST)
        return coded(rng, np.repeat(large[..., None], 3, 2)), "snow of a television"
    salt = rng.choice(np.array([0, 128, 255], np.uint8), (height, width, 1), p=[0.3, 0.4, 0.3])
    return np.repeat(salt, 3, 2), "salt and pepper"


def coded(rng: Rng, picture: Pixels) -> Pixels:
    """A picture after JPEG, H.264 or nothing."""
    kind = int(rng.integers(3))
    return picture if kind == 0 else jpeg(picture, 85) if kind == 1 else h264([picture], 26)[0]


def wall(rng: Rng, width: int, height: int) -> Plane:
    paint = color(rng, (0, 1), (0, 0.6), (0.15, 0.95))
    return flat(width, height, paint, paint * 0.94)


def one_thing(rng: Rng, width: int, height: int) -> Plane:
    side = round(min(width, height) * rng.uniform(0.12, 0.4))
    x, y = rng.uniform(0.25, 0.75) * width, rng.uniform(0.25, 0.75) * height
    return thing_at(rng, wall(rng, width, height), x, y, side, 0.3 * side * side / (width * height))


def one_line(rng: Rng, width: int, height: int) -> Plane:
    back = wall(rng, width, height)
    ink = np.full(3, 20 if back.mean() > 128 else 235, np.float32)
    return write(back, width * 0.1, height * rng.uniform(0.1, 0.8), words(rng, 2), width * 0.06, ink)


def moon(rng: Rng, width: int, height: int) -> Plane:
    dark = flat(width, height, color(rng, (0.6, 0.7), (0.3, 0.8), (0.02, 0.08)), np.full(3, 12, np.float32))
    x, y, size = (
        rng.uniform(0.2, 0.8) * width,
        rng.uniform(0.2, 0.8) * height,
        min(width, height) * rng.uniform(0.05, 0.12),
    )
    dark = blend(dark, np.full(3, 90, np.float32), glow(width, height, x, y, size * 2) * 0.6)
    disc(dark, x, y, size, size, np.full(3, 225, np.float32))
    stains = np.clip(fractal(rng, width, height, 12) * 0.5, 0, 1)
    return np.where(dark > 200, dark - 50 * stains[..., None], dark).astype(np.float32)


def stars(rng: Rng, width: int, height: int) -> Plane:
    dark = np.asarray(12 + np.clip(fractal(rng, width, height, 2, 0.5), 0, 2)[..., None] * [9, 8, 14], np.float32)
    for _ in range(int(rng.integers(80, 300))):
        size = rng.uniform(0.6, 1.8)
        disc(
            dark,
            rng.uniform(0, width),
            rng.uniform(0, height),
            size,
            size,
            np.full(3, rng.uniform(90, 255), np.float32),
        )
    hill = np.arange(height)[:, None] > height * 0.85 + fractal(rng, width, 4)[0] * height * 0.03
    return np.where(hill[..., None], np.float32(3), dark)


def horizon(rng: Rng, width: int, height: int) -> Plane:
    pale = color(rng, (0.5, 0.6), (0.05, 0.2), (0.75, 0.95))
    picture, level = flat(width, height, pale, pale), round(height * rng.uniform(0.3, 0.7))
    picture[level:] = pale * rng.uniform(0.75, 0.9)
    put(picture, sprite(rng, 24), width * rng.uniform(0.2, 0.8), level - 8)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.float32)


def curtain(rng: Rng, width: int, height: int) -> Plane:
    columns = np.arange(width) / width * rng.uniform(30, 90)
    rows = np.linspace(0, 1, height)[:, None]
    fold = np.sin(columns + np.sin(columns * 0.37) * 2 + rows * rng.uniform(0.4, 1.2) * np.sin(columns * 0.21))
    cloth = anything(rng) * (0.7 + 0.3 * fold[..., None]) * (1 - 0.3 * rows[..., None])
    cloth = cloth + fractal(rng, width, height, 60, 0.9)[..., None] * 3
    return np.asarray(cloth, np.float32)


def green_screen(rng: Rng, width: int, height: int) -> Plane:
    green = np.array([15, 150, 40], np.float32)
    x, light = width * rng.uniform(0.3, 0.7), glow(width, height, width / 2, height / 2, width)[..., None]
    picture = np.asarray(green * (0.8 + 0.25 * light), np.float32)
    return thing_at(rng, picture, x, height * 0.6, round(min(width, height) * rng.uniform(0.4, 0.7)), 0.03)


def letterbox(rng: Rng, width: int, height: int) -> Plane:
    kind = str(rng.choice(["landscape", "interior", "water", "crowd"]))
    bars = round(height * rng.uniform(0.08, 0.16))
    picture = scene(kind, rng, width, height)
    picture[:bars] = picture[height - bars :] = 0
    return picture


def leaf_on_sand(rng: Rng, width: int, height: int) -> Plane:
    sand = color(rng, (0.08, 0.12), (0.2, 0.45), (0.6, 0.8)) + fractal(rng, width, height, 40, 0.95)[..., None] * 16
    x, y, side = width * 0.5, height * 0.5, min(width, height)
    sand = np.asarray(sand, np.float32)
    leaf = color(rng, (0.2, 0.35), (0.5, 0.8), (0.2, 0.45))
    disc(sand, x, y, side * 0.22, side * 0.1, leaf, 30)
    line(sand, (x - side * 0.2, y - side * 0.11), (x + side * 0.2, y + side * 0.11), leaf * 0.6, 2)
    return sand


def mosaic(rng: Rng, width: int, height: int) -> Plane:
    fine = portrait(rng, width, height)
    coarse = cv2.resize(fine, (width // 14, height // 14), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=cv2.INTER_NEAREST), np.float32)


def candle(rng: Rng, width: int, height: int) -> Plane:
    x, y, size = width * rng.uniform(0.3, 0.7), height * rng.uniform(0.4, 0.6), min(width, height)
    dark = np.full((height, width, 3), 4, np.float32)
    dark = blend(dark, np.array([120, 60, 15], np.float32), glow(width, height, x, y, size * 0.3) * 0.7)
    line(dark, (x, y + size * 0.05), (x, y + size * 0.3), np.array([150, 120, 80], np.float32), size * 0.05)
    disc(dark, x, y, size * 0.018, size * 0.05, np.array([255, 225, 150], np.float32))
    return dark


MINIMAL: dict[str, Callable[[Rng, int, int], Plane]] = {
    "one thing before a wall": one_thing,
    "one line of text": one_line,
    "moon": moon,
    "stars over a hill": stars,
    "horizon": horizon,
    "curtain": curtain,
    "a thing before a green screen": green_screen,
    "letterbox": letterbox,
    "a leaf on sand": leaf_on_sand,
    "mosaic of a face": mosaic,
    "candle": candle,
}
