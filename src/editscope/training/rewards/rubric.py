"""Rewards by the rubric of any benchmark: its questions about a rollout, and its scale as 0..1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from editscope.cases import NOTHING, Case, Instruction
from editscope.errors import BadInput, EditscopeError
from editscope.images import Pixels, load
from editscope.judges import Call, Verdict
from editscope.outside import one_line
from editscope.plugins import one_sentence
from editscope.runs.judging.unit_verdicts import gravest
from editscope.scoring.rubrics import Measure, Rubric, ScoreRow, Unit
from editscope.suites.rubrics import load_rubric
from editscope.training.data.examples import EditExample
from editscope.training.rewards.base import RewardValue, Rollout
from editscope.training.rewards.judged import JudgedReward, no_verdict


@dataclass(frozen=True, eq=False)
class JudgedRollout:
    """The questions about one rollout."""

    case: Case
    unit: Unit
    calls: tuple[Call, ...]
    pixels: Mapping[str, float | None]


@dataclass(eq=False)
class RubricReward(JudgedReward):
    """One measure of a benchmark's protocol, its headline unless ``measure`` names another, scaled to 0..1.

    The worst mark of the measure is 0 and the best is 1. An example with a case is judged as in a run; for any other, a
    case is made, which is enough for protocols that need only pictures and an instruction. If a verdict is missing
    that the measure depends on, there is no value. ``options`` are those of the protocol.
    """

    name: ClassVar[str] = "rubric"
    protocol: str = ""
    measure: str = ""
    options: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def _check_prompts(self) -> None:
        self.rubric: Rubric = load_rubric(self.protocol, **self.options)
        with one_sentence(f"protocol {self.rubric.name}: prompts failed"):
            self.asked_with = self.rubric.prompts(self.prompts or None)
        self._measure: Measure = self.rubric.measure(self.measure or self.rubric.headline)

    def check(self, example: EditExample) -> None:
        """Raise BadInput for an example that the protocol cannot judge, or has nothing to ask about."""
        super().check(example)
        self._prepared(example, example.pictures[0], "")

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The value of the verdicts on each rollout, by the protocol."""
        prepared = [self._tried(rollout) for rollout in rollouts]
        calls = [call for one in prepared if isinstance(one, JudgedRollout) for call in one.calls]
        answers = iter(self.ask(calls))
        return [
            one if isinstance(one, RewardValue) else self._value(one, {call.key: next(answers) for call in one.calls})
            for one in prepared
        ]

    def calls(self, rollout: Rollout) -> Sequence[Call]:
        """The questions of the protocol."""
        return self._prepared(rollout.example, rollout.picture, rollout.plan).calls

    def _tried(self, rollout: Rollout) -> JudgedRollout | RewardValue:
        try:
            return self._prepared(rollout.example, rollout.picture, rollout.plan)
        except EditscopeError as error:
            return RewardValue(None, "error", str(error))

    def _prepared(self, example: EditExample, picture: Pixels, plan: str) -> JudgedRollout:
        case = example.case or _made(example, self.rubric.name)
        where = f"protocol {self.rubric.name}, example {example.id!r}"
        with one_sentence(f"{where}: its calls failed"):
            variant = _variant(case, example)
            unit = next((unit for unit in self.rubric.units(case) if variant in unit.variants), None)
            if unit is None or len(unit.variants) > 1:
                raise BadInput(
                    f"{where}: it judges several edits of a case together, so it cannot score a single rollout; choose "
                    "another reward"
                )
            edits = {variant: picture}
            calls = self.rubric.calls_about(case, unit, edits, {variant: plan} if plan else {}, self.asked_with)
            loaded = _with_pixels(case)
            return JudgedRollout(case, unit, calls, self.rubric.from_pixels(loaded, unit, edits))

    def _value(self, asked: JudgedRollout, verdicts: Mapping[str, list[Verdict]]) -> RewardValue:
        try:
            rows = self.rubric.rows(asked.case, asked.unit, verdicts, asked.pixels)
        except Exception as error:  # a rubric of another package may do anything
            return RewardValue(None, "error", f"protocol {self.rubric.name}: rows failed ({one_line(error)})")
        return measured(rows, self._measure, [verdict for given in verdicts.values() for verdict in given])


def measured(rows: Sequence[ScoreRow], measure: Measure, verdicts: Sequence[Verdict]) -> RewardValue:
    """A measure of a unit as 0..1, its worst mark 0; no value if a verdict is missing that it depends on.

    >>> vq = Measure("vq", ("vq",), "Visual quality", worst=1, best=5)
    >>> measured([ScoreRow("vq", 4)], vq, []).value
    0.75
    >>> measured([ScoreRow("vq", None, "refused")], vq, [Verdict("refused", reason="no")])
    RewardValue(value=None, status='refused', reason='no')
    """
    own = [row for row in rows if row.metric in measure.metrics]
    if any(row.value is None or row.low is not None for row in own):
        lost = no_verdict(verdicts)
        status = gravest(own)
        return lost if status in ("ok", lost.status) else RewardValue(None, status, lost.reason)
    values = [row.value for row in own if row.value is not None]
    if not values:
        return RewardValue(None, "error", f"the protocol has no {measure.name} for this case")
    share = (sum(values) / len(values) - measure.worst) / (measure.best - measure.worst)
    reason = next((verdict.reason for verdict in verdicts if verdict.reason), "")
    return RewardValue(min(1.0, max(0.0, share)), reason=reason)


@dataclass(eq=False)
class RegionsReward(RubricReward):
    """The share of the questions about a case's regions that are answered as they should be.

    The questions are shown and asked as their benchmark does; ``options`` are those of its protocol.
    """

    name: ClassVar[str] = "regions"
    protocol: str = "picabench"
    measure: str = "accuracy_by_case"

    def check(self, example: EditExample) -> None:
        """Raise BadInput for an example without questions."""
        if example.case is None or not example.case.questions:
            raise BadInput(
                f"example {example.id!r} of {example.part!r} has no questions about regions, which the reward "
                f"{self.name} asks; train on cases with questions"
            )
        super().check(example)


def _variant(case: Case, example: EditExample) -> str:
    """Which edit of its case a rollout of an example is: by the instruction, else by its level."""
    for same in (
        [one for one in case.instructions if one.text == example.instruction],
        [one for one in case.instructions if one.level == example.level],
        list(case.instructions) if len(case.instructions) == 1 else [],
    ):
        if same:
            return same[0].variant
    levels = ", ".join(one.variant or one.level for one in case.instructions)
    raise BadInput(
        f"example {example.id!r} has the level {example.level!r}, which case {case.id!r} does not have ({levels})"
    )


def _made(example: EditExample, suite: str) -> Case:
    """A case made of an example."""
    return Case(
        example.id,
        suite,
        example.pictures,
        (Instruction(example.instruction, example.level),),
        example.tags,
        answer=example.answer,
        details=example.tags,
    )


def _with_pixels(case: Case) -> Case:
    from dataclasses import replace

    return replace(case, images=tuple(load(image) for image in case.images))
