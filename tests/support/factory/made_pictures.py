"""Plans whose records have pictures that the test draws: pairs before and after an edit, and their instructions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from editscope.factory.engine.build import Build
from editscope.factory.engine.processes import Done, timed
from editscope.factory.output.export import ExportOptions, WrittenExport, export
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Fields, Record
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.base import Outcome, PlainStep, RecordStep, kept
from editscope.factory.steps.tools import Tools
from editscope.images import Pixels, encode_png

LAWS = ("reflection", "refraction")


def drawn(seed: int, side: int = 24, height: int = 0) -> Pixels:
    """A smooth picture of its own for every seed."""
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[: height or side, :side] / side
    waves = np.zeros((height or side, side, 3))
    for _ in range(6):
        across, down, phase = rng.normal(0, 5), rng.normal(0, 5), rng.uniform(0, 6)
        waves += np.sin(across * columns + down * rows + phase)[..., None] * rng.uniform(0.3, 1, 3)
    scaled: Pixels = ((waves - waves.min()) / (waves.max() - waves.min()) * 255).astype(np.uint8)
    return scaled


class DrawnSource(RecordSource):
    """Pictures before and after an edit; two records in a row have the same picture before."""

    settings_of: ClassVar = {"count": 8, "side": 24, "fields": {}, "per_source": 2}

    def count(self, tools: Tools) -> int:
        return int(self.settings["count"])

    def naming(self, fields: Fields) -> Any:
        return {"number": int(4 * fields["score"])}

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        for number in range(start, self.settings["count"]):
            before = drawn(number // self.settings["per_source"], self.settings["side"])
            after = before.copy()
            after[4:12, 4:12] = np.random.default_rng(number).integers(0, 256, 3)
            law = LAWS[number % len(LAWS)]
            yield {
                "picture": tools.blobs.put(encode_png(before)),
                "after": tools.blobs.put(encode_png(after)),
                "superficial": f"Repaint the square in picture {number}.",
                "intermediate": f"Repaint the square in picture {number} so that its light obeys {law}.",
                "explicit": f"Repaint the square in picture {number}; the light on it stays as {law} has it.",
                "law": law,
                "score": number / 4,
                "license": "CC-BY-4.0" if number % 2 else None,
                **self.settings["fields"],
            }


class NotingStep(PlainStep):
    """Notes a model, as a step that asks one does."""

    kind = "map"

    def apply(self, record: Record, tools: Tools) -> Outcome:
        return kept(notes={"model": "made:writer", "snapshot": "writer-1", "prompt": "levels abc123"})


class BatchesHere:
    """Runs batches in this process, where a test has no use for others."""

    async def run(self, step: RecordStep, tools: Tools, records: Sequence[Record]) -> list[Done]:
        await step.prepare(tools)
        return [await timed(step.run, record, tools) for record in records]

    def close(self) -> None:
        """Nothing to end."""


def picture_plan(output: Mapping[str, Any] | None = None, **source: Any) -> BuildPlan:
    """Drawn pictures through one step, with an ``[output]`` table."""
    steps = [NotingStep("write", {})]
    return BuildPlan("drawn", DrawnSource(source), steps, output=output or {}, title="Drawn | pairs <b>")


def exported(plan: BuildPlan, folder: Path, *, to: Path | None = None, **options: Any) -> WrittenExport:
    """Build a plan and export it."""
    with Build(plan, folder / "build") as build:
        build.run()
        return export(build, to or folder / "export", ExportOptions(**options))


def all_bytes(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def json_lines(path: Path) -> list[Any]:
    """The lines of a file, each a JSON value."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
