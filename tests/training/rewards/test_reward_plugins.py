"""Rewards of other packages and of one's own files: found by name, made with options, told when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.training.rewards import load_reward, reward_names
from support.training.rollouts import a_rollout

MODULE = """
import editscope as es


class Brightness(es.Reward):
    name = "brightness"

    def __init__(self, kind="mean", target: float = 1.0):
        self.kind, self.target = kind, target

    def score(self, rollouts):
        return [es.RewardValue(self.target, reason=self.kind) for _ in rollouts]


class Unnamed(es.Reward):
    name = 7

    def score(self, rollouts):
        return []


def nothing():
    return 3
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package with three entry points; one of them has the name of a reward of ours."""
    about = tmp_path / "acme_rewards-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rewards\nVersion: 1.0\n")
    points = {
        "brightness": "Brightness",
        "unnamed": "Unnamed",
        "three": "nothing",
        "miou": "Brightness",
        "lost": "Gone",
    }
    lines = "".join(f"{name} = acme_rewards:{place}\n" for name, place in points.items())
    (about / "entry_points.txt").write_text(f"[editscope.rewards]\n{lines}")
    (tmp_path / "acme_rewards.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("package")
def test_a_reward_of_another_package_is_found_by_its_name() -> None:
    assert "brightness" in reward_names()
    (value,) = load_reward("brightness?target=0.25").score([a_rollout()])
    assert (value.value, value.reason) == (0.25, "mean")
    assert load_reward("brightness:median").score([a_rollout()])[0].reason == "median", "what follows the colon"
    assert load_reward("python:acme_rewards:Brightness?target=0.5").score([a_rollout()])[0].value == 0.5
    assert load_reward("miou").score([a_rollout()])[0].value == 1.0, "a name that ships stays ours"


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("brightness?targt=1", "there is no option 'targt'.*did you mean 'target'"),
        ("brightness?target=high", "option target: 'high' is not a number"),
        ("unnamed", "name is 7, not a text"),
        ("three", "is an int, not an editscope.Reward"),
        ("lost", "cannot be imported"),
        ("brightnes", "did you mean 'brightness'"),
    ],
)
def test_a_plugin_that_is_wrong_is_told_in_one_sentence(spec: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as error:
        load_reward(spec)
    assert "\n" not in str(error.value)
