"""PICABench: what the loader makes of its two forms, and what it says of data that cannot be used."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from editscope.errors import BadInput
from editscope.images import load as pixels_of
from editscope.scoring.psnr import outside
from editscope.suites.datafolder import hub
from editscope.suites.datafolder.edit_area import edit_area
from editscope.suites.datafolder.rows import DataRow
from editscope.suites.datafolder.suite import BadData
from editscope.suites.picabench import data as picabench
from editscope.suites.rubrics import load_rubric
from support.judged_data import LAWS, draw, make_picabench, picabench_row, write_json


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_picabench(tmp_path / "pica", 9)


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / "meta_info.json").read_text(encoding="utf-8"))
    return rows


def changed(folder: Path, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    rows = rows_of(folder)
    change(rows)
    write_json(folder / "meta_info.json", rows)
    return folder


def test_an_entry_becomes_a_case_with_all_its_tags(folder: Path) -> None:
    suite = picabench.load(folder)
    assert len(suite) == 9
    assert suite.ids[:2] == ("00000", "00001")
    assert suite.scoring == "judged"
    assert suite.default_protocol == "picabench"
    case = suite["00001"]
    assert case.tags == {"dimension": "optics", "law": "light_source_effects", "operation": "add"}
    assert case.instruction == "superficial wish 1"
    assert case.instructions[0].level == "superficial"
    assert suite.variants("00001") == ("",)
    assert [q.answer for q in case.questions] == ["No", "Yes"]
    assert case.questions[0].text == "Is thing 1.0 where it belongs?"
    assert pixels_of(case.images[0]).shape == (64, 96, 3)
    laws = [suite.tags(i)["law"] for i in suite.ids[:8]]
    assert laws == list(picabench.LAWS) == [law.lower() for _, law, _ in LAWS]
    assert [suite.tags(i)["dimension"] for i in suite.ids[6:8]] == ["state_transition"] * 2


def test_question_boxes_crop_what_the_released_tool_crops(folder: Path) -> None:
    question = picabench.load(folder)["00000"].questions[1]
    box = rows_of(folder)[0]["annotated_qa_pairs"][1]["box"]
    assert question.region is not None
    left, top, right, bottom = question.region.box
    edited = Image.new("RGB", (1024, 683))
    edges = (box["x"] - 20, box["y"] - 20, box["x"] + box["width"] + 20, box["y"] + box["height"] + 20)
    assert edited.crop((left - 20, top - 20, right + 20, bottom + 20)).size == edited.crop(edges).size
    assert (left - 20, top - 20, right + 20, bottom + 20) == tuple(round(edge) for edge in edges)


@settings(max_examples=40, deadline=None)
@given(st.tuples(*(st.floats(0, 30, width=32) for _ in range(4))))
def test_edit_areas_cover_the_pixels_that_pillow_fills(sides: tuple[float, float, float, float]) -> None:
    x, y, wide, high = (round(side, 2) for side in sides)
    row = DataRow("here", {"edit_area": [{"x": x, "y": y, "width": wide, "height": high}]}, Path())
    (region,) = edit_area(row, (64, 64)).regions
    mine = np.zeros((64, 64), bool)
    left, top, right, bottom = region.box
    mine[top:bottom, left:right] = True
    drawn = Image.new("1", (64, 64))
    ImageDraw.Draw(drawn).rectangle((x, y, x + wide, y + high), fill=1)
    assert np.array_equal(mine, np.asarray(drawn))


def test_an_unknown_or_empty_edit_area_gives_no_region(folder: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[1]["edit_area"], rows[2]["edit_area"] = [], None

    suite = picabench.load(changed(folder, change))
    assert [len(suite[i].regions) for i in suite.ids[:4]] == [1, 0, 0, 0]


def area(*boxes: tuple[float, float, float, float]) -> list[dict[str, float]]:
    return [dict(zip(("x", "y", "width", "height"), box, strict=True)) for box in boxes]


def test_an_edit_area_that_only_fits_the_canvas_is_read_as_pixels_of_it_and_said_once(tmp_path: Path) -> None:
    folder = make_picabench(tmp_path, 5, size=(512, 384))  # the canvas is 1024 × 768

    def change(rows: list[dict[str, Any]]) -> None:
        rows[0]["edit_area"] = area((600, 100.5, 200, 60), (10, 20, 30, 40))  # the first exceeds 512
        rows[1]["edit_area"] = area((10, 20, 30, 40))  # fits both
        rows[2]["edit_area"] = area((10, 700, 30, 40))  # exceeds 384
        rows[4]["edit_area"] = area((10, 370, 30, 15))  # exceeds by a pixel, which proves nothing

    suite = picabench.load(changed(folder, change))
    boxes = {case_id: [region.box for region in suite[case_id].regions] for case_id in suite.ids}
    assert boxes == {
        "00000": [(300, 50, 401, 81), (5, 10, 21, 31)],  # all boxes of a case are on one picture
        "00001": [(10, 20, 41, 61)],
        "00002": [(5, 350, 21, 371)],
        "00003": [],
        "00004": [(10, 370, 41, 386)],
    }
    (note,) = suite.notes()
    assert note.startswith("the edit areas of 2 cases (00000, 00002) reach over the source and fit the canvas")
    assert "(2 other cases: as pixels of the source)" in note
    assert note.endswith("unless --edit-area source or canvas says otherwise")


def test_an_edit_area_that_fits_neither_is_clipped_and_noted_and_the_case_is_never_refused(folder: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        rows[0]["edit_area"] = area((90, 10, 2000, 5))
        rows[1]["edit_area"] = area((3000, 10, 5, 5))

    suite = picabench.load(changed(folder, change))
    assert len(suite) == 9
    assert [region.box for region in suite["00000"].regions] == [(90, 10, 2091, 16)]
    first, second = suite.notes()
    assert "edit area 1 has the box x=90 y=10 width=2000 height=5, which reaches over the edge of" in first
    assert "x=3000" in second
    assert not outside(suite["00000"].regions, (64, 96))[10:16, 90:].any()
    assert outside(suite["00001"].regions, (64, 96)).all()


@pytest.mark.parametrize(
    ("edit_area_is", "box"), [("auto", (10, 20, 41, 61)), ("source", (10, 20, 41, 61)), ("canvas", (5, 10, 21, 31))]
)
def test_the_option_of_the_protocol_decides_what_edit_areas_are_on(
    tmp_path: Path, edit_area_is: str, box: tuple[int, int, int, int]
) -> None:
    folder = make_picabench(tmp_path, 1, size=(512, 384))
    case = picabench.load(changed(folder, lambda rows: rows[0].update(edit_area=area((10, 20, 30, 40)))))["00000"]
    edit = pixels_of(case.images[0]).copy()
    left, top, right, bottom = box
    edit[top:bottom, left:right] = 255 - edit[top:bottom, left:right]
    rubric = load_rubric(f"picabench?edit_area={edit_area_is}")
    (unit,) = rubric.units(case)
    assert rubric.from_pixels(case, unit, {"": edit}) == {"consistency": 100}
    edit[min(top + 1, bottom), right] ^= 255  # one pixel beside the box
    assert rubric.from_pixels(case, unit, {"": edit})["consistency"] != 100
    with pytest.raises(BadInput, match="option edit_area of protocol picabench is 'both'; choose from auto, source"):
        load_rubric("picabench?edit_area=both")


def test_levels_become_variants_that_keep_their_names(tmp_path: Path) -> None:
    folder = make_picabench(tmp_path, 2, hub=True)
    assert picabench.load(folder).variants("00000") == ("",)
    suite = picabench.load(folder, levels="explicit,superficial")
    assert suite.variants("00000") == ("", "explicit")
    assert [(i.level, i.text) for i in suite["00001"].instructions] == [
        ("superficial", "superficial wish 1"),
        ("explicit", "explicit wish 1"),
    ]
    assert picabench.load(folder, levels=["intermediate"]).variants("00000") == ("intermediate",)
    with pytest.raises(BadInput, match="there is no level 'hard'"):
        picabench.load(folder, levels="hard")


def test_a_set_of_one_level_is_that_level_and_has_no_other(folder: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["difficulty"] = "explicit"

    suite = picabench.load(changed(folder, change))
    assert suite.variants("00000") == ("explicit",)
    with pytest.raises(BadInput, match="there is no superficial instruction \\(there is explicit\\)"):
        picabench.load(folder, levels="superficial")


def test_questions_by_category_keep_it(tmp_path: Path) -> None:
    case = picabench.load(make_picabench(tmp_path, 1, questions=3, by_category=True))["00000"]
    assert [q.category for q in case.questions] == ["editing_completion"] * 2 + ["physics_consistency"]
    assert [q.region.name for q in case.questions if q.region] == ["q1", "q2", "q3"]


def test_the_editor_sees_at_most_1024_and_the_source_stays_as_it_is(tmp_path: Path) -> None:
    folder = make_picabench(tmp_path, 2, size=(1500, 1000))
    draw(folder / "input_img/00001.png", 1, (300, 200))
    suite = picabench.load(folder)
    large, small = suite["00000"], suite["00001"]
    (seen,) = suite.inputs(large)
    assert pixels_of(seen).shape == (683, 1024, 3)
    assert pixels_of(large.images[0]).shape == (1000, 1500, 3)
    assert suite.inputs(small) == small.images


def test_the_options_make_the_same_suite_again(tmp_path: Path) -> None:
    folder = make_picabench(tmp_path / "a", 3, hub=True)
    suite = picabench.load(folder, levels=("explicit",))
    again = picabench.load(**suite.options)
    assert (again.ids, again.options, again.fingerprint) == (suite.ids, suite.options, suite.fingerprint)
    json.dumps(suite.options)


def test_the_fingerprint_follows_the_cases_and_not_the_place_the_level_or_the_outputs(tmp_path: Path) -> None:
    folder = make_picabench(tmp_path / "a", 3, hub=True)
    first = picabench.load(folder)
    shutil.copytree(folder, tmp_path / "b")
    changed(tmp_path / "b", lambda rows: rows[0].update(output_path="elsewhere/0.png"))
    moved = picabench.load(tmp_path / "b", levels="explicit")
    assert moved.fingerprint == first.fingerprint
    assert moved["00000"].fingerprint == first["00000"].fingerprint
    for change in (
        lambda rows: rows[0].update(explicit_prompt="another wish"),
        lambda rows: rows[0]["annotated_qa_pairs"][0].update(answer="No"),
        lambda rows: rows[0]["annotated_qa_pairs"][0]["box"].update(x=300),
        lambda rows: rows[0].update(edit_area="unknown"),
    ):
        shutil.rmtree(tmp_path / "b")
        shutil.copytree(folder, tmp_path / "b")
        other = picabench.load(changed(tmp_path / "b", change))
        assert other.fingerprint != first.fingerprint
        assert other["00000"].fingerprint != first["00000"].fingerprint
        assert other["00001"].fingerprint == first["00001"].fingerprint
    draw(folder / "input_img/00002.png", 77)
    assert picabench.load(folder)["00002"].fingerprint != first["00002"].fingerprint


def set_box(**sides: Any) -> Callable[[dict[str, Any]], None]:
    return lambda row: row["annotated_qa_pairs"][1]["box"].update(sides)


FLAWS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "a missing picture": (lambda r: r.update(input_path="input_img/none.png"), "none.png does not exist"),
    "a path that leaves": (lambda r: r.update(input_path="../../etc/x.png"), "leaves the data folder"),
    "an absolute path": (lambda r: r.update(input_path="/etc/hostname"), "leaves the data folder"),
    "a number for a path": (lambda r: r.update(input_path=4), "'input_path' holds no path of a picture"),
    "an answer that is neither": (
        lambda r: r["annotated_qa_pairs"][0].update(answer="Maybe"),
        "question 1 has the answer 'Maybe'; it must be Yes or No",
    ),
    "an answer that is a truth value": (lambda r: r["annotated_qa_pairs"][0].update(answer=True), "the answer True"),
    "a box outside": (set_box(x=2000), "question 2 has the box x=2000 .* outside the picture of 1024×683"),
    "a box below": (set_box(y=700), "outside the picture"),
    "a negative size": (set_box(width=-5), "whose size is negative"),
    "a box without numbers": (set_box(height="12"), "question 2 has no box with x, y, width and height as numbers"),
    "a box that is not a number": (set_box(x=float("nan")), "no box with x"),
    "a box beyond all floats": (set_box(x=10**400), "no box with x"),
    "half a character": (lambda r: r.update(edit_instruction="wet \ud83d"), "half of a character"),
    "half a character in a question": (
        lambda r: r["annotated_qa_pairs"][0].update(question="\udc00?"),
        "field 'annotated_qa_pairs' holds a NUL or half of a character",
    ),
    "half a character in an id": (
        lambda r: r.update(index="\udfff"),
        "field 'index' holds a NUL or half of a character",
    ),
    "no box": (lambda r: r["annotated_qa_pairs"][1].pop("box"), "question 2 has no box"),
    "no question": (lambda r: r["annotated_qa_pairs"][0].pop("question"), "question 1 has no text"),
    "no questions": (lambda r: r.pop("annotated_qa_pairs"), "'annotated_qa_pairs' holds no questions"),
    "an unknown law": (
        lambda r: r.update(physics_law="Reflexion"),
        "'Reflexion'; did you mean 'reflection'\\? \\(known: causality",
    ),
    "no law": (lambda r: r.pop("physics_law"), "'physics_law' is missing or empty"),
    "an unknown category": (lambda r: r.update(physics_category="Magic"), "there is no physics_category 'Magic'"),
    "a law of another category": (lambda r: r.update(physics_category="Mechanics"), "belongs to optics, not"),
    "no instruction": (lambda r: r.pop("edit_instruction"), "there is no instruction: give edit_instruction"),
    "an id that was used": (lambda r: r.update(index=0), "id '00000' was used before, in .* row 1, index 0"),
    "an id that is a path": (lambda r: r.update(index="a/../b"), "cannot name a file"),
    "no id": (lambda r: r.pop("index"), "'index' is missing or empty"),
    "an edit area in words": (lambda r: r.update(edit_area="left half"), "'edit_area' is 'left half'"),
    "an edit area of negative size": (
        lambda r: r.update(edit_area=[{"x": 9, "y": 0, "width": -5, "height": 5}]),
        "edit area 1 has the box .* whose size is negative",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_named_with_file_and_row_and_the_rest_can_go_on(folder: Path, flaw: str) -> None:
    spoil, said = FLAWS[flaw]
    changed(folder, lambda rows: spoil(rows[2]))
    with pytest.raises(BadInput, match=said) as caught:
        picabench.load(folder)
    assert f"{folder / 'meta_info.json'} row 3" in str(caught.value)
    assert "--skip-bad" in str(caught.value)
    suite = picabench.load(folder, skip_bad=True)
    assert len(suite) == 8
    assert "00002" not in suite
    assert suite.options["skip_bad"] is True
    assert suite.notes()[0] == "1 row was left out (--skip-bad)"
    assert "row 3" in suite.notes()[1]
    assert suite.fingerprint != picabench.load(make_picabench(folder.parent / "whole", 9)).fingerprint


def test_unreadable_pictures_are_named(folder: Path) -> None:
    (folder / "input_img/00004.png").write_bytes(b"not a picture at all")
    (folder / "input_img/00005.png").write_bytes(b"")
    whole = (folder / "input_img/00006.png").read_bytes()
    (folder / "input_img/00006.png").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadData, match="has 3 flaws") as caught:
        picabench.load(folder)
    assert [flaw.where.partition(" row ")[2] for flaw in caught.value.flaws] == [
        f"{n + 1}, index {n}" for n in (4, 5, 6)
    ]
    assert "is not a picture" in str(caught.value)
    assert len(picabench.load(folder, skip_bad=True)) == 6


def test_all_flaws_are_kept_and_the_first_ten_are_said(tmp_path: Path) -> None:
    folder = make_picabench(tmp_path, 16)
    shutil.rmtree(folder / "input_img")
    changed(folder, lambda rows: rows[0].update(physics_law="magic"))
    with pytest.raises(BadData, match="has 17 flaws") as caught:
        picabench.load(folder)
    assert len(caught.value.flaws) == 17  # the first row has two
    assert str(caught.value).count("meta_info.json row") == 10
    assert str(caught.value).endswith("\n  and 7 more")
    with pytest.raises(BadInput, match="holds no case of picabench that can be used"):
        picabench.load(folder, skip_bad=True)


def test_a_box_that_reaches_over_the_edge_is_used_and_noted(folder: Path) -> None:
    changed(folder, lambda rows: set_box(x=1000, width=100)(rows[0]))
    suite = picabench.load(folder)
    assert len(suite) == 9
    (note,) = suite.notes()
    assert "row 1, index 0: question 2 has the box x=1000" in note
    assert "reaches over the edge" in note


def test_a_list_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"needs its data: give --data DIR.*Andrew613/PICABench"):
        picabench.load()
    with pytest.raises(BadInput, match="is not a folder; --data takes the data of picabench"):
        picabench.load(tmp_path / "none")
    with pytest.raises(BadInput, match=r"holds no meta_info\.json and no Parquet file"):
        picabench.load(tmp_path)
    listing = tmp_path / "meta_info.json"
    for content, said in (
        (b"[{]", "is not JSON"),
        (b"{}", "holds a JSON object, not a list"),
        (b"[]", "holds no case"),
        (b"[4]", "row 1: the row is a number, not an object"),
        (b"\xff\xfe[]", "is not UTF-8"),
        (b"[" * 100_000, "is not JSON"),
        (b"[" + b"9" * 5000 + b"]", "is not JSON"),
    ):
        listing.write_bytes(content)
        with pytest.raises(BadInput, match=said):
            picabench.load(tmp_path)


def test_a_byte_order_mark_does_no_harm(folder: Path) -> None:
    listing = folder / "meta_info.json"
    listing.write_bytes(b"\xef\xbb\xbf" + listing.read_bytes())
    assert len(picabench.load(folder)) == 9


def test_pictures_may_be_links(folder: Path, tmp_path: Path) -> None:
    shutil.move(folder / "input_img", tmp_path / "blobs")
    (folder / "input_img").symlink_to(tmp_path / "blobs")
    assert len(picabench.load(folder)) == 9


def test_outputs_are_looked_for_by_number_and_level() -> None:
    names = picabench.PicaBenchSuite.output_names
    assert names(None, "00012") == ("00012", "0012", "12", *(f"superficial/{n}" for n in ("00012", "0012", "12")))  # type: ignore[arg-type]
    assert names(None, "00012", "explicit") == ("explicit/00012", "explicit/0012", "explicit/12")  # type: ignore[arg-type]


def as_parquet(folder: Path, n: int) -> Path:
    """The same cases as the Hugging Face dataset has them: pictures inside the table, no index."""
    made = make_picabench(folder / "files", n, hub=True)
    rows = []
    for number in range(n):
        row = picabench_row(number, hub=True)
        place = row.pop("input_path")
        row["input_image"] = {"bytes": (made / place).read_bytes(), "path": f"{number}.png"}
        row["edit_area"] = None if isinstance(row["edit_area"], str) else row["edit_area"]
        del row["index"], row["output_path"]
        rows.append(row)
    (folder / "repo/data").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "repo/data/picabench-00000-of-00001.parquet")
    return folder / "repo"


def test_the_parquet_form_gives_the_same_cases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    repo = as_parquet(tmp_path, 5)
    suite = picabench.load(repo, levels="superficial,intermediate,explicit")
    plain = picabench.load(tmp_path / "files", levels="superficial,intermediate,explicit")
    assert suite.fingerprint == plain.fingerprint
    assert suite.options["root"] == str(repo)
    assert suite.variants("00004") == ("", "intermediate", "explicit")
    before = sorted(path.stat().st_mtime_ns for path in suite.root.rglob("*"))
    assert picabench.load(repo).root == suite.root
    assert sorted(path.stat().st_mtime_ns for path in suite.root.rglob("*")) == before, "unpacked again"
    assert not list((tmp_path / "cache/datasets").glob("making-*"))


def test_a_broken_parquet_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    repo = as_parquet(tmp_path, 2)
    (file,) = hub.parquet_files(repo)
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(BadInput, match=r"00001\.parquet cannot be read as Parquet"):
        picabench.load(repo)
    assert not list((tmp_path / "cache/datasets").iterdir()), "half a dataset stayed behind"
