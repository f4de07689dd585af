"""Runs of a comparison: which arm on which suite by which judge, in which folder, and what is left to do in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.results import Run, open_run
from editscope.runfolder.run_json import FILE
from editscope.runs import Plan, make_plan
from editscope.runs.judging.settings import Limits, make_judging
from editscope.runs.remaining import todo
from editscope.runs.rescore import plan_rescore
from editscope.suites import Suite
from editscope.training.comparison.arms import Arm
from editscope.training.comparison.settings import ArmEvaluation, ComparisonPlan, folder_name
from editscope.training.configured_suites import check_judged, configured_suite, data_place
from editscope.training.supervised.evaluation import editor_spec

PIXELS = "pixels"
"""Stands for the judge of suites that pixels score."""


@dataclass(frozen=True, eq=False)
class ArmRun:
    """One run folder: an arm on an evaluation by a judge. ``edits_of`` is the run whose edits it judges, if any."""

    arm: Arm
    evaluation: ArmEvaluation
    judge: str
    folder: Path
    edits_of: ArmRun | None = None

    @property
    def label(self) -> str:
        """The run in a line."""
        return f"{self.arm.label} · {self.evaluation.label} · {judge_names(self.evaluation.judges)[self.judge]}"

    @property
    def begun(self) -> bool:
        """Whether its folder is a run."""
        return (self.folder / FILE).is_file()

    def opened(self) -> Run | None:
        """The run, if it has started."""
        return open_run(self.folder) if self.begun else None

    @property
    def complete(self) -> bool:
        """Whether every case has its score."""
        run = self.opened()
        return run is not None and run.complete


class ArmRuns:
    """All runs of a comparison, those that several evaluations share once, and the plan of each.

    The first judge's run makes the edits; the others judge them again.
    """

    def __init__(self, plan: ComparisonPlan, arms: Sequence[Arm], out: Path, limits: Limits | None = None) -> None:
        self._plan, self._limits = plan, limits
        self.arms = tuple(arms)
        self._suites: dict[tuple[str, str], Suite] = {}
        self._runs: dict[tuple[str, str, str], ArmRun] = {}
        shared: dict[tuple[Any, ...], ArmRun] = {}
        for evaluation in plan.evaluations:
            self._check(evaluation)
            for arm in arms:
                first: ArmRun | None = None
                for judge, name in judge_names(evaluation.judges).items():
                    same = (arm.name, judge, first and first.folder, *_decides(evaluation, arm.name))
                    home = out / "runs" / folder_name(evaluation.label) / arm.folder.name
                    run = shared.setdefault(same, ArmRun(arm, evaluation, judge, home / folder_name(name), first))
                    self._runs[evaluation.label, arm.name, judge] = run
                    first = first or run

    def of(self, evaluation: ArmEvaluation, arm: Arm, judge: str) -> ArmRun:
        """The run of an arm."""
        return self._runs[evaluation.label, arm.name, judge]

    def of_arm(self, arm: Arm) -> list[ArmRun]:
        """The runs of an arm, in the order in which they are done."""
        return list(dict.fromkeys(run for run in self._runs.values() if run.arm is arm))

    def __iter__(self) -> Iterator[ArmRun]:
        return iter(run for arm in self.arms for run in self.of_arm(arm))

    def suite(self, run: ArmRun) -> Suite:
        """The suite of a run."""
        return self._loaded(run.evaluation.spec_for(run.arm.name), run.evaluation)

    def _loaded(self, spec: str, evaluation: ArmEvaluation) -> Suite:
        key = (spec, evaluation.data)
        if key not in self._suites:
            place = data_place(evaluation.data, self._plan.folder)
            self._suites[key] = configured_suite(spec, place, self._named(evaluation))
        return self._suites[key]

    def _check(self, evaluation: ArmEvaluation) -> None:
        """BadInput for a suite without data, or whose judges do not fit it."""
        for arm in self.arms:
            suite = self._loaded(evaluation.spec_for(arm.name), evaluation)
            judged = bool(evaluation.judges)
            check_judged(suite, judged, self._named(evaluation), "judges = ['openai:gpt-4o'] or others")

    def _named(self, evaluation: ArmEvaluation) -> str:
        return f"{self._plan.file}, evaluation {evaluation.label!r}"

    def planned(self, run: ArmRun, budget: float | None = None, *, again: bool = False) -> Plan:
        """The plan of a run whose arm is trained and whose edits, if it only judges, are there."""
        settings = self._settings(run, again)
        if run.edits_of is not None:
            return plan_rescore(run.edits_of.folder, run.judge, out=run.folder, budget=budget, **settings)
        return self._made(run, editor_spec(run.arm.sampled, run.arm.weights, self._plan.sampler), budget, settings)

    def foreseen(self, run: ArmRun) -> Plan:
        """The plan for the forecast of a run; the base stands in for missing edits or weights."""
        first = run.edits_of
        if (first is None and run.arm.done) or (first is not None and first.complete):
            return self.planned(run)
        base = editor_spec(self.arms[0].experiment, None, self._plan.sampler)
        return self._made(run, base, None, self._settings(run, False))

    def edits_left(self, run: ArmRun, plan: Plan) -> int:
        """How many edits are to be made."""
        return 0 if run.edits_of is not None else sum(len(job.make) for job in todo(plan)[0])

    def _settings(self, run: ArmRun, again: bool) -> dict[str, Any]:
        one = run.evaluation
        return {
            "samples": one.samples,
            "missing": one.missing,
            "accounting": one.accounting,
            "limits": self._limits,
            "again": again,
        }

    def _made(self, run: ArmRun, editor: str, budget: float | None, settings: Mapping[str, Any]) -> Plan:
        suite = self.suite(run)
        judging = None if run.judge == PIXELS else make_judging(suite, run.judge, **settings)
        return make_plan(
            suite,
            editor,
            out=run.folder,
            limit=run.evaluation.limit,
            seed=self._plan.seed,
            judging=judging,
            budget=budget,
        )


def judge_names(judges: Sequence[str]) -> dict[str, str]:
    """The name of each judge: its spec without the address of its server, and a number if two are alike.

    >>> list(judge_names(["openai:qwen?base_url=http://127.0.0.1:8000/v1&temperature=0", "openai:gpt-5"]).values())
    ['openai:qwen?temperature=0', 'openai:gpt-5']
    """
    names: dict[str, str] = {}
    for spec in judges or (PIXELS,):
        name = re.sub(r"(?<=[?&])(base_url|key_env)=[^&]*&?", "", spec).rstrip("?&")
        alike = sum(folder_name(name) == folder_name(other.partition(" #")[0]) for other in names.values())
        names[spec] = f"{name} #{alike + 1}" if alike else name
    return names


def _decides(evaluation: ArmEvaluation, arm: str) -> tuple[Any, ...]:
    one = evaluation
    return (one.spec_for(arm), one.data, one.limit, one.samples, one.missing, one.accounting)
