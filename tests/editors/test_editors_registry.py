"""An editor is named by a spec, and a wrong spec gets a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import editscope as es
from editscope.editors import Request, load_editor, parse_spec, request_seed
from editscope.errors import BadInput

PLUGIN = """
import editscope as es

class Good(es.Editor):
    def __init__(self, steps=1, style="plain", fast=False):
        self.told = (steps, style, fast)
    def edit(self, case: es.Request) -> es.Image:
        return case.images[0]

class Breaks(es.Editor):
    def __init__(self):
        raise RuntimeError("no weights here")

class Idle(es.Editor):
    pass

class Other:
    pass

number = 7
"""


@pytest.fixture
def plugin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "plugin_under_test.py").write_text(PLUGIN)
    (tmp_path / "plugin_that_exits.py").write_text("raise SystemExit(3)")
    return tmp_path


def test_options_of_a_spec_reach_the_class_as_keyword_arguments(plugin_folder: Path) -> None:
    editor = load_editor("python:plugin_under_test:Good?steps=30&style=oil&fast=true")
    assert editor.told == (30, "oil", True)  # type: ignore[attr-defined]
    assert editor.name == "Good"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ref:nois", "did you mean 'noise'"),
        ("reff:noise", "did you mean 'ref'"),
        ("noise", "not of the form kind:target"),
        ("ref:", "has no target after ref:"),
        ("ref:noise?strength", "not of the form ?key=value"),
        ("ref:noise?strength=many", "must be a number above 0"),
        ("ref:noise?strength=-1", "must be a number above 0"),
        ("ref:noise?strength=nan", "must be a number above 0"),
        ("ref:noise?sigma=2", "there is no option 'sigma' of editors of kind ref"),
        ("folder:/no/such/place", "is not a folder"),
        ("python:no_such_module_here:Editor", "cannot be imported"),
        ("python:plugin_that_exits:Editor", "cannot be imported (SystemExit: 3)"),
        ("python:plugin_under_test", "not of the form python:module:Class"),
        ("python:plugin_under_test:God", "did you mean 'Good'"),
        ("python:plugin_under_test:Breaks", "no weights here"),
        (
            "python:plugin_under_test:Other",
            "is an Other, not an editscope.Editor; write `class Other(editscope.Editor):`",
        ),
        ("python:plugin_under_test:number", "is an int, not a class"),
        ("python:plugin_under_test:Good?speed=1", "there is no option 'speed' of Good"),
    ],
)
def test_a_wrong_spec_gets_one_sentence(plugin_folder: Path, spec: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        load_editor(spec)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_path_without_a_kind_is_answered_with_the_right_spec(plugin_folder: Path) -> None:
    (plugin_folder / "outputs").mkdir()
    with pytest.raises(BadInput, match="did you mean folder:outputs"):
        load_editor("outputs")


@pytest.mark.parametrize(
    ("spec", "meant"),
    [
        ("own_model:Painter", "python:own_model:Painter?"),
        ("own_model.py:Painter", "python:own_model:Painter?"),
        ("./own_model.py:Painter?steps=4", "python:own_model:Painter?steps=4?"),
        ("./own_model.py", "python:own_model:Painter, or worker:python ./own_model.py"),
        ("own_model", "python:own_model:Painter?"),
        ("own_model.Painter", "python:own_model:Painter?"),
        ("python:own_model.py", "python:own_model:Painter?"),
        ("python:own_model.py:Painter", "python:own_model:Painter?"),
        ("python:ownmodel:Painter", "python:own_model:Painter?"),
        ("module_elsewhere:Painter", "python:module_elsewhere:Painter?"),
    ],
)
def test_an_own_class_is_suggested_however_it_is_spelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, meant: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_model.py").write_text("class Painter:\n    pass\n")
    with pytest.raises(BadInput) as error:
        load_editor(spec)
    assert f"did you mean {meant}" in str(error.value)


def test_a_file_that_a_module_of_python_hides_is_to_be_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import colorsys

    monkeypatch.chdir(tmp_path)
    (tmp_path / "colorsys.py").write_text("class M:\n    pass\n")
    with pytest.raises(BadInput, match=r"rename your file, for example to my_colorsys\.py") as error:
        load_editor("python:colorsys:M")
    assert f"Python imported {colorsys.__file__} in place of colorsys.py in {tmp_path}" in str(error.value)


def test_a_class_without_an_edit_method_is_refused_before_the_run(plugin_folder: Path) -> None:
    with pytest.raises(BadInput, match=r"Idle has no edit method.*def edit\(self, case\)"):
        load_editor("python:plugin_under_test:Idle")


def test_a_spec_can_be_written_back() -> None:
    for text in ("ref:noise?strength=2.5", "folder:a/b", "python:m:C?a=1&b=true"):
        assert str(parse_spec(text)) == text


def test_the_seed_of_a_request_depends_on_run_and_case_only() -> None:
    assert request_seed(0, "border/000") == 1551017121
    seeds = {request_seed(run, f"border/{case:03d}") for run in range(3) for case in range(100)}
    assert len(seeds) == 300
    assert all(0 <= seed < 2**32 for seed in seeds)


def test_a_request_gives_its_pictures_as_pil_images_and_no_answer() -> None:
    picture = np.zeros((4, 6, 3), np.uint8)
    request = Request("a/0", (picture,), "do", 1)
    assert request.images[0].size == (6, 4)
    assert request.answer is None


def test_the_five_line_example_of_the_readme_is_an_editor() -> None:
    class MyEditor(es.Editor):
        def load(self) -> None:
            self.factor = 1

        def edit(self, case: es.Request) -> es.Image:
            return case.images[0]

    editor = MyEditor()
    editor.load()
    picture = np.full((2, 2, 3), 9, np.uint8)
    made = editor.edit(Request("a/0", (picture,), "do", 1))
    assert np.array_equal(np.asarray(made), picture)
