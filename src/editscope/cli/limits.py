"""Limits of judges and editors, and settings of judging, from the options of a command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope import printing
from editscope.cli.options import given
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.editors.base import EditLimits
    from editscope.runs.judging.settings import Limits


def budget_of(text: str | None) -> float | None:
    """The dollars of --budget; None where it was not given."""
    from editscope.runs.budget import read_budget

    return None if text is None else read_budget(text)


def say_deprecated(**options: Any) -> None:
    """Say on stderr which of the given options --budget replaces."""
    names = [f"--{name.replace('_', '-')}" for name in given(**options)]
    if names:
        verb = "is" if len(names) == 1 else "are"
        printing.say(
            f"editscope: {' and '.join(names)} {verb} deprecated; --budget limits edits and judges together", error=True
        )


def judge_limits(**options: Any) -> Limits | None:
    """The limits that were given; None where none was."""
    from editscope.runs.judging.settings import Limits

    chosen: dict[str, Any] = {
        name: str(value) if isinstance(value, Path) else value for name, value in given(**options).items()
    }
    return Limits(**chosen) if chosen else None


def judging_settings(
    judge: list[str] | None, *, missing: str | None, samples: int, **more: Any
) -> dict[str, Any] | None:
    """What ``make_judging`` takes, without what was not given; None for a run without judges."""
    chosen = {name: value for name, value in more.items() if value}
    if judge:
        return {"judge": judge, "samples": samples, **given(missing=missing), **chosen}
    chosen |= given(missing=missing) | ({"samples": samples} if samples != 1 else {})
    for name in chosen:
        if name == "limits" and more["limits"].max_cost is not None:
            cost = more["limits"].max_cost
            raise BadInput(
                f"--max-cost limits judges, and this run has none; use --budget {cost:g}, which limits edits, too"
            )
        what = "options of judging" if name in ("limits", "options") else f"--{name}"
        raise BadInput(f"{what} need a judge: --judge SPEC, such as openai:gpt-4o")
    return None


def edit_limits(
    max_cost: float | None,
    max_edits: int | None,
    concurrency: int | None,
    rpm: float | None,
    retries: int | None,
    prices: Path | None,
) -> EditLimits | None:
    """The limits of an editor that were given; None where none was."""
    from editscope.editors.base import EditLimits

    chosen = given(
        max_cost=max_cost,
        max_calls=max_edits,
        concurrency=concurrency,
        rpm=rpm,
        retries=retries,
        prices=None if prices is None else str(prices),
    )
    return EditLimits(**chosen) if chosen else None
