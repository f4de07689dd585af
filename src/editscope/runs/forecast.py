"""Forecasts of a run, before anything is spent: what its edits will cost, and what its judges will be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from editscope.cases import Case, Edit
from editscope.editors import Request
from editscope.errors import BadImage
from editscope.images import Pixels, load
from editscope.judges import Call
from editscope.judges.records import Estimate
from editscope.plugins import one_sentence
from editscope.runfolder.repeats import file_names, plain
from editscope.runs.plan import Plan
from editscope.runs.remaining import journal_so_far, todo

LOOKED_AT = 40
"""Of so many cases, spread over the run, the calls are really made; the others are taken to be like them."""


@dataclass(frozen=True, slots=True)
class EditForecast:
    """How many edits are left to be made, and their price in dollars: 0 at home, None where nobody knows."""

    edits: int
    cost_usd: float | None

    def in_words(self) -> str:
        """The forecast in a few words.

        >>> EditForecast(1, 0.5).in_words(), EditForecast(3, 0.0).in_words()
        ('1 edit to be made, for about $0.50', '3 edits to be made')
        """
        text = f"{self.edits:,} edit{'' if self.edits == 1 else 's'} to be made"
        if self.cost_usd is None:
            return f"{text}, at a price that is not known"
        return f"{text}, for about ${self.cost_usd:,.2f}" if self.cost_usd else text


def forecast_edits(plan: Plan) -> EditForecast:
    """Ask the editor of a plan for its price, for the edits that the journal does not have yet."""
    plan.editor.limit(plan.edit_limits)
    to_edit, _ = todo(plan)
    by_images: Counter[int] = Counter()
    for job in to_edit:
        # Suites that draw their cases have one picture each, and drawing them all would take long.
        images = len(plan.suite.case(job.case_id).images) if plan.suite.scoring == "judged" else 1
        by_images[images] += len(job.make)
    prices = [plan.editor.estimate(edits, images) for images, edits in by_images.items()]
    known = [price for price in prices if price is not None]
    return EditForecast(by_images.total(), sum(known) if len(known) == len(prices) else None)


@dataclass(frozen=True, slots=True)
class JudgeForecast:
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
        return sum((share for _, share in self.judges), Estimate(cost_usd=0.0))


def forecast_judging(plan: Plan, looked_at: int = LOOKED_AT) -> JudgeForecast:
    """Estimate a plan with judges. Edits that are there are looked at; for others their inputs stand in."""
    assert plan.judging is not None
    judging = plan.judging
    done = journal_so_far(plan)
    scored = {(case_id, plain(name)[1]) for case_id, name in done.scores}
    every = ((case_id, repeat) for repeat in range(plan.repeats) for case_id in plan.ids)
    left = [job for job in every if job not in scored]
    step = max(1, len(left) / looked_at)
    looked = [left[int(i * step)] for i in range(min(looked_at, len(left)))]
    calls = [call for case_id, repeat in looked for call in _calls(plan, case_id, repeat)]
    scale = len(left) / max(1, len(looked))
    estimates, cached = [], 0
    for judge in judging.judges:
        sampled = judge.estimate(calls, judging.samples)
        cached += len(calls) * judging.samples - sampled.calls
        estimates.append((judge.spec, _scaled(sampled, scale)))
    return JudgeForecast(
        cases=len(left),
        judges=tuple(estimates),
        cached=round(cached * scale),
        exact=len(looked) == len(left),
        stand_ins=not plan.editor.in_place,
    )


def first_requests(plan: Plan, looked_at: int = LOOKED_AT) -> tuple[str, tuple[Call, ...]]:
    """The calls about the first case of a plan that has any, and its id; inputs stand in for edits as above."""
    for case_id in plan.ids[:looked_at]:
        if calls := tuple(_calls(plan, case_id, 0)):
            return case_id, calls
    return "", ()


def _calls(plan: Plan, case_id: str, repeat: int) -> Iterator[Call]:
    assert plan.judging is not None
    rubric = plan.judging.rubric
    prompts = plan.judging.protocol.pack(rubric)
    case = plan.suite.case(case_id)
    for unit in rubric.units(case):
        edits = {variant: _edit(plan, case, variant, repeat) for variant in unit.variants}
        there = {variant: pixels for variant, pixels in edits.items() if pixels is not None}
        with one_sentence(f"protocol {rubric.name}, case {case_id}: calls failed"):
            if len(there) == len(edits):
                yield from rubric.calls(case, unit, there, prompts)
            elif plan.judging.protocol.white:
                yield from rubric.white_calls(case, unit, prompts)


def _edit(plan: Plan, case: Case, variant: str, repeat: int) -> Pixels | None:
    """The edit where it is a file already, else the input, which has about its size."""
    if not plan.editor.in_place:
        return load(plan.suite.inputs(case)[0])
    places = file_names(plan.suite, case.id, variant, repeat)
    edit = plan.editor.edit(Request(case.id, (), "", 0, case.tags, variant, outputs=places, repeat=repeat))
    image = edit.image if isinstance(edit, Edit) else None
    try:
        return None if image is None else load(image)
    except BadImage:
        return None


def _scaled(sampled: Estimate, scale: float) -> Estimate:
    cost = None if sampled.cost_usd is None else sampled.cost_usd * scale
    counts = (sampled.calls, sampled.images, sampled.input_tokens, sampled.output_tokens)
    calls, images, input_tokens, output_tokens = (round(count * scale) for count in counts)
    return Estimate(calls, images, input_tokens, output_tokens, cost)
