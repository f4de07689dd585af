"""Evaluation during training: a suite through the normal runner, with the current weights."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from editscope.errors import Stopped
from editscope.suites.base import Suite
from editscope.training.configured_suites import check_judged, configured_suite, data_place
from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.models.sampler_options import SAMPLER
from editscope.training.settings import Experiment
from editscope.training.supervised.export import write_weights
from editscope.training.supervised.loop import TrainingLoop
from editscope.wording import count, metric_name

FOLDER = "evaluations"


class HeldOutSuite:
    """The suite of ``[evaluation]``, run with the weights of a training.

    Each run is named by the step or round that made its weights, so a training that was stopped continues it, and does
    not repeat a finished one. Weights are removed once their run is finished: a resumed training writes them again.
    """

    def __init__(self, experiment: Experiment, folder: Path, say: Callable[[str], None]) -> None:
        self._experiment, self._home, self._say = experiment, folder / FOLDER, say

    def weights(self, number: int) -> Path:
        """Where the weights of a step or round are written."""
        return self._home / f"weights-{number:08d}"

    def scores(self, unit: str, number: int, weights: Path) -> dict[str, Any]:
        """The mean of each metric with weights of a "step" or "round"; the headline is the first one."""
        suite = evaluated_suite(self._experiment)
        self._say(beginning(self._experiment, f"{unit} {number}", suite))
        scores = evaluate(self._experiment, weights, self._home / f"{unit}-{number:08d}", suite)
        for place in self._home.glob("weights-*"):
            shutil.rmtree(place, ignore_errors=True)
        return scores


class Evaluation:
    """Hooks of the loop: every few steps and at the end, the suite of ``[evaluation]`` is run.

    The diffusers editor loads the pipeline a second time, in its own process.
    """

    def __init__(
        self, experiment: Experiment, editor: PipelineFlowEditor, folder: Path, say: Callable[[str], None]
    ) -> None:
        assert experiment.evaluation is not None
        self._experiment, self._editor, self._say = experiment, editor, say
        self._settings = experiment.evaluation
        self._suite = HeldOutSuite(experiment, folder, say)

    def after_step(self, loop: TrainingLoop) -> None:
        """Evaluate every few steps."""
        if loop.step % self._settings.every == 0:
            self._evaluate(loop)

    def at_end(self, loop: TrainingLoop) -> None:
        """Evaluate the weights of the last step, unless that is done."""
        if loop.step % self._settings.every:
            self._evaluate(loop)

    def _evaluate(self, loop: TrainingLoop) -> None:
        step = loop.step
        weights = write_weights(self._experiment, self._editor, loop, self._suite.weights(step))
        scores = loop.exchange.by_first(lambda: self._suite.scores("step", step, weights))
        if loop.processes.first:
            self._say(f"step {step}: {in_words(scores)}")
        loop.log.step(step, {f"held_out/{name}": score for name, score in scores.items()})
        loop.log.event(step, "evaluation", f"{self._settings.suite} was run in {FOLDER}/step-{step:08d}.")
        loop.more.setdefault("evaluations", {})[str(step)] = scores


def evaluated_suite(experiment: Experiment, file: str = "the experiment") -> Suite:
    """The suite of ``[evaluation]``; BadInput if it has no data, or lacks a judge that it needs."""
    settings = experiment.evaluation
    assert settings is not None
    where = f"{file}, [evaluation]"
    suite = configured_suite(settings.suite, data_place(settings.data or "", experiment.folder), where)
    check_judged(suite, settings.judge is not None, where, 'judge = "openai:gpt-4o" or another')
    return suite


def beginning(experiment: Experiment, what: str, suite: Suite | None = None) -> str:
    """The line before an evaluation, which may take long. ``suite`` is that of the experiment, if it is loaded."""
    settings = experiment.evaluation
    assert settings is not None
    known = len((suite or evaluated_suite(experiment)).ids)
    cases = known if settings.limit is None else min(settings.limit, known)
    return f"evaluating {what} on {settings.suite}: {count(cases, 'case')} …"


def evaluate(experiment: Experiment, weights: Path | None, place: Path, suite: Suite | None = None) -> dict[str, Any]:
    """Run the suite of an experiment with weights, or with the untrained model; returns the mean of each metric."""
    from editscope.runs.start import run

    settings = experiment.evaluation
    assert settings is not None
    made = run(
        suite or evaluated_suite(experiment),
        editor_spec(experiment, weights),
        settings.judge,
        place,
        limit=settings.limit,
        progress=False,
        jobs=1,
    )
    if made.summary.get("n_cases") is None:
        raise Stopped(f"the evaluation in {place} did not finish; resume the training to continue it")
    return {name: cell["mean"] for name, cell in made.summary["overall"].items()}


def in_words(scores: Mapping[str, Any]) -> str:
    """Scores in a line, with the displayed names of metrics; metrics without a value are left out.

    >>> in_words({"miou": 0.0108912, "edit_accuracy": None})
    'mIoU 0.01089'
    """
    known = {name: score for name, score in scores.items() if score is not None}
    return ", ".join(f"{metric_name(name)} {score:.4g}" for name, score in known.items()) or "no score"


class Sampler(Protocol):
    """How edits are made; None for the published settings of the model."""

    @property
    def steps(self) -> int | None:
        """Steps of the sampler."""

    @property
    def guidance(self) -> float | None:
        """The guidance of a guidance-distilled network."""

    @property
    def scale(self) -> float | None:
        """The scale of classifier-free guidance."""

    @property
    def max_area(self) -> int | None:
        """The most pixels of an edit."""


def editor_spec(experiment: Experiment, weights: Path | None, sampler: Sampler | None = None) -> str:
    """The spec of the diffusers editor with the weights of a run; the sampler is that of [evaluation] unless given."""
    settings = sampler or experiment.evaluation
    options: dict[str, Any] = {"device": experiment.model.device}
    if experiment.model.device == "auto":
        options.pop("device")
    options["dtype"] = experiment.model.precision
    if experiment.model.revision:
        options["revision"] = experiment.model.revision
    if weights is not None:
        options["lora" if experiment.lora is not None else "network"] = str(weights.absolute())
    if settings is not None:
        for name, option in SAMPLER.items():
            value = getattr(settings, name)
            if value is not None:
                options[option] = value
    text = "&".join(f"{name}={quote(str(value), safe='/:,._-~+ ')}" for name, value in options.items())
    return f"diffusers:{experiment.model.pipeline}?{text}"
