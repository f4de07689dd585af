"""TinyGrafixBench as a suite: made in memory, read from a folder, or written to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from editscope.errors import BadInput
from editscope.suites.base import Suite


def load(
    root: str | Path | None = None,
    *,
    charts: str | Iterable[str] | None = None,
    tasks: str | Iterable[str] | None = None,
    per_task: int | None = None,
    namespace: str = "tinygrafixbench",
    split: Literal["test", "preservation", "all"] | None = None,
    strata: str | None = None,
) -> Suite:
    """TinyGrafixBench, made in memory or read from a folder.

    Without options: the 600 problems of the standard set. ``charts`` and ``tasks`` keep a part of it,
    ``per_task`` (30) is the number of problems per task, and another ``namespace`` draws problems that nobody
    has seen. ``strata`` is "release" (default) or "paper": how intervals resample, which is within tasks for both.
    ``root`` reads a set in the released layout and takes no other option but ``strata``.
    """
    if root is not None:
        from editscope.suites.generated.released import ReleasedFolder
        from editscope.suites.tinygrafix.catalog import aggregation, folder_tags

        if any(value is not None for value in (charts, tasks, per_task)) or namespace != "tinygrafixbench":
            raise BadInput("a set that is read from a folder cannot be changed; use --where to keep a part of it")
        return ReleasedFolder(
            "tinygrafix",
            root,
            aggregation,
            lambda folder, fields: folder_tags(folder, fields.mode),
            aliases=("TinyGrafixBench",),
            split=split or "all",
            strata=strata,
            environment=_environment,
            folders="<chart>_<task>",
        )
    from editscope.suites.tinygrafix.suite import TinyGrafixSuite

    return TinyGrafixSuite.from_options(
        charts=charts, tasks=tasks, per_task=per_task, namespace=namespace, strata=strata
    )


def _environment() -> Mapping[str, str]:
    from editscope.suites.tinygrafix.versions import versions

    return versions()


def write_set(
    out: Path,
    *,
    jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> int:
    """Write a set in the released layout and return the number of its problems; options as for ``load``."""
    from editscope.suites.generated.writing import write
    from editscope.suites.tinygrafix.suite import TinyGrafixSuite

    suite = load(**options)
    assert isinstance(suite, TinyGrafixSuite)
    return write(suite, Path(out), jobs, on_progress)
