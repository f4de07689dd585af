"""Activations of a network that are kept for the backward pass, and blocks compiled together with that choice."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, get_args

from editscope.errors import unknown

Kept = Literal["inputs", "attention", "all"]
"""Of every block: only its inputs, also the output of attention, or everything (no checkpointing)."""

ATTENTION = (
    "_scaled_dot_product_cudnn_attention",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention",
    "_scaled_dot_product_flash_attention_for_cpu",
)
"""The operations that attention can become."""


def prepare_blocks(network: Any, kept: Kept = "inputs", *, compiled: bool = False, backend: str = "inductor") -> None:
    """Choose which activations of a diffusers network are kept for the backward pass, and whether blocks are compiled.

    What is not kept is computed again, to the same bits without compilation. Keeping the output of attention takes as
    much memory as the inputs and saves the costliest operation. Compiled blocks of one kind share their code: PyTorch
    compiles each kind once or twice, in the first step.
    """
    import torch
    from torch.utils import checkpoint

    if kept not in get_args(Kept):
        raise unknown("choice of what is kept", str(kept), get_args(Kept))
    if not compiled:
        # On an H200 with PyTorch 2.11 (cuDNN 9.14) its backward pass reads beyond the gradient of blocks like FLUX's,
        # whose tokens of text and picture are split after attention. Compiled blocks lay that gradient out anew.
        torch.backends.cuda.enable_cudnn_sdp(False)
    if kept == "all":
        network.disable_gradient_checkpointing()
        if compiled:
            network.compile_repeated_blocks(fullgraph=True, dynamic=False, backend=backend)
        return
    draws = any(isinstance(module, torch.nn.Dropout) and module.p > 0 for module in network.modules())
    options: dict[str, Any] = {"use_reentrant": False, "preserve_rng_state": draws}
    if kept == "attention":
        found = [getattr(torch.ops.aten, name) for name in ATTENTION if hasattr(torch.ops.aten, name)]
        operations = [operation.default for operation in found]
        options["context_fn"] = partial(checkpoint.create_selective_checkpoint_contexts, operations)

    def run(block: Any, *args: Any) -> Any:
        return checkpoint.checkpoint(block, *args, **options)

    if compiled:
        run = torch.compile(run, fullgraph=True, dynamic=False, backend=backend)
    network.enable_gradient_checkpointing(run)
