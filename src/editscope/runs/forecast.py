"""Forecasts of a run, before anything is spent: what its edits will cost, and what its judges will be asked."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from editscope.cases import Case, Edit
from editscope.editors import Request
from editscope.errors import BadImage
from editscope.images import Pixels, load
from editscope.judges import Call
from editscope.judges.records import Judge, may_cost
from editscope.plugins import one_sentence
from editscope.runfolder.journal import Line, Progress, VerdictKey
from editscope.runfolder.repeats import file_names, plain, repeated
from editscope.runfolder.stored_edits import stored_at
from editscope.runs.judging.batches import batches_in_words
from editscope.runs.judging.unit_verdicts import is_about_call
from editscope.runs.plan import Plan
from editscope.runs.remaining import done_so_far, todo
from editscope.runs.spending import spent_so_far
from editscope.transport.forecast import Forecast, PaidCalls

if TYPE_CHECKING:
    from rich.console import Console

LOOKED_AT = 40
"""Of so many cases, spread over the run, a dry run really makes the calls; the others are taken to be like them."""
GLANCE = 12
"""Of so many cases before a run, which should start soon."""
LOOK_FURTHER = 240
"""Of so many cases where fewer need no paid call: a few that are cached do not mean that all are."""
STAND_IN_TRACE = "What an editor may say or think about an edit before it draws it. " * 20
Verdicts: TypeAlias = "list[Mapping[VerdictKey, Line]]"


def may_spend(plan: Plan) -> bool:
    """Whether an editor or judge of a plan may cost money; found without a look at any case."""
    return edits_cost(plan) or judges_cost(plan)


def edits_cost(plan: Plan) -> bool:
    """Whether the editor of a plan may cost money, or a judge that it asks."""
    plan.editor.limit(plan.edit_limits)
    return not plan.editor.free and any(part.may_cost for part in plan.editor.paid_calls(1))


def judges_cost(plan: Plan) -> bool:
    """Whether a judge of a plan may cost money."""
    return any(map(may_cost, plan.judging.judges if plan.judging else ()))


def is_limited(plan: Plan) -> bool:
    """Whether there is a limit in dollars on everything in a plan that may cost money."""
    judging = plan.judging
    edits = plan.edit_limits.max_cost is not None or not edits_cost(plan)
    judges = judging is None or judging.limits.max_cost is not None or not judges_cost(plan)
    return plan.budget is not None or (edits and judges)


def say_forecast(plan: Plan, console: Console | None) -> None:
    """Print what a run that may cost money will spend."""
    if console is not None and may_spend(plan):
        for line in forecast(plan, GLANCE).lines():
            console.print(f" {line}", markup=False)


def forecast(plan: Plan, looked_at: int = LOOKED_AT) -> Forecast:
    """What is left of a plan, and what that will cost; calls nobody and writes nothing.

    Calls to judges are counted on ``looked_at`` cases and scaled up. Edits that are there are looked at; for others
    their inputs stand in. Verdicts that the journal or the cache has are left out.
    """
    edits = _edits(plan)
    found = Forecast() if plan.judging is None else _judging(plan, looked_at)
    return replace(found, parts=(*edits, *found.parts), spent_usd=spent_so_far(plan), budget_usd=plan.budget)


def _edits(plan: Plan) -> list[PaidCalls]:
    """Who is asked for the edits that the journal does not have yet, those of all sizes together."""
    plan.editor.limit(plan.edit_limits)
    if plan.editor.free:
        return []
    to_edit, _ = todo(plan)
    by_images: Counter[int] = Counter()
    for job in to_edit:
        # Suites that draw their cases have one picture each, and drawing them all would take long.
        images = len(plan.suite.case(job.case_id).images) if plan.suite.scoring == "judged" else 1
        by_images[images] += len(job.make)
    parts: dict[str, PaidCalls] = {}
    for images, edits in by_images.items():
        for part in plan.editor.paid_calls(edits, images):
            parts[part.who] = part if part.who not in parts else parts[part.who].plus(part)
    if by_images.total() and not parts:
        name = plan.editor.name or type(plan.editor).__name__
        return [PaidCalls(f"editor {name}", by_images.total(), "edit")]
    return list(parts.values())


def _judging(plan: Plan, looked_at: int) -> Forecast:
    assert plan.judging is not None
    done = done_so_far(plan)
    scored = {(case_id, plain(name)[1]) for case_id, name in done.scores}
    every = ((case_id, repeat) for repeat in range(plan.repeats) for case_id in plan.ids)
    left = [job for job in every if job not in scored]
    found = _counted(plan, done, left, looked_at)
    if not found.may_cost and looked_at < min(LOOK_FURTHER, len(left)) and judges_cost(plan):
        looked_at = LOOK_FURTHER
        found = _counted(plan, done, left, looked_at)
    unseen = len(left) - looked_at if judges_cost(plan) and not found.may_cost else 0
    return replace(found, unseen=max(0, unseen))


def _counted(plan: Plan, done: Progress, left: list[tuple[str, int]], looked_at: int) -> Forecast:
    """The calls about some of the cases that are left, scaled up to all of them."""
    assert plan.judging is not None
    judging = plan.judging
    # Drawn by lot: cases at equal distances may have something in common, such as every second edit of a folder.
    places = sorted(random.Random(len(left)).sample(range(len(left)), min(looked_at, len(left))))
    looked = [left[place] for place in places]
    calls = [
        (case_id, call if made else _unknown(call))
        for case_id, repeat in looked
        for call, made in _calls(plan, done, case_id, repeat)
    ]
    known: dict[str, Verdicts] = {case_id: [] for case_id, _ in looked}
    for (case_id, _), lines in done.verdicts.items():
        if case_id in known:
            known[case_id].append(lines)
    scale = len(left) / max(1, len(looked))
    parts, cached = [], 0
    for judge in judging.judges:
        open_calls = [call for case_id, call in calls if not _journaled(known[case_id], call, judge, judging.samples)]
        estimate = judge.estimate(open_calls, judging.samples)
        cached += len(open_calls) * judging.samples - estimate.calls
        parts.append(judge.paid_calls(estimate).scaled(scale))
    unmade = any(
        (case_id, repeated(variant, n)) not in done.edits
        for case_id, n in looked
        for variant in plan.suite.variants(case_id)
    )
    exact, stand_ins = len(looked) == len(left), unmade and not plan.editor.in_place
    how = [] if exact else [f"calls were counted on {len(looked):,} of {len(left):,} cases"]
    how += ["edits do not exist yet: the estimate uses their inputs"] if stand_ins else []
    how += batches_in_words(plan.out)
    return Forecast(tuple(parts), round(cached * scale), "" if exact and not stand_ins else "about ", tuple(how))


def _unknown(call: Call) -> Call:
    """A call like this one that no cache has: nobody has judged an edit that is not made, though maybe its input."""
    return replace(call, system=f"{call.system} ")


def _journaled(verdicts: Verdicts, call: Call, judge: Judge, samples: int) -> bool:
    """Whether the journal has every sample of a call to a judge; ``verdicts`` are those on the units of its case."""
    return bool(verdicts) and all(
        any(is_about_call(lines.get((call.key, judge.spec, sample)), call.digest) for lines in verdicts)
        for sample in range(samples)
    )


def first_requests(plan: Plan, looked_at: int = LOOKED_AT) -> tuple[str, tuple[Call, ...]]:
    """The calls about the first case of a plan that has any, and its id; inputs stand in for edits as above."""
    done = done_so_far(plan)
    for case_id in plan.ids[:looked_at]:
        if calls := tuple(call for call, _ in _calls(plan, done, case_id, 0)):
            return case_id, calls
    return "", ()


def _calls(plan: Plan, done: Progress, case_id: str, repeat: int) -> Iterator[tuple[Call, bool]]:
    """The calls about a case, and whether the edits that they are about are made."""
    assert plan.judging is not None
    rubric = plan.judging.rubric
    prompts = plan.judging.protocol.pack(rubric)
    case = plan.suite.case(case_id)
    with one_sentence(f"protocol {rubric.name}, case {case_id}: units failed"):
        units = rubric.units(case)
    for unit in units:
        edits = {variant: _edit(plan, done, case, variant, repeat) for variant in unit.variants}
        there = {variant: pixels for variant, pixels in edits.items() if pixels is not None}
        made = plan.editor.in_place or all((case_id, repeated(variant, repeat)) in done.edits for variant in edits)
        with one_sentence(f"protocol {rubric.name}, case {case_id}: calls failed"):
            if len(there) == len(edits):
                traces = _traces(plan, done, case, unit.variants, repeat) if rubric.reads_traces else {}
                yield from ((call, made) for call in rubric.calls_about(case, unit, there, traces, prompts))
            elif plan.judging.protocol.white:
                yield from ((call, True) for call in rubric.white_calls(case, unit, prompts))


def _traces(plan: Plan, done: Progress, case: Case, variants: tuple[str, ...], repeat: int) -> dict[str, str]:
    """What the editor said to each edit; of those that are not made, a text stands in that is as long as many are."""
    traces = {}
    for variant in variants:
        line = done.edits.get((case.id, repeated(variant, repeat)))
        if line is not None:
            traces[variant] = str(line["trace"] or "")
        elif plan.editor.in_place:
            edit = _edit_in_place(plan, case, variant, repeat)
            traces[variant] = (edit.trace if edit else None) or ""
        else:
            traces[variant] = STAND_IN_TRACE
    return traces


def _edit_in_place(plan: Plan, case: Case, variant: str, repeat: int) -> Edit | None:
    places = file_names(plan.suite, case.id, variant, repeat)
    edit = plan.editor.edit(Request(case.id, (), "", 0, case.tags, variant, outputs=places, repeat=repeat))
    return edit if isinstance(edit, Edit) else None


def _edit(plan: Plan, done: Progress, case: Case, variant: str, repeat: int) -> Pixels | None:
    """The edit where it is a file already, else the input, which has about its size."""
    line = done.edits.get((case.id, repeated(variant, repeat)))
    if line is not None:
        try:
            return load(stored_at(plan.out, line)) if line["status"] == "ok" else None
        except BadImage:
            return None
    if not plan.editor.in_place:
        return load(plan.suite.inputs(case)[0])
    edit = _edit_in_place(plan, case, variant, repeat)
    image = None if edit is None else edit.image
    try:
        return None if image is None else load(image)
    except BadImage:
        return None
