"""Pipelines that are damaged or half there are refused before weights are loaded, in dry runs too, in one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from editscope.cli.app import main
from support.training.experiments import write_experiment, write_reinforcement
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]


def refused(capsys: Any, *words: Any) -> str:
    """What the command says about bad input, without having loaded anything."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    said = capsys.readouterr()
    assert ended.value.code == 2 and "loading" not in said.out and "Traceback" not in said.err
    return " ".join(said.err.split())


@pytest.mark.parametrize("text", [None, "{", "[]", '{"num_layers": "many", "block_out_channels": 7}'])
@pytest.mark.parametrize(
    "name",
    ["transformer/config.json", "vae/config.json", "scheduler/scheduler_config.json", "text_encoder/config.json"],
)
def test_a_damaged_pipeline_is_refused_with_its_file(
    name: str, text: str | None, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    if text and "many" in text and not name.startswith(("transformer", "vae")):
        pytest.skip("what these say is read when they are loaded")
    shutil.copytree(tiny_pipeline("kontext"), tmp_path / "tiny")
    file = tmp_path / "tiny" / name
    file.unlink()
    if text is not None:
        file.write_text(text)
    sup = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tmp_path / "tiny"))
    for experiment in (sup, write_reinforcement(tmp_path / "rewards.toml", tmp_path / "tiny")):
        for more in (("--dry-run",), ()):
            if text and "many" in text and name.startswith("transformer") and not more:
                continue  # only the dry run makes a network before weights are loaded
            said = refused(capsys, "train", "run", experiment, "--out", tmp_path / "out", *more)
            assert f"[model] pipeline: {file} cannot be used" in said and "finish its download" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("entry", [None, "FluxTransformer2DModel", [None, None], ["diffusers", "NoSuchClass"]])
def test_an_index_that_names_no_network_is_refused(entry: Any, tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    shutil.copytree(tiny_pipeline("kontext"), tmp_path / "tiny")
    index = tmp_path / "tiny" / "model_index.json"
    parts = json.loads(index.read_text())
    index.write_text(json.dumps({**parts, "transformer": entry}))
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tmp_path / "tiny"))
    assert "[model] pipeline:" in refused(capsys, "train", "run", file, "--out", tmp_path / "out", "--dry-run")


@pytest.mark.parametrize("seed", [-1, 2**63])
@pytest.mark.parametrize("table", ["training", "reinforcement", "data"])
def test_a_seed_that_no_generator_takes_is_refused(
    table: str, seed: int, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    file = write_reinforcement(tmp_path / "mine.toml", tiny_pipeline("kontext"))
    text = file.read_text().replace("seed = 0\n", "")
    file.write_text(text.replace(f"[{table}]\n", f"[{table}]\nseed = {seed}\n"))
    for more in (("--dry-run",), ()):
        said = refused(capsys, "train", "run", file, "--out", tmp_path / "out", *more)
        assert f"mine.toml, [{table}] seed: {seed} is out of range; write a whole number from 0 to" in said
