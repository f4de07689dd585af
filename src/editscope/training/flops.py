"""Floating-point operations of a training step, and how much of a device's peak they use.

Only matrix products count, two operations for each multiplication with its addition. With F the forward pass, a step
takes

    model    = F + backward to activations + weight gradients
    hardware = model + recomputation

A linear layer takes as much for its activations as forward, and once more for its weights if they are trained; LoRA
layers are products of their own. Attention has no weights, and two operands that both need a gradient: twice its
forward pass. So with r the trained share of the linear layers, a step takes (2 + r) times their forward pass and 3
times that of attention. What a checkpointed block or a fused attention kernel computes again is not the model's, and
counts for the hardware only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from editscope.errors import unknown

PEAKS: Mapping[str, float] = MappingProxyType(
    {
        "B200": 2250e12,
        "B100": 1750e12,
        "H200": 989e12,
        "GH200": 989e12,
        "H100 PCIe": 756e12,
        "H100 NVL": 835e12,
        "H100": 989e12,
        "A100": 312e12,
        "A800": 312e12,
        "A10G": 70e12,
        "L40S": 362e12,
        "L40": 181e12,
        "L4": 121e12,
        "RTX 4090": 165e12,
        "RTX 5090": 209e12,
        "MI300X": 1307e12,
    }
)
"""Dense bf16 operations a second that makers state, by a part of the device's name; the longest that fits counts."""


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """The tokens of one edit: those of the noisy and all input pictures together, and those of the text."""

    pictures: int
    text: int

    @property
    def all(self) -> int:
        """What attention sees."""
        return self.pictures + self.text


@dataclass(frozen=True, slots=True)
class Linear:
    """A linear layer on so many rows. Layers of one ``stage`` run side by side; gradients come from later stages.

    ``chain`` is what its input depends on: only the time, or the tokens, which depend on both. ``used`` is False where
    nothing follows, so that no gradient comes; ``normed`` says that a norm with weights is before the first layer.
    """

    name: str
    rows: int
    inner: int
    columns: int
    stage: int
    chain: Literal["time", "tokens"] = "tokens"
    used: bool = True
    normed: bool = False

    @property
    def flops(self) -> int:
        """The forward pass."""
        return 2 * self.rows * self.inner * self.columns


@dataclass(frozen=True, slots=True)
class Attention:
    """Attention of all tokens to all, over heads that make up a width together."""

    name: str
    tokens: int
    width: int
    stage: int

    @property
    def flops(self) -> int:
        """The forward pass: queries with keys, and weights with values."""
        return 4 * self.tokens * self.tokens * self.width


Part = Linear | Attention


@dataclass(frozen=True, slots=True)
class StepFlops:
    """The operations of one training step, by what they are for."""

    forward: int
    to_activations: int
    to_weights: int
    recomputed: int

    @property
    def model(self) -> int:
        """What the step needs."""
        return self.forward + self.to_activations + self.to_weights

    @property
    def hardware(self) -> int:
        """What the device does."""
        return self.model + self.recomputed


def network_parts(class_name: str, config: Mapping[str, Any], tokens: TokenCounts) -> list[Part]:
    """The matrix products of a transformer of diffusers for one edit, by the names of its modules."""
    if class_name not in NETWORKS:
        raise unknown("network whose operations can be counted", class_name, NETWORKS)
    return NETWORKS[class_name](config, tokens)


def count_step(
    parts: Sequence[Part],
    *,
    edits: int = 1,
    ranks: Mapping[str, int] | None = None,
    full: bool = False,
    checkpointing: bool = False,
    attention_kept: bool = False,
    fused_attention: bool = True,
) -> StepFlops:
    """The operations of a step on so many edits.

    ``ranks`` are those of the LoRA layers by the names of their modules; ``full`` trains every weight. With
    ``checkpointing`` every block runs forward twice, without its attention if that is kept. ``fused_attention`` keeps
    no scores and computes them again in its backward pass, as flash attention does.
    """
    ranks = ranks or {}
    trained = [part for part in parts if isinstance(part, Linear) and (full or ranks.get(part.name))]
    first = {
        chain: min((part.stage for part in trained if part.chain in seen), default=None)
        for chain, seen in (("time", ("time",)), ("tokens", ("time", "tokens")))
    }
    forward = to_activations = to_weights = recomputed = 0
    for part in parts:
        low = 0
        if isinstance(part, Attention):
            earliest = first["tokens"]
            carries = earliest is not None and earliest < part.stage
            to_activations += 2 * part.flops * carries
            recomputed += part.flops // 2 * (carries and fused_attention)
        else:
            earliest = first[part.chain]
            carries = (earliest is not None and earliest < part.stage) or (full and part.normed)
            rank = ranks.get(part.name, 0)
            low = 2 * part.rows * rank * (part.inner + part.columns)
            if part.used:
                to_activations += part.flops * carries + 2 * part.rows * rank * (part.columns + part.inner * carries)
                to_weights += part.flops * full + low
        forward += part.flops + low
        again = checkpointing and "blocks." in part.name and not (attention_kept and isinstance(part, Attention))
        recomputed += (part.flops + low) * again
    return StepFlops(edits * forward, edits * to_activations, edits * to_weights, edits * recomputed)


def network_step(
    network: Any, tokens: TokenCounts, *, edits: int = 1, attention_kept: bool = False, fused_attention: bool = True
) -> StepFlops:
    """The operations of a step with a network as it is: its LoRA layers, what is trained, checkpointing."""
    name = type(network).__name__.removeprefix("FSDP")  # PyTorch names a class so when it shards one
    return count_step(
        network_parts(name, network.config, tokens),
        edits=edits,
        ranks=lora_ranks(network),
        full=any(value.requires_grad for name, value in network.named_parameters() if "lora_" not in name),
        checkpointing=bool(getattr(network, "gradient_checkpointing", False)),
        attention_kept=attention_kept,
        fused_attention=fused_attention,
    )


def lora_ranks(network: Any) -> dict[str, int]:
    """The ranks of the LoRA layers of a network, by the names of their modules, several adapters together."""
    ranks = {}
    for name, module in network.named_modules():
        if hasattr(module, "lora_A") and hasattr(module, "r"):
            ranks[name] = sum(module.r[adapter] for adapter in module.active_adapters if adapter in module.r)
    return ranks


def peak_flops(device_name: str) -> float | None:
    """The peak of a device by the name that PyTorch gives it; None if it is unknown.

    >>> peak_flops("NVIDIA H200"), peak_flops("NVIDIA H100 PCIe"), peak_flops("a toaster")
    (989000000000000.0, 756000000000000.0, None)
    """
    fitting = [name for name in PEAKS if name.lower() in device_name.lower()]
    return PEAKS[max(fitting, key=len)] if fitting else None


def utilization(flops: float, seconds: float, peak: float) -> float:
    """Operations per second as a share of the peak.

    >>> round(utilization(flops=384e12, seconds=1.0, peak=989e12), 3)
    0.388
    """
    return flops / seconds / peak


def _flux(config: Mapping[str, Any], tokens: TokenCounts) -> list[Part]:
    width = config["num_attention_heads"] * config["attention_head_dim"]
    embedders = [("timestep_embedder", 256), ("text_embedder", config["pooled_projection_dim"])]
    if config["guidance_embeds"]:
        embedders.insert(1, ("guidance_embedder", 256))
    parts = _time(width, embedders)
    parts.append(Linear("x_embedder", tokens.pictures, config["in_channels"], width, 0))
    parts.append(Linear("context_embedder", tokens.text, config["joint_attention_dim"], width, 0))
    stage = 2
    for number in range(config["num_layers"]):
        names = ("norm1.linear", "norm1_context.linear", "ff", "ff_context")
        parts += _double(f"transformer_blocks.{number}", names, width, tokens, stage)
        stage += 6
    every = tokens.all
    for number in range(config["num_single_layers"]):
        block = f"single_transformer_blocks.{number}"
        parts.append(Linear(f"{block}.norm.linear", 1, width, 3 * width, stage, "time"))
        parts.append(Linear(f"{block}.proj_mlp", every, width, 4 * width, stage + 1))
        parts += [Linear(f"{block}.attn.{name}", every, width, width, stage + 1) for name in ("to_q", "to_k", "to_v")]
        parts.append(Attention(f"{block}.attn", every, width, stage + 2))
        parts.append(Linear(f"{block}.proj_out", every, 5 * width, width, stage + 3))
        stage += 4
    return parts + _end(config, config["out_channels"] or config["in_channels"], width, tokens, stage)


def _qwen(config: Mapping[str, Any], tokens: TokenCounts) -> list[Part]:
    width = config["num_attention_heads"] * config["attention_head_dim"]
    times = 2 if config.get("zero_cond_t") else 1
    parts = _time(width, [("timestep_embedder", 256)], times)
    parts.append(Linear("img_in", tokens.pictures, config["in_channels"], width, 0))
    parts.append(Linear("txt_in", tokens.text, config["joint_attention_dim"], width, 0, normed=True))
    stage = 2
    for number in range(config["num_layers"]):
        last = number == config["num_layers"] - 1
        names = ("img_mod.1", "txt_mod.1", "img_mlp", "txt_mlp")
        parts += _double(f"transformer_blocks.{number}", names, width, tokens, stage, times, text_used=not last)
        stage += 6
    return parts + _end(config, config["out_channels"] or config["in_channels"], width, tokens, stage)


def _time(width: int, embedders: Sequence[tuple[str, int]], times: int = 1) -> list[Part]:
    parts: list[Part] = []
    for name, inner in embedders:
        rows = times if name == "timestep_embedder" else 1
        parts.append(Linear(f"time_text_embed.{name}.linear_1", rows, inner, width, 0, "time"))
        parts.append(Linear(f"time_text_embed.{name}.linear_2", rows, width, width, 1, "time"))
    return parts


def _double(
    block: str,
    names: tuple[str, str, str, str],
    width: int,
    tokens: TokenCounts,
    stage: int,
    times: int = 1,
    *,
    text_used: bool = True,
) -> list[Part]:
    """A block with weights for pictures and for the text, which meet in attention. It takes six stages."""
    pictures_scales, text_scales, pictures_layers, text_layers = names
    streams = (
        (tokens.pictures, pictures_layers, ("to_q", "to_k", "to_v"), "to_out.0", True),
        (tokens.text, text_layers, ("add_q_proj", "add_k_proj", "add_v_proj"), "to_add_out", text_used),
    )
    parts: list[Part] = [
        Linear(f"{block}.{pictures_scales}", times, width, 6 * width, stage, "time"),
        Linear(f"{block}.{text_scales}", 1, width, 6 * width, stage, "time"),
        Attention(f"{block}.attn", tokens.all, width, stage + 2),
    ]
    for rows, layers, projections, out, used in streams:
        parts += [Linear(f"{block}.attn.{name}", rows, width, width, stage + 1) for name in projections]
        parts.append(Linear(f"{block}.attn.{out}", rows, width, width, stage + 3, used=used))
        parts.append(Linear(f"{block}.{layers}.net.0.proj", rows, width, 4 * width, stage + 4, used=used))
        parts.append(Linear(f"{block}.{layers}.net.2", rows, 4 * width, width, stage + 5, used=used))
    return parts


def _end(config: Mapping[str, Any], channels: int, width: int, tokens: TokenCounts, stage: int) -> list[Part]:
    out = config["patch_size"] ** 2 * channels
    return [
        Linear("norm_out.linear", 1, width, 2 * width, stage, "time"),
        Linear("proj_out", tokens.pictures, width, out, stage + 1),
    ]


NETWORKS: Mapping[str, Callable[[Mapping[str, Any], TokenCounts], list[Part]]] = MappingProxyType(
    {"FluxTransformer2DModel": _flux, "QwenImageTransformer2DModel": _qwen}
)
"""How the parts of a network are listed, by the name of its class."""
