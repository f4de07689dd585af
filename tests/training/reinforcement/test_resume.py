"""Interrupted and resumed equals uninterrupted, bit for bit; a judge that is down pauses the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.errors import BadInput, Stopped
from editscope.training.monitors import MonitorSettings
from editscope.training.reinforcement.learners import BrokenLoss
from editscope.training.reinforcement.loop import ReinforcementRun
from editscope.training.reinforcement.reward_mix import JudgeDown, JudgePatience
from editscope.training.weights import trained_parameters
from support.training.listed_examples import ListedExamples
from support.training.simple_rewards import ByFunction, DownJudge, FileCheckpoints, brightness
from support.training.small_runs import mixed, same_weights, small_run, small_settings, without_times
from support.training.tiny_flow import TinyFlow, tiny_examples


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"kl": 0.04, "window": 2, "inner_epochs": 2, "updates": 2},
        {"method": "nft", "nft_decay": 0.2, "nft_kl": 1e-3},
    ],
    ids=["grpo", "nft"],
)
def test_an_interrupted_run_goes_on_bit_for_bit(tmp_path: Path, options: dict[str, Any]) -> None:
    whole, history = small_run(small_settings(rounds=6, **options), monitors=MonitorSettings(window=3))
    places = FileCheckpoints(tmp_path)
    _, before = small_run(small_settings(rounds=2, **options), checkpoints=places, monitors=MonitorSettings(window=3))
    torch.manual_seed(99)  # the resumed process has another random state
    resumed, after = small_run(
        small_settings(rounds=6, **options), checkpoints=places, monitors=MonitorSettings(window=3)
    )
    assert without_times(before + after) == without_times(history)
    assert same_weights(whole.network, resumed.network)


@pytest.mark.slow
def test_a_judge_that_stays_down_pauses_the_run_and_resume_goes_on(tmp_path: Path) -> None:
    whole, history = small_run(small_settings(rounds=4), rewards=mixed({"b": DownJudge(range(0))}))
    pauses: list[float] = []
    told: list[str] = []
    places = FileCheckpoints(tmp_path)
    patience = JudgePatience(first=1.0, most=10.0, sleep=pauses.append, tell=told.append)
    mix = mixed({"b": DownJudge(range(2, 99))}, patience=patience)
    with pytest.raises(JudgeDown, match=r"'b' gave no verdict for 10 s \(connection refused\); the run pauses") as stop:
        small_run(small_settings(rounds=4), rewards=mix, checkpoints=places)
    assert isinstance(stop.value, Stopped), "the command line exits with 3"
    assert pauses == [1.0, 2.0, 4.0, 3.0], "growing, and 10 seconds in all"
    assert len(told) == 4
    assert places.steps == [2]
    resumed, after = small_run(small_settings(rounds=4), rewards=mixed({"b": DownJudge(range(0))}), checkpoints=places)
    assert without_times(after) == without_times(history)[2:]
    assert same_weights(whole.network, resumed.network)


def test_a_judge_that_comes_back_costs_nothing_but_time() -> None:
    pauses: list[float] = []
    mix = mixed({"b": DownJudge(range(1, 4))}, patience=JudgePatience(first=1.0, sleep=pauses.append))
    _, history = small_run(small_settings(rounds=2), rewards=mix)
    assert pauses == [1.0, 2.0, 4.0]
    assert [row["groups/without_verdict"] for row in history] == [0, 0]


def test_a_loss_that_is_no_number_stops_and_keeps_the_last_good_checkpoint(tmp_path: Path) -> None:
    places = FileCheckpoints(tmp_path)
    editor = TinyFlow()

    def poisoned(number: int, metrics: dict[str, float]) -> None:
        if number == 1:
            with torch.no_grad():
                editor.network.last.bias.fill_(float("nan"))  # type: ignore[union-attr]

    mix = mixed({"b": ByFunction(lambda rollout: float(id(rollout) % 97))})
    with pytest.raises(
        BrokenLoss,
        match=r"stopped in round 3: the loss of the painter is nan; the last good checkpoint is that of round 2",
    ):
        small_run(small_settings(rounds=5, save_every=1), editor, mix, checkpoints=places, on_round=poisoned)
    state = places.latest()
    assert state is not None
    assert state["round"] == 2


def test_a_loss_that_is_no_number_in_the_first_round_says_that_there_is_no_checkpoint(tmp_path: Path) -> None:
    editor, places = TinyFlow(), FileCheckpoints(tmp_path)
    with torch.no_grad():
        editor.network.last.bias.fill_(float("nan"))  # type: ignore[union-attr]
    mix = mixed({"b": ByFunction(lambda rollout: float(id(rollout) % 97))})
    sentence = r"is nan; there is no checkpoint yet; lower \[reinforcement\] rate, and start over"
    with pytest.raises(BrokenLoss, match=sentence):
        small_run(small_settings(rounds=5, save_every=1), editor, mix, checkpoints=places)
    assert places.latest() is None


def test_a_checkpoint_of_other_settings_is_refused(tmp_path: Path) -> None:
    places = FileCheckpoints(tmp_path)
    small_run(small_settings(rounds=1), checkpoints=places)
    with pytest.raises(BadInput, match=r"made with other settings: group_size 8 \(now 4\); restore them"):
        small_run(small_settings(rounds=2, group_size=4), checkpoints=places)
    _, more = small_run(small_settings(rounds=2, save_every=7), checkpoints=places)
    assert len(more) == 1, "how long it runs and how often it saves may change"


def test_a_budget_that_is_spent_leaves_a_checkpoint(tmp_path: Path) -> None:
    places = FileCheckpoints(tmp_path)
    asked: list[Any] = []

    def paid(rollout: Any) -> float:
        asked.append(rollout)
        if len(asked) > 20:
            raise Stopped("the budget of 1 dollar is spent")
        return brightness(rollout)

    with pytest.raises(Stopped, match="budget"):
        small_run(small_settings(), rewards=mixed({"paid": ByFunction(paid)}), checkpoints=places)
    assert places.steps == [1]


@pytest.mark.parametrize("method", ["grpo", "nft"])
def test_states_are_copied_to_the_cpu_and_not_beside_the_weights(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = TinyFlow()
    mix = mixed({"brightness": ByFunction(brightness)})
    run = ReinforcementRun(editor, ListedExamples(tiny_examples(1)), mix, small_settings(method=method))
    with monkeypatch.context() as patched:
        patched.setattr(torch.Tensor, "clone", lambda self: pytest.fail("a copy on the device of the weights"))
        state = run.state()["painter"]
    for name, weight in trained_parameters(editor.network).items():
        for copy in (state["weights"][name], *([state["old"][name]] if "old" in state else [])):
            assert copy.device.type == "cpu" and torch.equal(copy, weight)
            assert copy.data_ptr() != weight.data_ptr()
