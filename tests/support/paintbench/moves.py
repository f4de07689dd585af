"""Solving the geometric tasks: one shape, taken from its own pixels, goes elsewhere."""

from __future__ import annotations

import math

import numpy as np

from support.paintbench.compare import NAMED, along_the_edge, close, depth, erased, near, taken_from
from support.paintbench.reader import Board, Floats, Point, Thing, nine, one, where


def moved(board: Board, who: int, affine: Floats, layer: str, slack: float = 0.0) -> None:
    """The answer shows the shape under a 2 × 3 map, above or below the others, and is else unchanged."""
    assert board.facts["target"] == who
    thing, color = board.things[who], board.index(board.things[who].color)
    base = board.before.copy()
    sure = erased(board, {who}, base)
    (rows, columns), own = board.pixels_of(who)
    x0, y0, x1, y1 = thing.box
    there = affine @ np.array([[x0, x1, x0, x1], [y0, y0, y1, y1], [1, 1, 1, 1]])
    new = (float(there[0].min()), float(there[1].min()), float(there[0].max()), float(there[1].max()))
    # The new place with a margin; it may reach beyond the canvas, so that an edge just outside counts as one.
    left, top = math.floor(new[0]) - 6, math.floor(new[1]) - 6
    ys, xs = np.mgrid[top : math.ceil(new[3]) + 6, left : math.ceil(new[2]) + 6]
    inverse = np.linalg.inv(affine[:, :2])
    sx, sy = np.tensordot(inverse, np.stack([xs + 0.5 - affine[0, 2], ys + 0.5 - affine[1, 2]]), 1)
    shape = taken_from(own, sx - columns.start, sy - rows.start)
    window = board.window(new, margin=6)
    if window[0].start >= window[0].stop or window[1].start >= window[1].stop:
        wrong = (base != board.after) & sure
        assert not wrong.any(), "the shape leaves the picture, but more than that changes"
        return
    cut = (
        slice(window[0].start - top, window[0].stop - top),
        slice(window[1].start - left, window[1].stop - left),
    )
    visible = shape[cut] if layer == "on top of" else shape[cut] & board.is_ground(base[window])
    base[window][visible] = color
    wrong = (base != board.after) & sure
    stretch = float(np.linalg.norm(affine[:, :2], 2))
    along_the_edge(wrong[window], depth(shape)[cut], 0.75 * max(1.0, stretch) + 0.85 + slack)
    assert np.count_nonzero(wrong) == np.count_nonzero(wrong[window]), "pixels change where the shape does not go"
    if layer == "on top of" and _inside(board, new) and all(t is thing or t.color != thing.color for t in board.things):
        area = np.count_nonzero(own) * abs(float(np.linalg.det(affine[:, :2])))
        ratio = np.count_nonzero(board.after == color) / area
        assert abs(ratio - 1) <= 0.03 + 2 / math.sqrt(area), f"the area is {ratio:.3f} times what it should be"


def _inside(board: Board, box: tuple[float, float, float, float]) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= board.width and box[3] <= board.height


def about(p: Point, matrix: list[list[float]]) -> Floats:
    """The linear map with one point fixed."""
    linear = np.array(matrix)
    return np.column_stack([linear, np.array(p) - linear @ np.array(p)])


def translation(board: Board, said: dict[str, str]) -> None:
    who, facts = one(board, said["who"]), board.facts
    if "point" in said:
        assert (facts["mode"], said["point"]) == ("align", facts["point"])
        start, goal = where(board, f"its {said['point']}", who), where(board, said["goal"])
        close(start, facts["from"], NAMED)
        close(goal, facts["to"], NAMED)
        assert ("now" in said) == (facts["goal_shape"] == who)
        dx, dy = goal[0] - start[0], goal[1] - start[1]
        if "only" in said:
            assert (said["only"] == "horizontally") == (said["far"] == "far right") == (facts["axes"] == "horizontal")
            dx, dy = (dx, 0.0) if said["only"] == "horizontally" else (0.0, dy)
        else:
            assert facts["axes"] == "both"
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
        assert axis == "both" or (axis == "width") == (said["way"] == "horizontally") == (said["rest"] != "width")
        assert factor == facts["factor"]
    assert axis == facts["axis"] and factor != 1
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
    assert float(said["amount"]) == board.facts["percent"] > 0
    shift = float(said["amount"]) / 100 * (thing.width if sideways else thing.height)
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
