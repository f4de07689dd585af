"""Made frames with and without faults, and copies of pictures."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from editscope.images import Pixels
from support.factory.pixel_examples import Example
from support.factory.pixel_pairs import visible
from support.factory.scenes import TEXTURED, Rng, cloud, jpeg, lit, noisy, problem, recorded, scene

cv2: Any = import_module("cv2")  # its types know no plain arrays

# ---- blank_frame


def plain(rng: Rng) -> Example:
    height, width = 480, 640
    level: Any = rng.choice(["black", "white", "color"])
    color = {"black": rng.uniform(0, 12, 3), "white": rng.uniform(248, 255, 3), "color": rng.uniform(0, 255, 3)}[level]
    picture: Any = (
        np.ones((height, width, 3), np.float32) * color + rng.uniform(0, 4) * np.linspace(-1, 1, width)[None, :, None]
    )
    picture = noisy(np.clip(picture, 0, 255).astype(np.uint8), rng, float(rng.choice([0, 0, 1, 3, 6])))
    return Example(True, str(level), (jpeg(picture, 80) if rng.random() < 0.4 else picture,))


def noise(rng: Rng) -> Example:
    height, width = (int(side) for side in rng.choice([256, 384, 512, 640], 2))
    way = str(rng.choice(["uniform", "normal", "gray", "pepper", "grains", "rows"]))
    if way == "uniform":
        picture = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    elif way == "normal":
        picture = noisy(
            np.full((height, width, 3), int(rng.integers(80, 180)), np.uint8), rng, float(rng.uniform(25, 60))
        )
    elif way == "gray":
        picture = np.repeat(rng.integers(0, 256, (height, width, 1), dtype=np.uint8), 3, axis=2)
    elif way in ("grains", "rows"):
        tall, wide = (int(rng.integers(2, 6)),) * 2 if way == "grains" else (1, int(rng.integers(3, 12)))
        small = rng.integers(0, 256, (height // tall + 1, width // wide + 1, int(rng.choice([1, 3]))), dtype=np.uint8)
        large = np.repeat(np.repeat(small, tall, 0), wide, 1)[:height, :width]
        picture = np.ascontiguousarray(np.broadcast_to(large, (height, width, 3)))
    else:
        picture = np.repeat(np.where(rng.random((height, width, 1)) < 0.5, 255, 0).astype(np.uint8), 3, axis=2)
    return Example(
        True, f"noise, {way}", (jpeg(picture, int(rng.integers(50, 95))) if rng.random() < 0.5 else picture,)
    )


def missing(rng: Rng) -> Example:
    while True:
        one = scene(rng, (*TEXTURED, "plain"))
        picture = one.render().copy()
        height = picture.shape[0]
        top = int(rng.uniform(0.1, 0.85) * height) // 16 * 16
        rows = np.abs(np.diff(picture[:top].astype(np.int16), axis=0)).max(axis=2)
        if one.kind == "plain" or (rows >= 2).mean() > 0.15:  # what is left shows something
            break
    way = str(rng.choice(["green", "all green", "gray", "drawn out", "flat blocks", "flat part"]))
    if way in ("flat blocks", "flat part") and one.kind != "plain":
        color = np.stack([np.zeros(3, int), np.full(3, 128), rng.integers(0, 256, 3)])[int(rng.integers(3))]
        if way == "flat part":
            picture[top:] = color
            picture[top - 16 : top, int(rng.integers(8, 30)) * 16 :] = color
        else:
            for _ in range(40):
                row, column = (16 * int(rng.integers(side // 16 - 1)) for side in picture.shape[:2])
                picture[row : row + 32, column : column + 32] = color
        picture = jpeg(picture, 90) if rng.random() < 0.5 else picture
    elif way == "all green":
        picture[:] = (0, 135, 0)
    elif way == "drawn out":
        if one.kind == "plain":
            way, picture[top:] = "gray", 128
        else:
            picture[top:] = picture[top - 1]
    else:
        picture[top:] = (0, 135, 0) if way == "green" else (128, 128, 128)
    return Example(True, f"missing data, {way}", (picture,))


def broken_blocks(rng: Rng) -> Example:
    one = scene(rng, TEXTURED)
    picture = one.render().copy()
    source = np.roll(picture, (int(rng.integers(64, 200)), int(rng.integers(64, 200))), (0, 1))
    rows, columns = picture.shape[0] // 16, picture.shape[1] // 16
    share = float(rng.uniform(0.08, 0.3))
    for row in range(rows):
        for column in range(columns):
            if rng.random() < share:
                where = np.s_[16 * row : 16 * row + 16, 16 * column : 16 * column + 16]
                kind = rng.integers(3)
                picture[where] = (
                    rng.integers(0, 256, 3) if kind == 0 else source[where] if kind == 1 else 255 - picture[where]
                )
    return Example(True, "broken blocks", (picture,))


def shown(rng: Rng) -> Example:
    one = scene(rng)
    return Example(False, one.kind, recorded(one.render(), one.render(), rng)[1:])


def hard_to_see(rng: Rng) -> Example:
    one, _, _ = visible(rng, (*TEXTURED, "plain"))
    picture = one.render()
    way = str(rng.choice(["dark", "light", "haze", "grain", "blocky", "bars", "dim"]))
    if way == "dark":
        picture = lit(picture, gain=float(rng.uniform(0.25, 0.4)))
    elif way == "light":
        picture = lit(picture, gain=0.35, add=165)
    elif way == "haze":
        picture = lit(picture, gain=float(rng.uniform(0.25, 0.4)), add=100)
    elif way == "bars":
        bar = int(rng.integers(20, 80))
        picture = picture.copy()
        picture[:bar], picture[-bar:] = 0, 0
    elif way == "dim":
        picture = lit(picture, gain=17 / float(np.percentile(picture.max(axis=2), 99.5)))
    elif way == "grain":
        picture = noisy(picture, rng, float(rng.uniform(8, 16)))
    else:
        picture = jpeg(picture, int(rng.integers(12, 25)))
    return Example(False, f"{one.kind}, {way}", (picture,))


def pattern(rng: Rng) -> Example:
    height, width = 480, 640
    way = str(rng.choice(["stripes", "checks", "grass", "mosaic"]))
    rows, columns = np.indices((height, width))
    side = int(rng.choice([5, 9, 12, 20, 28]))
    if way == "stripes":
        gray: Any = 60.0 + 120 * ((columns + 0.2 * rows) // side % 2)
    elif way == "checks":
        gray = 60.0 + 120 * ((columns // side + rows // side) % 2)
    elif way == "grass":
        gray = 110 + 40 * cloud(rng, height, width, 6, 3, 0.8)
    else:
        side = max(side, 9)  # finer tiles are noise
        small = rng.integers(20, 235, (height // side + 1, width // side + 1))
        gray = np.repeat(np.repeat(small, side, 0), side, 1)[:height, :width].astype(float)
    picture = np.clip(gray[..., None] * rng.uniform(0.6, 1.1, 3), 0, 255).astype(np.uint8)
    return Example(False, way, recorded(picture, picture, rng)[1:])


def shown_problem(rng: Rng) -> Example:
    name = str(rng.choice(["paintbench", "tinygrafix"]))
    before, _ = problem(rng, name)
    return Example(False, name, recorded(before, before, rng)[1:])


# ---- near_duplicates


def _any_picture(rng: Rng, kind: int) -> tuple[Pixels, str]:
    if kind > 1:
        one = scene(rng, (*TEXTURED, "night"), (3, 6))
        return one.render(), one.kind
    name = ("paintbench", "tinygrafix")[kind]
    return problem(rng, name)[0], name


def copied(rng: Rng) -> Example:
    picture, kind = _any_picture(rng, int(rng.integers(4)))
    height, width = picture.shape[:2]
    way = str(rng.choice(["resized", "cropped", "lit", "marked", "noise", "blurred"]))
    other: Any = picture
    if way == "resized":
        scale = float(rng.uniform(0.4, 1.4))
        other = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    elif way == "cropped":
        cut = [int(rng.uniform(0, 0.02) * side) for side in (height, width)]
        other = picture[cut[0] // 2 : height - cut[0] // 2, cut[1] // 2 : width - cut[1] // 2]
    elif way == "lit":
        other = lit(picture, gain=float(rng.uniform(0.9, 1.1)), add=float(rng.uniform(-8, 8)))
    elif way == "marked":
        other = picture.copy()
        cv2.putText(other, "(c) 2026", (8, height - 10), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2)
    elif way == "noise":
        other = noisy(picture, rng, float(rng.uniform(3, 10)))
    else:
        other = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.8, 2)))
    return Example(True, f"{kind}, {way}", (picture, jpeg(np.ascontiguousarray(other), int(rng.integers(50, 95)))))


def others(rng: Rng) -> Example:
    which = int(rng.integers(4))
    first, kind = _any_picture(rng, which)
    while True:
        second, other = _any_picture(rng, which)
        if kind == other and not np.array_equal(first, second):
            return Example(False, kind, (first, second))
