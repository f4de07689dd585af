"""GEdit-Bench: what the loader makes of a list of cases and of the hub's files, and what it says of broken rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from PIL import Image
from pyarrow import parquet

from editscope.errors import BadInput
from editscope.suites.gedit import data as gedit
from suites.gedit.gedit_rows import RAW, gedit_row, gedit_rows, make_gedit
from support.judged_data import write_lines

Row = dict[str, Any]
SMALL = (48, 32)


def png(number: int, size: tuple[int, int]) -> bytes:
    target = BytesIO()
    Image.new("RGB", size, (number * 9 % 256, 80, 160)).save(target, "PNG")
    return target.getvalue()


def hub_table(n: int) -> pa.Table:
    """The columns of the dataset on the hub, pictures as structures of bytes and path."""
    rows = []
    for number, fields in ((int(fields["key"], 16), fields) for fields in gedit_rows(n)):
        pictures = {
            "input_image": {"bytes": png(number, SMALL), "path": None},
            "input_image_raw": {"bytes": png(number, RAW), "path": None},
        }
        rows.append({**fields, **pictures})
    return pa.Table.from_pylist(rows)


def write_arrow(path: Path, table: pa.Table) -> None:
    """A file as the library ``datasets`` saves it: a stream of record batches."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=5)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_gedit(tmp_path / "gedit", gedit_rows(12))


def test_two_rows_with_one_key_are_a_case_in_both_languages(folder: Path) -> None:
    suite = gedit.load(folder)
    assert len(suite) == 12
    assert suite.scoring == "judged"
    assert suite.default_protocol == "gedit"
    assert tuple(suite.tags(i)["group"] for i in suite.ids[:11]) == gedit.GROUPS
    case = suite[f"material_alter/{2:032x}"]
    assert [(i.language, i.variant, i.text) for i in case.instructions] == [
        ("en", "en", "Change thing 2"),
        ("cn", "cn", "改变 2"),
    ]
    assert case.details["intersection"] == ["en", "cn"]
    assert suite[f"motion_change/{3:032x}"].details["intersection"] == ["en"]
    assert suite.aggregation.overall.over == ("group",)
    assert suite.notes() == ()


def test_edits_lie_where_the_authors_tool_saves_them(folder: Path) -> None:
    key = f"{6:032x}"
    assert gedit.load(folder).output_names(f"subject-add/{key}", "cn") == (
        f"fullset/subject-add/cn/{key}",
        f"subject-add/cn/{key}",
    )


def test_one_language_is_the_same_case(folder: Path) -> None:
    both, suite = gedit.load(folder), gedit.load(folder, languages="cn")
    assert {suite.variants(i) for i in suite.ids} == {("cn",)}
    assert suite.fingerprint == both.fingerprint
    again = gedit.load(**suite.options)
    assert (again.options, again.variants(again.ids[0])) == (suite.options, ("cn",))
    with pytest.raises(BadInput, match="there is no language 'fr'"):
        gedit.load(folder, languages="fr")


def test_the_intersection_leaves_out_edits_and_not_whole_cases(folder: Path) -> None:
    suite = gedit.load(folder, intersection="only")
    assert len(suite) == 12
    assert suite.variants(f"motion_change/{3:032x}") == ("en",)
    assert suite.variants(f"ps_human/{4:032x}") == ("en", "cn")
    assert len(gedit.load(folder, intersection="only", languages="cn")) == 8
    assert gedit.load(**suite.options).options == suite.options
    with pytest.raises(BadInput, match="there is no intersection 'some'"):
        gedit.load(folder, intersection="some")


def test_without_the_flag_there_is_no_intersection_to_run(tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if name != gedit.FLAG} for row in gedit_rows(2)]
    make_gedit(tmp_path, rows)
    assert "intersection" not in gedit.load(tmp_path)[gedit.load(tmp_path).ids[0]].details
    with pytest.raises(BadInput, match="field 'Intersection_exist' is missing, and intersection=only goes by it"):
        gedit.load(tmp_path, intersection="only")


def test_a_key_with_one_language_is_a_case_with_one_edit(tmp_path: Path) -> None:
    suite = gedit.load(make_gedit(tmp_path, [gedit_row(0, "en"), gedit_row(1, "en"), gedit_row(1, "cn")], "cases.json"))
    assert [suite.variants(i) for i in suite.ids] == [("en",), ("en", "cn")]
    assert suite.notes()[-1].startswith("9 of 11 groups have no case here: material_alter, ")
    assert len(gedit.load(tmp_path, languages="cn")) == 1


def test_pictures_that_differ_are_cases_of_their_own(tmp_path: Path) -> None:
    suite = gedit.load(make_gedit(tmp_path, [gedit_row(0, "en"), gedit_row(0, "cn", input_image_raw="images/7.png")]))
    name = f"background_change/{0:032x}"
    assert suite.ids == (name, f"{name}-cn")
    assert Path(str(suite[f"{name}-cn"].images[0])).name == "7.png"
    assert suite.output_names(f"{name}-cn", "cn") == (
        f"fullset/background_change/cn/{0:032x}",
        f"background_change/cn/{0:032x}",
    )
    assert "its picture is not that of the row in en" in suite.notes()[0]


def test_names_may_be_written_in_other_ways(tmp_path: Path) -> None:
    suite = gedit.load(make_gedit(tmp_path, [gedit_row(0, "zh", task_type="Subject_Add")]))
    assert suite.ids == (f"subject-add/{0:032x}",)
    assert suite.variants(suite.ids[0]) == ("cn",)


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_the_files_of_the_hub_are_unpacked_once_with_the_original_pictures(
    tmp_path: Path, cache: Path, form: str
) -> None:
    table, home = hub_table(11), tmp_path / "hub"
    home.mkdir()
    if form == "parquet":
        parquet.write_table(table, home / "train-00000.parquet")
    else:
        write_arrow(home / "data-00000-of-00002.arrow", table.slice(0, 9))
        write_arrow(home / "data-00001-of-00002.arrow", table.slice(9))
        write_arrow(home / "cache-0123.arrow", table.slice(3, 2))  # what the library keeps there of its own
    suite = gedit.load(home)
    assert len(suite) == 11
    assert suite.options["root"] == str(home)
    assert {suite.variants(i) for i in suite.ids} == {("en", "cn")}
    picture = Path(str(suite[suite.ids[3]].images[0]))
    assert picture.is_relative_to(cache)
    assert picture.read_bytes() == png(3, RAW)
    before = sorted((path, path.stat().st_mtime_ns) for path in cache.rglob("*"))
    assert gedit.load(home).fingerprint == suite.fingerprint
    assert sorted((path, path.stat().st_mtime_ns) for path in cache.rglob("*")) == before


def test_a_broken_arrow_file_and_an_empty_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds no cases.json or cases.jsonl, and no Parquet or Arrow file"):
        gedit.load(tmp_path)
    (tmp_path / "data.arrow").write_bytes(b"no arrow at all")
    with pytest.raises(BadInput, match=r"data.arrow cannot be read as Arrow .*download it again"):
        gedit.load(tmp_path)
    with pytest.raises(BadInput, match="gedit needs its data"):
        gedit.load()


FLAWS: Mapping[str, tuple[Callable[[Row], object], str]] = {
    "no key": (lambda r: r.update(key=" "), "'key' is missing or empty"),
    "another group": (lambda r: r.update(task_type="weather"), "there is no task_type 'weather'"),
    "another language": (lambda r: r.update(instruction_language="fr"), "there is no instruction_language 'fr'"),
    "no instruction": (lambda r: r.update(instruction=""), "'instruction' is missing or empty"),
    "no picture": (lambda r: r.pop("input_image_raw"), "'input_image' holds no path of a picture"),
    "a missing picture": (lambda r: r.update(input_image_raw="images/none.png"), "none.png does not exist"),
    "a flag in words": (lambda r: r.update(Intersection_exist="yes"), "'Intersection_exist' is a text"),
    "a key that was used": (
        lambda r: r.update(gedit_row(0, "en")),
        "was used before for background_change in en, in .*row 1",
    ),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_named_with_file_and_row_and_the_rest_can_go_on(tmp_path: Path, flaw: str) -> None:
    spoil, message = FLAWS[flaw]
    rows = gedit_rows(4)
    make_gedit(tmp_path, rows)
    spoil(rows[4])
    write_lines(tmp_path / "cases.jsonl", rows)
    with pytest.raises(BadInput, match=message) as caught:
        gedit.load(tmp_path)
    assert f"{tmp_path / 'cases.jsonl'} row 5" in str(caught.value)
    suite = gedit.load(tmp_path, skip_bad=True)
    assert [suite.variants(i) for i in suite.ids] == [("en", "cn"), ("en", "cn"), ("cn",), ("en", "cn")]
