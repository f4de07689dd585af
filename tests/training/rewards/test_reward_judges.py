"""Rewards of judges: each is its definition, none is a verdict that nobody gave, and nothing is asked twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.judges import Call, Judge, Verdict
from editscope.training.rewards import Reward, RewardSum, RewardValue, Rollout, load_reward
from editscope.training.rewards.judged import CausalReward, ReasonReward
from editscope.transport.account import BudgetSpent
from support.servers.judge_server import KEY, Asked, Fault, JudgeServer, Reply
from support.training.rollouts import INSTRUCTION, SOURCE, a_rollout, an_example, shades

pytestmark = pytest.mark.slow

THREE = ("reason", "fidelity", "causal")
CAUSE = "The apple was left for weeks."


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def loaded() -> Iterator[Callable[..., Reward]]:
    """How to load a reward that asks a server; closed at the end."""
    rewards: list[Reward] = []

    def load(name: str, server: JudgeServer, **options: Any) -> Reward:
        given = "".join(f"&{key}={value}" for key, value in options.items())
        rewards.append(load_reward(f"{name}?judge={server.spec()}{given}"))
        return rewards[-1]

    yield load
    for reward in rewards:
        reward.close()


def answers(asked: Asked) -> dict[str, Any]:
    """Marks by the kind of question that is asked."""
    assert asked.schema is not None
    fields = set(asked.schema["properties"])
    if "adherence" in fields:
        return {"reason": "faithful", "adherence": 9, "consistency": 4}
    if "cause" in fields:
        return {"reason": "it is brown now", "cause": CAUSE}
    return {"reason": "close", "score": 8 if "Named cause:" in asked.text else 7}


def test_reason_is_the_mark_for_the_plan_by_a_judge_that_does_not_see_the_edit(loaded: Any) -> None:
    with JudgeServer(answers) as server:
        reward = loaded("reason", server)
        assert reward.score([a_rollout(plan="It rots.")]) == [RewardValue(0.7, reason="close")]
        (asked,) = server.asked
        assert "Reasoning of the model:\nIt rots." in asked.text
        assert INSTRUCTION in asked.text
        assert len(asked.pictures) == 1, "the source alone"
        assert reward.score([a_rollout(plan=" \n")])[0].value == 0.0, (
            "who writes no plan has written none that is sound"
        )
        assert server.calls == 1


def test_fidelity_is_the_mean_of_adherence_and_consistency(loaded: Any) -> None:
    with JudgeServer(answers) as server:
        (geometric,) = loaded("fidelity", server).score([a_rollout()])
        (mean,) = loaded("fidelity", server, combine="mean").score([a_rollout()])
        assert geometric.value == pytest.approx((0.9 * 0.4) ** 0.5)
        assert mean.value == pytest.approx((0.9 + 0.4) / 2)
        assert server.calls == 1, "both ways are made of the same verdict"
        assert len(server.asked[0].pictures) == 2


def test_an_edit_that_changes_nothing_gets_nothing_from_fidelity(loaded: Any) -> None:
    with JudgeServer([{"reason": "the same", "adherence": 0, "consistency": 10}]) as server:
        assert loaded("fidelity", server).score([a_rollout(SOURCE)])[0].value == 0.0


def test_causal_names_the_cause_blindly_and_compares_it_with_the_instruction(loaded: Any) -> None:
    with JudgeServer(answers) as server:
        (value,) = loaded("causal", server).score([a_rollout()])
        assert value == RewardValue(0.8, reason=f"named cause: {CAUSE}")
        first, second = server.asked
        assert len(first.pictures) == 2
        assert INSTRUCTION not in first.text and "pear" not in first.text, "the judge sees source and edit alone"
        assert second.pictures == ()
        assert INSTRUCTION in second.text and CAUSE in second.text


def test_causal_by_words_asks_for_the_cause_alone(loaded: Any) -> None:
    with JudgeServer([{"reason": "", "cause": "let the pear lie on the shelf for one month"}]) as server:
        (value,) = loaded("causal", server, similarity="words").score([a_rollout()])
        assert value.value == pytest.approx(2 * 8 / (10 + 10))
        assert server.calls == 1


def test_samples_are_averaged(loaded: Any) -> None:
    with JudgeServer([{"reason": "", "score": 2}, {"reason": "", "score": 7}]) as server:
        assert loaded("reason", server, samples=2).score([a_rollout()])[0].value == pytest.approx(0.45)


@pytest.mark.parametrize("name", THREE)
@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Reply("a fine edit, ten out of ten"), "unparsed"),
        (Reply({"reason": "x", "score": 11, "adherence": 11, "consistency": 4, "cause": ""}), "unparsed"),
        (Reply(refusal="I cannot judge that."), "refused"),
        (Fault(400, "bad request"), "error"),
        (Fault(500), "error"),
        (Fault(kind="drop"), "error"),
    ],
)
def test_no_verdict_is_no_value_and_never_zero(name: str, outcome: Any, status: str, loaded: Any) -> None:
    with JudgeServer([outcome]) as server:
        (value,) = loaded(name, server, retries=0).score([a_rollout()])
    assert (value.value, value.status) == (None, status)
    assert value.reason


def test_a_similarity_that_cannot_be_read_is_no_value(loaded: Any) -> None:
    def script(asked: Asked) -> Any:
        return "no idea" if "Named cause:" in asked.text else answers(asked)

    with JudgeServer(script) as server:
        (value,) = loaded("causal", server).score([a_rollout()])
    assert (value.value, value.status) == (None, "unparsed")


def test_a_bad_reply_costs_one_rollout_its_value_and_no_other(loaded: Any) -> None:
    def script(asked: Asked) -> Any:
        return Reply("hm") if "Plan 2." in asked.text else {"reason": "", "score": 5}

    with JudgeServer(script) as server:
        values = loaded("reason", server).score(shades(5))
    assert [value.value for value in values] == [0.5, 0.5, None, 0.5, 0.5]


def test_a_judge_that_is_down_gives_no_value_and_is_asked_again_when_it_is_back(loaded: Any) -> None:
    with JudgeServer(answers) as server:
        port = server.port
        reward = loaded("reason", server, retries=0, timeout=30)
        assert reward.score(shades(2))[0].value == 0.7
    rollouts = shades(40)  # more than the judge is given up after
    values = reward.score(rollouts)
    assert [value.value for value in values] == [0.7, 0.7] + [None] * 38, "what was answered before is still known"
    assert {value.status for value in values[2:]} == {"error"}
    assert reward.score(rollouts[:3])[2].value is None
    with pytest.raises(BadInput):
        reward.prepare()
    with JudgeServer(answers, port=port) as server:
        assert [value.value for value in reward.score(rollouts)] == [0.7] * 40
        assert server.calls == 38, "nothing is asked twice"


def test_a_resumed_step_asks_nothing_twice(loaded: Any) -> None:
    rollouts = shades(4)
    with JudgeServer(answers) as server:
        first = {name: loaded(name, server) for name in THREE}
        before = {name: reward.score(rollouts) for name, reward in first.items()}
        asked = server.calls
        assert asked == 4 + 4 + 4 + 1, "one similarity, since all causes and instructions are the same"
        for reward in first.values():
            reward.close()
        again = {name: load_reward(f"{name}?judge={server.spec()}") for name in THREE}  # as another process would
        assert {name: reward.score(rollouts) for name, reward in again.items()} == before
        assert server.calls == asked
        for reward in again.values():
            reward.close()


@pytest.mark.parametrize("off", THREE)
def test_switching_one_off_changes_only_it(off: str) -> None:
    rollouts = shades(3)
    with JudgeServer(answers) as server:
        specs = {name: f"{name}?judge={server.spec()}&cache=off" for name in THREE}
        whole = RewardSum(specs)
        every = whole.parts(rollouts)
        texts = sorted(asked.text for asked in server.asked)
        server.asked.clear()
        less = RewardSum(specs, off=[off])
        parts = less.parts(rollouts)
        assert parts == {name: values for name, values in every.items() if name != off}
        kept = sorted(asked.text for asked in server.asked)
        assert len(kept) < len(texts) and all(text in texts for text in kept)
        totals, lower = whole.total(every), less.total(parts)
        for number in range(3):
            gone = every[off][number].value or 0.0
            assert totals[number].value == pytest.approx((lower[number].value or 0.0) + gone)
        whole.close()
        less.close()


def test_the_papers_sum_is_neither_weighted_nor_normalized() -> None:
    with JudgeServer(answers) as server:
        total = RewardSum([f"{name}?judge={server.spec()}" for name in THREE])
        assert (total.low, total.high) == (0.0, 3.0)
        assert total.score([a_rollout()])[0].value == pytest.approx(0.7 + 0.6 + 0.8)
        total.close()


def test_rewards_of_one_judge_share_its_budget(tmp_path: Path) -> None:
    prices = "budget=0.0000001"
    with JudgeServer(answers) as server:
        reward = load_reward(f"reason?judge={server.spec()}&{prices}")
        with pytest.raises(BudgetSpent, match="does not fit into the budget"):
            reward.score(shades(2))
        assert server.calls == 0
        reward.close()


def test_an_example_without_an_instruction_is_refused(loaded: Any) -> None:
    with JudgeServer(answers) as server, pytest.raises(BadInput, match="has no instruction"):
        loaded("causal", server).check(an_example(instruction=" "))


class Odd(Judge):
    """A judge of one's own that fails in every way."""

    concurrency = 4

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        if "Plan 0." in str(call.parts):
            raise RuntimeError("out of memory")
        if "Plan 1." in str(call.parts):
            return Verdict("ok", {"score": 99})
        return Verdict("ok", {"score": 10}, "fine")


def test_a_judge_of_ones_own_that_fails_costs_values_and_not_the_process() -> None:
    reward = ReasonReward(judge=Odd(), cache="off")
    values = reward.score(shades(3))
    assert [value.value for value in values] == [None, None, 1.0]
    assert "out of memory" in values[0].reason and "score=99" in values[1].reason
    reward.close()


def test_a_sum_says_which_part_is_missing_and_refuses_what_it_cannot_be() -> None:
    class Broken(Reward):
        name = "broken"

        def score(self, rollouts: Any) -> list[RewardValue]:
            return [RewardValue(float("nan")) for _ in rollouts]

    (value,) = RewardSum(["miou", Broken()]).score([a_rollout()])
    assert value == RewardValue(None, "error", "broken: the reward broken gave nan, which is not a finite number")
    assert RewardSum({"a": "miou", "b": "psnr_outside"}, {"a": 2, "b": -1}).score([a_rollout()])[0].value == 1.0
    wrong: tuple[tuple[Any, Any, Any, str], ...] = (
        (["miou", "miou?jobs=1"], None, (), "two rewards of a sum have the same name"),
        (["miou"], [1, 2], (), "2 weights for 1 rewards"),
        (["miou"], {"mio": 1}, (), "no reward to weigh 'mio'"),
        (["miou"], [float("nan")], (), "the weight of miou is nan"),
        (["miou"], None, ["causal"], "no reward to switch off 'causal'"),
        (["miou"], None, ["miou"], "every reward of the sum is off"),
        ([], None, (), "at least one reward"),
        ("miou", None, (), "rewards must be a list or mapping of specs, not a string"),
        (["miou"], 3, (), "weights is 3; write a number for each reward"),
        (["miou"], None, 3, 'off is 3; write a list of names, such as off = \\["miou"\\]'),
        (["miou"], None, "miou", "off is 'miou'; write a list of names"),
        (["miou"], None, [["miou"]], r"off is .*; write a list of names"),
    )
    for rewards, weights, off, said in wrong:
        with pytest.raises(BadInput, match=said):
            RewardSum(rewards, weights, off)


def test_several_input_pictures_are_all_shown(loaded: Any) -> None:
    other = np.full_like(SOURCE, 90)
    with JudgeServer(answers) as server:
        reward = loaded("fidelity", server)
        assert isinstance(reward.score([Rollout(an_example(pictures=(SOURCE, other)), SOURCE)])[0].value, float)
        assert len(server.asked[0].pictures) == 3
        assert "Picture 2, before the edit" in server.asked[0].text


def test_the_wording_can_be_replaced(tmp_path: Path) -> None:
    from editscope.judges.prompts.packs import export_pack
    from editscope.training.rewards import judged

    ours = Path(judged.__file__).with_name("prompts")
    export_pack("rewards", tmp_path / "mine", ours)
    file = tmp_path / "mine" / "cause.txt"
    file.write_text(file.read_text(encoding="utf-8").replace("Say what happened in between", "Was ist geschehen"))
    with JudgeServer(answers) as server:
        reward = CausalReward(judge=server.spec(), prompts=str(tmp_path / "mine"))
        reward.score([a_rollout()])
        assert "Was ist geschehen" in server.asked[0].text
        reward.close()
    (tmp_path / "mine" / "reason.txt").unlink()
    with pytest.raises(BadInput, match=r"has no reason\.txt"):
        load_reward(f"reason?judge=openai:m&prompts={tmp_path / 'mine'}")
