"""Training streams against every default test set: no problem of the one is a problem of the other.

    python benchmarks/training_disjoint.py [--count 1000000] [--jobs 1] [--minutes 25] [--released paintbench=DIR]

Every benchmark with a stream takes part, and so does what the small editor learns from (``--only small``). For each
number of a stream the whole problem is made. Its input is compared with the inputs of all test problems, at the points
of a grid; pairs that agree there are compared pixel by pixel. Pictures of other sizes are brought to one size first.
The first seeds of a million training problems are compared too, which takes a minute. A stream that does not fit into
the time is compared as far as it fits; ``--first`` goes on from there.
Ends with 1 where a problem is shared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from functools import cache
from importlib.resources import files
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from editscope.processes import end_with_parent
from editscope.suites.base import Suite
from editscope.suites.generated.stream import ProblemStream, StreamPlace, training_namespace
from editscope.suites.paintbench.lessons import LessonStream
from editscope.suites.registry import benchmark, benchmarks, load_suite
from editscope.training.data.disjoint import (
    SAME,
    DisjointReport,
    KnownProblems,
    compare_problems,
    known_problems,
    shared_seeds,
)

CHUNK = 250


SMALL = "small"
"""The problems that the recipe of the small editor draws from the stream of PaintBench."""


class TaughtStream(LessonStream):
    """What the small editor learns from, by number."""

    def __init__(self, namespace: str) -> None:
        from editscope.training.small.settings import read_recipe
        from editscope.training.small.stream import ExampleStream

        stage = read_recipe(Path(str(files("editscope.training.recipes").joinpath("small.toml")))).stage
        super().__init__(training_namespace(stage.seed))
        self._examples = ExampleStream(stage.seed, stage.part, 0, stage.shares, stage.without)

    def place(self, number: int) -> StreamPlace:
        """What is drawn at a number."""
        return self._examples.place(number)


@cache
def prepared(name: str, released: str, seed: int) -> tuple[ProblemStream, KnownProblems]:
    """The stream of a benchmark, and the problems of its test sets."""
    made = TaughtStream if name == SMALL else benchmark(name).part("stream")
    suites: list[Suite] = [load_suite(made.name)]
    if released:
        suites.append(load_suite(made.name, root=Path(released)))
    return made(training_namespace(seed)), known_problems(made, suites)


def compare_chunk(name: str, released: str, seed: int, first: int, last: int) -> DisjointReport:
    """A part of the stream; runs in another process."""
    stream, known = prepared(name, released, seed)
    return compare_problems(stream, known, range(first, last))


def compared(name: str, released: str, options: argparse.Namespace) -> DisjointReport:
    """As much of the stream as there is time for."""
    end = options.first + options.count
    starts = range(options.first, end, CHUNK)
    jobs = ((name, released, options.seed, start, min(start + CHUNK, end)) for start in starts)
    report = DisjointReport()
    begun = time.monotonic()
    for part in run_jobs(jobs, options.jobs, begun + 60 * options.minutes):
        report.add(part)
        if report.problems % (40 * CHUNK) == 0:
            spent = time.monotonic() - begun
            print(f"  {report.problems:,} problems in {spent:,.0f} s, {len(report.same)} shared", flush=True)
    return report


def run_jobs(jobs: Iterator[tuple[str, str, int, int, int]], processes: int, until: float) -> Iterator[DisjointReport]:
    """What comes of jobs, one after another, until there are no more or the time is over."""
    if processes == 1:
        for job in jobs:
            yield compare_chunk(*job)
            if time.monotonic() > until:
                return
        return
    with ProcessPoolExecutor(processes, get_context("spawn"), end_with_parent) as pool:
        waiting = {pool.submit(compare_chunk, *job) for job in islice(jobs, 2 * processes)}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
                if time.monotonic() < until:
                    waiting |= {pool.submit(compare_chunk, *job) for job in islice(jobs, 1)}


def main() -> int:
    """Compare, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000, help="training problems of each stream")
    parser.add_argument("--first", type=int, default=0, help="the number to begin with")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=25.0, help="time for each stream")
    parser.add_argument("--only", default="", help="one benchmark")
    parser.add_argument("--released", action="append", default=[], metavar="NAME=DIR", help="a released set as well")
    options = parser.parse_args()
    released = dict(text.split("=", 1) for text in options.released)
    lines, shared = [], 0
    titles = {record.name: record.title for record in benchmarks() if record.stream} | {SMALL: "small editor"}
    for name, title in titles.items():
        if options.only and name != options.only:
            continue
        stream, known = prepared(name, released.get(name, ""), options.seed)
        print(f"{title}: {len(known.problems):,} test problems", flush=True)
        begun = time.monotonic()
        seeds = shared_seeds(stream, known, range(options.first, options.first + options.count))
        print(f"  seeds of {options.count:,} training problems in {time.monotonic() - begun:.0f} s", flush=True)
        begun = time.monotonic()
        report = compared(name, released.get(name, ""), options)
        spent = time.monotonic() - begun
        shared += len(seeds) + len(report.same)
        nearest = f"{100 * report.nearest.unlike:.2f} %" if report.nearest else "-"
        lines.append(
            f"| {title} | {len(known.problems):,} | {options.count:,} | {len(seeds)} | "
            f"{report.problems:,} | {len(report.close):,} | {nearest} | {len(report.same)} | {spent:,.0f} |"
        )
        for pair in report.same:
            print(f"  number {pair.number} is {pair.case_id}: {100 * pair.unlike:.2f} % of pixels differ")
    print(
        "\n| stream | test problems | problems whose seeds were compared | shared | pictures compared | close pairs "
        f"| unlike pixels of the closest | shared (up to {100 * SAME:g} %) | seconds |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    print("\n".join(lines))
    return 1 if shared else 0


if __name__ == "__main__":
    raise SystemExit(main())
