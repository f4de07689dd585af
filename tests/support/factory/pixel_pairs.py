"""Made pairs of pictures: still ones, edited ones, moved cameras, and edits that spill over."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from support.factory.pixel_examples import Example
from support.factory.scenes import KINDS, TEXTURED, Rng, Scene, lit, problem, recorded, scene, thing

cv2: Any = import_module("cv2")  # its types know no plain arrays

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


def same_scene(rng: Rng) -> Example:
    one = scene(rng)
    jitter = one.camera((float(rng.uniform(-0.3, 0.3)), float(rng.uniform(-0.3, 0.3)))) if rng.random() < 0.3 else None
    return Example(True, f"{one.kind}, the same", recorded(one.render(), one.render(jitter), rng))


def same_problem(rng: Rng) -> Example:
    name = str(rng.choice(["paintbench", "tinygrafix"]))
    before, _ = problem(rng, name)
    return Example(True, f"{name}, the same", recorded(before, before, rng))


def changed_scene(rng: Rng) -> Example:
    before, after, way = visible(rng)
    return Example(False, way, recorded(before.render(), after.render(), rng))


def changed_light(rng: Rng) -> Example:
    one = scene(rng, (*TEXTURED, "plain"))
    before = one.render()
    after = lit(before, add=float(rng.choice([-1, 1]) * rng.uniform(14, 50)), tint=rng.uniform(0.9, 1.1, 3))
    return Example(False, f"{one.kind}, another light", recorded(before, after, rng))


def changed_problem(rng: Rng) -> Example:
    while True:
        name = str(rng.choice(["paintbench", "tinygrafix"]))
        before, after = problem(rng, name)
        if before.shape == after.shape and (np.abs(before.astype(int) - after).max(axis=2) > 30).mean() > 0.004:
            return Example(False, f"{name}, edited", recorded(before, after, rng))


# ---- camera_motion


def camera_way(rng: Rng, one: Scene) -> tuple[Any, str]:
    """A motion of at least 1.2 % of the longer side in the mean."""
    longer = max(one.height, one.width)
    way = str(rng.choice(["shift", "zoom", "turn", "all"]))
    angle = rng.uniform(0, 2 * np.pi)
    far = rng.uniform(0.012, 0.08) * longer if way in ("shift", "all") else 0.0
    zoom = 1 + float(rng.choice([-1, 1]) * rng.uniform(0.04, 0.12)) if way in ("zoom", "all") else 1.0
    turn = float(rng.choice([-1, 1]) * rng.uniform(2.2, 6)) if way in ("turn", "all") else 0.0
    return one.camera((far * np.cos(angle), far * np.sin(angle)), zoom, turn), way


def moved_camera(rng: Rng) -> Example:
    one = scene(rng, (*TEXTURED, "night"))
    camera, way = camera_way(rng, one)
    return Example(True, f"{one.kind}, camera {way}", recorded(one.render(), one.render(camera), rng))


def moved_camera_and_object(rng: Rng) -> Example:
    one, after, edit = visible(rng, TEXTURED)
    camera, way = camera_way(rng, one)
    picture = after.render(camera)
    if rng.random() < 0.4:
        picture = lit(picture, gain=float(rng.uniform(0.7, 1.25)))
    return Example(True, f"{edit}, camera {way}", recorded(one.render(), picture, rng))


def moved_flat(rng: Rng) -> Example:
    one = scene(rng, ("plain",), (7, 10))
    one = replace(
        one, things=tuple(_contrasted(rng, replace(one, things=()), thing(rng, x=x, y=y)) for x, y in _spread(rng, 8))
    )
    camera, way = camera_way(rng, one)
    return Example(True, f"shapes on a plain ground, camera {way}", recorded(one.render(), one.render(camera), rng))


def _spread(rng: Rng, count: int) -> list[tuple[float, float]]:
    places = [(x, y) for x in (0.22, 0.4, 0.6, 0.78) for y in (0.22, 0.5, 0.78)]
    rng.shuffle(places)
    return [(float(x), float(y)) for x, y in places[:count]]


def moved_object(rng: Rng) -> Example:
    one, after, edit = visible(rng)
    return Example(False, f"{edit}, camera stands", recorded(one.render(), after.render(), rng))


def moved_large_object(rng: Rng) -> Example:
    one = scene(rng, TEXTURED, (1, 3))
    big = thing(rng, (0.2, 0.3), textured=30.0, x=float(rng.uniform(0.4, 0.6)), y=float(rng.uniform(0.4, 0.6)))
    far = rng.choice([-1, 1], 2) * rng.uniform(0.02, 0.1, 2)
    moved = replace(big, x=big.x + far[0], y=big.y + far[1])
    pair = [replace(one, things=(*one.things, item)).render() for item in (big, moved)]
    return Example(False, f"{one.kind}, a large object moves", recorded(pair[0], pair[1], rng))


def relit(rng: Rng) -> Example:
    one = scene(rng, TEXTURED)
    before = one.render()
    ramp = np.linspace(rng.uniform(0.5, 1), rng.uniform(0.8, 1.3), before.shape[1], dtype=np.float32)[None, :, None]
    after = lit(
        before, gain=float(rng.uniform(0.35, 1.1)), gamma=float(rng.uniform(0.8, 1.6)), tint=rng.uniform(0.7, 1.1, 3)
    )
    after = np.clip(after * ramp, 0, 255).astype(np.uint8)
    return Example(False, f"{one.kind}, another light", recorded(before, after, rng))


def shaken(rng: Rng) -> Example:
    one = scene(rng, TEXTURED)
    far = 0.002 * max(one.height, one.width)
    camera = one.camera((float(rng.uniform(-far, far)), float(rng.uniform(-far, far))))
    return Example(False, f"{one.kind}, slightly shaken", recorded(one.render(), one.render(camera), rng))


def edited_problem(rng: Rng) -> Example:
    while True:
        name = str(rng.choice(["paintbench", "tinygrafix"]))
        before, after = problem(rng, name)
        share = (np.abs(before.astype(int) - after).max(axis=2) > 30).mean()
        if before.shape == after.shape and share < 0.15:  # not those that turn the whole picture
            return Example(False, f"{name}, edited", recorded(before, after, rng))


# ---- stable_outside


def spilled(rng: Rng) -> Example:
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


def scattered(rng: Rng) -> Example:
    one = scene(rng, TEXTURED, (1, 2))
    things = [
        _contrasted(rng, one, thing(rng, (0.04, 0.07), x=x, y=y)) for x, y in _spread(rng, int(rng.integers(6, 10)))
    ]
    after = replace(one, things=(*one.things, *things))
    return Example(True, f"{one.kind}, {len(things)} places", recorded(one.render(), after.render(), rng))


def beside_regions(rng: Rng, found: bool = True) -> Example:
    one, after, edit = visible(rng)
    before, picture = one.render(), after.render()
    rows, columns = np.nonzero(np.abs(before.astype(int) - picture).max(axis=2) > 8)
    left, right, top, bottom = (int(value) for value in (columns.min(), columns.max() + 1, rows.min(), rows.max() + 1))
    region: dict[str, Any] = {"name": "edit", "x": left, "y": top, "width": right - left, "height": bottom - top}
    if found:
        region = {**region, "x": left - (right - left) if left > before.shape[1] - right else right}
        region["x"] = max(0, region["x"])
        region["width"] = min(region["width"], before.shape[1] - region["x"], left if region["x"] < left else 1 << 30)
    pair = recorded(before, picture, rng)
    return Example(found, f"{edit}, regions {'beside' if found else 'around'} it", pair, (region,))


def local(rng: Rng) -> Example:
    one, after, edit = visible(rng)
    return Example(False, edit, recorded(one.render(), after.render(), rng))


def local_light(rng: Rng) -> Example:
    one = scene(rng, TEXTURED)
    before = one.render()
    height, width = before.shape[:2]
    spot = np.zeros((height, width), np.float32)
    place = (int(rng.uniform(0.3, 0.7) * width), int(rng.uniform(0.3, 0.7) * height))
    cv2.circle(spot, place, int(0.1 * min(height, width)), 1.0, -1)
    spot = cv2.GaussianBlur(spot, (0, 0), 8)[..., None]
    after = np.clip(before + spot * rng.uniform(50, 90), 0, 255).astype(np.uint8)
    return Example(False, f"{one.kind}, a light in one place", recorded(before, after, rng))
