"""Plans say what they mean: typed fields, steps left out, inputs in their places, and plans written in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.factory.engine.build import Build
from editscope.factory.inputs import apply_inputs, read_inputs, write_inputs
from editscope.factory.pipelines.catalog import ModelInput, PlanInput, ShippedPipeline, find_pipeline
from editscope.factory.pipelines.starting import start_own, start_pipeline
from editscope.factory.plan import plan_from, read_plan
from support.command_line import called
from support.factory.blotches import picture_folder

PLAN = """name = "cups"
source = { use = "list", path = "words.csv" }
models = { writer = "" }

[[steps]]
name = "write"
use = "template"
fields = { text = "{subject}!" }
"""


def plan_of(folder: Path, **more: Any) -> Any:
    (folder / "words.csv").write_text("subject\ncup\n")
    steps = [{"name": "write", "use": "template", "fields": {"text": "{subject}"}}]
    return plan_from({"name": "a", "source": {"use": "list", "path": "words.csv"}, "steps": steps, **more}, "p", folder)


def test_a_field_of_another_type_leaves_its_record_pending_and_says_why(tmp_path: Path) -> None:
    with Build(plan_of(tmp_path, fields={"text": "number"}), tmp_path / "build") as build:
        result = build.run()
        assert result.pending == 1 and not result.records
        ((_, _, reason),) = build.store.pending()
    assert reason == "the field 'text' holds 'cup', which is not a number"
    with Build(plan_of(tmp_path, fields={"text": "text"}), tmp_path / "build") as build:
        assert build.run().records == 1


def test_a_type_that_there_is_not_is_refused_before_the_build(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no type 'txt' of the plan a, for the field 'text'; did you mean"):
        plan_of(tmp_path, fields={"text": "txt"})
    with pytest.raises(BadInput, match=r"the field 'text' is 3; write"):
        plan_of(tmp_path, fields={"text": 3})


def test_a_step_with_skip_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "words.csv").write_text("subject\ncup\n")
    (tmp_path / "plan.toml").write_text(f"{PLAN}\n[[steps]]\nname = 'other'\nuse = 'where'\nskip = true\nhas = ['x']\n")
    assert [step.name for step in read_plan(tmp_path / "plan.toml").steps] == ["write"]
    write_inputs(tmp_path, "cups", {}, {"steps.other.skip": False, "steps.write.skip": True})
    assert [step.name for step in read_plan(tmp_path / "plan.toml").steps] == ["other"]


def test_inputs_survive_their_file_and_go_before_the_plan(tmp_path: Path) -> None:
    values = {"source.path": 'C:\\ü "x"\n', "seed": 7, "steps.draw.sizes": [1, "two"], "steps.draw.on": True}
    write_inputs(tmp_path, "cups", {"writer": "openai:gpt-5?base_url=http://h"}, values)
    found = read_inputs(tmp_path)
    assert found["set"] == values and found["models"] == {"writer": "openai:gpt-5?base_url=http://h"}
    plan = {"seed": 1, "source": {}, "steps": [{"name": "draw"}], "models": {"writer": "", "eye": "x"}}
    made = apply_inputs(plan, found, "plan.toml")
    assert made["seed"] == 7 and made["steps"][0]["on"] is True and made["models"]["eye"] == "x"
    with pytest.raises(BadInput, match=r"'steps.drw.on' names 'drw', which the plan does not have: draw"):
        apply_inputs(plan, {"set": {"steps.drw.on": 1}}, "plan.toml")


def a_pipeline(folder: Path) -> ShippedPipeline:
    folder.mkdir()
    (folder / "prompts").mkdir()
    (folder / "prompts" / "ask.txt").write_text("a prompt")
    (folder / "plan.toml").write_text(PLAN)
    inputs = (
        PlanInput("words", "A file of words.", "source.path", "file", required=True),
        PlanInput("start", "The seed.", "seed", "number"),
    )
    return ShippedPipeline(
        "cups", "Cups", "Makes cups.", "", folder, inputs, (ModelInput("writer", "Writes.", "text"),)
    )


def test_a_pipeline_is_copied_once_and_takes_new_inputs_later(tmp_path: Path) -> None:
    pipeline, words, folder = a_pipeline(tmp_path / "shipped"), tmp_path / "w.csv", tmp_path / "mine"
    words.write_text("subject\ncup\n")
    plan = start_pipeline(pipeline, folder, {"words": str(words)}, {"writer": "openai:gpt-5"})
    assert (folder / "prompts" / "ask.txt").read_text() == "a prompt"
    (folder / "prompts" / "ask.txt").write_text("my words")
    start_pipeline(pipeline, folder, {"start": "5"}, {})
    read = read_plan(plan)
    assert read.seed == 5 and read.source.settings["path"] == str(words) and read.models["writer"] == "openai:gpt-5"
    assert (folder / "prompts" / "ask.txt").read_text() == "my words"


def test_what_a_pipeline_needs_is_asked_for_before_anything_is_written(tmp_path: Path) -> None:
    pipeline, words = a_pipeline(tmp_path / "shipped"), tmp_path / "w.csv"
    words.write_text("subject\n")
    with pytest.raises(BadInput, match="the pipeline cups needs --words: A file of words"):
        start_pipeline(pipeline, tmp_path / "mine", {}, {})
    with pytest.raises(BadInput, match="no model 'writr' of the pipeline cups; did you mean 'writer'"):
        start_pipeline(pipeline, tmp_path / "mine", {"words": str(words)}, {"writr": "x"})
    with pytest.raises(BadInput, match="is not a file; name one that exists"):
        start_pipeline(pipeline, tmp_path / "mine", {"words": str(tmp_path / "none")}, {})
    assert not (tmp_path / "mine").exists()
    other = tmp_path / "theirs"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="not a new or empty folder"):
        start_pipeline(pipeline, other, {"words": str(words)}, {})
    (other / "plan.toml").write_text(PLAN)
    with pytest.raises(BadInput, match="is a plan of its own; build it with"):
        start_pipeline(pipeline, other, {"words": str(words)}, {})


def test_a_dry_run_knows_what_was_given_before_and_remembers_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pictures, folder = picture_folder(tmp_path / "pictures", ["one", "two"]), tmp_path / "mine"
    command = ("factory", "video-pairs", folder, "--dry-run")
    given = ("--videos", pictures, "--model", "writer=openai:gpt-5")
    code, _, told = called(capsys, *command)
    assert code == 2 and "needs --videos" in told
    code, said, _ = called(capsys, *command, *given)
    assert code == 0 and "writer = openai:gpt-5" in said and not folder.exists()
    assert "a dry run writes nothing: give the inputs and models again to build" in said
    start_pipeline(find_pipeline("video-pairs"), folder, {"videos": str(pictures)}, {"writer": "openai:gpt-5"})
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    code, said, _ = called(capsys, *command)
    assert code == 0 and "writer = openai:gpt-5" in said and "a dry run writes nothing" not in said
    code, said, _ = called(capsys, *command, "--model", "writer=openai:gpt-4o")
    assert code == 0 and "writer = openai:gpt-4o" in said and "a dry run writes nothing" in said
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "notes.txt").write_text("mine")
    code, _, told = called(capsys, "factory", "video-pairs", tmp_path / "used", "--dry-run", *given)
    assert code == 2 and "used is not a new or empty folder" in told


def test_a_model_without_a_spec_is_named_with_its_step(tmp_path: Path) -> None:
    (tmp_path / "ask.txt").write_text("version: 1\nwords: subject\nreply: caption text\nreason:\n---\nOn {subject}.\n")
    step = {"name": "write", "use": "ask", "model": "writer", "prompt": "ask.txt"}
    plan = plan_of(tmp_path, models={"writer": "", "eye": ""}, steps=[step])
    assert plan.missing_models() == {"writer": "write"}


def test_a_plan_in_python_builds_with_steps_of_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    start_own(folder)
    (folder / "shapes_plan.py").write_text(
        "from editscope.factory.plan import BuildPlan\n"
        "from editscope.factory.steps.registry import make_source, make_step\n"
        "source = make_source({'use': 'list', 'path': 'words.csv'}, 'source')\n"
        "step = {'name': 'draw', 'use': 'call', 'function': 'python:my_steps:draw_pair'}\n"
        "PLAN = BuildPlan('shapes', source, [make_step(step, 'draw')])\n"
    )
    read = read_plan(folder / "shapes_plan.py")
    assert read.name == "shapes" and read.folder == folder
    with Build(read, tmp_path / "build", limit=2, jobs=1) as build:
        assert build.run().records == 2
        assert next(build.records()).fields["after"]["type"] == "image/png"
    (folder / "other_plan.py").write_text("PLAN = 3\n")
    with pytest.raises(BadInput, match=r"other_plan.py has no plan; write: PLAN = BuildPlan"):
        read_plan(folder / "other_plan.py")
    (folder / "broken_plan.py").write_text("import nothing_like_this\n")
    with pytest.raises(BadInput, match=r"broken_plan.py could not be loaded \(ModuleNotFoundError"):
        read_plan(folder / "broken_plan.py")
