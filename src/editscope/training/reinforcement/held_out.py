"""Held-out scores of reinforcement learning: the suite of ``[evaluation]`` with the current weights."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.settings import Experiment
from editscope.training.supervised.evaluation import beginning, evaluate
from editscope.training.supervised.export import write_values
from editscope.training.weights import trained_parameters


class HeldOut:
    """The metrics of the suite of ``[evaluation]``, its headline first, with the current weights.

    The evaluation run is named by the rounds that made the weights, so a training that was killed continues it. Weights
    of earlier rounds are removed once it is finished: a resumed training writes those that it needs again.
    """

    def __init__(
        self,
        experiment: Experiment,
        editor: PipelineFlowEditor,
        folder: Path,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._experiment, self._editor, self._folder = experiment, editor, folder / "evaluations"
        self._say = say

    def __call__(self, rounds: int) -> dict[str, float]:
        """Write the current weights and run the suite; a metric without a value is left out."""
        self._say(beginning(self._experiment, f"round {rounds}"))
        place = self._folder / f"weights-{rounds:08d}"
        weights = export(self._experiment, self._editor, place)
        scores = evaluate(self._experiment, weights, self._folder / f"round-{rounds:08d}")
        for earlier in self._folder.glob("weights-*"):
            if earlier != place:
                shutil.rmtree(earlier, ignore_errors=True)
        return {name: float(score) for name, score in scores.items() if score is not None}


def export(experiment: Experiment, editor: PipelineFlowEditor, place: Path) -> Path:
    """Write the trained weights of an editor; returns the file or folder that an editor loads."""
    weights = {name: value.detach() for name, value in trained_parameters(editor.network).items()}
    return write_values(experiment, editor, editor.network, weights, place)
