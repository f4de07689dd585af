"""Solving what draws, removes and recolors: construction, removal, recolor, border."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
from scipy import ndimage

from support.paintbench.compare import NAMED, close, erased, near, same
from support.paintbench.reader import Board, Floats, Point, ink_of, one, some, where


def construction(board: Board, said: dict[str, str]) -> None:
    facts, ink = board.facts, ink_of(said["ink"])
    assert ink == facts["draw_color"]
    assert said["article"] == ("an" if said["ink"][0] in "aeiou" else "a")
    assert ink not in [t.color for t in board.things] + facts["bg_colors"], "the new figure's color is not its own"
    if "brush" in said:
        points = [_agreed(board, said[key], at) for key, at in zip("pq", facts["points"], strict=True)]
        radius = float(said["brush"]) / 200 * board.width
    elif "k" in said:
        words = re.split(r", (?=\(|the )| and (?=\(|the )", said["vertices"])
        assert len(words) == int(said["k"]) == len(facts["vertices"]) >= 3
        points = [_agreed(board, w, at) for w, at in zip(words, facts["vertices"], strict=True)]
        radius = 0.0
    else:
        center, radius = _circle(board, said)
        points = [center, center]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    window = board.window((min(xs), min(ys), max(xs), max(ys)), margin=radius + 1)
    y, x = np.mgrid[window] + 0.5
    gap = _inside_polygon(x, y, points) if "k" in said else _from_segment(x, y, points[0], points[1])
    figure = gap <= radius
    if said["layer"] == "underneath":
        figure &= board.is_ground(board.before[window])
    expected = board.before.copy()
    sure = np.ones(expected.shape, np.bool_)
    sure[window] = abs(gap - radius) > 1e-6
    expected[window][figure] = board.index(ink)
    same(board, expected, sure)


def _agreed(board: Board, words: str, at: Any) -> Point:
    close(where(board, words), at, 1e-6 if words.startswith("(") else NAMED)
    return float(at[0]), float(at[1])


def _circle(board: Board, said: dict[str, str]) -> tuple[Point, float]:
    facts = board.facts
    if "p" in said:
        p, q = where(board, said["p"]), where(board, said["q"])
        center, radius = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2), math.dist(p, q) / 2
        exact = said["p"][0] == said["q"][0] == "("
    else:
        center = where(board, said["center"])
        radius = float(said["radius"]) / 100 * board.width if "radius" in said else 0.0
        exact = said["center"][0] == "(" and said.get("through", "(")[0] == "("
        if "through" in said:
            radius = math.dist(center, where(board, said["through"]))
    close(center, facts["center"], 1e-6 if exact else NAMED)
    assert near(radius, facts["radius"], 1e-6 if exact or "radius" in said else 2 * NAMED)
    return (float(facts["center"][0]), float(facts["center"][1])), float(facts["radius"])


def _from_segment(x: Floats, y: Floats, p: Point, q: Point) -> Floats:
    dx, dy = q[0] - p[0], q[1] - p[1]
    t = np.clip(((x - p[0]) * dx + (y - p[1]) * dy) / max(dx * dx + dy * dy, 1e-12), 0, 1)
    gap: Floats = np.hypot(x - p[0] - t * dx, y - p[1] - t * dy)
    return gap


def _inside_polygon(x: Floats, y: Floats, vertices: list[Point]) -> Floats:
    """-1 inside, 1 outside (even-odd), 0 where an edge passes within a hair of the pixel's center."""
    odd = np.zeros(x.shape, np.bool_)
    touched = np.zeros(x.shape, np.bool_)
    for (ax, ay), (bx, by) in itertools.pairwise([*vertices, vertices[0]]):
        if ay == by:
            continue
        rows = (min(ay, by) <= y) & (y < max(ay, by))
        crossing = ax + (y - ay) * (bx - ax) / (by - ay)
        odd ^= rows & (x < crossing)
        touched |= rows & (abs(x - crossing) < 1e-7)
    return np.where(touched, 0.0, np.where(odd, -1.0, 1.0))


def at_spot(board: Board, words: str) -> int:
    """The one shape at a position, not close to its edge."""
    x, y = where(board, words)
    found = []
    for i in range(len(board.things)):
        (rows, columns), mask = board.pixels_of(i)
        px, py = math.floor(x) - columns.start, math.floor(y) - rows.start
        if 0 <= px < mask.shape[1] and 0 <= py < mask.shape[0] and mask[py, px]:
            assert mask[py - 1 : py + 2, px - 1 : px + 2].all(), "the position is at the edge of a shape"
            found.append(i)
    assert len(found) == 1, f"{len(found)} shapes at {words}"
    return found[0]


def removal(board: Board, said: dict[str, str]) -> None:
    members = {at_spot(board, said["spot"])} if "spot" in said else some(board, said["group"])
    if "all" in said:
        members = set(range(len(board.things))) - members
    assert sorted(members) == board.facts["targets"]
    assert len(members) < len(board.things) or board.facts["n"] == 1
    expected = board.before.copy()
    sure = erased(board, members, expected)
    same(board, expected, sure)


def recolor(board: Board, said: dict[str, str]) -> None:
    members = some(board, said["group"])
    color = board.things[at_spot(board, said["spot"])].color if "spot" in said else ink_of(said["ink"])
    assert (sorted(members), color) == (board.facts["targets"], board.facts["new_color"])
    assert any(board.things[i].color != color for i in members), "all have the new color already"
    assert "spot" not in said or board.facts["source"] not in members
    expected = board.before.copy()
    for i in members:
        window, mask = board.pixels_of(i)
        expected[window][mask] = board.index(color)
    same(board, expected)


def border(board: Board, said: dict[str, str]) -> None:
    who, ink = one(board, said["who"]), ink_of(said["ink"])
    assert (who, float(said["reach"]), ink) == tuple(
        board.facts[k] for k in ("target", "distance_percent", "new_color")
    )
    assert ink not in (board.things[who].color, *board.facts["bg_colors"])
    reach = float(said["reach"]) / 100 * board.width
    window = board.window(board.things[who].box, margin=reach + 2)
    mask = np.zeros(board.before.shape, np.bool_)
    own, pixels = board.pixels_of(who)
    mask[own] = pixels
    gap = np.rint(ndimage.distance_transform_edt(~mask[window]) ** 2)
    expected = board.before.copy()
    expected[window][(gap > 0) & (gap <= reach * reach)] = board.index(ink)
    same(board, expected)
