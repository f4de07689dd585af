"""Export of the small editor: weights in 8 bits, and the network around them as ONNX, in one file."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from editscope.editors.small.inputs import INPUTS, OUTPUTS
from editscope.editors.small.pictures import COLORS, SIDE
from editscope.editors.small.sentences import TOKENS
from editscope.editors.small.weights import KIND, facts_of, packed_weights
from editscope.errors import BadInput
from editscope.training.checkpoints import STATE, checkpoints_in, load_checkpoint
from editscope.training.small.network import SmallNetwork, parameters_of
from editscope.training.small.settings import NetworkSettings
from editscope.training.small.stream import ExampleStream

OPSET = 17
LEVELS = 127
SMALLEST = 4096
"""Tensors with fewer numbers stay as they are."""
SOURCES = "the folder of `editscope train small`, one of its checkpoints, or a PyTorch file of weights"


def read_average(path: Path, sizes: NetworkSettings | None = None) -> SmallNetwork:
    """The network of a training, with the average of its weights.

    ``path`` is the folder of a training, one of its checkpoints, or a PyTorch file with the tensors alone. The network
    of such a file has ``sizes``, by default those of the weights that ship; a checkpoint knows its own.
    """
    if path.is_dir():
        values, sizes = _checkpoint_in(path)
    else:
        values = _tensors_in(path)
    network = SmallNetwork(sizes or NetworkSettings())
    try:
        network.load_state_dict({name: value.float() for name, value in values.items()})
    except (RuntimeError, AttributeError) as error:
        known = "" if sizes else "; a PyTorch file is read with the sizes that ship, so give the folder of the training"
        raise BadInput(f"{path} does not have the weights of this network ({_short(error)}){known}") from error
    return network.eval()


def _checkpoint_in(folder: Path) -> tuple[Mapping[str, Tensor], NetworkSettings]:
    """The averaged weights of the last checkpoint, or of the one that the folder is, and the sizes of their network."""
    checkpoints = checkpoints_in(folder)
    if not checkpoints and not (folder / STATE).is_file():
        raise _not_a_training(folder)
    state = load_checkpoint(checkpoints[-1][1] if checkpoints else folder, optimizer=False)
    if "sizes" not in state.more:  # the checkpoint of another kind of training
        raise _not_a_training(folder)
    return state.average or state.weights, NetworkSettings(**state.more["sizes"])


def _not_a_training(path: Path) -> BadInput:
    return BadInput(f"{path} is not a training of the small editor; give {SOURCES}")


def _tensors_in(file: Path) -> Mapping[str, Tensor]:
    if str(facts_of(file).get("format", "")).startswith(KIND):
        raise BadInput(f"{file} is a file of weights that `small-export` wrote; use it as small:{file}")
    try:
        saved = torch.load(file, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise BadInput(f"{file} is not there; give {SOURCES}") from None
    except Exception as error:  # PyTorch raises errors of many kinds for a file that it did not write
        raise BadInput(f"{file} is not a PyTorch file with weights ({_short(error)}); give {SOURCES}") from error
    if not isinstance(saved, Mapping):
        raise BadInput(f"{file} is not a PyTorch file with weights by name; give {SOURCES}")
    return saved


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:160]


def in_8_bits(value: Tensor) -> tuple[Tensor, Tensor]:
    """A tensor as whole numbers from −127 to 127, and a scale for each row of its first dimension.

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
def stored(network: SmallNetwork) -> SmallNetwork:
    """A copy of the network that computes with the numbers of its file: those in 8 bits, times their scales."""
    copy = SmallNetwork(network.settings)
    copy.load_state_dict(network.state_dict())
    for module in list(copy.modules()):
        for name, value in list(module.named_parameters(recurse=False)):
            if is_packed(value):
                number, scale = in_8_bits(value.detach())
                setattr(module, name, nn.Parameter(number, requires_grad=False))
                parametrize.register_parametrization(module, name, _Unpacked(scale), unsafe=True)
    return copy.eval()


def exported(network: SmallNetwork, held_out: Sequence[str] = ()) -> bytes:
    """The weights file of a network, byte for byte the same each time. ``held_out`` is what it has never seen."""
    try:
        import onnx  # noqa: F401  PyTorch writes the file with it
    except ImportError:
        raise BadInput("writing the weights of the small editor needs onnx; pip install 'editscope[train]'") from None
    copy = stored(network)
    _replace_norms(copy)
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
            # Folding would turn the 8 bits into floats; ONNX Runtime does that when it loads the file.
            do_constant_folding=False,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
        )
    without = f" without {', '.join(held_out)}" if held_out else ""
    facts = {"parameters": parameters_of(network), "trained_on": f"{ExampleStream.benchmark}{without}"}
    return packed_weights(file.getvalue(), facts)


def _replace_norms(network: SmallNetwork) -> None:
    """Replace the norms that ONNX does not have by modules that compute the same."""
    for module in list(network.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.RMSNorm):
                setattr(module, name, _PlainNorm(child))


class _Unpacked(nn.Module):
    def __init__(self, scale: Tensor) -> None:
        super().__init__()
        self.register_buffer("scale", scale)

    def forward(self, number: Tensor) -> Tensor:
        return number.float() * self.scale  # type: ignore[operator]


class _PlainNorm(nn.Module):
    """The same as ``nn.RMSNorm``, in operations that ONNX has."""

    def __init__(self, norm: nn.RMSNorm) -> None:
        super().__init__()
        self.weight = norm.weight
        self.least = norm.eps if norm.eps is not None else torch.finfo(torch.float32).eps

    def forward(self, x: Tensor) -> Tensor:
        return x / torch.sqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.least) * self.weight


class _Outputs(nn.Module):
    """The network for a single picture, with the outputs that painting needs."""

    def __init__(self, network: SmallNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        prediction = self.network(*inputs)
        return tuple(getattr(prediction, name)[0] for name in OUTPUTS)
