"""Monitors stop a run that goes wrong, with a sentence; a policy that hacks its reward does not get far."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.training.monitors import (
    MonitorSettings,
    MonitorStop,
    RewardAgainstHeldOut,
    TrainingMonitors,
    identity_rate,
    identity_rate_limit,
    is_identity,
    over_edit_ratio,
    read_monitors,
)
from editscope.training.reinforcement.rollouts import paint_group
from editscope.training.rewards.base import Rollout
from support.training.simple_rewards import ByFunction, FileCheckpoints, brightness, closeness
from support.training.small_runs import mixed, small_run, small_settings
from support.training.tiny_flow import TinyFlow, tiny_examples


@pytest.mark.slow
def test_a_run_that_hacks_its_reward_is_stopped(tmp_path: Path) -> None:
    """Brightness is a bad reward for "paint a white square": white pictures win, and leave the answer behind."""
    editor = TinyFlow()
    held = tiny_examples(2, seed=5)

    def held_out(rounds: int) -> dict[str, float]:
        """How near edits of other pictures are to their answers, sampled without noise."""
        scores = []
        for place, example in enumerate(held):
            _, pictures = paint_group(editor, example, [example.instruction] * 4, small_settings(), (0, place), ())
            scores += [closeness(Rollout(example, picture)) for picture in pictures]
        return {"closeness": float(np.mean(scores))}

    places = FileCheckpoints(tmp_path)
    seen: list[dict[str, float]] = []
    limits = MonitorSettings(identity_rate=None, held_out_fall=0.05, held_out_patience=2)
    with pytest.raises(MonitorStop, match=r"the reward rose from .* while the held-out score fell from .* is hacking"):
        small_run(
            small_settings(rounds=60, held_out_every=2),
            editor,
            monitors=limits,
            held_out=held_out,
            checkpoints=places,
            on_round=lambda number, metrics: seen.append(metrics),
        )
    assert len(seen) < 30
    assert seen[-1]["reward/brightness"] > seen[0]["reward/brightness"] + 0.1
    assert places.steps[-1] == len(seen), "the weights whose score stopped it are kept"


def test_a_score_of_the_first_weights_is_compared_with_the_reward_of_their_edits() -> None:
    monitor = RewardAgainstHeldOut(fall=0.05, patience=1)
    assert monitor.observe_held_out(0, 0.8) is None
    for reward in (0.1, 0.5):
        monitor.observe(1, reward)
    said = monitor.observe_held_out(2, 0.4)
    assert "since step 0 the reward rose from 0.1 to 0.3 while the held-out score fell from 0.8 to 0.4" in str(said)


def test_reward_and_held_out_score_that_rise_together_are_fine() -> None:
    monitor = RewardAgainstHeldOut(fall=0.05, patience=1)
    for step in range(10):
        assert monitor.observe(step, step / 10) is None
        assert monitor.observe_held_out(step, step / 20) is None


def test_a_held_out_score_that_falls_with_the_reward_is_no_hacking() -> None:
    monitor = RewardAgainstHeldOut(fall=0.05, patience=1)
    for step in range(10):
        monitor.observe(step, -step / 10)
        assert monitor.observe_held_out(step, -step / 20) is None


def test_one_bad_evaluation_is_forgiven() -> None:
    monitor = RewardAgainstHeldOut(fall=0.05, patience=2)
    scores = [0.5, 0.3, 0.49, 0.3, 0.3]
    said = []
    for step, score in enumerate(scores):
        monitor.observe(step, step)
        said.append(monitor.observe_held_out(step, score))
    assert [sentence is None for sentence in said] == [True, True, True, True, False]
    assert "since step 0 the reward rose from 0 to 4 while the held-out score fell from 0.5 to 0.3" in str(said[-1])


def test_a_drift_toward_not_editing_stops_the_run() -> None:
    monitors = TrainingMonitors(MonitorSettings(identity_rate=0.5, window=3))
    for step, rate in enumerate([0.9, 0.2, 0.3, 0.5]):
        monitors.step(step, identity=rate)
    with pytest.raises(
        MonitorStop, match=r"stopped at step 4: the identity rate is 0.567 over the last 3 checks, above"
    ):
        monitors.step(4, identity=0.9)


def test_monitors_name_rounds_as_the_log_does() -> None:
    limits = MonitorSettings(identity_rate=None, over_edit_ratio=0.0, held_out_fall=None, window=1)
    with pytest.raises(MonitorStop, match=r"^stopped at round 1: "):
        small_run(small_settings(), TinyFlow(loudness=0.0), mixed({"b": ByFunction(brightness)}), monitors=limits)


def test_a_table_that_is_none_is_refused() -> None:
    with pytest.raises(BadInput, match=r"^e.toml, monitors: is False, not a table; write \[monitors\]"):
        read_monitors(False, "e.toml")  # type: ignore[arg-type]


def test_editing_too_much_stops_the_run() -> None:
    monitors = TrainingMonitors(MonitorSettings(over_edit_ratio=3.0, window=1))
    monitors.step(0, over_edit=2.0)
    with pytest.raises(MonitorStop, match=r"the over-edit ratio is 4 .* the model changes what should stay the same"):
        monitors.step(1, over_edit=4.0)


@pytest.mark.slow
def test_the_loop_feeds_the_monitors() -> None:
    editor = TinyFlow(loudness=0.0)
    with pytest.raises(MonitorStop, match="the over-edit ratio is"):
        small_run(small_settings(), editor, monitors=MonitorSettings(over_edit_ratio=1.5, window=2))


def test_monitors_remember_across_a_resume() -> None:
    first = TrainingMonitors(MonitorSettings(identity_rate=0.5, window=2))
    first.step(0, identity=0.9, reward=0.1, held_out=0.5)
    second = TrainingMonitors(MonitorSettings(identity_rate=0.5, window=2))
    second.load_state(first.state())
    with pytest.raises(MonitorStop):
        second.step(1, identity=0.9)


def test_nearly_equal_counts_as_equal_and_a_small_edit_does_not() -> None:
    gray = np.full((64, 64, 3), 100, np.uint8)
    noise = np.random.default_rng(0).integers(-12, 13, gray.shape)
    noisy = (gray + noise).astype(np.uint8)
    small = gray.copy()
    small[:4, :4] = 255
    assert is_identity([gray], noisy)
    assert not is_identity([gray], small)
    assert is_identity([small, gray], gray), "also to the second of several inputs"
    assert not is_identity([gray], gray[:32])
    assert identity_rate([([gray], noisy), ([gray], small)]) == 0.5
    assert identity_rate([]) is None


def test_the_over_edit_ratio_is_that_of_the_pixel_metric() -> None:
    example = tiny_examples(1)[0]
    source, answer = example.pictures[0], example.answer
    assert answer is not None
    white = np.full_like(source, 255)
    assert over_edit_ratio([(source, answer, answer)]) == 1.0
    assert over_edit_ratio([(source, answer, white)]) == 4.0
    assert over_edit_ratio([]) is None


@pytest.mark.parametrize("make", [lambda: identity_rate_limit(0.5, 0), lambda: RewardAgainstHeldOut(-1.0)])
def test_limits_that_make_no_sense_are_refused(make: Any) -> None:
    with pytest.raises(BadInput, match=r"\[monitors\]"):
        make()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("identity_rate", 5),
        ("identity_rate", 1.0),
        ("identity_rate", -0.1),
        ("over_edit_ratio", -1.0),
        ("over_edit_ratio", float("inf")),
        ("held_out_fall", 1.5),
        ("held_out_above", float("nan")),
    ],
)
def test_limits_that_no_run_can_pass_are_refused(name: str, value: Any) -> None:
    with pytest.raises(
        BadInput, match=rf"^e.toml, \[monitors\] {name}: must be .* write false to turn this monitor off"
    ):
        read_monitors({name: value}, "e.toml")


def test_limits_that_are_off_or_can_be_passed_are_taken() -> None:
    read = read_monitors({"identity_rate": 0, "over_edit_ratio": 20, "held_out_fall": False})
    assert (read.identity_rate, read.over_edit_ratio, read.held_out_fall) == (0, 20, None)
