"""What a run by rewards does not use is refused, with what takes its place; another reward is another experiment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from editscope.cli.app import main
from editscope.errors import BadInput
from editscope.training.reinforcement.start import read_reinforcement, reinforce_experiment
from editscope.training.settings import read_experiment
from support.training.experiments import write_reinforcement


def read(file: Path) -> None:
    read_reinforcement(read_experiment(file), file.name)


def with_entry(place: Path, table: str, entry: str) -> Path:
    """A small experiment with one more entry."""
    file = write_reinforcement(place / "e.toml", place / "nothing")
    text = file.read_text()
    head = f"[{table}]\n"
    text = text.replace(head, f"{head}{entry}\n") if head in text else f"{text}{head}{entry}\n"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("table", "entry", "instead"),
    [
        ("optimizer", "rate = 1e-6", r"\[reinforcement\] rate"),
        ("schedule", "warmup = 10", r"\[reinforcement\] rate"),
        ("ema", "decay = 0.9", r"\[reinforcement\] nft_decay"),
        ("timesteps", 'distribution = "uniform"', r"\[reinforcement\] steps"),
    ],
)
def test_a_table_of_supervised_training_is_refused(table: str, entry: str, instead: str, tmp_path: Path) -> None:
    with pytest.raises(
        BadInput,
        match=rf"^e.toml, \[{table}\]: remove this table, which reinforcement learning does not use: .*{instead}",
    ):
        read(with_entry(tmp_path, table, entry))


@pytest.mark.parametrize(
    ("table", "entry", "instead"),
    [
        ("training", "steps = 100", r"\[reinforcement\] rounds"),
        ("training", "batch = 1", r"\[reinforcement\] batch"),
        ("training", "global_batch = 2", r"\[reinforcement\] prompts, group_size and updates"),
        ("training", "clip = 0.5", r"\[reinforcement\] most_gradient"),
        ("training", "drop_instruction = 0.1", "nothing takes its place"),
        ("training", 'cache = "cache"', "nothing takes its place"),
        ("training", "log_every = 5", "nothing takes its place"),
        ("tracking", "samples_every = 1", r"\[reinforcement\] held_out_every"),
        ("tracking", "samples = 2", r"\[reinforcement\] held_out_every"),
        ("checkpoints", "every = 1", r"\[reinforcement\] save_every"),
        ("evaluation", 'suite = "paintbench"\nevery = 5', r"\[reinforcement\] held_out_every"),
    ],
)
def test_an_entry_of_supervised_training_is_refused(table: str, entry: str, instead: str, tmp_path: Path) -> None:
    name = entry.split("\n")[-1].split(" ")[0]
    with pytest.raises(BadInput, match=rf"^e.toml, \[{table}\] {name}: remove this entry, .*{instead}"):
        read(with_entry(tmp_path, table, entry))


@pytest.mark.parametrize(
    ("table", "entry"), [("training", "steps = 1"), ("tracking", "samples_every = 0"), ("checkpoints", "keep = 2")]
)
def test_what_happens_anyway_may_be_written(table: str, entry: str, tmp_path: Path) -> None:
    read(with_entry(tmp_path, table, entry))


def test_a_run_by_rewards_needs_no_table_of_training(tmp_path: Path) -> None:
    file = write_reinforcement(tmp_path / "e.toml", tmp_path / "nothing")
    file.write_text(file.read_text().replace("[training]\nseed = 0\n", ""))
    read(file)


@pytest.mark.parametrize("entry", ["held_out_fall = 0.05", "held_out_above = 0.1"])
def test_a_limit_on_a_number_that_the_run_has_not_is_refused(entry: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=rf"^e.toml, \[monitors\] {entry.split()[0]}: .* or remove it"):
        read(with_entry(tmp_path, "monitors", entry))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_checkpoint_of_other_rewards_is_refused_with_what_differs(
    tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write_reinforcement(tmp_path / "e.toml", tiny_pipeline("kontext"), rounds=1)
    reinforce_experiment(read_experiment(file), tmp_path / "run", source=file)
    text = file.read_text()
    changes = [
        ("kl = 0.01", "kl = 0.02", "[(]kl was 0.01, now 0.02"),
        ("outside = 0.5", "outside = 0.25", r"\(rewards.weights.outside was 0.5, now 0.25\)"),
        ('outside = "psnr_outside"', 'outside = "miou"', r'\(rewards.specs.outside was "psnr_outside", now "miou"\)'),
        ("[rewards.specs]", '[rewards.specs]\nmore = "miou"', r'\(rewards.specs.more was not set, now "miou"; '),
        (
            "[rewards.specs]",
            '[rewards]\noff = ["outside"]\n[rewards.specs]',
            r'outside was "psnr_outside", now not set',
        ),
    ]
    for old, new, sentence in changes:
        file.write_text(text.replace(old, new))
        with pytest.raises(
            BadInput,
            match=rf"was saved with different settings .*{sentence}|was saved with different settings {sentence}",
        ):
            reinforce_experiment(read_experiment(file), tmp_path / "run", source=file, resume=True)
        with pytest.raises(SystemExit) as ended:
            main(["train", "run", str(file), "--out", str(tmp_path / "run"), "--resume", "--dry-run"])
        error = " ".join(capsys.readouterr().err.split())
        assert ended.value.code == 2 and "was saved with different settings" in error, "a dry run refuses it too"
    file.write_text(text.replace("rounds = 1", "rounds = 2").replace("?jobs=1", "?jobs=2"))
    reinforce_experiment(read_experiment(file), tmp_path / "run", source=file, resume=True)
