"""Data that ends before the rounds do: refused beforehand if that is known, else said, with the weights so far."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.cli.app import main
from editscope.errors import BadInput
from editscope.training.data.loader import ExampleLoader
from editscope.training.log.metrics_file import read_training
from editscope.training.reinforcement import start
from editscope.training.reinforcement.loop import reinforce
from editscope.training.settings import read_experiment
from support.training.experiments import write_reinforcement
from support.training.listed_examples import ListedExamples
from support.training.simple_rewards import ByFunction, FileCheckpoints, brightness
from support.training.small_runs import UNWATCHED, mixed, same_weights, small_run, small_settings
from support.training.tiny_flow import TinyFlow, tiny_examples


def a_run(most: int, **options: Any) -> tuple[TinyFlow, list[dict[str, float]]]:
    """A run of four rounds of two prompts, with so many examples."""
    editor, examples = TinyFlow(), ListedExamples(tiny_examples(2), most=most)
    mix = mixed({"brightness": ByFunction(brightness)})
    return editor, reinforce(editor, examples, mix, small_settings(rounds=4), monitors=UNWATCHED, **options)


def test_data_that_ends_before_the_first_round_is_refused() -> None:
    before = TinyFlow()
    with pytest.raises(BadInput, match=r"before round 1; remove \[data\] epochs, or lower \[reinforcement\] prompts"):
        a_run(1)
    assert same_weights(before.network, TinyFlow().network)


def test_data_that_ends_early_is_said_and_leaves_the_weights_of_the_last_round(tmp_path: Path) -> None:
    said: list[str] = []
    scored: list[int] = []
    places = FileCheckpoints(tmp_path)
    editor, history = a_run(
        5,
        checkpoints=places,
        on_early_end=said.append,
        held_out=lambda rounds: {"miou": 0.5},
        on_held_out=lambda rounds, metrics: scored.append(rounds),
    )
    assert said == ["the data ran out after round 2 of 4; the weights are those of that round"]
    assert (len(history), scored, places.steps[-1]) == (2, [0, 2], 2)
    state = places.latest()
    assert state is not None and state["examples"] == {"taken": 4}, "the round that was not made took no examples"
    assert same_weights(editor.network, small_run(small_settings(rounds=2))[0].network)


def finite(file: Path, prompts: int, rounds: int) -> Path:
    """An experiment on the 64 problems of a small suite, once."""
    text = (
        file.read_text()
        .replace("stream:paintbench", "suite:tinygrafix")
        .replace("workers = 0", "workers = 0\nepochs = 1")
    )
    text = text.replace('sizes = ["64x64"]', 'sizes = ["64x64"]\nfit = "stretch"\nenlarge = 64')
    text = text.replace("prompts = 2", f"prompts = {prompts}").replace("rounds = 1", f"rounds = {rounds}")
    file.write_text(text)
    return file


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("prompts", "rounds", "sentence"),
    [
        (99999, 1, "are not enough for one round of [reinforcement] prompts = 99999; remove epochs, or lower"),
        (2, 9999, "[reinforcement] rounds is 9,999; remove epochs, or write rounds ="),
    ],
)
def test_epochs_that_end_before_the_rounds_are_refused(
    prompts: int, rounds: int, sentence: str, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: Any
) -> None:
    file = finite(write_reinforcement(tmp_path / "e.toml", tiny_pipeline("kontext"), rounds=1), prompts, rounds)
    for more in (["--dry-run"], []):
        with pytest.raises(SystemExit) as ended:
            main(["train", "run", str(file), "--out", str(tmp_path / "out"), *more])
        said = capsys.readouterr()
        assert ended.value.code == 2 and "loading" not in said.out
        error = " ".join(said.err.split())
        assert "e.toml, [data] epochs: 1 of " in error and sentence in error


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_run_whose_data_end_early_says_so_in_its_log(
    tiny_pipeline: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_reinforcement(tmp_path / "e.toml", tiny_pipeline("kontext"))
    take, told = ExampleLoader.take, list[str]()

    def short(self: Any, number: int) -> Any:
        if self.state()["planned"] >= 2:
            raise StopIteration
        return take(self, number)

    monkeypatch.setattr(ExampleLoader, "take", short)
    start.reinforce_experiment(read_experiment(file), tmp_path / "run", source=file, say=told.append)
    sentence = "the data ran out after round 1 of 2; the weights are those of that round"
    assert sentence in told
    assert sentence in [event.sentence for event in read_training(tmp_path / "run").events]
