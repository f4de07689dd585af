"""A step of supervised training of a network of published size, with random weights: time, memory, utilization.

    python benchmarks/training_step.py [--cases kontext:1:16:inputs:compiled …] [--steps 5] [--seconds 500]

A case is NETWORK:EDITS:RANK:KEPT:HOW[:ATTENTION]. NETWORK is kontext (12 B weights), qwen (20 B) or tiny; KEPT is what
``training.activations`` keeps of each block (inputs: checkpointing of every block; attention; all: no checkpointing);
HOW is eager or compiled; ATTENTION is a backend of diffusers (native, _native_cudnn, _native_flash). Pictures are
1024²: 4,096 tokens of the noisy picture, 4,096 of the input picture, 512 of the text. Weights are bf16 and drawn there;
LoRA layers of attention are float32 and used in bf16; the optimizer is fused AdamW. It is the step of the supervised
loop, with latents and embeddings drawn in place of those of a cache. The first step, which compiles, and one more are
not timed.

The model's utilization is what a step needs over the peak of the device, the hardware's also counts what is computed
again; ``training/flops.py`` has the formula. Cases that no longer fit into the seconds are left out.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from editscope.images import Pixels
from editscope.training.activations import prepare_blocks
from editscope.training.data.examples import EditExample
from editscope.training.flops import TokenCounts, network_step, peak_flops, utilization
from editscope.training.models.base import Condition
from editscope.training.models.conditions import together
from editscope.training.models.kontext import KontextEditor
from editscope.training.models.lora import add_lora
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.qwen import QwenPlusEditor
from editscope.training.models.settings import LoraSettings
from editscope.training.supervised.flow_matching import FlowObjective
from editscope.training.supervised.optimizers import make_optimizer
from editscope.training.supervised.settings import OptimizerSettings, TimestepSettings

CASES = ("kontext:1:16:inputs:compiled", "kontext:1:16:attention:compiled", "kontext:1:16:all:compiled")
TOYS = ("tiny:1:4:inputs:eager", "tiny-qwen:1:4:all:eager")
SIDES: Mapping[str, int] = {"kontext": 64, "qwen": 64, "small": 64, "tiny": 4, "tiny-qwen": 4}
"""Tokens along each side of a picture."""
TEXT = 512
"""Tokens of the text."""
ASKED = 0.35


def make_network(name: str, device: str) -> Any:
    """A network with random weights in bf16, made on the device."""
    import diffusers

    tiny = {"num_layers": 2, "num_attention_heads": 2, "attention_head_dim": 16, "axes_dims_rope": (4, 6, 6)}
    small = {"num_layers": 4, "num_attention_heads": 8, "attention_head_dim": 64, "axes_dims_rope": (16, 24, 24)}
    flux: dict[str, dict[str, Any]] = {
        "kontext": {},
        "small": {**small, "num_single_layers": 8},
        "tiny": {**tiny, "num_single_layers": 2},
    }
    with torch.device("meta"):
        if name in flux:
            network = diffusers.FluxTransformer2DModel(guidance_embeds=True, **flux[name])
        else:
            network = diffusers.QwenImageTransformer2DModel(**(tiny if name == "tiny-qwen" else {}))
    network = network.to(torch.bfloat16).to_empty(device=device)
    if hasattr(network.pos_embed, "pos_freqs"):  # tensors that are no buffers
        axes = list(network.config.axes_dims_rope)
        network.pos_embed = type(network.pos_embed)(theta=10000, axes_dim=axes, scale_rope=True)
    torch.manual_seed(0)
    for parameter_name, value in network.named_parameters():
        if value.ndim > 1:
            torch.nn.init.normal_(value, std=0.02)
        else:
            torch.nn.init.constant_(value, 0.0 if parameter_name.endswith("bias") else 1.0)
    return network.requires_grad_(False).train()


class DrawnEncoder:
    """What stands in for encoders: latents and embeddings drawn once, as a cache gives them."""

    def __init__(self, editor: PipelineFlowEditor, tokens: int) -> None:
        config, device = editor.config, editor.device
        generator = torch.Generator(device).manual_seed(1)

        def drawn(*shape: int) -> torch.Tensor:
            return torch.randn(shape, generator=generator, device=device)

        side = 2 * tokens
        self._clean = drawn(1, editor.channels, side, side)
        self._condition = {
            "text": drawn(1, TEXT, config.joint_attention_dim),
            "pictures": drawn(1, 1, editor.channels, side, side),
        }
        if hasattr(config, "pooled_projection_dim"):
            self._condition["pooled"] = drawn(1, config.pooled_projection_dim)
        else:
            self._condition["mask"] = torch.ones(1, TEXT, dtype=torch.long, device=device)

    def answers(self, pictures: Sequence[Pixels]) -> torch.Tensor:
        """The same for every picture."""
        return torch.cat([self._clean] * len(pictures))

    def conditions(self, examples: Sequence[EditExample], without: Sequence[bool]) -> Condition:
        """The same for every example."""
        return together([self._condition] * len(examples))


def make_objective(network: Any, name: str, tokens: int) -> FlowObjective:
    """The objective of supervised training, over a pipeline that has nothing but its network."""
    from diffusers import FlowMatchEulerDiscreteScheduler

    nothing = torch.nn.Identity()
    pipe = SimpleNamespace(
        transformer=network,
        vae_scale_factor=8,
        vae=nothing,
        text_encoder=nothing,
        text_encoder_2=nothing,
        scheduler=FlowMatchEulerDiscreteScheduler(),
    )
    kind = QwenPlusEditor if "qwen" in name else KontextEditor
    editor = kind(pipe)
    editor.bf16 = True
    return FlowObjective(editor, DrawnEncoder(editor, tokens), TimestepSettings())  # type: ignore[arg-type]


def step(objective: FlowObjective, examples: list[EditExample], optimizer: torch.optim.Optimizer) -> torch.Tensor:
    """One step of the supervised loop: losses, gradients, clipping, optimizer."""
    generators = [torch.Generator().manual_seed(number) for number in range(len(examples))]
    loss = objective.losses(examples, generators).mean()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_([value for value in objective.network.parameters() if value.requires_grad], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()


def measure(network: Any, case: str, steps: int, device: str, peak: float | None) -> tuple[str, float | None]:
    """A row of the table, and the model's utilization."""
    name, edits_text, _, kept, how, *more = case.split(":")
    edits = int(edits_text)
    network.set_attention_backend(more[0] if more else "native")
    torch._dynamo.reset()
    prepare_blocks(network, kept, compiled=how == "compiled")  # type: ignore[arg-type]
    trained = [value for value in network.parameters() if value.requires_grad]
    optimizer = make_optimizer(OptimizerSettings("fused"), trained)
    objective = make_objective(network, name, SIDES[name])
    pixels = 16 * SIDES[name]
    answer = np.zeros((pixels, pixels, 3), np.uint8)
    examples = [EditExample(str(number), "drawn", (answer,), "an edit", answer) for number in range(edits)]
    began = time.perf_counter()
    for _ in range(2):
        loss = step(objective, examples, optimizer)
    loss.item()
    warm = time.perf_counter() - began
    if device != "cpu":
        torch.cuda.reset_peak_memory_stats()
    took = []
    for _ in range(steps):
        began = time.perf_counter()
        loss = step(objective, examples, optimizer)
        loss.item()
        took.append(time.perf_counter() - began)
    seconds = sorted(took)[len(took) // 2]
    tokens = TokenCounts(pictures=2 * SIDES[name] ** 2, text=TEXT)
    flops = network_step(network, tokens, edits=edits, attention_kept=kept == "attention")
    shares = [utilization(count, seconds, peak) for count in (flops.model, flops.hardware)] if peak else []
    memory = torch.cuda.max_memory_allocated() / 2**30 if device != "cpu" else 0.0
    shown = " | ".join(f"{100 * share:.1f} %" for share in shares) or "- | -"
    row = (
        f"| {case} | {seconds:.3f} ({min(took):.3f} to {max(took):.3f}) | {edits / seconds:.2f} | {shown} | "
        f"{memory:.1f} | {flops.model / 1e12:.0f}, {flops.hardware / 1e12:.0f} | {warm:.0f} | {float(loss):.3f} |"
    )
    return row, shares[0] if shares else None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--toy", action="store_true", help="tiny networks, to see that it runs")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=500.0)
    given = parser.parse_args()
    cases, failed = (TOYS if given.toy else given.cases), False
    until = time.perf_counter() + given.seconds
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    peak = peak_flops(name)
    print(f"{name}, PyTorch {torch.__version__}, peak {peak or 0:.3g}")
    print("| case | s a step | pictures/s | model | hardware | GiB | TFLOP | first steps, s | loss |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    network, there, rank = None, "", 0
    for case in cases:
        if time.perf_counter() > until:
            print(f"| {case} | left out: no time |")
            continue
        kind, wanted = case.split(":")[0], int(case.split(":")[2])
        try:
            if (kind, wanted) != (there, rank):
                network = None
                gc.collect()
                network, there, rank = make_network(kind, device), kind, wanted
                add_lora(network, LoraSettings(rank=rank, targets="attention"))
            row, _ = measure(network, case, given.steps, device, peak)
            print(row, flush=True)
        except Exception as error:
            failed = True
            print(f"| {case} | {type(error).__name__}: {' '.join(str(error).split())[:600]} |", flush=True)
        gc.collect()
        if device == "cuda":
            torch.cuda.empty_cache()
    print(f"asked: at least {100 * ASKED:.0f} % of the peak for the model, with checkpointing")
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
