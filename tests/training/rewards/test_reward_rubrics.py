"""Any rubric as a reward: what a run scores, scaled to 0..1, from the same calls; region questions among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.cases import Case, Instruction, Question, Region
from editscope.errors import BadInput
from editscope.judges.prompts.packs import load_pack
from editscope.suites.rubrics import rubric_names
from editscope.training.rewards import load_reward
from support.servers.judge_server import KEY, Asked, JudgeServer, Reply, agreeable
from support.training.rollouts import ANSWER, SOURCE, a_rollout, an_example

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))


def marks(asked: Asked) -> dict[str, Any]:
    """A mark that depends on the question: 2, 3, 4 or 5."""
    assert asked.schema is not None
    mark = 2 + len(asked.text) % 4
    return {
        name: mark if "integer" in str(shape) else shape["enum"][0] if "enum" in shape else "words"
        for name, shape in asked.schema["properties"].items()
    }


def a_case(**more: Any) -> Case:
    texts = (
        Instruction("Wet it.", "superficial", variant="superficial"),
        Instruction("Pour water.", "explicit", variant="explicit"),
    )
    return Case("7", "s", (SOURCE,), texts, {"mode": "humidity", "law": "Optics"}, **more)


def test_a_rubric_gives_what_judge_one_gives_on_a_scale_of_0_to_1() -> None:
    with JudgeServer(marks) as server:
        for spec, least, most in (("worldedit", 1, 5), ("rise", 0, 1), ("gedit", 0, 10)):
            judged = es.judge_one(
                SOURCE, ANSWER, "Wet it.", judge=server.spec(), rubric=spec, fields={"mode": "humidity"}
            )
            calls = server.calls
            example: dict[str, Any] = {"instruction": "Wet it.", "tags": {"mode": "humidity"}}
            reward = load_reward(f"rubric:{spec}?judge={server.spec()}")
            reward.check(an_example(**example))
            (value,) = reward.score([a_rollout(**example)])
            assert server.calls == calls, "the same calls, which the cache knows"
            assert judged.score is not None
            measure = next(one for one in judged.measures if one.name == judged.headline)
            natural = judged.score / measure.scale + measure.zero
            assert (measure.worst, measure.best) == (least, most)
            assert value.value == pytest.approx((natural - least) / (most - least))
            reward.close()


@pytest.mark.parametrize(("gate", "expected"), [("asked", 1.0), ("enforced", 0.0)])
def test_a_measure_can_be_chosen_and_options_of_the_protocol_set(gate: str, expected: float) -> None:
    following = load_pack("worldedit")["if"].text[:40]

    with JudgeServer(lambda asked: {"reason": "", "score": 1 if following in asked.text else 5}) as server:
        reward = load_reward(f"rubric:worldedit?judge={server.spec()}&measure=kp&kp_gate={gate}")
        (value,) = reward.score([a_rollout(case=a_case(), level="explicit", instruction="Pour water.")])
        assert value.value == expected
        reward.close()


def test_the_instruction_of_the_rollout_decides_which_edit_of_the_case_it_is() -> None:
    with JudgeServer(agreeable) as server:
        reward = load_reward(f"rubric:worldedit?judge={server.spec()}")
        reward.score([a_rollout(case=a_case(), level="explicit", instruction="Pour water.")])
        assert any("Pour water." in asked.text for asked in server.asked)
        assert not any("Wet it." in asked.text for asked in server.asked)
        reward.score([a_rollout(case=a_case(), level="superficial", instruction="in other words")])
        assert any("Wet it." in asked.text for asked in server.asked)
        with pytest.raises(
            BadInput, match=r"has the level 'secret', which case '7' does not have \(superficial, explicit"
        ):
            reward.check(an_example(case=a_case(), level="secret"))
        reward.close()


QUESTIONS = tuple(
    Question(f"Is thing {number} wet?", label, Region(f"r{number}", (100 * number, 0, 100 * number + 90, 300)))
    for number, label in enumerate(("Yes", "No", "Yes", "No"))
)


def test_regions_is_the_share_of_questions_that_are_answered_as_expected() -> None:
    case = a_case(questions=QUESTIONS, regions=(Region("edit", (6, 4, 20, 12)),))
    with JudgeServer(lambda asked: {"reason": "", "answer": "No" if "thing 2" in asked.text else "Yes"}) as server:
        reward = load_reward(f"regions?judge={server.spec()}")
        rollout = a_rollout(case=case, level="superficial", instruction="Wet it.")
        reward.check(rollout.example)
        assert reward.score([rollout])[0].value == 0.25, "of Yes No Yes No, the judge says Yes Yes No Yes"
        assert server.calls == 4
        assert reward.score([rollout])[0].value == 0.25 and server.calls == 4
        reward.close()


def test_a_question_without_an_answer_leaves_the_share_open() -> None:
    case = a_case(questions=QUESTIONS)
    with JudgeServer(
        lambda asked: Reply("hm") if "thing 3" in asked.text else {"reason": "", "answer": "Yes"}
    ) as server:
        reward = load_reward(f"regions?judge={server.spec()}")
        (value,) = reward.score([a_rollout(case=case, level="explicit")])
        assert (value.value, value.status) == (None, "unparsed")
        reward.close()


def test_an_example_that_a_protocol_cannot_judge_is_refused() -> None:
    reward = load_reward("regions?judge=openai:m")
    with pytest.raises(BadInput, match="has no questions about regions"):
        reward.check(an_example(case=a_case()))
    (value,) = load_reward("rubric:picabench?judge=openai:m").score([a_rollout(case=a_case())])
    assert (value.value, value.status) == (None, "error")


def test_every_protocol_that_ships_is_a_reward() -> None:
    needs_more = {"own"}  # a folder of yours says what it asks
    for name in set(rubric_names()) - needs_more:
        assert load_reward(f"rubric:{name}?judge=openai:m&cache=off").high == 1.0


def test_the_trace_protocol_judges_the_plan() -> None:
    with JudgeServer(agreeable) as server:
        reward = load_reward(f"rubric:trace?judge={server.spec()}")
        (value,) = reward.score([a_rollout(np.full_like(SOURCE, 7), plan="First I look at the apple.")])
        assert value.value == 1.0
        assert any("First I look at the apple." in asked.text for asked in server.asked)
        reward.close()
