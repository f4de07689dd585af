"""Rubrics by name, with options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from editscope.errors import BadInput, unknown
from editscope.outside import kind_of
from editscope.plugins import one_sentence
from editscope.scoring.rubrics.accounting import Release
from editscope.scoring.rubrics.base import Rubric
from editscope.suites.registry import benchmarks, known_benchmark, split_spec


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
    plain, written = split_spec(name)
    record = known_benchmark(plain)
    if record is None or not record.rubric:
        raise unknown("protocol", plain, rubric_names())
    both = {**written, **options}
    given = {name.replace("-", "_"): value for name, value in both.items() if value is not None}
    for option in record.options:
        if option.values and option.type == "text" and option.name in given:
            given[option.name] = option.known(str(given[option.name]), f" of protocol {plain}")
    with one_sentence(f"protocol {plain} ({record.rubric}) could not be made"):
        rubric = record.part("rubric")(**given)
    if not isinstance(rubric, Rubric):
        raise BadInput(f"protocol {plain} ({record.rubric}) is {kind_of(rubric)}, not an editscope.Rubric")
    rubric.name = plain
    return rubric


def prompts_folder(protocol: str) -> Path | None:
    """Where the prompts of a protocol lie, whoever brings it; None where it has none, or is not a suite's.

    >>> prompts_folder("kris").name, prompts_folder("audit")
    ('prompts', None)
    """
    record = known_benchmark(protocol)
    folder = None if record is None else record.prompts
    return folder if folder is not None and any(folder.glob("*.txt")) else None


def released_tool(protocol: str) -> Release | None:
    """How the authors' tool of a protocol counts; None where nobody released one.

    >>> released_tool("rise").failed
    'unscored'
    """
    record = known_benchmark(protocol)
    return None if record is None else record.release
