"""Sample requests: what a judge would get about one case, or about a small scene where there is no data."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice

from editscope.errors import BadInput
from editscope.images import ImageLike, load
from editscope.judges import Call, Picture
from editscope.judges.prompts.packs import PromptPack
from editscope.judges.prompts.promptfile import Prompt
from editscope.plugins import one_sentence
from editscope.scoring.rubrics import Rubric
from editscope.scoring.rubrics.pictures import PictureFormat, pixels_picture
from editscope.scoring.rubrics.scales import ScaleRubric
from editscope.suites import Suite
from editscope.suites.own.start import SCENE, StarterShape, draw_shapes

INSTRUCTION = "Paint the red disc green."
LOOKED_AT = 500
"""Of so many cases at most one is looked for that a prompt asks about."""


def scene_call(prompt: Prompt) -> Call:
    """The request that a prompt makes of a drawn scene, with the names of words in place of words."""
    before, after = draw_shapes(SCENE), draw_shapes([StarterShape("disc", "green", SCENE[0].center), *SCENE[1:]])
    pictures: dict[str, list[Picture]] = {
        place.name: [pixels_picture(before if place.name.startswith("source") else after, PictureFormat())]
        for place in prompt.pictures
    }
    words: Mapping[str, str] = {
        place.name: "" if place.name.endswith("_numbers") else _stand_in(place.name) for place in prompt.words
    }
    needed = {place.name: "1" for place in prompt.words if place.name.endswith("_numbers") and not place.optional}
    return prompt.call(prompt.name, pictures, {**words, **needed})


def case_call(
    suite: Suite, rubric: Rubric, pack: PromptPack, name: str, case_id: str | None = None, edit: ImageLike | None = None
) -> tuple[str, Call]:
    """The first request of a prompt about a case of a suite, and the case's id; its input stands in for an edit."""
    prompt = pack[name]
    if case_id is not None and case_id not in suite:
        raise BadInput(f"suite {suite.name} has no case {case_id!r}")
    for one in [case_id] if case_id is not None else islice(suite.ids, LOOKED_AT):
        case = suite.case(one)
        with one_sentence(f"protocol {rubric.name}, case {one}: units failed"):
            units = rubric.units(case)
        for unit in units:
            if isinstance(rubric, ScaleRubric) and name not in {ask.prompt for ask in rubric.asks(case, unit)}:
                continue
            pixels = load(suite.inputs(case)[0] if edit is None else edit)
            with one_sentence(f"protocol {rubric.name}, case {one}: calls failed"):
                edits, traces = dict.fromkeys(unit.variants, pixels), dict.fromkeys(unit.variants, _stand_in("trace"))
                calls = rubric.calls_about(case, unit, edits, traces, pack)
            for call in calls:
                if call.prompt_hash == prompt.hash:
                    return one, call
    where = f"case {case_id!r}" if case_id else f"the first {min(LOOKED_AT, len(suite)):,} cases"
    raise BadInput(f"the prompt {name!r} is not asked about {where} of {suite.name}; choose another with --case ID")


def _stand_in(word: str) -> str:
    return INSTRUCTION if word.startswith("instruction") else f"‹{word}›"
