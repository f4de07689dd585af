"""An independent reader of Optics: it solves a problem from the sentence and the description of the scene alone.

It shares no code with the generator. Numbers in sentences are rounded, so what it finds agrees to about a percent.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable
from typing import Any

SceneFields = dict[str, Any]
PLACE = r"([\d.]+)% from the left and ([\d.]+)% from the top of the picture"


def solve(task: str, sentence: str, scene: SceneFields) -> tuple[SceneFields, str]:
    """The scene after the edit, and the name of the solid that changes; "" where the whole scene does."""
    after = copy.deepcopy(scene)
    return after, READERS[task](sentence, after)


def the_one(scene: SceneFields, name: str) -> dict[str, Any]:
    """The solid of a name; AssertionError unless there is exactly one."""
    (solid,) = [solid for solid in scene["solids"] if solid["name"] == name]
    return solid  # type: ignore[no-any-return]


def floor_point(scene: SceneFields, left: str, top: str) -> tuple[float, float]:
    """Where the floor lies at a place of the picture: the ray through it, down to the floor."""
    camera = scene["camera"]
    place, target = camera["place"], camera["target"]
    ahead = [b - a for a, b in zip(place, target, strict=True)]
    length = math.hypot(*ahead)
    ahead = [part / length for part in ahead]
    flat = math.hypot(ahead[0], ahead[2])
    right = [ahead[2] / flat, 0.0, -ahead[0] / flat]
    up = [-right[2] * -ahead[1], flat, right[0] * -ahead[1]]
    u, v = (float(left) / 50 - 1) * camera["spread"], (1 - float(top) / 50) * camera["spread"]
    ray = [a + u * r + v * w for a, r, w in zip(ahead, right, up, strict=True)]
    far = -place[1] / ray[1]
    return place[0] + far * ray[0], place[2] + far * ray[2]


def across(scene: SceneFields, left: str, point: list[float]) -> float:
    """The x at which a point at this height and depth is seen so far from the left, found by halving."""
    low, high = -6.0, 6.0
    for _ in range(60):
        middle = (low + high) / 2
        if _seen_at(scene, [middle, point[1], point[2]]) < float(left):
            low = middle
        else:
            high = middle
    return low


def _seen_at(scene: SceneFields, point: list[float]) -> float:
    camera = scene["camera"]
    ahead = [b - a for a, b in zip(camera["place"], camera["target"], strict=True)]
    flat = math.hypot(ahead[0], ahead[2])
    to = [b - a for a, b in zip(camera["place"], point, strict=True)]
    depth = sum(a * b for a, b in zip(ahead, to, strict=True)) / math.hypot(*ahead)
    side = (to[0] * ahead[2] - to[2] * ahead[0]) / flat
    return float(50 * (side / depth / camera["spread"] + 1))


def _linear(code: str) -> float:
    value = int(code) / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _match(pattern: str, sentence: str) -> tuple[str, ...]:
    found = re.search(pattern, sentence)
    assert found, (pattern, sentence)
    return found.groups()


def _without_lamp(scene: SceneFields, name: str) -> None:
    scene["lamps"] = [lamp for lamp in scene["lamps"] if lamp["solid"] != name]


def _lamp_off(sentence: str, scene: SceneFields) -> str:
    (name,) = _match(r"Switch off the (.+?)\.", sentence)
    the_one(scene, name)["shine"] = [0.0] * 3
    _without_lamp(scene, name)
    return name


def _lamp_on(sentence: str, scene: SceneFields) -> str:
    name, other = _match(r"Switch on the (.+?)\. It is the same kind of lamp as the (.+?),", sentence)
    the_one(scene, name)["shine"] = the_one(scene, other)["shine"]
    (lamp,) = [lamp for lamp in scene["lamps"] if lamp["solid"] == other]
    scene["lamps"] = [*scene["lamps"], {**lamp, "solid": name}]
    return name


def _scaled_lamp(scene: SceneFields, name: str, shares: list[float]) -> None:
    (lamp,) = [lamp for lamp in scene["lamps"] if lamp["solid"] == name]
    lamp["power"] = [power * share for power, share in zip(lamp["power"], shares, strict=True)]


def _recolor_lamp(sentence: str, scene: SceneFields) -> str:
    name, *rest = _match(
        r"the light of the (.+?) from white .* (\d+)% of its present red, (\d+)% of its present green "
        r"and (\d+)% of its present blue",
        sentence,
    )
    shares = [int(share) / 100 for share in rest]
    _scaled_lamp(scene, name, shares)
    solid = the_one(scene, name)
    solid["shine"] = [shine * share for shine, share in zip(solid["shine"], shares, strict=True)]
    return name


def _dim_lamp(sentence: str, scene: SceneFields) -> str:
    name, share = _match(r"Dim the (.+?) to (\d+)%", sentence)
    _scaled_lamp(scene, name, [int(share) / 100] * 3)
    return name


def _move_lamp(sentence: str, scene: SceneFields) -> str:
    name, left, _ = _match(rf"Move the (.+?) to the (?:left|right), .* {PLACE}", sentence)
    solid = the_one(scene, name)
    x, y, z = solid["place"]
    solid["place"] = [across(scene, left, [x, y + solid["size"][1] / 2, z]), y, z]
    return name


def _remove(sentence: str, scene: SceneFields) -> str:
    (name,) = _match(r"Remove the (.+?)\.", sentence)
    the_one(scene, name)
    scene["solids"] = [solid for solid in scene["solids"] if solid["name"] != name]
    return name


def _add_object(sentence: str, scene: SceneFields) -> str:
    name, left, top = _match(rf"Add a second (.+?) of the same .* {PLACE}", sentence)
    x, z = floor_point(scene, left, top)
    scene["solids"] = [*scene["solids"], {**the_one(scene, name), "name": f"second {name}", "place": [x, 0.0, z]}]
    return f"second {name}"


def _move(sentence: str, scene: SceneFields) -> str:
    name, left, top = _match(rf"Move the (.+?) along the floor, .* {PLACE}", sentence)
    x, z = floor_point(scene, left, top)
    the_one(scene, name)["place"] = [x, 0.0, z]
    return name


def _sun(sentence: str, scene: SceneFields) -> None:
    azimuth, side, elevation = _match(r"(\d+) degrees to the (left|right),(?: only)? (\d+) degrees", sentence)
    scene["sun"]["azimuth"] = int(azimuth) * (1 if side == "right" else -1)
    scene["sun"]["elevation"] = int(elevation)


def _move_sun(sentence: str, scene: SceneFields) -> str:
    _sun(sentence, scene)
    return ""


def _time_of_day(sentence: str, scene: SceneFields) -> str:
    _sun(sentence, scene)
    *shares, around = _match(
        r"(\d+)% of its red, (\d+)% of its green and (\d+)% of its blue light are left, and (\d+)%", sentence
    )
    sun = scene["sun"]
    sun["power"] = [power * int(share) / 100 for power, share in zip(sun["power"], shares, strict=True)]
    scene["ambient"] = [part * int(around) / 100 for part in scene["ambient"]]
    scene["background"] = None  # no pixel shows it
    return ""


def _paint(sentence: str, scene: SceneFields) -> str:
    name, _, *codes = _match(r"Paint the (.+?) (\w+): .*RGB (\d+), (\d+), (\d+)", sentence)
    the_one(scene, name)["surface"]["color"] = [_linear(code) for code in codes]
    return name


def _to_mirror(sentence: str, scene: SceneFields) -> str:
    name, share = _match(r"Turn the (.+?) at the back wall into a mirror that reflects (\d+)%", sentence)
    the_one(scene, name)["surface"] = {"kind": "mirror", "color": [int(share) / 100] * 3, "index": 1.5}
    return name


def _to_matte(sentence: str, scene: SceneFields) -> str:
    name, *codes = _match(r"Make the (.+?) matte and .*RGB (\d+), (\d+), (\d+)", sentence)
    the_one(scene, name)["surface"] = {"kind": "matte", "color": [_linear(code) for code in codes], "index": 1.5}
    return name


def _turn(sentence: str, scene: SceneFields) -> str:
    name, by, way = _match(r"Turn the (.+?) (\d+) degrees (\w+), as seen from above", sentence)
    the_one(scene, name)["turn"] += int(by) * (1 if way == "clockwise" else -1)
    return name


def _add_glass(sentence: str, scene: SceneFields) -> str:
    name, index, left, top = _match(rf"clear (glass \w+) with a refractive index of (\d\.\d+)\..* {PLACE}", sentence)
    if name == "glass ball":
        (model,) = _match(r"the width of the (\w+ \w+)", sentence)
        size = [the_one(scene, model)["size"][0]] * 3
    else:
        size = [float(side) for side in _match(r"It is ([\d.]+) m wide, ([\d.]+) m high and ([\d.]+) m", sentence)]
    x, z = floor_point(scene, left, top)
    kind = "sphere" if name == "glass ball" else "box"
    scene["solids"] = [*scene["solids"], _glass(name, kind, [x, 0.0, z], size, float(index))]
    return name


def _glass(name: str, kind: str, place: list[float], size: list[float], index: float) -> dict[str, Any]:
    surface = {"kind": "glass", "color": [0.97, 0.98, 0.98], "index": index}
    return {
        "name": name, "kind": kind, "place": place, "size": size, "surface": surface, "turn": 0.0,
        "shine": [0.0] * 3, "parts": 31, "tilt": 0.0, "lines": [],
    }  # fmt: skip


def _swap_glass(sentence: str, scene: SceneFields) -> str:
    old, new = _match(r"Replace the glass (ball|slab) with a (cube|ball)", sentence)
    glass = the_one(scene, "glass")
    assert glass["kind"] == {"ball": "sphere", "slab": "box"}[old]
    side = glass["size"][0] if new == "cube" else glass["size"][1]
    glass.update(kind={"ball": "sphere", "cube": "box"}[new], size=[side] * 3, turn=0.0)
    return "glass"


def _fog(sentence: str, scene: SceneFields) -> str:
    code, share = _match(r"gray RGB (\d+), \d+, \d+\. In linear light, it absorbs (\d+)%", sentence)
    (back,) = [plane["place"] for plane in scene["planes"] if plane["side"] == "back"]
    distance = back - scene["camera"]["place"][2]
    scene["fog"] = {"density": -math.log(1 - int(share) / 100) / distance, "color": [_linear(code)] * 3}
    return ""


def _flood(sentence: str, scene: SceneFields) -> str:
    share, name, *clear = _match(
        r"up to (\d+)% of the height of the (.+?)\. .* (\d+)% of red, (\d+)% of green and (\d+)% of blue", sentence
    )
    height = the_one(scene, name)["size"][1] * int(share) / 100
    scene["water"] = {"height": height, "clearness": [int(part) / 100 for part in clear]}
    return ""


def _wet_tile(sentence: str, scene: SceneFields) -> str:
    left, top = _match(rf"the floor tile whose middle is {PLACE}", sentence)
    x, z = floor_point(scene, left, top)
    side = scene["planes"][0]["pattern"]["scale"]
    x, z = math.floor(x / side) * side, math.floor(z / side) * side
    scene["wet"] = {"box": [x, z, x + side, z + side]}
    return ""


def _fill_glass(sentence: str, scene: SceneFields) -> str:
    (share,) = _match(r"up to (\d+)% of its height", sentence)
    glass = the_one(scene, "drinking glass")
    points = [point for line in glass["lines"] for point in line]
    wide = 2 * max(point[0] for point in points) - 0.03
    high = max(point[1] for point in points) * int(share) / 100
    water = _glass("water", "cylinder", glass["place"], [wide, high, wide], 1.33)
    water["surface"]["color"] = [0.96, 0.98, 0.99]
    scene["solids"] = [*scene["solids"], water]
    return "water"


def _light_candle(sentence: str, scene: SceneFields) -> str:
    name, other = _match(r"Light the (.+?)\. Its flame is like that of the (.+?):", sentence)
    flame, wax, second = the_one(scene, other), the_one(scene, f"{name} stick"), the_one(scene, f"{other} stick")
    x, _, z = wax["place"]
    high = wax["size"][1] + flame["place"][1] - second["size"][1]
    scene["solids"] = [*scene["solids"], {**flame, "name": name, "place": [x, high, z]}]
    (lamp,) = [lamp for lamp in scene["lamps"] if lamp["solid"] == other]
    scene["lamps"] = [*scene["lamps"], {**lamp, "solid": name}]
    return name


READERS: dict[str, Callable[[str, SceneFields], str]] = {
    "lamp_off": _lamp_off, "lamp_on": _lamp_on, "recolor_lamp": _recolor_lamp, "dim_lamp": _dim_lamp,
    "move_lamp": _move_lamp, "remove_object": _remove, "add_object": _add_object, "move_object": _move,
    "move_sun": _move_sun, "remove_mirrored": _remove, "recolor_mirrored": _paint, "move_mirrored": _move,
    "matte_to_mirror": _to_mirror, "mirror_to_matte": _to_matte, "turn_mirror": _turn, "remove_glass": _remove,
    "add_glass": _add_glass, "swap_glass": _swap_glass, "recolor_behind_glass": _paint, "fog": _fog,
    "flood": _flood, "time_of_day": _time_of_day, "wet_tile": _wet_tile, "fill_glass": _fill_glass,
    "light_candle": _light_candle,
}  # fmt: skip


def differences(found: Any, asked: Any, path: str = "") -> list[str]:
    """Where two descriptions differ by more than the rounding of a sentence."""
    if found is None and path == ".background":
        return []
    if isinstance(found, dict) and isinstance(asked, dict):
        keys = found.keys() | asked.keys()
        return [one for key in sorted(keys) for one in differences(found.get(key), asked.get(key), f"{path}.{key}")]
    if isinstance(found, list | tuple) and isinstance(asked, list | tuple):
        if len(found) != len(asked):
            return [f"{path}: {len(found)} and {len(asked)}"]
        pairs = enumerate(zip(found, asked, strict=True))
        return [one for number, (a, b) in pairs for one in differences(a, b, f"{path}[{number}]")]
    if isinstance(found, int | float) and isinstance(asked, int | float):
        return [] if abs(found - asked) <= 0.015 * max(1.0, abs(asked)) else [f"{path}: {found} and {asked}"]
    return [] if found == asked else [f"{path}: {found} and {asked}"]
