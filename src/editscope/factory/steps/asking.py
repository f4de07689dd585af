"""Steps that ask a model for texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import BLOB, Record
from editscope.factory.steps.base import Outcome, RecordStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools
from editscope.judges import Picture
from editscope.judges.prompts.packs import load_pack
from editscope.judges.prompts.promptfile import Prompt, read_prompt
from editscope.judges.records import ask_judge


class AskStep(RecordStep):
    """Ask a model with a prompt, and take what it writes into fields.

    ``prompt`` is a file beside the plan, or ``pack/name`` of a pack that ships. ``words`` and ``pictures`` say which
    field fills which place of the prompt, where the names differ; ``into`` says which field gets which part of the
    reply. A model that declines drops the record; a reply that cannot be read, or none, leaves it pending.
    """

    kind = "map"
    settings_of: ClassVar = {"model": "", "prompt": "", "words": {}, "pictures": {}, "into": {}}
    models: ClassVar = {"model": "text"}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        for needed in ("model", "prompt"):
            if not self.settings[needed]:
                raise BadInput(f"step {name!r} names no {needed}; write: {needed} = '…'")
        self._prompt: Prompt | None = None

    def begin(self, tools: Tools) -> None:
        """Read the prompt, and find out which fields it needs."""
        self._read(tools.folder)

    def _read(self, folder: Path) -> Prompt:
        if self._prompt is None:
            self._prompt = find_prompt(str(self.settings["prompt"]), folder)
            if not self.reads:
                places = [("words", place.name) for place in self._prompt.words]
                places += [("pictures", place.name) for place in self._prompt.pictures]
                self.reads = tuple(str(self.settings[kind].get(name, name)) for kind, name in places)
        return self._prompt

    def identity(self) -> Any:
        """The settings, and the hash of the prompt."""
        assert self._prompt is not None
        return [*super().identity(), self._prompt.hash]

    async def run(self, record: Record, tools: Tools) -> Outcome:
        """Ask about a record."""
        prompt, model = self._read(tools.folder), tools.model(str(self.settings["model"]))
        call = prompt.call(self.name, self._pictures(prompt, record, tools), self._words(prompt, record))
        verdict = await ask_judge(model, call)
        cost, attempts = verdict.usage.cost_usd or 0.0, verdict.usage.attempts
        if verdict.status == "refused":
            return dropped(f"the model declined: {verdict.reason}", cost_usd=cost, attempts=attempts)
        if verdict.status != "ok":
            raise StepFailed(f"{verdict.status}: {verdict.reason}", cost, attempts)
        values: dict[str, Any] = dict(verdict.values) if call.schema.fields else {call.schema.reason: verdict.reason}
        into = self.settings["into"]
        notes = {"model": verdict.judge, "snapshot": verdict.snapshot, "prompt": f"{prompt.name} {prompt.hash}"}
        fields = {str(into.get(name, name)): _plain(value) for name, value in values.items()}
        return kept(fields, notes=notes, cost_usd=cost, attempts=attempts)

    def _words(self, prompt: Prompt, record: Record) -> dict[str, str]:
        named = self.settings["words"]
        words = {}
        for place in prompt.words:
            value = record.fields.get(str(named.get(place.name, place.name)))
            if value not in (None, "", [], {}):
                words[place.name] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            elif not place.optional:
                raise StepFailed(f"the prompt needs {place.name!r}, which the record does not have")
        return words

    def _pictures(self, prompt: Prompt, record: Record, tools: Tools) -> dict[str, list[Picture]]:
        named = self.settings["pictures"]
        shown: dict[str, list[Picture]] = {}
        for place in prompt.pictures:
            value = record.fields.get(str(named.get(place.name, place.name)))
            blobs = value if isinstance(value, list) else [] if value is None else [value]
            if not all(isinstance(blob, Mapping) and BLOB in blob for blob in blobs) or not (blobs or place.optional):
                raise StepFailed(f"the prompt needs the picture {place.name!r}, which the record does not have")
            if blobs:
                shown[place.name] = [Picture(tools.blobs.get(blob), str(blob["type"])) for blob in blobs]
        return shown


def find_prompt(name: str, folder: Path) -> Prompt:
    """A prompt by the name of its pack and its own, or a file of a plan."""
    if name.endswith(".txt"):
        return read_prompt(folder / name)
    pack, slash, prompt = name.partition("/")
    if not slash:
        raise BadInput(f"the prompt {name!r} is neither a file (prompts/name.txt) nor of the form pack/name")
    return load_pack(pack)[prompt]


def _plain(value: Any) -> Any:
    return "Yes" if value is True else "No" if value is False else value
