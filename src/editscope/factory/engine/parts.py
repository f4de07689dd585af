"""Parts of a plan: steps that take one record at a time, up to a step that must see all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from editscope.factory.plan import BuildPlan
from editscope.factory.records import digest
from editscope.factory.steps.base import PipelineStep, RecordStep, WholeStep


@dataclass(frozen=True, slots=True)
class Part:
    """Some steps over single records, then perhaps one over all.

    ``key`` stands for everything that decides what comes out of the steps: the source, what came before, settings.
    """

    key: bytes
    steps: tuple[RecordStep, ...]
    digests: tuple[bytes, ...]
    whole: WholeStep | None = None
    whole_digest: bytes = b""


def parts_of(plan: BuildPlan, source: bytes, redone: dict[str, int], until: str = "") -> list[Part]:
    """The parts of a plan, up to the step ``until``. ``redone`` counts how often steps are to be made again."""
    steps: Sequence[PipelineStep] = plan.steps
    if until:
        steps = steps[: [step.name for step in steps].index(plan.step(until).name) + 1]
    parts: list[Part] = []
    begun, gathered, digests = source, list[RecordStep](), list[bytes]()
    for step in steps:
        key = digest(step.name, step.identity(), redone.get(step.name, 0), plan.seed, _models(plan, step))
        key = digest(key, step.code) if step.code else key
        if isinstance(step, RecordStep):
            key = digest(key, step.when) if step.when else key
            gathered.append(step)
            digests.append(key)
            continue
        assert isinstance(step, WholeStep)
        parts.append(Part(digest(begun, *digests), tuple(gathered), tuple(digests), step, key))
        begun, gathered, digests = digest(parts[-1].key, key), [], []
    if gathered or not parts:
        parts.append(Part(digest(begun, *digests), tuple(gathered), tuple(digests)))
    return parts


def _models(plan: BuildPlan, step: PipelineStep) -> list[str]:
    """The specs of the models that a step uses: another model gives other outcomes."""
    return [plan.models[name] for setting in step.models if (name := step.settings.get(setting))]
