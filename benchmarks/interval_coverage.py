"""How often a 95 % interval holds the truth, and how often the paired test sees a difference that is not there.

    python benchmarks/interval_coverage.py [--repetitions 4000] [--resamples 2000]

Data are drawn from distributions whose mean is known, for every kind of hierarchy that a suite has. Repetitions
stand side by side as metrics of one summary, so that one set of resamples serves fifty of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from editscope.cases import Aggregation, Group
from editscope.stats.frame import Frame
from editscope.stats.power import smallest_difference
from editscope.stats.signflip import sign_flip_test
from editscope.stats.summary import summarize

Floats = NDArray[np.float64]
Sampler = Callable[[np.random.Generator, Floats, int], Floats]
AT_ONCE = 50


def even(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Scores that spread evenly around their mean: Beta(4m, 4 - 4m)."""
    return rng.beta(4.0 * means[:, None], 4.0 - 4.0 * means[:, None], (len(means), n))


def skewed(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Scores as mIoU has them, most near 0 and a few near 1: Beta(1.2m, 1.2 - 1.2m)."""
    return rng.beta(1.2 * means[:, None], 1.2 - 1.2 * means[:, None], (len(means), n))


def yes_or_no(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Right or wrong."""
    return (rng.random((len(means), n)) < means[:, None]).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Design:
    """The rows of a suite, how it averages, the true mean of each row, and the truth of the overall mean.

    ``noise`` is the spread of what rows of one case have in common; ``absent`` the share of rows that are
    not there, another set in each repetition.
    """

    name: str
    tags: dict[str, list[str]]
    plan: Aggregation
    means: Floats
    truth: float
    noise: float = 0.0
    absent: float = 0.0

    def sample(self, rng: np.random.Generator, sampler: Sampler, repetitions: int) -> Floats:
        """Rows × repetitions."""
        values = sampler(rng, self.means, repetitions)
        if self.noise:
            cases = {case: i for i, case in enumerate(dict.fromkeys(self.tags["case_id"]))}
            shared = rng.normal(0.0, self.noise, (len(cases), repetitions))
            values = values + shared[[cases[case] for case in self.tags["case_id"]]]
        return np.where(rng.random(values.shape) < self.absent, np.nan, values) if self.absent else values


def flat(size: int) -> Design:
    """One stratum, one mean."""
    plan = Aggregation(Group("overall", ()), (), strata=())
    return Design("flat", {"case_id": _ids(size)}, plan, np.full(size, 0.3), 0.3)


def tasks_in(name: str, parts: dict[str, int], size: int) -> Design:
    """Cases in tasks in categories (or charts), each level averaged in turn; tasks of unequal difficulty."""
    above: list[str] = []
    task: list[str] = []
    truths: dict[str, list[float]] = {}
    means: list[float] = []
    total = sum(parts.values())
    for part, number in parts.items():
        for _ in range(number):
            mean = 0.1 + 0.5 * (len(means) // size) / (total - 1)
            truths.setdefault(part, []).append(mean)
            above += [part] * size
            task += [f"task{len(means) // size:02}"] * size
            means += [mean] * size
    plan = Aggregation(Group("overall", (), ("task", "part")), (), strata=("task",))
    truth = float(np.mean([np.mean(each) for each in truths.values()]))
    tags = {"case_id": _ids(len(means)), "task": task, "part": above}
    return Design(name, tags, plan, np.array(means), truth)


def long_rows(size: int) -> Design:
    """Several metrics of every case as rows of their own: the mean over tasks of the mean of metric means."""
    of = {
        "awareness": (0.8, 0.6, 0.5, 0.7),
        "interpretation": (0.4, 0.5, 0.6, 0.3),
        "imagination": (0.2, 0.7, 0.4, 0.5),
    }
    rows = [(task, case, m) for task in of for case in range(size) for m in range(4)]
    tags = {
        "case_id": [f"{task}{case:03}" for task, case, _ in rows],
        "task": [task for task, _, _ in rows],
        "metric": [f"metric{m}" for _, _, m in rows],
    }
    plan = Aggregation(Group("overall", (), ("metric", "task")), (), strata=("task",))
    truth = float(np.mean([np.mean(means) for means in of.values()]))
    return Design(
        "metrics of a case as rows", tags, plan, np.array([of[task][m] for task, _, m in rows]), truth, noise=0.15
    )


def questions(size: int, *, by_case: bool) -> Design:
    """Yes/no questions, up to eight of a case, that share the luck of their case; pooled, or by case first."""
    laws = {"light": 0.6, "reflection": 0.45, "causality": 0.5, "state": 0.65}
    rows = [(law, case) for law in laws for case in range(size) for _ in range(8)]
    tags = {"case_id": [f"{law}{case:03}" for law, case in rows], "law": [law for law, _ in rows]}
    overall = Group("overall", (), ("case_id", "law") if by_case else ())
    plan = Aggregation(overall, (), strata=("law",))
    name = "questions, case first" if by_case else "questions pooled"
    truth = float(np.mean(list(laws.values())))
    return Design(name, tags, plan, np.array([laws[law] for law, _ in rows]), truth, noise=0.3, absent=0.4)


CATEGORIES = {"geometry": 5, "structure": 5, "color": 5, "symbols": 5}
UNEVEN = {"geometry": 2, "structure": 3, "color": 3}
CHARTS = {"bar": 4, "scatter": 4, "line": 4, "heatmap": 4, "network": 4}


def designs(size: int) -> list[Design]:
    """Every hierarchy with strata of one size."""
    return [
        flat(size),
        tasks_in("task → category → overall", CATEGORIES, size),
        tasks_in("the same, 2 + 3 + 3 tasks", UNEVEN, size),
        tasks_in("task → chart → overall", CHARTS, size),
        long_rows(size),
        questions(size, by_case=False),
        questions(size, by_case=True),
    ]


def _ids(n: int) -> list[str]:
    return [f"{i:05}" for i in range(n)]


def coverage(design: Design, sampler: Sampler, repetitions: int, resamples: int) -> float:
    """The share of repetitions whose interval of the overall mean holds the truth."""
    inside = 0
    for chunk in range(0, repetitions, AT_ONCE):
        number = min(AT_ONCE, repetitions - chunk)
        values = design.sample(np.random.default_rng([0, len(design.means), chunk]), sampler, number)
        names = [f"r{i}" for i in range(number)]
        rows = {**design.tags, **{name: values[:, i].tolist() for i, name in enumerate(names)}}
        cells = summarize(rows, design.plan, names, resamples=resamples, seed=chunk)["overall"]
        inside += sum(cell["lo"] <= 100.0 * design.truth <= cell["hi"] for cell in cells.values())
    return inside / repetitions


def false_alarms(design: Design, sampler: Sampler, repetitions: int, resamples: int, shift: float = 0.0) -> float:
    """The share of repetitions in which the paired test has p ≤ 0.05, both runs drawn alike but for a shift."""
    alarms = 0
    for chunk in range(0, repetitions, AT_ONCE):
        number = min(AT_ONCE, repetitions - chunk)
        rng = np.random.default_rng([1, len(design.means), chunk])
        a, b = (design.sample(rng, sampler, number) for _ in range(2))
        frame = Frame.of({**design.tags, "d": [0.0] * len(a)}, design.plan, ["d"])  # ids are already in order
        (p,) = sign_flip_test(
            b - a + shift,
            frame.strata,
            [frame.table(design.plan.overall).hierarchy],
            units=frame.units,
            resamples=resamples,
            seed=chunk,
        )
        alarms += int((p <= 0.05).sum())
    return alarms / repetitions


def tied(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Scores of a coarse scale: 0, a half or 1, so that two pairs in three are ties."""
    return np.where(rng.random((len(means), n)) < 0.8, 0.5, np.where(rng.random((len(means), n)) < 0.5, 0.0, 1.0))


def normal(rng: np.random.Generator, means: Floats, n: int) -> Floats:
    """Normal scores with a spread of 0.1, so that differences have one of 0.1 √2."""
    return rng.normal(means[:, None], 0.1, (len(means), n))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--repetitions", type=int, default=4_000)
    asked.add_argument("--resamples", type=int, default=2_000)
    options = asked.parse_args()
    r, b = options.repetitions, options.resamples
    print(f"Coverage of the 95 % interval, {r:,} repetitions, B = {b:,}, in percent")
    kinds: tuple[tuple[str, Sampler], ...] = (("even", even), ("skewed", skewed), ("yes/no", yes_or_no))
    print("| cases in a stratum | " + " | ".join(f"one stratum, {name}" for name, _ in kinds), end=" | ")
    print(" | ".join(f"20 tasks in 4 categories, {name}" for name, _ in kinds) + " |")
    print("| ---: |" + " ---: |" * 6)
    for size in (3, 5, 10, 12, 20, 30, 50, 100):
        cells = [coverage(flat(size), sampler, r, b) for _, sampler in kinds]
        cells += [coverage(tasks_in("", CATEGORIES, size), sampler, r, b) for _, sampler in kinds]
        print(f"| {size} | " + " | ".join(f"{100 * cell:.1f}" for cell in cells) + " |", flush=True)
    print("\n| hierarchy | strata of 30 | of 60 |\n| --- | ---: | ---: |")
    for small, large in zip(designs(30), designs(60), strict=True):
        sampler: Sampler = yes_or_no if "questions" in small.name else even
        shares = [100 * coverage(design, sampler, r, b) for design in (small, large)]
        print(f"| {small.name} | " + " | ".join(f"{share:.1f}" for share in shares) + " |", flush=True)
    print(f"\nA share of 95 % over {r:,} repetitions varies by ± {_noise(0.95, r):.1f} itself.\n")
    paired(4 * r, b - 1)


def paired(r: int, patterns: int) -> None:
    """How often the paired test sees a difference: none there, then one that it should see four times in five."""
    print(
        f"The paired test at 5 %, {r:,} repetitions (± {_noise(0.05, r):.1f}), {patterns:,} sign patterns, in percent"
    )
    print("| data | seen |\n| --- | ---: |")
    for name, design, sampler in null_cases():
        print(f"| no difference: {name} | {100 * false_alarms(design, sampler, r, patterns):.1f} |", flush=True)
    shift = smallest_difference(60, 0.1 * 2**0.5)
    share = false_alarms(flat(60), normal, r, patterns, shift)
    print(f"| a difference that 60 cases should show four times in five | {100 * share:.1f} |")


def _noise(share: float, repetitions: int) -> float:
    return 100 * 1.96 * float((share * (1 - share) / repetitions) ** 0.5)


def null_cases() -> list[tuple[str, Design, Sampler]]:
    """Data without a true difference: continuous, skewed, mostly ties, few cases, long rows."""
    return [
        ("continuous, one stratum of 40", flat(40), even),
        ("skewed, 8 tasks of 6 in 3 categories", tasks_in("", UNEVEN, 6), skewed),
        ("two pairs in three tied, 8 tasks of 20 in 3 categories", tasks_in("", UNEVEN, 20), tied),
        ("two pairs in three tied, 8 tasks of 6 (few patterns)", tasks_in("", UNEVEN, 6), tied),
        ("10 cases, every pattern tried", flat(10), even),
        ("metrics of a case as rows, 3 × 20 cases", long_rows(20), even),
    ]


if __name__ == "__main__":
    main()
