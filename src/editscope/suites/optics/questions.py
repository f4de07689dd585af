"""Questions about light, shadows, mirrors and glass: for every effect of a task, what only the right edit shows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from editscope.cases import Case, Question
from editscope.images import Pixels
from editscope.suites.effect_questions import Mask, Wording, seen_alone
from editscope.suites.physics.edit import with_article
from editscope.suites.physics.question_scene import QuestionScene, QuestionWriter, Wordings, nearest, questions_of
from editscope.suites.physics.stage import LIGHTS
from editscope.suites.raytracing.render import place_in_picture
from editscope.suites.raytracing.scene import Camera

LEAST_PART = 0.0008
"""The share of the picture that a part of an effect must have to be asked about."""
PLAIN = 0.03
"""By so much one half of a room must be brighter than the other for a person to tell."""


def questions(case: Case) -> tuple[Question, ...]:
    """The questions of a case; the same at all levels. What the pictures do not decide is not asked."""
    return questions_of(case, WRITERS)


def _lamp_off(case: QuestionScene) -> Wordings:
    lamp = case.target
    return {
        "object": Wording(f"Is the globe of the {lamp} dull gray?", f"Does the globe of the {lamp} glow?"),
        "light": Wording(
            f"Is the light of the {lamp} gone from the room?", f"Does the {lamp} throw light into the room?"
        ),
        "mirror image": Wording("Is the globe in the mirror dull gray?", "Does the globe in the mirror glow?"),
    }


def _lamp_on(case: QuestionScene) -> Wordings:
    return {name: Wording(dark.before, dark.after) for name, dark in _lamp_off(case).items()}


def _recolor_lamp(case: QuestionScene) -> Wordings:
    word = nearest(case.solid(case.target, after=True)["shine"], LIGHTS)
    return {
        name: Wording(f"Is {thing} {word}?", f"Is {thing} white?")
        for name, thing in (
            ("object", f"the globe of the {case.target}"),
            ("light", f"the light around the {case.target}"),
            ("mirror image", "the globe in the mirror"),
        )
    }


def _dim_lamp(case: QuestionScene) -> Wordings:
    return {}  # one picture does not tell how bright the lamp was before


def _move_lamp(case: QuestionScene) -> Wordings:
    wordings = _moved(case, f"the globe of the {case.target}", "in the air")
    # Where light goes and where it comes from: the side of the room that is brighter tells.
    came, went = (case.brighter("light", darker=darker) for darker in (False, True))
    if came.any() and went.any():
        middle = [float(np.nonzero(part)[1].mean()) for part in (came, went)]
        side, other = ("right", "left") if middle[0] > middle[1] else ("left", "right")
        sides = [_bright_side(picture, case.mask("light")) for picture in (case.before, case.answer)]
        if sides == [other, side]:
            wordings["light"] = Wording(
                f"Is the {side} part of the room brighter than the {other} part?",
                f"Is the {other} part of the room brighter than the {side} part?",
            )
    return wordings


def _removed(case: QuestionScene) -> Wordings:
    name = case.target
    return {
        "object": Wording(f"Is the {name} gone from the floor?", f"Does {with_article(name)} stand on the floor?"),
        "shadow": Wording(f"Is the shadow of the {name} absent?", f"Is the shadow of the {name} visible?"),
        "mirror image": Wording(
            f"Is the image of the {name} gone from the mirror?", f"Does the mirror show an image of the {name}?"
        ),
    }


def _added(case: QuestionScene) -> Wordings:
    model = case.target.removeprefix("second ")
    wordings = {
        "object": Wording(
            f"Does {with_article(model)} stand on the floor?", f"Is {with_article(model)} absent from the floor?"
        ),
        "shadow": Wording(
            f"Is the shadow of {with_article(model)} visible?", f"Is the shadow of {with_article(model)} absent?"
        ),
    }
    if case.target == model:  # glass: there is no other one to be mistaken for it
        return wordings
    # The one that was there already must not be what the judge sees.
    solid, camera = case.solid(model), Camera(**case.scene["camera"])
    height, width = case.before.shape[:2]
    x, y = place_in_picture(solid["place"], camera, (width, height))
    first = np.zeros((height, width), np.bool_)
    first[min(max(int(y), 0), height - 1), min(max(int(x), 0), width - 1)] = True
    return {name: wording for name, wording in wordings.items() if seen_alone(case.mask(name), first)}


def _moved_object(case: QuestionScene) -> Wordings:
    return _moved(case, f"the {case.target}", "on the floor")


def _moved(case: QuestionScene, thing: str, where: str) -> Wordings:
    """Each effect of a move at one of its two places, where the other place is out of sight."""
    here, left = case.mask("object"), case.mask("uncovered")
    wordings: Wordings = {}
    if seen_alone(here, left):
        wordings["object"] = Wording(f"Is {thing} visible {where}?", f"Is {thing} absent?")
    if seen_alone(left, here):
        wordings["uncovered"] = Wording(
            f"Is {thing} absent from the spot in the middle?", f"Does {thing} fill the spot in the middle?"
        )
    shown = f"the shadow of {thing}"
    new, old = (case.brighter("shadow", darker=darker) for darker in (True, False))
    if (part := _place(new, old)) is not None:
        wordings["shadow"] = Wording(f"Is {shown} visible?", f"Is {shown} absent?", part)
    image = f"the image of {thing} in the mirror"
    new, old = _images(case)
    if (part := _place(new, old)) is not None:
        wordings["mirror image"] = Wording(f"Is {image} visible?", f"Is {image} absent?", part)
    return wordings


def _recolored(case: QuestionScene) -> Wordings:
    word, old = case.color(after=True), case.color(after=False)
    things = [
        ("object", f"the {case.shape} on the floor"),
        ("mirror image", f"the image of the {case.shape} in the mirror"),
    ]
    if any(solid["surface"]["kind"] == "glass" for solid in case.scene["solids"]):
        things.append(("refraction", f"the image of the {case.shape} in the {case.glass()}"))
    return {name: Wording(f"Is {thing} {word}?", f"Is {thing} {old}?") for name, thing in things}


def _matte_to_mirror(case: QuestionScene) -> Wordings:
    return {
        "object": Wording("Does the board at the wall mirror the floor?", "Is the board at the wall plain gray?"),
    }


def _mirror_to_matte(case: QuestionScene) -> Wordings:
    return {
        "object": Wording(
            f"Is the ball on the floor plain {case.color(after=True)}?", "Does the ball on the floor mirror the room?"
        )
    }


def _turn_mirror(case: QuestionScene) -> Wordings:
    return {}  # one picture does not tell by how much it was turned


def _swap_glass(case: QuestionScene) -> Wordings:
    shapes = [case.solid(case.target, after=after)["kind"] for after in (True, False)]
    after, before = ("ball", "slab") if shapes[0] == "sphere" else ("cube", "ball")
    return {"object": Wording(f"Is the glass on the floor a {after}?", f"Is the glass on the floor a {before}?")}


def _fill_glass(case: QuestionScene) -> Wordings:
    return {"object": Wording("Does the glass on the floor hold water?", "Is the glass on the floor empty?")}


def _move_sun(case: QuestionScene) -> Wordings:
    after, before = (case.side_of_sun(after=after) for after in (True, False))
    return {
        "shadow": Wording(
            f"Do the shadows on the floor fall to the {before}?", f"Do the shadows on the floor fall to the {after}?"
        ),
        "shading": Wording(
            f"Is the {after} side of the objects brighter than the {before} side?",
            f"Is the {before} side of the objects brighter than the {after} side?",
        ),
    }


def _time_of_day(case: QuestionScene) -> Wordings:
    shading = Wording("Is the light on the floor orange?", "Is the light on the floor white?")
    return {"shadow": _move_sun(case)["shadow"], "shading": shading}


def _fog(case: QuestionScene) -> Wordings:
    return {"fog": Wording("Does fog veil the wall at the back?", "Is the air before the wall clear?")}


def _flood(case: QuestionScene) -> Wordings:
    return {"water": Wording("Does water cover the floor of the scene?", "Is the floor of the scene dry?")}


def _wet_tile(case: QuestionScene) -> Wordings:
    return {"wet patch": Wording("Is the floor tile in the middle wet?", "Is the floor tile in the middle dry?")}


def _light_candle(case: QuestionScene) -> Wordings:
    return {
        "object": Wording("Does a flame burn above the candle?", "Is the flame above the candle absent?"),
        "light": Wording(
            f"Does the {case.target} throw light on the floor?", f"Is the light of the {case.target} absent?"
        ),
    }


WRITERS: Mapping[str, QuestionWriter] = {
    "lamp_off": _lamp_off,
    "lamp_on": _lamp_on,
    "recolor_lamp": _recolor_lamp,
    "dim_lamp": _dim_lamp,
    "move_lamp": _move_lamp,
    "remove_object": _removed,
    "add_object": _added,
    "move_object": _moved_object,
    "move_sun": _move_sun,
    "remove_mirrored": _removed,
    "recolor_mirrored": _recolored,
    "move_mirrored": _moved_object,
    "matte_to_mirror": _matte_to_mirror,
    "mirror_to_matte": _mirror_to_matte,
    "turn_mirror": _turn_mirror,
    "remove_glass": _removed,
    "add_glass": _added,
    "swap_glass": _swap_glass,
    "recolor_behind_glass": _recolored,
    "fog": _fog,
    "flood": _flood,
    "time_of_day": _time_of_day,
    "wet_tile": _wet_tile,
    "fill_glass": _fill_glass,
    "light_candle": _light_candle,
}
"""The wordings of each task."""


def _place(new: Mask, old: Mask) -> Mask | None:
    """The new place of a thing that has moved, where it is large enough and its old place is out of sight."""
    return new if new.mean() >= LEAST_PART and seen_alone(new, old) else None


def _images(case: QuestionScene) -> tuple[Mask, Mask]:
    """The mask of a mirror image, where the target's color came and where it went."""
    solid = case.solid(case.target)
    color = np.asarray(solid["shine"] if any(solid["shine"]) else solid["surface"]["color"])
    toward = color - color.mean() if np.ptp(color) > 0.3 else np.ones(3)
    change = (case.answer.astype(np.int16) - case.before.astype(np.int16)) @ toward
    mask = case.mask("mirror image")
    least = 0.1 * float(np.abs(change[mask]).max()) if mask.any() else 0.0
    return np.asarray(mask & (change > least)), np.asarray(mask & (change < -least))


def _bright_side(picture: Pixels, mask: Mask) -> str:
    """The half of the picture in which the pixels of a mask are brighter in the mean."""
    light = picture.sum(axis=2)
    half = mask.shape[1] // 2
    left, right = light[:, :half][mask[:, :half]], light[:, half:][mask[:, half:]]
    if not left.size or not right.size:
        return ""
    shares = float(left.mean()), float(right.mean())
    if abs(shares[0] - shares[1]) < PLAIN * max(shares):
        return ""
    return "left" if shares[0] > shares[1] else "right"
