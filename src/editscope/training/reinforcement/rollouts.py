"""Rollouts of a round: groups of edits of one example each, sampled in batches that are trained on as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import torch

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.training.data.examples import EditExample
from editscope.training.models.base import Condition, FlowEditor
from editscope.training.models.conditions import moved
from editscope.training.models.sampling import Velocity, velocity_of
from editscope.training.reinforcement.sampler import Trajectory, generators_of, noise_for, sample, seed_of
from editscope.training.reinforcement.settings import SECTION, ReinforcementSettings
from editscope.training.rewards.base import Rollout


@dataclass(frozen=True, slots=True, eq=False)
class PaintedBatch:
    """Edits of one group that went through the network together. Training repeats exactly this batch.

    So the ratio of a policy with itself is 1 to the last bit, also where results depend on the size of a batch.
    """

    condition: Condition
    without: Condition | None
    trajectory: Trajectory
    sigmas: tuple[float, ...]
    seeds: tuple[int, ...]

    def on(self, device: torch.device | str) -> PaintedBatch:
        """The same on another device, bit for bit."""
        without = None if self.without is None else moved(self.without, device)
        return replace(
            self, condition=moved(self.condition, device), without=without, trajectory=self.trajectory.on(device)
        )

    def policy(self, editor: FlowEditor, guidance: float = 1.0) -> Velocity:
        """What the network predicts for these edits, in float32."""
        return policy_of(editor, self.condition, guidance, self.without)


def policy_of(
    editor: FlowEditor, condition: Condition, guidance: float = 1.0, without: Condition | None = None
) -> Velocity:
    """The velocity of an editor under a condition, in float32: log-probabilities need its digits."""
    return velocity_of(editor, condition, without=without, scale=guidance, dtype=torch.float32)


def check_examples(examples: Sequence[EditExample], editor: FlowEditor, settings: ReinforcementSettings) -> None:
    """Raise BadInput for an example that cannot be sampled as the network is trained."""
    for example in examples:
        if not example.pictures:
            raise BadInput(
                f"the example {example.id} has no input picture; reinforcement learning edits pictures, so give it one"
            )
        check_size(example, settings)
        height, width = example.pictures[0].shape[:2]
        if height % editor.multiple or width % editor.multiple:
            raise BadInput(
                f"the example {example.id} has {width} × {height} pixels; sides must be multiples of {editor.multiple} "
                f"for {editor.family}, so resize or crop it"
            )


def check_size(example: EditExample, settings: ReinforcementSettings) -> None:
    """Raise BadInput for an example of another size than that of the settings."""
    height, width = example.pictures[0].shape[:2]
    if settings.size is not None and (height, width) != settings.size:
        wanted = f"{settings.size[1]} × {settings.size[0]}"
        raise BadInput(
            f"{SECTION} height, width: edits of {wanted} pixels would be sampled of the {width} × {height} pixels "
            f"of example {example.id}; sampling at another resolution than training teaches grid patterns, so make "
            "both the same"
        )


def paint_group(
    editor: FlowEditor,
    example: EditExample,
    instructions: Sequence[str],
    settings: ReinforcementSettings,
    place: tuple[int, int],
    stochastic: Sequence[int],
) -> tuple[list[PaintedBatch], list[Pixels]]:
    """Edits of one example, one for each instruction; ``place`` is the number of the round and of the group in it.

    Batches wait on the CPU until they are trained on: those of a large round would fill a GPU.
    """
    size = example.pictures[0].shape[0], example.pictures[0].shape[1]
    sigmas = _levels(editor, settings.steps, size)
    shape, device = editor.latent_shape(size), next(editor.network.parameters()).device
    seeds = [seed_of(settings.seed, "edit", *place, member) for member in range(len(instructions))]
    batches: list[PaintedBatch] = []
    pictures: list[Pixels] = []
    for first in range(0, len(seeds), settings.batch):
        texts = list(instructions[first : first + settings.batch])
        own = seeds[first : first + settings.batch]
        generators = generators_of(own)
        begins = (
            generators_of([seed_of(settings.seed, "start", *place)] * len(texts)) if settings.same_start else generators
        )
        start = noise_for(begins, shape, device)
        shown = [example.pictures] * len(texts)
        condition = editor.condition(texts, shown)
        without = editor.no_instruction(shown) if settings.guidance != 1 else None
        policy = policy_of(editor, condition, settings.guidance, without)
        made = sample(policy, start, sigmas, generators, settings.noise, stochastic)
        batches.append(PaintedBatch(condition, without, made, sigmas, tuple(own)).on("cpu"))
        pictures.extend(editor.pixels(made.clean).cpu().numpy())
    return batches, pictures


def rollouts_of(example: EditExample, pictures: Sequence[Pixels], plans: Sequence[str]) -> list[Rollout]:
    """The rollouts of a group."""
    return [Rollout(example, picture, plan) for picture, plan in zip(pictures, plans, strict=True)]


def _levels(editor: FlowEditor, steps: int, size: tuple[int, int]) -> tuple[float, ...]:
    levels = tuple(torch.as_tensor(editor.sigmas(steps, size)).double().tolist())
    if len(levels) != steps + 1 or levels[-1] != 0 or any(a <= b for a, b in pairwise(levels)):
        raise BadInput(f"the noise levels of {editor.family} do not fall to 0 in {steps} steps: {levels}")
    return levels
