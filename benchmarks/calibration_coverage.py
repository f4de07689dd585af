"""How often intervals hold what people think: those of the judge alone, of the labels alone, and calibrated ones.

    python benchmarks/calibration_coverage.py [--repetitions 2000]

A run of cases in tasks is drawn whose mean to people is known, with a judge that is kind, harsh, flat or nearly
perfect; some cases are labeled. The second table compares two runs that people like equally: how often each way calls
one of them better.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.stats.calibration import HUMAN, SETTLED, calibrated_difference, calibrated_mean

Floats = NDArray[np.float64]
Rows = dict[str, list[object]]
PLAN = Aggregation(Group("overall", (), ("task",)), (), strata=("task",), headline="score")
TASKS = ("border", "removal", "recolor", "blending")
SHARES = (0.4, 0.3, 0.2, 0.1)
"""Shares of the cases that the tasks have; each counts for a quarter of the mean."""


@dataclass(frozen=True)
class JudgeKind:
    """A judge: what it makes of the score that people give, for a task, with noise."""

    name: str
    scores: Callable[[np.random.Generator, Floats, NDArray[np.intp]], Floats]
    binary: bool = False


def kind(rng: np.random.Generator, people: Floats, task: NDArray[np.intp]) -> Floats:
    """Higher than people by 0.6 of 4 points, and by more in some tasks."""
    return steps(people + 0.15 + 0.04 * task + rng.normal(0, 0.12, len(people)))


def harsh(rng: np.random.Generator, people: Floats, task: NDArray[np.intp]) -> Floats:
    """Lower than people by half a point, more so where they are pleased."""
    return steps(0.75 * people + rng.normal(0, 0.1, len(people)))


def flat(rng: np.random.Generator, people: Floats, task: NDArray[np.intp]) -> Floats:
    """Hardly related to what people say."""
    return steps(0.5 + 0.1 * people + rng.normal(0, 0.2, len(people)))


def lenient(rng: np.random.Generator, people: Floats, task: NDArray[np.intp]) -> Floats:
    """Yes to one in six of what people call wrong, no to one in fifty of what they call right."""
    return np.where(people > 0.5, rng.random(len(people)) > 0.02, rng.random(len(people)) < 1 / 6).astype(np.float64)


def nearly_perfect(rng: np.random.Generator, people: Floats, task: NDArray[np.intp]) -> Floats:
    """Yes to one in fifty of what people call wrong."""
    return np.where(people > 0.5, 1.0, rng.random(len(people)) < 0.02).astype(np.float64)


JUDGES = (
    JudgeKind("kind, 1–5", kind),
    JudgeKind("harsh, 1–5", harsh),
    JudgeKind("flat, 1–5", flat),
    JudgeKind("lenient, yes or no", lenient, binary=True),
    JudgeKind("nearly perfect, yes or no", nearly_perfect, binary=True),
)


def steps(scores: Floats) -> Floats:
    """Scores as marks from 1 to 5 give them: five steps from 0 to 1."""
    return np.clip(np.rint(4 * scores), 0, 4) / 4


def drawn(rng: np.random.Generator, judge: JudgeKind, cases: int, labels: int) -> Rows:
    """A run; what people think of a case depends on its task and on chance. Every task has the same mean to people."""
    task = rng.choice(len(TASKS), cases, p=SHARES)
    people = steps(0.5 + rng.normal(0, 0.3, cases))
    if judge.binary:
        people = (rng.random(cases) < 0.6).astype(np.float64)
    human: list[object] = [None] * cases
    for place in rng.permutation(cases)[:labels]:
        human[place] = float(people[place])
    return {
        "case_id": [f"c{i:05}" for i in range(cases)],
        "task": [TASKS[number] for number in task],
        "score": judge.scores(rng, people, task).tolist(),
        HUMAN: human,
        SETTLED: [0] * cases,
    }


def coverage(judge: JudgeKind, cases: int, labels: int, repetitions: int) -> list[str]:
    """How often each interval holds the truth in percent, and the widths of the calibrated one and of labels alone."""
    rng = np.random.default_rng([cases, labels, len(judge.name)])
    truth = 60.0 if judge.binary else 50.0
    hits, widths, refused = np.zeros(3), np.zeros(3), 0
    for _ in range(repetitions):
        rows = drawn(rng, judge, cases, labels)
        try:
            tuned = calibrated_mean(rows, PLAN, "score")
        except BadInput:  # a random choice that looks like none, which happens to one in ten thousand
            refused += 1
            continue
        alone = calibrated_mean(rows, PLAN, "score", tuning=0.0)
        half = 196 * deviation(rows)
        ends = [(tuned.judged - half, tuned.judged + half), (alone.lo, alone.hi), (tuned.lo, tuned.hi)]
        hits += [low <= truth <= high for low, high in ends]
        widths += [high - low for low, high in ends]
    made = repetitions - refused
    return [
        *(f"{100 * hit / made:.1f}" for hit in hits),
        *(f"{width / made:.1f}" for width in widths[1:]),
        f"{refused}",
    ]


def false_winners(judge: JudgeKind, cases: int, labels: int, repetitions: int) -> list[str]:
    """Of two runs that people like equally, one judged kindly: how often each way calls one better, in percent."""
    rng = np.random.default_rng([cases, labels, len(judge.name), 2])
    wrong = np.zeros(2)
    for _ in range(repetitions):
        first, second = drawn(rng, judge, cases, labels), drawn(rng, judge, cases, labels)
        shifted = np.clip(np.array(second["score"], dtype=np.float64) + 0.25 * (rng.random(cases) < 0.3), 0, 1)
        second = {**second, "task": first["task"], "score": shifted.tolist()}
        try:
            apart = calibrated_difference(first, second, PLAN, "score")
        except BadInput:
            continue
        half = 196 * (deviation(first) ** 2 + deviation(second) ** 2) ** 0.5
        wrong += [abs(apart.judged) > half, apart.decided]
    return [f"{100 * number / repetitions:.1f}" for number in wrong]


def deviation(rows: Rows) -> float:
    """The standard error of the mean of task means, by the judge's scores alone."""
    scores, tasks = np.array(rows["score"], dtype=np.float64), np.array(rows["task"])
    parts = [scores[tasks == task] for task in TASKS]
    return float(sum(part.var(ddof=1) / len(part) for part in parts) ** 0.5 / len(parts))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2000)
    asked = parser.parse_args()
    print("| Judge | Cases | Labels | Judge alone | Labels alone | Calibrated | Width, labels | Calibrated | Refused |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for judge in JUDGES:
        for cases, labels in ((300, 60), (1000, 100), (1000, 300)):
            cells = coverage(judge, cases, labels, asked.repetitions)
            print(f"| {judge.name} | {cases:,} | {labels} | {' | '.join(cells)} |", flush=True)
    print("\n| Judge | Cases | Labeled | Judge alone | Calibrated |\n| --- | ---: | ---: | ---: | ---: |")
    for judge in JUDGES[:2]:
        for cases, labels in ((300, 60), (1000, 200)):
            cells = false_winners(judge, cases, labels, asked.repetitions)
            print(f"| {judge.name} | {cases:,} | {labels} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
