"""PaintBench as a suite: made in memory, read from a folder, or written to one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from editscope.cases import Case
from editscope.errors import BadInput
from editscope.suites.base import Suite
from editscope.suites.paintbench.catalog import CATEGORY_OF, PRESERVATION, aggregation

if TYPE_CHECKING:
    from editscope.scoring.offsets.change import Angle, AskedChange, Size
    from editscope.suites.generated.released import ReleasedFolder, Sidecar

OBJECTS: Mapping[tuple[str, str], tuple[str, Angle, Size]] = {
    ("translation", ""): ("target_color", "turn", "area"),
    ("rotation", ""): ("target_color", "turn", "area"),
    ("reflection", ""): ("target_color", "turn", "area"),
    ("scaling", ""): ("target_color", "", "sides"),
    ("shearing", "horizontally"): ("target_color", "slant_x", "area"),
    ("shearing", "vertically"): ("target_color", "slant_y", "area"),
    ("construction", ""): ("draw_color", "turn", "area"),
}
"""By task and direction: which field has the color of the object, and which errors of it can be measured."""
REGIONS = ("border", "recolor", "flood_fill", "blending", "gradient", "point_operations")
"""Tasks that give known pixels new colors."""


def load(
    root: str | Path | None = None,
    *,
    tasks: str | Iterable[str] | None = None,
    modes: str | Iterable[str] | None = None,
    conditions: str | Iterable[str] | None = None,
    per_cell: int | None = None,
    per_mode: int | None = None,
    canvas: str | tuple[int, int] | None = None,
    n: int | None = None,
    namespace: str = "paintbench",
    split: Literal["test", "preservation", "all"] | None = None,
    strata: str | None = None,
    points: Literal["own", "box"] | None = None,
) -> Suite:
    """PaintBench, made in memory or read from a folder.

    Without options: the 1,920 problems of the standard set. ``tasks``, ``modes`` and ``conditions`` keep a part
    of it; ``per_cell`` (12) is the number of problems per task and condition, ``per_mode`` the number per mode
    instead; ``canvas`` ("512x512") and ``n`` override what the conditions say; another ``namespace`` draws
    problems that nobody has seen. ``points`` says which points of shapes instructions name: "own" (default, as in
    the release), or as often those of bounding boxes ("box", as the paper describes). ``split`` is "test" (default),
    "preservation" (the 96 inputs of removal, to be returned unchanged) or "all". ``strata`` says within what intervals
    resample: "release" (default, within tasks) or "paper" (within modes of tasks). ``root`` reads a set in the
    released layout and takes no other option but ``split`` (default: everything that is there) and ``strata``.
    """
    if root is not None:
        given = (tasks, modes, conditions, per_cell, per_mode, canvas, n, points)
        if any(value is not None for value in given) or namespace != "paintbench":
            raise BadInput("a set that is read from a folder cannot be changed; use --where to keep a part of it")
        return read_set(root, split or "all", strata)
    from editscope.suites.paintbench.suite import PaintBenchSuite

    return PaintBenchSuite.from_options(
        tasks=tasks,
        modes=modes,
        conditions=conditions,
        per_cell=per_cell,
        per_mode=per_mode,
        canvas=canvas,
        n=n,
        namespace=namespace,
        split=split or "test",
        strata=strata,
        points=points,
    )


def write_set(
    out: Path,
    *,
    jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> int:
    """Write a set in the released layout and return the number of its problems; ``options`` as for ``load``."""
    from editscope.suites.generated.writing import write
    from editscope.suites.paintbench.suite import PaintBenchSuite

    options.setdefault("split", "all")
    suite = load(**options)
    assert isinstance(suite, PaintBenchSuite)
    return write(suite, Path(out), jobs, on_progress)


def read_set(
    root: str | Path, split: Literal["test", "preservation", "all"], strata: str | None = None
) -> ReleasedFolder:
    """A set in the released layout."""
    from editscope.suites.generated.released import ReleasedFolder  # brings pydantic, which made problems do not need

    return ReleasedFolder(
        "paintbench",
        root,
        aggregation,
        tags_of,
        aliases=("PaintBench",),
        split=split,
        strata=strata,
        remark=_remark,
        change_of=change_of,
    )


def _remark(suite: Suite) -> str:
    turned = [case_id for case_id in suite.ids if suite.tags(case_id)["task"] == "rotation"]
    if not turned or "attempt" in suite[turned[0]].details:  # a field that only our sets have
        return ""
    return (
        "the released answers of the task rotation turn the other way than their instructions say: an editor without "
        "error gets about half of that task (docs/faults-found.md shows it)"
    )


def tags_of(folder: str, fields: Sidecar) -> Mapping[str, str]:
    """The tags of a problem, the same for a made and a read one."""
    return problem_tags(folder, fields.mode, fields.visual_condition)


def problem_tags(folder: str, mode: str, condition: str) -> dict[str, str]:
    """Tags from the folder's name, the mode and the condition."""
    return {
        "category": CATEGORY_OF.get(folder, folder),
        "task": folder,
        "mode": mode,
        "condition": condition,
        "split": PRESERVATION if folder == PRESERVATION else "test",
    }


def change_of(case: Case) -> AskedChange | None:
    """What a problem asks for; None for tasks in which nothing can be measured but right and wrong."""
    from editscope.scoring.offsets.change import AskedChange, rgb_of

    task = case.tags["task"]
    if task in REGIONS:
        return AskedChange()
    direction = str(case.details.get("axis", "")) if task == "shearing" else ""
    field, angle, size = OBJECTS.get((task, direction), ("", "", ""))
    color = rgb_of(case.details.get(field)) if field else None
    return None if color is None else AskedChange(color, angle, size)
