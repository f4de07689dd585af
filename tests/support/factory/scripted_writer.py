"""A text model that answers every prompt of picabench, pica100k and video-pairs, by what the reply has to hold.

What it writes depends on what it is asked alone, so that a build that goes on gets the same. ``faults`` make it answer
badly where they want to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, TypeAlias

from support.servers.judge_server import Asked, JudgeServer, Outcome, Reply

Fault: TypeAlias = "Callable[[Asked], Outcome | None]"
"""An answer in the place of the sensible one; None where that may stay."""
THINGS = ("red stool", "blue crate", "green watering can", "yellow bucket", "white vase", "brown basket")
SIDES = ("left", "right")
CAPTIONS = {
    "light_propagation": "The {} slides to the right by its own width, and its shadow slides along, camera static.",
    "light_source_effects": "The lamp beside the {} goes off, and its highlights and shadows vanish, camera static.",
    "reflection": "The {} slides to the left by its own width, and its reflection slides along, camera static.",
    "refraction": "The {} moves half its width to the left behind the glass and warps at the rim, camera static.",
    "deformation": "A brick is laid on the {}, which takes a deep dent and bulges at both sides, camera static.",
    "causality": "The block under the {} is pulled to the left, and it tilts and falls on its side, camera static.",
    "global": "Night falls over the {}, and the whole scene turns to cold blue light with deep shadows, camera static.",
    "local": "Dense droplets cover the whole {}, and its surface turns dark and glossy, camera static.",
}
"""A caption for each law that keeps the rules."""


def sensible(asked: Asked) -> Mapping[str, Any]:
    """A good answer to any prompt of the three packs."""
    names = frozenset(asked.schema["properties"]) if asked.schema else frozenset()
    for wanted, answer in _ANSWERS.items():
        if set(wanted.split()) <= names:
            return answer(asked)
    raise AssertionError(f"nobody has scripted an answer with {sorted(names)}")


def writer(*faults: Fault, **options: Any) -> JudgeServer:
    """A server of a model that writes; the first fault that wants to answers."""

    def script(asked: Asked) -> Outcome:
        wrong = (answer for fault in faults if (answer := fault(asked)) is not None)
        return next(wrong, None) or sensible(asked)

    return JudgeServer(script, **options)


def prose(one_of: int, field: str) -> Fault:
    """Prose instead of JSON, for one of so many questions for a field."""
    return lambda asked: (
        Reply("Well, that depends on how one sees it.") if _asks(asked, field) and number(asked) % one_of == 0 else None
    )


def refusal(one_of: int, field: str) -> Fault:
    """The model declines, for one of so many questions for a field."""
    return lambda asked: (
        Reply(refusal="I would rather not.") if _asks(asked, field) and number(asked) % one_of == 1 else None
    )


def four_times(one_of: int) -> Fault:
    """The same question four times, for one of so many cases, however often it is asked."""

    def fault(asked: Asked) -> Outcome | None:
        if not _asks(asked, "questions") or number(asked) % one_of != 2:
            return None
        row = _questions(asked)["questions"][0]
        return {"questions": [row] * 4}

    return fault


def breach_at_first(field: str, worse: Mapping[str, Any]) -> Fault:
    """A text that breaks a rule, until the model is told so."""
    return lambda asked: (
        {**sensible(asked), **worse} if _asks(asked, field) and "Your last attempt broke" not in asked.text else None
    )


def number(asked: Asked) -> int:
    """A number that depends on the question alone: on its pictures, and on its words where it has none."""
    hashed = sha256()
    for part in asked.pictures or (asked.text.encode(),):
        hashed.update(part)
    return int.from_bytes(hashed.digest()[:4], "big")


def after(asked: Asked, label: str) -> str:
    """The rest of the line after a label of a prompt."""
    return asked.text.partition(label)[2].partition("\n")[0].strip()


def _asks(asked: Asked, field: str) -> bool:
    return bool(asked.schema) and field in (asked.schema or {})["properties"]


def _thing(asked: Asked) -> str:
    return f"{THINGS[number(asked) % 6]} on the {SIDES[number(asked) // 6 % 2]}"


def _laws(asked: Asked) -> Mapping[str, Any]:
    laws = ("light_propagation", "reflection", "causality", "local")
    first = number(asked) % 4
    chosen = [laws[first], laws[(first + 1) % 4]][: number(asked) // 4 % 3]
    return {"laws": [{"law": law, "evidence": f"the {_thing(asked)}", "change": "take it away"} for law in chosen]}


def _instruction(asked: Asked) -> Mapping[str, Any]:
    return {"operation": "remove", "instruction": f"Remove the {_thing(asked)}."}


def _levels(asked: Asked) -> Mapping[str, Any]:
    thing = after(asked, "The instruction: Remove the ").rstrip(".") or _thing(asked)
    return {
        "superficial": f"Remove the {thing}.",
        "intermediate": f"Remove the {thing}, and let the light on the ground follow.",
        "explicit": f"Remove the {thing}. The ground where it stood is evenly lit and free of its shadow. "
        "The wall and the table stay as they are.",
    }


def _boxes(asked: Asked) -> Mapping[str, Any]:
    left = 50 + number(asked) % 300
    return {
        "boxes": [
            {"name": "ground on the left", "box": f"{left}, 400, {left + 300}, 900"},
            {"name": "table by the wall", "box": "500, 100, 950, 600"},
        ]
    }


def _questions(asked: Asked) -> Mapping[str, Any]:
    regions = [region["name"] for region in json.loads(after(asked, "The regions, with their names: "))]
    thing = after(asked, "The edit: Remove the ").rstrip(".")
    rows = (
        (f"Is the {thing} absent?", "Yes", "editing completion", 0),
        ("Does the floor left of the table show even light?", "Yes", "physics consistency", 0),
        ("Is there a shadow of a stool on the floor left of the table?", "No", "physics consistency", 0),
        ("Do the legs of the brown table by the wall touch the floor?", "Yes", "physics consistency", -1),
    )
    return {
        "questions": [
            {"question": question, "answer": answer, "category": category, "region": regions[place]}
            for question, answer, category, place in rows
        ]
    }


def _scene(asked: Asked) -> Mapping[str, Any]:
    return {"prompt": f"{after(asked, 'The draft: ')}, in soft light from the left, seen from slightly above."}


def _motion(asked: Asked) -> Mapping[str, Any]:
    """The draft; where it broke a rule, a caption that keeps all of them."""
    if "Your last attempt broke" not in asked.text:
        return {"motion": after(asked, "A draft, written without the picture: ")}
    law, subject = after(asked, "What the change has to show (never write this name): "), after(asked, "The thing: ")
    return {"motion": CAPTIONS[law].format(subject)}


def _verdict(asked: Asked) -> Mapping[str, Any]:
    clear = number(asked) % 7 != 0
    return {"reason": "One thing has moved.", "verdict": "clear" if clear else "nothing", "law": "motion"}


def _keywords(asked: Asked) -> Mapping[str, Any]:
    law = after(asked, "The law: ").partition(".")[0].replace("_", " ")
    return {
        "keywords": [
            f"{thing} beside {law} tool {size}" for thing in THINGS for size in ("one", "two", "three", "four")
        ]
    }


_ANSWERS: dict[str, Callable[[Asked], Mapping[str, Any]]] = {
    "laws": _laws,
    "operation instruction": _instruction,
    "superficial intermediate explicit": _levels,
    "boxes": _boxes,
    "questions": _questions,
    "prompt": _scene,
    "motion": _motion,
    "verdict law": _verdict,
    "keywords": _keywords,
}
