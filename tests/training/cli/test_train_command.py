"""`editscope train`: a run from its file, its outline, its end and its weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from editscope.cases import Edit
from editscope.cli.app import main
from editscope.editors import Editor, Request, load_editor
from editscope.editors.spec import EditorSpec, parse_spec
from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.models.loading import load_flow_editor
from editscope.training.models.lora import add_lora
from editscope.training.models.sampling import first_noise, integrate, velocity_of
from editscope.training.settings import read_experiment
from support.training.experiments import write_experiment
from support.training.logged import read_log
from support.training.tiny_editors import picture, settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


def called(*words: Any) -> int:
    """The command line in this process; gives the exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    return int(ended.value.code or 0)


def edited(editor: Editor, shown: Any) -> Any:
    """The picture that an editor makes."""
    made = editor.edit(Request("case", (shown,), "make it red", 5))
    assert isinstance(made, Edit)
    return made.image


@pytest.mark.parametrize("lora", [True, False])
@pytest.mark.parametrize("name", ["kontext", "qwen_plus"])
def test_what_is_exported_edits_as_in_training(
    name: str, lora: bool, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: Any
) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for(name, tiny_pipeline(name)), lora=lora, steps=3)
    out = tmp_path / "out"
    assert called("train", "run", file, "--out", out) == 0
    assert called("train", "export", out, "--out", tmp_path / "exported") == 0
    spec = capsys.readouterr().out.split()[-1]
    assert spec.startswith(f"diffusers:{tiny_pipeline(name)}?{'lora' if lora else 'network'}=")

    size, shown = (64, 64), picture(7)
    ways = "steps=2&size=64x64&device=cpu&guidance=1" + ("&call.max_sequence_length=24" if name == "kontext" else "")
    editor = load_editor(f"{spec}&{ways}")
    theirs = edited(editor, shown)
    plain = load_editor(f"diffusers:{tiny_pipeline(name)}?{ways}")
    untrained = edited(plain, shown)

    experiment = read_experiment(file)
    flow = load_flow_editor(experiment.model, full=not lora)
    if experiment.lora is not None:
        add_lora(flow.network, experiment.lora)
    weights = load_checkpoint(checkpoints_in(out)[-1][1]).weights
    flow.network.load_state_dict(dict(weights), strict=False)
    condition = flow.condition(["make it red"], [[shown]])
    sigmas = flow.sigmas(2, size).tolist()
    made = integrate(velocity_of(flow, condition, guidance=1.0), first_noise(flow, size, [5]), sigmas)
    ours = flow.pixels(made)[0].numpy().astype(int)
    assert theirs is not None and untrained is not None
    assert np.abs(ours - theirs).max() <= 1
    assert np.abs(ours - untrained).max() > 1


def test_an_export_says_what_it_does_and_keeps_what_is_there(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    file.write_text(file.read_text().replace("[model]", '[model]\nrevision = "v1"'))
    out, exported = tmp_path / "out", tmp_path / "50% & more"
    assert called("train", "run", file, "--out", out) == 0
    capsys.readouterr()
    assert called("train", "export", out, "--out", exported) == 0
    reading, loading, spec = capsys.readouterr().out.splitlines()
    assert reading == f"reading {out / 'experiment.toml'} …" and loading == f"loading {tiny_pipeline('kontext')}"
    options = {"lora": str(exported / "pytorch_lora_weights.safetensors"), "revision": "v1"}
    assert parse_spec(spec) == EditorSpec("diffusers", str(tiny_pipeline("kontext")), options)
    before = (exported / "pytorch_lora_weights.safetensors").stat().st_mtime_ns
    assert called("train", "export", out, "--out", exported, "--step", 2) == 2
    said = capsys.readouterr()
    assert "already has weights (pytorch_lora_weights.safetensors); choose another --out" in " ".join(said.err.split())
    assert not said.out and (exported / "pytorch_lora_weights.safetensors").stat().st_mtime_ns == before


def test_a_run_is_outlined_without_weights(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    assert called("train", "run", file, "--dry-run", "--out", tmp_path / "out") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "LoRA in 11 modules" in said and "pictures seen 4" in said and "memory in all, about" in said
    assert not (tmp_path / "out").exists()


def test_a_run_is_resumed_and_never_overwritten(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")), steps=4)
    assert called("train", "run", file, "--out", tmp_path / "whole") == 0
    whole = load_checkpoint(checkpoints_in(tmp_path / "whole")[-1][1])
    there = dict(checkpoints_in(tmp_path / "whole"))
    (tmp_path / "parts/checkpoints").mkdir(parents=True)
    there[2].rename(tmp_path / "parts/checkpoints/step-00000002")
    assert called("train", "run", file, "--out", tmp_path / "parts") == 2
    assert "has a checkpoint of step 2; add --resume" in capsys.readouterr().err
    assert called("train", "run", file, "--out", tmp_path / "parts", "--resume") == 0
    again = load_checkpoint(checkpoints_in(tmp_path / "parts")[-1][1])
    assert all(torch.equal(value, again.weights[name]) for name, value in whole.weights.items())
    assert [line["loss"] for line in read_log(tmp_path / "whole")][2:] == [
        line["loss"] for line in read_log(tmp_path / "parts")
    ]
    file.write_text(file.read_text().replace("rate = 0.01", "rate = 0.02"))
    assert called("train", "run", file, "--out", tmp_path / "parts", "--resume") == 2
    assert "was saved with different settings (optimizer.rate was 0.01, now 0.02)" in " ".join(
        capsys.readouterr().err.split()
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("rate = 0.01", "rate = 2", "mine.toml, [optimizer] rate: 2 must be above 0 and below 1"),
        ("rate = 0.01", "rat = 0.1", "there is no option 'rat' of mine.toml, [optimizer]; did you mean 'rate'?"),
        ("rank = 4", "rank = 0", "mine.toml, [lora] rank: 0 must be from 1 to 4,096"),
        ("rank = 4", 'rank = "four"', "mine.toml, [lora], option rank: 'four' is not a whole number"),
        ("steps = 2", "", "mine.toml, [training] has no steps; add it"),
        ("global_batch = 2", "global_batch = 2\nbatch = 3", "mine.toml is not TOML"),
        ("[optimizer]", "[optimiser]", "there is no table 'optimiser'; did you mean 'optimizer'?"),
        ("stream:tinygrafix", "stream:tinygraphics", "tinygraphics"),
    ],
)
def test_bad_settings_are_named(old: str, new: str, said: str, tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    file.write_text(file.read_text().replace(old, new, 1))
    assert called("train", "run", file, "--out", tmp_path / "out") == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_every_recipe_is_an_experiment_and_marks_what_is_ours(tmp_path: Path) -> None:
    for recipe, rate in (("pica-kontext", 1e-5), ("pica-qwen", 1e-4)):
        file = tmp_path / f"{recipe}.toml"
        assert called("train", "new", file, "--recipe", recipe) == 0
        experiment = read_experiment(file)
        assert experiment.lora is not None and experiment.lora.rank == 256
        assert (experiment.training.steps, experiment.training.examples) == (10_000, 64)
        assert (experiment.optimizer.kind, experiment.optimizer.rate) == ("adamw", rate)
        stated = {"pipeline", "rank", "steps", "global_batch", "kind", "rate", "name", "source"}
        for line in file.read_text().splitlines():
            name = line.split("=")[0].strip()
            if "=" in line and not line.startswith("#") and name not in stated:
                assert "ours" in line, line
    assert called("train", "new", tmp_path / "other.toml", "--recipe", "pika") == 2
