"""CPU time to make TinyGrafixBench with PNG writing and process start, beside a plain Matplotlib script.

    python benchmarks/charts.py [--per-task 30] [--jobs 2]

The baseline draws the same bar charts with ``Axes``, ``tight_layout`` and ``savefig``, a new figure for each of the
two pictures: what a straightforward script does. It is measured in the same run, on a part, without its start.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import children_cpu_s

ASKED_MS = 40.0

CHILD = """
import resource, sys
from pathlib import Path
from editscope.suites.tinygrafix.data import write_set

def told(done, total):
    if done in (100, total):
        print(done, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)

if __name__ == "__main__":
    jobs, per_task = int(sys.argv[2]), int(sys.argv[3])
    write_set(Path(sys.argv[1]), jobs=jobs, per_task=per_task, on_progress=told)
"""


def generate(jobs: int, per_task: int) -> tuple[float, list[str], float]:
    """CPU seconds of a whole `write_set` in a fresh process, its words about memory, and the mean size of a PNG."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "child.py"
        script.write_text(CHILD)
        cpu = children_cpu_s()
        done = subprocess.run(
            [sys.executable, str(script), f"{folder}/set", str(jobs), str(per_task)],
            check=True,
            capture_output=True,
            text=True,
        )
        spent = children_cpu_s() - cpu
        sizes = [f.stat().st_size for f in Path(folder, "set").rglob("*.png")]
    return spent, done.stdout.splitlines(), sum(sizes) / len(sizes)


def warm(chart: str, count: int) -> tuple[float, float]:
    """CPU milliseconds a problem to draw both pictures and to encode them, in a process that runs already."""
    from editscope.images import encode_png, keep_freed_memory
    from editscope.suites.tinygrafix.catalog import CHARTS
    from editscope.suites.tinygrafix.make import make
    from editscope.suites.tinygrafix.slots import ChartSlot

    keep_freed_memory()
    slots = [ChartSlot(chart, task, i) for i in range(count // 4) for task in CHARTS[chart]]
    for slot in slots[:8]:
        encode_png(make(slot).input)
    drawing = packing = 0.0
    for slot in slots:
        start = time.process_time()
        made = make(slot)
        middle = time.process_time()
        encode_png(made.input)
        encode_png(made.answer)
        drawing += middle - start
        packing += time.process_time() - middle
    return drawing / len(slots) * 1000, packing / len(slots) * 1000


def baseline(count: int) -> float:
    """CPU milliseconds a problem of the plain way."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    from editscope.suites.tinygrafix.canvas import the_canvas
    from editscope.suites.tinygrafix.charts.bar_chart import BarChart
    from editscope.suites.tinygrafix.make import plan
    from editscope.suites.tinygrafix.slots import ChartSlot

    def picture(state: BarChart) -> None:
        figure, axes = plt.subplots(figsize=(6.4, 4.8), dpi=160, facecolor=state.theme.background)
        axes.set_facecolor(state.theme.background)
        shown = [bar for bar in state.bars if bar.shown]
        axes.bar([bar.label for bar in shown], [bar.value for bar in shown], color=[bar.color for bar in shown])
        axes.set_ylim(state.scale.low, state.scale.high)
        axes.set_title(state.captions.title, color=state.theme.text)
        axes.set_xlabel(state.captions.x, color=state.theme.text)
        axes.set_ylabel(state.captions.y, color=state.theme.text)
        axes.tick_params(colors=state.theme.text)
        figure.tight_layout()
        figure.savefig(io.BytesIO(), format="png")
        plt.close(figure)

    changes = [
        plan(ChartSlot("bar_chart", "recolor_bar", i), "benchmark", the_canvas()).change for i in range(count + 1)
    ]
    picture(changes.pop().before)  # fonts are found and loaded
    start = time.process_time()
    for change in changes:
        picture(change.before)
        picture(change.after)
    return (time.process_time() - start) / count * 1000


def main() -> None:
    """Measure and print."""
    from editscope.suites.tinygrafix.catalog import CHARTS

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--per-task", type=int, default=30, help="problems per task (30 = all 600)")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    arguments = parser.parse_args()
    generate(1, 1)  # compiled code goes into the cache, as after the first use on a machine
    plain = baseline(20)
    count = 20 * arguments.per_task
    cpu, _, size = generate(arguments.jobs, arguments.per_task)
    alone, memory, _ = generate(1, arguments.per_task)
    ours = cpu / count * 1000

    print(f"\nCharts, {count:,} problems with PNG writing and process start")
    print(f"{'':46}{'CPU ms/problem':>16}{'ratio':>10}")
    print(f"{f'editscope, {arguments.jobs} jobs':46}{ours:16.2f}{1:9.1f}×")
    print(f"{'editscope, 1 job':46}{alone / count * 1000:16.2f}{alone / cpu:9.1f}×")
    print(f"{'bar charts with Axes and savefig (this run)':46}{plain:16.2f}{plain / ours:9.1f}×")
    print(f"asked: at most {ASKED_MS:.0f}; {size / 1000:.1f} kB a picture")
    print("peak memory of 1 job: " + ", ".join("after {} {} MiB".format(*line.split()) for line in memory))
    print(f"\n{'of this, in a running process':46}{'drawing':>16}{'PNG':>10}")
    for chart in CHARTS:
        drawing, packing = warm(chart, 40)
        print(f"  {chart:44}{drawing:16.2f}{packing:10.2f}")


if __name__ == "__main__":
    main()
