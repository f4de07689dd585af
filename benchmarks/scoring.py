"""CPU time to decode and score noisy outputs, to write pictures and to make thumbnails, beside plain ways.

    python benchmarks/scoring.py [--n 60] [--writer opencv|pillow|ours]

Problems come from PaintBench, spread over all tasks and conditions; outputs are the answers with noise on every
channel of every pixel, written as PNG. Baselines are measured in the same run, in turn with ours.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from editscope.images import (
    THUMB_SIDE,
    Pixels,
    decode,
    encode_codes,
    encode_png,
    encode_thumbnail,
    load,
    probe,
    thumbnail,
    write_png,
)
from editscope.scoring import level_map_within, score_and_levels, score_pixels
from editscope.suites import load_suite

ASKED_MS, ASKED_RATIO = 40.0, 1.2
NOISE = (1, 2, 4, 16, 64)
"""How far a channel is off at most in the further pictures that are written."""
Triple = tuple[Path, Path, Path]
MATRIX = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))


def cpu_ms(work: Callable[[Any], object], items: Iterable[Any]) -> list[float]:
    """CPU milliseconds of each call."""
    spent = []
    for item in items:
        start = time.process_time()
        work(item)
        spent.append(1e3 * (time.process_time() - start))
    return spent


def write_output(path: Path, pixels: Pixels, writer: str) -> None:
    if writer == "ours":
        write_png(path, pixels)
    elif writer == "pillow":
        Image.fromarray(pixels).save(path)
    else:
        cv2.imwrite(str(path), pixels[:, :, ::-1])


def make_triples(folder: Path, n: int, writer: str) -> Iterable[Triple]:
    """Problems one after another, each in the same three files, so that 1,920 need no room on disk."""
    suite = load_suite("paintbench")
    rng = np.random.default_rng(0)
    noise = rng.integers(-8, 9, (1024, 1024, 3), dtype=np.int16)
    for case_id in suite.select(limit=n):
        case = suite[case_id]
        paths = (folder / "input.png", folder / "answer.png", folder / "output.png")
        before, answer = load(case.images[0]), load(case.answer if case.answer is not None else case.images[0])
        noisy = np.clip(answer + np.roll(noise, rng.integers(1024), axis=1)[: len(answer), : answer.shape[1]], 0, 255)
        write_png(paths[0], before)
        write_png(paths[1], answer)
        write_output(paths[2], noisy.astype(np.uint8), writer)
        yield paths


def opencv_decode(paths: Triple) -> None:
    for path in paths:
        cv2.imread(str(path), cv2.IMREAD_COLOR)


def plain_numpy(paths: Triple) -> list[float]:
    """The metric as one would first write it: Pillow, float64, one pass for each tolerance."""
    before, answer, output = (np.asarray(Image.open(path).convert("RGB")) for path in paths)
    edit = (before != answer).any(axis=-1)
    wrong = np.sqrt(((lab(output) - lab(answer)) ** 2).sum(axis=-1))
    changed = np.sqrt(((lab(output) - lab(before)) ** 2).sum(axis=-1))
    curve = []
    for t in range(11):
        hits, spilled = (edit & (wrong <= t)).sum(), (~edit & (wrong > t)).sum()
        curve.append(float(hits / max(1, edit.sum() + spilled)))
        (changed > t).sum()
    return curve


def lab(pixels: Pixels) -> npt.NDArray[np.float64]:
    value = pixels / 255.0
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    xyz = linear @ np.array(MATRIX).T / [0.95047, 1.0, 1.08883]
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz * (29 / 6) ** 2 / 3 + 4 / 29)
    x, y, z = np.moveaxis(f, -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def row(what: str, ms: float, beside: float | None = None, baseline: str = "") -> None:
    ratio = "" if beside is None else f"{ms / beside:8.2f} × {baseline} ({beside:.2f} ms)"
    print(f"  {what:<46} {ms:9.2f} ms {ratio}")


def scoring(triples: Iterable[Triple]) -> Triple:
    """Time decoding and scoring; the last triple is handed on."""
    ours: list[float] = []
    decoding: list[float] = []
    theirs: list[float] = []
    plain: list[float] = []
    kernel: list[float] = []
    for number, paths in enumerate(triples):
        if number == 0:  # compile or load what is compiled, and warm the caches
            score_pixels(*paths)
            opencv_decode(paths)
        theirs += cpu_ms(opencv_decode, [paths])
        ours += cpu_ms(lambda p: score_pixels(*p), [paths])
        decoding += cpu_ms(lambda p: [decode(path) for path in p], [paths])
        kernel += cpu_ms(lambda p: score_pixels(*p), [tuple(load(path) for path in paths)])
        if number % 12 == 0:
            plain += cpu_ms(plain_numpy, [paths])
            assert np.allclose(plain_numpy(paths), score_pixels(*paths).iou, atol=1e-6)
    print(f"scoring {len(ours):,} problems with noisy outputs, CPU milliseconds a problem")
    mean = float(np.mean(ours))
    row("decode and score", mean, float(np.mean(theirs)), "OpenCV decoding the three PNGs")
    row("  of it: decode the three PNGs", float(np.mean(decoding)), float(np.mean(theirs)), "OpenCV")
    row("  of it: score, pictures in memory", float(np.mean(kernel)))
    row("decode and score", mean, float(np.mean(plain)), "Pillow and NumPy float64")
    kept = mean <= ASKED_MS and mean <= ASKED_RATIO * float(np.mean(theirs))
    print(f"  asked: at most {ASKED_MS:g} ms and {ASKED_RATIO} × OpenCV's decoding: {'kept' if kept else 'NOT KEPT'}\n")
    return paths


def best(work: Callable[[], object], repeat: int = 9) -> float:
    work()
    return min(cpu_ms(lambda _: work(), range(repeat)))


def pillow_png(pixels: Pixels) -> bytes:
    target = io.BytesIO()
    Image.fromarray(pixels).save(target, "PNG")
    return target.getvalue()


def opencv_png(pixels: Pixels) -> bytes:
    return bytes(cv2.imencode(".png", pixels)[1])


def writing(paths: Triple) -> None:
    print("writing PNG, CPU milliseconds a picture (best of several)")
    rng, answer = np.random.default_rng(0), load(paths[1])
    pictures = {"flat scene": answer, "noisy output": load(paths[2])}
    for reach in NOISE:
        noise = rng.integers(-reach, reach + 1, answer.shape, dtype=np.int16)
        pictures[f"answer ±{reach}"] = np.clip(answer + noise, 0, 255).astype(np.uint8)
    pictures["pure noise"] = rng.integers(0, 256, answer.shape, dtype=np.uint8)
    for name, pixels in pictures.items():
        ms = best(lambda pixels=pixels: encode_png(pixels))  # type: ignore[misc]
        for other, encode in (("OpenCV", opencv_png), ("Pillow", pillow_png)):
            theirs = best(lambda pixels=pixels, encode=encode: encode(pixels), 2)  # type: ignore[misc]
            row(f"{name}, {len(encode_png(pixels)):,} bytes", ms, theirs, f"{other}, {len(encode(pixels)):,} bytes")
    print()


def small_things(paths: Triple) -> None:
    print("what a report needs, CPU milliseconds a case (best of several)")
    before, answer, output = (load(path) for path in paths)
    score_only = best(lambda: score_pixels(before, answer, output))
    row("header of a PNG (probe)", best(lambda: probe(paths[1])))
    shrink = [best(lambda p=p: thumbnail(p)) for p in (before, answer, output)]  # type: ignore[misc]
    row(f"three thumbnails, {THUMB_SIDE} pixels", sum(shrink))
    row("levels of all pixels, beside the score", best(lambda: score_and_levels(before, answer, output)) - score_only)
    small = [thumbnail(p) for p in (before, answer, output)]
    row("encoding the three", sum(best(lambda s=s: encode_thumbnail(s)) for s in small))  # type: ignore[misc]
    coded = partial(level_map_within, score_and_levels(before, answer, output)[1])
    row("making and encoding the level map", best(lambda: encode_codes(coded)))
    sizes = [*(len(encode_thumbnail(s)) for s in small), len(encode_codes(coded))]
    print("  their bytes: " + ", ".join(f"{size:,}" for size in sizes))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--n", type=int, default=60, help="problems, at most 1,920")
    parser.add_argument(
        "--writer", choices=("opencv", "pillow", "ours"), default="opencv", help="who wrote the outputs"
    )
    options = parser.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        paths = scoring(make_triples(Path(folder), options.n, options.writer))
        writing(paths)
        small_things(paths)


if __name__ == "__main__":
    main()
