"""The records of a build are listed with step and reason, and listing them changes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.engine.listing import ListedRecord, State, list_records
from editscope.factory.engine.opened import CHUNK, open_build
from editscope.factory.plan import BuildPlan
from support.command_line import Called, called
from support.factory.made_plans import built, calls, id_of, made_plan

HOSTILE = "a \x1b[31mred\x1b[0m cup\r\n\x07 " + "and a long tail " * 20


def listed(plan: BuildPlan, folder: Path, *states: State, step: str = "") -> list[ListedRecord]:
    with open_build(plan, folder) as build:
        return list(list_records(build, states, step))


def ends(records: list[ListedRecord]) -> list[tuple[str, str, str, str]]:
    return [(one.id, one.state, one.step, one.reason) for one in records]


def everything(folder: Path) -> dict[Path, tuple[bytes, int]]:
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file()}


def test_kept_dropped_and_pending_records_are_listed_with_step_and_reason(tmp_path: Path) -> None:
    log, build = tmp_path / "log", tmp_path / "build"
    Path(f"{log}.failing").write_text(f"{id_of(3)} {id_of(4)}")
    built(made_plan(log), build)
    before = everything(build)
    assert ends(listed(made_plan(log), build, "dropped")) == [
        (id_of(0), "dropped", "ask", "a multiple: of 5"),
        (id_of(5), "dropped", "ask", "a multiple: of 5"),
    ]
    pending = listed(made_plan(log), build, "pending")
    assert ends(pending) == [(name, "pending", "ask", "the server is down") for name in (id_of(3), id_of(4))]
    assert pending[0].fields == {"number": 3, "law": "law-0"}
    kept = listed(made_plan(log), build, "kept")  # although others of their chunk are pending
    assert len(kept) == 12 and ends(kept)[0] == (f"{id_of(1)}.1", "kept", "", "")
    assert kept[0].fields["text"] == "law-1: ok 1 a"
    assert ends(listed(made_plan(log), build, "kept", "pending", "dropped", step="split")) == []
    assert everything(build) == before and len(calls(log)) == 10
    with pytest.raises(BadInput, match="did you mean 'split'"):
        listed(made_plan(log), build, "kept", step="spilt")
    with pytest.raises(BadInput, match="nowhere holds no build; build the plan first"):
        open_build(made_plan(log), tmp_path / "nowhere")


def test_the_list_is_of_the_plan_as_it_is_now(tmp_path: Path) -> None:
    log, build = tmp_path / "log", tmp_path / "build"
    built(made_plan(log), build)
    assert ends(listed(made_plan(log, word="fine"), build, "kept", "dropped", "pending")) == []
    built(made_plan(log, word="fine"), build, limit=6)
    assert len(listed(made_plan(log, word="fine"), build, "kept")) == 8
    assert len(listed(made_plan(log), build, "kept")) == 16


def test_what_a_sample_leaves_out_is_listed_of_many_chunks(tmp_path: Path) -> None:
    log, build, count = tmp_path / "log", tmp_path / "build", 2 * CHUNK + 70
    plan = made_plan(log, count=count, sample=20)
    result, _ = built(plan, build)
    left_out = listed(plan, build, "dropped", step="draw")
    assert len(left_out) == sum(result.counts["draw"].dropped.values()) > 300
    assert {one.reason for one in left_out} == {f"beyond the quota: law-{law}" for law in range(3)}
    assert len(listed(plan, build, "dropped", step="ask")) == count / 5
    assert len(listed(plan, build, "kept")) == result.records and not listed(plan, build, "pending")


def test_records_between_two_steps_and_of_a_build_that_goes_on_are_listed(tmp_path: Path) -> None:
    log, folder = tmp_path / "log", tmp_path / "build"
    with Build(made_plan(log, sample=2), folder, until="ask") as build:
        build.run()
        waiting = listed(made_plan(log, sample=2), folder, "pending")  # while the folder is locked
    assert {(one.step, one.reason) for one in waiting} == {("split", "not made yet")} and len(waiting) == 8
    built(made_plan(log, sample=2), folder, until="draw")
    waiting = listed(made_plan(log, sample=2), folder, "pending")
    assert {(one.step, one.reason) for one in waiting} == {("write", "not made yet")} and len(waiting) == 6


def test_the_command_shows_texts_that_cannot_steer_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "words.jsonl").write_text("".join(json.dumps({"word": HOSTILE, "n": n}) + "\n" for n in range(60)))
    (tmp_path / "plan.toml").write_text(
        "name = 'words'\nsource = { use = 'list', path = 'words.jsonl' }\n"
        "[[steps]]\nname = 'few'\nuse = 'where'\nmost = { n = 5 }\n"
    )
    assert called(capsys, "factory", "build", tmp_path)[0] == 0
    code, shown, _ = called(capsys, "factory", "records", tmp_path, "--dropped", "few")
    assert code == 0 and "\x1b" not in shown and "\x07" not in shown
    assert "50 records, and more that --limit N shows" in shown
    first = shown.splitlines()[1]
    assert "  dropped  few " in first and "word: a red cup" in first and "…" in first
    code, shown, _ = called(capsys, "factory", "records", tmp_path, "--dropped", "--json")
    rows = json.loads(shown)
    assert len(rows) == 54 and rows[0]["fields"] == {"word": HOSTILE, "n": 6} and "\x1b" not in shown
    assert len(json.loads(called(capsys, "factory", "records", tmp_path, "--json", "--limit", "7")[1])) == 7
    assert "no such records" in called(capsys, "factory", "records", tmp_path, "--pending")[1]


def test_records_that_wait_for_people_are_pending(editscope: Callable[..., Called], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    editscope("factory", "new", folder)
    assert editscope("factory", "build", folder, "--limit", 3).returncode == 3
    before = everything(folder / "build")
    done = editscope("factory", "records", folder, "--pending", "look")
    assert done.stdout.count("not decided yet") == 3 and "instruction: Paint the red disc purple." in done.stdout
    assert everything(folder / "build") == before
    editscope("factory", "build", folder, "--limit", 3, "--approved")
    assert editscope("factory", "records", folder, "--pending").stdout.count("not reviewed yet") == 3
