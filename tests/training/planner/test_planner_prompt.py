"""A planner is reinforced with the prompt that it was fine-tuned with, token by token."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from editscope.errors import BadInput
from editscope.training.data.examples import EditExample
from editscope.training.planner.folders import find_planner
from editscope.training.planner.objective import PlannerObjective
from editscope.training.planner.prompts import FILE, filled
from editscope.training.planner.settings import PlannerSettings
from editscope.training.planner.start import load_language_model, train_planner
from editscope.training.reinforcement.planner import PROMPT, chat_encoder
from editscope.training.reinforcement.planner_start import (
    PlannerChoice,
    check_planner,
    decided_by_prompt,
    load_planner,
    used_prompt,
)
from editscope.training.settings import read_experiment
from support.training.experiments import write_reinforcement
from support.training.small_runs import small_settings
from support.training.tiny_flow import tiny_examples
from support.training.tiny_planner import tiny_planner

pytestmark = pytest.mark.slow

SETTINGS = small_settings(planner_tokens=4, trains="both")
EXAMPLE = replace(tiny_examples(1)[0], instruction="paint a red square")
CHAT = "{% for turn in messages %}<{{ turn.content if turn.content is string else '' }}>{% endfor %}"
"""Like the template of Qwen3, which drops a content that is not a string."""


def tokens_of(planner: Any, example: EditExample = EXAMPLE) -> Any:
    return planner._encode(example)["input_ids"].tolist()[0]


@pytest.fixture(scope="module", params=["", CHAT], ids=["text", "chat"])
def trained(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training with a prompt of its own."""
    folder = tmp_path_factory.mktemp("trained")
    planner = tiny_planner(folder / "model")
    planner._tokenizer.chat_template = request.param or None
    planner.save(folder / "model")
    (folder / "pairs.jsonl").write_text(json.dumps({"instruction": "paint", "plan": "a white square"}))
    (folder / "planner.toml").write_text(
        '[planner]\nmodel = "model"\nprecision = "fp32"\ndevice = "cpu"\nprompt = "square in the middle"\n'
        '[lora]\nrank = 2\n[training]\nsteps = 1\nbatch = 1\n[data]\npairs = "pairs.jsonl"\n'
    )
    train_planner(folder / "planner.toml", folder / "out")
    return folder


def test_reinforcement_starts_with_the_tokens_of_the_training(trained: Path, tmp_path: Path) -> None:
    settings = PlannerSettings(str(trained / "out"), "fp32", device="cpu", prompt="square in the middle")
    network, tokenizer = load_language_model(settings, None)
    wanted = PlannerObjective(network, tokenizer, settings).prompt_tokens(EXAMPLE.instruction)
    planner = load_planner(trained / "out", SETTINGS, chosen=PlannerChoice("", "fp32", 2))
    assert tokens_of(planner) == wanted
    plans = planner.write(EXAMPLE, 2, seed=1)
    assert torch.isfinite(plans.log_probabilities).all()
    planner.save(tmp_path / "run/planner")
    assert tokens_of(load_planner(tmp_path / "run", SETTINGS, chosen=PlannerChoice("", "fp32", 2))) == wanted
    other = load_planner(trained / "out", SETTINGS, chosen=PlannerChoice("", "fp32", 2, "the white"))
    own = replace(settings, prompt="the white")
    assert tokens_of(other) == PlannerObjective(network, tokenizer, own).prompt_tokens(EXAMPLE.instruction)


def test_the_prompt_is_that_of_the_table_then_of_the_training_then_the_default(trained: Path) -> None:
    weights, model = find_planner(str(trained / "out"), "here"), find_planner(str(trained / "model"), "here")
    used = used_prompt(PlannerChoice("", prompt="Own."), weights)
    assert (used.prompt.text, used.prompt.text_only, used.origin) == ("Own.", True, "[planner] prompt")
    assert used_prompt(PlannerChoice(""), weights).origin == "the planner's training"
    default = used_prompt(PlannerChoice(""), model)
    assert (default.prompt.text, default.origin) == (PROMPT, "the default of reinforcement learning")
    assert decided_by_prompt(used) == {"planner.prompt": "Own."}
    assert decided_by_prompt(default) == decided_by_prompt(None) == {}, "checkpoints of earlier versions do not name it"
    assert filled(PROMPT, "melt {it}") == PROMPT.format(instruction="melt {it}")


def test_an_experiment_may_have_a_prompt(trained: Path, tmp_path: Path) -> None:
    more = f'[planner]\nmodel = "{trained / "out"}"\nrank = 2\n'
    file = write_reinforcement(tmp_path / "e.toml", tmp_path / "nothing", more=more + 'prompt = "Own."\n')
    used = check_planner(read_experiment(file), SETTINGS, file.name)
    assert used is not None and used.prompt.text == "Own."
    file.write_text(file.read_text().replace('prompt = "Own."', 'prompt = " "'))
    with pytest.raises(
        BadInput, match=r"^e.toml, \[planner\] prompt: ' ' is blank; write the text before the instruction"
    ):
        check_planner(read_experiment(file), SETTINGS, file.name)


def test_a_template_of_a_language_model_gets_the_instruction(tmp_path: Path) -> None:
    tokenizer = tiny_planner(tmp_path)._tokenizer
    tokenizer.chat_template = CHAT
    encoded = chat_encoder(tokenizer, "the {instruction}", pictures=False)(EXAMPLE)
    assert "paint a red square" in tokenizer.decode(encoded["input_ids"][0])


@pytest.mark.parametrize("text", ["{", "[]", '{"prompt": 3, "text_only": true}', '{"prompt": "", "text_only": true}'])
def test_a_damaged_prompt_is_named(text: str, trained: Path, tmp_path: Path) -> None:
    import shutil

    folder = shutil.copytree(trained / "out/weights", tmp_path / "copy")
    (folder / FILE).write_text(text)
    with pytest.raises(BadInput, match=rf"{FILE} cannot be read .*; remove it and write the prompt as"):
        find_planner(str(folder), "[planner]")
