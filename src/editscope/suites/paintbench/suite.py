"""The generated PaintBench suite and stream: which problems there are, each drawn when you ask for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from editscope.cases import Case
from editscope.errors import BadInput, unknown
from editscope.suites.base import short_hash
from editscope.suites.generated import COUNTS
from editscope.suites.generated.stream import ProblemStream, StreamPlace
from editscope.suites.generated.suite import (
    GeneratedProblem,
    GeneratedSuite,
    chosen_names,
    valid_namespace,
    valid_strata,
)
from editscope.suites.paintbench import SHAPES
from editscope.suites.paintbench.catalog import ALL_MODES, CONDITIONS, MODES, PER_CELL, TASKS, aggregation, seed_of
from editscope.suites.paintbench.data import change_of, problem_tags
from editscope.suites.paintbench.slots import Overrides, PaintSlot

if TYPE_CHECKING:
    from editscope.scoring.offsets import AskedChange

SIDES = (128, 4096)
FEW_ATTEMPTS = 20
"""Attempts of which one must give a problem, for a cell to be part of a stream."""
SUBSTITUTE = 10**9
"""What is added to the slot of a problem of a stream that no attempt gave, so that another takes its place."""


class PaintBenchSuite(GeneratedSuite):
    """A set of PaintBench problems; see ``editscope.suites.paintbench.load`` for the options."""

    name = "paintbench"
    generator = "2"
    compiled_in = (
        "editscope.images.lab",
        "editscope.suites.paintbench.background",
        "editscope.suites.paintbench.make",
        "editscope.suites.paintbench.outlined",
        "editscope.suites.paintbench.raster",
        "editscope.suites.paintbench.tasks.cropping",
        "editscope.suites.paintbench.tasks.gradient",
    )

    def __init__(self, slots: Iterable[PaintSlot], overrides: Overrides, options: Mapping[str, Any]) -> None:
        self.slots = {slot.id: slot for slot in slots}
        self.overrides = overrides
        self.options = options
        self.aggregation = aggregation(options.get("strata", "release"))

    @staticmethod
    def from_options(
        *,
        tasks: str | Iterable[str] | None,
        modes: str | Iterable[str] | None,
        conditions: str | Iterable[str] | None,
        per_cell: int | None,
        per_mode: int | None,
        canvas: str | tuple[int, int] | None,
        n: int | None,
        namespace: str,
        split: Literal["test", "preservation", "all"],
        strata: str | None = None,
        points: str | None = None,
    ) -> PaintBenchSuite:
        """Read and check the options of a custom set."""
        chosen_tasks = chosen_names("task", tasks, TASKS)
        chosen_modes = chosen_names("mode", modes, ALL_MODES)
        chosen_conditions = chosen_names("condition", conditions, tuple(CONDITIONS))
        if split not in ("test", "preservation", "all"):
            raise unknown("split", split, ("test", "preservation", "all"))
        if per_cell is not None and per_mode is not None:
            raise BadInput("give --per-cell or --per-mode, not both")
        size = per_cell if per_cell is not None else per_mode if per_mode is not None else PER_CELL
        if not COUNTS[0] <= size <= COUNTS[1]:
            raise BadInput(f"{size} problems per cell is out of range; ask for {COUNTS[0]} to {COUNTS[1]:,}")
        if n is not None and not SHAPES[0] <= n <= SHAPES[1]:
            raise BadInput(f"--n {n} is out of range; ask for {SHAPES[0]} to {SHAPES[1]} objects")
        valid_namespace(namespace)
        overrides = Overrides(namespace, _canvas(canvas), n, _points(points))
        slots = [
            slot
            for preservation in (False, True)
            if split == "all" or preservation == (split == "preservation")
            for slot in _slots(chosen_tasks, chosen_modes, chosen_conditions, size, per_mode is not None, preservation)
        ]
        if not slots:
            raise BadInput(
                "these tasks have none of these modes, or fewer problems per cell than modes: the set is empty"
            )
        given = {
            "tasks": chosen_tasks if tasks is not None else None,
            "modes": chosen_modes if modes is not None else None,
            "conditions": chosen_conditions if conditions is not None else None,
            "per_cell": per_cell,
            "per_mode": per_mode,
            "canvas": overrides.canvas,
            "n": n,
            "points": overrides.points if overrides.points != "own" else None,
            "namespace": namespace if namespace != "paintbench" else None,
            "split": split if split != "test" else None,
            "strata": "paper" if valid_strata(strata) == "paper" else None,
        }
        options = {key: list(v) if isinstance(v, tuple) else v for key, v in given.items() if v is not None}
        return PaintBenchSuite(slots, overrides, options)

    def tags(self, case_id: str) -> Mapping[str, str]:
        """The tags of one problem."""
        slot = self.slots[case_id]
        return problem_tags(case_id.split("/")[0], slot.mode, slot.condition)

    def size(self, case_id: str) -> tuple[int, int]:
        """Width and height of the canvas."""
        condition = CONDITIONS[self.slots[case_id].condition]
        return self.overrides.canvas or (condition.width, condition.height)

    def change(self, case: Case) -> AskedChange | None:
        """What a problem asks for, where its error can be measured."""
        return change_of(case)

    def problem(self, case_id: str) -> GeneratedProblem:
        """The finished problem behind a case: indexed pictures and the whole description."""
        from editscope.suites.paintbench.make import make

        return make(self.slots[case_id], self.overrides)

    @property
    def fingerprint(self) -> str:
        """Hash of the generator's version and of every slot."""
        return short_hash(self.generator, self.overrides, *self.slots.values())


class PaintStream(ProblemStream):
    """PaintBench problems without end: tasks and conditions equally often, the modes of a task in turn."""

    name = "paintbench"
    compiled_in: ClassVar[tuple[str, ...]] = PaintBenchSuite.compiled_in

    def __init__(
        self,
        namespace: str,
        *,
        tasks: str | Iterable[str] | None = None,
        modes: str | Iterable[str] | None = None,
        conditions: str | Iterable[str] | None = None,
        canvas: str | tuple[int, int] | None = None,
        n: int | None = None,
        points: str | None = None,
    ) -> None:
        super().__init__(namespace)
        some = PaintBenchSuite.from_options(
            tasks=tasks,
            modes=modes,
            conditions=conditions,
            per_cell=None,
            per_mode=1,
            canvas=canvas,
            n=n,
            namespace="paintbench",
            split="test",
            points=points,
        )
        self._overrides = replace(some.overrides, namespace=namespace)
        self._modes: dict[str, list[str]] = {}
        for slot in some.slots.values():
            modes_of_task = self._modes.setdefault(slot.task, [])
            if slot.mode not in modes_of_task:
                modes_of_task.append(slot.mode)
        self.cells = tuple(dict.fromkeys((slot.task, slot.condition) for slot in some.slots.values()))

    def slot(self, place: StreamPlace) -> PaintSlot:
        """The slot of a place: modes take turns."""
        task, condition = place.cell
        modes = self._modes[task]
        return PaintSlot(task, modes[place.turn % len(modes)], condition, place.turn // len(modes), place.turn)

    def make(self, place: StreamPlace) -> GeneratedProblem:
        """The problem of a place; where no attempt gives one, that of a slot that no other place has."""
        from editscope.suites.paintbench.make import make

        slot = self.slot(place)
        try:
            return make(slot, self._overrides)
        except BadInput:
            return make(replace(slot, slot=slot.slot + SUBSTITUTE), self._overrides)

    def size(self, place: StreamPlace) -> tuple[int, int]:
        """Width and height of the canvas."""
        condition = CONDITIONS[place.cell[1]]
        return self._overrides.canvas or (condition.width, condition.height)

    def tags(self, place: StreamPlace) -> Mapping[str, str]:
        """The tags of one problem."""
        slot = self.slot(place)
        return problem_tags(slot.task, slot.mode, slot.condition)

    def seeds(self, place: StreamPlace) -> Iterator[int]:
        """The seeds of all attempts."""
        from editscope.suites.paintbench.make import MAX_ATTEMPTS

        slot = self.slot(place)
        for number in (slot.slot, slot.slot + SUBSTITUTE):
            for attempt in range(MAX_ATTEMPTS):
                yield seed_of(self.namespace, slot.task, slot.condition, slot.mode, number, attempt)

    def check(self) -> None:
        """Draw one problem of every cell and mode, with few attempts: what hardly fits would hold up training."""
        from editscope.suites.paintbench.make import make

        if self._overrides.canvas is None and self._overrides.n is None:
            return  # the problems of the published conditions all fit
        unfit: dict[str, list[str]] = {}
        for task, condition in self.cells:
            try:
                for turn in range(len(self._modes[task])):
                    make(self.slot(StreamPlace((task, condition), turn)), self._overrides, FEW_ATTEMPTS)
            except BadInput:
                unfit.setdefault(condition, []).append(task)
        if unfit:
            listed = "; ".join(f"{condition}: {', '.join(tasks)}" for condition, tasks in unfit.items())
            raise BadInput(
                f"the stream of {self.name} hardly finds room for some problems on its canvas ({listed}); leave these "
                "tasks or conditions out (tasks=…, conditions=…), or choose a larger canvas"
            )


def _slots(
    tasks: tuple[str, ...],
    modes: tuple[str, ...],
    conditions: tuple[str, ...],
    size: int,
    per_mode: bool,
    preservation: bool,
) -> list[PaintSlot]:
    """Numbers follow the full tables, so a part of the set has the same ids and pictures as the whole."""
    slots = []
    for task in ("removal",) if preservation else TASKS:
        if task not in tasks:
            continue
        shares = _shares(size, len(MODES[task]), per_mode)
        cell = sum(shares)
        for c, condition in enumerate(CONDITIONS):
            for m, mode in enumerate(MODES[task]):
                if condition not in conditions or mode not in modes:
                    continue
                first = c * cell + sum(shares[:m])
                slots += [PaintSlot(task, mode, condition, s, first + s, preservation) for s in range(shares[m])]
    return slots


def _shares(size: int, modes: int, per_mode: bool) -> list[int]:
    """How many of a cell's problems each mode gets: evenly, the first modes one more where it does not divide.

    >>> _shares(12, 3, False), _shares(5, 3, False), _shares(2, 3, True)
    ([4, 4, 4], [2, 2, 1], [2, 2, 2])
    """
    if per_mode:
        return [size] * modes
    return [size // modes + (i < size % modes) for i in range(modes)]


def _points(given: str | None) -> Literal["own", "box"]:
    if given in (None, "own"):
        return "own"
    if given == "box":
        return "box"
    raise unknown("choice of --points", str(given), ("own", "box"))


def _canvas(given: str | Iterable[int] | None) -> tuple[int, int] | None:
    if given is None:
        return None
    if isinstance(given, str):
        match = re.fullmatch(r"\s*(\d+)\s*[x×X,]\s*(\d+)\s*", given)
        if not match:
            raise BadInput(f"--canvas {given!r} is not of the form WIDTHxHEIGHT, such as 512x512")
        given = (int(match[1]), int(match[2]))
    width, height = given
    if not (SIDES[0] <= width <= SIDES[1] and SIDES[0] <= height <= SIDES[1]):
        raise BadInput(
            f"a canvas of {width}×{height} is out of range; each side must be {SIDES[0]} to {SIDES[1]} pixels"
        )
    return width, height
