"""Whatever a journal or a run.json says, whoever reads it ends with a sentence and never with a traceback."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import editscope as es
from editscope.cli import main
from editscope.errors import EditscopeError
from editscope.report import write as write_report
from editscope.results.archive.pack import pack
from editscope.runs.plan import plan_again
from editscope.runs.remaining import todo
from support.judged_data import make_picabench
from support.run_surgery import read, write
from support.servers.judge_server import KEY, JudgeServer

pytestmark = pytest.mark.slow

YES = {"answer": "Yes", "reason": "it is"}

Change = Callable[[Any], Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """A run by pixels and one by two judges."""
    from support.small_sets import make_small_set

    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch, JudgeServer(lambda asked: YES) as server:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("EDITSCOPE_CACHE", str(folder / "cache"))
        patch.chdir(folder)  # a changed run.json may name any folder
        pixels = es.load_suite("paintbench", root=make_small_set(folder / "set", per_task=1))
        data = make_picabench(folder / "data", 3)
        judges = [server.spec(), server.spec("gpt-5")]
        one = es.run(pixels, "ref:drift", out=folder / "pixels", progress=False, jobs=1)
        two = es.run(
            es.load_suite("picabench", root=data),
            f"folder:{data / 'input_img'}",
            judge=judges,
            out=folder / "judged",
            progress=False,
            jobs=1,
            cache="off",
        )
        yield {"pixels": one.path, "judged": two.path}


def read_all(run: Path) -> None:
    """All that is read of a run by commands, in this process."""
    opened = es.open_run(run)
    _ = opened.summary, opened.coverage, opened.remark, opened.tags, opened.metrics, repr(opened)
    opened.table()
    opened.cases().worst(2).show()
    es.compare(opened, opened).notes()
    write_report([opened], run / "report.md")
    write_report([opened], run / "report.html")
    pack(run, run.parent / "packed.zip")
    todo(plan_again(run))


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a nested value."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield (*path, key)
        yield from places(one, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with another one at a place; without it where ``new`` is ``...``."""
    copied = json.loads(json.dumps(value))
    inner = copied
    for key in path[:-1]:
        inner = inner[key]
    if new is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = new
    return copied


NASTY: tuple[Any, ...] = (
    ...,
    None,
    True,
    3,
    -1,
    1.5,
    10**30,
    float("nan"),
    float("inf"),
    "",
    "~2",
    "rubbish",
    [],
    {},
    [None],
    {"a": []},
)


@pytest.mark.parametrize("kind", ["pixels", "judged"])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
@given(data=st.data())
def test_a_line_that_says_something_else_is_a_sentence_or_nothing(
    kind: str, made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    run = Path(shutil.copytree(made[kind], tmp_path_factory.mktemp("run") / "run"))
    lines = read(run)
    number = data.draw(st.integers(0, len(lines) - 1))
    path = data.draw(st.sampled_from(list(places(lines[number]))))
    lines[number] = changed(lines[number], path, data.draw(st.sampled_from(NASTY)))
    write(run, lines)
    try:
        read_all(run)
    except EditscopeError as error:
        assert "\n" not in str(error)
    finally:
        shutil.rmtree(run.parent)


@pytest.mark.parametrize("kind", ["pixels", "judged"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
@given(data=st.data())
def test_a_run_json_that_says_something_else_is_a_sentence_or_nothing(
    kind: str, made: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    run = Path(shutil.copytree(made[kind], tmp_path_factory.mktemp("run") / "run"))
    info = json.loads((run / "run.json").read_text())
    path = data.draw(st.sampled_from(list(places(info))))
    (run / "run.json").write_text(json.dumps(changed(info, path, data.draw(st.sampled_from(NASTY)))))
    try:
        read_all(run)
    except EditscopeError as error:
        assert "\n" not in str(error)
    finally:
        shutil.rmtree(run.parent)


BAD_LINES = {
    "a key is missing": b'{"step":"edit","case":"a"}',
    "a case that is a number": b'{"step":"edit","case":3}',
    "a verdict that is a list": b'{"step":"verdict","case":"a","key":"q","sample":0,"digest":"","verdict":[]}',
    "a list": b"[1]",
    "nothing but a number": b"7",
}
COMMANDS = (
    ["show"],
    ["report", "--out", "report.md"],
    ["compare", "RUN"],
    ["figures", "--out", "figures"],
    ["pack"],
    ["resume"],
    ["rescore", "--judge", "openai:gpt-4o", "--out", "again"],
    ["measure"],
)


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES.keys())
def test_every_command_names_the_line(
    bad: bytes,
    made: dict[str, Path],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    run = Path(shutil.copytree(made["pixels"], tmp_path / "run"))
    with (run / "journal.jsonl").open("ab") as file:
        file.write(bad + b"\n")
    for name, *more in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            main([name, str(run), *(str(run) if one == "RUN" else one for one in more)])
        said = capsys.readouterr().err
        assert ended.value.code == 2, (name, said)
        assert said.count("\n") == 1 and "journal.jsonl: line 9 " in said, (name, said)


@pytest.mark.parametrize("command", [["report"], ["figures"], ["pack"]])
def test_what_cannot_be_written_is_a_sentence(
    command: list[str], made: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    places_ = [tmp_path / "file/below/r.html", Path("/proc/editscope/r.html"), Path("/proc/r.html")]
    for place in places_:
        with pytest.raises(SystemExit) as ended:
            main([*command, str(made["pixels"]), "--out", str(place)])
        said = capsys.readouterr().err
        assert ended.value.code == 2, said
        assert said.count("\n") == 1 and said.startswith("editscope: "), said
