"""Held-out scores of reinforcement learning: the suite of ``[evaluation]`` with the current weights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from editscope.training.models.pipeline_editor import PipelineFlowEditor
from editscope.training.settings import Experiment
from editscope.training.supervised.evaluation import HeldOutSuite
from editscope.training.supervised.export import write_values
from editscope.training.weights import trained_parameters


class HeldOut:
    """The metrics of the suite of ``[evaluation]``, its headline first, with the current weights."""

    def __init__(
        self,
        experiment: Experiment,
        editor: PipelineFlowEditor,
        folder: Path,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._experiment, self._editor = experiment, editor
        self._suite = HeldOutSuite(experiment, folder, say)

    def __call__(self, rounds: int) -> dict[str, float]:
        """Write the current weights and run the suite; a metric without a value is left out."""
        weights = export(self._experiment, self._editor, self._suite.weights(rounds))
        scores = self._suite.scores("round", rounds, weights)
        return {name: float(score) for name, score in scores.items() if score is not None}


def export(experiment: Experiment, editor: PipelineFlowEditor, place: Path) -> Path:
    """Write the trained weights of an editor; returns the file or folder that an editor loads."""
    weights = {name: value.detach() for name, value in trained_parameters(editor.network).items()}
    return write_values(experiment, editor, editor.network, weights, place)
