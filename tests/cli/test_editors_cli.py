"""`editscope editors` says what there is, what it needs and what a spec comes to."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from editscope.editors import kinds, load_editor
from editscope.editors.explain import explain
from editscope.editors.kinds import KINDS, WRAPPERS, EditorKind, editor_kind
from editscope.editors.spec import parse_spec
from editscope.errors import BadInput
from support.command_line import called
from support.places import DOCS

pytestmark = pytest.mark.slow

Called = subprocess.CompletedProcess[str]
KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "BFL_API_KEY", "ARK_API_KEY")


def without_keys() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in KEYS}


def at(place: str) -> Any:
    """What a record names as ``module:NAME``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_has_a_loader_an_example_of_it_and_a_page(kind: EditorKind) -> None:
    assert callable(at(kind.loader))
    assert parse_spec(kind.example).kind == kind.name
    assert (DOCS.parent / kind.page).is_file(), kind.page
    assert kind.title and "\n" not in kind.title
    assert all(isinstance(wants, str) for wants in kind.described_options().values())


@pytest.mark.parametrize("name", sorted(WRAPPERS))
def test_the_options_of_a_wrapper_are_those_that_it_takes(name: str) -> None:
    taken = list(inspect.signature(at(WRAPPERS[name].loader)).parameters)[1:]
    assert sorted(WRAPPERS[name].described_options()) == sorted(taken)


def test_the_options_of_a_worker_are_those_that_it_takes() -> None:
    worker = editor_kind("worker")
    taken = [name for name in inspect.signature(at(worker.loader)).parameters if name not in ("target", "options")]
    assert sorted(worker.described_options()) == sorted([*taken, "…"])


def test_hosted_kinds_declare_their_options_and_their_key() -> None:
    hosted = [kind for kind in KINDS if kind.options_in.startswith("editscope.editors.hosted")]
    assert len(hosted) == 5
    for kind in hosted:
        service = at(kind.options_in)
        assert (service.kind, service.key_env) == (kind.name, kind.key_env)
        assert set(service.options) <= set(kind.described_options())


def test_what_is_missing_is_said_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BFL_API_KEY", raising=False)
    assert editor_kind("bfl").missing() == ("no key: set the variable BFL_API_KEY",)
    monkeypatch.setenv("BFL_API_KEY", "something")
    assert editor_kind("bfl").missing() == ()
    monkeypatch.setattr(kinds, "importable", lambda name: name != "diffusers")
    assert editor_kind("diffusers").missing() == ("diffusers not installed: pip install 'editscope[local]'",)
    with pytest.raises(BadInput, match="did you mean 'diffusers'"):
        editor_kind("diffuser")


def test_a_spec_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    found = explain("best_of(2, by=miou):rewrite(judge=gemini:gemini-2.5-pro):openai:gpt-image-1?quality=low")
    assert [part.kind for part in found.parts] == ["best_of", "rewrite", "openai"]
    assert found.editor["name"] == "best-of-2+rewrite+gpt-image-1"
    assert found.editor["usd_per_edit"] > 0
    assert "it chooses with the answer: an upper bound" in found.remarks
    assert found.missing == (
        "no key for the judge gemini:gemini-2.5-pro: set the variable GEMINI_API_KEY",
        "no key: set the variable OPENAI_API_KEY",
    )
    assert json.loads(json.dumps(found.to_json()))["parts"][0]["args"] == [2]


def test_an_editor_that_cannot_be_made_is_explained_too() -> None:
    found = explain("resize(longest=1024):folder:/no/such/place")
    assert found.editor == {}
    assert found.missing == ("/no/such/place is not a folder; folder:PATH takes a folder of edits, named as described "
                             "on the suite's page",)  # fmt: skip


def test_the_command_lists_kinds_shows_one_and_explains_a_spec(editscope: Callable[..., Called]) -> None:
    listed = editscope("editors", env={**without_keys(), "COLUMNS": "160"})
    assert listed.returncode == 0, listed.stderr
    for kind in KINDS:
        assert re.search(rf"^{kind.name} +(yes|no) ", listed.stdout, re.MULTILINE), kind.name
    assert "openai: no key: set the variable OPENAI_API_KEY" in listed.stdout
    shown = editscope("editors", "openai", "--json", env=without_keys())
    said = json.loads(shown.stdout)
    assert said["runs_here"] is False and "quality" in said["options"]
    explained = editscope("editors", "best_of(3, by=miou):ref:half")
    assert "best-of-3+half" in explained.stdout
    wrong = editscope("editors", "best_off(3):ref:half")
    assert wrong.returncode == 2 and "did you mean 'best_of'" in wrong.stderr


def test_the_code_of_the_page_on_own_editors_runs_as_it_stands(
    small_set: Path, editscope: Callable[..., Called], tmp_path: Path
) -> None:
    code = re.findall(r"```python[^\n]*\n(.*?)```", (DOCS / "own-editor.md").read_text(), re.DOTALL)[0]
    assert len(code.strip().splitlines()) <= 15
    (tmp_path / "here" / "my_model.py").write_text(code)
    run = editscope(
        "run", "paintbench", "--data", small_set, "--editor", "python:my_model:MyEditor?strength=2", "--out", "run"
    )
    assert run.returncode == 0, run.stderr
    summary = json.loads((tmp_path / "here" / "run" / "summary.json").read_text())
    assert summary["coverage"]["ok"] == 12


def test_every_spec_on_the_pages_of_editors_and_wrappers_can_be_read() -> None:
    found = [
        spec
        for page in ("editors.md", "wrappers.md", "own-editor.md")
        for spec in re.findall(r"--editor '([^']+)'", (DOCS / page).read_text())
    ]
    assert len(found) > 10
    for spec in found:
        parse_spec(spec)
        if spec.endswith(("ref:noise", "ref:half", "ref:oracle")):
            load_editor(spec)


def test_the_list_has_two_tables_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown, _ = called(capsys, "editors")
    assert code == 0 and shown.startswith("editor ")
    assert "\nWrappers, written before another spec:\neditor" in shown
