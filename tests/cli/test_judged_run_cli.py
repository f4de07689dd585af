"""Judged runs from the command line: what a dry run says, what is judged again, and how it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageOps

import editscope as es
from editscope.cli import main
from support.judged_data import make_picabench, make_worldedit, write_json
from support.servers.judge_server import KEY, JudgeServer, agreeable

pytestmark = pytest.mark.slow

Cli = Callable[..., tuple[int, str]]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Call the command line in an empty folder; exit code, and what it printed in one line of text."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))

    def call(*arguments: object) -> tuple[int, str]:
        if arguments[0] in ("run", "score", "rescore", "resume"):
            arguments = (*arguments, "--jobs", 1)  # one worker is enough for a handful of cases
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return int(ended.value.code or 0), " ".join((said.out + said.err).split())

    return call


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(agreeable) as judge:
        yield judge


@pytest.fixture
def world(tmp_path: Path) -> tuple[Path, Path]:
    """Four cases of WorldEdit, and edits of three of them and of nobody."""
    data = make_worldedit(tmp_path / "world", 4)
    outputs = tmp_path / "mine"
    outputs.mkdir()
    for number, name in enumerate(("time_000", "temperature_001", "humidity_002", "nobody")):
        ImageOps.invert(Image.open(data / f"images/{number:03d}.png")).save(outputs / f"{name}.png")
    return data, outputs


def test_a_dry_run_lists_calls_costs_and_files_and_spends_nothing(
    cli: Cli, server: JudgeServer, world: tuple[Path, Path], tmp_path: Path
) -> None:
    data, outputs = world
    arguments = ["--data", data, "--outputs", outputs, "--judge", server.spec()]
    code, said = cli("score", "worldedit", *arguments, "--dry-run")
    assert code == 0
    assert "3 outputs, 1 missing" in said
    assert "missing: acidity_003" in said
    assert "matches no case: nobody.png" in said
    # Three edits, four metrics each; quality sees the edit alone, the others the source too.
    assert re.search(r"12 calls, 21 images, [\d,]+ tokens in, [\d,]+ out, \$0\.\d\d", said)
    assert "nothing was done" in said
    assert server.calls == server.checks == 0
    assert not (tmp_path / "runs").exists()


def test_edits_made_elsewhere_are_judged_shown_and_judged_again(
    cli: Cli, server: JudgeServer, world: tuple[Path, Path]
) -> None:
    data, outputs = world
    judge = ["--judge", server.spec()]
    code, said = cli("score", "worldedit", "--data", data, "--outputs", outputs, *judge, "--out", "run")
    assert code == 1  # one case has no edit
    assert server.calls == 12
    assert "Average 4.00" in said  # three fives and a one
    assert "without an edit: no_output 1 (a missing edit counts as the worst score)" in said
    assert "12 verdicts asked for" in said

    code, said = cli("score", "worldedit", "--data", data, "--outputs", outputs, *judge, "--out", "run2", "--dry-run")
    assert "0 calls" in said
    assert "12 verdicts are already in the cache" in said

    code, said = cli("show", "run")
    assert code == 0
    assert "by mode" in said
    code, said = cli("show", "run", "time_000")
    assert "gpt-4o-2030-01-01 · sample 0: 5" in said

    before = server.calls
    code, said = cli("rescore", "run", *judge, "--out", "run")
    assert code == 2
    assert "choose a new folder" in said
    code, said = cli("rescore", "run", *judge, "--protocol", "worldedit?kp_gate=enforced", "--out", "gated")
    assert code == 1
    assert server.calls == before
    assert "protocol worldedit?kp_gate=enforced" in said
    assert "12 from the cache" in said
    assert es.open_run("gated").info["edits_of"] == str(Path("run").resolve())
    code, said = cli("compare", "run", "gated")
    assert code == 0
    assert "Not only the edits differ: the runs have other options of the protocol." in said


def test_a_budget_ends_with_exit_code_3_and_resume_goes_on(
    cli: Cli, server: JudgeServer, world: tuple[Path, Path]
) -> None:
    data, outputs = world
    where = ["worldedit", "--data", data, "--outputs", outputs, "--judge", server.spec(), "--out", "run", "-q"]
    code, said = cli("score", *where, "--max-calls", "5")
    assert code == 3
    assert "the budget of 5 judge calls is spent" in said
    assert "editscope resume run" in said
    code, _ = cli("resume", "run", "-q")  # another five
    assert code == 3
    code, _ = cli("resume", "run", "-q", "--max-calls", "100")
    assert code == 1
    assert server.calls == 12
    assert es.open_run("run").complete


def test_what_cannot_be_judged_is_said_and_nothing_is_spent(
    cli: Cli, server: JudgeServer, world: tuple[Path, Path], tmp_path: Path
) -> None:
    data, outputs = world
    score = ["score", "worldedit", "--data", data, "--outputs", outputs]
    judged = [*score, "--judge", server.spec()]
    for arguments, sentence in (
        (score, "suite worldedit is scored by a judge; choose one with --judge"),
        ([*score, "--samples", "2"], "--samples need a judge"),
        ([*judged, "--protocol", "picabench"], "has no questions, which the protocol picabench asks"),
        ([*judged, "--protocol", "kriss"], "there is no protocol 'kriss'; did you mean 'kris'?"),
        ([*judged, "--protocol", "worldedit?kp_gate=no"], "choose from asked, enforced"),
        ([*judged, "--missing", "zero"], "there is no way with missing edits for --missing 'zero'"),
        ([*judged, "--prompts", tmp_path / "none"], "is not a folder of prompts"),
        ([*judged, "--levels", "explicit"], "has no option 'levels'"),
        ([*score, "--judge", "openai:gpt-4o?api_key=12"], "keys come from the environment only"),
        (["rescore", tmp_path / "none", "--judge", server.spec()], "is not a run"),
        (["rescore", tmp_path / "none"], "rescore needs a judge"),
    ):
        code, said = cli(*arguments)
        assert (code, sentence in said) == (2, True), said
    assert server.calls == 0
    assert not (tmp_path / "runs").exists()


def test_other_prompts_make_another_run(cli: Cli, server: JudgeServer, tmp_path: Path) -> None:
    data = make_picabench(tmp_path / "data", 2, questions=1)
    run = ["run", "picabench", "--data", data, "--editor", f"folder:{data / 'input_img'}", "--judge", server.spec()]
    assert cli(*run, "--out", "ours", "-q")[0] == 0
    assert cli("prompts", "export", "picabench", "theirs")[0] == 0
    question = tmp_path / "theirs/question.txt"
    question.write_text(question.read_text() + "\nBe strict.\n")
    code, said = cli(*run, "--out", "ours", "--prompts", "theirs")
    assert code == 2
    assert "holds another run, with prompts" in said
    before = server.calls
    assert cli(*run, "--out", "theirs-run", "--prompts", "theirs", "-q")[0] == 0
    assert server.calls - before == 2
    assert "Be strict." in server.asked[-1].text
    ours, theirs = (es.open_run(name).info["judging"]["prompts"] for name in ("ours", "theirs-run"))
    assert ours["hash"] != theirs["hash"]
    question.write_text(question.read_text() + "\nBe stricter.\n")
    code, said = cli("resume", "theirs-run")
    assert code == 2
    assert "the prompts of picabench are not those that the run was started with" in said


def test_what_edit_areas_are_on_is_said_once_and_decided_by_a_flag_or_the_protocol(
    cli: Cli, server: JudgeServer, tmp_path: Path
) -> None:
    data = make_picabench(tmp_path / "pica", 2, size=(512, 384))
    rows = json.loads((data / "meta_info.json").read_text(encoding="utf-8"))
    for row in rows:  # the lower right quarter on the canvas of 1024 × 768, which lies beyond the source
        row["edit_area"] = [{"x": 512, "y": 384, "width": 511, "height": 383}]
    write_json(data / "meta_info.json", rows)
    outputs = tmp_path / "mine"
    outputs.mkdir()
    for path in (data / "input_img").iterdir():
        edit = Image.open(path).convert("RGB")
        edit.paste((255, 0, 255), (256, 192, 512, 384))
        edit.save(outputs / path.name)
    asked = ["picabench", "--data", data, "--editor", f"folder:{outputs}", "--judge", server.spec()]

    def consistency(out: str, *more: object) -> tuple[float, str]:
        code, said = cli("run", *asked, "--out", out, *more)
        assert code == 0, said
        return es.open_run(out).summary["overall"]["consistency"]["mean"], said

    value, said = consistency("auto")
    assert value == 100
    assert said.count("the edit areas of 2 cases (00000, 00001) reach over the source and fit the canvas") == 1
    assert consistency("canvas", "--edit-area", "canvas")[0] == 100
    by_flag, by_protocol = (
        consistency(out, *how)[0]
        for out, how in (
            ("flag", ("--edit-area", "source")),
            ("protocol", ("--protocol", "picabench?edit_area=source")),
        )
    )
    assert by_flag == by_protocol < 40
    code, said = cli("run", *asked, "--edit-area", "both")
    assert (code, "choose from auto, source, canvas" in said) == (2, True)
