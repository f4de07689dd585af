"""Precision and recall of every check of pixels, with Wilson's 95 % intervals, its misses, and its time for a pair."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from editscope.factory.checks.camera import camera_motion
from editscope.factory.checks.change import changed_share
from editscope.factory.checks.faults import frame_fault
from editscope.factory.checks.fingerprints import bits_apart, fingerprint
from editscope.factory.checks.stability import stability
from editscope.factory.steps.pixels.checks import (
    CameraMotionStep,
    StableOutsideStep,
    StaticPairStep,
)
from editscope.factory.steps.pixels.pictures import NearDuplicatesStep
from editscope.images import write_png
from measuring import share_text
from support.factory.pixel_sets import COUNT, Example, made

AIM = 0.95


def static_pair(example: Example) -> tuple[bool, str]:
    before, after = example.pictures
    changed = changed_share(before, after)
    return changed < StaticPairStep.settings_of["least_share"], f"{100 * changed:.2f} % changed"


def moving_camera(example: Example) -> tuple[bool, str]:
    before, after = example.pictures
    motion = camera_motion(before, after)
    moves = not motion.matched or motion.share > CameraMotionStep.settings_of["most_shift"]
    return moves, f"{motion.share:.2f} %, zoom {motion.zoom}, turn {motion.rotation_deg}, matched {motion.matched}"


def blank_frame(example: Example) -> tuple[bool, str]:
    fault = frame_fault(example.pictures[-1])
    return bool(fault), fault or "no fault"


def unstable_outside(example: Example) -> tuple[bool, str]:
    before, after = example.pictures
    measured, settings = stability(before, after, example.regions), StableOutsideStep.settings_of
    everywhere = not example.regions and measured.inside > settings["most_area"]
    unstable = everywhere or measured.psnr < settings["least_psnr"] or measured.detail < settings["least_detail"]
    return unstable, f"{measured.psnr:.1f} dB and detail {measured.detail:.2f} outside of {100 * measured.inside:.0f} %"


def near_duplicates(example: Example) -> tuple[bool, str]:
    first, second = (fingerprint(picture) for picture in example.pictures)
    bits = [bits_apart(a, b) for a, b in zip(first, second, strict=True)]
    settings = NearDuplicatesStep.settings_of
    return bits[0] <= settings["most_bits"] and bits[1] <= settings["most_long_bits"], f"{bits} bits apart"


CHECKS: dict[str, Callable[[Example], tuple[bool, str]]] = {
    "static_pair": static_pair,
    "camera_motion": moving_camera,
    "blank_frame": blank_frame,
    "stable_outside": unstable_outside,
    "near_duplicates": near_duplicates,
}


@dataclass
class PixelMeasure:
    """Right finds, wrong finds, and what was passed; the misses with what was measured."""

    found: int = 0
    wrong: int = 0
    passed: int = 0
    misses: list[tuple[Example, str]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.found / max(1, self.found + self.wrong)

    @property
    def recall(self) -> float:
        return self.found / max(1, self.found + self.passed)

    @property
    def line(self) -> str:
        shares = (share_text(self.found, self.found + other) for other in (self.wrong, self.passed))
        return "".join(f"{share:<22}" for share in shares)


def measure(check: str, seed: int, unseen: bool = False, count: int = COUNT) -> PixelMeasure:
    """A check on ``count`` examples of each label."""
    measured = PixelMeasure()
    for example in made(check, seed, unseen, count):
        found, value = CHECKS[check](example)
        measured.found += found and example.found
        measured.wrong += found and not example.found
        measured.passed += example.found and not found
        if found != example.found:
            measured.misses.append((example, value))
    return measured


def speed(check: str, side: int, repeats: int = 5) -> float:
    """Milliseconds for a pair (or a picture) of side × side pixels; the median."""
    rng = np.random.default_rng(side)
    cells = rng.integers(0, 255, (side // 8, side // 8, 3), dtype=np.uint8)
    before = np.repeat(np.repeat(cells, 8, 0), 8, 1)
    before = np.clip(before * 0.5 + rng.normal(60, 6, before.shape), 0, 255).astype(np.uint8)
    after = before.copy()
    after[side // 4 : side // 2, side // 4 : side // 2] = 200
    pair = Example(False, "", (before, after))
    CHECKS[check](pair)
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        CHECKS[check](pair)
        times.append(1000 * (time.perf_counter() - begun))
    return float(np.median(times))


def save(measured: PixelMeasure, folder: Path, check: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, (example, _) in enumerate(measured.misses):
        for place, picture in enumerate(example.pictures):
            write_png(folder / f"{check}-{number:02d}-{'ab'[place]}.png", np.ascontiguousarray(picture))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checks", nargs="*", help="checks to measure; all where none is named")
    parser.add_argument("--unseen", action="store_true", help="the set that was made after the checks were frozen")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--count", type=int, default=COUNT, help="examples of each label")
    parser.add_argument("--out", type=Path, help="a folder for the pictures of misses")
    parser.add_argument("--speed", action="store_true", help="only the time for a pair")
    chosen = parser.parse_args()
    names = chosen.checks or list(CHECKS)
    if chosen.speed:
        print(f"{'check':<18}{'512²':>8}{'1024²':>9}   ms for a pair")
        for name in names:
            print(f"{name:<18}{speed(name, 512):>8.1f}{speed(name, 1024):>9.1f}")
        return
    print(f"{'check':<18}{'precision':<22}{'recall':<22}")
    for name in names:
        measured = measure(name, chosen.seed, chosen.unseen, chosen.count)
        low = min(measured.precision, measured.recall) < AIM
        print(f"{name:<18}{measured.line}{'below 0.95' if low else ''}", flush=True)
        for number, (example, value) in enumerate(measured.misses):
            print(f"    {number:02d} {'missed' if example.found else 'wrongly found'}: {example.about} ({value})")
        if chosen.out:
            save(measured, chosen.out, name)


if __name__ == "__main__":
    main()
