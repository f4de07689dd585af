"""Options given twice: --editor runs both editors and compares them, lists stay lists, everything else is an error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import editscope as es
from editscope.cli import main
from editscope.cli.evaluate.several_editors import RunSpending, left_of, run_folders, spending_in
from editscope.errors import BadInput, Stopped
from support.command_line import Called

Cli = Callable[..., Called]

TWICE = [
    (["run", "paintbench", "-e", "ref:drift", "--limit", "5", "--limit", "6"], "--limit is given twice: '5' and '6'"),
    (["run", "paintbench", "-e", "ref:drift", "-j", "2", "--jobs=1"], "--jobs is given twice: '2' and '1'"),
    (["run", "paintbench", "-e", "ref:drift", "-q", "--quiet"], "--quiet is given twice; give it once"),
    (
        ["run", "paintbench", "-e", "ref:drift", "--per-mode", "1", "--per-mode", "2"],
        "--per-mode is given twice: '1' and",
    ),
    (["watch", ".", "--suite", "paintbench", "-e", "a", "--editor=b"], "--editor is given twice: 'a' and 'b'"),
    (["compare", "a", "b", "--metric", "miou", "--metric", "iou@0"], "--metric is given twice: 'miou' and 'iou@0'"),
    (["suite", "new", "x", "--scoring", "a", "--scoring", "b"], "--scoring is given twice: 'a' and 'b'"),
    (["judge", "audit", "--seed", "1", "--seed", "2"], "--seed is given twice: '1' and '2'"),
    (
        ["run", "paintbench", "-e", "ref:drift", "-e", "ref:drift"],
        "--editor is given twice with the same spec: 'ref:drift'",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), TWICE)
def test_an_option_with_one_value_is_given_once(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_folders_are_named_after_the_editors(tmp_path: Path) -> None:
    long = "python:a_module_with_a_long_name:AndAClassWithALongName"
    names = [folder.name for folder in run_folders([long + "One", long + "Two"], tmp_path) if folder]
    assert len(set(names)) == 2
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(BadInput, match="is a run; with several editors it is a folder"):
        run_folders(["a", "b"], tmp_path)


def test_the_name_of_a_folder_keeps_the_option_that_differs(tmp_path: Path) -> None:
    specs = [f"python:my_model:Painter?size=100&crash=0.25&sleep={sleep}" for sleep in ("0.1", "0.2")]
    names = [folder.name for folder in run_folders(specs, tmp_path) if folder]
    assert names == [f"python-my_model-Painter-size-100-crash-0.25-sleep-{sleep}" for sleep in ("0.1", "0.2")]
    long = [f"python:my_model:Painter?{'a' * 90}={value}" for value in (1, 2)]
    names = [folder.name for folder in run_folders(long, tmp_path) if folder]
    assert len({name for name in names if len(name) == 80}) == 2
    assert [run_folders([spec], tmp_path) for spec in long] == [[tmp_path / name] for name in names]


def test_the_address_of_a_server_is_no_part_of_the_name_of_a_folder(tmp_path: Path) -> None:
    gateway = "openai:gpt-image-1?base_url=http://127.0.0.1:4000/v1&key_env=GATEWAY_KEY"
    folders = run_folders([gateway, f"{gateway}&quality=high"], tmp_path)
    assert [folder.name for folder in folders if folder] == ["openai-gpt-image-1", "openai-gpt-image-1-quality-high"]


def test_a_limit_holds_for_all_runs_together() -> None:
    assert left_of("--max-edits", 10, 4) == 6
    with pytest.raises(Stopped, match="--max-edits 10 is used up"):
        left_of("--max-edits", 10, 10)
    assert RunSpending(3, 1.5) - RunSpending(1, 0.5) == RunSpending(2, 1.0)


@pytest.mark.slow
def test_two_editors_make_two_runs_and_a_comparison(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    command = ["run", "paintbench", "--data", small_set, "-j", "1", "--out", tmp_path / "both"]
    editors = ["--editor", "ref:drift", "--editor", "ref:oracle"]
    dry = editscope(*command, *editors, "--dry-run")
    assert dry.returncode == 0 and dry.stdout.count("nothing was done") == 2
    assert not (tmp_path / "both").exists()
    called = editscope(*command, *editors, "--quiet")
    assert called.returncode == 0, called.stderr
    for name in ("ref-drift", "ref-oracle"):
        assert es.open_run(tmp_path / "both" / name).complete
    assert "12 shared cases" in called.stdout and "win/tie/loss" in called.stdout
    compared = editscope("compare", tmp_path / "both/ref-drift", tmp_path / "both/ref-oracle")
    assert compared.stdout.strip() in called.stdout
    again = editscope(*command, *editors)
    assert again.returncode == 0 and "has 12 cases already, 0 to do" in again.stdout


PAID = """
import editscope as es

class Paid(es.Editor):
    def __init__(self, name: str = ""):
        self.label = name
    def estimate(self, edits, images=1):
        return 1.0 * edits
    def edit(self, case):
        return es.Edit(case.case_id, image=case.arrays[0], cost_usd=1.0)
"""


@pytest.mark.slow
def test_a_budget_is_for_all_editors_and_all_calls_together(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    (tmp_path / "here/paid.py").write_text(PAID)
    editors = ["--editor", "python:paid:Paid?name=a", "--editor", "python:paid:Paid?name=b"]
    command = ["run", "paintbench", "--data", small_set, "-j", "1", "--out", tmp_path / "both", *editors, "-q"]

    def edits() -> int:
        return sum(spending_in(folder).edits for folder in (tmp_path / "both").iterdir())

    for _ in range(2):  # the second call finds the first run whole, and may not spend its money again
        called = editscope(*command, "--budget", "14")
        assert called.returncode == 3, called.stderr
        assert edits() == 14
    assert editscope(*command, "--budget", "24").returncode == 0 and edits() == 24


@pytest.mark.slow
def test_what_stops_one_editor_does_not_touch_the_other(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    (tmp_path / "here/stops.py").write_text(
        "import editscope as es\n\nclass Stops(es.Editor):\n    def edit(self, case):\n        raise ValueError('no')\n"
    )
    out = tmp_path / "both"
    called = editscope(
        *("run", "paintbench", "--data", small_set, "-j", "1", "--quiet", "--out", out),
        *("--editor", "python:stops:Stops", "--editor", "ref:drift"),
    )
    assert called.returncode == 3
    assert "editscope: python:stops:Stops: the first 5 edits all failed" in called.stderr
    assert es.open_run(out / "ref-drift").complete
    assert spending_in(out / "ref-drift").edits == 12


@pytest.mark.slow
def test_a_wrong_second_editor_is_said_before_the_first_runs(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    called = editscope(
        *("run", "paintbench", "--data", small_set, "--out", tmp_path / "both"),
        *("--editor", "ref:drift", "--editor", "http://127.0.0.1:9/edit"),
    )
    assert called.returncode == 2, called.stderr
    assert not (tmp_path / "both").exists()


@pytest.mark.slow
def test_edits_of_all_editors_count_against_one_limit(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    command = ["run", "paintbench", "--data", small_set, "-j", "1", "--quiet", "--out", tmp_path / "both"]
    called = editscope(*command, "-e", "ref:drift", "-e", "ref:noise", "--max-edits", "15")
    assert called.returncode == 3
    assert spending_in(tmp_path / "both/ref-drift").edits == 12
    assert spending_in(tmp_path / "both/ref-noise").edits == 3


@pytest.mark.slow
def test_a_settings_file_may_list_editors_and_flags_win(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    settings = tmp_path / "run.toml"
    settings.write_text(f"editor = ['ref:drift', 'ref:noise']\ndata = {json.dumps(str(small_set))}\nlimit = 4\n")
    out = tmp_path / "both"
    called = editscope("run", "paintbench", "--config", settings, "--out", out, "--limit", "3", "-j", "1", "--quiet")
    assert called.returncode == 0, called.stderr
    assert sorted(path.name for path in out.iterdir()) == ["ref-drift", "ref-noise"]
    assert es.open_run(out / "ref-drift").info["selection"]["n"] == 3
    alone = editscope(
        "run", "paintbench", "--config", settings, "-e", "ref:oracle", "--out", tmp_path / "one", "-j", "1"
    )
    assert alone.returncode == 0 and es.open_run(tmp_path / "one").complete
