"""The command line: bad input gets one sentence and exit code 2, and results are printed as promised."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import editscope as es
from editscope.images import write_png
from support.command_line import called as call

Change = Callable[[Path], object]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The sentence of a command that must be refused as bad input."""
    code, _, err = call(capsys, *arguments)
    assert code == 2, err
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) == 1, err
    assert err.startswith("editscope: ")
    return err


def huge_png(path: Path) -> None:
    """A PNG whose header says 20,000 × 20,000."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b""))


def without_field(path: Path) -> None:
    fields = json.loads(path.read_text())
    del fields["instruction"]
    path.write_text(json.dumps(fields))


BROKEN_SETS: dict[str, tuple[str, Change, str]] = {
    "sidecar without a field": ("border/001.json", without_field, "'instruction'"),
    "sidecar that is not JSON": ("border/001.json", lambda p: p.write_text("{"), "is not JSON"),
    "sidecar that is a list": ("border/001.json", lambda p: p.write_text("[]"), "not an object"),
    "truncated PNG": ("border/001_input.png", lambda p: p.write_bytes(p.read_bytes()[:-20]), "border/001_input.png"),
    "text file as PNG": ("border/001_answer.png", lambda p: p.write_text("hello"), "border/001_answer.png"),
    "PNG of zero bytes": ("border/001_input.png", lambda p: p.write_bytes(b""), "border/001_input.png"),
    "PNG of 20,000 × 20,000": ("border/001_input.png", huge_png, "border/001_input.png"),
    "answer of another size": (
        "border/001_answer.png",
        lambda p: write_png(p, np.zeros((9, 7, 3), np.uint8)),
        "must have the size of its input",
    ),
    "missing answer": ("border/001_answer.png", lambda p: p.unlink(), "is missing"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", BROKEN_SETS)
def test_a_broken_set_is_refused_before_anything_is_spent(
    what: str, small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, change, said = BROKEN_SETS[what]
    change(small_set / name)
    out = tmp_path / "run"
    assert said in refused(capsys, "run", "paintbench", "--data", small_set, "--editor", "ref:oracle", "--out", out)
    assert not out.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "paintbanch", "-e", "ref:oracle"], "did you mean 'paintbench'"),
        (["run", "paintbench", "-e", "ref:oracle", "--tasks", "bordr"], "did you mean 'border'"),
        (["run", "paintbench", "-e", "ref:oracle", "--modes", "extrenal"], "did you mean 'external'"),
        (["run", "paintbench", "-e", "ref:oracle", "--conditions", "stripped"], "did you mean 'striped'"),
        (["run", "paintbench", "-e", "ref:oracle", "--where", "task=bordr"], "did you mean 'border'"),
        (["run", "paintbench", "-e", "ref:oracle", "--where", "tusk=border"], "did you mean 'task'"),
        (["run", "paintbench", "-e", "ref:oracle", "--where", "border"], "not of the form tag=value"),
        (["run", "paintbench", "-e", "ref:oracle", "--canvas", "big"], "not of the form WxH"),
        (["run", "paintbench", "-e", "ref:oracle", "--data", "no-such-folder"], "is not a folder"),
        (["run", "paintbench", "-e", "ref:oracle", "--timeout", "0"], "--timeout must be"),
        (["run", "paintbench", "-e", "ref:orakle"], "did you mean 'oracle'"),
        (["run", "paintbench", "-e", "python:not_there_at_all:Editor"], "cannot be imported"),
        (["score", "paintbench", "--outputs", "no-such-folder"], "is not a folder"),
        (
            ["generate", "optics", "--out", "x", "--per-task", "-3"],
            "per_task='-3' is not a whole number from 1 to 10,000",
        ),
        (["generate", "optics", "--out", "x", "--size", "3"], "--size 3 is out of range; ask for 64 to 2048 pixels"),
        (["generate", "paintbench", "--out", "x", "--n", "some"], "n='some' is not a whole number from 1 to 100"),
        (["generate", "paintbanch", "--out", "x"], "did you mean 'paintbench'"),
        (["generate", "paintbench", "--out", "x", "--tasks", "bordr"], "did you mean 'border'"),
        (["resume", "no-such-run"], "is not a run"),
        (["show", "no-such-run"], "is not a run"),
        (["report", "no-such-run", "--out", "x.html"], "is not a run"),
    ],
)
def test_wrong_names_are_answered_with_the_right_ones(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refused(capsys, *arguments)
    assert not list(tmp_path.iterdir())


def test_an_empty_folder_is_no_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "holds no problems" in refused(capsys, "run", "paintbench", "-e", "ref:oracle", "--data", tmp_path)


class TestOut:
    """Where a run may go."""

    def test_a_folder_with_other_things_is_refused(
        self, small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine/thesis.tex").write_text("")
        arguments = ("run", "paintbench", "--data", small_set, "-e", "ref:oracle", "--out")
        assert "is neither empty nor a run" in refused(capsys, *arguments, tmp_path / "mine")
        assert "is a file" in refused(capsys, *arguments, tmp_path / "mine/thesis.tex")

    @pytest.mark.slow
    def test_another_run_is_refused_and_named(
        self, small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "run"
        suite = es.load_suite("paintbench", root=small_set)
        es.run(suite, "ref:identity", out=out, limit=2, jobs=1, progress=False)
        said = refused(capsys, "run", "paintbench", "--data", small_set, "-e", "ref:oracle", "--out", out)
        assert "holds another run" in said
        assert "editor ref:identity (asked: ref:oracle)" in said

    @pytest.mark.slow
    def test_a_run_of_a_newer_version_is_refused(
        self, small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "run"
        suite = es.load_suite("paintbench", root=small_set)
        es.run(suite, "ref:identity", out=out, limit=1, jobs=1, progress=False)
        info = json.loads((out / "run.json").read_text()) | {"format": 2, "editscope": "9.0.0"}
        (out / "run.json").write_text(json.dumps(info))
        for arguments in (
            ("run", "paintbench", "--data", small_set, "-e", "ref:identity", "--limit", "1", "--out", out),
            ("resume", out),
            ("show", out),
        ):
            said = refused(capsys, *arguments)
            assert "format 2, written by editscope 9.0.0" in said
            assert "pip install --upgrade" in said

    def test_run_json_that_is_damaged_is_said(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (tmp_path / "run.json").write_text('{"format": 1')
        assert "cannot be read" in refused(capsys, "show", tmp_path)

    def test_a_folder_that_cannot_be_made_is_refused(self, small_set: Path, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = ("run", "paintbench", "--data", small_set, "-e", "ref:oracle", "--out")
        assert "cannot" in refused(capsys, *arguments, "/proc/no/run")
        assert "is a file" in refused(capsys, *arguments, small_set / "border/000.json/run")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_that_may_not_be_written_is_refused(
        self, small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o555)
        said = refused(capsys, "run", "paintbench", "--data", small_set, "-e", "ref:oracle", "--out", locked / "run")
        assert "may not be written" in said


@pytest.mark.slow
def test_a_set_that_changed_since_is_not_resumed(
    small_set: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    es.run(suite, "ref:identity", out=tmp_path / "run", limit=1, jobs=1, progress=False)
    write_png(small_set / "border/000_answer.png", np.zeros((48, 48, 3), np.uint8))
    assert "are not those that" in refused(capsys, "resume", tmp_path / "run")


def test_a_dry_run_lists_the_files_and_writes_nothing(
    small_set: Path, small_outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small_outputs / "border/0001_output.png").unlink()
    (small_outputs / "border/0002_output.png").write_bytes(b"")
    (small_outputs / "border/0099_output.png").write_bytes(b"")
    out = tmp_path / "run"
    arguments = ("score", "paintbench", "--data", small_set, "--outputs", small_outputs, "--out", out, "--dry-run")
    code, said, _ = call(capsys, *arguments)
    assert code == 0
    assert said.splitlines()[0] == (
        "paintbench · 12 cases · editor folder:outputs · "
        "10 outputs, 1 missing, 1 unreadable (listed below), 1 file matches no case"
    )
    assert "  missing: border/001 (expected: border/0001_output.png)" in said
    assert "  matches no case: border/0099_output.png" in said
    assert "  unreadable: border/0002_output.png" in said
    assert not out.exists()


@pytest.mark.slow
def test_a_run_prints_its_result_and_exits_with_1_when_outputs_are_missing(
    small_set: Path, small_outputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (small_outputs / "border/0001_output.png").unlink()
    (small_outputs / "border/0002_output.png").write_bytes(b"")
    write_png(small_outputs / "removal/0000_output.png", np.zeros((20, 30, 3), np.uint8))
    out = tmp_path / "run"
    code, said, _ = call(
        capsys, "score", "paintbench", "--data", small_set, "--outputs", small_outputs, "--out", out, "--jobs", "1"
    )
    assert code == 1
    assert "mIoU " in said
    assert "weakest" not in said  # three cases of a task are too few to say so
    assert f"editscope report {out}" in said
    run = es.open_run(out)
    assert run.coverage == {"ok": 10, "no_output": 2}
    assert run.info["files"]["missing"] == ["border/001"]
    assert len(run.info["files"]["unreadable"]) == 1
    assert run.case("removal/000").status == "ok"
    assert run.case("removal/000").evidence["resized"] is True

    code, said, _ = call(capsys, "show", out)
    assert code == 0
    assert "by task" in said
    code, said, _ = call(capsys, "show", out, "border/001")
    assert code == 0
    assert "no file for this case" in said
    code, said, _ = call(capsys, "resume", out)
    assert code == 1
    assert "0 to do" in said


def test_doctor_and_suites_say_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, said, _ = call(capsys, "doctor")
    assert code == 0, said
    assert "missing" not in said
    code, said, _ = call(capsys, "suites")
    assert code == 0
    assert "1,920" in said


@pytest.mark.slow
def test_help_teaches_and_loads_no_heavy_library() -> None:
    code = (
        "import sys\nfrom editscope.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'numba', 'PIL', 'pyarrow', 'pydantic', 'rich.console'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    called = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert called.returncode == 0, called.stderr
    assert "editscope run paintbench --editor folder:" in called.stdout
    assert "Exit codes" in called.stdout


def test_the_public_names_are_there() -> None:
    for name in es.__all__:
        assert getattr(es, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = es.nonsense


@pytest.mark.slow
def test_ctrl_c_while_libraries_load_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise KeyboardInterrupt\n")
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    for start in (["-m", "editscope"], ["-c", "from editscope.cli import main; main()"]):
        done = subprocess.run(
            [sys.executable, *start, "suites"],
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == "editscope: stopped on request before anything was done\n"
