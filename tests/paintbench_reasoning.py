"""Solving comparison, ordering, counting, legend and pattern: what is asked has to be found out first."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import ndimage

from paintbench_compare import (
    Window,
    along_the_edge,
    depth,
    erased,
    same,
    taken_from,
)
from paintbench_outlined import enclosed
from paintbench_reader import Board, Floats, Point, Thing
from paintbench_sentences import HEX, PLURALS

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
            along_the_edge((board.after[there] == color) != shape, depth(shape), 2.0)
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
    phases = [(p * q, _folded((p, q))) for p, q in periods]
    found = _continued(shown, missing, phases)
    return [((low[0] + c * pitch[0], low[1] + r * pitch[1]), looks.index(found[r, c])) for r, c in missing]


def _folded(period: tuple[int, ...]) -> Callable[[Any], Any]:
    """The place within a period."""
    return lambda place: tuple(np.mod(place, period).tolist()) if len(period) > 1 else place % period[0]


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
