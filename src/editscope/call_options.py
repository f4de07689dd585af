"""Options for a callable, checked by its signature before it is called: names that it takes, values that fit."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from editscope.errors import BadInput, unknown

WANTED: Mapping[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "a text",
    Path: "a path",
    None: "none",
    type(None): "none",
}
"""The types that a spec can give a value of, in words. Other annotations are not checked."""


def check_options(owner: str, where: str, call: Callable[..., Any], options: Mapping[str, Any], first: int = 0) -> None:
    """Raise BadInput for an option that a callable does not take, or whose value is not what its annotation says.

    ``owner`` is whose options they are ("MyEditor"), ``where`` the whole spec. The first ``first``
    parameters are not options. A callable that takes any name, or says nothing of itself, is not checked by name.
    """
    try:
        parameters = dict(list(inspect.signature(call).parameters.items())[first:])
    except (TypeError, ValueError):
        return
    named = {name: one for name, one in parameters.items() if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
    hints = _hints(call)
    for name, value in options.items():
        if name not in named:
            if open_ended:
                continue
            raise (
                unknown("option", name, named, of=owner)
                if named
                else BadInput(f"{where} takes no options, but got {name!r}")
            )
        if not fits(value, hints.get(name, Any)):
            raise BadInput(f"{where}, option {name}: {value!r} is not {in_words(hints[name])}")


def fits(value: Any, hint: Any) -> bool:
    """Whether a value of a spec is of an annotated type; yes for annotations that say nothing about such values.

    >>> fits(4, int), fits("four", int), fits(4, float), fits(1, bool), fits("row", Literal["row", "grid"])
    (True, False, True, True, True)
    >>> fits("four", int | None), fits(True, int), fits(3, str), fits([], dict[str, int])
    (False, False, True, True)
    """
    if get_origin(hint) in (Union, types.UnionType):
        return any(fits(value, one) for one in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if hint is bool:
        return value in (True, False)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return hint is not type(None) or value is None


def in_words(hint: Any) -> str:
    """What an annotated type takes.

    >>> in_words(int | None), in_words(Literal["row", "grid"]), in_words(bool | float)
    ('a whole number', 'one of row, grid', 'true or false, or a number')
    """
    if get_origin(hint) in (Union, types.UnionType):
        return ", or ".join(in_words(one) for one in get_args(hint) if one is not type(None))
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    return WANTED.get(hint) or str(getattr(hint, "__name__", hint))


def _hints(call: Callable[..., Any]) -> dict[str, Any]:
    """The annotations of a callable, or of the constructor of a class; none where they cannot be read."""
    target = call.__init__ if inspect.isclass(call) else call
    try:
        return get_type_hints(target)
    except Exception:  # a name that is not there when the program runs
        return {}
