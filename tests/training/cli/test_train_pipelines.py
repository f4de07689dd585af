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


@pytest.mark.parametrize(
    ("part", "bytes_left", "why"),
    [
        ("transformer", None, "it has no weights"),
        ("vae", 0, "it has 0 bytes"),
        ("text_encoder", 40, "it ends after 40 bytes, inside its header"),
        ("text_encoder_2", -1, "it ends after"),
        ("transformer", b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "it is a Git LFS pointer"),
        ("vae", b"\x02" + bytes(7) + b"[]" + bytes(9), "its header is not that of a safetensors file"),
        ("vae", b"no weights at all", "it does not begin like a safetensors file"),
    ],
)
def test_weights_that_were_not_downloaded_to_their_end_are_refused_in_the_dry_run(
    part: str, bytes_left: int | bytes | None, why: str, tiny_pipeline: Any, tmp_path: Path, capsys: Any
) -> None:
    shutil.copytree(tiny_pipeline("kontext"), tmp_path / "tiny")
    file = next((tmp_path / "tiny" / part).glob("*.safetensors"))
    if bytes_left is None:
        file.unlink()
        file = file.parent
    else:
        file.write_bytes(bytes_left if isinstance(bytes_left, bytes) else file.read_bytes()[:bytes_left])
    for experiment in (
        write_experiment(tmp_path / "mine.toml", settings_for("kontext", tmp_path / "tiny")),
        write_reinforcement(tmp_path / "rewards.toml", tmp_path / "tiny"),
    ):
        said = refused(capsys, "train", "run", experiment, "--out", tmp_path / "out", "--dry-run")
        assert f"[model] pipeline: {file} cannot be used ({why}" in said and "finish its download" in said


def test_a_missing_shard_is_named(tiny_pipeline: Any, tmp_path: Path, capsys: Any) -> None:
    shutil.copytree(tiny_pipeline("kontext"), tmp_path / "tiny")
    folder = tmp_path / "tiny" / "transformer"
    listed = folder / "diffusion_pytorch_model.safetensors.index.json"
    named = {"a": "diffusion_pytorch_model.safetensors", "b": "diffusion_pytorch_model-00002-of-00002.safetensors"}
    file = write_experiment(tmp_path / "mine.toml", settings_for("kontext", tmp_path / "tiny"))
    for text, place, why in (
        (json.dumps({"weight_map": named}), folder / named["b"], f"{listed.name} names it, and it is not there"),
        ("{}", listed, "it does not say which file has which weights"),
    ):
        listed.write_text(text)
        said = refused(capsys, "train", "run", file, "--out", tmp_path / "out", "--dry-run")
        assert f"[model] pipeline: {place} cannot be used ({why})" in said


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
