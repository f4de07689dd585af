"""Addresses inside the page: from any figure to the cases behind it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from editscope.report.model import RunView


def cases_query(
    tags: Mapping[str, str] | None = None,
    *,
    view: RunView | None = None,
    failure: str | None = None,
    case_id: str | None = None,
) -> str:
    """What follows ``#cases?``: tags, a failure mode, a run by its letter, or one case by its id.

    >>> cases_query({"task": "border"}, failure="no_output")
    'task=border&failure=no_output'
    """
    parts = dict(tags or {})
    if failure is not None:
        parts["failure"] = failure
    if view is not None:
        parts["run"] = view.letter
    if case_id is not None:
        parts["case"] = case_id
    return "&".join(f"{quote(str(name), safe='')}={quote(str(value), safe='/')}" for name, value in parts.items())


def cases_link(
    tags: Mapping[str, str] | None = None,
    *,
    view: RunView | None = None,
    failure: str | None = None,
    case_id: str | None = None,
) -> str:
    """The address of some cases in the gallery of the page.

    >>> cases_link({"task": "a b"}), cases_link(case_id="border/000")
    ('#cases?task=a%20b', '#cases?case=border/000')
    """
    return f"#cases?{cases_query(tags, view=view, failure=failure, case_id=case_id)}"
