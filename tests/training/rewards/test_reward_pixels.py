"""Rewards that pixels decide: equal to the metric, scaled as said, refused where an example cannot have them."""

from __future__ import annotations

from math import log10
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.cases import Case, Instruction, Region
from editscope.errors import BadInput
from editscope.training.rewards import load_reward
from support.training.rollouts import ANSWER, SOURCE, a_rollout, an_example


def test_miou_is_the_metric_of_the_answer() -> None:
    spilled = ANSWER.copy()
    spilled[20:, :5] = 0
    outputs = [ANSWER, SOURCE, spilled, np.repeat(np.repeat(ANSWER, 2, 0), 2, 1)]
    values = load_reward("miou").score([a_rollout(output) for output in outputs])
    assert [value.value for value in values] == [es.score_pixels(SOURCE, ANSWER, output).miou for output in outputs]
    assert (values[0].value, values[1].value) == (1.0, 0.0)
    assert 0 < (values[2].value or 0) < 1


def test_psnr_outside_looks_only_at_what_was_to_stay() -> None:
    reward = load_reward("psnr_outside?best=60")
    inside = ANSWER.copy()
    inside[4:12, 6:20] = 0
    off = ANSWER.astype(int)
    off[0] += 10
    levels = -10 * log10(10**2 * 32 / (255**2 * (24 * 32 - 8 * 14)))
    perfect, slightly_off = reward.score([a_rollout(inside), a_rollout(off.astype(np.uint8))])
    assert perfect.value == 1.0
    assert slightly_off.value == pytest.approx(levels / 60)


def test_psnr_outside_takes_the_regions_of_a_case_without_an_answer() -> None:
    box = Region("edit", (6, 4, 20, 12))
    case = Case("1", "s", (SOURCE,), (Instruction("Paint it."),), {}, regions=(box,))
    reward = load_reward("psnr_outside")
    (value,) = reward.score([a_rollout(answer=None, case=case)])
    assert value.value == 1.0


@pytest.mark.parametrize(
    ("spec", "changed", "said"),
    [
        ("miou", {"answer": None}, "example 'e0' of 'made' has no answer, and the reward miou needs an answer"),
        ("miou", {"answer": ANSWER[:20]}, "an input of 32×24 and an answer of 32×20 pixels"),
        ("psnr_outside", {"answer": None}, "has no answer or regions"),
        ("psnr_outside", {"answer": 255 - SOURCE}, "no pixel lies outside the edit"),
    ],
)
def test_an_example_that_cannot_be_scored_is_refused_before_anything_is_sampled(
    spec: str, changed: dict[str, Any], said: str
) -> None:
    reward = load_reward(spec)
    reward.check(an_example())
    with pytest.raises(BadInput, match=said):
        reward.check(an_example(**changed))
    (value,) = reward.score([a_rollout(**changed)])
    assert value.value is None and value.status == "error", "no verdict is not the worst verdict"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("mious", "there is no reward 'mious'; did you mean 'miou'"),
        ("miou?job=2", "there is no option 'job' of reward 'miou'; did you mean 'jobs'"),
        ("miou?jobs=many", "option jobs: 'many' is not a whole number"),
        ("miou?jobs=0", "option jobs: must be a whole number of at least 1, not 0"),
        ("miou:border", "has 'border' after its name"),
        ("psnr_outside?worst=60", "worst is 60 and best is 50"),
        ("causal", "names no judge; write causal.judge=openai:MODEL"),
        ("causal?judge=openai:m&similarity=cosine", "'cosine' is not one of judge, words"),
        ("fidelity?judge=openai:m&api_key=abc", "keys come from the environment only"),
        ("reason?judge=openai:m&samples=0", "option samples: must be a whole number of at least 1"),
        ("rubric:", "names no benchmark"),
        ("rubric:paintbench?judge=openai:m", "there is no protocol 'paintbench'"),
        ("rubric:kris?judge=openai:m&measure=beauty", "there is no measure of protocol kris 'beauty'"),
        ("rubric:kris?judge=openai:m&gate=1", "there is no option 'gate' of protocol"),
        ("python:nowhere:Thing", "cannot be imported"),
        ("python:editscope.cases:Case?id=1", "could not be constructed"),
        ("ftp://host/path", "there is no reward 'ftp'"),
    ],
)
def test_a_wrong_spec_is_told_in_one_sentence(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as error:
        load_reward(spec)
    assert "\n" not in str(error.value)
