"""Experiments on tiny pipelines: their files, and pairs to train on as a suite of one's own."""

from __future__ import annotations

from pathlib import Path

from editscope.training.models.settings import ModelSettings

STREAM = '[[data.parts]]\nsource = "stream:tinygrafix"\n'


def write_experiment(
    file: Path, model: ModelSettings, *, lora: bool = True, steps: int = 2, size: str = "64x64", more: str = ""
) -> Path:
    """A small experiment on problems without end."""
    given = {
        "pipeline": f'"{model.pipeline}"',
        "precision": '"fp32"',
        "device": '"cpu"',
        "keep": '"all"',
    }
    if model.input_area is not None:
        given["input_area"] = str(model.input_area)
    else:
        given["text_tokens"] = str(model.text_tokens)
    lines = ["[model]", *(f"{name} = {value}" for name, value in given.items())]
    if lora:
        lines += ["[lora]", "rank = 4", 'targets = "attention"']
    lines += ["[training]", f"steps = {steps}", "batch = 1", "global_batch = 2", "log_every = 1", 'cache = "cache"']
    lines += ["[optimizer]", "rate = 0.01", "[checkpoints]", "every = 2", "[data]", "workers = 0"]
    lines += ["[data.sizes]", f'sizes = ["{size}"]', "enlarge = 64", 'fit = "stretch"', STREAM, more]
    if "[tracking]" not in more:
        lines += ["[tracking]", "samples_every = 0"]
    file.write_text("\n".join(lines))
    return file


REINFORCEMENT = """
[model]
pipeline = "{pipeline}"
precision = "fp32"
device = "cpu"
keep = "all"
text_tokens = 24
[lora]
rank = 2
[training]
seed = 0
[data]
workers = 0
[data.sizes]
sizes = ["64x64"]
[[data.parts]]
source = "stream:paintbench"
[reinforcement]
rounds = {rounds}
prompts = 2
group_size = 3
batch = 3
steps = 3
kl = 0.01
save_every = 1
[rewards.specs]
miou = "miou?jobs=1"
outside = "psnr_outside"
[rewards.weights]
outside = 0.5
[monitors]
identity_rate = 0.95
over_edit_ratio = false
"""


def write_reinforcement(file: Path, pipeline: Path, rounds: int = 2, more: str = "") -> Path:
    """A small experiment with rewards on problems without end."""
    file.write_text(REINFORCEMENT.format(pipeline=pipeline, rounds=rounds) + more)
    return file
