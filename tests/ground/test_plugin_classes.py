"""Classes of users with a wrong attribute or answer: one sentence before the run, and never a wrong number."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.editors import load_editor
from editscope.editors.base import Request, check_editor
from editscope.editors.make_edits import as_edit
from editscope.editors.wrappers.asking import Asker
from editscope.errors import BadInput, EditscopeError
from editscope.judges.panel import Panel
from editscope.judges.records import Call, Field, Schema, check_judge
from editscope.judges.registry import load_judge
from editscope.runs.judging.judge_queue import JudgeQueue
from editscope.runs.judging.settings import Limits, load_judges
from editscope.runs.measure import _values
from editscope.runs.plan import make_plan
from editscope.scoring.classic import ImagePair, MetricSettings, load_metric, provenance

CALL = Call("kp", (), Schema((Field("score", "integer", 1, 5),)))
PAIR = ImagePair(np.zeros((2, 2, 3), np.uint8), np.zeros((2, 2, 3), np.uint8))


class Generous(es.Judge):
    async def ask(self, call: Call, sample: int = 0) -> es.Verdict:
        return es.Verdict("ok", {field.name: 99 for field in call.schema.fields})


class Failing(Generous):
    async def check(self) -> None:
        raise SystemExit("no key")


class Unready(es.Editor):
    name = "unready"

    def check(self) -> None:
        raise ValueError("no weights")


class Unsure(es.Metric):
    name = "unsure"

    def made_with(self) -> Any:
        return ["torch"]


class Loose(es.Metric):
    name = "loose"

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def measure(self, source: Any, reference: Any, output: Any) -> Any:
        if self.value == "exit":
            raise SystemExit(3)
        return self.value


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Callable[[type, dict[str, Any]], str]:
    """The spec of a class with other attributes."""

    def spec(kind: type, attributes: dict[str, Any]) -> str:
        module = ModuleType("users_module")
        module.Mine = type("Mine", (kind,), attributes)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "users_module", module)
        return "python:users_module:Mine"

    return spec


def unreadable(thing: Any) -> Any:
    raise KeyError("model")


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"concurrency": "x"}, "concurrency is 'x', not a whole number from 1"),
        ({"concurrency": 0}, "concurrency is 0, not a whole number from 1"),
        ({"concurrency": True}, "concurrency is True, not a whole number from 1"),
        ({"spec": 7}, "spec is 7, not a text"),
        ({"identity": 7}, "identity is 7, not a mapping of texts and numbers"),
        ({"identity": {"weights": PAIR}}, "not a mapping of texts and numbers"),
        ({"identity": property(unreadable)}, "identity cannot be read (KeyError: 'model')"),
    ],
)
def test_a_judge_with_a_wrong_attribute_is_not_loaded(
    named: Callable[..., str], attributes: dict[str, Any], message: str
) -> None:
    spec = named(Generous, attributes)
    with pytest.raises(BadInput) as error:
        load_judge(spec)
    assert str(error.value).startswith(f"judge {spec}: ") and message in str(error.value)
    with pytest.raises(BadInput, match="the judge "):
        load_judges([sys.modules["users_module"].Mine()], Limits(cache="off"))


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"workers": "many"}, "workers is 'many', not a whole number from 1 or None"),
        ({"name": 7}, "name is 7, not a text"),
        ({"batch": 0}, "batch is 0, not a whole number from 1"),
        ({"sees_images": "no"}, "sees_images is 'no', not True or False"),
        ({"max_images": 1.5}, "max_images is 1.5, not a whole number from 1 or None"),
    ],
)
def test_an_editor_with_a_wrong_attribute_is_not_loaded(
    named: Callable[..., str], tmp_path: Path, attributes: dict[str, Any], message: str
) -> None:
    spec = named(es.Editor, attributes)
    with pytest.raises(BadInput) as error:
        load_editor(spec)
    assert str(error.value) == f"editor {spec}: {message}"
    with pytest.raises(BadInput, match="the editor Mine: "):
        make_plan(es.load_suite("paintbench"), sys.modules["users_module"].Mine(), out=tmp_path / "run", limit=1)


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"name": 5}, "name is 5, not a text"),
        ({"libraries": "torch"}, "libraries is 'torch', not a tuple of texts"),
        ({"unit": None}, "unit is None, not a text"),
        ({"higher_is_better": "yes"}, "higher_is_better is 'yes', not True or False"),
    ],
)
def test_a_metric_with_a_wrong_attribute_is_not_loaded(
    named: Callable[..., str], attributes: dict[str, Any], message: str
) -> None:
    spec = named(es.Metric, attributes)
    with pytest.raises(BadInput) as error:
        load_metric(spec, MetricSettings())
    assert str(error.value) == f"metric {spec}: {message}"


def test_what_decides_a_metric_must_be_a_mapping() -> None:
    with pytest.raises(BadInput, match="metric unsure: made_with returned a list; return a dict of texts"):
        provenance(Unsure())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("3.5", r"it failed \(TypeError: '3.5' is not a number\)"),
        (True, r"it failed \(TypeError: True is not a number\)"),
        (np.True_, r"it failed \(TypeError: .*True.* is not a number\)"),
        ("exit", r"it failed \(SystemExit: 3\)"),
    ],
)
def test_what_is_not_a_number_is_not_measured(value: Any, message: str) -> None:
    chunk: Any = [SimpleNamespace(case_id="border/000")]
    with pytest.raises(BadInput, match=f"metric loose, in one of the cases border/000: {message}"):
        _values(Loose(value), [PAIR], chunk)
    assert _values(Loose(np.float32(0.5)), [PAIR], chunk) == [0.5]


def test_a_check_that_fails_is_named() -> None:
    judge = Failing()
    judge.spec = "python:mine:Failing"
    message = r"judge python:mine:Failing: its check failed \(SystemExit: no key\)"
    with pytest.raises(BadInput, match=message):
        asyncio.run(check_judge(judge))
    with JudgeQueue([judge]) as queue, pytest.raises(BadInput, match=message):
        queue.check()
    with pytest.raises(BadInput, match=r"editor unready: its check failed \(ValueError: no weights\)"):
        check_editor(Unready())


def test_the_edit_of_another_case_is_an_error() -> None:
    request = Request("border/000", (), "Paint it.", 0, {})
    wrong = as_edit(es.Edit("border/001", image=PAIR.output), request, 0.1)
    assert (wrong.case_id, wrong.status, wrong.image) == ("border/000", "error", None)
    assert wrong.reason == "the editor returned the edit of case 'border/001' when asked for case 'border/000'"
    assert as_edit(es.Edit("border/000", image=PAIR.output), request, 0.1).status == "ok"


def test_every_verdict_is_checked_whoever_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "users_module", ModuleType("users_module"))
    sys.modules["users_module"].Mine = Generous  # type: ignore[attr-defined]
    message = "gave score=99 to 'kp'; it must be a number from 1 to 5"
    with pytest.raises(EditscopeError, match=message):
        asyncio.run(Panel([Generous()]).ask(CALL))
    asker = Asker("python:users_module:Mine", cache="off")
    try:
        with pytest.raises(EditscopeError, match=message):
            asker.ask([CALL])
    finally:
        asker.close()
