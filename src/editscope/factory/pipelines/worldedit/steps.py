"""Objects paired with modes of change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from editscope.errors import BadInput, unknown
from editscope.factory.records import Record
from editscope.factory.steps.base import Outcome, PlainStep, kept
from editscope.factory.steps.tools import Tools
from editscope.factory.words.causes import shipped_cause_words
from editscope.factory.words.entries import name_key


class PairModesStep(PlainStep):
    """A record for each mode that an object is paired with: at most ``most`` of ``modes``, all where it is 0.

    For an object of the dictionary only modes that are plausible there are drawn; for others all are possible, and a
    model sorts them out afterward. Which are drawn depends on the plan's seed and on the record.
    """

    kind = "expand"
    settings_of: ClassVar = {"object": "object", "modes": [], "most": 3}

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        known = shipped_cause_words().modes
        for mode in self.settings["modes"]:
            if mode not in known:
                raise unknown("mode", str(mode), known, of=f"step {name!r}")
        if self.settings["most"] < 0:
            raise BadInput(f"step {name!r}: most is {self.settings['most']}; write a whole number from 0, for all")

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """The pairs of a record."""
        words = shipped_cause_words()
        wanted = self.settings["modes"] or list(words.modes)
        named = name_key(str(record.fields.get(self.settings["object"], "")))
        thing = next((one for one in words.objects if name_key(one.name) == named), None)
        modes = [mode for mode in wanted if thing is None or mode in thing.causes] or wanted
        drawn = tools.dice(self.name, record.id).sample(modes, min(self.settings["most"] or len(modes), len(modes)))
        return kept(*({"mode": mode, "mode_about": words.modes[mode]} for mode in modes if mode in drawn))
