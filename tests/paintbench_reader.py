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

Plane: TypeAlias = npt.NDArray[np.uint8]
Mask: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float64]
Point: TypeAlias = tuple[float, float]

PALETTES: dict[str, dict[str, str]] = {
    "standard": {
        "red": "#FF0000",
        "orange": "#FFA500",
        "yellow": "#FFFF00",
        "green": "#00FF00",
        "blue": "#0000FF",
        "purple": "#800080",
        "pink": "#FFC0CB",
        "brown": "#8B4513",
        "black": "#000000",
        "gray": "#808080",
        "white": "#FFFFFF",
    },
    "nonstandard": {
        "crimson": "#C31B37",
        "tangerine-colored": "#F47B16",
        "gold": "#E4BA18",
        "olive-colored": "#717A1E",
        "cyan": "#0FE1DF",
        "lavender": "#D9D2E9",
        "magenta": "#F20DD8",
        "tan-colored": "#CBAA85",
        "jet black": "#101211",
        "silver": "#BBBCBA",
        "ivory white": "#F8F6E8",
    },
}
HEX = {name: code for palette in PALETTES.values() for name, code in palette.items()}
KINDS = "circle rectangle cloud hexagon triangle ring arrow heart star semicircle cross diamond".split()
PLURALS = {("crosses" if kind == "cross" else kind + "s"): kind for kind in KINDS}
COLOR = "|".join(sorted(HEX, key=len, reverse=True))


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
        """The indices of the background colours."""
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
        return np.take(self.colors, self.before, axis=0)

    def window(self, box: tuple[float, float, float, float], margin: float = 0) -> tuple[slice, slice]:
        """Rows and columns that hold a box, clipped to the canvas."""
        x0, y0, x1, y1 = box
        rows = slice(max(0, math.floor(y0 - margin)), min(self.height, math.ceil(y1 + margin)))
        return rows, slice(max(0, math.floor(x0 - margin)), min(self.width, math.ceil(x1 + margin)))

    def pixels_of(self, i: int) -> tuple[tuple[slice, slice], Mask]:
        """The pixels of a shape: everything of its colour in its box (boxes do not meet)."""
        window = self.window(self.things[i].box)
        return window, self.before[window] == self.index(self.things[i].color)

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
        phase = (along / (3 * band)) % 1.0
        wave = {
            "line": lambda p: 0 * p,
            "sine": lambda p: np.sin(2 * np.pi * p),
            "square": lambda p: np.where(p < 0.5, 1.0, -1.0),
            "triangle": lambda p: 1 - abs(4 * p - 2),
            "sawtooth": lambda p: 2 * p - 1,
        }[stripes["waveform"]](phase)
        place = (across + band * wave / 4) / band
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
    upright = (cloud - middle) @ turned  # pixel centres as if the shape had not been turned
    match = re.fullmatch(r"(?:(highest|lowest|leftmost|rightmost) )?(.+)", name)
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
    """Points by name, relative to the centre of gravity, in the frame of the shape before it was turned."""
    u, v = p[:, 0], p[:, 1]
    r = thing.size / 2
    area = len(p)
    wide = np.ptp(u) >= np.ptp(v)

    def at(*pairs: Point) -> list[Floats]:
        return [np.array(pair) for pair in pairs]

    kind = thing.kind
    if name == "center" and kind in ("circle", "rectangle", "ring", "diamond", "hexagon", "star", "cross"):
        return at((0, 0))
    if kind == "triangle":
        # A 30-60-90 triangle, right angle at the lower left; its centre of gravity is a third along each leg.
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
        arm = np.ptp(u[v < v.min() + 0.5]) / 2 + 0.5
        return at(((-arm if match[2] == "left" else arm), (-arm if match[1] == "top" else arm)))
    raise Unreadable(f"a {kind} has no {name!r}")


# Sentences

S = r"the [a-z -]+?"
P = r"(?:\([\d.]+%, [\d.]+%\)|the [a-z0-9 -]+?)"
N = r"\d+(?:\.\d+)?"
INK = rf"(?:{COLOR}) \(#[0-9A-F]{{6}}\)"
GROUP = r"(?:all|the) [a-z -]+?"
LAYER = r" Where it meets other shapes, it goes (?P<layer>on top of|underneath) them; whatever leaves the image is cut off\."
INSIDE = rf"the (?P<outline>{COLOR}) outlined polygon"
KEPT = r" Leave the outline as it is\."
FIT = (
    r" Enlarge it to the full size of the image with nearest-neighbor sampling, so that it fills the whole canvas and "
    r"the outline itself no longer shows\."
)

SENTENCES: dict[str, tuple[str, ...]] = {
    "translation": (
        rf"Move (?P<who>{S})(?: (?P<h>left|right) by (?P<dx>{N})% of the image width)?"
        rf"(?:(?: and)? (?P<v>up|down) by (?P<dy>{N})% of the image height)?\.{LAYER}",
        rf"Move (?P<who>{S}), without turning or resizing it, so that its (?P<point>.+?) lies exactly on (?P<goal>{P})\.{LAYER}",
    ),
    "rotation": (
        rf"Rotate (?P<who>{S}) by (?P<angle>\d+)° (?P<way>clockwise|counterclockwise) about (?P<pivot>its [a-z0-9 -]+?|{P})\.{LAYER}",
    ),
    "reflection": (
        rf"Reflect (?P<who>{S}) across the straight line through (?P<p>{P}) and (?P<q>{P})\.{LAYER}",
        rf"Reflect (?P<who>{S}) across the (?P<edge>left|right|top|bottom) edge of its bounding box\.{LAYER}",
        rf"Reflect (?P<who>{S}) across the (?P<axis>vertical|horizontal) center line of its bounding box\.{LAYER}",
        rf"Reflect (?P<who>{S}) across the diagonal of its bounding box from the (?P<c1>[a-z]+-[a-z]+) to the "
        rf"(?P<c2>[a-z]+-[a-z]+) corner\.{LAYER}",
    ),
    "scaling": (
        rf"Scale (?P<who>{S}) to (?P<both>\d+)% of its current size in both directions\. Keep the (?P<anchor>.+?) of its "
        rf"bounding box where it is\.{LAYER}",
        rf"Scale (?P<who>{S}) (?P<way>horizontally|vertically) to (?P<single>\d+)% of its current (?P<side>width|height), its "
        rf"(?P<rest>width|height) unchanged\. Keep the (?P<anchor>.+?) of its bounding box where it is\.{LAYER}",
        rf"Scale (?P<who>{S}) (?P<how>in both directions by the same factor|horizontally only|vertically only) until its "
        rf"bounding box is exactly as (?P<by>wide|tall) as the bounding box of (?P<other>{S})\. Keep the (?P<anchor>.+?) of "
        rf"its bounding box where it is\.{LAYER}",
    ),
    "shearing": (
        rf"Shear (?P<who>{S}) (?P<way>horizontally|vertically): keep the (?P<fixed>top|bottom|left|right) edge of its bounding "
        rf"box fixed and shift the (?P<edge>top|bottom|left|right) edge (?P<to>left|right|up|down) by (?P<amount>\d+)% of the "
        rf"bounding-box (?P<side>width|height)\.{LAYER}",
        rf"Shear (?P<who>{S}) (?P<way>horizontally|vertically): keep the (?P<line>horizontal|vertical) center line of its "
        rf"bounding box fixed and shift the (?P<edge>top|left) edge (?P<to>left|right|up|down) and the (?P<edge2>bottom|right) "
        rf"edge (?P<to2>left|right|up|down), each by (?P<amount>\d+)% of the bounding-box (?P<side>width|height)\.{LAYER}",
    ),
    "construction": (
        rf"Draw an? (?P<ink>{INK}) filled circle centered at (?P<center>{P}) with a radius of (?P<radius>{N})% of the image "
        rf"width\.{LAYER}",
        rf"Draw an? (?P<ink>{INK}) filled circle that has the straight line from (?P<p>{P}) to (?P<q>{P}) as a diameter\.{LAYER}",
        rf"Draw an? (?P<ink>{INK}) filled circle centered at (?P<center>{P}) that passes through (?P<through>{P})\.{LAYER}",
        rf"Draw an? (?P<ink>{INK}) straight line from (?P<p>{P}) to (?P<q>{P}) with a round brush whose diameter is "
        rf"(?P<brush>{N})% of the image width; its ends are round and centered on the two points\.{LAYER}",
        rf"Draw an? (?P<ink>{INK}) filled polygon whose (?P<k>\d) vertices are, in this order, (?P<vertices>.+?)\.{LAYER}",
    ),
    "removal": (
        rf"Remove the shape at (?P<spot>\({N}%, {N}%\)) and show the background there\.",
        rf"Remove (?P<group>{GROUP}) and show the background there\.",
    ),
    "recolor": (
        rf"Recolor (?P<group>{GROUP}) to (?P<ink>{INK})\.",
        rf"Recolor (?P<group>{GROUP}) to exactly the color that the image has at (?P<spot>\({N}%, {N}%\))\.",
    ),
    "copying": (
        rf"Copy all shapes inside the (?P<source>upper|lower|left|right) (?P<outline>{COLOR}) outlined square into the "
        rf"(?P<target>upper|lower|left|right) one, each at exactly the same place relative to its square\. Copy the shapes "
        rf"only, not the background around them\.",
    ),
    "border": (
        rf"Recolor every pixel whose distance from (?P<who>{S}) is at most (?P<reach>{N})% of the image width to (?P<ink>{INK}), "
        rf"other shapes within that distance included\. Leave the shape itself as it is\. Distances are straight lines between "
        rf"pixel centers\.",
    ),
    "cropping": (
        rf"Crop the image to the inside of the (?P<outline>{COLOR}) outlined rectangle\.{FIT}",
        rf"Crop the image to the inside of the (?P<outline>{COLOR}) outlined tilted rectangle and turn it upright, so that its "
        rf"(?P<corner>highest|leftmost) corner becomes the top-left corner of the image\.{FIT}",
    ),
    "flood_fill": (
        rf"Inside {INSIDE}, recolor every (?P<which>background pixel|pixel that belongs to a shape) to (?P<ink>{INK})\. "
        rf"Leave the (?P<rest>shapes|background) and the outline as they are\.",
    ),
    "blending": (
        rf"Blend (?P<ink>{INK}) at (?P<opacity>\d+)% opacity over all pixels inside {INSIDE} \(each RGB channel becomes "
        rf"(?P<new>\d+)% of the new color plus (?P<old>\d+)% of the old, rounded to the nearest whole number\)\.{KEPT}",
    ),
    "gradient": (
        rf"Inside the (?P<outline>{COLOR}) outlined parallelogram, recolor the (?P<which>background pixels|pixels of shapes) with "
        rf"a linear RGB gradient from (?P<ink>{INK}) at the (?P<start>[a-z-]+ (?:edge|corner)) to (?P<ink2>{INK}) at the "
        rf"(?P<end>[a-z-]+ (?:edge|corner))(?:, constant along lines parallel to these edges|, along the straight line between "
        rf"these corners and constant at right angles to it)\. Edges and corners are measured at the middle of the outline; "
        rf"round each RGB channel to the nearest whole number\. Leave the (?P<rest>shapes|background) and the outline as they "
        rf"are\.",
    ),
    "point_operations": (
        rf"(?P<op>Invert) the colors of all pixels inside {INSIDE}: each RGB channel c becomes 255 - c\.{KEPT}",
        rf"(?P<op>Convert) all pixels inside {INSIDE} to grayscale: each RGB channel becomes 0\.299 R \+ 0\.587 G \+ 0\.114 B, "
        rf"rounded to the nearest whole number\.{KEPT}",
        rf"(?P<op>Add|Subtract) (?P<amount>\d+) (?:to|from) each RGB channel of all pixels inside {INSIDE}; values below 0 "
        rf"become 0 and values above 255 become 255\.{KEPT}",
    ),
    "comparison": (
        rf"Of all (?P<color>{COLOR}) (?P<kinds>{'|'.join(PLURALS)}), remove the (?:(?P<rank>[a-z]+) )?"
        rf"(?P<word>largest|smallest|widest|narrowest|tallest|shortest) one and show the background there\.",
    ),
    "ordering": (
        rf"Rearrange the (?P<color>{COLOR}) (?P<kinds>{'|'.join(PLURALS)}) in the (?P<outline>{COLOR}) boxes by size, from the "
        rf"(?P<small>smallest|largest) at the (?P<start>left|top) to the (?P<large>smallest|largest) at the "
        rf"(?P<end>right|bottom)\. Move them without turning or resizing; each must be centered in its box, as the shapes are "
        rf"now\. Leave the boxes and all other shapes as they are\.",
    ),
    "pattern": (
        r"Fill in the (?:(?P<gaps>\d+) )?missing shapes? of this repeating pattern, a grid of (?P<rows>\d+) rows and "
        r"(?P<cols>\d+) columns\. Equal shapes have the same color, size and orientation, and the bounding box of every "
        r"shape is centered on its place\.",
        r"Fill in the (?:(?P<gaps>\d+) )?missing shapes? of this repeating pattern of (?P<count>\d+) shapes, evenly spaced on a "
        r"circle\. Equal shapes have the same color, size and orientation, and the bounding box of every shape is centered on "
        r"its place\.",
    ),
    "counting": (
        rf"The (?P<color>{COLOR}) (?P<kinds>{'|'.join(PLURALS)}) in a line along the (?P<side>left|right|top|bottom) edge of the "
        rf"image are tallies\. Remove tallies one after another, starting at the (?P<end>left|right|top|bottom) end of the line, "
        rf"until there are exactly as many tallies as there are (?:(?P<ckinds>{'|'.join(PLURALS)})|(?P<ccolor>{COLOR}) shapes) in "
        rf"the image\.",
    ),
    "legend": (
        r"Apply the key at the (?P<side>left|right|top|bottom) of the image to all shapes outside the key, once and all at the "
        r"same time: a shape whose color stands left of an arrow takes the color at its right, and is removed if there is an X "
        r"at the right\. Leave the key and all other shapes as they are\.",
    ),
}


def read(board: Board) -> dict[str, str]:
    """What the sentence says, by name; every word of it must be understood, in one way only."""
    readings = [match for text in SENTENCES[board.facts["task"]] if (match := re.fullmatch(text, board.sentence))]
    if len(readings) != 1:
        raise Unreadable(f"{len(readings)} readings of {board.sentence!r}")
    return {key: value for key, value in readings[0].groupdict().items() if value is not None}


def ink_of(words: str) -> str:
    """The hex code in "name (#code)", which must be the code of that name."""
    match = re.fullmatch(rf"({COLOR}) \((#[0-9A-F]{{6}})\)", words)
    if not match or HEX[match[1]] != match[2]:
        raise Unreadable(f"{words!r} is no color")
    return match[2]
