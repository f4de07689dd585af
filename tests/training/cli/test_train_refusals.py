"""`editscope train` refuses before weights are loaded, in a dry run as in a run, with sentences about its own files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editscope.cli.app import main
from editscope.runfolder.files import DiskError
from editscope.training.checkpoints import check_writable
from editscope.training.settings import read_experiment
from editscope.training.supervised.start import EXPERIMENT, keep_copy
from support.training.experiments import STREAM, write_experiment, write_reinforcement
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


def refused(capsys: Any, *words: Any) -> str:
    """What the command says about bad input, without having loaded anything."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    said = capsys.readouterr()
    assert ended.value.code == 2 and "loading" not in said.out
    return " ".join(said.err.split())


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (STREAM, '[[data.parts]]\nsource = "paintbench"\n', "there is no kind of source 'paintbench'"),
        (STREAM, STREAM + STREAM, "two parts are called"),
        (STREAM, STREAM + 'level = "explicit"\n', "there is no level to choose in a problem"),
        (
            STREAM,
            '[[data.parts]]\nsource = "stream:optics?size=128"\nlevels = { superficial = 1 }\n',
            '"stream:optics?size=128&levels=superficial"',
        ),
        ("[tracking]", '[evaluation]\nsuite = "tinygrafix"\nmax_area = 100\n[tracking]', "[evaluation] max_area: 100"),
        ("[tracking]", '[evaluation]\nsuite = "tinygrafix"\nscale = -3.0\n[tracking]', "[evaluation] scale: -3.0"),
        ("rate = 0.01", "weight_decay = nan", "mine.toml, [optimizer] weight_decay: nan is not a finite number"),
        (STREAM, STREAM + "weight = inf\n", "mine.toml, [data.parts] weight: inf is not a finite number"),
        (STREAM, '[[data.parts]]\nsource = "suite:picabench"\n', 'needs its data: write data = "DIR"'),
        ('"64x64"', '"60x64"', "mine.toml, [data.sizes] sizes: 60x64"),
        ('device = "cpu"', 'device = "tpu"', "[model] device: there is no device 'tpu'"),
        ('device = "cpu"', 'device = "cuda:1"', "CUDA_VISIBLE_DEVICES=1"),
        ("[tracking]", '[evaluation]\nsuite = "paintbnch"\n[tracking]', "[evaluation]: there is no suite 'paintbnch'"),
        ("[tracking]", '[evaluation]\nsuite = "worldedit"\n[tracking]', 'needs its data: write data = "DIR"'),
        ("log_every = 1", 'log_every = 1\nparallel = "deepspeed"\ndeepspeed = "zero.json"', "zero.json"),
        ("[tracking]", "[monitors]\nidentity_rate = 0.5\n[tracking]", "mine.toml, [monitors] identity_rate: watches"),
    ],
)
def test_a_dry_run_refuses_what_the_run_refuses(
    old: str, new: str, sentence: str, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    for more in (("--dry-run",), ()):
        said = refused(capsys, "train", "run", file, "--out", tmp_path / "out", *more)
        assert sentence in said and "--data" not in said
    assert not (tmp_path / "out").exists()


def test_epochs_that_end_before_the_steps_are_refused(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")), steps=9999)
    text = file.read_text().replace("stream:tinygrafix", "suite:tinygrafix")
    file.write_text(text.replace("workers = 0", "workers = 0\nepochs = 1"))
    for more in (("--dry-run",), ()):
        said = refused(capsys, "train", "run", file, "--out", tmp_path / "out", *more)
        assert "mine.toml, [data] epochs: 1 of" in said and "steps of 2 examples, and [training] steps is 9,999" in said


def test_a_place_that_cannot_be_written_is_a_sentence(
    tiny_pipeline: Any, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervised = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    rewards = write_reinforcement(tmp_path / "rewards.toml", tiny_pipeline("kontext"))
    for file in (supervised, rewards):
        for more in ([], ["--dry-run"]):
            with pytest.raises(SystemExit):
                main(["train", "run", str(file), "--out", str(supervised / "x"), *more])
            assert f"cannot write {supervised / 'x'}" in " ".join(capsys.readouterr().err.split())
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(DiskError, match="Permission denied; make room or allow writing there"):
        check_writable(tmp_path / "new")


def test_a_device_that_is_not_there_is_refused(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    file.write_text(file.read_text().replace('device = "cpu"', 'device = "cuda"'))
    said = refused(capsys, "train", "run", file, "--out", tmp_path / "out")
    assert '[model] device: PyTorch finds no "cuda" here' in said


def test_a_file_is_no_folder_of_a_run(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    for more in (("--dry-run",), (), ("--resume",)):
        assert "is a file; choose a folder" in refused(capsys, "train", "run", file, "--out", file, *more)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('miou = "miou?jobs=1"', 'why = "reason?judge=openai:gpt-5"', "'why' scores plans, but there is no planner"),
        ("prompts = 2", 'prompts = 2\ntrains = "both"', '"both" needs a planner'),
        ("[rewards.specs]", '[evaluation]\nsuite = "worldedit"\n[rewards.specs]', 'write data = "DIR"'),
    ],
)
def test_rewards_that_cannot_teach_are_refused(
    old: str, new: str, sentence: str, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    file = write_reinforcement(tmp_path / "mine.toml", tiny_pipeline("kontext"))
    file.write_text(file.read_text().replace(old, new, 1))
    for more in (("--dry-run",), ()):
        assert sentence in refused(capsys, "train", "run", file, "--out", tmp_path / "out", *more)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "neither config.json nor adapter_config.json"),
        ({"config.json": "{}"}, "cannot be used (it has no weights)"),
        ({"weights/config.json": "no JSON"}, "cannot be used (it has no weights)"),
        ({"adapter_config.json": "{}"}, "adapter_config.json cannot be read"),
    ],
)
def test_a_folder_that_is_no_planner_is_refused(
    files: dict[str, str], sentence: str, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "plans").mkdir()
    for name, text in files.items():
        (tmp_path / "plans" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "plans" / name).write_text(text)
    more = '[planner]\nmodel = "plans"\n'
    file = write_reinforcement(tmp_path / "mine.toml", tiny_pipeline("kontext"), more=more)
    for option in (("--dry-run",), ()):
        said = refused(capsys, "train", "run", file, "--out", tmp_path / "out", *option)
        assert "mine.toml, [planner] model:" in said and sentence in said


def test_a_planner_has_a_command_of_its_own(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "planner.toml"
    with pytest.raises(SystemExit):
        main(["train", "new", str(file), "--recipe", "worldedit-planner"])
    assert f"editscope train planner {file}" in capsys.readouterr().out
    assert "use `train planner`" in refused(capsys, "train", "run", file)
    assert "pairs.jsonl cannot be read" in refused(capsys, "train", "planner", file, "--out", tmp_path / "out")


def test_the_copy_of_an_experiment_finds_its_model_from_anywhere(tiny_pipeline: Any, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "tiny").symlink_to(tiny_pipeline("kontext"))
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", Path("models/tiny")))
    (tmp_path / "run").mkdir()
    keep_copy(file, read_experiment(file), tmp_path / "run")
    copied = read_experiment(tmp_path / "run" / EXPERIMENT)
    assert copied.model.pipeline == str(tmp_path / "models" / "tiny")
    assert copied.data == read_experiment(file).data


@pytest.mark.parametrize(
    ("text", "command", "use"),
    [
        ('experiment = "a.toml"\n[[arms]]\nname = "A"\n', ("run",), "the plan of a comparison"),
        ("[stage]\nseconds = 1\n", ("run",), "a recipe of the small editor"),
        ('[model]\npipeline = "tiny"\n', ("small",), "an experiment"),
    ],
)
def test_files_of_other_commands_are_named_as_such(
    text: str, command: tuple[str, ...], use: str, tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    said = refused(capsys, "train", *command, file, "--out", tmp_path / "out", "--dry-run")
    assert f"mine.toml is {use}, because it has [" in said and "use `editscope train " in said


def test_a_model_that_is_not_here_is_an_error_of_its_entry(tmp_path: Path, capsys: Any) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tmp_path / "none"))
    said = refused(capsys, "train", "run", file, "--out", tmp_path / "out", "--dry-run")
    assert f"[model] pipeline: {tmp_path / 'none'}: there is no such folder" in said and "diffusers:" not in said
