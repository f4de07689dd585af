"""Steps that ask a model for texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from editscope.errors import BadInput
from editscope.factory.records import BLOB, Record
from editscope.factory.rules import RULES_VERSION, Breach
from editscope.factory.steps.base import Outcome, RecordStep, StepFailed, dropped, kept
from editscope.factory.steps.linting import as_lines, as_reason, text_check
from editscope.factory.steps.tools import Tools
from editscope.judges import Picture
from editscope.judges.prompts.packs import load_pack
from editscope.judges.prompts.promptfile import Prompt, read_prompt
from editscope.judges.records import ask_judge

REMARKS = "remarks"
"""The word of a prompt that gets the rules that the last try broke."""


class AskStep(RecordStep):
    """Ask a model with a prompt, and take what it writes into fields.

    ``prompt`` is a file beside the plan, or ``pack/name`` of a pack that ships. ``words`` and ``pictures`` say which
    field fills which place of the prompt, where the names differ; ``into`` says which field gets which part of the
    reply. A model that declines drops the record; a reply that cannot be read, or none, leaves it pending.

    With ``rules = { subject = "motion_caption", fields = { text = "motion", law = "law" } }`` what the model writes is
    checked by code. Where it breaks a rule the model is asked again, ``tries`` times in all; the word ``remarks?`` of
    the prompt, where it has that place, says what was wrong. A text that still breaks a rule drops the record.
    """

    kind = "map"
    settings_of: ClassVar = {
        "model": "",
        "prompt": "",
        "words": {},
        "pictures": {},
        "into": {},
        "rules": {},
        "tries": 2,
    }
    decisive = ("rules", "prompt", "model")
    models: ClassVar = {"model": "text"}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        for needed in ("model", "prompt"):
            if not self.settings[needed]:
                raise BadInput(f"step {name!r} names no {needed}; write: {needed} = '…'")
        if self.settings["tries"] < 1:
            raise BadInput(f"step {name!r}: tries is {self.settings['tries']}; write a whole number from 1")
        self._check = text_check(rules, f"step {name!r}, rules") if (rules := self.settings["rules"]) else None
        self._prompt: Prompt | None = None

    def begin(self, tools: Tools) -> None:
        """Read the prompt, and find out which fields it needs."""
        self._read(tools.folder)

    def _read(self, folder: Path) -> Prompt:
        if self._prompt is None:
            self._prompt = find_prompt(str(self.settings["prompt"]), folder)
            if self._check and any(place.name == REMARKS and not place.optional for place in self._prompt.words):
                raise BadInput(f"{self._prompt.origin}: the first try has no remarks; write '{REMARKS}?' under words")
            if not self.reads:
                places = [("words", place.name) for place in self._prompt.words if not self._is_ours(place.name)]
                places += [("pictures", place.name) for place in self._prompt.pictures]
                shown = [str(self.settings[kind].get(name, name)) for kind, name in places]
                self.reads = tuple(dict.fromkeys([*shown, *self._also_checked(self._prompt)]))
        return self._prompt

    def _is_ours(self, word: str) -> bool:
        """Whether the step itself fills a word: the remarks of rules."""
        return word == REMARKS and self._check is not None

    def _also_checked(self, prompt: Prompt) -> list[str]:
        """Fields that rules look at and the model does not write, such as the law of a caption."""
        into = self.settings["into"]
        names = [field.name for field in prompt.schema.fields] or [prompt.schema.reason]
        written = {str(into.get(name, name)) for name in names}
        return [name for name in self._check.reads if name not in written] if self._check else []

    def identity(self) -> Any:
        """The settings, the hash of the prompt, and the version of the rules where there are any."""
        assert self._prompt is not None
        settings = dict(self.settings)
        if self._check is None:  # a step without rules is the same step as before there were any
            del settings["rules"], settings["tries"]
        known = [self.kind, *super().identity()[1:3], settings, self.reads, self._prompt.hash]
        return [*known, RULES_VERSION] if self._check else known

    async def run(self, record: Record, tools: Tools) -> Outcome:
        """Ask about a record, again where the reply breaks rules."""
        cost, attempts = 0.0, 0
        found: list[Breach] = []
        notes: dict[str, Any] = {}
        for number in range(self.settings["tries"] if self._check else 1):
            one = await self._ask(record, tools, found, number, (cost, attempts))
            cost, attempts = one.cost_usd, one.attempts
            if one.dropped:
                return one
            notes = {**one.notes, **({"tries": number + 1} if number else {})}
            found = self._check.breaches({**record.fields, **one.parts[0]}) if self._check else []
            if not found:
                return kept(*one.parts, notes=notes, cost_usd=cost, attempts=attempts)
        return dropped(as_reason(found), {**notes, "breaches": as_lines(found)}, cost, attempts)

    async def _ask(
        self, record: Record, tools: Tools, found: list[Breach], number: int, before: tuple[float, int]
    ) -> Outcome:
        """One try. ``before`` is what the tries before it cost, and how many attempts they took."""
        prompt, model = self._read(tools.folder), tools.model(str(self.settings["model"]))
        words = self._words(prompt, record)
        if found:
            words[REMARKS] = "\n".join(f"- {line}" for line in as_lines(found))
        call = prompt.call(self.name, self._pictures(prompt, record, tools), words)
        if found and all(place.name != REMARKS for place in prompt.words):
            call = replace(call, temperature=None)  # the same words at temperature 0 would get the same reply
        verdict = await ask_judge(model, call, number)
        cost, attempts = before[0] + (verdict.usage.cost_usd or 0.0), before[1] + verdict.usage.attempts
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
            if self._is_ours(place.name):
                continue
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
