"""What people and models write wrong: a sentence with file, step and fix, and never a build that is stuck."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.engine.counts import StepCounts
from editscope.factory.plan import BuildPlan, plan_from
from editscope.factory.records import RecordNames
from editscope.factory.sources.manifest import ListSource
from editscope.factory.steps.functions import FunctionStep
from editscope.factory.steps.review import ReviewStep
from editscope.factory.steps.texts import TemplateStep
from editscope.review_queue import LONGEST_LINE, QUEUE, read_queue
from support.command_line import Called
from support.factory.made_pictures import exported, picture_plan
from support.factory.made_plans import NumberSource, built, made_plan


def list_plan(folder: Path, data: bytes) -> BuildPlan:
    (folder / "words.csv").write_bytes(data)
    return BuildPlan("words", ListSource({"path": "words.csv"}), [], folder=folder)


def review_of(text: str) -> BuildPlan:
    steps = [TemplateStep("write", {"fields": {"text": text}}), ReviewStep("look", {"texts": ["text"]})]
    return BuildPlan("texts", NumberSource({"count": 2}), steps)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"a,b\n" + b"x" * 200_000 + b",y\n", r"words.csv line 2 is not CSV \(field larger than"),
        (b"", "words.csv is empty; write the names of columns"),
        (b"a,b,a\n1,2,3\n", "words.csv line 1 has two columns 'a'; give each its own name"),
    ],
)
def test_a_list_that_is_no_list_is_refused_with_its_line(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        built(list_plan(tmp_path, data), tmp_path / "build")


def test_a_text_that_no_file_can_hold_does_not_block_the_queue(tmp_path: Path) -> None:
    plan = review_of("a\0b\ud800 {number}")
    for _ in range(2):
        assert "2 of 2 records wait" in built(plan, tmp_path / "build")[0].waiting
    assert [one.texts["text"] for one in read_queue(tmp_path / "build/review/look")] == [
        "a\ufffdb\ufffd 0",
        "a\ufffdb\ufffd 1",
    ]


def test_a_text_that_is_too_long_for_a_queue_is_dropped_with_the_reason(tmp_path: Path) -> None:
    plan = review_of("x" * LONGEST_LINE)
    for _ in range(2):
        result, lines = built(plan, tmp_path / "build")
        assert dict(result.counts["look"].dropped) == {"longer than 1 MiB of text, which nobody can review": 2}
        assert not result.waiting and not lines


def test_a_queue_that_was_torn_is_made_whole(tmp_path: Path) -> None:
    build = tmp_path / "build"
    built(review_of("{number}"), build)
    queue = build / "review/look" / QUEUE
    queue.write_bytes(queue.read_bytes()[:-20])
    for _ in range(2):
        assert "2 of 2 records wait" in built(review_of("{number}"), build)[0].waiting
    assert len(read_queue(queue.parent)) == 2


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"name": "../../x", "use": "review"}, "p.toml, step 1: '../../x' cannot name a folder"),
        ({"name": "é" * 60, "use": "review"}, "p.toml, step 1: the name éé+… is too long; use at most 100 letters"),
        ({"use": "sample", "each": -3}, "p.toml, step 'x': .*each is -3; write a number above 0"),
        ({"use": "template", "fields": {"a": 3}}, "p.toml, step 'x': .*the template of 'a' is 3; write a text"),
        ({"use": "review", "reviews": 9}, "p.toml, step 'x': .*reviews is 9; write 1 to 5"),
        ({"use": "review", "reasons": []}, "p.toml, step 'x': .*reasons are 1 to 30 texts"),
        ({"use": "where", "skip": "no"}, "p.toml, step 1: skip is 'no'; write true or false"),
        ({"use": "nosuch"}, "p.toml, step 'x': there is no step 'nosuch'"),
        ({"use": "crop", "ratios": ["a:b"]}, "p.toml, step 'x': 'a:b' is not a ratio"),
        ({"use": "lint", "subject": "nosuch"}, "p.toml, step 'x': there is no subject of rules 'nosuch'"),
    ],
)
def test_a_wrong_setting_is_refused_with_file_step_and_fix(tmp_path: Path, step: dict[str, Any], said: str) -> None:
    entry = {"name": "x", **step}
    with pytest.raises(BadInput, match=said):
        plan_from({"name": "a", "source": {"use": "list", "path": "w.csv"}, "steps": [entry]}, "p.toml", tmp_path)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("python:own_calls:tidi", "module own_calls has no function 'tidi'; did you mean 'tidy'?"),
        ("python:own_calls:Tidy", "module own_calls has no function 'Tidy'; did you mean 'tidy'?"),
        ("python:own_calls:NUMBER", "python:own_calls:NUMBER is not a function"),
        ("python:own_calls", "is not of the form python:module:function; did you mean python:own_calls:tidy?"),
    ],
)
def test_a_function_that_is_not_there_is_called_a_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, said: str
) -> None:
    (tmp_path / "own_calls.py").write_text("NUMBER = 3\ndef tidy(fields):\n    return {}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_calls", raising=False)
    with pytest.raises(BadInput, match=re.escape(said)):
        FunctionStep("mine", {"function": function})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"leest": 0.1}, "python:own_settings:small cannot be called with the fields and leest: missing a required"),
        ({"least": 0.1, "most": 1}, "the fields and least, most: got an unexpected keyword argument 'most'"),
        ({}, "the fields and no settings: missing a required argument: 'least'"),
    ],
)
def test_a_setting_that_a_function_does_not_take_is_refused_before_a_record_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], said: str
) -> None:
    (tmp_path / "own_settings.py").write_text("def small(fields, least):\n    return ''\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_settings", raising=False)
    with pytest.raises(BadInput, match=re.escape(said)):
        FunctionStep("mine", {"function": "python:own_settings:small", "kind": "filter", **options})
    FunctionStep("mine", {"function": "python:own_settings:small", "kind": "filter", "least": 0.1})


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE results SET body = '[[{oops'",
        "UPDATE chunks SET records = x'00', counts = '{'",
        "UPDATE decisions SET body = x'00'",
        "UPDATE facts SET value = 'x'",
        "DROP TABLE results",
    ],
)
def test_a_damaged_store_is_named_in_one_sentence(tmp_path: Path, damage: str) -> None:
    build, log = tmp_path / "build", tmp_path / "log"
    plan = made_plan(log, sample=1)
    built(plan, build)
    with Build(plan, build) as work:
        work.redo("write")
    with closing(sqlite3.connect(build / "results.db")) as database:
        database.execute("DELETE FROM chunks WHERE ? LIKE '%results%'", (damage,))
        database.execute(damage)
        database.execute("CREATE VIEW IF NOT EXISTS results AS SELECT 1 AS no")
        database.commit()
    with pytest.raises(BadInput, match=r"results\.db (is damaged|cannot be opened) \("):
        built(plan, build)


def test_a_reason_that_a_model_wrote_is_one_line_of_the_funnel() -> None:
    counts = StepCounts()
    counts.drop("verdict is\n## a heading\n\n" + "long " * 100)
    (reason,) = counts.dropped
    assert reason.startswith("verdict is ## a heading long") and len(reason) == 120 and reason.endswith("…")


def test_a_file_that_somebody_put_into_an_export_is_not_lost(tmp_path: Path) -> None:
    data = tmp_path / "export"
    exported(picture_plan({}, count=2), tmp_path)
    (data / ".git").mkdir()
    with pytest.raises(BadInput, match=r"holds '\.git' besides the export, which would be lost; move it away"):
        exported(picture_plan({}, count=2), tmp_path)
    assert (data / ".git").is_dir()


def test_the_record_that_is_named_as_pending_is_one_of_this_build(
    editscope: Callable[..., Called], tmp_path: Path
) -> None:
    lines = {"words": "a\nx\ny\n", "fewer": "a\nx\n"}
    (tmp_path / "plan.toml").write_text(
        """name = "p"
source = { use = "list", path = "words.csv" }
[[steps]]
name = "write"
use = "template"
fields = { b = "{missing}" }
"""
    )
    first = RecordNames().add({"a": "x"})
    for name, said in (("words", "2 records are pending, such as"), ("fewer", f"1 record is pending, such as {first}")):
        (tmp_path / "words.csv").write_text(lines[name])
        done = editscope("factory", "build", tmp_path)
        assert done.returncode == 1 and said in " ".join(done.stdout.split()), done.stderr
