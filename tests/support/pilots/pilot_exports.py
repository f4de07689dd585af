"""Exports of pilots, checked: typed features, pictures that decode, splits that divide no source, runs that score."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from drills.counts import times
from editscope.factory.engine.build import Build
from editscope.factory.output.export import export
from editscope.factory.plan import read_plan
from support.command_line import Called
from support.servers.judge_server import KEY, JudgeServer

TYPES = {
    "text": "string",
    "json": "string",
    "whole": "int64",
    "picture": "Image",
    "pictures": "[Image]",
    "texts": "[string]",
}

CASES = times(12, 1000)
"""Cases that a judge looks at."""


@dataclass(frozen=True)
class ExportedPilot:
    """The export of a pilot, and what `datasets` loads of it: rows of all splits by the id of their record."""

    folder: Path
    rows: Mapping[str, Mapping[str, Any]]
    splits: Mapping[str, list[str]]


def exported_pilot(
    folder: Path, columns: Mapping[str, str], *, limit: int | None = None, **output: Any
) -> ExportedPilot:
    """Export the build of a folder twice and load both: as the plan says, and with a test split, which divides nothing.

    ``columns`` are the types that the features must have; ``output`` goes before what the plan says.
    """
    whole = _loaded(folder, "export", limit, output)
    divided = _loaded(folder, "divided", limit, {**output, "split": {"test": 0.3}})
    for loaded in (whole, divided):
        for rows in loaded.values():
            assert {name: _type(one) for name, one in rows.features.items()} == {
                name: TYPES[type_]
                for name, type_ in {"id": "text", "source_id": "text", "history": "text", **columns}.items()
            }
    rows = {row["id"]: row for split in whole.values() for row in split}
    for name, type_ in columns.items():
        for row in rows.values():
            _decodes(row[name], type_)
    assert {row for split in divided.values() for row in split["id"]} == set(rows)
    sources = [set(split["source_id"]) for split in divided.values()]
    assert len(sources) == 2 and all(sources) and not sources[0] & sources[1]
    return ExportedPilot(folder / "export", rows, {name: split["id"] for name, split in divided.items()})


def _loaded(folder: Path, name: str, limit: int | None, output: Mapping[str, Any]) -> Any:
    import datasets

    plan = read_plan(folder / "plan.toml")
    plan = replace(plan, output={**plan.output, **output})
    with Build(plan, folder / "build", limit=limit) as build:
        export(build, folder / name)
    return datasets.load_dataset(str(folder / name), cache_dir=str(folder / "cache"))


def _type(feature: Any) -> str:
    """What a feature holds, such as Image or [string]."""
    inner = getattr(feature, "feature", None)
    return (
        f"[{_type(inner)}]"
        if inner is not None
        else getattr(feature, "dtype", "")
        if type(feature).__name__ == "Value"
        else type(feature).__name__
    )


def _decodes(value: Any, type_: str) -> None:
    if type_ == "json":
        json.loads(value)
    for picture in [value] if type_ == "picture" else value or () if type_ == "pictures" else ():
        picture.load()
        assert min(picture.size) >= 32


def pixel_scores(editscope: Callable[..., Called], suite: Path, out: Path) -> None:
    """A run of a suite whose answers are known: who knows them scores 100, who changes nothing less."""
    scores = {}
    for editor in ("oracle", "identity"):
        done = editscope("run", suite, "--editor", f"ref:{editor}", "--out", out / editor)
        assert done.returncode == 0, done.stderr
        scores[editor] = float(done.stdout.partition("mIoU ")[2].split()[0])
    assert scores["oracle"] == 100 and scores["identity"] < 90


def judged_run(editscope: Callable[..., Called], name: str, suite: Path, out: Path) -> int:
    """A run of a suite, or of some of its cases, whose edits a judge on loopback likes; how often it was asked."""
    with JudgeServer(keys=[KEY], keep=False) as server:
        done = editscope(
            *("run", name, "--data", suite, "--editor", "ref:identity"),
            *("--judge", server.spec(), "--out", out, "--yes", "--limit", str(CASES)),
        )
        assert done.returncode == 0, done.stderr
        return server.calls
