"""The step that lets an editor change the pictures of a record."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from editscope.documents import read_json
from editscope.errors import BadInput, EditscopeError
from editscope.factory.models.base import MadeMedia
from editscope.factory.models.editors import edit_once
from editscope.factory.records import Record, digest
from editscope.factory.steps.base import Outcome, StepFailed
from editscope.factory.steps.making import MakingStep, blobs_of, pixels_of, text_of
from editscope.factory.steps.tools import Tools
from editscope.files import SETTINGS, read_file
from editscope.outside import one_line
from editscope.runfolder.files import write_whole

TURNS = "turns"
"""The folder in a build for edits that are done in part."""


class EditStep(MakingStep):
    """Let an editor follow the instruction of a record.

    ``pictures`` are the fields with the input pictures, in order. ``turns`` is a field with a list of instructions to
    follow instead of ``instruction``, each on the result of the one before; a build that was interrupted between two
    does not pay for the first again.
    """

    settings_of: ClassVar = {
        "model": "",
        "pictures": ["picture"],
        "instruction": "instruction",
        "turns": "",
        "into": "edit",
    }
    decisive = ("model", "pictures", "instruction")
    models: ClassVar = {"model": "editor"}
    verb: ClassVar[str] = "edit"

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        fields = self.settings["pictures"]
        if not fields or not all(isinstance(field, str) for field in fields):
            raise BadInput(f"step {name!r}: pictures is {fields!r}; write names of fields: pictures = ['picture']")

    def fields_read(self) -> Sequence[str]:
        """The pictures, and the instruction or the turns."""
        return [*map(str, self.settings["pictures"]), str(self.settings["turns"] or self.settings["instruction"])]

    async def run(self, record: Record, tools: Tools) -> Outcome:
        """Edit a record's pictures."""
        model = self.model(tools)
        blobs = [blob for field in self.settings["pictures"] for blob in blobs_of(record, str(field), self.name)]
        instructions = self._instructions(record)
        done = _DoneTurns(tools, [self.name, model.spec, record.id, blobs, instructions])
        spent, attempts = 0.0, 0
        made, first = MadeMedia(), done.read()
        if first:
            made = MadeMedia(tools.blobs.get(done.picture))
            blobs = [done.picture, *blobs[1:]]
        for number in range(first, len(instructions)):
            seed = tools.number(self.name, record.id, *([str(number)] if number else []))
            try:
                made = await model.call(partial(_edited, tools, blobs, instructions[number], seed, record.id))
            except StepFailed as failed:
                raise StepFailed(str(failed), spent + failed.cost_usd, attempts + failed.attempts) from failed
            except EditscopeError:
                raise
            except Exception as error:
                raise StepFailed(one_line(error), spent, attempts + 1) from error
            spent, attempts = spent + made.cost_usd, attempts + made.attempts
            if made.status != "ok":
                break
            if number + 1 < len(instructions):
                blobs = [tools.blobs.put(made.data, made.kind), *blobs[1:]]
                done.write(number + 1, blobs[0])
        notes = {
            "seed": tools.number(self.name, record.id),
            "turns": len(instructions) if self.settings["turns"] else 0,
        }
        whole = MadeMedia(made.data, made.kind, made.status, made.reason, spent, attempts, made.model, made.notes)
        outcome = self.kept_media(whole, model, tools, notes)
        done.forget()
        return outcome

    def _instructions(self, record: Record) -> list[str]:
        if not self.settings["turns"]:
            return [text_of(record, str(self.settings["instruction"]))]
        field = str(self.settings["turns"])
        turns = record.fields.get(field)
        turns = [turns] if isinstance(turns, str) else turns
        if not isinstance(turns, list) or not turns or not all(isinstance(one, str) and one.strip() for one in turns):
            raise StepFailed(f"the record has no list of instructions in {field!r}")
        return turns


class _DoneTurns:
    """The turns of a record that are done while others are not: a small file in the folder of the build."""

    def __init__(self, tools: Tools, about: list[Any]) -> None:
        self.path: Path = tools.build / TURNS / f"{digest(about).hex()}.json"
        self.picture: Mapping[str, Any] = {}
        self._blobs = tools.blobs

    def read(self) -> int:
        """How many turns are done; ``picture`` is then what they made."""
        try:
            kept = read_json(read_file(self.path, SETTINGS))
            done, self.picture = int(kept["done"]), kept["picture"]
            return done if self._blobs.path(self.picture).is_file() else 0
        except (OSError, ValueError, KeyError, TypeError, BadInput):
            return 0

    def write(self, done: int, picture: Mapping[str, Any]) -> None:
        """Note that so many turns are done."""
        write_whole(self.path, json.dumps({"done": done, "picture": dict(picture)}).encode())

    def forget(self) -> None:
        """The last turn is done."""
        self.path.unlink(missing_ok=True)


def _edited(
    tools: Tools, blobs: Sequence[Mapping[str, Any]], instruction: str, seed: int, name: str, editor: Any
) -> MadeMedia:
    return edit_once(editor, tuple(pixels_of(tools, blob) for blob in blobs), instruction, seed, name)
