"""The editor ``small``: a spec, an edit without PyTorch, and what it says of files and sentences it cannot use."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.cases import Edit
from editscope.cli.app import main
from editscope.editors import Editor, Request, load_editor, parse_spec
from editscope.editors.small.weights import packed_weights, read_weights, shipped_weights
from editscope.editors.spec import rooted
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring.pixels import score_pixels
from editscope.suites.paintbench.lessons import problem_at
from editscope.suites.paintbench.slots import PaintSlot
from editscope.wording import trained_note
from support.command_line import called

INSTRUCTION = "Recolor the largest shape to red (#FF0000)."


@pytest.fixture(scope="module")
def small() -> Editor:
    editor = load_editor("small")
    editor.check()
    editor.load()
    return editor


def edited(editor: Editor, picture: Pixels, instruction: str = INSTRUCTION) -> Edit:
    edit = editor.edit(Request("case", (picture,), instruction, 0))
    assert isinstance(edit, Edit) and edit.status == "ok"
    return edit


def test_the_name_alone_is_a_spec(tmp_path: Path) -> None:
    spec = parse_spec("small")
    assert (spec.kind, spec.target, str(spec), rooted("small")) == ("small", "", "small", "small")
    assert str(parse_spec("small:mine.weights")) == "small:mine.weights"
    assert str(parse_spec("resize(longest=512):small")) == "resize(longest=512):small"
    with pytest.raises(BadInput, match="steps"):
        load_editor("small?steps=3")


def test_the_weights_that_ship_are_small_and_whole() -> None:
    about, onnx = read_weights(shipped_weights())
    assert about["parameters"] > 20_000_000
    assert len(onnx) < 30_000_000 and b"/src/" not in onnx and b".py" not in onnx


@pytest.mark.slow
def test_it_does_what_it_was_trained_for(small: Editor) -> None:
    """Recoloring is what it does best: a whole problem of the default set, at full size."""
    before, after, instruction = problem_at(PaintSlot("recolor", "default", "baseline", 0, 0))
    image = edited(small, before, instruction).image
    again = edited(small, before, instruction).image
    assert isinstance(image, np.ndarray) and isinstance(again, np.ndarray) and np.array_equal(image, again)
    assert score_pixels(before, after, image).miou > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 1), (2, 700), (333, 97)])
def test_it_takes_pictures_of_any_size(small: Editor, shape: tuple[int, int]) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    image = edited(small, picture).image
    assert isinstance(image, np.ndarray) and image.shape == picture.shape and image.dtype == np.uint8


def test_a_sentence_it_has_never_seen_leaves_the_picture_and_is_told(small: Editor) -> None:
    picture = np.full((40, 60, 3), 200, np.uint8)
    edit = edited(small, picture, "Give the giraffe sunglasses")
    assert np.array_equal(edit.image, picture)  # type: ignore[arg-type]
    assert edit.trace is not None and edit.trace.startswith("Left unchanged") and "giraffe" in edit.trace
    assert edited(small, picture, "").trace == "Left unchanged: the instruction is empty."


def test_a_photograph_is_left_as_it_is_and_that_is_told(small: Editor) -> None:
    picture = np.full((200, 200, 3), 200, np.uint8)
    picture[:62] = np.random.default_rng(0).integers(0, 256, (62, 200, 3), dtype=np.uint8)
    edit = edited(small, picture)
    assert edit.image is picture and edit.trace is not None
    assert edit.trace.startswith("Left unchanged: the editor was trained on drawings in flat colors, and 3")
    assert edit.trace.endswith(" % of this picture's pixels have other colors.")


def test_where_the_network_finds_nothing_to_do_the_trace_says_so(small: Editor) -> None:
    picture = np.full((64, 64, 3), 255, np.uint8)
    edit = edited(small, picture, "Recolor the square to white (#FFFFFF).")
    assert np.array_equal(edit.image, picture)  # type: ignore[arg-type]
    assert edit.trace == "Nothing changed: the network found nothing to do."


def _missing(file: Path) -> None:
    file.unlink()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def _flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-100] ^= 1
    file.write_bytes(data)


def _other(file: Path) -> None:
    file.write_bytes(b"\x00\xff\n not weights")


def _other_words(file: Path) -> None:
    line, _, rest = file.read_bytes().partition(b"\n")
    file.write_bytes(json.dumps({**json.loads(line), "vocabulary": "0"}).encode() + b"\n" + rest)


def _earlier(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"small editor 2", b"small editor 1"))


DAMAGE: list[tuple[Callable[[Path], None], str]] = [
    (_missing, "are not there; `editscope train small-export"),
    (_cut, "are damaged"),
    (_flipped, "are damaged"),
    (_other, "is not a weights file"),
    (_earlier, "is a weights file of another version"),
    (_other_words, "was trained with a different vocabulary"),
]


@pytest.mark.parametrize(("damage", "sentence"), DAMAGE)
def test_a_file_of_weights_that_is_missing_or_damaged_is_told_with_the_fix(
    damage: Callable[[Path], None], sentence: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.weights"
    file.write_bytes(packed_weights(b"no network" * 100, {}))
    damage(file)
    with pytest.raises(BadInput, match=sentence) as error:
        load_editor(f"small:{file}").check()
    assert str(file) in str(error.value) and "\n" not in str(error.value)


def test_a_file_that_is_whole_but_no_network_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mine.weights"
    file.write_bytes(packed_weights(b"no network" * 100, {}))
    with pytest.raises(BadInput, match="cannot read the network of"):
        load_editor(f"small:{file}").load()


def test_a_missing_file_ends_a_run_with_exit_code_2(capsys: Any, tmp_path: Path) -> None:
    code, _, error = called(
        capsys, "run", "paintbench", "--editor", f"small:{tmp_path}/none", "--limit", "1", "--out", tmp_path / "run"
    )
    assert code == 2 and "are not there" in " ".join(error.split()) and "Traceback" not in error


@pytest.mark.slow
def test_it_runs_without_pytorch_and_without_the_benchmark(tmp_path: Path) -> None:
    program = """
import sys
for name in ("torch", "onnx", "editscope.suites", "editscope.training"):
    sys.modules[name] = None
import numpy as np
from editscope.editors import Request, load_editor
editor = load_editor("small")
editor.check()
editor.load()
picture = np.full((64, 64, 3), 255, np.uint8)
picture[20:40, 20:40] = (0, 0, 255)
edit = editor.edit(Request("case", (picture,), "Recolor the blue square to red (#FF0000).", 0))
print(edit.status, edit.trace, edit.image.shape)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split()[0] == "ok" and "(64, 64, 3)" in ended.stdout


def test_a_run_by_the_command_line_scores_its_edits(editscope: Any, tmp_path: Path) -> None:
    ended = editscope(
        "run", "paintbench", "--editor", "small", "--limit", "4", "--out", tmp_path / "run", "--jobs", "1"
    )
    assert ended.returncode == 0, ended.stderr
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["editor"]["name"] == "small" and run["editor"]["trained_on"] == "paintbench"
    assert "(trained on this distribution)" in " ".join(ended.stdout.split())
    page = editscope("report", tmp_path / "run", "--with-published", "--out", tmp_path / "page.html")
    assert page.returncode == 0
    assert (tmp_path / "page.html").read_text().count(">trained on this distribution<") == 2  # overview, leaderboard
    other = {**run, "suite": {**run["suite"], "name": "tinygrafix"}}
    assert trained_note(run) and not trained_note(other)
    assert load_editor("resize(longest=512):small").trained_on == "paintbench"
    listed = editscope("editors", "small")
    assert listed.returncode == 0 and "docs/small-editor.md" in listed.stdout


def test_a_run_says_why_pictures_were_left_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    with pytest.raises(SystemExit) as ended:
        main(["run", "tinygrafix", "--editor", "small", "--limit", "3", "--out", str(out)])
    assert not ended.value.code
    note = "left unchanged, because the editor was not trained on the words of the instruction"
    large = "left unchanged, because a number in the instruction is too large"
    assert es.open_run(out).summary["left_unchanged"] == {note: 2, large: 1}
    said = capsys.readouterr().out
    assert f" 2 edits {note}\n 1 edit {large}\n" in said and "edits a second" not in said
    assert "speed" not in es.open_run(out).summary
    page_file = tmp_path / "page.html"
    with pytest.raises(SystemExit):
        main(["report", str(out), "--out", str(page_file)])
    page = page_file.read_text()
    assert f"2 edits {note}; 1 edit {large}." in page
