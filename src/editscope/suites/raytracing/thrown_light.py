"""Where a flat mirror throws light onto the floor. The tracer does not draw that light, so nobody is asked for it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from editscope.suites.raytracing.render import camera_axes
from editscope.suites.raytracing.scene import Solid, TracedScene

Vector = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def thrown_light(scene: TracedScene, mirror: Solid, size: tuple[int, int]) -> Mask:
    """The pixels of the floor that the front of a mirror would light, whatever stands in the way.

    A point of the floor is lit where it sees the image of the sun or of a lamp in the mirror: with the normal n, the
    image of a lamp at L is at L − 2 ((L − C) · n) n, behind the mirror with the center C.
    """
    points, seen = _floor(scene, size)
    center = np.array(mirror.center)
    turn = math.radians(mirror.turn)
    across, normal = np.array((math.cos(turn), 0.0, -math.sin(turn))), -np.array((math.sin(turn), 0.0, math.cos(turn)))
    lit = np.zeros(seen.shape, np.bool_)
    for toward in _images(scene, center, normal, points):
        facing = _along(toward, normal)
        with np.errstate(divide="ignore", invalid="ignore"):
            away = _along(center - points, normal) / facing
            met = points + away[..., None] * toward - center
        inside = (np.abs(_along(met, across)) <= mirror.size[0] / 2) & (np.abs(met[..., 1]) <= mirror.size[1] / 2)
        lit |= inside & (facing < 0) & (away > 0)
    return np.asarray(lit & seen)


def _images(scene: TracedScene, center: Vector, normal: Vector, points: Vector) -> Iterator[Vector]:
    """For each image of a light in the mirror, the way to it from all points."""
    if scene.sun is not None and (facing := _along(toward := np.array(scene.sun.direction), normal)) > 0:
        yield np.broadcast_to(toward - 2 * facing * normal, points.shape)
    for lamp in scene.lamps:
        solid = scene.solid(lamp.solid)
        for place in _corners(solid):
            distance = _along(place - center, normal)
            if distance > 0:
                yield place - 2 * distance * normal - points


def _along(vectors: Vector, direction: Vector) -> Vector:
    """How far vectors reach in a direction. NumPy's own product differs in its last bit between processors."""
    return np.asarray(vectors[..., 0] * direction[0] + vectors[..., 1] * direction[1] + vectors[..., 2] * direction[2])


def _corners(solid: Solid) -> Iterator[Vector]:
    """The middle of a lamp and the corners of the box about it."""
    middle = np.array(solid.center)
    yield middle
    for x in (-0.5, 0.5):
        for y in (-0.5, 0.5):
            for z in (-0.5, 0.5):
                yield middle + np.array((x, y, z)) * solid.size


def _floor(scene: TracedScene, size: tuple[int, int]) -> tuple[Vector, Mask]:
    """The point of the floor behind each pixel, and which pixels have one before the back wall."""
    width, height = size
    place, ahead, right, up = camera_axes(scene.camera)
    u = (np.arange(width) + 0.5) * 2 / width - 1
    v = (1 - (np.arange(height) + 0.5) * 2 / height) * height / width
    rays = ahead + u[None, :, None] * right + v[:, None, None] * up
    down = rays[..., 1] < 0
    far = np.where(down, -place[1] / np.where(down, rays[..., 1], -1.0), 0.0)
    points = place + far[..., None] * rays
    back = min((plane.place for plane in scene.planes if plane.side == "back"), default=math.inf)
    return points, down & (points[..., 2] <= back)
