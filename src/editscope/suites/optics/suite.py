"""The generated suite and stream: which problems there are, each drawn when you ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from editscope.cases import Case, Region
from editscope.errors import BadInput
from editscope.suites.base import short_hash
from editscope.suites.generated.stream import ProblemStream, StreamPlace
from editscope.suites.generated.suite import GeneratedSuite, chosen_names, valid_namespace
from editscope.suites.optics.catalog import AGGREGATION, DEFAULT_LEVELS, LEVELS, PER_TASK, SIZE, TASKS, seed_of, tags_of
from editscope.suites.optics.slots import OpticsSlot

if TYPE_CHECKING:
    from editscope.suites.optics.make import OpticsProblem

NAMESPACE = "optics"
SMALLEST, LARGEST = 64, 2048


class OpticsSuite(GeneratedSuite):
    """A set of optics problems; see ``editscope.suites.optics.data.load`` for the options."""

    name = "optics"
    generator = "1"
    compiled_in = ("editscope.suites.raytracing._kernels",)

    def __init__(self, slots: Iterable[OpticsSlot], namespace: str, side: int, options: Mapping[str, Any]) -> None:
        self.slots = {slot.id: slot for slot in slots}
        self.namespace = namespace
        self.side = side
        self.options = options
        self.aggregation = AGGREGATION

    @staticmethod
    def from_options(
        *,
        tasks: str | Iterable[str] | None = None,
        per_task: int | None = None,
        levels: str | Iterable[str] | None = None,
        size: int | None = None,
        namespace: str = NAMESPACE,
    ) -> OpticsSuite:
        """Read and check the options of a custom set."""
        wanted = chosen_names("task", tasks, tuple(TASKS))
        heights = chosen_names("level", levels, LEVELS) if levels is not None else DEFAULT_LEVELS
        count = PER_TASK if per_task is None else per_task
        if not 1 <= count <= 10_000:
            raise BadInput(f"--per-task {count} is out of range; ask for 1 to 10,000")
        side = SIZE if size is None else size
        if not SMALLEST <= side <= LARGEST:
            raise BadInput(f"--size {side} is out of range; ask for {SMALLEST} to {LARGEST} pixels")
        valid_namespace(namespace)
        # Levels of a number follow each other: they share their pictures, which are then drawn once.
        slots = [OpticsSlot(task, level, number) for task in wanted for number in range(count) for level in heights]
        given = {
            "tasks": list(wanted) if tasks is not None else None,
            "per_task": per_task,
            "levels": list(heights) if levels is not None else None,
            "size": size,
            "namespace": namespace if namespace != NAMESPACE else None,
        }
        options = {key: value for key, value in given.items() if value is not None}
        return OpticsSuite(slots, namespace, side, options)

    def tags(self, case_id: str) -> Mapping[str, str]:
        """The tags of one problem."""
        slot = self.slots[case_id]
        return tags_of(slot.task, slot.level)

    def size(self, case_id: str) -> tuple[int, int]:
        """Width and height of the pictures."""
        return self.side, self.side

    def problem(self, case_id: str) -> OpticsProblem:
        """The finished problem behind a case."""
        from editscope.suites.optics.make import make

        return make(self.slots[case_id], self.namespace, self.side)

    def case(self, case_id: str) -> Case:
        """Make one case in memory, with its effects."""
        return with_effects(super().case(case_id))

    @property
    def fingerprint(self) -> str:
        """Hash of the generator's version, the size of the pictures and of every slot."""
        return short_hash(self.generator, self.namespace, self.side, *self.slots.values())


def with_effects(case: Case) -> Case:
    """The case with the effects and ignored pixels that its description holds; a located one with its box."""
    from editscope.images import load
    from editscope.suites.optics.masks import described_effects

    shape = load(case.images[0]).shape[:2]
    effects, ignored = described_effects(case.details, (shape[0], shape[1]))
    left, top, right, bottom = case.details["box"]
    regions = (Region("change", (left, top, right, bottom)),) if case.details["mode"] == "located" else ()
    return replace(case, effects=effects, ignored=ignored, regions=regions)


class OpticsStream(ProblemStream):
    """Optics problems without end: every task at every level equally often."""

    name = "optics"
    compiled_in: ClassVar[tuple[str, ...]] = OpticsSuite.compiled_in

    def __init__(
        self,
        namespace: str,
        *,
        tasks: str | Iterable[str] | None = None,
        levels: str | Iterable[str] | None = None,
        size: int | None = None,
    ) -> None:
        super().__init__(namespace)
        some = OpticsSuite.from_options(tasks=tasks, levels=levels, per_task=1, size=size)
        self.side = some.side
        self.cells = tuple((slot.task, slot.level) for slot in some.slots.values())

    def slot(self, place: StreamPlace) -> OpticsSlot:
        """The slot of a place."""
        task, level = place.cell
        return OpticsSlot(task, level, place.turn)

    def make(self, place: StreamPlace) -> OpticsProblem:
        """The problem of a place."""
        from editscope.suites.optics.make import make

        return make(self.slot(place), self.namespace, self.side)

    def case(self, number: int) -> Case:
        """The problem at a number, as a case with its effects."""
        return with_effects(super().case(number))

    def size(self, place: StreamPlace) -> tuple[int, int]:
        """Width and height of the pictures."""
        return self.side, self.side

    def tags(self, place: StreamPlace) -> Mapping[str, str]:
        """The tags of one problem."""
        return tags_of(*place.cell)

    def seeds(self, place: StreamPlace) -> Iterator[int]:
        """The one seed that all attempts are drawn from."""
        slot = self.slot(place)
        yield seed_of(self.namespace, slot.task, slot.number)
