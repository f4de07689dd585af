"""How many copies of test pictures the leak guard finds, how many unrelated pictures it takes for copies, and how fast.

    python benchmarks/factory_leaks.py [--copies 300] [--unrelated 1000]

The guard has all pictures of PaintBench and TinyGrafixBench. Copies are made of them; unrelated pictures are those that
both benchmarks draw from another namespace, which look alike and are no copies. Beside, photo-like noise.
"""

from __future__ import annotations

import argparse
import io
import time
from collections.abc import Callable, Iterator

import numpy as np

from editscope.factory.leaks.pictures import PictureIndex, joined, traces_of
from editscope.factory.leaks.suite_index import read_index, suite_index
from editscope.images import Pixels, decode, load
from editscope.suites.registry import load_suite

SUITES = ("paintbench", "tinygrafix")


def resized(scale: float) -> Callable[[Pixels], Pixels]:
    """A picture in another size."""

    def change(pixels: Pixels) -> Pixels:
        from PIL import Image

        height, width = pixels.shape[:2]
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.BICUBIC))

    return change


def compressed(quality: int) -> Callable[[Pixels], Pixels]:
    """A picture that was a JPEG."""

    def change(pixels: Pixels) -> Pixels:
        from PIL import Image

        file = io.BytesIO()
        Image.fromarray(pixels).save(file, "JPEG", quality=quality)
        return decode(file.getvalue()).pixels

    return change


def cropped(top: float, bottom: float, left: float, right: float) -> Callable[[Pixels], Pixels]:
    """A picture without some of its edges."""

    def change(pixels: Pixels) -> Pixels:
        height, width = pixels.shape[:2]
        return pixels[
            round(height * top) : height - round(height * bottom), round(width * left) : width - round(width * right)
        ]

    return change


CHANGES: dict[str, Callable[[Pixels], Pixels]] = {
    "the same": lambda pixels: pixels,
    "half the size": resized(0.5),
    "1.5 times the size": resized(1.5),
    "JPEG 50": compressed(50),
    "JPEG 20": compressed(20),
    "2 % cropped, all around": cropped(0.01, 0.01, 0.01, 0.01),
    "2 % cropped, one corner": cropped(0.02, 0, 0.02, 0),
    "4 % cropped, all around": cropped(0.02, 0.02, 0.02, 0.02),
    "mirrored": lambda pixels: pixels[:, ::-1],
    "turned by 90 degrees": lambda pixels: np.rot90(pixels),
    "half the size, JPEG 50, 2 % cropped": lambda pixels: compressed(50)(
        resized(0.5)(cropped(0.01, 0.01, 0.01, 0.01)(pixels))
    ),
}


def photo(seed: int, width: int = 384, height: int = 256) -> Pixels:
    """Noise with the spectrum of photographs."""
    rng = np.random.default_rng(seed)
    power = np.fft.fftfreq(height)[:, None] ** 2 + np.fft.fftfreq(width)[None] ** 2
    power[0, 0] = 1
    shared, *own = (np.fft.ifft2(np.fft.fft2(rng.normal(size=(height, width))) / power**0.65).real for _ in range(4))
    channels = np.stack([shared + 0.5 * one for one in own], axis=-1)
    made: Pixels = ((channels - channels.min()) / np.ptp(channels) * 255).astype(np.uint8)
    return made


def spread(suite_name: str, number: int, **options: str) -> Iterator[tuple[str, Pixels]]:
    """Pictures of some cases, spread over the suite."""
    suite = load_suite(suite_name, **options)
    for case_id in suite.ids[:: max(1, len(suite) // number)][:number]:
        yield case_id, load(suite[case_id].images[0])


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, default=300)
    parser.add_argument("--unrelated", type=int, default=1000)
    parser.add_argument(
        "--namespace", default="fresh", help="where unrelated pictures come from; 'train' set the limits"
    )
    options = parser.parse_args()
    photos = [photo(seed) for seed in range(options.copies)]
    indexes = [read_index(suite_index(load_suite(name))) for name in SUITES]
    index = PictureIndex(joined([*(one.pictures for one in indexes), traces_of(photos)]))
    cases = [*(case for one in indexes for case in one.picture_cases), *(f"photo {n}" for n in range(len(photos)))]
    print(f"{len(cases):,} pictures in the index")
    sets = {name: list(spread(name, options.copies)) for name in SUITES}
    sets["photos"] = [(f"photo {number}", pixels) for number, pixels in enumerate(photos)]
    for title, pictures in sets.items():
        print(f"\ncopies of {title}: {len(pictures)}")
        for name, change in CHANGES.items():
            begun, right, other = time.perf_counter(), 0, 0
            for case_id, pixels in pictures:
                place = index.copied(np.ascontiguousarray(change(pixels)))
                right += place is not None and cases[place] == case_id
                other += place is not None and cases[place] != case_id
            took = (time.perf_counter() - begun) / len(pictures) * 1000
            print(f"  {name:38} found {right / len(pictures):6.1%}, as another case {other}, {took:.1f} ms", flush=True)
    unrelated = {name: spread(name, options.unrelated, namespace=options.namespace) for name in SUITES}
    unrelated["photos"] = ((f"photo {n}", photo(10_000 + n)) for n in range(options.unrelated))
    print()
    for title, found in unrelated.items():
        begun, number, wrong = time.perf_counter(), 0, []
        for case_id, pixels in found:
            number += 1
            place = index.copied(pixels)
            wrong += [(case_id, cases[place])] if place is not None else []
        took = (time.perf_counter() - begun) / number * 1000
        print(f"unrelated {title}: {len(wrong)} of {number} taken for copies, {took:.1f} ms with making {wrong[:3]}")


if __name__ == "__main__":
    main()
