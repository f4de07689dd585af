"""Pipelines that ship, begun in a folder with small pictures and models on loopback, as their commands begin them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.factory.inputs import read_inputs, write_inputs
from editscope.factory.pipelines.catalog import find_pipeline
from editscope.factory.pipelines.starting import start_pipeline
from editscope.images import encode_png
from support.factory.made_pictures import blotches
from support.factory.scripted_packs import Answer, ScriptedPack, scripted
from support.servers.editor_server import OpenAIServer, Seen
from support.servers.editor_server import Reply as PictureReply
from support.servers.judge_server import JudgeServer

SIDE = 128
"""Pixels of what the models on loopback draw."""


@dataclass(frozen=True)
class LoopbackModels:
    """A model that writes and judges, and one that draws and edits."""

    writer: JudgeServer
    painter: OpenAIServer
    script: ScriptedPack

    def spec(self, kind: str) -> str:
        """The spec of the model for a kind."""
        return self.writer.spec() if kind == "text" else self.painter.spec()

    def requests(self) -> int:
        """Requests that would have cost money."""
        return self.writer.calls + self.painter.calls


@contextmanager
def loopback_models(pipeline: str, answers: Mapping[str, Answer], packs: tuple[str, ...] = ()) -> Iterator[LoopbackModels]:
    """Models that answer the prompts of a pipeline."""
    script = scripted(find_pipeline(pipeline).folder / "prompts", answers, packs)
    with JudgeServer(script, keep=False) as writer, OpenAIServer(_painted, draws=True, keep=False) as painter:
        yield LoopbackModels(writer, painter, script)


def _painted(seen: Seen) -> PictureReply:
    """A drawing of the prompt; an edit is the input in negative."""
    return PictureReply() if seen.pictures else PictureReply(encode_png(blotches(seen.instruction, SIDE, SIDE)))


def begun(pipeline: str, folder: Path, models: LoopbackModels, settings: Mapping[str, Any], **inputs: Any) -> Path:
    """A folder with the plan of a pipeline, its inputs and models; ``settings`` go to places of the plan."""
    found = find_pipeline(pipeline)
    specs = {one.name: models.spec(one.kind) for one in found.models}
    plan = start_pipeline(found, folder, inputs, specs)
    given = read_inputs(folder)
    write_inputs(folder, pipeline, given["models"], {**given["set"], **settings})
    return plan
