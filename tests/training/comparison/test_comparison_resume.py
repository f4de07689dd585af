"""A comparison that was interrupted or killed goes on where it was: no step, edit or verdict is paid twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.runs.budget import spent_in_folder
from editscope.training.checkpoints import checkpoints_in
from editscope.training.comparison import arms
from support.servers.judge_server import KEY, JudgeServer
from support.training.arms import sees_magenta, stand_in, write_files, write_plan
from support.training.comparisons import called
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]
ARMS = '[[arms]]\nname = "A"\n'
STEPS, AT_ONCE = 6, 2
CHILD = """import sys
from editscope.cli.app import main
from editscope.training.comparison import evaluations
from support.training.arms import stand_in
evaluations.editor_spec = stand_in
main(["train", "compare", "plan.toml", *sys.argv[1:]])
"""
COMMAND = ("--yes", "--jobs", "1", "--cache", "off", "--concurrency", str(AT_ONCE))


@pytest.fixture
def folder(tiny_pipeline: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an experiment, an editor and data, in which one is."""
    write_files(tmp_path, settings_for("kontext", tiny_pipeline("kontext")), steps=STEPS, cases=4)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setattr("editscope.training.comparison.evaluations.editor_spec", stand_in)
    return tmp_path


def killed_when(ready: Callable[[], bool]) -> None:
    """Run the comparison in a process of its own, and kill it as soon as something is there."""
    paths = os.pathsep.join([str(Path(es.__file__).parents[1]), str(Path(__file__).parents[2])])
    environment = {**os.environ, "PYTHONPATH": paths}
    child = subprocess.Popen([sys.executable, "-c", CHILD, *COMMAND, "--quiet"], env=environment)
    try:
        while not ready():
            assert child.poll() is None, "it ended before it could be killed"
            time.sleep(0.01)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()


def paid(server: JudgeServer) -> int:
    """How many calls about cases the judge has answered."""
    return sum("thing" in one.text for one in server.asked)


def needed(levels: int) -> int:
    """How many calls the base and one arm need: two questions of four cases at each level."""
    return 2 * 2 * 4 * levels


def test_ctrl_c_saves_a_checkpoint_and_says_the_command_that_goes_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def say(text: str = "", **_: Any) -> None:
        told.append(str(text))
        if str(text).startswith("step 3 of") and not any(line.startswith("resuming") for line in told):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("editscope.printing.say", say)
    with JudgeServer(sees_magenta) as server:
        plan = write_plan(folder / "plan.toml", [server.spec()], ARMS, levels="superficial")
        assert called("train", "compare", plan, *COMMAND) == 3
        assert [step for step, _ in checkpoints_in(folder / "compared/plan/arms/a")] == [2, 3]
        assert any(
            f"stopped after step 3 of {STEPS}" in line and f"editscope train compare {plan}" in line for line in told
        )
        base = [run for run in (folder / "compared/plan/runs").rglob("run.json") if "base" in run.parts]
        assert len(base) == 1, "the base is evaluated before anything is trained"
        assert called("train", "compare", plan, *COMMAND) == 0
        assert f"resuming after step 3 of {STEPS}" in told and paid(server) == needed(levels=1)


@pytest.mark.drill(only=True)
@pytest.mark.parametrize("moment", ["training", "judging"])
def test_a_killed_comparison_repeats_no_step_before_its_checkpoint_and_no_paid_call(
    folder: Path, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arm = folder / "compared/plan/arms/a"
    told: list[str] = []
    monkeypatch.setattr("editscope.printing.say", lambda text="", **_: told.append(str(text)))
    with JudgeServer(sees_magenta, latency=0.02) as server:
        write_plan(folder / "plan.toml", [server.spec()], ARMS, levels="superficial,explicit")
        of_base = needed(levels=2) // 2
        if moment == "training":
            killed_when(lambda: bool(checkpoints_in(arm)))
        else:
            killed_when(lambda: paid(server) > of_base + 3)
        reached = checkpoints_in(arm)[-1][0]
        assert called("train", "compare", "plan.toml", *COMMAND) == 0
    if reached < STEPS:
        assert f"resuming after step {reached} of {STEPS}" in told
    assert not any(line.startswith(f"step {step} of") for step in range(1, reached + 1) for line in told)
    assert needed(levels=2) <= paid(server) <= needed(levels=2) + AT_ONCE
    made = Counter((folder / "edits.log").read_text().splitlines())
    assert max(made.values()) <= 1 + (moment == "judging")


def test_a_judge_that_is_down_stops_the_comparison_before_it_trains(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with JudgeServer(sees_magenta) as server:
        plan = write_plan(folder / "plan.toml", [server.spec()], ARMS, levels="superficial")
    code = called("train", "compare", plan, *COMMAND, "--retries", "0", "--quiet")
    said = capsys.readouterr().err
    assert code in (2, 3) and "127.0.0.1" in said and f"editscope train compare {plan}" in said
    assert not (folder / "compared/plan/arms/a").exists()


def test_a_budget_is_for_all_runs_together(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prices = folder / "prices.toml"
    prices.write_text('[models]\n"gpt-4o" = { input = 10.0, output = 10.0 }\n')
    with JudgeServer(sees_magenta) as server:
        plan = write_plan(folder / "plan.toml", [server.spec()], ARMS, levels="superficial,intermediate,explicit")
        words = ("train", "compare", plan, "--jobs", "1", "--cache", "off", "--prices", prices, "--quiet")
        assert called(*words, "--budget", "0.2") == 3
        assert f"editscope train compare {plan} --budget N" in capsys.readouterr().err
        first = paid(server)
        assert called(*words, "--budget", "0.4") == 3
        second = paid(server) - first
        assert 0 < first < needed(levels=3) // 2 and 0 < second <= first + AT_ONCE
    spent = sum(spent_in_folder(run.parent) for run in (folder / "compared").rglob("run.json"))
    assert 0.2 < spent <= 0.4


@pytest.mark.drill(only=True)
def test_an_arm_is_trained_in_two_processes_that_the_plan_asks_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    launched: list[list[str]] = []
    waited = arms._waited

    def kept(command: list[str]) -> int:
        launched.append(command)
        return waited(command)

    monkeypatch.setattr(arms, "_waited", kept)
    monkeypatch.setenv("ACCELERATE_USE_CPU", "true")
    with JudgeServer(sees_magenta) as judge:
        plan = write_plan(folder / "plan.toml", [judge.spec("gpt-5")], ARMS)
        plan.write_text(f"processes = 2\n{plan.read_text()}")
        assert called("train", "compare", plan, *COMMAND) == 0
    printed = capfd.readouterr()
    assert f"step {STEPS} of {STEPS}: loss" in printed.out and "were not passed to" not in printed.err
    assert checkpoints_in(folder / "compared/plan/arms/a")[-1][0] == STEPS
    assert [command[command.index("--num_processes") + 1] for command in launched] == ["2"]
