"""Learner of the small editor: a network, its optimizers and the average of its weights, which a step moves on."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from editscope.errors import BadInput
from editscope.training.small.compiling import LossStep
from editscope.training.small.loss import total
from editscope.training.small.network import NetworkSettings, SmallNetwork, new_network
from editscope.training.small.settings import StageSettings


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
        """The first part of the stream that was not used yet."""

    def learn(self, batch: dict[str, Tensor], rate: float) -> dict[str, Tensor]:
        """Take one step on a batch; gives the means of the parts of its loss, and the norm of its gradient."""
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

    def averaged(self) -> SmallNetwork:
        """The network with the average of its weights."""
        network = SmallNetwork(self.network.settings).to(self.device)
        network.load_state_dict(self.average)
        return network.eval()

    def weights(self) -> dict[str, Tensor]:
        """The weights of the network."""
        return {name: value.detach() for name, value in self.network.named_parameters()}

    def take(
        self, weights: Mapping[str, Tensor], average: Mapping[str, Tensor] | None, optimizers: list[Any] | None
    ) -> None:
        """Go on from these weights; without the optimizers where there are none."""
        self.network.load_state_dict({name: value.float() for name, value in weights.items()})
        source = average if average is not None else weights
        self.average = {name: source[name].float().to(self.device, copy=True) for name in self.average}
        for optimizer, state in zip(self.optimizers, optimizers or (), strict=False):
            optimizer.load_state_dict(state)

    def start_from(self, path: Path) -> None:
        """Begin with a file of PyTorch: averaged weights alone, or all that an earlier training kept."""
        try:
            saved = torch.load(path, map_location="cpu", weights_only=True)
            whole = "network" in saved and "average" in saved
            self.take(
                saved["network"] if whole else saved,
                saved["average"] if whole else None,
                saved.get("optimizers") if whole else None,
            )
        except FileNotFoundError:
            raise BadInput(f"{path} is not there; give a file of weights to --start") from None
        except Exception as error:  # PyTorch raises what it likes at a file that is none of its own
            reason = " ".join(str(error).split())[:160]
            raise BadInput(f"{path} has no weights of this network ({reason})") from error
        if whole:
            self.step, self.part = int(saved["step"]), int(saved["part"])


def _fast_attention() -> AbstractContextManager[None]:
    """Attention of cuDNN first: on an H200 it is the fastest for these sizes."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    kinds = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
    return sdpa_kernel(kinds, set_priority=True)


def _is_matrix(name: str, value: Tensor) -> bool:
    return name.startswith("blocks.") and value.ndim == 2
