"""Questions about what fell, moved, stretched or floats, and about its shadow: what only the right edit shows."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from editscope.cases import Case, Question
from editscope.suites.effect_questions import MARGIN, Mask, Wording, box_of, seen_alone
from editscope.suites.mechanics.apparatus import MARK
from editscope.suites.physics.question_scene import QuestionScene, QuestionWriter, Wordings, questions_of
from editscope.suites.raytracing.render import place_in_picture
from editscope.suites.raytracing.scene import Camera

LEAST_PART = 0.0008
"""The share of the picture that a part of an effect must have to be asked about."""
MOST_HIDDEN = 0.25
"""The share of what can be seen of a thing that may belong to other effects: an edit of those would show it still."""
LEAST_SPOT = 0.02
"""The side of a spot that goes into or out of the shadow, as a share of the side of the picture."""
AROUND = 3
"""How many times as wide as the spot the picture is that a judge sees, so that light and shadow can be compared."""
PLAIN_SHADOW = 1.3
"""How many times as bright a spot must be in the sun."""
TIMES = {1.0: "", 2.0: "twice ", 3.0: "three times ", 1.5: "1.5 times ", 2.5: "2.5 times ", 4.0: "four times "}
"""Lengths that a spring is compared with, in heights of a weight; the first that tells both pictures apart is taken."""
PLAIN_TIMES = 1.07
"""The factor by which a length must differ from the one it is compared with."""
HIDDEN_TIMES = 1.35
"""The same for the longer spring under a plate, which hides its upper end."""


def questions(case: Case) -> tuple[Question, ...]:
    """The questions of a case; the same at all levels. What the pictures do not decide is not asked."""
    return questions_of(case, WRITERS)


def _remove_block(case: QuestionScene) -> Wordings:
    # What stood on the block now stands on what was below it: the next one down, or the floor.
    target = case.solid(case.target)
    loose = sorted(_moving(case), key=lambda name: float(case.solid(name)["place"][1]))
    below = [solid for solid in case.scene["solids"] if abs(_top(solid) - target["place"][1]) < 1e-6]
    rest = below[0]["name"] if below and target["place"][1] > 0 else "floor"
    fallen = Wording(f"Does the {loose[0]} stand on the {rest}?", f"Does the {loose[0]} stand on the {case.target}?")
    return {**_target(case), "fallen": fallen, **_shadow(case)}


def _remove_support(case: QuestionScene) -> Wordings:
    end = _lower_end(case, "plank")
    fallen = Wording(f"Does the {end} end of the plank lie on the floor?", "Does the plank lie level above the floor?")
    return {**_target(case), "fallen": fallen, **_shadow(case)}


def _cut_string(case: QuestionScene) -> Wordings:
    (weight,) = _moving(case)
    blocks = [solid["name"] for solid in case.scene["solids"] if solid["name"].endswith(" block")]
    rest = blocks[0] if blocks else "floor"
    return {
        "object": Wording("Is the string in the middle absent?", "Is the string in the middle visible?"),
        "fallen": Wording(f"Does the {weight} stand on the {rest}?", f"Does the {weight} hang in the air?"),
        **_shadow(case),
    }


def _tilt_board(case: QuestionScene) -> Wordings:
    end = _lower_end(case, "board")
    (loose,) = _moving(case, besides=("board", "left lip", "right lip"))
    return {
        "object": Wording(f"Does the board slope down to the {end}?", "Is the board on the axle level?"),
        **_shifted(case, "moved", loose),
        **_shadow(case),
    }


def _load_seesaw(case: QuestionScene) -> Wordings:
    after, before = (_lower_end(case, "board", after=after) for after in (True, False))
    lies = "Does the {} end of the seesaw lie on the floor?"
    moved = Wording(lies.format(after), lies.format(before))
    return {**_target(case), "moved": moved, **_shadow(case)}


def _load_spring(case: QuestionScene) -> Wordings:
    return {**_target(case), **_stretched(case, ("spring",)), **_shadow(case)}


def _press_springs(case: QuestionScene) -> Wordings:
    springs = tuple(name for name in _moving(case) if name.endswith(" spring"))
    return {**_target(case), **_stretched(case, springs, under_plates=True), **_shadow(case)}


def _shorten_rope(case: QuestionScene) -> Wordings:
    return {**_sagging(case, "object"), **_shifted(case, "moved", "bead 1", "bead"), **_shadow(case)}


def _move_post(case: QuestionScene) -> Wordings:
    return {**_shifted(case, "object", case.target, "post"), **_sagging(case, "moved"), **_shadow(case)}


def _water(case: QuestionScene) -> Wordings:
    # Without the block the water ends at a mark of the ruler, with it above: the whole tank is shown.
    levels = [round(float(case.solid("water", after=after)["size"][1]), 4) for after in (True, False)]
    mark = f"{100 * round(min(levels) / MARK) * MARK:.0f} cm mark of the ruler"
    above, at = f"Does the water stand above the {mark}?", f"Does the water end at the {mark}?"
    shown = _bounds(case, "tank") | _bounds(case, "ruler")
    after, before = (above, at) if levels[0] > levels[1] else (at, above)
    return {**_target(case), "water": Wording(after, before, shown), **_shadow(case)}


WRITERS: Mapping[str, QuestionWriter] = {
    "remove_block": _remove_block,
    "remove_support": _remove_support,
    "cut_string": _cut_string,
    "tilt_board": _tilt_board,
    "load_seesaw": _load_seesaw,
    "load_spring": _load_spring,
    "press_springs": _press_springs,
    "shorten_rope": _shorten_rope,
    "move_post": _move_post,
    "put_in_water": _water,
    "take_from_water": _water,
}
"""The wordings of each task."""


def _moving(case: QuestionScene, besides: tuple[str, ...] = ()) -> list[str]:
    """The names of what is there before and after, but not as it was."""
    after = {solid["name"]: solid for solid in case.answer_scene["solids"]}
    names = [str(solid["name"]) for solid in case.scene["solids"] if after.get(solid["name"], solid) != solid]
    return [name for name in names if name not in besides]


def _target(case: QuestionScene) -> Wordings:
    """What comes, or what goes and cannot be seen in the place of something else."""
    here, absent = f"Is the {case.target} visible?", f"Is the {case.target} absent?"
    if all(solid["name"] != case.target for solid in case.scene["solids"]):
        return {"object": Wording(here, absent)}
    own = case.mask("object")
    others = _seen_beside(own, (case.mask("fallen") | case.mask("moved")) & _bounds(case, case.target))
    return {"object": Wording(absent, here)} if others <= MOST_HIDDEN * int(own.sum()) else {}


def _shifted(case: QuestionScene, effect: str, name: str, called: str = "") -> Wordings:
    """Something at one of its two places, where the other is out of sight."""
    mask = case.mask(effect)
    new, old = (mask & _bounds(case, name, after=after) for after in (True, False))
    here, absent = (f"Is the {called or name} in the middle {seen}?" for seen in ("visible", "absent"))
    if (new & ~old).mean() >= LEAST_PART and seen_alone(new, old):
        return {effect: Wording(here, absent, new)}
    if (old & ~new).mean() >= LEAST_PART and seen_alone(old, new):
        return {effect: Wording(absent, here, old)}
    return {}


def _stretched(case: QuestionScene, springs: tuple[str, ...], *, under_plates: bool = False) -> Wordings:
    """The length of a spring against the height of the weight that hangs on it or stands on it."""
    plain = HIDDEN_TIMES if under_plates else PLAIN_TIMES
    weight = next(name for name in _moving(case) if name.endswith(" weight"))
    high = float(case.solid(weight)["size"][1])
    for name, times in product(springs, TIMES):
        after, before = (_length(case.solid(name, after=after)) / high for after in (True, False))
        if min(after, before) * PLAIN_TIMES < times < max(after, before) / plain:
            longer, shorter = (
                f"Is the {name} {word} than {TIMES[times]}the height of the {weight}?" for word in ("longer", "shorter")
            )
            return {"moved": Wording(longer, shorter) if after > before else Wording(shorter, longer)}
    return {}


def _sagging(case: QuestionScene, effect: str) -> Wordings:
    """The lower part of a rope, which only one of the two pictures has."""
    rows = [_lowest(case, after=after) for after in (True, False)]
    mask = case.mask(effect) & _between_beads(case)
    mask[: round(sum(rows) / 2)] = False
    here, absent = "Is the rope in the middle visible?", "Is the rope in the middle absent?"
    if mask.mean() < LEAST_PART / 2:
        return {}
    return {effect: Wording(here, absent, mask) if rows[0] > rows[1] else Wording(absent, here, mask)}


def _shadow(case: QuestionScene) -> Wordings:
    """A spot that goes into the shadow or out of it, with what is around it."""
    light, dark = (picture.astype(np.float64).sum(axis=2) for picture in (case.answer, case.before))
    mask = case.mask("shadow")
    found = [_largest_square(mask & part) for part in (light > PLAIN_SHADOW * dark, dark > PLAIN_SHADOW * light)]
    side, middle = max(found)
    if side < LEAST_SPOT * mask.shape[1]:
        return {}
    reach = AROUND * side // 2
    around = np.zeros_like(mask)
    top, left, bottom, right = (middle[0] - reach, middle[1] - reach, middle[0] + reach + 1, middle[1] + reach + 1)
    if min(top, left) < 0 or bottom > mask.shape[0] or right > mask.shape[1]:
        return {}  # the middle of what is shown would be elsewhere
    around[top:bottom, left:right] = True
    lit, shaded = "Is the spot in the middle in sunlight?", "Is the spot in the middle in shadow?"
    return {"shadow": Wording(lit, shaded, around) if found[0] == max(found) else Wording(shaded, lit, around)}


def _largest_square(mask: Mask) -> tuple[int, tuple[int, int]]:
    """The side of the largest square in a mask, which is odd, and its middle."""
    reach, middle, inner = 0, (0, 0), mask
    while inner.any():
        rows, columns = np.nonzero(inner)
        middle = int(rows[len(rows) // 2]), int(columns[len(rows) // 2])
        reach += 1
        padded = np.pad(inner, 1)
        height, width = mask.shape
        inner = np.logical_and.reduce([padded[y : y + height, x : x + width] for y, x in product(range(3), range(3))])
    return max(2 * reach - 1, 0), middle


def _bounds(case: QuestionScene, name: str, *, after: bool = False) -> Mask:
    """The box of the picture that a solid is in."""
    solid = case.solid(name, after=after)
    height, width = case.before.shape[:2]
    size = _extent(solid)
    x, y, z = solid["place"]
    points = [
        place_in_picture((x + a * size[0], y + b * size[1], z + c * size[2]), _camera(case), (width, height))
        for a, b, c in product((-0.5, 0.5), (0.0, 1.0), (-0.5, 0.5))
    ]
    columns, rows = (
        [min(max(round(value), 0), end) for value in values]
        for values, end in zip(zip(*points, strict=True), (width, height), strict=True)
    )
    box = np.zeros((height, width), np.bool_)
    box[min(rows) : max(rows) + 1, min(columns) : max(columns) + 1] = True
    return box


def _extent(solid: Mapping[str, Any]) -> tuple[float, float, float]:
    """How wide, high and deep a solid is; a wire is as large as its lines."""
    if not solid["lines"]:
        width, high, deep = solid["size"]
        return float(width), float(high), float(deep)
    ends = np.array(solid["lines"], np.float64).reshape(-1, 3)
    reach = 2 * np.abs(ends).max(axis=0)
    return float(reach[0]), float(ends[:, 1].max()), float(reach[2])


def _lowest(case: QuestionScene, *, after: bool) -> float:
    """The row of the lowest point of the rope."""
    rope = case.solid("rope", after=after)
    height, width = case.before.shape[:2]
    points = np.array(rope["lines"], np.float64).reshape(-1, 3) + np.array(rope["place"])
    lowest = min(points.tolist(), key=lambda point: float(point[1]))
    return place_in_picture((lowest[0], lowest[1], lowest[2]), _camera(case), (width, height))[1]


def _between_beads(case: QuestionScene) -> Mask:
    """The columns between the left and the middle bead of a rope: a rope without its bead has a gap there."""
    columns = np.ones(case.before.shape[:2], np.bool_)
    if any(solid["name"] == "bead 1" for solid in case.scene["solids"]):
        left, middle = ([_bounds(case, name, after=after) for after in (True, False)] for name in ("bead 0", "bead 1"))
        columns[:, : max(int(np.nonzero(box)[1].max()) + 1 for box in left)] = False
        columns[:, min(int(np.nonzero(box)[1].min()) for box in middle) :] = False
    return columns


def _length(spring: Mapping[str, Any]) -> float:
    return float(np.ptp(np.array(spring["lines"], np.float64)[..., 1]))


def _lower_end(case: QuestionScene, name: str, *, after: bool = True) -> str:
    return "left" if case.solid(name, after=after)["tilt"] > 0 else "right"


def _camera(case: QuestionScene) -> Camera:
    return Camera(**case.scene["camera"])


def _top(solid: Mapping[str, Any]) -> float:
    return float(solid["place"][1]) + float(solid["size"][1])


def _seen_beside(here: Mask, others: Mask) -> int:
    """How many pixels of ``others`` a judge sees who is shown ``here``."""
    left, top, right, bottom = box_of(here)
    margin = round(MARGIN * max(here.shape))
    return int(others[max(0, top - margin) : bottom + margin, max(0, left - margin) : right + margin].sum())
