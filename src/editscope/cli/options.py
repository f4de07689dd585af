"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from editscope.errors import BadInput

SuiteName: TypeAlias = Annotated[str, typer.Argument(metavar="SUITE", help="A suite, such as paintbench.")]
Data: TypeAlias = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="A set on disk; without it the cases are made in memory."),
]
Out: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="RUN", help="The run folder [default: a new one in runs/].")
]
Jobs: TypeAlias = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", min=1, help="Worker processes [default: one per core]."),
]
Limit: TypeAlias = Annotated[
    int | None, typer.Option("--limit", metavar="N", min=1, help="At most N cases, spread over the suite.")
]
Filters: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="TAG=VALUE", help="Only cases with this tag; give it again for another tag."),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the run; each edit gets its own.")]
Timeout: TypeAlias = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="Time for one edit; a hanging one is stopped."),
]
DryRun: TypeAlias = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and stop.")]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only the result.")]

Tasks: TypeAlias = Annotated[
    list[str] | None, typer.Option("--tasks", metavar="A,B", help="Custom set: only these tasks.")
]
Charts: TypeAlias = Annotated[
    list[str] | None, typer.Option("--charts", metavar="A,B", help="Custom set of tinygrafix: only these charts.")
]
PerTask: TypeAlias = Annotated[
    int | None,
    typer.Option("--per-task", metavar="N", min=1, help="Custom set of tinygrafix: problems per task."),
]
Modes: TypeAlias = Annotated[
    list[str] | None, typer.Option("--modes", metavar="A,B", help="Custom set: only these modes.")
]
Conditions: TypeAlias = Annotated[
    list[str] | None, typer.Option("--conditions", metavar="A,B", help="Custom set: only these conditions.")
]
PerCell: TypeAlias = Annotated[
    int | None,
    typer.Option("--per-cell", metavar="N", min=1, help="Custom set: problems per task and condition."),
]
PerMode: TypeAlias = Annotated[
    int | None,
    typer.Option("--per-mode", metavar="N", min=1, help="Custom set: problems per mode and condition."),
]
Canvas: TypeAlias = Annotated[
    str | None, typer.Option("--canvas", metavar="WxH", help="Custom set: canvas size, such as 512x512.")
]
Shapes: TypeAlias = Annotated[
    int | None, typer.Option("--n", metavar="N", min=1, help="Custom set: how many shapes a scene has.")
]
Namespace: TypeAlias = Annotated[
    str | None,
    typer.Option("--namespace", metavar="NAME", help="Custom set: draw fresh, never-seen problems."),
]
Split: TypeAlias = Annotated[
    str | None, typer.Option("--split", metavar="test|preservation|all", help="Which part of the set.")
]


def names(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names given with commas or by repeating the option.

    >>> names(["border,removal", "recolor"])
    ('border', 'removal', 'recolor')
    """
    if not values:
        return None
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def canvas_size(text: str | None) -> tuple[int, int] | None:
    """Width and height from ``WxH``.

    >>> canvas_size("1024x576")
    (1024, 576)
    """
    if text is None:
        return None
    width, _, height = text.lower().replace("×", "x").partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise BadInput(f"--canvas {text!r} is not of the form WxH, such as 1024x576")
    return int(width), int(height)


def given(**options: Any) -> dict[str, Any]:
    """Only the options that were given, so that a suite sees none it does not know.

    >>> given(tasks=None, n=10)
    {'n': 10}
    """
    return {name: value for name, value in options.items() if value is not None}
