"""What PaintBench problems measure: numbers and labels under the names of ``data/distributions.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from editscope.suites.generated.suite import GeneratedProblem
from editscope.suites.paintbench.data import load
from editscope.suites.paintbench.suite import PaintBenchSuite
from support.distributions import LEVELS, counted, known, same_numbers, same_shares
from support.paintbench.measured import Measures, Problem, measure_pictures
from support.paintbench.measured_edits import (
    measure_border,
    measure_construction,
    measure_copying,
    measure_cropping,
    measure_described,
    measure_region,
)
from support.paintbench.measured_moves import (
    measure_reflection,
    measure_rotation,
    measure_scaling,
    measure_shearing,
    measure_translation,
)
from support.paintbench.measured_symbols import (
    measure_comparison,
    measure_counting,
    measure_legend,
    measure_ordering,
    measure_pattern,
)

_TASKS: dict[str, Callable[[Problem, Measures], None]] = {
    "translation": measure_translation,
    "rotation": measure_rotation,
    "reflection": measure_reflection,
    "scaling": measure_scaling,
    "shearing": measure_shearing,
    "construction": measure_construction,
    "removal": measure_described,
    "copying": measure_copying,
    "border": measure_border,
    "cropping": measure_cropping,
    "recolor": measure_described,
    "flood_fill": measure_region,
    "blending": measure_region,
    "gradient": measure_region,
    "point_operations": measure_region,
    "comparison": measure_comparison,
    "ordering": measure_ordering,
    "pattern": measure_pattern,
    "counting": measure_counting,
    "legend": measure_legend,
}
LEFT_OUT = frozenset({"instruction_words", "attempt_used"})
"""What is not compared: our instructions say more, and attempts are our own."""


def measure(made: GeneratedProblem) -> Measures:
    """The numbers and labels of one problem."""
    problem = Problem(made)
    found = Measures({"shapes_in_scene": len(problem.shapes)})
    measure_pictures(problem, found)
    _TASKS[problem.task](problem, found)
    return found


@dataclass
class Sample:
    """The measures of many problems of one task and mode."""

    numbers: dict[str, list[float]] = field(default_factory=dict)
    labels: dict[str, list[str]] = field(default_factory=dict)

    def add(self, found: Measures) -> None:
        """Take in one more problem."""
        for name, number in found.numbers.items():
            self.numbers.setdefault(name, []).append(float(number))
        for name, label in found.labels.items():
            self.labels.setdefault(name, []).append(label)


def measure_all(suites: Iterable[PaintBenchSuite]) -> dict[str, Sample]:
    """A sample for each task-mode of some sets, each problem made once."""
    samples: dict[str, Sample] = {}
    for suite in suites:
        for case_id, slot in suite.slots.items():
            samples.setdefault(f"{slot.task}/{slot.mode}", Sample()).add(measure(suite.problem(case_id)))
    return samples


def sample_of(mode: str, namespace: str, per_condition: int) -> Sample:
    """The sample of one task-mode, as many problems in each condition."""
    task, _, name = mode.partition("/")
    modes = None if name == "default" else name
    suite = load(tasks=task, modes=modes, namespace=namespace, per_mode=per_condition)
    assert isinstance(suite, PaintBenchSuite)
    return measure_all([suite])[mode]


def compared(mode: str, side: str = "release") -> list[str]:
    """The quantities of a task-mode that the file knows and that are compared."""
    there = known()["paintbench"][mode][side]
    every = [*there["numbers"], *there["shares"]]
    return [name for name in every if name not in LEFT_OUT and not name.endswith("__n")]


def compare(mode: str, sample: Sample, side: str = "release") -> dict[str, float]:
    """p for each compared quantity; NaN for one that our problems do not have."""
    there = known()["paintbench"][mode][side]
    found = {}
    for name in compared(mode, side):
        numbers, labels = sample.numbers.get(name), sample.labels.get(name)
        if name in there["numbers"] and numbers:
            row = there["numbers"][name]
            found[name] = same_numbers(numbers, row["quantiles"], row.get("n", there["n"]))
        elif name in there["shares"] and labels:
            n = there["shares"].get(f"{name}__n", there["n"])
            found[name] = same_shares(counted(labels), there["shares"][name], n)
        else:
            found[name] = float("nan")
    return found


def described(mode: str, name: str, sample: Sample, side: str = "release") -> str:
    """Our figures of a quantity and those of the file, in words."""
    there = known()["paintbench"][mode][side]
    if name in there["numbers"]:
        ours = np.quantile(sample.numbers[name], LEVELS) if name in sample.numbers else ()
        row = there["numbers"][name]["quantiles"]
        return f"quantiles here {_listed(ours)}, in the release {_listed(row)}"
    labels = sample.labels.get(name, [])
    shares = {label: count / len(labels) for label, count in counted(labels).items()}
    return f"here {_shares(shares)}; in the release {_shares(there['shares'][name])}"


def _listed(numbers: Iterable[float]) -> str:
    return " ".join(f"{number:.4g}" for number in numbers) or "none"


def _shares(shares: Mapping[str, float]) -> str:
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    return ", ".join(f"{label} {share:.0%}" for label, share in ranked) or "none"
