"""Checkpoints of reinforcement learning in a run folder, in the format of all training runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from editscope.training.checkpoints import (
    TrainingState,
    checkpoints_in,
    load_checkpoint,
    remove_unfinished,
    save_checkpoint,
)


class FolderCheckpoints:
    """Checkpoints of a folder. Weights of the painter are stored as supervised training stores them.

    So ``editscope train export`` writes them too. The rest (optimizers, the planner, the old policy) goes to the
    file of the optimizer. ``decides`` are settings of the experiment that a checkpoint must share;
    ``on_saved`` gets the round of each checkpoint.
    """

    def __init__(
        self,
        folder: Path,
        keep: int = 3,
        decides: Mapping[str, Any] | None = None,
        on_saved: Callable[[int], None] = lambda rounds: None,
    ) -> None:
        self._folder = folder
        self._keep = keep
        self._decides = dict(decides or {})
        self._on_saved = on_saved

    def save(self, step: int, state: Mapping[str, Any]) -> None:
        """Save a state whole or not at all; DiskError if it cannot be written, and earlier checkpoints stay."""
        painter = dict(state.get("painter", {}))
        weights = painter.pop("weights", {})
        rest = {name: dict(state[name]) for name in ("planner",) if name in state} | {"painter": painter}
        settings = {
            name: list(value) if isinstance(value, tuple) else value for name, value in state["settings"].items()
        }
        save_checkpoint(
            self._folder,
            TrainingState(
                step=step,
                weights=weights,
                optimizer=rest,
                settings={**self._decides, **settings},
                loader=state["examples"],
                more={"monitors": state["monitors"], "names": sorted(settings), "scored": state["scored"]},
            ),
            self._keep,
        )
        self._on_saved(step)

    def latest(self) -> Mapping[str, Any] | None:
        """The last state that was saved whole; BadInput if it is damaged or from another experiment."""
        from editscope.training.checkpoints import check_same

        remove_unfinished(self._folder)
        there = checkpoints_in(self._folder)
        if not there:
            return None
        place = there[-1][1]
        saved = load_checkpoint(place)
        names = set(saved.more["names"])
        check_same(place, {name: value for name, value in saved.settings.items() if name not in names}, self._decides)
        state: dict[str, Any] = {
            "round": saved.step,
            "settings": {name: _tuple(value) for name, value in saved.settings.items() if name in names},
            "examples": saved.loader,
            "monitors": saved.more["monitors"],
            "scored": saved.more.get("scored", -1),
            **{name: dict(value) for name, value in saved.optimizer.items()},
        }
        state["painter"]["weights"] = saved.weights
        return state


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
