"""What is left to do of a run: the plan less what the journal has."""

from __future__ import annotations

from editscope.runs.journal import Line, Progress, progress, read_journal
from editscope.runs.plan import Plan
from editscope.runs.worker import Job


def todo(plan: Plan) -> tuple[list[Job], list[Job]]:
    """The cases with edits to be made, and those that only want their score."""
    done = done_so_far(plan)
    units: dict[str, list[Line]] = {}
    for (case_id, _), line in done.scores.items():
        units.setdefault(case_id, []).append(line)
    to_edit, to_score = [], []
    for index, case_id in enumerate(plan.ids):
        variants = plan.suite.variants(case_id)
        edits = {name: done.edits[case_id, name] for name in variants if (case_id, name) in done.edits}
        make = tuple(name for name in variants if name not in edits)
        scores = units.get(case_id, [])
        job = Job(case_id, index, make, edits, tuple(line["variant"] for line in scores))
        if make:
            to_edit.append(job)
        elif not scores or len(scores) < scores[0].get("units", 1):
            to_score.append(job)
    return to_edit, to_score


def done_so_far(plan: Plan) -> Progress:
    """What the journal has; without what ended without a verdict, where that is to be asked again."""
    done = progress(read_journal(plan.out))
    if plan.judging is None or not plan.judging.again:
        return done
    scores = {step: line for step, line in done.scores.items() if line["status"] == "ok" or line["missing"]}
    verdicts = {
        step: {asked: line for asked, line in lines.items() if line["verdict"]["status"] == "ok"}
        for step, lines in done.verdicts.items()
    }
    return Progress(done.edits, scores, verdicts)
