"""The generated TinyGrafixBench suite and stream: which problems there are, each drawn when you ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from editscope.errors import BadInput
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
from editscope.suites.tinygrafix.catalog import CHARTS, PER_TASK, TASKS, aggregation, folder_tags, seed_of
from editscope.suites.tinygrafix.slots import ChartSlot


class TinyGrafixSuite(GeneratedSuite):
    """A set of TinyGrafixBench problems; see ``editscope.suites.tinygrafix.load`` for the options."""

    name = "tinygrafix"
    generator = "2"
    compiled_in = (
        "editscope.images.lab",
        "editscope.suites.tinygrafix.canvas",
        "editscope.suites.tinygrafix.rims",
    )

    def __init__(self, slots: Iterable[ChartSlot], namespace: str, options: Mapping[str, Any]) -> None:
        self.slots = {slot.id: slot for slot in slots}
        self.namespace = namespace
        self.options = options
        self.aggregation = aggregation(options.get("strata", "release"))

    @staticmethod
    def from_options(
        *,
        charts: str | Iterable[str] | None,
        tasks: str | Iterable[str] | None,
        per_task: int | None,
        namespace: str,
        strata: str | None = None,
    ) -> TinyGrafixSuite:
        """Read and check the options of a custom set."""
        wanted_charts = chosen_names("chart", charts, tuple(CHARTS))
        wanted_tasks = chosen_names("task", tasks, TASKS)
        size = PER_TASK if per_task is None else per_task
        if not COUNTS[0] <= size <= COUNTS[1]:
            raise BadInput(f"--per-task {size} is out of range; ask for {COUNTS[0]} to {COUNTS[1]:,}")
        valid_namespace(namespace)
        slots = [
            ChartSlot(chart, task, slot)
            for chart in wanted_charts
            for task in CHARTS[chart]
            if task in wanted_tasks
            for slot in range(size)
        ]
        if not slots:
            raise BadInput("these charts have none of these tasks: the set is empty")
        given = {
            "charts": list(wanted_charts) if charts is not None else None,
            "tasks": list(wanted_tasks) if tasks is not None else None,
            "per_task": per_task,
            "namespace": namespace if namespace != "tinygrafixbench" else None,
            "strata": "paper" if valid_strata(strata) == "paper" else None,
        }
        return TinyGrafixSuite(slots, namespace, {key: value for key, value in given.items() if value is not None})

    def tags(self, case_id: str) -> Mapping[str, str]:
        """The tags of one problem."""
        return folder_tags(self.slots[case_id].folder)

    def size(self, case_id: str) -> tuple[int, int]:
        """Width and height of the canvas."""
        from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH

        return WIDTH, HEIGHT

    def problem(self, case_id: str) -> GeneratedProblem:
        """The finished problem behind a case."""
        from editscope.suites.tinygrafix.make import make

        return make(self.slots[case_id], self.namespace)

    @property
    def fingerprint(self) -> str:
        """Hash of the generator's version and of every slot."""
        return short_hash(self.generator, self.namespace, *self.slots.values())

    def environment(self) -> Mapping[str, str]:
        """Versions of Matplotlib and FreeType: with others, some pixels of the text may differ."""
        from editscope.suites.tinygrafix.versions import versions

        return versions()


class ChartStream(ProblemStream):
    """TinyGrafixBench problems without end: every task equally often."""

    name = "tinygrafix"
    compiled_in: ClassVar[tuple[str, ...]] = TinyGrafixSuite.compiled_in

    def __init__(
        self,
        namespace: str,
        *,
        charts: str | Iterable[str] | None = None,
        tasks: str | Iterable[str] | None = None,
    ) -> None:
        super().__init__(namespace)
        some = TinyGrafixSuite.from_options(charts=charts, tasks=tasks, per_task=1, namespace="tinygrafixbench")
        self.cells = tuple((slot.chart, slot.task) for slot in some.slots.values())

    def slot(self, place: StreamPlace) -> ChartSlot:
        """The slot of a place."""
        chart, task = place.cell
        return ChartSlot(chart, task, place.turn)

    def make(self, place: StreamPlace) -> GeneratedProblem:
        """The problem of a place."""
        from editscope.suites.tinygrafix.make import make

        return make(self.slot(place), self.namespace)

    def size(self, place: StreamPlace) -> tuple[int, int]:
        """Width and height of the canvas."""
        from editscope.suites.tinygrafix.canvas import HEIGHT, WIDTH

        return WIDTH, HEIGHT

    def tags(self, place: StreamPlace) -> Mapping[str, str]:
        """The tags of one problem."""
        return folder_tags(self.slot(place).folder)

    def seeds(self, place: StreamPlace) -> Iterator[int]:
        """The one seed that all attempts are drawn from."""
        slot = self.slot(place)
        yield seed_of(self.namespace, slot.chart, slot.task, slot.slot)
