"""Judging the edits of a run again: the same pictures under another judge, protocol or prompts, in a new run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editscope.cases import Edit
from editscope.editors import Editor, Inventory, Request
from editscope.errors import BadInput
from editscope.runs.judging import Judges, make_judging
from editscope.runs.plan import Plan, make_plan
from editscope.runs.record import Run, open_run
from editscope.runs.repeats import repeated
from editscope.suites import load_suite


class KeptEdits(Editor):
    """Gives back the edits of a run, statuses and reasons included; makes nothing."""

    workers = None
    in_place = True
    looks = False
    """It needs no input pictures."""

    def __init__(self, run: Run) -> None:
        self.name = run.info["editor"]["name"]
        self.path = str((run.archive or run.path).resolve())
        self._edits = {step: self._kept(run, line) for step, line in run.edits().items()}

    def edit(self, case: Request) -> Edit:
        """The edit as the run has it."""
        known = self._edits.get((case.case_id, repeated(case.variant, case.repeat)))
        if known is None:
            return Edit(case.case_id, case.variant, status="no_output", reason="the run has no edit of this case")
        return known

    def inventory(self, selected: Any, known: Any, names: Any = None) -> Inventory:
        """Which cases have no edit in the run."""
        ids = [case_id for case_id, _ in self._edits]
        missing = [case_id for case_id in selected if case_id not in set(ids)]
        lost = [str(e.image) for e in self._edits.values() if e.image is not None and not Path(str(e.image)).is_file()]
        there = sum(e.image is not None for e in self._edits.values()) - len(lost)
        return Inventory(there, tuple(missing), (), tuple(f"{path} is no longer there" for path in lost))

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


def plan_rescore(folder: str | Path, judge: Judges, *, out: str | Path | None = None, **settings: Any) -> Plan:
    """The plan of a new run that judges the edits of another; ``settings`` are those of ``make_judging``."""
    run = open_run(folder)
    if out is not None and Path(out).resolve() == Path(folder).resolve():
        raise BadInput(f"--out {out} is the run whose edits are judged again; give a new folder, it stays as it is")
    suite_info, selection = run.info["suite"], run.info["selection"]
    suite = load_suite(suite_info["name"], **suite_info["options"])
    if suite.fingerprint != suite_info["fingerprint"]:
        raise BadInput(
            f"the cases of {suite.name} ({suite.label()}) are not those of {folder} "
            f"(fingerprint {suite.fingerprint}, was {suite_info['fingerprint']}); judging needs the same"
        )
    if not run.edits():
        raise BadInput(f"{folder} has no edits yet; `editscope resume {folder}` makes them")
    where = {tag: tuple(values) for tag, values in (selection["where"] or {}).items()} or None
    kept = KeptEdits(run)
    judging = make_judging(suite, judge, **settings)
    made_by = {"editor": run.info["editor"], "edits_of": kept.path, "seed": run.info["seed"]}
    return make_plan(
        suite,
        kept,
        out=out,
        where=where,
        limit=selection["limit"],
        judging=judging,
        seed=run.info["seed"],
        repeats=run.repeats,
        also=made_by,
    )


def kept_edits(path: str) -> KeptEdits:
    """The edits of the run that a rescored one names in its run.json."""
    if not Path(path).exists():
        raise BadInput(f"{path}, whose edits are judged, is no longer there; put it back or start a new run")
    return KeptEdits(open_run(path))
