"""Export of the small editor: weights in 8 bits, and the network around them as ONNX, in one file."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from editscope.editors.small.inputs import INPUTS, OUTPUTS
from editscope.editors.small.pictures import COLORS, SIDE
from editscope.editors.small.sentences import SPECIAL, TOKENS, vocabulary
from editscope.editors.small.weights import packed_weights
from editscope.errors import BadInput
from editscope.training.checkpoints import STATE, checkpoints_in, load_checkpoint
from editscope.training.small.network import NetworkSettings, SmallNetwork, parameters_of, settings_from
from editscope.training.small.stream import ExampleStream

OPSET = 17
LEVELS = 127
SMALLEST = 4096
"""Tensors with fewer numbers stay as they are."""


def read_average(path: Path) -> SmallNetwork:
    """The network of a training, with the average of its weights.

    ``path`` is the folder of a run, one of its checkpoints, or a file of tensors that PyTorch saved.
    """
    sizes = NetworkSettings(words=len(vocabulary()) + len(SPECIAL))
    if path.is_dir():
        there = checkpoints_in(path)
        if not there and not (path / STATE).is_file():
            raise _no_training(path)
        state = load_checkpoint(there[-1][1] if there else path)
        if "sizes" not in state.more:  # the checkpoint of another kind of training
            raise _no_training(path)
        values, sizes = state.average or state.weights, settings_from(state.more["sizes"])
    else:
        values = _tensors_in(path)
    network = SmallNetwork(sizes)
    try:
        network.load_state_dict({name: value.float() for name, value in values.items()})
    except (RuntimeError, AttributeError) as error:
        raise BadInput(f"{path} is no checkpoint of the small editor ({_short(error)})") from error
    return network.eval()


def _no_training(path: Path) -> BadInput:
    return BadInput(
        f"{path} is no training of the small editor; give the folder of `editscope train small`, one of its "
        "checkpoints, or a file of weights"
    )


def _tensors_in(path: Path) -> Mapping[str, Tensor]:
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        values: Mapping[str, Tensor] = saved.get("average", saved)
    except FileNotFoundError:
        raise BadInput(f"{path} is not there; give the folder of `editscope train small`") from None
    except Exception as error:  # PyTorch raises what it likes at a file that is none of its own
        raise BadInput(f"{path} is no checkpoint of the small editor ({_short(error)})") from error
    return values


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def in_8_bits(value: Tensor) -> tuple[Tensor, Tensor]:
    """A tensor as whole numbers of −127 … 127 and a scale for each of its first dimension.

    >>> in_8_bits(torch.tensor([[1.0, -0.5], [0.0, 0.0]]))[0].tolist()
    [[127, -64], [0, 0]]
    """
    most = value.abs().flatten(1).amax(dim=1).clamp(min=1e-12)
    scale = (most / LEVELS).reshape(-1, *[1] * (value.ndim - 1))
    return (value / scale).round().clamp(-LEVELS, LEVELS).to(torch.int8), scale


def is_packed(value: Tensor) -> bool:
    """Whether a tensor is stored in 8 bits: matrices and convolutions, not biases, norms and small ones."""
    return value.ndim >= 2 and value.numel() >= SMALLEST


@torch.no_grad()
def as_stored(network: SmallNetwork) -> SmallNetwork:
    """A copy of the network with the numbers that its file has: those in 8 bits, as floats again."""
    copy = SmallNetwork(network.settings)
    state = {}
    for name, value in network.state_dict().items():
        number, scale = in_8_bits(value) if is_packed(value) else (value, torch.ones(()))
        state[name] = number.float() * scale
    copy.load_state_dict(state)
    return copy.eval()


def exported(network: SmallNetwork, about: Mapping[str, Any] | None = None, *, packed: bool = True) -> bytes:
    """The file of weights of a network, byte for byte the same each time; in floats where not ``packed``."""
    try:
        import onnx  # noqa: F401  PyTorch writes the file with it
    except ImportError:
        raise BadInput("writing the weights of the small editor needs onnx; pip install 'editscope[train]'") from None
    copy = SmallNetwork(network.settings)
    copy.load_state_dict(network.state_dict())
    _prepare(copy.eval(), packed)
    inputs = (
        torch.zeros(1, SIDE, SIDE, dtype=torch.uint8),
        torch.zeros(1, COLORS, 3, dtype=torch.uint8),
        torch.zeros(1, COLORS, dtype=torch.uint8),
        torch.zeros(1, TOKENS, dtype=torch.int16),
        torch.zeros(1, TOKENS),
        torch.full((1, 2), SIDE, dtype=torch.int16),
    )
    file = io.BytesIO()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Outputs(copy),
            inputs,
            file,
            dynamo=False,
            opset_version=OPSET,
            # Folding would turn the 8 bits into floats. ONNX Runtime does it when it loads the file.
            do_constant_folding=False,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
        )
    facts = {"parameters": parameters_of(network), "trained_on": ExampleStream.benchmark, **(about or {})}
    return packed_weights(file.getvalue(), facts)


def _prepare(network: SmallNetwork, packed: bool) -> None:
    """Change a network so that it can be exported, and says the same."""
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.RMSNorm):
                setattr(module, name, _PlainNorm(child))
    for module in list(network.modules()) if packed else ():
        for name, value in list(module.named_parameters(recurse=False)):
            if is_packed(value):
                number, scale = in_8_bits(value.detach())
                setattr(module, name, nn.Parameter(number, requires_grad=False))
                parametrize.register_parametrization(module, name, _Unpacked(scale), unsafe=True)


class _Unpacked(nn.Module):
    def __init__(self, scale: Tensor) -> None:
        super().__init__()
        self.register_buffer("scale", scale)

    def forward(self, number: Tensor) -> Tensor:
        return number.float() * self.scale  # type: ignore[operator]


class _PlainNorm(nn.Module):
    """What ``nn.RMSNorm`` computes, in operations that ONNX has."""

    def __init__(self, norm: nn.RMSNorm) -> None:
        super().__init__()
        self.weight = norm.weight
        self.least = norm.eps if norm.eps is not None else torch.finfo(torch.float32).eps

    def forward(self, x: Tensor) -> Tensor:
        return x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.least) * self.weight


class _Outputs(nn.Module):
    """The network for one picture, with what painting needs as its outputs."""

    def __init__(self, network: SmallNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        said = self.network(*inputs)
        return tuple(getattr(said, name)[0] for name in OUTPUTS)
