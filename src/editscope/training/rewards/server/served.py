"""The rewards and suites of a reward server: read from a command line, checked before it listens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from editscope.errors import BadInput, unknown
from editscope.python_class import KIND, find_object
from editscope.suites import Suite, load_suite
from editscope.suites.benchmark import Benchmark
from editscope.suites.registry import known_benchmark, suite_names
from editscope.training.rewards.base import Reward
from editscope.training.rewards.pixels import Miou
from editscope.training.rewards.problems import Problems
from editscope.training.rewards.registry import REMOTE, RUBRIC, load_reward, part_name, reward_names
from editscope.training.rewards.rubric import RubricReward
from editscope.training.rewards.server.serve import ServedReward
from editscope.training.rewards.summed import RewardSum


def served_reward(
    what: Sequence[str],
    *,
    suites: Sequence[str] = (),
    data: Path | None = None,
    judge: str = "",
    weights: Sequence[float] | None = None,
) -> ServedReward:
    """The rewards and suites that ``what`` names.

    A word is the spec of a reward, or a suite, which stands for its problems and their reward: mIoU if
    pixels score, otherwise its protocol with ``judge``. ``suites`` are served as well; ``data`` is the folder of the
    suite.
    """
    named = [word for word in what if not _is_reward(word)]
    if data is not None and len(named) + len(suites) != 1:
        raise BadInput("--data is the folder of one suite; name one, and give the others as a folder with a suite.toml")
    for word in (*named, *suites):
        plain = word.partition("?")[0]
        if known_benchmark(plain) is None and not Path(plain).exists() and data is None:
            raise unknown("suite or reward", plain, (*suite_names(), *reward_names()))
    loaded = {word: load_suite(word, **({} if data is None else {"root": data})) for word in (*named, *suites)}
    if len(loaded) < len(named) + len(suites):
        raise BadInput("a suite is named twice; name it once")
    rewards: dict[str, Reward] = {}
    for word in what:
        reward = load_reward(word) if word not in loaded else suite_reward(loaded[word], judge)
        name = part_name(reward)
        if name in rewards:
            raise BadInput(f"the reward {name} is named twice; name it once")
        rewards[name] = reward
    if judge and not any(isinstance(reward, RubricReward) and not reward.spec for reward in rewards.values()):
        raise BadInput("--judge is for a suite that a judge scores; write a reward's judge into its spec: ?judge=SPEC")
    return ServedReward(RewardSum(rewards, weights), Problems(list(loaded.values())))


def suite_reward(suite: Suite, judge: str = "") -> Reward:
    """The reward that goes with the problems of a suite."""
    if suite.scoring == "pixels":
        if judge:
            raise BadInput(f"the suite {suite.name} is scored by pixels and needs no judge; leave --judge out")
        return Miou()
    if not suite.default_protocol:
        raise BadInput(f"suite {suite.name} has no protocol of its own; name a reward, such as fidelity?judge=SPEC")
    if not judge:
        raise BadInput(f"the suite {suite.name} is scored by a judge; choose one with --judge, such as openai:gpt-4o")
    options = {**suite.rubric_options, **suite.protocol_options}
    return RubricReward(judge=judge, protocol=suite.default_protocol, options=options)


def describe(served: ServedReward) -> list[str]:
    """What is served, one sentence for each line."""
    total = served.reward
    parts = [f"{name}" + ("" if total.weights[name] == 1 else f" × {total.weights[name]:g}") for name in total.on]
    lines = [f"rewards: {' + '.join(parts)}, from {total.low:g} to {total.high:g}"]
    counts = [f"problems: {len(suite):,} of {name}" for name, suite in served.problems.suites.items()]
    return [*lines, *(counts or ["problems: none; requests bring their pictures"])]


def first_problem(served: ServedReward) -> None:
    """Make one problem of each suite, so that flaws show and code is compiled before the first request."""
    for suite in dict.fromkeys(served.problems.suites.values()):
        suite.check()
        if suite.ids:
            example = served.problems.example(suite.ids[0], suite.name)
            served.reward.check(example)


def _is_reward(word: str) -> bool:
    kind = word.partition("?")[0].partition(":")[0]
    return kind in (*reward_names(), RUBRIC, *REMOTE) or (kind == KIND and ".py" not in word and not _is_suite(word))


def _is_suite(word: str) -> bool:
    return isinstance(find_object("reward", word.partition("?")[0].removeprefix(f"{KIND}:")), Benchmark)
