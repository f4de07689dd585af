"""Contents of the benchmark: tasks and modes by category, visual conditions, object counts, numbering, seeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256

from editscope.cases import Aggregation, Group

CATEGORIES: dict[str, dict[str, tuple[str, ...]]] = {
    "geometric_transformation": {
        "translation": ("amount", "align"),
        "rotation": ("local", "external"),
        "reflection": ("local", "external"),
        "scaling": ("amount", "match"),
        "shearing": ("default",),
    },
    "structural_manipulation": {
        "construction": ("circle", "line", "polygon"),
        "removal": ("attribute", "location"),
        "copying": ("default",),
        "border": ("default",),
        "cropping": ("straight", "tilted"),
    },
    "color_change": {
        "recolor": ("color_code", "dropper"),
        "flood_fill": ("background", "foreground"),
        "blending": ("default",),
        "gradient": ("background", "foreground"),
        "point_operations": ("brightness", "grayscale", "invert"),
    },
    "symbolic_reasoning": {
        "comparison": ("default",),
        "ordering": ("default",),
        "pattern": ("grid", "circular"),
        "counting": ("shape", "color"),
        "legend": ("default",),
    },
}
MODES: dict[str, tuple[str, ...]] = {task: modes for tasks in CATEGORIES.values() for task, modes in tasks.items()}
CATEGORY_OF: dict[str, str] = {task: category for category, tasks in CATEGORIES.items() for task in tasks}
TASKS: tuple[str, ...] = tuple(MODES)
ALL_MODES: tuple[str, ...] = tuple(dict.fromkeys(mode for modes in MODES.values() for mode in modes))
PER_CELL = 12
PRESERVATION = "preservation"


@dataclass(frozen=True, slots=True)
class Condition:
    """A visual condition: one thing that differs from the baseline."""

    name: str
    width: int = 1024
    height: int = 1024
    palette: str = "standard"
    striped: bool = False
    level: int = 0


CONDITIONS: dict[str, Condition] = {
    condition.name: condition
    for condition in (
        Condition("baseline"),
        Condition("horizontal", height=576),
        Condition("vertical", width=576),
        Condition("nonstandard", palette="nonstandard"),
        Condition("striped", striped=True),
        Condition("n_med", level=1),
        Condition("n_high", level=2),
        Condition("n_xhigh", level=3),
    )
}

_COUNTS = {
    "comparison": (3, 5, 7, 9),
    "ordering": (3, 5, 7, 9),
    "pattern": (1, 3, 6, 10),
    "counting": (5, 10, 25, 60),
}


def object_count(task: str, level: int) -> int:
    """n of a task at a level of crowding, 0 (baseline) to 3 (n_xhigh).

    >>> object_count("border", 3), object_count("pattern", 0)
    (60, 1)
    """
    return _COUNTS.get(task, (3, 10, 25, 60))[level]


def seed_of(namespace: str, task: str, condition: str, mode: str, slot: int, attempt: int) -> int:
    """The seed of one attempt: the first 12 hex digits of a SHA-256; a task without modes has an empty mode.

    >>> seed_of("paintbench", "border", "striped", "default", 0, 0)
    266025784593941
    """
    mode = "" if mode == "default" else mode
    text = f"{namespace}|{task}|{condition}|{mode}|{slot}|{attempt}"
    return int(sha256(text.encode()).hexdigest()[:12], 16)


AGGREGATION = Aggregation(
    overall=Group("overall", (), ("task", "category")),
    groups=(
        Group("category", ("category",), ("task",)),
        Group("task", ("task",)),
        Group("mode", ("task", "mode"), strata=("task", "mode")),
        Group("condition", ("condition",), ("task",), strata=("task", "condition")),
    ),
    strata=("task",),
    resampling="release",
    exclude={"split": PRESERVATION},
    orders={
        "category": tuple(CATEGORIES),
        "task": TASKS,
        "mode": (*ALL_MODES, "default"),
        "condition": tuple(CONDITIONS),
    },
)


def aggregation(strata: str) -> Aggregation:
    """How tables average, and within what intervals resample: as the release does, or as the paper says.

    The release takes the problems of a row and resamples them within each task, so rows of conditions and modes are
    resampled within these too. Section D.1 of the paper resamples within task-modes for every row.

    >>> aggregation("release").strata, aggregation("paper").strata
    (('task',), ('task', 'mode'))
    """
    if strata == AGGREGATION.resampling:
        return AGGREGATION
    groups = tuple(replace(group, strata=None) for group in AGGREGATION.groups)
    return replace(AGGREGATION, groups=groups, strata=("task", "mode"), resampling="paper")
