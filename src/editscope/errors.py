"""Every error that Editscope raises on purpose, with the sentence a person needs to fix it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

MOST_LISTED = 60


class EditscopeError(Exception):
    """Base of all errors raised on purpose. The message is one sentence that names cause and fix."""


class BadInput(EditscopeError):
    """Something that the user gave cannot be used; nothing was spent. The command line exits with 2."""


class NotAgreed(BadInput):
    """Nobody has agreed to spend money; nothing was spent."""


class BadImage(BadInput):
    """An image that cannot be decoded within the limits."""


class Stopped(EditscopeError):
    """Work stopped early and can be resumed. The command line exits with 3."""

    unfinished: Any = None
    """Of a judge call that stopped between two attempts: a verdict without an answer, with what the attempts cost."""


def unknown(what: str, name: str, known: Iterable[str], of: str = "") -> BadInput:
    """The error for a name that does not exist, with the nearest one that does; ``of`` is what it would belong to.

    >>> str(unknown("task", "bordr", ["border", "removal"]))
    "there is no task 'bordr'; did you mean 'border'? (known: border, removal)"
    >>> str(unknown("option", "speed", ["size"], of="MyEditor"))
    "there is no option 'speed' of MyEditor (known: size)"
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    owner = f" of {of}" if of else ""
    listed = ", ".join(names) if len(names) <= MOST_LISTED else f"{names[0]} … {names[-1]}, {len(names):,} in all"
    return BadInput(f"there is no {what} {name!r}{owner}{hint} (known: {listed})")
