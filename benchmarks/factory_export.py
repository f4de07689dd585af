"""What an export of many records takes: records a second and memory, and how fast a training set reads them back.

    python benchmarks/factory_export.py [--records 100000] [--side 24] [--folder DIR]

Each record has two tiny pictures of its own, three instructions and a history. The build is made first, by another
process; the export runs in this one, so that the memory is its own.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np

from editscope.factory.engine.build import Build
from editscope.factory.output.export import ExportOptions, export
from editscope.factory.output.reading import load_training_set
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Fields
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.texts import TemplateStep
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png


class NoiseSource(RecordSource):
    """Pairs of noise."""

    settings_of: ClassVar = {"count": 0, "side": 24}

    def identity(self, tools: Tools) -> object:
        """The settings: the name of this module is another one in the process that builds."""
        return ["noise", self.settings]

    def count(self, tools: Tools) -> int:
        """How many there are."""
        return int(self.settings["count"])

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        """Two pictures for each number."""
        side = self.settings["side"]
        for number in range(start, self.settings["count"]):
            pixels = np.random.default_rng(number).integers(0, 256, (2, side, side, 3), np.uint8)
            before, after = (tools.blobs.put(encode_png(picture, palette=False)) for picture in pixels)
            yield {
                "number": number,
                "picture": before,
                "after": after,
                "phash": f"{random.Random(number).getrandbits(64):x}",
            }


def plan(records: int, side: int) -> BuildPlan:
    """Noise, and a text for each level."""
    texts = {level: f"The {level} instruction of pair {{number}}." for level in ("superficial", "explicit")}
    output = {"split": {"test": 0.1}, "source": "picture"}
    return BuildPlan("noise", NoiseSource({"count": records, "side": side}), [TemplateStep("write", {"fields": texts})],
                     output=output)  # fmt: skip


def build(folder: Path, records: int, side: int) -> None:
    """Make the build."""
    with Build(plan(records, side), folder) as work:
        work.run()


def memory_mb() -> float:
    """The most memory that this process has used."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Build, export, read back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--side", type=int, default=24)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        begun = time.perf_counter()
        made = multiprocessing.get_context("spawn").Process(
            target=build, args=(folder / "build", options.records, options.side)
        )
        made.start()
        made.join()
        print(f"built {options.records:,} records in {time.perf_counter() - begun:.0f} s", flush=True)
        before = memory_mb()
        begun = time.perf_counter()
        with Build(plan(options.records, options.side), folder / "build") as work:
            result = export(work, folder / "export", ExportOptions())
        took = time.perf_counter() - begun
        print(f"export: {took:.1f} s, {options.records / took:,.0f} records/s, {result.splits}")
        print(f"memory: {memory_mb():,.0f} MiB at most, {before:,.0f} MiB before", flush=True)
        read = load_training_set(folder / "export")
        begun = time.perf_counter()
        number = sum(1 for _ in zip(read, range(5000), strict=False))
        print(f"read in order: {number / (time.perf_counter() - begun):,.0f} records/s")
        places = random.Random(0).sample(range(len(read)), min(500, len(read)))
        begun = time.perf_counter()
        for place in places:
            read[place].pictures[0].pixels()
        print(f"read at random, with decoding: {len(places) / (time.perf_counter() - begun):,.0f} records/s")
        print(f"memory: {memory_mb():,.0f} MiB at most")


if __name__ == "__main__":
    main()
