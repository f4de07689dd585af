"""The factory's own cost: 100,000 records through the plan of PICA-100K, with models that answer at once.

The engine is measured with steps that have their outcome at once, then with the real steps and instant models, and at
last steps that look at pixels by themselves. The baseline is a plain script that writes a line of JSON for each record
and step, and can resume from none.

    python benchmarks/factory_build.py
    python benchmarks/factory_build.py --records 10000 --pixels 200
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import editscope as es
from editscope.factory.engine.build import Build, BuildProgress
from editscope.factory.funnel import funnel_rows
from editscope.factory.models.base import ImageModel, MadeMedia, VideoModel
from editscope.factory.models.loading import load_models
from editscope.factory.pipelines.catalog import find_pipeline
from editscope.factory.pipelines.starting import start_pipeline
from editscope.factory.plan import BuildPlan, read_plan
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, PipelineStep, PlainStep, RecordStep, kept
from editscope.factory.steps.tools import Tools
from editscope.images import encode_png

SIDE = 64
TEXTS = {
    "prompt": "A clay pot stands on a bench under a lamp, and a coil of twine lies behind it.",
    "motion": "The clay pot slides to the right by its own width, and its shadow follows, camera static.",
    "superficial": "Move the clay pot to the right.",
    "intermediate": "Move the clay pot to the right, and let its shadow follow.",
    "explicit": "Move the clay pot to the right end of the bench. Its shadow points to the right.",
}
MOTIONS = {
    "light_propagation": "The pot slides to the right by its own width, and its shadow follows it, camera static.",
    "light_source_effects": "The lamp goes dark completely, and the highlight on the pot fades away, camera static.",
    "reflection": "The pot slides to the left by half its width, and its mirror image follows, camera static.",
    "refraction": "The spoon sinks to the bottom of the glass, and its lower half looks bent, camera static.",
    "deformation": "The pot presses a deep dent into the whole cushion, which bulges at both sides, camera static.",
    "causality": "The pot tips over to the right, falls off the bench and comes to rest on the floor, camera static.",
    "global": "Snow covers the whole garden up to the rim of the pot, and the light turns cold blue, camera static.",
    "local": "The whole pot cracks from rim to foot, and drops run down its left side, camera static.",
}
KINDS = {"writer": "InstantWriter", "painter": "InstantPainter", "animator": "InstantAnimator"}
LOOKS = ("frames", "no_leak", "blank_frame", "static_pair", "camera_motion", "stable_outside", "fingerprint")
"""Steps that look at pixels, by what a plan says that they use."""


class InstantWriter(es.Judge):
    """Answers every prompt at once."""

    spec = "instant"

    async def ask(self, call: Any, sample: int = 0) -> es.Verdict:
        values: Any = {field.name: TEXTS[field.name] for field in call.schema.fields}
        if "motion" in values:
            text = "".join(part for part in call.parts if isinstance(part, str))
            law = text.partition("never write this name): ")[2].partition("\n")[0]
            values["motion"] = MOTIONS[law]
        return es.Verdict("ok", values, judge="instant", prompt_hash=call.prompt_hash)


class InstantPainter(ImageModel):
    """Returns one of a hundred pictures."""

    at_once = 32

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        smooth = rng.integers(0, 255, (100, 4, 4, 3), np.uint8).repeat(SIDE // 4, 1).repeat(SIDE // 4, 2)
        self._pictures = [encode_png(picture) for picture in smooth]

    def draw(self, prompt: str, width: int, height: int, seed: int) -> MadeMedia:
        return MadeMedia(self._pictures[seed % len(self._pictures)])


class InstantAnimator(VideoModel):
    """Returns one of ten videos in which a square moves."""

    at_once = 32

    def __init__(self) -> None:
        self._videos = [_video(seed) for seed in range(10)]

    def animate(self, picture: Any, prompt: str, seed: int, seconds: float = 0.0, fps: int = 0) -> MadeMedia:
        return MadeMedia(self._videos[seed % len(self._videos)], "video/mp4")


class PassedBy(PlainStep):
    """Stands for a step that looks at pixels, and does nothing."""

    kind = "map"
    settings_of: ClassVar = {"use": ""}

    def apply(self, record: Record, tools: Tools) -> Outcome:
        if self.settings["use"] == "frames":
            return kept({"before": record.fields["picture"], "after": record.fields["picture"]})
        if self.settings["use"] == "fingerprint":
            return kept({"phash": f"{tools.number('hash', record.id):08x}{tools.number('more', record.id):08x}"})
        return kept()


class Answered(RecordStep):
    """Stands for a step that asks a model, and has its answer at once: what is left is the engine."""

    kind = "map"
    settings_of: ClassVar = {"fields": {}}

    async def prepare(self, tools: Tools) -> None:
        for kind in ("image/png", "video/mp4"):
            tools.blobs.put(STAND_IN, kind)

    async def run(self, record: Record, tools: Tools) -> Outcome:
        return kept(self.settings["fields"], notes={"model": "instant", "prompt": "hash"}, attempts=1)


STAND_IN = b"a picture or a video that nobody looks at"
BLOB = {"blob": sha256(STAND_IN).hexdigest(), "type": "image/png"}
ANSWERS: Mapping[str, Mapping[str, Any]] = {
    "refine": {"prompt": TEXTS["prompt"]},
    "draw": {"picture": BLOB},
    "caption": {"motion": TEXTS["motion"]},
    "animate": {"video": {**BLOB, "type": "video/mp4"}},
    "instruct": {level: TEXTS[level] for level in ("superficial", "intermediate", "explicit")},
}


def _video(seed: int) -> bytes:
    import av

    rng = np.random.default_rng(seed)
    ground = rng.integers(60, 200, (8, 8, 3), np.uint8).repeat(32, 0).repeat(32, 1)
    file = io.BytesIO()
    with av.open(file, "w", format="mp4") as container:
        stream = container.add_stream("mpeg4", rate=8)
        stream.width, stream.height, stream.pix_fmt = 256, 256, "yuv420p"
        for number in range(9):
            frame = ground.copy()
            frame[100:150, 20 + 15 * number : 70 + 15 * number] = (230, 40, 40)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return file.getvalue()


def plan_of(folder: Path, records: int, part: str) -> BuildPlan:
    """The plan that ships, with models that answer at once; without pixels, or with the engine alone."""
    here = Path(__file__).stem
    sys.path.append(str(Path(__file__).parent))
    models = {name: f"python:{here}:{kind}" for name, kind in KINDS.items()}
    plan = read_plan(start_pipeline(find_pipeline("pica100k"), folder, {"count": str(records)}, models))
    if part == "pixels":
        return plan
    uses = {entry["name"]: entry["use"] for entry in _entries(folder)}
    steps: list[PipelineStep] = [
        PassedBy(step.name, {"use": uses[step.name]}) if uses[step.name] in LOOKS else step for step in plan.steps
    ]
    if part == "engine":
        steps = [
            Answered(step.name, {"fields": ANSWERS[step.name]}) if step.name in ANSWERS else step for step in steps
        ]
    return BuildPlan(plan.name, plan.source, steps, plan.models, plan.seed, plan.title, plan.folder, plan.output)


def _entries(folder: Path) -> list[dict[str, Any]]:
    import tomllib

    return list(tomllib.loads((folder / "plan.toml").read_text(encoding="utf-8"))["steps"])


def build(folder: Path, records: int, part: str) -> dict[str, Any]:
    """Build in this process, and say what it took."""
    begun = float(os.environ.get("BEGUN", time.time()))
    first: list[float] = []

    new: list[int] = []

    def noted(step: str, number: int) -> None:
        new.append(number)
        if not first:
            first.append(time.time() - begun)

    progress = BuildProgress(step_done=noted)
    plan = plan_of(folder, records, part)
    with Build(plan, folder / "build", jobs=2, models=load_models(plan), progress=progress) as work:
        started, cpu = time.perf_counter(), time.process_time()
        result = work.run()
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        rows = funnel_rows(plan, result.counts, work.store.spent())
    memory = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) >> 10
    return {
        "steps": sum(row.records_in for row in rows), "new": sum(new), "records": result.records, "wall": wall,
        "cpu": cpu, "memory": memory, "first": first[0] if first else 0.0, "rows": [row.to_json() for row in rows],
    }  # fmt: skip


def child(folder: Path, records: int, part: str, *, kill_at: int = 0) -> Mapping[str, Any]:
    """Build in another process; with ``kill_at`` it is killed when so many pictures and videos were asked for."""
    command = [sys.executable, __file__, "--child", str(folder), "--part", part, "--records", str(records)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, "BEGUN": str(time.time())}) as process:
        while kill_at and process.poll() is None:
            if _drawn(folder) >= kill_at:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.5)
        assert process.stdout is not None
        said = process.stdout.read()
    return json.loads(said) if said else {}


def _drawn(folder: Path) -> int:
    """How many records have been drawn."""
    path = folder / "build" / "results.db"
    if not path.is_file():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as database:
        try:
            (count,) = database.execute("SELECT COUNT(*) FROM results WHERE step = 'draw'").fetchone()
        except sqlite3.OperationalError:  # the tables are being made
            return 0
    return int(count)


def plain_script(folder: Path, records: int, steps: int) -> float:
    """Milliseconds a record and step of a script that asks the same models and appends JSON lines."""
    writer, painter = InstantWriter(), InstantPainter()
    begun = time.process_time()

    async def run() -> None:
        with (folder / "lines.jsonl").open("a", encoding="utf-8") as file:
            for number in range(records):
                fields: dict[str, Any] = {"id": number, **TEXTS}
                for step in range(steps):
                    made = painter.draw("", SIDE, SIDE, number)
                    fields |= {"step": step, "bytes": len(made.data), "judge": writer.spec}
                    file.write(json.dumps(fields) + "\n")

    asyncio.run(run())
    return 1000 * (time.process_time() - begun) / (records * steps)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--pixels", type=int, default=1_000, help="records of the second part")
    parser.add_argument("--models", type=int, default=10_000, help="records with instant models instead of none")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--part", default="engine", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(build(given.child, given.records, given.part)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        child(folder / "killed", given.records, "engine", kill_at=given.records // 2)
        whole = child(folder / "killed", given.records, "engine")
        asked = child(folder / "models", given.models, "models")
        own = 1000 * whole["cpu"] / whole["new"]
        plain = plain_script(folder, min(given.records, 5_000), 16)
        same = whole["records"] == given.records
        print(
            f"{given.records:,} records, {whole['steps']:,} records and steps, {whole['new']:,} of them after SIGKILL"
        )
        print("| | measured | asked |\n| --- | --- | --- |")
        print(f"| the engine, processor time a record and step | {own:.3f} ms | 0.5 ms |")
        with_models = 1000 * asked["cpu"] / asked["new"]
        print(f"| with prompts, rules and instant models ({given.models:,} records) | {with_models:.3f} ms | |")
        print(f"| the same of a plain script that asks the models and appends lines | {plain:.3f} ms | |")
        print(f"| ratio | {own / plain:.1f} | |")
        print(f"| wall time of what was left | {whole['wall']:.0f} s | |")
        print(f"| largest memory of a process | {whole['memory']:,} MiB | 1,536 MiB |")
        print(f"| first new outcome after SIGKILL at the half | {whole['first']:.1f} s | 5 s |")
        print(f"| all records are there in the end | {'yes' if same else 'NO'} | yes |")
        looked = build(folder / "pixels", given.pixels, "pixels")
    print(f"\n{given.pixels:,} records with real pixel checks (256², two processes, {looked['wall']:.0f} s)")
    print("| step | records | ms a record |\n| --- | --- | --- |")
    for row in looked["rows"]:
        if row["in"]:
            print(f"| {row['step']} | {row['in']:,} | {1000 * row['seconds'] / row['in']:.1f} |")


if __name__ == "__main__":
    main()
