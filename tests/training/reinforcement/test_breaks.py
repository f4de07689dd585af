"""What breaks a run: signals, kills in every phase, full disks, judges that write nonsense, two runs in one folder."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput, Stopped
from editscope.runfolder.files import DiskError
from editscope.runfolder.journal import Journal
from editscope.training.checkpoints import checkpoints_in
from editscope.training.log.metrics_file import FILE
from editscope.training.reinforcement.reward_mix import JudgePatience
from editscope.training.reinforcement.run_folder import FolderCheckpoints
from editscope.training.reinforcement.start import reinforce_experiment
from editscope.training.settings import read_experiment
from support.places import with_tests
from support.studio.small_disk import KINDS, small_disk
from support.training.experiments import write_reinforcement
from support.training.killed_run import PHASES, the_run
from support.training.simple_rewards import ByFunction, DownJudge, FileCheckpoints, brightness
from support.training.small_runs import mixed, same_weights, small_run, small_settings
from support.training.tiny_flow import TinyFlow, tiny_examples


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_while_sampling_stops_at_the_next_group_and_keeps_the_state_before(tmp_path: Path) -> None:
    whole, _ = small_run(small_settings(rounds=3))
    editor, places, painted = TinyFlow(), FileCheckpoints(tmp_path), []
    original = editor.pixels

    def noted(latents: Any) -> Any:
        painted.append(1)
        if len(painted) == 3:  # the first group of the second round
            interrupt()
        return original(latents)

    editor.pixels = noted  # type: ignore[method-assign]
    with pytest.raises(Stopped, match=r"stopped in round 2, with a checkpoint of the state before it; .* --resume"):
        small_run(small_settings(rounds=3), editor, checkpoints=places)
    assert (len(painted), places.steps) == (3, [1]), "the second group was not painted"
    resumed, _ = small_run(small_settings(rounds=3), checkpoints=places)
    assert same_weights(whole.network, resumed.network)


def test_ctrl_c_while_rewards_come_in_finishes_the_round(tmp_path: Path) -> None:
    whole, _ = small_run(small_settings(rounds=3))
    places, asked = FileCheckpoints(tmp_path), []

    def interrupted(rollout: Any) -> float:
        asked.append(rollout)
        if len(asked) == 17:
            interrupt()
        return brightness(rollout)

    with pytest.raises(Stopped, match=r"stopped after 2 of 3 rounds, with a checkpoint"):
        small_run(small_settings(rounds=3), rewards=mixed({"b": ByFunction(interrupted)}), checkpoints=places)
    assert places.steps == [2]
    resumed, _ = small_run(small_settings(rounds=3), checkpoints=places)
    assert same_weights(whole.network, resumed.network)


def test_ctrl_c_while_it_waits_for_a_judge_ends_at_once(tmp_path: Path) -> None:
    places = FileCheckpoints(tmp_path)
    patience = JudgePatience(first=3600.0, most=7200.0, sleep=lambda seconds: interrupt())
    with pytest.raises(Stopped, match="stopped while waiting"):
        small_run(
            small_settings(rounds=3),
            rewards=mixed({"b": DownJudge(range(1, 99))}, patience=patience),
            checkpoints=places,
        )
    assert places.steps == [1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "phase", [*(pytest.param(one, marks=pytest.mark.drill(only=True)) for one in PHASES[:-1]), PHASES[-1]]
)
def test_a_run_that_is_killed_goes_on_bit_for_bit(phase: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "support.training.killed_run", phase, str(tmp_path / "run")]
    ended = subprocess.run(command, env=with_tests(), capture_output=True, text=True, timeout=600, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    whole, resumed = the_run(tmp_path / "whole"), the_run(tmp_path / "run")
    assert same_weights(whole.network, resumed.network)
    assert not list((tmp_path / "run/checkpoints").glob(".*")), "what was half written is gone"


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk_is_told_and_the_checkpoint_before_stays(kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with small_disk(folder, kind) as disk:
        if disk is None:
            pytest.skip("a file system cannot be mounted here")
        disk.pid = os.getpid()
        places = FolderCheckpoints(folder)
        try:
            with pytest.raises(DiskError, match=r"step-00000002"):
                small_run(
                    small_settings(rounds=3, save_every=1),
                    checkpoints=places,
                    on_round=lambda number, metrics: disk.fill() if number == 1 else None,
                )
        finally:
            disk.free()
        assert [step for step, _ in checkpoints_in(folder)] == [1]
        whole, _ = small_run(small_settings(rounds=3))
        resumed, _ = small_run(small_settings(rounds=3), checkpoints=places)
        assert same_weights(whole.network, resumed.network)
        gc.collect()  # weights that were read lie in the file, which the disk cannot let go of


def test_a_judge_that_writes_nonsense_stops_the_run_and_is_not_paid_again(tmp_path: Path) -> None:
    reward, places = ByFunction(lambda rollout: None), FileCheckpoints(tmp_path)
    with pytest.raises(Stopped, match=r"round 1: no edit got a value from every reward \('b': unparsed, no number\)"):
        small_run(small_settings(rounds=9), rewards=mixed({"b": reward}), checkpoints=places)
    assert (reward.asked, places.steps) == (16, [0])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_reward_that_is_never_a_number_stops_the_run_with_its_name(value: float) -> None:
    mix = mixed({"b": ByFunction(lambda rollout: value)}, patience=JudgePatience(most=0.0))
    with pytest.raises(Stopped, match=r"'b' gave no verdict for 0 s \(the reward function gave -?(nan|inf), which is"):
        small_run(small_settings(rounds=2), rewards=mix)


def test_a_constant_reward_is_counted_and_moves_nothing() -> None:
    before = TinyFlow()
    editor, history = small_run(small_settings(rounds=2), rewards=mixed({"b": ByFunction(lambda rollout: 0.5)}))
    assert [row["groups/flat"] for row in history] == [2, 2]
    assert same_weights(before.network, editor.network)


def test_examples_of_several_sizes_are_trained_on_in_one_round() -> None:
    wide = replace(tiny_examples(1, side=12)[0], id="wide", pictures=(np.full((8, 12, 3), 90, np.uint8),), answer=None)
    _, history = small_run(small_settings(rounds=2), examples=[*tiny_examples(1), wide])
    assert all(row["painter/loss"] == row["painter/loss"] for row in history)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_two_runs_in_one_folder_are_refused(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    file = write_reinforcement(tmp_path / "experiment.toml", tiny_pipeline("kontext"))
    other = Journal(tmp_path / "run", FILE)
    try:
        with pytest.raises(BadInput, match="is being written by another process; wait for it or stop it first"):
            reinforce_experiment(read_experiment(file), tmp_path / "run", source=file)
    finally:
        other.close()
    assert not (tmp_path / "run/experiment.toml").exists(), "the file of the other run stays its own"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_other_settings_are_refused_before_anything_is_loaded_or_logged(
    tiny_pipeline: Callable[[str], Path], tmp_path: Path
) -> None:
    file = write_reinforcement(tmp_path / "rl.toml", tiny_pipeline("kontext"), rounds=1)
    reinforce_experiment(read_experiment(file), tmp_path / "run", source=file)
    log = (tmp_path / "run" / FILE).read_bytes()
    file.write_text(file.read_text().replace("kl = 0.01", "kl = 0.5"))
    told: list[str] = []
    with pytest.raises(BadInput, match=r"was saved with different settings \(kl was 0.01, now 0.5\)"):
        reinforce_experiment(read_experiment(file), tmp_path / "run", source=file, resume=True, say=told.append)
    assert (tmp_path / "run" / FILE).read_bytes() == log and not told
