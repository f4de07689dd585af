"""Evaluation while training: a suite through the normal runner, with the weights of the moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.errors import Stopped
from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.data.loader import ExampleLoader
from editscope.training.log.metrics_file import read_training
from editscope.training.settings import read_experiment
from editscope.training.supervised.evaluation import editor_spec, evaluated_suite
from editscope.training.supervised.start import train
from support.training.experiments import write_experiment
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

TABLE = '[evaluation]\nsuite = "tinygrafix"\nevery = 2\nlimit = 1\nsteps = 1\nguidance = 1.0\nmax_area = 4096\n'


def test_a_suite_is_run_with_the_weights_of_the_moment(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"))
    file = write_experiment(tmp_path / "mine.toml", model, steps=4, more=TABLE)
    told: list[str] = []
    train(read_experiment(file), tmp_path / "out", source=file, say=told.append)
    runs = [es.open_run(tmp_path / f"out/evaluations/step-{step:08d}") for step in (2, 4)]
    specs = [str(run.info["editor"]["spec"]) for run in runs]
    assert "weights-00000002" in specs[0] and "weights-00000004" in specs[1]
    assert all(run.summary["coverage"].get("ok") == 1 for run in runs)
    kept = load_checkpoint(checkpoints_in(tmp_path / "out")[-1][1]).more["loop"]["evaluations"]
    assert kept["4"]["miou"] == pytest.approx(runs[1].summary["overall"]["miou"]["mean"])
    assert any(line.startswith("step 2: ") for line in told)
    assert sorted(path.name for path in (tmp_path / "out/evaluations").iterdir()) == ["step-00000002", "step-00000004"]


def test_an_interrupted_evaluation_is_resumed(
    tiny_pipeline: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[str] = []
    suite = evaluated_suite

    def counted(experiment: Any, file: str = "the experiment") -> Any:
        loads.append(file)
        return suite(experiment, file)

    def stopped(*_: Any, **__: Any) -> Any:
        raise Stopped("the judge does not answer; resume with editscope.run(suite, editor, out='x')")

    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")), more=TABLE)
    with monkeypatch.context() as patch:
        patch.setattr("editscope.runs.start.run", stopped)
        with pytest.raises(Stopped) as stop:
            train(read_experiment(file), tmp_path / "out", source=file, resume_with="press the button")
    assert str(stop.value) == (
        "the judge does not answer; a checkpoint of step 2 is saved: to resume, press the button"
    )
    assert (tmp_path / "out/evaluations/weights-00000002").is_dir()
    record = read_training(tmp_path / "out")
    assert record.events[-1].kind == "stopped" and record.events[-1].step == 2
    monkeypatch.setattr("editscope.training.supervised.evaluation.evaluated_suite", counted)
    told: list[str] = []
    train(read_experiment(file), tmp_path / "out", source=file, resume=True, say=told.append)
    assert told[-2].startswith("evaluating step 2") and not any(line.startswith("step 2 of 2") for line in told)
    assert [path.name for path in (tmp_path / "out/evaluations").iterdir()] == ["step-00000002"]
    assert len(loads) == 1
    assert [step for step, _ in read_training(tmp_path / "out").curve("held_out/miou")] == [2]


def test_the_weights_of_data_that_end_early_are_evaluated_and_looked_at(
    tiny_pipeline: Callable[[str], Path], tmp_path: Path
) -> None:
    tracking = "[tracking]\ntrackers = []\nsamples_every = 100\nsamples = 1\nsample_steps = 1\n"
    table = TABLE.replace("every = 2", "every = 100")
    model = settings_for("kontext", tiny_pipeline("kontext"))
    file = write_experiment(tmp_path / "mine.toml", model, steps=4, more=table + tracking)
    experiment = read_experiment(file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ExampleLoader, "__next__", limited(ExampleLoader.__next__, 6))
        train(experiment, tmp_path / "out", source=file)
    record = read_training(tmp_path / "out")
    assert record.last_step == 3 and list(record.samples) == [0, 3]
    assert [step for step, _ in record.curve("held_out/miou")] == [3]
    kept = load_checkpoint(checkpoints_in(tmp_path / "out")[-1][1]).more["loop"]
    assert list(kept["evaluations"]) == ["3"]


def limited(following: Callable[[Any], Any], batches: int) -> Callable[[Any], Any]:
    """A loader's next batch, until some were given."""
    left = iter(range(batches))

    def limit(loader: Any) -> Any:
        if next(left, None) is None:
            raise StopIteration
        return following(loader)

    return limit


def test_the_spec_names_the_weights_and_the_sampler(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> None:
    model = settings_for("kontext", tiny_pipeline("kontext"))
    experiment = read_experiment(write_experiment(tmp_path / "mine.toml", model, more=TABLE))
    spec = editor_spec(experiment, Path("/some where/lora.safetensors"))
    assert spec.endswith("&lora=/some where/lora.safetensors&steps=1&guidance=1.0&max_area=4096")
    assert "lora" not in editor_spec(experiment, None)
