"""Small plans whose steps count their calls, fail on demand, and cost money."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from editscope.factory.engine.build import Build
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Fields, Record, RecordNames
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.base import Outcome, RecordStep, StepFailed, dropped, kept
from editscope.factory.steps.sampling import SampleStep
from editscope.factory.steps.texts import ExpandStep, TemplateStep
from editscope.factory.steps.tools import Tools


class NumberSource(RecordSource):
    """Numbers with a law."""

    settings_of: ClassVar = {"count": 10}

    named_by = ("number",)

    def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
        for number in range(start, self.settings["count"]):
            yield {"number": number, "law": f"law-{number % 3}"}


def id_of(number: int) -> str:
    """The id of a record of a source that names its records by a number."""
    return RecordNames().add({"number": int(number)})


class PaidStep(RecordStep):
    """Calls a made model, which notes calls in a file, drops some records and fails for those that a file names."""

    kind = "map"
    settings_of: ClassVar = {"log": "", "word": "ok", "drop_every": 0, "fail_file": "", "pause_s": 0.0}

    async def run(self, record: Record, tools: Tools) -> Outcome:
        with Path(self.settings["log"]).open("a", encoding="utf-8") as log:
            log.write(f"{self.name} {record.id}\n")
        await asyncio.sleep(self.settings["pause_s"])
        if self.settings["fail_file"] and record.id in failing(Path(self.settings["fail_file"])):
            raise StepFailed("the server is down", cost_usd=0.25, attempts=3)
        every = self.settings["drop_every"]
        if every and record.fields["number"] % every == 0:
            return dropped(f"a multiple: of {every}", cost_usd=0.5, attempts=1)
        answer = f"{self.settings['word']} {record.fields['number']}"
        return kept({"answer": answer, "parts": [f"{answer} a", f"{answer} b"]}, cost_usd=0.5, attempts=1)

    def identity(self) -> Any:
        return ["paid", self.version, self.settings["word"], self.settings["drop_every"], self.reads]


def failing(path: Path) -> list[str]:
    """The ids of records that fail now."""
    return path.read_text().split() if path.exists() else []


def made_plan(log: Path, *, count: int = 10, word: str = "ok", sample: int = 0, pause_s: float = 0.0) -> BuildPlan:
    """Numbers, a paid step, parts of its answer, a sample where asked for, and a text."""
    settings = {"log": str(log), "word": word, "drop_every": 5, "fail_file": f"{log}.failing", "pause_s": pause_s}
    steps: list[Any] = [
        PaidStep("ask", settings),
        ExpandStep("split", {"field": "parts", "into": "part"}),
        TemplateStep("write", {"fields": {"text": "{law}: {part}"}}),
    ]
    if sample:
        steps.insert(2, SampleStep("draw", {"each": sample, "by": "law"}))
    return BuildPlan("made", NumberSource({"count": count}), steps)


def built(plan: BuildPlan, folder: Path, **options: Any) -> tuple[Any, list[str]]:
    """Build; where the build is, and its records as lines."""
    with Build(plan, folder, **options) as build:
        result = build.run()
        return result, [json.dumps(record.to_json(), sort_keys=True) for record in build.records()]


def calls(log: Path) -> list[str]:
    """The calls that were made."""
    return log.read_text().splitlines() if log.exists() else []
