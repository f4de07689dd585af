"""An independent solver of PaintBench: does what the sentence asks with the pixels, and compares with the answer.

Where a paint program can be exact the comparison is exact. A shape that was moved is taken from its own pixels, which
are known to half a pixel only, so there the answer may differ in a thin band along its edge and nowhere else.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from paintbench_reader import (
    HEX,
    PLURALS,
    Board,
    Floats,
    Mask,
    Plane,
    Point,
    Thing,
    ink_of,
    nine,
    one,
    read,
    some,
    where,
)
from scipy import ndimage

ORDINALS = {
    None: 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
}
NAMED = 2.5
"""How well a named point can be found in the pixels of a shape."""
Window = tuple[slice, slice]


def solve(board: Board) -> None:
    """Check that the answer is what the sentence asks for; AssertionError with the reason when it is not."""
    said = read(board)
    SOLVERS[board.facts["task"]](board, said)


def near(a: float, b: float, tolerance: float = 1e-9) -> bool:
    return abs(a - b) <= tolerance


def close(p: Point, q: Any, tolerance: float = NAMED) -> None:
    assert math.dist(p, q) <= tolerance, f"the words point to {p}, the description says {q}"


def same(board: Board, expected: Plane, sure: Mask | None = None, window: Window | None = None) -> None:
    """The answer is this picture, pixel by pixel."""
    after = board.after if window is None else board.after[window]
    wrong = expected != after
    if sure is not None:
        wrong &= sure
    count = int(np.count_nonzero(wrong))
    assert count == 0, f"{count} pixels differ, first at {np.argwhere(wrong)[0].tolist()}"


def erased(board: Board, members: set[int] | list[int], plane: Plane) -> Mask:
    """Show the background where shapes were; returns where the background is beyond doubt."""
    sure = np.ones(plane.shape, np.bool_)
    for i in members:
        window, mask = board.pixels_of(i)
        ground, known = board.ground(window)
        plane[window][mask] = ground[mask]
        sure[window][mask] = known[mask]
    return sure


# One shape goes elsewhere


def moved(board: Board, who: int, affine: Floats, layer: str, slack: float = 0.0) -> None:
    """The answer shows the shape under a 2 × 3 map, above or below the others, and is else unchanged."""
    assert board.facts["target"] == who
    thing, color = board.things[who], board.index(board.things[who].color)
    base = board.before.copy()
    sure = erased(board, {who}, base)
    (rows, columns), own = board.pixels_of(who)
    x0, y0, x1, y1 = thing.box
    corners = np.array([[x0, x1, x0, x1], [y0, y0, y1, y1], [1, 1, 1, 1]])
    there = affine @ corners
    new = (there[0].min(), there[1].min(), there[0].max(), there[1].max())
    both = tuple(float(f(a, b)) for f, a, b in zip((min, min, max, max), thing.box, new, strict=True))
    window = board.window((both[0], both[1], both[2], both[3]), margin=6)
    inverse = np.linalg.inv(affine[:, :2])
    ys, xs = np.mgrid[window]
    sx, sy = np.tensordot(inverse, np.stack([xs + 0.5 - affine[0, 2], ys + 0.5 - affine[1, 2]]), 1)
    shape = taken_from(own, sx - columns.start, sy - rows.start)
    visible = shape if layer == "on top of" else shape & board.is_ground(base[window])
    expected = base[window].copy()
    expected[visible] = color
    stretch = float(np.linalg.norm(affine[:, :2], 2))
    wrong = (expected != board.after[window]) & sure[window]
    along_the_edge(wrong, shape, 0.75 * max(1.0, stretch) + 0.85 + slack)
    unchanged_outside(board, window)
    if layer == "on top of" and not np.isin(color, base[window]) and _inside(board, new):
        area = np.count_nonzero(own) * abs(float(np.linalg.det(affine[:, :2])))
        ratio = np.count_nonzero(board.after[window] == color) / area
        assert abs(ratio - 1) <= 0.03 + 2 / math.sqrt(area), f"the area is {ratio:.3f} times what it should be"


def _inside(board: Board, box: tuple[float, float, float, float]) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= board.width and box[3] <= board.height


def taken_from(mask: Mask, x: Floats, y: Floats) -> Mask:
    """The mask at points, False outside of it."""
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    padded = np.pad(mask, 1)
    found: Mask = padded[np.clip(row + 1, 0, padded.shape[0] - 1), np.clip(column + 1, 0, padded.shape[1] - 1)]
    return found


def depth(mask: Mask) -> Floats:
    """How far each pixel is from the edge of a mask, on either side."""
    if not mask.any() or mask.all():
        return np.full(mask.shape, np.inf)
    return np.where(mask, ndimage.distance_transform_edt(mask), ndimage.distance_transform_edt(~mask))


def along_the_edge(wrong: Mask, shape: Mask, tolerance: float) -> None:
    """Differences lie along the edge of a shape; a few pixels of a sharp tip may reach a little farther."""
    off = depth(shape)[wrong]
    far = off[off > tolerance]
    assert len(far) <= 4 and not (far > tolerance + 2).any(), (
        f"{len(far)} pixels differ away from the edge of the moved shape, up to {far.max():.1f} px"
    )


def about(p: Point, matrix: list[list[float]]) -> Floats:
    """The linear map with one point fixed."""
    linear = np.array(matrix)
    return np.column_stack([linear, np.array(p) - linear @ np.array(p)])


def translation(board: Board, said: dict[str, str]) -> None:
    who, facts = one(board, said["who"]), board.facts
    if "point" in said:
        assert (facts["mode"], said["point"]) == ("align", facts["point"])
        start, goal = where(board, f"its {said['point']}", who), where(board, said["goal"])
        assert math.dist(start, goal) >= 10
        dx, dy = goal[0] - start[0], goal[1] - start[1]
        return moved(board, who, np.array([[1, 0, dx], [0, 1, dy]]), said["layer"], slack=NAMED)
    dx = float(said.get("dx", 0)) * (-1 if said.get("h") == "left" else 1)
    dy = float(said.get("dy", 0)) * (-1 if said.get("v") == "up" else 1)
    assert (dx, dy) == (facts["dx_percent"], facts["dy_percent"]) != (0, 0)
    shift = np.array([[1, 0, dx / 100 * board.width], [0, 1, dy / 100 * board.height]])
    return moved(board, who, shift, said["layer"])


def rotation(board: Board, said: dict[str, str]) -> None:
    who, facts = one(board, said["who"]), board.facts
    assert said["pivot"].startswith("its ") == (facts["mode"] == "local")
    exact = said["pivot"].startswith("(")
    close(where(board, said["pivot"], who), facts["pivot"], 1e-6 if exact else NAMED)
    assert int(said["angle"]) == facts["angle"] and 0 < facts["angle"] < 360
    turn = math.radians(facts["angle"] * (1 if said["way"] == "clockwise" else -1))
    c, s = math.cos(turn), math.sin(turn)
    moved(board, who, about(facts["pivot"], [[c, -s], [s, c]]), said["layer"])


def reflection(board: Board, said: dict[str, str]) -> None:
    who, facts = one(board, said["who"]), board.facts
    x0, y0, x1, y1 = box = board.things[who].box
    assert ("p" in said) == (facts["mode"] == "external")
    if "p" in said:
        p, q = where(board, said["p"]), where(board, said["q"])
    elif "edge" in said:
        p, q = {
            "left": ((x0, y0), (x0, y1)),
            "right": ((x1, y0), (x1, y1)),
            "top": ((x0, y0), (x1, y0)),
            "bottom": ((x0, y1), (x1, y1)),
        }[said["edge"]]
    elif "axis" in said:
        cx, cy = board.things[who].center
        p, q = ((cx, y0), (cx, y1)) if said["axis"] == "vertical" else ((x0, cy), (x1, cy))
    else:
        p, q = nine(box, f"{said['c1']} corner"), nine(box, f"{said['c2']} corner")
    close(p, facts["line"][0])
    close(q, facts["line"][1])
    p, q = facts["line"]
    angle = 2 * math.atan2(q[1] - p[1], q[0] - p[0])
    c, s = math.cos(angle), math.sin(angle)
    moved(board, who, about(p, [[c, s], [s, -c]]), said["layer"])


def scaling(board: Board, said: dict[str, str]) -> None:
    who, facts = one(board, said["who"]), board.facts
    thing = board.things[who]
    if "other" in said:
        other = board.things[one(board, said["other"])]
        factor = other.width / thing.width if said["by"] == "wide" else other.height / thing.height
        axis = {"in": "both", "horizontally": "width", "vertically": "height"}[said["how"].split()[0]]
        assert axis == "both" or (axis == "width") == (said["by"] == "wide")
        assert near(factor, facts["factor"], 1e-4)
    else:
        factor = int(said.get("both") or said["single"]) / 100
        axis = "both" if "both" in said else said["side"]
        assert axis == "both" or (axis == "width") == (said["way"] == "horizontally") and said["rest"] != axis
        assert factor == facts["factor"]
    assert axis == facts["axis"] and abs(factor - 1) >= 0.14
    fixed = _anchor(thing, said["anchor"])
    sx, sy = (factor if axis != "height" else 1.0), (factor if axis != "width" else 1.0)
    moved(board, who, about(fixed, [[sx, 0], [0, sy]]), said["layer"])


def _anchor(thing: Thing, words: str) -> Point:
    if words in ("vertical center line", "horizontal center line"):
        return thing.center
    return nine(thing.box, f"{words} midpoint" if words.endswith("edge") else words)


def shearing(board: Board, said: dict[str, str]) -> None:
    who = one(board, said["who"])
    thing = board.things[who]
    sideways = said["way"] == "horizontally"
    assert said["side"] == ("width" if sideways else "height")
    assert int(said["amount"]) == board.facts["percent"] > 0
    shift = int(said["amount"]) / 100 * (thing.width if sideways else thing.height)
    shift *= -1 if said["to"] in ("left", "up") else 1
    assert (said["to"] in ("left", "right")) == sideways == (said["edge"] in ("top", "bottom"))
    if "line" in said:
        assert (said["line"] == "horizontal") == sideways
        assert {said["to"], said["to2"]} == ({"left", "right"} if sideways else {"up", "down"})
        fixed = thing.center
    else:
        assert {said["edge"], said["fixed"]} == ({"top", "bottom"} if sideways else {"left", "right"})
        fixed = nine(thing.box, f"{said['fixed']} edge midpoint")
    edge = nine(thing.box, f"{said['edge']} edge midpoint")
    slope = shift / (edge[1] - fixed[1] if sideways else edge[0] - fixed[0])
    moved(board, who, about(fixed, [[1, slope], [0, 1]] if sideways else [[1, 0], [slope, 1]]), said["layer"])


# Drawing, removing, recolouring


def construction(board: Board, said: dict[str, str]) -> None:
    facts, ink = board.facts, ink_of(said["ink"])
    assert ink == facts["draw_color"]
    assert ink not in [t.color for t in board.things] + facts["bg_colors"]
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
    """-1 inside, 1 outside (even-odd), 0 where an edge passes within a hair of the pixel's centre."""
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
    assert sorted(members) == board.facts["targets"]
    assert len(members) < len(board.things)
    expected = board.before.copy()
    sure = erased(board, members, expected)
    same(board, expected, sure)


def recolor(board: Board, said: dict[str, str]) -> None:
    members = some(board, said["group"])
    color = board.things[at_spot(board, said["spot"])].color if "spot" in said else ink_of(said["ink"])
    assert (sorted(members), color) == (board.facts["targets"], board.facts["new_color"])
    assert all(board.things[i].color != color for i in members), "a shape has the new color already"
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


# Inside an outline


def enclosed(board: Board, name: str) -> list[tuple[Window, Mask]]:
    """The regions that lines of a colour enclose, from top to bottom and left to right, found by flooding."""
    code = HEX[name]
    assert code not in [t.color for t in board.things] + board.facts["bg_colors"], "the outline's color is not its own"
    lines = board.before == board.index(code)
    rows, columns = np.flatnonzero(lines.any(axis=1)), np.flatnonzero(lines.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    cut = lines[top : rows[-1] + 1, left : columns[-1] + 1]
    labels, count = ndimage.label(np.pad(~cut, 1, constant_values=True))
    found = []
    for label, box in enumerate(ndimage.find_objects(labels), start=1):
        mask = labels[box] == label
        if label != labels[0, 0]:
            ys, xs = box
            window = (slice(ys.start - 1 + top, ys.stop - 1 + top), slice(xs.start - 1 + left, xs.stop - 1 + left))
            found.append((window, mask))
    return found


def region(board: Board, name: str) -> tuple[Window, Mask]:
    """The one region inside an outline, crumbs in its corners included."""
    parts = enclosed(board, name)
    assert parts, "the outline encloses nothing"
    rows = slice(min(w[0].start for w, _ in parts), max(w[0].stop for w, _ in parts))
    columns = slice(min(w[1].start for w, _ in parts), max(w[1].stop for w, _ in parts))
    mask = np.zeros(board.before.shape, np.bool_)
    for window, part in parts:
        mask[window] |= part
    largest = max(int(np.count_nonzero(part)) for _, part in parts)
    assert largest >= 0.9 * np.count_nonzero(mask), "the outline encloses several regions"
    return (rows, columns), mask[rows, columns]


def unchanged_outside(board: Board, window: Window) -> None:
    assert all(w.start <= c.start and c.stop <= w.stop for w, c in zip(window, board.changed, strict=True)), (
        "pixels change far from where they should"
    )


def flood_fill(board: Board, said: dict[str, str]) -> None:
    window, inside = region(board, said["outline"])
    assert (said["which"] == "background pixel") == (board.facts["mode"] == "background") == (said["rest"] == "shapes")
    ink = ink_of(said["ink"])
    assert ink == board.facts["new_color"] != HEX[said["outline"]]
    ground = board.is_ground(board.before[window])
    expected = board.before[window].copy()
    expected[inside & (ground if said["which"] == "background pixel" else ~ground)] = board.index(ink)
    same(board, expected, window=window)
    unchanged_outside(board, window)


def pointwise(board: Board, said: dict[str, str], change: Callable[[Floats], Floats]) -> None:
    """Every pixel inside the outline is changed by a formula on its RGB value."""
    window, inside = region(board, said["outline"])
    values = change(board.colors[:11].astype(np.float64))
    assert (values == np.rint(values)).all()
    before, after = board.colors[board.before[window]], board.colors[board.after[window]]
    expected = np.where(inside[..., None], values[board.before[window]], before)
    count = int(np.count_nonzero((expected != after).any(axis=-1)))
    assert count == 0, f"{count} pixels inside the outline differ"
    unchanged_outside(board, window)


def blending(board: Board, said: dict[str, str]) -> None:
    p = int(said["opacity"])
    code = ink_of(said["ink"])
    assert p == int(said["new"]) == 100 - int(said["old"]) == board.facts["opacity"]
    assert code == board.facts["blend_color"] != HEX[said["outline"]]
    rgb = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)])
    pointwise(board, said, lambda c: np.floor((p * rgb + (100 - p) * c) / 100 + 0.5))


def point_operations(board: Board, said: dict[str, str]) -> None:
    mode = {"Invert": "invert", "Convert": "grayscale"}.get(said["op"], "brightness")
    assert mode == board.facts["mode"]
    if mode == "invert":
        return pointwise(board, said, lambda c: 255 - c)
    if mode == "grayscale":
        weights = np.array([299, 587, 114])
        return pointwise(board, said, lambda c: np.floor(c @ weights / 1000 + 0.5)[:, None].repeat(3, axis=1))
    amount = int(said["amount"]) * (1 if said["op"] == "Add" else -1)
    assert amount == board.facts["brightness_offset"]
    return pointwise(board, said, lambda c: np.clip(c + amount, 0, 255))


def gradient(board: Board, said: dict[str, str]) -> None:
    facts = board.facts
    window, inside = region(board, said["outline"])
    first, second = ink_of(said["ink"]), ink_of(said["ink2"])
    assert (first, second) == (facts["color1"], facts["color2"]) and first != second
    assert HEX[said["outline"]] not in (first, second)
    corners = dict(zip(("top-left", "top-right", "bottom-right", "bottom-left"), facts["region"], strict=True))
    start, end = (_along(corners, said[key]) for key in ("start", "end"))
    across = end[0] - start[0]
    if said["start"].endswith("edge"):  # constant along the edge: only what is at right angles to it counts
        edge = start[1] / np.linalg.norm(start[1])
        across = across - (across @ edge) * edge
        assert abs(end[1] @ np.array([edge[1], -edge[0]])) < 0.01, "the two edges are not parallel"
    y, x = np.mgrid[window] + 0.5
    t = ((x - start[0][0]) * across[0] + (y - start[0][1]) * across[1]) / (across @ across)
    assert -0.01 <= t[inside].min() and t[inside].max() <= 1.01, "part of the region lies beyond the gradient"
    a, b = (np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) for code in (first, second))
    value = a + np.clip(t, 0, 1)[..., None] * (b - a)
    ground = board.is_ground(board.before[window])
    painted = inside & (ground if facts["mode"] == "background" else ~ground)
    assert (said["which"] == "background pixels") == (facts["mode"] == "background") == (said["rest"] == "shapes")
    expected = np.where(painted[..., None], value, board.colors[board.before[window]])
    wrong = abs(board.after[window] - expected) > np.where(painted[..., None], 0.501, 0)
    assert not wrong.any(), f"{np.count_nonzero(wrong)} values differ"
    unchanged_outside(board, window)


def _along(corners: dict[str, list[float]], words: str) -> tuple[Floats, Floats]:
    """A point of an edge or corner, and the direction of the edge."""
    name, _, kind = words.rpartition(" ")
    if kind == "corner":
        return np.array(corners[name]), np.zeros(2)
    ends = [np.array(at) for corner, at in corners.items() if name in corner.split("-")]
    assert len(ends) == 2
    return (ends[0] + ends[1]) / 2, ends[1] - ends[0]


def copying(board: Board, said: dict[str, str]) -> None:
    squares = enclosed(board, said["outline"])
    assert len(squares) == 2
    axis = 0 if said["source"] in ("upper", "lower") else 1
    low, high = sorted((window for window, _ in squares), key=lambda w: w[axis].start)
    assert low[axis].stop <= high[axis].start, "the squares are not beside each other as the words say"
    source, target = (low, high) if said["source"] in ("upper", "left") else (high, low)
    assert (said["source"], said["target"]) in (
        ("upper", "lower"),
        ("lower", "upper"),
        ("left", "right"),
        ("right", "left"),
    )
    sides = {s.stop - s.start for window in (source, target) for s in window}
    assert len(sides) == 1, "the squares are not two equal squares"
    shapes = ~board.is_ground(board.before[source])
    assert board.is_ground(board.before[target]).all()
    expected = board.before.copy()
    expected[target][shapes] = board.before[source][shapes]
    same(board, expected)


def cropping(board: Board, said: dict[str, str]) -> None:
    height, width = board.before.shape
    window, inside = region(board, said["outline"])
    rows, columns = np.arange(height), np.arange(width)
    if "corner" not in said:
        (ys, xs), h, w = window, window[0].stop - window[0].start, window[1].stop - window[1].start
        assert inside.all() and h * width == w * height, "the rectangle has not the aspect ratio of the image"
        picked = np.ix_(ys.start + (2 * rows + 1) * h // (2 * height), xs.start + (2 * columns + 1) * w // (2 * width))
        return same(board, board.before[picked])
    corners = [np.array(c) for c in board.facts["corners"]]
    named = min(corners, key=lambda c: float(c[1] if said["corner"] == "highest" else c[0]))
    assert named is corners[0]
    right, down = corners[1] - corners[0], corners[3] - corners[0]
    assert abs(right @ down) < 1e-3 * np.linalg.norm(right) * np.linalg.norm(down)
    assert right[0] * down[1] - right[1] * down[0] > 0, "the picture would be mirrored"
    v, u = np.meshgrid((rows + 0.5) / height, (columns + 0.5) / width, indexing="ij")
    x, y = (corners[0][k] + u * right[k] + v * down[k] for k in (0, 1))
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    sure = (abs(x - np.rint(x)) > 1e-6) & (abs(y - np.rint(y)) > 1e-6)
    seen = board.before[row, column]
    hidden = seen == board.index(HEX[said["outline"]])
    assert not hidden.any(), f"{np.count_nonzero(hidden)} pixels of the answer lie under the outline"
    same(board, seen, sure)


# Reasoning


def comparison(board: Board, said: dict[str, str]) -> None:
    kind = PLURALS[said["kinds"]]
    members = [i for i, t in enumerate(board.things) if (t.kind, t.name) == (kind, said["color"])]
    measure: Callable[[Thing], float] = {
        "est": lambda t: t.size,
        "wid": lambda t: t.width,
        "hei": lambda t: t.height,
    }[{"widest": "wid", "narrowest": "wid", "tallest": "hei", "shortest": "hei"}.get(said["word"], "est")]
    ranked = sorted(members, key=lambda i: measure(board.things[i]))
    values = [measure(board.things[i]) for i in ranked]
    assert all(b >= 1.115 * a for a, b in itertools.pairwise(values)), f"sizes too alike: {values}"
    if said["word"] in ("largest", "smallest"):
        areas = [int(np.count_nonzero(board.pixels_of(i)[1])) for i in ranked]
        assert areas == sorted(areas), "the largest by size is not the largest by area"
    if said["word"] in ("largest", "widest", "tallest"):
        ranked.reverse()
    target = ranked[ORDINALS[said.get("rank")] - 1]
    assert target == board.facts["target"]
    assert len(members) == board.facts["n"]
    expected = board.before.copy()
    sure = erased(board, {target}, expected)
    same(board, expected, sure)


def ordering(board: Board, said: dict[str, str]) -> None:
    boxes = [window for window, _ in enclosed(board, said["outline"])]
    n = board.facts["n"]
    axis = 1 if said["start"] == "left" else 0
    boxes.sort(key=lambda w: w[axis].start)
    assert len(boxes) == n and len({w[1 - axis] for w in map(_spans, boxes)}) == 1, "the boxes are not in one line"
    assert (said["start"], said["end"]) in (("left", "right"), ("top", "bottom"))
    color = board.index(HEX[said["color"]])
    contents = [board.before[box] == color for box in boxes]
    areas = [int(np.count_nonzero(c)) for c in contents]
    order = sorted(range(n), key=lambda i: areas[i], reverse=said["small"] == "largest")
    assert {said["small"], said["large"]} == {"smallest", "largest"}
    steps = [max(areas[a], areas[b]) / min(areas[a], areas[b]) for a, b in itertools.pairwise(order)]
    assert min(steps) >= 1.05, f"areas too alike: {steps}"
    things = board.things[:n]
    assert all((t.kind, t.name) == (PLURALS[said["kinds"]], said["color"]) for t in things)
    assert all(b >= 1.115 * a for a, b in itertools.pairwise(sorted(t.size for t in things))), "sizes too alike"
    expected = board.before.copy()
    sure = erased(board, set(range(n)), expected)
    for box, i in zip(boxes, order, strict=True):
        expected[box][contents[i]] = color
        sure[box][contents[i]] = True
    same(board, expected, sure)


def _spans(window: Window) -> tuple[tuple[int, int], tuple[int, int]]:
    return (window[0].start, window[0].stop), (window[1].start, window[1].stop)


def counting(board: Board, said: dict[str, str]) -> None:
    facts = board.facts
    boxes = [tuple(box) for box in facts["tally_boxes"]]
    color = board.index(HEX[said["color"]])
    assert len(boxes) == facts["n"] == len(board.things)
    assert all(t.kind != PLURALS[said["kinds"]] and t.name != said["color"] for t in board.things), "a shape is a tally"
    if "ckinds" in said:
        count = sum(t.kind == PLURALS[said["ckinds"]] for t in board.things)
    else:
        count = sum(t.name == said["ccolor"] for t in board.things)
    assert 1 <= count == facts["count"] <= facts["n"] - 1
    axis = 0 if said["side"] in ("top", "bottom") else 1
    assert said["end"] in (("left", "right") if axis == 0 else ("top", "bottom"))
    boxes.sort(key=lambda b: b[axis], reverse=said["end"] in ("right", "bottom"))
    edge = {"left": 0, "top": 0, "right": board.width, "bottom": board.height}[said["side"]]
    assert all(abs((b[1 - axis] + b[3 - axis]) / 2 - edge) < 0.1 * max(board.width, board.height) for b in boxes)
    expected = board.before.copy()
    sure = np.ones(expected.shape, np.bool_)
    sizes = []
    for k, box in enumerate(boxes):
        window = board.window((box[0], box[1], box[2], box[3]))
        mask = expected[window] == color
        sizes.append(np.count_nonzero(mask))
        if k < len(boxes) - count:
            ground, known = board.ground(window)
            expected[window][mask] = ground[mask]
            sure[window] &= known | ~mask
    assert sum(sizes) == np.count_nonzero(board.before == color), "something else has the color of the tallies"
    same(board, expected, sure)


def legend(board: Board, said: dict[str, str]) -> None:
    rules = _read_key(board, said["side"])
    shown = {hexes(board, old): hexes(board, new) if new is not None else "X" for old, new in rules.items()}
    assert shown == board.facts["mapping"]
    expected = board.before.copy()
    sure = np.ones(expected.shape, np.bool_)
    for i, thing in enumerate(board.things):
        old = board.index(thing.color)
        if old in rules:
            new = rules[old]
            if new is None:
                sure &= erased(board, {i}, expected)
            else:
                window, mask = board.pixels_of(i)
                expected[window][mask] = new
    assert {board.index(t.color) for t in board.things} >= set(rules), "a color of the key does not occur"
    same(board, expected, sure)


def hexes(board: Board, index: int) -> str:
    return "#" + "".join(f"{c:02X}" for c in board.colors[index])


def _read_key(board: Board, side: str) -> dict[int, int | None]:
    """The key as it is drawn: what is not background and not a shape, three by three from left to right."""
    drawn = ~board.is_ground(board.before)
    for thing in board.things:
        drawn[board.window(thing.box)] = False
    labels, _ = ndimage.label(drawn, np.ones((3, 3)))
    boxes = [b for b in ndimage.find_objects(labels) if b is not None]
    boxes = [b for b in boxes if not any(_holds(other, b) for other in boxes if other is not b)]
    assert len(boxes) % 3 == 0 and boxes, f"the key has {len(boxes)} parts"
    if side in ("left", "right"):
        boxes.sort(key=lambda b: b[0].start + b[0].stop)
        entries = [sorted(boxes[i : i + 3], key=lambda b: int(b[1].start)) for i in range(0, len(boxes), 3)]
    else:
        boxes.sort(key=lambda b: int(b[1].start))
        entries = [boxes[i : i + 3] for i in range(0, len(boxes), 3)]
    extent = (
        [(b[1].start + b[1].stop) / 2 / board.width for b in boxes],
        [(b[0].start + b[0].stop) / 2 / board.height for b in boxes],
    )
    at = {
        "left": max(extent[0]) < 0.5,
        "right": min(extent[0]) > 0.5,
        "top": max(extent[1]) < 0.5,
        "bottom": min(extent[1]) > 0.5,
    }
    assert at[side], f"the key is not at the {side}"
    rules: dict[int, int | None] = {}
    for left, arrow, right in entries:
        assert left[1].stop < arrow[1].start and arrow[1].stop < right[1].start
        old, new = np.unique(board.before[left]), np.unique(board.before[right])
        assert len(old) == 1
        rules[int(old[0])] = int(new[0]) if len(new) == 1 else None
    return rules


def _holds(outer: Window, inner: Window) -> bool:
    return all(o.start <= i.start and i.stop <= o.stop for o, i in zip(outer, inner, strict=True))


def pattern(board: Board, said: dict[str, str]) -> None:
    gaps = int(said.get("gaps", 1))
    assert gaps == board.facts["n"]
    centers = np.array([t.center for t in board.things])
    looks = [(t.kind, t.color, round(t.size, 2), round(t.turn, 2)) for t in board.things]
    fill = _grid_gaps(said, centers, looks) if "rows" in said else _circle_gaps(said, centers, looks)
    assert len(fill) == gaps, f"{len(fill)} gaps, not {gaps}"
    expected = board.before.copy()
    sure = np.ones(expected.shape, np.bool_)
    for at, twin in fill:
        (rows, columns), mask = board.pixels_of(twin)
        color = board.index(board.things[twin].color)
        dx, dy = at[0] - board.things[twin].center[0], at[1] - board.things[twin].center[1]
        if "rows" in said:  # cells are whole pixels, so a copy is exact
            assert max(abs(dx - round(dx)), abs(dy - round(dy))) < 0.001
        box = board.things[twin].box
        there = board.window((box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy), margin=4)
        y, x = np.mgrid[there] + 0.5
        shape = taken_from(mask, x - round(dx) - columns.start, y - round(dy) - rows.start)
        expected[there][shape] = color
        if "count" in said:  # places on a circle are known to a pixel
            along_the_edge((board.after[there] == color) != shape, shape, 2.0)
            sure[there] &= depth(shape) > 4
    same(board, expected, sure)


Gap = tuple[Point, int]


def _grid_gaps(said: dict[str, str], centers: Floats, looks: list[Any]) -> list[Gap]:
    """The empty cells of the grid and, for each, a shape that looks like what is missing there."""
    rows, cols = int(said["rows"]), int(said["cols"])
    low, high = centers.min(axis=0), centers.max(axis=0)
    pitch = (high - low) / np.array([cols - 1, rows - 1])
    cells = np.rint((centers - low) / pitch).astype(int)
    assert abs(centers - low - cells * pitch).max() < 0.01, "the shapes do not stand on a grid"
    assert abs(pitch[0] - pitch[1]) < 0.01
    shown = {(int(r), int(c)): looks[i] for i, (c, r) in enumerate(cells)}
    assert len(shown) == len(looks)
    missing = [rc for rc in itertools.product(range(rows), range(cols)) if rc not in shown]
    periods = itertools.product(range(1, rows // 2 + 1), range(1, cols // 2 + 1))
    phases = [(p * q, lambda rc, p=p, q=q: (rc[0] % p, rc[1] % q)) for p, q in periods]
    found = _continued(shown, missing, phases)
    return [((low[0] + c * pitch[0], low[1] + r * pitch[1]), looks.index(found[r, c])) for r, c in missing]


def _circle_gaps(said: dict[str, str], centers: Floats, looks: list[Any]) -> list[Gap]:
    count = int(said["count"])
    # The circle through all centres: x² + y² = 2 a x + 2 b y + c, by least squares.
    system = np.column_stack([2 * centers, np.ones(len(centers))])
    (a, b, c), *_ = np.linalg.lstsq(system, (centers**2).sum(axis=1), rcond=None)
    radius = math.sqrt(c + a * a + b * b)
    assert abs(np.hypot(centers[:, 0] - a, centers[:, 1] - b) - radius).max() < 0.9, "the centers are on no circle"
    angles = np.arctan2(centers[:, 1] - b, centers[:, 0] - a)
    step = 2 * math.pi / count
    start = float(np.angle(np.exp(1j * angles * count).mean())) / count
    places = np.rint((angles - start) / step).astype(int)
    assert (abs(angles - start - places * step) * radius).max() < 1.5, "the shapes are not evenly spaced"
    shown = {int(k) % count: looks[i] for i, k in enumerate(places)}
    assert len(shown) == len(looks)
    missing = [k for k in range(count) if k not in shown]
    phases = [(p, lambda k, p=p: k % p) for p in range(1, count // 2 + 1) if count % p == 0]
    found = _continued(shown, missing, phases)
    turns = {k: start + k * step for k in missing}
    return [
        ((a + radius * math.cos(turns[k]), b + radius * math.sin(turns[k])), looks.index(found[k])) for k in missing
    ]


def _continued(
    shown: dict[Any, Any], missing: list[Any], phases: list[tuple[int, Callable[[Any], Any]]]
) -> dict[Any, Any]:
    """What the gaps must hold: every period that fits what is shown has to say the same."""
    answers = []
    for _, phase in sorted(phases, key=lambda entry: entry[0]):
        looks: dict[Any, set[Any]] = {}
        for place, look in shown.items():
            looks.setdefault(phase(place), set()).add(look)
        if all(len(found) == 1 for found in looks.values()):
            answers.append({m: next(iter(looks[phase(m)])) for m in missing if phase(m) in looks})
    assert answers and len(answers[0]) == len(missing), "no period explains what is shown and fills the gaps"
    for other in answers[1:]:
        assert all(answers[0][m] == look for m, look in other.items()), "two periods fit and differ"
    return answers[0]


SOLVERS: dict[str, Callable[[Board, dict[str, str]], None]] = {
    f.__name__: f
    for f in (
        translation,
        rotation,
        reflection,
        scaling,
        shearing,
        construction,
        removal,
        copying,
        border,
        cropping,
        recolor,
        flood_fill,
        blending,
        gradient,
        point_operations,
        comparison,
        ordering,
        pattern,
        counting,
        legend,
    )
}
