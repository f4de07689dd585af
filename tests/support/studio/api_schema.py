"""The OpenAPI document of a studio with values that exist in it: a generator that knows them gets past "not found"."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from support.studio.whole_studio import FOLDER, RUNS, STUDY, WholeStudio

Document = dict[str, Any]
FILTERS = ("q", "run", "failure", "status", "metric", "min", "max", "sort", "tag.task", "tag.no such")
"""What a gallery and a case read from an address without naming it."""
FILTERED = ("/sets/{set_id}/cases", "/api/sets/{set_id}/cases", "/sets/{set_id}/case")


def known_parameters(studio: WholeStudio, address: str) -> dict[str, Sequence[Any]]:
    """Values of parameters by name, or by the beginning of a path and a name; ``...`` where others are worth a try."""
    found, case = studio.of_runs(address)
    picture = sorted(path.name for path in (studio.folder / FOLDER).rglob("*.png"))[0]
    path = next((studio.folder / FOLDER).rglob(picture)).relative_to(studio.folder / FOLDER).as_posix()
    return {
        "run": RUNS, "run_id": RUNS, "set_id": [found], "id": [case], "show": [*RUNS, ...], "metric": ["miou", ...],
        "by": ["task", ...], "variant": [""], "kind": ["edit", "levels", "input", ...], "side": [160, 0],
        "/picture case": [case],
        "/studies/{name} name": [STUDY], "/studies/{name} number": [1, ...],
        "/studies/{name}/votes.{kind} kind": ["csv", "jsonl"],
        "/rate/{secret} secret": [studio.rater], "item": studio.waiting, "/rate/{secret} place": ["left", "source0"],
        "/annotate/ project": [studio.project], "/annotate/ case": studio.cases[:1], "path": [path],
        "/annotate/{project} show": ["wrong", "all"],
        "/review/{key} key": [studio.queue], "/rate/review/{secret} secret": [studio.reviewer],
        "/rate/review/{secret} number": [0, 1, ...], "/rate/review/{secret} place": [0, 1, ...],
    }  # fmt: skip


def known_bodies(studio: WholeStudio) -> dict[str, Mapping[str, Sequence[Any]]]:
    """Values of the fields of bodies; the first of each make a body that is accepted."""
    ballot = {"item": studio.waiting[-1], "key": "a-key-of-the-example", "side": "left"}
    return {
        "NewState": {"open": [True]},
        "NewExclusion": {"rater": [2, ...], "reason": ["too fast", ...]},
        "SentVotes": {"votes": [[ballot], ...]},
        "SentBallot": {"item": studio.waiting, "side": ["left", "right", "tie"]},
        "SentRetraction": {"item": studio.voted},
        "NewProject": {"name": ["example", ...], "layout": ["picabench", "own"], "folder": [FOLDER]},
        "NewCase": {"pictures": [[], ...]},
        "DraftBody": {"values": [studio.values, ...]},
        "SaveBody": {"values": [studio.values, ...], "base": [1, ...], "token": ["a-token-of-the-example", ...]},
        "RemoveBody": {"base": [1, ...], "token": ["a-token-of-removal", ...]},
        "ExportBody": {"folder": ["an export", ...]},
        "NewReviewer": {"name": ["bo", ...]},
        "NewDecision": {
            "record": [studio.record.id], "fingerprint": [studio.record.fingerprint],
            "key": ["a-key-of-the-example", ...], "decision": ["accept", "reject"],
        },
    }  # fmt: skip


def with_known_values(document: Document, studio: WholeStudio, address: str) -> Document:
    """The document with examples that are accepted, and with ids that exist where a random one would not be found."""
    made = copy.deepcopy(document)
    parameters, bodies = known_parameters(studio, address), known_bodies(studio)
    for path, operations in made["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.setdefault("parameters", []):
                values = _values(parameters, path, parameter["name"])
                if (method, path) == ("delete", "/annotate/api/{project}/cases/{case}") and parameter["name"] == "case":
                    values = studio.cases[-1:]
                if values is None:
                    continue
                schema, listed = parameter["schema"], parameter["schema"].get("type") == "array"
                if listed:
                    schema["items"] = _one_of(values, schema["items"])
                else:
                    parameter["schema"] = _one_of(values, schema)
                parameter["example"] = [values[0]] if listed else values[0]
    for name, fields in bodies.items():
        schema = made["components"]["schemas"][name]
        schema["example"] = {field: values[0] for field, values in fields.items()}
        for field, values in fields.items():
            schema["properties"][field] = _one_of(values, schema["properties"][field])
    for name in ("NewRaters", "SentWish"):
        made["components"]["schemas"][name]["example"] = {}
    return made


def with_filters(document: Document) -> Document:
    """The document with the filters of galleries, each of which may be any text."""
    made = copy.deepcopy(document)
    for path in FILTERED:
        parameters = made["paths"][path]["get"]["parameters"]
        known = {parameter["name"] for parameter in parameters}
        parameters += [
            {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
            for name in FILTERS
            if name not in known
        ]
    return made


def _one_of(values: Sequence[Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of known values, and of any other where they end with ``...``."""
    known = {"enum": [value for value in values if value is not ...]}
    return {"anyOf": [known, dict(schema)]} if ... in values else known


def _values(parameters: Mapping[str, Sequence[Any]], path: str, name: str) -> Sequence[Any] | None:
    """The values of a parameter, of the longest beginning of its path that has some."""
    fits = [key for key in parameters if key.rpartition(" ")[2] == name and path.startswith(key.rpartition(" ")[0])]
    return parameters[max(fits, key=len)] if fits else None
