"""Flow matching: noise on the latents of an answer, and the velocity that leads back."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.training.data.examples import EditExample
from editscope.training.flops import TokenCounts
from editscope.training.models.base import Condition, FlowEditor
from editscope.training.models.pipeline_editor import PICTURES, TEXT
from editscope.training.models.sampling import velocity_of
from editscope.training.supervised.encoding import ExampleEncoder
from editscope.training.supervised.objective import Objective
from editscope.training.supervised.operations import OperationCounter, StepOperations
from editscope.training.supervised.settings import TimestepSettings
from editscope.training.supervised.timesteps import draw_sigma, weight


class FlowObjective(Objective):
    """The loss ``w(sigma) * mean((v - (noise - clean))²)`` of a flow editor at the noisy latents of answers."""

    blocks = ("FluxTransformerBlock", "FluxSingleTransformerBlock", "QwenImageTransformerBlock")

    def __init__(
        self,
        editor: FlowEditor,
        encoder: ExampleEncoder,
        timesteps: TimestepSettings,
        *,
        drop_instruction: float = 0.0,
        counter: OperationCounter | None = None,
    ) -> None:
        self.editor, self.encoder, self._counter = editor, encoder, counter
        self._timesteps, self._drop = timesteps, drop_instruction

    @property
    def network(self) -> torch.nn.Module:
        """The network of the editor."""
        return self.editor.network

    @network.setter
    def network(self, network: torch.nn.Module) -> None:
        self.editor.network = network

    def operations(self) -> StepOperations | None:
        """What was counted since the last call."""
        return None if self._counter is None else self._counter.taken()

    def losses(self, examples: Sequence[EditExample], generators: Sequence[torch.Generator]) -> torch.Tensor:
        """One loss for each example. The order of random draws: whether the text is left out, noise level, noise."""
        clean = self._clean(examples)
        size = answer_of(examples[0]).shape[:2]
        shift = self.editor.shift((size[0], size[1]))
        without: list[bool] = []
        sigmas, weights, noises = [], [], []
        for latents, generator in zip(clean, generators, strict=True):
            without.append(self._drop > 0 and float(torch.rand((), generator=generator)) < self._drop)
            sigmas.append(draw_sigma(self._timesteps, generator, shift))
            weights.append(weight(self._timesteps, sigmas[-1]))
            noises.append(torch.randn(latents.shape, generator=generator))
        condition = self.encoder.conditions(examples, without)
        return self._of_velocity(clean, torch.stack(noises), torch.tensor(sigmas), torch.tensor(weights), condition)

    def _of_velocity(
        self,
        clean: torch.Tensor,
        noise: torch.Tensor,
        sigma: torch.Tensor,
        weights: torch.Tensor,
        condition: Condition,
    ) -> torch.Tensor:
        device = clean.device
        noise, level = noise.to(device), sigma.to(device)[:, None, None, None]
        noisy = (1 - level) * clean + level * noise
        self._count(noisy, condition)
        velocity = velocity_of(self.editor, condition)(noisy, sigma)
        apart = (velocity.float() - (noise - clean)).square().mean(dim=(1, 2, 3))
        return apart * weights.to(apart.device)

    def _clean(self, examples: Sequence[EditExample]) -> torch.Tensor:
        sizes = {answer_of(example).shape[:2] for example in examples}
        if len(sizes) > 1:
            listed = ", ".join(sorted(f"{width}x{height}" for height, width in sizes))
            raise BadInput(f"a batch has answers of different sizes ({listed}); put them into buckets by size")
        return self.encoder.answers([answer_of(example) for example in examples])

    def _count(self, noisy: torch.Tensor, condition: Condition) -> None:
        """Tokens are 2 × 2 latents."""
        if self._counter is not None:
            shown = condition[PICTURES]
            places = noisy.shape[2] * noisy.shape[3] + shown.shape[1] * shown.shape[3] * shown.shape[4]
            self._counter.add(len(noisy), TokenCounts(pictures=places // 4, text=condition[TEXT].shape[1]))


def answer_of(example: EditExample) -> Pixels:
    """The picture that should come out; BadInput for an example without one."""
    if example.answer is None:
        raise BadInput(
            f"the example {example.id} has no answer, which supervised training requires; use a suite or "
            "a data set with answers, or reinforcement with rewards"
        )
    return example.answer
