"""Outline of reinforcement learning, without weights: rounds, edits, calls of the network and of judges, memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from editscope.training.data.examples import EditExample
from editscope.training.reinforcement.planner_start import UsedPrompt, check_planner
from editscope.training.reinforcement.reward_table import reward_mix
from editscope.training.reinforcement.rollouts import check_size
from editscope.training.reinforcement.settings import ReinforcementSettings
from editscope.training.reinforcement.sources import open_examples
from editscope.training.reinforcement.start import read_reinforcement
from editscope.training.rewards.base import Rollout
from editscope.training.settings import Experiment
from editscope.training.supervised.outline import RunOutline, outline
from editscope.training.supervised.start import check_settings
from editscope.transport.forecast import PaidCalls

CHANNELS, TEXT_BYTES = 16, 4096 * 2
"""Channels of latents, and bytes of a token of text, of the published models."""
WORD = "word "
"""About one token of a plan."""


@dataclass(frozen=True, slots=True)
class ReinforcementOutline:
    """What a run will do. A call of the network counts for one edit.

    ``memory`` is in bytes, by purpose; ``waiting`` is what waits on the CPU.
    """

    model: RunOutline
    settings: ReinforcementSettings
    size: tuple[int, int]
    sampling_calls: int
    training_calls: int
    judges: tuple[PaidCalls, ...]
    waiting: int
    from_zero: bool = True
    """Whether a LoRA starts at zero, and not from another one."""
    prompt: UsedPrompt | None = None
    """The prompt of the planner, if there is one."""

    @property
    def edits(self) -> int:
        """Edits of all rounds."""
        return self.settings.rounds * self.settings.prompts * self.settings.group_size

    @property
    def updates(self) -> int:
        """Steps of the optimizer."""
        return self.settings.rounds * self.settings.inner_epochs * self.settings.updates

    @property
    def memory(self) -> Mapping[str, int | None]:
        """Bytes on the device of each process."""
        copies: dict[str, int | None] = {"copies of trained weights": self.copies * self.model.trained * 4}
        return {**self.model.memory, **copies}

    @property
    def copies(self) -> int:
        """Copies of the trained weights: the old policy of NFT, and the reference unless it is a LoRA from zero."""
        old = self.settings.method == "nft"
        pulled = (self.settings.nft_kl if old else self.settings.kl) > 0
        return int(old) + int(pulled and not (self.model.targets and self.from_zero))


def outline_reinforcement(experiment: Experiment, file: str) -> ReinforcementOutline:
    """What an experiment with rewards will do; BadInput for what would stop it. Makes one example, asks nobody."""
    settings, _ = read_reinforcement(experiment, file)
    check_settings(experiment, file)
    prompt = check_planner(experiment, settings, file)
    mix = reward_mix(experiment, settings, file, lambda _: None)
    try:
        mix.check_names(settings.painter_rewards, f"{file}, [reinforcement] painter_rewards")
        mix.check_names(settings.planner_rewards, f"{file}, [reinforcement] planner_rewards")
        example = first_example(experiment, settings, file)
        check_size(example, settings)
        mix.check([example])
        plan = WORD * settings.planner_tokens if prompt is not None else ""
        shown = Rollout(example, example.pictures[0], plan)
        edits = settings.rounds * settings.prompts * settings.group_size
        judges = [part.scaled(edits) for name in mix.rewards.on for part in mix.rewards.rewards[name].forecast(shown)]
    finally:
        mix.rewards.close()
    size = (example.pictures[0].shape[0], example.pictures[0].shape[1])
    model = outline(experiment, size, batch=settings.batch, file=file, answers=False)
    return ReinforcementOutline(
        model=model,
        settings=settings,
        size=size,
        sampling_calls=edits * settings.steps * (2 if settings.guidance != 1 else 1),
        training_calls=edits * settings.inner_epochs * _training_calls(settings),
        judges=tuple(judges),
        waiting=_waiting(settings, size, experiment.model.text_tokens),
        from_zero=experiment.lora is None or experiment.lora.start is None,
        prompt=prompt,
    )


def first_example(experiment: Experiment, settings: ReinforcementSettings, file: str) -> EditExample:
    """The first example of an experiment, made in this process."""
    with open_examples(experiment, settings, file, workers=0) as loader:
        return next(loader)[0]


def _training_calls(settings: ReinforcementSettings) -> int:
    """Calls of the network for an edit in an inner epoch, including those without a gradient."""
    if not settings.paints:
        return 0
    if settings.method == "nft":
        return settings.nft_times * (2 + int(settings.nft_kl > 0))
    return settings.window_size * (1 + int(settings.kl > 0)) * (2 if settings.guidance != 1 else 1)


def _waiting(settings: ReinforcementSettings, size: tuple[int, int], tokens: int) -> int:
    """Bytes of a round's batches that wait on the CPU: latents of its stochastic steps, pictures and texts."""
    latents = CHANNELS * (size[0] // 8) * (size[1] // 8) * 4
    kept = settings.window_size + 1 if settings.paints and settings.method == "grpo" else 1
    each = latents * (kept + 1) + tokens * TEXT_BYTES
    return settings.prompts * settings.group_size * each
