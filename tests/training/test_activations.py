"""What is kept for the backward pass changes memory and time, never the gradients."""

from __future__ import annotations

from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.training.activations import prepare_blocks
from support.models.tiny_parts import small_flux

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers")
peft = pytest.importorskip("peft")


def flux(dropout: float = 0.0) -> Any:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    network = small_flux(diffusers, num_layers=2, num_single_layers=3)
    network.requires_grad_(False)
    network.add_adapter(peft.LoraConfig(r=2, target_modules=["to_q", "to_v", "proj_mlp"], lora_dropout=dropout))
    for name, value in network.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(value)
    return network.train()


def gradients(network: Any) -> dict[str, Any]:
    network.zero_grad()
    torch.manual_seed(1)
    made = network(
        hidden_states=torch.randn(2, 12, 16),
        encoder_hidden_states=torch.randn(2, 4, 16),
        pooled_projections=torch.randn(2, 16),
        timestep=torch.full([2], 0.5),
        guidance=torch.ones(2),
        img_ids=torch.zeros(12, 3),
        txt_ids=torch.zeros(4, 3),
        return_dict=False,
    )[0]
    made.square().mean().backward()
    return {name: value.grad.clone() for name, value in network.named_parameters() if value.requires_grad}


@pytest.mark.parametrize("kept", ["inputs", "attention"])
@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_gradients_are_the_same_to_the_last_bit(kept: Any, dropout: float) -> None:
    network = flux(dropout)
    prepare_blocks(network, "all")
    wanted = gradients(network)
    prepare_blocks(network, kept)
    found = gradients(network)
    assert len(found) > 10 and all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert any(value.abs().max() > 0 for value in wanted.values())


def test_attention_is_computed_again_only_where_it_is_not_kept() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Calls(TorchDispatchMode):  # type: ignore[no-untyped-call]
        number = 0

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.number += "scaled_dot_product" in str(function) and "backward" not in str(function)
            return function(*args, **(kwargs or {}))

    numbers = {}
    for kept in ("all", "attention", "inputs"):
        network = flux()
        prepare_blocks(network, kept)
        with Calls() as calls:  # type: ignore[no-untyped-call]
            gradients(network)
        numbers[kept] = calls.number
    assert numbers == {"all": 5, "attention": 5, "inputs": 10}


def test_another_choice_is_refused() -> None:
    with pytest.raises(BadInput, match="choice of what is kept"):
        prepare_blocks(flux(), "some")  # type: ignore[arg-type]
