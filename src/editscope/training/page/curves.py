"""Curves of a training: loss, rewards, held-out scores against them, signs of hacking, speed, and all other numbers."""

from __future__ import annotations

from collections.abc import Sequence

from editscope.report.html.markup import Child, Html, el
from editscope.report.html.plots import Mark, Scatter, StepCurve, StepCurves, figure
from editscope.report.pages.requests import shown
from editscope.training.log.metrics_file import LoggedTraining
from editscope.training.page.findings import (
    IDENTITY,
    OVER_EDIT,
    STOPPED,
    held_out_names,
    named,
    reward_before,
    reward_names,
)
from editscope.wording import metric_name

TITLES = {
    "loss": "Loss",
    "rate": "Learning rate",
    "gradient_norm": "Norm of the gradient",
    "pictures_per_s": "Pictures a second",
    "pairs_per_s": "Pairs a second",
    "utilization": "Model FLOPs utilization",
    "hardware_utilization": "Hardware FLOPs utilization",
    "model_tflops": "TFLOP/s of the model",
    "hardware_tflops": "TFLOP/s of the hardware",
    "held_out/loss": "Loss on held-out cases",
    "fixed_cases/loss": "Loss on the fixed cases",
    "psnr_outside": "PSNR outside",
    "kl": "KL",
}
LOSSES = ("loss", "rate", "gradient_norm")
SPEEDS = ("pictures_per_s", "pairs_per_s", "utilization", "hardware_utilization", "model_tflops", "hardware_tflops")
UTILIZATION = (
    "Only matrix products count, two operations for each multiplication with its addition. A step needs its forward "
    "pass, the gradients of activations, and those of the weights that are trained. With r the trained share of the "
    "linear layers, that is 2 + r times the forward pass of linear layers, and 3 times that of attention. Model FLOPs "
    "utilization is this sum, divided by the seconds of the step and by the dense bf16 operations a second that the "
    "maker of the devices states. Hardware utilization also counts what is computed again: blocks whose activations "
    "are not kept, and the scores of fused attention. Where no maker's number is known, TFLOP/s are logged instead."
)
MOST_OTHERS = 24
"""How many curves of other names are drawn."""


def title_of(name: str) -> str:
    """A metric in words.

    >>> title_of("reward/miou"), title_of("groups/without_verdict"), title_of("painter/kl")
    ('mIoU', 'groups: without verdict', 'painter: KL')
    """
    group, _, last = name.rpartition("/")
    if name in TITLES:
        return TITLES[name]
    known = TITLES.get(last) or short(metric_name(last))
    if group in ("", "reward", "held_out"):
        return known
    return f"{short(group)}: {known if known[:2].isupper() else known[:1].lower() + known[1:]}"


def short(text: str, most: int = 80) -> str:
    """A text from outside as the page shows it, without an end that is too long.

    >>> short("held-out score", 8)
    'held-out…'
    """
    whole = shown(text)
    return whole if len(whole) <= most else f"{whole[:most]}…"


def curve_sections(record: LoggedTraining) -> list[tuple[str, str, Html]]:
    """All sections of curves that have a value, each with its address and the name of its link."""
    sections = [_loss(record), _rewards(record), _held_out(record), _hacking(record), _speed(record), _others(record)]
    return [section for section in sections if section is not None]


def curve_card(address: str, title: str, hint: str, parts: Sequence[Child]) -> Html:
    """A section of the page with its title and what to know about it."""
    return el(
        "section",
        el("header", el("h2", title), cls="section-head"),
        el("p", hint, cls="hint"),
        list(parts),
        cls="card",
        id=address,
    )


def _rules(record: LoggedTraining) -> list[tuple[int, str]]:
    starts = [(step, f"resumed after step {step:,}") for step in record.starts[1:] if step]
    return starts + [(e.step, short(e.sentence, 400)) for e in record.events if e.kind == STOPPED and not e.superseded]


def _plot(
    record: LoggedTraining,
    name: str,
    title: str = "",
    *,
    log: bool = False,
    smooth: bool = True,
    marks: bool = False,
    low: float | None = None,
    high: float | None = None,
) -> Html | None:
    points = record.curve(name)
    if not points:
        return None
    title = title or title_of(name)
    plot = StepCurves([StepCurve(0, title, points)], "", _rules(record), log, smooth, marks, low, high)
    return figure(title, plot.svg(title), plot.traces(), plot.layout(), cls="small")


def _plots(*plots: Html | None) -> Html | None:
    there = [plot for plot in plots if plot is not None]
    return el("div", there, cls="plots") if there else None


def _loss(record: LoggedTraining) -> tuple[str, str, Html] | None:
    extra = [name for name in record.names() if name.rpartition("/")[2] == "loss" and name != "loss"]
    plots = _plots(
        _plot(record, "loss", log=True),
        *(_plot(record, name) for name in extra),
        _plot(record, "rate", smooth=False, low=0.0),
        _plot(record, "gradient_norm", log=True),
    )
    hint = (
        "Faint: every value, or the mean of neighbors where there are many. Strong: the running mean over a twentieth "
        "of them. Dotted: where the training was resumed from a checkpoint, or stopped."
    )
    return None if plots is None else ("loss", "Loss", curve_card("loss", "Loss", hint, [plots]))


def _rewards(record: LoggedTraining) -> tuple[str, str, Html] | None:
    names = reward_names(record)
    plots = _plots(*(_plot(record, name) for name in names))
    if plots is None:
        return None
    hint = "The mean reward of what was sampled at a step, by name; a step at which nobody gave a verdict has no value."
    return "rewards", "Rewards", curve_card("rewards", "Rewards", hint, [plots])


def _held_out(record: LoggedTraining) -> tuple[str, str, Html] | None:
    names, rewards = held_out_names(record), reward_names(record)
    plots = [_plot(record, name, marks=True) for name in names]
    pairs = reward_before(record, rewards[0], names[0]) if names and rewards else []
    if len(pairs) > 1:
        plots.append(_against(pairs, title_of(rewards[0]), title_of(names[0])))
    drawn = _plots(*plots)
    if drawn is None:
        return None
    hint = "Scores on cases that are never trained on."
    if len(pairs) > 1:
        hint += (
            " Where the reward rises and the held-out score falls, the model has found a way to be rewarded that is "
            "not a better edit."
        )
    return "held-out", "Held-out", curve_card("held-out", "Held-out scores", hint, [drawn])


def _against(pairs: Sequence[tuple[int, float, float]], reward: str, score: str) -> Html:
    marks = [
        Mark(
            round(mean, 6),
            round(held, 6),
            f"{step:,}",
            f"step {step:,}: reward {mean:.4g}, held-out {held:.4g}",
            index=0 if place < len(pairs) - 1 else 1,
        )
        for place, (step, mean, held) in enumerate(pairs)
    ]
    plot = Scatter(marks, f"reward since the score before: {reward}", f"held-out: {score}")
    title = "Held-out score against reward"
    return figure(title, plot.svg(title), plot.traces(), plot.layout(280), note="each point is a step", cls="small")


def _hacking(record: LoggedTraining) -> tuple[str, str, Html] | None:
    identity, over = named(record, IDENTITY), named(record, OVER_EDIT)
    plots = _plots(
        _plot(record, identity, "Identity rate", low=0.0, high=1.0) if identity else None,
        _plot(record, over, "Over-edit ratio", low=0.0) if over else None,
    )
    if plots is None:
        return None
    hint = (
        "The identity rate is the share of edits that leave their input as it is: a model that drifts toward not "
        "editing is rewarded for what it does not break. The over-edit ratio is the pixels that changed for each that "
        "should have; 1 is right."
    )
    return "hacking", "Signs of hacking", curve_card("hacking", "Signs of hacking", hint, [plots])


def _speed(record: LoggedTraining) -> tuple[str, str, Html] | None:
    plots = _plots(*(_plot(record, name, low=0.0) for name in SPEEDS))
    if plots is None:
        return None
    hint = "Pictures that were trained on, or sampled and trained on, for each second of the clock."
    words = el("p", UTILIZATION, cls="hint") if any(record.curve(name) for name in SPEEDS[2:]) else None
    return "speed", "Speed", curve_card("speed", "Speed", hint, [plots, words])


def _others(record: LoggedTraining) -> tuple[str, str, Html] | None:
    known = {*LOSSES, *SPEEDS, *held_out_names(record), *reward_names(record)}
    known |= {name for name in record.names() if name.rpartition("/")[2] in (IDENTITY, OVER_EDIT, "loss")}
    others = [name for name in record.names() if name not in known and record.curve(name)]
    plots = _plots(*(_plot(record, name) for name in others[:MOST_OTHERS]))
    if plots is None:
        return None
    hint = "Whatever else was logged."
    if len(others) > MOST_OTHERS:
        hint = f"The first {MOST_OTHERS} of {len(others)} other numbers that were logged; metrics.jsonl has all."
    return "others", "Other numbers", curve_card("others", "Other numbers", hint, [plots])
