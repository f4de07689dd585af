"""Looks at fixed cases during training: their edits, signs of drift, their loss, and monitors that stop a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from statistics import fmean

import torch

from editscope.editors.diffusion.families import family_of
from editscope.images import Pixels
from editscope.training.checkpoints import random_state, set_random_state
from editscope.training.data.examples import EditExample
from editscope.training.data.fixed_cases import FixedCases
from editscope.training.log.settings import TrackingSettings
from editscope.training.models.base import Condition
from editscope.training.models.conditions import moved, together
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.sampling import first_noise, integrate, velocity_of
from editscope.training.monitors import (
    MonitorSettings,
    MonitorStop,
    TrainingMonitors,
    identity_rate,
    over_edit_ratio,
)
from editscope.training.rewards.base import Rollout
from editscope.training.supervised.encoding import ExampleEncoder
from editscope.training.supervised.flow_matching import FlowObjective, answer_of
from editscope.training.supervised.loop import TrainingLoop
from editscope.training.supervised.settings import EvaluationSettings, TimestepSettings
from editscope.wording import count

DRAWS = 4
"""Noise levels at which the loss of a case is computed; they and the noise are the same at every look."""
MONITORS = "monitors"
"""Where the loop keeps the state of monitors."""


@dataclass(frozen=True, slots=True)
class CaseSampler:
    """How fixed cases are sampled: steps, the guidance of a distilled network, and that of two calls per step."""

    steps: int
    guidance: float | None = None
    scale: float = 1.0


def sampler_of(pipeline: str, tracking: TrackingSettings, evaluation: EvaluationSettings | None) -> CaseSampler:
    """The sampler that ``[tracking]`` and ``[evaluation]`` describe; the rest is as the model was published."""
    family = family_of(pipeline)
    published = {} if family is None else family.guidance
    given = (None, None, None) if evaluation is None else (evaluation.steps, evaluation.guidance, evaluation.scale)
    steps = tracking.sample_steps or given[0] or (family.steps if family else None) or 28
    guidance = given[1] if given[1] is not None else published.get("guidance_scale")
    scale = given[2] if given[2] is not None else published.get("true_cfg_scale", 1.0)
    return CaseSampler(steps, guidance, scale)


class KeptEncoder(ExampleEncoder):
    """An encoder of few examples: it makes each encoding once, and keeps it in memory, on the CPU."""

    def __init__(self, editor: PipelineFlowEditor) -> None:
        super().__init__(editor)
        self._made: dict[str, Condition] = {}

    def answers(self, pictures: Sequence[Pixels]) -> torch.Tensor:
        """The clean latents of pictures of one size."""
        return torch.cat([self.latents(picture) for picture in pictures])

    def conditions(self, examples: Sequence[EditExample], without: Sequence[bool]) -> Condition:
        """The conditions of examples as one."""
        return together([self.condition(one, without=left) for one, left in zip(examples, without, strict=True)])

    def _kept(self, key: str, make: Callable[[], Condition]) -> Condition:
        if key not in self._made:
            self.made += 1
            self._made[key] = moved(make(), "cpu")
        return moved(self._made[key], next(self._editor.network.parameters()).device)


class FixedCaseLooks:
    """Hooks of the loop: every few steps and at the end, the fixed cases are edited with the current weights.

    The average of weights is used if one is kept. All processes take part, since shards need it; only the first one
    logs and decides whether to stop. A look uses its own generators and leaves those of training as they were, so that
    the weights are the same with and without looks.
    """

    def __init__(
        self,
        editor: PipelineFlowEditor,
        cases: FixedCases,
        tracking: TrackingSettings,
        sampler: CaseSampler,
        timesteps: TimestepSettings,
        monitors: MonitorSettings | None = None,
        *,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._editor, self._cases, self._every, self._sampler = editor, cases, tracking.samples_every, sampler
        self._monitors, self._say = TrainingMonitors(monitors), say
        self._encoder = KeptEncoder(editor)
        self._objective = FlowObjective(editor, self._encoder, timesteps)

    def at_start(self, loop: TrainingLoop) -> None:
        """Look at what the model makes before training."""
        loop.log.event(0, "samples", f"Fixed cases: {self._cases.origin}.")
        self._say(f"editing {count(len(self._cases.examples), 'fixed case')} before the first step …")
        self._look(loop)

    def after_step(self, loop: TrainingLoop) -> None:
        """Look every few steps."""
        if loop.step % self._every == 0:
            self._look_after(loop)

    def at_end(self, loop: TrainingLoop) -> None:
        """Look at the weights of the last step, unless that is done."""
        if loop.step % self._every:
            self._look_after(loop)

    def _look_after(self, loop: TrainingLoop) -> None:
        self._say(f"editing {count(len(self._cases.examples), 'fixed case')} after step {loop.step} …")
        self._look(loop)

    def _look(self, loop: TrainingLoop) -> None:
        with undisturbed(loop):
            edits = [self._edit(number, example) for number, example in enumerate(self._cases.examples)]
            losses = [self._loss(number, example) for number, example in enumerate(self._cases.examples)]
        if not loop.processes.first:
            return
        examples = self._cases.examples
        pairs = list(zip(examples, edits, strict=True))
        identity = identity_rate((one.pictures, edit) for one, edit in pairs)
        over = over_edit_ratio((one.pictures[0], answer_of(one), edit) for one, edit in pairs)
        loss = fmean(losses)
        named = {"identity_rate": identity, "over_edit_ratio": over, self.loss_name: loss}
        loop.log.step(loop.step, named)
        loop.log.sample(loop.step, [Rollout(one, edit) for one, edit in pairs])
        self._watch(loop, identity, over, loss)

    @property
    def loss_name(self) -> str:
        """The name of the loss in the log: cases that are also trained on are not called held out."""
        return "held_out/loss" if self._cases.held_out else "fixed_cases/loss"

    def _watch(self, loop: TrainingLoop, identity: float | None, over: float | None, loss: float) -> None:
        if loop.step == 0:  # nothing is trained yet
            return
        self._monitors.load_state(loop.more.get(MONITORS, {}))
        try:
            held_out = loss if self._cases.held_out else None
            self._monitors.step(loop.step, identity=identity, over_edit=over, held_out_loss=held_out)
        except MonitorStop as stop:
            loop.stop_because = str(stop)
        loop.more[MONITORS] = self._monitors.state()

    def _edit(self, seed: int, example: EditExample) -> Pixels:
        """Make one edit, always from the same noise; one at a time, so that it takes less memory than training."""
        editor, sampler = self._editor, self._sampler
        height, width = answer_of(example).shape[:2]
        velocity = velocity_of(
            editor,
            self._encoder.condition(example),
            guidance=sampler.guidance,
            without=self._encoder.condition(example, without=True) if sampler.scale > 1 else None,
            scale=sampler.scale,
        )
        sigmas = editor.sigmas(sampler.steps, (height, width)).tolist()
        latents = integrate(velocity, first_noise(editor, (height, width), [seed]), sigmas)
        edit: Pixels = editor.pixels(latents)[0].cpu().numpy()
        return edit

    def _loss(self, number: int, example: EditExample) -> float:
        """The loss of training, without text left out."""
        generators = [torch.Generator("cpu").manual_seed(DRAWS * number + draw) for draw in range(DRAWS)]
        return float(self._objective.losses([example] * DRAWS, generators).mean())


@contextmanager
def undisturbed(loop: TrainingLoop) -> Iterator[None]:
    """Use the current weights (or their average, if one is kept) for sampling, then restore everything."""
    network = loop.objective.network
    before = random_state()
    training = network.training
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        stack.enter_context(loop.average.in_place() if loop.average is not None else nullcontext())
        network.eval()
        try:
            yield
        finally:
            loop.processes.reshard(network)
            network.train(training)
            set_random_state(before)
