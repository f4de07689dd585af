"""Settings of reinforcement learning: the table ``[reinforcement]`` of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf
from typing import Any, Literal

from editscope.call_options import check_options
from editscope.errors import BadInput
from editscope.training.supervised.settings import check_seed

Method = Literal["grpo", "nft"]
Normalization = Literal["group", "round", "none"]
WindowMove = Literal["random", "slide"]
Part = Literal["painter", "planner", "both"]

SECTION = "[reinforcement]"


@dataclass(frozen=True, slots=True)
class ReinforcementSettings:
    """How a painter and a planner learn from rewards. docs/training-reinforcement.md has the sources of the defaults.

    A *round* samples ``prompts`` groups of ``group_size`` edits, asks for their rewards, and updates the weights.
    A *batch* is what goes through the network at once; it never mixes two groups.
    """

    method: Method = "grpo"
    trains: Part = "painter"
    rounds: int = 100
    seed: int = 0
    prompts: int = 48
    group_size: int = 24
    batch: int = 8
    inner_epochs: int = 1
    updates: int = 2
    """Optimizer steps of an inner epoch; gradients of the batches between them add up."""
    height: int | None = None
    width: int | None = None
    """The size of edits; if given, every input picture must have it."""

    steps: int = 10
    noise: float = 0.7
    guidance: float = 1.0
    same_start: bool = False
    window: int | None = None
    """How many steps are stochastic; None for all but the last."""
    window_from: int = 0
    window_to: int | None = None
    """The window lies in the steps from ``window_from`` to before ``window_to``."""
    window_moves: WindowMove = "random"
    window_every: int = 1
    """Rounds after which the window moves."""

    rate: float = 3e-4
    weight_decay: float = 1e-4
    most_gradient: float = 1.0
    clip: float = 1e-4
    kl: float = 0.04
    painter_rewards: tuple[str, ...] = ()
    """Rewards that the painter learns from; all of them by default."""
    advantages: Normalization = "group"
    most_advantage: float = 5.0

    nft_beta: float = 1.0
    nft_kl: float = 1e-4
    nft_times: int = 9
    nft_decay: float = 0.001
    nft_most_decay: float = 0.5

    planner_rate: float = 1e-5
    planner_clip: float = 0.2
    planner_kl: float = 0.04
    planner_tokens: int = 128
    planner_temperature: float = 1.0
    planner_rewards: tuple[str, ...] = ()
    """Rewards that the planner learns from; all of them by default."""
    plan_joins: str = "{instruction}\n\nPlan: {plan}"

    normalize_rewards: bool = False
    first_pause: float = 5.0
    most_waiting: float = 1800.0
    """Seconds to wait in all for a judge that is down, before the run pauses."""

    save_every: int = 10
    held_out_every: int = 10

    def __post_init__(self) -> None:
        _check_counts(self)
        _check_numbers(self)
        _check_groups(self)
        _check_sampler(self)
        _check_method(self)
        _check_plan(self)

    @property
    def window_end(self) -> int:
        """The step before which every stochastic step lies. The last step is never stochastic."""
        return self.steps - 1 if self.window_to is None else self.window_to

    @property
    def window_size(self) -> int:
        """How many steps are stochastic."""
        return self.window_end - self.window_from if self.window is None else self.window

    @property
    def size(self) -> tuple[int, int] | None:
        """Height and width of edits, if given."""
        return None if self.height is None or self.width is None else (self.height, self.width)

    @property
    def paints(self) -> bool:
        """Whether the painter is trained."""
        return self.trains != "planner"

    @property
    def plans(self) -> bool:
        """Whether the planner is trained."""
        return self.trains != "painter"


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "flow-grpo": {},
    "flow-grpo-kontext": {
        "steps": 6,
        "noise": 0.9,
        "group_size": 21,
        "kl": 0.0,
        "advantages": "round",
        "batch": 3,
        "height": 512,
        "width": 512,
    },
    "flow-grpo-fast": {"noise": 0.8, "window": 2, "window_to": 5, "clip": 1e-5, "kl": 0.0, "advantages": "round"},
    "mix-grpo": {"window": 4, "window_moves": "slide", "window_every": 25},
    "diffusion-nft": {"method": "nft", "updates": 1, "advantages": "round"},
    "plan-and-paint": {"trains": "both", "planner_rewards": ("reason", "causal"), "normalize_rewards": False},
}
"""Named settings; docs/training-reinforcement.md has the source of each value."""


def read_settings(table: Mapping[str, Any], file: str = "experiment.toml") -> ReinforcementSettings:
    """The settings of a TOML table; BadInput with file, field and fix. ``preset`` names a row of PRESETS."""
    where = f"{file}, {SECTION}"
    options = dict(table)
    preset = options.pop("preset", None)
    if preset is not None and (not isinstance(preset, str) or preset not in PRESETS):
        raise BadInput(f"{where} preset: there is no preset {preset!r} (known: {', '.join(PRESETS)})")
    chosen = dict(PRESETS[preset or "flow-grpo"])
    if not {"height", "width"}.isdisjoint(options):  # one side of a preset is not a size
        chosen = {name: value for name, value in chosen.items() if name not in ("height", "width")}
    options = {**chosen, **options}
    check_options(where, where, ReinforcementSettings, options)
    for name in ("painter_rewards", "planner_rewards"):
        options[name] = _names(options.get(name, ()), f"{where} {name}")
    try:
        return ReinforcementSettings(**options)
    except BadInput as error:
        raise BadInput(str(error).replace(SECTION, where, 1)) from None


RESUMABLE = frozenset({"rounds", "first_pause", "most_waiting", "save_every", "held_out_every"})
"""Settings that a resumed run may change, since none of its numbers depends on them."""


def fixed_settings(settings: ReinforcementSettings) -> dict[str, Any]:
    """The settings that a resumed run must share with its checkpoint."""
    return {field.name: getattr(settings, field.name) for field in fields(settings) if field.name not in RESUMABLE}


def _names(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(name, str) for name in value):
        raise BadInput(f'{where}: {value!r} is not a list of reward names, such as ["reason", "causal"]')
    return tuple(value)


def _check_counts(settings: ReinforcementSettings) -> None:
    check_seed(settings.seed, SECTION)
    names = ("rounds", "prompts", "batch", "inner_epochs", "updates", "steps", "window_every", "nft_times")
    for name in (*names, "planner_tokens", "save_every", "held_out_every"):
        if getattr(settings, name) < 1:
            raise BadInput(f"{SECTION} {name}: {getattr(settings, name)} is too few; give at least 1")


def _check_numbers(settings: ReinforcementSettings) -> None:
    names = ("noise", "weight_decay", "kl", "nft_kl", "nft_decay", "planner_kl", "most_waiting")
    for name in names:
        if not 0 <= getattr(settings, name) < inf:
            raise BadInput(f"{SECTION} {name}: must be a number of at least 0, not {getattr(settings, name)}")
    for name in ("rate", "most_gradient", "clip", "most_advantage", "planner_rate", "planner_clip", "first_pause"):
        if not 0 < getattr(settings, name) < inf:
            raise BadInput(f"{SECTION} {name}: must be a number above 0, not {getattr(settings, name)}")
    if not settings.planner_temperature > 0:
        raise BadInput(f"{SECTION} planner_temperature: without temperature all plans of a group are equal; give 1.0")
    if not 0 < settings.nft_beta <= 1:
        raise BadInput(
            f"{SECTION} nft_beta: {settings.nft_beta} is not above 0 and at most 1; the paper uses 1.0 and 0.1"
        )
    if not 0 <= settings.nft_most_decay < 1:
        raise BadInput(
            f"{SECTION} nft_most_decay: must be at least 0 and below 1, not {settings.nft_most_decay}; at 1 the old "
            "policy would never move"
        )


def _check_groups(settings: ReinforcementSettings) -> None:
    if settings.group_size < 2:
        raise BadInput(
            f"{SECTION} group_size: {settings.group_size} gives no advantage, since an edit is compared with others "
            "of its group; give at least 2 (Flow-GRPO uses 24)"
        )
    if (settings.height is None) != (settings.width is None):
        there, missing = ("height", "width") if settings.width is None else ("width", "height")
        side = getattr(settings, there)
        raise BadInput(f"{SECTION} height, width: {there} = {side} is not enough; add {missing}, or give neither")


def _check_sampler(settings: ReinforcementSettings) -> None:
    if settings.method != "grpo" or not settings.paints:
        return
    if settings.noise == 0:
        raise BadInput(
            f"{SECTION} noise: without noise a step has no log-probability, so GRPO has nothing to learn from; "
            'give 0.7, or method = "nft", which samples without noise'
        )
    if settings.steps < 2:
        raise BadInput(f"{SECTION} steps: the last step is never stochastic, so GRPO needs at least 2 steps")
    first, end = settings.window_from, settings.window_end
    if not 0 <= first < end <= settings.steps - 1:
        raise BadInput(
            f"{SECTION} window_from, window_to: stochastic steps lie between 0 and {settings.steps - 1}, since the "
            f"last of the {settings.steps} steps is never stochastic; {first} to {end} does not fit"
        )
    if not 1 <= settings.window_size <= end - first:
        raise BadInput(
            f"{SECTION} window: {settings.window} stochastic steps do not fit in the {end - first} steps from {first} "
            f"to {end} (the last of the {settings.steps} steps is never stochastic)"
        )


def _check_method(settings: ReinforcementSettings) -> None:
    if settings.method == "nft" and settings.guidance != 1:
        raise BadInput(f'{SECTION} guidance: DiffusionNFT learns without guidance; remove it, or use method = "grpo"')
    if settings.method == "nft" and settings.nft_times > settings.steps:
        raise BadInput(
            f"{SECTION} nft_times: {settings.nft_times} noise levels are more than the {settings.steps} steps of the "
            "sampler"
        )


def _check_plan(settings: ReinforcementSettings) -> None:
    if not isinstance(settings.plan_joins, str):
        raise BadInput(
            f"{SECTION} plan_joins: {settings.plan_joins!r} is not a string; write one with {{instruction}} and "
            "{plan}"
        )
    try:
        joined = settings.plan_joins.format(instruction="\0i", plan="\0p")
    except (KeyError, IndexError, ValueError, AttributeError, TypeError):
        joined = ""
    if "\0i" not in joined or "\0p" not in joined:
        raise BadInput(
            f"{SECTION} plan_joins: {settings.plan_joins!r} must have {{instruction}} and {{plan}}, and no other braces"
        )
