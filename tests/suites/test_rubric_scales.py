"""Claims about the rubrics of scores: which calls a case gets, what each shows, and what follows from the verdicts."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from editscope.cases import Case, Instruction, Status
from editscope.errors import BadInput
from editscope.judges import Call, Verdict
from editscope.judges.prompts.packs import load_pack
from editscope.scoring.rubrics import ScoreRow, Unit
from editscope.suites import load_suite
from editscope.suites.rubrics import load_rubric, rubric_names
from support.judged_data import make_wiseedit, make_worldedit

PIXELS = np.full((6, 8, 3), 100, np.uint8)
ONE = Unit("1", ("",))


def a_case(suite: str, tags: Mapping[str, str], images: int = 1, **more: Any) -> Case:
    texts = more.pop("instructions", (Instruction("Wet it."),))
    return Case("1", suite, tuple(PIXELS + np.uint8(n) for n in range(images)), texts, tags, **more)


def calls_of(name: str, case: Case, unit: Unit = ONE, **options: Any) -> dict[str, Call]:
    edits = {variant: PIXELS + np.uint8(50) for variant in unit.variants}
    rubric = load_rubric(name, **options)
    traces = dict.fromkeys(unit.variants, "It should turn green.")
    calls = rubric.calls_about(case, unit, edits, traces, rubric.prompts())
    assert tuple(call.key for call in calls) == rubric.keys(case, unit)
    return {call.key: call for call in calls}


def shown(name: str, case: Case, unit: Unit = ONE, **options: Any) -> dict[str, tuple[str, int]]:
    """For each call its prompt and how many pictures it shows."""
    return {key: (call.prompt, len(call.pictures)) for key, call in calls_of(name, case, unit, **options).items()}


def scored(name: str, case: Case, scores: Mapping[str, Any], unit: Unit = ONE, **given: Any) -> dict[str, ScoreRow]:
    """Rows by metric when each call gets these replies: a score, a status, or several of them, or fields by name."""

    def verdict(reply: Any) -> Verdict:
        if isinstance(reply, str):
            return Verdict(reply)  # type: ignore[arg-type]
        return Verdict("ok", reply if isinstance(reply, dict) else {"score": reply})

    verdicts = {key: [verdict(one) for one in (r if isinstance(r, list) else [r])] for key, r in scores.items()}
    missing: Status | None = given.pop("missing", None)
    rows = load_rubric(name, **given).rows(case, unit, verdicts, {}, missing)
    assert len({row.metric for row in rows}) == len(rows)
    return {row.metric: row for row in rows}


def values(rows: Mapping[str, ScoreRow]) -> dict[str, float | None]:
    return {metric: row.value for metric, row in rows.items()}


# --- WorldEdit ------------------------------------------------------------------------------------


def test_worldedit_asks_four_times_and_only_quality_sees_the_edit_alone() -> None:
    case = a_case("worldedit", {"mode": "humidity"})
    assert shown("worldedit", case) == {"vc": ("vc", 2), "vq": ("vq", 1), "if": ("if", 2), "kp": ("kp", 2)}
    assert "humidity" in str(calls_of("worldedit", case)["kp"].parts)
    assert shown("worldedit", case, watermark="ignore")["vc"] == ("vc_ignore_watermark", 2)


def test_the_kp_gate_lowers_kp_only_when_it_is_enforced_and_the_instruction_was_not_followed() -> None:
    case = a_case("worldedit", {"mode": "time"})
    failed = {"vc": 5, "vq": 5, "if": 2, "kp": 4}
    assert values(scored("worldedit", case, failed))["kp"] == 4
    assert values(scored("worldedit", case, failed, kp_gate="enforced")) == {"vc": 5, "vq": 5, "if": 2, "kp": 1}
    assert values(scored("worldedit", case, {**failed, "if": 3}, kp_gate="enforced"))["kp"] == 4
    assert values(scored("worldedit", case, {**failed, "if": "refused"}, kp_gate="enforced"))["kp"] == 4
    lost = scored("worldedit", case, {**failed, "kp": "unparsed"}, kp_gate="enforced")["kp"]
    assert (lost.value, lost.status) == (1.0, "unparsed")


def test_worldedit_judges_a_paraphrase_by_its_own_words(tmp_path: Path) -> None:
    suite = load_suite("worldedit", root=make_worldedit(tmp_path, 1), forms="implicit,paraphrase")
    case = suite[suite.ids[0]]
    units = load_rubric("worldedit").units(case)
    texts = [str(calls_of("worldedit", case, unit)["if"].parts) for unit in units]
    assert "What happens to thing 0" in texts[0]
    assert "Show thing 0 changed" in texts[1]
    rows = scored("worldedit", case, {}, units[1])
    assert {row.tags["level"] for row in rows.values()} == {"paraphrase"}


# --- WiseEdit -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "metrics"),
    [
        ("awareness", ["if", "dp", "vq", "kf"]),
        ("interpretation", ["if", "dp", "vq", "kf"]),
        ("imagination", ["if", "dp", "vq", "cf"]),
        ("complex", ["if", "dp", "vq", "kf", "cf"]),
    ],
)
def test_wiseedit_metrics_depend_on_the_task(task: str, metrics: list[str]) -> None:
    assert list(shown("wiseedit", a_case("wiseedit", {"task": task}))) == metrics
    worst = scored("wiseedit", a_case("wiseedit", {"task": task}), {}, missing="no_output")
    assert {metric: (row.value, row.status) for metric, row in worst.items()} == dict.fromkeys(
        metrics, (1, "no_output")
    )


def test_wiseedit_if_and_kf_see_references_and_several_inputs_have_prompts_of_their_own() -> None:
    one = a_case("wiseedit", {"task": "complex"}, references=(PIXELS, PIXELS), hint="It rusts.")
    assert shown("wiseedit", one) == {
        "if": ("if_single", 4),
        "dp": ("dp_single", 2),
        "vq": ("vq", 1),
        "kf": ("kf_single", 4),
        "cf": ("cf_single", 2),
    }
    three = a_case("wiseedit", {"task": "awareness"}, images=3)
    assert shown("wiseedit", three) == {
        "if": ("if_multi", 4),
        "dp": ("dp_multi", 4),
        "vq": ("vq", 1),
        "kf": ("kf_multi", 4),
    }
    hinted = {key for key, call in calls_of("wiseedit", one).items() if "It rusts." in str(call.parts)}
    assert hinted == {"if", "kf"}


@pytest.mark.parametrize("languages", ["cn", "en,cn"])
def test_the_judge_of_wiseedit_reads_english_for_both_languages(tmp_path: Path, languages: str) -> None:
    suite = load_suite("wiseedit", root=make_wiseedit(tmp_path, 1), languages=languages)
    case = suite[suite.ids[0]]
    for unit in load_rubric("wiseedit").units(case):
        text = str(calls_of("wiseedit", case, unit)["if"].parts)
        assert "Wish 1 of Awareness_1" in text
        assert "愿望" not in text
        assert {row.tags["language"] for row in scored("wiseedit", case, {}, unit).values()} == {unit.name}


def test_wiseedit_scores_are_shown_from_0_to_100() -> None:
    measure = load_rubric("wiseedit").measure("if")
    assert [measure.shown(score) for score in (1, 5.5, 10)] == [0, 50, pytest.approx(100)]


# --- InEdit-Bench ---------------------------------------------------------------------------------

PAIR = Unit("1", ("A", "B"))


def a_pair() -> Case:
    texts = (Instruction("Fold first.", variant="A"), Instruction("Cut first.", variant="B"))
    return a_case("inedit", {"category": "process_plausibility"}, instructions=texts)


def test_an_inedit_path_pair_is_one_unit_judged_in_one_call() -> None:
    assert load_rubric("inedit").units(a_pair()) == (PAIR,)
    calls = calls_of("inedit", a_pair(), PAIR)
    assert {key: (call.prompt, len(call.pictures)) for key, call in calls.items()} == {"pp": ("pp", 3)}
    text = str(calls["pp"].parts)
    assert text.index("Fold first.") < text.index("Cut first.")
    (row,) = scored("inedit", a_pair(), {"pp": 4}, PAIR).values()
    assert (row.metric, row.value, row.variant) == ("pp", 4, "A+B")
    (worst,) = scored("inedit", a_pair(), {}, PAIR, missing="no_output").values()
    assert (worst.metric, worst.value, worst.status) == ("pp", 1, "no_output")


def test_inedit_judges_science_where_there_is_a_checklist() -> None:
    plain = a_case("inedit", {"category": "state_transition"})
    checked = a_case("inedit", {"category": "dynamic_process"}, checklist="1. The web grows.")
    four = {"ac": ("ac", 2), "pq": ("pq", 1), "sc": ("sc", 2), "lc": ("lc", 2)}
    assert shown("inedit", plain) == four
    assert shown("inedit", checked) == {**four, "sp": ("sp", 2)}
    assert "The web grows." in str(calls_of("inedit", checked)["sp"].parts)


def test_the_judge_of_science_sees_start_and_end_before_the_edit() -> None:
    case = a_case("inedit", {"category": "scientific_simulation"}, checklist="1. The web grows.")
    called = {"": PIXELS + np.uint8(40)}
    rubric = load_rubric("inedit")
    calls = {call.key: call for call in rubric.calls(case, ONE, called, rubric.prompts())}
    (edit,) = calls["pq"].pictures
    source, second = calls["sp"].pictures
    assert second.digest == edit.digest != source.digest
    labels = [part.splitlines()[-1] for part in calls["sp"].parts[:-1] if isinstance(part, str)]
    assert labels == ["Image A, start and end:", "Image B, the stages:"]


def test_inedit_accuracy_needs_5_on_every_metric_and_a_missing_verdict_is_not_a_5() -> None:
    case = a_case("inedit", {"category": "dynamic_process"}, checklist="1. The web grows.")
    full = dict.fromkeys(("ac", "pq", "sc", "lc", "sp"), 5)

    def accuracy(**changed: Any) -> tuple[float | None, str]:
        row = scored("inedit", case, {**full, **changed})["accuracy"]
        return row.value, row.status

    assert accuracy() == (1, "ok")
    assert accuracy(sp=4) == (0, "ok")
    assert accuracy(sp="unparsed") == (0, "unparsed")
    assert accuracy(sp="unparsed", ac=4) == (0, "ok")
    assert accuracy(sp=[5, 4]) == (0, "ok")
    assert "accuracy" not in scored("inedit", a_pair(), {"pp": 5}, PAIR)
    missing = scored("inedit", case, {}, missing="no_output")["accuracy"]
    assert (missing.value, missing.status) == (0, "no_output")


# --- KRIS-Bench -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("category", "images", "prompts"),
    [
        ("count_change", 1, ["consistency", "instruction", "quality"]),
        ("multi-instruction_execution", 1, ["consistency", "instruction", "quality"]),
        ("anomaly_correction", 1, ["consistency", "instruction_anomaly", "quality"]),
        ("viewpoint_change", 1, ["consistency", "instruction_viewpoint", "quality"]),
        ("multi-element_composition", 2, ["consistency_multi", "instruction_multi", "quality"]),
        ("temporal_prediction", 3, ["consistency_temporal", "instruction_temporal", "quality"]),
        ("physics", 1, ["consistency", "knowledge", "quality"]),
        ("rule-based_reasoning", 1, ["consistency", "knowledge", "quality"]),
    ],
)
def test_kris_calls_depend_on_the_category(category: str, images: int, prompts: list[str]) -> None:
    case = a_case(
        "kris",
        {"category": category},
        images,
        answer=PIXELS,
        details={"explanation": "It tilts.", "source_numbers": ""},
    )
    calls = calls_of("kris", case)
    assert [call.prompt for call in calls.values()] == prompts
    seen = {key for key, call in calls.items() if "It tilts." in str(call.parts)}
    assert seen == ({"knowledge"} if category in ("physics", "rule-based_reasoning") else set()) | (
        {"instruction"} if category == "anomaly_correction" else set()
    )
    extra = int(category == "viewpoint_change")  # the ground truth
    assert [len(call.pictures) for call in calls.values()] == [images + 1, images + 1 + extra, 1]


@pytest.mark.parametrize(
    ("known", "frame", "order"),
    [
        ("2,3,4", "1", ["1 generated", "2 known", "3 known", "4 known"]),
        ("1,3,4", "2", ["1 known", "2 generated", "3 known", "4 known"]),
        ("1,2,4", "3", ["1 known", "2 known", "3 generated", "4 known"]),
        ("1,2,3", "4", ["1 known", "2 known", "3 known", "4 generated"]),
        ("4,1,3", "2", ["1 known", "2 generated", "3 known", "4 known"]),  # listed in another order
        ("", "", ["1 known", "2 known", "3 known", "4 generated"]),  # files without numbers
    ],
)
@pytest.mark.parametrize("key", ["consistency", "instruction"])
def test_kris_shows_the_predicted_frame_at_its_place_numbered_and_marked(
    key: str, known: str, frame: str, order: list[str]
) -> None:
    sources = tuple(PIXELS + np.uint8(10 * n) for n in (1, 2, 3))
    details = {"source_numbers": known, "frame": frame}
    case = replace(a_case("kris", {"category": "temporal_prediction"}, 3, details=details), images=sources)
    rubric = load_rubric("kris")
    calls = {call.key: call for call in rubric.calls(case, ONE, {"": PIXELS}, rubric.prompts())}
    said = [part for part in calls[key].parts if isinstance(part, str)]
    captions = [text.splitlines()[-1] for text in said[:-1]]
    assert captions == [f"Frame {one.replace(' ', ' (')}):" for one in order]
    place = next(n for n, one in enumerate(order) if "generated" in one)
    assert f"Frame {place + 1} was generated" in said[0]
    pixels = [np.asarray(Image.open(io.BytesIO(picture.data))) for picture in calls[key].pictures]
    places = [int(number) for number in known.split(",")] if known else [1, 2, 3]
    expected = dict(zip(places, sources, strict=True)) | {place + 1: PIXELS}
    for number, found in enumerate(pixels, start=1):
        assert np.abs(found.astype(int) - expected[number]).max() <= 4  # JPEG of quality 85


def test_kris_instruction_and_knowledge_come_from_one_call() -> None:
    case = a_case("kris", {"category": "physics"})
    replies = {"consistency": 5, "knowledge": {"instruction": 2, "knowledge": 3}, "quality": 4}
    rows = scored("kris", case, replies)
    assert values(rows) == {"vc": 5, "if": 2, "kp": 3, "vq": 4}
    assert rows["if"].key == rows["kp"].key == "knowledge"
    lost = scored("kris", case, {**replies, "knowledge": "refused"})
    assert [(lost[m].value, lost[m].status) for m in ("if", "kp")] == [(None, "refused")] * 2


# --- RISEBench ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("category", "details", "pictured", "expected"),
    [
        ("temporal", {}, False, {"reasoning": 1, "consistency": 2, "plausibility": 1}),
        ("causal", {"reasoning_img": True}, False, {"reasoning_with_source": 2, "consistency": 2, "plausibility": 1}),
        ("spatial", {}, False, {"reasoning": 1, "consistency_spatial": 2, "plausibility_spatial": 1}),
        ("spatial", {}, True, {"reasoning_image": 2, "consistency_spatial": 2, "plausibility_spatial": 1}),
        ("causal", {"consistency_free": True}, False, {"reasoning": 1, "plausibility": 1}),
        ("logical", {"reference_txt": "Left."}, False, {"reasoning_logical": 1, "consistency_logical_text": 2}),
        ("logical", {"reference_txt": "Left."}, True, {"reasoning_logical": 1, "consistency_logical_text": 2}),
        ("temporal", {}, True, {"reasoning": 1, "consistency": 2, "plausibility": 1}),
        ("causal", {"reasoning_img": True}, True, {"reasoning_with_source": 2, "consistency": 2, "plausibility": 1}),
        ("logical", {}, True, {"reasoning_logical_image": 2, "consistency_logical": 2}),
        ("logical", {"reasoning_wo_ins": True}, True, {"reasoning_logical_image_alone": 2, "consistency_logical": 2}),
    ],
)
def test_rise_calls_depend_on_category_and_marks(
    category: str, details: dict[str, Any], pictured: bool, expected: dict[str, int]
) -> None:
    references = (PIXELS + np.uint8(9),) if pictured else ()
    case = a_case("rise", {"category": category}, details=details, references=references)
    calls = calls_of("rise", case)
    assert {call.prompt: len(call.pictures) for call in calls.values()} == expected


def test_the_reference_picture_of_rise_stands_in_for_the_source() -> None:
    case = a_case("rise", {"category": "logical"}, references=(PIXELS + np.uint8(9),))
    plain = a_case("rise", {"category": "causal"})
    source, reference = (calls_of("rise", one)["consistency"].pictures[0].digest for one in (plain, case))
    assert source != reference == calls_of("rise", case)["reasoning"].pictures[0].digest


@pytest.mark.parametrize(
    ("category", "details", "replaced"),
    [
        ("temporal", {"reasoning_img": True}, False),
        ("causal", {"reasoning_img": True}, False),
        ("logical", {"reference_txt": "Left."}, False),
        ("logical", {}, True),
        ("spatial", {}, True),
        ("domestic", {}, False),  # a case of another suite
    ],
)
def test_only_spatial_and_logical_cases_without_a_text_replace_the_source(
    category: str, details: dict[str, Any], replaced: bool
) -> None:
    case = a_case("rise", {"category": category}, details=details, references=(PIXELS + np.uint8(99),))
    source = calls_of("rise", a_case("rise", {"category": "causal"}))["consistency"].pictures[0].digest
    for call in calls_of("rise", case).values():
        if len(call.pictures) == 2:
            assert (call.pictures[0].digest != source) is replaced, call.prompt


def test_rise_weighs_reasoning_consistency_and_plausibility() -> None:
    case = a_case("rise", {"category": "causal"})
    assert values(scored("rise", case, {"reasoning": 4, "consistency": 5, "plausibility": 3}))["score"] == 4.1
    free = a_case("rise", {"category": "causal"}, details={"consistency_free": True})
    assert values(scored("rise", free, {"reasoning": 5, "plausibility": 4}))["score"] == 4.8
    halved = scored("rise", case, {"reasoning": 1, "consistency": 5, "plausibility": 5})
    assert values(halved)["score"] == 1.5
    assert values(scored("rise", case, {"reasoning": 1, "consistency": 1, "plausibility": 1}))["score"] == 1


def test_rise_logical_verdicts_of_0_and_1_count_1_and_5() -> None:
    case = a_case("rise", {"category": "logical"}, details={"reference_txt": "Left."})
    right = values(scored("rise", case, {"reasoning": 1, "consistency": 1}))
    assert right == {"reasoning": 5, "consistency": 5, "accuracy": 1, "score": 5}
    wrong = values(scored("rise", case, {"reasoning": 0, "consistency": 1}))
    assert wrong == {"reasoning": 1, "consistency": 5, "accuracy": 0, "score": 1.1}
    split = values(scored("rise", case, {"reasoning": [1, 0], "consistency": 1}))
    assert split["reasoning"] == 3


def test_rise_has_no_score_without_all_verdicts_and_accuracy_only_where_it_is_settled() -> None:
    case = a_case("rise", {"category": "causal"})
    rows = scored("rise", case, {"reasoning": 5, "consistency": 5, "plausibility": "refused"})
    assert [(rows[m].value, rows[m].status) for m in ("score", "accuracy")] == [(None, "refused")] * 2
    rows = scored("rise", case, {"reasoning": 4, "consistency": 5, "plausibility": "refused"})
    assert [(rows[m].value, rows[m].status) for m in ("score", "accuracy")] == [(None, "refused"), (0, "ok")]
    rows = scored("rise", case, {}, missing="no_output")
    assert values(rows) == {"reasoning": 1, "consistency": 1, "plausibility": 1, "accuracy": 0, "score": 1}
    assert {row.status for row in rows.values()} == {"no_output"}


# --- all ------------------------------------------------------------------------------------------


def test_several_verdicts_are_averaged_over_those_that_are_ok_and_their_agreement_is_kept() -> None:
    rows = scored("kris", a_case("kris", {"category": "count_change"}), {"consistency": [5, "unparsed", 4, 5]})
    row = rows["vc"]
    assert row.value == pytest.approx(14 / 3)
    assert (row.status, row.asked, row.answered) == ("ok", 4, 3)
    assert row.agreement == pytest.approx(1 / 3)
    assert (rows["vq"].value, rows["vq"].status) == (None, "error")  # nobody was asked


def test_every_prompt_that_ships_is_used() -> None:
    kris = ("count_change", "anomaly_correction", "viewpoint_change", "physics", "temporal_prediction")
    asked: dict[str, list[tuple[Case, Unit, dict[str, Any]]]] = {
        "worldedit": [(a_case("", {}), ONE, {"watermark": how}) for how in ("ignore", "counted")],
        "wiseedit": [(a_case("", {"task": "complex"}, images), ONE, {}) for images in (1, 2)],
        "inedit": [(a_case("", {}, checklist="1. It grows."), ONE, {}), (a_pair(), PAIR, {})],
        "kris": [(a_case("", {"category": c}), ONE, {}) for c in (*kris, "multi-element_composition")],
        "rise": [
            (
                a_case(
                    "",
                    {"category": c},
                    references=(PIXELS,) * pictured,
                    details={"reference_txt": "" if pictured else "x", mark: 1},
                ),
                ONE,
                {},
            )
            for c in ("causal", "spatial", "logical")
            for pictured in (0, 1)
            for mark in ("", "reasoning_img", "reasoning_wo_ins")
        ],
    }
    for name, uses in asked.items():
        prompts = {call.prompt for case, unit, how in uses for call in calls_of(name, case, unit, **how).values()}
        assert prompts == set(load_pack(name).names)


@pytest.mark.parametrize("name", [name for name in rubric_names() if name not in ("own", "picabench")])
@pytest.mark.parametrize(
    "case",
    [
        a_case("worldedit", {"mode": "time"}, details={"explanation": "It dries."}),
        a_case("wiseedit", {"task": "imagination"}, images=3, hint="A hint."),
        a_case("paintbench", {"category": "geometric_transformation", "task": "rotation"}),
        a_case("kris", {"category": "viewpoint_change"}, answer=PIXELS),
        a_case("inedit", {"category": "dynamic_process"}, checklist="1. It grows."),
    ],
    ids=lambda case: case.suite,
)
def test_any_protocol_can_judge_any_suites_cases(name: str, case: Case) -> None:
    rubric = load_rubric(name)
    (unit,) = rubric.units(case)
    calls = calls_of(name, case, unit)
    rows = rubric.rows(case, unit, {}, {})
    assert calls
    assert {row.metric for row in rows} <= set(rubric.measures_order())
    assert {row.key for row in rows} - {""} <= set(calls)


def test_a_rubric_is_made_again_from_its_name_and_options() -> None:
    rubric = load_rubric("worldedit", **{"kp-gate": "enforced", "side": "640"})
    assert rubric.options == {"side": 640, "kp_gate": "enforced"}
    assert load_rubric(rubric.name, **rubric.options).options == rubric.options
    with pytest.raises(BadInput, match=r"kp_gate.*choose from asked, enforced"):
        load_rubric("worldedit?kp_gate=on")
