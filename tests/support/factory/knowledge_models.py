"""Scripted models of the pipelines that need knowledge of the world: what each of their prompts is answered with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from editscope.factory.words.ideas import shipped_idea_words
from support.factory.scripted_packs import Answer, AskedWith
from support.servers.judge_server import Reply

THINGS = ("clay pot", "oak gate", "felt hat", "copper kettle", "wicker basket", "paper kite", "candle", "glass jar")
LONELY = "Show the {0} after the storm. It looks sad and lonely in a gloomy mood."
STORM = (
    "Show the {0} after the storm. Dark wet patches cover its upper half, the surface is rough and dull, and a crack "
    "runs down one side. Small splinters lie around it. Everything else stays as it is."
)


def _verdict(fine: str = "fine", field: str = "verdict", **others: int) -> Answer:
    return lambda asked: {"reason": "as seen", field: asked.one_of(fine, **others)}


def _score(asked: AskedWith) -> Mapping[str, Any]:
    lot = asked.lot()
    return {"reason": "as seen", "score": 2 if lot < 6 else 3 if lot < 10 else 5}


def _objects(asked: AskedWith) -> Mapping[str, Any]:
    first = asked.words.get("expected") or THINGS[asked.lot() % len(THINGS)]
    second = THINGS[(asked.lot() + 3) % len(THINGS)]
    return {"objects": [{"object": name, "description": f"a {name} in the middle"} for name in (first, second)]}


def _instructions(asked: AskedWith) -> Mapping[str, Any]:
    thing, hours = asked["object"], len(asked["mode"])
    texts = [f"Leave the {thing} out in the storm for {hours} days.", f"What if {hours} carts rolled over the {thing}?"]
    if asked.lot() < 25:
        texts[1] = f"Make the {thing} bright red."
    return {"instructions": [{"instruction": text} for text in texts]}


def _paraphrase(asked: AskedWith) -> Mapping[str, Any]:
    broken = asked.lot("object", "instruction") < 30 and "remarks" not in asked.words
    return {"paraphrase": (LONELY if broken or asked.lot("instruction") < 4 else STORM).format(asked["object"])}


def _turns(asked: AskedWith) -> Mapping[str, Any]:
    text = asked["paraphrase"]
    return {"turns": [text] if asked.lot() < 70 else [text, "Show the splinters as well. Keep the rest as it is."]}


CAUSES: Mapping[str, Answer] = {
    "scene": lambda asked: {"prompt": f"A photo of a {asked['object']}, {asked.words.get('nudge', 'on a table')}."},
    "context": lambda asked: {"reason": "as seen", "keeps": "no" if asked.lot() < 8 else "yes"},
    "objects": _objects,
    "question": lambda asked: {
        "question": f"What would happen to the look of the {asked['object']} if a storm blew over it for two days?"
    },
    "check_question": _verdict(impossible=20, weak=10, known=4),
    "answer": lambda asked: {"answer": f"The {asked['object']} is dark and rough, and a crack runs down one side."},
    "check_answer": _verdict(wrong=8, weak=6, unseen=3),
    "instructions": _instructions,
    "check_instruction": _verdict(explicit=4, impossible=4, no_knowledge=4),
    "paraphrase": _paraphrase,
    "check_paraphrase": _verdict(no_knowledge=5, weak=5, contradicted=5),
    "turns": _turns,
    "vc": _score, "vq": _score, "if": _score, "kp": _score,
}  # fmt: skip
"""The prompts about causes, and those that score edits."""


def _pair(asked: AskedWith) -> Mapping[str, Any]:
    return {"subtask": "growth_and_decay", "start": f"bud {asked.lot()} in a vase", "end": "the flower in full bloom"}


def _nodes(asked: AskedWith) -> Mapping[str, Any]:
    number = 5 if asked.lot() < 15 else 2
    return {"nodes": [f"stage {place} of {number}" for place in range(1, number + 1)]}


PROCESSES: Mapping[str, Answer] = {
    "describe_pair": _pair,
    "scenario": lambda asked: {"start": f"new: {asked['nudge']}", "end": f"done: {asked['nudge']}"},
    "path_scenario": lambda asked: {
        "start": f"new: {asked['nudge']}", "end": f"done: {asked['nudge']}",
        "path_a": "First the left half, then the right half.", "path_b": "First the right half, then the left half.",
    },
    "pictures": lambda asked: {
        "start_prompt": f"A photograph of {asked['start']}.", "end_instruction": f"Show {asked['end']}.",
    },
    "check_pair": _verdict(start=4, end=4, other_scene=6, same=3),
    "nodes": _nodes,
    "interval": lambda asked: {"interval": "two days"},
    "checklist": lambda asked: {
        "checklist": [
            {"title": "Order", "description": "The stages come one after the other."},
            {"title": "Direction", "description": f"The change goes from {asked['start']} to the end."},
        ]
    },
    "check_checklist": _verdict(wrong=6, unseen=4, loose=4),
    "check_paths": _verdict(impossible=8, other_end=4, alike=4),
}  # fmt: skip
"""The prompts about ways from a start to an end."""


def _named(count: int) -> str:
    """The pictures of a case, by number."""
    return " and ".join(f"the {place} image" for place in ("first", "second", "third", "fourth", "fifth")[:count])


def _idea(asked: AskedWith) -> Mapping[str, Any]:
    count = int(asked["count"])
    about = asked.words.get("nudge") or f"lot {asked.lot()}"
    instruction = f"Show what fits {about}." if count == 1 else f"Join {_named(count)} to show what fits {about}."
    return {
        "instruction": instruction, "hint": f"One sees what fits {about}.",
        "scenes": [f"{about}, view {place}" for place in range(1, count + 1)],
    }  # fmt: skip


def _drawings(asked: AskedWith) -> Mapping[str, Any]:
    scenes = json.loads(asked["scenes"])
    return {"prompts": [f"A photograph: {scene}" for scene in (scenes[:-1] if asked.lot() < 4 else scenes)] or ["none"]}


def _variants(asked: AskedWith) -> Mapping[str, Any]:
    count, text = int(asked["count"]), asked["instruction"]
    about = f"With {_named(count)}: {text}" if count > 1 else text
    return {"variants": [about.replace(".", ", please."), f"Here is a task. {about}", f"Somebody asks: {about}"]}


def _choice(asked: AskedWith) -> Mapping[str, Any]:
    several = asked["count"] != "1" and asked.lot() >= 10
    return {"reason": "as seen", "choice": ("original", "first", "second", "third")[asked.lot() % 3 + several]}


def _chinese(asked: AskedWith) -> Mapping[str, Any]:
    if asked.lot("instruction") < 20 and "remarks" not in asked.words:
        return {"chinese": asked["instruction"]}  # not translated at all
    places = "一二三四五"[: int(asked["count"])]
    named = "和".join(f"第{place}张图" for place in places) if len(places) > 1 else "图中的东西"
    return {"chinese": f"请根据{named}进行修改。"}


def _tags(asked: AskedWith) -> Mapping[str, Any]:
    words = shipped_idea_words()
    known = next((one for one in words.ideas if one.hint and one.hint in asked["hint"]), None)
    names = {"knowledge": "declarative", "domain": "natural_sciences", "subtask": "physics_related_reasoning"}
    found = {name: getattr(known, name) for name in names} if known else names
    return {"reason": "as seen", **found}


IDEAS: Mapping[str, Answer] = {
    "idea": _idea,
    "drawings": _drawings,
    "check_pictures": _verdict(missing=5, given_away=2, broken=2),
    "variants": _variants,
    "check_variants": _choice,
    "translate": _chinese,
    "check_translation": _verdict(changed=4, clumsy=3),
    "hint": lambda asked: Reply({"hint": f"{asked['draft']} Anything else is wrong."}),
    "screen": _verdict(unclear=3, unreasonable=2, impossible=2, wrong_hint=2, easy=2),
    "tags": _tags,
}  # fmt: skip
"""The prompts about ideas that need knowledge."""
