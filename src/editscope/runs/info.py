"""The run.json of a run: what was asked and with what, so that it can be read, checked and resumed later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from editscope import __version__
from editscope.cases import Aggregation, Group
from editscope.errors import BadInput
from editscope.runs.disk import write_whole

Info: TypeAlias = dict[str, Any]
"""The content of run.json."""

FORMAT = 1
FILE = "run.json"


def read_info(folder: Path) -> Info:
    """The run.json of a run folder, if it is one that this version understands."""
    path = folder / FILE
    if not folder.exists():
        raise BadInput(f"{folder} is not a run: there is no such folder")
    if not path.is_file():
        raise BadInput(f"{folder} is not a run: it holds no {FILE}")
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
        found = info["format"]
        for key in ("suite", "selection", "editor", "seed", "aggregation", "settings"):
            _ = info[key]
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} cannot be read ({type(error).__name__}: {error}); it is not a run of Editscope"
        ) from error
    if not isinstance(found, int) or found > FORMAT:
        wrote = info.get("editscope", "a newer version")
        raise BadInput(
            f"{path} has format {found}, written by editscope {wrote}; this is {__version__} and reads "
            f"up to format {FORMAT}: upgrade with pip install --upgrade editscope"
        )
    return dict(info)


def add_to_judging(folder: Path, found: Mapping[str, Any]) -> Info:
    """Add to the run.json of a run what has become known of its judging; the new content."""
    info = read_info(folder)
    info["judging"] |= found
    write_whole(folder / FILE, info_json(info))
    return info


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
    }


def _group_json(group: Group) -> dict[str, Any]:
    """A group as run.json holds it; strata of its own only where it has some."""
    return {name: value for name, value in asdict(group).items() if value is not None}


def info_json(info: Info) -> bytes:
    """The bytes of run.json."""
    return (json.dumps(info, indent=2, ensure_ascii=False) + "\n").encode()
