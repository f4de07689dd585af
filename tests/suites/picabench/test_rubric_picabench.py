"""Claims about PICABench's rubric: right answers, missing ones, consistency, and what one gets without looking."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editscope.cases import Case, Instruction, Question, Region, Status
from editscope.errors import BadInput
from editscope.judges import Verdict
from editscope.judges.prompts.packs import load_pack
from editscope.scoring.rubrics import ScoreRow, Unit
from editscope.suites import load_suite
from editscope.suites.picabench.rubric import label_shares
from editscope.suites.rubrics import load_rubric
from support.judged_data import make_picabench

GRAY = np.full((60, 80, 3), 100, np.uint8)
ONE = Unit("1", ("",))


def a_case(*labels: str, regions: tuple[Region, ...] = (), law: str = "reflection") -> Case:
    asked = tuple(Question(f"Is thing {n} wet?", label, None, "physics") for n, label in enumerate(labels))
    return Case("1", "picabench", (GRAY,), (Instruction("Wet it."),), {"law": law}, None, regions, asked)


def says(*answers: bool) -> list[Verdict]:
    return [Verdict("ok", {"answer": answer}) for answer in answers]


def rows_of(case: Case, metric: str, **given: Any) -> list[ScoreRow]:
    pixels = given.pop("pixels", {})
    verdicts = given.pop("verdicts", {})
    found = load_rubric("picabench").rows(case, ONE, verdicts, pixels, **given)
    return [row for row in found if row.metric == metric]


def test_an_answer_is_right_when_it_is_the_label() -> None:
    verdicts = {"q1": says(True), "q2": says(True), "q3": says(False)}
    rows = rows_of(a_case("Yes", "No", "No"), "accuracy", verdicts=verdicts)
    assert [(row.key, row.value) for row in rows] == [("q1", 1), ("q2", 0), ("q3", 1)]
    assert {row.tags["question_category"] for row in rows} == {"physics"}
    (by_case,) = rows_of(a_case("Yes", "No", "No"), "accuracy_by_case", verdicts=verdicts)
    assert by_case.value == pytest.approx(2 / 3)


def test_most_of_several_verdicts_decide_and_an_even_split_counts_half() -> None:
    verdicts = {"q1": says(True, True, False), "q2": says(True, False), "q3": [*says(True), Verdict("refused")]}
    rows = rows_of(a_case("Yes", "Yes", "Yes"), "accuracy", verdicts=verdicts)
    assert [row.value for row in rows] == [1, 0.5, 1]
    assert [row.agreement for row in rows] == [pytest.approx(1 / 3), 0, None]
    assert [(row.asked, row.answered) for row in rows] == [(3, 3), (2, 2), (2, 1)]


@pytest.mark.parametrize("status", ["refused", "unparsed", "error"])
def test_no_verdict_is_no_number(status: Status) -> None:
    verdicts = {"q1": [Verdict(status)], "q2": says(True)}
    rows = rows_of(a_case("Yes", "Yes"), "accuracy", verdicts=verdicts)
    assert [(row.value, row.status) for row in rows] == [(None, status), (1, "ok")]
    assert [row.value for row in rows_of(a_case("Yes", "Yes"), "accuracy_by_case", verdicts=verdicts)] == [1]
    (none,) = rows_of(a_case("Yes"), "accuracy_by_case", verdicts={"q1": [Verdict(status)]})
    assert (none.value, none.status) == (None, status)


def test_without_an_edit_every_question_is_wrong_and_consistency_is_0_dB() -> None:
    case = a_case("Yes", "No")
    assert [(r.value, r.status) for r in rows_of(case, "accuracy", missing="no_output")] == [(0, "no_output")] * 2
    assert [(r.value, r.status) for r in rows_of(case, "consistency", missing="refused")] == [(0, "refused")]


def test_a_case_whose_regions_cover_everything_has_no_consistency_with_or_without_an_edit(tmp_path: Path) -> None:
    case = a_case("Yes", regions=(Region("edit1", (0, 0, 80, 60)),))
    assert load_rubric("picabench").from_pixels(case, ONE, {"": GRAY}) == {"consistency": None}
    assert rows_of(case, "consistency", pixels={"consistency": None}) == []
    assert rows_of(case, "consistency", missing="no_output") == []
    Image.fromarray(GRAY).save(tmp_path / "1.png")
    filed = Case("1", "picabench", (tmp_path / "1.png",), case.instructions, {}, None, case.regions, case.questions)
    assert rows_of(filed, "consistency", missing="no_output") == []


def test_consistency_is_psnr_outside_the_regions_and_takes_the_papers_formula_and_the_releases_size() -> None:
    edit = GRAY.copy()
    edit[:20] += 51  # a fifth of the range, on a third of the rows
    case = a_case("Yes", regions=(Region("edit1", (0, 0, 80, 10)),))
    (plain,) = load_rubric("picabench").from_pixels(case, ONE, {"": edit}).values()
    assert plain == pytest.approx(-10 * np.log10(0.2**2 * 10 / 50))
    (summed,) = load_rubric("picabench", psnr="channel-sum").from_pixels(case, ONE, {"": edit}).values()
    assert plain is not None
    assert summed == pytest.approx(plain - 10 * np.log10(3))
    (square,) = load_rubric("picabench", psnr_size=30).from_pixels(case, ONE, {"": edit}).values()
    assert square == pytest.approx(plain, abs=1)
    assert square != plain


def test_the_instruction_is_told_only_on_request() -> None:
    pack, case = load_pack("picabench"), a_case("Yes")
    (silent,) = load_rubric("picabench").calls(case, ONE, {"": GRAY}, pack)
    (told,) = load_rubric("picabench?instruction=1").calls(case, ONE, {"": GRAY}, pack)
    assert (silent.prompt, told.prompt) == ("question", "question_with_instruction")
    assert "Wet it." not in str(silent.parts)
    assert "Wet it." in str(told.parts)
    assert "Is thing 0 wet?" in str(silent.parts)
    assert load_rubric("picabench").keys(case, ONE) == ("q1",) == (silent.key,)


def test_levels_are_units_with_a_tag_and_their_own_instruction(tmp_path: Path) -> None:
    suite = load_suite("picabench", root=make_picabench(tmp_path, 2, hub=True), levels="superficial,explicit")
    case = suite[suite.ids[0]]
    rubric = load_rubric("picabench", instruction=True)
    units = rubric.units(case)
    assert [unit.name for unit in units] == ["", "explicit"]
    calls = rubric.calls(case, units[1], {"explicit": GRAY}, load_pack("picabench"))
    assert "explicit wish" in str(calls[0].parts)
    rows = rubric.rows(case, units[1], {}, {"consistency": 30.0})
    assert {row.tags["level"] for row in rows} == {"explicit"} == {row.variant for row in rows}


def test_a_case_without_questions_is_refused_before_anything_is_asked() -> None:
    case = Case("7", "kris", (GRAY,), (Instruction("Wet it."),), {})
    with pytest.raises(BadInput, match=r"case '7' of kris has no questions.*--protocol"):
        load_rubric("picabench").units(case)


def test_label_shares_say_what_an_always_yes_judge_and_an_unchanged_picture_would_get() -> None:
    cases = [a_case("Yes", "Yes", "No", law="reflection"), a_case("Yes", law="refraction")]
    shares = label_shares(cases, by="law")
    assert (shares[""].questions, shares[""].yes, shares[""].always_yes, shares[""].unchanged) == (4, 75, 75, 25)
    assert shares["refraction"].unchanged == 0
    assert set(shares) == {"", "reflection", "refraction"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"region": "half"}, "region.*choose from crop, whole, box"),
        ({"instruction": "maybe"}, "instruction.*1 or 0"),
        ({"psnr_size": "big"}, "psnr_size.*whole number"),
        ({"regions": "crop"}, "no option 'regions' of protocol picabench; did you mean 'region'"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_rubric("picabench", **options)


def test_an_unknown_protocol_is_named_with_the_nearest() -> None:
    with pytest.raises(BadInput, match="no protocol 'picabanch'; did you mean 'picabench'"):
        load_rubric("picabanch")
