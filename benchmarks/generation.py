"""CPU time to generate PaintBench with PNG writing and process start, beside a plain way to do the same.

    python benchmarks/generation.py [--per-cell 12] [--jobs 2]

The baseline draws the same scenes with Pillow's polygon routine at four times the size, reduces them without
smoothing, and encodes with Pillow: what a straightforward script does. It is measured in the same run on a part.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import children_cpu_s

ASKED_MS = 12.0

CHILD = """
import sys
from pathlib import Path
from editscope.suites.paintbench.data import write_set
if __name__ == "__main__":
    options = dict(per_cell=int(sys.argv[3])) if sys.argv[3] != "12" else {}
    print(write_set(Path(sys.argv[1]), jobs=int(sys.argv[2]), **options))
"""


def generate(folder: Path, jobs: int, per_cell: int) -> tuple[int, float, float]:
    """Problems, CPU seconds and wall seconds of a whole `write_set` in a fresh process."""
    script = folder / "child.py"
    script.write_text(CHILD)
    cpu, wall = children_cpu_s(), time.perf_counter()
    done = subprocess.run(
        [sys.executable, str(script), str(folder / "set"), str(jobs), str(per_cell)],
        check=True,
        capture_output=True,
        text=True,
    )
    return int(done.stdout), children_cpu_s() - cpu, time.perf_counter() - wall


def baseline(count: int) -> float:
    """CPU milliseconds a problem of the plain way."""
    import io

    import numpy as np
    from PIL import Image, ImageDraw

    from editscope.suites.generated.seeded_random import SeededRandom
    from editscope.suites.paintbench.catalog import CONDITIONS, object_count, seed_of
    from editscope.suites.paintbench.problem import Reject
    from editscope.suites.paintbench.scene import Scene, SceneSetup

    start, made = time.process_time(), 0
    conditions = list(CONDITIONS.values())
    for i in range(count * 4):
        condition = conditions[i % len(conditions)]
        n = object_count("removal", condition.level)
        rng = SeededRandom(seed_of("benchmark", "removal", condition.name, "", i, 0))
        scene = Scene(SceneSetup(condition.width, condition.height, condition.palette, condition.striped, n), rng)
        try:
            scene.populate(rng)
        except Reject:
            continue
        for shapes in (scene.shapes, scene.shapes[1:]):
            big = Image.new("RGB", (scene.width * 4, scene.height * 4), scene.background.rgb)
            draw = ImageDraw.Draw(big)
            for shape in shapes:
                for k, outline in enumerate(shape.outlines):
                    color = scene.background.rgb if k else shape.color.rgb
                    draw.polygon([tuple(p) for p in (outline * 4).tolist()], fill=color)
            small = big.resize((scene.width, scene.height), Image.Resampling.NEAREST)
            Image.fromarray(np.asarray(small)).save(io.BytesIO(), "PNG")
        made += 1
        if made == count:
            break
    return (time.process_time() - start) / made * 1000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--per-cell", type=int, default=12, help="problems per task and condition (12 = all 2,016)")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as warm:
        generate(Path(warm), 1, 1)  # compiled code goes into the cache, as after the first use on a machine
    with tempfile.TemporaryDirectory() as folder:
        count, cpu, wall = generate(Path(folder), arguments.jobs, arguments.per_cell)
        size = sum(f.stat().st_size for f in (Path(folder) / "set").rglob("*.png")) / (2 * count)
    ours = cpu / count * 1000
    plain = baseline(24)
    print(f"\nGeneration, {count:,} problems with PNG writing and process start, {arguments.jobs} jobs")
    print(f"{'':34}{'CPU ms/problem':>16}{'ratio':>10}")
    print(f"{'editscope':34}{ours:16.2f}{1:9.1f}×")
    print(f"{'plain Pillow drawing (this run)':34}{plain:16.2f}{plain / ours:9.1f}×")
    print(f"asked: at most {ASKED_MS:.0f}; wall {wall:.1f} s; {size / 1000:.1f} kB a picture")


if __name__ == "__main__":
    main()
