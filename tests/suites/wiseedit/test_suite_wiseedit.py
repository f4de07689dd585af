"""WiseEdit and WiseEdit-Complex: what the loader makes of the CSV files, and what it says of broken ones."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editscope.errors import BadInput
from editscope.suites.wiseedit import data as wiseedit
from support.judged_data import make_wiseedit, write_csv

AWARENESS = "WiseEdit/Awareness/Awareness_2/Awareness_2.csv"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_wiseedit(tmp_path / "wise", 4)


def read(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def test_rows_become_cases_in_both_languages(folder: Path) -> None:
    suite = wiseedit.load(folder)
    assert len(suite) == 5 * 4
    assert suite.default_protocol == "wiseedit"
    assert [suite.tags(i)["task"] for i in suite.ids[::4]] == [
        *("awareness", "awareness", "interpretation", "imagination", "imagination"),
    ]
    case = suite["Awareness_2/3"]
    assert case.tags == {"task": "awareness", "subset": "Awareness_2", "images": "2", "inputs": "multi"}
    assert suite.tags("Awareness_1/3")["inputs"] == "single"
    assert len(case.images) == 2
    assert suite.variants("Awareness_2/3") == ("en", "cn")
    assert [(i.language, i.text) for i in case.instructions] == [
        ("en", 'Wish 3 of Awareness_2, "quoted", with commas'),
        ("cn", "愿望 3，Awareness_2"),
    ]
    assert case.hint == "Hint 3"
    assert suite["Awareness_2/2"].hint is None
    assert suite.output_names("Awareness_2/3", "cn") == ("Awareness_2/cn/3",)


def test_references_come_as_a_list_or_split_by_bar_or_semicolon(folder: Path) -> None:
    path = folder / AWARENESS
    rows = read(path)
    both = [f"WiseEdit/Awareness/Awareness_2/ref/2_{r}.png" for r in (0, 1)]
    for row, cell in zip(rows, (f'["{both[0]}", "{both[1]}"]', " | ".join(both), ";".join(both), ""), strict=True):
        row["ref"] = cell
    write_csv(path, rows)
    suite = wiseedit.load(folder)
    found = [tuple(Path(str(r)).name for r in suite[f"Awareness_2/{i}"].references) for i in (1, 2, 3, 4)]
    assert found == [("2_0.png", "2_1.png")] * 3 + [()]


def test_a_reference_in_json_quotes_is_the_file_and_empty_entries_are_none(folder: Path) -> None:
    path = folder / AWARENESS
    rows = read(path)
    one = "WiseEdit/Awareness/Awareness_2/ref/2_0.png"
    for row, cell in zip(rows, (f'"{one}"', f'["{one}", "", null, NaN]', "null", " NaN "), strict=True):
        row["ref"] = cell
    write_csv(path, rows)
    suite = wiseedit.load(folder)
    found = [tuple(Path(str(r)).name for r in suite[f"Awareness_2/{i}"].references) for i in (1, 2, 3, 4)]
    assert found == [("2_0.png",), ("2_0.png",), (), ()]


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters='|;"[]{}'), min_size=1)
BLANK = st.sampled_from(["", " ", "\t", "\n "])


@pytest.mark.slow
@given(st.lists(NAMES.map(lambda name: f"ref/{name}.png"), max_size=4), BLANK, st.data())
def test_however_references_are_written_they_are_the_same_paths(
    paths: list[str], blank: str, data: st.DataObject
) -> None:
    def spread(mark: str) -> str:
        gaps = [data.draw(BLANK) for _ in paths]
        return mark.join([blank, *(gap + path + gap for path, gap in zip(paths, gaps, strict=True)), blank])

    shapes = [json.dumps(paths), json.dumps([blank, *paths, None, float("nan")], ensure_ascii=False)]
    shapes += [spread("|"), spread(";")]
    shapes += [json.dumps(blank + path + blank) for path in paths if len(paths) == 1]
    for shape in shapes:
        assert wiseedit.listed(blank + shape + blank) == paths, shape


@given(st.one_of(st.none(), st.floats(), st.text(), st.text('[]{}"|;, nulNaN\\')))
def test_no_cell_breaks_the_reading_and_none_gives_an_empty_path(cell: object) -> None:
    assert all(path and path == path.strip() for path in wiseedit.listed(cell))


@pytest.mark.parametrize(
    "cell", [None, "", "  ", "null", "None", "nan", "NaN", float("nan"), '""', '" "', "[]", '[""]', "|", ";;"]
)
def test_a_cell_that_says_nothing_names_no_reference(cell: object) -> None:
    assert wiseedit.listed(cell) == []


def test_one_language_keeps_its_name_and_the_english_text_for_the_judge(folder: Path) -> None:
    both = wiseedit.load(folder)
    suite = wiseedit.load(folder, languages="cn")
    assert suite.variants("Awareness_1/1") == ("cn",)
    assert suite["Awareness_1/1"].details["english"] == 'Wish 1 of Awareness_1, "quoted", with commas'
    assert suite.fingerprint == both.fingerprint
    again = wiseedit.load(**suite.options)
    assert (again.options, again.variants("Awareness_1/1")) == (suite.options, ("cn",))
    with pytest.raises(BadInput, match="there is no language 'fr'"):
        wiseedit.load(folder, languages="fr")


def test_a_missing_translation_matters_where_it_is_run(folder: Path) -> None:
    rows = read(folder / AWARENESS)
    rows[1]["promptcn"] = ""
    write_csv(folder / AWARENESS, rows)
    with pytest.raises(BadInput, match=r"Awareness_2\.csv row 2 \(line 3\), idx 2: field 'promptcn' is missing"):
        wiseedit.load(folder)
    assert len(wiseedit.load(folder, languages="en")) == 20


def test_complex_cases_are_a_suite_of_their_own(folder: Path) -> None:
    suite = wiseedit.load_complex(folder)
    assert suite.name == "wiseedit-complex"
    assert len(suite) == 2 * 4
    assert suite.ids[0] == "WiseEdit_Complex_2/1"
    assert suite.tags("WiseEdit_Complex_3/1") == {
        "task": "complex",
        "subset": "WiseEdit_Complex_3",
        "images": "3",
        "inputs": "multi",
    }
    assert suite.output_names("WiseEdit_Complex_3/1", "en") == ("WiseEdit_Complex_3/en/1",)
    assert suite.aggregation.overall.over == ()


def test_tags_csv_adds_tags_and_tables(tmp_path: Path) -> None:
    folder = make_wiseedit(tmp_path, 2, tags=True)
    rows = read(folder / "tags.csv")
    kept = [row for row in rows if (row["subset"], row["idx"]) != ("Awareness_1", "2")]
    write_csv(folder / "tags.csv", [*kept, {**rows[0], "idx": "77"}])
    suite = wiseedit.load(folder)
    assert suite.tags("Awareness_1/1")["knowledge"] == "procedural"
    assert suite.tags("Awareness_1/1")["domain"] == "natural_sciences"
    assert suite.tags("Awareness_1/2")["knowledge"] == "untagged"
    assert [group.name for group in suite.aggregation.groups][-2:] == ["knowledge", "domain"]
    assert suite.notes() == (f"{folder / 'tags.csv'} has rows that belong to no case: awareness_1 77",)
    assert wiseedit.load_complex(folder).notes() == ()
    assert [group.name for group in wiseedit.WiseEditSuite.aggregation.groups] == [
        "task",
        "inputs",
        "inputs/task",
        "images",
    ], "class changed"
    write_csv(folder / "tags.csv", [{"subset": "Awareness_1", "idx": "1", "Task": "x"}])
    with pytest.raises(BadInput, match="column 'Task' has the name of a tag"):
        wiseedit.load(folder)


def test_the_inner_folder_will_do(folder: Path) -> None:
    assert wiseedit.load(folder / "WiseEdit").ids == wiseedit.load(folder).ids
    with pytest.raises(BadInput, match="holds no folder WiseEdit"):
        wiseedit.load(folder / "WiseEdit/Awareness")
    with pytest.raises(BadInput, match="wiseedit needs its data"):
        wiseedit.load()


FLAWS: dict[str, tuple[Callable[[dict[str, str]], object], str]] = {
    "a missing input": (lambda r: r.update(input_2="WiseEdit/none.png"), "'input_2': .*none.png does not exist"),
    "an empty input": (lambda r: r.update(input_1=""), "'input_1' holds no path"),
    "an input elsewhere": (lambda r: r.update(input_1="../../x.png"), "leaves the data folder"),
    "a missing reference": (lambda r: r.update(ref="WiseEdit/a.png|WiseEdit/b.png"), "'ref': .*a.png does not exist"),
    "no instruction": (lambda r: r.update(prompt=" "), "'prompt' is missing or empty"),
    "no idx": (lambda r: r.update(idx=""), "'idx' is missing or empty"),
    "an idx that was used": (lambda r: r.update(idx="1"), "id 'Awareness_2/1' was used before"),
}


@pytest.mark.slow
@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_named_with_file_and_row_and_the_rest_can_go_on(folder: Path, flaw: str) -> None:
    spoil, said = FLAWS[flaw]
    rows = read(folder / AWARENESS)
    spoil(rows[2])
    write_csv(folder / AWARENESS, rows)
    with pytest.raises(BadInput, match=said) as caught:
        wiseedit.load(folder)
    assert f"{folder / AWARENESS} row 3 (line 4)" in str(caught.value)
    suite = wiseedit.load(folder, skip_bad=True)
    assert len(suite) == 19
    assert "Awareness_2/3" not in suite
    assert "row 3 (line 4)" in suite.notes()[1]


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8-sig").splitlines()


def test_broken_rows_are_named_and_the_rest_can_go_on(folder: Path) -> None:
    path = folder / AWARENESS
    lines = lines_of(path)
    path.write_text("\n".join([*lines[:2], lines[2] + ",more", "", *lines[3:]]), encoding="utf-8")
    with pytest.raises(BadInput, match=r"row 2 \(line 3\): the row has 8 cells, the header 7"):
        wiseedit.load(folder)
    assert len(wiseedit.load(folder, skip_bad=True)) == 19
    path.write_text("\n".join([*lines[:3], '3,"never closed', *lines[4:]]), encoding="utf-8")
    with pytest.raises(BadInput, match=r"row 3 \(line 4\): the row is broken .*close its quotes"):
        wiseedit.load(folder)
    assert [i for i in wiseedit.load(folder, skip_bad=True).ids if "ness_2" in i] == ["Awareness_2/1", "Awareness_2/2"]


def test_a_cell_may_hold_line_breaks(folder: Path) -> None:
    rows = read(folder / AWARENESS)
    rows[0]["prompt"] = "first line\nsecond line"
    rows[2]["prompt"] = ""
    write_csv(folder / AWARENESS, rows)
    with pytest.raises(BadInput, match=r"row 3 \(line 5\), idx 3: field 'prompt'"):
        wiseedit.load(folder)
    suite = wiseedit.load(folder, skip_bad=True)
    assert suite["Awareness_2/1"].instruction == "first line\nsecond line"


def test_a_file_without_its_columns_or_not_there_is_named(folder: Path) -> None:
    path = folder / AWARENESS
    path.write_text("idx,input_1,prompt\n1,a.png,wish\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"Awareness_2\.csv: the header lacks 'input_2', 'promptcn', 'hint', 'ref'"):
        wiseedit.load(folder)
    assert len(wiseedit.load(folder, skip_bad=True)) == 16
    path.write_bytes("idx,提示".encode("gbk"))
    with pytest.raises(BadInput, match=r"Awareness_2\.csv: is not UTF-8 \(line 1"):
        wiseedit.load(folder)
    path.unlink()
    with pytest.raises(BadInput, match=r"Awareness_2\.csv: is missing"):
        wiseedit.load(folder)
    assert len(wiseedit.load(folder, skip_bad=True)) == 16


def test_more_inputs_than_the_folder_says_is_a_flaw(folder: Path) -> None:
    rows = read(folder / AWARENESS)
    write_csv(folder / AWARENESS, [{**row, "input_3": row["input_1"]} for row in rows])
    with pytest.raises(BadInput, match="there is an input_3, but Awareness_2 has cases of 2"):
        wiseedit.load(folder)
