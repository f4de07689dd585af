"""Rewards by spec: those that ship, rubrics of benchmarks, those of other packages, and classes of your own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from editscope.call_options import check_options
from editscope.errors import BadInput, unknown
from editscope.outside import kind_of
from editscope.plugins import TEXT, Wanted, instance_of, load_registered, one_sentence, registered, wrong_attribute
from editscope.python_class import KIND, load_object
from editscope.specs import read_options, split_spec
from editscope.training.rewards.base import Reward
from editscope.transport.keys import no_secret

GROUP = "editscope.rewards"
"""The entry points with which other packages register a reward: a class that derives from ``editscope.Reward``."""

BUILT_IN: Mapping[str, str] = {
    "miou": "editscope.training.rewards.pixels:Miou",
    "psnr_outside": "editscope.training.rewards.pixels:PsnrOutside",
    "reason": "editscope.training.rewards.judged:ReasonReward",
    "fidelity": "editscope.training.rewards.judged:FidelityReward",
    "causal": "editscope.training.rewards.judged:CausalReward",
    "regions": "editscope.training.rewards.rubric:RegionsReward",
}
RUBRIC = "rubric"
REMOTE = ("http", "https")
ATTRIBUTES: Mapping[str, Wanted] = {
    "name": TEXT,
    **dict.fromkeys(("low", "high"), instance_of((int, float), "a number")),
}


def reward_names() -> tuple[str, ...]:
    """The rewards that are installed, in the order of lists; rubrics of benchmarks are not among them."""
    return (*BUILT_IN, *sorted(registered(GROUP, BUILT_IN)))


def load_reward(spec: str | Reward) -> Reward:
    """The reward that a spec names; nobody is asked yet.

    ``"miou"``, ``"causal?judge=openai:MODEL&similarity=words"``, ``"rubric:SUITE?judge=…"`` (any judged benchmark,
    with the options of its protocol), ``"python:module:Class?key=value"``, the name of an entry point, or the address
    of ``editscope serve-reward``. In a value, ``%26`` stands for ``&``.
    """
    if isinstance(spec, Reward):
        return _checked(spec, spec.spec or type(spec).__name__)
    kind, target, query = split_spec(spec)
    where = f"reward {spec.partition('?')[0]!r}"
    options = read_options(where, query)
    for name, value in options.items():
        no_secret(where, name, value)
    reward = _checked(_made(where, kind, target, options), where)
    reward.spec = spec
    return reward


def part_name(reward: Reward) -> str:
    """What a reward is called beside others: its spec without options, or its name."""
    return reward.spec.partition("?")[0] or reward.name


def _made(where: str, kind: str, target: str | None, options: Mapping[str, Any]) -> Any:
    if kind in REMOTE:
        from editscope.training.rewards.client import RemoteReward

        check_options(where, where, RemoteReward, options, first=1)
        return RemoteReward(f"{kind}:{target}", **options)
    if kind == RUBRIC:
        return _rubric(where, target or "", options)
    if kind == KIND:
        return load_object("reward", target or "", Reward, options)  # type: ignore[type-abstract]
    if kind in BUILT_IN:
        if target is not None:
            raise BadInput(f"{where} has {target!r} after its name, where nothing belongs; write {kind}?option=value")
        made = _class(BUILT_IN[kind])
        if kind == "regions":
            options = _split(made, options, ("protocol", "measure"))
        check_options(where, where, made, options)
        return made(**options)
    plugins = registered(GROUP, BUILT_IN)
    if kind not in plugins:
        raise unknown("reward", kind, (*BUILT_IN, *plugins, f"{RUBRIC}:SUITE", f"{KIND}:module:Class"))
    factory = load_registered("reward", plugins[kind])
    arguments = () if target is None else (target,)
    check_options(where, where, factory, options, first=len(arguments))
    with one_sentence(f"{where} could not be constructed"):
        return factory(*arguments, **options)


def _rubric(where: str, target: str, options: Mapping[str, Any]) -> Reward:
    from editscope.training.rewards.rubric import RubricReward

    if not target:
        raise BadInput(f"{where} names no benchmark; write {RUBRIC}:NAME?judge=openai:MODEL")
    given = _split(RubricReward, options, ("protocol",))
    check_options(where, where, RubricReward, given)
    return RubricReward(protocol=target, **given)


def _split(made: Any, options: Mapping[str, Any], fixed: tuple[str, ...]) -> dict[str, Any]:
    """The options of a reward, those of its protocol apart from its own."""
    own = {field.name for field in fields(made)} - {"options", *fixed}
    others = {name: value for name, value in options.items() if name not in own}
    return {**{name: value for name, value in options.items() if name in own}, "options": others}


def _class(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _checked(reward: Any, where: str) -> Reward:
    if not isinstance(reward, Reward):
        raise BadInput(f"{where} is {kind_of(reward)}, not an editscope.Reward")
    if wrong := wrong_attribute(reward, ATTRIBUTES):
        raise BadInput(f"{where}: {wrong}")
    return reward
