"""What a benchmark declares is what its loader and its rubric take, and its spec has one grammar."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
import typer

import editscope as es
from editscope.cli.app import make_app
from editscope.errors import BadInput
from editscope.suites import benchmark, load_suite
from editscope.suites.benchmark import SHARED
from editscope.suites.own.start import start
from editscope.suites.protocol import Protocol, rubric_digest
from editscope.suites.registry import benchmarks, split_spec
from editscope.suites.rubrics import load_rubric
from support import extending_page as page
from support.command_line import called
from support.judged_data import make_worldedit

NAMES = [record.name for record in benchmarks()]
OF_THE_MANIFEST = {"metrics", "averages"}
"""Options of the rubric ``own`` that suite.toml holds, so that nobody writes them."""


@pytest.mark.parametrize("name", NAMES)
def test_the_declared_options_of_the_protocol_are_those_that_the_rubric_reads(name: str, tmp_path: Path) -> None:
    record = benchmark(name)
    needed = load_suite(str(start(tmp_path / "mine", "judged"))).rubric_options if name == "own" else {}
    declared = {option.name for option in record.options if option.of == "protocol"}
    known = set(load_rubric(record.judged_by, **needed)._known) if record.judged_by else set()
    assert declared == known - OF_THE_MANIFEST


@pytest.mark.parametrize("name", NAMES)
def test_every_declared_option_of_the_cases_is_an_argument_of_the_loader(name: str) -> None:
    record = benchmark(name)
    declared = {option.name for option in record.options if option.of == "cases"}
    for part in ("load", "write_set") if record.write_set else ("load",):
        arguments = signature(record.part(part)).parameters
        taken = set(arguments) if all(a.kind is not a.VAR_KEYWORD for a in arguments.values()) else declared
        assert declared <= taken, part


@pytest.mark.parametrize("name", ["gedit", "wiseedit"])
def test_an_option_shows_the_default_that_holds(name: str) -> None:
    (languages,) = (option for option in benchmark(name).options if option.name == "languages")
    assert languages.shown_default == "en,cn"


def test_a_spec_of_a_suite_has_the_grammar_of_all_specs() -> None:
    assert split_spec("mine?kp-gate=a%26b&forms=x,y") == ("mine", {"kp_gate": "a&b", "forms": "x,y"})
    assert split_spec("mine?") == ("mine", {})
    for text, message in {
        "mine?forms=": "has an option without a value; write mine?option=value",
        "mine?forms": "are not of the form ?key=value&key2=value2; write mine?option=value",
        "mine?kp-gate=1&kp_gate=2": "has the option 'kp_gate' twice; separate several values with commas",
        "mine?forms=a&forms=b": "has the option 'forms' twice; separate several values with commas",
    }.items():
        with pytest.raises(BadInput) as error:
            split_spec(text)
        assert message in str(error.value)


def test_no_option_of_a_suite_can_have_the_name_of_a_flag_of_run() -> None:
    commands = typer.main.get_command(make_app()).commands  # type: ignore[attr-defined]
    flags = {name for command in ("run", "score") for option in commands[command].params for name in option.opts}
    assert {flag[2:].replace("-", "_") for flag in flags if flag.startswith("--")} <= set(SHARED)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("gedit?languages=en,fr", "gedit: option languages is 'fr'; choose from en, cn"),
        ("paintbench?split=train", "paintbench: option split is 'train'; choose from test, preservation, all"),
        ("picabench?region=half", "picabench: option region is 'half'; choose from crop, whole, box"),
        ("paintbench?data=here", "data is not an option of suite 'paintbench'; give it as a flag, --data …"),
        ("kris?nonsense=1", "suite 'kris' has no option 'nonsense'; it has skip_bad, side, quality"),
        ("kris?skipbad=1", "suite 'kris' has no option 'skipbad'; did you mean 'skip_bad'?"),
    ],
)
def test_a_wrong_option_of_a_suite_is_refused_before_anything_is_loaded(spec: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        load_suite(spec, root="no/such/folder")
    assert str(error.value).startswith(message)


@pytest.mark.parametrize("name", [record.name for record in benchmarks() if record.rubric and record.name != "own"])
def test_the_first_value_of_an_option_is_the_default_of_the_rubric(name: str) -> None:
    texts = [option for option in benchmark(name).options if option.of == "protocol" and option.values]
    assert load_rubric(name, **{option.name: option.values[0] for option in texts}).options == {}
    for option in texts:
        assert load_rubric(name, **{option.name: option.values[-1].upper()}).options == {option.name: option.values[-1]}


def test_a_protocol_with_options_is_written_as_it_is_read() -> None:
    text = str(Protocol("mine", {"tone": "a b&c+d", "forms": "x,y"}))
    assert split_spec(text) == ("mine", {"tone": "a b&c+d", "forms": "x,y"})


@pytest.mark.parametrize("name", ["what?", "is it?yes=1", "a?b?c"])
def test_a_folder_with_a_question_mark_in_its_name_is_a_suite(tmp_path: Path, name: str) -> None:
    folder = start(tmp_path / name, "judged")
    assert load_suite(str(folder)).options["root"] == str(folder)
    assert split_spec(f"{folder}?skip_bad=1") == (str(folder), {"skip_bad": "1"})
    assert load_suite(f"{folder}?skip_bad=1").options["skip_bad"] is True


def test_a_folder_of_your_own_takes_the_options_of_its_protocol_where_a_judge_scores(tmp_path: Path) -> None:
    judged, pixels = start(tmp_path / "judged", "judged"), start(tmp_path / "pixels", "pixels")
    assert load_suite(f"{judged}?side=512").protocol_options == {"side": 512}
    with pytest.raises(BadInput, match="side is about what a judge sees"):
        load_suite(f"{pixels}?side=512")


def test_a_case_without_details_goes_to_another_process() -> None:
    case = es.Case("1", "mine", (np.zeros((2, 2, 3), np.uint8),), (es.Instruction("Paint it."),), {})
    assert pickle.loads(pickle.dumps(case)).fingerprint == case.fingerprint


def test_the_type_of_pictures_can_stand_in_an_annotation() -> None:
    assert es.Image | None and es.Image | es.Edit


@pytest.fixture
def squares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The suite of docs/extending.md on the path, as a module of its own."""
    monkeypatch.syspath_prepend(str(page.write_files(tmp_path / "squares")))
    monkeypatch.delitem(sys.modules, "my_suite", raising=False)
    return tmp_path / "squares"


def test_what_was_prepared_for_a_judge_is_not_used_again_after_a_plugin_changed_its_rubric(squares: Path) -> None:
    assert rubric_digest(load_rubric("kris")) == "", "our own code has a hash of its own"
    before = rubric_digest(load_rubric("python:my_suite:SQUARES"))
    (squares / "my_suite.py").write_text((squares / "my_suite.py").read_text() + "# changed\n")
    assert before and rubric_digest(load_rubric("python:my_suite:SQUARES")) != before


def test_a_suite_of_another_package_has_the_name_that_it_is_found_by(squares: Path) -> None:
    suite = load_suite("python:my_suite:SQUARES?colors=red&tone=exact")
    assert suite.name == suite.default_protocol == "python:my_suite:SQUARES"
    assert (
        load_suite(suite.name, **suite.options).fingerprint == suite.fingerprint != load_suite(suite.name).fingerprint
    )
    assert load_rubric(suite.default_protocol).name == suite.name
    with pytest.raises(
        BadInput, match="option tone of protocol python:my_suite:SQUARES is 'loud'; choose from similar, exact"
    ):
        load_rubric("python:my_suite:SQUARES?tone=loud")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def Mine(**options): raise ValueError('no words')", "could not be made (ValueError: no words)"),
        ("def Mine(**options): raise SystemExit(4)", "could not be made (SystemExit: 4)"),
        ("def Mine(**options): return 4", "is an int, not an editscope.Rubric"),
    ],
)
def test_a_rubric_that_cannot_be_made_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, message: str
) -> None:
    record = (
        'import editscope as es\nB = es.Benchmark(name="b", title="B", about="B", load="rub:B", rubric="rub:Mine")\n'
    )
    (tmp_path / "rub.py").write_text(record + code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "rub", raising=False)
    with pytest.raises(BadInput) as error:
        load_rubric("python:rub:B")
    assert str(error.value) == f"protocol python:rub:B (rub:Mine) {message}"


RAISING = """
import dataclasses
from my_suite import SQUARES, ColorRubric

class Raising(ColorRubric):
    def {method}(self, *given, **named):
        raise RuntimeError("no words")

MINE = dataclasses.replace(SQUARES, rubric="raising_rubric:Raising")
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["units", "asks", "rows"])
def test_a_rubric_that_raises_ends_the_run_with_one_sentence(
    squares: Path, editscope: Callable[..., CompletedProcess[str]], tmp_path: Path, method: str
) -> None:
    (squares / "raising_rubric.py").write_text(RAISING.format(method=method))
    done = editscope(
        *("run", "python:raising_rubric:MINE", "--editor", "ref:oracle", "--limit", "1", "--cache", "off"),
        *("--judge", "python:my_judge:ColorJudge", "--prompts", squares / "prompts", "--out", tmp_path / "run"),
        env={**os.environ, "PYTHONPATH": str(squares)},
    )
    assert done.returncode in (2, 3), done.stderr
    assert "RuntimeError: no words" in done.stderr and "Traceback" not in done.stderr


def test_values_from_python_are_those_that_an_option_declares(tmp_path: Path) -> None:
    data = make_worldedit(tmp_path, 2)
    assert load_suite("worldedit", root=data, forms=["Implicit"]).options["forms"] == ["implicit"]
    for forms in (["explicit"], "explicit", ("implicit", "explicit")):
        with pytest.raises(
            BadInput,
            match="worldedit: option forms is 'explicit'; did you mean 'implicit'\\? Choose from implicit, paraphrase",
        ):
            load_suite("worldedit", root=data, forms=forms)


@pytest.mark.parametrize("method", ["prompts", "sending", "aggregation", "check_prompts", "units", "calls"])
def test_a_rubric_that_raises_is_named_with_its_method(
    method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise LookupError("no such page")

    data = make_worldedit(tmp_path / "data", 2)
    monkeypatch.setattr(type(load_rubric("worldedit")), method, broken)
    editor = ("--editor", "ref:identity", "--judge", "openai:gpt-4o", "--dry-run")
    code, _, errors = called(capsys, "run", "worldedit", "--data", data, *editor)
    assert code == 2
    assert errors.startswith("editscope: protocol worldedit") and errors.count("\n") == 1
    assert f": {method} failed (LookupError: no such page)" in errors


def test_a_spec_may_be_longer_than_the_name_of_a_file() -> None:
    every_task = ",".join(load_suite("paintbench").aggregation.orders["task"])
    assert len(load_suite(f"paintbench?tasks={every_task},{every_task}&per_cell=1&conditions=baseline")) == 20
