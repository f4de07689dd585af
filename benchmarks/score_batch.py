"""Scoring of many outputs at once: ``score_batch`` on one thread and on all cores, beside a loop of ``score_pixels``.

    python benchmarks/score_batch.py [--sides 256 1024] [--seconds 4] [--rounds 5]

Outputs are answers with noise on every channel of every pixel, in memory, as a trainer has them. Ways take turns, and
each row is the best round of its way, since other work on the machine only ever adds time. ``cores used`` says how
much of the machine the process had: CPU seconds for each second. Where others keep the machine busy, times say little;
the CPU time of a triple, and what of it the interpreter needs (that of a picture of 8²), which threads cannot share,
say what two idle cores can reach.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

import numpy as np

import editscope as es
from editscope.images import Pixels
from editscope.processes import cores

ASKED = 1.8
Batch = tuple[list[Pixels], list[Pixels], list[Pixels]]


def make_batch(side: int, number: int) -> Batch:
    """Flat scenes with a square to be painted, and outputs with noise."""
    rng = np.random.default_rng(0)
    inputs, answers, outputs = [], [], []
    for _ in range(number):
        before = np.full((side, side, 3), rng.integers(0, 256, 3), np.uint8)
        answer = before.copy()
        answer[side // 4 : side // 2, side // 4 : side // 2] = rng.integers(0, 256, 3)
        inputs.append(before)
        answers.append(answer)
        outputs.append(np.clip(answer + rng.integers(-8, 9, answer.shape, np.int16), 0, 255).astype(np.uint8))
    return inputs, answers, outputs


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and CPU seconds for each of them."""
    began, cpu = time.perf_counter(), time.process_time()
    work()
    took = time.perf_counter() - began
    return took, (time.process_time() - cpu) / took


def cpu_ms(work: Callable[[], object], number: int, rounds: int) -> float:
    """CPU milliseconds of all threads for each of so many triples, in the best round."""
    spent = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        spent.append(1e3 * (time.process_time() - start) / number)
    return min(spent)


def measure(side: int, seconds: float, rounds: int) -> bool:
    """Print the rows of one size; whether the target is kept."""
    number = max(16, int(seconds / rounds / 3 / (8e-9 * side * side)))
    batch = make_batch(side, min(number, 2000, 600_000_000 // (9 * side * side)))
    number = len(batch[0])
    ways: dict[str, Callable[[], object]] = {
        "score_pixels, one after another": lambda: [es.score_pixels(*triple) for triple in zip(*batch, strict=True)],
        "score_batch, jobs=1": lambda: es.score_batch(*batch, jobs=1),
        f"score_batch, {cores()} threads": lambda: es.score_batch(*batch),
    }
    results = [work() for work in ways.values()]  # loads what is compiled
    assert results[0] == results[1] == results[2]
    best: dict[str, tuple[float, float]] = {}
    for _ in range(rounds):
        for name, work in ways.items():
            best[name] = min(best.get(name, (1e9, 0.0)), timed(work))
    alone = best["score_pixels, one after another"][0]
    print(f"{number:,} triples of {side}²")
    for name, (took, share) in best.items():
        print(f"  {name:<34} {1e3 * took / number:8.3f} ms a triple  {alone / took:5.2f} ×   {share:4.2f} cores used")
    small = make_batch(8, 200)
    interpreter = cpu_ms(lambda: es.score_batch(*small, jobs=1), 200, rounds)
    single, threads = (cpu_ms(work, number, rounds) for work in list(ways.values())[1:])
    reach = single / max(threads / 2, interpreter)
    print(
        f"  CPU a triple: jobs=1 {single:.3f} ms, threads {threads:.3f} ms, interpreter {interpreter:.3f} ms: "
        f"two idle cores can reach {reach:.2f} ×"
    )
    return alone / took >= ASKED


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sides", type=int, nargs="+", default=[256, 1024])
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    print(f"{cores()} cores, load {os.getloadavg()[0]:.1f}")
    kept = [measure(side, given.seconds, given.rounds) for side in given.sides]
    print(f"  asked: at least {ASKED} × one core on two: {'kept' if all(kept) else 'NOT KEPT'}")


if __name__ == "__main__":
    main()
