"""Over thousands of seeds: scenes keep the rules, sentences name one thing, and answers are what they ask."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from drills import counts
from editscope.errors import BadInput
from editscope.images import Indexed
from editscope.suites.paintbench.catalog import MODES
from editscope.suites.paintbench.make import make
from editscope.suites.paintbench.slots import Overrides, PaintSlot
from support.paintbench.reader import Board, Floats, Point, Thing
from support.paintbench.sentences import PALETTES
from support.paintbench.solver import solve

NAMESPACE = "rules"
SLOTS = counts.times(usual=2, full=25)
"""35 modes × 8 conditions × 7 slots = 1,960 problems; 7,000 in the drills."""
COUNTS = {
    "comparison": {"n_med": 5, "n_high": 7, "n_xhigh": 9},
    "ordering": {"n_med": 5, "n_high": 7, "n_xhigh": 9},
    "pattern": {"n_med": 3, "n_high": 6, "n_xhigh": 10},
    "counting": {"n_med": 10, "n_high": 25, "n_xhigh": 60},
}
FEWEST = {"comparison": 3, "ordering": 3, "pattern": 1, "counting": 5}
CONDITIONS = ("baseline", "horizontal", "vertical", "nonstandard", "striped", "n_med", "n_high", "n_xhigh")
CANVASES = {"horizontal": (1024, 576), "vertical": (576, 1024)}
ALIKE = ("comparison", "ordering", "pattern", "counting", "legend")
"""Tasks that need alike shapes and so break the rules about kinds and colors on purpose."""
ROTATABLE = ("hexagon", "triangle", "ring", "arrow", "heart", "star", "semicircle", "diamond")
OUTLINED = ("cropping", "flood_fill", "blending", "gradient", "point_operations")
"""Tasks whose outlines may hide a part of a shape."""
DRAWN_OVER = (*OUTLINED, "copying", "ordering", "counting", "legend")
"""Tasks whose pictures show more than background and shapes: outlines, boxes, tallies, a key."""
NEW_COLORS = ("blending", "point_operations", "gradient")
TASK_MODES = [(task, mode) for task, modes in MODES.items() for mode in modes]
CELLS = [(task, mode, condition) for task, mode in TASK_MODES for condition in CONDITIONS]


def board_of(slot: PaintSlot, overrides: Overrides = Overrides(NAMESPACE)) -> Board:
    made = make(slot, overrides)
    assert isinstance(made.input, Indexed)
    if isinstance(made.answer, Indexed):
        return Board(made.sidecar, made.input.plane, made.answer.plane, made.answer.palette)
    return Board(made.sidecar, made.input.plane, made.answer, made.input.palette)


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize(("task", "mode", "condition"), CELLS)
def test_every_problem_is_valid_and_its_answer_is_what_the_sentence_asks(task: str, mode: str, condition: str) -> None:
    for slot in range(SLOTS):
        board = board_of(PaintSlot(task, mode, condition, slot, 0))
        try:
            keeps_the_rules(board, condition)
            solve(board)
        except AssertionError as broken:
            pytest.fail(
                f"slot {slot} ({task}, {mode}, {condition}, seed {board.facts['seed']}): {broken}\n{board.sentence}"
            )


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 7, 30])
@pytest.mark.parametrize("canvas", [(128, 128), (513, 767), (2048, 512), (4096, 128)])
def test_odd_canvases_and_counts_give_right_answers_or_a_sentence(
    canvas: tuple[int, int], n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editscope.suites.paintbench.make.MAX_ATTEMPTS", 8)
    made = 0
    for (task, mode), condition in zip(
        TASK_MODES, itertools.cycle(("striped", "nonstandard", "baseline")), strict=False
    ):
        try:
            board = board_of(PaintSlot(task, mode, condition, 0, 0), Overrides(NAMESPACE, canvas, n))
        except BadInput:
            continue
        made += 1
        try:
            solve(board)
        except AssertionError as broken:
            pytest.fail(f"{task}, {mode}, {condition}: {broken}\n{board.sentence}")
    room = canvas[0] * canvas[1] >= n * (32 + 4) ** 2  # else every task must say that there is none
    assert made >= (5 if room else 0)


def keeps_the_rules(board: Board, condition: str) -> None:
    """Every validity rule that does not depend on what the sentence says."""
    task = board.facts["task"]
    assert (board.width, board.height) == CANVASES.get(condition, (1024, 1024))
    assert board.before.shape == (board.height, board.width)
    numbers(board, task, condition)
    places(board)
    for thing in board.things:
        proportions(board, thing)
    if task not in ALIKE:
        kinds_and_colors(board)
    sizes(board, task)
    if task == "pattern":
        pattern_is_shown(board)
    palette(board, task, condition)
    stripes(board, condition)
    pixels_fit_the_description(board, task)
    polygons(board)
    visible_edit(board)


def numbers(board: Board, task: str, condition: str) -> None:
    levels = COUNTS.get(task, {"n_med": 10, "n_high": 25, "n_xhigh": 60})
    n = levels.get(condition, FEWEST.get(task, 3))
    assert board.facts["n"] == n
    extra = 5 if task in ("comparison", "ordering") else 0
    if task != "pattern":
        assert n <= len(board.things) <= n + extra


def places(board: Board) -> None:
    boxes = np.array([t.box for t in board.things])
    assert (boxes[:, :2] >= 0).all() and (boxes[:, 2] <= board.width).all() and (boxes[:, 3] <= board.height).all()
    low, high = boxes[:, :2], boxes[:, 2:]
    gaps = np.maximum(low[:, None] - high[None], low[None] - high[:, None]).max(axis=2)
    np.fill_diagonal(gaps, np.inf)
    if "circle" in board.facts:  # boxes may meet there, shapes do not
        points = [t.center for t in board.things]
        assert min(math.dist(p, q) for p, q in itertools.combinations(points, 2)) >= 1.25 * board.things[0].size - 2
        return
    least = 6 if board.facts["task"] in ("comparison", "counting", "legend") else 4
    assert gaps.min() >= least, f"two bounding boxes are {gaps.min():.2f} px apart"


def proportions(board: Board, thing: Thing) -> None:
    """The aspect ratio before rotation, from size and box; a turned ellipse has w² + h² = its box's w² + h²."""
    assert thing.turn == 0 or thing.kind in ROTATABLE, f"a {thing.kind} was turned"
    if thing.kind == "circle":
        assert max(abs(thing.width - thing.size), abs(thing.height - thing.size)) < 0.05
        return
    if thing.kind in ("rectangle", "cross"):
        other = min(thing.width, thing.height)
        assert abs(max(thing.width, thing.height) - thing.size) < 0.01
    elif thing.kind == "ring":
        other = math.sqrt(thing.width**2 + thing.height**2 - thing.size**2)
    elif thing.kind == "diamond" and board.facts["task"] not in OUTLINED:
        other = 2 * np.count_nonzero(board.pixels_of(board.things.index(thing))[1]) / thing.size
    else:
        assert max(thing.width, thing.height) <= 1.42 * thing.size
        return
    ratio = other / thing.size
    slack = 0.001 if thing.kind != "diamond" else 0.03
    assert ratio >= 0.4 - slack, f"a {thing.kind} is too thin: {ratio:.3f}"
    # Tiles of a pattern are as round as they can be, and shapes that are compared by one side pass through a square.
    if thing.kind != "cross" and board.facts["task"] != "pattern" and board.facts.get("metric", "size") == "size":
        assert ratio <= 0.8 + slack, f"a {thing.kind} is nearly square: {ratio:.3f}"


def kinds_and_colors(board: Board) -> None:
    pairs = Counter((t.kind, t.color) for t in board.things)
    assert max(pairs.values()) == 1, "two shapes have the same kind and color"
    colors = Counter(t.color for t in board.things)
    assert max(colors.values()) <= max(2, math.ceil(board.facts["n"] / 3)), "too many shapes of one color"
    kinds = Counter(t.kind for t in board.things)
    assert max(kinds.values()) <= max(2, math.ceil(board.facts["n"] / 12)), "too many shapes of one kind"


def sizes(board: Board, task: str) -> None:
    assert all(t.size >= 32 for t in board.things), f"a shape is under 32 px: {min(t.size for t in board.things):.1f}"
    side = min(board.width, board.height)
    if task == "copying":
        x0, _, x1, _ = board.facts["source_square"]
        side = x1 - x0
    if task == "comparison":
        least, most = (0.16, 0.24) if board.facts["metric"] != "size" else (0.08, 0.24 * math.sqrt(2.5))
        compared = [board.things[i].size for i in board.facts["compared"]]
        assert least * side - 1e-6 <= min(compared) and max(compared) <= most * side + 1e-6, f"compared: {compared}"
    if task != "pattern":
        low = max(0.02, 0.18 / math.sqrt(board.facts["n"])) * side
        high = max(min(0.40, 0.55 / math.sqrt(board.facts["n"])) * side, 35.2)
        ranked = board.facts["n"] if task in ("comparison", "ordering") else 0
        found = [t.size for t in board.things[ranked:]] or [low]
        assert min(low, 32) <= min(found) and min(found) >= 0.98 * low, (
            f"a shape is too small: {min(found):.1f} < {low:.1f}"
        )
        assert max(found) <= high + 1e-6, f"a shape is too large: {max(found):.1f} > {high:.1f}"


def pattern_is_shown(board: Board) -> None:
    """A grid shows one period and the row and column after it, and its last cell; shapes fill most of a cell."""
    facts = board.facts
    if facts["mode"] == "grid":
        missing = {(r, c) for r, c in facts["missing"]}
        block = itertools.product(range(facts["period_r"] + 1), range(facts["period_c"] + 1))
        assert not missing & {*block, (facts["rows"] - 1, facts["cols"] - 1)}, "the period is not shown"
        assert facts["shape_size"] == pytest.approx(0.84 * facts["cell"])
    else:
        assert facts["n_shapes"] % facts["period"] == 0 and facts["n_shapes"] >= 2 * facts["n"]
    assert all(t.size == pytest.approx(facts["shape_size"], abs=1e-3) for t in board.things)


def palette(board: Board, task: str, condition: str) -> None:
    allowed = PALETTES["nonstandard" if condition == "nonstandard" else "standard"]
    shown = ["#" + "".join(f"{c:02X}" for c in rgb) for rgb in board.colors]
    assert sorted(shown[:11]) == sorted(allowed.values())
    assert board.before.max() < 11
    assert task in NEW_COLORS or board.after.max() < 11, "the answer has a color that is not in the palette"
    assert all(allowed[t.name] == t.color for t in board.things)
    assert not {t.color for t in board.things} & set(board.facts["bg_colors"])


def stripes(board: Board, condition: str) -> None:
    described = board.facts["stripes"]
    assert (described is not None) == (condition == "striped") == (len(board.facts["bg_colors"]) == 2)
    if described is not None:
        assert described["orientation"] in (0, 45, 90)
        assert described["band"] in (6, 8, 10)
        assert described["waveform"] in ("line", "sine", "square", "triangle", "sawtooth")
        assert 1 <= described["amplitude"] <= 4 and 4 <= described["waves"] <= 10
        step = 256  # a corner and a middle piece: the whole would take longer than everything else
        for top, left in ((0, 0), (board.height // 2, board.width // 3)):
            window = (slice(top, top + step), slice(left, left + step))
            ground, sure = board.ground(window)
            seen = board.before[window]
            sure &= ~_key(board)[window]  # may have the color of a stripe
            assert (ground == seen)[board.is_ground(seen) & sure].all(), "the background is not what is described"


def _key(board: Board) -> npt.NDArray[np.bool_]:
    """Where the key of a legend is."""
    mask = np.zeros(board.before.shape, np.bool_)
    x0, y0, x1, y1 = board.facts.get("key", (0, 0, 0, 0))
    mask[y0:y1, x0:x1] = True
    return mask


def pixels_fit_the_description(board: Board, task: str) -> None:
    """Every shape fills its box, and what is neither shape nor drawn on purpose is background."""
    count = 0
    if task in OUTLINED:
        return
    for i, thing in enumerate(board.things):
        (rows, columns), mask = board.pixels_of(i)
        ys, xs = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        found = (columns.start + xs[0], rows.start + ys[0], columns.start + xs[-1] + 1, rows.start + ys[-1] + 1)
        # The last pixels of a sharp tip are narrower than a pixel.
        assert max(abs(a - b) for a, b in zip(found, thing.box, strict=True)) <= 4, (thing, found)
        count += int(np.count_nonzero(mask))
    if task not in DRAWN_OVER:
        # On a circle shapes are told apart by connected pixels; crumbs of a tip that is narrower than a pixel are lost.
        lost = int(np.count_nonzero(~board.is_ground(board.before))) - count
        assert 0 <= lost <= (3 * len(board.things) if "circle" in board.facts else 0), (
            "something is drawn that is not described"
        )


def polygons(board: Board) -> None:
    vertices = board.facts.get("vertices") or board.facts.get("region")
    if vertices:
        points: list[Point] = [(x, y) for x, y in vertices]
        edges = list(itertools.pairwise([*points, points[0]]))
        for i, (a, b) in enumerate(edges):
            for j in range(i + 2, len(edges)):
                if (i, j) != (0, len(edges) - 1):
                    assert not _cross(a, b, *edges[j]), "the polygon crosses itself"
        if "vertices" in board.facts:
            least = min(_area(three) for three in itertools.combinations(points, 3))
            assert least >= 0.002 * board.width * board.height, "three vertices lie nearly on a line"
        else:
            turns = [_turn(*edges[i - 1], b) for i, (_, b) in enumerate(edges)]
            assert min(turns) > 0 or max(turns) < 0, "the region is not convex"
            assert _area(points) >= 600, "the region is degenerate"


def _area(points: Sequence[Point]) -> float:
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in itertools.pairwise([*points, points[0]]))) / 2


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def turn(p: Point, q: Point, r: Point) -> int:
        value = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
        return (value > 0) - (value < 0)

    return turn(a, b, c) != turn(a, b, d) and turn(c, d, a) != turn(c, d, b)


def visible_edit(board: Board) -> None:
    """At least 64 pixels change, and the input does not pass for the answer: it scores at most 5 of 100."""
    before, after = board.before[board.changed], board.after[board.changed]
    if after.ndim == 3:
        changed = (board.colors[before] != after).any(axis=-1)
        olds, news = board.colors[before[changed]], after[changed]
        counts = np.ones(len(olds), np.int64)
    else:
        changed = before != after
        counts = np.bincount(before[changed].astype(np.uint16) * 256 + after[changed])
        pairs = np.flatnonzero(counts)
        olds, news, counts = board.colors[pairs // 256], board.colors[pairs % 256], counts[pairs]
    assert counts.sum() >= 64, f"only {counts.sum()} pixels change"
    apart = np.linalg.norm(lab(olds) - lab(news), axis=1)
    floor = sum(counts[apart <= tolerance].sum() for tolerance in range(11)) / 11 / counts.sum()
    assert floor <= 0.05, f"the input scores {100 * floor:.1f} of 100"


def lab(rgb: npt.NDArray[np.uint8]) -> Floats:
    """CIE L*a*b* for D65."""
    c = rgb.astype(np.float64) / 255
    linear = np.where(c > 0.04045, ((c + 0.055) / 1.055) ** 2.4, c / 12.92)
    matrix = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    xyz = linear @ matrix.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


# The reader itself


WRONG_ANSWERS: dict[str, Callable[[Board], npt.NDArray[np.uint8]]] = {
    "the input": lambda board: board.before if board.after.ndim == 2 else board.rgb_before,
    "four pixels to the right": lambda board: np.roll(board.after, 4, axis=1),
    "mirrored": lambda board: board.after[:, ::-1],
}


@pytest.mark.slow
@pytest.mark.parametrize("wrong", WRONG_ANSWERS)
@pytest.mark.parametrize(("task", "mode"), TASK_MODES)
def test_the_reader_notices_a_wrong_answer(task: str, mode: str, wrong: str) -> None:
    board = board_of(PaintSlot(task, mode, "n_med", 0, 0))
    other = dataclasses.replace(board, after=np.ascontiguousarray(WRONG_ANSWERS[wrong](board)))
    with pytest.raises(AssertionError):
        solve(other)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "mode", "said", "instead"),
    [
        ("rotation", "external", " clockwise", " counterclockwise"),
        ("rotation", "local", " counterclockwise", " clockwise"),
        ("construction", "line", "on top of", "underneath"),
        ("translation", "amount", " left ", " right "),
        ("scaling", "match", "horizontally", "vertically"),
        ("counting", "color", "the left end", "the right end"),
        ("comparison", "default", " largest one", " smallest one"),
        (
            "ordering",
            "default",
            "by size, from the smallest at the top to the largest",
            "by size, from the largest at the top to the smallest",
        ),
        ("gradient", "background", "at the left edge to", "at the top edge to"),
    ],
)
def test_the_reader_notices_a_sentence_that_says_something_else(task: str, mode: str, said: str, instead: str) -> None:
    boards = (board_of(PaintSlot(task, mode, "n_xhigh", slot, 0)) for slot in range(20))
    noticed = []
    for board in itertools.islice((board for board in boards if said in board.sentence), 4):
        solve(board)
        facts = {**board.facts, "instruction": board.sentence.replace(said, instead)}
        try:
            solve(dataclasses.replace(board, facts=facts))
        except AssertionError:
            noticed.append(True)
        else:
            noticed.append(False)  # a shape that leaves the picture either way, say, is the same for both
    assert any(noticed)
