"""Held-out scores stand at the round whose weights they are of, the first and the last weights among them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.errors import Stopped
from editscope.training.log.metrics_file import read_training
from editscope.training.monitors import MonitorSettings, MonitorStop
from editscope.training.page.findings import best_steps
from editscope.training.reinforcement.start import reinforce_experiment
from editscope.training.settings import read_experiment
from support.training.experiments import write_reinforcement
from support.training.simple_rewards import FileCheckpoints
from support.training.small_runs import small_run, small_settings, weights_of
from support.training.tiny_flow import TinyFlow


def test_each_score_is_logged_at_the_round_that_made_its_weights() -> None:
    editor, after, scored, logged = TinyFlow(), {}, {}, []
    after[0] = weights_of(editor.network)

    def held_out(rounds: int) -> dict[str, float]:
        scored[rounds] = weights_of(editor.network)
        return {"miou": rounds / 10, "fidelity": 0.5}

    _, history = small_run(
        small_settings(rounds=5, held_out_every=2),
        editor,
        held_out=held_out,
        on_round=lambda number, metrics: after.update({number + 1: weights_of(editor.network)}),
        on_held_out=lambda rounds, metrics: logged.append((rounds, metrics["held_out/miou"])),
    )
    assert logged == [(0, 0.0), (2, 0.2), (4, 0.4), (5, 0.5)], "the last weights have a score too"
    for rounds, weights in scored.items():
        assert all(torch.equal(value, after[rounds][name]) for name, value in weights.items())
    assert history[1]["held_out/fidelity"] == 0.5 and "held_out/miou" not in history[0]


def test_scoring_has_seconds_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]

    def held_out(rounds: int) -> dict[str, float]:
        clock[0] += 1000.0
        return {"miou": 0.5}

    monkeypatch.setattr("editscope.training.reinforcement.loop.time.perf_counter", lambda: clock[0])
    _, history = small_run(small_settings(rounds=1), held_out=held_out)
    assert history[0]["seconds/held_out"] == 1000.0
    assert history[0]["seconds/reward"] == history[0]["seconds/update"] == 0.0


def test_a_score_that_was_interrupted_is_made_up_for_when_the_run_goes_on(tmp_path: Path) -> None:
    asked: list[int] = []

    def held_out(rounds: int) -> dict[str, float]:
        asked.append(rounds)
        if asked.count(2) == 1 and rounds == 2:
            raise Stopped("the judge of the suite is away")
        return {"miou": 0.5}

    places, settings = FileCheckpoints(tmp_path), small_settings(rounds=4, held_out_every=2)
    with pytest.raises(Stopped, match="is away"):
        small_run(settings, held_out=held_out, checkpoints=places)
    assert places.steps == [2], "the round is done, and its weights are kept"
    small_run(settings, held_out=held_out, checkpoints=places)
    assert asked == [0, 2, 2, 4]


def test_a_monitor_that_stops_keeps_the_weights_it_speaks_of(tmp_path: Path) -> None:
    places = FileCheckpoints(tmp_path)
    limits = MonitorSettings(identity_rate=None, held_out_fall=0.0, held_out_patience=1)
    with pytest.raises(MonitorStop, match=r"stopped at round \d+: since round 0 the reward rose"):
        small_run(
            small_settings(rounds=20, held_out_every=4),
            held_out=lambda rounds: {"miou": 1.0 - rounds / 100},
            monitors=limits,
            checkpoints=places,
        )
    assert places.steps[-1] % 4 == 0
    small_run(small_settings(rounds=places.steps[-1]), held_out=lambda rounds: pytest.fail(), checkpoints=places)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_log_names_the_metric_the_checkpoint_and_the_settings_that_are_used(
    tiny_pipeline: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "editscope.training.supervised.evaluation.evaluate",
        lambda experiment, weights, place, suite: {"miou": float(place.name[-1]), "edit_accuracy": None},
    )
    evaluation = '[evaluation]\nsuite = "paintbench"\nlimit = 1\n'
    file = write_reinforcement(tmp_path / "e.toml", tiny_pipeline("kontext"), more=evaluation)
    told: list[str] = []
    reinforce_experiment(read_experiment(file), tmp_path / "run", source=file, say=told.append)
    record = read_training(tmp_path / "run")
    assert record.curve("held_out/miou") == [(0, 0.0), (2, 2.0)]
    assert "held-out scores after round 2: mIoU 2" in told
    (best,) = best_steps(record)
    assert (best.step, best.checkpoint) == (2, "Checkpoint of round 2 saved.")
    shown = record.settings
    assert shown["reinforcement.group_size"] == 3 and shown["rewards.weights.outside"] == 0.5
    assert shown["training.seed"] == 0 and shown["data"]["workers"] == 0
    assert not [name for name in shown if name.startswith(("optimizer", "schedule", "ema", "timesteps"))]
    assert "training.batch" not in shown


def test_weights_are_removed_once_their_score_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from editscope.training.supervised import evaluation

    def scored(experiment: Any, weights: Path, place: Path, suite: Any) -> dict[str, float]:
        assert weights.is_dir()
        if weights.name.endswith("4"):
            raise Stopped("the judge of the suite is away")
        place.mkdir()
        return {"miou": 0.5}

    monkeypatch.setattr(evaluation, "beginning", lambda *_: "")
    monkeypatch.setattr(evaluation, "evaluated_suite", lambda *_: None)
    monkeypatch.setattr(evaluation, "evaluate", scored)
    made: Any = evaluation.HeldOutSuite
    suite, folder = made(None, tmp_path, lambda _: None), tmp_path / "evaluations"
    for rounds in (0, 2):
        suite.weights(rounds).mkdir(parents=True)
        assert suite.scores("round", rounds, suite.weights(rounds)) == {"miou": 0.5}
    assert sorted(path.name for path in folder.iterdir()) == ["round-00000000", "round-00000002"]
    suite.weights(4).mkdir()
    with pytest.raises(Stopped):
        suite.scores("round", 4, suite.weights(4))
    assert (folder / "weights-00000004").is_dir(), "an evaluation that is not finished keeps its weights"
