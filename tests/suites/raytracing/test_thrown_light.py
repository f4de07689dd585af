"""Light that a mirror throws onto the floor is left out of scoring, and water reflects as water does."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from editscope.suites.raytracing.effects import solve_object
from editscope.suites.raytracing.render import place_in_picture, render
from editscope.suites.raytracing.scene import Pattern, Plane, Solid, Sun, Surface, TracedScene, WetPatch
from editscope.suites.raytracing.thrown_light import thrown_light

SIZE = (240, 240)
FLOOR = Plane("floor", 0.0, Pattern("plain", (0.5, 0.5, 0.5)))
BACK = Plane("back", 2.5, Pattern("plain", (0.4, 0.4, 0.4)))
SUN = Sun(30.0, 50.0, (0.8, 0.8, 0.8))
GRAY, SHINY = Surface("matte", (0.3, 0.3, 0.3)), Surface("mirror", (0.9, 0.9, 0.9))
BOARD = Solid("board", "panel", (0.1, 0.05, 2.4), (1.8, 0.8, 0.04), GRAY)


def room(*solids: Solid) -> TracedScene:
    return TracedScene((FLOOR, BACK), solids, sun=SUN, ambient=(0.2, 0.2, 0.2))


@pytest.mark.parametrize("turn", [0.0, 20.0, -35.0])
def test_a_point_of_the_floor_is_lit_where_a_ray_from_the_sun_goes_by_the_mirror(turn: float) -> None:
    mirror = replace(BOARD, place=(0.1, 0.05, 1.2), surface=SHINY, turn=turn)
    scene = room(mirror)
    lit = thrown_light(scene, mirror, SIZE)
    normal = np.array((-math.sin(math.radians(turn)), 0.0, -math.cos(math.radians(turn))))
    across = np.array((math.cos(math.radians(turn)), 0.0, -math.sin(math.radians(turn))))
    falls = -np.array(SUN.direction)
    bounced = falls - 2 * (falls @ normal) * normal
    hit = 0
    for a in np.linspace(-0.9, 0.9, 9):
        for b in np.linspace(-0.6, 0.6, 5):
            start = np.array(mirror.center) + a * mirror.size[0] / 2 * across + np.array((0, b * mirror.size[1] / 2, 0))
            point = start - start[1] / bounced[1] * bounced
            column, row = (int(part) for part in place_in_picture(tuple(point.tolist()), scene.camera, SIZE))
            if 0 <= column < SIZE[0] and 0 <= row < SIZE[1]:
                assert lit[row, column]
                hit += 1
    assert hit >= 20 and lit.mean() < 0.2


def test_a_new_mirror_leaves_its_light_out_of_scoring_and_a_new_board_does_not() -> None:
    gray, mirror = room(BOARD), room(replace(BOARD, surface=SHINY))
    change = solve_object(gray, mirror, "board", SIZE)
    thrown = thrown_light(mirror, mirror.solid("board"), SIZE)
    assert thrown.any() and (change.ignored | change.effects[0].mask)[thrown].all()
    assert not solve_object(mirror, gray, "board", SIZE).ignored.any()


def test_a_wet_floor_reflects_by_fresnel_with_the_index_of_water() -> None:
    wall = replace(BACK, pattern=Pattern("plain", (0.9, 0.9, 0.9)))
    scene = TracedScene((FLOOR, wall), (), ambient=(1.0, 1.0, 1.0), wet=WetPatch((-0.5, 0.4, 0.5, 1.6)))
    point = (0.0, 0.0, 1.0)
    column, row = (int(part) for part in place_in_picture(point, scene.camera, SIZE))
    code = render(scene, SIZE).pixels[row, column, 0] / 255
    seen = ((code + 0.055) / 1.055) ** 2.4
    to = np.array(scene.camera.place) - point
    cos = to[1] / math.sqrt(to @ to)
    bent = math.sqrt(1 - (1 - cos * cos) / 1.33**2)
    reflected = sum(((a - b) / (a + b)) ** 2 for a, b in ((cos, 1.33 * bent), (1.33 * cos, bent))) / 2
    assert seen == pytest.approx(reflected * 0.9 + (1 - reflected) * 0.45 * 0.5, abs=0.006)
