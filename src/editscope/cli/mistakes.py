"""Mistakes in options that the parser of the command line finds, each in a sentence with the fix."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any

import typer

from editscope.cli.repeated_options import values_of
from editscope.errors import BadInput

NUMBERS = {
    "valid integer": (int, "a whole number"),
    "valid number": (float, "a number"),
    "valid float": (float, "a number"),
}
"""How the parser says that a value is not a number, and what we call such a number."""
NEAR = 0.7

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""The parser's base class of mistakes; Typer brings a parser of its own or uses Click."""


def in_words(error: Exception, command: Any, path: str, args: Sequence[str]) -> BadInput | None:
    """A mistake that the parser found, as our error; None where the parser's own words are good enough."""
    known = [name for one in command.params for name in (*one.opts, *one.secondary_opts) if name.startswith("--")]
    wrong = getattr(error, "option_name", None)
    if wrong and wrong not in known and len(wrong) > 2:
        near = difflib.get_close_matches(wrong, known, n=1, cutoff=NEAR)
        hint = f"did you mean {near[0]}?" if near else f"`{path} --help` lists what there is"
        return BadInput(f"there is no option {wrong}; {hint}")
    option = getattr(error, "param", None)
    kind = next((kind for words, kind in NUMBERS.items() if words in str(getattr(error, "message", ""))), None)
    if option is None or kind is None or option.param_type_name != "option":
        return None
    number, called = kind
    for value in values_of([*option.opts, *option.secondary_opts], list(args)):
        try:
            number(value)
        except ValueError:
            return BadInput(f"{max(option.opts, key=len)} must be {called}, not {value!r}")
    return None
