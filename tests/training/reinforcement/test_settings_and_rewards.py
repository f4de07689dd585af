"""Settings that cannot work are refused with the reason; rewards add up as the settings say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from editscope.documents import read_toml
from editscope.errors import BadInput
from editscope.training.data.examples import EditExample
from editscope.training.reinforcement.advantages import group_advantages
from editscope.training.reinforcement.settings import PRESETS, ReinforcementSettings, read_settings
from editscope.training.rewards.base import Reward, RewardValue, Rollout
from support.training.simple_rewards import ByFunction, brightness
from support.training.small_runs import mixed, small_run, small_settings
from support.training.tiny_flow import TinyFlow, tiny_examples


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("group_size = 1", r"group_size: 1 gives no advantage, since an edit is compared with others of its group"),
        ("window = 10", r"window: 10 stochastic steps do not fit in the 9 steps from 0 to 9"),
        ("steps = 4\nwindow_to = 4", r"window_from, window_to: stochastic steps lie between 0 and 3, since the last"),
        ("noise = 0.0", r"noise: without noise a step has no log-probability"),
        ("steps = 1", r"steps: the last step is never stochastic, so GRPO needs at least 2 steps"),
        ("prompts = 0", r"prompts: 0 is too few; give at least 1"),
        ("rate = 0.0", r"rate: must be a number above 0, not 0.0"),
        ("kl = nan", r"kl: must be a number of at least 0, not nan"),
        ("height = 512", r"height, width: height = 512 is not enough; add width, or give neither"),
        ('preset = "flow-grpo-kontext"\nwidth = 128', r"height, width: width = 128 is not enough; add height"),
        ('method = "nft"\nguidance = 2.0', r"guidance: DiffusionNFT learns without guidance"),
        ('method = "nft"\nnft_times = 11', r"nft_times: 11 noise levels are more than the 10 steps of the sampler"),
        ("nft_beta = 0.0", r"nft_beta: 0.0 is not above 0 and at most 1"),
        ("nft_most_decay = 1.0", r"nft_most_decay: must be at least 0 and below 1, not 1.0; at 1 the old"),
        ('plan_joins = "{plan}"', r"plan_joins: '\{plan\}' must have \{instruction\} and \{plan\}"),
        ('planner_rewards = "reason"', r"planner_rewards: 'reason' is not a list of reward names"),
        ("planner_temperature = 0.0", r"planner_temperature: without temperature all plans of a group are equal"),
        (
            "groupsize = 8",
            r"there is no option 'groupsize' of run.toml, \[reinforcement\]; did you mean 'group_size'\?",
        ),
        ('group_size = "many"', r"option group_size: 'many' is not a whole number"),
        ('method = "ppo"', r"option method: 'ppo' is not one of grpo, nft"),
        ('preset = "flow"', r"preset: there is no preset 'flow' \(known: flow-grpo"),
    ],
)
def test_settings_that_cannot_work_are_refused_with_the_reason(table: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        read_settings(read_toml(table), "run.toml")


def test_a_refusal_names_the_file() -> None:
    with pytest.raises(BadInput, match=r"^run\.toml, \[reinforcement\] group_size: "):
        read_settings({"group_size": 1}, "run.toml")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_read(preset: str) -> None:
    settings = read_settings({"preset": preset, "rounds": 7})
    assert settings.rounds == 7
    assert settings.group_size >= 16


def test_defaults_are_those_of_flow_grpo() -> None:
    settings = ReinforcementSettings()
    assert (settings.steps, settings.noise, settings.group_size, settings.kl) == (10, 0.7, 24, 0.04)
    assert (settings.clip, settings.rate, settings.most_advantage) == (1e-4, 3e-4, 5.0)
    assert settings.window_size == 9


def test_sampling_at_another_resolution_than_training_is_refused() -> None:
    with pytest.raises(BadInput, match=r"edits of 16 × 16 pixels would be sampled of the 8 × 8 pixels of example e"):
        small_run(small_settings(height=16, width=16))
    small_run(small_settings(height=8, width=8, rounds=1, prompts=1))


def test_pictures_that_do_not_fit_the_family_are_refused() -> None:
    editor = TinyFlow()
    editor.multiple = 16
    with pytest.raises(BadInput, match="has 8 × 8 pixels; sides must be multiples of 16 for tiny"):
        small_run(small_settings(), editor)


def test_a_planner_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadInput, match='trains: "both" needs a planner'):
        small_run(small_settings(trains="both"))


def test_a_network_without_trained_weights_is_refused() -> None:
    editor = TinyFlow()
    editor.network.requires_grad_(False)
    with pytest.raises(BadInput, match="the painter has no trainable weights; add a LoRA"):
        small_run(small_settings(), editor)


def example() -> EditExample:
    return tiny_examples(1)[0]


def rollouts(*levels: int) -> list[Rollout]:
    return [Rollout(example(), np.full((8, 8, 3), level, np.uint8)) for level in levels]


def test_a_plain_sum_of_weighted_rewards_is_the_default() -> None:
    mix = mixed({"one": ByFunction(brightness), "ten": ByFunction(lambda r: 10 * brightness(r))}, {"ten": 0.5})
    values = mix.score(rollouts(0, 255, 51))
    assert mix.totals(values, 3) == [[0.0, pytest.approx(6.0), pytest.approx(1.2)]]
    assert mix.totals(values, 3, only=["one"]) == [[0.0, 1.0, pytest.approx(0.2)]]


def test_switching_a_reward_off_changes_only_it() -> None:
    parts = {"one": ByFunction(brightness), "two": ByFunction(lambda r: 2.0)}
    whole, without = mixed(parts), mixed(parts, off=["two"])
    made = rollouts(0, 255)
    assert whole.score(made)["one"] == without.score(made)["one"]
    assert without.totals(without.score(made), 2) == [[0.0, 1.0]]
    assert parts["two"].asked == 2, "a reward that is off is not asked"


def test_normalizing_brings_rewards_of_other_scales_together() -> None:
    parts = {"small": ByFunction(brightness), "large": ByFunction(lambda r: -1000 * brightness(r))}
    mix = mixed(parts, normalize=True)
    (totals,) = mix.totals(mix.score(rollouts(0, 100, 200)), 3)
    assert totals == [pytest.approx(0.0, abs=1e-9)] * 3


def test_an_edit_without_one_verdict_has_no_total_and_leaves_its_group_smaller() -> None:
    parts: dict[str, Reward] = {
        "all": ByFunction(brightness),
        "some": ByFunction(lambda r: None if r.picture.max() == 0 else 1.0),
    }
    mix = mixed(parts)
    totals = mix.totals(mix.score(rollouts(0, 51, 255)), 3)
    assert totals == [[None, pytest.approx(1.2), pytest.approx(2.0)]]
    (advantages,) = group_advantages(totals, "none")
    assert advantages == [None, pytest.approx(-0.4), pytest.approx(0.4)]


def test_advantages_are_normalized_in_the_group_in_the_round_or_not_at_all() -> None:
    groups: list[list[float | None]] = [[0.0, 2.0], [0.0, 20.0]]
    assert group_advantages(groups, "none", most=100) == [[-1.0, 1.0], [-10.0, 10.0]]
    near = pytest.approx
    assert group_advantages(groups, "group") == [[near(-1, rel=1e-3), near(1, rel=1e-3)]] * 2
    by_round = group_advantages(groups, "round", most=100)
    assert by_round[1][1] == near(10 * by_round[0][1])  # type: ignore[operator]
    assert group_advantages([[0.0, 100.0]], "none", most=5)[0] == [-5.0, 5.0]


def test_a_mixture_in_which_nothing_weighs_is_refused() -> None:
    with pytest.raises(BadInput, match="every weight is 0, so no edit is better than another"):
        mixed({"brightness": ByFunction(brightness)}, {"brightness": 0.0})


def test_a_reward_that_is_no_number_is_no_verdict() -> None:
    class Odd(Reward):
        name = "odd"

        def score(self, rollouts: Any) -> list[RewardValue]:
            return [RewardValue(float("nan")), RewardValue(1.0), RewardValue(None, "refused")]

    mix = mixed({"odd": Odd()})
    assert mix.totals(mix.score(rollouts(0, 0, 0)), 3) == [[None, 1.0, None]]
