"""JSON for scripts: one value on stdout, the documented keys, no rounding, and errors on stderr."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope import printing
from support import command_line

PAGE = Path(__file__).parents[2] / "docs" / "scripting.md"


def called(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, Any, str]:
    """The exit code, the value on stdout, and stderr."""
    code, written, complaint = command_line.called(capsys, *arguments)

    def refused(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return code, json.loads(written, parse_constant=refused) if written else None, complaint


def documented(heading: str) -> set[str]:
    """The keys that the page lists under a heading."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## `{heading}`\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `(\w+)` \|", section, re.M))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    from support.small_sets import make_small_set

    root = tmp_path_factory.mktemp("json")
    suite = es.load_suite("paintbench", root=make_small_set(root / "set"))
    for name in ("half", "shift"):
        es.run(suite, f"ref:{name}", out=root / name, jobs=1, progress=False)
    return root / "half", root / "shift"


def test_suites(capsys: pytest.CaptureFixture[str]) -> None:
    code, listed, err = called(capsys, "suites", "--json")
    assert (code, err) == (0, "")
    assert all(set(suite) == documented("suites") for suite in listed)
    paintbench = listed[0]
    assert (paintbench["name"], paintbench["cases"], paintbench["here"]) == ("paintbench", 1920, True)
    assert paintbench["full_run"]["cost_usd"] == 0
    code, suite, _ = called(capsys, "suites", "kris", "--json")
    assert code == 0
    assert set(suite) == documented("suites") | documented("suites SUITE")
    assert suite["full_run"]["calls"] > suite["cases"]


def test_factory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word\ncup\n")
    (tmp_path / "plan.toml").write_text(
        "name = 'words'\nsource = { use = 'list', path = 'words.csv' }\n"
        "[[steps]]\nname = 'write'\nuse = 'template'\nfields = { text = 'A {word}' }\n"
    )
    assert command_line.called(capsys, "factory", "build", tmp_path)[0] == 0
    (row,) = called(capsys, "factory", "funnel", tmp_path, "--json")[1]
    assert set(row) == documented("factory funnel") and (row["in"], row["out"]) == (1, 1)
    (record,) = called(capsys, "factory", "records", tmp_path, "--json")[1]
    assert set(record) == documented("factory records") and record["fields"] == {"word": "cup", "text": "A cup"}


def test_editors(capsys: pytest.CaptureFixture[str]) -> None:
    code, kinds, _ = called(capsys, "editors", "--json")
    assert code == 0
    assert all(set(kind) - {"plugin"} == documented("editors") for kind in kinds)
    code, explained, _ = called(capsys, "editors", "ref:half", "--json")
    assert code == 0
    assert set(explained) == documented("editors SPEC")


@pytest.mark.slow
def test_show(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, run, err = called(capsys, "show", runs[0], "--json")
    assert (code, err) == (0, "")
    assert set(run) == documented("show RUN")
    assert run["summary"]["overall"]["miou"] == es.open_run(runs[0]).summary["overall"]["miou"]
    code, case, _ = called(capsys, "show", runs[0], "border/001", "--json")
    assert code == 0
    assert set(case) == documented("show RUN CASE")
    assert case["records"][0]["metrics"] == dict(es.open_run(runs[0]).case("border/001").metrics)


@pytest.mark.slow
def test_compare(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    code, compared, err = called(capsys, "compare", *runs, "--json", "--cases", "2")
    assert (code, err) == (0, "")
    assert set(compared) == documented("compare")
    assert compared["rows"][0]["difference"] == es.compare(*runs).overall.difference
    assert len(compared["cases"]) == 2


def test_published(capsys: pytest.CaptureFixture[str]) -> None:
    code, rows, _ = called(capsys, "published", "tinygrafix", "--by", "overall", "--json")
    assert code == 0
    assert all(set(row) == documented("published") for row in rows)
    code, models, _ = called(capsys, "published", "tinygrafix", "--models", "--json")
    assert code == 0
    assert all(set(model) == documented("published --models") for model in models)
    code, slips, _ = called(capsys, "published", "--slips", "--json")
    assert code == 0
    assert set(slips) == documented("published --slips")


def test_doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    code, health, err = called(capsys, "doctor", "--json")
    assert (code, err) == (0, "")
    assert set(health) == documented("doctor")
    assert health["ok"] and all(check["ok"] for check in health["checks"])


def test_doctor_with_something_missing_exits_as_without_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from editscope.cli import doctor

    def broken() -> str:
        raise OSError("no such thing")

    monkeypatch.setattr(doctor, "CHECKS", (("thing", broken, "install it"),))
    code, health, _ = called(capsys, "doctor", "--json")
    assert code == 2
    assert health["checks"] == [{"name": "thing", "ok": False, "detail": "OSError: no such thing", "fix": "install it"}]


@pytest.mark.parametrize(
    "arguments",
    [("suites", "nosuch"), ("editors", "nosuch:x"), ("show", "nosuch"), ("compare", "a", "b"), ("published", "nosuch")],
)
def test_an_error_is_one_sentence_on_stderr(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, value, err = called(capsys, *arguments, "--json")
    assert (code, value) == (2, None)
    assert err.startswith("editscope: ") and len(err.strip().splitlines()) == 1


def test_what_is_not_a_number_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    printing.say_json({"mean": float("nan"), "hi": float("inf"), "exact": 0.1 + 0.2})
    assert json.loads(capsys.readouterr().out) == {"mean": None, "hi": None, "exact": 0.1 + 0.2}
