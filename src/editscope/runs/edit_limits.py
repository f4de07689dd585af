"""Limits of a run's edits in run.json: they decide no edit, and may differ when you resume a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from editscope.editors.base import EditLimits
from editscope.errors import BadInput

SETTING = "edit_limits"


def limits_of(info: Mapping[str, Any]) -> EditLimits:
    """The limits of a run, from its run.json; ``timeout_s`` is that of the run."""
    settings = info["settings"]
    known = {field.name for field in fields(EditLimits)}
    stored = {name: value for name, value in settings.get(SETTING, {}).items() if name in known}
    return EditLimits(**{**stored, "timeout_s": settings.get("timeout_s")})


def limits_json(limits: EditLimits | None) -> dict[str, Any]:
    """The limits as run.json holds them: what was said, and no more.

    >>> limits_json(EditLimits(max_cost=2.0, timeout_s=60))
    {'max_cost': 2.0}
    """
    if limits is None:
        return {}
    values = {name: value for name, value in asdict(limits).items() if value is not None and name != "timeout_s"}
    if "prices" in values:  # so that the run can be resumed from anywhere
        values["prices"] = str(Path(values["prices"]).resolve())
    return values


def settings_with_limits(info: Mapping[str, Any], limits: EditLimits | None) -> dict[str, Any]:
    """The settings of a run with other limits, over those that it has."""
    settings = dict(info["settings"])
    merged = {**settings.get(SETTING, {}), **limits_json(limits)}
    return {**settings, SETTING: merged} if merged else settings


def checked_limits(limits: EditLimits) -> EditLimits:
    """The limits, if they are such; BadInput says which is not."""
    for option, value, least in (
        ("--edit-concurrency", limits.concurrency, 1),
        ("--edit-retries", limits.retries, 0),
        ("--max-edits", limits.max_calls, 0),
        ("--max-edit-cost", limits.max_cost, 0),
    ):
        if value is not None and not least <= value < float("inf"):
            raise BadInput(f"{option} is {value}; write {least} or more")
    if limits.rpm is not None and not 0 < limits.rpm < float("inf"):
        raise BadInput(f"--edit-rpm is {limits.rpm:g}; write requests a minute, more than 0")
    return replace(limits)
