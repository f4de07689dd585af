"""Logs of trainings that look like real ones, for pages and tests."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np

from editscope.images import Pixels
from editscope.training.data.examples import EditExample
from editscope.training.log import TrainingLog
from editscope.training.rewards.base import Rollout

SETTINGS = {
    "name": "kontext-paintbench",
    "model": {"pipeline": "flux-kontext", "precision": "bf16", "keep": "inputs"},
    "lora": {"rank": 64, "targets": ["to_q", "to_k", "to_v", "to_out.0"]},
    "optimizer": {"kind": "adamw", "rate": 1e-4, "weight_decay": 0.01},
    "training": {"steps": 400, "batch": 8, "seed": 7},
    "data": {
        "size": 512,
        "parts": [
            {"name": "stream", "source": "stream:paintbench?size=512", "weight": 3.0},
            {"name": "laws", "source": "set:pica-laws", "weight": 1.0, "levels": {"superficial": 1, "explicit": 2}},
        ],
    },
}


def write_training(folder: Path, steps: int = 400, side: int = 96, seed: int = 7) -> Path:
    """A training with rewards that hacks its reward after two thirds, is stopped, and went back once before."""
    rng = random.Random(seed)
    with TrainingLog(folder, settings=SETTINGS, trackers=()) as log:
        _steps(log, rng, range(1, steps // 2 + 20), steps, side)
        log.event(steps // 2 + 19, "stopped", "The disk is full; the checkpoint of step 200 is whole.")
    with TrainingLog(folder, settings=SETTINGS, trackers=(), start=steps // 2) as log:
        _steps(log, rng, range(steps // 2 + 1, steps + 1), steps, side)
        log.event(
            steps,
            "stopped",
            "The identity rate is 0.62, above its limit of 0.5, and the held-out score fell 3 times in a row.",
        )
    return folder


def _steps(log: TrainingLog, rng: random.Random, numbers: range, steps: int, side: int) -> None:
    every = max(1, steps // 8)
    for step in numbers:
        share = step / steps
        hacked = max(0.0, share - 0.66) / 0.34
        noise = rng.gauss(0, 1)
        metrics = {
            "loss": 0.4 * math.exp(-3 * share) + 0.06 + 0.02 * abs(noise),
            "rate": 1e-4 * min(1.0, share / 0.1),
            "gradient_norm": 1.2 * math.exp(-share) + 0.2 * abs(rng.gauss(0, 1)),
            "reward/total": 0.3 + 0.9 * share + 0.05 * noise,
            "reward/miou": 0.2 + 0.4 * share + 0.04 * noise,
            "reward/psnr_outside": 0.1 + 0.5 * share + 0.03 * rng.gauss(0, 1),
            "identity_rate": 0.04 + 0.58 * hacked + 0.01 * abs(noise),
            "over_edit_ratio": 1.6 - 0.5 * share - 0.9 * hacked + 0.05 * noise,
            "pictures_per_s": 2.3 + 0.1 * rng.gauss(0, 1),
            "utilization": 0.37 + 0.005 * rng.gauss(0, 1),
            "kl": 0.001 + 0.02 * share,
        }
        log.step(step, metrics)
        if step % every == 0:
            held = 18 + 40 * min(share, 0.66) - 22 * hacked
            log.step(step, {"held_out/miou": held, "held_out/preservation_accuracy": 80 + 10 * share})
            log.event(step, "evaluation", f"40 held-out cases were evaluated: mIoU {held:.1f}.")
            log.event(step, "checkpoint", f"Checkpoint step-{step} was saved.")
            log.sample(step, [_rollout(case, share, hacked, side) for case in range(3)])


def _rollout(case: int, share: float, hacked: float, side: int) -> Rollout:
    """Squares that get their color as the training goes on, and lose it when it hacks."""
    colors = ((214, 64, 52), (44, 132, 204), (240, 178, 40))
    answer = _scene(case, side, colors[case])
    source = _scene(case, side, (150, 150, 150))
    weight = share * (1 - hacked)
    picture = np.round(source * (1 - weight) + answer * weight).astype(np.uint8)
    text = f"Recolor the square to {('red', 'blue', 'yellow')[case]}. Leave everything else as it is."
    pictures = (source, answer) if case == 2 else (source,)
    return Rollout(EditExample(f"recolor/{case:03d}", "stream", pictures, text, None if case == 1 else answer), picture)


def _scene(case: int, side: int, color: tuple[int, int, int]) -> Pixels:
    rows, columns = np.mgrid[0:side, 0:side]
    picture = np.stack([210 + 20 * rows // side, 214 + 0 * rows, 190 + 40 * columns // side], -1).astype(np.uint8)
    start = side // 5 + case * side // 10
    picture[start : start + side // 3, start : start + side // 3] = color
    return picture
