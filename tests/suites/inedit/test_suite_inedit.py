"""InEdit-Bench is read whole, with its path pairs and sub-tasks; start and end that lie apart are joined."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from editscope.errors import BadInput
from editscope.images import load as pixels_of
from editscope.suites import load_suite
from editscope.suites.datafolder.suite import BadData
from editscope.suites.inedit.data import SUBTASKS, InEditSuite, load, subtasks
from editscope.suites.inedit.joining import join, striped_bar
from editscope.suites.rubrics import load_rubric
from support.judged_data import draw
from support.judged_data_more import INEDIT, make_inedit, write_json
from support.places import SAMPLES


def change(folder: Path, edit: Callable[[list[dict[str, Any]]], Any]) -> Path:
    path = folder / "data" / "data.json"
    rows = json.loads(path.read_text())
    edit(rows)
    write_json(path, rows)
    return folder


def test_every_case_has_its_category_sub_task_and_instructions(tmp_path: Path) -> None:
    suite = load_suite("inedit", root=make_inedit(tmp_path))
    assert (len(suite), suite.scoring, suite.default_protocol) == (10, "judged", "inedit")
    assert suite.ids[4:6] == ("dynamic_process_1", "dynamic_process_2")
    case = suite["dynamic_process_2"]
    assert case.tags == {"category": "dynamic_process", "subtask": "biology_and_nature"}
    assert case.instruction == "Show the way of dynamic_process_2."
    assert case.checklist is not None
    assert "it grows" in case.checklist
    assert suite["state_transition_1"].checklist is None


def test_a_path_pair_asks_for_two_edits_and_has_no_sub_task(tmp_path: Path) -> None:
    suite = load(make_inedit(tmp_path))
    case = suite["process_plausibility_1"]
    assert suite.variants("process_plausibility_1") == ("A", "B")
    assert [one.text[:14] for one in case.instructions] == ["Show the way A", "Show the way B"]
    assert case.tags == {"category": "process_plausibility"}
    assert suite.variants("state_transition_1") == ("",)


def test_edits_lie_where_the_benchmark_puts_them(tmp_path: Path) -> None:
    suite = load(make_inedit(tmp_path))
    assert suite.output_names("state_transition_1")[0] == "images/state_transition/state_transition_1"
    pair = suite.output_names("process_plausibility_2", "B")
    assert pair[0] == "images/process_plausibility/process_plausibility_2_B"


def test_the_table_of_sub_tasks_holds_the_203_cases_of_the_paper() -> None:
    counts = {category: sum(index.startswith(category) for index in subtasks()) for category in INEDIT}
    assert list(counts.values()) == [49, 66, 65, 23, 0]
    assert set(subtasks().values()) == set(SUBTASKS)
    assert len(SUBTASKS) == 16


def test_the_published_results_use_the_same_names() -> None:
    from editscope import published

    rows = published.results("inedit")
    assert {row.group for row in rows if row.by == "subtask"} == set(SUBTASKS)
    assert {row.group for row in rows if row.by == "category"} <= set(INEDIT)


@pytest.mark.skipif(not (SAMPLES / "inedit").is_dir(), reason="the real samples are not here")
def test_the_real_samples_load_completely() -> None:
    suite = load(SAMPLES / "inedit")
    assert (len(suite), suite.notes()) == (15, ())
    tags = [suite.tags(case_id) for case_id in suite.ids]
    assert {category: sum(tag["category"] == category for tag in tags) for category in INEDIT} == dict.fromkeys(
        INEDIT, 3
    )
    assert suite.tags("scientific_simulation_2")["subtask"] == "chemistry"
    assert all(("subtask" in tag) == (tag["category"] != "process_plausibility") for tag in tags)
    rubric = load_rubric("inedit")
    assert sum(len(rubric.keys(case, unit)) for case in suite for unit in rubric.units(case)) == 12 * 4 + 6 + 3


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda rows: rows[4].pop("checklist"), r"row 5, index dynamic_process_1: field 'checklist' is missing"),
        (lambda rows: rows[0].update(category="stat_transition"), "did you mean 'state_transition'"),
        (lambda rows: rows[8].pop("instruction_B"), "field 'instruction_B' is missing"),
        (lambda rows: rows[1].update(index="state_transition_1"), "was used before, in .* row 1"),
        (lambda rows: rows[1].update(image="state_transition/none.png"), "none.png"),
        (lambda rows: rows[1].update(image="../../etc/passwd"), "leaves the data folder"),
        (lambda rows: rows[1].update(image=["a.png"]), "lists 1 pictures"),
        (lambda rows: rows[2].pop("index"), "field 'index' is missing"),
    ],
)
def test_a_flaw_is_named_with_file_and_row_and_the_rest_goes_on(
    tmp_path: Path, edit: Callable[[list[dict[str, Any]]], Any], said: str
) -> None:
    folder = change(make_inedit(tmp_path), edit)
    with pytest.raises(BadData, match=said) as raised:
        load(folder)
    assert "data.json row" in str(raised.value)
    rest = load(folder, skip_bad=True)
    assert len(rest) == 9
    assert rest.notes()[0] == "1 row was left out (--skip-bad)"


def test_a_folder_without_data_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no data\.json\. Get it"):
        load(tmp_path)
    with pytest.raises(BadInput, match="needs its data: give --data DIR"):
        load()


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    plain = load(make_inedit(tmp_path)).fingerprint
    path = tmp_path / "data" / "data.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(tmp_path).fingerprint == plain


def apart(tmp_path: Path) -> InEditSuite:
    """The same set, the first case with start and end in files of their own, the second as a list."""
    folder = make_inedit(tmp_path)
    for name, number in (("start", 90), ("end", 91)):
        draw(folder / "data" / f"{name}.png", number, (64, 64))

    def edit(rows: list[dict[str, Any]]) -> None:
        rows[0].pop("image")
        rows[0].update(start="start.png", end="end.png")
        rows[1].update(image=["start.png", "end.png"])

    return load(change(folder, edit))


def test_start_and_end_that_lie_apart_are_joined_with_a_striped_bar(tmp_path: Path) -> None:
    suite = apart(tmp_path)
    joined = pixels_of(suite["state_transition_1"].images[0])
    assert np.array_equal(joined, pixels_of(suite["state_transition_2"].images[0]))
    assert joined.shape == (64, 129, 3)
    assert np.array_equal(joined[:, :64], pixels_of(tmp_path / "data" / "start.png"))
    assert np.array_equal(joined[:, 65:], pixels_of(tmp_path / "data" / "end.png"))
    assert set(np.unique(joined[:, 64])) == {0, 255}


def test_another_start_picture_is_another_case(tmp_path: Path) -> None:
    before = apart(tmp_path)["state_transition_1"].fingerprint
    draw(tmp_path / "data" / "start.png", 92, (64, 64))
    assert load(tmp_path)["state_transition_1"].fingerprint != before


def test_broad_pictures_are_joined_one_above_the_other_and_sizes_are_made_equal() -> None:
    start, end = np.full((20, 50, 3), 9, np.uint8), np.full((80, 100, 3), 7, np.uint8)
    joined = join(start, end)
    assert joined.shape == (20 + 1 + 20, 50, 3)
    assert (joined[:20] == 9).all()
    assert (joined[21:] == 7).all()
    assert join(start, end, "right").shape == (20, 101, 3)
    with pytest.raises(BadInput, match="none of auto, right, down"):
        join(start, end, "left")  # type: ignore[arg-type]


@pytest.mark.skipif(not (SAMPLES / "inedit").is_dir(), reason="the real samples are not here")
def test_the_bar_is_as_in_the_authors_pictures() -> None:
    """Theirs: 768 × 383, a bar two to three columns broad, stripes of 15 pixels, black first."""
    picture = pixels_of(SAMPLES / "inedit" / "data" / "state_transition" / "state_transition_1.png")
    theirs = picture[:, 383:385].mean(axis=(1, 2)) > 128
    ours = striped_bar(383)
    assert ours.shape == (383, 2, 3)
    assert np.mean(theirs == (ours[:, 0, 0] > 128)) > 0.95
