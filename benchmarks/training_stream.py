"""Pairs a second of a training stream: made by worker processes, and made in the training process.

    python benchmarks/training_stream.py [--workers 2] [--seconds 10]

A pair is an input and its answer, in memory of the training process. The trainer does nothing but take batches. The
CPU time of the training process for each pair says what a training that is busy loses: with workers it only receives.
Conditions with many shapes are left out, since they do not fit on small canvases, and so is the task legend.
"""

from __future__ import annotations

import argparse
import time

from editscope.suites.paintbench.catalog import TASKS
from editscope.training.data.loader import open_loader
from editscope.training.data.settings import data_settings

TASKS_TAKEN = ",".join(task for task in TASKS if task != "legend")
CONDITIONS = "baseline,nonstandard,striped"
BATCH = 8


def measured(side: int, workers: int, seconds: float) -> tuple[float, float]:
    """Pairs a second, and milliseconds of CPU of this process for each."""
    source = f"stream:paintbench?tasks={TASKS_TAKEN}&conditions={CONDITIONS}&canvas={side}x{side}"
    settings = data_settings({"workers": workers, "ahead": 8, "parts": [{"source": source}]})
    with open_loader(settings, batch=BATCH) as loader:
        for _ in range(12):  # all tasks have been compiled, and all workers have started
            next(loader)
        pairs, begun, cpu = 0, time.perf_counter(), time.process_time()
        while time.perf_counter() - begun < seconds:
            pairs += len(next(loader))
        return pairs / (time.perf_counter() - begun), 1000 * (time.process_time() - cpu) / pairs


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    print(
        f"| canvas | in the trainer, pairs/s | {options.workers} workers, pairs/s | ratio | CPU of the trainer a pair, "
        "ms: alone, with workers |\n| --- | --- | --- | --- | --- |"
    )
    for side in (256, 512, 1024):
        alone, cpu_alone = measured(side, 0, options.seconds)
        helped, cpu_helped = measured(side, options.workers, options.seconds)
        rates = f"{alone:,.0f} | {helped:,.0f} | {helped / alone:.2f}"
        print(f"| {side}×{side} | {rates} | {cpu_alone:.1f}, {cpu_helped:.1f} |", flush=True)


if __name__ == "__main__":
    main()
