"""Stage of training of the small editor: some minutes from where the last stage ended."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from editscope.editors.small.sentences import SPECIAL, vocabulary
from editscope.training.small.loss import losses, total
from editscope.training.small.network import NetworkSettings, SmallNetwork, new_network
from editscope.training.small.stream import ExampleStream, batches

INPUTS = ("grid", "palette", "marks", "tokens", "values", "size")


@dataclass(frozen=True, slots=True)
class StageSettings:
    """What a stage is told. It ends after ``seconds`` of training, or after ``steps``.

    The rate rises for ``warmup`` steps, stays, and falls to 0 over the last ``fall`` (a share of the stage).
    """

    seconds: float = 480.0
    steps: int = 1_000_000
    batch: int = 256
    part: int = 16
    workers: int = 14
    rate: float = 1.5e-3
    decay: float = 0.02
    warmup: int = 200
    fall: float = 0.0
    average: float = 0.999
    seed: int = 1
    shares: Mapping[str, float] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    device: str = "cuda"
    compiled: bool = True
    log_every: int = 50


class SmallTraining:
    """A network, its optimizers and the average of its weights."""

    def __init__(self, settings: StageSettings, network: NetworkSettings | None = None) -> None:
        self.settings = settings
        sizes = network or NetworkSettings(words=len(vocabulary()) + len(SPECIAL))
        self.network = new_network(sizes, settings.seed).to(settings.device)
        if settings.device != "cpu":
            self.network = self.network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average = {name: value.detach().clone() for name, value in self.network.named_parameters()}
        matrices = [value for name, value in self.network.named_parameters() if _is_matrix(name, value)]
        others = [value for name, value in self.network.named_parameters() if not _is_matrix(name, value)]
        self.optimizers: list[torch.optim.Optimizer] = [
            torch.optim.Muon(
                matrices, lr=settings.rate, weight_decay=settings.decay, momentum=0.95, adjust_lr_fn="match_rms_adamw"
            ),
            torch.optim.AdamW(
                others,
                lr=settings.rate,
                betas=(0.9, 0.98),
                weight_decay=settings.decay,
                fused=settings.device != "cpu",
            ),
        ]
        self.step = 0
        self.part = 0
        """The first part of the stream that was not used yet."""

    def train(self, say: Callable[[str], None], log: Path | None = None, began: float | None = None) -> None:
        """Train until the time or the steps are over."""
        settings = self.settings
        stream = ExampleStream(settings.seed, settings.part, self.part, settings.shares, settings.without)
        parts = settings.batch // settings.part
        source = batches(stream, settings.workers, parts, settings.device)
        if settings.device != "cpu":
            torch.backends.cuda.enable_cudnn_sdp(True)
        forward: Any = _Step(self.network)
        if settings.compiled:
            _compile(forward)
        batch = next(source)
        began = time.monotonic() if began is None else began
        first, waited, sums, counted = self.step, 0.0, {}, 0  # type: ignore[var-annotated]
        mark = time.monotonic()
        while True:
            spent = time.monotonic() - began
            left = min(1 - spent / settings.seconds, 1 - (self.step - first) / settings.steps)
            if left <= 0:
                break
            self._set_rates(self.step - first, left)
            with torch.autocast(settings.device, torch.bfloat16):
                parts_of_loss = forward(batch)
            loss = total(parts_of_loss)
            loss.backward()  # type: ignore[no-untyped-call]
            norm = nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            for optimizer in self.optimizers:
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            self.step += 1
            self.part += parts
            self._update_average()
            for name, value in parts_of_loss.items():
                sums[name] = sums.get(name, 0) + value.detach().mean()
            sums["norm"] = sums.get("norm", 0) + norm.detach()
            counted += 1
            if self.step % settings.log_every == 0:
                means = {name: float(value) / counted for name, value in sums.items()}
                if not math.isfinite(sum(means.values())):
                    raise ValueError(f"the loss of step {self.step} is no number: {means}")
                now = time.monotonic()
                speed = counted * settings.batch / (now - mark)
                row = {"step": self.step, "s": round(now - began, 1), "per_s": round(speed, 1)}
                row |= {"waited": round(waited / (now - mark), 3)} | {n: round(v, 4) for n, v in means.items()}
                say(json.dumps(row))
                if log is not None:
                    with log.open("a") as file:
                        file.write(json.dumps(row) + "\n")
                sums, counted, waited, mark = {}, 0, 0.0, now
            before = time.monotonic()
            batch = next(source)
            waited += time.monotonic() - before

    def _set_rates(self, done: int, left: float) -> None:
        settings = self.settings
        rise = min(1.0, (done + 1) / settings.warmup) if settings.warmup else 1.0
        share = rise * (min(1.0, left / settings.fall) if settings.fall else 1.0)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = settings.rate * share

    @torch.no_grad()
    def _update_average(self) -> None:
        keep = min(self.settings.average, (self.step + 1) / (self.step + 20))
        values = list(self.average.values())
        torch._foreach_lerp_(values, [value.detach() for value in self.network.parameters()], 1 - keep)

    def averaged(self) -> SmallNetwork:
        """The network with the average of its weights."""
        network = SmallNetwork(self.network.settings).to(self.settings.device)
        state = network.state_dict()
        network.load_state_dict({**state, **self.average})
        return network.eval()

    def save(self, path: Path) -> None:
        """Save everything that a later stage needs."""
        torch.save(
            {
                "network": self.network.state_dict(),
                "average": self.average,
                "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
                "step": self.step,
                "part": self.part,
                "sizes": self.network.settings.as_json(),
                "settings": asdict(self.settings),
            },
            path,
        )

    def load(self, path: Path) -> None:
        """Go on from what was saved; without the optimizers, where the file has none."""
        saved = torch.load(path, map_location=self.settings.device, weights_only=False)
        self.network.load_state_dict(saved["network"])
        self.average = {name: value.float() for name, value in saved["average"].items()}
        for optimizer, state in zip(self.optimizers, saved.get("optimizers") or (), strict=False):
            optimizer.load_state_dict(state)
        self.step, self.part = saved["step"], saved["part"]


class _Step:
    """Network and loss in three parts, each compiled by itself: the blocks share their code, which saves a minute."""

    def __init__(self, network: SmallNetwork) -> None:
        self.network = network
        self.read: Callable[..., Any] = network.read
        self.blocks: list[Callable[..., Tensor]] = list(network.blocks)
        self.judge: Callable[..., dict[str, Tensor]] = self._judge

    def __call__(self, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        network = self.network
        x, wanted, fine2, fine4 = self.read(*(batch[name] for name in INPUTS))
        for block in self.blocks:
            x = block(x, network.cos, network.sin, wanted)
        return self.judge(x, fine2, fine4, batch)

    def _judge(self, x: Tensor, fine2: Tensor, fine4: Tensor, batch: dict[str, Tensor]) -> dict[str, Tensor]:
        said = self.network.decide(x, fine2, fine4, batch["grid"], batch["palette"], batch["marks"], batch["size"])
        with torch.autocast(x.device.type, enabled=False):
            return losses(said, batch)


def _compile(step: _Step) -> None:
    step.read = torch.compile(step.read)
    step.blocks = [torch.compile(block) for block in step.blocks]
    step.judge = torch.compile(step.judge)


def _is_matrix(name: str, value: Tensor) -> bool:
    return name.startswith("blocks.") and value.ndim == 2
