"""The training of the small editor, stage after stage, with scores on the default set after each.

    python benchmarks/small_editor_training.py OUT [--recipe FILE] [--stages 3] [--every 1] [--without striped …]

OUT/training is the folder of the training, as `editscope train small` makes it. The script continues where the folder
left off, so each stage can be a separate command (``--stages 1``). OUT/after-N has what docs/small_editor.py reads of
stage N: its log and scores.json. ``--without`` holds conditions, tasks and modes out of training, and scores them
separately. If there is a GPU, nvidia-smi tells every few seconds how busy it is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from statistics import fmean
from typing import Any

from editscope.runfolder.files import write_whole
from editscope.suites.paintbench.lessons import default_slots, hierarchical_means
from editscope.training.checkpoints import checkpoints_in
from editscope.training.small.export import read_average
from editscope.training.small.settings import SmallRecipe, read_recipe
from editscope.training.small.stage import SmallStage, next_stage
from small_editor_evaluation import ProblemScore, evaluate


class BusyGpu:
    """The share of the time in which the GPU is busy, according to nvidia-smi every few seconds."""

    def __init__(self, pause: float = 5.0) -> None:
        self.shares: list[float] = []
        self._pause, self._over = pause, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> BusyGpu:
        if shutil.which("nvidia-smi"):
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _look(self) -> None:
        command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
        while not self._over.wait(self._pause):
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode == 0:
                self.shares.append(float(result.stdout.split()[0]))


def held_out(score: ProblemScore, without: Sequence[str]) -> bool:
    """Whether a problem is of a kind that training did not see."""
    return bool({score.task, f"{score.task}/{score.mode}", score.condition} & set(without))


def train(recipe: SmallRecipe, folder: Path) -> tuple[SmallStage, dict[str, Any]]:
    """Train the next stage to its end; returns it and its measurements."""
    stage = SmallStage(recipe, folder, say=lambda line: print(line, flush=True))
    if checkpoints_in(folder):
        stage.resume()
    with BusyGpu() as gpu:
        stage.run()
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    logged = [row["metrics"] for row in rows if row["kind"] == "step" and row["step"] > stage.first]
    steady = logged[len(logged) // 3 :]  # after what is compiled in the first steps
    busy = gpu.shares[len(gpu.shares) // 3 :]
    return stage, {
        "stage": recipe.number,
        "steps": stage.learner.step - stage.first,
        "problems seen": stage.learner.step * recipe.stage.batch,
        "seconds": round(stage.spent, 1),
        "problems a second": round(fmean(row["pictures_per_s"] for row in steady), 1),
        "waiting for problems": round(fmean(row["waited"] for row in steady), 3),
        "GPU busy": round(fmean(busy) / 100, 3) if busy else None,
    }


def scored(stage: SmallStage, every: int, workers: int) -> list[ProblemScore]:
    """Scores of every N-th problem of the default set, with the averaged weights of the last checkpoint."""
    began = time.monotonic()
    network = read_average(stage.folder).to(stage.learner.device)
    scores = evaluate(network, default_slots(every), workers, stage.learner.device)
    print(f"{len(scores)} problems scored in {time.monotonic() - began:.0f} s", flush=True)
    return scores


def keep(scores: Sequence[ProblemScore], log: Path, folder: Path) -> None:
    """Write what docs/small_editor.py reads of a stage."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(log, folder / "metrics.jsonl")
    rows = [[score.task, score.mode, score.condition, round(score.miou, 3)] for score in scores]
    write_whole(folder / "scores.json", json.dumps(rows).encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    shipped = Path(str(files("editscope.training.recipes").joinpath("small.toml")))
    parser.add_argument("--recipe", type=Path, default=shipped, help="a recipe of `train small` [the one that ships]")
    parser.add_argument("--stages", type=int, help="stages to train now [all that are left]")
    parser.add_argument("--every", type=int, default=1, help="score every Nth problem of the default set [all]")
    parser.add_argument("--without", nargs="+", default=[], help="conditions, tasks and modes to hold out")
    parser.add_argument("--workers", type=int, default=14, help="processes that make and score problems")
    given = parser.parse_args()
    recipe = read_recipe(given.recipe)
    stages = tuple(
        replace(stage, workers=min(stage.workers, given.workers), without=[*stage.without, *given.without])
        for stage in recipe.stages
    )
    for settings in stages:
        settings.check(f"{given.recipe}, --without")
    folder = given.out / "training"
    first = next_stage(folder) if checkpoints_in(folder) else 1
    last = len(stages) if given.stages is None else min(len(stages), first + given.stages - 1)
    for number in range(first, last + 1):
        stage, row = train(replace(recipe, stages=stages, number=number), folder)
        scores = scored(stage, given.every, given.workers)
        keep(scores, folder / "metrics.jsonl", given.out / f"after-{number}")
        row["mIoU"] = round(hierarchical_means([(score.task, score.miou) for score in scores])["all"], 2)
        without = stages[number - 1].without
        for name in without:
            unseen = [score.miou for score in scores if held_out(score, [name])]
            row[f"mIoU of {name}, never seen"] = round(fmean(unseen), 2) if unseen else None
        if without:
            row["mIoU of all else"] = round(fmean(score.miou for score in scores if not held_out(score, without)), 2)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
