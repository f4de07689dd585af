"""Scoring of batches on a GPU: ``score_batch`` on CUDA tensors, its counts beside those of the compiled code.

    python benchmarks/score_tensors.py [--sides 256 512 1024] [--wanted FILE] [--write FILE]

Outputs are answers with noise on every channel of every pixel. Rates are the median of rounds, with the scores as
Python objects in memory; "with mIoU" also reads ``miou`` of each. ``--write`` keeps the counts of the compiled code in
a file, for ``--wanted`` on a machine that has no Numba.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import editscope as es
from editscope.images import Pixels
from editscope.scoring.tensors import as_levels, score_tensors

ASKED = 5000.0
KINDS = ("noise", "near", "flat", "grays", "colors")


def scenes(kind: str, number: int, side: int, seed: int) -> tuple[Pixels, Pixels, Pixels]:
    """Inputs, answers and outputs of one kind."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    shape = (number, side, side, 3)
    if kind == "colors":
        before, answer = (rng.integers(0, 256, shape, np.uint8) for _ in range(2))
        before[:, : side // 2] = answer[:, : side // 2]
    else:
        before = np.broadcast_to(rng.integers(0, 256, (number, 1, 1, 3), np.uint8), shape).copy()
        answer = before.copy()
        answer[:, side // 4 : side // 2, side // 4 : side // 2] = rng.integers(0, 256, 3)
    if kind == "grays":
        before, answer = (np.repeat(rng.integers(0, 256, (*shape[:3], 1), np.uint8), 3, axis=3) for _ in range(2))
    reach = {"noise": 8, "near": 2, "flat": 0, "grays": 5, "colors": 6}[kind]
    change = rng.integers(-reach, reach + 1, shape if kind != "grays" else (*shape[:3], 1), np.int16)
    return before, answer, np.clip(answer + change, 0, 255).astype(np.uint8)


def wanted_counts(seeds: int) -> dict[str, list[object]]:
    """The counts of the compiled code."""
    return {
        f"{kind}:{seed}": [score.to_json() for score in es.score_batch(*scenes(kind, 8, 128, seed))]
        for kind in KINDS
        for seed in range(seeds)
    }


def check(wanted: dict[str, list[object]], device: str) -> None:
    """Compare the counts of every batch, as bytes and as floats of several kinds, channels last and first."""
    different = 0
    for name, counts in wanted.items():
        kind, seed = name.split(":")
        batch = [torch.from_numpy(part).to(device) for part in scenes(kind, 8, 128, int(seed))]
        ways: dict[str, list[Any]] = {
            "uint8": batch,
            "float32, channels first": [(part.float() / 255).movedim(-1, 1) for part in batch],
            "bfloat16": [(part.float() / 255).bfloat16() for part in batch],
            "inputs and answers in memory": [batch[0].cpu().numpy(), batch[1].cpu(), batch[2]],
        }
        for way, given in ways.items():
            levels = as_levels(given, "chw" if "first" in way else "hwc", device)
            found = [] if levels is None else [score.to_json() for score in score_tensors(*levels)]
            if found != counts:
                different += 1
                print(f"DIFFERENT: {name}, {way}")
        if device == "cuda":
            assert [score.to_json() for score in es.score_batch(*batch, layout="hwc")] == counts
    pixels = 8 * 128 * 128 * len(wanted)
    print(f"{len(wanted)} batches, {pixels:,} pixels, 4 ways each: {different} differ")


def rate(work: Callable[[], object], number: int, rounds: int = 7) -> float:
    """Triples a second in the median round, after one that is not counted."""
    took = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return number / sorted(took[1:])[rounds // 2]


def measure(side: int, device: str, pixels: int) -> float:
    """Print the rows of one size; the rate of bytes on the device."""
    number = max(2, pixels // (side * side))
    arrays = scenes("noise", number, side, 0)
    batch = [torch.from_numpy(part).to(device) for part in arrays]
    floats = [(part.float() / 255).movedim(-1, 1).contiguous() for part in batch]

    def score(given: list[torch.Tensor]) -> list[es.PixelScore]:
        if device == "cuda":
            return es.score_batch(*given)
        levels = as_levels(list(given), None, device)
        assert levels is not None
        return score_tensors(*levels)

    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        held = torch.cuda.memory_allocated()
    rates = {
        "uint8 on the device": rate(lambda: score(batch), number),
        "uint8 on the device, with mIoU": rate(lambda: [one.miou for one in score(batch)], number),
        "float32, channels first": rate(lambda: score(floats), number),
        "only outputs on the device": rate(lambda: score([arrays[0], arrays[1], batch[2]]), number),  # type: ignore[list-item]
    }
    more = f", {(torch.cuda.max_memory_allocated() - held) / 2**20:,.0f} MiB more" if device == "cuda" else ""
    print(f"{number} triples of {side}²{more}")
    for name, each in rates.items():
        print(f"  {name:<32} {each:10,.0f} triples/s")
    return rates["uint8 on the device"]


def main() -> None:
    """Check, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sides", type=int, nargs="+", default=[256, 512, 1024])
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--pixels", type=int, default=1 << 26)
    parser.add_argument("--wanted", type=Path)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    if given.write:
        given.write.write_text(json.dumps(wanted_counts(given.seeds)), "utf-8")
        return
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(torch.cuda.get_device_name() if device == "cuda" else "CPU")
    check(json.loads(given.wanted.read_text("utf-8")) if given.wanted else wanted_counts(given.seeds), device)
    rates = {side: measure(side, device, given.pixels) for side in given.sides}
    if 256 in rates:
        print(f"asked: {ASKED:,.0f} triples/s at 256²: {'kept' if rates[256] >= ASKED else 'NOT KEPT'}")


if __name__ == "__main__":
    main()
