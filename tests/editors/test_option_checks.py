"""Misspelt and mistyped options of an editor are said before a run, with the nearest right one or what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.cli import main
from editscope.editors import load_editor
from editscope.editors.registry import check_spec
from editscope.editors.spec import parse_spec
from editscope.errors import BadInput

CLASS = """
from __future__ import annotations
from pathlib import Path
from typing import Literal
import editscope as es

class Model(es.Editor):
    def __init__(self, path: Path | None = None, steps: int = 30, scale: float = 1.0, fast: bool = False,
                 mode: Literal["row", "grid"] = "row", loose=7, title: str = ""):
        if path is not None and not Path(path).is_file():
            raise ValueError("no weights")
    def edit(self, case):
        return case.images[0]

class Bare(es.Editor):
    def edit(self, case):
        return case.images[0]

class Anything(Bare):
    def __init__(self, **options):
        self.options = options
"""

WRONG = [
    ("python:option_model:Model?stepz=4", "there is no option 'stepz' of Model; did you mean 'steps'? (known: fast,"),
    ("python:option_model:Model?steps=four", "option steps: 'four' is not a whole number"),
    ("python:option_model:Model?steps=1.5", "option steps: 1.5 is not a whole number"),
    ("python:option_model:Model?scale=big", "option scale: 'big' is not a number"),
    ("python:option_model:Model?fast=maybe", "option fast: 'maybe' is not true or false"),
    ("python:option_model:Model?mode=circle", "option mode: 'circle' is not one of row, grid"),
    ("python:option_model:Bare?x=1", "takes no options, but got 'x'"),
    ("diffusers:somewhere?stepz=4", "there is no option 'stepz' of editors of kind diffusers; did you mean 'steps'?"),
    ("diffusers:somewhere?steps=four", "option steps is 'four', not a whole number from 1 to 10000"),
    (
        "openai:gpt-image-1?qualty=high",
        "there is no option 'qualty' of editors of kind openai; did you mean 'quality'?",
    ),
    ("openai:gpt-image-1?quality=best", "option quality: 'best' is not one of auto, low, medium, high"),
    ("worker:python w.py?gpu=2", "option gpu: did you mean gpus?"),
    ("worker:python w.py?batch=many", "batch of a worker is 'many'; use a whole number above 0"),
    (
        "http://127.0.0.1:1#concurency=2",
        "there is no option 'concurency' of editors of kind http; did you mean 'concur",
    ),
    ("http://127.0.0.1:1#concurrency=two", "option concurrency: 'two' is not a whole number from 1 to"),
    ("ref:drift?stregth=2", "there is no option 'stregth' of editors of kind ref; did you mean 'strength'?"),
    ("ref:drift?strength=strong", "strength of ref:drift must be a number above 0"),
    ("resize(longst=512):ref:drift", "there is no option 'longst' of resize(…); did you mean 'longest'?"),
    ("join(row, tell=perhaps):ref:drift", "join(…), option tell: 'perhaps' is not true or false"),
    ("best_of(4, by=miou, hw=score):ref:drift", "there is no option 'hw' of best_of(…); did you mean 'how'?"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "option_model.py").write_text(CLASS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("spec", "message"), WRONG)
def test_a_wrong_option_is_named_with_what_is_right(spec: str, message: str) -> None:
    for check in (load_editor, lambda text: check_spec(parse_spec(text))):
        with pytest.raises(BadInput) as error:
            check(spec)
        assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "spec",
    [
        "python:option_model:Model?steps=4&scale=2&fast=1&mode=grid&loose=text&title=42",
        "python:option_model:Anything?whatever=1",
        "worker:python w.py?think=1&seed=4",
        "resize(longest=512):best_of(2, by=miou):python:option_model:Model?steps=2",
    ],
)
def test_right_options_pass(spec: str) -> None:
    check_spec(parse_spec(spec))
    load_editor(spec)


def test_a_check_without_construction_needs_no_file() -> None:
    check_spec(parse_spec("python:option_model:Model?path=weights-to-come.safetensors"))
    with pytest.raises(BadInput, match="no weights"):
        load_editor("python:option_model:Model?path=weights-to-come.safetensors")


@pytest.mark.parametrize(
    "command",
    [
        ["run", "paintbench", "--limit", "5", "--out", "run", "--editor"],
        ["run", "paintbench", "--limit", "5", "--out", "run", "--dry-run", "--editor"],
        ["watch", ".", "--suite", "paintbench", "--limit", "5", "--out", "run", "--once", "--editor"],
        ["serve-editor", "--port", "0"],
    ],
)
def test_every_command_that_takes_an_editor_fails_before_it_makes_anything(
    here: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command, "python:option_model:Model?stepz=4&title={checkpoint}"])
    assert ended.value.code == 2
    assert "did you mean 'steps'" in capsys.readouterr().err
    assert not (here / "run").exists()
