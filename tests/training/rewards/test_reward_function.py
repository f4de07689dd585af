"""A reward as a plain function, and in the signatures of TRL, flow_grpo and verl-omni.

Minimal loops call the examples as the trainers do, argument by argument; test_trl_for_real.py runs TRL itself.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import editscope as es
from editscope.errors import BadInput, Stopped
from editscope.training.rewards import reward_function
from editscope.training.rewards.trainers import for_flow_grpo, for_trl, for_verl_omni
from support.places import ROOT
from support.servers.judge_server import KEY, Fault, JudgeServer
from support.servers.reward_server import RewardServer
from support.training.rollouts import ANSWER, INSTRUCTION, SOURCE, answer_of

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torch.set_num_threads(1)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))


def example(name: str) -> ModuleType:
    """A file of examples/rewards, imported anew."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / "rewards" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_function_takes_every_kind_of_picture_and_gives_floats() -> None:
    reward = es.reward("miou")
    given: Any = {"sources": [SOURCE] * 2, "answers": [ANSWER] * 2}
    chw = torch.stack([torch.from_numpy(es.to_array(one, "chw", "float32")) for one in (ANSWER, SOURCE)])
    for outputs in ([ANSWER, SOURCE], np.stack([ANSWER, SOURCE]), chw, chw.to(torch.float16)):
        assert reward(outputs, **given) == [1.0, 0.0]
    assert reward([ANSWER], sources=[[SOURCE]], answers=[ANSWER]) == [1.0]
    assert reward([], sources=[], answers=[]) == []
    assert reward.__name__ == "miou"


def test_problems_of_a_suite_are_named_by_id() -> None:
    suite = es.load_suite("paintbench")
    ids = suite.select(limit=3)
    reward = es.reward(["miou", "psnr_outside"], weights={"psnr_outside": 0.5}, suite=suite)
    assert reward([answer_of(suite[case_id]) for case_id in ids], ids=ids) == [1.5, 1.5, 1.5]
    assert (reward.low, reward.high) == (0.0, 1.5)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "output 0 has no source; give sources="),
        ({"sources": [SOURCE]}, "there are 1 sources for 2 outputs"),
        ({"sources": "a.png"}, "sources is str; give a list"),
        ({"sources": [SOURCE] * 2}, "has no answer"),
        ({"sources": [[], []], "answers": [ANSWER] * 2}, "the source of output 0 is an empty list"),
        ({"sources": [SOURCE, "nowhere.png"], "answers": [ANSWER] * 2}, "the source of output 1"),
        ({"ids": ["a", "b"]}, "no suite is loaded"),
    ],
)
def test_a_wrong_call_is_told_in_one_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        es.reward("miou")([ANSWER, ANSWER], **given)


def test_a_missing_reward_is_nan_or_raises_or_is_your_number() -> None:
    given: Any = {"sources": [SOURCE], "instructions": ["Paint it."], "plans": ["I paint."]}
    with JudgeServer([Fault(500)]) as server:
        spec = f"reason?judge={server.spec()}&retries=0"
        with reward_function(spec) as function:
            assert np.isnan(function([ANSWER], **given)).all()
        with reward_function(spec, missing="raise") as function, pytest.raises(Stopped, match="has no value"):
            function([ANSWER], **given)
        with reward_function(spec, missing=-1) as function:
            assert function([ANSWER], **given) == [-1.0]
    for wrong in ("zero", True, None):
        with pytest.raises(BadInput, match="missing is"):
            reward_function("miou", missing=wrong)  # type: ignore[arg-type]


# --- TRL ------------------------------------------------------------------------------------------------------


def trl_step(functions: list[Callable[..., Any]], rows: list[dict[str, Any]], completions: list[Any]) -> torch.Tensor:
    """Rewards and advantages as GRPOTrainer computes them: its calls, its NaN for None, its sum without NaN."""
    columns = {name: [row[name] for row in rows] for name in rows[0] if name not in ("prompt", "completion")}
    prompts = [row["prompt"] for row in rows]
    table = torch.zeros(len(rows), len(functions))
    for place, function in enumerate(functions):
        assert function.__name__, "the trainer logs it"
        given = function(
            prompts=prompts,
            completions=completions,
            completion_ids=[[1, 2]] * len(rows),
            trainer_state=None,
            **columns,
        )
        table[:, place] = torch.tensor([float("nan") if one is None else one for one in given])
    return table.nansum(dim=1)


def test_trl_trains_a_planner_on_the_soundness_of_its_plans() -> None:
    module = example("trl_planner")

    def script(asked: Any) -> dict[str, Any]:
        return {"reason": "", "score": 9 if "a sound plan" in asked.text else 2}

    with JudgeServer(script) as server:
        rows = [row for row in module.rows(2) for _ in range(2)]
        plans = ["a sound plan", "nonsense", "nonsense", "a sound plan"]
        completions = [[{"role": "assistant", "content": plan}] for plan in plans]
        rewards = trl_step([module.reward(server.spec())], rows, completions)
        assert rewards.tolist() == pytest.approx([0.9, 0.2, 0.2, 0.9])
        assert all(len(asked.pictures) == 1 for asked in server.asked), "the source of the column `image`"
        assert all(
            rows[0]["instruction"] in asked.text or rows[2]["instruction"] in asked.text for asked in server.asked
        )


def test_trl_leaves_out_what_nobody_could_judge() -> None:
    with JudgeServer([Fault(500)]) as server:
        function = for_trl(es.reward(f"reason?judge={server.spec()}&retries=0"))
        assert function(prompts=["Paint it."], completions=["I paint."], image=[SOURCE]) == [None]


def test_trl_with_pictures_as_completions_or_from_a_painter() -> None:
    function = for_trl(es.reward("miou"))
    columns = {"source": [SOURCE, SOURCE], "answer": [ANSWER, ANSWER]}
    assert function(prompts=["a", "b"], completions=[ANSWER, SOURCE], **columns) == [1.0, 0.0]
    assert function(prompts=["a", "b"], images=[ANSWER, SOURCE], **columns) == [1.0, 0.0]
    assert function(prompts=["a", "b"], completions=["plan", "plan"], outputs=[SOURCE, ANSWER], **columns) == [0.0, 1.0]
    with pytest.raises(BadInput, match="neither completions nor images"):
        function(prompts=["a"])


# --- flow_grpo ------------------------------------------------------------------------------------------------


def test_flow_grpo_gets_a_dictionary_of_scores() -> None:
    module = example("flow_grpo_reward")
    reward_fn, rows = module.reward_fn(), module.metadata(1) * 2
    suite = es.load_suite("paintbench")
    right = [es.to_array(answer_of(suite[row["id"]]), "chw", "float32") for row in rows]
    wrong = [es.to_array(suite[row["id"]].images[0], "chw", "float32") for row in rows]
    images = torch.from_numpy(np.stack([*right, *wrong]))
    prompts = [row["prompt"] for row in (*rows, *rows)]
    rewards, _ = reward_fn(images, prompts, [*rows, *rows], only_strict=True)
    # what its training script makes of them
    gathered = {name: torch.as_tensor(values).float() for name, values in rewards.items()}
    assert gathered["miou"].tolist() == [1.0, 1.0, 0.0, 0.0]
    assert gathered["avg"].tolist() == [1.5, 1.5, 0.5, 0.5]
    groups = gathered["avg"].view(2, 2)
    advantages = (groups - groups.mean(0)) / (groups.std(0) + 1e-4)
    assert (advantages[0] > 0).all() and (advantages[1] < 0).all()


def test_flow_grpo_with_reference_images_and_ddpo_with_pictures_in_metadata() -> None:
    function = for_flow_grpo(es.reward("miou"))
    answers = [{"answer": ANSWER}, {"answer": ANSWER}]
    for scores, info in (
        function([ANSWER, SOURCE], ["a", "b"], answers, [SOURCE, SOURCE], True),
        function([ANSWER, SOURCE], ["a", "b"], answers, ref_images=[SOURCE, SOURCE]),
        function([ANSWER, SOURCE], ("a", "b"), tuple({**one, "source": SOURCE} for one in answers)),
    ):
        assert scores == {"miou": [1.0, 0.0], "avg": [1.0, 0.0]}
        assert info["status"] == ["ok", "ok"]
    with pytest.raises(BadInput, match="1 entries of metadata for 2 images"):
        function([ANSWER, SOURCE], ["a", "b"], answers[:1])


# --- verl-omni ------------------------------------------------------------------------------------------------


def verl_omni_step(
    compute_score: Callable[..., Any], image: torch.Tensor, extra_info: dict[str, Any]
) -> dict[str, Any]:
    """One sample as its visual reward manager scores it: by keywords, a dictionary with "score" back."""
    result = compute_score(
        data_source="paintbench",
        solution_image=image,
        ground_truth="",
        extra_info=extra_info,
        reward_router_address="x",
    )
    return {"reward_score": result["score"], "reward_extra_info": {k: v for k, v in result.items() if k != "score"}}


@pytest.mark.parametrize("remote", [False, True])
def test_verl_omni_scores_one_picture_at_a_time(remote: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = es.load_suite("paintbench")
    case = suite[suite.ids[5]]
    image = torch.from_numpy(es.to_array(answer_of(case), "chw", "float32"))
    info = {"id": case.id, "suite": "paintbench"}
    with RewardServer(suites=["paintbench"]) as server:
        if remote:
            monkeypatch.setenv("EDITSCOPE_REWARD", server.url)
        module = example("verl_omni_reward")
        scored = verl_omni_step(module.compute_score, image, info)
        assert scored["reward_score"] == 1.0
        assert scored["reward_extra_info"]["status"] == "ok"
        assert verl_omni_step(module.compute_score, image[None], info)["reward_score"] == 1.0
        assert (server.queue.done > 0) is remote
        module.FUNCTION.close()


def test_verl_omni_with_pictures_in_its_data() -> None:
    compute_score = for_verl_omni(es.reward("miou"))
    image = torch.from_numpy(es.to_array(ANSWER, "chw", "float32"))
    given = {"source_img": SOURCE, "target_img": ANSWER, "instruction": INSTRUCTION}
    assert verl_omni_step(compute_score, image, given)["reward_score"] == 1.0
