"""Made pictures that stand for real ones: layered scenes, what light and coders do to them, and problems of suites."""

from __future__ import annotations

import io
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import PIL.Image

from editscope.factory.video.reading import open_video
from editscope.images import Pixels
from support.factory.made_videos import encoded

cv2: Any = import_module("cv2")  # its types know no plain arrays

Rng = np.random.Generator
SIZES = ((512, 512), (480, 640), (640, 480), (512, 768), (360, 640), (720, 720))
SMALL = ((320, 320), (288, 384), (384, 288))
"""Sizes for tests that run often."""
MARGIN = 0.2
"""What a scene has beyond each edge, so that a camera can move."""


def _floats(values: Any) -> Any:
    return np.asarray(values, np.float32)


def cloud(rng: Rng, height: int, width: int, coarse: int, octaves: int = 4, fall: float = 0.5) -> Any:
    """Smooth noise of several scales, from -1 to 1 or so; ``coarse`` is the size of its largest spots in pixels."""
    total = np.zeros((height, width), np.float32)
    for octave in range(octaves):
        cell = max(1, coarse >> octave)
        small = rng.standard_normal((height // cell + 2, width // cell + 2)).astype(np.float32)
        total += fall**octave * cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    return total / (1.5 * np.abs(total).mean() + 1e-6) / 2


@dataclass(frozen=True)
class Thing:
    """An object in a scene: a shape with a color, a texture of its own and a shadow; places are shares of the scene."""

    shape: str
    x: float
    y: float
    size: float
    color: tuple[float, ...]
    angle: float = 0.0
    seed: int = 0
    textured: float = 0.0
    shadow: bool = False

    def mask(self, height: int, width: int) -> Any:
        image = np.zeros((height, width), np.uint8)
        reach = self.size * min(height, width)
        center = (self.x * width, self.y * height)
        if self.shape == "ball":
            cv2.ellipse(image, (center, (2 * reach, 1.8 * reach), self.angle), 255, -1, cv2.LINE_AA)
        elif self.shape == "box":
            corners = cv2.boxPoints((center, (1.9 * reach, 1.5 * reach), self.angle))
            cv2.fillPoly(image, [corners.astype(np.int32)], 255, cv2.LINE_AA)
        else:
            turns = np.radians(self.angle) + np.arange(7) * 2 * np.pi / 7
            radii = reach * (0.7 + 0.5 * np.random.default_rng(self.seed).random(7))
            corners = np.stack([center[0] + radii * np.cos(turns), center[1] + radii * np.sin(turns)], axis=1)
            cv2.fillPoly(image, [corners.astype(np.int32)], 255, cv2.LINE_AA)
        return image.astype(np.float32) / 255


@dataclass(frozen=True)
class Scene:
    """A background by kind and seed, and things before it. ``render`` draws it with its margin."""

    kind: str
    height: int
    width: int
    seed: int
    things: tuple[Thing, ...] = field(default=())

    def render(self, camera: Any | None = None) -> Pixels:
        """The picture; ``camera`` moves the whole scene (2 × 3, in pixels around the center)."""
        top, left = int(MARGIN * self.height), int(MARGIN * self.width)
        height, width = self.height + 2 * top, self.width + 2 * left
        image = _background(self.kind, self.seed, height, width)
        for thing in self.things:
            image = _drawn(image, thing)
        if camera is not None:
            image = cv2.warpAffine(image, camera, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT)
        picture: Pixels = np.clip(image[top : top + self.height, left : left + self.width], 0, 255).astype(np.uint8)
        return picture

    def camera(self, shift: tuple[float, float], zoom: float = 1.0, degrees: float = 0.0) -> Any:
        """A motion around the center; the shift in pixels."""
        center = (self.width * (0.5 + MARGIN), self.height * (0.5 + MARGIN))
        matrix: Any = cv2.getRotationMatrix2D(center, degrees, zoom)
        matrix[:, 2] += shift
        return matrix


def _drawn(image: Any, thing: Thing) -> Any:
    height, width = image.shape[:2]
    mask = thing.mask(height, width)
    if thing.shadow:
        offset = _floats([[1, 0, 0.4 * thing.size * width], [0, 1, 0.3 * thing.size * height]])
        dark = cv2.GaussianBlur(cv2.warpAffine(mask, offset, (width, height)), (0, 0), 6)
        image = image * (1 - 0.4 * dark[..., None])
    rng = np.random.default_rng(thing.seed)
    paint = np.ones_like(image) * _floats(thing.color)
    down = np.linspace(25, -25, height, dtype=np.float32)[:, None, None]
    paint = paint + down
    if thing.textured:
        # The texture moves with the object.
        texture = cloud(rng, height, width, 24)
        move = _floats([[1, 0, thing.x * width], [0, 1, thing.y * height]])
        texture = cv2.warpAffine(texture, move, (width, height), borderMode=cv2.BORDER_WRAP)
        paint = paint + thing.textured * texture[..., None]
    return image * (1 - mask[..., None]) + paint * mask[..., None]


@lru_cache(6)
def _background(kind: str, seed: int, height: int, width: int) -> Any:
    image = background(kind, np.random.default_rng(seed), height, width)
    image.setflags(write=False)
    return image


def background(kind: str, rng: Rng, height: int, width: int) -> Any:
    """One of several backgrounds, as floats."""
    y = np.linspace(0, 1, height, dtype=np.float32)[:, None, None]
    base = rng.uniform(60, 190, 3).astype(np.float32)
    if kind == "plain":
        return np.ones((height, width, 3), np.float32) * base + 12 * y
    if kind == "wall":
        texture = cloud(rng, height, width, 64, 5, 0.6)[..., None]
        return base + rng.uniform(12, 30) * texture + rng.uniform(-40, 40) * (y - 0.5)
    if kind == "landscape":
        sky = _floats([120, 160, 215]) + (1 - y) * -30 + 10 * cloud(rng, height, width, 160, 3)[..., None]
        ridge = 0.45 + 0.08 * cloud(rng, 1, width, 120, 4)[0]
        grass = _floats([80, 110, 50]) + 28 * cloud(rng, height, width, 16, 4, 0.8)[..., None]
        below = (np.linspace(0, 1, height, dtype=np.float32)[:, None] > ridge[None]).astype(np.float32)[..., None]
        return sky * (1 - below) + grass * below
    if kind == "tiles":
        side = int(rng.integers(36, 90))
        rows, columns = np.indices((height, width))
        line = ((rows % side < 3) | (columns % side < 3)).astype(np.float32)[..., None]
        shade = rng.normal(0, 7, (height // side + 1, width // side + 1)).astype(np.float32)
        shade = np.repeat(np.repeat(shade, side, 0), side, 1)[:height, :width, None]
        return base + shade - 45 * line + 5 * cloud(rng, height, width, 12)[..., None]
    if kind == "night":
        image = (
            np.ones((height, width, 3), np.float32) * _floats([8, 9, 16]) + 4 * cloud(rng, height, width, 64)[..., None]
        )
        for _ in range(int(rng.integers(12, 40))):
            light = np.zeros((height, width), np.float32)
            place = (int(rng.integers(0, width)), int(rng.integers(0, height)))
            cv2.circle(light, place, int(rng.integers(3, 9)), 1.0, -1, cv2.LINE_AA)
            glow = light + 0.6 * cv2.GaussianBlur(light, (0, 0), 8)
            image += glow[..., None] * rng.uniform(120, 250, 3).astype(np.float32)
        return image
    if kind == "room":
        wall = base + 6 * cloud(rng, height, width, 90, 4)[..., None]
        grain = cv2.resize(rng.standard_normal((height, 12)).astype(np.float32), (width, height))
        floor = _floats([130, 95, 60]) + 14 * grain[..., None] + 6 * cloud(rng, height, width, 10)[..., None]
        image = np.where(y > 0.62, floor, wall).astype(np.float32)
        for _ in range(3):  # pictures on the wall
            left, top = int(rng.integers(0, int(0.8 * width))), int(rng.integers(0, int(0.4 * height)))
            wide, tall = int(rng.integers(40, 110)), int(rng.integers(40, 90))
            part = image[top : top + tall, left : left + wide]
            part[:] = rng.uniform(30, 220, 3) + 40 * cloud(rng, part.shape[0], part.shape[1], 20)[..., None]
        return image
    raise ValueError(kind)


TEXTURED = ("wall", "landscape", "tiles", "room")
KINDS = (*TEXTURED, "plain", "night")


def thing(rng: Rng, size: tuple[float, float] = (0.05, 0.14), **more: Any) -> Thing:
    """An object somewhere within the picture, not in its margin."""
    x, y = (float(rng.uniform(0.25, 0.75)) for _ in range(2))
    color = tuple(float(value) for value in rng.uniform(20, 235, 3))
    shape = str(rng.choice(["ball", "box", "stone"]))
    made = Thing(shape, x, y, float(rng.uniform(*size)) / (1 + 2 * MARGIN), color, float(rng.uniform(0, 180)),
                 int(rng.integers(1 << 30)), float(rng.choice([0, 15, 30])), bool(rng.random() < 0.5))  # fmt: skip
    return replace(made, **more)


def scene(rng: Rng, kinds: tuple[str, ...] = KINDS, things: tuple[int, int] = (1, 5)) -> Scene:
    """A random scene."""
    height, width = SIZES[int(rng.integers(len(SIZES)))]
    some = tuple(thing(rng) for _ in range(int(rng.integers(things[0], things[1] + 1))))
    return Scene(str(rng.choice(kinds)), height, width, int(rng.integers(1 << 30)), some)


# ---- what light, sensors and coders do


def jpeg(pixels: Pixels, quality: int) -> Pixels:
    file = io.BytesIO()
    PIL.Image.fromarray(pixels).save(file, "JPEG", quality=quality)
    return np.asarray(PIL.Image.open(file).convert("RGB"))


def noisy(pixels: Pixels, rng: Rng, sigma: float) -> Pixels:
    return np.clip(pixels + rng.normal(0, sigma, pixels.shape), 0, 255).astype(np.uint8)


def lit(pixels: Pixels, gain: float = 1.0, add: float = 0.0, gamma: float = 1.0, tint: Any = (1, 1, 1)) -> Pixels:
    values = 255 * (pixels.astype(np.float32) / 255) ** gamma * gain * _floats(tint) + add
    picture: Pixels = np.clip(values, 0, 255).astype(np.uint8)
    return picture


def filmed(frames: list[Pixels], crf: int) -> list[Pixels]:
    """Frames as they come back from a real H.264 encode."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "made.mp4"
        path.write_bytes(encoded(frames, crf=crf))
        with open_video(path) as video:
            return [frame.pixels for frame in video.frames()]


def recorded(before: Pixels, after: Pixels, rng: Rng) -> tuple[Pixels, Pixels]:
    """A pair after what happens to every pair: noise, JPEG or video coding, a slight flicker, or nothing."""
    way = int(rng.integers(5))
    if way == 0:
        return before, after
    if way == 1:
        sigma = float(rng.uniform(1, 6))
        return noisy(before, rng, sigma), noisy(after, rng, sigma)
    if way == 2:
        return jpeg(before, int(rng.integers(45, 95))), jpeg(after, int(rng.integers(45, 95)))
    if way == 3:
        even = [np.ascontiguousarray(one[: one.shape[0] // 2 * 2, : one.shape[1] // 2 * 2]) for one in (before, after)]
        read = filmed([even[0]] * 3 + [even[1]] * 3, int(rng.integers(18, 31)))
        return read[0], read[-1]
    flicker = lit(after, add=float(rng.uniform(-2, 2)))
    return jpeg(noisy(before, rng, 2), 90), jpeg(noisy(flicker, rng, 2), 90)


# ---- problems of suites: pictures, and edits that are right


@cache
def _suite(name: str) -> Any:
    from editscope.suites.registry import load_suite

    return load_suite(name)


def problem(rng: Rng, name: str) -> tuple[Pixels, Pixels]:
    """Picture and answer of a random problem of a generated suite."""
    suite = _suite(name)
    case = suite.case(suite.ids[int(rng.integers(len(suite.ids)))])
    return np.asarray(case.images[0]), np.asarray(case.answer)
