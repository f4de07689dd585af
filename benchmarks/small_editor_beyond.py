"""The small editor beyond its training: reworded instructions, charts, released problems, noise, other conditions.

    python benchmarks/small_editor_beyond.py [--every 24] [--released FOLDER] [--weights FILE]
    python benchmarks/small_editor_beyond.py --pictures [--every 48]
    python benchmarks/small_editor_beyond.py --conditions [--per-cell 8] [--jobs 2]

Every 24th problem of the default set is edited with its own sentence and with that sentence reworded in six ways. The
table has the mean mIoU of both on the same problems, with the paired 95 % interval of what is lost, and how many
pictures were left unchanged because of words that the editor does not know.

``--pictures`` edits the problems with noise, and as JPEGs. Exact scores are meaningless there, so the table has a score
with a tolerance of 24 levels, in which a pixel that the edit rightly leaves as it is counts as right.

``--conditions`` edits problems under conditions that the training stream never draws: other sizes of the picture, two
conditions at once, other numbers of objects, points of bounding boxes. The table has the mean mIoU beside that of the
nearest condition the stream does draw, on problems of the same tasks and modes, and the interval of the difference.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from editscope import load_suite
from editscope.editors.small.editor import SmallEditor, no_drawing, unreadable
from editscope.editors.small.pictures import read_picture
from editscope.editors.small.sentences import read_sentence
from editscope.errors import EditscopeError
from editscope.images import Pixels, load
from editscope.scoring.pixels import score_pixels
from editscope.suites.paintbench.catalog import TASKS
from editscope.suites.paintbench.lessons import default_slots, problem_at
from small_editor_interval import mean_interval

TOLERANCE = 24
"""Levels by which a pixel of a noisy picture may differ from the answer."""
OTHER_WORDS = {
    "Remove": "Delete",
    "remove": "delete",
    "Recolor": "Repaint",
    "recolor": "repaint",
    "Move": "Shift",
    "Rotate": "Turn",
    "Draw": "Paint",
    "Copy": "Duplicate",
    "Reflect": "Mirror",
    "Scale": "Resize",
    "image": "picture",
    "exactly ": "",
}
OTHER_COUNTS = {"comparison", "ordering", "pattern", "counting"}
"""Tasks with a number of objects of their own, which an option of the set would make impossible or another task."""


@dataclass(frozen=True)
class Unseen:
    """A condition that the training stream never draws, and the nearest one that it draws."""

    name: str
    nearest: str
    condition: str = "baseline"
    options: Mapping[str, Any] = field(default_factory=dict)


UNSEEN = (
    Unseen("512 × 512", "baseline", options={"canvas": "512x512"}),
    Unseen("2048 × 2048", "baseline", options={"canvas": "2048x2048"}),
    Unseen("1000 × 700", "baseline", options={"canvas": "1000x700"}),
    Unseen("1024 × 384", "horizontal", options={"canvas": "1024x384"}),
    Unseen("384 × 1024", "vertical", options={"canvas": "384x1024"}),
    Unseen("striped, 1024 × 576", "striped", "striped", {"canvas": "1024x576"}),
    Unseen("striped, 25 objects", "striped", "striped", {"n": 25}),
    Unseen("nonstandard colors, 25 objects", "n_high", "nonstandard", {"n": 25}),
    Unseen("15 objects", "n_med", options={"n": 15}),
    Unseen("70 objects", "n_xhigh", options={"n": 70}),
    Unseen("points of bounding boxes", "baseline", options={"points": "box"}),
)


def shorter(text: str) -> str:
    """The first sentence alone."""
    return re.split(r"(?<=[.]) (?=[A-Z])", text)[0]


def polite(text: str) -> str:
    """A request instead of an order."""
    return f"Please {text[0].lower()}{text[1:]}"


def other_words(text: str) -> str:
    """Other verbs for the same edit."""
    return re.sub("|".join(map(re.escape, OTHER_WORDS)), lambda match: OTHER_WORDS[match[0]], text)


def turned_around(text: str) -> str:
    """The same sentences, the last one first."""
    return " ".join(reversed(re.split(r"(?<=[.]) (?=[A-Z])", text)))


def without_codes(text: str) -> str:
    """Names of colors without their codes."""
    return re.sub(r" \(#[0-9A-Fa-f]{6}\)", "", text)


def percent_in_words(text: str) -> str:
    """Percent as a word."""
    return text.replace("%", " percent")


REWORDED: dict[str, Callable[[str], str]] = {
    "the first sentence alone": shorter,
    "“Please …”": polite,
    "other verbs": other_words,
    "sentences in reverse order": turned_around,
    "colors without codes": without_codes,
    "“percent” for %": percent_in_words,
}


def edited(editor: SmallEditor, picture: Pixels, text: str) -> tuple[Pixels, bool]:
    """The edit, and whether the sentence was refused."""
    sentence = read_sentence(text)
    if unreadable(sentence):
        return picture, True
    return editor.painted(picture, sentence), False


def reworded(editor: SmallEditor, every: int) -> None:
    """The table of rewordings."""
    own: dict[int, float] = {}
    kept: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in REWORDED}
    for number, slot in enumerate(default_slots(every)):
        before, after, text = problem_at(slot)
        own[number] = 100 * score_pixels(before, after, edited(editor, before, text)[0]).miou
        for name, change in REWORDED.items():
            if (new := change(text)) != text:
                edit, refused = edited(editor, before, new)
                kept[name].append((own[number], 100 * score_pixels(before, after, edit).miou, refused))
    print(f"{len(own)} problems with their own sentences: mIoU {fmean(own.values()):.1f}\n")
    print("| reworded | n | own sentence | reworded | lost, 95 % | left unchanged |")
    print("| --- | ---: | ---: | ---: | --- | ---: |")
    for name, rows in kept.items():
        first, second = fmean(row[0] for row in rows), fmean(row[1] for row in rows)
        low, high = mean_interval([row[0] - row[1] for row in rows])
        unchanged = sum(row[2] for row in rows)
        lost = f"{first - second:.1f} ({low:.1f} to {high:.1f})"
        print(f"| {name} | {len(rows)} | {first:.1f} | {second:.1f} | {lost} | {unchanged} |")


def suite(editor: SmallEditor, name: str, limit: int | None = None, **options: object) -> None:
    """The mean of a suite, and how many pictures were left unchanged for their words."""
    scores, refused = [], 0
    cases = list(load_suite(name, **options))
    for case in cases[:: max(1, len(cases) // limit)] if limit else cases:
        assert case.answer is not None
        before, after = load(case.images[0]), load(case.answer)
        edit, unread = edited(editor, before, case.instruction)
        refused += unread
        scores.append(100 * score_pixels(before, after, edit).miou)
    low, high = mean_interval(scores)
    print(
        f"{name} {options or ''}: mIoU {fmean(scores):.1f} ({low:.1f} to {high:.1f}), n {len(scores)}, {refused} left"
    )


def noisy(picture: Pixels, sigma: float) -> Pixels:
    """A picture with normal noise, the same each time."""
    noise = np.random.default_rng(0).normal(0, sigma, picture.shape)
    return np.clip(np.rint(picture + noise), 0, 255).astype(np.uint8)


def as_jpeg(picture: Pixels, quality: int) -> Pixels:
    """A picture after it was a JPEG file."""
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "JPEG", quality=quality)
    return np.asarray(Image.open(file))


CHANGED: dict[str, Callable[[Pixels], Pixels]] = {
    "as they are": lambda picture: picture,
    "noise, sigma 1": lambda picture: noisy(picture, 1),
    "noise, sigma 5": lambda picture: noisy(picture, 5),
    "JPEG, quality 75": lambda picture: as_jpeg(picture, 75),
    "JPEG, quality 40": lambda picture: as_jpeg(picture, 40),
}


def tolerant(before: Pixels, after: Pixels, shown: Pixels, edit: Pixels) -> float:
    """The overlap of 0 to 100 with a tolerance; ``shown`` is the picture that the editor saw in place of ``before``."""

    def apart(first: Pixels, second: Pixels) -> npt.NDArray[np.bool_]:
        away: npt.NDArray[np.int16] = np.abs(first.astype(np.int16) - second).max(axis=2)
        return away > TOLERANCE

    wanted, right = apart(before, after), ~apart(after, edit)
    spilled = ~wanted & ~right & (edit != shown).any(axis=2)
    return float(100 * (right & wanted).sum() / max(1, wanted.sum() + spilled.sum()))


def pictures(editor: SmallEditor, every: int) -> None:
    """The table of noise and JPEG."""
    slots = default_slots(every)
    print("| pictures | n | score | pixels of flat colors, least | left unchanged |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, change in CHANGED.items():
        scores, flat, unchanged = [], [], 0
        for slot in slots:
            before, after, text = problem_at(slot)
            shown, sentence = change(before), read_sentence(text)
            read = read_picture(shown, sentence.codes)
            flat.append(read.flat)
            refused = bool(no_drawing(read))
            unchanged += refused
            edit = shown if refused else editor.painted(shown, sentence)
            scores.append(tolerant(before, after, shown, edit))
        print(f"| {name} | {len(slots)} | {fmean(scores):.1f} | {100 * min(flat):.0f} % | {unchanged} |", flush=True)


@cache
def loaded_editor(weights: str) -> SmallEditor:
    """The editor of a worker process."""
    editor = SmallEditor(weights)
    editor.load()
    return editor


def scores_of(weights: str, task: str, condition: str, per_cell: int, options: Mapping[str, Any]) -> list[float]:
    """Scores of one task, from a namespace of its own."""
    cases = load_suite("paintbench", tasks=task, conditions=condition, per_cell=per_cell, namespace="beyond", **options)
    scores = []
    for case in cases:
        assert case.answer is not None
        before, after = load(case.images[0]), load(case.answer)
        edit, _ = edited(loaded_editor(weights), before, case.instruction)
        scores.append(100 * score_pixels(before, after, edit).miou)
    return scores


def conditions(weights: str, per_cell: int, jobs: int) -> None:
    """The table of conditions that the training stream never draws."""
    nearest = [Unseen(name, name, name) for name in dict.fromkeys(row.nearest for row in UNSEEN)]
    with ProcessPoolExecutor(jobs) as pool:
        work = {
            row.name: {
                task: pool.submit(scores_of, weights, task, row.condition, per_cell, row.options)
                for task in TASKS
                if not ("n" in row.options and task in OTHER_COUNTS)
            }
            for row in (*nearest, *UNSEEN)
        }
        print("| condition | n | mIoU | nearest condition in training | its mIoU | lost, 95 % |")
        print("| --- | ---: | ---: | --- | ---: | --- |")
        for row in UNSEEN:
            new, old = [], []
            for task, job in work[row.name].items():
                new += job.result()
                old += work[row.nearest][task].result()
            low, high = mean_interval([before - after for before, after in zip(old, new, strict=True)])
            lost = f"{fmean(old) - fmean(new):.1f} ({low:.1f} to {high:.1f})"
            known = row.nearest.replace("_", " ")
            print(f"| {row.name} | {len(new)} | {fmean(new):.1f} | {known} | {fmean(old):.1f} | {lost} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=None, help="take each N-th problem [24; of pictures 48]")
    parser.add_argument("--charts", type=int, default=40)
    parser.add_argument("--released", type=Path)
    parser.add_argument("--pictures", action="store_true", help="only the table of noise and JPEG")
    parser.add_argument("--conditions", action="store_true", help="only the table of conditions")
    parser.add_argument("--per-cell", type=int, default=8, help="problems of a task under a condition")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--weights", default="")
    given = parser.parse_args()
    editor = SmallEditor(given.weights)
    try:
        editor.load()
        if given.conditions:
            conditions(given.weights, given.per_cell, given.jobs)
            return
        if given.pictures:
            pictures(editor, given.every or 48)
            return
        if given.released:
            suite(editor, "paintbench", root=given.released)
        suite(editor, "tinygrafix", given.charts)
        reworded(editor, given.every or 24)
    except EditscopeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
