"""An editor of another package is listed, explained and made like ours."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from editscope.editors import editor_kinds, load_editor
from editscope.editors.explain import explain
from editscope.editors.kinds import editor_kind
from editscope.errors import BadInput
from support.plugin_package import write_plugin


@pytest.fixture(autouse=True)
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_plugin(tmp_path / "plugin")
    monkeypatch.syspath_prepend(str(folder))
    return folder


def test_what_a_callable_declares_is_its_docstring_and_its_parameters() -> None:
    kind = editor_kind("acme")
    assert (kind.title, kind.plugin, kind.example) == ("Paints everything gray.", "acme-plugin", "acme:TARGET")
    assert kind.described_options() == {"gray": "0 by default"}
    assert kind.missing() == ()
    assert load_editor("acme:blue?gray=7").gray == 7  # type: ignore[attr-defined]


def test_a_package_may_declare_a_whole_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_KEY", raising=False)
    kind = editor_kind("acme-paid")
    assert (kind.name, kind.title) == ("acme-paid", "a paid painter")
    assert kind.missing() == (
        "no_such_package_at_all not installed: pip install no_such_package_at_all",
        "no key: set the variable ACME_KEY",
    )
    assert load_editor("acme-paid:blue").name == "painter-blue"


def test_a_package_that_cannot_be_imported_is_listed_with_the_reason() -> None:
    (reason,) = editor_kind("acme-broken").missing()
    assert reason.startswith(
        "registered as acme_plugin.no_such_module:load but cannot be imported (ModuleNotFoundError"
    )
    with pytest.raises(BadInput, match=r"registered as acme_plugin\.no_such_module:load but cannot be imported"):
        load_editor("acme-broken:x")


def test_a_spec_with_an_editor_of_a_package_is_explained() -> None:
    explained = explain("best_of(2, by=miou):acme:blue?gray=3")
    assert [part.title for part in explained.parts] == ["several edits, the best kept", "Paints everything gray."]
    assert explained.editor["name"] == "best-of-2+painter-blue" and not explained.missing
    assert {"acme", "acme-paid", "acme-broken"} <= set(editor_kinds())


def test_the_command_lists_what_packages_register(
    plugin: Path, editscope: Callable[..., CompletedProcess[str]]
) -> None:
    env = {**os.environ, "PYTHONPATH": str(plugin), "COLUMNS": "160"}
    listed = editscope("editors", env=env)
    assert listed.returncode == 0, listed.stderr
    assert "Paints everything gray." in listed.stdout and "a paid painter" in listed.stdout
    shown = json.loads(editscope("editors", "acme-paid", "--json", env=env).stdout)
    assert (shown["plugin"], shown["options"]) == ("acme-plugin", {"gray": "a number up to 255"})
