"""A reward as a plain function: lists of pictures go in, a list of numbers comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, Literal, Self

from editscope.cases import Case
from editscope.errors import BadImage, BadInput, Stopped
from editscope.images import ImageLike, Pixels, load, split_batch
from editscope.scoring.batch import Batch
from editscope.suites import Suite
from editscope.training.data.examples import EditExample
from editscope.training.rewards.base import Reward, RewardValue, Rollout
from editscope.training.rewards.problems import Problems, example_of
from editscope.training.rewards.summed import RewardSum

Missing = Literal["nan", "raise"]
_NO_PICTURE = "the output cannot be used as a picture"


class RewardFunction:
    """A reward, or a weighted sum of several, that any trainer can call.

    ``low`` and ``high`` are the ends of its scale. It may be called from several threads.
    """

    def __init__(self, total: RewardSum, problems: Problems, missing: Missing | float = "nan") -> None:
        self.sum = total
        self.problems = problems
        self.missing = missing
        self.__name__ = "+".join(total.on)
        """What trainers call it in their logs."""

    @property
    def low(self) -> float:
        """The lower end of the scale."""
        return self.sum.low

    @property
    def high(self) -> float:
        """The upper end of the scale."""
        return self.sum.high

    def __call__(
        self,
        outputs: Batch,
        *,
        sources: Sequence[Any] | None = None,
        answers: Sequence[ImageLike | None] | None = None,
        instructions: Sequence[str] | None = None,
        plans: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
        suites: Sequence[str] | None = None,
        variants: Sequence[str] | None = None,
        cases: Sequence[Case] | None = None,
    ) -> list[float]:
        """The reward of each output.

        Outputs and answers are what ``score_batch`` takes: a list of pictures, or an array of four axes. The problem of
        an output is given by ``cases``, by ``ids`` of the suite that the function was made with, or by ``sources``
        (one picture or a list of pictures each), ``answers`` and ``instructions``, as far as the reward needs them.
        ``plans`` are what the model wrote before it edited.

        A missing reward is NaN, raises Stopped, or is the number that ``missing`` gives.
        """
        given = {"sources": sources, "answers": answers, "instructions": instructions, "plans": plans, "ids": ids}
        values = self.values(outputs, **given, suites=suites, variants=variants, cases=cases)
        return [self.number(value) for value in values]

    def values(self, outputs: Batch, **given: Any) -> list[RewardValue]:
        """The same as records: each has a number, or a status and the reason why there is none."""
        return self.sum.total(self.parts(outputs, **given))

    def parts(self, outputs: Batch, **given: Any) -> dict[str, list[RewardValue]]:
        """The values of each reward of the sum, neither weighted nor summed."""
        rollouts = self.rollouts(outputs, **given)
        there = [rollout for rollout in rollouts if isinstance(rollout, Rollout)]
        scored = self.sum.parts(there) if there else {key: [] for key in self.sum.on}
        merged: dict[str, list[RewardValue]] = {}
        for name, values in scored.items():
            rest = iter(values)
            merged[name] = [next(rest) if isinstance(one, Rollout) else one for one in rollouts]
        return merged

    def rollouts(self, outputs: Batch, **given: Any) -> list[Rollout | RewardValue]:
        """The rollouts, each with its example; instead of an output that is not a picture, why it has no reward."""
        pictures, layout = split_batch(outputs, "outputs", None)
        columns = {name: _column(name, values, len(pictures)) for name, values in given.items() if values is not None}
        rollouts: list[Rollout | RewardValue] = []
        checked: set[int] = set()
        for number, picture in enumerate(pictures):
            row = {name: values[number] for name, values in columns.items()}
            example = self._example(number, row)
            if id(example) not in checked:  # the outputs of a group share their problem
                self.sum.check(example)
                checked.add(id(example))
            try:
                pixels = load(picture, name=f"output {number}", layout=layout)
            except BadImage as error:
                rollouts.append(RewardValue(None, "no_output", f"{_NO_PICTURE}: {error}"))
                continue
            rollouts.append(Rollout(example, pixels, str(row.get("plans") or "")))
        return rollouts

    def number(self, value: RewardValue) -> float:
        """The number that a trainer gets for a value."""
        if value.value is not None:
            return value.value
        if self.missing == "raise":
            raise Stopped(f"the reward {self.__name__} has no value ({value.status}: {value.reason})")
        return nan if self.missing == "nan" else float(self.missing)

    def prepare(self) -> None:
        """Raise BadInput if a judge cannot be asked, before anything is sampled."""
        self.sum.prepare()

    def close(self) -> None:
        """Release judges and connections."""
        self.sum.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _example(self, number: int, row: Mapping[str, Any]) -> EditExample:
        if (case := row.get("cases")) is not None:
            return example_of(case, str(row.get("variants") or ""))
        if (case_id := row.get("ids")) is not None:
            return self.problems.example(str(case_id), str(row.get("suites") or ""), str(row.get("variants") or ""))
        source = row.get("sources")
        if source is None:
            raise BadInput(
                f"output {number} has no source; give sources=[…], one for each output, or ids=[…] of a suite"
            )
        answer = row.get("answers")
        instruction = str(row.get("instructions") or "")
        name = f"output {number}"
        return EditExample(
            name,
            "the call",
            _pictures(source, f"the source of {name}"),
            instruction,
            None if answer is None else load(answer, name=f"the answer of {name}"),
        )


def reward_function(
    rewards: str | Reward | Sequence[str | Reward] | Mapping[str, str | Reward],
    *,
    weights: Mapping[str, float] | Sequence[float] | None = None,
    suite: str | Suite | Sequence[str | Suite] = (),
    missing: Missing | float = "nan",
) -> RewardFunction:
    """A function that gives outputs their reward: ``reward("miou")(outputs, sources=…, answers=…)``.

    ``rewards`` is the spec of a reward, such as ``"causal?judge=openai:MODEL"``, or several, whose values are summed
    with ``weights``. With ``suite`` you name problems by ``ids`` and need no sources and answers. ``missing`` says what
    stands for a reward that nobody could give: "nan", "raise", or a number.

    >>> import numpy as np
    >>> before = np.zeros((4, 4, 3), np.uint8)
    >>> after = before.copy(); after[0] = 255
    >>> reward_function("miou")([before, after], sources=[before, before], answers=[after, after])
    [0.0, 1.0]
    """
    if isinstance(missing, str):
        if missing not in ("nan", "raise"):
            raise BadInput(f"missing is {missing!r}; write 'nan', 'raise', or a number")
    elif isinstance(missing, bool) or not isinstance(missing, int | float):
        raise BadInput(f"missing is {missing!r}; write 'nan', 'raise', or a number")
    several = [rewards] if isinstance(rewards, str | Reward) else rewards
    suites = [suite] if isinstance(suite, str | Suite) else suite
    return RewardFunction(RewardSum(several, weights), Problems(suites), missing)


def scores_of(parts: Mapping[str, Sequence[RewardValue]], function: RewardFunction) -> dict[str, list[float]]:
    """The numbers of each part, and under "avg" their weighted sum, as flow_grpo names it."""
    numbers = {name: [function.number(value) for value in values] for name, values in parts.items()}
    return {**numbers, "avg": [function.number(value) for value in function.sum.total(parts)]}


def _column(name: str, values: Any, count: int) -> Sequence[Any]:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        raise BadInput(f"{name} is {type(values).__name__}; give a list with one entry for each of the {count} outputs")
    if len(values) != count:
        raise BadInput(f"there are {len(values)} {name} for {count} outputs; give one for each")
    return values  # type: ignore[no-any-return]


def _pictures(source: Any, name: str) -> tuple[Pixels, ...]:
    if isinstance(source, list | tuple):
        if not source:
            raise BadInput(f"{name} is an empty list; give at least one picture")
        return tuple(load(picture, name=name) for picture in source)
    return (load(source, name=name),)
