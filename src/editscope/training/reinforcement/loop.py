"""Loop of reinforcement learning: sample groups of edits, ask for their rewards, update, and watch what comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from statistics import fmean, pstdev
from typing import Any

import torch

from editscope.errors import BadInput, Stopped
from editscope.training.data.examples import EditExample
from editscope.training.models.base import FlowEditor
from editscope.training.monitors import MonitorSettings, TrainingMonitors, identity_rate, over_edit_ratio
from editscope.training.reinforcement.advantages import group_advantages, is_flat, is_small
from editscope.training.reinforcement.exchange import ProcessExchange
from editscope.training.reinforcement.grpo import FlowGrpo
from editscope.training.reinforcement.learners import BrokenLoss, Learner, UpdatePlan
from editscope.training.reinforcement.nft import DiffusionNft
from editscope.training.reinforcement.planner import Planner, PlannerGrpo, WrittenPlans, joined
from editscope.training.reinforcement.policies import lora_layers, trained_parameters
from editscope.training.reinforcement.reward_mix import RewardMix, means
from editscope.training.reinforcement.rollouts import PaintedBatch, check_examples, paint_group, rollouts_of
from editscope.training.reinforcement.sampler import seed_of, stochastic_steps
from editscope.training.reinforcement.settings import SECTION, ReinforcementSettings, fixed_settings
from editscope.training.reinforcement.sources import Checkpoints, ExampleSource
from editscope.training.rewards.base import RewardValue, Rollout
from editscope.training.supervised.interrupts import StepInterrupts

Metrics = dict[str, float]
Totals = list[list[float | None]]
GO_ON = "to go on, run the same command with --resume"


@dataclass(slots=True, eq=False)
class RoundRollouts:
    """All that was sampled in a round: batches by group, None for those of other processes, and rollouts.

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
    exchange: ProcessExchange | None = None,
) -> list[Metrics]:
    """Train a painter, a planner or both by rewards; gives the metrics of the rounds that this call made.

    ``held_out`` gives scores of the editor as it is by name, the headline first, on cases that are not trained on; it
    is told how many rounds made its weights: 0, each ``held_out_every``, and the last. A run goes on from the latest of
    its ``checkpoints``. Stopped (exit code 3) with a checkpoint where a judge stays
    down, a budget is spent, a monitor stops the run, or Ctrl-C is pressed; Stopped with the checkpoint before where a
    loss is no number. With several processes ``exchange`` connects them: each has all examples and samples some of the
    groups; the first one asks for rewards, watches and saves.
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
            except StopIteration:  # the examples have come to their end
                run.score_held_out(on_held_out, last=True)
                run.save()
                break
            history.append(metrics)
            on_round(number, metrics)
            last = run.next_round == settings.rounds
            stop = run.exchange.any(run.interrupts.requested)
            if last or not stop:  # where it stops, the resumed run scores
                metrics |= run.score_held_out(on_held_out, last=last)
            if last or stop or run.next_round % settings.save_every == 0:
                run.save()
            if stop and not last:
                raise Stopped(f"stopped after {run.next_round} of {settings.rounds} rounds, with a checkpoint; {GO_ON}")
    return history


class ReinforcementRun:
    """A run between two rounds: its parts, and the state that a checkpoint holds."""

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
        """The rounds that made the weights which were scored last."""
        self._saved: int | None = None
        """The rounds that made the last checkpoint; None where there is none."""
        self._examples = examples
        self._rewards = rewards
        self._monitors = TrainingMonitors(monitors)
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
        """Sample, reward, update. What stops it before the update leaves a checkpoint of the state before the round."""
        number = self.next_round
        remembered = {"examples": self._examples.state(), "monitors": self._monitors.state()}
        began = time.perf_counter()
        try:
            made = self._sample(number)
            sampled = time.perf_counter()
            values, metrics = self.exchange.by_first(lambda: self._reward(number, made))
            judged = time.perf_counter()
        except Stopped:
            self.save(remembered)
            raise
        metrics |= self._update(number, made, values)
        self.next_round += 1
        seconds = {"sample": sampled - began, "reward": judged - sampled, "update": time.perf_counter() - judged}
        return metrics | {f"seconds/{name}": value for name, value in seconds.items()}

    def _reward(self, number: int, made: RoundRollouts) -> tuple[dict[str, list[RewardValue]], Metrics]:
        """The values of all edits of a round, and what they and the monitors say; in the first process alone."""
        values = self._rewards.score(made.rollouts, self.interrupts.waiting)
        totals = self._rewards.totals(values, self.settings.group_size)
        if all(one is None for group in totals for one in group):
            raise Stopped(_nothing_said(number, values))
        metrics = {**_reward_metrics(values, totals), **self._watch(number, made, totals)}
        return values, metrics | {"pictures": float(len(made.rollouts))}

    def score_held_out(self, on_held_out: Callable[[int, Metrics], None], last: bool = False) -> Metrics:
        """Score the weights as they are where that is due. What stops it leaves a checkpoint of these weights."""
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

    def save(self, remembered: Mapping[str, Any] | None = None) -> None:
        """Save a checkpoint, where there is a place for it."""
        places = self.checkpoints
        if places is not None:
            self.exchange.by_first(lambda: places.save(self.next_round, {**self.state(), **(remembered or {})}))
            self._saved = self.next_round

    def state(self) -> dict[str, Any]:
        """All that a resumed run needs to go on bit for bit."""
        return {
            "round": self.next_round,
            "settings": fixed_settings(self.settings),
            "examples": self._examples.state(),
            "monitors": self._monitors.state(),
            "scored": self._scored,
            **{learner.name: learner.state() for learner in self._learners()},
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Go on from a checkpoint; BadInput for one of other settings."""
        fixed = fixed_settings(self.settings)
        saved = dict(state["settings"])
        other = [name for name in fixed if fixed[name] != saved.get(name)]
        if other:
            told = ", ".join(f"{name} {saved.get(name)!r} (now {fixed[name]!r})" for name in other)
            raise BadInput(
                f"{SECTION} the checkpoint was made with other settings: {told}; restore them, or begin anew"
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
        examples = list(self._examples.take(settings.prompts))
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
            told = [joined(settings.plan_joins, example.instruction, plan) for plan in plans]
            with self._painting.sampling() if self._painting is not None else nullcontext():
                batches, pictures = paint_group(self.editor, example, told, settings, (number, group), stochastic)
            made.painted.append(batches)
            made.planned.append(planned)
            own.append((group, pictures, plans))
        if self.exchange.any(ended):
            raise Stopped(f"stopped in round {number + 1}, with a checkpoint of the state before it; {GO_ON}")
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
        """Numbers for the monitors; MonitorStop where one of them has had enough."""
        known = [one for one in made.rollouts if one.example.answer is not None]
        identity = identity_rate((one.example.pictures, one.picture) for one in made.rollouts)
        over = over_edit_ratio((one.example.pictures[0], _answer(one), one.picture) for one in known)
        verdicts = [one for group in totals for one in group if one is not None]
        reward = fmean(verdicts) if verdicts else None
        self._monitors.step(number, identity=identity, over_edit=over, reward=reward)
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
        """Advantages by group. A group of equal rewards has nothing to teach, but is still pulled to the reference."""
        totals = self._rewards.totals(values, self.settings.group_size, chosen)
        rows = group_advantages(totals, self.settings.advantages, self.settings.most_advantage)
        flat = [is_flat(group) and not pulled for group in totals]
        return [[None] * len(row) if dull else row for row, dull in zip(rows, flat, strict=True)]

    def _what_stays(self, learner: Learner[Any]) -> str:
        """Which checkpoint is good, and how to begin again, for a run goes on with the rate that it began with."""
        rate = f"{SECTION} {'rate' if learner is self._painting else 'planner_rate'}"
        if self._saved is None:
            return f"there is no checkpoint yet; lower {rate}, and begin anew"
        start = "; [lora] start may name what `train export` writes of that checkpoint" if self._trains_lora else ""
        return (
            f"the last good checkpoint is that of round {self._saved}, and goes on with its own rate only; lower "
            f"{rate}, and begin anew with another --out{start}"
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
    """AdamW with the betas of Flow-GRPO's release."""
    parameters = list(trained_parameters(network).values()) or [torch.nn.Parameter(torch.zeros(()))]
    return torch.optim.AdamW(parameters, lr=rate, betas=(0.9, 0.999), weight_decay=decay)


def _nothing_said(number: int, values: Mapping[str, Sequence[RewardValue]]) -> str:
    """The sentence about a round in which no edit has a verdict: a judge that writes what nobody can read, say."""
    name, lost = next((name, one) for name, row in values.items() for one in row if one.value is None)
    return (
        f"stopped in round {number + 1}: no edit has a verdict of all rewards ({name!r}: {lost.status}, "
        f"{lost.reason or 'no reason was given'}); the checkpoint is that of the state before; look at the judge, then "
        "resume"
    )


def _answer(rollout: Rollout) -> Any:
    return rollout.example.answer


def _reward_metrics(values: Mapping[str, Sequence[RewardValue]], totals: Totals) -> Metrics:
    """Means of rewards, and how many edits and groups had nothing to teach."""
    verdicts = [[one for one in group if one is not None] for group in totals]
    every = [one for group in verdicts for one in group]
    spreads = [pstdev(group) for group in verdicts if len(group) > 1]
    return {
        **{f"reward/{name}": mean for name, mean in means(values).items()},
        **({"reward/total": fmean(every)} if every else {}),
        **({"reward/spread": fmean(spreads)} if spreads else {}),
        "groups/without_verdict": float(sum(one is None for group in totals for one in group)),
        "groups/small": float(sum(map(is_small, totals))),
        "groups/flat": float(sum(map(is_flat, totals))),
    }
