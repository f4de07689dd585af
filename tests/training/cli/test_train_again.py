"""A training in its folder: one at a time, resumed from anywhere, exported as it was trained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.cli.app import main
from editscope.training.checkpoints import FOLDER, check_same
from editscope.training.log import TrainingLog
from editscope.training.supervised.start import EXPERIMENT
from support.training.experiments import write_experiment, write_reinforcement
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

Writes = Callable[[Path, Path], Path]


def supervised(file: Path, pipeline: Path) -> Path:
    """The file of a supervised run."""
    return write_experiment(file, settings_for("kontext", pipeline))


WAYS = pytest.mark.parametrize("write", [supervised, write_reinforcement], ids=["supervised", "reinforcement"])


def called(capsys: Any, *words: Any) -> tuple[int, str, str]:
    """The exit code of a command, and what it said on both streams."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    said = capsys.readouterr()
    return int(ended.value.code or 0), " ".join(said.out.split()), " ".join(said.err.split())


@WAYS
def test_a_second_run_in_a_folder_is_refused_before_it_touches_anything(
    write: Writes, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    file, out = write(tmp_path / "mine.toml", tiny_pipeline("kontext")), tmp_path / "out"
    saving = out / FOLDER / ".step-00000001.7.tmp"
    with TrainingLog(out, trackers=()):
        saving.mkdir(parents=True)
        (out / EXPERIMENT).write_text("# that of the run that is going on")
        code, said, error = called(capsys, "train", "run", file, "--out", out)
        assert code == 2 and "is being written by another process" in error and "loading" not in said
        assert saving.is_dir(), "what the other run is saving stays"
        assert (out / EXPERIMENT).read_text() == "# that of the run that is going on"


def test_a_run_that_cannot_begin_leaves_no_folder(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file, out = supervised(tmp_path / "mine.toml", tiny_pipeline("kontext")), tmp_path / "out"
    file.write_text(file.read_text().replace('targets = "attention"', 'targets = "nothing_of_it"'))
    code, _, error = called(capsys, "train", "run", file, "--out", out)
    assert code == 2 and "nothing_of_it" in error and not out.exists()


@WAYS
def test_a_run_goes_on_from_another_folder_and_from_its_own_copy(
    write: Writes, tiny_pipeline: Any, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny").symlink_to(tiny_pipeline("kontext"))
    (tmp_path / "files").mkdir()
    file = write(tmp_path / "files" / "mine.toml", Path("../models/tiny"))
    monkeypatch.chdir(tmp_path / "files")
    assert called(capsys, "train", "run", file.name, "--out", "../out")[0] == 0
    monkeypatch.chdir(tmp_path)
    for again in (Path("files/mine.toml"), Path("out") / EXPERIMENT):
        code, _, error = called(capsys, "train", "run", again, "--out", "out", "--resume")
        assert (code, error) == (0, "")


def test_checkpoints_that_name_places_as_they_stood_are_of_the_same_settings(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "lora").mkdir()
    monkeypatch.chdir(tmp_path)
    saved = {"model.pipeline": "../" + tmp_path.name + "/tiny", "lora.start": "../lora"}
    now = {"model.pipeline": str(tmp_path / "tiny"), "lora.start": str(tmp_path / "lora" / "weights.safetensors")}
    check_same(tmp_path, saved, now)
    for name in saved:
        with pytest.raises(Exception, match=f"was saved with different settings .{name} was"):
            check_same(tmp_path, saved, {**now, name: str(tmp_path / "other")})


@WAYS
@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        ("rank = {rank}\nalpha = 64.0", "[lora] alpha was {rank}, now 64.0"),
        ("rank = 8", "[lora] rank was {rank}, now 8"),
        ('rank = {rank}\ntargets = "to_q"', '[lora] targets was "attention", now "to_q"'),
    ],
)
def test_weights_are_not_exported_by_another_experiment(
    write: Writes, new: str, sentence: str, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    file, out = write(tmp_path / "mine.toml", tiny_pipeline("kontext")), tmp_path / "out"
    rank = 4 if write is supervised else 2
    assert called(capsys, "train", "run", file, "--out", out)[0] == 0
    copy = out / EXPERIMENT
    text = copy.read_text().replace('\ntargets = "attention"', "")
    copy.write_text(text.replace(f"rank = {rank}", new.format(rank=rank)))
    code, _, error = called(capsys, "train", "export", out, "--out", tmp_path / "exported")
    assert code == 2 and sentence.format(rank=rank) in error and "restore it" in error
    assert not (tmp_path / "exported").exists()
