"""What commands say before they spend, whom they ask, and what they do where nobody can answer."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import editscope as es
from editscope.cli import main
from editscope.images import load, write_png
from support.judged_data import make_worldedit
from support.servers.judge_server import KEY, JudgeServer, agreeable

pytestmark = pytest.mark.slow

Cli = Callable[..., tuple[int, str]]
MODULE = """
import editscope as es

class Costly(es.Editor):
    def __init__(self, price=0.5):
        self.price = price
    def estimate(self, edits, images=1):
        return None if self.price < 0 else self.price * edits
    def edit(self, case):
        return es.cases.Edit(case.case_id, image=case.arrays[0], cost_usd=max(0, self.price))
"""
RUN = ("run", "paintbench", "--data", "set", "--limit", "2", "--jobs", "1")
EDITOR = ("-e", "python:costly_editor:Costly")


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small_set: Path) -> Cli:
    """Call the command line in a folder with a costly editor, without a terminal and without keys."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "costly_editor.py").write_text(MODULE)

    def call(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return int(ended.value.code or 0), " ".join((said.out + said.err).split())

    return call


def test_without_a_terminal_nothing_is_spent_unless_somebody_said_yes(cli: Cli, tmp_path: Path) -> None:
    code, said = cli(*RUN, *EDITOR, "--out", "run")
    assert code == 2
    assert "editor Costly: 2 edits, $1.00 total about $1.00" in said
    assert "this would spend about $1.00, and there is no terminal to ask; add --yes, or set a limit with" in said
    assert not (tmp_path / "run").exists()
    assert cli(*RUN, *EDITOR, "--out", "run", "--yes")[0] == 0
    code, said = cli(*RUN, *EDITOR, "--out", "run")
    assert code == 0, "nothing is left to be paid for, so nobody is asked"


def test_a_limit_in_dollars_is_a_yes_for_scripts(cli: Cli) -> None:
    code, said = cli(*RUN, *EDITOR, "--out", "a", "--budget", "$5")
    assert code == 0 and "total about $1.00 · budget $5.00" in said
    code, said = cli(*RUN, *EDITOR, "--out", "b", "--max-edit-cost", "5")
    assert code == 0 and "--max-edit-cost is deprecated; --budget limits edits and judges together" in said


def test_a_terminal_is_asked_and_no_is_the_default(cli: Cli, tmp_path: Path) -> None:
    for typed, code in (("\n", 2), ("n\n", 2), ("y\n", 0)):
        ours, theirs = pty.openpty()
        try:
            os.write(ours, typed.encode())
            command = [sys.executable, "-m", "editscope", *RUN, *EDITOR, "--out", "run"]
            done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, timeout=300)
        finally:
            os.close(ours)
            os.close(theirs)
        assert done.returncode == code, done.stderr
        assert "Spend about $1.00? [y/N]" in done.stderr
        assert (tmp_path / "run").exists() is (code == 0)


def test_an_unknown_price_is_never_nothing(cli: Cli) -> None:
    code, said = cli(*RUN, "-e", "python:costly_editor:Costly?price=-1", "--out", "run")
    assert code == 2 and "2 edits, price unknown" in said and "would spend an unknown amount" in said


@pytest.mark.parametrize("budget", ["-3", "20€", "nan"])
def test_a_budget_that_is_none_is_said(cli: Cli, budget: str) -> None:
    code, said = cli(*RUN, *EDITOR, f"--budget={budget}")
    assert code == 2 and "write dollars, 0 or more, such as --budget 20" in said


def test_a_dry_run_says_missing_keys_unknown_prices_and_how_old_prices_are(cli: Cli, tmp_path: Path) -> None:
    data = make_worldedit(tmp_path / "world", 2)
    judges = ("--judge", "openai:gpt-4o", "--judge", "gemini:gemini-99")
    code, said = cli("run", "worldedit", "--data", data, "-e", "openai:gpt-image-1", *judges, "--dry-run")
    assert code == 0, said
    assert "editor openai:gpt-image-1: 2 edits, $0.13" in said
    assert 'price unknown (no entry for [models."gemini-99"]; add it with --prices FILE)' in said
    assert "total at least $0.1" in said
    assert "openai:gpt-image-1, openai:gpt-4o: prices of 20" in said
    assert "key missing: set the variable OPENAI_API_KEY for the editor openai:gpt-image-1" in said
    assert "key missing: set the variable OPENAI_API_KEY for the judge openai:gpt-4o" in said
    assert "key missing: set the variable GEMINI_API_KEY for the judge gemini:gemini-99" in said
    assert "edits do not exist yet: the estimate uses their inputs" in said


def test_a_server_of_ones_own_is_not_asked_about(cli: Cli, tmp_path: Path) -> None:
    data = make_worldedit(tmp_path / "world", 2)
    with JudgeServer(agreeable) as server:
        common = ("--data", data, "-e", "ref:identity", "--judge", server.spec("unheard-of"), "--jobs", 1)
        code, said = cli("run", "worldedit", *common, "--dry-run")
        assert code == 0 and "price unknown (your own server, taken as free)" in said and "total" not in said
        code, said = cli("run", "worldedit", *common, "--out", "run")
        assert code == 0 and "Spend" not in said


def test_a_missing_key_is_named_before_anybody_is_asked_about_money(cli: Cli, tmp_path: Path) -> None:
    data = make_worldedit(tmp_path / "world", 2)
    run = ("run", "worldedit", "--data", data, "-e", "ref:identity", "--judge", "openai:gpt-4o")
    code, said = cli(*run, "--out", "run")
    assert code == 2 and "nothing was spent: set the variable OPENAI_API_KEY for the judge openai:gpt-4o" in said
    assert "terminal" not in said
    ours, theirs = pty.openpty()
    try:
        command = [sys.executable, "-m", "editscope", *map(str, run), "--out", "run"]
        done = subprocess.run(command, stdin=theirs, capture_output=True, text=True, timeout=300)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 2 and "OPENAI_API_KEY" in done.stderr and "Spend" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_gateway_of_ones_own_with_a_price_is_asked_about_and_its_key_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = make_worldedit(tmp_path / "world", 2)
    (tmp_path / "prices.toml").write_text(
        '[models."resold"]\ninput = 2.5\noutput = 10\nsource = "our contract"\ndate = 2026-10-01\n'
    )
    with JudgeServer(agreeable) as server:
        judge = ("--judge", server.spec("resold", key_env="GATEWAY_KEY"), "--prices", "prices.toml")
        run = ("run", "worldedit", "--data", data, "-e", "ref:identity", *judge, "--jobs", 1)
        code, said = cli(*run, "--dry-run")
        assert code == 0 and "key missing: set the variable GATEWAY_KEY for the judge" in said
        assert "total about $0.0" in said and "prices of 2026-10-01, our contract" in said
        code, said = cli(*run, "--out", "run")
        assert code == 2 and "set the variable GATEWAY_KEY for the judge" in said and server.calls == 0
        monkeypatch.setenv("GATEWAY_KEY", "not-a-secret")
        code, said = cli(*run, "--out", "run")
        assert code == 2 and "there is no terminal to ask" in said and server.calls == 0


def test_resume_says_what_is_left_and_what_was_spent(cli: Cli) -> None:
    code, said = cli(*RUN, *EDITOR, "--out", "run", "--budget", "0.6")
    assert code == 3 and "another edit (about $0.50) does not fit into the budget of $0.60 ($0.50 spent)" in said
    code, said = cli("resume", "run", "--dry-run", "--budget", "3")
    assert code == 0 and "1 edit, $0.50 total about $0.50 · $0.50 spent so far · budget $3.00" in said
    code, said = cli("resume", "run", "--budget", "3", "--jobs", 1)
    assert code == 0, said


def test_a_limit_for_judges_without_a_judge_names_the_budget(cli: Cli) -> None:
    code, said = cli(*RUN, *EDITOR, "--max-cost", "5")
    assert code == 2 and "--max-cost limits judges, and this run has none; use --budget 5" in said


def test_a_budget_may_stand_in_a_file_of_options(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "options.toml").write_text('editor = "python:costly_editor:Costly"\nbudget = 5\n')
    code, said = cli(*RUN, "--config", "options.toml", "--out", "run")
    assert code == 0 and "budget $5.00" in said


PRICED = '[models]\n"gpt-4o" = { input = 20.0, output = 100.0 }\n'


@pytest.fixture
def world(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A judged benchmark of twelve cases, a priced judge, and one output, of the last case."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (tmp_path / "prices.toml").write_text(PRICED)
    make_worldedit(tmp_path / "world", 12)
    suite = es.load_suite("worldedit", root=tmp_path / "world")
    last = suite.case(suite.ids[-1])
    write_png(tmp_path / "out" / f"{suite.output_names(last.id)[0]}.png", load(suite.inputs(last)[0]))
    return tmp_path


@pytest.mark.parametrize(
    ("further", "words"),
    [
        (240, "this would spend about $"),
        (3, "none of the cases looked at needs a paid call; the other 9 still may"),
    ],
)
def test_a_few_cases_that_need_no_call_do_not_make_a_run_free(
    cli: Cli, world: Path, monkeypatch: pytest.MonkeyPatch, further: int, words: str
) -> None:
    monkeypatch.setattr("editscope.runs.forecast.GLANCE", 2)
    monkeypatch.setattr("editscope.runs.forecast.LOOK_FURTHER", further)
    with JudgeServer(agreeable, keys=[KEY]) as server:
        judged = ("worldedit", "--data", "world", "--judge", server.spec(), "--prices", "prices.toml", "--jobs", "1")
        code, said = cli("run", *judged, "-e", "folder:out", "--out", "run")
        assert (code, server.calls) == (2, 0)
        assert words in said and "there is no terminal to ask" in said
        assert cli("run", *judged, "-e", "folder:out", "--out", "run", "--yes")[0] == 1
        assert server.calls > 0


def test_verdicts_on_inputs_do_not_make_edits_free_that_are_not_made_yet(cli: Cli, world: Path) -> None:
    with JudgeServer(agreeable, keys=[KEY]) as server:
        judged = ("worldedit", "--data", "world", "--judge", server.spec(), "--prices", "prices.toml", "--jobs", "1")
        assert cli("run", *judged, "-e", "ref:identity", "--out", "same", "--yes")[0] == 0
        paid = server.calls
        code, said = cli("run", *judged, "-e", "ref:noise", "--out", "other")
        assert (code, server.calls) == (2, paid)
        assert "this would spend about $" in said


def test_one_edit_is_judged_for_money_only_where_somebody_says_so(cli: Cli, world: Path) -> None:
    picture = next((world / "out").rglob("*.png"))
    with JudgeServer(agreeable, keys=[KEY]) as server:
        one = (
            *("judge", "one", "--source", picture, "--edit", picture, "--instruction", "Make it wet."),
            *("--judge", server.spec(), "--prices", "prices.toml", "--cache", "off"),
        )
        code, said = cli(*one)
        assert (code, server.calls) == (2, 0)
        assert "this would spend about $" in said
        code, said = cli(*one, "--budget", "0.000001")
        assert (code, server.calls) == (3, 0)
        assert "give a higher --budget" in said and "resume" not in said
        assert cli(*one, "--yes")[0] == 0
        assert server.calls > 0
