"""Memory of a training run, by purpose: counted from shapes, without weights.

Weights, gradients and states of the optimizer are exact. Activations come from a forward pass over tensors that have
shapes and no values, with the modules, the LoRA layers and the precision of the run: what PyTorch would keep for the
backward pass is added up, tensor by tensor. With S(b) what block b keeps when it keeps everything, and x(b) its inputs,

    keep = "all"        S(1) + S(2) + … + the rest
    keep = "inputs"     x(1) + x(2) + … + the largest S(b) + the rest
    keep = "attention"  as "inputs", plus the output of attention for each block and one float32 per token and head

and while a block is computed backward, twice its largest tensor for gradients. Compiled blocks keep less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any

import torch

from editscope.editors.diffusion.finding import local_folder
from editscope.training.activations import Kept
from editscope.training.supervised.settings import OptimizerKind
from editscope.weight_files import SUFFIX, tensor_headers

COUNTS: Mapping[str, str] = {"transformer_blocks": "num_layers", "single_transformer_blocks": "num_single_layers"}
"""The lists of blocks of a network, and the names of their lengths in its configuration."""
EIGHT_BIT_FROM, EIGHT_BIT_BLOCK, EIGHT_BIT_TABLE = 4096, 256, 1024
"""torchao: tensors that are kept in 8 bits, values that share a scale, and bytes of the table of a tensor."""


@dataclass(frozen=True, slots=True)
class BatchShape:
    """What goes through a network at once: edits, tokens of the noisy and of all input pictures, tokens of the text."""

    edits: int
    side: tuple[int, int]
    inputs: int
    text: int

    @property
    def pictures(self) -> int:
        """Tokens of all pictures of an edit."""
        return (1 + self.inputs) * self.side[0] * self.side[1]

    @property
    def tokens(self) -> int:
        """All tokens of the batch."""
        return self.edits * (self.pictures + self.text)


@dataclass(frozen=True, slots=True)
class BlockMemory:
    """What of a network is kept for the backward pass, in bytes: ``blocks`` by list, each block all of it."""

    blocks: Mapping[str, int]
    rest: int
    largest: int


def parameter_bytes(network: torch.nn.Module) -> int:
    """Weights and buffers as they are."""
    return sum(value.numel() * value.element_size() for value in (*network.parameters(), *network.buffers()))


def trained_sizes(network: torch.nn.Module) -> list[int]:
    """Numbers of values of the trained parameters."""
    return [value.numel() for value in network.parameters() if value.requires_grad]


def optimizer_bytes(sizes: Iterable[int], kind: OptimizerKind) -> int:
    """States of AdamW for trained parameters of these sizes: two moments each, and the count of steps.

    >>> optimizer_bytes([4096], "adamw"), optimizer_bytes([4096], "8bit")
    (32772, 10372)
    """
    if kind != "8bit":
        return sum(8 * size + 4 for size in sizes)
    return sum(2 * _eight_bit(size) + 4 for size in sizes)


def _eight_bit(size: int) -> int:
    if size < EIGHT_BIT_FROM or size % EIGHT_BIT_BLOCK:
        return 4 * size
    return size + 4 * size // EIGHT_BIT_BLOCK + EIGHT_BIT_TABLE


def other_bytes(pipeline: str, index: Mapping[str, Any], number: int) -> int | None:
    """Weights of the other parts of a pipeline in a folder, at so many bytes for a value; None for a repository."""
    folder = local_folder(pipeline)
    if folder is None:
        return None
    parts = {name for name, about in index.items() if isinstance(about, list) and name != "transformer"}
    files = [path for path in folder.glob(f"*/*{SUFFIX}") if path.parent.name in parts]
    return sum(number * _values(path) for path in files)


def _values(path: Path) -> int:
    """How many values a file of weights has."""
    return sum(prod(told["shape"]) for told in tensor_headers(path).values())


def activation_bytes(memory: BlockMemory, config: Mapping[str, Any], shape: BatchShape, keep: Kept, number: int) -> int:
    """Bytes of activations at their highest, from what blocks keep; ``number`` is bytes of a value between blocks."""
    counts = {name: int(config.get(COUNTS[name]) or 0) for name in memory.blocks}
    backward = 2 * memory.largest
    if keep == "all":
        return sum(counts[name] * size for name, size in memory.blocks.items()) + memory.rest + backward
    heads, width = int(config["num_attention_heads"]), int(config["attention_head_dim"])
    inputs = shape.tokens * heads * width * number
    attention = inputs + 4 * shape.tokens * heads if keep == "attention" else 0
    return sum(counts.values()) * (inputs + attention) + max(memory.blocks.values()) + memory.rest + backward


def kept_by_blocks(network: Any, shape: BatchShape, *, bf16: bool) -> BlockMemory:
    """What a network on the meta device would keep; its blocks of one kind are alike, so two of each are enough."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    network.disable_gradient_checkpointing()
    with FakeTensorMode():
        _without_values(network)
        kept = _SavedBytes(network)
        given = _arguments(network, shape, torch.bfloat16 if bf16 else torch.float32)
        with kept.counting(), torch.autocast("cpu", torch.bfloat16, enabled=bf16):
            network(**given, return_dict=False)
    return kept.result()


class _SavedBytes:
    """Bytes of the tensors that are saved for the backward pass, each memory once, weights left out."""

    def __init__(self, network: Any) -> None:
        self._network = network
        self._own = {_memory_of(value) for value in (*network.parameters(), *network.buffers())}
        self._seen: dict[int, int] = {}
        self._alive: list[torch.Tensor] = []  # so that no address is used again
        self._before = 0
        self._in_blocks = 0
        self._blocks: dict[str, int] = {}

    def counting(self) -> Any:
        """A context in which saved tensors are counted."""
        for name in COUNTS:
            for block in getattr(self._network, name, ()):
                block.register_forward_pre_hook(self._begin)
                block.register_forward_hook(partial(self._end, name))
        return torch.autograd.graph.saved_tensors_hooks(self._take, lambda value: value)

    def result(self) -> BlockMemory:
        """What was counted."""
        return BlockMemory(self._blocks, self._total() - self._in_blocks, max(self._seen.values()))

    def _begin(self, *_: object) -> None:
        self._before = self._total()

    def _end(self, name: str, *_: object) -> None:
        size = self._total() - self._before
        self._in_blocks += size
        self._blocks[name] = max(size, self._blocks.get(name, 0))

    def _take(self, value: torch.Tensor) -> torch.Tensor:
        place = _memory_of(value)
        if place not in self._own and place not in self._seen:
            self._seen[place] = value.untyped_storage().nbytes()
            self._alive.append(value)
        return value

    def _total(self) -> int:
        return sum(self._seen.values())


def _memory_of(value: torch.Tensor) -> int:
    return int(value.untyped_storage()._cdata)


def _without_values(network: torch.nn.Module) -> None:
    """Put tensors without values in the place of those on the meta device, as if they were on the CPU."""
    for module in network.modules():
        for name, value in module._parameters.items():
            if value is not None:
                made = torch.empty(value.shape, dtype=value.dtype)
                module._parameters[name] = torch.nn.Parameter(made, requires_grad=value.requires_grad)
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = torch.empty(buffer.shape, dtype=buffer.dtype)
        for name, other in list(vars(module).items()):  # Qwen keeps places of tokens in plain tensors
            if torch.is_tensor(other):
                setattr(module, name, torch.empty(other.shape, dtype=other.dtype))


def _arguments(network: Any, shape: BatchShape, dtype: torch.dtype) -> dict[str, Any]:
    config, edits = network.config, shape.edits
    given: dict[str, Any] = {
        "hidden_states": torch.empty(edits, shape.pictures, config.in_channels, dtype=dtype),
        "encoder_hidden_states": torch.empty(edits, shape.text, config.joint_attention_dim, dtype=dtype),
        "timestep": torch.empty(edits, dtype=dtype),
    }
    if "pooled_projection_dim" in config:
        given["pooled_projections"] = torch.empty(edits, config.pooled_projection_dim, dtype=dtype)
        given["guidance"] = torch.empty(edits) if config.guidance_embeds else None
        given["img_ids"] = torch.empty(shape.pictures, 3, dtype=dtype)
        given["txt_ids"] = torch.empty(shape.text, 3, dtype=dtype)
    else:
        given["img_shapes"] = [[(1, *shape.side)] * (1 + shape.inputs)] * edits
    return given
