"""Operations of a step are those that PyTorch counts while it makes one."""

from __future__ import annotations

from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.training.flops import TokenCounts, count_step, lora_ranks, network_parts, network_step, peak_flops
from support.models.tiny_parts import small_flux

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
peft = pytest.importorskip("peft")

TOKENS = TokenCounts(pictures=24, text=5)
EDITS = 2
ATTENTION = ["to_q", "to_k", "to_v", "to_out.0", "add_q_proj", "add_k_proj", "add_v_proj", "to_add_out"]


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def flux(guidance: bool = True) -> Any:
    sizes = {"num_layers": 2, "num_single_layers": 3, "joint_attention_dim": 24, "pooled_projection_dim": 8}
    return small_flux(diffusers, guidance_embeds=guidance, **sizes)


def qwen(**more: Any) -> Any:
    return diffusers.QwenImageTransformer2DModel(
        in_channels=16,
        out_channels=4,
        num_layers=3,
        attention_head_dim=16,
        num_attention_heads=2,
        joint_attention_dim=24,
        axes_dims_rope=(4, 6, 6),
        **more,
    )


def forward(network: Any) -> Any:
    given = {
        "hidden_states": torch.randn(EDITS, TOKENS.pictures, 16),
        "encoder_hidden_states": torch.randn(EDITS, TOKENS.text, 24),
        "timestep": torch.full([EDITS], 0.5),
        "return_dict": False,
    }
    if isinstance(network, diffusers.FluxTransformer2DModel):
        given["pooled_projections"] = torch.randn(EDITS, 8)
        given["img_ids"], given["txt_ids"] = torch.zeros(TOKENS.pictures, 3), torch.zeros(TOKENS.text, 3)
        given["guidance"] = torch.ones(EDITS) if network.config.guidance_embeds else None
    else:
        given["img_shapes"] = [[(1, 3, 4), (1, 3, 4)]] * EDITS
    return network(**given)[0]


def counted(network: Any) -> tuple[int, int]:
    """What PyTorch counts in the forward and in the backward pass; its plain attention keeps what it needs."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    with sdpa_kernel(SDPBackend.MATH):
        with FlopCounterMode(display=False) as first:
            made = forward(network)
        with FlopCounterMode(display=False) as second:
            made.square().mean().backward()
    return first.get_total_flops(), second.get_total_flops()


@pytest.mark.parametrize("make", [flux, lambda: flux(False), qwen, lambda: qwen(zero_cond_t=True)])
@pytest.mark.parametrize("targets", [ATTENTION, "all-linear", None])
def test_a_step_takes_what_pytorch_counts(make: Any, targets: Any) -> None:
    network = make()
    if targets is not None:
        network.requires_grad_(False)
        network.add_adapter(peft.LoraConfig(r=3, target_modules=targets))
    step = network_step(network, TOKENS, edits=EDITS, fused_attention=False)
    assert step.recomputed == 0
    assert (step.forward, step.to_activations + step.to_weights) == counted(network)


@pytest.mark.parametrize("make", [flux, qwen])
@pytest.mark.parametrize("targets", [["to_out.0"], ["img_mlp.net.2", "ff.net.2"]])
def test_where_only_layers_of_the_pictures_are_trained_the_text_of_their_block_counts_too(
    make: Any, targets: Any
) -> None:
    network = make().requires_grad_(False)
    network.add_adapter(peft.LoraConfig(r=3, target_modules=targets))
    step = network_step(network, TOKENS, edits=EDITS, fused_attention=False)
    first, backward = counted(network)
    assert step.forward == first
    assert backward < step.to_activations + step.to_weights < 1.1 * backward


@pytest.mark.parametrize("make", [flux, qwen])
def test_checkpointing_runs_the_blocks_forward_once_more(make: Any) -> None:
    network = make().requires_grad_(False)
    network.add_adapter(peft.LoraConfig(r=3, target_modules=ATTENTION))
    plain = network_step(network, TOKENS, edits=EDITS, fused_attention=False)
    network.enable_gradient_checkpointing()
    step = network_step(network, TOKENS, edits=EDITS, fused_attention=False)
    assert step.model == plain.model == plain.hardware
    first, backward = counted(network)
    assert first == step.forward
    # PyTorch stops a recomputation once it has all that the backward pass needs.
    assert 0.9 * step.recomputed <= backward - (plain.model - plain.forward) <= step.recomputed


def test_a_share_of_trained_weights_lies_between_none_and_all() -> None:
    config = dict(flux().config)
    parts = network_parts("FluxTransformer2DModel", config, TOKENS)
    frozen, whole = count_step(parts), count_step(parts, full=True)
    assert frozen.to_activations == frozen.to_weights == 0
    lora = count_step(parts, ranks={part.name: 3 for part in parts if part.name.endswith("to_q")})
    assert 0 < lora.to_weights < whole.to_weights
    fused = count_step(parts, full=True, fused_attention=True)
    assert fused.model == whole.model and fused.hardware > fused.model


def test_kontext_has_the_operations_that_its_sizes_say() -> None:
    config = {
        "patch_size": 1,
        "in_channels": 64,
        "out_channels": None,
        "num_layers": 19,
        "num_single_layers": 38,
        "attention_head_dim": 128,
        "num_attention_heads": 24,
        "joint_attention_dim": 4096,
        "pooled_projection_dim": 768,
        "guidance_embeds": True,
    }
    parts = network_parts("FluxTransformer2DModel", config, TokenCounts(8192, 512))
    step = count_step(parts, full=True)
    width, tokens = 3072, 8704
    linear, attention = 57 * 24 * width**2 * tokens, 57 * 4 * tokens**2 * width
    assert step.forward == pytest.approx(linear + attention, rel=1e-3)
    assert step.model == pytest.approx(3 * (linear + attention), rel=1e-3)


def test_ranks_are_read_off_the_network() -> None:
    network = flux()
    assert lora_ranks(network) == {}
    network.add_adapter(peft.LoraConfig(r=5, target_modules=["to_q"]))
    assert lora_ranks(network)["transformer_blocks.0.attn.to_q"] == 5 and len(lora_ranks(network)) == 5


def test_other_networks_and_devices_are_not_guessed() -> None:
    with pytest.raises(BadInput, match="UNet2DConditionModel"):
        network_parts("UNet2DConditionModel", {}, TOKENS)
    assert peak_flops("Some GPU") is None
    assert peak_flops("NVIDIA H100 80GB HBM3") == 989e12 and peak_flops("NVIDIA L40S") == 362e12
