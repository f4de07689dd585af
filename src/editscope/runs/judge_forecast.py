"""What judging a run will take, before anything is asked: calls, pictures, tokens and dollars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from editscope.cases import Case
from editscope.editors import Request
from editscope.errors import BadImage
from editscope.images import Pixels, load
from editscope.judges import Call
from editscope.judges.records import Estimate
from editscope.runfolder.journal import progress
from editscope.runfolder.repeats import file_names, plain
from editscope.runs.plan import Plan
from editscope.runs.remaining import lines_of

LOOKED_AT = 40
"""Of so many cases, spread over the run, the calls are really made; the others are taken to be like them."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What is left to be asked. ``judges`` holds an estimate for each, samples included; calls that the cache answers
    are left out and counted in ``cached``. ``exact`` says that every case was looked at."""

    cases: int
    judges: tuple[tuple[str, Estimate], ...]
    cached: int
    exact: bool
    stand_ins: bool
    """Whether inputs stood in for edits that are not made yet."""

    @property
    def total(self) -> Estimate:
        """All judges together."""
        return sum((found for _, found in self.judges), Estimate(cost_usd=0.0))


def forecast(plan: Plan, looked_at: int = LOOKED_AT) -> Forecast:
    """Estimate a plan with judges. Edits that are there are looked at; for others their inputs stand in."""
    assert plan.judging is not None
    judging = plan.judging
    done = progress(lines_of(plan))
    scored = {(case_id, plain(name)[1]) for case_id, name in done.scores}
    every = ((case_id, repeat) for repeat in range(plan.repeats) for case_id in plan.ids)
    left = [job for job in every if job not in scored]
    step = max(1, len(left) / looked_at)
    looked = [left[int(i * step)] for i in range(min(looked_at, len(left)))]
    calls = [call for case_id, repeat in looked for call in _calls(plan, case_id, repeat)]
    scale = len(left) / max(1, len(looked))
    asked = len(calls) * judging.samples
    found, cached = [], 0
    for judge in judging.judges:
        one = judge.estimate(calls, judging.samples)
        cached += asked - one.calls
        found.append((judge.spec, _scaled(one, scale)))
    return Forecast(len(left), tuple(found), round(cached * scale), len(looked) == len(left), not plan.editor.in_place)


def _calls(plan: Plan, case_id: str, repeat: int) -> Iterator[Call]:
    assert plan.judging is not None
    rubric = plan.judging.rubric
    prompts = plan.judging.protocol.pack(rubric)
    case = plan.suite.case(case_id)
    for unit in rubric.units(case):
        edits = {variant: _edit(plan, case, variant, repeat) for variant in unit.variants}
        there = {variant: pixels for variant, pixels in edits.items() if pixels is not None}
        if len(there) == len(edits):
            yield from rubric.calls(case, unit, there, prompts)
        elif plan.judging.protocol.white:
            yield from rubric.white_calls(case, unit, prompts)


def _edit(plan: Plan, case: Case, variant: str, repeat: int) -> Pixels | None:
    """The edit where it is a file already, else the input, which has about its size."""
    if not plan.editor.in_place:
        return load(plan.suite.inputs(case)[0])
    places = file_names(plan.suite, case.id, variant, repeat)
    asked = Request(case.id, (), "", 0, case.tags, variant, outputs=places, repeat=repeat)
    found = plan.editor.edit(asked)
    image = getattr(found, "image", None)
    try:
        return None if image is None else load(image)
    except BadImage:
        return None


def _scaled(one: Estimate, scale: float) -> Estimate:
    cost = None if one.cost_usd is None else one.cost_usd * scale
    calls, images, tokens, output = (
        round(n * scale) for n in (one.calls, one.images, one.input_tokens, one.output_tokens)
    )
    return Estimate(calls, images, tokens, output, cost)
