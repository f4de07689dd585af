"""RISEBench is read whole: four kinds of reasoning, references as text or picture, marks of single cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.suites import load_suite
from editscope.suites.datafolder.suite import BadData
from editscope.suites.rise.data import load
from editscope.suites.rubrics import load_rubric
from support.judged_data_more import RISE, make_rise, write_json
from support.places import SAMPLES


def change(folder: Path, edit: Callable[[list[dict[str, Any]]], Any]) -> Path:
    path = folder / "data" / "data_total.json"
    rows = json.loads(path.read_text())
    edit(rows)
    write_json(path, rows)
    return folder


def test_categories_have_the_names_of_the_published_results(tmp_path: Path) -> None:
    from editscope import published

    suite = load_suite("rise", root=make_rise(tmp_path))
    assert [suite.tags(case_id)["category"] for case_id in suite.ids[::2]] == list(RISE)
    assert {row.group for row in published.results("rise") if row.by == "category"} == set(RISE)


def test_references_are_kept_as_text_or_picture(tmp_path: Path) -> None:
    suite = load(make_rise(tmp_path))
    assert suite["temporal_reasoning_1"].details["reference"] == "What temporal 1 is in the end."
    assert [Path(str(one)).name for one in suite["logical_reasoning_1"].references] == ["1_ref.png"]
    assert suite["logical_reasoning_2"].details["reference_txt"] == "The path of 2."


@pytest.mark.parametrize("value", [True, 1, "yes", "True"])
def test_a_mark_is_set_however_it_is_written(tmp_path: Path, value: Any) -> None:
    folder = change(make_rise(tmp_path), lambda rows: rows[0].update(consistency_free=value, reasoning_img=value))
    details = load(folder)["temporal_reasoning_1"].details
    assert (details["consistency_free"], details["reasoning_img"], details["reasoning_wo_ins"]) == (True, True, False)


@pytest.mark.parametrize("value", [None, False, 0, "", "no", "nan", float("nan")])
def test_a_mark_that_says_nothing_or_no_is_not_set(tmp_path: Path, value: Any) -> None:
    folder = change(make_rise(tmp_path), lambda rows: rows[0].update(consistency_free=value))
    assert load(folder)["temporal_reasoning_1"].details["consistency_free"] is False


def test_the_rubric_judges_what_the_case_says(tmp_path: Path) -> None:
    suite = load(change(make_rise(tmp_path), lambda rows: rows[0].update(consistency_free=True)))
    rubric = load_rubric("rise")
    calls = {case.id: len(rubric.keys(case, unit)) for case in suite for unit in rubric.units(case)}
    assert calls["temporal_reasoning_1"] == 2
    assert calls["temporal_reasoning_2"] == 3
    assert calls["logical_reasoning_1"] == 2


def test_sub_tasks_become_a_table_where_the_data_has_them(tmp_path: Path) -> None:
    plain = load(make_rise(tmp_path))
    assert [group.name for group in plain.aggregation.groups] == ["category"]
    tagged = load(change(tmp_path, lambda rows: rows[0].update(subtask="Life Progression")))
    assert [group.name for group in tagged.aggregation.groups] == ["category", "subtask"]
    assert tagged.tags("temporal_reasoning_1")["subtask"] == "life_progression"


def test_another_list_of_cases_is_chosen_by_its_name_and_kept_in_the_options(tmp_path: Path) -> None:
    folder = make_rise(tmp_path, file="datav1.json")
    with pytest.raises(BadInput, match=r"holds no data_total\.json \(there is datav1\.json: choose one with --file\)"):
        load(folder)
    suite = load(folder, file="datav1.json")
    assert len(suite) == 8
    assert load_suite("rise", **suite.options).fingerprint == suite.fingerprint
    with pytest.raises(BadInput, match="leaves the data folder"):
        load(folder, file="../../secret.json")


def test_edits_lie_where_the_benchmark_puts_them(tmp_path: Path) -> None:
    names = load(make_rise(tmp_path)).output_names("causal_reasoning_2")
    assert names[0] == "images/causal_reasoning/causal_reasoning_2"


@pytest.mark.skipif(not (SAMPLES / "rise").is_dir(), reason="the real samples are not here")
def test_the_real_samples_load_completely() -> None:
    suite = load(SAMPLES / "rise")
    assert (len(suite), suite.notes()) == (12, ())
    assert [suite.tags(case_id)["category"] for case_id in suite.ids[::3]] == list(RISE)
    assert [len(suite[f"logical_reasoning_{n}"].references) for n in (1, 2, 3)] == [1, 0, 1]
    rubric = load_rubric("rise")
    assert sum(len(rubric.keys(case, unit)) for case in suite for unit in rubric.units(case)) == 9 * 3 + 3 * 2


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda rows: rows[6].pop("reference_img"), r"row 7, index logical_reasoning_1: a logical case needs"),
        (lambda rows: rows[0].update(category="temporl_reasoning"), r"row 1, .*there is no category"),
        (lambda rows: rows[0].update(reference=["a", "b"]), "'reference' is a list, not a text"),
        (lambda rows: rows[0].update(instruction=" "), "'instruction' is missing or empty"),
        (lambda rows: rows[6].update(reference_img="gone.png"), "gone.png"),
        (lambda rows: rows[1].update(index="temporal_reasoning_1"), "was used before"),
    ],
)
def test_a_flaw_is_named_with_file_and_row_and_the_rest_goes_on(
    tmp_path: Path, edit: Callable[[list[dict[str, Any]]], Any], said: str
) -> None:
    folder = change(make_rise(tmp_path), edit)
    with pytest.raises(BadData, match=said):
        load(folder)
    assert len(load(folder, skip_bad=True)) == 7


def test_a_picture_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = make_rise(tmp_path)
    (folder / "data" / "causal_reasoning_images" / "1.png").write_bytes(b"not a picture")
    with pytest.raises(BadData, match=r"row 3, index causal_reasoning_1: field 'image'"):
        load(folder)
