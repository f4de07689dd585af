"""How often `editscope watch` cries wolf: checkpoints that are all alike, looked at one after another.

    python benchmarks/watch_alarms.py [--watches 200] [--looks 20]

Each checkpoint has the same skill. A case has a difficulty of its own, and every edit of it varies around that; what is
left is chance. Printed is how often a look says "fallen", and how often a watch of so many looks says it at least once.
The ratio is to what one two-sided comparison with nothing behind it gives: (1 - confidence) / 2.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from editscope.cases import Aggregation, Group
from editscope.stats.paired import compare_rows
from editscope.watch.watch import has_fallen, level_against_best

STRATA, CASES = 8, 80
PLAN = Aggregation(Group("overall", (), ("task",)), (), strata=("task",))


@dataclass
class Count:
    looks: int = 0
    falls: int = 0
    watches: int = 0
    alarmed: int = 0


def scores(rng: np.random.Generator, difficulty: NDArray[np.float64], spread: float) -> dict[str, list[Any]]:
    """One checkpoint: the score of each case, between 0 and 1."""
    found = np.clip(difficulty + spread * rng.standard_normal(CASES), 0.0, 1.0)
    return {
        "case_id": [f"c{i}" for i in range(CASES)],
        "task": [f"t{i % STRATA}" for i in range(CASES)],
        "miou": found.tolist(),
    }


def one_watch(seed: int, looks: int, levels: tuple[float, ...], counts: dict[tuple[str, float], Count]) -> None:
    rng = np.random.default_rng(seed)
    difficulty = rng.beta(0.7, 0.9, CASES)
    seen = [scores(rng, difficulty, 0.15)]
    means = [float(np.mean(seen[0]["miou"]))]
    fell = dict.fromkeys(counts, False)
    for look in range(1, looks):
        seen.append(scores(rng, difficulty, 0.15))
        for baseline in ("first", "best"):
            other = 0 if baseline == "first" else int(np.argmax(means))
            for level in levels:
                sure = level_against_best(level, look) if baseline == "best" else level
                paired = compare_rows(
                    seen[other], seen[-1], PLAN, "miou", resamples=4000, level=sure, seed=look
                ).overall
                count = counts[baseline, level]
                fallen = has_fallen(paired, sure)
                count.looks += 1
                count.falls += fallen
                fell[baseline, level] |= fallen
        means.append(float(np.mean(seen[-1]["miou"])))
    for key, count in counts.items():
        count.watches += 1
        count.alarmed += fell[key]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--watches", type=int, default=200)
    parser.add_argument("--looks", type=int, default=20)
    options = parser.parse_args()
    levels = (0.95, 0.99)
    counts = {(baseline, level): Count() for baseline in ("first", "best") for level in levels}
    for seed in range(options.watches):
        one_watch(seed, options.looks, levels, counts)
    print(f"{options.watches} watches of {options.looks} equal checkpoints, {CASES} cases in {STRATA} strata\n")
    print("baseline  confidence  a look falsely fallen  ratio to (1 - c) / 2  a watch with any false alarm")
    for (baseline, level), count in counts.items():
        rate = count.falls / count.looks
        alarmed = count.alarmed / count.watches
        ratio = rate / ((1 - level) / 2)
        print(f"{baseline:<9} {level:<11g} {100 * rate:>18.2f} %  {ratio:>20.2f}  {100 * alarmed:>26.1f} %")


if __name__ == "__main__":
    main()
