"""A run on this machine: what lies on disk afterwards, and what editors can do to it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pyarrow.parquet as pq
import pytest

import editscope as es
from editscope.errors import BadInput, Stopped
from editscope.images import Pixels, load
from editscope.runs import make_plan
from editscope.runs.engine.user_code import raised_at
from support.places import SHARED
from support.run_results import summary_but_speed

pytestmark = pytest.mark.slow

Cli = Callable[..., "CompletedProcess[str]"]

FICKLE = """
import os, signal, time
import numpy as np
import editscope as es
from editscope.cases import Edit

class Fickle(es.Editor):
    def edit(self, case):
        what = {
            "border/000": self.breaks, "border/001": lambda c: None, "border/002": lambda c: 7,
            "recolor/000": lambda c: "no/such/file.png", "recolor/001": lambda c: time.sleep(600),
            "recolor/002": lambda c: os.kill(os.getpid(), signal.SIGKILL),
            "removal/000": lambda c: Edit(c.case_id, status="refused", reason="not that"),
            "removal/001": lambda c: c.arrays[0].astype(float), "removal/002": lambda c: os._exit(4),
            "translation/000": self.leaves,
        }.get(case.case_id, lambda c: c.images[0])
        return what(case)
    def breaks(self, case):
        raise ValueError("cannot do\\nthis")
    def leaves(self, case):
        raise SystemExit("bye")
"""


HEAVY = """
import editscope as es

def read_weights():
    print("loading 10 %\\rloading \\x1b[32m50 %\\x1b[0m")
    print("no room for the rest")
    raise MemoryError(
        "80 GB wanted")

class Heavy(es.Editor):
    def load(self):
        read_weights()
    def edit(self, case):
        return case.images[0]
"""


def rows(run: es.Run) -> dict[str, list[object]]:
    """The scores of a run without the columns that depend on the clock."""
    return {name: values for name, values in run.rows().items() if name != "latency_s"}


def blue(answer: Pixels) -> Pixels:
    changed = answer.copy()
    changed[..., 2] ^= 5
    return changed


def test_a_finished_run_holds_everything_that_the_plan_promises(small_set: Path, tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, "ref:oracle", out=tmp_path / "run", progress=False, jobs=1)
    assert run.complete
    assert run.coverage == {"ok": 12}
    assert run.summary["overall"]["miou"]["mean"] == 100
    assert run.summary["n_cases"] == 12
    assert run.info["suite"]["fingerprint"] == suite.fingerprint
    saved = pq.read_table(run.path / "scores.parquet")
    assert saved.column("case_id").to_pylist() == list(suite.ids)
    assert saved.equals(run.table())
    said = json.loads((run.path / "summary.json").read_text())
    assert said.pop("made_from")["journal"]["lines"] == 24
    assert said == run.summary
    for record in run.records():
        assert set(record.thumbs) == {"input", "answer", "edit", "levels"}
        assert record.image is not None
        assert np.array_equal(load(record.image), load(suite[record.case_id].answer))  # type: ignore[arg-type]
        assert record.fingerprint == suite[record.case_id].fingerprint


def test_rows_do_not_depend_on_the_number_of_workers(small_set: Path, tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    one = es.run(suite, "ref:noise", out=tmp_path / "one", progress=False, jobs=1)
    three = es.run(suite, "ref:noise", out=tmp_path / "three", progress=False, jobs=3)
    assert rows(one) == rows(three)
    assert summary_but_speed(one.path) == summary_but_speed(three.path)


def test_outputs_in_a_folder_are_scored_where_they_lie(
    small_set: Path, tmp_path: Path, put_outputs: Callable[..., Path]
) -> None:
    outputs = put_outputs(small_set, tmp_path / "outputs", blue)
    run = es.run(es.load_suite("paintbench", root=small_set), f"folder:{outputs}", out=tmp_path / "run", progress=False)
    assert not (run.path / "images").exists()
    assert run.summary["overall"]["iou@0"]["mean"] == 0
    record = run.case("border/001")
    assert record.image == outputs.resolve() / "border/0001_output.png"
    direct = es.score_pixels(small_set / "border/001_input.png", small_set / "border/001_answer.png", record.image)
    assert record.metrics == direct.metrics()


def test_whatever_an_editor_does_wrong_is_a_status_and_the_run_goes_on(
    small_set: Path, tmp_path: Path, editscope: Cli
) -> None:
    (tmp_path / "here/fickle.py").write_text(FICKLE)
    out = tmp_path / "run"
    called = editscope(
        "run", "paintbench", "--data", small_set, "--editor", "python:fickle:Fickle", "--timeout", "10", "--out", out
    )
    assert called.returncode == 1, called.stderr
    run = es.open_run(out)
    found = {record.case_id: (record.status, record.reason or "") for record in run.records()}
    assert found["border/000"] == ("error", "ValueError: cannot do this")
    assert found["border/001"] == ("no_output", "the editor returned nothing")
    assert found["border/002"][0] == "no_output"
    assert found["recolor/000"][0] == "no_output"
    assert "no/such/file.png" in found["recolor/000"][1]
    assert found["recolor/001"] == ("error", "timed out after 10 s")
    assert found["recolor/002"] == ("error", "worker died (signal 9)")
    assert found["removal/000"] == ("refused", "not that")
    assert found["removal/001"][0] == "no_output"
    assert found["removal/002"] == ("error", "worker died (exit code 4)")
    assert found["translation/000"] == ("error", "SystemExit: bye")
    assert found["translation/001"] == found["translation/002"] == ("ok", "")
    assert run.coverage == {"ok": 2, "error": 5, "no_output": 4, "refused": 1}
    for record in run.records():
        if record.status != "ok":
            assert record.failure == "no_output"
            assert set(record.metrics.values()) == {0.0}
            assert set(record.thumbs) == {"input", "answer"}
    assert "Traceback" not in called.stdout + called.stderr
    assert "ValueError: cannot do\nthis" in (out / "errors.log").read_text()
    assert " 10 edits failed (error 5 · no_output 4 · refused 1); each counts as 0\n" in called.stdout


def test_a_class_that_lives_only_here_edits_in_this_process(small_set: Path, tmp_path: Path) -> None:
    calls = []

    class Here(es.Editor):
        def edit(self, case: es.Request) -> es.Image:
            calls.append(case.case_id)
            return case.arrays[0]

    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, Here(), out=tmp_path / "run", limit=3, progress=False, jobs=1)
    assert len(calls) == 3
    assert run.summary["overall"]["iou@0"]["mean"] == 0
    assert run.summary["overall"]["preservation_accuracy"]["mean"] == 100
    about = {name: value for name, value in run.info["editor"].items() if name not in ("cwd", "code")}
    assert about == {"spec": None, "name": "Here", "options": {}, "settings": {}}
    assert [version["file"] for version in run.info["editor"]["code"]] == ["test_local.py"]
    again = es.run(suite, Here(), out=tmp_path / "run", limit=3, progress=False)
    assert len(calls) == 3
    assert rows(again) == rows(run)


def test_an_editor_never_sees_the_answer_unless_it_is_a_reference(small_set: Path, tmp_path: Path) -> None:
    seen = []

    class Curious(es.Editor):
        def edit(self, case: es.Request) -> None:
            seen.append(case.answer)

    suite = es.load_suite("paintbench", root=small_set)
    es.run(suite, Curious(), out=tmp_path / "run", limit=2, progress=False, jobs=1)
    assert seen == [None, None]


def test_an_editor_that_cannot_load_stops_the_run_before_anything_is_spent(
    small_set: Path, tmp_path: Path, editscope: Cli
) -> None:
    (tmp_path / "here/heavy.py").write_text(HEAVY)
    called = editscope(
        "run", "paintbench", "--data", small_set, "--editor", "python:heavy:Heavy", "--out", tmp_path / "run"
    )
    assert called.returncode == 2
    assert called.stderr.splitlines() == [
        "editscope: the editor could not be loaded (MemoryError: 80 GB wanted, heavy.py line 7, in read_weights)",
        "  the last lines that the editor printed:",
        "    loading 50 %",
        "    no room for the rest",
        "  the whole traceback: set EDITSCOPE_DEBUG=1 and run the same command",
    ]
    assert not (tmp_path / "run").exists() and "editor.log" not in called.stdout  # what is gone was not announced


def test_the_whole_traceback_of_an_editor_that_cannot_load_can_be_asked_for(
    small_set: Path, tmp_path: Path, editscope: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here/heavy.py").write_text(HEAVY)
    monkeypatch.setenv("EDITSCOPE_DEBUG", "1")
    called = editscope(
        "run", "paintbench", "--data", small_set, "--editor", "python:heavy:Heavy", "--out", tmp_path / "run"
    )
    assert 'heavy.py", line 12, in load\n    read_weights()' in called.stderr
    assert "MemoryError: 80 GB wanted" in called.stderr and "\x1b" not in called.stderr


def test_an_exception_is_placed_in_the_code_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ours = f'  File "{es.__file__}", line 3, in run\n'
    library = f'  File "{json.__file__}", line 4, in loads\n'
    package = '  File "/venv/lib/python3.12/site-packages/deep/net.py", line 8, in forward\n'
    user = f'  File "{tmp_path}/models/mine.py", line 14, in load\n    self.unet()\n'
    assert raised_at(ours + user + package + library + "KeyError: 1") == "models/mine.py line 14, in load"
    assert raised_at(ours + package + library).endswith("deep/net.py line 8, in forward")
    assert raised_at(ours + library + '  File "<string>", line 1, in <module>\n') == raised_at(None) == ""


def test_a_corrupt_input_stops_the_run_with_its_name_and_keeps_what_was_done(
    small_set: Path, tmp_path: Path, editscope: Cli
) -> None:
    broken = small_set / "translation/002_input.png"
    data = bytearray(broken.read_bytes())
    where = data.index(b"IDAT") + 6
    data[where : where + 4] = b"\xff\xff\xff\xff"  # whole by its header and its end, damaged inside
    broken.write_bytes(data)
    called = editscope(
        "run", "paintbench", "--data", small_set, "--editor", "ref:identity", "--out", tmp_path / "run", "--jobs", "1"
    )
    assert called.returncode == 3  # eleven edits were made: with a whole picture in its place, the run goes on
    assert len(called.stderr.strip().splitlines()) == 1
    assert str(broken) in called.stderr and "editscope resume" in called.stderr
    assert len(es.open_run(tmp_path / "run").records()) == 11


def test_a_picture_that_was_lost_before_it_was_scored_is_edited_again(small_set: Path, tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    whole = es.run(suite, "ref:drift", out=tmp_path / "run", progress=False, jobs=1)
    expected = rows(whole)
    lines = (whole.path / "journal.jsonl").read_text().splitlines()
    kept = [line for line in lines if not ('"step":"score"' in line and '"border/001"' in line)]
    (whole.path / "journal.jsonl").write_text("\n".join(kept) + "\n")
    for made in ("images/border/001_output.png", "scores.parquet", "summary.json"):
        (whole.path / made).unlink()
    again = es.run(suite, "ref:drift", out=whole.path, progress=False, jobs=1)
    assert again.complete
    assert rows(again) == expected
    edits = [line for line in (whole.path / "journal.jsonl").read_text().splitlines() if '"step":"edit"' in line]
    assert len(edits) == 13


def test_a_run_folder_is_never_taken_for_another_run(small_set: Path, tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    out = es.run(suite, "ref:oracle", out=tmp_path / "run", limit=2, progress=False, jobs=1).path
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for wish in (
        {"editor": "ref:identity", "limit": 2},
        {"editor": "ref:oracle", "limit": 3},
        {"editor": "ref:oracle", "limit": 2, "seed": 1},
    ):
        with pytest.raises(BadInput, match="holds another run"):
            make_plan(suite, out=out, **wish)  # type: ignore[arg-type]
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_outputs_that_changed_since_are_not_taken_for_the_same_run(
    small_set: Path, small_outputs: Path, tmp_path: Path
) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    spec = f"folder:{small_outputs}"
    es.run(suite, spec, out=tmp_path / "run", progress=False, jobs=1)
    (small_outputs / "border/0000_output.png").unlink()
    with pytest.raises(BadInput, match="files changed since"):
        es.run(suite, spec, out=tmp_path / "run", progress=False, jobs=1)


def test_workers_that_cannot_start_stop_the_run_with_a_sentence(
    small_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = es.load_suite("paintbench", root=small_set)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(Stopped, match=r"3 workers in a row died while starting \(exit code 1\)"):
        es.run(suite, "ref:oracle", out=tmp_path / "run", progress=False, jobs=1)


def test_cases_can_be_looked_at_by_tag_and_score(small_set: Path, tmp_path: Path) -> None:
    run = es.run(es.load_suite("paintbench", root=small_set), "ref:half", out=tmp_path / "run", progress=False)
    chosen = run.cases(task="border")
    assert [record.case_id for record in chosen] == ["border/000", "border/001", "border/002"]
    worst = chosen.worst(2)
    assert [r.metrics["miou"] for r in worst] == sorted(r.metrics["miou"] for r in chosen)[:2]
    assert chosen.best(1)[0].metrics["miou"] == max(r.metrics["miou"] for r in chosen)
    assert "Paint the square" in worst.show()
    with pytest.raises(BadInput, match="did you mean 'task'"):
        run.cases(taks="border")


def test_an_unfinished_run_can_be_opened(small_set: Path, tmp_path: Path) -> None:
    run = es.run(es.load_suite("paintbench", root=small_set), "ref:half", out=tmp_path / "run", progress=False)
    lines = (run.path / "journal.jsonl").read_text().splitlines(keepends=True)
    (run.path / "journal.jsonl").write_text("".join(lines[:9]) + lines[9][:20])
    part = es.open_run(run.path)
    assert not part.complete
    assert part.coverage["ok"] + part.coverage["pending"] == 12
    assert part.summary["overall"]["miou"]["n"] == part.coverage["ok"]


SCRIPT = """
import subprocess
import sys
import editscope as es

class Mine(es.Editor):
    def edit(self, case):
        return case.images[0]

run = es.run(es.load_suite("paintbench", root=sys.argv[1]), Mine(), out="run", limit=2, progress=False)
print(run.coverage)
"""


def test_a_plain_script_with_its_own_class_needs_no_main_guard(small_set: Path, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, "script.py", str(small_set)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (done.stdout, done.stderr) == ("{'ok': 2}\n", "")


def test_plain_progress_counts_to_the_end(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    called = editscope("run", "paintbench", "--data", small_set, "--editor", "ref:oracle", "--out", tmp_path / "run")
    lines = called.stdout.splitlines()
    assert lines[0] == "paintbench · 12 cases · editor ref:oracle"
    assert any(line.startswith("  12/12 cases · ") for line in lines)
    assert " mIoU 100.0   edit 100.0   preservation 100.0" in lines
    assert lines[-1] == f" {tmp_path / 'run'} · report: editscope report {tmp_path / 'run'}"


SAMPLES = SHARED / "data/samples/paintbench"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the released samples are not here")
@pytest.mark.parametrize(("suite", "folder"), [("paintbench", "PaintBench"), ("tinygrafix", "TinyGrafixBench")])
def test_a_run_over_released_outputs_gives_what_the_authors_evaluator_says(
    suite: str, folder: str, tmp_path: Path
) -> None:
    expected = json.loads((SAMPLES / "expected.json").read_text())
    loaded = es.load_suite(suite, root=SAMPLES / "set")
    run = es.run(loaded, f"folder:{SAMPLES / 'outputs'}", out=tmp_path / "run", progress=False)
    assert run.info["files"]["missing"] == run.info["files"]["unmatched"] == []
    assert sum(key.startswith(folder) for key in expected) == len(run.records())
    for record in run.records():
        assert record.metrics["miou"] == pytest.approx(expected[f"{folder}/{record.case_id}"]["miou"], abs=1e-4)


def test_a_case_that_cannot_be_made_ends_a_run_resumably_once_edits_are_made(tmp_path: Path) -> None:
    """At 256 × 256 ten shapes find no room in copying/064; by then other edits may have been paid for."""
    suite = es.load_suite("paintbench", canvas="256x256")
    where = {"task": ("border", "copying"), "condition": ("baseline", "n_med")}
    with pytest.raises(Stopped, match="no valid problem"):
        es.run(suite, "ref:identity", out=tmp_path / "run", where=where, jobs=1, progress=False)
    assert es.open_run(tmp_path / "run").coverage["ok"] > 0


def test_a_run_that_was_refused_at_its_start_leaves_its_folder_to_the_corrected_one(
    small_set: Path, tmp_path: Path, editscope: Cli
) -> None:
    asked = ("run", "paintbench", "--data", small_set, "--out", tmp_path / "run", "--limit", "2", "--editor")
    # "here" is where commands are called.
    (tmp_path / "here" / "shy.py").write_text(
        "import editscope as es\nclass Shy(es.Editor):\n    def load(self): raise RuntimeError('no weights here')\n"
        "    def edit(self, case): return None\n"
    )
    refused = editscope(*asked, "python:shy:Shy")
    assert refused.returncode == 2 and "no weights here" in refused.stderr
    assert not (tmp_path / "run").exists()
    assert editscope(*asked, "ref:identity").returncode == 0


def test_what_a_model_said_cannot_steer_the_terminal(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    class Rude(es.Editor):
        def edit(self, case: es.Request) -> es.Edit:
            return es.Edit(case.case_id, image=case.arrays[0], trace="red \x1b[31mink\x1b[0m\x07\nand \x9b2Jmore")

    suite = es.load_suite("paintbench", root=small_set)
    run = es.run(suite, Rude(), out=tmp_path / "run", limit=1, progress=False)
    shown = editscope("show", run.path, run.records()[0].case_id).stdout
    assert "  trace         red ink\ufffd\n                and more\n" in shown
    assert not {"\x1b", "\x9b", "\x07"} & set(shown)
