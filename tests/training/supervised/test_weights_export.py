"""Weights that a training ends with, and those of `train export`: whole or not there, and the right ones."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from editscope.runfolder.files import DiskError
from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.run_files import FINAL, NETWORK, weights_in
from editscope.training.settings import Experiment, read_experiment
from editscope.training.supervised.export import export_checkpoint
from editscope.training.supervised.start import train
from support.places import with_tests
from support.studio.small_disk import KINDS, full_disk
from support.training.experiments import write_experiment
from support.training.killed_between import killed_before_writing
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]
Trained = Callable[..., tuple[Experiment, Path]]
FILE = f"{NETWORK}/diffusion_pytorch_model.safetensors"


@pytest.fixture
def trained(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> Trained:
    def make(*, lora: bool, kind: str = "adamw", more: str = "") -> tuple[Experiment, Path]:
        settings = settings_for("kontext", tiny_pipeline("kontext"))
        file = write_experiment(tmp_path / "mine.toml", settings, lora=lora, steps=2, more=more)
        file.write_text(file.read_text().replace("[optimizer]", f'[optimizer]\nkind = "{kind}"'))
        experiment = read_experiment(file)
        train(experiment, tmp_path / "run", source=file)
        return experiment, tmp_path / "run"

    return make


def test_a_run_with_an_optimizer_in_8_bits_is_exported_by_another_process(trained: Trained, tmp_path: Path) -> None:
    _, run = trained(lora=False, kind="8bit")
    command = [sys.executable, "-W", "ignore", "-m", "editscope", "train", "export", str(run)]
    command += ["--out", str(tmp_path / "exported")]
    ended = subprocess.run(command, env=with_tests(), capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "exported" / FILE).read_bytes() == (run / FINAL / FILE).read_bytes()


def test_a_network_is_written_with_its_average(trained: Trained, tmp_path: Path) -> None:
    experiment, run = trained(lora=False, more="[ema]\ndecay = 0.9\n")
    average = load_checkpoint(checkpoints_in(run)[-1][1]).average
    assert average is not None
    export_checkpoint(experiment, run, tmp_path / "exported")
    for place in (run / FINAL / FILE, tmp_path / "exported" / FILE):
        written = load_file(place)
        assert all(torch.equal(written[name], value) for name, value in average.items())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lora", [True, False])
def test_a_full_disk_is_told_and_the_weights_before_stay(
    lora: bool, kind: str, trained: Trained, tmp_path: Path
) -> None:
    experiment, run = trained(lora=lora)
    folder = tmp_path / "disk"
    folder.mkdir()
    with full_disk(folder, kind), pytest.raises(DiskError, match=r"cannot write .*; make room or allow writing there"):
        export_checkpoint(experiment, run, folder / "exported")
    with full_disk(run / FINAL, KINDS[1]), pytest.raises(DiskError):
        export_checkpoint(experiment, run, run / FINAL)
    export_checkpoint(experiment, run, tmp_path / "exported")
    files = {path.relative_to(run / FINAL): path for path in (run / FINAL).rglob("*") if path.is_file()}
    assert files and all(
        (tmp_path / "exported" / name).read_bytes() == path.read_bytes() for name, path in files.items()
    )
    assert not list((run / FINAL).rglob(".*"))


def test_a_training_that_is_killed_while_it_writes_a_network_has_not_finished(trained: Trained, tmp_path: Path) -> None:
    experiment, run = trained(lora=False)
    killed_before_writing("config.json", lambda: export_checkpoint(experiment, run, tmp_path / FINAL))
    assert weights_in(tmp_path) is None
    export_checkpoint(experiment, run, tmp_path / FINAL)
    assert weights_in(tmp_path) == tmp_path / FINAL
    assert [path.name for path in (tmp_path / FINAL).iterdir()] == [NETWORK], "what was half written is gone"
    assert (
        json.loads((tmp_path / FINAL / NETWORK / "config.json").read_text())["_class_name"] == "FluxTransformer2DModel"
    )
