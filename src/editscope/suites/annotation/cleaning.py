"""Cleaning of what a page sends: only fields of the form, each of its kind, every text one that a file can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.outside import is_text
from editscope.suites.annotation.form import AnnotationForm, FormField
from editscope.suites.datafolder.rows import kind as kind_of

LONGEST = 200_000
"""Characters of one text."""
MOST_ENTRIES = 2_000
"""Entries of one list, such as regions."""
LARGEST = 1e7
"""The largest number that a coordinate can be."""


def cleaned(form: AnnotationForm, values: Any) -> dict[str, Any]:
    """Values as they may be kept; BadInput that names the field where they are not of its kind."""
    if not isinstance(values, dict):
        raise BadInput(f"values is a {kind_of(values)}, not an object of fields")
    known = [field.name for field in form.fields]
    for name in values:
        if name not in known:
            raise unknown("field", str(name), known)
    return {
        field.name: _KINDS[field.kind](field, values[field.name]) if field.name in values else field.empty
        for field in form.fields
    }


def bounds(points: list[list[float]]) -> list[float]:
    """The box around a polygon: x, y, width and height.

    >>> bounds([[2, 1], [6, 3], [4, 9]])
    [2, 1, 4, 8]
    """
    left, top = min(x for x, _ in points), min(y for _, y in points)
    return [left, top, max(x for x, _ in points) - left, max(y for _, y in points) - top]


def _text(field: FormField, value: Any) -> str:
    if not isinstance(value, str):
        raise BadInput(f"field {field.name!r} holds a {kind_of(value)} where a text belongs")
    if not is_text(value):
        raise BadInput(f"field {field.name!r} holds a NUL or half of a character; write it again")
    if len(value) > LONGEST:
        raise BadInput(f"field {field.name!r} has {len(value):,} characters; a text has at most {LONGEST:,}")
    return value


def _list(field: FormField, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadInput(f"field {field.name!r} holds a {kind_of(value)} where a list belongs")
    if len(value) > MOST_ENTRIES:
        raise BadInput(f"field {field.name!r} has {len(value):,} entries; at most {MOST_ENTRIES:,} make sense")
    return value


def _objects(field: FormField, value: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    entries = []
    for entry in _list(field, value):
        if not isinstance(entry, dict):
            raise BadInput(f"field {field.name!r} has an entry that is a {kind_of(entry)}, not an object")
        made: dict[str, Any] = {name: _text(field, entry.get(name, "")) for name in names}
        if rest := _rest(field, entry.get("rest")):
            made["rest"] = rest
        entries.append(made)
    return entries


def _rest(field: FormField, value: Any) -> dict[str, Any]:
    """What a file says about an entry besides what the form asks for; it comes back from a page as it went."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadInput(f"field {field.name!r} has a rest that is a {kind_of(value)}, not an object")
    made: dict[str, Any] = _fit(field, value, 0)
    return made


def _fit(field: FormField, value: Any, depth: int) -> Any:
    if depth > 16:
        raise BadInput(f"field {field.name!r} is nested too deep")
    if isinstance(value, str):
        return _text(field, value)
    if isinstance(value, list):
        return [_fit(field, one, depth + 1) for one in value]
    if isinstance(value, Mapping):
        return {_text(field, str(name)): _fit(field, one, depth + 1) for name, one in value.items()}
    return value if value is None or isinstance(value, bool) else _number(field, value)


def _number(field: FormField, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or abs(value) > LARGEST:
        raise BadInput(f"field {field.name!r} has a coordinate that is not a number of a picture")
    return value


def _regions(field: FormField, value: Any) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    seen: set[str] = set()
    for entry in _objects(field, value, ("id",)):
        source = value[len(made)]
        if not entry["id"] or entry["id"] in seen:
            raise BadInput(f"field {field.name!r} has a region without an id of its own")
        seen.add(entry["id"])
        points = _list(field, source.get("points") or [])
        if points:
            corners = [[_number(field, n) for n in _pair(field, point)] for point in points]
            if len(corners) < 3:
                raise BadInput(f"field {field.name!r} has a polygon with fewer than three corners")
            entry |= {"box": bounds(corners), "points": corners}
        else:
            box = [_number(field, n) for n in _list(field, source.get("box"))]
            if len(box) != 4 or box[2] < 0 or box[3] < 0:
                raise BadInput(f"field {field.name!r} has a region whose box is not x, y, width and height")
            entry["box"] = box
        made.append(entry)
    return made


def _pair(field: FormField, point: Any) -> list[Any]:
    if not isinstance(point, list) or len(point) != 2:
        raise BadInput(f"field {field.name!r} has a corner that is not a pair of numbers")
    return point


_KINDS: Mapping[str, Callable[[FormField, Any], Any]] = {
    "text": _text,
    "long": _text,
    "choice": _text,
    "texts": lambda field, value: [_text(field, one) for one in _list(field, value)],
    "checklist": lambda field, value: _objects(field, value, ("title", "description")),
    "named": lambda field, value: _objects(field, value, ("name", "text")),
    "pictures": lambda field, value: _objects(field, value, ("path", "role")),
    "regions": _regions,
    "questions": lambda field, value: _objects(field, value, ("question", "answer", "category", "region")),
}
