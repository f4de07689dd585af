"""Scenes for ``pixel_sets_unseen.py``: landscapes, rooms, faces, pages and more.

``scene(kind, rng, width, height)`` draws one at twice the size and makes it smaller, so that edges have natural pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

import editscope as es
from editscope.images import to_array
from support.factory.unseen.unseen_strokes import (
    Plane,
    Rng,
    anything,
    ball,
    bar,
    below,
    blend,
    color,
    corners,
    cuboid,
    disc,
    flat,
    fractal,
    glow,
    line,
    sky_over,
    tree,
    waves,
    words,
    write,
)


def landscape(rng: Rng, width: int, height: int) -> Plane:
    canvas, unit, level = sky_over(rng, width, height), min(width, height), rng.uniform(0.35, 0.55) * height
    haze = canvas[: int(level)].mean((0, 1))
    layers = int(rng.integers(2, 5))
    ground = color(rng, (0.08, 0.38), (0.3, 0.7), (0.3, 0.65))
    for layer in range(layers):
        depth = (layer + 1) / layers
        texture = fractal(rng, width, height, 6 + 6 * depth, 0.72, 1.6)[..., None] * (6 + 16 * depth)
        paint = haze + (ground * rng.uniform(0.8, 1.2) - haze) * depth**0.6 + texture
        mask = below(rng, width, height, level, unit * rng.uniform(0.02, 0.07))
        canvas = blend(canvas, np.asarray(paint, np.float32), mask)
        level += (height - level) * rng.uniform(0.15, 0.4)
    for foot in sorted(rng.uniform(0.6, 0.98, int(rng.integers(2, 14)))):
        tree(rng, canvas, rng.uniform(0, width), foot * height, unit * (foot - 0.45) * 0.7, ground * 0.7)
    return canvas


def snow(rng: Rng, width: int, height: int) -> Plane:
    canvas, unit = (
        flat(width, height, color(rng, (0.5, 0.65), (0, 0.2), (0.6, 0.9)), np.full(3, 225, np.float32)),
        min(width, height),
    )
    for layer in range(3):
        shade = (
            fractal(rng, width, height, 3, 0.45, 3)[..., None] * 5 + np.array([228, 233, 242], np.float32) - 8 * layer
        )
        mask = below(rng, width, height, height * (0.45 + 0.17 * layer), unit * 0.04)
        canvas = blend(canvas, np.asarray(shade, np.float32), mask)
        for _ in range(int(rng.integers(2, 9))):
            foot = height * (0.5 + 0.17 * layer + rng.uniform(0, 0.1))
            paint = color(rng, (0.3, 0.45), (0.2, 0.5), (0.2, 0.4)) + (2 - layer) * 35
            tree(rng, canvas, rng.uniform(0, width), foot, unit * (0.15 + 0.1 * layer), paint)
    for _ in range(int(rng.integers(0, 250))):
        size = unit * rng.uniform(0.001, 0.005)
        disc(canvas, rng.uniform(0, width), rng.uniform(0, height), size, size, np.full(3, 250, np.float32))
    return canvas


def interior(rng: Rng, width: int, height: int) -> Plane:
    wall, ground = color(rng, (0, 1), (0.05, 0.4), (0.5, 0.9)), color(rng, (0.03, 0.11), (0.3, 0.6), (0.3, 0.65))
    canvas = np.tile(wall, (height, width, 1)) + fractal(rng, width, height, 30, 0.9)[..., None] * rng.uniform(1, 5)
    left, right, top, foot = width * rng.uniform(0.1, 0.3), width * rng.uniform(0.7, 0.9), height * 0.12, height * 0.62
    if rng.random() < 0.6:
        for x in np.arange(0, width, width * rng.uniform(0.02, 0.06)):
            line(canvas, (x, 0), (x, height), wall * 0.88, width * 0.004)
    corners(canvas, [(0, 0), (left, top), (left, foot), (0, height)], wall * 0.78)
    corners(canvas, [(width, 0), (right, top), (right, foot), (width, height)], wall * 0.85)
    corners(canvas, [(0, 0), (width, 0), (right, top), (left, top)], np.minimum(wall * 1.15, 250))
    planks = np.tile(ground, (height, width, 1)) + fractal(rng, width, height, 8, 0.7, 0.1)[..., None] * 9
    for x in np.linspace(-width, 2 * width, 28):
        line(planks, (width / 2 + (x - width / 2) * 0.4, foot), (x, height), ground * 0.6, width * 0.003)
    mask = np.zeros((height, width), np.float32)
    area = np.asarray([(0, height), (left, foot), (right, foot), (width, height)], np.float32).astype(np.int32)
    cv2.fillPoly(mask, [area], 1.0, cv2.LINE_AA)
    canvas = blend(canvas, planks, mask)
    for _ in range(int(rng.integers(1, 4))):
        x, y, wide, high = rng.uniform(0.32, 0.6) * width, height * 0.18, width * 0.11, height * rng.uniform(0.12, 0.25)
        bar(canvas, x - wide * 0.06, y - wide * 0.06, x + wide * 1.06, y + high + wide * 0.06, wall * 0.4)
        patch = sky_over(rng, round(wide), round(high))
        canvas[round(y) : round(y) + round(high), round(x) : round(x) + round(wide)] = patch
    for foot_at in sorted(rng.uniform(0.66, 0.98, int(rng.integers(2, 6)))):
        size = foot_at * width * 0.28
        cuboid(
            rng, canvas, rng.uniform(0, 0.8) * width, foot_at * height, size, size * rng.uniform(0.4, 1), anything(rng)
        )
    lamp = glow(width, height, rng.uniform(0, width), height * 0.15, width * rng.uniform(0.2, 0.5))
    return np.asarray(canvas * (0.75 + 0.35 * lamp[..., None]), np.float32)


def portrait(rng: Rng, width: int, height: int) -> Plane:
    canvas, unit = flat(width, height, anything(rng), anything(rng)), min(width, height)
    for _ in range(int(rng.integers(6, 30))):
        size = unit * rng.uniform(0.02, 0.12)
        disc(canvas, rng.uniform(0, width), rng.uniform(0, height), size, size, anything(rng))
    canvas = np.asarray(cv2.GaussianBlur(canvas, (0, 0), unit * rng.uniform(0.01, 0.03)), np.float32)
    x, y, size = width * rng.uniform(0.35, 0.65), height * rng.uniform(0.36, 0.48), unit * rng.uniform(0.16, 0.26)
    skin, hair = color(rng, (0.04, 0.08), (0.3, 0.6), (0.4, 0.95)), color(rng, (0.03, 0.12), (0.2, 0.7), (0.08, 0.6))
    figure = canvas.copy()
    disc(figure, x, y - size * 0.2, size * 1.15, size * 1.3, hair)
    disc(figure, x, y + size * 3, size * 2.1, size * 1.5, anything(rng))
    bar(figure, x - size * 0.35, y + size * 0.7, x + size * 0.35, y + size * 1.7, skin * 0.85)
    disc(figure, x, y, size * 0.85, size * 1.15, skin)
    strands = fractal(rng, width, height, 60, 0.9, 0.15)[..., None] * 9
    figure += strands * (np.abs(figure - hair).sum(2, keepdims=True) < 2)
    for side in (-1, 1):
        eye = x + side * size * 0.35
        disc(figure, eye, y - size * 0.15, size * 0.16, size * 0.09, np.full(3, 235, np.float32))
        disc(figure, eye, y - size * 0.15, size * 0.07, size * 0.08, color(rng, (0, 1), (0.3, 0.6), (0.1, 0.4)))
        line(figure, (eye - size * 0.2, y - size * 0.35), (eye + size * 0.2, y - size * 0.38), hair, size * 0.06)
    line(figure, (x, y), (x - size * 0.08, y + size * 0.3), skin * 0.75, size * 0.05)
    disc(figure, x, y + size * 0.58, size * 0.3, size * 0.08, color(rng, (0.96, 1.02), (0.5, 0.7), (0.5, 0.8)))
    light = glow(width, height, x - size * 0.6, y - size * 0.6, size * 3)[..., None]
    changed = np.abs(figure - canvas).sum(2, keepdims=True) > 1
    return np.asarray(np.where(changed, figure * (0.6 + 0.45 * light), canvas), np.float32)


def crowd(rng: Rng, width: int, height: int) -> Plane:
    ground = color(rng, (0, 1), (0.05, 0.3), (0.4, 0.8))
    canvas = np.tile(ground, (height, width, 1)) + fractal(rng, width, height, 5, 0.75)[..., None] * 8
    canvas = np.asarray(canvas, np.float32)
    people = rng.random() < 0.6
    for y in np.linspace(0.2, 1.05, int(rng.integers(5, 9))):
        size = min(width, height) * (0.04 + 0.12 * y)
        for x in np.arange(0, width, size * 1.1) + rng.uniform(-0.3, 0.3, len(np.arange(0, width, size * 1.1))) * size:
            foot, paint = y * height + rng.uniform(-0.3, 0.3) * size, anything(rng)
            if people:
                disc(canvas, x, foot, size * 0.36, size * 0.8, paint)
                disc(canvas, x, foot - size, size * 0.24, size * 0.3, color(rng, (0.04, 0.08), (0.3, 0.6), (0.4, 0.95)))
                disc(canvas, x, foot - size * 1.15, size * 0.25, size * 0.18, paint * 0.3)
            else:
                ball(canvas, x, foot, size * 0.5, paint)
    return canvas


def foliage(rng: Rng, width: int, height: int) -> Plane:
    hue = rng.uniform(0.06, 0.36)
    canvas = np.tile(color(rng, (hue, hue), (0.5, 0.8), (0.08, 0.2)), (height, width, 1)).astype(np.float32)
    unit, count = min(width, height), int(rng.integers(500, 1500))
    for step in range(count):
        paint = color(rng, (hue - 0.05, hue + 0.05), (0.4, 0.8), (0.15, 0.35 + 0.5 * step / count))
        size, x, y, turn = (
            unit * rng.uniform(0.015, 0.06),
            rng.uniform(0, width),
            rng.uniform(0, height),
            rng.uniform(0, 180),
        )
        disc(canvas, x, y, size, size * 0.4, paint, turn)
        dx, dy = np.cos(np.radians(turn)) * size, np.sin(np.radians(turn)) * size
        line(canvas, (x - dx, y - dy), (x + dx, y + dy), paint * 0.75, size * 0.06)
    for _ in range(int(rng.integers(0, 9))):
        ball(canvas, rng.uniform(0, width), rng.uniform(0, height), unit * rng.uniform(0.02, 0.05), anything(rng))
    return canvas


def water(rng: Rng, width: int, height: int) -> Plane:
    canvas, unit = sky_over(rng, width, height), min(width, height)
    horizon = rng.uniform(0.25, 0.5) * height
    sea = waves(rng, width, height, horizon, color(rng, (0.48, 0.62), (0.3, 0.7), (0.35, 0.7)))
    canvas = blend(canvas, sea, below(rng, width, height, horizon, 0))
    for _ in range(int(rng.integers(1, 5))):
        x, y = rng.uniform(0.05, 0.95) * width, rng.uniform(horizon, 0.9 * height)
        size, paint = unit * (0.05 + 0.25 * (y - horizon) / height), anything(rng)
        corners(
            canvas,
            [(x - size, y - size * 0.3), (x + size, y - size * 0.3), (x + size * 0.7, y), (x - size * 0.7, y)],
            paint,
        )
        corners(
            canvas,
            [(x, y - size * 1.8), (x, y - size * 0.4), (x + size * 0.8, y - size * 0.4)],
            np.full(3, 240, np.float32),
        )
    return canvas


def page(rng: Rng, width: int, height: int) -> Plane:
    paper = color(rng, (0.08, 0.16), (0, 0.12), (0.85, 1))
    canvas, ink = np.tile(paper, (height, width, 1)).astype(np.float32), color(rng, (0, 1), (0, 0.4), (0.02, 0.25))
    size, edge = width * rng.uniform(0.022, 0.045), width * rng.uniform(0.05, 0.12)
    canvas = write(canvas, edge, edge, words(rng, 3).title(), size * 2, ink)
    y, columns = edge + size * 4, int(rng.integers(1, 3))
    wide = (width - 2 * edge) / columns
    picture = Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8))
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(max(8.0, size))
    while y < height - edge:
        for column in range(columns):
            text = words(rng, 30)
            while text and draw.textlength(text, font) > wide * 0.94 * (1 if rng.random() < 0.97 else 0.6):
                text = text.rpartition(" ")[0]
            draw.text((edge + column * wide, y), text, tuple(int(part) for part in ink), font)
        y += size * (1.5 if rng.random() < 0.9 else 2.6)
    canvas = np.asarray(picture, np.float32)
    return np.asarray(
        canvas * (0.85 + 0.15 * glow(width, height, width * rng.random(), 0, width * 1.5)[..., None]), np.float32
    )


def chart(rng: Rng, width: int, height: int) -> Plane:
    back = np.full(3, 255, np.float32) if rng.random() < 0.7 else color(rng, (0.55, 0.7), (0.2, 0.5), (0.12, 0.25))
    ink = np.full(3, 40 if back.mean() > 128 else 215, np.float32)
    canvas = np.tile(back, (height, width, 1)).astype(np.float32)
    left, right, top, foot = width * 0.12, width * 0.95, height * 0.15, height * 0.85
    for y in np.linspace(top, foot, 6):
        line(canvas, (left, y), (right, y), back * 0.6 + ink * 0.2, height * 0.002)
        canvas = write(canvas, left * 0.3, y - height * 0.02, str(int(rng.integers(10, 999))), height * 0.03, ink)
    count, kind = int(rng.integers(4, 12)), rng.random()
    steps = np.linspace(left, right, count + 1)
    if kind < 0.5:
        for start in steps[:-1]:
            bar(
                canvas,
                start + 0.1 * (steps[1] - left),
                rng.uniform(top, foot * 0.95),
                start + 0.8 * (steps[1] - left),
                foot,
                anything(rng),
            )
    else:
        for _ in range(int(rng.integers(2, 5))):
            values, paint = np.clip(np.cumsum(rng.normal(0, 0.15, count + 1)) + 0.5, 0, 1), anything(rng)
            places = [(float(x), float(foot + (top - foot) * value)) for x, value in zip(steps, values, strict=True)]
            for start, end in pairwise(places):
                line(canvas, start, end, paint, height * 0.008)
                disc(canvas, *end, height * 0.012, height * 0.012, paint)
    line(canvas, (left, top), (left, foot), ink, height * 0.005)
    line(canvas, (left, foot), (right, foot), ink, height * 0.005)
    return write(canvas, left, height * 0.04, words(rng, 4).capitalize(), height * 0.05, ink)


def night(rng: Rng, width: int, height: int) -> Plane:
    canvas, unit = (
        flat(width, height, color(rng, (0.6, 0.7), (0.4, 0.8), (0.03, 0.1)), np.array([28, 22, 34], np.float32)),
        min(width, height),
    )
    x = 0.0
    while x < width:
        wide, top = unit * rng.uniform(0.1, 0.25), height * rng.uniform(0.15, 0.55)
        bar(canvas, x, top, x + wide, height * 0.75, color(rng, (0.55, 0.75), (0.1, 0.5), (0.05, 0.14)))
        step = unit * rng.uniform(0.025, 0.04)
        for row in np.arange(top + step / 2, height * 0.72, step):
            for column in np.arange(x + step / 2, x + wide - step, step):
                if rng.random() < 0.25:
                    bar(
                        canvas,
                        column,
                        row,
                        column + step * 0.5,
                        row + step * 0.6,
                        color(rng, (0.08, 0.16), (0.2, 0.7), (0.4, 0.95)),
                    )
        x += wide
    for _ in range(int(rng.integers(3, 9))):
        x, y, paint = (
            rng.uniform(0, width),
            height * rng.uniform(0.55, 0.72),
            color(rng, (0.05, 0.2), (0.2, 0.6), (0.8, 1)),
        )
        line(canvas, (x, y), (x, height * 0.8), np.full(3, 30, np.float32), unit * 0.008)
        canvas = blend(canvas, paint, glow(width, height, x, y, unit * 0.06))
        canvas = blend(canvas, np.full(3, 255, np.float32), glow(width, height, x, y, unit * 0.012))
        streak = cv2.resize(glow(40, 200, 20, 100, 20), (max(2, int(unit * 0.08)), max(2, int(height * 0.2))))
        start = int(np.clip(x - streak.shape[1] / 2, 0, width - streak.shape[1]))
        area = canvas[height - streak.shape[0] :, start : start + streak.shape[1]]
        area[:] = blend(area, paint, streak * 0.6)
    return canvas


def fog(rng: Rng, width: int, height: int) -> Plane:
    haze = color(rng, (0.5, 0.65), (0, 0.12), (0.65, 0.85))
    canvas, unit = flat(width, height, haze, haze * 0.92), min(width, height)
    canvas += fractal(rng, width, height, 2, 0.4, 3)[..., None] * 2
    for depth in np.linspace(0.05, rng.uniform(0.2, 0.5), 5):
        for _ in range(int(rng.integers(2, 5))):
            foot = height * (0.45 + depth)
            tree(rng, canvas, rng.uniform(0, width), foot, unit * (0.12 + depth), haze * (1 - depth))
    return canvas


def sky(rng: Rng, width: int, height: int) -> Plane:
    top = color(rng, (0.54, 0.62), (0.3, 0.7), (0.6, 0.95))
    canvas, unit = flat(width, height, top, top * 0.5 + 120), min(width, height)
    canvas = blend(canvas, np.full(3, 245, np.float32), fractal(rng, width, height, 2, 0.5, 2) * 0.3 - 0.1)
    for _ in range(int(rng.integers(2, 12))):
        x, y, size = rng.uniform(0.05, 0.95) * width, rng.uniform(0.05, 0.95) * height, unit * rng.uniform(0.01, 0.04)
        for side in (-1, 1):
            line(canvas, (x, y), (x + side * size, y - size * rng.uniform(0.2, 0.8)), top * 0.2, size * 0.15)
    if rng.random() < 0.5:
        for y in rng.uniform(0, height, 3):
            line(canvas, (0, y), (width, y + rng.uniform(-0.2, 0.2) * height), top * 0.25, unit * 0.004)
    return canvas


def facade(rng: Rng, width: int, height: int) -> Plane:
    stone = color(rng, (0.0, 0.12), (0.1, 0.6), (0.45, 0.85))
    canvas = np.asarray(
        np.tile(stone, (height, width, 1)) + fractal(rng, width, height, 4, 0.8)[..., None] * 7, np.float32
    )
    unit = min(width, height)
    if rng.random() < 0.7:
        course = unit * 0.022
        for number, y in enumerate(np.arange(0, height, course)):
            line(canvas, (0, y), (width, y), stone * 0.85, course * 0.1)
            for x in np.arange(course * (number % 2), width, course * 2):
                line(canvas, (x, y), (x, y + course), stone * 0.85, course * 0.1)
    step, tall = unit * rng.uniform(0.16, 0.28), unit * rng.uniform(0.2, 0.3)
    for y in np.arange(tall * 0.2, height, tall):
        for x in np.arange(step * 0.2, width, step):
            wide, high, glass = step * 0.55, tall * 0.65, color(rng, (0.5, 0.65), (0.1, 0.4), (0.15, 0.6))
            bar(
                canvas,
                x - wide * 0.08,
                y - wide * 0.08,
                x + wide * 1.08,
                y + high + wide * 0.08,
                np.full(3, 225, np.float32),
            )
            bar(canvas, x, y, x + wide, y + high, glass)
            if rng.random() < 0.5:
                bar(
                    canvas,
                    x,
                    y,
                    x + wide * rng.uniform(0.2, 0.6),
                    y + high,
                    color(rng, (0, 1), (0.1, 0.4), (0.6, 0.95)),
                )
            line(canvas, (x + wide / 2, y), (x + wide / 2, y + high), np.full(3, 225, np.float32), wide * 0.06)
    shadow = np.clip(fractal(rng, width, height, 2, 0.4) * 0.6, 0, 1)
    return np.asarray(canvas * (1 - 0.3 * shadow[..., None]), np.float32)


@cache
def suite_ids(name: str) -> tuple[str, ...]:
    return tuple(es.load_suite(name).ids)


def drawn(name: str, rng: Rng, width: int, height: int) -> Plane:
    """An input of PaintBench or TinyGrafix, cut to the wanted shape."""
    case = es.load_suite(name)[str(rng.choice(np.asarray(suite_ids(name))))]
    return fitted(np.asarray(to_array(case.images[0]), np.float32), width, height)


def fitted(picture: Plane, width: int, height: int) -> Plane:
    """The middle of a picture in a given size."""
    scale = min(picture.shape[1] / width, picture.shape[0] / height)
    wide, high = int(width * scale), int(height * scale)
    left, top = (picture.shape[1] - wide) // 2, (picture.shape[0] - high) // 2
    part = picture[top : top + high, left : left + wide]
    how = cv2.INTER_AREA if scale > 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(part, (width, height), interpolation=how), np.float32)


SCENES: dict[str, Callable[[Rng, int, int], Plane]] = {
    "landscape": landscape,
    "snow": snow,
    "interior": interior,
    "portrait": portrait,
    "crowd": crowd,
    "foliage": foliage,
    "water": water,
    "page": page,
    "chart": chart,
    "night": night,
    "fog": fog,
    "sky": sky,
    "facade": facade,
    "paintbench": lambda rng, width, height: drawn("paintbench", rng, width, height),
    "tinygrafix": lambda rng, width, height: drawn("tinygrafix", rng, width, height),
}


def scene(kind: str, rng: Rng, width: int, height: int, over: float = 2) -> Plane:
    """A scene of a kind: drawn ``over`` times as large, made smaller, with the grain that a picture of it has."""
    large = np.clip(SCENES[kind](rng, round(width * over), round(height * over)), 0, 255)
    small = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)
    if kind in ("page", "chart", "paintbench", "tinygrafix"):
        return np.asarray(small, np.float32)
    grain = rng.standard_normal((height, width, 1), np.float32) * rng.uniform(0, 2.5)
    return np.asarray(np.clip(small + grain, 0, 255), np.float32)
