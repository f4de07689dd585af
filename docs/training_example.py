"""Training of docs/training.md: a small editor that begins with random weights and learns from the PaintBench stream.

    python docs/training_example.py OUT [--seconds 240] [--toy]
    python docs/training_example.py OUT --draw

It makes a Kontext pipeline in OUT/pipeline: a transformer of 69 M random weights, a tokenizer trained on instructions
of the stream, random text encoders of one layer, and an autoencoder whose weights are set so that its latents are the
pixels. It trains with `editscope train run`, ends it with Ctrl-C after the seconds, exports the weights, runs problems
of the test set with them, and leaves in OUT/results what is worth keeping. ``--toy`` takes seconds on a CPU, and learns
nothing. ``--draw`` draws the curves of OUT/results with Matplotlib.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

TASKS = "point_operations,flood_fill,removal"
STREAM = f"paintbench?tasks={TASKS}&conditions=baseline&canvas=128x128"
KEPT = ("metrics.jsonl", "experiment.toml", "samples/grid.png", "report.html")
EXPERIMENT = """name = "stream"
[model]
pipeline = "pipeline"
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
rate = 3e-4
[schedule]
warmup = 100
[ema]
decay = 0.995
[checkpoints]
every = 100000
keep = 1
[data]
workers = {workers}
ahead = 8
[data.sizes]
sizes = ["{side}x{side}"]
fit = "stretch"
[[data.parts]]
source = "stream:{stream}"
[tracking]
trackers = []
samples_every = {samples_every}
samples = {samples}
sample_steps = {sample_steps}
[monitors]
identity_rate = 0.99
window = 8
"""


def main() -> None:
    """Make, train, export, run, keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--toy", action="store_true")
    parser.add_argument("--draw", action="store_true")
    given = parser.parse_args()
    if given.draw:
        draw(given.out / "results")
        return
    given.out.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make_pipeline(given.out / "pipeline", toy=given.toy)
    file = given.out / "experiment.toml"
    file.write_text(experiment(given.toy).replace('"pipeline"', f'"{(given.out / "pipeline").absolute()}"'))
    run, results = given.out / "run", given.out / "results"
    results.mkdir(exist_ok=True)
    try:
        ended = train(file, run, given.seconds, results / "log.txt")
        print(f"the training ended with exit code {ended}", flush=True)
        for words in (
            ["train", "export", run, "--out", given.out / "exported"],
            ["report", run],
            ["run", f"paintbench?tasks={TASKS}&conditions=baseline&canvas=128x128", *editor(given.out, given.toy)],
        ):
            called(words, results / "log.txt")
    finally:
        for name in KEPT:
            if (run / name).is_file():
                shutil.copyfile(run / name, results / Path(name).name)
        if (given.out / "scored").is_dir():
            shutil.make_archive(str(results / "scored"), "gztar", given.out / "scored")
    print("\n".join(f"{path.stat().st_size:>10,} {path}" for path in sorted(results.iterdir())))


def experiment(toy: bool) -> str:
    """The file of the experiment."""
    values: dict[str, Any] = (
        {"precision": "fp32", "steps": 6, "batch": 2, "optimizer": "adamw", "workers": 1, "side": 16, "samples": 2}
        | {"samples_every": 3, "sample_steps": 2, "log_every": 1}
        if toy
        else {"precision": "bf16", "steps": 20000, "batch": 32, "optimizer": "fused", "side": 64, "samples": 6}
        | {"workers": max(2, (os.cpu_count() or 4) - 4), "samples_every": 250, "sample_steps": 20, "log_every": 20}
    )
    return EXPERIMENT.format(stream=STREAM, **values)


def train(file: Path, run: Path, seconds: float, log: Path) -> int:
    """`editscope train run` until its last step, or Ctrl-C after so many seconds; gives the exit code."""
    with log.open("a") as out:
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "editscope", "train", "run", str(file), "--out", str(run)],
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            return process.wait(120)


def editor(out: Path, toy: bool) -> list[Any]:
    """The exported weights as an editor, on a few problems of the test set."""
    side, steps = (16, 2) if toy else (64, 20)
    spec = f"diffusers:{(out / 'pipeline').absolute()}?network={(out / 'exported').absolute()}&steps={steps}"
    more = "&call.max_sequence_length=64&guidance=1" + ("&device=cpu&dtype=fp32" if toy else "&dtype=bf16")
    limit = 3 if toy else 24
    return ["--editor", f"{spec}&max_area={max(4096, side * side)}{more}", "--limit", limit, "--out", out / "scored"]


def called(words: list[Any], log: Path) -> None:
    """A command of the house, whose words go to the log; a failure is told and stops nothing."""
    command = [sys.executable, "-W", "ignore", "-m", "editscope", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180)
    with log.open("a") as out:
        out.write(f"\n$ editscope {' '.join(map(str, words))}\n{done.stdout}")
    print(f"editscope {words[0]} ended with exit code {done.returncode}\n{done.stdout[-1500:]}", flush=True)


def make_pipeline(folder: Path, *, toy: bool) -> None:
    """A Kontext pipeline with random weights, whose latents are pixels."""
    import diffusers
    import torch
    import transformers

    torch.manual_seed(0)
    tokenizer = trained_tokenizer(300 if toy else 3000)
    width, heads, double, single = (32, 2, 1, 1) if toy else (512, 8, 4, 8)
    text = 32 if toy else 256
    clip = transformers.CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=text,
        intermediate_size=2 * text,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=77,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    t5 = transformers.T5Config(
        vocab_size=len(tokenizer),
        d_model=text,
        d_kv=text // 4,
        d_ff=2 * text,
        num_layers=1,
        num_heads=4,
        is_encoder_decoder=False,
    )
    head = width // heads
    network = diffusers.FluxTransformer2DModel(
        in_channels=12,
        num_layers=double,
        num_single_layers=single,
        attention_head_dim=head,
        num_attention_heads=heads,
        joint_attention_dim=text,
        pooled_projection_dim=text,
        guidance_embeds=False,
        axes_dims_rope=(head // 4, head * 3 // 8, head * 3 // 8),
    )
    diffusers.FluxKontextPipeline(
        scheduler=diffusers.FlowMatchEulerDiscreteScheduler(),
        vae=pixel_autoencoder(),
        text_encoder=transformers.CLIPTextModel(clip),
        tokenizer=tokenizer,
        text_encoder_2=transformers.T5EncoderModel(t5),
        tokenizer_2=tokenizer,
        transformer=network,
    ).save_pretrained(folder)


def trained_tokenizer(texts: int) -> Any:
    """A byte-pair tokenizer, trained on instructions of the stream."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    from editscope.suites.generated.stream import training_namespace
    from editscope.training.data.sources import open_stream

    stream = open_stream(STREAM, training_namespace(1))
    made = (stream.make(stream.place(number)).sidecar["instruction"] for number in range(texts))
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)]
    )
    special = ["<pad>", "<s>", "</s>", "<unk>"]
    tokenizer.train_from_iterator(
        islice(made, texts), trainers.BpeTrainer(vocab_size=800, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=77,
    )


def pixel_autoencoder() -> Any:
    """An AutoencoderKL whose latents are the pixels.

    Every color has a group of eight channels: it, its negative, two large constants, and zeros. So the norm divides by
    a constant, an offset puts values where SiLU changes nothing, and the last convolution takes the offset back.
    """
    import diffusers
    import torch

    made = diffusers.AutoencoderKL(
        block_out_channels=(24,),
        down_block_types=("DownEncoderBlock2D",),
        up_block_types=("UpDecoderBlock2D",),
        layers_per_block=1,
        latent_channels=3,
        norm_num_groups=3,
        mid_block_add_attention=False,
        use_quant_conv=False,
        use_post_quant_conv=False,
        shift_factor=0.0,
        scaling_factor=1.0,
    )
    large, gain, offset = 64.0, 4.0, 16.0
    with torch.no_grad():
        for name, value in made.named_parameters():
            if "resnets" in name and "norm" not in name:
                value.zero_()
        for part in (made.encoder, made.decoder):
            part.conv_in.weight.zero_(), part.conv_in.bias.zero_()
            part.conv_out.weight.zero_(), part.conv_out.bias.zero_()
            part.conv_norm_out.weight.fill_(gain * large / 2)  # the standard deviation of a group is large / 2
            part.conv_norm_out.bias.fill_(offset)
            for color in range(3):
                first = 8 * color
                part.conv_in.weight[first, color, 1, 1] = 1.0
                part.conv_in.weight[first + 1, color, 1, 1] = -1.0
                part.conv_in.bias[first + 2], part.conv_in.bias[first + 3] = large, -large
                part.conv_out.weight[color, first, 1, 1] = 0.5 / gain
                part.conv_out.weight[color, first + 1, 1, 1] = -0.5 / gain
        made.encoder.conv_out.bias[3:] = -20.0  # the variance of the latents
    return made


def draw(results: Path) -> None:
    """The curves of a training as one picture."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from editscope.training.log.metrics_file import read_training

    record = read_training(results)
    curves = (
        ("loss", "Loss of a step", True),
        ("held_out/loss", "Loss on held-out cases", True),
        ("identity_rate", "Identity rate", False),
        ("over_edit_ratio", "Over-edit ratio", False),
        ("pictures_per_s", "Pictures a second", False),
        ("utilization", "Model FLOPs utilization", False),
    )
    figure, axes = plt.subplots(2, 3, figsize=(11, 5.2), constrained_layout=True)
    for axis, (name, title, log) in zip(axes.flat, curves, strict=True):
        points = record.curve(name)
        if points:
            axis.plot(*zip(*points, strict=True), linewidth=0.8, marker="." if len(points) < 60 else "")
        axis.set_title(title, fontsize=10)
        axis.set_yscale("log" if log and points else "linear")
        axis.grid(alpha=0.3)
    figure.savefig(results / "curves.png", dpi=110)


if __name__ == "__main__":
    main()
