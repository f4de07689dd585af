"""Entries of a wrong type are refused with a sentence that names the entry, never with a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from editscope.cli.app import main
from editscope.training.monitors import MonitorSettings
from editscope.training.reinforcement.planner_start import PlannerChoice
from editscope.training.reinforcement.settings import ReinforcementSettings
from support.training.experiments import write_reinforcement

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

VALUES = ("3", '"miou"', '["a"]', "[[1]]", "[]", "{ a = 1 }", "true", "false", "-1.5", '""')
KINDS: dict[str, Any] = {
    "reinforcement": ReinforcementSettings,
    "monitors": MonitorSettings,
    "planner": PlannerChoice,
    "rewards": None,
}
TABLES = tuple(KINDS)


def names(table: str) -> list[str]:
    if table == "rewards":
        return ["specs", "weights", "off"]
    more = ["preset"] if table == "reinforcement" else []
    return [*more, *(field.name for field in fields(KINDS[table]))]


def outcomes(capsys: Any, file: Path, text: str, out: Path) -> tuple[int, str]:
    """Exit code and error of a dry run of a text."""
    file.write_text(text)
    with pytest.raises(SystemExit) as ended:
        main(["train", "run", str(file), "--dry-run", "--out", str(out)])
    return int(ended.value.code or 0), " ".join(capsys.readouterr().err.split())


def with_entry(text: str, table: str, name: str, value: str) -> str:
    """A text with an entry in place of the one of that name."""
    if table == "rewards":
        lines = text.split("\n")
        at = lines.index(f"[rewards.{name}]") if f"[rewards.{name}]" in lines else None
        if at is not None:
            end = next((n for n in range(at + 1, len(lines)) if lines[n].startswith("[")), len(lines))
            del lines[at:end]
        return "\n".join(lines).replace("[reinforcement]", f"[rewards]\n{name} = {value}\n[reinforcement]")
    if f"[{table}]" not in text:
        model = 'model = "x"\n' if table == "planner" and name != "model" else ""
        return f"{text}\n[{table}]\n{model}{name} = {value}\n"
    kept = [line for line in text.split("\n") if not line.startswith(f"{name} = ")]
    return "\n".join(kept).replace(f"[{table}]", f"[{table}]\n{name} = {value}")


def entries() -> Iterator[tuple[str, str]]:
    for table in TABLES:
        for name in names(table):
            yield table, name


@pytest.fixture(autouse=True)
def one_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows the checks of the tables is left out: entries that fit would load examples and models."""
    monkeypatch.setattr("editscope.training.reinforcement.outline.first_example", lambda *_: stop())


def stop() -> None:
    raise SystemExit(0)


@pytest.mark.parametrize(("table", "name"), list(entries()))
def test_an_entry_of_a_wrong_type_is_a_sentence(
    table: str, name: str, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "e.toml"
    text = write_reinforcement(file, tiny_pipeline("kontext")).read_text()
    refused = 0
    for value in VALUES:
        code, error = outcomes(capsys, file, with_entry(text, table, name, value), tmp_path / "out")
        assert code in (0, 2), (value, error)
        if code == 2:
            refused += 1
            assert f"[{table}]" in error or f"[{table}." in error, (value, error)
    assert refused >= 5


@pytest.mark.parametrize("table", [*TABLES, "tracking"])
@pytest.mark.parametrize("value", ["3", '"a"', "[1]", "true", "false"])
def test_a_table_of_a_wrong_type_is_a_sentence(
    table: str, value: str, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "e.toml"
    lines = write_reinforcement(file, tiny_pipeline("kontext")).read_text().split("\n")
    kept: list[str] = []
    inside = False
    for line in lines:
        inside = line.startswith((f"[{table}]", f"[{table}.")) or (inside and not line.startswith("["))
        if not inside:
            kept.append(line)
    code, error = outcomes(capsys, file, f"{table} = {value}\n" + "\n".join(kept), tmp_path / "out")
    assert code == 2, error
    assert table in error


@pytest.mark.parametrize(
    ("table", "entry", "sentence"),
    [
        ("rewards", "weights = 3", "[rewards]: weights is 3; write a number for each reward"),
        ("rewards", "off = 3", "[rewards]: off is 3; write a list of names"),
        ("rewards", 'off = "miou"', "[rewards]: off is 'miou'; write a list of names"),
        ("rewards", "specs = 3", "[rewards] specs: is 3; write [rewards.specs]"),
        ("reinforcement", "plan_joins = 3", "[reinforcement] plan_joins: 3 is not a string"),
        ("reinforcement", 'plan_joins = "{plan.a}{instruction}"', "[reinforcement] plan_joins: "),
        ("reinforcement", 'preset = ["a"]', "[reinforcement] preset: there is no preset ['a']"),
        ("planner", "model = 3", "[planner] model: 3 is not a string"),
    ],
)
def test_the_sentence_names_the_fix(
    table: str, entry: str, sentence: str, tiny_pipeline: Callable[[str], Path], tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "e.toml"
    text = write_reinforcement(file, tiny_pipeline("kontext")).read_text()
    name, _, value = entry.partition(" = ")
    code, error = outcomes(capsys, file, with_entry(text, table, name, value), tmp_path / "out")
    assert code == 2 and f"e.toml, {sentence}" in error
