"""Rescored runs: the edits of one run under another judge, protocol or prompts, in a new run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from editscope.cases import Edit
from editscope.editors import Editor, Inventory, Request
from editscope.errors import BadInput, Stopped
from editscope.results.run import Run, open_run
from editscope.runfolder.code_versions import CODE
from editscope.runfolder.journal import Line, Progress, Step
from editscope.runfolder.repeats import repeated
from editscope.runfolder.stored_edits import problem_with_file
from editscope.runs.judging.settings import (
    Judges,
    Judging,
    Limits,
    check_accounting,
    judges_white,
    judging_again,
    make_judging,
    recorded_judging,
)
from editscope.runs.plan import Plan, TakenOver, make_plan
from editscope.runs.selection import where_of
from editscope.suites import Suite, load_suite


class RunEdits(Editor):
    """Gives back the edits of a run, statuses and reasons included; makes nothing."""

    workers = None
    in_place = True
    sees_images = False

    def __init__(self, run: Run) -> None:
        self.name = run.info["editor"]["name"]
        self.path = str((run.archive or run.path).resolve())
        self._run = run.path
        self._lines = run.edits()
        self._edits = {step: self._kept(run, line) for step, line in self._lines.items()}
        self._not_applicable = {
            step: str(line["reason"]) for step, line in self._lines.items() if not line.get("applicable", True)
        }

    def edit(self, case: Request) -> Edit:
        """The edit as the run has it."""
        known = self._edits.get((case.case_id, repeated(case.variant, case.repeat)))
        if known is None:
            return Edit(case.case_id, case.variant, status="no_output", reason="the run has no edit of this case")
        wrong = self._wrong_with(case.case_id, repeated(case.variant, case.repeat))
        if wrong:
            raise Stopped(wrong)
        return known

    def not_applicable(self, case_id: str, variant: str, images: int) -> str:
        """As the editor of the run said."""
        return self._not_applicable.get((case_id, variant), "")

    def code_of_edit(self, line: Mapping[str, Any]) -> str:
        """The version of the editor's code that made an edit, as the run has it; "" where it does not say."""
        return str(self._lines.get((line["case"], line["variant"]), {}).get(CODE, ""))

    def verify(self) -> None:
        """Raise BadInput where the file of an edit is missing or is not the one that was stored.

        That is damage on disk and says nothing about the editor, so such an edit is not scored as one without output.
        """
        problems = [wrong for step in self._edits if (wrong := self._wrong_with(*step))]
        if problems:
            more = f" ({len(problems) - 1:,} more edits are damaged)" if len(problems) > 1 else ""
            raise BadInput(problems[0] + more)

    def _wrong_with(self, case_id: str, variant: str) -> str:
        image = self._edits[case_id, variant].image
        if image is None:
            return ""
        path = Path(str(image))
        wrong = problem_with_file(path, self._lines[case_id, variant])
        if not wrong:
            return ""
        if Path(self.path).is_file():
            return f"{path} {wrong}; it was unpacked from {self.path}: remove {self._run.parent} to unpack it again"
        again = f"editscope resume {shlex.quote(self.path)} --edit-again"
        return f"{path} {wrong}, so that its edit cannot be judged; put the file back, or make it again with: {again}"

    def inventory(self, selected: Any, known: Any, names: Any = None) -> Inventory:
        """Which cases have no edit in the run."""
        ids = [case_id for case_id, _ in self._edits]
        missing = [case_id for case_id in selected if case_id not in set(ids)]
        there = sum(edit.image is not None for edit in self._edits.values())
        return Inventory(there, tuple(missing))

    def _kept(self, run: Run, line: dict[str, Any]) -> Edit:
        image = run.image_of(line)
        return Edit(
            case_id=line["case"],
            variant=line["variant"],
            image=image,
            status=line["status"] if image is not None or line["status"] != "ok" else "no_output",
            reason=line["reason"],
            latency_s=line["latency_s"],
            cost_usd=line["cost_usd"],
            trace=line["trace"],
        )


def plan_rescore(
    folder: str | Path, judge: Judges, *, out: str | Path | None = None, budget: float | None = None, **settings: Any
) -> Plan:
    """The plan of a new run that judges the edits of another; ``settings`` are those of ``make_judging``."""
    run = open_run(folder)
    suite = _suite_of(run, folder, out)
    judging = make_judging(suite, judge, **settings)
    if judging.rubric.reads_traces and not any(line.get("trace") for line in run.edits().values()):
        raise BadInput(
            f"no edit of {folder} has a trace, which is what the protocol {judging.rubric.name} judges; "
            "docs/traces.md names editors that give one"
        )
    return _plan(run, suite, judging, out, budget)


def _suite_of(run: Run, folder: str | Path, out: str | Path | None) -> Suite:
    """The suite of a run, if its cases are the same today and the new run has a folder of its own."""
    if out is not None and Path(out).resolve() == Path(folder).resolve():
        raise BadInput(f"--out {out} is the run whose edits are judged again and must not change; choose a new folder")
    suite_info = run.info["suite"]
    suite = load_suite(suite_info["name"], **suite_info["options"])
    if suite.fingerprint != suite_info["fingerprint"]:
        raise BadInput(
            f"the cases of {suite.name} ({suite.label()}) are not those of {folder} "
            f"(fingerprint {suite.fingerprint}, was {suite_info['fingerprint']}); judging needs the same"
        )
    if not run.edits():
        raise BadInput(f"{folder} has no edits yet; `editscope resume {folder}` makes them")
    return suite


def _plan(run: Run, suite: Suite, judging: Judging, out: str | Path | None, budget: float | None) -> Plan:
    edits = RunEdits(run)
    edits.verify()
    made_by = {"editor": run.info["editor"], "edits_of": edits.path, "seed": run.info["seed"]}
    return make_plan(
        suite,
        edits,
        out=out,
        where=where_of(run.info) or None,
        limit=run.info["selection"]["limit"],
        judging=judging,
        seed=run.info["seed"],
        repeats=run.repeats,
        budget=budget,
        also=made_by,
        cases_like=run.path,
    )


def plan_recount(
    folder: str | Path,
    accounting: str,
    *,
    out: str | Path | None = None,
    limits: Limits | None = None,
    budget: float | None = None,
) -> Plan:
    """The plan of a new run that has the edits and the verdicts of another and counts them in another way.

    Nothing is asked again. Only where the released tool judges a white picture in place of a missing edit, and the
    run has no verdicts on it, these are asked for, of the same judges.
    """
    run = open_run(folder)
    if not run.judged:
        raise BadInput(f"{folder} was scored by pixels, without a judge; --accounting is for judged suites")
    if not run.complete:
        raise BadInput(f"{folder} is not finished; `editscope resume {folder}` first, then count it in another way")
    suite = _suite_of(run, folder, out)
    info = {**run.info, "judging": {**run.info["judging"], "accounting": check_accounting(accounting, None)}}
    if accounting == "released":
        info["judging"]["missing"] = "worst"
    white = judges_white(info["judging"]["protocol"]["name"], info["judging"]["accounting"])
    done = run.progress
    unseen = {
        step for step, line in done.scores.items() if line["missing"] and line["applicable"] and "white" not in line
    }
    wanting = unseen if white else set()
    judging = judging_again(suite, info, limits) if wanting else recorded_judging(suite, info, limits)
    plan = _plan(run, suite, judging, out, budget)
    return replace(plan, taken_over=TakenOver(tuple(_lines(run, done, wanting)), run.path))


def _lines(run: Run, done: Progress, wanting: set[Step]) -> Iterator[Line]:
    """The lines of a finished run as a new one starts with them: edits stay where they are, and nothing was spent."""
    for edit in done.edits.values():
        image = run.image_of(edit)
        yield edit if image is None else {**edit, "image": {"source": str(image.resolve())}}
    for verdicts in done.verdicts.values():
        for verdict in verdicts.values():
            yield {**verdict, "verdict": {**verdict["verdict"], "cached": True}}
    for step, score in done.scores.items():
        if step not in wanting:
            spent = score["spent"]
            free = {**dict.fromkeys(spent, 0), "cached": spent["calls"] + spent["cached"], "cost_usd": 0.0}
            yield {**score, "spent": free}


def run_edits(path: str) -> RunEdits:
    """The edits of the run that a rescored one names in its run.json."""
    if not Path(path).exists():
        raise BadInput(f"{path}, whose edits are judged, is no longer there; put it back or start a new run")
    return RunEdits(open_run(path))
