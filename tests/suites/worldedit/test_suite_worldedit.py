"""WorldEdit-Test: what the loader makes of cases.jsonl, and what it says of lines that cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.suites.worldedit import data as worldedit
from support.judged_data import MODES, make_worldedit, worldedit_row, write_lines


def test_a_line_becomes_a_case_with_its_mode(tmp_path: Path) -> None:
    suite = worldedit.load(make_worldedit(tmp_path, 12))
    assert len(suite) == 12
    assert suite.scoring == "judged"
    assert suite.default_protocol == "worldedit"
    assert tuple(suite.tags(i)["mode"] for i in suite.ids[:11]) == MODES == worldedit.MODES
    case = suite["humidity_002"]
    assert case.instruction == "What happens to thing 2 under humidity?"
    assert case.details["explanation"] == "Because of humidity."
    assert suite.variants("humidity_002") == ("",)
    assert suite.aggregation.overall.over == ("mode",)


def test_both_forms_can_be_run(tmp_path: Path) -> None:
    suite = worldedit.load(make_worldedit(tmp_path, 2), forms="implicit,paraphrase")
    assert suite.variants("time_000") == ("", "paraphrase")
    assert [(i.level, i.text) for i in suite["time_000"].instructions] == [
        ("implicit", "What happens to thing 0 under time?"),
        ("paraphrase", "Show thing 0 changed by time."),
    ]
    assert worldedit.load(tmp_path, forms="paraphrase").variants("time_000") == ("paraphrase",)
    assert worldedit.load(tmp_path, forms="paraphrase").fingerprint == suite.fingerprint
    with pytest.raises(BadInput, match="there is no form 'explicit'"):
        worldedit.load(tmp_path, forms="explicit")
    again = worldedit.load(**suite.options)
    assert (again.options, again.fingerprint) == (suite.options, suite.fingerprint)
    assert suite.output_names("time_000") == ("time_000", "implicit/time_000")
    assert suite.output_names("time_000", "paraphrase") == ("paraphrase/time_000", "time_000_paraphrase")


def test_a_set_without_paraphrases_is_a_set_until_they_are_asked_for(tmp_path: Path) -> None:
    make_worldedit(tmp_path, 3)
    write_lines(
        tmp_path / "cases.jsonl", [{k: v for k, v in worldedit_row(i).items() if k != "paraphrase"} for i in range(3)]
    )
    assert len(worldedit.load(tmp_path)) == 3
    with pytest.raises(BadInput, match="row 1, id time_000: field 'paraphrase' is missing"):
        worldedit.load(tmp_path, forms="paraphrase")


FLAWS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "an unknown mode": (lambda r: r.update(mode="tme"), "there is no mode 'tme'; did you mean 'time'"),
    "no mode": (lambda r: r.pop("mode"), "field 'mode' is missing"),
    "no image": (lambda r: r.pop("image"), "field 'image' holds no path"),
    "an image that is not there": (lambda r: r.update(image="images/none.png"), "none.png does not exist"),
    "an image elsewhere": (lambda r: r.update(image="../none.png"), "leaves the data folder"),
    "an empty instruction": (lambda r: r.update(instruction="  "), "field 'instruction' is missing or empty"),
    "a list for an instruction": (lambda r: r.update(instruction=["a"]), "'instruction' is a list, not a text"),
    "an id that was used": (lambda r: r.update(id="time_000"), "id 'time_000' was used before, in .* row 1"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_named_with_file_and_row_and_the_rest_can_go_on(tmp_path: Path, flaw: str) -> None:
    spoil, said = FLAWS[flaw]
    make_worldedit(tmp_path, 4)
    rows = [worldedit_row(i) for i in range(4)]
    spoil(rows[2])
    write_lines(tmp_path / "cases.jsonl", rows)
    with pytest.raises(BadInput, match=said) as caught:
        worldedit.load(tmp_path)
    assert f"{tmp_path / 'cases.jsonl'} row 3" in str(caught.value)
    suite = worldedit.load(tmp_path, skip_bad=True)
    assert suite.ids == ("time_000", "temperature_001", "acidity_003")
    assert "row 3" in suite.notes()[1]
    assert suite.label().endswith(", 1 left out")


def test_broken_lines_a_byte_order_mark_and_blank_lines(tmp_path: Path) -> None:
    make_worldedit(tmp_path, 3)
    lines = [json.dumps(worldedit_row(i), ensure_ascii=False) for i in range(3)]
    text = "\n".join([lines[0], "", lines[1][:-3], "17", lines[2]])
    (tmp_path / "cases.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    with pytest.raises(BadInput) as caught:
        worldedit.load(tmp_path)
    assert "row 2 (line 3): this line is not JSON" in str(caught.value)
    assert "row 3 (line 4): the row is a number, not an object" in str(caught.value)
    assert worldedit.load(tmp_path, skip_bad=True).ids == ("time_000", "humidity_002")


def test_no_data_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="worldedit needs its data: give --data DIR"):
        worldedit.load()
    with pytest.raises(BadInput, match=r"holds no cases\.jsonl"):
        worldedit.load(tmp_path)
