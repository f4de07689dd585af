"""Loop of reinforcement learning: sample groups of edits, ask for their rewards, update, and monitor the results."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import torch

from editscope.errors import BadInput, Stopped
from editscope.training.data.examples import EditExample
from editscope.training.models.base import FlowEditor
from editscope.training.monitors import MonitorSettings, TrainingMonitors, identity_rate, over_edit_ratio
from editscope.training.reinforcement.advantages import group_advantages, is_flat
from editscope.training.reinforcement.grpo import FlowGrpo
from editscope.training.reinforcement.learners import BrokenLoss, Learner, UpdatePlan
from editscope.training.reinforcement.nft import DiffusionNft
from editscope.training.reinforcement.planner import Planner, PlannerGrpo, WrittenPlans, joined
from editscope.training.reinforcement.policies import lora_layers
from editscope.training.reinforcement.reward_mix import RewardMix, Totals, no_totals, reward_metrics
from editscope.training.reinforcement.rollouts import PaintedBatch, check_examples, paint_group, rollouts_of
from editscope.training.reinforcement.sampler import seed_of, stochastic_steps
from editscope.training.reinforcement.settings import SECTION, ReinforcementSettings, fixed_settings
from editscope.training.reinforcement.sources import Checkpoints, ExampleSource
from editscope.training.rewards.base import RewardValue, Rollout
from editscope.training.supervised.exchange import ProcessExchange
from editscope.training.supervised.interrupts import StepInterrupts
from editscope.training.supervised.optimizers import make_optimizer
from editscope.training.supervised.settings import OptimizerSettings
from editscope.training.weights import trained_parameters

Metrics = dict[str, float]
RESUME = "to continue, run the same command with --resume"


class OutOfData(Exception):
    """The examples ended before a round had all of its prompts."""


@dataclass(slots=True, eq=False)
class RoundRollouts:
    """The samples of a round: batches by group, None for those of other processes, and rollouts.

    The first process has the rollouts of all groups, the others have none.
    """

    painted: list[list[PaintedBatch] | None] = field(default_factory=list)
    planned: list[list[WrittenPlans] | None] = field(default_factory=list)
    rollouts: list[Rollout] = field(default_factory=list)


def reinforce(
    editor: FlowEditor,
    examples: ExampleSource,
    rewards: RewardMix,
    settings: ReinforcementSettings,
    *,
    planner: Planner | None = None,
    monitors: MonitorSettings | None = None,
    held_out: Callable[[int], Mapping[str, float]] | None = None,
    checkpoints: Checkpoints | None = None,
    on_round: Callable[[int, Metrics], None] = lambda number, metrics: None,
    on_held_out: Callable[[int, Metrics], None] = lambda rounds, metrics: None,
    on_early_end: Callable[[str], None] = lambda sentence: None,
    exchange: ProcessExchange | None = None,
) -> list[Metrics]:
    """Train a painter, a planner or both by rewards; returns the metrics of the rounds that this call made.

    ``held_out`` returns scores of the current editor by name, the headline first, on cases that are not trained on. Its
    argument is the number of rounds that made the weights: 0, every ``held_out_every``, and the last. A run continues
    from the latest of its ``checkpoints``. Stopped (exit code 3), with a checkpoint, if a judge stays down, a budget is
    spent, a monitor stops the run, or Ctrl-C is pressed; Stopped, with the checkpoint before, if a loss is not finite.
    If the examples end early, ``on_early_end`` gets a sentence, and the weights are those of the last whole round;
    BadInput if there is none. With several processes, ``exchange`` connects them: each has all examples and samples
    some of the groups; the first one asks for rewards, monitors and saves.
    """
    run = ReinforcementRun(editor, examples, rewards, settings, planner, monitors, exchange)
    run.held_out = held_out
    run.checkpoints = checkpoints
    state = checkpoints.latest() if checkpoints is not None else None
    if state is not None:
        run.load_state(state)
    history: list[Metrics] = []
    with run.interrupts:
        run.score_held_out(on_held_out)
        while run.next_round < settings.rounds:
            number = run.next_round
            try:
                metrics = run.round()
            except OutOfData:
                on_early_end(run.early_end())
                run.score_held_out(on_held_out, last=True)
                run.save()
                break
            history.append(metrics)
            on_round(number, metrics)
            last = run.next_round == settings.rounds
            stop = run.exchange.any(run.interrupts.requested)
            if last or not stop:  # if it stops, the resumed run scores
                metrics |= run.score_held_out(on_held_out, last=last)
            if last or stop or run.next_round % settings.save_every == 0:
                run.save()
            if stop and not last:
                raise Stopped(
                    f"stopped after {run.next_round} of {settings.rounds} rounds, with a checkpoint; {RESUME}"
                )
    return history


class ReinforcementRun:
    """A run between two rounds: its parts, and its state for checkpoints."""

    def __init__(
        self,
        editor: FlowEditor,
        examples: ExampleSource,
        rewards: RewardMix,
        settings: ReinforcementSettings,
        planner: Planner | None = None,
        monitors: MonitorSettings | None = None,
        exchange: ProcessExchange | None = None,
    ) -> None:
        if settings.plans and planner is None:
            raise BadInput(
                f'{SECTION} trains: "{settings.trains}" needs a planner; name one, or write trains = "painter"'
            )
        rewards.check_names(settings.painter_rewards, f"{SECTION} painter_rewards")
        rewards.check_names(settings.planner_rewards, f"{SECTION} planner_rewards")
        self.editor = editor
        self.planner = planner
        self.settings = settings
        self.next_round = 0
        self.exchange = exchange or ProcessExchange()
        self.interrupts = StepInterrupts()
        self.held_out: Callable[[int], Mapping[str, float]] | None = None
        self.checkpoints: Checkpoints | None = None
        self._scored = -1
        """The number of rounds that made the weights that were scored last."""
        self._saved: int | None = None
        """The number of rounds that made the last checkpoint; None if there is none."""
        self._examples = examples
        self._rewards = rewards
        self._monitors = TrainingMonitors(monitors, unit="round")
        # Dropout would make the ratio of a policy with itself differ from 1.
        editor.network.eval()
        for trained in ([editor.network] if settings.paints else []) + ([planner.network] if planner else []):
            self.exchange.same_start(trained_parameters(trained).values())  # before references are taken of them
        self._painting = _painting(editor, settings) if settings.paints else None
        self._planning: PlannerGrpo | None = None
        if planner is not None:
            planner.network.eval()
            if settings.plans:
                optimizer = _adam(planner.network, settings.planner_rate, settings.weight_decay)
                self._planning = PlannerGrpo(planner, optimizer, settings)

    def round(self) -> Metrics:
        """Sample, reward, update. If it is stopped before the update, a checkpoint has the state before the round."""
        number = self.next_round
        before = {"examples": self._examples.state(), "monitors": self._monitors.state()}
        began = time.perf_counter()
        try:
            made = self._sample(number)
            sampled = time.perf_counter()
            values, metrics = self.exchange.by_first(lambda: self._reward(number, made))
            judged = time.perf_counter()
        except Stopped:
            self.save(before)
            raise
        except OutOfData:
            self._examples.load_state(before["examples"])
            raise
        metrics |= self._update(number, made, values)
        self.next_round += 1
        seconds = {"sample": sampled - began, "reward": judged - sampled, "update": time.perf_counter() - judged}
        return metrics | {f"seconds/{name}": value for name, value in seconds.items()}

    def _reward(self, number: int, made: RoundRollouts) -> tuple[dict[str, list[RewardValue]], Metrics]:
        """The values of all edits of a round, and metrics of them and of the monitors; only in the first process."""
        values = self._rewards.score(made.rollouts, self.interrupts.waiting)
        totals = self._rewards.totals(values, self.settings.group_size)
        if all(total is None for group in totals for total in group):
            raise Stopped(f"stopped in round {number + 1}: {no_totals(values)}")
        metrics = {**reward_metrics(values, totals), **self._watch(number, made, totals)}
        return values, metrics | {"pictures": float(len(made.rollouts))}

    def early_end(self) -> str:
        """The sentence about data that ended before the last round; BadInput if no round was done."""
        if self.next_round == 0:
            raise BadInput(
                "the data ran out before round 1; remove [data] epochs, or lower [reinforcement] prompts "
                f"(= {self.settings.prompts})"
            )
        return (
            f"the data ran out after round {self.next_round} of {self.settings.rounds}; the weights are those of that "
            "round"
        )

    def score_held_out(self, on_held_out: Callable[[int, Metrics], None], last: bool = False) -> Metrics:
        """Score the current weights if that is due. If it is stopped, a checkpoint has these weights."""
        rounds, score = self.next_round, self.held_out
        if score is None or rounds == self._scored or not (last or rounds % self.settings.held_out_every == 0):
            return {}
        began = time.perf_counter()
        try:
            scores = self.exchange.by_first(lambda: dict(score(rounds)))
            self._scored = rounds
            metrics = {f"held_out/{name}": value for name, value in scores.items()}
            metrics["seconds/held_out"] = time.perf_counter() - began
            on_held_out(rounds, metrics)
            headline = next(iter(scores.values()), None)
            self.exchange.by_first(lambda: self._monitors.step(rounds, held_out=headline))
        except Stopped:
            self.save()
            raise
        return metrics

    def save(self, before: Mapping[str, Any] | None = None) -> None:
        """Save a checkpoint, if there is a place for it; ``before`` replaces entries of the state."""
        places = self.checkpoints
        if places is not None:
            self.exchange.by_first(lambda: places.save(self.next_round, {**self.state(), **(before or {})}))
            self._saved = self.next_round

    def state(self) -> dict[str, Any]:
        """All that a resumed run needs to continue bit for bit."""
        return {
            "round": self.next_round,
            "settings": fixed_settings(self.settings),
            "examples": self._examples.state(),
            "monitors": self._monitors.state(),
            "scored": self._scored,
            **{learner.name: learner.state() for learner in self._learners()},
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Continue from a checkpoint; BadInput for one of other settings."""
        fixed = fixed_settings(self.settings)
        saved = dict(state["settings"])
        other = [name for name in fixed if fixed[name] != saved.get(name)]
        if other:
            changes = ", ".join(f"{name} {saved.get(name)!r} (now {fixed[name]!r})" for name in other)
            raise BadInput(
                f"{SECTION} the checkpoint was made with other settings: {changes}; restore them, or start over"
            )
        for learner in self._learners():
            learner.load_state(state[learner.name])
        self._examples.load_state(state["examples"])
        self._monitors.load_state(state["monitors"])
        self.next_round = int(state["round"])
        self._scored = int(state.get("scored", -1))
        self._saved = self.next_round

    def _learners(self) -> list[Learner[Any]]:
        return [learner for learner in (self._painting, self._planning) if learner is not None]

    def _sample(self, number: int) -> RoundRollouts:
        settings = self.settings
        try:
            examples = list(self._examples.take(settings.prompts))
        except StopIteration:
            raise OutOfData from None
        check_examples(examples, self.editor, settings)
        self._rewards.check(examples)
        stochastic = stochastic_steps(settings, number) if self._stochastic else ()
        made = RoundRollouts()
        own: list[tuple[int, list[Any], list[str]]] = []
        ended = False
        for group, example in enumerate(examples):
            ended = ended or self.interrupts.requested
            if ended or not self.exchange.owns(group):
                made.painted.append(None)
                made.planned.append(None)
                continue
            planned = self._plan(example, number, group)
            plans = [text for batch in planned for text in batch.texts]
            if not settings.plans:  # a frozen planner writes one plan, so that a group shares its condition
                plans = (plans or [""]) * settings.group_size
            texts = [joined(settings.plan_joins, example.instruction, plan) for plan in plans]
            with self._painting.sampling() if self._painting is not None else nullcontext():
                batches, pictures = paint_group(self.editor, example, texts, settings, (number, group), stochastic)
            made.painted.append(batches)
            made.planned.append(planned)
            own.append((group, pictures, plans))
        if self.exchange.any(ended):
            raise Stopped(f"stopped in round {number + 1}, with a checkpoint of the state before it; {RESUME}")
        every = [entry for part in self.exchange.for_first(own) for entry in part]
        for group, pictures, plans in sorted(every, key=lambda entry: entry[0]):
            made.rollouts.extend(rollouts_of(examples[group], pictures, plans))
        return made

    @property
    def _stochastic(self) -> bool:
        return self._painting is not None and self.settings.method == "grpo"

    def _plan(self, example: EditExample, number: int, group: int) -> list[WrittenPlans]:
        if self.planner is None:
            return []
        count = self.settings.group_size if self.settings.plans else 1
        sizes = [min(self.settings.batch, count - first) for first in range(0, count, self.settings.batch)]
        seeds = [seed_of(self.settings.seed, "plan", number, group, place) for place in range(len(sizes))]
        return [self.planner.write(example, size, seed) for size, seed in zip(sizes, seeds, strict=True)]

    def _watch(self, number: int, made: RoundRollouts, totals: Totals) -> Metrics:
        """Metrics of the monitors; MonitorStop if one of them stops the run."""
        known = [one for one in made.rollouts if one.example.answer is not None]
        identity = identity_rate((one.example.pictures, one.picture) for one in made.rollouts)
        over = over_edit_ratio((one.example.pictures[0], _answer(one), one.picture) for one in known)
        verdicts = [one for group in totals for one in group if one is not None]
        reward = fmean(verdicts) if verdicts else None
        self._monitors.step(number + 1, identity=identity, over_edit=over, reward=reward)
        numbers = {"monitor/identity_rate": identity, "monitor/over_edit_ratio": over}
        return {name: value for name, value in numbers.items() if value is not None}

    def _update(self, number: int, made: RoundRollouts, values: Mapping[str, Sequence[RewardValue]]) -> Metrics:
        settings = self.settings
        metrics: Metrics = {}
        plan = UpdatePlan(
            settings.inner_epochs, settings.updates, settings.most_gradient, seed_of(settings.seed, "update", number)
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed_of(settings.seed, "global", number))
            if self._painting is not None:
                pulled = (settings.kl if settings.method == "grpo" else settings.nft_kl) > 0
                rows = self._advantages(values, settings.painter_rewards, pulled)
                metrics |= self._learn(self._painting, made.painted, rows, plan, number)
            if self._planning is not None:
                rows = self._advantages(values, settings.planner_rewards, settings.planner_kl > 0)
                metrics |= self._learn(self._planning, made.planned, rows, plan, number)
        return metrics

    def _advantages(self, values: Mapping[str, Sequence[RewardValue]], chosen: Sequence[str], pulled: bool) -> Totals:
        """Advantages by group. A group of equal rewards teaches nothing, but is still pulled to the reference."""
        totals = self._rewards.totals(values, self.settings.group_size, chosen)
        rows = group_advantages(totals, self.settings.advantages, self.settings.most_advantage)
        flat = [is_flat(group) and not pulled for group in totals]
        return [[None] * len(row) if dull else row for row, dull in zip(rows, flat, strict=True)]

    def _what_stays(self, learner: Learner[Any]) -> str:
        """Which checkpoint is good, and how to start over: a resumed run keeps its rate."""
        rate = f"{SECTION} {'rate' if learner is self._painting else 'planner_rate'}"
        if self._saved is None:
            return f"there is no checkpoint yet; lower {rate}, and start over"
        start = "; [lora] start may name what `train export` writes of that checkpoint" if self._trains_lora else ""
        return (
            f"the last good checkpoint is that of round {self._saved}, but a resumed run keeps its rate; lower {rate}, "
            f"and start over with another --out{start}"
        )

    @property
    def _trains_lora(self) -> bool:
        return self._painting is not None and bool(lora_layers(self.editor.network))

    def _learn(
        self, learner: Learner[Any], groups: Sequence[Sequence[Any] | None], rows: Totals, plan: UpdatePlan, number: int
    ) -> Metrics:
        batches: list[Any] = []
        advantages: list[list[float | None]] = []
        for group, row in zip(groups, rows, strict=True):
            for place, first in enumerate(range(0, len(row), self.settings.batch)):
                batches.append(None if group is None else group[place])
                advantages.append(row[first : first + self.settings.batch])
        try:
            metrics = learner.update(batches, advantages, plan, self.exchange)
        except BrokenLoss as error:
            raise BrokenLoss(f"stopped in round {number + 1}: {error}; {self._what_stays(learner)}") from None
        return metrics | learner.end_round(number)


def _painting(editor: FlowEditor, settings: ReinforcementSettings) -> FlowGrpo | DiffusionNft:
    optimizer = _adam(editor.network, settings.rate, settings.weight_decay)
    return (FlowGrpo if settings.method == "grpo" else DiffusionNft)(editor, optimizer, settings)


def _adam(network: torch.nn.Module, rate: float, decay: float) -> torch.optim.Optimizer:
    """AdamW; its default betas are those of Flow-GRPO's release."""
    parameters = list(trained_parameters(network).values()) or [torch.nn.Parameter(torch.zeros(()))]
    return make_optimizer(OptimizerSettings(rate=rate, weight_decay=decay), parameters)


def _answer(rollout: Rollout) -> Any:
    return rollout.example.answer
