"""GRPO and NFT raise a known reward, the same way each time; the KL term pulls back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from editscope.training.reinforcement.grpo import FlowGrpo, gaussian_kl
from editscope.training.reinforcement.learners import LossPart
from editscope.training.reinforcement.loop import ReinforcementRun
from editscope.training.reinforcement.nft import DiffusionNft, implicit_policies
from editscope.training.reinforcement.policies import LoraOff, reference_of
from editscope.training.weights import WeightCopy
from support.training.listed_examples import ListedExamples
from support.training.simple_rewards import ByFunction, brightness
from support.training.small_runs import (
    UNWATCHED,
    mixed,
    same_weights,
    small_run,
    small_settings,
    weights_of,
    without_times,
)
from support.training.tiny_flow import TinyFlow, brighter_examples, tiny_examples


@pytest.mark.slow
@pytest.mark.parametrize("method", ["grpo", "nft"])
def test_a_known_reward_rises_and_does_so_again(method: str) -> None:
    first, history = small_run(small_settings(method=method, rounds=14))
    rewards = [row["reward/brightness"] for row in history]
    assert rewards[0] < 0.5
    assert rewards[-1] > 0.8
    again, repeated = small_run(small_settings(method=method, rounds=14))
    assert same_weights(first.network, again.network)
    assert without_times(history) == without_times(repeated)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "rounds"), [("grpo", 14), ("nft", 18)])
def test_the_mean_iou_with_the_answer_rises_without_any_judge(method: str, rounds: int) -> None:
    editor = TinyFlow(loudness=0.1, spread=0.06)
    settings = small_settings(method=method, rounds=rounds, group_size=12, batch=12, nft_times=6)
    _, history = small_run(settings, editor, mixed({"miou": "miou?jobs=1"}), examples=brighter_examples())
    assert history[0]["reward/miou"] < 0.3
    assert history[-1]["reward/miou"] > history[0]["reward/miou"] + 0.2


@pytest.mark.slow
def test_a_window_of_stochastic_steps_learns_too() -> None:
    settings = small_settings(rounds=20, window=2, window_to=5)
    _, history = small_run(settings)
    assert history[-1]["reward/brightness"] > history[0]["reward/brightness"] + 0.2


@pytest.mark.slow
def test_kl_holds_the_policy_near_the_reference() -> None:
    free = small_run(small_settings(rounds=20))[1][-1]["reward/brightness"]
    held = small_run(small_settings(rounds=20, kl=1.0))[1][-1]["reward/brightness"]
    assert held < free - 0.2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["grpo", "nft"])
def test_kl_pulls_back_where_no_edit_is_better(method: str) -> None:
    editor = TinyFlow()
    mix = mixed({"constant": ByFunction(lambda rollout: 1.0)})
    settings = small_settings(method=method, kl=0.1, nft_kl=1.0, rounds=15, rate=2e-3, weight_decay=0.0)
    run = ReinforcementRun(editor, ListedExamples(tiny_examples(2)), mix, settings, monitors=UNWATCHED)
    with torch.no_grad():
        editor.network.last.bias.add_(0.5)  # type: ignore[union-attr]
    away = [run.round() for _ in range(15)]
    assert away[-1]["painter/kl"] < 0.2 * away[0]["painter/kl"]


class Peeking(FlowGrpo):
    """Keeps what each part of the loss said."""

    seen: list[LossPart]

    def losses(self, batch: Any, advantages: Any, salt: int) -> Iterator[LossPart]:
        for part in super().losses(batch, advantages, salt):
            self.seen.append(part)
            yield part


@pytest.mark.parametrize("options", [{}, {"batch": 3}, {"guidance": 2.0}, {"window": 2}])
def test_the_first_inner_step_has_a_ratio_of_exactly_one(options: dict[str, Any]) -> None:
    editor = TinyFlow()
    settings = small_settings(inner_epochs=2, clip=1.0, **options)
    mix = mixed({"brightness": ByFunction(brightness)})
    run = ReinforcementRun(editor, ListedExamples(tiny_examples(2)), mix, settings, monitors=UNWATCHED)
    peeking = Peeking(editor, torch.optim.AdamW(editor.network.parameters(), lr=3e-3), settings)
    peeking.seen = []
    run._painting = peeking
    run.round()
    ratios = [part.numbers["ratio"] / part.count for part in peeking.seen]
    half = len(ratios) // 2
    assert ratios[:half] == [1.0] * half
    assert any(ratio != 1.0 for ratio in ratios[half:]), "the second inner epoch sees other weights"


def test_small_batches_add_up_to_the_large_one() -> None:
    large = small_run(small_settings(rounds=1, batch=8))[0]
    small = small_run(small_settings(rounds=1, batch=3))[0]
    start = TinyFlow()
    for name, weight in weights_of(large.network).items():
        torch.testing.assert_close(small.network.state_dict()[name], weight, rtol=0, atol=2e-5)
    assert not same_weights(start.network, large.network)


def test_a_rollout_without_verdict_has_no_gradient() -> None:
    seen: list[float] = []

    def some(rollout: Any) -> float | None:
        seen.append(0.0)
        return None if len(seen) % 8 == 1 else brightness(rollout)

    editor, history = small_run(small_settings(rounds=1), rewards=mixed({"some": ByFunction(some)}))
    assert history[0]["groups/without_verdict"] == 2
    assert history[0]["groups/small"] == 0
    zero, _ = small_run(small_settings(rounds=1), rewards=mixed({"zero": ByFunction(lambda r: some(r) or 0.0)}))
    assert not same_weights(editor.network, zero.network), "it does not count as 0"


def test_groups_with_under_two_verdicts_are_counted_and_teach_nothing() -> None:
    seen: list[float] = []

    def one_of_eight(rollout: Any) -> float | None:
        seen.append(0.0)
        return 1.0 if len(seen) % 8 == 1 else None

    mix = mixed({"rare": ByFunction(one_of_eight)})
    editor, history = small_run(small_settings(rounds=2, kl=0.1), rewards=mix)
    assert [row["groups/small"] for row in history] == [2, 2]
    assert same_weights(editor.network, TinyFlow().network)
    assert "painter/loss" not in history[0]


def test_equal_rewards_teach_nothing_without_kl() -> None:
    mix = mixed({"constant": ByFunction(lambda rollout: 0.3)})
    editor, history = small_run(small_settings(rounds=2), rewards=mix)
    assert history[0]["groups/flat"] == 2
    assert same_weights(editor.network, TinyFlow().network)


def test_the_kl_of_a_step_is_that_of_two_gaussians() -> None:
    torch.manual_seed(1)
    one, other = torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 4)
    normal = torch.distributions.Normal
    expected = torch.distributions.kl_divergence(normal(one, 0.4), normal(other, 0.4)).mean(dim=(1, 2, 3))
    torch.testing.assert_close(gaussian_kl(one, other, 0.4), expected)


def test_the_implicit_policies_of_nft_mirror_each_other() -> None:
    new, old = torch.randn(3), torch.randn(3)
    positive, negative = implicit_policies(new, old, 0.3)
    torch.testing.assert_close((positive + negative) / 2, old)
    torch.testing.assert_close(positive, old + 0.3 * (new - old))


def test_the_old_policy_samples_and_follows() -> None:
    editor = TinyFlow()
    settings = small_settings(method="nft", nft_decay=0.25, nft_most_decay=0.5)
    learner = DiffusionNft(editor, torch.optim.AdamW(editor.network.parameters()), settings)
    before = weights_of(editor.network)["last.bias"]
    with torch.no_grad():
        editor.network.last.bias.add_(1.0)  # type: ignore[union-attr]
    with learner.sampling():
        assert torch.equal(editor.network.state_dict()["last.bias"], before)
    learner.end_round(1)
    with learner.sampling():
        torch.testing.assert_close(editor.network.state_dict()["last.bias"], before + 0.75)
    learner.end_round(9)
    with learner.sampling():
        torch.testing.assert_close(editor.network.state_dict()["last.bias"], before + 0.875)


@pytest.mark.slow
def test_the_reference_is_the_network_without_a_lora_that_starts_at_zero() -> None:
    from peft import LoraConfig, inject_adapter_in_model

    editor = TinyFlow()
    assert isinstance(reference_of(editor.network), WeightCopy)
    example = tiny_examples(1)[0]
    condition = editor.condition(["x"], [example.pictures])
    noisy, sigma = torch.randn(1, 3, 8, 8), torch.tensor([0.5])
    with torch.no_grad():
        plain = editor.velocity(noisy, sigma, condition)
    editor.network.requires_grad_(False)
    inject_adapter_in_model(LoraConfig(r=2, target_modules=["second"]), editor.network)
    reference = reference_of(editor.network)
    assert isinstance(reference, LoraOff)
    with torch.no_grad():
        for name, weight in editor.network.named_parameters():
            if "lora_B" in name:
                weight.add_(0.1)
    with reference.in_place():
        assert torch.equal(editor.velocity(noisy, sigma, condition), plain)
    trained = [name for name, weight in editor.network.named_parameters() if weight.requires_grad]
    assert trained
    assert all("lora_" in name for name in trained)
    assert not torch.equal(editor.velocity(noisy, sigma, condition), plain)
    assert isinstance(reference_of(editor.network), WeightCopy), "a LoRA of supervised training is a part of the start"
