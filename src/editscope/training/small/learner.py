"""Learner of the small editor: a network, its optimizers and the average of its weights, updated step by step."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor, nn

from editscope.errors import BadInput
from editscope.training.checkpoints import TrainingState
from editscope.training.small.compiling import LossStep
from editscope.training.small.export import read_average
from editscope.training.small.loss import total
from editscope.training.small.network import SmallNetwork, new_network
from editscope.training.small.settings import NetworkSettings, StageSettings


def start_network(path: Path, sizes: NetworkSettings) -> SmallNetwork:
    """The network of a training that another one starts from; BadInput if its sizes are not those of the recipe."""
    network = read_average(path, sizes)
    differences = [
        f"{name} is {size}, not {getattr(sizes, name)}"
        for name, size in asdict(network.settings).items()
        if size != getattr(sizes, name)
    ]
    if differences:
        raise BadInput(
            f"{path} has a network of other sizes than the recipe: {'; '.join(differences)}; change [network]"
        )
    return network


class SmallLearner:
    """A network, its optimizers and the average of its weights."""

    def __init__(self, settings: StageSettings, sizes: NetworkSettings) -> None:
        self.settings, self.device = settings, settings.on
        gpu = self.device != "cpu"
        self.network = new_network(sizes, settings.seed).to(self.device)
        if gpu:
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.benchmark = True
            self.network = self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = {name: value.detach().clone() for name, value in self.network.named_parameters()}
        matrices = [value for name, value in self.network.named_parameters() if _is_matrix(name, value)]
        others = [value for name, value in self.network.named_parameters() if not _is_matrix(name, value)]
        rate, decay = settings.rate, settings.decay
        self.optimizers: list[torch.optim.Optimizer] = [
            torch.optim.Muon(matrices, lr=rate, weight_decay=decay, momentum=0.95, adjust_lr_fn="match_rms_adamw"),
            torch.optim.AdamW(others, lr=rate, betas=(0.9, 0.98), weight_decay=decay, fused=gpu),
        ]
        self._loss = LossStep(self.network, compiled=settings.compiled and gpu, rewarded=bool(settings.reward))
        self.step = 0
        self.part = 0
        """The first part of the stream that has not been used, in parts of the size that the stage has."""

    def learn(self, batch: dict[str, Tensor], rate: float) -> dict[str, Tensor]:
        """Take a step on a batch. Returns the mean of each part of the loss, and the norm of the gradient."""
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        with _fast_attention() if self.device != "cpu" else nullcontext():
            with torch.autocast(self.device, torch.bfloat16, enabled=self.device != "cpu"):
                parts = self._loss(batch)
            loss = total(parts)
            if self.settings.reward:
                loss = self.settings.lessons * loss - parts["reward"].mean()
            loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.step += 1
        self.part += self.settings.batch // self.settings.part
        self._update_average()
        means = {name: value.detach().mean() for name, value in parts.items()}
        return {"loss": loss.detach(), **means, "gradient_norm": norm.detach()}

    @torch.no_grad()
    def _update_average(self) -> None:
        keep = min(self.settings.average, (self.step + 1) / (self.step + 20))
        values = list(self.average.values())
        torch._foreach_lerp_(values, [value.detach() for value in self.network.parameters()], 1 - keep)

    def weights(self) -> dict[str, Tensor]:
        """The weights of the network."""
        return {name: value.detach() for name, value in self.network.named_parameters()}

    def resume_from(self, state: TrainingState) -> None:
        """Continue from a checkpoint."""
        self._take(state.weights, state.weights if state.average is None else state.average)
        for optimizer, saved in zip(self.optimizers, state.optimizer["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        size = self.settings.part
        numbers = int(state.loader["part"]) * int(state.loader.get("size", size))
        self.step, self.part = state.step, -(-numbers // size)  # rounded up, so that no problem is repeated

    def start_from(self, path: Path) -> None:
        """Begin with the averaged weights of a training, in whatever form ``read_average`` takes them."""
        weights = start_network(path, self.network.settings).state_dict()
        self._take(weights, weights)

    def _take(self, weights: Mapping[str, Tensor], average: Mapping[str, Tensor]) -> None:
        self.network.load_state_dict({name: value.float() for name, value in weights.items()})
        self.average = {name: average[name].float().to(self.device, copy=True) for name in self.average}


def _fast_attention() -> AbstractContextManager[None]:
    """Prefer the attention of cuDNN: on an H200, it is the fastest at these sizes."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kinds = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    return sdpa_kernel(kinds, set_priority=True)


def _is_matrix(name: str, value: Tensor) -> bool:
    return name.startswith("blocks.") and value.ndim == 2
