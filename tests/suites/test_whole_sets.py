"""A written set is read whole or not at all: what is missing, added or damaged is said before anything is scored."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.suites import load_suite, set_writer

OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "paintbench": {"tasks": "border", "conditions": "baseline", "per_mode": 2, "canvas": "128x128"},
    "tinygrafix": {"charts": "heatmap", "tasks": "add_cell", "per_task": 2},
    "optics": {"tasks": "fog", "per_task": 2, "levels": "located", "size": 64},
    "mechanics": {"tasks": "move_post", "per_task": 2, "levels": "located", "size": 64},
}
"""Two problems of each suite whose sets are written from seeds."""
FOLDERS = {
    "paintbench": "border",
    "tinygrafix": "heatmap_add_cell",
    "optics": "fog_located",
    "mechanics": "move_post_located",
}
SUITES = tuple(OPTIONS)
SCENES = ("optics", "mechanics")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def whole(suite: str) -> Path:
        if suite not in made:
            made[suite] = tmp_path_factory.mktemp(suite) / "set"
            assert set_writer(suite)(made[suite], jobs=1, **OPTIONS[suite]) == 2
        return made[suite]

    return whole


@pytest.fixture
def copied(written: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    return lambda suite: Path(shutil.copytree(written(suite), tmp_path / "set"))


def refusal(suite: str, root: Path) -> str:
    with pytest.raises(BadInput) as refused:
        load_suite(suite, root=root)
    return str(refused.value)


@pytest.mark.parametrize("suite", SUITES)
def test_an_unfinished_set_is_refused_with_how_much_is_there_and_what_to_do(
    copied: Callable[[str], Path], suite: str
) -> None:
    root, last = copied(suite), f"{FOLDERS[suite]}/001"
    (root / "problems.jsonl").unlink()
    assert "2 of 2 problems, and its problems.jsonl is missing" in refusal(suite, root)
    (root / f"{last}.json").unlink()
    said = refusal(suite, root)
    assert f"{root} is an unfinished set: it holds 1 of 2 problems, without {last};" in said
    assert said.endswith("run the same `editscope generate` command again to finish it")
    shutil.rmtree(root / FOLDERS[suite])
    assert "it holds 0 of 2 problems" in refusal(suite, root)
    set_writer(suite)(root, jobs=1, **OPTIONS[suite])
    assert len(load_suite(suite, root=root)) == 2


@pytest.mark.parametrize("suite", SUITES)
def test_a_set_that_lost_a_problem_names_it(copied: Callable[[str], Path], suite: str) -> None:
    root = copied(suite)
    lost = root / FOLDERS[suite] / "000.json"
    lost.unlink()
    said = refusal(suite, root)
    assert said.startswith(f"{root} lacks 1 problem of the 2 that problems.jsonl lists, first {lost};"), said
    set_writer(suite)(root, jobs=1, **OPTIONS[suite])
    assert len(load_suite(suite, root=root)) == 2


@pytest.mark.parametrize("suite", SUITES)
def test_a_set_with_a_problem_that_is_not_listed_is_refused(copied: Callable[[str], Path], suite: str) -> None:
    root = copied(suite)
    for ending in ("_input.png", "_answer.png", ".json"):
        shutil.copy(root / FOLDERS[suite] / f"000{ending}", root / FOLDERS[suite] / f"007{ending}")
    assert f"holds 1 problem that problems.jsonl does not list, first {root / FOLDERS[suite]}/007" in refusal(
        suite, root
    )


@pytest.mark.parametrize("suite", SUITES)
def test_a_set_of_ours_without_its_marker_is_refused(copied: Callable[[str], Path], suite: str) -> None:
    root = copied(suite)
    (root / "set.json").unlink()
    assert f"{root} has lost its set.json" in refusal(suite, root)
    (root / "problems.jsonl").unlink()
    if suite in SCENES:
        assert "has lost its set.json" in refusal(suite, root)
    else:
        assert len(load_suite(suite, root=root)) == 2, "as the authors' own set, which says nothing of what it holds"


def test_damaged_lists_and_markers_are_named(copied: Callable[[str], Path]) -> None:
    root = copied("paintbench")
    listed = (root / "problems.jsonl").read_text()
    for text, said in (
        (listed[:-20], r"line 2 of .*problems\.jsonl is not JSON"),
        (listed.replace('"id"', '"name"'), r"line 1 of .*problems\.jsonl has no text in its field 'id'"),
    ):
        (root / "problems.jsonl").write_text(text)
        with pytest.raises(BadInput, match=said):
            load_suite("paintbench", root=root)
    for text, said in (
        ("{", r"set\.json cannot be read"),
        ("[]", r"set\.json does not name a suite"),
        ('{"suite": "optics"}', "is a set of optics, as its set.json says, and not of paintbench"),
    ):
        (root / "set.json").write_text(text)
        with pytest.raises(BadInput, match=said):
            load_suite("paintbench", root=root)


def test_the_splits_of_a_whole_set_are_read_apart_and_a_missing_problem_of_any_is_said(tmp_path: Path) -> None:
    options = {"tasks": "removal", "conditions": "baseline", "per_mode": 1, "canvas": "128x128"}
    set_writer("paintbench")(tmp_path, jobs=1, **options)
    assert len(load_suite("paintbench", root=tmp_path, split="test")) == 2
    (tmp_path / "preservation" / "000.json").unlink()
    with pytest.raises(BadInput, match="lacks 1 problem"):
        load_suite("paintbench", root=tmp_path, split="test")


@pytest.mark.parametrize("suite", SUITES)
def test_folders_that_are_no_sets_are_told_the_layout(tmp_path: Path, suite: str) -> None:
    folders = {"paintbench": "<task>", "tinygrafix": "<chart>_<task>"}.get(suite, "<task>_<level>")
    assert f"expected {tmp_path}/{folders}/000.json" in refusal(suite, tmp_path)
    assert f"--data takes a set of {suite}, such as" in refusal(suite, tmp_path / "nowhere")


# Descriptions of effects

Change = Callable[[dict[str, Any]], object]
DAMAGE: Mapping[str, tuple[Change, str]] = {
    "text for a truth value": (lambda of: of["effects"][0].update(direct="false"), "field 'effects.0.direct'"),
    "number for a name": (lambda of: of["effects"][0].update(name=5), "field 'effects.0.name'"),
    "blank name": (lambda of: of["effects"][0].update(name=" "), "field 'effects.0.name'"),
    "run that no array holds": (
        lambda of: of["effects"][0].update(mask=[10**30]),
        "the mask of the effect .* is of another size",
    ),
    "negative run": (lambda of: of["ignored"].update(mask=[-1, 4097]), "field 'ignored.mask.0'"),
    "run with a fraction": (lambda of: of["ignored"].update(mask=[4096.0]), "field 'ignored.mask.0'"),
    "text for a mask": (lambda of: of["effects"][0].update(mask="all"), "field 'effects.0.mask'"),
    "no effect": (lambda of: of.update(effects=[]), "field 'effects'"),
    "no list of effects": (lambda of: of.pop("effects"), "field 'effects'"),
    "nothing ignored": (lambda of: of.update(ignored=None), "field 'ignored'"),
    "empty mask": (lambda of: of["effects"][0].update(mask=[4096]), "the mask of the effect .* is empty"),
    "box outside": (lambda of: of.update(box=[0, 0, 65, 64]), r"the box \[0, 0, 65, 64\] is not part of a picture"),
    "short box": (lambda of: of.update(box=[0, 0, 64]), "field 'box'"),
    "masks that leave out a change": (
        lambda of: [effect.update(mask=[0, 1, 4095]) for effect in of["effects"]],
        r"input and answer differ in [\d,]+ pixels outside all masks of effects and ignored pixels",
    ),
}
SEEN_LATE = ("empty mask", "box outside", "masks that leave out a change")
"""What takes the pictures to see."""


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("suite", SCENES)
def test_a_description_that_cannot_be_true_is_refused_by_name(
    copied: Callable[[str], Path], suite: str, damage: str
) -> None:
    change, said = DAMAGE[damage]
    case_id = f"{FOLDERS[suite]}/000"
    sidecar = copied(suite) / f"{case_id}.json"
    fields = json.loads(sidecar.read_text())
    change(fields)
    sidecar.write_text(json.dumps(fields))
    with pytest.raises(BadInput, match=rf"{FOLDERS[suite]}/000\.json: .*{said}.*write the set again"):
        read = load_suite(suite, root=sidecar.parents[1])
        assert damage in SEEN_LATE, "a description that is damaged is refused before anything starts"
        assert read.case(f"{FOLDERS[suite]}/001").effects, "other problems are not touched by it"
        read.case(case_id)
