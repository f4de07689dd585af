"""DiffusionNFT: learning on the forward process from good and bad edits, without a stochastic sampler."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from editscope.training.models.base import FlowEditor
from editscope.training.reinforcement.advantages import optimality
from editscope.training.reinforcement.learners import Learner, LossPart, part_of
from editscope.training.reinforcement.policies import Reference, reference_of
from editscope.training.reinforcement.rollouts import PaintedBatch
from editscope.training.reinforcement.sampler import generators_of, noise_for
from editscope.training.reinforcement.settings import ReinforcementSettings
from editscope.training.weights import WeightCopy, trained_parameters

SMALLEST_WEIGHT = 1e-5


def implicit_policies(new: torch.Tensor, old: torch.Tensor, beta: float) -> tuple[torch.Tensor, torch.Tensor]:
    """The implicit positive and negative velocity: ``(1 - b) old + b new`` and ``(1 + b) old - b new``.

    >>> implicit_policies(torch.tensor(3.0), torch.tensor(1.0), 0.5)
    (tensor(2.), tensor(0.))
    """
    return (1 - beta) * old + beta * new, (1 + beta) * old - beta * new


def weighted_error(predicted: torch.Tensor, clean: torch.Tensor) -> torch.Tensor:
    """Squared error of clean latents for each edit, divided by its own mean absolute error, which has no gradient."""
    off = predicted - clean
    weight = off.detach().abs().flatten(1).mean(1).clamp(min=SMALLEST_WEIGHT)
    return (off**2).flatten(1).mean(1) / weight


class DiffusionNft(Learner[PaintedBatch]):
    """The painter learns toward good edits and away from bad ones, both through one network.

    Edits are sampled by an old policy, with the plain ODE. An edit is good with probability r, which follows from its
    advantage. At a noise level t the loss is ``r |x⁺ - x|² + (1 - r) |x⁻ - x|²`` with the clean latents that the
    implicit policies predict. After each round the old policy follows: ``old = d old + (1 - d) new``.
    """

    name = "painter"

    def __init__(self, editor: FlowEditor, optimizer: torch.optim.Optimizer, settings: ReinforcementSettings) -> None:
        super().__init__(editor.network, optimizer)
        self._editor = editor
        self._settings = settings
        self._reference: Reference | None = reference_of(editor.network) if settings.nft_kl > 0 else None
        self._old = WeightCopy(trained_parameters(editor.network))

    def sampling(self) -> AbstractContextManager[None]:
        """The old policy."""
        return self._old.in_place()

    @property
    def parts(self) -> int:
        """One for each noise level that a rollout is trained at."""
        return self._settings.nft_times

    def losses(self, batch: PaintedBatch, advantages: Sequence[float | None], salt: int) -> Iterator[LossPart]:
        """The loss at each noise level; every rollout has its own order of the levels of the sampler."""
        batch = batch.on(self.device)
        clean = batch.trajectory.clean
        counted = torch.tensor([float(one is not None) for one in advantages], device=clean.device)
        most = self._settings.most_advantage
        good = torch.tensor([optimality(one or 0.0, most) for one in advantages], device=clean.device)
        generators = generators_of([(seed ^ salt) & ((1 << 63) - 1) for seed in batch.seeds])
        levels = torch.tensor(batch.sigmas[:-1])
        orders = torch.stack([torch.randperm(len(levels), generator=one) for one in generators])
        for time in range(self._settings.nft_times):
            sigma = levels[orders[:, time]].to(clean.device)
            yield self._loss_at(batch, sigma, noise_for(generators, clean.shape[1:], clean.device), good, counted)

    def end_round(self, round_number: int) -> dict[str, float]:
        """The old policy follows, more slowly the longer the run goes."""
        settings = self._settings
        decay = min(settings.nft_decay * round_number, settings.nft_most_decay)
        self._old.follow(decay)
        return {"painter/old_decay": decay}

    def state(self) -> dict[str, Any]:
        """Weights, optimizer, and the old policy."""
        return {
            **super().state(),
            "old": {name: weight.to("cpu", copy=True) for name, weight in self._old.values.items()},
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restore a saved state."""
        super().load_state(state)
        self._old.load(state["old"])

    def _loss_at(
        self,
        batch: PaintedBatch,
        sigma: torch.Tensor,
        noise: torch.Tensor,
        good: torch.Tensor,
        counted: torch.Tensor,
    ) -> LossPart:
        settings, clean = self._settings, batch.trajectory.clean
        level = sigma[:, None, None, None]
        noisy = (1 - level) * clean + level * noise
        velocity = batch.policy(self._editor)
        with self._old.in_place():
            old = velocity(noisy, sigma)
        pulled = None
        if self._reference is not None:
            with self._reference.in_place():
                pulled = velocity(noisy, sigma)
        new = velocity(noisy, sigma)
        positive, negative = implicit_policies(new, old, settings.nft_beta)
        loss = good * weighted_error(noisy - level * positive, clean)
        loss = loss + (1 - good) * weighted_error(noisy - level * negative, clean)
        loss = loss * (settings.most_advantage / settings.nft_beta)
        numbers = {"policy_loss": loss.detach(), "moved": ((new - old).detach() ** 2).flatten(1).mean(1)}
        if pulled is not None:
            divergence = ((new - pulled) ** 2).flatten(1).mean(1)
            loss = loss + settings.nft_kl * divergence
            numbers["kl"] = divergence.detach()
        return part_of(loss, numbers, counted)
