"""Text fine-tuning of a tiny planner: it learns its pairs, with the loop and the checkpoints of all training."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from editscope.cli.app import main
from editscope.documents import read_toml
from editscope.errors import BadInput
from editscope.runfolder.files import DiskError
from editscope.training.checkpoints import checkpoints_in, load_checkpoint
from editscope.training.log import TrainingLog
from editscope.training.planner.experiment import read_planner
from editscope.training.planner.objective import PlannedEdit, PlannerObjective, longest_pair
from editscope.training.planner.outline import outline_planner
from editscope.training.planner.pairs import PairLoader
from editscope.training.planner.settings import PlannerSettings
from editscope.training.planner.start import load_language_model, train_planner
from editscope.training.reinforcement.planner import Planner, text_encoder
from editscope.training.supervised.memory import parameter_bytes
from editscope.training.supervised.start import EXPERIMENT
from support.models.tiny_parts import making, qwen_tokenizer
from support.studio.small_disk import KINDS, full_disk
from support.training.killed_between import killed_before_writing
from support.training.logged import read_log
from support.training.several_processes import trained_by

pytestmark = pytest.mark.slow

PAIRS = [("melt the ice", "a puddle"), ("burn the paper", "black ash")]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planner")
    with making(0) as (found, _, transformers):
        found.set_num_threads(1)
        tokenizer = qwen_tokenizer(transformers)
        config = transformers.Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
        )
        transformers.Qwen3ForCausalLM(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def experiment(folder: Path, model: Path, *, steps: int, lora: str = "", rate: float = 1e-2) -> Path:
    lines = [json.dumps({"instruction": one, "plan": two}) for one, two in PAIRS]
    (folder / "pairs.jsonl").write_text("\n".join(lines))
    file = folder / "planner.toml"
    file.write_text(
        f'[planner]\nmodel = "{model}"\nprecision = "fp32"\ndevice = "cpu"\nprompt = "Say it."\n{lora}\n'
        f"[training]\nsteps = {steps}\nbatch = 2\nlog_every = 100\n[optimizer]\nrate = {rate}\n"
        '[checkpoints]\nevery = 3\n[data]\npairs = "pairs.jsonl"\n'
    )
    return file


def test_a_planner_learns_its_pairs(model: Path, tmp_path: Path) -> None:
    out = train_planner(experiment(tmp_path, model, steps=80), tmp_path / "out")
    losses = [float(line["loss"]) for line in read_log(tmp_path / "out")]
    assert losses[-1] < 0.05 * losses[0]
    settings = PlannerSettings(str(out), precision="fp32", device="cpu", prompt="Say it.")
    network, tokenizer = load_language_model(settings, None)
    objective = PlannerObjective(network, tokenizer, settings)
    assert [objective.plan(one, 20) for one, _ in PAIRS] == [two for _, two in PAIRS]


def test_lora_of_a_planner_resumes_bit_for_bit(model: Path, tmp_path: Path) -> None:
    file = experiment(tmp_path, model, steps=6, lora="[lora]\nrank = 4\ndropout = 0.1")
    train_planner(file, tmp_path / "whole")
    there = dict(checkpoints_in(tmp_path / "whole"))
    whole = load_checkpoint(there[6]).weights
    assert whole and all("lora_" in name and "_proj" in name for name in whole)
    (tmp_path / "parts/checkpoints").mkdir(parents=True)
    there[3].rename(tmp_path / "parts/checkpoints/step-00000003")
    train_planner(file, tmp_path / "parts", resume=True)
    again = load_checkpoint(checkpoints_in(tmp_path / "parts")[-1][1]).weights
    assert all(torch.equal(value, again[name]) for name, value in whole.items())
    assert (tmp_path / "parts/weights/adapter_model.safetensors").is_file()


@pytest.mark.parametrize("lora", ["", "[lora]\nrank = 4"])
def test_weights_of_a_planner_are_written_whole_or_not_at_all(lora: str, model: Path, tmp_path: Path) -> None:
    file, out = experiment(tmp_path, model, steps=1, lora=lora), tmp_path / "out"
    train_planner(file, out)
    before = {path.name: path.read_bytes() for path in (out / "weights").iterdir()}
    shutil.copytree(out, tmp_path / "killed", ignore=shutil.ignore_patterns("weights"))
    killed_before_writing("tokenizer_config.json", lambda: train_planner(file, tmp_path / "killed", resume=True))
    assert not (tmp_path / "killed/weights").exists()
    train_planner(file, tmp_path / "killed", resume=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "killed/weights").iterdir()} == before
    assert not list((tmp_path / "killed").glob(".weights*")), "what was half written is gone"

    network, tokenizer = load_language_model(read_planner(file).planner, read_planner(file).lora)
    planner = Planner(network, tokenizer, text_encoder(tokenizer, "Say it."))
    with full_disk(out, KINDS[1]), pytest.raises(DiskError, match=r"cannot write .*weights: .*; make room"):
        planner.save(out / "weights")
    assert {path.name: path.read_bytes() for path in (out / "weights").iterdir()} == before


@pytest.mark.parametrize(
    "lora", [pytest.param("", marks=pytest.mark.drill(only=True)), "[lora]\nrank = 4\n[ema]\ndecay = 0.9"]
)
def test_a_planner_in_shards_is_written_whole(lora: str, model: Path, tmp_path: Path) -> None:
    file = experiment(tmp_path, model, steps=2, lora=lora)
    file.write_text(file.read_text().replace("[training]", '[training]\nparallel = "fsdp"\nglobal_batch = 4'))
    both = trained_by(2, file, tmp_path / "out", command="planner")
    assert both.returncode == 0, both.stderr
    saved = load_checkpoint(checkpoints_in(tmp_path / "out")[-1][1])
    wanted = saved.average or saved.weights
    written = load_file(tmp_path / "out/weights" / ("adapter_model.safetensors" if lora else "model.safetensors"))
    values = {name.removeprefix("base_model.model."): value for name, value in written.items()}
    assert all(torch.equal(values[name.replace(".default.", ".")], value) for name, value in wanted.items())


def test_pairs_that_have_changed_are_not_resumed_with(model: Path, tmp_path: Path) -> None:
    train_planner(experiment(tmp_path, model, steps=1), tmp_path / "out")
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n" + pairs.read_text().replace("black ash", "white ash"))
    with pytest.raises(BadInput, match=r"texts or order of the 2 pairs have changed .*resume with the file"):
        train_planner(tmp_path / "planner.toml", tmp_path / "out", resume=True)
    pairs.write_text(pairs.read_text().replace("white ash", "black ash"))
    train_planner(tmp_path / "planner.toml", tmp_path / "out", resume=True)  # another line is no other pair


def test_a_checkpoint_without_the_hash_of_its_pairs_is_resumed() -> None:
    """Earlier versions did not save it."""
    pairs = [PlannedEdit(str(number), *pair) for number, pair in enumerate(PAIRS)]
    PairLoader(pairs, 2).load_state({"position": 4, "pairs": 2, "seed": 0})


@pytest.mark.parametrize("lora", ["", "[lora]\nrank = 4", "[lora]\nrank = 4\n[ema]\ndecay = 0.9"])
def test_a_dry_run_says_what_is_trained(lora: str, model: Path, tmp_path: Path, capsys: Any) -> None:
    file = experiment(tmp_path, model, steps=6, lora=lora)
    with pytest.raises(SystemExit) as ended:
        main(["train", "planner", str(file), "--dry-run", "--out", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert not ended.value.code and not (tmp_path / "out").exists()
    read = read_planner(file)
    outline = outline_planner(read, file.name)
    network, tokenizer = load_language_model(read.planner, read.lora)
    trained = sum(value.numel() for value in network.parameters() if value.requires_grad)
    assert outline.trained == trained and f"{trained:,}" in said
    assert outline.memory["weights of the network"] == parameter_bytes(network)
    assert outline.memory["average of weights"] == (4 * trained if "ema" in lora else 0)
    assert outline.longest == longest_pair([PlannedEdit("", *pair) for pair in PAIRS], tokenizer, read.planner)
    assert re.search(r"pairs +2, each seen 6.00 times", said)


def test_a_dry_run_of_a_planner_that_continues_has_its_layers(model: Path, layers: Path, tmp_path: Path) -> None:
    file = experiment(tmp_path, layers, steps=6, lora="[lora]\nrank = 4")
    outline = outline_planner(read_planner(file), file.name)
    network, _ = load_language_model(read_planner(file).planner, read_planner(file).lora)
    assert outline.trained == sum(value.numel() for value in network.parameters() if value.requires_grad)


def test_pairs_that_are_too_long_are_refused_before_the_first_step(model: Path, tmp_path: Path) -> None:
    file = experiment(tmp_path, model, steps=6)
    file.write_text(file.read_text().replace("[planner]", "[planner]\nmost_tokens = 64"))
    with (tmp_path / "pairs.jsonl").open("a") as pairs:
        pairs.write("\n" + json.dumps({"id": "the long one", "instruction": "x " * 80, "plan": "y"}))
    for what in (
        lambda: outline_planner(read_planner(file), file.name),
        lambda: train_planner(file, tmp_path / "out"),
    ):
        with pytest.raises(BadInput, match=r"the long one has .* tokens with its plan, more than"):
            what()
    assert not checkpoints_in(tmp_path / "out")


def test_a_resume_with_other_settings_is_refused_before_weights_load(model: Path, tmp_path: Path) -> None:
    train_planner(experiment(tmp_path, model, steps=3), tmp_path / "out")
    said: list[str] = []
    with pytest.raises(BadInput, match="rate"):
        train_planner(experiment(tmp_path, model, steps=3, rate=1e-3), tmp_path / "out", resume=True, say=said.append)
    assert not said
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "train",
                "planner",
                str(tmp_path / "planner.toml"),
                "--out",
                str(tmp_path / "out"),
                "--resume",
                "--dry-run",
            ]
        )
    assert ended.value.code == 2


def test_a_second_training_in_a_folder_is_refused_before_it_touches_anything(model: Path, tmp_path: Path) -> None:
    file, said = experiment(tmp_path, model, steps=1), list[str]()
    with TrainingLog(tmp_path / "out", trackers=()):
        with pytest.raises(BadInput, match="is being written by another process"):
            train_planner(file, tmp_path / "out", say=said.append)
        assert not said and not (tmp_path / "out" / EXPERIMENT).exists()


def test_only_the_plan_counts_and_padding_does_not(model: Path) -> None:
    settings = PlannerSettings(str(model), precision="fp32", device="cpu")
    objective = PlannerObjective(*load_language_model(settings, None), settings)
    short, long = PlannedEdit("a", "melt it", "wet"), PlannedEdit("b", "a longer instruction", "a longer plan of it")
    with torch.no_grad():
        both = objective.losses([short, long], [])
        alone = torch.cat([objective.losses([one], []) for one in (short, long)])
    assert torch.allclose(both, alone, atol=1e-5)
    with pytest.raises(BadInput, match=r"b has .* tokens with its plan, more than"):
        tight = PlannerSettings(str(model), most_tokens=64)
        PlannerObjective(objective.network, objective._tokenizer, tight).losses([long], [])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1 is not JSON"),
        ('{"plan": "x"}', "line 1: instruction and plan must be non-empty strings"),
        ("", "no pair"),
    ],
)
def test_bad_pairs_are_named(line: str, said: str, model: Path, tmp_path: Path) -> None:
    file = experiment(tmp_path, model, steps=1)
    (tmp_path / "pairs.jsonl").write_text(line)
    with pytest.raises(BadInput, match=said):
        train_planner(file, tmp_path / "out")


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    settings: Any = PlannerSettings(str(tmp_path))
    with pytest.raises(BadInput, match="has neither config"):
        load_language_model(settings, None)


def test_weights_that_were_not_downloaded_to_their_end_are_named(model: Path, layers: Path, tmp_path: Path) -> None:
    from editscope.training.planner.folders import find_planner

    for whole, name in ((model, "model.safetensors"), (layers / "weights", "adapter_model.safetensors")):
        copy = shutil.copytree(whole, tmp_path / name.removesuffix(".safetensors"))
        find_planner(str(copy), "[planner]")
        cut = (copy / name).read_bytes()[:-1]
        (copy / name).write_bytes(cut)
        with pytest.raises(BadInput, match=rf"{name} cannot be used \(it ends after {len(cut):,} of {len(cut) + 1:,}"):
            find_planner(str(copy), "[planner]")


def reinforced(model: Path, trains: str, rank: int | None) -> Any:
    """The planner as reinforcement learning loads it."""
    from editscope.training.reinforcement.planner_start import PlannerChoice, load_planner
    from support.training.small_runs import small_settings

    settings = small_settings(planner_tokens=4, trains=trains)
    return load_planner(model, settings, chosen=PlannerChoice(str(model), "fp32", rank))


@pytest.fixture(scope="module")
def layers(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training that made LoRA layers of rank 4."""
    place = tmp_path_factory.mktemp("layers")
    train_planner(experiment(place, model, steps=4, lora="[lora]\nrank = 4"), place / "out")
    return place / "out"


@pytest.mark.parametrize("name", ["", "weights"])
@pytest.mark.parametrize(("trains", "rank"), [("painter", None), ("both", 4), ("both", None)])
def test_a_trained_planner_goes_on_from_either_folder(
    model: Path, layers: Path, name: str, trains: str, rank: int | None
) -> None:
    from transformers import AutoModelForCausalLM

    found = reinforced(layers / name, trains, rank).network
    tokens = torch.arange(12)[None]
    wanted = AutoModelForCausalLM.from_pretrained(layers / "weights")(tokens).logits
    assert torch.allclose(found(tokens).logits, wanted, atol=1e-5)
    assert not torch.allclose(AutoModelForCausalLM.from_pretrained(model)(tokens).logits, wanted, atol=1e-3)
    learns = [one for one, value in found.named_parameters() if value.requires_grad]
    if trains == "both":
        assert learns and all("lora_" in one for one in learns) is (rank is not None)


def test_a_planner_with_rewards_is_pulled_to_what_it_began_with_and_saved_with_its_layers(
    layers: Path, tmp_path: Path
) -> None:
    from editscope.training.reinforcement.policies import reference_of
    from editscope.training.weights import WeightCopy

    planner = reinforced(layers, "both", 4)
    assert isinstance(reference_of(planner.network), WeightCopy)
    planner.save(tmp_path / "run/planner")
    again = reinforced(tmp_path / "run", "both", 4).network
    tokens = torch.arange(12)[None]
    assert torch.equal(again(tokens).logits, planner.network(tokens).logits)


def test_a_planner_trains_on_from_a_training(model: Path, layers: Path, tmp_path: Path) -> None:
    out = train_planner(experiment(tmp_path, layers, steps=2, lora="[lora]\nrank = 4"), tmp_path / "out")
    assert json.loads((out / "adapter_config.json").read_text())["base_model_name_or_path"] == str(model)
    with pytest.raises(BadInput, match=r"\[lora\] rank: the LoRA in .* has rank 4, not 8; write rank = 4"):
        train_planner(experiment(tmp_path, layers, steps=2, lora="[lora]\nrank = 8"), tmp_path / "other")


def test_the_copy_of_an_experiment_names_folders_in_full(model: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    file = experiment(tmp_path / "out", model, steps=1).rename(tmp_path / "out" / EXPERIMENT)
    (tmp_path / "out/model").symlink_to(model)
    file.write_text(file.read_text().replace(str(model), "model"))
    train_planner(file, tmp_path / "out")  # its own copy
    copy = read_toml(file.read_text())
    assert copy["planner"]["model"] == str(tmp_path / "out/model")
    assert copy["data"]["pairs"] == str(tmp_path / "out/pairs.jsonl")
    train_planner(file, tmp_path / "again")
