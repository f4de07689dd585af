"""KRIS-Bench is read whole: twenty categories, several sources, frames by number, ground truths."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.suites import load_suite
from editscope.suites.datafolder.suite import BadData
from editscope.suites.kris.data import CATEGORIES, DIMENSIONS, load
from editscope.suites.rubrics import load_rubric
from support.judged_data_more import KRIS, KRIS_CATEGORIES, make_kris, write_json
from support.places import SAMPLES

PLACES = {c: (k, d) for k, kinds in KRIS.items() for d, names in kinds.items() for c in names.split()}


def test_every_category_stands_in_its_dimension_and_kind_of_knowledge(tmp_path: Path) -> None:
    suite = load_suite("kris", root=make_kris(tmp_path))
    assert (len(suite), suite.default_protocol, suite.notes()) == (40, "kris", ())
    for case_id in suite.ids:
        tags = suite.tags(case_id)
        assert (tags["knowledge"], tags["dimension"]) == PLACES[tags["category"]]
        assert case_id.startswith(tags["category"] + "/")
    assert list(CATEGORIES) == KRIS_CATEGORIES


def test_the_published_results_use_the_same_names() -> None:
    from editscope import published

    rows = published.results("kris")
    assert {row.group for row in rows if row.by == "dimension"} == set(DIMENSIONS)
    assert {row.group for row in rows if row.by == "knowledge"} == set(KRIS)


def test_temporal_prediction_has_its_frames_by_number_and_the_missing_one_as_answer(tmp_path: Path) -> None:
    case = load(make_kris(tmp_path))["temporal_prediction/2"]
    assert [Path(str(image)).name for image in case.images] == ["2-2.png", "2-3.png", "2-4.png"]
    assert (case.details["source_numbers"], case.details["frame"]) == ("2,3,4", "1")
    assert Path(str(case.answer)).name == "2-1.png"


def test_sources_ground_truth_and_explanation_are_there_where_the_data_has_them(tmp_path: Path) -> None:
    suite = load(make_kris(tmp_path))
    assert len(suite["multi-element_composition/1"].images) == 2
    assert Path(str(suite["viewpoint_change/1"].answer)).name == "1_gt.png"
    assert suite["color_change/1"].answer is None
    assert suite["chemistry/1"].details["explanation"] == "Because of chemistry."
    assert suite["color_change/1"].details["explanation"] == ""


def test_edits_lie_in_the_folder_of_their_category(tmp_path: Path) -> None:
    assert load(make_kris(tmp_path)).output_names("rule-based_reasoning/2") == ("rule-based_reasoning/2",)


def test_the_inner_folder_will_do_and_makes_the_same_suite(tmp_path: Path) -> None:
    outer = load(make_kris(tmp_path))
    inner = load(tmp_path / "KRIS_Bench")
    assert inner.fingerprint == outer.fingerprint
    assert load_suite(inner.name, **inner.options).fingerprint == outer.fingerprint


@pytest.mark.skipif(not (SAMPLES / "kris").is_dir(), reason="the real samples are not here")
def test_the_real_samples_load_completely() -> None:
    suite = load(SAMPLES / "kris")
    assert (len(suite), suite.notes()) == (40, ())
    assert [suite.tags(case_id)["category"] for case_id in suite.ids[::2]] == KRIS_CATEGORIES
    for case_id in ("temporal_prediction/1", "temporal_prediction/2"):
        assert (suite[case_id].details["source_numbers"], suite[case_id].details["frame"]) == ("2,3,4", "1")
    assert suite["anomaly_correction/1"].details["explanation"]
    rubric = load_rubric("kris")
    calls = {case.id: len(rubric.keys(case, unit)) for case in suite for unit in rubric.units(case)}
    assert set(calls.values()) == {3}  # knowledge is asked with the instruction, in one call


def test_categories_that_are_not_there_are_named(tmp_path: Path) -> None:
    folder = make_kris(tmp_path)
    for name in ("biology", "physics"):
        (folder / "KRIS_Bench" / name / "annotation.json").unlink()
    assert load(folder).notes() == ("2 of 20 categories have no case here: biology, physics",)


def change(folder: Path, category: str, edit: Callable[[dict[str, Any]], Any]) -> Path:
    path = folder / "KRIS_Bench" / category / "annotation.json"
    entries = json.loads(path.read_text())
    edit(entries)
    write_json(path, entries)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda found: found["2"].pop("ins_en"), r"row 2, id 2: field 'ins_en' is missing"),
        (lambda found: found["2"].update(ori_img="9.png"), r"row 2, id 2: field 'ori_img': .*9\.png"),
        (lambda found: found["2"].update(ori_img=[]), "'ori_img' is an empty list"),
        (lambda found: found["2"].update(ori_img=["1.png", 7]), "'ori_img' holds no path"),
        (lambda found: found["2"].update(gt_img="../../out.png"), "leaves the data folder"),
        (lambda found: found.update({"2": "text"}), "the entry is a text, not an object"),
    ],
)
def test_a_flaw_is_named_with_file_and_row_and_the_rest_goes_on(
    tmp_path: Path, edit: Callable[[dict[str, Any]], Any], said: str
) -> None:
    folder = change(make_kris(tmp_path), "color_change", edit)
    with pytest.raises(BadData, match=said) as raised:
        load(folder)
    assert str(Path("color_change") / "annotation.json") in str(raised.value)
    assert len(load(folder, skip_bad=True)) == 39


def test_an_id_that_stands_in_a_file_twice_is_noticed(tmp_path: Path) -> None:
    folder = make_kris(tmp_path)
    path = folder / "KRIS_Bench" / "physics" / "annotation.json"
    path.write_text(path.read_text().replace('"2":', '"1":', 1))
    with pytest.raises(BadData, match=r"row 2, id 1: id 'physics/1' was used before, in .* row 1"):
        load(folder)


def test_an_unknown_category_and_a_broken_file_are_named_and_can_be_left_out(tmp_path: Path) -> None:
    folder = make_kris(tmp_path)
    (folder / "KRIS_Bench" / "biology").rename(folder / "KRIS_Bench" / "biologie")
    (folder / "KRIS_Bench" / "physics" / "annotation.json").write_text('{"1": ')
    with pytest.raises(BadData) as raised:
        load(folder)
    assert len(raised.value.flaws) == 2
    assert "there is no category 'biologie'; did you mean 'biology'?" in str(raised.value)
    assert "the file is not JSON" in str(raised.value)
    assert len(load(folder, skip_bad=True)) == 36


def test_a_folder_without_annotations_says_where_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no <category>/annotation\.json of kris\. Get it"):
        load(tmp_path)
