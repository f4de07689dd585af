"""Types of fields: what a plan says that a field holds, checked as steps produce it and kept in what is exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.factory.records import BLOB


def is_blob(value: Any, kind: str) -> bool:
    """Whether a value stands for a picture (``image``) or a video (``video``).

    >>> is_blob({"blob": "ab", "type": "image/png"}, "image"), is_blob({"blob": "ab", "type": "video/mp4"}, "image")
    (True, False)
    """
    return isinstance(value, Mapping) and BLOB in value and str(value.get("type", "")).startswith(f"{kind}/")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list | tuple) and all(map(test, value))


def _is_box(value: Any) -> bool:
    return isinstance(value, Mapping) and all(_number(value.get(side)) for side in ("x", "y", "width", "height"))


TYPES: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "text": (lambda value: isinstance(value, str), "a text"),
    "number": (_number, "a number"),
    "flag": (lambda value: isinstance(value, bool), "true or false"),
    "picture": (lambda value: is_blob(value, "image"), "a picture"),
    "video": (lambda value: is_blob(value, "video"), "a video"),
    "texts": (_list_of(lambda value: isinstance(value, str)), "a list of texts"),
    "pictures": (_list_of(lambda value: is_blob(value, "image")), "a list of pictures"),
    "boxes": (_list_of(_is_box), "a list of boxes with x, y, width and height"),
    "json": (lambda value: True, "anything"),
}
"""The types by name: a test of a value, and what messages call it."""


def check_types(types: Mapping[str, Any], where: str) -> None:
    """BadInput where a plan names a type that there is not."""
    for field, name in types.items():
        if not isinstance(name, str):
            raise BadInput(
                f"{where}: the type of the field {field!r} is {name!r}; write, for example: {field} = 'text'"
            )
        if name not in TYPES:
            raise unknown("type", name, TYPES, of=f"{where}, for the field {field!r}")


def misfit(types: Mapping[str, str], fields: Mapping[str, Any]) -> str:
    """What is wrong with the first field that does not hold what its type says; "" where all do.

    >>> misfit({"law": "text", "words": "texts"}, {"law": "optics", "words": ["a", 3]})
    "the field 'words' holds ['a', 3], which is not a list of texts"
    """
    for name, value in fields.items():
        if name in types and value is not None:
            test, wanted = TYPES[types[name]]
            if not test(value):
                return f"the field {name!r} holds {_short(value)}, which is not {wanted}"
    return ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
