"""Pipelines that ship, begun in a folder with small pictures and models on loopback, as their commands begin them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.factory.inputs import read_inputs, write_inputs
from editscope.factory.pipelines.catalog import find_pipeline
from editscope.factory.pipelines.starting import start_pipeline
from editscope.images import encode_png, load
from support.factory.blotches import blotches, picture_folder
from support.factory.kills import accept_all, built_by_command, killed_and_resumed, slowly
from support.factory.pipeline_builds import built_here
from support.factory.scripted_packs import Answer, ScriptedPack, scripted
from support.pilots.pilot_reviews import BrowserReviews, as_decided
from support.servers.editor_server import Reply as PictureReply
from support.servers.editor_server import Seen
from support.servers.editor_server_chat import ChatServer
from support.servers.judge_server import JudgeServer

SIDE = 128
"""Pixels of what the models on loopback draw."""


@dataclass(frozen=True)
class LoopbackModels:
    """A model that writes and judges, and one that draws and edits."""

    writer: JudgeServer
    painter: ChatServer
    script: ScriptedPack

    def spec(self, name: str, kind: str) -> str:
        """The spec of a model of a plan; each that writes or judges is another one."""
        return self.writer.spec(f"gpt-{name}") if kind == "text" else self.painter.spec()

    def requests(self) -> int:
        """Requests that would have cost money."""
        return self.writer.calls + self.painter.calls


@contextmanager
def loopback_models(
    pipeline: str, answers: Mapping[str, Answer], packs: tuple[str, ...] = ()
) -> Iterator[LoopbackModels]:
    """Models that answer the prompts of a pipeline."""
    script = scripted(find_pipeline(pipeline).folder / "prompts", answers, packs)
    names = [f"gpt-{one.name}" for one in find_pipeline(pipeline).models if one.kind == "text"]
    with (
        JudgeServer(script, keep=False, models=names) as writer,
        ChatServer(_painted, draws=True, keep=False) as painter,
    ):
        yield LoopbackModels(writer, painter, script)


def _painted(seen: Seen) -> PictureReply:
    """A drawing of the prompt; an edit has a stripe of one in the middle of the input."""
    if not seen.pictures:
        return PictureReply(encode_png(blotches(seen.instruction, SIDE, SIDE)))
    edit = load(seen.pictures[0]).copy()
    height, width = edit.shape[:2]
    edit[height // 3 : height // 2] = blotches(seen.instruction, width, height)[height // 3 : height // 2]
    return PictureReply(encode_png(edit))


def begun(pipeline: str, folder: Path, models: LoopbackModels, settings: Mapping[str, Any], **inputs: Any) -> Path:
    """A folder with the plan of a pipeline, its inputs and models; ``settings`` go to places of the plan."""
    found = find_pipeline(pipeline)
    specs = {one.name: models.spec(one.name, one.kind) for one in found.models}
    plan = start_pipeline(found, folder, inputs, specs)
    given = read_inputs(folder)
    write_inputs(folder, pipeline, given["models"], {**given["set"], **settings})
    return plan


@dataclass(frozen=True)
class Pilot:
    """A build of some records to its end: the counts of steps, records in JSON by id, and the requests it took."""

    counts: Mapping[str, Any]
    named: Mapping[str, Mapping[str, Any]]
    requests: int

    @property
    def records(self) -> list[Mapping[str, Any]]:
        """The fields of all records."""
        return list(self.named.values())

    def outs(self) -> dict[str, int]:
        """How many records went on, for steps that dropped some or made more of them."""
        return {name: one.records_out for name, one in self.counts.items() if one.records_in != one.records_out}

    def reasons(self) -> dict[str, dict[str, int]]:
        """Why steps dropped records, for those that did."""
        return {name: dict(one.dropped) for name, one in self.counts.items() if one.dropped}


def pilot(plan: Path, models: LoopbackModels, people: BrowserReviews, limit: int = 50) -> Pilot:
    """Build to the queue of people, let them decide, and build to the end, which asks nobody again."""
    before = models.requests()
    result, _ = built_here(plan.parent, limit=limit)
    assert "wait for people at step 'review'" in result.waiting
    requests = models.requests() - before
    result, lines = built_here(plan.parent, people=people, limit=limit)
    assert not result.waiting and models.requests() - before == requests
    assert not any(one.pending for one in result.counts.values())
    named = {name: fields for name, fields, _ in map(json.loads, lines)}
    as_decided(people, "review", named)
    return Pilot(result.counts, named, requests)


def leaked(folder: Path, pictures: Sequence[str], instructions: Sequence[str] = ("Nothing of this.",)) -> str:
    """A small test suite with some pictures of ``blotches`` and some instructions, as `no_leak` names it."""
    picture_folder(folder, list(pictures))
    cases = [
        {
            "id": f"case-{number}",
            "image": f"{pictures[number % len(pictures)]}.png",
            "instruction": text,
            "mode": "time",
        }
        for number, text in enumerate([*instructions, *("Nothing of this." for _ in pictures)])
    ]
    (folder / "cases.jsonl").write_text("\n".join(map(json.dumps, cases)))
    return f"worldedit={folder}"


def survives_kills(start: Callable[[Path], Path], models: LoopbackModels, kills: int, limit: int = 12) -> None:
    """A build that is killed again and again equals one that was not, and pays twice only for what was in hand."""
    whole, killed = start(Path("whole")), start(Path("killed"))
    for plan in (whole, killed):
        in_hand = slowly(plan)
    options = ("--limit", str(limit))
    before = models.requests()
    lines = built_by_command(whole.parent, people=accept_all, options=options)
    once = models.requests() - before
    survived = killed_and_resumed(killed.parent, kills, models.requests, people=accept_all, options=options, stride=40)
    assert lines and survived.lines == lines
    assert survived.requests <= once + survived.kills * in_hand
