"""Rewards that a judge gives: sound reasoning, a faithful edit, a cause that can be told from the result."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Literal

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.judges import Call, Judge, Picture, Verdict
from editscope.judges.prompts.packs import FOLDER, PromptPack, load_pack
from editscope.runs.judging.settings import Limits
from editscope.scoring.rubrics.combining import combine
from editscope.scoring.rubrics.pictures import PictureFormat, pixels_picture
from editscope.training.data.examples import EditExample
from editscope.training.rewards.asking import RewardJudge
from editscope.training.rewards.base import Reward, RewardValue, Rollout
from editscope.transport.forecast import PaidCalls

PACK = "rewards"
MOST = 10
"""The best mark of our prompts; the worst is 0."""
SIDE = 1024
"""The longer side of pictures that a judge sees, at most."""
_WORD = re.compile(r"\w+")


@dataclass(eq=False)
class JudgedReward(Reward):
    """A reward that a judge gives.

    ``judge`` is a spec or a judge, asked ``samples`` times about each rollout. ``cache`` is a folder, or "off";
    without it verdicts are kept in the cache that runs share. ``budget`` is in dollars, ``prompts`` a folder with your
    own wording.
    """

    judge: str | Judge = ""
    samples: int = 1
    cache: str = ""
    prompts: str = ""
    retries: int | None = None
    timeout: float | None = None
    concurrency: int | None = None
    budget: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.judge, str) and not self.judge:
            raise BadInput(
                f"reward {self.name} names no judge; write {self.name}?judge=openai:MODEL, or the spec of another judge"
            )
        if self.samples < 1:
            raise BadInput(
                f"reward {self.name}, option samples: must be a whole number of at least 1, not {self.samples}"
            )
        self._check_prompts()
        limits = Limits(
            concurrency=self.concurrency,
            judge_timeout=self.timeout,
            retries=self.retries,
            max_cost=self.budget,
            cache=self.cache,
        )
        self.asker = RewardJudge.shared(self.judge, limits)

    def _check_prompts(self) -> None:
        _ = self.pack

    @cached_property
    def pack(self) -> PromptPack:
        """The prompts that it asks with."""
        return load_pack(PACK, self.prompts or None, Path(__file__).with_name(FOLDER))

    def check(self, example: EditExample) -> None:
        """Raise BadInput for an example without an instruction: a judge could not compare anything with it."""
        if not example.instruction.strip():
            raise BadInput(
                f"example {example.id!r} of {example.part!r} has no instruction, which the reward {self.name} needs"
            )

    def prepare(self) -> None:
        """Raise BadInput if the judge cannot be asked. Costs nothing."""
        self.asker.check()

    def calls(self, rollout: Rollout) -> Sequence[Call]:
        """The questions about a rollout, as far as they are known before answers come."""
        return ()

    def forecast(self, rollout: Rollout) -> tuple[PaidCalls, ...]:
        """What the questions about a rollout cost."""
        judge = self.asker.judge
        return (judge.paid_calls(judge.estimate(self.calls(rollout), self.samples)),)

    def close(self) -> None:
        """Release the judge."""
        self.asker.release()

    def ask(self, calls: Sequence[Call]) -> list[list[Verdict]]:
        """The verdicts on each call; verdicts in the cache are not asked for again."""
        return self.asker.ask(calls, self.samples)


@dataclass(eq=False)
class OneCallReward(JudgedReward):
    """A reward of one question about each rollout."""

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The value that the judge gives each rollout."""
        calls = [self.call(rollout) for rollout in rollouts]
        answers = iter(self.ask([call for call in calls if isinstance(call, Call)]))
        return [call if isinstance(call, RewardValue) else self.read(next(answers)) for call in calls]

    def calls(self, rollout: Rollout) -> Sequence[Call]:
        """The question, if there is one."""
        call = self.call(rollout)
        return [call] if isinstance(call, Call) else []

    @abstractmethod
    def call(self, rollout: Rollout) -> Call | RewardValue:
        """The question about a rollout; the reward itself if there is nothing to ask."""

    @abstractmethod
    def read(self, verdicts: Sequence[Verdict]) -> RewardValue:
        """The value of the verdicts on one rollout."""


@dataclass(eq=False)
class ReasonReward(OneCallReward):
    """Whether the plan that a model wrote before its edit is sound, by a judge that sees source, instruction and plan.

    A rollout without a plan gets 0, and nobody is asked.
    """

    name: ClassVar[str] = "reason"
    needs_plan: ClassVar[bool] = True

    def call(self, rollout: Rollout) -> Call | RewardValue:
        """The question about the plan."""
        if not rollout.plan.strip():
            return RewardValue(0.0, reason="the model wrote no plan")
        words = {"instruction": rollout.example.instruction, "plan": rollout.plan.strip()}
        return self.pack.call("reason", "reason", _shown(rollout, edit=False), words)

    def read(self, verdicts: Sequence[Verdict]) -> RewardValue:
        """The mark, scaled to 0..1."""
        return marked(verdicts, "score")


@dataclass(eq=False)
class FidelityReward(OneCallReward):
    """Whether an edit does what its instruction says and leaves the rest, by a judge that gives a mark for each.

    ``combine`` says how the two marks become one: their geometric mean, so that an edit that fails one of them gets 0
    (an unchanged picture is perfectly consistent), or their arithmetic mean.
    """

    name: ClassVar[str] = "fidelity"
    combine: Literal["geometric", "mean"] = "geometric"

    def call(self, rollout: Rollout) -> Call | RewardValue:
        """The question about the edit."""
        return self.pack.call("fidelity", "fidelity", _shown(rollout), {"instruction": rollout.example.instruction})

    def read(self, verdicts: Sequence[Verdict]) -> RewardValue:
        """The mean of adherence and consistency, scaled to 0..1."""
        adherence, consistency = marked(verdicts, "adherence"), marked(verdicts, "consistency")
        if adherence.value is None or consistency.value is None:
            return adherence if adherence.value is None else consistency
        both = (adherence.value, consistency.value)
        value = (both[0] * both[1]) ** 0.5 if self.combine == "geometric" else sum(both) / 2
        return RewardValue(value, reason=f"adherence {both[0]:g}, consistency {both[1]:g}: {adherence.reason}")


@dataclass(eq=False)
class CausalReward(JudgedReward):
    """Whether the cause can be told from the result: a judge that sees only source and edit names the cause.

    The reward is how similar that cause is to the instruction: as the judge says, or with ``similarity=words`` by the
    words that both share, for which nobody is asked.
    """

    name: ClassVar[str] = "causal"
    similarity: Literal["judge", "words"] = "judge"

    def calls(self, rollout: Rollout) -> Sequence[Call]:
        """The cause, and how similar it is; the instruction stands in for the cause, which is not known yet."""
        text = rollout.example.instruction
        similar = self.pack.call("similarity", "similarity", {}, {"cause": text, "instruction": text})
        cause = self.pack.call("cause", "cause", _shown(rollout))
        return [cause] if self.similarity == "words" else [cause, similar]

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The causes first, all at once; then their similarity to the instructions."""
        named = self.ask([self.pack.call("cause", "cause", _shown(rollout)) for rollout in rollouts])
        causes = [
            [str(verdict.values["cause"]) for verdict in verdicts if verdict.status == "ok"] for verdicts in named
        ]
        texts = [rollout.example.instruction for rollout in rollouts]
        if self.similarity == "words":
            similar = [
                [word_overlap(cause, text) for cause in given] for given, text in zip(causes, texts, strict=True)
            ]
            return [_mean(one, given, verdicts) for one, given, verdicts in zip(similar, causes, named, strict=True)]
        pairs = [(cause, text) for given, text in zip(causes, texts, strict=True) for cause in given]
        calls = [
            self.pack.call("similarity", "similarity", {}, {"cause": cause, "instruction": text})
            for cause, text in pairs
        ]
        answers = iter(self.ask(calls))
        values = []
        for given, verdicts in zip(causes, named, strict=True):
            marks = [marked(next(answers), "score") for _ in given]
            lost = next((mark for mark in marks if mark.value is None), None)
            values.append(lost or _mean([mark.value for mark in marks if mark.value is not None], given, verdicts))
        return values


def marked(verdicts: Sequence[Verdict], field: str) -> RewardValue:
    """The mean of a mark of 0 to 10, scaled to 0..1; no value, and why, if no verdict has one.

    >>> marked([Verdict("ok", {"score": 7}, "one step is vague")], "score")
    RewardValue(value=0.7, status='ok', reason='one step is vague')
    >>> marked([Verdict("unparsed", reason="the reply is empty")], "score")
    RewardValue(value=None, status='unparsed', reason='the reply is empty')
    """
    combined = combine(verdicts, field)
    if combined.value is None:
        return no_verdict(verdicts)
    reason = next((verdict.reason for verdict in verdicts if verdict.status == "ok"), "")
    return RewardValue(combined.value / MOST, reason=reason)


def no_verdict(verdicts: Sequence[Verdict]) -> RewardValue:
    """The value of a rollout that was not judged: None, with status and reason of the first verdict that failed."""
    lost = next((verdict for verdict in verdicts if verdict.status != "ok"), None)
    return RewardValue(None, lost.status, lost.reason) if lost else RewardValue(None, "error", "no judge was called")


def word_overlap(first: str, second: str) -> float:
    """The F1 score of the words of two sentences: 2 · shared / (words of both); 1.0 for the same words in any order.

    >>> word_overlap("Paint the door blue.", "paint the DOOR blue"), word_overlap("Let it rot.", "Paint the door.")
    (1.0, 0.0)
    >>> word_overlap("Paint the door.", "Paint the window.")
    0.6666666666666666
    """
    one, other = (_WORD.findall(text.casefold()) for text in (first, second))
    left = list(other)
    shared = 0
    for word in one:
        if word in left:
            left.remove(word)
            shared += 1
    return 2 * shared / (len(one) + len(other)) if one or other else 1.0


def _mean(values: Sequence[float], causes: Sequence[str], named: Sequence[Verdict]) -> RewardValue:
    if not values:
        return no_verdict(named)
    return RewardValue(sum(values) / len(values), reason=f"named cause: {' / '.join(causes)}")


def _shown(rollout: Rollout, *, edit: bool = True) -> Mapping[str, Sequence[Picture]]:
    """The pictures of a rollout as a judge sees them."""
    pictures = {"source": tuple(map(_picture, rollout.example.pictures))}
    return {**pictures, "edit": (_picture(rollout.picture),)} if edit else pictures


def _picture(pixels: Pixels) -> Picture:
    return pixels_picture(pixels, PictureFormat(SIDE))
