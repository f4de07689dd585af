"""Watching a folder of checkpoints: each is evaluated once, a fall is said, and nothing that goes wrong blocks it."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.report.pages.watch import write_watch_page
from editscope.runs.plan import make_plan, write_info
from editscope.stats.paired import Paired
from editscope.watch.checkpoints import Settling, find_checkpoints, spec_for
from editscope.watch.history import read_history
from editscope.watch.watch import CheckpointWatcher, Watch, has_fallen
from editscope.weight_files import is_whole
from support.small_sets import make_small_set

pytestmark = pytest.mark.slow

SKILLED = """
import os, time
from pathlib import Path
import editscope as es

class Skilled(es.Editor):
    '''Right as far down as its file of weights says, and a little at random.'''
    workers = None
    wants_answer = True

    def __init__(self, weights):
        self.weights = weights
        self.name = Path(weights).stem

    def load(self):
        text = Path(self.weights).read_text()
        if not text[:1].isdigit():
            raise ValueError(f"these are no weights: {text}")
        self.skill = float(text)

    def edit(self, case):
        if "CALLS" in os.environ:
            with open(os.environ["CALLS"], "a") as log:
                print(self.name, case.case_id, file=log)
            time.sleep(0.02)
        picture = case.arrays[0].copy()
        rows = int((self.skill + 0.02 * (case.seed % 3)) * len(picture))
        picture[:rows] = case.answer[:rows]
        return picture
"""
EDITOR = "python:skilled_editor:Skilled?weights={checkpoint}"


class Site:
    """A set, an editor, and a folder in which checkpoints can be put."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = make_small_set(folder / "set")
        self.checkpoints = folder / "checkpoints"
        self.checkpoints.mkdir()
        (folder / "skilled_editor.py").write_text(SKILLED)

    def put(self, step: int, skill: float | str) -> Path:
        path = self.checkpoints / f"step-{step}.txt"
        path.write_text(str(skill))
        return path

    def watch(self, out: str = "out", **more: Any) -> Watch:
        settings = {"editor": EDITOR, "patterns": ("step-*.txt",), "settle_s": 0.0, "jobs": 1, **more}
        suite = es.load_suite("paintbench", root=self.data)
        return Watch(self.checkpoints, self.folder / out, suite=suite, **settings)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Site(tmp_path)


def test_checkpoints_are_in_the_order_of_their_numbers_then_of_their_times(tmp_path: Path) -> None:
    for name in ("checkpoint-1000", "checkpoint-200", ".checkpoint-7", "checkpoint-9.tmp", "other-3"):
        (tmp_path / name).mkdir()
    for time_ns, name in ((2_000_000_000, "late.safetensors"), (1_000_000_000, "early.safetensors")):
        (tmp_path / name).write_bytes(b"")
        os.utime(tmp_path / name, ns=(time_ns, time_ns))
    (tmp_path / "checkpoint-5.txt").write_text("a file, not a folder")
    found = [one.name for one in find_checkpoints(tmp_path)]
    assert found == ["checkpoint-200", "checkpoint-1000", "early.safetensors", "late.safetensors"]
    assert [one.name for one in find_checkpoints(tmp_path, ["other-*", "*.txt"])] == ["other-3", "checkpoint-5.txt"]
    with pytest.raises(BadInput, match="must name files or folders inside the watched one"):
        find_checkpoints(tmp_path, ["../*"])
    with pytest.raises(BadInput, match="is not a folder"):
        find_checkpoints(tmp_path / "none")


def test_a_checkpoint_is_complete_with_a_marker_or_after_a_quiet_time(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint-1"
    folder.mkdir()
    (folder / "weights.bin").write_bytes(b"1")
    settling = Settling(1000.0)
    assert not settling.complete(find_checkpoints(tmp_path)[0])
    (folder / "adapter_config.json").write_text("{}")
    assert settling.complete(find_checkpoints(tmp_path)[0])
    (folder / "adapter_config.json").unlink()
    os.utime(folder / "weights.bin", (time.time() - 2000, time.time() - 2000))
    assert settling.complete(find_checkpoints(tmp_path)[0])
    (folder / "weights.bin").write_bytes(b"12")
    assert not settling.complete(find_checkpoints(tmp_path)[0])


def test_weights_that_are_shorter_than_their_header_says_are_still_being_written(tmp_path: Path) -> None:
    header = json.dumps({"lora": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}).encode()
    path = tmp_path / "a.safetensors"
    whole = struct.pack("<Q", len(header)) + header + bytes(16)
    for length in (0, 5, 20, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert not is_whole(path)
        assert not Settling(0.0).complete(find_checkpoints(tmp_path)[0])
    path.write_bytes(whole)
    assert Settling(0.0).complete(find_checkpoints(tmp_path)[0])


def test_the_path_of_a_checkpoint_goes_where_the_editor_says(tmp_path: Path) -> None:
    path = tmp_path / "a & b" / "checkpoint-1"
    assert spec_for("diffusers:{checkpoint}", path) == f"diffusers:{path}"
    from editscope.editors import parse_spec

    made = spec_for("diffusers:base?lora={checkpoint}&steps=4", path)
    assert dict(parse_spec(made).options) == {"lora": str(path), "steps": 4}
    with pytest.raises(BadInput, match=r"write \{checkpoint\} in place of its path"):
        spec_for("diffusers:base", path)


def test_a_fall_needs_the_interval_below_nothing_and_the_test_too() -> None:
    def paired(difference: float, hi: float, p: float) -> Paired:
        return Paired(40, 50, 50 + difference, difference, difference - 2, hi, 5, 5, 30, p, p, p, None)

    assert has_fallen(paired(-5, -1, 0.001), 0.95)
    assert not has_fallen(paired(-5, 0.5, 0.001), 0.95)
    assert not has_fallen(paired(-5, -1, 0.2), 0.95), "strata of one case make an interval too narrow"
    assert not has_fallen(paired(-5, -1, 0.03), 0.99)
    assert not has_fallen(paired(5, 8, 0.001), 0.95)


def test_looks_compare_with_the_best_so_far_and_nothing_bad_blocks_the_others(site: Site) -> None:
    site.put(100, 0.5)
    site.put(200, "broken")
    site.put(300, 0.9)
    site.put(400, 0.3)
    said: list[str] = []
    looks = list(CheckpointWatcher(site.watch(), said.append).run(1.0, once=True))
    assert [(look.step, look.status) for look in looks] == [
        *((100, "done"), (200, "failed"), (300, "done"), (400, "done"), (200, "failed"))
    ]
    first, _, best, worst, _ = looks
    assert first.baseline is None
    assert best.baseline is not None
    assert best.baseline.name == "step-100.txt"
    assert not best.fallen
    assert worst.baseline is not None
    assert worst.baseline.name == "step-300.txt"
    assert worst.fallen
    assert str(worst).endswith("FALLEN")
    assert "could not be evaluated" in said[0]
    assert "these are no weights" in said[0]
    assert said[0].endswith("it is tried once more later")
    assert said[1].endswith("it is not tried again")

    rows = list(csv.DictReader((site.folder / "out/watch.csv").read_text().splitlines()))
    assert [(row["step"], row["fallen"]) for row in rows] == [("100", "0"), ("200", "0"), ("300", "0"), ("400", "1")]
    assert (site.folder / "out/step-400.txt/summary.json").is_file()

    # The same watch has nothing to do; another baseline is worked out from the runs that are there.
    again = CheckpointWatcher(site.watch(), said.append)
    assert list(again.run(1.0, once=True)) == []
    other = CheckpointWatcher(site.watch(baseline="first", confidence=0.99), said.append)
    assert list(other.run(1.0, once=True)) == []
    fallen = {look.name: look.baseline for look in other.history if look.fallen}
    assert {name: base.name for name, base in fallen.items() if base} == {"step-400.txt": "step-100.txt"}
    page = write_watch_page(site.folder / "out", other.history).read_text()
    assert page.count("<circle") == 3
    assert "these are no weights" in page

    # What was saved again is another checkpoint; what is gone is said once.
    site.put(200, 0.6)
    (mended,) = CheckpointWatcher(site.watch(baseline="first"), said.append).run(1.0, once=True)
    assert (mended.step, mended.status) == (200, "done")
    with pytest.raises(BadInput, match="holds another watch, with limit None"):
        CheckpointWatcher(site.watch(limit=3), said.append)


def test_a_checkpoint_whose_first_edits_all_fail_alike_is_not_edited_to_the_end(site: Site) -> None:
    (site.folder / "listing_editor.py").write_text(
        "import editscope as es\n\nclass Lists(es.Editor):\n    workers = None\n"
        "    def __init__(self, weights: str):\n        pass\n"
        "    def edit(self, case):\n        return [case.images[0]]\n"
    )
    site.put(1, 0.5)
    editor, said = "python:listing_editor:Lists?weights={checkpoint}", list[str]()
    looks = list(CheckpointWatcher(site.watch(editor=editor), said.append).run(1.0, once=True))
    assert [look.status for look in looks] == ["failed", "failed"]
    assert "the first 5 edits all failed for the same reason" in said[0] and "tried once more later" in said[0]
    going = site.watch("other", editor=editor, keep_going=True)
    assert [look.status for look in CheckpointWatcher(going, said.append).run(1.0, once=True)] == ["done"]
    with pytest.raises(BadInput, match="there is no option 'weight' of Lists; did you mean 'weights'"):
        CheckpointWatcher(site.watch(editor=editor.replace("weights", "weight")), said.append)


def test_a_run_that_was_deleted_is_no_longer_compared_with_and_blocks_nothing(site: Site) -> None:
    site.put(1, 0.4)
    site.put(2, 0.9)
    said: list[str] = []
    assert len(list(CheckpointWatcher(site.watch(), said.append).run(1.0, once=True))) == 2
    shutil.rmtree(site.folder / "out/step-2.txt")
    site.put(3, 0.3)
    (third,) = CheckpointWatcher(site.watch(), said.append).run(1.0, once=True)
    assert third.status == "done"
    assert third.baseline is not None
    assert third.baseline.name == "step-1.txt"
    assert said == ["the run of step-2.txt was deleted; nothing is compared with it any more"]
    other = CheckpointWatcher(site.watch(confidence=0.9), said.append).history
    assert [look.score is None for look in other] == [False, True, False]
    assert "its run was deleted" in write_watch_page(site.folder / "out", other).read_text()


def test_too_few_cases_to_show_any_fall_are_said(site: Site) -> None:
    for step in (1, 2):
        site.put(step, 0.9 / step)
    said: list[str] = []
    looks = list(CheckpointWatcher(site.watch(limit=4), said.append).run(1.0, once=True))
    assert not looks[1].fallen
    assert said == [
        "4 cases are too few to show any fall at this confidence, however large (the smallest p is 0.12); "
        "raise --limit in another --out"
    ]


def test_a_checkpoint_that_is_saved_again_in_the_middle_of_its_run_gets_a_run_of_its_own(site: Site) -> None:
    path = site.put(1, 0.9)
    watch = site.watch()
    begun = make_plan(
        *(watch.suite, spec_for(EDITOR, path)),
        out=site.folder / "out/step-1.txt",
        also={"checkpoint": "of old weights"},
    )
    begun.out.mkdir(parents=True)
    write_info(begun)
    (look,) = CheckpointWatcher(watch, print).run(1.0, once=True)
    assert look.status == "done"
    assert look.run.startswith("step-1.txt~")
    assert es.open_run(site.folder / "out" / look.run).complete
    assert not (site.folder / "out/step-1.txt/journal.jsonl").exists()


def test_a_checkpoint_that_was_deleted_meanwhile_is_skipped(site: Site) -> None:
    gone = site.put(2, "broken")
    said: list[str] = []
    looks = CheckpointWatcher(site.watch(), said.append).run(1.0, once=True)
    assert next(looks).status == "failed"
    gone.unlink()
    assert list(looks) == []
    assert said[-1] == "step-2.txt is gone and is skipped"
    history = read_history(site.folder / "out", site.watch().about())
    assert history is not None
    assert [look.status for look in history] == ["gone"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"confidence": 95}, "--confidence is 95; give a share between 0 and 1"),
        ({"settle_s": -1.0}, "--settle is -1"),
        ({"metric": "over_edit_ratio"}, "is not better when it is higher"),
        ({"baseline": "no/such/run"}, "is not a run"),
        ({"where": {"task": ("bordr",)}}, "border"),
        ({"editor": "pyton:mine:Model?path={checkpoint}"}, "no kind of editor 'pyton'; did you mean 'python'"),
    ],
)
def test_what_is_wrong_with_a_watch_is_said_before_anything_is_spent(
    site: Site, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        CheckpointWatcher(site.watch(**change), print)
    assert not (site.folder / "out").exists()


def test_a_watch_that_is_killed_goes_on_with_what_comes_and_stops_at_a_fall(site: Site) -> None:
    calls = site.folder / "calls.txt"
    command = [
        *(sys.executable, "-m", "editscope", "watch", "checkpoints", "--suite", "paintbench", "--data", "set"),
        *("--editor", EDITOR, "--pattern", "step-*.txt", "--out", "out", "--every", "0.1", "--settle", "0"),
        *("--jobs", "1", "--stop-on-fall", "--quiet", "--on-fall", f'{sys.executable} -c \'open("fell", "w")\''),
    ]

    def start() -> subprocess.Popen[str]:
        env = {**os.environ, "CALLS": str(calls)}
        return subprocess.Popen(command, cwd=site.folder, env=env, stdout=subprocess.PIPE, text=True)

    site.put(1, 0.5)
    first = start()
    try:
        until(lambda: first.poll() is not None or done(site) == ["step-1.txt"])
        site.put(2, 0.9)
        until(lambda: first.poll() is not None or (calls.is_file() and "step-2 " in calls.read_text()))
    finally:
        first.send_signal(signal.SIGKILL)
        first.communicate()
    assert done(site) == ["step-1.txt"]

    second = start()
    until(lambda: second.poll() is not None or done(site) == ["step-1.txt", "step-2.txt"])
    site.put(3, 0.2)
    told, _ = second.communicate(timeout=600)
    assert second.returncode == 1
    assert "step-3.txt" in told
    assert "FALLEN" in told
    assert done(site) == ["step-1.txt", "step-2.txt", "step-3.txt"]
    assert (site.folder / "fell").exists()
    assert (site.folder / "out/watch.html").is_file()
    assert len(calls.read_text().splitlines()) <= 36 + 2  # what was in hand when it was killed may be made again


def test_ctrl_c_ends_a_watch_that_waits(site: Site) -> None:
    command = [
        *(sys.executable, "-m", "editscope", "watch", "checkpoints", "--suite", "paintbench", "--data", "set"),
        *("--editor", EDITOR, "--out", "out", "--every", "100"),
    ]
    waiting = subprocess.Popen(command, cwd=site.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert waiting.stdout is not None
    assert "waiting for checkpoints in checkpoints" in waiting.stdout.readline()
    waiting.send_signal(signal.SIGINT)
    told, errors = waiting.communicate(timeout=600)
    assert (waiting.returncode, errors) == (0, "")
    assert "0 checkpoints evaluated" in told


def done(site: Site) -> list[str]:
    path = site.folder / "out/watch.json"
    if not path.is_file():
        return []
    return [look["name"] for look in json.loads(path.read_text())["checkpoints"] if look["status"] == "done"]


def until(true: Callable[[], bool], patience_s: float = 300.0) -> None:
    end = time.monotonic() + patience_s
    while not true():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)
