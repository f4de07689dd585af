"""The interface of a chart type, and the change that a task returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from matplotlib.artist import Artist

from editscope.suites.generated.seeded_random import SeededRandom
from editscope.suites.tinygrafix.canvas import Canvas

S = TypeVar("S")

PixelBox: TypeAlias = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""


@dataclass(frozen=True, slots=True)
class Change(Generic[S]):
    """A task done to a chart: the state before and after, the words, and where the picture may change.

    ``touched`` are pixel boxes computed from the states; every pixel that differs lies in one of them.
    """

    before: S
    after: S
    instruction: str
    touched: tuple[PixelBox, ...]
    details: Mapping[str, Any] = field(default_factory=dict)


class Chart(Protocol):
    """A module of ``charts/``: one chart type.

    ``build`` draws a state from a seed; ``shared`` are the artists that no task of this chart type changes
    (drawn once for both pictures, below everything else); ``content`` are all others, in drawing order.
    ``TASKS`` maps a task's name to the function that does it. ``UNSEEN`` is the ΔE below
    which a pixel at the rim of an edit stays as it was, or None where the states alone make every change clear.
    """

    UNSEEN: float | None

    TASKS: Mapping[str, Callable[[Any, SeededRandom, Canvas], Change[Any]]]

    @staticmethod
    def build(rng: SeededRandom, canvas: Canvas, task: str) -> Any:
        """A chart drawn from a seed, one that the task can be done to."""

    @staticmethod
    def shared(canvas: Canvas, state: Any) -> Sequence[Artist]:
        """What stays in every picture of this chart."""

    @staticmethod
    def content(canvas: Canvas, state: Any) -> Sequence[Artist]:
        """Everything else."""


def chart_named(name: str) -> Chart:
    """The module of a chart type."""
    module: Any = import_module(f"editscope.suites.tinygrafix.charts.{name}")
    chart: Chart = module
    return chart
