"""What a PaintBench set consists of: numbers, names, seeds, custom sets, and the same set on disk."""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope import load_suite
from editscope.errors import BadInput
from editscope.images import load
from editscope.suites.paintbench.data import write_set
from support.places import PAINTBENCH_SAMPLES

MODES = {
    "translation": ["amount", "align"],
    "rotation": ["local", "external"],
    "reflection": ["local", "external"],
    "scaling": ["amount", "match"],
    "shearing": ["default"],
    "construction": ["circle", "line", "polygon"],
    "removal": ["attribute", "location"],
    "copying": ["default"],
    "border": ["default"],
    "cropping": ["straight", "tilted"],
    "recolor": ["color_code", "dropper"],
    "flood_fill": ["background", "foreground"],
    "blending": ["default"],
    "gradient": ["background", "foreground"],
    "point_operations": ["brightness", "grayscale", "invert"],
    "comparison": ["default"],
    "ordering": ["default"],
    "pattern": ["grid", "circular"],
    "counting": ["shape", "color"],
    "legend": ["default"],
}
CONDITIONS = ["baseline", "horizontal", "vertical", "nonstandard", "striped", "n_med", "n_high", "n_xhigh"]
SMALL: dict[str, Any] = {
    "tasks": "border,removal,gradient",
    "conditions": "baseline,striped",
    "per_mode": 1,
    "split": "all",
}


# What there is


def test_the_standard_set_has_1920_cases_12_in_each_cell() -> None:
    suite = load_suite("paintbench")
    cells = Counter((suite.tags(i)["task"], suite.tags(i)["condition"]) for i in suite.ids)
    assert len(suite) == len(set(suite.ids)) == 1920
    assert set(cells) == {(task, condition) for task in MODES for condition in CONDITIONS}
    assert set(cells.values()) == {12}


def test_35_modes_share_their_cells_evenly() -> None:
    suite = load_suite("paintbench")
    modes = Counter((suite.tags(i)["task"], suite.tags(i)["mode"]) for i in suite.ids)
    assert len(modes) == 35
    assert all(count == 96 // len(MODES[task]) for (task, _), count in modes.items())


def test_four_categories_hold_five_tasks_each() -> None:
    suite = load_suite("paintbench")
    pairs = {(suite.tags(i)["category"], suite.tags(i)["task"]) for i in suite.ids}
    assert Counter(category for category, _ in pairs) == dict.fromkeys(
        ["geometric_transformation", "structural_manipulation", "color_change", "symbolic_reasoning"], 5
    )


def test_the_preservation_split_is_apart_and_adds_96() -> None:
    assert len(load_suite("paintbench", split="preservation")) == 96
    everything = load_suite("paintbench", split="all")
    assert len(everything) == 2016
    assert Counter(everything.tags(i)["split"] for i in everything.ids) == {"test": 1920, "preservation": 96}
    assert everything.aggregation.exclude == {"split": "preservation"}


def test_numbers_are_condition_times_12_plus_mode_share_plus_slot() -> None:
    suite = load_suite("paintbench")
    for task, modes in MODES.items():
        for c, condition in enumerate(CONDITIONS):
            for m, mode in enumerate(modes):
                for slot in range(12 // len(modes)):
                    tags = suite.tags(f"{task}/{c * 12 + m * (12 // len(modes)) + slot:03d}")
                    assert (tags["task"], tags["condition"], tags["mode"]) == (task, condition, mode)


@pytest.mark.parametrize("case_id", ["border/050", "construction/093", "pattern/017", "removal/000"])
def test_the_seed_is_the_sha256_of_the_place_in_the_set(case_id: str) -> None:
    details = load_suite("paintbench")[case_id].details
    task, number = case_id.split("/")
    condition, rest = divmod(int(number), 12)
    mode, slot = divmod(rest, 12 // len(MODES[task]))
    name = "" if MODES[task] == ["default"] else MODES[task][mode]
    text = f"paintbench|{task}|{CONDITIONS[condition]}|{name}|{slot}|{details['attempt']}"
    assert details["seed"] == int(sha256(text.encode()).hexdigest()[:12], 16)


def test_a_preservation_case_is_the_input_of_removal_to_be_returned_unchanged() -> None:
    suite = load_suite("paintbench", split="all", conditions="baseline,striped")
    for number in ("000", "007", "049"):
        keep, remove = suite[f"preservation/{number}"], suite[f"removal/{number}"]
        assert np.array_equal(load(keep.images[0]), load(remove.images[0]))
        assert keep.answer is not None
        assert np.array_equal(load(keep.images[0]), load(keep.answer))
        assert "exactly as it is" in keep.instruction
        assert keep.tags["split"] == "preservation"


# Parts and custom sets


def test_a_part_of_the_set_has_the_ids_and_pictures_of_the_whole() -> None:
    full = load_suite("paintbench")
    part = load_suite(
        "paintbench", tasks=["gradient", "border"], conditions="striped,n_med", modes="foreground,default"
    )
    assert set(part.ids) < set(full.ids)
    assert len(part) == 2 * 12 + 2 * 6
    for case_id in (part.ids[0], part.ids[-1]):
        assert part[case_id].fingerprint == full[case_id].fingerprint
        assert part.tags(case_id) == full.tags(case_id)


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ({"tasks": "border"}, 96),
        ({"tasks": "construction", "per_cell": 5, "conditions": "baseline"}, 5),
        ({"per_mode": 2}, 2 * 35 * 8),
        ({"modes": "circle"}, 32),
        ({"modes": "default"}, 7 * 96),
        ({"split": "preservation", "per_cell": 4, "conditions": "baseline"}, 4),
    ],
)
def test_custom_sets_have_the_size_that_was_asked_for(options: dict[str, Any], size: int) -> None:
    suite = load_suite("paintbench", **options)
    assert len(suite) == size
    assert load_suite("paintbench", **suite.options).ids == suite.ids


def test_canvas_and_n_override_the_conditions() -> None:
    suite = load_suite("paintbench", tasks="removal", conditions="baseline,n_high", per_mode=1, canvas="640x480", n=6)
    for case in suite:
        assert load(case.images[0]).shape == (480, 640, 3)
        assert len(case.details["scene_shapes"]) == 6


def test_another_namespace_gives_other_problems_under_the_same_ids() -> None:
    ours = load_suite("paintbench", tasks="border", conditions="baseline", per_cell=2)
    fresh = load_suite("paintbench", tasks="border", conditions="baseline", per_cell=2, namespace="tuesday")
    assert ours.ids == fresh.ids
    assert ours.fingerprint != fresh.fingerprint
    for case_id in ours.ids:
        assert not np.array_equal(load(ours[case_id].images[0]), load(fresh[case_id].images[0]))


def test_a_suite_can_be_made_again_from_its_options() -> None:
    suite = load_suite("paintbench", tasks="legend,border", canvas="512x256", n=4, namespace="x", per_mode=1)
    again = load_suite(suite.name, **json.loads(json.dumps(dict(suite.options))))
    assert (again.ids, again.fingerprint) == (suite.ids, suite.fingerprint)


# Bad input


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tasks": "bordr"}, "no task 'bordr'; did you mean 'border'?"),
        ({"modes": "circel"}, "no mode 'circel'; did you mean 'circle'?"),
        ({"conditions": "stripes"}, "no condition 'stripes'; did you mean 'striped'?"),
        ({"split": "tests"}, "option split is 'tests'; did you mean 'test'?"),
        ({"tasks": ""}, "no task was named"),
        ({"tasks": "border", "modes": "circle"}, "the set is empty"),
        ({"per_cell": 0}, "0 problems per cell is out of range"),
        ({"per_cell": 2, "per_mode": 2}, "not both"),
        ({"n": 0}, "--n 0 is out of range"),
        ({"n": 1000}, "--n 1000 is out of range"),
        ({"canvas": "big"}, "'big' is not of the form WIDTHxHEIGHT"),
        ({"canvas": "64x64"}, "64×64 is out of range"),
        ({"canvas": "9000x512"}, "9000×512 is out of range"),
        ({"namespace": "a|b"}, "--namespace 'a|b'"),
        ({"namespace": ""}, "--namespace ''"),
        ({"color": "red"}, "has no option 'color'"),
    ],
)
def test_bad_options_get_a_sentence_that_names_them(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInput, match=re.escape(sentence)):
        load_suite("paintbench", **options)


def test_an_unknown_case_gets_the_nearest_id() -> None:
    with pytest.raises(BadInput, match="did you mean 'border/001'"):
        load_suite("paintbench", tasks="border")["bordr/001"]


@pytest.mark.slow
@pytest.mark.parametrize("task", ["removal", "counting", "ordering", "pattern", "copying"])
def test_what_cannot_fit_on_the_canvas_ends_in_a_sentence(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editscope.suites.paintbench.make.MAX_ATTEMPTS", 40)
    suite = load_suite("paintbench", tasks=task, conditions="baseline", per_mode=1, canvas="128x128", n=100)
    with pytest.raises(
        BadInput, match=r"no valid problem for .* canvas 128×128 and n=100.*another size of the canvas or another n"
    ):
        suite.case(suite.ids[0])


# On disk


def test_a_set_on_disk_is_the_set_in_memory(tmp_path: Path) -> None:
    made = load_suite("paintbench", **SMALL)
    assert write_set(tmp_path / "set", jobs=1, **SMALL) == len(made) == 14
    read = load_suite("paintbench", root=tmp_path / "set")
    read.check()
    assert sorted(read.ids) == sorted(made.ids)
    for case_id in made.ids:
        ours, theirs = made[case_id], read[case_id]
        assert theirs.tags == ours.tags
        assert theirs.instruction == ours.instruction
        assert theirs.fingerprint == ours.fingerprint
        assert {**theirs.details} == json.loads(json.dumps(dict(ours.details)))
    lines = [json.loads(line) for line in (tmp_path / "set" / "problems.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == list(made.ids)
    assert all((tmp_path / "set" / line[key]).is_file() for line in lines for key in ("input", "answer"))


def test_the_splits_of_a_set_on_disk_can_be_read_apart(tmp_path: Path) -> None:
    write_set(tmp_path, jobs=1, tasks="removal", conditions="baseline", per_mode=1)
    assert [len(load_suite("paintbench", root=tmp_path, split=s)) for s in ("all", "test", "preservation")] == [4, 2, 2]


def test_a_half_written_set_is_completed(tmp_path: Path) -> None:
    write_set(tmp_path / "whole", jobs=1, **SMALL)
    write_set(tmp_path / "half", jobs=1, **SMALL)
    for name in ("border/000.json", "border/000_answer.png", "removal/001_input.png", "problems.jsonl"):
        (tmp_path / "half" / name).unlink()
    write_set(tmp_path / "half", jobs=1, **SMALL)
    assert contents(tmp_path / "half") == contents(tmp_path / "whole")


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("chapter one")
    with pytest.raises(BadInput, match="not empty"):
        write_set(tmp_path, jobs=1, **SMALL)
    with pytest.raises(BadInput, match="is a file"):
        write_set(thesis, jobs=1, **SMALL)
    assert contents(tmp_path) == {"thesis.txt": b"chapter one"}


def test_a_folder_that_holds_another_set_is_refused_and_left_alone(tmp_path: Path) -> None:
    write_set(tmp_path, jobs=1, tasks="removal", conditions="baseline", per_mode=1)
    before = contents(tmp_path)
    with pytest.raises(BadInput, match="another set"):
        write_set(tmp_path, jobs=1, tasks="removal", conditions="baseline", per_mode=1, namespace="other")
    assert contents(tmp_path) == before


def test_progress_counts_to_the_size_of_the_set(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    write_set(tmp_path, jobs=1, on_progress=lambda done, total: seen.append((done, total)), **SMALL)
    assert seen[-1] == (14, 14)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_set_from_a_folder_takes_no_other_options(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be changed"):
        load_suite("paintbench", root=tmp_path, tasks="border")


def test_an_empty_or_missing_folder_is_no_set(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no problems"):
        load_suite("paintbench", root=tmp_path)
    with pytest.raises(BadInput, match="is not a folder"):
        load_suite("paintbench", root=tmp_path / "nowhere")


def test_the_released_samples_load_with_their_tags() -> None:
    if not PAINTBENCH_SAMPLES.is_dir():
        pytest.skip("the released samples are not here")
    suite = load_suite("paintbench", root=PAINTBENCH_SAMPLES / "set")
    suite.check()
    expected = json.loads((PAINTBENCH_SAMPLES / "expected.json").read_text())
    assert len(suite) == len(list((PAINTBENCH_SAMPLES / "set" / "PaintBench").glob("*/*.json")))
    assert expected
    for case_id in suite.ids:
        tags = suite.tags(case_id)
        folder = case_id.split("/")[0]
        assert tags["task"] == folder
        assert tags["condition"] in CONDITIONS
        if folder == "preservation":
            assert tags["split"] == "preservation"
        else:
            assert tags["mode"] in MODES[folder]
            assert tags["split"] == "test"
        case = suite[case_id]
        assert case.answer is not None
        assert load(case.images[0]).shape == load(case.answer).shape
        assert case.instruction


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
