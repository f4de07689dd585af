"""Suite and stream of scene edits: which problems there are, each drawn when you ask for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from editscope.cases import Case
from editscope.errors import BadInput
from editscope.suites.base import Suite, short_hash
from editscope.suites.generated import COUNTS
from editscope.suites.generated.stream import ProblemStream, StreamPlace
from editscope.suites.generated.suite import GeneratedSuite, chosen_names, valid_namespace
from editscope.suites.physics import SIDES
from editscope.suites.physics.catalog import DEFAULT_LEVELS, LEVELS, PER_TASK, SIZE, PhysicsCatalog, seed_of
from editscope.suites.physics.slots import SceneSlot

if TYPE_CHECKING:
    from editscope.suites.physics.make import SceneProblem

COMPILED_IN = ("editscope.suites.raytracing._kernels",)


class SceneEditSuite(GeneratedSuite):
    """A set of scene edits. A suite of this kind gives ``name``, ``generator`` and ``catalog``, and nothing else."""

    catalog: ClassVar[PhysicsCatalog]
    compiled_in = COMPILED_IN

    def __init__(self, slots: Iterable[SceneSlot], namespace: str, side: int, options: Mapping[str, Any]) -> None:
        self.slots = {slot.id: slot for slot in slots}
        self.namespace = namespace
        self.side = side
        self.options = options
        self.aggregation = self.catalog.aggregation

    @classmethod
    def load(
        cls,
        root: str | Path | None = None,
        *,
        tasks: str | Iterable[str] | None = None,
        per_task: int | None = None,
        levels: str | Iterable[str] | None = None,
        size: int | None = None,
        namespace: str | None = None,
    ) -> Suite:
        """A set, made in memory or read from a folder.

        Without options: 40 problems of every task, each at three levels of instruction. ``tasks`` and ``levels`` keep a
        part of it ("located" is a fourth level, which gives the box too), ``per_task`` is the number of problems,
        ``size`` the side of the pictures, and another ``namespace`` draws problems that nobody has seen. ``root`` reads
        a set that ``editscope generate`` wrote and takes no other option.
        """
        if root is None:
            return cls.from_options(tasks=tasks, per_task=per_task, levels=levels, size=size, namespace=namespace)
        if any(value is not None for value in (tasks, per_task, levels, size, namespace)):
            raise BadInput("a set that is read from a folder cannot be changed; use --where to keep a part of it")
        from editscope.suites.physics.folder import SceneEditFolder

        return SceneEditFolder(cls.catalog, root)

    @classmethod
    def write_set(
        cls,
        out: Path,
        *,
        jobs: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        **options: Any,
    ) -> int:
        """Write a set with its masks and return the number of its problems; options as for ``load``."""
        from editscope.suites.generated.writing import write

        suite = cls.load(**options)
        assert isinstance(suite, cls)
        return write(suite, Path(out), jobs, on_progress)

    @classmethod
    def from_options(
        cls,
        *,
        tasks: str | Iterable[str] | None = None,
        per_task: int | None = None,
        levels: str | Iterable[str] | None = None,
        size: int | None = None,
        namespace: str | None = None,
    ) -> Self:
        """Read and check the options of a custom set."""
        wanted = chosen_names("task", tasks, tuple(cls.catalog.tasks))
        heights = chosen_names("level", levels, LEVELS) if levels is not None else DEFAULT_LEVELS
        count = PER_TASK if per_task is None else per_task
        if not COUNTS[0] <= count <= COUNTS[1]:
            raise BadInput(f"--per-task {count} is out of range; ask for {COUNTS[0]} to {COUNTS[1]:,}")
        side = SIZE if size is None else size
        if not SIDES[0] <= side <= SIDES[1]:
            raise BadInput(f"--size {side} is out of range; ask for {SIDES[0]} to {SIDES[1]} pixels")
        name = cls.catalog.name if namespace is None else namespace
        valid_namespace(name)
        # Levels of a number follow each other: they share their pictures, which are then drawn once.
        slots = [SceneSlot(task, level, number) for task in wanted for number in range(count) for level in heights]
        given = {
            "tasks": list(wanted) if tasks is not None else None,
            "per_task": per_task,
            "levels": list(heights) if levels is not None else None,
            "size": size,
            "namespace": name if name != cls.catalog.name else None,
        }
        return cls(slots, name, side, {key: value for key, value in given.items() if value is not None})

    def tags(self, case_id: str) -> Mapping[str, str]:
        """The tags of one problem."""
        slot = self.slots[case_id]
        return self.catalog.tags_of(slot.task, slot.level, slot.number)

    def size(self, case_id: str) -> tuple[int, int]:
        """Width and height of the pictures."""
        return self.side, self.side

    def problem(self, case_id: str) -> SceneProblem:
        """The finished problem behind a case."""
        from editscope.suites.physics.make import make

        return make(self.catalog, self.slots[case_id], self.namespace, self.side)

    def case(self, case_id: str) -> Case:
        """Make one case in memory, with its effects."""
        from editscope.suites.physics.masks import with_effects

        return with_effects(super().case(case_id))

    @property
    def fingerprint(self) -> str:
        """Hash of the generator's version, the size of the pictures and of every slot."""
        return short_hash(self.generator, self.namespace, self.side, *self.slots.values())


class SceneEditStream(ProblemStream):
    """Scene edits without end: every task at every level equally often. A stream gives ``name`` and ``suite``."""

    suite: ClassVar[type[SceneEditSuite]]
    compiled_in: ClassVar[tuple[str, ...]] = COMPILED_IN

    def __init__(
        self,
        namespace: str,
        *,
        tasks: str | Iterable[str] | None = None,
        levels: str | Iterable[str] | None = None,
        size: int | None = None,
    ) -> None:
        super().__init__(namespace)
        some = self.suite.from_options(tasks=tasks, levels=levels, per_task=1, size=size)
        self.side = some.side
        self.cells = tuple((slot.task, slot.level) for slot in some.slots.values())

    def slot(self, place: StreamPlace) -> SceneSlot:
        """The slot of a place."""
        task, level = place.cell
        return SceneSlot(task, level, place.turn)

    def make(self, place: StreamPlace) -> SceneProblem:
        """The problem of a place."""
        from editscope.suites.physics.make import make

        return make(self.suite.catalog, self.slot(place), self.namespace, self.side)

    def case(self, number: int) -> Case:
        """The problem at a number, as a case with its effects."""
        from editscope.suites.physics.masks import with_effects

        return with_effects(super().case(number))

    def size(self, place: StreamPlace) -> tuple[int, int]:
        """Width and height of the pictures."""
        return self.side, self.side

    def tags(self, place: StreamPlace) -> Mapping[str, str]:
        """The tags of one problem."""
        slot = self.slot(place)
        return self.suite.catalog.tags_of(slot.task, slot.level, slot.number)

    def seeds(self, place: StreamPlace) -> Iterator[int]:
        """The one seed that all attempts are drawn from."""
        slot = self.slot(place)
        yield seed_of(self.namespace, slot.task, slot.number)
