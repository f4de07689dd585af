"""Rubrics by name, with options."""

from __future__ import annotations

from importlib import import_module
from typing import Any
from urllib.parse import parse_qsl

from editscope.errors import unknown
from editscope.scoring.rubrics.base import Rubric

_WHERE = {
    "inedit": "inedit.rubric:InEditRubric",
    "kris": "kris.rubric:KrisRubric",
    "own": "own.rubric:OwnRubric",
    "picabench": "picabench.rubric:PicaBenchRubric",
    "rise": "rise.rubric:RiseRubric",
    "wiseedit": "wiseedit.rubric:WiseEditRubric",
    "worldedit": "worldedit.rubric:WorldEditRubric",
}


def rubric_names() -> tuple[str, ...]:
    """The protocols that there are.

    >>> rubric_names()
    ('inedit', 'kris', 'own', 'picabench', 'rise', 'wiseedit', 'worldedit')
    """
    return tuple(_WHERE)


def load_rubric(name: str, **options: Any) -> Rubric:
    """A rubric by name, with its options as arguments or as ``name?option=value&…``.

    >>> load_rubric("picabench?instruction=1", region="whole").options
    {'region': 'whole', 'instruction': True}
    """
    plain, _, query = name.partition("?")
    if plain not in _WHERE:
        raise unknown("protocol", plain, _WHERE)
    module, _, made = _WHERE[plain].partition(":")
    rubric: Rubric = getattr(import_module(f"editscope.suites.{module}"), made)(
        **{**dict(parse_qsl(query, keep_blank_values=True)), **options}
    )
    return rubric
