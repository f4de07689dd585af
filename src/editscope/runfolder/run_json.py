"""The run.json of a run: what was asked and with what, so that you can read, check and resume it later."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from editscope.cases import Aggregation, Group
from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.files import write_whole
from editscope.runfolder.shapes import (
    anything,
    dict_of,
    finite,
    integer,
    list_of,
    maybe,
    number,
    one_of,
    record,
    scalar,
    text,
    whole,
)
from editscope.scoring.rubrics.accounting import ACCOUNTINGS
from editscope.version import __version__

Info: TypeAlias = dict[str, Any]
"""The content of run.json."""

FORMAT = 1
FILE = "run.json"
LISTED_RUNS = 5
"""So many runs of a folder are named in a message."""

GROUP = record({"name": text, "by": list_of(text), "over": list_of(text)}, {"strata": maybe(list_of(text))})
AGGREGATION = record(
    {
        "overall": GROUP,
        "groups": list_of(GROUP),
        "strata": list_of(text),
        "exclude": dict_of(text),
        "headline": text,
        "orders": dict_of(list_of(text)),
    },
    {"resampling": text, "unit": text},
)
MEASURE = record(
    {
        "name": text,
        "metrics": list_of(text),
        "label": text,
        "worst": finite,
        "best": finite,
        "zero": finite,
        "scale": finite,
    },
    {"note": text},
)
LIMITS = record(
    {},
    {
        **dict.fromkeys(("cache", "prices"), text),
        **dict.fromkeys(("concurrency", "retries", "max_calls"), whole),
        **dict.fromkeys(("rpm", "tpm", "judge_timeout", "max_cost"), number),
    },
)
_JUDGING = record(
    {
        "judges": list_of(text),
        "protocol": record({"name": text, "options": dict_of(anything)}),
        "prompts": record({"folder": text, "hash": text}, {"version": anything, "files": dict_of(text)}),
        "measures": list_of(MEASURE),
        "headline": text,
        "samples": whole,
        "missing": text,
        "limits": LIMITS,
    },
    {"snapshots": dict_of(dict_of(whole)), "accounting": one_of(ACCOUNTINGS)},
)


def _judging(value: Any) -> str | None:
    wrong = _JUDGING(value)
    if wrong is None and value["headline"] not in [measure["name"] for measure in value["measures"]]:
        return f".headline is {value['headline']!r}, which is none of its measures"
    for place, measure in enumerate(value["measures"] if wrong is None else ()):
        if measure["worst"] == measure["best"]:
            return f".measures[{place}].worst is {measure['worst']}, which is also its best"
    return wrong


RUN = record(
    {
        "format": whole,
        "suite": record(
            {"name": text, "options": record({}, {"root": maybe(text)}), "fingerprint": text},
            {"scoring": text, "label": text},
        ),
        "selection": record(
            {"where": maybe(dict_of(list_of(text))), "limit": maybe(whole), "n": whole, "ids_digest": text},
            {"of": whole},
        ),
        "editor": record(
            {"spec": maybe(text), "name": text},
            {
                "options": dict_of(anything),
                "cwd": maybe(text),
                "settings": dict_of(anything),
                "trained_on": text,
                "code": list_of(record({"hash": text, "file": text}, {"from": text})),
            },
        ),
        "judge": maybe(text),
        "seed": integer,
        "aggregation": AGGREGATION,
        "settings": record(
            {"timeout_s": maybe(number)}, {"repeats": whole, "edit_limits": dict_of(scalar), "budget": number}
        ),
        "files": record(
            {
                "outputs": maybe(whole),
                "missing": list_of(text),
                "unmatched": list_of(text),
                "unreadable": list_of(text),
            },
            {"digest": text},
        ),
        "versions": dict_of(text),
    },
    {"judging": maybe(_judging), "editscope": text, "created": text, "edits_of": text, "checkpoint": text},
)
"""What run.json must hold."""


def read_info(folder: Path) -> Info:
    """The run.json of a run folder, if it is one that this version understands."""
    path = folder / FILE
    if not folder.exists():
        raise BadInput(f"{folder} is not a run: there is no such folder")
    if not path.is_file():
        raise BadInput(_not_a_run(folder))
    try:
        info = read_json(read_file(path, DOCUMENT))
    except (OSError, ValueError) as error:
        raise BadInput(
            f"{path} cannot be read ({type(error).__name__}: {error}); it is not a run of Editscope"
        ) from error
    file_format = info.get("format") if isinstance(info, dict) else None
    wrong = None if type(file_format) is int and file_format > FORMAT else RUN(info)
    if wrong is not None:
        raise BadInput(f"{path}{_colon(wrong)}; it is not a run of Editscope, or was changed since")
    if type(file_format) is int and file_format > FORMAT:
        wrote = info.get("editscope", "a newer version")
        raise BadInput(
            f"{path} has format {file_format}, written by editscope {wrote}; this is {__version__} and reads "
            f"up to format {FORMAT}: upgrade with pip install --upgrade editscope"
        )
    return dict(info)


def runs_inside(folder: Path) -> list[Path]:
    """The run folders that lie in a folder which is not a run itself, in the order in which they were begun."""
    if (folder / FILE).exists() or not folder.is_dir():
        return []
    runs = [place for place in sorted(folder.iterdir()) if (place / FILE).is_file()]
    return sorted(runs, key=lambda run: str(read_info(run).get("created", "")))


def _not_a_run(folder: Path) -> str:
    runs = [shlex.quote(str(run)) for run in runs_inside(folder)]
    if not runs:
        return f"{folder} is not a run: it holds no {FILE}"
    if len(runs) == 1:
        return f"{folder} is not a run, but holds one; use {runs[0]}"
    few = ", ".join(runs[:LISTED_RUNS]) + (f" and {len(runs) - LISTED_RUNS} more" if len(runs) > LISTED_RUNS else "")
    return (
        f"{folder} is not a run, but holds {len(runs)} runs: {few}; use one of them, "
        f"or all: editscope compare {shlex.quote(str(folder))}"
    )


def _colon(wrong: str) -> str:
    return wrong if wrong.startswith(" ") else f": {wrong.removeprefix('.')}"


def add_to_judging(folder: Path, found: Mapping[str, Any]) -> Info:
    """Add to the run.json of a run what has become known of its judging; the new content."""
    info = read_info(folder)
    if {**info["judging"], **found} == info["judging"]:
        return info
    info["judging"] |= found
    write_whole(folder / FILE, info_json(info), make_folder=False)
    return info


def is_judged(info: Mapping[str, Any]) -> bool:
    """Whether judges score the run, and not pixels."""
    return bool(info.get("judging"))


def aggregation_from(info: Info) -> Aggregation:
    """The aggregation of a run, from its run.json."""
    saved = info["aggregation"]

    def group(fields: Mapping[str, Any]) -> Group:
        strata = fields.get("strata")
        own = None if strata is None else tuple(strata)
        return Group(fields["name"], tuple(fields["by"]), tuple(fields["over"]), own)

    return Aggregation(
        overall=group(saved["overall"]),
        groups=tuple(group(fields) for fields in saved["groups"]),
        strata=tuple(saved["strata"]),
        exclude=dict(saved["exclude"]),
        headline=saved["headline"],
        orders={tag: tuple(values) for tag, values in saved["orders"].items()},
        resampling=saved.get("resampling", ""),
        unit=saved.get("unit", ""),
    )


def aggregation_json(aggregation: Aggregation) -> dict[str, Any]:
    """An aggregation as run.json holds it."""
    return {
        "overall": _group_json(aggregation.overall),
        "groups": [_group_json(group) for group in aggregation.groups],
        "strata": aggregation.strata,
        "exclude": dict(aggregation.exclude),
        "headline": aggregation.headline,
        "orders": dict(aggregation.orders),
        **({"resampling": aggregation.resampling} if aggregation.resampling else {}),
        **({"unit": aggregation.unit} if aggregation.unit else {}),
    }


def _group_json(group: Group) -> dict[str, Any]:
    """A group as run.json holds it; strata of its own only where it has some."""
    return {name: value for name, value in asdict(group).items() if value is not None}


def info_json(info: Info) -> bytes:
    """The bytes of run.json."""
    return (json.dumps(info, indent=2, ensure_ascii=False) + "\n").encode()
