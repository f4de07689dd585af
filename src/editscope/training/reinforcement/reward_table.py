"""The table ``[rewards]`` of an experiment: its rewards, and the entries that a checkpoint must share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from editscope.errors import BadInput
from editscope.training.reinforcement.reward_mix import JudgePatience, RewardMix
from editscope.training.reinforcement.settings import ReinforcementSettings
from editscope.training.rewards.summed import RewardSum
from editscope.training.settings import Experiment

ONLY_SPEED = ("retries", "timeout", "concurrency", "budget", "cache", "jobs")
"""Options of built-in rewards that decide no value, so that a resumed run may change them."""
OWN = ("python:", "http:", "https:")


def table_of(experiment: Experiment, name: str, file: str) -> Mapping[str, Any]:
    """A table that reinforcement learning needs."""
    if name not in experiment.extra:
        raise BadInput(f"{file} has no table [{name}], which reinforcement learning needs; add it")
    table = experiment.extra[name]
    if not isinstance(table, Mapping):
        raise BadInput(f"{file}, {name}: is {table!r}, not a table; write [{name}] on its own line")
    return table


def reward_mix(
    experiment: Experiment, settings: ReinforcementSettings, file: str, say: Callable[[str], None]
) -> RewardMix:
    """The rewards of the table ``[rewards]``: ``specs`` by name, their ``weights``, and those that are ``off``.

    BadInput for rewards of plans without a planner.
    """
    where, table = f"{file}, [rewards]", table_of(experiment, "rewards", file)
    specs = _specs(table, where)
    try:
        summed = RewardSum(specs, table.get("weights"), table.get("off", ()))
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from None
    for name in summed.on:
        if summed.rewards[name].needs_plan and "planner" not in experiment.extra:
            raise BadInput(
                f'{where}: {name!r} scores plans, but there is no planner; add [planner] model = "FOLDER", or '
                f'switch it off with off = ["{name}"]'
            )
    patience = JudgePatience(settings.first_pause, settings.most_waiting, tell=say)
    return RewardMix(summed, settings.normalize_rewards, patience)


def decided_by_rewards(experiment: Experiment, file: str) -> dict[str, Any]:
    """Spec and weight of each reward that is on, by dotted name: what a checkpoint must share."""
    table = table_of(experiment, "rewards", file)
    specs, weights, off = _specs(table, f"{file}, [rewards]"), table.get("weights"), table.get("off", ())
    on = [name for name in specs if not isinstance(off, list | tuple) or name not in off]
    given = weights if isinstance(weights, Mapping) else {}
    return {
        **{f"rewards.specs.{name}": _deciding(specs[name]) for name in on},
        **{f"rewards.weights.{name}": _number(given.get(name, 1.0)) for name in on},
    }


def _specs(table: Mapping[str, Any], where: str) -> Mapping[str, str]:
    for entry in table:
        if entry not in ("specs", "weights", "off"):
            raise BadInput(f"{where} {entry}: there is no such entry; write specs, weights or off")
    specs = table.get("specs")
    if specs is None:
        raise BadInput(f'{where}: has no rewards; write [rewards.specs] and a line such as miou = "miou"')
    if not isinstance(specs, Mapping):
        raise BadInput(f'{where} specs: is {specs!r}; write [rewards.specs] and a line such as miou = "miou"')
    for name, spec in specs.items():
        if not isinstance(spec, str):
            raise BadInput(
                f'{where} specs.{name}: {spec!r} is not a spec; write one in quotes, such as {name} = "miou"'
            )
    return specs


def _deciding(spec: str) -> str:
    """A spec without the options that decide no value.

    >>> _deciding("miou?jobs=4"), _deciding("causal?judge=openai:M&budget=5"), _deciding("python:mine:Own?jobs=4")
    ('miou', 'causal?judge=openai:M', 'python:mine:Own?jobs=4')
    """
    name, _, query = spec.partition("?")
    if spec.startswith(OWN):
        return spec
    kept = [part for part in query.split("&") if part and part.partition("=")[0] not in ONLY_SPEED]
    return f"{name}?{'&'.join(kept)}" if kept else name


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value
