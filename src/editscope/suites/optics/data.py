"""Optics as a suite: made in memory, read from a folder, or written to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from editscope.cases import Aggregation, Case
from editscope.errors import BadInput
from editscope.suites.base import Suite
from editscope.suites.generated.released import ReleasedFolder, Sidecar


def load(
    root: str | Path | None = None,
    *,
    tasks: str | Iterable[str] | None = None,
    per_task: int | None = None,
    levels: str | Iterable[str] | None = None,
    size: int | None = None,
    namespace: str | None = None,
) -> Suite:
    """Optics, made in memory or read from a folder.

    Without options: 40 problems of every task, each at three levels of instruction. ``tasks`` and ``levels`` keep a
    part of it ("located" is a fourth level, which gives the box too), ``per_task`` is the number of problems, ``size``
    the side of the pictures, and another ``namespace`` draws problems that nobody has seen. ``root`` reads a set that
    ``editscope generate`` wrote and takes no other option.
    """
    from editscope.suites.optics.suite import NAMESPACE, OpticsSuite

    if root is not None:
        if any(value is not None for value in (tasks, per_task, levels, size, namespace)):
            raise BadInput("a set that is read from a folder cannot be changed; use --where to keep a part of it")
        return OpticsFolder("optics", root, _aggregation, _tags)
    return OpticsSuite.from_options(
        tasks=tasks, per_task=per_task, levels=levels, size=size, namespace=namespace or NAMESPACE
    )


class OpticsFolder(ReleasedFolder):
    """A written set; the masks are in the descriptions."""

    def case(self, case_id: str) -> Case:
        """One problem with its effects."""
        from editscope.suites.optics.suite import with_effects

        case = super().case(case_id)
        try:
            return with_effects(case)
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"the masks of {case_id} do not fit it ({error}); write the set again") from error


def _aggregation(strata: str) -> Aggregation:
    from editscope.suites.optics.catalog import AGGREGATION

    return AGGREGATION


def _tags(folder: str, fields: Sidecar) -> Mapping[str, str]:
    from editscope.suites.optics.catalog import TASKS, tags_of

    if fields.task not in TASKS:
        raise BadInput(f"{folder} holds the task {fields.task!r}, which Optics does not have; write the set again")
    return tags_of(fields.task, fields.mode)


def write_set(
    out: Path,
    *,
    jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> int:
    """Write a set with its masks and return the number of its problems; options as for ``load``."""
    from editscope.suites.generated.writing import write
    from editscope.suites.optics.suite import OpticsSuite

    suite = load(**options)
    assert isinstance(suite, OpticsSuite)
    return write(suite, Path(out), jobs, on_progress)
