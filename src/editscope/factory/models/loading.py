"""Models of a plan by their names, with one budget for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from editscope.editors.base import EditLimits
from editscope.errors import BadInput
from editscope.factory.models.editors import load_plan_editor
from editscope.factory.models.images import load_images
from editscope.factory.models.threads import ThreadedModel
from editscope.factory.models.videos.loading import load_videos
from editscope.factory.plan import BuildPlan
from editscope.judges import Judge
from editscope.judges.records import check_judge
from editscope.judges.registry import load_judge
from editscope.transport.account import FILE, Account

KINDS = ("text", "judge", "image", "video", "editor")
TEXTS = ("text", "judge")
"""Kinds of models that are asked as judges are; the same one can serve as both."""
MEDIA: Mapping[str, tuple[str, Callable[[str, EditLimits], Any]]] = {
    "image": ("image model", load_images),
    "video": ("video model", load_videos),
    "editor": ("editor", load_plan_editor),
}
TEXT_TIMEOUT_S = 120.0
INSTEAD = "leave --budget out and build a pilot with --limit N, whose bill you can look up"
"""What to do about a model whose price is not known."""


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How models are reached: requests at once and a minute, seconds to wait, and dollars for all of them.

    Without ``timeout_s`` each kind has its own: a video takes longer than a text.
    """

    concurrency: int | None = None
    rpm: float | None = None
    timeout_s: float | None = None
    budget: float | None = None
    prices: Path | None = None

    @property
    def limits(self) -> EditLimits:
        """The same for models that make pictures and videos."""
        prices = None if self.prices is None else str(self.prices)
        return EditLimits(concurrency=self.concurrency, rpm=self.rpm, timeout_s=self.timeout_s, prices=prices)


@runtime_checkable
class PlanModel(Protocol):
    """What a build does with a model of any kind, besides asking it."""

    def use_account(self, account: Account | None) -> None:
        """Spend no more than the budget of the build allows."""

    async def check(self) -> None:
        """Raise BadInput where it cannot be asked."""

    async def close(self) -> None:
        """Release connections or weights."""


def load_models(plan: BuildPlan, options: ModelOptions = ModelOptions()) -> dict[str, PlanModel]:
    """The models that the steps of a plan use. Nothing is sent yet."""
    models = {}
    for name, kind in used_models(plan).items():
        try:
            models[name] = load_model(plan.models[name], kind, options, name)
        except BadInput as error:
            raise BadInput(f"the model {name!r} of the plan {plan.name}: {error}") from error
    return models


def load_model(spec: str, kind: str, options: ModelOptions = ModelOptions(), name: str = "") -> PlanModel:
    """The model of a kind that a spec names."""
    if kind not in KINDS:
        raise BadInput(f"the model {name or spec!r} is to be of the kind {kind!r}; choose from {', '.join(KINDS)}")
    if not spec:
        raise BadInput(f"the plan does not say which model {name!r} is; write its spec under [models], kind {kind}")
    if kind in TEXTS:
        return load_judge(
            spec,
            concurrency=options.concurrency,
            rpm=options.rpm,
            timeout=options.timeout_s or TEXT_TIMEOUT_S,
            prices=options.prices,
        )
    role, load = MEDIA[kind]
    return ThreadedModel(partial(load, spec, options.limits), role, spec)


def used_models(plan: BuildPlan) -> dict[str, str]:
    """The models that steps name, and the kind of each."""
    used: dict[str, str] = {}
    for step in plan.steps:
        for setting, kind in step.models.items():
            if name := step.settings.get(setting):
                before = used.setdefault(str(name), kind)
                if before != kind and not {before, kind} <= set(TEXTS):
                    raise BadInput(
                        f"the plan uses {name!r} as a model of the kind {before} and, in step {step.name!r}, of the "
                        f"kind {kind}; give each its own name under [models]"
                    )
    return used


def open_account(folder: Path, budget: float | None, spent: float, models: Mapping[str, Any]) -> Account | None:
    """One budget for all models of a build; what was spent before counts."""
    if budget is None:
        return None
    account = Account((folder / FILE).absolute(), budget, INSTEAD)
    account.begin(spent)
    for model in models.values():
        model.use_account(account)
    return account


async def check_models(models: Iterable[Any]) -> None:
    """Raise BadInput where a model cannot be asked: a wrong key, an unknown name, no network."""
    for model in models:
        if isinstance(model, Judge):
            await check_judge(model)
        elif isinstance(model, PlanModel):
            await model.check()


async def close_models(models: Iterable[Any]) -> None:
    """Release connections and weights."""
    for model in models:
        if isinstance(model, PlanModel):
            await model.close()
