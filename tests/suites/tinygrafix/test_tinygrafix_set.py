"""Claims about TinyGrafixBench as a set: what is in it, what it costs to ask wrongly, and that bytes do not change."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from drills import counts
from editscope.errors import BadInput
from editscope.images import load
from editscope.scoring import floor_miou, score_pixels
from editscope.suites import load_suite, set_writer
from editscope.suites.tinygrafix.catalog import CHARTS, OPERATIONS, seed_of
from editscope.suites.tinygrafix.suite import TinyGrafixSuite
from support.command_line import OTHER_PROCESSOR
from support.places import DATA

PINNED = DATA / "tinygrafix_hashes.json"
FOLDERS = [f"{chart}_{task}" for chart, tasks in CHARTS.items() for task in tasks]
SMALL = {"charts": "bar_chart,network", "per_task": 5}


def suite_of(**options: object) -> TinyGrafixSuite:
    suite = load_suite("tinygrafix", **options)
    assert isinstance(suite, TinyGrafixSuite)
    return suite


def test_sets_keep_the_fingerprints_that_runs_of_version_0_1_have_recorded() -> None:
    assert suite_of().fingerprint == "02ab6113eb7f227e"
    assert suite_of(charts="bar_chart").fingerprint == "b3fadc211f9e0354"


def test_the_standard_set_has_thirty_problems_of_each_of_twenty_tasks() -> None:
    suite = load_suite("tinygrafix")
    assert len(suite) == 600
    assert suite.ids[0] == "bar_chart_add_bar/000"
    assert suite.ids[31] == "bar_chart_sort_bars/001"
    assert {suite.tags(i)["operation"] for i in suite.ids} == set(OPERATIONS)
    assert {i.split("/")[0] for i in suite.ids} == set(FOLDERS)


def test_seeds_are_those_of_the_release() -> None:
    assert seed_of("tinygrafixbench", "bar_chart", "add_bar", 0) == 45330089335502
    case = load_suite("tinygrafix")["bar_chart_add_bar/000"]
    assert case.details["seed"] == 45330089335502


def test_a_part_of_the_set_is_the_same_as_in_the_whole() -> None:
    whole, part = load_suite("tinygrafix"), load_suite("tinygrafix", charts="heatmap", tasks="add_cell", per_task=2)
    assert part.ids == ("heatmap_add_cell/000", "heatmap_add_cell/001")
    assert part["heatmap_add_cell/001"].fingerprint == whole["heatmap_add_cell/001"].fingerprint


def test_another_namespace_gives_other_problems() -> None:
    other = load_suite("tinygrafix", namespace="fresh")
    assert other["network_add_node/000"].fingerprint != load_suite("tinygrafix")["network_add_node/000"].fingerprint
    assert other.fingerprint != load_suite("tinygrafix").fingerprint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"charts": "bar_chrt"}, "did you mean 'bar_chart'"),
        ({"tasks": "add_bars"}, "did you mean 'add_bar'"),
        ({"per_task": 0}, "out of range"),
        ({"charts": "heatmap", "tasks": "add_bar"}, "the set is empty"),
        ({"namespace": "a|b"}, "without '|'"),
        ({"modes": "x"}, "has no option 'modes'"),
        ({"root": "/nowhere/at/all"}, "is not a folder"),
    ],
)
def test_a_wrong_option_is_named_with_its_fix(options: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput) as caught:
        load_suite("tinygrafix", **options)
    assert said in str(caught.value)


@pytest.mark.slow
def test_a_set_on_disk_is_the_set_in_memory(tmp_path: Path) -> None:
    assert set_writer("tinygrafix")(tmp_path / "set", jobs=1, charts="line_chart", per_task=2) == 8
    disk, memory = load_suite("tinygrafix", root=tmp_path / "set"), suite_of(charts="line_chart", per_task=2)
    assert set(disk.ids) == set(memory.ids)
    for case_id in memory.ids:
        assert disk[case_id].fingerprint == memory[case_id].fingerprint
        assert disk.tags(case_id) == memory.tags(case_id)
    assert disk.notes() == ()


VERSION_1 = DATA / "tinygrafix_version_1"


def test_a_set_of_version_1_is_read_as_it_was() -> None:
    suite = load_suite("tinygrafix", root=VERSION_1)
    # What version 1 itself gave for these problems.
    expected = {"bar_chart_add_bar/000": "f9494ba14c374b8a76d9372a", "heatmap_add_cell/000": "5bf4521ae6885177e3506ac6"}
    assert {case_id: suite[case_id].fingerprint for case_id in suite.ids} == expected
    assert suite["bar_chart_add_bar/000"].instruction.startswith("Add the missing bar in the gap: value 0.00458, ")
    for case_id in suite.ids:
        case = suite[case_id]
        assert case.answer is not None
        assert score_pixels(case.images[0], case.answer, case.answer).miou == 1.0
        assert suite.tags(case_id)["operation"] == "construction"


def test_problems_of_this_version_are_not_written_into_a_set_of_version_1(tmp_path: Path) -> None:
    copy = tmp_path / "set"
    shutil.copytree(VERSION_1, copy)
    with pytest.raises(BadInput, match="holds another set"):
        set_writer("tinygrafix")(copy, jobs=1, tasks="add_bar,add_cell", per_task=1)


def test_a_set_that_was_drawn_with_other_versions_says_so(tmp_path: Path) -> None:
    set_writer("tinygrafix")(tmp_path, jobs=1, charts="heatmap", tasks="add_cell", per_task=1)
    marker = json.loads((tmp_path / "set.json").read_text())
    assert set(marker["environment"]) == {"matplotlib", "freetype"}
    marker["environment"]["matplotlib"] = "3.0.0"
    (tmp_path / "set.json").write_text(json.dumps(marker))
    (note,) = load_suite("tinygrafix", root=tmp_path).notes()
    assert "matplotlib 3.0.0 (here " in note
    assert "freetype" not in note


WRITE = """
import sys
from pathlib import Path
from editscope.suites.tinygrafix.data import write_set
if __name__ == "__main__":
    write_set(Path(sys.argv[1]), jobs=int(sys.argv[2]), charts="bar_chart,network", per_task=5)
"""


@pytest.mark.slow
def test_bytes_are_the_same_for_any_number_of_workers_hash_seed_and_processor(tmp_path: Path) -> None:
    script = tmp_path / "write.py"
    script.write_text(WRITE)
    found = set()
    for jobs, hash_seed, processor in ((1, "0", {}), (2, "1", OTHER_PROCESSOR), (4, "random", {})):
        out = tmp_path / f"{jobs}-{hash_seed}"
        env = {**os.environ, **processor, "PYTHONHASHSEED": hash_seed}
        subprocess.run([sys.executable, str(script), str(out), str(jobs)], check=True, env=env)
        digest = sha256()
        for file in sorted(p for p in out.rglob("*") if p.is_file()):
            digest.update(str(file.relative_to(out)).encode() + file.read_bytes())
        found.add(digest.hexdigest())
    assert len(found) == 1


def digest(folder: str) -> str:
    """Hash of pixels and words of the first two problems of a task."""
    suite = load_suite("tinygrafix", per_task=2)
    parts = sha256()
    for slot in range(2):
        case = suite[f"{folder}/{slot:03d}"]
        assert case.answer is not None
        for picture in (case.images[0], case.answer):
            parts.update(np.ascontiguousarray(load(picture)).tobytes())
        parts.update(case.instruction.encode())
    return parts.hexdigest()[:16]


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_each_task_is_what_it_was(folder: str) -> None:
    pinned = json.loads(PINNED.read_text())
    assert pinned["generator"] == TinyGrafixSuite.generator
    here = dict(suite_of(per_task=1).environment())
    if pinned["environment"] != here:
        pytest.skip(f"hashes hold for {pinned['environment']}, here is {here}")
    assert digest(folder) == pinned["hashes"][folder], (
        "after a deliberate change: PYTHONPATH=tests python -m suites.tinygrafix.test_tinygrafix_set"
    )


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("folder", FOLDERS)
def test_on_every_problem_the_oracle_scores_100_and_the_identity_its_closed_form(folder: str) -> None:
    suite = load_suite("tinygrafix")
    ids = [i for i in suite.ids if i.startswith(f"{folder}/")]
    assert len(ids) == 30
    for case_id in ids[:: counts.times(usual=3, full=1)]:
        case = suite[case_id]
        assert case.answer is not None
        before, answer = load(case.images[0]), load(case.answer)
        assert before.shape == answer.shape == (768, 1024, 3)
        assert set(score_pixels(before, answer, answer).iou) == {1.0}
        nothing = score_pixels(before, answer, before)
        assert nothing.edit_pixels >= 40
        assert nothing.miou <= 0.05, "doing nothing scores at most 5 of 100"
        assert nothing.iou[0] == 0.0
        assert set(nothing.preservation_accuracy) == {1.0}
        assert nothing.miou == pytest.approx(floor_miou(before, answer), abs=1e-12)


if __name__ == "__main__":
    PINNED.write_text(
        json.dumps(
            {
                "generator": TinyGrafixSuite.generator,
                "environment": dict(suite_of(per_task=1).environment()),
                "hashes": {folder: digest(folder) for folder in FOLDERS},
            },
            indent=1,
        )
        + "\n"
    )
    print(f"{len(FOLDERS)} tasks pinned in {PINNED.name}")
