"""Logs of trainings: what is written is there after a kill, and a training that goes back replaces what came after."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.images import load
from editscope.training.log import TrackingSettings, TrainingLog
from editscope.training.log.metrics_file import FILE, read_training
from support.training.rollouts import rollouts


def test_numbers_events_and_samples_are_read_back(tmp_path: Path) -> None:
    with TrainingLog(tmp_path / "mine", settings={"steps": 3}, trackers=()) as log:
        for step in (1, 2, 3):
            log.step(step, {"loss": 1 / step, "reward/miou": np.float32(0.5)})
        log.step(3, {"held_out/miou": 41.5, "loss": float("nan")})
        log.event(3, "checkpoint", "Checkpoint step-3 was saved.")
        log.sample(3, rollouts(200))
    record = read_training(tmp_path / "mine")
    assert record.curve("loss") == [(1, 1.0), (2, 0.5)], "a loss that is no number has no value"
    assert record.curve("held_out/miou") == [(3, 41.5)] and record.last_step == 3
    assert record.names() == ["loss", "reward/miou", "held_out/miou"]
    assert [(e.step, e.kind, e.sentence) for e in record.events] == [(3, "checkpoint", "Checkpoint step-3 was saved.")]
    assert record.settings == {"steps": 3} and record.damaged == 0
    (first, _) = record.samples[3]
    assert (first.id, first.instruction) == ("border/0", "Paint it white.")
    assert np.array_equal(load(tmp_path / "mine" / first.edit), rollouts(200)[0].picture)
    assert load(tmp_path / "mine" / str(first.answer)).min() == 255
    assert (tmp_path / "mine" / "samples" / "grid.png").is_file()


def test_a_training_that_goes_back_replaces_what_came_after(tmp_path: Path) -> None:
    with TrainingLog(tmp_path, trackers=()) as log:
        for step in range(1, 8):
            log.step(step, {"loss": 100.0 + step})
        log.event(4, "checkpoint", "Saved.")
        log.sample(7, rollouts(7))
        log.event(7, "stopped", "The loss was no number.")
    before = (tmp_path / FILE).read_bytes()
    with TrainingLog(tmp_path, trackers=(), start=4) as log:
        for step in (5, 6):
            log.step(step, {"loss": float(step)})
    assert (tmp_path / FILE).read_bytes().startswith(before), "append-only"
    record = read_training(tmp_path)
    assert record.curve("loss") == [(1, 101.0), (2, 102.0), (3, 103.0), (4, 104.0), (5, 5.0), (6, 6.0)]
    assert [(event.kind, event.superseded) for event in record.events] == [("checkpoint", False), ("stopped", True)]
    assert record.samples == {} and record.starts == [0, 4]


def test_the_clock_goes_on_from_the_step_that_a_training_goes_back_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("editscope.training.log.training_log.time.monotonic", lambda: now)
    with TrainingLog(tmp_path, trackers=()) as log:
        for step in (1, 2, 3):
            now += 10
            log.step(step, {"loss": 1.0})
    now = 5.0
    with TrainingLog(tmp_path, trackers=(), start=2) as log:
        now += 7
        log.step(3, {"loss": 1.0})
    assert read_training(tmp_path).seconds == {1: 10.0, 2: 20.0, 3: 27.0}


KILLED = """
import sys
from editscope.training.log import TrackingSettings, TrainingLog
log = TrainingLog(sys.argv[1], trackers=())
step = 0
while True:
    step += 1
    log.step(step, {"loss": step})
    print(step, flush=True)
"""


@pytest.mark.slow
def test_a_killed_process_loses_at_most_its_last_line(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(200)]
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in process.stdout if line.endswith("\n")]
    record = read_training(tmp_path)
    assert [step for step, _ in record.curve("loss")][: len(told)] == told and record.damaged == 0


def test_a_torn_line_is_ignored_and_a_damaged_one_is_counted(tmp_path: Path) -> None:
    with TrainingLog(tmp_path, trackers=()) as log:
        for step in (1, 2, 3, 4):
            log.step(step, {"loss": float(step)})
    lines = (tmp_path / FILE).read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"2.0", b"9.0")
    (tmp_path / FILE).write_bytes(b"".join(lines)[:-7])
    record = read_training(tmp_path)
    assert record.curve("loss") == [(1, 1.0), (3, 3.0)] and record.damaged == 1
    with TrainingLog(tmp_path, trackers=(), start=3) as log:
        log.step(4, {"loss": 4.0})
    assert read_training(tmp_path).curve("loss") == [(1, 1.0), (3, 3.0), (4, 4.0)]
    (tmp_path / FILE).write_bytes(os.urandom(5000) + b"\n")
    assert read_training(tmp_path).metrics == {} and read_training(tmp_path).damaged > 0
    assert read_training(tmp_path / "nowhere").metrics == {}


def test_two_processes_do_not_write_one_log(tmp_path: Path) -> None:
    with TrainingLog(tmp_path, trackers=()), pytest.raises(BadInput, match="being written by another process"):
        TrainingLog(tmp_path, trackers=())


def test_other_processes_log_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with TrainingLog(None) as log:
        log.step(1, {"loss": 1.0})
        log.event(1, "checkpoint", "Saved.")
        log.sample(1, rollouts(1))
    assert not list(tmp_path.iterdir())


def test_settings_are_checked() -> None:
    TrackingSettings(trackers=("tensorboard", "wandb:mine")).check("mine.toml, [tracking]")
    for wrong, words in (
        (TrackingSettings(trackers="tensorboard"), "is not a list"),
        (TrackingSettings(trackers=("tensorbord",)), "did you mean 'tensorboard'"),
        (TrackingSettings(trackers=("wandb",)), "has no PROJECT; write wandb:PROJECT"),
        (TrackingSettings(samples_every=-1), "samples_every: -1"),
        (TrackingSettings(samples=0), "samples: 0"),
    ):
        with pytest.raises(BadInput, match=words) as raised:
            wrong.check("mine.toml, [tracking]")
        assert str(raised.value).startswith("mine.toml, [tracking]")
