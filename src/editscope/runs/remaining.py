"""Remaining work of a run: the plan less what the journal has."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from editscope.results.stored_tables import kept_summary, read_columns
from editscope.runfolder.journal import Line, Progress, Step, progress
from editscope.runfolder.repeats import plain, repeated
from editscope.runs.editor_code import CHANGED, made_by_other_code
from editscope.runs.engine.capacity import paid
from editscope.runs.engine.first_results import FAILED
from editscope.runs.engine.worker_process import Job
from editscope.runs.plan import Plan


def todo(plan: Plan, done: Progress | None = None) -> tuple[list[Job], list[Job]]:
    """The repeats of cases with edits to be made, and those that only want their score.

    ``done`` is what ``done_so_far`` says, where you have it already.
    """
    if done is None and nothing_left(plan):
        return [], []
    done = done_so_far(plan) if done is None else done
    units: dict[tuple[str, int], list[Line]] = {}
    for (case_id, name), line in done.scores.items():
        units.setdefault((case_id, plain(name)[1]), []).append(line)
    to_edit, to_score = [], []
    # All cases once, then all of them again: a run that is stopped early has whole repeats, the first of which is a
    # run without repeats, and not a few cases edited often.
    for repeat, (index, case_id) in product(range(plan.repeats), enumerate(plan.ids)):
        variants = [repeated(variant, repeat) for variant in plan.suite.variants(case_id)]
        edits = {name: done.edits[case_id, name] for name in variants if (case_id, name) in done.edits}
        make = tuple(name for name in variants if name not in edits)
        scores = units.get((case_id, repeat), [])
        job = Job(case_id, index, make, edits, tuple(line["variant"] for line in scores), repeat=repeat)
        if make:
            to_edit.append(job)
        elif not scores or len(scores) < scores[0].get("units", 1):
            to_score.append(job)
    return to_edit, to_score


def nothing_left(plan: Plan) -> bool:
    """Whether the stored tables of a run that pixels score have every edit of the plan, so that there is nothing to do.

    They count only where they were made from the journal as it is now; the journal need not be parsed then. Where it is
    False, ``todo`` looks closer. Scores by judges need their verdicts too, which no table has.
    """
    if plan.judging is not None or plan.edit_again or plan.taken_over is not None:
        return False
    if kept_summary(plan.out, plan.info, plan.journal.source()) is None:
        return False
    columns = read_columns(plan.out, ("case_id", "variant"))
    scored = set() if columns is None else set(zip(columns["case_id"], columns["variant"], strict=True))
    repeats = range(plan.repeats)
    return all(
        (case_id, repeated(variant, repeat)) in scored
        for case_id in plan.ids
        for variant in plan.suite.variants(case_id)
        for repeat in repeats
    )


def journal_so_far(plan: Plan) -> Progress:
    """What the journal of a run has; before it is there, what it will start with."""
    content = plan.journal.read()
    if not content.lines and plan.taken_over is not None:
        return progress(plan.taken_over.lines)
    return content.progress


def done_so_far(plan: Plan) -> Progress:
    """What the journal has; without what ended without a verdict, where that is to be asked again."""
    done = _supported(journal_so_far(plan))
    if plan.edit_again:
        other = made_by_other_code(plan, done.edits) if CHANGED in plan.edit_again else frozenset()
        done = _without(done, plan.edit_again, plan.damaged | other)
    elif nothing_worked(plan, done):
        done = _without(done, FAILED, frozenset())
    if plan.judging is None or not plan.judging.again:
        return done
    scores = {step: line for step, line in done.scores.items() if _settled(line)}
    verdicts = {
        step: {asked: line for asked, line in lines.items() if line["verdict"]["status"] == "ok"}
        for step, lines in done.verdicts.items()
    }
    return replace(done, scores=scores, verdicts=verdicts)


def nothing_worked(plan: Plan, done: Progress) -> bool:
    """Whether a run stopped before any edit had worked, so that those that failed are made again when it goes on.

    Somebody has mended the editor by then, and a few failures of the broken one must not stay in the averages. Edits
    that cost money are made again only where that is asked for.
    """
    edits = done.edits.values()
    if not edits or plan.keep_going or plan.editor.in_place or any(line["status"] not in FAILED for line in edits):
        return False
    left = (
        (case_id, repeated(variant, repeat)) not in done.edits
        for repeat, case_id in product(range(plan.repeats), plan.ids)
        for variant in plan.suite.variants(case_id)
    )
    return any(left) and not paid(plan.editor)


def failures_to_repeat(plan: Plan) -> list[Line]:
    """Lines for the journal that make the failures of a run void before which nothing worked.

    Without them a second stop, after the first edit that works, would leave the rest of those failures in the averages.
    """
    done = _supported(journal_so_far(plan))
    if plan.edit_again or not nothing_worked(plan, done):
        return []
    kept = _without(done, FAILED, frozenset()).edits
    return [{"step": "again", "case": case, "variant": name} for case, name in done.edits if (case, name) not in kept]


def _supported(done: Progress) -> Progress:
    """What is done, without scores whose edit or verdicts the journal lacks: somebody deleted those lines."""
    scores = {}
    for step, line in done.scores.items():
        keys = {call["key"] for call in line.get("calls", ())}
        there = sum(key in keys for key, _, _ in done.verdicts.get(step, ()))
        edited = all((step[0], name) in done.edits for name in line.get("unit", (step[1],)))
        if edited and there >= sum(line.get("verdicts", {}).values()):
            scores[step] = line
    return replace(done, scores=scores)


def _settled(score: Line) -> bool:
    """Whether asking judges again could change nothing: all said something, or there was no edit to ask about."""
    if score["missing"]:
        return all(row["value"] is not None for row in score.get("white", ()))
    return bool(score["status"] == "ok")


def _without(done: Progress, statuses: tuple[str, ...], damaged: frozenset[Step]) -> Progress:
    """What is done, without edits that ended with one of these statuses or are damaged, and without their scores."""
    lost = {step for step, line in done.edits.items() if line["status"] in statuses and line.get("applicable", True)}
    lost |= damaged
    edits = {step: line for step, line in done.edits.items() if step not in lost}
    scores = {
        step: line
        for step, line in done.scores.items()
        if not lost & {(step[0], name) for name in line.get("unit", (step[1],))}
    }
    return replace(done, edits=edits, scores=scores)
