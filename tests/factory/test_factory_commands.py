"""The commands of the factory: a pipeline of one's own from its first build to its funnel as a picture."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.factory.steps.registry import STEPS, step_class
from editscope.images import load
from support.command_line import Called, called


def said(call: Callable[..., Called], *arguments: Any, code: int = 0) -> str:
    """What a command of the factory prints; it must exit with a code."""
    done = call("factory", *arguments)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_a_new_pipeline_builds_waits_for_people_and_draws_its_funnel(
    editscope: Callable[..., Called], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    assert "dictionary of 20 words" in said(editscope, "new", folder)
    assert "not a new or empty folder" in said(editscope, "new", folder, code=2)
    assert "20 of 20 records wait for people at step 'look'" in said(editscope, "build", folder, code=3)
    rows = json.loads(said(editscope, "funnel", folder, "--json"))
    assert {row["step"]: (row["in"], row["out"], row["pending"]) for row in rows}["look"] == (20, 0, 20)
    said(editscope, "funnel", folder, "--plot", tmp_path / "funnel.png")
    assert load(tmp_path / "funnel.png").shape[1] > 1000
    assert "is not a picture" in said(editscope, "funnel", folder, "--plot", tmp_path / "funnel.gif", code=2)


LISTED = "name = 'p'\nsource = { use = 'list', path = 'words.jsonl' }\n"


def listed_plan(folder: Path, steps: str, rows: int = 3) -> None:
    """A plan over a list of a few rows."""
    (folder / "words.jsonl").write_text("".join(f'{{"word": "cup {number}"}}\n' for number in range(rows)))
    (folder / "plan.toml").write_text(LISTED + steps)


def test_the_funnel_of_a_first_build_that_was_killed_shows_what_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed_plan(tmp_path, "[[steps]]\nname = 'write'\nuse = 'template'\nfields = { text = 'a {word}' }\n")
    assert "holds no build; build the plan first" in called(capsys, "factory", "funnel", tmp_path)[2]
    assert called(capsys, "factory", "build", tmp_path)[0] == 0
    (tmp_path / "build" / "funnel.json").unlink()  # a build that is killed does not get to writing it
    rows = json.loads(called(capsys, "factory", "funnel", tmp_path, "--json")[1])
    assert [(row["step"], row["in"], row["out"]) for row in rows] == [("write", 3, 3)]


def test_a_pilot_of_which_nobody_accepted_anything_says_whom_it_waits_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = "[[steps]]\nname = 'few'\nuse = 'sample'\nsize = 2\n"
    listed_plan(tmp_path, f"{few}[[steps]]\nname = 'look'\nuse = 'review'\nshow = ['word']\n")
    code, printed, _ = called(capsys, "factory", "build", tmp_path, "--approved")
    assert code == 0 and "2 wait at step 'look' for people to accept them" in printed


def test_a_partial_export_after_a_pilot_is_the_pilot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed_plan(tmp_path, "[[steps]]\nname = 'few'\nuse = 'sample'\nsize = 2\n", rows=9)
    assert called(capsys, "factory", "build", tmp_path, "--limit", "5")[0] == 0
    code, _, told = called(capsys, "factory", "export", tmp_path, "--to", tmp_path / "data")
    assert code == 2 and "not finished" in told and "--partial" in told
    code, printed, told = called(capsys, "factory", "export", tmp_path, "--to", tmp_path / "data", "--partial")
    assert code == 0 and "2 train" in printed and "This is a part of the build: 5 of 9 records" in told


def test_a_dry_run_counts_a_list_forecasts_its_cost_and_reads_its_prompts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prompt = tmp_path / "write.txt"
    prompt.write_text("version: 1\nwords: word\nreply: text text\n---\nWrite about {word}.\n")
    steps = "[models]\nwriter = 'openai:gpt-4o'\n[[steps]]\nname = 'write'\nuse = 'ask'\nmodel = 'writer'\n"
    listed_plan(tmp_path, f"{steps}prompt = 'write.txt'\n", rows=40)
    (tmp_path / "build").mkdir()
    row = {"step": "write", "kind": "map", "in": 5, "out": 5, "dropped": {}, "pending": 0, "cost_usd": 0.5}
    funnel = tmp_path / "build" / "funnel.json"
    funnel.write_text(json.dumps([row | {"seconds": 1.0, "attempts": 5}]))
    code, printed, _ = called(capsys, "factory", "build", tmp_path, "--dry-run")
    assert code == 0 and "40 records to begin with" in printed and "40 will cost about $4.00" in printed
    prompt.write_text(prompt.read_text().replace("{word}", "{wrd}"))
    code, _, told = called(capsys, "factory", "build", tmp_path, "--dry-run")
    assert code == 2 and "did you mean {word}?" in told


@pytest.mark.ray
@pytest.mark.drill(only=True)
def test_a_build_on_ray_gives_the_same_bytes(editscope: Callable[..., Called], tmp_path: Path) -> None:
    pytest.importorskip("ray")
    blobs = []
    for name, engine in (("here", ()), ("there", ("--engine", "ray", "--ray-address", "local"))):
        said(editscope, "new", tmp_path / name)
        said(editscope, "build", tmp_path / name, *engine, code=3)
        blobs.append(sorted(path.name for path in (tmp_path / name / "build" / "blobs").rglob("*.png")))
    assert len(blobs[0]) >= 40 and blobs[0] == blobs[1]


def test_a_full_disk_stops_a_build_and_room_lets_it_go_on(tmp_path: Path) -> None:
    """On a real, small file system in a mount namespace of its own."""
    script = """
set -e
mkdir small tiny
mount -t tmpfs -o size=170k tmpfs small
mount -t tmpfs -o size=12k tmpfs tiny
set +e
"$@" factory new set
"$@" factory build set --out tiny/build --jobs 1 > tiny.txt 2>&1; echo $? > tiny.code
"$@" factory build set --out small/build --approved --jobs 1 > first.txt 2>&1; echo $? > first.code
mount -o remount,size=20m small
"$@" factory build set --out small/build --approved --jobs 1 > second.txt 2>&1; echo $? > second.code
"$@" factory build set --out whole --approved --jobs 1 > /dev/null 2>&1
ls small/build/blobs/* | sort > there.txt
ls whole/blobs/* | sort | sed s/whole/small.build/ > wanted.txt
"""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("needs the right to make a mount namespace")
    command = ["unshare", "-rm", "sh", "-c", script, "sh", sys.executable, "-m", "editscope"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    tiny = (tmp_path / "tiny.txt").read_text()
    assert (tmp_path / "tiny.code").read_text() == "2\n" and "make room" in tiny and "damaged" not in tiny, tiny
    first = (tmp_path / "first.txt").read_text()
    assert (tmp_path / "first.code").read_text() == "3\n" and "Traceback" not in first, first
    assert "No space left on device" in first or "full" in first
    assert (tmp_path / "second.code").read_text() == "0\n", (tmp_path / "second.txt").read_text()
    names = [(tmp_path / name).read_text().split() for name in ("there.txt", "wanted.txt")]
    assert len(names[1]) > 20 and [one.rpartition("/")[2] for one in names[0]] == [
        one.rpartition("/")[2] for one in names[1]
    ]


def test_a_function_that_was_changed_makes_its_records_again(editscope: Callable[..., Called], tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    said(editscope, "new", folder)
    said(editscope, "build", folder, "--limit", 2, code=3)
    code = folder / "my_steps.py"
    code.write_text(code.read_text().replace("share >= least", "share >= 2"))
    assert "2: too little changes" in said(editscope, "build", folder, "--limit", 2)


def test_a_class_that_was_changed_makes_its_records_again(editscope: Callable[..., Called], tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("word\ncup\nlamp\n")
    (tmp_path / "own_base.py").write_text(
        "from editscope.factory.steps.base import PlainStep, kept\n"
        "class Base(PlainStep):\n    kind = 'map'\n    end = '!'\n"
    )
    own = tmp_path / "own_class.py"
    own.write_text(
        "from pathlib import Path\nfrom own_base import Base, kept\n"
        "from editscope.factory.sources.base import RecordSource\n"
        "class Words(RecordSource):\n    def records(self, tools, start=0):\n"
        "        yield from [{'word': 'cup'}, {'word': 'lamp'}][start:]\n"
        "class Loud(Base):\n    def identity(self):\n        return []\n"
        "    def apply(self, record, tools):\n        with (tools.folder / 'log').open('a') as log:\n"
        "            log.write('x')\n        return kept({'text': record.fields['word'] + self.end})\n"
    )
    (tmp_path / "plan.toml").write_text(
        "name = 'p'\nsource = { use = 'python:own_class:Words' }\n"
        "[[steps]]\nname = 'loud'\nuse = 'python:own_class:Loud'\n"
    )

    def texts() -> tuple[list[str], int]:
        said(editscope, "build", tmp_path)
        records = json.loads(said(editscope, "records", tmp_path, "--json"))
        return [record["fields"]["text"] for record in records], len((tmp_path / "log").read_text())

    assert texts() == (["cup!", "lamp!"], 2)
    assert texts() == (["cup!", "lamp!"], 2)
    (tmp_path / "own_base.py").write_text((tmp_path / "own_base.py").read_text().replace("'!'", "'?'"))
    assert texts() == (["cup?", "lamp?"], 4)
    own.write_text(own.read_text().replace("'lamp'}", "'bowl'}"))
    assert texts() == (["cup?", "bowl?"], 6)


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (
            "name = 'wide'\nuse = 'where'\nleast = { width = 512 }\n"
            "[[steps]]\nname = 'never'\nuse = 'where'\nhas = ['a']\n",
            "most were lost at step 'wide', 2 of 3 for the reason 'width below 512'; "
            'look at least = {"width": 512} there',
        ),
        (
            "name = 'mine'\nuse = 'call'\nkind = 'filter'\nfunction = 'python:all_out:out'\nstrict = 0.9\n",
            "most were lost at step 'mine', 3 of 3 for the reason 'out'; look at strict = 0.9 there",
        ),
        (
            "name = 'look'\nuse = 'python:all_out:Out'\n",
            "most were lost at step 'look', 3 of 3 for the reason 'gone'; look at that step in the plan",
        ),
    ],
)
def test_a_build_without_records_says_where_most_were_lost_and_what_to_look_at(
    steps: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "all_out.py").write_text(
        "from editscope.factory.steps.base import PlainStep, dropped\n"
        "def out(fields, strict):\n    return 'out: of everything'\n"
        "class Out(PlainStep):\n    kind = 'filter'\n"
        "    def apply(self, record, tools):\n        return dropped('gone')\n"
    )
    (tmp_path / "words.jsonl").write_text('{"width": 10}\n{"width": 20}\n{"width": 900}\n')
    plan = f"name = 'p'\nsource = {{ use = 'list', path = 'words.jsonl' }}\n[[steps]]\n{steps}"
    (tmp_path / "plan.toml").write_text(plan)
    code, printed, _ = called(capsys, "factory", "build", tmp_path, "--jobs", "1")
    assert code == 0 and f"0 records in {tmp_path / 'build'}: {told}" in printed
    (tmp_path / "words.jsonl").write_text("")
    assert "0 records in" in (printed := called(capsys, "factory", "build", tmp_path)[1])
    assert "the source gave no records; look at [source] in the plan" in printed


def test_steps_name_settings_to_look_at_that_they_have() -> None:
    for name in STEPS:
        made = step_class(name)
        assert set(made.decisive) <= set(made.settings_of), name


@pytest.mark.parametrize(
    ("code", "exit_code", "told"),
    [
        ("return {'before': {1, 2}}", 1, "the function returned what a record cannot hold: Object of type set"),
        ("return {'before': np.zeros((0, 5, 3), np.uint8)}", 1, "the function returned no picture in 'before'"),
        ("raise ValueError('two\\nlines')", 1, "at step 'draw': ValueError: two lines."),
        ("import os; os._exit(9)", 3, "a worker process of step 'draw' was ended"),
    ],
)
def test_a_function_that_misbehaves_is_told_in_a_sentence(
    code: str, exit_code: int, told: str, editscope: Callable[..., Called], tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    said(editscope, "new", folder)
    steps = folder / "my_steps.py"
    steps.write_text(steps.read_text().replace("    row = ", f"    {code}\n    row = ", 1))
    text = " ".join(said(editscope, "build", folder, "--limit", 1, "--jobs", 1, code=exit_code).split())
    assert told in text and "Traceback" not in text


@pytest.mark.parametrize(
    ("model", "use", "table"),
    [
        ("openai:gpt-x?base_url=https://models.example.org/v1", "use = 'ask'\nprompt = 'rewrite/trace'", "models"),
        ("openai:image-x?base_url=https://models.example.org/v1", "use = 'draw'\nprompt = 'word'", "editors"),
        ("openai:video-x?base_url=https://models.example.org/v1", "use = 'animate'", "videos"),
    ],
)
def test_a_model_without_a_price_is_refused_with_advice_that_the_command_has(
    model: str,
    use: str,
    table: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    (tmp_path / "words.csv").write_text("word\ncup\n")
    (tmp_path / "plan.toml").write_text(
        f"name = 'p'\nsource = {{ use = 'list', path = 'words.csv' }}\nmodels = {{ made = '{model}' }}\n"
        f"[[steps]]\nname = 'make'\nmodel = 'made'\n{use}\n"
    )
    code, _, told = called(capsys, "factory", "build", tmp_path, "--budget", "1")
    assert code == 2 and "--budget cannot be enforced, because no price is known for" in told
    advice = told.partition("; ")[2]
    assert f"table [{table}]" in advice
    _, known, _ = called(capsys, "factory", "build", "--help")
    options = re.findall(r"--[a-z-]+", advice)
    assert options and all(f"{option} " in known for option in options), advice
