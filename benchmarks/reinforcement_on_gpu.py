"""Flow-GRPO and DiffusionNFT on a small Kontext-type editor: speed, first ratio, rewards before and after, memory.

    python benchmarks/reinforcement_on_gpu.py --out DIR [--cases grpo:brightness nft:miou …] [--seconds 85]
    python benchmarks/reinforcement_on_gpu.py --out DIR --toy

The network is FLUX.1 Kontext's class with about 60 million random weights; CLIP and T5 are tiny and random. The
autoencoder loses nothing: its latents are the pixels of 4 × 4 places. The network adds to the velocity of pictures that
are Gaussian around the input, so that an untrained editor gives its input with noise. A warm-up with answers (flow
matching) comes first; then LoRA layers learn from rewards in bf16, from the same weights in every case. Problems are a
PaintBench stream of two easy tasks at 128²; held-out problems are of another stream, edited with the same noise before
and after. Each case has a time limit, and one that fails does not end the others. ``--toy`` runs on a CPU in a minute.

DIR gets curves.json, curves.png where Matplotlib is there, and for each case samples-CASE.png: input, answer, edit
before, edit after.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import torch

from editscope.images import encode_png
from editscope.training.data.examples import EditExample
from editscope.training.data.loader import ExampleLoader, open_loader
from editscope.training.data.settings import data_settings
from editscope.training.models.base import Condition
from editscope.training.models.kontext import KontextEditor
from editscope.training.models.lora import add_lora
from editscope.training.models.pipeline_editor import PICTURES
from editscope.training.models.settings import LoraSettings
from editscope.training.monitors import MonitorSettings
from editscope.training.reinforcement.loop import Metrics, reinforce
from editscope.training.reinforcement.reward_mix import RewardMix
from editscope.training.reinforcement.rollouts import PaintedBatch, paint_group
from editscope.training.reinforcement.sampler import (
    generators_of,
    log_probability,
    noise_for,
    sample,
    step_gaussian,
    stochastic_steps,
    velocity_of,
)
from editscope.training.reinforcement.settings import ReinforcementSettings
from editscope.training.rewards.base import Reward, RewardValue, Rollout
from editscope.training.rewards.summed import RewardSum

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

CASES = ("grpo:brightness", "nft:brightness", "grpo:miou", "nft:miou")
SIDE, PATCH = 128, 4
SPREAD = 0.05
TASKS = "flood_fill,recolor"
UNWATCHED = MonitorSettings(identity_rate=None, over_edit_ratio=None, held_out_fall=None)


@dataclass(frozen=True)
class Scale:
    """How large everything is."""

    layers: int
    heads: int
    batch: int
    prompts: int
    group: int
    held_out: int
    pool: int
    """Problems of the warm-up."""
    text: int = 160
    workers: int = 0


FULL = Scale(layers=6, heads=8, batch=32, prompts=8, group=32, held_out=64, pool=4096, workers=8)
TOY = Scale(layers=1, heads=1, batch=4, prompts=2, group=8, held_out=4, pool=16)


class TimeUp(Exception):
    """The time of a case is over."""


class Brightness(Reward):
    """How bright an edit is, 0 to 1."""

    name: ClassVar[str] = "brightness"

    def score(self, rollouts: Sequence[Rollout]) -> list[RewardValue]:
        """The mean of all channels."""
        return [RewardValue(float(rollout.picture.mean()) / 255) for rollout in rollouts]


class PixelAutoencoder(torch.nn.Module):
    """An autoencoder whose weights are a permutation: latents are the pixels of PATCH × PATCH places."""

    def __init__(self) -> None:
        super().__init__()
        self.config = SimpleNamespace(shift_factor=0.0, scaling_factor=1.0)
        self.dtype, self._place = torch.float32, torch.nn.Parameter(torch.zeros(1))

    @property
    def device(self) -> torch.device:
        """Where it is."""
        return self._place.device

    def encode(self, values: torch.Tensor) -> Any:
        """The latents of pictures, as a distribution of one value."""
        latents = torch.nn.functional.pixel_unshuffle(values, PATCH)
        return SimpleNamespace(latent_dist=SimpleNamespace(mode=lambda: latents))

    def decode(self, latents: torch.Tensor, return_dict: bool = False) -> tuple[torch.Tensor]:
        """The pictures of latents."""
        return (torch.nn.functional.pixel_shuffle(latents, PATCH),)


class AroundEditor(KontextEditor):
    """A Kontext editor whose network adds to the velocity of pictures that are Gaussian around the input."""

    def velocity(self, noisy: torch.Tensor, sigma: torch.Tensor, condition: Condition) -> torch.Tensor:
        """What the network predicts, and the velocity around the input."""
        level = sigma.to(noisy.device).float()[:, None, None, None]
        mean = condition[PICTURES][:, 0].to(noisy.device).float()
        off = (noisy - (1 - level) * mean) / ((1 - level) ** 2 * SPREAD**2 + level**2)
        around = level * off - mean - (1 - level) * SPREAD**2 * off
        return around + super().velocity(noisy, sigma, condition).float()


def make_editor(scale: Scale, device: str, weights: dict[str, torch.Tensor] | None = None) -> AroundEditor:
    """An editor with random weights, or with those given."""
    from support.models.tiny_parts import clip_text_model, clip_tokenizer, making, small_vae, t5_tokenizer

    with making(0) as (_, diffusers, transformers):
        first, second = clip_tokenizer(transformers), t5_tokenizer(transformers)
        t5 = transformers.T5EncoderModel(
            transformers.T5Config(
                vocab_size=len(second),
                d_model=64,
                d_kv=16,
                d_ff=128,
                num_layers=2,
                num_heads=4,
                is_encoder_decoder=False,
            )
        )
        network = diffusers.FluxTransformer2DModel(
            in_channels=3 * PATCH * PATCH * 4,
            num_layers=scale.layers,
            num_single_layers=2 * scale.layers,
            attention_head_dim=64,
            num_attention_heads=scale.heads,
            joint_attention_dim=64,
            pooled_projection_dim=16,
            guidance_embeds=True,
            axes_dims_rope=(8, 28, 28),
        )
        torch.nn.init.zeros_(network.proj_out.weight)
        torch.nn.init.zeros_(network.proj_out.bias)
        pipe = diffusers.FluxKontextPipeline(
            scheduler=diffusers.FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=True),
            vae=small_vae(diffusers, shift_factor=0.0, scaling_factor=1.0),
            text_encoder=clip_text_model(transformers, len(first)),
            tokenizer=first,
            text_encoder_2=t5,
            tokenizer_2=second,
            transformer=network,
        )
    if weights is not None:
        network.load_state_dict(weights)
    pipe.to(device)
    pipe.vae = PixelAutoencoder().to(device)
    pipe.vae_scale_factor = PATCH
    editor = AroundEditor(pipe, guidance=1.0, text_tokens=scale.text)
    editor.network.requires_grad_(False)
    return editor


def loader(seed: int, scale: Scale) -> ExampleLoader:
    """Problems without end; another stream for each seed."""
    source = f"stream:paintbench?tasks={TASKS}&conditions=baseline&canvas={SIDE}x{SIDE}"
    table = {"workers": scale.workers, "seed": seed, "parts": [{"source": source, "stream_seed": seed}]}
    return open_loader(data_settings({**table, "ahead": 64}), batch=1, multiple=2 * PATCH)


def warm_up(editor: AroundEditor, scale: Scale, seconds: float, bf16: bool) -> tuple[int, float]:
    """Flow matching on a stream of its own; gives steps and the mean loss of the last 20."""
    editor.network.requires_grad_(True)
    editor.network.train()
    optimizer = torch.optim.AdamW(editor.network.parameters(), lr=3e-4, weight_decay=0.0)
    losses: list[torch.Tensor] = []
    with loader(100, scale) as examples:
        pool = examples.take(scale.pool)
    latents = editor.latents([answer(one) for one in pool])
    told = editor.condition([one.instruction for one in pool], [one.pictures for one in pool])
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        chosen = torch.randint(len(pool), (scale.batch,), device=latents.device)
        clean = latents[chosen]
        condition = {name: value[chosen] for name, value in told.items()}
        sigma = torch.rand(scale.batch, device=clean.device)
        level = sigma[:, None, None, None]
        noise = torch.randn_like(clean)
        with torch.autocast(clean.device.type, torch.bfloat16, enabled=bf16):
            velocity = editor.velocity((1 - level) * clean + level * noise, sigma, condition)
        loss = (velocity.float() - (noise - clean)).square().mean()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(editor.network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.detach())
        if len(losses) % 20 == 0:
            losses[-1].item()  # so that the time is that of steps that were made
    editor.network.requires_grad_(False)
    return len(losses), fmean(map(float, losses[-20:]))


def answer(example: EditExample) -> Any:
    """The answer of a problem that has one."""
    assert example.answer is not None
    return example.answer


def settings_of(method: str, scale: Scale) -> ReinforcementSettings:
    """Flow-GRPO's settings in batches that fit; one update a round, so that every ratio of it is the first."""
    return ReinforcementSettings(
        method=method,  # type: ignore[arg-type]
        rounds=100000,
        prompts=scale.prompts,
        group_size=scale.group,
        batch=min(scale.batch, scale.group),
        steps=8,
        window=4 if method == "grpo" else None,
        updates=1,
        nft_times=4,
        kl=0.0,
        nft_kl=0.0,
        rate=1e-3,
        advantages="round",
        save_every=100000,
    )


def edits(editor: AroundEditor, examples: Sequence[EditExample], scale: Scale) -> list[Any]:
    """What the editor makes of problems, with the ODE and the same noise each time."""
    made: list[Any] = []
    sigmas = editor.sigmas(16, (SIDE, SIDE)).double().tolist()
    for first in range(0, len(examples), scale.batch):
        batch = examples[first : first + scale.batch]
        condition = editor.condition([one.instruction for one in batch], [one.pictures for one in batch])
        like = editor.latents([one.pictures[0] for one in batch])
        start = noise_for(generators_of(range(first, first + len(batch))), like)
        made += list(editor.pixels(sample(velocity_of(editor, condition), start, sigmas).clean).cpu().numpy())
    return made


def first_ratio(editor: AroundEditor, example: EditExample, settings: ReinforcementSettings) -> float:
    """The largest distance of a ratio to 1, for weights that have not moved; with gradients, as in training."""
    steps = stochastic_steps(settings, 0)
    told = [example.instruction] * settings.group_size
    batches, _ = paint_group(editor, example, told, settings, (0, 0), steps)
    return max(_ratio(editor, batch.on(editor.device), settings) for batch in batches)


def _ratio(editor: AroundEditor, batch: PaintedBatch, settings: ReinforcementSettings) -> float:
    made, worst = batch.trajectory, 0.0
    velocity = batch.policy(editor)
    for place, step in enumerate(made.steps):
        before = made.before[place]
        level, following = batch.sigmas[step], batch.sigmas[step + 1]
        predicted = velocity(before, torch.full((len(before),), level, device=before.device))
        mean, deviation = step_gaussian(before, predicted, level, following, settings.noise)
        likely = log_probability(made.after[place], mean, deviation) - made.log_probabilities[:, place]
        worst = max(worst, float(((likely.detach() / before[0].numel()).exp() - 1).abs().max()))
    return worst


def run_case(case: str, weights: dict[str, torch.Tensor], scale: Scale, given: Any, device: str) -> dict[str, Any]:
    """A case: what it measured, and the curve of its rewards."""
    method, name = case.split(":")
    editor = make_editor(scale, device, weights)
    torch.manual_seed(0)
    if given.precision == "bf16":
        editor.pipe.transformer.to(torch.bfloat16)
        editor.dtype, editor.bf16 = torch.bfloat16, True
    add_lora(editor.network, LoraSettings(rank=32, alpha=64))
    reward = Brightness() if name == "brightness" else RewardSum(["miou"]).rewards["miou"]
    with loader(200, scale) as problems:  # the same in each case
        held_out = problems.take(scale.held_out)
    settings = settings_of(method, scale)
    ratio = first_ratio(editor, held_out[0], settings) if method == "grpo" else math.nan
    before = edits(editor, held_out, scale)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    began = time.perf_counter()
    curve: list[Metrics] = []

    def watched(number: int, metrics: Metrics) -> None:
        curve.append({**metrics, "seconds": time.perf_counter() - began})
        if time.perf_counter() - began > given.seconds:
            raise TimeUp

    mix = RewardMix(RewardSum({name: reward}))
    with loader(7, scale) as problems, suppress(TimeUp):
        reinforce(editor, problems, mix, settings, monitors=UNWATCHED, on_round=watched)
    took = time.perf_counter() - began
    memory = torch.cuda.max_memory_allocated() / (1 << 30) if device == "cuda" else math.nan
    after = edits(editor, held_out, scale)
    scores = [
        [value.value or 0.0 for value in reward.score([Rollout(e, p) for e, p in zip(held_out, made, strict=True)])]
        for made in (before, after)
    ]
    gains = [new - old for old, new in zip(*scores, strict=True)]
    spread = 1.96 * stdev(gains) / math.sqrt(len(gains))
    save_samples(given.out / f"samples-{case.replace(':', '-')}.png", held_out, before, after)
    return {
        "case": case,
        "rounds": len(curve),
        "pictures_per_s": sum(row["pictures"] for row in curve) / took,
        "first_ratio": ratio,
        "before": fmean(scores[0]),
        "after": fmean(scores[1]),
        "gain": fmean(gains),
        "interval": spread,
        "memory_gib": memory,
        "shares": {
            part: sum(row[f"seconds/{part}"] for row in curve) / took for part in ("sample", "reward", "update")
        },
        "curve": [{name: row.get(name) for name in ("seconds", "reward/total", "painter/loss")} for row in curve],
    }


def save_samples(path: Path, examples: Sequence[EditExample], before: Sequence[Any], after: Sequence[Any]) -> None:
    """Rows of input, answer, edit before and edit after."""
    rows = [
        np.concatenate([example.pictures[0], answer(example), old, new], axis=1)
        for example, old, new in list(zip(examples, before, after, strict=True))[:6]
    ]
    path.write_bytes(encode_png(np.ascontiguousarray(np.concatenate(rows)), palette=False))


def save_curves(folder: Path, results: Sequence[dict[str, Any]]) -> None:
    """The rewards of each round as JSON, and as a picture where Matplotlib is there."""
    (folder / "curves.json").write_text(json.dumps(list(results), indent=1))
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        print("curves.png: Matplotlib is not installed")
        return
    figure, axes = plt.subplots(1, max(1, len(results)), figsize=(4 * max(1, len(results)), 3), squeeze=False)
    for axis, result in zip(axes[0], results, strict=False):
        axis.plot([row["seconds"] for row in result["curve"]], [row["reward/total"] for row in result["curve"]], ".-")
        axis.set(title=result["case"], xlabel="seconds", ylabel="mean reward of a round")
    figure.tight_layout()
    figure.savefig(folder / "curves.png", dpi=120)


def main() -> None:
    """Warm up once, run the cases, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--seconds", type=float, default=85.0, help="training time of each case")
    parser.add_argument("--warmup", type=float, default=130.0, help="seconds of flow matching before all cases")
    parser.add_argument(
        "--limit", type=float, default=540.0, help="no case begins that could end after so many seconds"
    )
    parser.add_argument("--precision", choices=("bf16", "fp32"), default="bf16")
    parser.add_argument("--toy", action="store_true", help="sizes for a CPU")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    scale = TOY if given.toy else FULL
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    editor = make_editor(scale, device)
    count = sum(one.numel() for one in editor.network.parameters())
    print(f"{name}, PyTorch {torch.__version__}, {count / 1e6:.1f} M weights, {given.precision}", flush=True)
    steps, loss = warm_up(editor, scale, given.warmup, given.precision == "bf16")
    print(f"warm-up: {steps} steps of {scale.batch} problems, loss {loss:.4f}", flush=True)
    weights = {key: value.detach().cpu().clone() for key, value in editor.network.state_dict().items()}
    del editor
    print("| case | rounds | pictures/s | sample/reward/update | first ratio − 1 | before | after | gain | GiB |")
    print("| --- | ---: | ---: | --- | ---: | ---: | ---: | --- | ---: |", flush=True)
    results = []
    for case in given.cases:
        if time.perf_counter() - began + given.seconds > given.limit:
            print(f"| {case} | left out: no time |", flush=True)
            continue
        try:
            result = run_case(case, weights, scale, given, device)
        except Exception as error:
            traceback.print_exc()
            print(f"| {case} | {type(error).__name__}: {' '.join(str(error).split())[:300]} |", flush=True)
            continue
        results.append(result)
        shares = "/".join(f"{share:.0%}" for share in result["shares"].values())
        print(
            f"| {case} | {result['rounds']} | {result['pictures_per_s']:.1f} | {shares} | {result['first_ratio']:.2g} "
            f"| {result['before']:.4f} | {result['after']:.4f} | {result['gain']:+.4f} ± {result['interval']:.4f} "
            f"| {result['memory_gib']:.2f} |",
            flush=True,
        )
        save_curves(given.out, results)


if __name__ == "__main__":
    main()
