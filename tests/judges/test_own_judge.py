"""A judge of your own is a class: named in a spec or registered by a package, asked like any other."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from editscope.errors import BadInput
from editscope.judges.registry import judge_kinds, load_judge
from editscope.suites.own.start import start
from support.plugin_package import write_plugin

GENEROUS = "python:acme_plugin.judges:Generous"


@pytest.mark.parametrize(
    ("spec", "average"), [(GENEROUS, 100.0), (f"{GENEROUS}?lowest=true", 0.0), ("acme:lowest", 0.0)]
)
def test_a_judge_is_a_class_that_the_command_line_asks(
    tmp_path: Path, editscope: Callable[..., CompletedProcess[str]], spec: str, average: float
) -> None:
    folder, plugin = start(tmp_path / "shapes", "judged"), write_plugin(tmp_path / "plugin")
    done = editscope(
        *("run", folder, "--editor", "ref:identity", "--judge", spec, "--cache", "off", "--out", tmp_path / "run"),
        env={**os.environ, "PYTHONPATH": str(plugin)},
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["verdicts"] == {"ok": 12}
    assert summary["overall"]["average"]["mean"] == average
    assert summary["judge"] == spec


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:acme_plugin.judges", "judge python:acme_plugin.judges is not of the form python:module:Class"),
        ("python:acme_plugin.judges:Generus", "did you mean 'Generous'?"),
        ("python:acme_plugin.judges:Generous?mood=1", "there is no option 'mood' of "),
        ("python:acme_plugin.metrics:Darkness", "is a Darkness, not an editscope.Judge"),
        ("python:no_such_module_here:Judge", "cannot be imported (ModuleNotFoundError"),
    ],
)
def test_a_wrong_spec_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str, message: str
) -> None:
    monkeypatch.syspath_prepend(str(write_plugin(tmp_path / "plugin")))
    with pytest.raises(BadInput) as error:
        load_judge(spec)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_a_judge_of_a_package_and_the_kind_python_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(write_plugin(tmp_path / "plugin")))
    assert {"acme", "python"} <= set(judge_kinds())


WRONG = """
import editscope as es


class Wrong(es.Judge):
    def __init__(self, value):
        self.value = value

    async def ask(self, call, sample=0):
        if self.value == "exit":
            raise SystemExit(2)
        if self.value == "none":
            return None
        if self.value == "status":
            return es.Verdict("great")
        value = float("nan") if self.value == "nan" else self.value
        return es.Verdict("ok", {field.name: value for field in call.schema.fields})
"""


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("99", "=99 to "),
        ("four", "='four' to "),
        ("nan", "=nan to "),
        ("none", "gave None, not an editscope.Verdict"),
        ("status", "gave the status 'great', which is none of ok,"),
        ("exit", "SystemExit: 2"),
    ],
)
def test_what_is_no_verdict_stops_the_run_before_it_is_a_number(
    tmp_path: Path, editscope: Callable[..., CompletedProcess[str]], value: str, message: str
) -> None:
    folder = start(tmp_path / "shapes", "judged")
    (tmp_path / "wrong_judge.py").write_text(WRONG)
    done = editscope(
        *("run", folder, "--editor", "ref:identity", "--judge", f"python:wrong_judge:Wrong?value={value}"),
        *("--out", tmp_path / "run", "--cache", tmp_path / "cache"),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 3 and message in done.stderr and "Traceback" not in done.stderr
    assert '"step":"verdict"' not in (tmp_path / "run" / "journal.jsonl").read_text()
