"""Solving comparison, ordering, counting, legend and pattern: what is asked has to be found out first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import ndimage

from support.paintbench.compare import Window, along_the_edge, depth, erased, same, taken_from
from support.paintbench.outlined import enclosed
from support.paintbench.reader import Board, Floats, Mask, Plane, Point, Thing
from support.paintbench.sentences import HEX, PLURALS

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


METRICS: dict[str, tuple[str, str]] = {
    "size": ("smallest", "largest"),
    "width": ("narrowest", "widest"),
    "height": ("shortest", "tallest"),
}


def alike(board: Board, said: dict[str, str]) -> list[int]:
    """The shapes that words such as "red stars", "red shapes" or "stars" fit."""
    return [
        i
        for i, t in enumerate(board.things)
        if said.get("color") in (None, t.name) and ("kinds" not in said or PLURALS[said["kinds"]] == t.kind)
    ]


def graded(board: Board, members: list[int], metric: str) -> list[int]:
    """Shapes of one kind and color from the smallest to the largest, which a person must be able to tell."""
    things = [board.things[i] for i in members]
    assert len({(t.kind, t.color) for t in things}) == 1, "the shapes are not alike"
    if metric != "size":
        assert all(t.turn == 0 for t in things), "a shape whose width or height counts is turned"
        others = [t.height if metric == "width" else t.width for t in things]
        assert max(others) - min(others) < 0.01, "the other side differs too"
    ranked = sorted(members, key=lambda i: float(getattr(board.things[i], metric)))
    values = [getattr(board.things[i], metric) for i in ranked]
    assert all(b >= 1.115 * a for a, b in itertools.pairwise(values)), f"ranks too alike: {values}"
    areas = [int(np.count_nonzero(board.pixels_of(i)[1])) for i in ranked]
    assert areas == sorted(areas), "the largest is not the largest by area"
    return ranked


def comparison(board: Board, said: dict[str, str]) -> None:
    metric = next(metric for metric, words in METRICS.items() if said["word"] in words)
    members = alike(board, said)
    ranked = graded(board, members, metric)
    if said["word"] == METRICS[metric][1]:
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
    assert alike(board, said) == list(range(n)), "the words do not fit what is in the boxes"
    ranked = graded(board, list(range(n)), said["metric"])
    words = METRICS[said["metric"]]
    assert (said["first"], said["last"]) in (words, words[::-1])
    if said["first"] == words[1]:
        ranked.reverse()
    color = board.index(board.things[0].color)
    contents = [board.before[box] == color for box in boxes]
    order = [_box_of(board.things[i], boxes) for i in ranked]
    expected = board.before.copy()
    sure = erased(board, set(range(n)), expected)
    for box, i in zip(boxes, order, strict=True):
        expected[box][contents[i]] = color
        sure[box][contents[i]] = True
    same(board, expected, sure)


def _box_of(thing: Thing, boxes: list[Window]) -> int:
    """The one box that a shape stands in, at its center."""
    x, y = thing.center
    found = [i for i, (r, c) in enumerate(boxes) if r.start < y < r.stop and c.start < x < c.stop]
    assert len(found) == 1
    rows, columns = boxes[found[0]]
    assert max(abs(rows.start + rows.stop - 2 * y), abs(columns.start + columns.stop - 2 * x)) < 0.01, "off the center"
    return found[0]


def _spans(window: Window) -> tuple[tuple[int, int], tuple[int, int]]:
    return (window[0].start, window[0].stop), (window[1].start, window[1].stop)


def counting(board: Board, said: dict[str, str]) -> None:
    facts = board.facts
    boxes = [tuple(box) for box in facts["tally_boxes"]]
    color = board.index(HEX[said["color"]])
    assert len(boxes) == facts["n"] == len(board.things)
    assert all(t.name != said["color"] for t in board.things), "a shape has the color of the tallies"
    assert said["kinds"] != said.get("ckinds"), "tallies are counted too"
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
    assert {board.index(t.color) for t in board.things} == set(rules), "key and shapes have different colors"
    assert {new is None for new in rules.values()} == {True, False}, "the key does not both recolor and remove"
    same(board, expected, sure)


def hexes(board: Board, index: int) -> str:
    return "#" + "".join(f"{c:02X}" for c in board.colors[index])


def _read_key(board: Board, side: str) -> dict[int, int | None]:
    """The key as it is drawn on its white strip: a square, an arrow and another square for each entry."""
    depth = round(0.14 * min(board.width, board.height))
    strip = {
        "left": (slice(None), slice(0, depth)),
        "right": (slice(None), slice(board.width - depth, None)),
        "top": (slice(0, depth), slice(None)),
        "bottom": (slice(board.height - depth, None), slice(None)),
    }[side]
    key = board.before[strip]
    for thing in board.things:
        rows, columns = board.window(thing.box)
        assert not np.intersect1d(np.r_[rows], np.r_[: board.height][strip[0]]).size or not (
            np.intersect1d(np.r_[columns], np.r_[: board.width][strip[1]]).size
        ), "a shape lies on the key"
    paper, ink, cross = (board.index(next(HEX[n] for n in names if _has(board, n))) for names in PAINTS)
    labels, _ = ndimage.label(key != paper, np.ones((3, 3)))
    boxes: list[Window] = [b for b in ndimage.find_objects(labels) if b is not None]
    boxes = [b for b in boxes if not any(_holds(other, b) for other in boxes if other is not b)]
    assert len(boxes) % 3 == 0 and boxes, f"the key has {len(boxes)} parts"
    along = 0 if side in ("left", "right") else 1
    boxes.sort(key=lambda b: int(b[along].start))
    rules: dict[int, int | None] = {}
    for i in range(0, len(boxes), 3):
        start, arrow, end = boxes[i : i + 3]
        assert start[along].stop <= arrow[along].start and arrow[along].stop <= end[along].start
        assert set(np.unique(key[arrow])) == {paper, ink}
        assert _head_is_last(key[arrow] == ink, along), "an arrow points to its own start"
        old, new = _inside(key[start]), _inside(key[end])
        assert len(old) == 1 and (len(new) == 1 or set(new) == {paper, cross})
        assert int(old[0]) not in rules, "a color stands in the key twice"
        rules[int(old[0])] = int(new[0]) if len(new) == 1 else None
    return rules


PAINTS = (("white", "ivory white"), ("black", "jet black"), ("red", "crimson"))


def _has(board: Board, name: str) -> bool:
    rgb = [int(HEX[name][i : i + 2], 16) for i in (1, 3, 5)]
    return bool((board.colors == rgb).all(axis=1).any())


def _inside(square: Plane) -> Plane:
    """The colors within the frame of a square."""
    line = max(2, round(0.1 * len(square)))
    found: Plane = np.unique(square[line:-line, line:-line])
    return found


def _head_is_last(arrow: Mask, along: int) -> bool:
    """Whether the widest part of an arrow is nearer to its end than to its start."""
    return bool(np.argmax(np.count_nonzero(arrow, axis=1 - along)) > arrow.shape[along] / 2)


def _holds(outer: Window, inner: Window) -> bool:
    return all(o.start <= i.start and i.stop <= o.stop for o, i in zip(outer, inner, strict=True))


def pattern(board: Board, said: dict[str, str]) -> None:
    gaps = int(said.get("gaps", 1))
    assert gaps == board.facts["n"]
    centers = np.array([t.center for t in board.things])
    looks = [(t.kind, t.color, round(t.size, 2), round(t.turn, 2)) for t in board.things]
    middle = (board.width / 2, board.height / 2)
    fill = _grid_gaps(said, centers, looks) if "rows" in said else _circle_gaps(said, centers, looks, middle)
    assert len(fill) == gaps, f"{len(fill)} gaps, not {gaps}"
    expected = board.before.copy()
    sure = np.ones(expected.shape, np.bool_)
    filled = np.zeros(expected.shape, np.bool_)
    places = []
    for at, twin in fill:
        (rows, columns), mask = board.pixels_of(twin)
        dx, dy = at[0] - board.things[twin].center[0], at[1] - board.things[twin].center[1]
        if "rows" in said:  # cells are whole pixels, so a copy is exact
            assert max(abs(dx - round(dx)), abs(dy - round(dy))) < 0.001
        box = board.things[twin].box
        there = board.window((box[0] + dx, box[1] + dy, box[2] + dx, box[3] + dy), margin=4)
        y, x = np.mgrid[there] + 0.5
        shape = taken_from(mask, x - round(dx) - columns.start, y - round(dy) - rows.start)
        expected[there][shape] = board.index(board.things[twin].color)
        filled[there] |= shape
        places.append(there)
    if "count" in said:  # places on a circle are known to a pixel
        for there in places:
            along_the_edge(board.after[there] != expected[there], depth(filled[there]), 2.0)
            sure[there] &= depth(filled[there]) > 4
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
    periods = itertools.product(range(1, rows), range(1, cols))
    phases = [(p * q, _folded((p, q))) for p, q in periods]
    assert {(0, 0), (0, 1), (1, 0), (1, 1), (rows - 1, cols - 1)} <= set(shown), "a corner of the grid is not shown"
    found = _continued(shown, missing, phases)
    return [((low[0] + c * pitch[0], low[1] + r * pitch[1]), looks.index(found[r, c])) for r, c in missing]


def _folded(period: tuple[int, ...]) -> Callable[[Any], Any]:
    """The place within a period."""
    return lambda place: tuple(np.mod(place, period).tolist()) if len(period) > 1 else place % period[0]


def _circle_gaps(said: dict[str, str], centers: Floats, looks: list[Any], middle: Point) -> list[Gap]:
    count = int(said["count"])
    a, b = middle
    reach = np.hypot(centers[:, 0] - a, centers[:, 1] - b)
    radius = float(reach.mean())
    assert abs(reach - radius).max() < 1.2, "the centers are on no circle around the middle"
    angles = np.arctan2(centers[:, 1] - b, centers[:, 0] - a)
    step = 2 * math.pi / count
    start = float(np.angle(np.exp(1j * angles * count).mean())) / count
    places = np.rint((angles - start) / step).astype(int)
    assert (abs(angles - start - places * step) * radius).max() < 1.5, "the shapes are not evenly spaced"
    shown = {int(k) % count: looks[i] for i, k in enumerate(places)}
    assert len(shown) == len(looks)
    missing = [k for k in range(count) if k not in shown]
    phases = [(p, _folded((p,))) for p in range(1, count // 2 + 1) if count % p == 0]
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
