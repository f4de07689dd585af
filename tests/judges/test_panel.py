"""Claims about panels: several judges asked the same, all that they say kept, and how far they agree."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.judges import Call, Field, Picture, Schema, Verdict
from editscope.judges.panel import Panel, agreement, load_panel, ratings
from editscope.transport.budget import BudgetSpent
from support.servers.judge_server import KEY, JudgeServer, Reply

SCALE = Schema((Field("score", "integer", 1, 5),))


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def call(name: str = "q") -> Call:
    return Call(name, (f"How good is {name}?", Picture(name.encode())), SCALE)


def test_all_judges_are_asked_and_all_verdicts_are_kept() -> None:
    async def work(specs: list[str]) -> tuple[Verdict, ...]:
        panel = Panel(load_panel(specs, backoff=0.005))
        try:
            await panel.check()
            assert panel.estimate([call(), call("r")], samples=3).calls == 18
            return await panel.ask(call())
        finally:
            await panel.close()

    refusing = Reply(refusal="I cannot help with that.")
    with JudgeServer([{"score": 4}]) as one, JudgeServer([refusing]) as two, JudgeServer([{"score": 2}]) as three:
        specs = [server.spec() for server in (one, two, three)]
        said = asyncio.run(work(specs))
    assert [(verdict.status, dict(verdict.values)) for verdict in said] == [
        ("ok", {"score": 4}),
        ("refused", {}),
        ("ok", {"score": 2}),
    ]
    assert [verdict.judge for verdict in said] == specs


def test_a_panel_has_one_budget() -> None:
    async def work(specs: list[str]) -> None:
        panel = Panel(load_panel(specs, max_calls=5))
        try:
            for number in range(9):
                await panel.ask(call(str(number)))
        finally:
            await panel.close()

    with JudgeServer([{"score": 4}]) as one, JudgeServer([{"score": 2}]) as two:
        with pytest.raises(BudgetSpent, match="5 judge calls"):
            asyncio.run(work([one.spec(), two.spec()]))
        assert one.calls + two.calls == 5


def test_judges_of_a_panel_share_a_cache_and_not_their_verdicts(tmp_path: Path) -> None:
    async def work(specs: list[str]) -> list[int]:
        panel = Panel(load_panel(specs, cache=tmp_path))
        try:
            return [int(verdict.values["score"]) for verdict in await panel.ask(call())]
        finally:
            await panel.close()

    with JudgeServer([{"score": 4}]) as one, JudgeServer([{"score": 2}]) as two:
        specs = [one.spec(), two.spec()]
        assert asyncio.run(work(specs)) == asyncio.run(work(specs)) == [4, 2]
        assert (one.calls, two.calls) == (1, 1)


@pytest.mark.parametrize(("specs", "said"), [([], "at least one judge"), (["openai:m", "openai:m"], "named twice")])
def test_a_panel_of_nobody_or_of_one_judge_twice_is_turned_away(specs: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_panel(specs)


def said_by(*rows: list[int | None]) -> dict[int, list[Verdict]]:
    """Verdicts of judges j0, j1 …, one row each, one item for each place; None is a refusal."""
    items: dict[int, list[Verdict]] = {}
    for judge, row in enumerate(rows):
        for item, value in enumerate(row):
            verdict = Verdict("refused") if value is None else Verdict("ok", {"score": value})
            named: dict[str, Any] = {"judge": f"j{judge}", "status": verdict.status, "values": verdict.values}
            items.setdefault(item, []).append(Verdict(**named))
    return items


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_agreement_is_the_alpha_of_an_independent_library(level: Any) -> None:
    dice = np.random.default_rng(5)
    truth = dice.integers(1, 6, 40)
    rows: list[list[int | None]] = [
        [None if dice.random() < 0.1 else int(np.clip(t + dice.integers(-1, 2), 1, 5)) for t in truth] for _ in range(3)
    ]
    found = agreement(said_by(*rows), "score", ["j0", "j1", "j2"], level)
    table = np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=np.float64)
    assert found is not None
    assert found.value == pytest.approx(krippendorff.alpha(table, level_of_measurement=level), abs=1e-6)
    assert found.lo is not None and found.hi is not None and found.lo < found.value < found.hi


def test_without_an_item_that_two_judges_answered_there_is_no_agreement() -> None:
    assert agreement(said_by([4, None], [None, 5]), "score", ["j0", "j1"]) is None


def test_samples_of_one_judge_are_one_rating() -> None:
    said = {"q": [Verdict("ok", {"score": 4}, judge="a"), Verdict("ok", {"score": 5}, judge="a", sample=1)]}
    assert ratings(said, "score", ["a", "b"]) == [[4.5], [None]]
