"""Published results as data: complete, labeled, found by any name, and read in no time."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import editscope.suites
from editscope.errors import BadInput
from editscope.published import (
    FIELDS,
    HEADLINES,
    PAPERS,
    best,
    card,
    contradictions,
    corrections,
    headline,
    known_model,
    label,
    leaderboard,
    main_leaderboard,
    matrix,
    models,
    reading,
    results,
    suites,
)

SUITES = Path(editscope.suites.__file__).parent


@pytest.mark.slow
def test_every_file_is_read_and_every_line_becomes_a_result() -> None:
    files = {path.parent.parent.name: path for path in sorted(SUITES.glob("*/published/results.csv"))}
    assert set(files) == set(PAPERS)
    lines = sum(len(list(csv.reader(file.read_text(encoding="utf-8").splitlines()))) - 1 for file in files.values())
    assert len(results()) == lines
    for source in files:
        assert {row.source for row in results(source=source)} == {source}
    assert {row.suite for row in results()} == set(suites())
    for suite in suites():
        assert {row.source for row in results() if row.suite == suite} == {HEADLINES[suite].source}


def test_no_cell_is_carried_twice() -> None:
    keys = [
        (r.source, r.table, r.suite, r.judge, r.model, r.level, r.language, r.setting, r.by, r.group, r.metric)
        for r in results()
    ]
    assert len(set(keys)) == len(keys)


def test_every_number_says_what_it_is() -> None:
    for row in results():
        assert row.table.isdecimal()
        assert row.metric
        assert row.by
        assert (row.group == "") == (row.by == "overall"), row
        assert row.level in ("", "superficial", "intermediate", "explicit")
        assert row.language in ("", "en", "cn")
        assert bool(row.judge) == (row.suite not in ("paintbench", "tinygrafix"))


def test_values_are_within_their_scales() -> None:
    for row in results():
        if row.metric.endswith(("_delta", "_gain")):
            continue
        top = 5 if row.suite == "worldedit" else 100
        assert (1 if row.suite == "worldedit" else 0) <= row.value <= top, row


def test_every_suite_has_a_best_model_in_its_main_setting() -> None:
    expected = {
        "paintbench": ("Nano Banana 2", 17.1),
        "tinygrafix": ("Nano Banana 2", 15.9),
        "picabench": ("GPT-Image-1.5", 67.05),
        "worldedit": ("GPT-4o", 4.36),
        "kris": ("GPT-4o", 80.09),
        "rise": ("GPT-4o", 28.9),
        "wiseedit": ("Nano Banana Pro", 82.4),
        "wiseedit-complex": ("Nano Banana Pro", 77.1),
        "inedit": ("GPT-Image-1", 81.33),
        "gedit": ("GPT-4o", 7.494),
    }
    found = {suite: best(suite) for suite in suites()}
    assert {suite: (row.model, row.value) for suite, row in found.items() if row is not None} == expected


def test_a_leaderboard_is_in_order_and_has_every_model_once() -> None:
    for suite in suites():
        ranked = main_leaderboard(suite)
        values = [row.value for row in ranked]
        assert values == sorted(values, reverse=True)
        assert len({row.model for row in ranked}) == len(ranked) >= 9
        assert {row.metric for row in ranked} == {headline(suite)}


def test_a_number_that_tables_repeat_comes_with_its_half_width() -> None:
    baseline = leaderboard("paintbench", "miou", by="condition", group="baseline")
    assert {row.table for row in baseline} == {"15"}
    assert all(row.half_width is not None for row in baseline)


def test_a_suite_of_ones_own_has_nothing_published() -> None:
    assert results("my-own-suite") == ()
    assert best("my-own-suite") is None
    assert main_leaderboard("my-own-suite") == ()
    assert leaderboard("my-own-suite", "miou") == ()


def test_the_label_names_set_prompts_and_judge() -> None:
    said = {suite: label(row) for suite in suites() if (row := best(suite)) is not None}
    assert said["paintbench"] == said["tinygrafix"] == "authors' set"
    assert said["picabench"] == "authors' set and prompts, judged by GPT-5 · superficial instructions"
    assert said["wiseedit"] == "authors' set and prompts, judged by GPT-4o · English"
    assert said["rise"] == "authors' set and prompts, judged by GPT-4.1, as reported by WorldEdit"
    traced = results("paintbench", table=12)[1]
    assert label(traced) == "authors' set · earlier set, reasoning trace added"


def test_every_model_of_every_table_has_a_card_and_every_card_a_result() -> None:
    assert {row.model for row in results()} == set(models())


def test_a_model_goes_by_any_of_its_names() -> None:
    assert known_model("gpt-i2") == "GPT-Image-2"
    assert results("paintbench", table=1, model="NB-2") == results("paintbench", table=1, model="nano banana 2")
    unlisted = card("a model that no paper has")
    assert unlisted is None


def test_no_name_means_two_models() -> None:
    names = [name.casefold() for one in models().values() for name in (one.name, *one.aliases)]
    assert len(set(names)) == len(names)


def test_cards_hold_facts_or_nothing() -> None:
    for one in models().values():
        assert one.family
        assert one.year is None or 2022 <= one.year <= 2026
        assert one.parameters_b is None or 0 < one.parameters_b <= 100
        if one.open is False:
            assert one.parameters_b is None, one  # nobody outside knows
    assert {one.developer for one in models().values() if one.family == "Gemini"} == {"Google"}
    assert models()["HunyuanImage-3.0"].parameters_b == 80


def test_every_correction_and_contradiction_is_of_a_paper_and_a_table() -> None:
    cells = [(row.source, row.table, row.cell, row.printed) for row in corrections()]
    cells += [(row.source, row.table, row.cell, row.printed) for row in contradictions()]
    for source, table, cell, printed in cells:
        assert source in PAPERS
        assert table.isdecimal()
        assert cell
        assert printed
    assert len(corrections("paintbench")) == 84
    assert all(row.printed != row.used and row.reason for row in corrections())
    assert all(row.computed and row.remark for row in contradictions())


def test_a_matrix_of_one_model_has_what_differs_in_its_columns() -> None:
    table = matrix(results("paintbench", table=12, model="NB-2"))
    assert [column.details for column in table.columns][:3] == [
        ("edit_accuracy@5", "earlier set"),
        ("edit_accuracy@5", "earlier set, reasoning trace added"),
        ("edit_accuracy@5_gain", "earlier set, reasoning trace added"),
    ]
    assert len(table.rows) == 16


def test_a_broken_file_is_named_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "results.csv"
    monkeypatch.setattr(reading, "_folder", lambda source: tmp_path)
    file.write_text(",".join(FIELDS) + "\npaintbench,1,paintbench\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"results\.csv line 2 has 3 fields, not 13"):
        reading.result_lines.__wrapped__("paintbench")
    file.write_text("table,value\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"results\.csv begins with 'table,value'"):
        reading.result_lines.__wrapped__("paintbench")
