"""Rubrics by name, with options."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

from editscope.errors import unknown
from editscope.scoring.rubrics.accounting import Release
from editscope.scoring.rubrics.base import Rubric
from editscope.suites.registry import benchmarks, known_benchmark


def rubric_names() -> tuple[str, ...]:
    """The protocols that there are.

    >>> "own" in rubric_names(), "paintbench" in rubric_names()
    (True, False)
    """
    return tuple(sorted(record.name for record in benchmarks() if record.rubric))


def load_rubric(name: str, **options: Any) -> Rubric:
    """A rubric by name, with its options as arguments or as ``name?option=value&…``.

    >>> load_rubric("picabench?instruction=1", region="whole").options
    {'region': 'whole', 'instruction': True}
    """
    plain, _, query = name.partition("?")
    record = known_benchmark(plain)
    if record is None or not record.rubric:
        raise unknown("protocol", plain, rubric_names())
    rubric: Rubric = record.part("rubric")(**{**dict(parse_qsl(query, keep_blank_values=True)), **options})
    rubric.name = plain
    return rubric


def released_tool(protocol: str) -> Release | None:
    """How the authors' tool of a protocol counts; None where nobody released one.

    >>> released_tool("rise").failed
    'unscored'
    """
    record = known_benchmark(protocol)
    return None if record is None else record.release
