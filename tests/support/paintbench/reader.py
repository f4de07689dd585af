"""An independent reader of PaintBench: from a sentence, a description and the pixels to what is asked of whom.

Nothing here comes from the generator: the palettes, the grammar and the geometry are written a second time, so that a
mistake would have to be made twice to go unseen.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from support.paintbench.sentences import COLOR, HEX, KINDS, PLURALS, readings

Plane: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Point: TypeAlias = tuple[float, float]


class Unreadable(AssertionError):
    """A sentence that does not say one thing."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A shape as the description has it."""

    kind: str
    color: str
    name: str
    box: tuple[float, float, float, float]
    size: float
    turn: float

    @property
    def center(self) -> Point:
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2

    @property
    def width(self) -> float:
        return self.box[2] - self.box[0]

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


@dataclass(frozen=True, eq=False)
class Board:
    """A problem as a person gets it: the pictures (as indices into ``colors``) and the description."""

    facts: Mapping[str, Any]
    before: Plane
    after: npt.NDArray[np.uint8]
    colors: npt.NDArray[np.uint8]

    @cached_property
    def things(self) -> list[Thing]:
        return [
            Thing(s["shape"], s["color"], s["color_name"], tuple(s["bbox"]), s["size"], s["rotation"])
            for s in self.facts["scene_shapes"]
        ]

    @property
    def width(self) -> int:
        return int(self.facts["W"])

    @property
    def height(self) -> int:
        return int(self.facts["H"])

    @property
    def sentence(self) -> str:
        return str(self.facts["instruction"])

    def index(self, code: str) -> int:
        """The index that stands for a hex code."""
        rgb = [int(code[i : i + 2], 16) for i in (1, 3, 5)]
        found = np.flatnonzero((self.colors == rgb).all(axis=1))
        assert len(found) == 1, f"{code} is {len(found)} times in the palette"
        return int(found[0])

    @cached_property
    def grounds(self) -> list[int]:
        """The indices of the background colors."""
        return [self.index(code) for code in self.facts["bg_colors"]]

    def is_ground(self, plane: Plane) -> Mask:
        """Where a picture shows the background."""
        mask: Mask = plane == self.grounds[0]
        for index in self.grounds[1:]:
            mask |= plane == index
        return mask

    @cached_property
    def changed(self) -> tuple[slice, slice]:
        """The rows and columns in which the answer differs from the input."""
        other = self.rgb_before != self.after if self.after.ndim == 3 else self.before != self.after
        if other.ndim == 3:
            other = other.any(axis=2)
        rows, columns = np.flatnonzero(other.any(axis=1)), np.flatnonzero(other.any(axis=0))
        if not len(rows):
            raise AssertionError("no pixel changes")
        return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)

    @cached_property
    def rgb_before(self) -> npt.NDArray[np.uint8]:
        pixels: npt.NDArray[np.uint8] = self.colors[self.before]
        return pixels

    def window(self, box: tuple[float, float, float, float], margin: float = 0) -> tuple[slice, slice]:
        """Rows and columns that hold a box, clipped to the canvas."""
        x0, y0, x1, y1 = box
        rows = slice(max(0, math.floor(y0 - margin)), min(self.height, math.ceil(y1 + margin)))
        return rows, slice(max(0, math.floor(x0 - margin)), min(self.width, math.ceil(x1 + margin)))

    def pixels_of(self, i: int) -> tuple[tuple[slice, slice], Mask]:
        """The pixels of a shape: what has its color in its box, in one piece where boxes meet, as on a circle."""
        window = self.window(self.things[i].box)
        mask: Mask = self.before[window] == self.index(self.things[i].color)
        if "circle" in self.facts:
            labels, _ = ndimage.label(mask, np.ones((3, 3)))
            mask = labels == np.bincount(labels.ravel())[1:].argmax() + 1
        return window, mask

    def ground(self, window: tuple[slice, slice]) -> tuple[Plane, Mask]:
        """The background in a window, and where the last bit of a float does not decide about it."""
        rows, columns = window
        shape = (rows.stop - rows.start, columns.stop - columns.start)
        stripes = self.facts["stripes"]
        if stripes is None:
            return np.full(shape, self.grounds[0], np.uint8), np.ones(shape, np.bool_)
        y, x = np.mgrid[rows, columns] + 0.5
        band = stripes["band"] / 100 * self.width
        turn = math.radians(stripes["orientation"])
        # 0: bands side by side downward; 90: side by side to the right; 45: both, so that bands climb to the right.
        across, along = x * math.sin(turn) + y * math.cos(turn), x * math.cos(turn) - y * math.sin(turn)
        if stripes["orientation"] == 90:
            along = y
        phase = (along * stripes["waves"] / self.width) % 1.0
        waves = {
            "line": 0 * phase,
            "sine": np.sin(2 * np.pi * phase),
            "square": np.where(phase < 0.5, 1.0, -1.0),
            "triangle": 1 - abs(4 * phase - 2),
            "sawtooth": 2 * phase - 1,
        }
        wave = waves[stripes["waveform"]]
        place = (across + stripes["amplitude"] / 100 * self.width * wave) / band
        sure = (abs(place - np.rint(place)) > 1e-6) & (abs(phase - 0.5) > 1e-9) & (phase > 1e-9) & (phase < 1 - 1e-9)
        return np.array(self.grounds, np.uint8)[np.floor(place).astype(int) & 1], sure


# Words for shapes


def one(board: Board, words: str) -> int:
    """The one shape that words such as "the red star" fit; anything else is a broken sentence."""
    found = sorted(fitting(board, words.removeprefix("the ")))
    if not words.startswith("the ") or len(found) != 1:
        raise Unreadable(f"{words!r} fits {len(found)} shapes")
    return found[0]


def fitting(board: Board, words: str) -> set[int]:
    """The shapes that fit "red star", "star" or "red shape" (or "red one")."""
    match = re.fullmatch(rf"(?:(?P<color>{COLOR}) )?(?P<kind>{'|'.join(KINDS)}|shape|one)", words)
    if not match or (match["color"] is None and match["kind"] in ("shape", "one")):
        raise Unreadable(f"{words!r} names no shape")
    return {
        i
        for i, t in enumerate(board.things)
        if match["color"] in (None, t.name) and match["kind"] in (t.kind, "shape", "one")
    }


def some(board: Board, words: str) -> set[int]:
    """The shapes that words such as "all stars", "the red star" or "all shapes except the red ones" fit."""
    if words.startswith("all shapes except "):
        rest = words.removeprefix("all shapes except ")
        return set(range(len(board.things))) - some(board, rest)
    if match := re.fullmatch(rf"all shapes that are not (?:(?P<color>{COLOR})|(?P<kinds>{'|'.join(PLURALS)}))", words):
        rest = f"{match['color']} shape" if match["color"] else PLURALS[match["kinds"]]
        return set(range(len(board.things))) - fitting(board, rest)
    if match := re.fullmatch(
        rf"(?:all|the) (?:(?P<color>{COLOR}) (?:shapes|ones)|(?P<kinds>{'|'.join(PLURALS)}))", words
    ):
        found = fitting(board, f"{match['color']} shape" if match["color"] else PLURALS[match["kinds"]])
        if len(found) < 2:
            raise Unreadable(f"{words!r} is plural but fits {len(found)} shapes")
        return found
    return {one(board, words)}


# Words for points


def where(board: Board, words: str, own: int | None = None) -> Point:
    """The point that words name: a coordinate, a point of the image, of a shape, or ("its …") of ``own``."""
    if match := re.fullmatch(r"\(([\d.]+)%, ([\d.]+)%\)", words):
        return float(match[1]) / 100 * board.width, float(match[2]) / 100 * board.height
    if own is not None and words.startswith("its "):
        return spot(board, own, words.removeprefix("its "))
    if match := re.fullmatch(r"the (.+) of (the .+)", words):
        if match[2] == "the image":
            return nine((0, 0, board.width, board.height), match[1])
        return spot(board, one(board, match[2]), match[1])
    raise Unreadable(f"{words!r} names no point")


def nine(box: tuple[float, float, float, float], name: str) -> Point:
    """A corner, edge midpoint or the center of a box."""
    x0, y0, x1, y1 = box
    if name == "center":
        return (x0 + x1) / 2, (y0 + y1) / 2
    match = re.fullmatch(r"(top|bottom)-(left|right) corner|(top|bottom|left|right) edge midpoint", name)
    if not match:
        raise Unreadable(f"a box has no {name!r}")
    x = {"left": x0, "right": x1}.get(match[2] or match[3], (x0 + x1) / 2)
    y = {"top": y0, "bottom": y1}.get(match[1] or match[3], (y0 + y1) / 2)
    return x, y


def spot(board: Board, i: int, name: str) -> Point:
    """A named point of a shape, found in its pixels as a person would find it (within about two pixels)."""
    thing = board.things[i]
    if name.startswith("bounding-box "):
        return nine(thing.box, name.removeprefix("bounding-box "))
    window, mask = board.pixels_of(i)
    ys, xs = np.nonzero(mask)
    cloud = np.stack([xs + window[1].start + 0.5, ys + window[0].start + 0.5], axis=1)
    turn = math.radians(thing.turn)
    turned = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    middle = np.array(thing.center) if thing.kind in ("rectangle", "cross") else cloud.mean(axis=0)
    upright = (cloud - middle) @ turned  # pixel centers as if the shape had not been turned
    match = re.fullmatch(r"(?:(highest|lowest|leftmost|rightmost) (?!point$))?(.+)", name)
    assert match is not None
    found = [tuple(middle + turned @ p) for p in _own_points(thing, upright, match[2])]
    if match[1] is None:
        if len(found) != 1:
            raise Unreadable(f"a {thing.kind} has {len(found)} points called {name!r}")
        return float(found[0][0]), float(found[0][1])
    axis, sign = {"highest": (1, 1), "lowest": (1, -1), "leftmost": (0, 1), "rightmost": (0, -1)}[match[1]]
    ranked = sorted(found, key=lambda p: sign * float(p[axis]))
    if abs(float(ranked[0][axis]) - float(ranked[1][axis])) < 3:
        raise Unreadable(f"two points of the {thing.kind} could be its {name!r}")
    return float(ranked[0][0]), float(ranked[0][1])


def _own_points(thing: Thing, p: Floats, name: str) -> list[Floats]:
    """Points by name, relative to the center of gravity, in the frame of the shape before it was turned."""
    u, v = p[:, 0], p[:, 1]
    r = thing.size / 2
    area = len(p)
    wide = np.ptp(u) >= np.ptp(v)

    def at(*pairs: Point) -> list[Floats]:
        return [np.array(pair) for pair in pairs]

    kind = thing.kind
    if kind == "circle" and (match := re.fullmatch(r"(top|bottom|left|right)most point", name)):
        return at({"top": (0, -r), "bottom": (0, r), "left": (-r, 0), "right": (r, 0)}[match[1]])
    if (kind == "cross" and name.endswith("edge midpoint")) or (kind == "rectangle" and name != "center"):
        x, y = thing.width / 2, thing.height / 2
        return at(nine((-x, -y, x, y), name))
    if kind == "cloud" and (match := re.fullmatch(r"(top|left|right)most point", name)):
        far, along = {"top": (-v, u), "left": (-u, v), "right": (u, v)}[match[1]]
        end, beside = far.max() + 0.5, along[far > far.max() - 0.5].mean()
        return at({"top": (beside, -end), "left": (-end, beside), "right": (end, beside)}[match[1]])
    if name == "center" and kind in ("circle", "rectangle", "ring", "diamond", "hexagon", "star", "cross"):
        return at((0, 0))
    if kind == "triangle":
        # A 30-60-90 triangle, right angle at the lower left; its center of gravity is a third along each leg.
        long, short = thing.size, thing.size / math.sqrt(3)
        right, thirty, sixty = (
            np.array([-long, short]) / 3,
            np.array([2 * long, short]) / 3,
            np.array([-long, -2 * short]) / 3,
        )
        corners = {"90-degree vertex": [right], "30-degree vertex": [thirty], "60-degree vertex": [sixty]}
        sides = {"hypotenuse": (thirty, sixty), "long leg": (right, thirty), "short leg": (right, sixty)}
        middles = {f"{side} midpoint": [(a + b) / 2] for side, (a, b) in sides.items()}
        return {**corners, **middles}[name]
    if kind == "hexagon" and name == "vertex":
        return at(*[(r * math.cos(a), r * math.sin(a)) for a in np.radians(range(0, 360, 60))])
    if kind == "star" and name == "tip":
        reach = r / math.sin(math.radians(72))
        return at(*[(reach * math.sin(a), -reach * math.cos(a)) for a in np.radians(range(0, 360, 72))])
    if kind == "diamond" and name == "vertex":
        other = area / thing.size  # half of the shorter diagonal: the area is half the product of the diagonals
        a, b = (r, other) if wide else (other, r)
        return at((a, 0), (-a, 0), (0, b), (0, -b))
    if kind == "arrow":
        return {"tip": at((u.max() + 0.5, 0)), "tail edge midpoint": at((u.min() - 0.5, 0))}[name]
    if kind == "semicircle":
        base = 4 * r / (3 * math.pi)
        return {"arc midpoint": at((0, base - r)), "straight edge midpoint": at((0, base))}[name]
    if kind == "heart":
        near_axis = v[abs(u) < 1.0]
        return {"tip": at((0, v.max() + 0.5)), "notch": at((0, near_axis.min() - 0.5))}[name]
    if kind == "cloud" and name == "flat edge midpoint":
        lowest = u[v > v.max() - 0.5]
        return at(((lowest.min() + lowest.max()) / 2, v.max() + 0.5))
    if kind == "cross" and (match := re.fullmatch(r"(top|bottom)-(left|right) inner corner", name)):
        across, down = np.ptp(u[v < v.min() + 0.5]) / 2 + 0.5, np.ptp(v[u < u.min() + 0.5]) / 2 + 0.5
        return at(((-across if match[2] == "left" else across), (-down if match[1] == "top" else down)))
    raise Unreadable(f"a {kind} has no {name!r}")


# Sentences


def read(board: Board) -> dict[str, str]:
    """What the sentence says, by name; every word of it must be understood, in one way only."""
    found = readings(board.facts["task"], board.sentence)
    if len(found) != 1:
        raise Unreadable(f"{len(found)} readings of {board.sentence!r}")
    return found[0]


def ink_of(words: str) -> str:
    """The hex code in "name (#code)", which must be the code of that name."""
    match = re.fullmatch(rf"({COLOR}) \((#[0-9A-F]{{6}})\)", words)
    if not match or HEX[match[1]] != match[2]:
        raise Unreadable(f"{words!r} is not a color")
    return match[2]
