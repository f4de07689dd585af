"""Fixed cases in supervised training: they are looked at, watched, and change nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.errors import BadInput
from editscope.images import load
from editscope.training.checkpoints import TrainingState, checkpoints_in, load_checkpoint
from editscope.training.data.fixed_cases import fixed_cases
from editscope.training.log.metrics_file import read_training
from editscope.training.models.loading import load_trained_editor
from editscope.training.models.settings import LoraSettings
from editscope.training.monitors import HeldOutLossLimit, MonitorStop, read_monitors
from editscope.training.page.page import write_training_page
from editscope.training.settings import read_experiment
from editscope.training.supervised.encoding import ExampleEncoder
from editscope.training.supervised.flow_matching import FlowObjective
from editscope.training.supervised.looks import KeptEncoder
from editscope.training.supervised.settings import TimestepSettings
from editscope.training.supervised.start import train
from support.training.experiments import write_experiment
from support.training.tiny_editors import pairs, settings_for
from support.training.training_data import settings_of, small_part

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

TRACKING = "[tracking]\ntrackers = []\nsamples_every = {every}\nsamples = 2\nsample_steps = 2\n"
EMA = "[ema]\ndecay = 0.5\nwarmup = false\n"


@pytest.fixture
def run(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> Callable[..., Path]:
    """Train a tiny Kontext with dropout in its LoRA layers; gives the folder."""

    def trained(name: str, every: int, *, more: str = "", resume: bool = False, keep: str = "all") -> Path:
        text = TRACKING.format(every=every) + EMA + more
        model = settings_for("kontext", tiny_pipeline("kontext"))
        file = write_experiment(tmp_path / f"{name}.toml", model, steps=4, size="32x32", more=text)
        changed = file.read_text().replace("rank = 4", "rank = 4\ndropout = 0.2").replace('"all"', f'"{keep}"')
        file.write_text(changed)
        train(read_experiment(file), tmp_path / name, source=file, resume=resume)
        return tmp_path / name

    return trained


def last(folder: Path) -> TrainingState:
    return load_checkpoint(checkpoints_in(folder)[-1][1])


def test_looks_change_no_weight_and_no_generator(run: Any, tmp_path: Path) -> None:
    without, with_looks = run("without", 0), run("with", 1)
    one, other = last(without), last(with_looks)
    assert all(torch.equal(value, other.weights[name]) for name, value in one.weights.items())
    assert one.average is not None and other.average is not None
    assert all(torch.equal(value, other.average[name]) for name, value in one.average.items())
    assert one.random == other.random and one.loader == other.loader

    (tmp_path / "with/checkpoints/step-00000004").rename(tmp_path / "whole")
    again = last(run("with", 1, resume=True))
    whole = load_checkpoint(tmp_path / "whole")
    assert all(torch.equal(value, again.weights[name]) for name, value in whole.weights.items())
    assert again.more == whole.more and again.random == whole.random


def test_a_look_keeps_edits_numbers_and_a_grid(run: Any) -> None:
    folder = run("mine", 2)
    record = read_training(folder)
    assert list(record.samples) == [0, 2, 4] and all(len(cases) == 2 for cases in record.samples.values())
    assert all(case.id.startswith("held-out stream 0/") for cases in record.samples.values() for case in cases)
    for name in ("identity_rate", "over_edit_ratio", "held_out/loss"):
        assert [step for step, _ in record.curve(name)] == [0, 2, 4]
    assert len(record.curve("model_tflops")) == 4 and record.settings["data"]["parts"]
    first, final = (load(folder / record.samples[step][0].edit) for step in (0, 4))
    assert first.shape == (32, 32, 3) and (first != final).any()
    assert load(folder / "samples/grid.png").shape[2] == 3
    page = write_training_page(folder).read_text()
    for words in ("Identity rate", "Over-edit ratio", "Loss on held-out cases", "held-out stream 0/0", "TFLOP/s"):
        assert words in page


def test_a_case_is_encoded_once_for_all_looks_and_noise_levels(tiny_pipeline: Callable[[str], Path]) -> None:
    editor = load_trained_editor(settings_for("kontext", tiny_pipeline("kontext")), LoraSettings(rank=2))
    (example,) = pairs(1, 32, 32)
    losses = []
    for encoder in (KeptEncoder(editor), ExampleEncoder(editor)):
        objective = FlowObjective(editor, encoder, TimestepSettings())
        for _ in range(2):
            encoder.condition(example)
            with torch.no_grad():
                losses.append(objective.losses([example] * 4, [torch.Generator().manual_seed(one) for one in range(4)]))
        assert encoder.made == (2 if isinstance(encoder, KeptEncoder) else 18)
    assert torch.equal(losses[0], losses[1]) and torch.allclose(losses[0], losses[2], rtol=1e-5)


def test_a_monitor_stops_the_run_with_a_sentence_and_a_checkpoint(run: Any, tmp_path: Path) -> None:
    limit = "[monitors]\nover_edit_ratio = 0.0001\nwindow = 2\n"
    with pytest.raises(MonitorStop, match=r"stopped at step 2: the over-edit ratio is .* a checkpoint is saved"):
        run("mine", 1, more=limit)
    assert [step for step, _ in checkpoints_in(tmp_path / "mine")] == [2]
    assert read_training(tmp_path / "mine").events[-1].kind == "stopped"
    run("mine", 1, resume=True)
    assert checkpoints_in(tmp_path / "mine")[-1][0] == 4


def test_what_is_kept_for_the_backward_pass_changes_no_bit(run: Any) -> None:
    made = [last(run(keep, 0, keep=keep)).weights for keep in ("all", "inputs", "attention")]
    assert all(torch.equal(value, other[name]) for other in made[1:] for name, value in made[0].items())


def test_a_loss_that_rises_stops_after_its_patience_and_remembers_across_a_resume() -> None:
    monitor = HeldOutLossLimit(0.1, patience=2)
    assert [monitor.observe(step, loss) for step, loss in enumerate((1.0, 0.5, 0.52, 0.6))] == [None] * 4
    again = HeldOutLossLimit(0.1, patience=2)
    again.load_state(monitor.state())
    assert "rose from 0.5 at step 1 to 0.6" in str(again.observe(4, 0.6))


def test_cases_of_a_suite_are_named_as_trained_on(tmp_path: Path) -> None:
    stream = {"source": "stream:paintbench?tasks=border&conditions=baseline", "name": "drawn", "weight": 1}
    suite = small_part(tmp_path / "set", name="set", weight=1)
    sizes = {"sizes": ["64x64"], "enlarge": 2}
    mixed = fixed_cases(settings_of(stream, suite, sizes=sizes), 3, 16)
    assert [example.part for example in mixed.examples] == ["drawn", "drawn", "set"] and not mixed.held_out
    assert "2 of part 'drawn', from a stream of its own" in mixed.origin and "also trained on" in mixed.origin
    assert all(example.pictures[0].shape == (64, 64, 3) for example in mixed.examples)
    assert fixed_cases(settings_of({**stream, "weight": None}, sizes=sizes), 1, 16).held_out


def test_settings_of_old_files_are_named(tiny_pipeline: Any, tmp_path: Path) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"))
    file = write_experiment(tmp_path / "mine.toml", model)
    file.write_text(file.read_text().replace('keep = "all"', "gradient_checkpointing = true"))
    with pytest.raises(BadInput, match=r'gradient_checkpointing: is now called keep; write keep = "inputs"'):
        read_experiment(file)
    with pytest.raises(BadInput, match="there is no option 'identty_rate'"):
        read_monitors({"identty_rate": 0.5})
