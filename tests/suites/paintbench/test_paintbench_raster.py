"""Rasterization against definitions that are too slow to use: a pixel belongs to a figure when its center does."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from editscope.suites.paintbench.raster import brush, fill, frame, near, outline_array, stroke

Vertices: TypeAlias = "list[tuple[float, float]]"
SIDE = 14
quick = settings(max_examples=120, deadline=None)

# Quarter pixels hit pixel centers and each other all the time, which is where half-open edges matter; the fine grid is
# what the generator uses.
quarters = st.integers(-8, 4 * SIDE + 8).map(lambda k: k / 4)
fine = st.integers(-2 * 65536, (SIDE + 2) * 65536).map(lambda k: k / 65536)
points = st.one_of(st.tuples(quarters, quarters), st.tuples(fine, fine))
polygons = st.lists(points, min_size=3, max_size=8)


def blank() -> npt.NDArray[np.uint8]:
    return np.zeros((SIDE, SIDE), np.uint8)


def filled(*rings: Vertices) -> npt.NDArray[np.uint8]:
    plane = blank()
    painted = fill(plane, [outline_array(ring) for ring in rings], 1)
    assert painted == np.count_nonzero(plane)
    return plane


def by_definition(*rings: Vertices) -> npt.NDArray[np.uint8]:
    """Even-odd in exact fractions: how many edges lie to the right of the center, each without its lower end."""
    plane = blank()
    edges = [
        (tuple(map(Fraction, p)), tuple(map(Fraction, q)))
        for ring in rings
        for p, q in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    for row, column in np.ndindex(SIDE, SIDE):
        x, y = Fraction(2 * column + 1, 2), Fraction(2 * row + 1, 2)
        crossings = 0
        for (ax, ay), (bx, by) in edges:
            if min(ay, by) <= y < max(ay, by):
                crossings += ax + (y - ay) * (bx - ax) / (by - ay) > x
        plane[row, column] = crossings % 2
    return plane


@pytest.mark.slow
@quick
@given(polygons)
def test_a_polygon_fills_the_pixels_whose_center_is_inside(ring: Vertices) -> None:
    """Simple, self-intersecting or degenerate: the even-odd rule with half-open edges, nothing else."""
    assert np.array_equal(filled(ring), by_definition(ring))


@pytest.mark.slow
@quick
@given(polygons, polygons)
def test_a_second_ring_is_a_hole_where_it_lies_in_the_first(outer: Vertices, inner: Vertices) -> None:
    assert np.array_equal(filled(outer, inner), by_definition(outer, inner))
    assert np.array_equal(filled(outer, inner), filled(outer) ^ filled(inner))


@pytest.mark.slow
@quick
@given(polygons, points, points)
def test_two_halves_share_no_pixel_and_leave_no_gap(
    ring: Vertices, a: tuple[float, float], b: tuple[float, float]
) -> None:
    """A polygon cut along any chain of edges between two of its vertices: one half xor the other is the whole."""
    k = max(1, len(ring) // 2)
    first, second = [*ring[: k + 1], a, b], [*ring[k:], ring[0], b, a]
    assert np.array_equal(filled(first) ^ filled(second), filled(ring))


@pytest.mark.slow
@quick
@given(st.integers(0, 4 * SIDE), st.integers(0, 4 * SIDE), st.floats(0, SIDE), st.floats(0, SIDE))
def test_neighbors_along_an_edge_tile_the_canvas(left: int, right: int, top: float, bottom: float) -> None:
    """An edge across the canvas, drawn in opposite directions by two figures, gives every pixel to exactly one."""
    p, q = (left / 4, 0.0), (right / 4, float(SIDE))
    kink = ((left + right) / 8, (top + bottom) / 2)
    west = filled([(0.0, 0.0), p, kink, q, (0.0, float(SIDE))])
    east = filled([(float(SIDE), float(SIDE)), q, kink, p, (float(SIDE), 0.0)])
    assert np.array_equal(west ^ east, np.ones_like(west))
    if 0 <= kink[1] <= SIDE:
        assert not (west & east).any()


@pytest.mark.slow
@quick
@given(points, points, st.floats(0.3, 6))
def test_a_brush_paints_what_is_within_its_radius(
    p: tuple[float, float], q: tuple[float, float], radius: float
) -> None:
    plane = blank()
    painted = brush(plane, p, q, radius, 1)
    assert painted == np.count_nonzero(plane)
    for row, column in np.ndindex(SIDE, SIDE):
        gap = from_segment((column + 0.5, row + 0.5), p, q)
        if abs(gap - radius) > 1e-9:
            assert plane[row, column] == (gap <= radius), (row, column, gap)


def from_segment(at: tuple[float, float], p: tuple[float, float], q: tuple[float, float]) -> float:
    """Distance to a segment by cases: beyond an end, or beside the line."""
    along = (q[0] - p[0], q[1] - p[1])
    length = math.hypot(*along)
    if length == 0:
        return math.dist(at, p)
    place = ((at[0] - p[0]) * along[0] + (at[1] - p[1]) * along[1]) / length
    if place <= 0:
        return math.dist(at, p)
    if place >= length:
        return math.dist(at, q)
    return abs((at[0] - p[0]) * along[1] - (at[1] - p[1]) * along[0]) / length


@pytest.mark.slow
@quick
@given(st.lists(points, min_size=3, max_size=6), st.floats(0.5, 3))
def test_an_outline_is_the_brush_along_every_edge(ring: Vertices, radius: float) -> None:
    plane, single = blank(), blank()
    stroke(plane, ring, radius, 1)
    for p, q in itertools.pairwise([*ring, ring[0]]):
        brush(single, p, q, radius, 1)
    assert np.array_equal(plane, single)


@pytest.mark.slow
@quick
@given(st.lists(st.tuples(st.integers(0, SIDE - 1), st.integers(0, SIDE - 1)), max_size=12), st.floats(0, 8))
def test_near_is_what_lies_within_the_distance_of_some_pixel(cells: list[tuple[int, int]], reach: float) -> None:
    mask = np.zeros((SIDE, SIDE), np.bool_)
    for row, column in cells:
        mask[row, column] = True
    found = near(mask, reach)
    for row, column in np.ndindex(SIDE, SIDE):
        gaps = [(row - r) ** 2 + (column - c) ** 2 for r, c in cells]
        assert found[row, column] == any(gap <= reach * reach for gap in gaps)


@quick
@given(st.tuples(*[st.integers(0, SIDE)] * 4), st.integers(1, 3))
def test_a_frame_surrounds_its_rectangle_and_leaves_it_free(corners: tuple[int, int, int, int], thickness: int) -> None:
    x0, x1 = sorted(corners[:2])
    y0, y1 = sorted(corners[2:])
    plane = blank()
    frame(plane, x0, y0, x1, y1, thickness, 1)
    for row, column in np.ndindex(SIDE, SIDE):
        dx = max(x0 - column, column - (x1 - 1), 0)
        dy = max(y0 - row, row - (y1 - 1), 0)
        assert plane[row, column] == (0 < max(dx, dy) <= thickness)
