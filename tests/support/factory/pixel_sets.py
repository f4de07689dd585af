"""Made examples for every check of pixels: half of them should be found, half should not.

``made(check, seed)`` gives the set that the checks were developed on. ``made(check, seed, unseen=True)`` gives a set of
somebody who has not seen the checks, from ``pixel_sets_unseen.py`` beside this file: a module with a function
``unseen(check, seed, count) -> Iterator[Example]``.

What counts as found, for whoever makes a set (between the two lies what nobody needs to agree on):

- ``static_pair``: the same picture, apart from noise up to 6 levels, JPEG from 45, H.264 up to crf 30, a flicker of 2 levels
  or a jitter of 0.3 pixels. Not found: any change that covers at least 0.3 % of the picture and 25 levels, or all of
  it and 10 levels.
- ``camera_motion``: the mean place of the picture moves by at least 1 % of the longer side, by shift, zoom or turn,
  whatever else changes. Not found: under 0.3 %; objects up to a third of the picture may move, light may change.
- ``blank_frame``: nothing to see (one color, black, white, noise), or at least 5 % broken by missing data. Not found:
  any picture that shows something, dark, light, hazy, grainy or blocky as it may be.
- ``stable_outside``: more than an edit in at most three places changed: a tint of 8 levels or more, a shift of 1 % or
  more, another texture, at least six places far from each other; or something outside of given regions. Not found: an
  edit of at most three places under 40 % of the picture, with the noise of ``static_pair``.
- ``near_duplicates``: one picture after resizing, coding, noise, a crop of at most 2 %, light by at most 10 %, a mark of at
  most 1.5 %. Not found: another picture, of the same kind as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import cv2
import numpy as np

from editscope.images import Pixels
from support.factory.scenes import (
    KINDS,
    TEXTURED,
    Rng,
    Scene,
    cloud,
    jpeg,
    lit,
    noisy,
    problem,
    recorded,
    scene,
    thing,
)

COUNT = 100
"""Examples of each label."""


@dataclass(frozen=True)
class Example:
    """An example of a check: whether it should be found, what it is, one or two pictures, and regions where given."""

    found: bool
    about: str
    pictures: tuple[Pixels, ...]
    regions: tuple[dict[str, Any], ...] = ()


def made(check: str, seed: int, unseen: bool = False, count: int = COUNT) -> Iterator[Example]:
    """``count`` examples that should be found, and as many that should not, in turn."""
    if unseen:
        yield from import_module("support.factory.pixel_sets_unseen").unseen(check, seed, count)
        return
    for number in range(count):
        for found in (True, False):
            rng = np.random.default_rng([seed, list(MAKERS).index(check), number, found])
            ways = MAKERS[check][found]
            yield ways[number % len(ways)](rng)


# ---- edits


def edited(rng: Rng, one: Scene) -> tuple[Scene, str]:
    """A scene after a local edit of one object."""
    things = list(one.things)
    place = int(rng.integers(len(things)))
    item = things[place]
    way = str(rng.choice(["moved", "recolored", "added", "removed", "grown"]))
    if way == "moved":
        away = rng.choice([-1, 1], 2) * rng.uniform(0.08, 0.15, 2)
        things[place] = replace(item, x=item.x + (0.5 - item.x) / 2 + away[0], y=item.y + (0.5 - item.y) / 2 + away[1])
    elif way == "recolored":
        color = tuple(float((value + rng.uniform(70, 150)) % 235) for value in item.color)
        things[place] = replace(item, color=color)
    elif way == "added":
        things.append(_contrasted(rng, one, thing(rng)))
    elif way == "removed":
        del things[place]
    else:
        things[place] = replace(item, size=item.size * 1.5)
    return replace(one, things=tuple(things)), way


def _contrasted(rng: Rng, one: Scene, item: Any) -> Any:
    """An object that differs from what it stands before."""
    picture = one.render()
    height, width = picture.shape[:2]
    y, x = (int((share * 1.4 - 0.2) * side) for share, side in ((item.y, height), (item.x, width)))
    behind = picture[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)].astype(float)
    return replace(item, color=tuple(float(value + 110 if value < 128 else value - 110) for value in behind))


def visible(rng: Rng, kinds: tuple[str, ...] = KINDS, least: float = 0.004) -> tuple[Scene, Scene, str]:
    """A scene and its edit, drawn again until the edit can be seen."""
    while True:
        one = scene(rng, kinds)
        one = replace(one, things=tuple(_contrasted(rng, replace(one, things=()), item) for item in one.things))
        after, way = edited(rng, one)
        difference = np.abs(one.render().astype(int) - after.render()).max(axis=2)
        if (difference > 30).mean() > least:
            return one, after, f"{one.kind}, {way}"


# ---- static_pair


def _same_scene(rng: Rng) -> Example:
    one = scene(rng)
    jitter = one.camera((float(rng.uniform(-0.3, 0.3)), float(rng.uniform(-0.3, 0.3)))) if rng.random() < 0.3 else None
    return Example(True, f"{one.kind}, the same", recorded(one.render(), one.render(jitter), rng))


def _same_problem(rng: Rng) -> Example:
    name = str(rng.choice(["paintbench", "tinygrafix"]))
    before, _ = problem(rng, name)
    return Example(True, f"{name}, the same", recorded(before, before, rng))


def _changed_scene(rng: Rng) -> Example:
    before, after, way = visible(rng)
    return Example(False, way, recorded(before.render(), after.render(), rng))


def _changed_light(rng: Rng) -> Example:
    one = scene(rng, (*TEXTURED, "plain"))
    before = one.render()
    after = lit(before, add=float(rng.choice([-1, 1]) * rng.uniform(14, 50)), tint=rng.uniform(0.9, 1.1, 3))
    return Example(False, f"{one.kind}, another light", recorded(before, after, rng))


def _changed_problem(rng: Rng) -> Example:
    while True:
        name = str(rng.choice(["paintbench", "tinygrafix"]))
        before, after = problem(rng, name)
        if before.shape == after.shape and (np.abs(before.astype(int) - after).max(axis=2) > 30).mean() > 0.004:
            return Example(False, f"{name}, edited", recorded(before, after, rng))


# ---- camera_motion


def _camera(rng: Rng, one: Scene) -> tuple[Any, str]:
    """A motion of at least 1.2 % of the longer side in the mean."""
    longer = max(one.height, one.width)
    way = str(rng.choice(["shift", "zoom", "turn", "all"]))
    angle = rng.uniform(0, 2 * np.pi)
    far = rng.uniform(0.012, 0.08) * longer if way in ("shift", "all") else 0.0
    zoom = 1 + float(rng.choice([-1, 1]) * rng.uniform(0.04, 0.12)) if way in ("zoom", "all") else 1.0
    turn = float(rng.choice([-1, 1]) * rng.uniform(2.2, 6)) if way in ("turn", "all") else 0.0
    return one.camera((far * np.cos(angle), far * np.sin(angle)), zoom, turn), way


def _moved_camera(rng: Rng) -> Example:
    one = scene(rng, (*TEXTURED, "night"))
    camera, way = _camera(rng, one)
    return Example(True, f"{one.kind}, camera {way}", recorded(one.render(), one.render(camera), rng))


def _moved_camera_and_object(rng: Rng) -> Example:
    one, after, edit = visible(rng, TEXTURED)
    camera, way = _camera(rng, one)
    picture = after.render(camera)
    if rng.random() < 0.4:
        picture = lit(picture, gain=float(rng.uniform(0.7, 1.25)))
    return Example(True, f"{edit}, camera {way}", recorded(one.render(), picture, rng))


def _moved_flat(rng: Rng) -> Example:
    one = scene(rng, ("plain",), (7, 10))
    one = replace(
        one, things=tuple(_contrasted(rng, replace(one, things=()), thing(rng, x=x, y=y)) for x, y in _spread(rng, 8))
    )
    camera, way = _camera(rng, one)
    return Example(True, f"shapes on a plain ground, camera {way}", recorded(one.render(), one.render(camera), rng))


def _spread(rng: Rng, count: int) -> list[tuple[float, float]]:
    places = [(x, y) for x in (0.22, 0.4, 0.6, 0.78) for y in (0.22, 0.5, 0.78)]
    rng.shuffle(places)
    return [(float(x), float(y)) for x, y in places[:count]]


def _moved_object(rng: Rng) -> Example:
    one, after, edit = visible(rng)
    return Example(False, f"{edit}, camera stands", recorded(one.render(), after.render(), rng))


def _moved_large_object(rng: Rng) -> Example:
    one = scene(rng, TEXTURED, (1, 3))
    big = thing(rng, (0.2, 0.3), textured=30.0, x=float(rng.uniform(0.4, 0.6)), y=float(rng.uniform(0.4, 0.6)))
    far = rng.choice([-1, 1], 2) * rng.uniform(0.02, 0.1, 2)
    moved = replace(big, x=big.x + far[0], y=big.y + far[1])
    pair = [replace(one, things=(*one.things, item)).render() for item in (big, moved)]
    return Example(False, f"{one.kind}, a large object moves", recorded(pair[0], pair[1], rng))


def _relit(rng: Rng) -> Example:
    one = scene(rng, TEXTURED)
    before = one.render()
    ramp = np.linspace(rng.uniform(0.5, 1), rng.uniform(0.8, 1.3), before.shape[1], dtype=np.float32)[None, :, None]
    after = lit(
        before, gain=float(rng.uniform(0.35, 1.1)), gamma=float(rng.uniform(0.8, 1.6)), tint=rng.uniform(0.7, 1.1, 3)
    )
    after = np.clip(after * ramp, 0, 255).astype(np.uint8)
    return Example(False, f"{one.kind}, another light", recorded(before, after, rng))


def _shaken(rng: Rng) -> Example:
    one = scene(rng, TEXTURED)
    far = 0.002 * max(one.height, one.width)
    camera = one.camera((float(rng.uniform(-far, far)), float(rng.uniform(-far, far))))
    return Example(False, f"{one.kind}, slightly shaken", recorded(one.render(), one.render(camera), rng))


def _edited_problem(rng: Rng) -> Example:
    while True:
        name = str(rng.choice(["paintbench", "tinygrafix"]))
        before, after = problem(rng, name)
        share = (np.abs(before.astype(int) - after).max(axis=2) > 30).mean()
        if before.shape == after.shape and share < 0.15:  # not those that turn the whole picture
            return Example(False, f"{name}, edited", recorded(before, after, rng))


# ---- blank_frame


def _plain(rng: Rng) -> Example:
    height, width = 480, 640
    level: Any = rng.choice(["black", "white", "color"])
    color = {"black": rng.uniform(0, 12, 3), "white": rng.uniform(248, 255, 3), "color": rng.uniform(0, 255, 3)}[level]
    picture = (
        np.ones((height, width, 3), np.float32) * color + rng.uniform(0, 4) * np.linspace(-1, 1, width)[None, :, None]
    )
    picture = noisy(np.clip(picture, 0, 255).astype(np.uint8), rng, float(rng.choice([0, 0, 1, 3, 6])))
    return Example(True, str(level), (jpeg(picture, 80) if rng.random() < 0.4 else picture,))


def _noise(rng: Rng) -> Example:
    height, width = (int(side) for side in rng.choice([256, 384, 512, 640], 2))
    way = str(rng.choice(["uniform", "normal", "gray", "pepper"]))
    if way == "uniform":
        picture = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    elif way == "normal":
        picture = noisy(
            np.full((height, width, 3), int(rng.integers(80, 180)), np.uint8), rng, float(rng.uniform(25, 60))
        )
    elif way == "gray":
        picture = np.repeat(rng.integers(0, 256, (height, width, 1), dtype=np.uint8), 3, axis=2)
    else:
        picture = np.repeat(np.where(rng.random((height, width, 1)) < 0.5, 255, 0).astype(np.uint8), 3, axis=2)
    return Example(
        True, f"noise, {way}", (jpeg(picture, int(rng.integers(50, 95))) if rng.random() < 0.5 else picture,)
    )


def _missing(rng: Rng) -> Example:
    one = scene(rng, (*TEXTURED, "plain"))
    picture = one.render().copy()
    height, width = picture.shape[:2]
    top = int(rng.uniform(0.1, 0.85) * height) // 16 * 16
    way = str(rng.choice(["green", "all green", "gray", "drawn out"]))
    if way == "all green":
        picture[:] = (0, 135, 0)
    elif way == "drawn out":
        if one.kind == "plain":
            way, picture[top:] = "gray", 128
        else:
            picture[top:] = picture[top - 1]
    else:
        picture[top:] = (0, 135, 0) if way == "green" else (128, 128, 128)
    return Example(True, f"missing data, {way}", (picture,))


def _broken_blocks(rng: Rng) -> Example:
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


def _shown(rng: Rng) -> Example:
    one = scene(rng)
    return Example(False, one.kind, recorded(one.render(), one.render(), rng)[1:])


def _hard_to_see(rng: Rng) -> Example:
    one, _, _ = visible(rng, (*TEXTURED, "plain"))
    picture = one.render()
    way = str(rng.choice(["dark", "light", "haze", "grain", "blocky"]))
    if way == "dark":
        picture = lit(picture, gain=float(rng.uniform(0.25, 0.4)))
    elif way == "light":
        picture = lit(picture, gain=0.35, add=165)
    elif way == "haze":
        picture = lit(picture, gain=float(rng.uniform(0.25, 0.4)), add=100)
    elif way == "grain":
        picture = noisy(picture, rng, float(rng.uniform(8, 16)))
    else:
        picture = jpeg(picture, int(rng.integers(12, 25)))
    return Example(False, f"{one.kind}, {way}", (picture,))


def _pattern(rng: Rng) -> Example:
    height, width = 480, 640
    way = str(rng.choice(["stripes", "checks", "grass", "mosaic"]))
    rows, columns = np.indices((height, width))
    side = int(rng.choice([5, 9, 12, 20, 28]))
    if way == "stripes":
        gray = 60.0 + 120 * ((columns + 0.2 * rows) // side % 2)
    elif way == "checks":
        gray = 60.0 + 120 * ((columns // side + rows // side) % 2)
    elif way == "grass":
        gray = 110 + 40 * cloud(rng, height, width, 6, 3, 0.8)
    else:
        small = rng.integers(20, 235, (height // side + 1, width // side + 1))
        gray = np.repeat(np.repeat(small, side, 0), side, 1)[:height, :width].astype(float)
    picture = np.clip(gray[..., None] * rng.uniform(0.6, 1.1, 3), 0, 255).astype(np.uint8)
    return Example(False, way, recorded(picture, picture, rng)[1:])


def _shown_problem(rng: Rng) -> Example:
    name = str(rng.choice(["paintbench", "tinygrafix"]))
    before, _ = problem(rng, name)
    return Example(False, name, recorded(before, before, rng)[1:])


# ---- stable_outside


def _spilled(rng: Rng) -> Example:
    one, after, edit = visible(rng, TEXTURED)
    picture = after.render()
    way = str(rng.choice(["tint", "light", "shift", "texture", "blur"]))
    if way == "tint":
        tint = np.zeros(3)
        tint[int(rng.integers(3))] = rng.choice([-1, 1]) * rng.uniform(10, 25)
        picture = np.clip(picture + tint, 0, 255).astype(np.uint8)
    elif way == "light":
        picture = lit(picture, gain=float(rng.choice([0.8, 0.87, 1.13, 1.2])))
    elif way == "shift":
        picture = after.render(after.camera((float(rng.uniform(6, 12)), float(rng.uniform(-8, 8)))))
    elif way == "texture":
        picture = replace(after, seed=after.seed + 1).render()
    else:
        one, after, edit = visible(rng, ("landscape", "tiles"))
        picture = cv2.GaussianBlur(after.render(), (0, 0), float(rng.uniform(4, 7)))
    return Example(True, f"{edit}, and {way} all over", recorded(one.render(), picture, rng))


def _scattered(rng: Rng) -> Example:
    one = scene(rng, TEXTURED, (1, 2))
    things = [
        _contrasted(rng, one, thing(rng, (0.04, 0.07), x=x, y=y)) for x, y in _spread(rng, int(rng.integers(6, 10)))
    ]
    after = replace(one, things=(*one.things, *things))
    return Example(True, f"{one.kind}, {len(things)} places", recorded(one.render(), after.render(), rng))


def _beside_regions(rng: Rng, found: bool = True) -> Example:
    one, after, edit = visible(rng)
    before, picture = one.render(), after.render()
    rows, columns = np.nonzero(np.abs(before.astype(int) - picture).max(axis=2) > 8)
    left, right, top, bottom = (int(value) for value in (columns.min(), columns.max() + 1, rows.min(), rows.max() + 1))
    region = {"name": "edit", "x": left, "y": top, "width": right - left, "height": bottom - top}
    if found:
        region = {**region, "x": left - (right - left) if left > before.shape[1] - right else right}
        region["x"] = max(0, region["x"])
        region["width"] = min(region["width"], before.shape[1] - region["x"], left if region["x"] < left else 1 << 30)
    pair = recorded(before, picture, rng)
    return Example(found, f"{edit}, regions {'beside' if found else 'around'} it", pair, (region,))


def _local(rng: Rng) -> Example:
    one, after, edit = visible(rng)
    return Example(False, edit, recorded(one.render(), after.render(), rng))


def _local_light(rng: Rng) -> Example:
    one = scene(rng, TEXTURED)
    before = one.render()
    height, width = before.shape[:2]
    spot = np.zeros((height, width), np.float32)
    place = (int(rng.uniform(0.3, 0.7) * width), int(rng.uniform(0.3, 0.7) * height))
    cv2.circle(spot, place, int(0.1 * min(height, width)), 1.0, -1)
    spot = cv2.GaussianBlur(spot, (0, 0), 8)[..., None]
    after = np.clip(before + spot * rng.uniform(50, 90), 0, 255).astype(np.uint8)
    return Example(False, f"{one.kind}, a light in one place", recorded(before, after, rng))


# ---- near_duplicates


def _any_picture(rng: Rng) -> tuple[Pixels, str]:
    kind = int(rng.integers(4))
    if kind > 1:
        one = scene(rng, (*TEXTURED, "night"), (3, 6))
        return one.render(), one.kind
    name = ("paintbench", "tinygrafix")[kind]
    return problem(rng, name)[0], name


def _copied(rng: Rng) -> Example:
    picture, kind = _any_picture(rng)
    height, width = picture.shape[:2]
    way = str(rng.choice(["resized", "cropped", "lit", "marked", "noise", "blurred"]))
    other = picture
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


def _others(rng: Rng) -> Example:
    first, kind = _any_picture(rng)
    while True:
        second, other = _any_picture(rng)
        if kind == other and not np.array_equal(first, second):
            return Example(False, kind, (first, second))


Maker = Callable[[Rng], Example]
MAKERS: dict[str, dict[bool, tuple[Maker, ...]]] = {
    "static_pair": {
        True: (_same_scene, _same_scene, _same_problem),
        False: (_changed_scene, _changed_scene, _changed_light, _changed_problem),
    },
    "camera_motion": {
        True: (_moved_camera, _moved_camera_and_object, _moved_camera, _moved_flat),
        False: (_moved_object, _moved_large_object, _relit, _shaken, _moved_object, _edited_problem),
    },
    "blank_frame": {
        True: (_plain, _noise, _missing, _broken_blocks),
        False: (_shown, _hard_to_see, _pattern, _shown_problem, _hard_to_see),
    },
    "stable_outside": {
        True: (_spilled, _spilled, _scattered, _beside_regions),
        False: (_local, _local, _local_light, lambda rng: _beside_regions(rng, found=False)),
    },
    "near_duplicates": {True: (_copied,), False: (_others,)},
}
