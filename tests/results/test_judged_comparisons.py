"""Faults that a reader of judged runs ran into, each pinned by what should have happened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import editscope as es
from editscope.cases import Aggregation, Group
from editscope.cli import main
from editscope.stats.paired import compare_rows
from support.judged_data import draw, make_worldedit
from support.servers.judge_server import KEY, Asked, JudgeServer, Outcome, Reply, agreeable

pytestmark = pytest.mark.slow

Cli = Callable[..., tuple[int, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Call the command line in an empty folder: exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))

    def call(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out + said.err

    return call


def test_the_list_of_suites_cuts_no_address_however_narrow_the_terminal(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, said = cli("suites")
    assert code == 0
    assert "…" not in said
    assert "github.com/SZStrong1/InEdit-Bench" in said


def test_what_is_judged_of_one_case_counts_as_one_win_and_one_sign() -> None:
    """Two cases with six scores each: twelve wins in a row would be p < 0.001, two cases tell nothing."""
    plan = Aggregation(Group("overall", (), ("metric",)), (), strata=())
    rows = {
        "case_id": [case for case in ("one", "two") for _ in range(6)],
        "variant": ["en", "en", "en", "cn", "cn", "cn"] * 2,
        "metric": ["if", "dp", "vq"] * 4,
    }
    a = {**rows, "average": [0.2] * 12}
    b = {**rows, "average": [0.4] * 6 + [0.9, 0.3, 0.3, 0.3, 0.3, 0.0]}
    found = compare_rows(a, b, plan, "average", match=("case_id", "variant", "metric")).overall
    assert (found.n, found.cases) == (12, 2)
    assert (found.wins, found.ties, found.losses, found.p_sign) == (2, 0, 0, 0.5)
    assert (found.effect, found.lo) == (None, None)  # of two cases


@pytest.fixture
def two_runs(cli: Cli, tmp_path: Path) -> tuple[Path, Path]:
    """WorldEdit judged by a strict judge, whose instruction following is 5, and by one that refuses to say that."""
    data = make_worldedit(tmp_path / "world", 2)
    prompts = tmp_path / "prompts"
    assert cli("prompts", "export", "worldedit", prompts)[0] == 0
    told = prompts / "if.txt"
    told.write_text(told.read_text("utf-8").replace("[[edit]]", "{{instruction following}}\n[[edit]]"), "utf-8")

    def script(asked: Asked) -> Outcome:
        following = "instruction following}" in asked.text
        if following and asked.model == "gpt-5":
            return Reply(refusal="I cannot help with that.")
        return {"score": 5 if following else 4 if asked.model == "gpt-5" else 2, "reason": "as asked"}

    with JudgeServer(script) as server:
        common = ["worldedit", "--data", data, "-e", "ref:identity", "--prompts", prompts, "--jobs", 1, "-q"]
        for model in ("gpt-4o", "gpt-5"):
            cli("run", *common, "--judge", server.spec(model), "--out", tmp_path / model)
    return tmp_path / "gpt-4o", tmp_path / "gpt-5"


def test_cases_that_differ_most_are_paired_verdict_by_verdict_like_the_tables(
    cli: Cli, two_runs: tuple[Path, Path]
) -> None:
    first, second = two_runs
    found = es.compare(first, second)
    # The first run's means are (2 + 2 + 5 + 2) / 4 = 2.75; where both have a verdict, it has 2 and the other 4.
    assert [es.open_run(run).summary["overall"]["average"]["mean"] for run in two_runs] == [2.75, 4.0]
    assert found.overall.difference == 2.0
    assert [(case.difference, case.scores) for case in found.cases()] == [(2.0, (2.0, 4.0))] * 2
    said = cli("compare", first, second)[1]
    assert "2 shared cases, 8 scores" in said
    assert "both" not in said


def test_a_scale_of_1_to_5_has_two_decimals_everywhere(cli: Cli, two_runs: tuple[Path, Path]) -> None:
    first, second = two_runs
    shown = cli("show", first)[1]
    assert "2.75 (n = " in shown
    assert "weakest" not in shown  # two cases, and both modes are equal
    assert "average is between 3.25 and 4.25 whatever they would be" in cli("show", second)[1]
    assert "+2.00" in cli("compare", first, second)[1]


def test_an_edit_that_cannot_be_read_is_named_before_anything_is_spent_where_none_may_be_missing(
    cli: Cli, tmp_path: Path
) -> None:
    data, outputs = make_worldedit(tmp_path / "world", 2), tmp_path / "mine"
    draw(outputs / "time_000.png", 7)
    (outputs / "temperature_001.png").write_text("no picture")
    with JudgeServer(agreeable) as server:
        arguments = ["--data", data, "--outputs", outputs, "--judge", server.spec(), "--out", tmp_path / "run"]
        code, said = cli("score", "worldedit", *arguments, "--missing", "fail", "--jobs", 1)
        assert (code, server.calls) == (2, 0)
    assert "1 edit is missing or unreadable, and --missing is fail; the first is temperature_001.png" in said
    assert not (tmp_path / "run").exists()
