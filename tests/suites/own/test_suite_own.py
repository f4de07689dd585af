"""A folder with suite.toml and cases.jsonl is a suite: judged or scored by pixels, without code."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from editscope.cases import Group
from editscope.cli.app import make_app
from editscope.errors import BadInput
from editscope.images import write_png
from editscope.suites import load_suite
from editscope.suites.datafolder.suite import BadData
from editscope.suites.own.data import load
from editscope.suites.own.manifest import RESERVED
from editscope.suites.own.start import start
from editscope.suites.rubrics import load_rubric
from support.judged_data_more import make_own

SCORE = """version: 1
pictures: source, edit
words: instruction
reply: score 1-5
---
{instruction} [[source]]
[[edit]]
"""
SIGNS = """
name = "signs"
tags = ["category", "town"]
headline = "legible"

[[metrics]]
name = "legible"
prompt = "prompts/legible.txt"

[[metrics]]
name = "kept"
prompt = "kept.txt"
reply = "yes/no"
images = ["source", "edit"]
only = { category = ["removal", "text"] }

[[averages]]
name = "average"
metrics = ["legible", "kept"]
of = "metrics"

[tables]
overall = ["town", "category"]
category = ["town"]
"""
PROMPTS = {"prompts/legible.txt": SCORE, "kept.txt": "Is all but this kept: {instruction}?"}
PIXELS = 'name = "signs"\nscoring = "pixels"\ntags = ["category"]\n'


def case(number: int = 1, **fields: Any) -> dict[str, Any]:
    plain = {"id": f"s{number}", "image": f"images/{number}.png", "instruction": f"Write {number}."}
    tags = {"category": "text" if number % 2 else "removal", "town": "Ulm"}
    return {**plain, "tags": tags, **fields}


def signs(folder: Path, *cases: dict[str, Any], manifest: str = SIGNS) -> Path:
    return make_own(folder, manifest, list(cases) or [case(1), case(2)], PROMPTS)


def test_the_manifest_says_name_metrics_and_tables(tmp_path: Path) -> None:
    suite = load(signs(tmp_path))
    assert (suite.name, suite.scoring, suite.default_protocol, len(suite)) == ("signs", "judged", "own", 2)
    assert suite.aggregation.overall == Group("overall", (), ("town", "category"))
    assert suite.aggregation.groups == (Group("category", ("category",), ("town",)),)
    assert suite.aggregation.headline == "legible"
    legible, kept = suite.rubric_options["metrics"]
    assert legible["prompt"] == str(tmp_path.resolve() / "prompts" / "legible.txt")
    assert (kept["reply"], kept["only"]) == ("yes/no", {"category": ["removal", "text"]})
    assert suite.rubric_options["averages"][0]["of"] == "metrics"
    assert json.loads(json.dumps(suite.rubric_options)) == suite.rubric_options


def test_its_rubric_asks_every_metric_of_every_case_that_it_is_for(tmp_path: Path) -> None:
    suite = load(signs(tmp_path, case(1), case(2), case(3, tags={"category": "other", "town": "Ulm"})))
    rubric = load_rubric(suite.default_protocol, **suite.rubric_options)
    asked = {one.id: [rubric.keys(one, unit) for unit in rubric.units(one)] for one in suite}
    assert asked == {"s1": [("legible", "kept")], "s2": [("legible", "kept")], "s3": [("legible",)]}
    assert [measure.name for measure in rubric.measures] == ["average", "legible", "kept"]
    assert rubric.aggregation(suite.aggregation).headline == "legible"


@pytest.mark.parametrize("how", ["folder", "own", "name"])
def test_it_is_loaded_by_its_folder_or_by_its_name(tmp_path: Path, how: str) -> None:
    folder = signs(tmp_path)
    ways = {"folder": (str(folder), {}), "own": ("own", {"root": folder}), "name": ("signs", {"root": folder})}
    name, options = ways[how]
    suite = load_suite(name, **options)
    again = load_suite(suite.name, **suite.options)
    assert again.fingerprint == suite.fingerprint == pickle.loads(pickle.dumps(suite)).fingerprint


def test_a_folder_under_another_name_is_not_taken_for_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is the suite 'signs', not 'sings'"):
        load_suite("sings", root=signs(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match=r"is a folder without a suite\.toml"):
        load_suite(str(tmp_path / "empty"))
    with pytest.raises(BadInput, match="there is no suite 'no-such-thing'"):
        load_suite("no-such-thing")


def test_the_name_of_an_installed_suite_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="'paintbench' belongs to an installed suite"):
        load(signs(tmp_path, manifest=SIGNS.replace("signs", "paintbench")))


def test_all_fields_of_a_case_reach_it(tmp_path: Path) -> None:
    row = case(
        1, images=["a.png", "b.png"], answer="c.png", references=["d.png"], hint="wet", checklist="one", mode="x"
    )
    del row["image"]
    row["questions"] = [{"question": "Dry?", "answer": "no", "box": {"x": 0, "y": 0, "width": 512, "height": 384}}]
    row["edit_area"] = [{"x": 1, "y": 2, "width": 3, "height": 4}]
    found = load(signs(tmp_path, row))["s1"]
    assert [Path(str(image)).name for image in (*found.images, found.answer, *found.references)] == [
        *("a.png", "b.png", "c.png", "d.png")
    ]
    assert (found.hint, found.checklist, found.details) == (
        "wet",
        "one",
        {"mode": "x", "edit_area": {"source": ((1, 2, 5, 7),), "canvas": ((0, 0, 1, 1),)}},
    )
    assert found.questions[0].answer == "No"
    assert found.questions[0].region is not None
    assert found.questions[0].region.box == (0, 0, 512, 384)
    assert found.regions[0].box == (1, 2, 5, 7)


def test_several_instructions_are_several_edits(tmp_path: Path) -> None:
    row = case(1, instructions={"short": "Write.", "long": "Please write."})
    suite = load(signs(tmp_path, row))
    assert suite.variants("s1") == ("short", "long")
    assert suite.output_names("s1", "long") == ("s1_long",)


def test_a_protocol_that_ships_can_judge_it(tmp_path: Path) -> None:
    suite = load(signs(tmp_path, manifest='name = "signs"\ntags = ["category"]\nprotocol = "worldedit"\n'))
    assert (suite.default_protocol, suite.rubric_options) == ("worldedit", {})
    rubric = load_rubric(suite.default_protocol, **suite.rubric_options)
    assert [len(rubric.keys(one, unit)) for one in suite for unit in rubric.units(one)] == [4, 4]


def test_a_changed_text_tag_or_picture_changes_the_fingerprint_and_a_label_does_not(tmp_path: Path) -> None:
    prints = {load(signs(tmp_path)).fingerprint}
    for changed in (case(2, hint="new"), case(2, tags={"category": "text", "town": "Rom"}), case(2, image="a.png")):
        prints.add(load(signs(tmp_path, case(1), changed)).fingerprint)
    assert len(prints) == 4
    relabeled = SIGNS.replace('name = "legible"\n', 'name = "legible"\nlabel = "Legible"\n')
    assert load(signs(tmp_path, manifest=relabeled)).fingerprint in prints


MANIFESTS = {
    "name = 1": "'name': input should be a valid string",
    'nam = "x"': "there is no key 'nam'; did you mean 'name'",
    'name = "Has Spaces"': "is not small letters",
    'name = "x"': r"has \[\[metrics\]\], or a protocol such as",
    'name = "x"\nscoring = "eyes"': "'scoring': input should be 'judged' or 'pixels'",
    PIXELS + 'protocol = "kris"': "scored by pixels has no metrics",
    SIGNS + 'twon = ["category"]\n': "tables.twon: there is no tag 'twon'; did you mean 'town'",
    SIGNS.replace('"legible", "kept"]', '"legible", "kep"]'): "average 'average': there is no metric 'kep'",
    SIGNS.replace('headline = "legible"', 'headline = "best"'): "headline: there is no metric 'best'",
    SIGNS.replace('"kept.txt"', '"gone.txt"'): r"metric 'kept': the prompt .*gone\.txt is missing",
    SIGNS.replace('"kept.txt"', '"../kept.txt"'): r"the prompt '../kept\.txt' leaves",
    SIGNS.replace('"kept.txt"', '"kept.md"'): r"neither a \.txt file nor one that ships",
    SIGNS.replace("yes/no", "5-1"): "reply '5-1' is neither a scale",
    SIGNS.replace("only = { category", "only = { kind"): "only: there is no tag 'kind'",
    SIGNS.replace('name = "kept"', 'name = "legible"'): "the name 'legible' is given to 2 metrics",
    SIGNS.replace('prompt = "kept.txt"', 'promt = "kept.txt"'): "'metrics 2 prompt' is missing.*did you mean 'prompt'",
    SIGNS.replace(
        'tags = ["category", "town"]', 'tags = ["category", "town", "overall"]'
    ): "'overall' is the name of a column",
    'name = "x\n': r"suite\.toml is not TOML",
    SIGNS.replace('name = "signs"', 'name = "signs"\ncases = "../cases.jsonl"'): "leaves",
}


@pytest.mark.slow
@pytest.mark.parametrize(("manifest", "said"), MANIFESTS.items())
def test_a_mistake_in_the_manifest_is_named_with_its_key(tmp_path: Path, manifest: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as raised:
        load(signs(tmp_path, manifest=manifest))
    assert str(tmp_path / "suite.toml") in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "said"),
    [
        (case(2, id="s1"), r"row 2, id s1: id 's1' was used before, in .* row 1"),
        (case(2, id="../x"), "cannot name a file"),
        (case(2, image=None), "'image' holds no path"),
        (case(2, image="/etc/hosts"), "leaves the data folder"),
        (case(2, instruction=""), "'instruction' is missing or empty"),
        (case(2, tags={"category": "text"}), "tag 'town' is missing; suite.toml says that every case has it"),
        (case(2, tags={"category": "text", "town": ["Ulm"]}), "tag 'town' is a list, not a text"),
        (case(2, tags={"category": "text", "town": " "}), "tag 'town' is empty"),
        (case(2, tags="text"), "'tags' is a text, not an object"),
        (case(2, instructions=["a"]), "'instructions' is a list, not an object"),
        (case(2, instructions={"a/b": "x"}), "the name 'a/b' has other signs"),
        (case(2, images=["a.png"]), "give 'image' or 'images', not both"),
        (case(2, questions=[{"question": "Dry?", "answer": "maybe"}]), "question 1 has the answer 'maybe'"),
    ],
)
def test_a_flaw_of_a_case_is_named_with_file_and_row_and_the_rest_goes_on(
    tmp_path: Path, row: dict[str, Any], said: str
) -> None:
    drawn = {**row, "image": None} if row["image"] == "/etc/hosts" else row
    make_own(tmp_path, SIGNS, [case(1), drawn], PROMPTS)
    (tmp_path / "cases.jsonl").write_text(json.dumps(case(1)) + "\n" + json.dumps(row) + "\n")
    with pytest.raises(BadData, match=said) as raised:
        load(tmp_path)
    assert "cases.jsonl row 2" in str(raised.value)
    assert load(tmp_path, skip_bad=True).ids == ("s1",)


def test_a_broken_line_is_named_and_a_missing_file_too(tmp_path: Path) -> None:
    folder = signs(tmp_path)
    with (folder / "cases.jsonl").open("a") as lines:
        lines.write('{"id": "s3", \n')
    with pytest.raises(BadData, match=r"cases\.jsonl row 3.*not JSON"):
        load(folder)
    (folder / "cases.jsonl").unlink()
    with pytest.raises(BadInput, match=r"cases\.jsonl is missing"):
        load(folder)


def test_a_pixel_suite_needs_an_answer_of_the_size_of_its_input(tmp_path: Path) -> None:
    folder = signs(tmp_path, case(1), case(2, answer="b.png"), manifest=PIXELS)
    with pytest.raises(BadData, match=r"row 1, id s1: field 'answer' holds no path"):
        load(folder)
    write_png(folder / "b.png", np.zeros((9, 9, 3), np.uint8))
    with pytest.raises(BadData, match="the picture is 9×9 but its input is 64×48"):
        load(folder)


@pytest.mark.slow
def test_the_template_for_pixels_runs_at_once(tmp_path: Path) -> None:
    import editscope as es

    folder = start(tmp_path / "Mine 2", "pixels")
    suite = load_suite(str(folder))
    assert (suite.name, len(suite)) == ("mine-2", 6)
    oracle = es.run(suite, "ref:oracle", out=tmp_path / "oracle")
    identity = es.run(suite, "ref:identity", out=tmp_path / "identity")
    means = [run.summary["overall"]["miou"]["mean"] for run in (oracle, identity)]
    assert means == [100.0, 0.0]
    by = {(row["by"], row["key"]) for row in oracle.summary["groups"]}
    assert {("category", "color"), ("category", "removal")} <= by


def test_the_template_for_a_judge_has_prompts_that_fit_its_cases(tmp_path: Path) -> None:
    done = CliRunner().invoke(make_app(), ["suite", "new", str(tmp_path / "mine")])
    assert (done.exit_code, "is the suite mine with 6 cases" in done.output) == (0, True)
    done = CliRunner().invoke(make_app(), ["suite", "check", str(tmp_path / "mine")])
    assert done.exit_code == 0, done.output
    for said in (
        "mine · 6 cases · scored by a judge",
        "category: color 3, removal 3",
        "following: Instruction followed (from 1 to 5)",
        "nothing is wrong",
    ):
        assert said in done.output


def test_nothing_is_overwritten_by_the_template(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(BadInput, match="the name 'worldedit' belongs to an installed suite"):
        start(tmp_path / "worldedit")
    assert not (tmp_path / "worldedit").exists()
    with pytest.raises(BadInput, match="is not a new or empty folder"):
        start(tmp_path)
    with pytest.raises(BadInput, match="neither judged nor pixels"):
        start(tmp_path / "new", "eyes")  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_the_check_names_a_word_that_a_case_does_not_have(tmp_path: Path) -> None:
    folder = signs(tmp_path)
    (folder / "prompts" / "legible.txt").write_text(SCORE.replace("instruction", "weather"))
    done = CliRunner().invoke(make_app(), ["suite", "check", str(folder)])
    assert isinstance(done.exception, BadInput)
    assert "weather" in str(done.exception)


def test_the_list_of_suites_says_size_and_whether_data_is_here(tmp_path: Path) -> None:
    from editscope.suites.listing import listed
    from support.judged_data_more import make_kris

    make_kris(tmp_path / "kris", per_category=1)
    signs(tmp_path / "own-signs")
    found = {one.name: one for one in listed(tmp_path)}
    assert (found["kris"].cases, found["kris"].here) == (20, True)
    assert (found["signs"].cases, found["signs"].here) == (2, True)
    assert (found["rise"].cases, found["rise"].here) == (360, False)
    assert "holds no data_total.json. Get the 360 cases" in found["rise"].detail
    bare = {one.name: one for one in listed()}
    assert (bare["kris"].cases, bare["kris"].here, bare["paintbench"].here) == (1267, False, True)
    assert "give --data DIR" in bare["kris"].detail
    with pytest.raises(BadInput, match="is not a folder"):
        list(listed(tmp_path / "nowhere"))


def test_no_tag_or_metric_has_the_name_of_a_column(tmp_path: Path) -> None:
    listed = signs(tmp_path / "listed", case(), manifest=SIGNS.replace('tags = ["', 'tags = ["case_id", "', 1))
    with pytest.raises(BadInput, match="tags: 'case_id' is the name of a column of the tables"):
        load(listed)
    named = signs(tmp_path / "named", case(tags={"category": "text", "town": "x", "repeat": "1"}))
    with pytest.raises(BadInput, match="tag 'repeat' has the name of a column of the tables"):
        load(named)


def test_every_column_of_the_tables_is_reserved() -> None:
    from editscope.results.judged_tables import FIXED
    from editscope.results.pixel_rows import COUNTS, FLOOR, LISTS

    assert {*FIXED, *COUNTS, *LISTS, FLOOR, "case_id", "variant", "repeat", "fingerprint"} <= RESERVED
