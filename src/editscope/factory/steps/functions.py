"""Steps that call a function of yours."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from editscope.errors import BadInput
from editscope.factory.records import Record
from editscope.factory.steps.base import KINDS, Kind, Outcome, PlainStep, StepFailed, dropped, kept
from editscope.factory.steps.tools import Tools
from editscope.images import decode, encode_png
from editscope.python_class import FUNCTION, KIND, find_object, source_hash


class FunctionStep(PlainStep):
    """A function of yours: ``function = "python:my_steps:tidy"``, called with the fields and the other settings.

    A ``map`` returns fields to add, an ``expand`` a list of them, a ``filter`` the reason to drop the record, or "".
    Fields that ``pictures`` names come as arrays (height × width × 3, 8 bits), and arrays that it returns become
    pictures. It runs in other processes, several records at once. Where the file of the function changes, its records
    are made again; raise ``version`` where something else changes that it depends on.
    """

    kind: Kind = "map"
    in_process = True
    settings_of: ClassVar = {"function": "", "kind": "map", "version": 1, "pictures": []}
    open_settings: ClassVar = True

    def __init__(self, name: str, settings: Mapping[str, Any], reads: Sequence[str] = ()) -> None:
        super().__init__(name, settings, reads)
        if self.settings["kind"] not in KINDS[:3]:
            raise BadInput(f"step {name!r}: its kind is {self.settings['kind']!r}; choose from {', '.join(KINDS[:3])}")
        self.kind = self.settings["kind"]
        if not str(self.settings["function"]).startswith(f"{KIND}:"):
            raise BadInput(f"step {name!r} names no function; write: function = 'python:my_steps:tidy'")
        self.decisive = [key for key in self.settings if key not in self.settings_of] or ["function"]
        function = self._function()
        self._check_settings(function)
        self._file = source_hash(function)

    def identity(self) -> Any:
        """The settings, and a hash of the file that the function is in."""
        return [*super().identity(), self._file]

    def _function(self) -> Any:
        found = find_object(FUNCTION, str(self.settings["function"]).removeprefix(f"{KIND}:"))
        if not callable(found):
            raise BadInput(f"step {self.name!r}: {self.settings['function']} is not a function")
        return found

    def _check_settings(self, function: Any) -> None:
        """Refuse settings that the function does not take, before a record is made."""
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):  # a function of C may not tell
            return
        options = {key: None for key in self.settings if key not in self.settings_of}
        try:
            signature.bind({}, **options)
        except TypeError as error:
            raise BadInput(
                f"step {self.name!r}: {self.settings['function']} cannot be called with the fields and "
                f"{', '.join(options) or 'no settings'}: {error}"
            ) from error

    def apply(self, record: Record, tools: Tools) -> Outcome:
        """What the function makes of the fields."""
        options = {key: value for key, value in self.settings.items() if key not in self.settings_of}
        fields = dict(record.fields)
        for name in self.settings["pictures"]:
            if name not in fields:
                raise StepFailed(f"the function needs the picture {name!r}, which the record does not have")
            fields[name] = decode(tools.blobs.get(fields[name]), name=name).pixels
        made = self._function()(fields, **options)
        if self.kind == "filter":
            return dropped(str(made)) if made else kept()
        if self.kind == "expand":
            if not isinstance(made, list | tuple) or not all(isinstance(part, Mapping) for part in made):
                raise StepFailed("the function did not return a list of fields")
            return Outcome(tuple(_kept(part, tools) for part in made)) if made else dropped("nothing to expand")
        if not isinstance(made, Mapping):
            raise StepFailed("the function did not return fields")
        return kept(_kept(made, tools))


def _kept(fields: Mapping[str, Any], tools: Tools) -> dict[str, Any]:
    """Fields as a record keeps them: arrays as pictures, NumPy's numbers as plain ones."""
    made: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, np.ndarray) and value.ndim == 3:
            try:
                value = tools.blobs.put(encode_png(value))
            except BadInput as error:
                raise StepFailed(f"the function returned no picture in {name!r}: {error}") from error
        elif isinstance(value, np.generic):
            value = value.item()
        made[name] = value
    try:
        json.dumps(made)
    except (TypeError, ValueError, RecursionError) as error:
        raise StepFailed(
            f"the function returned what a record cannot hold: {error}; return texts and numbers"
        ) from error
    return made
