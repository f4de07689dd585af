"""What trackers get of a training, read back by what each tracker reads its files with."""

from __future__ import annotations

import io
import json
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.images import load
from editscope.trackers.logged_book import FILE as BOOK
from editscope.trackers.targets import LogTarget
from editscope.training.log import TrainingLog
from editscope.training.log.metrics_file import read_training
from editscope.training.log.samples import sample_grid
from editscope.training.log.tracker_feed import TrackerFeed, _new_lines
from support.trackers.trackio_rows import trackio_rows
from support.trackers.wandb_file import wandb_history, wandb_run
from support.training.rollouts import rollouts

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
SETTINGS = {"steps": 7, "optimizer": {"rate": 1e-4}, "targets": ["to_q", "to_k"]}


def events(folder: Path) -> Any:
    """What TensorBoard's own reader finds in a folder."""
    from tensorboard.backend.event_processing.event_accumulator import IMAGES, SCALARS, EventAccumulator

    return EventAccumulator(str(folder), size_guidance={SCALARS: 0, IMAGES: 0}).Reload()


def trained(folder: Path, steps: range, offset: float, **options: Any) -> None:
    """Log some steps, the last one with samples."""
    with TrainingLog(folder, settings=SETTINGS, say=pytest.fail, **options) as log:
        for step in steps:
            log.step(step, {"loss": offset + step, "reward/miou": None})
        log.sample(steps[-1], rollouts(steps[-1]))


def test_tensorboard_gets_steps_grids_and_settings_and_takes_back_what_is_void(tmp_path: Path) -> None:
    trained(tmp_path / "mine", range(1, 8), 100.0)
    trained(tmp_path / "mine", range(5, 7), 0.0, start=4)
    read = events(tmp_path / "mine" / "tensorboard" / "mine")
    assert read.Tags()["scalars"] == ["loss"], "a metric without a value is no curve"
    curve = [(event.step, event.value) for event in read.Scalars("loss")]
    assert curve == [(1, 101.0), (2, 102.0), (3, 103.0), (4, 104.0), (5, 5.0), (6, 6.0)]
    assert curve == read_training(tmp_path / "mine").curve("loss")
    (image,) = read.Images("cases")
    grid = sample_grid(tmp_path / "mine", read_training(tmp_path / "mine").samples)
    assert image.step == 6 and np.array_equal(load(image.encoded_image_string), grid)


def test_tensorboard_shows_settings_as_hyperparameters(tmp_path: Path) -> None:
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    trained(tmp_path / "mine", range(1, 3), 0.0)
    trained(tmp_path / "mine", range(2, 3), 0.0, start=1)
    read = events(tmp_path / "mine" / "tensorboard" / "mine")
    content = read.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
    start = HParamsPluginData.FromString(content).session_start_info
    assert start.hparams["steps"].number_value == 7 and start.hparams["optimizer.rate"].number_value == 1e-4
    assert json.loads(start.hparams["targets"].string_value) == ["to_q", "to_k"] and start.group_name == "mine"


def test_weights_and_biases_gets_each_step_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.delenv("WANDB_DIR", raising=False)
    trained(tmp_path / "mine", range(1, 6), 0.0, trackers=["wandb:editing"])
    trained(tmp_path / "mine", range(3, 8), 0.0, trackers=["wandb:editing"], start=2)
    files = sorted((tmp_path / "mine").glob("wandb/offline-run-*/run-*.wandb"))
    project, name, identity, config = wandb_run(files[0])
    assert (project, name, config["optimizer"]) == ("editing", "mine", {"rate": 1e-4})
    assert {wandb_run(file)[2] for file in files} == {identity} and len(files) == 2, "a session for each start"
    rows = [row for file in files for row in wandb_history(file)]
    losses = [(row["step"], row["loss"]) for row in rows if "loss" in row]
    assert losses == [(step, float(step)) for step in range(1, 8)]
    assert [row["step"] for row in rows if "cases/_type" in row] == [5, 7]
    assert [row["_step"] for row in rows] == list(range(len(rows)))


def test_trackio_gets_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("trackio") is None:
        pytest.skip("trackio is not installed")
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path))
    trained(tmp_path / "mine", range(1, 4), 0.0, trackers=["trackio:editing"])
    rows = trackio_rows("editing", "mine")
    assert [(row["step"], row["loss"]) for row in rows if "loss" in row] == [(1, 1.0), (2, 2.0), (3, 3.0)]


class Growing(io.BytesIO):
    """A file whose last line is torn when it is read, and is followed by another one after that."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self.text = text

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline()
        if line and not line.endswith(b"\n"):
            self.write(b"\nnew\n")
            self.seek(-5, io.SEEK_CUR)
        return line

    def __next__(self) -> bytes:
        return self.readline() or next(iter(()))


def test_nothing_behind_a_torn_line_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editscope.training.log.tracker_feed.open_file", lambda path: Growing(b"one\ntwo\nto"))
    assert list(_new_lines(Path("metrics.jsonl"), 4)) == [b"two\n"]
    monkeypatch.setattr("editscope.training.log.tracker_feed.TOGETHER", 2)
    monkeypatch.setattr("editscope.training.log.tracker_feed.open_file", lambda path: Growing(b"1\n2\n3\n4\n5\n"))
    assert list(_new_lines(Path("metrics.jsonl"), 0)) == [b"1\n2\n", b"3\n4\n", b"5\n"]


def test_points_are_there_while_the_training_goes_on(tmp_path: Path) -> None:
    target = LogTarget("tensorboard", str(tmp_path / "logs"))
    with TrainingLog(tmp_path / "mine", trackers=()) as log:
        feed = TrackerFeed(tmp_path / "mine", target, {}, pytest.fail, every_s=0.05)
        for step in (1, 2):
            log.step(step, {"loss": float(step)})
            until = time.monotonic() + 60
            while json.loads(_text(tmp_path / "mine" / BOOK))["targets"].get(target.key, {}).get("step") != step:
                assert time.monotonic() < until
                time.sleep(0.05)
            read = events(tmp_path / "logs" / "mine")
            assert [event.step for event in read.Scalars("loss")] == list(range(1, step + 1))
        feed.close()
    assert len(list((tmp_path / "logs" / "mine").iterdir())) == 1, "one session"


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else '{"targets": {}}'


def test_a_tracker_that_fails_is_told_once_and_the_next_start_catches_up(tmp_path: Path) -> None:
    sentences: list[str] = []
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "mine").write_text("in the way")
    with TrainingLog(tmp_path / "mine", trackers=[f"tensorboard:{logs}"], say=sentences.append) as log:
        log.step(1, {"loss": 1.0})
    (sentence,) = sentences
    assert "could not log to tensorboard" in sentence and "File exists" in sentence and "metrics.jsonl" in sentence
    (logs / "mine").unlink()
    trained(tmp_path / "mine", range(2, 4), 0.0, trackers=[f"tensorboard:{logs}"], start=1)
    assert [event.step for event in events(logs / "mine").Scalars("loss")] == [1, 2, 3]


def test_a_tracker_that_never_answers_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tensorboard").mkdir()
    (tmp_path / "tensorboard" / "__init__.py").write_text("import time\ntime.sleep(1000)")
    monkeypatch.syspath_prepend(str(tmp_path))
    sentences: list[str] = []
    with TrainingLog(tmp_path / "mine", trackers=()) as log:
        target = LogTarget("tensorboard", str(tmp_path / "logs"))
        feed = TrackerFeed(tmp_path / "mine", target, {}, sentences.append, every_s=0.05, patience_s=0.5)
        log.step(1, {"loss": 1.0})
        feed.close()
    assert len(sentences) == 1 and "it did not answer within 0.5 seconds" in sentences[0]


def test_targets_that_cannot_be_used_are_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("WANDB_API_KEY", "WANDB_MODE"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(BadInput, match=r"\[tracking\] trackers: wandb:mine needs your key"):
        TrainingLog(tmp_path / "mine", trackers=["wandb:mine"])
    assert not list(tmp_path.iterdir())


def test_without_tensorboard_a_training_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editscope.training.log.tracker_feed.installed", lambda library: False)
    sentences: list[str] = []
    with TrainingLog(tmp_path / "mine", say=sentences.append) as log:
        log.step(1, {"loss": 1.0})
    assert len(sentences) == 1 and "pip install 'editscope[train]'" in sentences[0]
    assert read_training(tmp_path / "mine").curve("loss") == [(1, 1.0)]
