"""Pictures of scenes: packs a scene into arrays and has it traced."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from random import Random

import numpy as np
import numpy.typing as npt

from editscope.images import Pixels
from editscope.suites.raytracing import _geometry, _kernels
from editscope.suites.raytracing.scene import SHINING, Camera, Point, Solid, TracedScene

SOLIDS = ("sphere", "box", "cylinder", "cone", "panel")
TILTED = {"box": _geometry.TILTED_BOX, "cylinder": _geometry.TILTED_CYLINDER}
SURFACES = ("matte", "mirror", "glass", "clear")
PATTERNS = ("plain", "checks", "stripes", "bricks")
SIDES = ("floor", "back", "left", "right", "behind")
MOST_SOLIDS = 31
"""What a pixel can say it was covered by; the last bit is taken."""
SPINS = 64
"""Sets of shadow rays; the pixel decides which one it uses."""


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """A picture, and which solids cover each of its pixels."""

    pixels: Pixels
    seen: npt.NDArray[np.uint32]
    names: tuple[str, ...]

    def covered(self, name: str) -> npt.NDArray[np.bool_]:
        """The pixels that a solid covers at least in part; none where it is not in the scene."""
        bits = sum(1 << number for number, other in enumerate(self.names) if other == name)
        return np.asarray((self.seen & np.uint32(bits)) != 0)

    @property
    def beyond(self) -> npt.NDArray[np.bool_]:
        """Pixels in which a mirror or glass shows what the camera itself cannot see."""
        return np.asarray((self.seen & np.uint32(_kernels.UNSEEN_BIT)) != 0)


def render(
    scene: TracedScene,
    size: tuple[int, int],
    *,
    fine: int = 2,
    only: npt.NDArray[np.bool_] | None = None,
    start: Rendering | None = None,
) -> Rendering:
    """The picture of a scene, ``fine`` × ``fine`` samples a pixel.

    ``only`` draws a part of the pixels; the others are those of ``start``.
    """
    width, height = size
    if len(scene.solids) > MOST_SOLIDS:
        raise ValueError(f"a scene has at most {MOST_SOLIDS} solids")
    pixels = np.zeros((height, width, 3), np.uint8) if start is None else start.pixels.copy()
    seen = np.zeros((height, width), np.uint32) if start is None else start.seen.copy()
    wanted = np.ones((height, width), np.bool_) if only is None else np.ascontiguousarray(only)
    planes = np.array(
        [
            (
                SIDES.index(plane.side),
                plane.place,
                PATTERNS.index(plane.pattern.kind),
                plane.pattern.scale,
                *plane.pattern.first,
                *plane.pattern.second,
            )
            for plane in scene.planes
        ],
        np.float64,
    ).reshape(-1, 10)
    pieces = [piece for number, solid in enumerate(scene.solids) for piece in _pieces(solid, number)]
    count = len(pieces)
    _kernels.render(
        fine,
        _view(scene.camera),
        planes,
        np.array([piece.kind for piece in pieces], np.int64),
        np.array([piece.geometry for piece in pieces], np.float64).reshape(count, 11),
        np.array([_surface_of(piece.solid) for piece in pieces], np.float64).reshape(count, 8),
        np.array([piece.solid.parts for piece in pieces], np.int64),
        np.array([(*_rectangle(piece, scene.camera, size), piece.number) for piece in pieces], np.int64).reshape(
            count, 5
        ),
        _lights(scene, pieces),
        _world(scene),
        _shadow_rays(),
        wanted,
        _codes(),
        np.empty((_kernels.STACK, 13)),
        np.empty((2, max(1, count)), np.int64),
        pixels,
        seen,
    )
    return Rendering(pixels, seen, tuple(solid.name for solid in scene.solids))


def place_in_picture(point: tuple[float, float, float], camera: Camera, size: tuple[int, int]) -> tuple[float, float]:
    """Where a point of the scene lies in a picture of this size, in pixels from its left upper corner."""
    x, y, z, *axes = _view(camera)
    ahead, right, up = np.array(axes).reshape(3, 3)
    to = np.array(point) - (x, y, z)
    depth = float(to @ ahead)
    u = float(to @ right) / float(right @ right) / depth
    v = float(to @ up) / float(up @ up) / depth
    width, height = size
    return (u + 1) / 2 * width, height / 2 - v / 2 * width


def _view(camera: Camera) -> npt.NDArray[np.float64]:
    """The place of the camera, straight ahead, and the vectors to the right edge and as far up."""
    place, target = np.array(camera.place), np.array(camera.target)
    ahead = target - place
    ahead /= math.sqrt(float(ahead @ ahead))
    right = np.array((ahead[2], 0.0, -ahead[0]))
    right *= camera.spread / math.sqrt(float(right @ right))
    up = np.cross(ahead, right)
    return np.concatenate((place, ahead, right, up))


@dataclass(frozen=True, slots=True)
class _Piece:
    """What the tracer draws as one: a solid, or one rod of a wire."""

    solid: Solid
    number: int
    kind: int
    geometry: tuple[float, ...]

    @property
    def center(self) -> Point:
        return self.geometry[0], self.geometry[1], self.geometry[2]

    @property
    def reach(self) -> float:
        return self.geometry[8]


def _pieces(solid: Solid, number: int) -> list[_Piece]:
    if solid.kind == "wire":
        return [_Piece(solid, number, _geometry.ROD, _rod(solid, *line)) for line in solid.lines]
    width, height, depth = solid.size
    half = (width / 2, width / 2, width / 2) if solid.kind == "sphere" else (width / 2, height / 2, depth / 2)
    turn, tilt = math.radians(solid.turn), math.radians(solid.tilt)
    angles = (math.cos(turn), math.sin(turn), solid.reach, math.cos(tilt), math.sin(tilt))
    tilted = solid.tilt != 0.0 and solid.kind in TILTED
    kind = TILTED[solid.kind] if tilted else SOLIDS.index(solid.kind)
    return [_Piece(solid, number, kind, (*solid.center, *half, *angles))]


def _rod(solid: Solid, start: Point, end: Point) -> tuple[float, ...]:
    middle = [place + (a + b) / 2 for place, a, b in zip(solid.place, start, end, strict=True)]
    length, radius = math.dist(start, end), solid.size[0] / 2
    axis = [(b - a) / length for a, b in zip(start, end, strict=True)]
    return (*middle, radius, length / 2, *axis, length / 2 + radius, 1.0, 0.0)


def _surface_of(solid: Solid) -> tuple[float, ...]:
    surface = solid.surface
    return (SURFACES.index(surface.kind), *surface.color, surface.index, *solid.shine)


def _rectangle(solid: _Piece, camera: Camera, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Pixels that may show a piece: left, top, right, bottom of what a ball about it can cover."""
    x, y, z, *axes = _view(camera)
    ahead, right, up = np.array(axes).reshape(3, 3)
    to = np.array(solid.center) - (x, y, z)
    width, height = size
    depth = float(to @ ahead)
    if depth <= solid.reach * 1.01:
        return 0, 0, width, height
    ends = []
    for axis in (right, up):
        length = math.sqrt(float(axis @ axis))
        angle = math.atan2(float(to @ axis) / length, depth)
        near = math.sqrt(depth**2 + (float(to @ axis) / length) ** 2)
        wide = math.asin(min(1.0, solid.reach / near))
        if abs(angle) + wide > 1.5:
            return 0, 0, width, height
        ends.append((math.tan(angle - wide) / length, math.tan(angle + wide) / length))
    (left, far_right), (low, high) = ends
    return (
        math.floor((left + 1) / 2 * width) - 1,
        math.floor(height / 2 - high / 2 * width) - 1,
        math.ceil((far_right + 1) / 2 * width) + 1,
        math.ceil(height / 2 - low / 2 * width) + 1,
    )


def _lights(scene: TracedScene, pieces: list[_Piece]) -> npt.NDArray[np.float64]:
    rows = []
    names = [piece.solid.name for piece in pieces]
    for lamp in scene.lamps:
        number = names.index(lamp.solid)
        solid = pieces[number].solid
        if not solid.parts & SHINING:
            continue
        x, y, z = solid.place if lamp.area else solid.center
        wide, deep = solid.size[0] / 2, solid.size[2] / 2
        radius = math.hypot(wide, deep) if lamp.area else wide
        kind = _kernels.AREA if lamp.area else _kernels.GLOBE
        rows.append((kind, x, y, z, radius, wide, deep, *lamp.power, number))
    if scene.sun is not None:
        around, above = math.radians(scene.sun.azimuth), math.radians(scene.sun.elevation)
        x, y, z = math.sin(around) * math.cos(above), math.sin(above), -math.cos(around) * math.cos(above)
        rows.append((_kernels.SUN, x, y, z, scene.sun.spread, 0.0, 0.0, *scene.sun.power, -1))
    return np.array(rows, np.float64).reshape(-1, 11)


def _world(scene: TracedScene) -> npt.NDArray[np.float64]:
    fog = (0.0,) * 4 if scene.fog is None else (scene.fog.density, *scene.fog.color)
    water: tuple[float, ...] = (0.0,) * 7
    if scene.water is not None:
        logs = tuple(math.log(share) for share in scene.water.clearness)
        water = (scene.water.height, *logs, *scene.water.glow)
    wet = (0.0,) * 4 if scene.wet is None else scene.wet.box
    return np.array((*scene.ambient, *scene.background, *fog, *water, *wet), np.float64)


@cache
def _codes() -> npt.NDArray[np.uint8]:
    """The sRGB value of 65,536 steps of linear light."""
    steps = [step / 65535 for step in range(65536)]
    return np.array(
        [round(255 * (12.92 * s if s <= 0.0031308 else 1.055 * s ** (1 / 2.4) - 0.055)) for s in steps], np.uint8
    )


@cache
def _shadow_rays() -> npt.NDArray[np.float64]:
    """Sets of points on a disk and on a square, one in each of 4 × 4 equal parts of it."""
    rays = np.empty((SPINS, _kernels.SHADOW_RAYS, 4))
    random = Random(int(sha256(b"shadow rays").hexdigest()[:12], 16)).random
    for spin in range(SPINS):
        start = random()
        for k in range(_kernels.SHADOW_RAYS):
            ring, part = divmod(k, 4)
            radius = math.sqrt((ring + random()) / 4)
            angle = 2 * math.pi * (start + (part + random() + 0.5 * (ring % 2)) / 4)
            square = (ring + random()) / 2 - 1, (part + random()) / 2 - 1
            rays[spin, k] = (radius * math.cos(angle), radius * math.sin(angle), *square)
    return rays
