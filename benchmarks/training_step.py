"""A step of supervised training of a network of published size, with random weights: time, memory, utilization.

    python benchmarks/training_step.py [--cases kontext:1:16:inputs:compiled …] [--steps 5] [--seconds 500]

A case is NETWORK:EDITS:RANK:KEPT:HOW[:ATTENTION]. NETWORK is kontext (12 B weights), qwen (20 B) or tiny; KEPT is what
``training.activations`` keeps of each block (inputs: checkpointing of every block; attention; all: no checkpointing);
HOW is eager or compiled; ATTENTION is a backend of diffusers (native, _native_cudnn, _native_flash). Pictures are 1024²:
4,096 tokens of the noisy picture, 4,096 of the input picture, 512 of the text. Weights are bf16 and drawn on the device;
LoRA layers of attention are float32 and used in bf16; the optimizer is fused AdamW. The first step, which compiles, and
one more are not timed.

The model's utilization is what a step needs over the peak of the device, the hardware's also counts what is computed
again; ``training/flops.py`` has the formula. Cases that no longer fit into the seconds are left out.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import torch

from editscope.training.activations import prepare_blocks
from editscope.training.flops import Tokens, network_step, peak_flops, utilization

CASES = ("kontext:1:16:inputs:compiled", "kontext:1:16:attention:compiled", "kontext:1:16:all:compiled")
TARGETS = ["to_q", "to_k", "to_v", "to_out.0", "add_q_proj", "add_k_proj", "add_v_proj", "to_add_out"]
SIDES: Mapping[str, int] = {"kontext": 64, "qwen": 64, "tiny": 8, "tiny-qwen": 8}
"""Tokens along each side of a picture."""
TEXT = 512
ASKED = 0.35


def make_network(name: str, device: str) -> Any:
    """A network with random weights in bf16, made on the device."""
    import diffusers

    tiny = {"num_layers": 2, "num_attention_heads": 2, "attention_head_dim": 16, "axes_dims_rope": (4, 6, 6)}
    with torch.device("meta"):
        if name in ("kontext", "tiny"):
            more = {**tiny, "num_single_layers": 2} if name == "tiny" else {}
            network = diffusers.FluxTransformer2DModel(guidance_embeds=True, **more)
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


def make_batch(network: Any, name: str, edits: int, device: str) -> SimpleNamespace:
    """Clean latents, noise and conditions as tokens."""
    side, config = SIDES[name], network.config
    generator = torch.Generator(device).manual_seed(1)

    def drawn(*shape: int) -> torch.Tensor:
        return torch.randn(shape, generator=generator, device=device, dtype=torch.bfloat16)

    given: dict[str, Any] = {"encoder_hidden_states": drawn(edits, TEXT, config.joint_attention_dim)}
    if hasattr(config, "pooled_projection_dim"):
        places = torch.zeros(2, side, side, 3, device=device)
        places[1, ..., 0] = 1
        places[..., 1] = torch.arange(side, device=device)[None, :, None]
        places[..., 2] = torch.arange(side, device=device)[None, None, :]
        given["img_ids"] = places.reshape(-1, 3)
        given["txt_ids"] = torch.zeros(TEXT, 3, device=device)
        given["pooled_projections"] = drawn(edits, config.pooled_projection_dim)
        given["guidance"] = torch.ones(edits, device=device)
    else:
        given["img_shapes"] = [[(1, side, side), (1, side, side)]] * edits
    size = (edits, side * side, config.in_channels)
    return SimpleNamespace(clean=drawn(*size), noise=drawn(*size), shown=drawn(*size), given=given)


def step(network: Any, batch: SimpleNamespace, optimizer: Any, device: str) -> torch.Tensor:
    """One step of flow matching, as the supervised loop makes it."""
    sigma = torch.full([len(batch.clean)], 0.5, device=device)
    noisy = (1 - sigma[:, None, None]) * batch.clean + sigma[:, None, None] * batch.noise
    with torch.autocast(torch.device(device).type, torch.bfloat16):
        made = network(
            hidden_states=torch.cat([noisy.to(torch.bfloat16), batch.shown], dim=1),
            timestep=sigma,
            return_dict=False,
            **batch.given,
        )[0][:, : noisy.shape[1]]
    loss = (made.float() - (batch.noise - batch.clean).float()).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return loss.detach()


def measure(network: Any, case: str, steps: int, device: str, peak: float | None) -> tuple[str, float | None]:
    """A row of the table, and the model's utilization."""
    name, edits_text, rank_text, kept, how, *more = case.split(":")
    edits = int(edits_text)
    network.set_attention_backend(more[0] if more else "native")
    torch._dynamo.reset()
    prepare_blocks(network, kept, compiled=how == "compiled")  # type: ignore[arg-type]
    optimizer = torch.optim.AdamW(
        [value for value in network.parameters() if value.requires_grad], lr=1e-4, fused=device != "cpu"
    )
    batch = make_batch(network, name, edits, device)
    began = time.perf_counter()
    for _ in range(2):
        loss = step(network, batch, optimizer, device)
    loss.item()
    warm = time.perf_counter() - began
    if device != "cpu":
        torch.cuda.reset_peak_memory_stats()
    took = []
    for _ in range(steps):
        began = time.perf_counter()
        loss = step(network, batch, optimizer, device)
        loss.item()
        took.append(time.perf_counter() - began)
    seconds = sorted(took)[len(took) // 2]
    tokens = Tokens(pictures=2 * SIDES[name] ** 2, text=TEXT)
    flops = network_step(network, tokens, edits=edits, attention_kept=kept == "attention")
    shares = [utilization(count, seconds, peak) for count in (flops.model, flops.hardware)] if peak else []
    memory = torch.cuda.max_memory_allocated() / 2**30 if device != "cpu" else 0.0
    shown = " | ".join(f"{100 * share:.1f} %" for share in shares) or "- | -"
    row = (
        f"| {case} | {seconds:.3f} ({min(took):.3f} to {max(took):.3f}) | {edits / seconds:.2f} | {shown} | "
        f"{memory:.1f} | {flops.model / 1e12:.0f}, {flops.hardware / 1e12:.0f} | {warm:.0f} | {float(loss):.3f} |"
    )
    return row, shares[0] if shares else None


def add_lora(network: Any, rank: int) -> None:
    """LoRA layers in float32, in place of those that are there."""
    import peft

    if getattr(network, "peft_config", None):
        network.delete_adapters("default")
    network.add_adapter(peft.LoraConfig(r=rank, lora_alpha=rank, target_modules=TARGETS), adapter_name="default")
    for value in network.parameters():
        if value.requires_grad:
            value.data = value.data.float()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=500.0)
    given = parser.parse_args()
    until = time.perf_counter() + given.seconds
    device = "cuda" if torch.cuda.is_available() else "cpu"
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU"
    peak = peak_flops(name)
    print(f"{name}, PyTorch {torch.__version__}, peak {peak or 0:.3g}")
    print("| case | s a step | pictures/s | model | hardware | GiB | TFLOP | first steps, s | loss |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    network, there, rank = None, "", 0
    for case in given.cases:
        if time.perf_counter() > until:
            print(f"| {case} | left out: no time |")
            continue
        kind, wanted = case.split(":")[0], int(case.split(":")[2])
        try:
            if kind != there:
                network = None
                gc.collect()
                network, there, rank = make_network(kind, device), kind, 0
            if wanted != rank:
                add_lora(network, wanted)
                rank = wanted
            row, _ = measure(network, case, given.steps, device, peak)
            print(row, flush=True)
        except Exception as error:
            print(f"| {case} | {type(error).__name__}: {' '.join(str(error).split())[:600]} |", flush=True)
        gc.collect()
        if device == "cuda":
            torch.cuda.empty_cache()
    print(f"asked: at least {100 * ASKED:.0f} % of the peak for the model, with checkpointing")


if __name__ == "__main__":
    main()
