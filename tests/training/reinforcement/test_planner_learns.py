"""The planner writes plans, learns from chosen rewards, and the painter follows what it wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.errors import BadInput
from editscope.training.reinforcement.planner import Planner
from editscope.training.rewards.base import Rollout
from support.training.simple_rewards import ByFunction, FileCheckpoints, brightness
from support.training.small_runs import mixed, same_weights, small_run, small_settings, without_times
from support.training.tiny_flow import TinyFlow, tiny_examples
from support.training.tiny_planner import tiny_planner, tiny_seeing_planner

PLANNING = {"trains": "planner", "planner_rate": 3e-2, "planner_kl": 0.0, "steps": 2, "group_size": 12, "batch": 12}


def whiteness(rollout: Rollout) -> float:
    """The share of "white" among the words of a plan."""
    words = rollout.plan.split()
    return words.count("white") / max(1, len(words))


@pytest.mark.slow
def test_the_planner_learns_what_a_reward_of_texts_asks_for(tmp_path: Path) -> None:
    planner = tiny_planner(tmp_path)
    mix = mixed({"white": ByFunction(whiteness)})
    painter, history = small_run(small_settings(rounds=12, **PLANNING), rewards=mix, planner=planner)
    rewards = [row["reward/white"] for row in history]
    assert rewards[0] < 0.25
    assert rewards[-1] > 0.7
    assert same_weights(painter.network, TinyFlow().network), "a frozen painter stays as it is"
    _, repeated = small_run(small_settings(rounds=3, **PLANNING), rewards=mix, planner=tiny_planner(tmp_path))
    assert without_times(repeated) == without_times(history)[:3]


@pytest.mark.slow
def test_kl_holds_the_planner_near_its_reference(tmp_path: Path) -> None:
    mix = mixed({"white": ByFunction(whiteness)})
    held = small_run(
        small_settings(rounds=8, **{**PLANNING, "planner_kl": 2.0}), rewards=mix, planner=tiny_planner(tmp_path)
    )[1]
    free = small_run(small_settings(rounds=8, **PLANNING), rewards=mix, planner=tiny_planner(tmp_path))[1]
    assert held[-1]["reward/white"] < free[-1]["reward/white"] - 0.1


@pytest.mark.slow
def test_each_part_learns_from_its_own_rewards(tmp_path: Path) -> None:
    """Both parts learn: the planner from texts alone, the painter from pictures alone."""
    asked: list[str] = []
    painter = TinyFlow()
    condition = painter.condition

    def listening(instructions: Any, pictures: Any) -> Any:
        asked.extend(instructions)
        return condition(instructions, pictures)

    painter.condition = listening  # type: ignore[method-assign]
    mix = mixed({"white": ByFunction(whiteness), "bright": ByFunction(brightness)})
    settings = small_settings(
        rounds=15,
        trains="both",
        planner_rate=3e-2,
        planner_kl=0.0,
        group_size=12,
        batch=12,
        planner_rewards=("white",),
        painter_rewards=("bright",),
    )
    _, history = small_run(settings, painter, mix, planner=tiny_planner(tmp_path))
    assert history[-1]["reward/white"] > history[0]["reward/white"] + 0.2
    assert history[-1]["reward/bright"] > history[0]["reward/bright"] + 0.1
    instruction = tiny_examples(1)[0].instruction
    plans = {text.removeprefix(f"{instruction}\n\nPlan: ") for text in asked}
    assert len(plans) > 10, "every edit of a group has a plan of its own"


def test_the_first_step_of_the_planner_has_a_ratio_of_exactly_one(tmp_path: Path) -> None:
    mix = mixed({"white": ByFunction(whiteness)})
    settings = small_settings(rounds=1, **{**PLANNING, "batch": 5, "planner_kl": 0.1})
    _, history = small_run(settings, rewards=mix, planner=tiny_planner(tmp_path))
    assert history[0]["planner/ratio"] == 1.0
    assert history[0]["planner/kl"] == 0.0


def test_log_probabilities_of_plans_are_those_of_the_model(tmp_path: Path) -> None:
    planner = tiny_planner(tmp_path, temperature=0.5)
    plans = planner.write(tiny_examples(1)[0], 4, seed=3)
    prompt = plans.prompt["input_ids"]
    for row in range(4):
        count = int(plans.written[row].sum())
        tokens = torch.cat([prompt[0], plans.tokens[row, :count]])
        with torch.no_grad():
            logits = planner.network(input_ids=tokens[None]).logits[0].double() / 0.5
        logits[:, [0, 1, 3]] = -torch.inf  # <pad>, <s> and <unk> are never written
        expected = torch.log_softmax(logits, -1)[prompt.shape[1] - 1 : -1].gather(1, tokens[prompt.shape[1] :, None])
        torch.testing.assert_close(plans.log_probabilities[row, :count].double(), expected[:, 0], rtol=1e-4, atol=1e-5)
        assert not plans.log_probabilities[row, count:].any()


def test_plans_are_drawn_from_the_model_by_their_seed(tmp_path: Path) -> None:
    planner = tiny_planner(tmp_path)
    example = tiny_examples(1)[0]
    one, same, other = (planner.write(example, 6, seed) for seed in (1, 1, 2))
    assert one.texts == same.texts
    assert one.texts != other.texts
    assert len(set(one.texts)) > 1


@pytest.mark.slow
def test_a_planner_that_sees_pictures_is_trained_too(tmp_path: Path) -> None:
    planner = tiny_seeing_planner(tmp_path)
    first = tiny_examples(1)[0]
    plans = planner.write(first, 3, seed=0)
    assert plans.prompt["pixel_values"].any()
    blind = plans.prompt["pixel_values"].clone()
    plans.prompt["pixel_values"].mul_(0)
    with torch.no_grad():
        assert not torch.allclose(planner.log_probabilities(plans), plans.log_probabilities), "it sees the picture"
    plans.prompt["pixel_values"].copy_(blind)
    mix = mixed({"long": ByFunction(lambda rollout: float(len(rollout.plan)))})
    settings = small_settings(rounds=2, **{**PLANNING, "group_size": 4, "batch": 4, "planner_rate": 1e-3})
    _, history = small_run(settings, rewards=mix, planner=planner)
    assert history[0]["planner/ratio"] == 1.0
    assert history[1]["planner/gradient"] > 0


def test_a_frozen_planner_writes_one_plan_for_a_group(tmp_path: Path) -> None:
    planner = tiny_planner(tmp_path)
    before = {name: weight.clone() for name, weight in planner.network.state_dict().items()}
    plans: list[str] = []

    def noted(rollout: Rollout) -> float:
        plans.append(rollout.plan)
        return brightness(rollout)

    small_run(small_settings(rounds=1), rewards=mixed({"b": ByFunction(noted)}), planner=planner)
    assert len(set(plans[:8])) == 1
    assert plans[0]
    assert all(torch.equal(weight, before[name]) for name, weight in planner.network.state_dict().items())


@pytest.mark.slow
def test_painter_and_planner_resume_bit_for_bit(tmp_path: Path) -> None:
    options = {**PLANNING, "trains": "both", "planner_kl": 0.1, "kl": 0.1, "steps": 4}
    mix = mixed({"white": ByFunction(whiteness), "bright": ByFunction(brightness)})
    whole = tiny_planner(tmp_path)
    painter, history = small_run(small_settings(rounds=4, **options), rewards=mix, planner=whole)
    places = FileCheckpoints(tmp_path)
    small_run(small_settings(rounds=2, **options), rewards=mix, planner=tiny_planner(tmp_path), checkpoints=places)
    resumed: Planner = tiny_planner(tmp_path)
    other, after = small_run(small_settings(rounds=4, **options), rewards=mix, planner=resumed, checkpoints=places)
    assert without_times(after) == without_times(history)[2:]
    assert same_weights(painter.network, other.network)
    assert same_weights(whole.network, resumed.network)


def test_rewards_of_the_planner_must_exist_and_be_on(tmp_path: Path) -> None:
    planner = tiny_planner(tmp_path)
    parts = {"white": ByFunction(whiteness), "bright": ByFunction(brightness)}
    with pytest.raises(BadInput, match="planner_rewards: there is no reward 'reason'"):
        small_run(small_settings(**PLANNING, planner_rewards=("reason",)), rewards=mixed(parts), planner=planner)
    off = mixed(parts, off=["white"])
    with pytest.raises(BadInput, match="planner_rewards: white are all off"):
        small_run(small_settings(**PLANNING, planner_rewards=("white",)), rewards=off, planner=planner)
