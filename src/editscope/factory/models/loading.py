"""Models of a plan by their names, with one budget for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.factory.plan import BuildPlan
from editscope.judges import Judge
from editscope.judges.records import check_judge
from editscope.judges.registry import load_judge
from editscope.transport.account import FILE, Account

KINDS = ("text",)


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are reached: requests at once and a minute, seconds to wait, and dollars for all of them."""

    concurrency: int | None = None
    rpm: float | None = None
    timeout_s: float = 120.0
    budget: float | None = None
    prices: Path | None = None


def load_models(plan: BuildPlan, options: ModelOptions = ModelOptions()) -> dict[str, Judge]:
    """The models that the steps of a plan use. Nothing is sent yet."""
    models: dict[str, Judge] = {}
    for name, kind in used_models(plan).items():
        if kind not in KINDS:
            raise BadInput(f"the model {name!r} is to be of the kind {kind!r}; choose from {', '.join(KINDS)}")
        models[name] = load_judge(
            plan.models[name],
            concurrency=options.concurrency,
            rpm=options.rpm,
            timeout=options.timeout_s,
            prices=options.prices,
        )
    return models


def used_models(plan: BuildPlan) -> dict[str, str]:
    """The models that steps name, and the kind of each."""
    used: dict[str, str] = {}
    for step in plan.steps:
        for setting, kind in step.models.items():
            if name := step.settings.get(setting):
                used[str(name)] = kind
    return used


def open_account(folder: Path, budget: float | None, spent: float, models: Mapping[str, Any]) -> Account | None:
    """One budget for all models of a build; what was spent before counts."""
    if budget is None:
        return None
    account = Account((folder / FILE).absolute(), budget)
    account.begin(spent)
    for model in models.values():
        model.use_account(account)
    return account


async def check_models(models: Sequence[Judge]) -> None:
    """Raise BadInput where a model cannot be asked: a wrong key, an unknown name, no network."""
    for model in models:
        await check_judge(model)
