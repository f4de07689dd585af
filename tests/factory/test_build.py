"""A build keeps every outcome, goes on where it ended, and makes again only what it must."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.counts import times
from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.engine.opened import CHUNK
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Fields
from editscope.factory.steps.tools import Tools
from support.factory.made_plans import NumberSource, PaidStep, built, calls, id_of, made_plan


def test_records_go_through_the_steps_in_order_and_keep_their_history(tmp_path: Path) -> None:
    result, lines = built(made_plan(tmp_path / "log"), tmp_path / "build")
    assert result.records == 16 and result.pending == 0
    counts = {name: (one.records_in, one.records_out, dict(one.dropped)) for name, one in result.counts.items()}
    assert counts == {"ask": (10, 8, {"a multiple": 2}), "split": (8, 16, {}), "write": (16, 16, {})}
    assert f'"{id_of(1)}.1"' in lines[0] and "law-1: ok 1 a" in lines[0] and "parts" not in lines[0]


def test_a_second_build_asks_nobody_and_gives_the_same(tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = built(made_plan(log), tmp_path / "build")
    again = built(made_plan(log), tmp_path / "build")
    assert first[1] == again[1] and first[0].counts == again[0].counts and len(calls(log)) == 10


def test_what_failed_stays_pending_and_is_asked_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    Path(f"{log}.failing").write_text(f"{id_of(3)} {id_of(4)}")
    with Build(made_plan(log), tmp_path / "build") as build:
        result = build.run()
        assert result.pending == 2 and result.counts["ask"].pending == 2 and result.records == 0
        assert {reason for _, _, reason in build.store.pending()} == {"the server is down"}
        assert dict(result.counts["ask"].dropped) == {"a multiple": 2}  # filtered is not failed
        made, dollars, _, attempts = build.store.spent()["ask"]
        assert (made, dollars, attempts) == (8, 4.5, 14)
    Path(f"{log}.failing").unlink()
    result, lines = built(made_plan(log), tmp_path / "build")
    assert result.pending == 0 and len(calls(log)) == 12
    assert lines == built(made_plan(tmp_path / "other"), tmp_path / "fresh")[1]


def test_a_changed_step_makes_again_only_what_follows_from_it(tmp_path: Path) -> None:
    log = tmp_path / "log"
    built(made_plan(log), tmp_path / "build")
    _, lines = built(made_plan(log, word="fine"), tmp_path / "build")
    assert len(calls(log)) == 20 and "fine 1" in lines[0]
    _, lines = built(made_plan(log), tmp_path / "build")  # the first outcomes are still there
    assert len(calls(log)) == 20 and "ok 1" in lines[0]


def test_a_step_can_be_made_again_and_nothing_before_it_is_lost(tmp_path: Path) -> None:
    log = tmp_path / "log"
    built(made_plan(log), tmp_path / "build")
    with Build(made_plan(log), tmp_path / "build") as build:
        build.redo("ask")
        assert build.run().records == 16
    assert len(calls(log)) == 20
    with Build(made_plan(log), tmp_path / "build") as build, pytest.raises(BadInput, match="did you mean 'split'"):
        build.redo("spilt")


def test_a_pilot_costs_its_share_and_is_part_of_the_whole(tmp_path: Path) -> None:
    log = tmp_path / "log"
    few, few_lines = built(made_plan(log), tmp_path / "build", limit=4)
    assert few.counts["ask"].records_in == 4 and len(calls(log)) == 4
    until, _ = built(made_plan(log), tmp_path / "build", limit=6, until="ask")
    assert until.counts["split"].records_in == 0 and len(calls(log)) == 6
    _, lines = built(made_plan(log), tmp_path / "build")
    assert len(calls(log)) == 10 and lines[: len(few_lines)] == few_lines
    few_again, few_again_lines = built(made_plan(log), tmp_path / "build", limit=4)
    assert few_again_lines == few_lines and few_again.counts == few.counts


def test_a_sample_is_drawn_of_all_and_is_the_same_every_time(tmp_path: Path) -> None:
    log, count = tmp_path / "log", 2 * CHUNK + 70
    plan = made_plan(log, count=count, sample=20)
    result, lines = built(plan, tmp_path / "build")
    assert result.counts["draw"].records_out == result.records == 60 and len(calls(log)) == count
    assert dict(result.counts["draw"].dropped) == {"beyond the quota": result.counts["draw"].records_in - 60}
    assert built(plan, tmp_path / "build")[1] == lines
    pilot, _ = built(plan, tmp_path / "build", limit=30)
    assert pilot.counts["write"].records_in == pilot.counts["draw"].records_out < 60
    assert built(plan, tmp_path / "build")[1] == lines and len(calls(log)) == count


def test_a_second_process_is_told_that_the_folder_is_in_use(tmp_path: Path) -> None:
    with Build(made_plan(tmp_path / "log"), tmp_path / "build"):
        program = (
            "import sys; from pathlib import Path\nfrom editscope.factory.engine.build import Build\n"
            "from support.factory.made_plans import made_plan\n"
            "Build(made_plan(Path(sys.argv[1])), Path(sys.argv[2]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "log"), str(tmp_path / "build")],
            env=_environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode and "is being built by another process" in done.stderr


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


@pytest.mark.slow
@pytest.mark.drill
def test_a_build_that_is_killed_again_and_again_equals_one_that_was_not(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import sys
        from pathlib import Path
        from support.factory.made_plans import built, made_plan
        built(made_plan(Path(sys.argv[1]), count=700, sample=90, pause_s=0.02), Path(sys.argv[2]))
    """)
    command = [sys.executable, "-c", program, str(tmp_path / "log"), str(tmp_path / "build")]
    rng, kills = random.Random(4), times(3, 50)
    for _ in range(kills):
        started = subprocess.Popen(command, env=_environment())
        begun = len(calls(tmp_path / "log"))
        # Killed some calls later, wherever that is; a build that has nothing left to call is killed as it ends.
        while started.poll() is None and len(calls(tmp_path / "log")) < begun + rng.randrange(1, 200):
            time.sleep(0.005)
        started.send_signal(signal.SIGKILL)
        started.wait()
    plan = made_plan(tmp_path / "log", count=700, sample=90, pause_s=0.02)
    _, lines = built(plan, tmp_path / "build")
    assert lines == built(made_plan(tmp_path / "other", count=700, sample=90), tmp_path / "fresh")[1]
    in_hand = 32  # `at_once` of the step
    assert len(set(calls(tmp_path / "log"))) == 700 and len(calls(tmp_path / "log")) <= 700 + kills * in_hand


SLOW_STEP = """
import asyncio
from editscope.factory.steps.base import RecordStep, kept

class Slow(RecordStep):
    kind = "map"
    at_once = 2

    async def run(self, record, tools):
        (tools.folder / "begun").touch()
        while not (tools.folder / "answer").exists():
            await asyncio.sleep(0.01)
        return kept({"answer": 1})
"""


@pytest.mark.slow
@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_waits_for_what_is_paid_for_and_a_second_one_does_not(tmp_path: Path, presses: int) -> None:
    (tmp_path / "slow_step.py").write_text(SLOW_STEP)
    (tmp_path / "words.csv").write_text("word\n" + "a\n" * 9)
    (tmp_path / "plan.toml").write_text(
        "name = 'slow'\nsource = { use = 'list', path = 'words.csv' }\n"
        "[[steps]]\nname = 'ask'\nuse = 'python:slow_step:Slow'\n"
    )
    command = [sys.executable, "-m", "editscope", "factory", "build", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        assert process.stderr is not None
        process.send_signal(signal.SIGINT)
        assert "Ctrl-C once more to leave at once" in process.stderr.readline()
        if presses == 1:
            (tmp_path / "answer").touch()
        else:
            process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait() == 3 and "Traceback" not in said
    (tmp_path / "answer").touch()
    from editscope.factory.plan import read_plan

    with Build(read_plan(tmp_path / "plan.toml"), tmp_path / "build") as build:
        kept_before = build.store.spent().get("ask", (0,))[0]
        assert build.run().records == 9
    assert kept_before == (2 if presses == 1 else 0)


def test_a_row_that_is_added_moved_or_removed_makes_no_other_again(tmp_path: Path) -> None:
    class Words(NumberSource):
        named_by = ("word",)
        order = "abcb"

        def identity(self, tools: Tools) -> list[str]:
            return [self.order]

        def records(self, tools: Tools, start: int = 0) -> Iterator[Fields]:
            for number, word in enumerate(self.order[start:], start=1 + start):
                yield {"word": word, "law": "law", "number": ord(word) - 96, "row": number}

    log, source = tmp_path / "log", Words({})
    ask = PaidStep("ask", {"log": str(log)}, reads=("word", "number"))
    plan = BuildPlan("words", source, [ask])
    _, first = built(plan, tmp_path / "build")
    assert len(calls(log)) == 4 and len({line[:40].partition(",")[0] for line in first}) == 4
    source.order = "xcbab"
    _, second = built(plan, tmp_path / "build")
    assert len(calls(log)) == 5
    assert {line.partition(",")[0] for line in first} < {line.partition(",")[0] for line in second}
    assert second == built(plan, tmp_path / "fresh")[1]


def test_equal_rows_keep_their_numbers_when_a_killed_build_goes_on(tmp_path: Path) -> None:
    class Same(NumberSource):
        named_by = ("law",)

    log = tmp_path / "log"
    plan = BuildPlan("same", Same({"count": 2 * CHUNK + 5}), [PaidStep("ask", {"log": str(log), "drop_every": 7})])
    with Build(plan, tmp_path / "build", limit=CHUNK) as build:
        build.run()
    _, lines = built(plan, tmp_path / "build")
    assert len(calls(log)) == 2 * CHUNK + 5 == len(set(calls(log)))
    assert lines == built(plan, tmp_path / "fresh")[1]
