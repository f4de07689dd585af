"""Wrong types in the TOML files of trainings and comparisons: sentences that name file and entry, never tracebacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from editscope.cli.app import main
from editscope.documents import read_toml, toml_text
from editscope.training.comparison.settings import PLAIN, ArmEvaluation, ArmSettings, SamplerSettings
from editscope.training.data.settings import DataSettings, PartSettings, SizeSettings
from editscope.training.log.settings import TrackingSettings
from editscope.training.monitors import MonitorSettings
from editscope.training.settings import OTHERS, TABLES
from support.training.experiments import write_experiment
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]

WRONG: tuple[Any, ...] = (3, -2.5, "words", [], [3, "x"], {"a": 3}, {"a": "x"}, True, False)
IN_EXPERIMENT: Mapping[str, Any] = {
    **TABLES,
    "tracking": TrackingSettings,
    "monitors": MonitorSettings,
    "data": DataSettings,
    "data.sizes": SizeSettings,
    "data.parts": PartSettings,
}
IN_PLAN: Mapping[str, Any] = {"sampler": SamplerSettings, "arms": ArmSettings, "evaluations": ArmEvaluation}


def entries(tables: Mapping[str, Any], *top: str) -> Iterator[tuple[str, str]]:
    """Every table, and every entry of each."""
    yield from (("", name) for name in top)
    for table, kind in tables.items():
        yield from ((table, field.name) for field in fields(kind))
    if "data.parts" in tables:
        yield "data.parts", "level"


def changed(document: Mapping[str, Any], table: str, entry: str, value: Any) -> dict[str, Any]:
    """A document with a value at an entry of a table, which is made if it is not there."""
    name, _, rest = table.partition(".")
    if not name:
        return {**document, entry: value}
    inner = document.get(name, {})
    if isinstance(inner, list):
        return {**document, name: [changed(inner[0], rest, entry, value)]}
    return {**document, name: changed(inner, rest, entry, value)}


def said(capsys: Any, *words: Any) -> tuple[Any, str]:
    """The exit code of a command and its error."""
    code: Any = 0
    try:
        main([str(word) for word in words])
    except SystemExit as ended:
        code = ended.code
    return code, " ".join(capsys.readouterr().err.split())


@pytest.fixture
def experiment(tiny_pipeline: Callable[[str], Path], tmp_path: Path) -> Path:
    more = '[ema]\ndecay = 0.5\n[evaluation]\nsuite = "tinygrafix"\nlimit = 1\n'
    return write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")), more=more)


@pytest.mark.parametrize(
    ("table", "entry"), list(entries(IN_EXPERIMENT, "name", *dict.fromkeys((*TABLES, *OTHERS, "data"))))
)
def test_a_wrong_type_in_an_experiment_is_a_sentence(table: str, entry: str, experiment: Path, capsys: Any) -> None:
    document, refused = read_toml(experiment.read_text()), 0
    for value in WRONG:
        experiment.write_text(toml_text(changed(document, table, entry, value)))
        code, error = said(capsys, "train", "run", experiment, "--out", experiment.parent / "out", "--dry-run")
        assert code in (0, 2) and "Traceback" not in error, (value, error)
        if code:
            assert entry in error or table.rpartition(".")[2] in error, (value, error)
            refused += 1
    assert refused >= 4


@pytest.mark.parametrize(("table", "entry"), list(entries(IN_PLAN, *PLAIN, *IN_PLAN)))
def test_a_wrong_type_in_a_plan_is_a_sentence(table: str, entry: str, experiment: Path, capsys: Any) -> None:
    arm: dict[str, Any] = {"name": "A"}
    document = {"experiment": "mine.toml", "arms": [arm], "evaluations": [{"suite": "tinygrafix", "limit": 1}]}
    plan, refused = experiment.parent / "plan.toml", 0
    for value in WRONG:
        plan.write_text(toml_text(changed(document, table, entry, value)))
        code, error = said(capsys, "train", "compare", plan, "--out", experiment.parent / "out", "--dry-run")
        assert code in (0, 2) and "Traceback" not in error, (value, error)
        if code:
            assert "plan.toml" in error or entry in error, (value, error)
            refused += 1
    assert refused >= 4


@pytest.mark.parametrize(
    ("table", "entry", "value", "sentence"),
    [
        ("", "monitors", False, "mine.toml, monitors: False is not a table; write [monitors]"),
        ("", "tracking", [3], "mine.toml, tracking: [3] is not a table; write [tracking]"),
        ("", "name", 3, "mine.toml, name: 3 is not a string; write it in quotes"),
        ("evaluation", "suite", 3, "mine.toml, [evaluation] suite: 3 is not a string"),
        ("tracking", "trackers", 3, "mine.toml, [tracking] trackers: 3 is not a list of strings"),
        ("data.parts", "where", 3, "mine.toml, [[data.parts]] where: 3 is not a list of strings"),
        ("data.parts", "level", [3], "mine.toml, [[data.parts]] level: [3] is not a string"),
        ("data.sizes", "sizes", 3, "mine.toml, [data.sizes] sizes: 3 is not a list of sizes"),
    ],
)
def test_the_sentence_names_file_entry_and_fix(
    table: str, entry: str, value: Any, sentence: str, experiment: Path, capsys: Any
) -> None:
    document = read_toml(experiment.read_text())
    experiment.write_text(toml_text(changed(document, table, entry, value)))
    code, error = said(capsys, "train", "run", experiment, "--dry-run")
    assert code == 2 and sentence in error
