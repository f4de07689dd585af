"""Files from outside: every command that reads one refuses at once, with a sentence, what is not a regular file."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from editscope.errors import BadImage, BadInput
from editscope.files import lies_in, open_file, read_file
from editscope.images import decode, probe
from editscope.suites.own.start import start

HANG_S = 600
"""Only guards against waiting for ever; every command below answers at once."""


def fifo(path: Path) -> None:
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


def folder(path: Path) -> None:
    path.mkdir()


def circle(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def listener(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(path))


TRAPS: dict[str, Callable[[Path], None]] = {
    made.__name__: made for made in (fifo, zeros, folder, circle, dangling, listener)
}


@pytest.fixture(params=TRAPS)
def trap(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "x.png"
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(tmp_path)  # the path of a socket has at most 108 bytes
        TRAPS[request.param](Path("x.png"))
    finally:
        os.fchdir(here)
        os.close(here)
    return path


def test_what_is_no_regular_file_is_not_opened(trap: Path) -> None:
    with pytest.raises(OSError, match=r".+"):
        open_file(trap)
    for read in (decode, probe):
        with pytest.raises(BadImage) as raised:
            read(trap)
        assert str(trap) in str(raised.value)


def test_the_sentence_says_what_the_file_is(tmp_path: Path) -> None:
    fifo(tmp_path / "pipe.png")
    zeros(tmp_path / "zeros.png")
    with pytest.raises(BadImage, match=r"pipe\.png cannot be read \(it is a named pipe, not a regular file\)"):
        decode(tmp_path / "pipe.png")
    with pytest.raises(BadImage, match=r"zeros\.png cannot be read \(it is a device, not a regular file\)"):
        probe(tmp_path / "zeros.png")


def test_the_limit_holds_before_and_while_reading(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"12345")
    assert read_file(file, 5) == b"12345"
    with pytest.raises(OSError, match="larger than 4 bytes"):
        read_file(file, 4)
    with file.open("wb") as sparse:
        sparse.truncate(1 << 40)  # no disk holds it, and no memory
    with pytest.raises(OSError, match="larger than 1,024 MiB"):
        read_file(file, 1 << 30)
    with pytest.raises(BadImage, match="larger than any picture"):
        decode(file)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_a_file_that_says_it_is_empty_is_read_up_to_the_limit() -> None:
    assert Path("/proc/self/maps").stat().st_size == 0
    assert len(read_file("/proc/self/maps", 1 << 24)) > 100
    with pytest.raises(OSError, match="larger than 100 bytes"):
        read_file("/proc/self/maps", 100)


def test_links_lie_where_they_lead(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "out").symlink_to("../secret")
    circle(tmp_path / "in" / "circle")
    assert not lies_in(tmp_path / "in" / "out", tmp_path / "in")
    assert lies_in(tmp_path / "in" / "circle", tmp_path / "in")


CHILD = """
import contextlib, io, json, sys
from editscope.cli import main
for arguments in json.loads(sys.argv[1]):
    said = io.StringIO()
    code = 0
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code or 0
    print(json.dumps([code, said.getvalue()]), flush=True)
"""


def called(cwd: Path, *commands: tuple[object, ...]) -> list[tuple[int, str]]:
    """Exit code and stderr of commands, run one after the other in a child that may be killed if it hangs."""
    asked = json.dumps([[str(one) for one in command] for command in commands])
    done = subprocess.run([sys.executable, "-c", CHILD, asked], cwd=cwd, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    return [(code, said) for code, said in map(json.loads, done.stdout.splitlines())]


def replaced(path: Path, make: Callable[[Path], None]) -> Path:
    path.unlink(missing_ok=True)
    make(path)
    return path


@pytest.mark.slow
def test_no_command_waits_for_a_pipe_or_a_device_in_a_data_folder(tmp_path: Path) -> None:
    commands: list[tuple[object, ...]] = []
    traps = []
    for make in (fifo, zeros):
        for place in ("suite.toml", "cases.jsonl", "picture"):
            bench = start(tmp_path / f"{place}-{make.__name__}", "pixels")
            traps.append(replaced(next(bench.rglob("*.png")) if place == "picture" else bench / place, make))
            commands += [("suite", "check", bench), ("run", bench, "--editor", "ref:identity", "--dry-run")]
    answers = called(tmp_path, ("suites", "--data", tmp_path), *commands)
    assert answers[0][0] == 0 and "Traceback" not in answers[0][1]
    for number, (code, said) in enumerate(answers[1:]):
        trap = traps[number // 2]
        assert code == 2 and trap.name in said and "Traceback" not in said
        assert "not a regular file" in said or (commands[number][0] == "run" and trap.name == "suite.toml")


SMALL = ("--tasks", "border", "--conditions", "baseline", "--per-mode", "1", "-j", "1")


@pytest.mark.slow
def test_no_command_waits_for_a_pipe_or_a_device_in_place_of_edits_settings_and_runs(tmp_path: Path) -> None:
    commands: list[tuple[object, ...]] = []
    for make in (fifo, zeros):
        edits, trap = tmp_path / make.__name__ / "border", tmp_path / f"trap-{make.__name__}"
        edits.mkdir(parents=True)
        make(edits / "000_output.png")
        make(trap)
        commands += [
            ("run", "paintbench", *SMALL, "--editor", f"folder:{make.__name__}", "--out", f"run-{make.__name__}"),
            ("run", "paintbench", "--config", trap),
            ("show", trap),
            ("pack", "--check", trap),
            ("run", "paintbench", "--editor", "openai:gpt-image-1", "--prices", trap, "--max-edit-cost", "1"),
        ]
    for command, (code, said) in zip(commands, called(tmp_path, *commands), strict=True):
        assert "Traceback" not in said
        if command[-2] == "--out":
            assert code == 1 and "000_output.png" in (tmp_path / str(command[-1]) / "run.json").read_text()
        else:
            assert code == 2 and ("trap" in said or "/dev/zero" in said)


@pytest.mark.slow
def test_a_set_with_a_pipe_or_a_device_is_not_read_and_is_written_whole_again(tmp_path: Path) -> None:
    from editscope.suites import set_writer

    commands: list[tuple[object, ...]] = []
    pictures = []
    for make in (fifo, zeros):
        made, other = tmp_path / make.__name__, tmp_path / f"{make.__name__}-sidecar"
        for out in (made, other):
            set_writer("paintbench")(out, jobs=1, tasks=["border"], conditions=["baseline"], per_mode=1)
        pictures.append(next((made / "border").glob("*_input.png")))
        before = pictures[-1].read_bytes()
        replaced(pictures[-1], make)
        replaced(next((other / "border").glob("*.json")), make)
        run = ("run", "paintbench", "--editor", "ref:identity", "--data")
        commands += [(*run, other), (*run, made), ("generate", "paintbench", "--out", made, *SMALL)]
    answers = called(tmp_path, *commands)
    for number, picture in enumerate(pictures):
        (code, sidecar), (refused, said), (written, _) = answers[3 * number : 3 * number + 3]
        assert code == 2 and ".json cannot be read (it is a" in sidecar
        assert refused == 2 and picture.name in said and "Traceback" not in said
        assert written == 0 and not picture.is_symlink() and picture.is_file() and picture.read_bytes() == before


def test_a_run_that_is_a_pipe_or_holds_one_is_refused(tmp_path: Path) -> None:
    from editscope.results.archive.unpack import opened_archive
    from editscope.runfolder.run_json import read_info

    (tmp_path / "run").mkdir()
    fifo(tmp_path / "run" / "run.json")
    with pytest.raises(BadInput, match=r"run\.json"):
        read_info(tmp_path / "run")
    fifo(tmp_path / "a.zip")
    with pytest.raises(BadInput, match="named pipe"), opened_archive(tmp_path / "a.zip"):
        pass
