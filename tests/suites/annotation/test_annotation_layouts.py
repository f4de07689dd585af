"""Layouts of annotated benchmarks: what is written loads with the suite, and nothing of a file is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.suites import load_suite
from editscope.suites.annotation.cleaning import cleaned
from editscope.suites.annotation.layout import AnnotationLayout, AnnotationRecord, picture_sizes
from editscope.suites.annotation.registry import annotation_layout, layout_names
from editscope.suites.annotation.writing import write_files
from editscope.suites.own.start import start
from support.judged_data import draw, make_picabench, make_wiseedit, make_worldedit
from support.judged_data_more import make_inedit

MADE: dict[str, Callable[[Path], object]] = {
    "picabench": make_picabench,
    "worldedit": make_worldedit,
    "wiseedit": lambda folder: make_wiseedit(folder, tags=True),
    "inedit": make_inedit,
    "own": start,
}


def suites_of(layout: AnnotationLayout, root: Path) -> list[tuple[str, str, list[str]]]:
    """Id, fingerprint and instructions of every case of a folder."""
    return [
        (case.id, case.fingerprint, [i.text for i in case.instructions])
        for suite in layout.loaded(root)
        for case in suite
    ]


def found(layout: AnnotationLayout, folder: Path) -> Path:
    root = layout.find(folder)
    assert root is not None
    return root


def remarks(layout: AnnotationLayout, values: dict[str, Any], root: Path, severity: str = "wrong") -> list[str]:
    form = layout.form(root)
    sizes = picture_sizes(form, values, root)
    return [one.message for one in layout.check(form, form.filled(values), sizes) if one.severity == severity]


def test_every_benchmark_with_a_layout_is_tested() -> None:
    assert set(layout_names()) == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_a_folder_that_nobody_changed_is_written_with_the_same_content(name: str, tmp_path: Path) -> None:
    MADE[name](tmp_path / "data")
    layout = annotation_layout(name)
    root = found(layout, tmp_path / "data")
    before = suites_of(layout, root)
    raws = list(layout.raws(root))
    layout.write(root, layout.read(root))
    assert list(layout.raws(root)) == raws
    assert suites_of(layout, root) == before != []


@pytest.mark.parametrize("name", MADE)
def test_a_case_written_anew_from_its_form_is_the_same_case(name: str, tmp_path: Path) -> None:
    MADE[name](tmp_path / "data")
    layout = annotation_layout(name)
    root = found(layout, tmp_path / "data")
    before = suites_of(layout, root)
    form = layout.form(root)
    entries = [
        layout.entry(AnnotationRecord(cleaned(form, json.loads(json.dumps(one.values))), one.raw), root)
        for one in layout.read(root)
    ]
    write_files(root, layout.contents(root, entries))
    assert suites_of(layout, root) == before


@pytest.mark.parametrize("name", MADE)
def test_a_new_case_of_a_picture_loads_once_nothing_is_wrong_with_it(name: str, tmp_path: Path) -> None:
    layout = annotation_layout(name)
    draw(tmp_path / "pictures" / "one.png", 3)
    values = layout.blank(1, ["pictures/one.png"]) | FILLED[name]
    form = layout.form(tmp_path)
    assert remarks(layout, layout.blank(1, ["pictures/one.png"]), tmp_path) != []
    assert remarks(layout, values, tmp_path) == []
    layout.write(tmp_path, [AnnotationRecord(cleaned(form, values))])
    ((case_id, _, instructions),) = suites_of(layout, tmp_path)
    assert case_id == layout.key(values)
    assert any("cup" in text for text in instructions)


CUP = "Let the cup stand in the sun."
BOX = {"id": "q1", "box": [100, 100, 400, 300]}
FILLED: dict[str, dict[str, Any]] = {
    "picabench": {
        "physics_law": "reflection",
        "superficial_prompt": CUP,
        "explicit_prompt": CUP + " Its shadow falls to the left.",
        "regions": [BOX],
        "questions": [
            {"question": "Is there a cup on the table?", "answer": "Yes", "category": "", "region": "q1"},
        ],
    },
    "worldedit": {"mode": "light", "instruction": CUP},
    "wiseedit": {"prompt": CUP, "promptcn": "让 cup 站在阳光下。"},
    "inedit": {
        "category": "dynamic_process",
        "instruction": CUP + " Divide it into 4 grids.",
        "checklist": [{"title": "Light", "description": "It moves."}, {"title": "Shade", "description": "It turns."}],
    },
    "own": {"instruction": CUP, "tag_category": "light"},
}


def test_unknown_fields_and_an_earlier_file_are_kept(tmp_path: Path) -> None:
    make_picabench(tmp_path, 2)
    path = tmp_path / "meta_info.json"
    rows = json.loads(path.read_text())
    rows[0] |= {"annotator": "Ada", "scores": {"a": [1, 2]}}
    rows[0]["annotated_qa_pairs"][0]["note"] = "keep me"
    path.write_text(json.dumps(rows))
    earlier = path.read_bytes()
    layout = annotation_layout("picabench")
    first, second = layout.read(tmp_path)
    changed = AnnotationRecord({**first.values, "explicit_prompt": "Take the box and its shadow away."}, first.raw)
    assert layout.write(tmp_path, [changed, second]) == (path,)
    after = json.loads(path.read_text())
    assert after[0]["annotator"] == "Ada" and after[0]["scores"] == {"a": [1, 2]}
    assert after[0]["annotated_qa_pairs"] == rows[0]["annotated_qa_pairs"]
    assert after[0]["explicit_prompt"] == "Take the box and its shadow away."
    assert after[1] == rows[1]
    (backup,) = tmp_path.glob("*.bak")
    assert backup.read_bytes() == earlier
    assert load_suite("picabench", root=tmp_path, levels="explicit", skip_bad=True).ids == ("00000",)


def test_a_polygon_is_written_with_the_box_around_it(tmp_path: Path) -> None:
    make_picabench(tmp_path, 1)
    layout = annotation_layout("picabench")
    (record,) = layout.read(tmp_path)
    values = json.loads(json.dumps(dict(record.values)))
    values["regions"][0] = {"id": "q1", "points": [[100, 100], [300, 120], [200, 400]]}
    values["edit_area"][0]["box"] = [5, 6, 20, 10]
    form = layout.form(tmp_path)
    layout.write(tmp_path, [AnnotationRecord(cleaned(form, values), record.raw)])
    case = load_suite("picabench", root=tmp_path)["00000"]
    assert case.questions[0].region is not None
    assert case.questions[0].region.box == (100, 100, 300, 400)
    assert case.regions[0].box == (5, 6, 26, 17)
    (again,) = layout.read(tmp_path)
    assert again.values["regions"][0]["points"] == [[100, 100], [300, 120], [200, 400]]
    assert again.values["edit_area"][0]["rest"] == {"id": "a0", "order": 1}


def test_a_region_that_no_question_looks_at_is_kept_and_remarked(tmp_path: Path) -> None:
    make_picabench(tmp_path, 1)
    layout = annotation_layout("picabench")
    (record,) = layout.read(tmp_path)
    values = {**record.values, "regions": [*record.values["regions"], {"id": "new", "box": [0, 0, 50, 50]}]}
    assert any("no question looks at it" in text for text in remarks(layout, values, tmp_path, "advice"))
    layout.write(tmp_path, [AnnotationRecord(values, record.raw)])
    assert [one["box"] for one in layout.read(tmp_path)[0].values["regions"]][-1] == [0, 0, 50, 50]
    assert len(load_suite("picabench", root=tmp_path)["00000"].questions) == 2


def test_a_row_that_cannot_be_read_is_never_lost_silently(tmp_path: Path) -> None:
    make_worldedit(tmp_path, 2)
    with (tmp_path / "cases.jsonl").open("a") as file:
        file.write("{not json\n")
    with pytest.raises(BadInput, match=r"row 3.*not JSON.*before you annotate"):
        annotation_layout("worldedit").read(tmp_path)


def test_a_case_with_another_picture_moves_to_the_subset_of_its_number(tmp_path: Path) -> None:
    make_wiseedit(tmp_path, subsets=[("Awareness", 1)], complex_inputs=(), tags=True)
    layout = annotation_layout("wiseedit")
    first, second = layout.read(tmp_path)
    more = [*first.values["pictures"], {"path": first.values["pictures"][0]["path"], "role": "reference"}]
    values = {**first.values, "pictures": more, "knowledge": "procedural"}
    layout.write(tmp_path, [AnnotationRecord(values, first.raw), second])
    suite = load_suite("wiseedit", root=tmp_path)
    assert suite.ids == ("Awareness_1/2", "Awareness_2/1")
    assert suite.tags("Awareness_2/1")["knowledge"] == "procedural"
    assert layout.read(tmp_path)[1].values["pictures"][1]["role"] == "reference"


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("wiseedit", {"prompt": "Give the man in the third image a hat."}, "names picture 3, but the case has 1"),
        ("wiseedit", {"promptcn": "让第二张图片里的人戴上帽子"}, "names picture 2, but the case has 1"),
        ("inedit", {"category": "dynamic_process", "checklist": []}, "add at least 2 entries"),
        ("inedit", {"category": "process_plausibility", "instruction_A": "A", "instruction_B": "a"}, "same as path"),
        ("picabench", {"physics_law": "gravity"}, "there is no law 'gravity'"),
        ("picabench", {"questions": [{"question": "Is it?", "answer": "Maybe", "category": "", "region": "q1"}]},
         "must be Yes or No"),
        ("picabench", {"regions": [{"id": "q1", "box": [5000, 0, 10, 10]}]}, "lies outside the picture"),
        ("worldedit", {"paraphrase": "What happens to thing 0 under time?"}, "same as the instruction"),
        ("own", {"instruction": ""}, "write a text"),
    ],
)  # fmt: skip
def test_a_rule_that_is_broken_is_named(name: str, change: dict[str, Any], expected: str, tmp_path: Path) -> None:
    MADE[name](tmp_path / "data")
    layout = annotation_layout(name)
    root = found(layout, tmp_path / "data")
    values = {**layout.read(root)[0].values, **change}
    assert any(expected in message for message in remarks(layout, values, root)), remarks(layout, values, root)


def test_checklists_of_two_to_four_items_keep_their_words(tmp_path: Path) -> None:
    make_inedit(tmp_path / "data")
    layout = annotation_layout("inedit")
    root = found(layout, tmp_path / "data")
    record = next(one for one in layout.read(root) if one.values["category"] == "dynamic_process")
    items = [{"title": f"Thing {n}", "description": f"It is {n}."} for n in range(5)]
    assert any("at most 4" in text for text in remarks(layout, {**record.values, "checklist": items}, root))
    values = {**record.values, "checklist": items[:3], "key_nodes": ["Half way"]}
    layout.write(root, [AnnotationRecord(values, record.raw)])
    (again,) = layout.read(root)
    assert again.values["checklist"] == items[:3] and again.values["key_nodes"] == ["Half way"]
    (case,) = load_suite("inedit", root=root)
    assert case.checklist is not None and case.checklist.startswith("Check Item 1: Thing 0\nDescription: It is 0.")


@pytest.mark.parametrize(
    "values",
    [
        {"regions": [{"id": "a", "box": [0, 0, -1, 1]}]},
        {"regions": [{"id": "a", "box": [0, 0, float("nan"), 1]}]},
        {"regions": [{"id": "a", "box": [0, 0, 1, 1]}, {"id": "a", "box": [0, 0, 1, 1]}]},
        {"regions": [{"id": "a", "points": [[0, 0], [1, 1]]}]},
        {"questions": ["Is it?"]},
        {"index": 3},
        {"index": "a\0"},
        {"index": "x" * 200_001},
        {"picture": {"path": "a.png"}},
        {"colour": "red"},
        [],
    ],
)
def test_what_a_page_cannot_send_is_refused(values: Any, tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        cleaned(annotation_layout("picabench").form(tmp_path), values)


def test_a_full_write_or_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("old")
    with pytest.raises(BadInput, match="leaves the folder"):
        write_files(tmp_path, {"a.csv": b"new", "../b.csv": b"new"})
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old"
