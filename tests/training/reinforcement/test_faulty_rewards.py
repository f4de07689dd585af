"""A reward whose own code fails stops the run at once; one that cannot be reached is waited for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editscope.errors import Stopped
from editscope.training.reinforcement.reward_mix import JudgeDown, JudgePatience, RewardFault
from editscope.training.reinforcement.round_log import round_in_words
from editscope.training.rewards.base import Reward, RewardValue
from support.training.simple_rewards import FileCheckpoints, brightness
from support.training.small_runs import mixed, small_run, small_settings


class Raising(Reward):
    """Raises an error in each call."""

    name = "raising"

    def __init__(self, error: Exception, cause: Exception | None = None) -> None:
        self._error, self._cause = error, cause

    def score(self, rollouts: Any) -> list[RewardValue]:
        raise self._error from self._cause


class Giving(Reward):
    """Gives what is no list of values."""

    name = "giving"

    def __init__(self, given: Any) -> None:
        self._given = given

    def score(self, rollouts: Any) -> Any:
        return self._given(rollouts)


def never(seconds: float) -> None:
    pytest.fail("it waited")


@pytest.mark.parametrize(
    ("reward", "sentence"),
    [
        (Raising(RuntimeError("boom")), "RuntimeError: boom"),
        (Raising(KeyError("score")), "KeyError: 'score'"),
        (Giving(lambda rollouts: [RewardValue(1.0)]), "gave 1 values for 16 rollouts; return one for each"),
        (Giving(lambda rollouts: [0.5 for _ in rollouts]), "not an editscope.RewardValue"),
    ],
)
def test_a_fault_of_the_reward_itself_stops_at_once_with_its_name_and_a_checkpoint(
    reward: Reward, sentence: str, tmp_path: Path
) -> None:
    places = FileCheckpoints(tmp_path)
    with pytest.raises(RewardFault, match=rf"^the reward 'mine' gave no value at all: .*{sentence}.*fault") as stop:
        small_run(
            small_settings(rounds=2),
            rewards=mixed({"mine": reward}, patience=JudgePatience(sleep=never)),
            checkpoints=places,
        )
    assert isinstance(stop.value, Stopped), "the command line exits with 3"
    assert places.steps == [0]


class ApiError(Exception):
    """As a client of a service has it."""


@pytest.mark.parametrize(
    "reward",
    [
        Raising(ConnectionRefusedError("refused")),
        Raising(TimeoutError("late")),
        Raising(ApiError("503")),
        Raising(RuntimeError("no reply"), ConnectionResetError("reset")),
    ],
)
def test_a_service_that_cannot_be_reached_is_waited_for(reward: Reward) -> None:
    pauses: list[float] = []
    with pytest.raises(JudgeDown):
        small_run(
            small_settings(rounds=1),
            rewards=mixed({"mine": reward}, patience=JudgePatience(1.0, 3.0, sleep=pauses.append)),
        )
    assert pauses == [1.0, 2.0]


def test_a_fault_that_costs_some_edits_their_value_stops_nothing() -> None:
    def given(rollouts: Any) -> list[Any]:
        return [None if place == 0 else RewardValue(brightness(one)) for place, one in enumerate(rollouts)]

    _, history = small_run(small_settings(rounds=1), rewards=mixed({"mine": Giving(given)}))
    assert history[0]["groups/without_verdict"] == 1


def test_the_line_of_a_round_says_how_many_verdicts_were_lost() -> None:
    metrics = {"reward/total": 0.5, "pictures": 12.0, "seconds/sample": 6.0}
    assert round_in_words(0, 4, metrics | {"groups/without_verdict": 1.0}) == (
        "round 1 of 4: reward 0.5000, 12 edits, 1 of 12 without a verdict, 2.00 pictures/s"
    )
    assert "verdict" not in round_in_words(0, 4, metrics | {"groups/without_verdict": 0.0})
