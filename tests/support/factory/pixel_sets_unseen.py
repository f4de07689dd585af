"""Made examples for the checks of pixels, by somebody who has seen only their definitions in ``pixel_sets.py``.

``unseen(check, seed, count)`` gives ``count`` examples that should be found and ``count`` that should not, in turn.
Every example comes from its own random numbers, so that it depends on the check, the seed and its place only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import cv2
import numpy as np

import editscope as es
from editscope.images import Pixels, to_array
from support.factory.pixel_examples import Example
from support.factory.unseen import unseen_damage as damage
from support.factory.unseen.unseen_damage import floats, h264, jpeg, noisy, pixels, quiet, share
from support.factory.unseen.unseen_edits import Box, Edited, edited, put, six_places, small_thing, tinted, weather
from support.factory.unseen.unseen_minimal import MINIMAL, nothing
from support.factory.unseen.unseen_scenes import SCENES, fitted, scene, suite_ids
from support.factory.unseen.unseen_strokes import Plane, Rng, fractal, sprite, words, write

SHAPES = ((4, 3), (3, 4), (1, 1), (16, 9), (9, 16), (3, 2), (2, 1), (5, 4))
PHOTOS = tuple(kind for kind in SCENES if kind not in ("page", "chart", "paintbench", "tinygrafix"))
RICH = tuple(kind for kind in PHOTOS if kind not in ("sky", "fog"))
LINED = ("paintbench", "tinygrafix")


def size_of(rng: Rng) -> tuple[int, int]:
    """A size with even sides from 256 to 768."""
    wide, high = SHAPES[int(rng.integers(len(SHAPES)))]
    side = rng.uniform(256, 768 * min(wide, high) / max(wide, high))
    return tuple(2 * round(side * part / min(wide, high) / 2) for part in (wide, high))  # type: ignore[return-value]


def any_kind(rng: Rng, kinds: tuple[str, ...] = tuple(SCENES)) -> str:
    return str(rng.choice(np.asarray(kinds)))


def shows(picture: Plane) -> bool:
    """Whether there is anything to see: light and dark places that no blur takes away."""
    soft = cv2.GaussianBlur(picture, (0, 0), 2)
    low, high = np.percentile(soft, [0.5, 99.5], axis=(0, 1))
    return float((high - low).max()) >= 9


def static_found(rng: Rng) -> Example:
    kind, (width, height) = any_kind(rng), size_of(rng)
    canvas = scene(kind, rng, width, height)
    before, after, how = quiet(rng, canvas, canvas)
    return Example(True, f"{kind}: {how}", (before, after))


def case_pair(rng: Rng, largest: float = 1, places: int = 999) -> tuple[Plane, Plane, str]:
    """The input and the answer of a case whose edit is large enough to see, at most so large and in so many places."""
    while True:
        name = any_kind(rng, LINED)
        case = es.load_suite(name)[str(rng.choice(np.asarray(suite_ids(name))))]
        if case.answer is None:
            continue
        first, second = (np.asarray(to_array(one), np.float32) for one in (case.images[0], case.answer))
        if first.shape != second.shape or first.shape[2] != 3:
            continue
        long = rng.uniform(400, 768)
        scale = long / max(first.shape[:2])
        width, height = (2 * round(side * scale / 2) for side in (first.shape[1], first.shape[0]))
        if min(width, height) < 256:
            continue
        first, second = fitted(first, width, height), fitted(second, width, height)
        near = cv2.dilate((np.abs(first - second).max(2) > 8).astype(np.uint8), np.ones((9, 9), np.uint8))
        found, _, boxes, _ = cv2.connectedComponentsWithStats(near)
        area = sum(int(box[2]) * int(box[3]) for box in boxes[1:]) / near.size
        if share(first, second, 27) >= 0.005 and found - 1 <= places and area < largest:
            return first, second, str(case.id)


def static_not_found(rng: Rng) -> Example:
    kind, (width, height) = any_kind(rng), size_of(rng)
    canvas = scene(kind, rng, width, height)
    way = int(rng.integers(6))
    if kind in LINED and way < 3:
        canvas, changed, about = case_pair(rng)
    elif way < 3:
        changed, about = small_thing(rng, canvas)
    elif way == 3:
        one = edited(rng, canvas, 1)
        changed, about = one.picture, ", ".join(one.about)
    elif way == 4:
        changed, about = tinted(rng, canvas, 14, 30)
    else:
        light = rng.uniform(15, 35) * (1 if canvas.mean() < 120 else -1)
        changed, about = np.asarray(canvas + light, np.float32), f"light {light:.0f} levels"
    if share(pixels(canvas), pixels(changed), 27) < 0.004 and share(pixels(canvas), pixels(changed), 12.5) < 0.97:
        return static_not_found(rng)
    before, after, how = quiet(rng, canvas, changed)
    return Example(False, f"{kind}: {about}, {how}", (before, after))


def things(rng: Rng, canvases: list[Plane], over: float, size: tuple[int, int], most: float) -> str:
    """Put things that move into two canvases, together at most ``most`` of the picture; say how many."""
    edge, room, count = damage.MARGIN * max(size), most * size[0] * size[1], int(rng.integers(1, 5))
    for _ in range(count):
        side = round(float(np.sqrt(room / count)) * rng.uniform(0.4, 1) * over)
        thing = sprite(rng, max(side, 8))
        x, y = ((edge + rng.uniform(0.05, 0.95) * whole) * over for whole in size)
        way = rng.normal(0, 0.12, 2) * max(size) * over
        for canvas, step in zip(canvases, (0, 1), strict=True):
            put(canvas, thing, x + way[0] * step, y + way[1] * step)
    return f"{count} moving things"


def camera(rng: Rng, found: bool) -> Example:
    kind, (width, height) = any_kind(rng), size_of(rng)
    over, long = 1.5, max(width, height)
    canvas = scene(kind, rng, *damage.canvas_size(width, height, over), over=1)
    how = str(rng.choice(["shift", "zoom", "turn", "tilt", "combined"]))
    matrix = np.eye(3)
    far = float(np.exp(rng.uniform(np.log(0.012), np.log(0.09)))) if found else rng.uniform(0, 0.0015)
    if found or rng.random() < 0.5:
        matrix = damage.motion(rng, how, far, width, height)
    way = damage.mean_way(matrix, width, height) / long
    if not damage.inside(matrix, width, height) or found != (way >= 0.011) or (not found and way > 0.0016):
        return camera(rng, found)
    plain = [damage.seen(canvas, step, width, height, over) for step in (np.eye(3), matrix)]
    if not shows(plain[0]) or (found and share(plain[0], plain[1], 12) < 0.003):
        return camera(rng, found)
    about = [f"{how} {way:.2%}" if way else "still camera"]
    canvases = [canvas, canvas.copy()]
    if rng.random() < (0.4 if found else 0.7):
        about.append(things(rng, canvases, over, (width, height), 0.15 if found else 0.32))
    start = damage.motion(rng, "shift", rng.uniform(0, 0.002), width, height)
    first, second = (
        damage.seen(one, start @ step, width, height, over)
        for one, step in zip(canvases, (np.eye(3), matrix), strict=True)
    )
    if rng.random() < 0.5:
        second, light = damage.relit(rng, second)
        about.append(light)
    if kind in PHOTOS and rng.random() < 0.2:
        rain = bool(rng.random() < 0.5)
        first, second = weather(rng, first, rain), weather(rng, second, rain)
        about.append("rain" if rain else "falling snow")
    before, after, coding = quiet(rng, first, second)
    return Example(found, f"{kind}: {', '.join(about)}, {coding}", (before, after))


def blank_found(rng: Rng) -> Example:
    size = size_of(rng)
    if rng.random() < 0.45:
        picture, about = nothing(rng, *size)
        return Example(True, about, (picture,))
    names = tuple(damage.FAULTS)
    name = any_kind(rng, names)
    while True:
        kind, other = any_kind(rng), any_kind(rng, RICH)
        whole = pixels(scene(kind, rng, *size))
        broken = damage.FAULTS[name](rng, whole, pixels(scene(other, rng, *size)))
        if share(whole, broken, 20) >= 0.07:
            break
    if rng.random() < 0.3:
        broken = jpeg(broken, int(rng.integers(70, 96)))
    return Example(True, f"{kind}: {name}", (broken,))


def blank_not_found(rng: Rng) -> Example:
    while True:
        example = something(rng)
        if shows(floats(example.pictures[0])):
            return example


def something(rng: Rng) -> Example:
    """A picture that shows something, though it may be dark, light, hazy, grainy or blocky."""
    kind, (width, height) = any_kind(rng), size_of(rng)
    way = int(rng.integers(8))
    if way < 2:
        name = any_kind(rng, tuple(MINIMAL))
        picture = pixels(noisy(rng, MINIMAL[name](rng, width, height), rng.uniform(0, 2)))
        return Example(False, f"minimal: {name}", (picture,))
    canvas = scene(kind, rng, width, height)
    if way == 2:
        kind = any_kind(rng, tuple(one for one in PHOTOS if one != "night"))
        canvas, top = scene(kind, rng, width, height), rng.uniform(14, 50)
        dark = canvas / np.percentile(canvas, 99) * top
        return Example(False, f"{kind}: dark, up to {top:.0f}", (pixels(noisy(rng, dark, rng.uniform(0, 1.5))),))
    if way == 3:
        low = rng.uniform(190, 220)
        return Example(
            False, f"{kind}: light, from {low:.0f}", (pixels(np.asarray(low + canvas / 255 * (255 - low), np.float32)),)
        )
    if way == 4:
        part = rng.uniform(0.12, 0.3)
        hazy = canvas * part + rng.uniform(120, 200) * (1 - part)
        return Example(False, f"{kind}: haze over all but {part:.0%}", (pixels(noisy(rng, hazy, rng.uniform(0, 1))),))
    if way == 5:
        sigma = rng.uniform(15, 40)
        kind = any_kind(rng, RICH) if kind in ("sky", "fog") else kind
        grainy = noisy(rng, scene(kind, rng, width, height), sigma)
        return Example(False, f"{kind}: grain {sigma:.0f}", (pixels(grainy),))
    if way == 6:
        quality = int(rng.integers(4, 12))
        coded = jpeg(pixels(canvas), quality) if rng.random() < 0.5 else h264([pixels(canvas)], 36 + quality)[0]
        return Example(False, f"{kind}: blocky, coded with {quality}", (coded,))
    return Example(False, f"{kind}: as it is", (pixels(canvas),))


def region(number: int, box: Box, width: int, height: int) -> dict[str, Any]:
    """A box with a little air around it, as regions are given: in pixels, with a name."""
    air = round(0.015 * max(width, height)) + 2
    left, top = max(box[0] - air, 0), max(box[1] - air, 0)
    right, bottom = min(box[2] + air, width), min(box[3] + air, height)
    return {"name": f"region {number}", "x": left, "y": top, "width": right - left, "height": bottom - top}


def regions_of(one: Edited, boxes: list[Box]) -> tuple[dict[str, Any], ...]:
    height, width = one.picture.shape[:2]
    return tuple(region(number, box, width, height) for number, box in enumerate(boxes, start=1))


def another_texture(rng: Rng, canvas: Plane) -> Plane:
    """The same picture with its fine structure drawn anew, everywhere."""
    height, width = canvas.shape[:2]
    soft = cv2.GaussianBlur(canvas, (0, 0), max(width, height) * rng.uniform(0.002, 0.008))
    grains = fractal(rng, width, height, rng.uniform(25, 70), rng.uniform(0.5, 0.8), rng.uniform(0.5, 2))
    return np.asarray(np.clip(soft, 25, 230) + grains[..., None] * rng.uniform(12, 22), np.float32)


def shifted_with(rng: Rng) -> tuple[Plane, Plane, str, str]:
    """A scene, the same after a move of the camera with an edit, the kind of the scene, and what was done."""
    kind, (width, height) = any_kind(rng), size_of(rng)
    canvas = scene(kind, rng, *damage.canvas_size(width, height, 1.5), over=1)
    how, far = str(rng.choice(["shift", "zoom", "turn"])), rng.uniform(0.013, 0.05)
    matrix = damage.motion(rng, how, far, width, height)
    first, second = (damage.seen(canvas, step, width, height, 1.5) for step in (np.eye(3), matrix))
    if share(first, second, 12) < 0.003:
        return shifted_with(rng)
    return first, edited(rng, second, 1).picture, kind, f"{how} {far:.1%} and an edit"


def stable_found(rng: Rng) -> Example:
    way = int(rng.integers(6))
    if way == 0:
        first, second, kind, about = shifted_with(rng)
        before, after, how = quiet(rng, first, second)
        return Example(True, f"{kind}: {about}, {how}", (before, after))
    kind, (width, height) = any_kind(rng, RICH if way == 1 else tuple(SCENES)), size_of(rng)
    canvas = scene(kind, rng, width, height)
    if way == 1:
        changed, about = another_texture(rng, canvas), "another texture"
    elif way == 2:
        changed, about = six_places(rng, canvas)
    elif way == 3:
        one = edited(rng, canvas, int(rng.integers(1, 3)))
        changed, about = tinted(rng, one.picture, 9.5, 22)
    else:
        one = edited(rng, canvas, 2)
        boxes = [one.boxes[0]]
        outside, clear = one.picture.copy(), regions_of(one, boxes)[0]
        rows, columns = slice(clear["y"], clear["y"] + clear["height"]), slice(clear["x"], clear["x"] + clear["width"])
        outside[rows, columns] = canvas[rows, columns]
        if share(pixels(canvas), pixels(outside), 27) < 0.005:
            return stable_found(rng)
        before, after, how = quiet(rng, canvas, one.picture)
        about = f"{one.about[0]} in the region, {one.about[1]} outside, {how}"
        return Example(True, f"{kind}: {about}", (before, after), regions_of(one, boxes))
    if share(pixels(canvas), pixels(changed), 8) < (0.02, 0.5, 0.02, 0.8)[way]:
        return stable_found(rng)
    before, after, how = quiet(rng, canvas, changed)
    return Example(True, f"{kind}: {about}, {how}", (before, after))


def stable_not_found(rng: Rng) -> Example:
    kind, (width, height) = any_kind(rng), size_of(rng)
    if kind in LINED:
        first, second, name = case_pair(rng, 0.38, 3)
        before, after, how = quiet(rng, first, second)
        return Example(False, f"{name}, {how}", (before, after))
    canvas = scene(kind, rng, width, height)
    one = edited(rng, canvas, int(rng.integers(1, 4)))
    given = regions_of(one, list(one.boxes)) if rng.random() < 0.4 else ()
    before, after, how = quiet(rng, canvas, one.picture)
    return Example(False, f"{kind}: {', '.join(one.about)}, {how}", (before, after), given)


def variant(rng: Rng, picture: Plane) -> tuple[Pixels, str]:
    """The same picture after one to three of the things that make a near duplicate."""
    about = []
    chosen = set(rng.choice(6, int(rng.integers(1, 4)), replace=False).tolist())
    if 0 in chosen:
        cut = rng.uniform(0, 0.25, 4) * 0.02
        height, width = picture.shape[:2]
        left, top, right, bottom = (round(part * side) for part, side in zip(cut, (width, height) * 2, strict=True))
        picture = picture[top : height - bottom, left : width - right]
        about.append("crop")
    if 1 in chosen:
        light = rng.uniform(0.91, 1.09)
        picture = np.asarray(picture * light, np.float32)
        about.append(f"light {light:.2f}")
    if 2 in chosen:
        size = float(np.sqrt(picture.shape[0] * picture.shape[1] * 0.014 / 5))
        x, y = (rng.choice([0.03, 0.97 - 5 * size / picture.shape[1]]), rng.choice([0.03, 0.9]))
        paint = np.full(3, rng.choice([20.0, 235.0]), np.float32)
        clean = np.asarray(np.clip(picture, 0, 255), np.float32)
        marked = write(clean, x * picture.shape[1], y * picture.shape[0], words(rng, 2)[:9], size, paint)
        picture = np.asarray(clean + (marked - clean) * rng.uniform(0.5, 1), np.float32)
        about.append("mark")
    if 3 in chosen:
        long = max(picture.shape[:2])
        scale = float(np.clip(rng.uniform(0.45, 1.6), 200 / min(picture.shape[:2]), 1100 / long))
        how = cv2.INTER_AREA if scale < 1 else int(rng.choice([cv2.INTER_LINEAR, cv2.INTER_CUBIC]))
        picture = np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=how), np.float32)
        about.append(f"size {scale:.2f}")
    if 4 in chosen:
        picture = noisy(rng, picture, rng.uniform(1, 5.5))
        about.append("noise")
    done = pixels(picture)
    if 5 in chosen:
        even = done[: done.shape[0] // 2 * 2, : done.shape[1] // 2 * 2]
        done = (
            jpeg(done, int(rng.integers(45, 96))) if rng.random() < 0.6 else h264([even], int(rng.integers(20, 31)))[0]
        )
        about.append("coding")
    return done, ", ".join(about)


def duplicates_found(rng: Rng) -> Example:
    kind, size = any_kind(rng), size_of(rng)
    canvas = scene(kind, rng, *size)
    copy, about = variant(rng, canvas)
    return Example(True, f"{kind}: {about}", (pixels(canvas), copy))


def duplicates_not_found(rng: Rng) -> Example:
    kind, (width, height) = any_kind(rng), size_of(rng)
    while True:
        if rng.random() < 0.15 and kind in ("landscape", "crowd", "foliage", "facade", "night", "interior"):
            wide = scene(kind, rng, 2 * width, height)
            first, second, about = wide[:, :width], wide[:, width:], "the other half of one wide view"
        else:
            other = kind if rng.random() < 0.8 else any_kind(rng)
            first, second = scene(kind, rng, width, height), scene(other, rng, width, height)
            about = "another of its kind" if other == kind else f"against {other}"
        if share(first, second, 25) >= 0.05:
            break
    if rng.random() < 0.5:
        copy, how = variant(rng, second)
        return Example(False, f"{kind}: {about}, {how}", (pixels(first), copy))
    return Example(False, f"{kind}: {about}", (pixels(first), pixels(second)))


MAKERS: dict[str, tuple[Callable[[Rng], Example], Callable[[Rng], Example]]] = {
    "static_pair": (static_found, static_not_found),
    "camera_motion": (lambda rng: camera(rng, True), lambda rng: camera(rng, False)),
    "blank_frame": (blank_found, blank_not_found),
    "stable_outside": (stable_found, stable_not_found),
    "near_duplicates": (duplicates_found, duplicates_not_found),
}


def unseen(check: str, seed: int, count: int) -> Iterator[Example]:
    """Examples of a check: ``count`` that should be found and ``count`` that should not, in turn."""
    for number in range(count):
        for found, make in zip((True, False), MAKERS[check], strict=True):
            yield make(np.random.default_rng([crc32(check.encode()), seed, number, int(found)]))
