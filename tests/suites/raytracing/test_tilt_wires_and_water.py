"""Tilted solids, wires and clear bodies are drawn where geometry says, and thin things cast thin shadows."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from editscope.suites.raytracing.render import Rendering, place_in_picture, render
from editscope.suites.raytracing.scene import ALL, SHADOWING, Camera, Pattern, Plane, Solid, Sun, Surface, TracedScene

SIZE = (96, 96)
EMPTY = TracedScene(
    (Plane("floor", 0.0, Pattern("checks")),),
    (),
    sun=Sun(30.0, 45.0, (0.8, 0.8, 0.8)),
    camera=Camera((0.0, 1.2, -4.4), (0.0, 0.8, 0.6)),
)
RED = Surface("matte", (0.6, 0.05, 0.05))


def drawn(*solids: Solid) -> Rendering:
    return render(replace(EMPTY, solids=solids), SIZE)


def off(one: Rendering, other: Rendering) -> int:
    """The number of pixels that anybody would call different."""
    return int((np.abs(one.pixels.astype(int) - other.pixels.astype(int)).max(axis=2) > 6).sum())


@pytest.mark.parametrize("angle", [-90.0, 90.0, 270.0])
def test_a_box_on_its_side_is_a_box_of_the_other_size(angle: float) -> None:
    lying = Solid("box", "box", (0.1, 0.5, 0.0), (0.4, 1.0, 0.5), RED, tilt=angle)
    same = Solid("box", "box", (0.1, 0.8, 0.0), (1.0, 0.4, 0.5), RED)
    assert off(drawn(lying), drawn(same)) == 0


@pytest.mark.parametrize("kind", ["box", "cylinder"])
def test_a_tilt_too_small_to_see_changes_nothing(kind: str) -> None:
    solid = Solid("it", kind, (0.1, 0.0, 0.0), (0.5, 0.9, 0.5), RED, turn=30.0)  # type: ignore[arg-type]
    assert off(drawn(solid), drawn(replace(solid, tilt=1e-9))) == 0
    assert off(drawn(solid), drawn(replace(solid, tilt=20.0))) > 50


def test_a_positive_tilt_is_counterclockwise() -> None:
    board = Solid("board", "box", (0.0, 0.8, 0.0), (2.0, 0.1, 0.3), RED, tilt=20.0)
    seen = drawn(board).covered("board")
    for side in (-1, 1):
        point = (side * 0.9 * math.cos(math.radians(20)), 0.85 + side * 0.9 * math.sin(math.radians(20)), -0.15)
        x, y = place_in_picture(point, EMPTY.camera, SIZE)
        assert seen[int(y), int(x)]


def test_a_wire_goes_through_its_points_and_has_one_name() -> None:
    points = [(-0.8, 0.2, 0.0), (0.0, 1.2, 0.0), (0.8, 0.2, 0.0)]
    lines = tuple(pairwise(points))
    wire = Solid("wire", "wire", (0.1, 0.1, 0.0), (0.08, 0.08, 0.08), RED, lines=lines)
    seen = drawn(wire).covered("wire")
    for start, end in lines:
        for share in (0.0, 0.3, 0.7, 1.0):
            x, y, z = (a + share * (b - a) for a, b in zip(start, end, strict=True))
            column, row = place_in_picture((x + 0.1, y + 0.1, z), EMPTY.camera, SIZE)
            assert seen[int(row), int(column)]
    assert seen.mean() < 0.05


def test_a_rod_of_no_length_worth_is_a_ball() -> None:
    ball = Solid("it", "sphere", (0.2, 0.4, 0.0), (0.6, 0.6, 0.6), RED)
    rod = Solid("it", "wire", (0.2, 0.7, 0.0), (0.6, 0.6, 0.6), RED, lines=(((-1e-7, 0.0, 0.0), (1e-7, 0.0, 0.0)),))
    assert off(drawn(ball), drawn(rod)) == 0


def test_a_scene_may_have_more_rods_than_names() -> None:
    lines = tuple(((0.02 * n, 0.0, 0.0), (0.02 * n, 0.5, 0.0)) for n in range(60))
    comb = Solid("comb", "wire", (-0.6, 0.2, 0.0), (0.01, 0.01, 0.01), RED, lines=lines)
    assert drawn(comb).covered("comb").mean() > 0.02


@pytest.mark.parametrize("kind", ["box", "cylinder", "cone"])
def test_in_the_sun_a_thin_thing_casts_a_thin_shadow(kind: str) -> None:
    thin = Solid("pole", kind, (0.0, 0.0, 0.0), (0.05, 1.6, 0.05), RED)  # type: ignore[arg-type]
    shade = np.any(drawn(thin).pixels != drawn(replace(thin, parts=ALL & ~SHADOWING)).pixels, axis=2)
    assert 0 < shade.mean() < 0.03


def test_what_stands_in_clear_water_is_seen_where_it_is_and_darker() -> None:
    ball = Solid("ball", "sphere", (0.0, 0.1, 0.0), (0.5, 0.5, 0.5), Surface("matte", (0.6, 0.6, 0.6)))
    water = Solid(
        "water", "box", (0.0, 0.01, 0.0), (1.4, 0.8, 0.9), Surface("clear", (0.2, 0.6, 0.7)), parts=ALL & ~SHADOWING
    )
    dry, wet = drawn(ball), drawn(ball, water)
    assert np.array_equal(dry.covered("ball"), wet.covered("ball"))
    under = wet.covered("ball") & wet.covered("water")
    assert under.sum() > 100
    assert wet.pixels[under].mean(axis=0)[0] < dry.pixels[under].mean(axis=0)[0] - 10
    outside = ~wet.covered("water")
    assert np.array_equal(dry.pixels[outside], wet.pixels[outside])


def test_perfectly_clear_water_cannot_be_seen() -> None:
    ball = Solid("ball", "sphere", (0.0, 0.1, 0.0), (0.5, 0.5, 0.5), RED)
    clear = Solid(
        "water", "box", (0.0, 0.01, 0.0), (1.4, 0.8, 0.9), Surface("clear", (1.0, 1.0, 1.0)), parts=ALL & ~SHADOWING
    )
    assert off(drawn(ball), drawn(ball, clear)) == 0
