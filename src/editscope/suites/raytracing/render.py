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
from editscope.suites.raytracing import _geometry, _kernels, _layout, _shading
from editscope.suites.raytracing.scene import SHINING, Camera, Plane, Point, Solid, TracedScene

SOLIDS = ("sphere", "box", "cylinder", "cone", "panel")
TILTED = {"box": _geometry.TILTED_BOX, "cylinder": _geometry.TILTED_CYLINDER}
SURFACES = ("matte", "mirror", "glass", "clear")
PATTERNS = ("plain", "checks", "stripes", "bricks")
SIDES = ("floor", "back", "left", "right", "behind")
MOST_SOLIDS = 31
"""What a pixel can say it was covered by; the last bit is taken."""


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
    pieces = [piece for number, solid in enumerate(scene.solids) for piece in _pieces(solid, number)]
    rectangles = [_rectangle(piece, scene.camera, size) for piece in pieces]
    _kernels.render(
        fine,
        _packed(scene, pieces),
        np.array(rectangles, np.int64).reshape(len(pieces), 4),
        wanted,
        _codes(),
        pixels,
        seen,
    )
    return Rendering(pixels, seen, tuple(solid.name for solid in scene.solids))


def _packed(scene: TracedScene, pieces: list[_Piece]) -> npt.NDArray[np.float64]:
    """The scene as the tracer reads it; see ``_layout``."""
    lights = _lights(scene, [piece.solid.name for piece in pieces])
    solids = _layout.LIGHTS + lights.size
    lights[:, -1] = np.where(lights[:, -1] < 0, -1, solids + lights[:, -1] * _layout.ROW)
    near_by = solids + len(pieces) * _layout.ROW
    data = np.zeros(near_by + 2 * len(pieces) + 1)
    world = _world(scene)
    data[: world.size] = world
    data[_layout.CAMERA : _layout.CAMERA + 12] = _view(scene.camera)
    planes = np.array([_plane_row(plane) for plane in scene.planes], np.float64).ravel()
    data[_layout.PLANES : _layout.PLANES + planes.size] = planes
    data[_layout.RAYS : _layout.LIGHTS] = _shadow_rays().ravel()
    data[_layout.LIGHTS : solids] = lights.ravel()
    rows = [(*p.geometry, p.kind, p.solid.parts, *_surface_of(p.solid), p.number) for p in pieces]
    data[solids:near_by] = np.array(rows, np.float64).ravel()
    data[_layout.PLANES_END] = _layout.PLANES + planes.size
    data[_layout.LIGHTS_END] = data[_layout.SOLIDS] = solids
    data[_layout.SOLIDS_END] = data[_layout.NEAR_BY] = near_by
    data[_layout.SEEABLE] = near_by + len(pieces)
    return data


def _plane_row(plane: Plane) -> tuple[float, ...]:
    pattern = plane.pattern
    kind = PATTERNS.index(pattern.kind)
    return (SIDES.index(plane.side), plane.place, kind, pattern.scale, *pattern.first, *pattern.second)


def place_in_picture(point: tuple[float, float, float], camera: Camera, size: tuple[int, int]) -> tuple[float, float]:
    """Where a point of the scene lies in a picture of this size, in pixels from its left upper corner."""
    x, y, z, *axes = _view(camera)
    ahead, right, up = np.array(axes).reshape(3, 3)
    to = np.array(point) - (x, y, z)
    depth = _dot(to, ahead)
    u = _dot(to, right) / _dot(right, right) / depth
    v = _dot(to, up) / _dot(up, up) / depth
    width, height = size
    return (u + 1) / 2 * width, height / 2 - v / 2 * width


def camera_axes(camera: Camera) -> npt.NDArray[np.float64]:
    """The place of the camera, straight ahead, and the vectors to the right edge and as far up: one in each row."""
    return _view(camera).reshape(4, 3)


def _view(camera: Camera) -> npt.NDArray[np.float64]:
    """The place of the camera, straight ahead, and the vectors to the right edge and as far up."""
    place, target = np.array(camera.place), np.array(camera.target)
    ahead = target - place
    ahead /= math.sqrt(_dot(ahead, ahead))
    right = np.array((ahead[2], 0.0, -ahead[0]))
    right *= camera.spread / math.sqrt(_dot(right, right))
    up = np.cross(ahead, right)
    return np.concatenate((place, ahead, right, up))


def _dot(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> float:
    """The product of two vectors. That of NumPy differs in its last bit from one kind of processor to another."""
    return float(one[0]) * float(other[0]) + float(one[1]) * float(other[1]) + float(one[2]) * float(other[2])


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
    depth = _dot(to, ahead)
    if depth <= solid.reach * 1.01:
        return 0, 0, width, height
    ends = []
    for axis in (right, up):
        length = math.sqrt(_dot(axis, axis))
        angle = math.atan2(_dot(to, axis) / length, depth)
        near = math.sqrt(depth**2 + (_dot(to, axis) / length) ** 2)
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


def _lights(scene: TracedScene, names: list[str]) -> npt.NDArray[np.float64]:
    rows = []
    for lamp in scene.lamps:
        number = names.index(lamp.solid)
        solid = scene.solid(lamp.solid)
        if not solid.parts & SHINING:
            continue
        x, y, z = solid.place if lamp.area else solid.center
        wide, deep = solid.size[0] / 2, solid.size[2] / 2
        radius = math.hypot(wide, deep) if lamp.area else wide
        kind = _shading.AREA if lamp.area else _shading.GLOBE
        rows.append((kind, x, y, z, radius, wide, deep, *lamp.power, number))
    if scene.sun is not None:
        rows.append((_shading.SUN, *scene.sun.direction, scene.sun.spread, 0.0, 0.0, *scene.sun.power, -1))
    return np.array(rows, np.float64).reshape(-1, _layout.LIGHT_ROW)


def _world(scene: TracedScene) -> npt.NDArray[np.float64]:
    fog = (0.0,) * 4 if scene.fog is None else (scene.fog.density, *scene.fog.color)
    water: tuple[float, ...] = (0.0,) * 4
    if scene.water is not None:
        logs = tuple(math.log(share) for share in scene.water.clearness)
        water = (scene.water.height, *logs)
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
    rays = np.empty((_layout.SPINS, _shading.SHADOW_RAYS, 4))
    random = Random(int(sha256(b"shadow rays").hexdigest()[:12], 16)).random
    for spin in range(_layout.SPINS):
        start = random()
        for k in range(_shading.SHADOW_RAYS):
            ring, part = divmod(k, 4)
            radius = math.sqrt((ring + random()) / 4)
            angle = 2 * math.pi * (start + (part + random() + 0.5 * (ring % 2)) / 4)
            square = (ring + random()) / 2 - 1, (part + random()) / 2 - 1
            rays[spin, k] = (radius * math.cos(angle), radius * math.sin(angle), *square)
    return rays
