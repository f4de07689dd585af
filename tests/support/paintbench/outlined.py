"""Solving what happens inside an outline: flood fill, blending, gradients, point operations, copying, cropping."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import ndimage

from support.paintbench.compare import Window, same, unchanged_outside
from support.paintbench.reader import Board, Floats, Mask, ink_of
from support.paintbench.sentences import HEX


def enclosed(board: Board, name: str) -> list[tuple[Window, Mask]]:
    """The regions that lines of a color enclose, from top to bottom and left to right, found by flooding."""
    code = HEX[name]
    assert code not in [t.color for t in board.things] + board.facts["bg_colors"], "the outline's color is not its own"
    lines = board.before == board.index(code)
    rows, columns = np.flatnonzero(lines.any(axis=1)), np.flatnonzero(lines.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    cut = lines[top : rows[-1] + 1, left : columns[-1] + 1]
    labels, _ = ndimage.label(np.pad(~cut, 1, constant_values=True))
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
    assert t[inside].min() >= -0.01 and t[inside].max() <= 1.01, "part of the region lies beyond the gradient"
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
        same(board, board.before[picked])
    else:
        _tilted(board, said)


def _tilted(board: Board, said: dict[str, str]) -> None:
    height, width = board.before.shape
    corners = [np.array(c) for c in board.facts["corners"]]
    highest = min(corners, key=lambda c: float(c[1]))
    assert highest is corners[0 if said["corner"] == "top-left" else 1]
    right, down = corners[1] - corners[0], corners[3] - corners[0]
    assert abs(right @ down) < 1e-3 * np.linalg.norm(right) * np.linalg.norm(down)
    assert right[0] * down[1] - right[1] * down[0] > 0, "the picture would be mirrored"
    v, u = np.meshgrid((np.arange(height) + 0.5) / height, (np.arange(width) + 0.5) / width, indexing="ij")
    x, y = (corners[0][k] + u * right[k] + v * down[k] for k in (0, 1))
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    sure = (abs(x - np.rint(x)) > 1e-6) & (abs(y - np.rint(y)) > 1e-6)
    seen = board.before[row, column]
    hidden = seen == board.index(HEX[said["outline"]])
    assert not hidden.any(), f"{np.count_nonzero(hidden)} pixels of the answer lie under the outline"
    same(board, seen, sure)
