"""Processes of a training run: one, several with equal weights (DDP), or with weights in shards (FSDP)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import torch

from editscope.documents import Malformed, read_json
from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.files import SETTINGS, read_file
from editscope.training.supervised.settings import Parallel, TrainingSettings


class Processes:
    """The processes of a run. Accelerate determines how many there are and on which devices.

    FSDP is PyTorch's own (``fully_shard``), because accelerate's runs on GPUs only.
    """

    def __init__(self, kind: Parallel = "ddp", *, cpu: bool = False) -> None:
        from accelerate import Accelerator

        if kind == "deepspeed":
            raise BadInput(
                'parallel = "deepspeed": its configuration is checked, but running it is not supported; use "fsdp"'
            )
        with quiet():
            self._accelerator: Any = Accelerator(cpu=cpu, mixed_precision="no")
        self.kind = kind
        self.count: int = self._accelerator.num_processes
        self.number: int = self._accelerator.process_index
        self.device: torch.device = self._accelerator.device

    def need(self, device: str, where: str) -> None:
        """Raise BadInput if the processes are not on the requested device."""
        if device != "auto" and self.device.type != device:
            raise BadInput(
                f'{where} device: PyTorch finds no "{device}" here, only "{self.device.type}"; install PyTorch for '
                'that device, or write "auto"'
            )

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and prints."""
        return self.number == 0

    def prepared(self, network: torch.nn.Module, blocks: Sequence[str]) -> torch.nn.Module:
        """The network to train: unchanged, with gradients averaged over processes, or in shards."""
        if self.kind == "fsdp":
            if self.count == 1 and not torch.distributed.is_initialized():
                raise BadInput(
                    'parallel = "fsdp" shards weights over processes; start several with `accelerate launch`'
                )
            return _sharded(network, blocks)
        prepared: torch.nn.Module = self._accelerator.prepare_model(network)
        return prepared

    def unwrapped(self, network: torch.nn.Module) -> torch.nn.Module:
        """The network without its DDP wrapper."""
        inner: torch.nn.Module = getattr(network, "module", network) if self.count > 1 else network
        return inner

    @contextmanager
    def without_exchange(self, network: torch.nn.Module, wanted: bool) -> Iterator[None]:
        """If ``wanted``, gradients stay in this process: a later batch of the step exchanges their sum."""
        if not wanted or self.count == 1:
            yield
            return
        if self.kind == "fsdp":
            network.set_requires_gradient_sync(False)  # type: ignore[operator]
            try:
                yield
            finally:
                network.set_requires_gradient_sync(True)  # type: ignore[operator]
            return
        with self._accelerator.no_sync(network) if hasattr(network, "no_sync") else nullcontext():
            yield

    def reshard(self, network: torch.nn.Module) -> None:
        """Free the whole weights that a pass without gradients left: the next step gathers the current ones."""
        if self.kind == "fsdp":
            for module in network.modules():
                if hasattr(module, "reshard"):
                    module.reshard()  # type: ignore[operator]

    def summed(self, values: torch.Tensor) -> torch.Tensor:
        """The sum over all processes."""
        if self.count == 1:
            return values
        total: torch.Tensor = self._accelerator.reduce(values.clone(), reduction="sum")
        return total

    def wait(self) -> None:
        """Wait for all processes."""
        self._accelerator.wait_for_everyone()


def on_cpu(network: torch.nn.Module) -> bool:
    """Whether a network is on the CPU."""
    return next(network.parameters()).device.type == "cpu"


def whole(value: torch.Tensor) -> torch.Tensor:
    """A whole tensor on the CPU; if it is in shards, every process must call this."""
    if hasattr(value, "full_tensor"):
        value = value.full_tensor()
    return value.detach().cpu()


def placed_like(value: torch.Tensor, like: Any) -> torch.Tensor:
    """A whole tensor placed like another one: on its device, in its shards."""
    if hasattr(like, "full_tensor"):
        from torch.distributed.tensor import distribute_tensor

        shards: torch.Tensor = distribute_tensor(value.to(like.device), like.device_mesh, like.placements)
        return shards
    return value.to(like.device)


def check_deepspeed(path: Path, training: TrainingSettings, clip: float) -> Mapping[str, Any]:
    """Read a DeepSpeed configuration whose batches and clipping are those of the experiment, or "auto".

    This version only checks it.
    """
    try:
        config = read_json(read_file(path, SETTINGS))
    except (OSError, Malformed) as error:
        raise BadInput(f"{path} cannot be read as a DeepSpeed configuration ({error})") from error
    if not isinstance(config, dict) or not isinstance(config.get("zero_optimization"), dict):
        raise BadInput(f'{path} has no "zero_optimization"; use the example in the documentation')
    stage = config["zero_optimization"].get("stage")
    if stage not in (1, 2, 3):
        raise BadInput(f"{path}, zero_optimization: stage is {stage!r}; it must be 1, 2 or 3")
    for name, wanted in (
        ("train_micro_batch_size_per_gpu", training.batch),
        ("train_batch_size", training.examples),
        ("gradient_clipping", clip),
    ):
        value = config.get(name, "auto")
        if value not in ("auto", wanted):
            raise BadInput(f'{path}, {name}: {value} differs from the experiment, which has {wanted}; write "auto"')
    return config


def _sharded(network: torch.nn.Module, blocks: Sequence[str]) -> torch.nn.Module:
    from torch.distributed.fsdp import fully_shard

    for module in network.modules():
        if type(module).__name__ in blocks:
            fully_shard(module)
    sharded: torch.nn.Module = fully_shard(network)
    return sharded
