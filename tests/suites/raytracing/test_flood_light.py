"""Light in a flood: the sun's is bent and absorbed on its way down, and what is seen on its way up."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from editscope.suites.raytracing.effects import differs
from editscope.suites.raytracing.render import render
from editscope.suites.raytracing.scene import (
    MIRRORED,
    REFRACTED,
    SEEN,
    Camera,
    Pattern,
    Plane,
    Solid,
    Sun,
    Surface,
    TracedScene,
    Water,
)

SIZE = (160, 160)
INDEX = 1.33
FLOOR = 0.5
Vector = npt.NDArray[np.float64]


def flooded(height: float, *, azimuth: float = 40.0, elevation: float = 45.0) -> TracedScene:
    """A plain floor under the sky, seen from above, under so much water."""
    return TracedScene(
        (Plane("floor", 0.0, Pattern("plain", (FLOOR,) * 3)),),
        (),
        sun=Sun(azimuth, elevation, (0.8, 0.8, 0.8)),
        ambient=(0.2, 0.2, 0.2),
        background=(0.3, 0.3, 0.3),
        water=Water(height),
        camera=Camera((0.0, 3.0, -2.5), (0.0, 0.0, 0.0)),
    )


def direction(camera: Camera, x: float, y: float) -> Vector:
    """The direction of the ray through a place of the picture, 0 to 1 from its left upper corner."""
    ahead = np.subtract(camera.target, camera.place)
    ahead /= np.linalg.norm(ahead)
    right = np.array((ahead[2], 0.0, -ahead[0])) / math.hypot(ahead[0], ahead[2])
    ray = ahead + camera.spread * ((2 * x - 1) * right + (1 - 2 * y) * np.cross(ahead, right))
    return np.asarray(ray / np.linalg.norm(ray))


def bent(ray: Vector) -> Vector:
    """A ray that comes down to the water, below it: Snell's law."""
    across = np.array((ray[0], 0.0, ray[2])) / INDEX
    return np.asarray(across - np.array((0.0, math.sqrt(1 - across @ across), 0.0)))


def through(ray: Vector) -> float:
    """The share of unpolarized light that goes through the surface: Fresnel's formulas by angles."""
    outside, inside = math.acos(-ray[1]), math.acos(-bent(ray)[1])
    s = math.sin(outside - inside) / math.sin(outside + inside)
    p = math.tan(outside - inside) / math.tan(outside + inside)
    return 1 - (s * s + p * p) / 2


def toward(sun: Sun) -> Vector:
    """The direction of sunlight. The sun stands behind the camera, so azimuth 0 shines along +z."""
    turn, up = math.radians(sun.azimuth), math.radians(sun.elevation)
    return np.array((-math.sin(turn) * math.cos(up), -math.sin(up), math.cos(turn) * math.cos(up)))


def down(start: Vector, ray: Vector, level: float) -> Vector:
    """Where a ray comes to a level."""
    return np.asarray(start + ray * (level - start[1]) / ray[1])


@pytest.mark.parametrize(("height", "elevation"), [(0.1, 45.0), (0.5, 30.0), (0.9, 60.0)])
def test_the_floor_under_water_is_as_bright_as_the_formulas_say(height: float, elevation: float) -> None:
    scene = flooded(height, elevation=elevation)
    assert scene.sun is not None and scene.water is not None
    picture = render(scene, SIZE, fine=1).pixels
    light, ray = toward(scene.sun), direction(scene.camera, 0.5 + 0.5 / SIZE[0], 0.5 + 0.5 / SIZE[1])
    for channel in range(3):
        absorbed = -math.log(scene.water.clearness[channel])
        comes = 0.8 * through(light) * -light[1] * math.exp(absorbed * height / bent(light)[1])
        seen = through(ray) * math.exp(absorbed * height / bent(ray)[1])
        expected = seen * FLOOR * (0.2 + comes) + (1 - through(ray)) * 0.3
        code = 255 * (1.055 * expected ** (1 / 2.4) - 0.055)
        assert abs(int(picture[SIZE[1] // 2, SIZE[0] // 2, channel]) - code) <= 1


@pytest.mark.parametrize("azimuth", [-60.0, 0.0, 40.0])
def test_a_shadow_under_water_lies_where_snells_law_puts_it(azimuth: float) -> None:
    scene = flooded(0.6, azimuth=azimuth)
    assert scene.sun is not None
    ball = Solid("red ball", "sphere", (0.0, 0.95, 0.0), (0.1, 0.1, 0.1), Surface("matte", (0.5, 0.0, 0.0)))
    picture = render(scene.with_solid(ball), SIZE)
    shadowless = replace(ball, parts=SEEN | MIRRORED | REFRACTED)
    rows, columns = np.nonzero(differs(render(scene.with_solid(shadowless), SIZE), picture))
    assert len(rows) > 10
    ray = direction(scene.camera, (columns.mean() + 0.5) / SIZE[0], (rows.mean() + 0.5) / SIZE[1])
    seen = down(down(np.array(scene.camera.place), ray, 0.6), bent(ray), 0.0)
    light = toward(scene.sun)
    surface = down(np.array(ball.center), light, 0.6)
    expected, straight = down(surface, bent(light), 0.0), down(surface, light, 0.0)
    assert np.linalg.norm(seen - expected) < 0.02 < 0.1 < np.linalg.norm(seen - straight)
