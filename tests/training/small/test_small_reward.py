"""Reward of the small editor: the mIoU that its pixels reach on average."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from editscope.editors.small.inputs import INPUTS
from editscope.editors.small.painting import ACTIONS, COPY, FIGURE, KEEP, MAP
from editscope.editors.small.painting import RAMP as RAMP_ACTION
from editscope.editors.small.pictures import COLORS, OUTSIDE, SIDE
from editscope.scoring.pixels import score_pixels
from editscope.suites.paintbench.lessons import lesson_at
from editscope.suites.paintbench.slots import Overrides, PaintSlot
from editscope.training.small.examples import RAMP, example_of
from editscope.training.small.loss import mapped_colors, progress_of
from editscope.training.small.network import Prediction, new_network
from editscope.training.small.reward import expected_miou
from editscope.training.small.settings import NetworkSettings

pytestmark = pytest.mark.slow
TINY = NetworkSettings(width=32, layers=1, heads=2, registers=5, fine=8)
PROBLEMS = (("recolor", "color"), ("blending", None), ("translation", None), ("gradient", "background"))


def example(task: str, mode: str | None) -> dict[str, torch.Tensor]:
    from editscope.suites.paintbench.catalog import MODES

    known = lesson_at(PaintSlot(task, mode or MODES[task][0], "horizontal", 0, 0), Overrides("training stream 9"))
    return {name: torch.from_numpy(np.asarray(value))[None] for name, value in example_of(known, 1).items()}


def prediction_for(known: dict[str, torch.Tensor]) -> Prediction:
    """What an untrained network predicts, with a color map, a gradient and a figure that do something."""
    with torch.no_grad():
        prediction: Prediction = new_network(TINY)(*(known[name] for name in INPUTS))
    prediction = replace(
        prediction, color_map=torch.tensor([[0.5, 0.2, 0.1, 0.2, 0.3]]), progress=progress_of(known["ramp"])
    )
    return replace(prediction, covered=torch.rand(1, SIDE, SIDE, generator=torch.manual_seed(3)) < 0.3)


def painted_pixels(
    prediction: Prediction, known: dict[str, torch.Tensor], taken: npt.NDArray[Any]
) -> npt.NDArray[np.uint8]:
    """The picture that follows when every pixel does one thing."""
    palette = known["palette"][0].numpy()
    grid = known["grid"][0].numpy()
    own = palette[np.where(grid == OUTSIDE, 0, grid)]
    copied = prediction.copied[0].numpy()
    there = (copied != OUTSIDE)[..., None]
    wrong = 255 - true_picture(known)  # what is copied from nowhere is never right
    mapped = np.floor(
        mapped_colors(prediction.color_map, known["grid"].long(), known["palette"])[0].numpy() * 255 + 0.5
    )
    first, second = (palette[int(end)].astype(float) for end in prediction.ends[0].argmax(dim=1))
    along = prediction.progress[0].clamp(0, 1).numpy()[..., None]
    first_named = (known["marks"][0] == 1).numpy()
    drawn = palette[int(first_named.argmax())] if first_named.any() else own
    ways = {
        KEEP: own,
        COPY: np.where(there, palette[np.where(copied == OUTSIDE, 0, copied)], wrong),
        MAP: mapped,
        RAMP_ACTION: np.floor(first + along * (second - first) + 0.5),
        FIGURE: np.where(prediction.covered[0].numpy()[..., None], drawn, own),
    }
    out: npt.NDArray[Any] = palette[np.minimum(taken, COLORS - 1)].astype(float)
    for action, picture in ways.items():
        out = np.where((taken == COLORS + action)[..., None], picture, out)
    return out.astype(np.uint8)


def true_picture(known: dict[str, torch.Tensor]) -> npt.NDArray[np.uint8]:
    answer, palette = known["answer"][0].numpy(), known["palette"][0].numpy()
    ramp = known["ramp"]
    first, second = (palette[int(ramp[0, place])].astype(float) for place in (3, 4))
    ramped = np.floor(first + progress_of(ramp)[0].numpy()[..., None] * (second - first) + 0.5)
    flat = palette[np.where(answer < len(palette), answer, 0)]
    return np.where((answer == RAMP)[..., None], ramped, flat).astype(np.uint8)


def scored(prediction: Prediction, known: dict[str, torch.Tensor], taken: npt.NDArray[Any]) -> float:
    """The mIoU of the painted picture, by the code that scores runs; what lies outside is cut off."""
    grid = known["grid"][0].numpy()
    rows, columns = (grid[:, 0] != OUTSIDE).sum(), (grid[0] != OUTSIDE).sum()
    before = known["palette"][0].numpy()[np.where(grid == OUTSIDE, 0, grid)]
    pictures = (before, true_picture(known), painted_pixels(prediction, known, taken))
    return float(score_pixels(*(np.ascontiguousarray(picture[:rows, :columns]) for picture in pictures)).miou)


@pytest.mark.parametrize(("task", "mode"), PROBLEMS)
def test_pixels_that_are_sure_have_the_miou_of_their_picture(task: str, mode: str | None) -> None:
    known = example(task, mode)
    prediction = prediction_for(known)
    random = np.random.default_rng(0)
    count = int((known["marks"][0] != OUTSIDE).sum())
    options = np.append(np.arange(count), COLORS + np.arange(ACTIONS))
    right = np.where(known["answer"][0].numpy() == known["grid"][0].numpy(), COLORS + KEEP, COLORS + RAMP_ACTION)
    taken = np.where(random.random((SIDE, SIDE)) < 0.2, random.choice(options, (SIDE, SIDE)), right)
    sure = torch.nn.functional.one_hot(torch.from_numpy(taken), COLORS + ACTIONS).permute(2, 0, 1)[None] * 80.0
    reward = float(expected_miou(replace(prediction, choice=sure), known))
    assert reward == pytest.approx(scored(prediction, known, taken), abs=1e-6) and reward < 0.99


def test_pixels_that_are_not_sure_have_the_mean_of_the_pictures_that_they_make() -> None:
    known = example("recolor", "color")
    logits = torch.randn(1, COLORS + ACTIONS, SIDE, SIDE, generator=torch.manual_seed(1))
    changed = known["answer"] != known["grid"]
    logits[:, COLORS + KEEP] += 5.0 * ~changed
    logits.scatter_add_(1, known["answer"].long().clamp(max=COLORS - 1)[:, None], 4.0 * changed[:, None])
    prediction = replace(prediction_for(known), choice=logits)
    shares = logits[0].softmax(dim=0).flatten(1).t()
    draw = torch.Generator().manual_seed(2)
    pictures = [torch.multinomial(shares, 1, generator=draw).reshape(SIDE, SIDE).numpy() for _ in range(6)]
    assert float(expected_miou(prediction, known)) == pytest.approx(
        fmean(scored(prediction, known, picture) for picture in pictures), rel=0.02
    )


def test_the_gradient_leads_to_the_right_colors() -> None:
    known = example("recolor", "color")
    prediction = prediction_for(known)
    choice = prediction.choice.clone().requires_grad_()
    rate, rewards = 1.0, []
    optimizer = torch.optim.Adam([choice], lr=rate)
    for _ in range(12):
        reward = expected_miou(replace(prediction, choice=choice), known).mean()
        optimizer.zero_grad()
        (-reward).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        rewards.append(float(reward.detach()))
    assert rewards[-1] > 0.95 and rewards[0] < 0.1
