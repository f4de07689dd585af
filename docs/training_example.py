"""Training of docs/training.md: a small editor that begins with random weights and learns from the PaintBench stream.

    python docs/training_example.py OUT [--seconds 190] [--rewarded 110] [--toy]
    python docs/training_example.py OUT --draw

It makes a Kontext pipeline in OUT/pipeline: a transformer of 11 M random weights, a tokenizer trained on instructions
of the stream, random text encoders of one layer, and an autoencoder whose weights are set so that its latents are the
pixels. It trains with `editscope train run`, ends it with Ctrl-C after the seconds, and exports the weights. From there
LoRA layers learn from `miou` as a reward, with DiffusionNFT and with Flow-GRPO at the same time. Each editor edits the
same problems, none of them trained on, with the diffusers editor. OUT/results has what is worth keeping. ``--toy``
takes a few minutes on a CPU, and learns nothing. ``--draw`` draws the curves of OUT/results with Matplotlib.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from training_example_pipeline import make_pipeline

TASKS = "removal,recolor"
STREAM = f"paintbench?tasks={TASKS}&conditions=baseline&canvas=128x128"
DATA = """[data]
workers = {workers}
ahead = 8
[data.sizes]
sizes = ["{side}x{side}"]
fit = "stretch"
[[data.parts]]
source = "stream:{stream}"
"""
SUPERVISED = """name = "stream"
[model]
pipeline = "{pipeline}"
precision = "{precision}"
text_tokens = 64
keep = "inputs"
[training]
steps = {steps}
batch = {batch}
seed = 1
log_every = {log_every}
[optimizer]
kind = "{optimizer}"
rate = 1e-3
[schedule]
warmup = 100
[ema]
decay = 0.997
[checkpoints]
every = 100000
keep = 1
[tracking]
trackers = []
samples_every = {samples_every}
samples = {samples}
sample_steps = {sample_steps}
[monitors]
identity_rate = 0.99
window = 8
"""
REWARDED = """name = "{method}"
[model]
pipeline = "{pipeline}"
precision = "{precision}"
text_tokens = 64
[lora]
rank = 32
alpha = 64
targets = "attention+mlp"
[training]
steps = 1
seed = 1
[reinforcement]
preset = "{preset}"
rounds = {rounds}
prompts = {prompts}
group_size = {group}
batch = {group}
steps = 10
updates = 4
window = 4
clip = 1e-3
kl = 0.0
nft_kl = 0.0
nft_times = 4
rate = 1e-3
advantages = "round"
save_every = 100000
[rewards.specs]
miou = "miou"
[tracking]
trackers = []
[monitors]
identity_rate = false
over_edit_ratio = false
held_out_fall = false
"""
METHODS = {"nft": "diffusion-nft", "grpo": "flow-grpo"}


def main() -> None:
    """Make, train, export, reward, score, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=190.0, help="of supervised training")
    parser.add_argument("--rewarded", type=float, default=110.0, help="seconds of learning from a reward")
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--draw", action="store_true")
    given = parser.parse_args()
    if given.draw:
        draw(given.out / "results")
        return
    out, toy = given.out.absolute(), given.toy
    results = out / "results"
    results.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()

    def said(what: str) -> None:
        print(f"{time.perf_counter() - began:6.1f} s  {what}", flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make_pipeline(out / "pipeline", STREAM, toy=toy)
    said("the pipeline is made")
    file = out / "supervised.toml"
    file.write_text(experiment(SUPERVISED, toy, pipeline=out / "pipeline"))
    (ended,) = trained({"supervised": file}, out, given.seconds).values()
    said(f"supervised training ended with exit code {ended}")
    edits = {}
    try:
        called(["train", "export", out / "supervised", "--out", out / "exported"], results)
        edits["supervised"] = edited(file, spec(out, toy), 4 if toy else 256)
        said(f"supervised: {json.dumps(means(edits['supervised'])['all'])}")
        learned = with_network(out)
        files = {name: out / f"{name}.toml" for name in METHODS}
        for name, preset in METHODS.items():
            files[name].write_text(experiment(REWARDED, toy, method=name, preset=preset, pipeline=learned))
        said(f"rewarded training ended with exit codes {trained(files, out, given.rewarded)}")
        for name in METHODS:
            called(["train", "export", out / name, "--out", out / f"lora-{name}"], results)
            edits[name] = edited(file, spec(out, toy, lora=name), 4 if toy else 256)
            said(f"{name}: {json.dumps(means(edits[name])['all'])}")
    finally:
        kept(out, edits)
    print("\n".join(f"{path.stat().st_size:>10,} {path.name}" for path in sorted(results.iterdir())))


def experiment(text: str, toy: bool, **more: Any) -> str:
    """The file of an experiment."""
    values: dict[str, Any] = (
        {"precision": "fp32", "steps": 6, "batch": 2, "optimizer": "adamw", "workers": 1, "side": 16, "samples": 2}
        | {"samples_every": 3, "sample_steps": 2, "log_every": 1, "prompts": 2, "group": 4, "rounds": 2}
        if toy
        else {"precision": "bf16", "steps": 20000, "batch": 128, "optimizer": "fused", "side": 32, "samples": 6}
        | {"workers": max(2, (os.cpu_count() or 4) - 4), "samples_every": 400, "sample_steps": 20, "log_every": 100}
        | {"prompts": 12, "group": 32, "rounds": 100000}
    )
    return (text + DATA).format(**values, stream=STREAM, **more)


def trained(files: Mapping[str, Path], out: Path, seconds: float) -> dict[str, int]:
    """`editscope train run` of each file until its end, or Ctrl-C after so many seconds; gives the exit codes."""
    running = {}
    for name, file in files.items():
        words = [sys.executable, "-W", "ignore", "-m", "editscope", "train", "run", str(file), "--out", str(out / name)]
        with (out / "results" / f"{name}.txt").open("w") as log:
            running[name] = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
    ends = time.monotonic() + seconds
    codes = {}
    for process in running.values():
        try:
            process.wait(max(0.0, ends - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
    for name, process in running.items():
        codes[name] = process.wait(120)
    return codes


def with_network(out: Path) -> Path:
    """A copy of the pipeline with the weights that were trained."""
    folder = out / "learned"
    shutil.copytree(out / "pipeline", folder, dirs_exist_ok=True)
    shutil.copytree(out / "exported" / "transformer", folder / "transformer", dirs_exist_ok=True)
    return folder


def spec(out: Path, toy: bool, lora: str = "") -> str:
    """Exported weights as an editor."""
    side, steps, batch = (16, 2, 2) if toy else (32, 20, 128)
    where = "device=cpu&dtype=fp32" if toy else "dtype=bf16"
    added = f"&lora={out / f'lora-{lora}'}" if lora else ""
    made = f"diffusers:{out / 'pipeline'}?network={out / 'exported'}{added}"
    return f"{made}&size={side}x{side}&steps={steps}&batch={batch}&call.max_sequence_length=64&{where}"


def called(words: Sequence[Any], results: Path) -> None:
    """A command of Editscope, whose words go to a log; a failure is told and stops nothing."""
    command = [sys.executable, "-W", "ignore", "-m", "editscope", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180)
    with (results / "log.txt").open("a") as out:
        out.write(f"\n$ editscope {' '.join(map(str, words))}\n{done.stdout}")
    if done.returncode:
        print(f"editscope {words[0]} ended with exit code {done.returncode}\n{done.stdout[-1500:]}", flush=True)


def edited(file: Path, named: str, count: int) -> list[dict[str, Any]]:
    """Edits of problems that were not trained on, at the size of the training, with their scores."""
    from editscope.editors import Request
    from editscope.editors.registry import load_editor
    from editscope.scoring import score_pixels
    from editscope.training.data.fixed_cases import fixed_cases
    from editscope.training.data.settings import data_settings

    data = data_settings(tomllib.loads(file.read_text())["data"])
    examples = fixed_cases(data, count, 2).examples
    editor = load_editor(named)
    editor.load()
    edits: Any = editor.edit_batch(
        [Request(one.id, tuple(one.pictures), one.instruction, seed=number) for number, one in enumerate(examples)]
    )
    editor.close()
    rows = []
    for example, edit in zip(examples, edits, strict=True):
        source, answer, output = example.pictures[0], np.asarray(example.answer), np.asarray(edit.image)
        changed = (answer != source).any(axis=2)
        off = np.abs(output.astype(float) - answer).mean(axis=2)
        scores = score_pixels(source, answer, output).metrics()
        rows.append(
            {
                "task": example.tags["task"],
                "instruction": example.instruction,
                "pictures": (source, answer, output),
                "scores": {name: scores[name] for name in ("miou", "edit_accuracy", "preservation_accuracy")}
                | {"off_in_edit": float(off[changed].mean()), "off_outside": float(off[~changed].mean())},
            }
        )
    return rows


def means(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Means by task, and of all."""
    return {
        task: {
            "n": len(found),
            **{name: round(fmean(row["scores"][name] for row in found), 4) for name in found[0]["scores"]},
        }
        for task in ("all", *sorted({row["task"] for row in rows}))
        if (found := [row for row in rows if task in ("all", row["task"])])
    }


def kept(out: Path, edits: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """What is worth keeping, in OUT/results."""
    from editscope.images import encode_png

    results = out / "results"
    for run in ("supervised", *METHODS):
        if (out / run).is_dir():
            without = shutil.ignore_patterns("checkpoints", "weights")
            shutil.copytree(out / run, results / run, ignore=without, dirs_exist_ok=True)
    if not edits:
        return
    scores: dict[str, Any] = {name: means(rows) for name, rows in edits.items()}
    first = edits["supervised"]
    for name in METHODS:
        if name in edits:
            pairs = zip(first, edits[name], strict=True)
            gains = [new["scores"]["miou"] - old["scores"]["miou"] for old, new in pairs]
            half = 1.96 * stdev(gains) / math.sqrt(len(gains))
            scores[name]["gain"] = [round(fmean(gains) + side * half, 4) for side in (-1, 0, 1)]
    (results / "scores.json").write_text(json.dumps(scores, indent=1))
    lines = []
    for number, row in enumerate(first[:12]):
        shown = [*row["pictures"], *(edits[name][number]["pictures"][2] for name in METHODS if name in edits)]
        lines.append(np.concatenate([np.kron(one, np.ones((4, 4, 1), np.uint8)) for one in shown], axis=1))
    (results / "edits.png").write_bytes(encode_png(np.ascontiguousarray(np.concatenate(lines)), palette=False))
    (results / "edits.txt").write_text("\n".join(row["instruction"] for row in first[:12]) + "\n")


def draw(results: Path) -> None:
    """The curves of all three trainings as one picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from editscope.training.log.metrics_file import read_training

    records = {name: read_training(results / name) for name in ("supervised", *METHODS)}
    curves = (
        ("supervised", "loss", "Loss of a step", True),
        ("supervised", "held_out/loss", "Loss on held-out cases", True),
        ("supervised", "over_edit_ratio", "Over-edit ratio of held-out cases", True),
        ("supervised", "pictures_per_s", "Pictures a second", False),
        ("nft", "reward/total", "Mean mIoU of a round, DiffusionNFT", False),
        ("grpo", "reward/total", "Mean mIoU of a round, Flow-GRPO", False),
    )
    figure, axes = plt.subplots(2, 3, figsize=(11, 5.2), constrained_layout=True)
    for axis, (run, name, title, log) in zip(axes.flat, curves, strict=True):
        points = records[run].curve(name)
        if points:
            axis.plot(*zip(*points, strict=True), linewidth=0.8, marker="." if len(points) < 60 else "")
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("step" if run == "supervised" else "round", fontsize=8)
        axis.set_yscale("log" if log and points else "linear")
        if run != "supervised":
            axis.set_ylim(0, None)
        axis.grid(alpha=0.3)
    figure.savefig(results / "curves.png", dpi=110)


if __name__ == "__main__":
    main()
