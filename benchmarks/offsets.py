"""What it costs to say how far off an edit of 1024 × 1024 is, against the score itself and a search in plain NumPy."""

from __future__ import annotations

import numpy as np

import editscope as es
from editscope.editors.reference import FLAWS
from editscope.images import Pixels, keep_freed_memory, load
from editscope.images.lab import differences
from editscope.scoring.offsets import change_errors, miou_within
from measuring import least_cpu_s

EDITORS = ("oracle", "shift", "noise")
RADIUS = 4


def plain_search(answer: Pixels, output: Pixels) -> None:
    """The nearest right color within the radius of every pixel, one shift of the whole picture after another."""
    height, width = answer.shape[:2]
    padded = np.pad(output, ((RADIUS, RADIUS), (RADIUS, RADIUS), (0, 0)), mode="edge")
    nearest = np.full((height, width), np.inf)
    for dy in range(-RADIUS, RADIUS + 1):
        for dx in range(-RADIUS, RADIUS + 1):
            if dy * dy + dx * dx <= RADIUS**2:
                there = padded[RADIUS + dy : RADIUS + dy + height, RADIUS + dx : RADIUS + dx + width]
                nearest = np.minimum(nearest, differences(np.ascontiguousarray(there), answer))


def main() -> None:
    keep_freed_memory()
    suite = es.load_suite("paintbench", tasks="translation", conditions="baseline", per_mode=1)
    case = suite[suite.ids[0]]
    change = suite.change(case)
    assert case.answer is not None
    assert change is not None
    before, answer = load(case.images[0]), load(case.answer)
    print("CPU time for one edit of 1024 × 1024 pixels\n")
    print(f"  {'edit':<10}{'score':>9}{'within 1, 2, 4 px':>20}{'plain search':>15}{'errors':>10}")
    for name in EDITORS:
        output = np.ascontiguousarray(FLAWS[name](before, answer, 1.0, np.random.default_rng(0)))
        score = least_cpu_s(lambda output=output: es.score_pixels(before, answer, output))  # type: ignore[misc]
        within = least_cpu_s(lambda output=output: miou_within(before, answer, output))  # type: ignore[misc]
        plain = least_cpu_s(lambda output=output: plain_search(answer, output), 1)  # type: ignore[misc]
        errors = least_cpu_s(lambda output=output: change_errors(before, answer, output, change))  # type: ignore[misc]
        ratio = f"({plain / within:.0f}×)"
        print(f"  {name:<10}{score:7.3f} s{within:18.3f} s{plain:8.2f} s {ratio:>5}{errors:8.3f} s")


if __name__ == "__main__":
    main()
