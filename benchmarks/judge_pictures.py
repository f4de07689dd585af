"""Preparing the pictures of 1,000 PICABench questions: CPU seconds, against a plain version that starts anew for each.

    python benchmarks/judge_pictures.py [--cases 200] [--questions 5] [--width 1024 --height 768]

One process. Both sides decode, scale to a canvas of 1024, crop, scale the crop to 1024 and encode as JPEG 90; the plain
side is run on every tenth case and scaled up. What a judge would see is compared pixel by pixel beforehand.
"""

from __future__ import annotations

import argparse
import io
import resource
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from editscope.cases import Case, Instruction, Question, Region
from editscope.images import load
from editscope.judges.prompts.packs import load_pack
from editscope.scoring.rubrics import Unit
from editscope.scoring.rubrics.pictures import QUALITY, scaled_size
from editscope.suites.picabench.rubric import PADDING, SIDE, padded
from editscope.suites.rubrics import load_rubric

LANCZOS = Image.Resampling.LANCZOS


def photo(number: int, width: int, height: int) -> Image.Image:
    """A picture like a photograph to an encoder: soft shapes with some grain."""
    rng = np.random.default_rng(number)
    coarse = Image.fromarray(rng.integers(0, 256, (24, 32, 3), np.uint8)).resize((width, height), LANCZOS)
    grain = rng.integers(0, 18, (height, width, 1), np.uint8)
    return Image.fromarray(np.clip(np.asarray(coarse, np.int16) + grain - 9, 0, 255).astype(np.uint8))


def made_case(number: int, folder: Path, size: tuple[int, int], questions: int) -> tuple[Case, Path]:
    """A case with questions about boxes of a tenth to a half of the canvas, its source and its edit on disk."""
    rng = np.random.default_rng(1_000_000 + number)
    wide, high = scaled_size(*size, SIDE)
    asked = []
    for q in range(questions):
        w, h = int(wide * rng.uniform(0.1, 0.5)), int(high * rng.uniform(0.1, 0.5))
        x, y = int(rng.integers(0, wide - w)), int(rng.integers(0, high - h))
        asked.append(Question(f"Is thing {q} wet?", "Yes", Region(f"q{q}", (x, y, x + w, y + h))))
    source, edit = folder / f"{number}_source.jpg", folder / f"{number}.jpg"
    photo(2 * number, *size).save(source, quality=92)
    photo(2 * number + 1, *size).save(edit, quality=92)
    area = (Region("area", (100, 100, 400, 300)),)
    return Case(str(number), "picabench", (source,), (Instruction("Wet it."),), {}, None, area, tuple(asked)), edit


def plain(case: Case, edit: Path) -> list[bytes]:
    """Each question from the file: open, scale, crop, scale, encode."""
    found = []
    for question in case.questions:
        whole = Image.open(edit).convert("RGB")
        canvas = whole.resize(scaled_size(*whole.size, SIDE), LANCZOS)
        assert question.region is not None
        crop = canvas.crop(padded(question.region.box, *canvas.size, PADDING))
        target = io.BytesIO()
        crop.resize(scaled_size(*crop.size, SIDE), LANCZOS).save(target, "JPEG", quality=QUALITY)
        found.append(target.getvalue())
    return found


def ours(case: Case, edit: Path) -> list[bytes]:
    """The calls of the rubric."""
    rubric, unit = load_rubric("picabench"), Unit(case.id, ("",))
    calls = rubric.calls(case, unit, {"": load(edit)}, load_pack("picabench"))
    return [call.pictures[0].data for call in calls]


def consistency(case: Case, edit: Path) -> list[bytes]:
    """PSNR outside the edited area, with both pictures decoded."""
    load_rubric("picabench").from_pixels(case, Unit(case.id, ("",)), {"": load(edit)})
    return []


def cpu(work: Callable[[Case, Path], list[bytes]], cases: Sequence[tuple[Case, Path]]) -> float:
    """CPU seconds of this process."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    for case, edit in cases:
        work(case, edit)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--questions", type=int, default=5)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--height", type=int, default=768)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cases = [
            made_case(number, Path(folder), (asked.width, asked.height), asked.questions)
            for number in range(asked.cases)
        ]
        same = [a == b for case in cases[:3] for a, b in zip(plain(*case), ours(*case), strict=True)]
        some = cases[::10]
        baseline = cpu(plain, some) * len(cases) / len(some)
        rows = [("plain, each question from the file", baseline), ("calls of the rubric", cpu(ours, cases))]
        rows.append(("consistency (PSNR), both decoded", cpu(consistency, cases)))
    number = asked.cases * asked.questions
    size = f"{asked.width}×{asked.height}"
    equal = f"{sum(same)} of {len(same)} crops byte for byte equal"
    print(f"\n{number:,} questions about {asked.cases} edits of {size}; {equal}")
    print(f"{'':38}{'CPU s':>8}{'ms a question':>15}{'plain / this':>14}")
    for name, seconds in rows:
        print(f"{name:38}{seconds:8.2f}{1000 * seconds / number:15.2f}{baseline / seconds:13.1f}×")
    # Pillow 13 may scale columns before rows where a picture becomes smaller, which rounds otherwise.
    if not all(same) and max(asked.width, asked.height) <= SIDE:
        sys.exit("the crops are not those of the plain version")


if __name__ == "__main__":
    main()
