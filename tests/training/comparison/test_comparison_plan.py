"""Plans of comparisons: what cannot work is refused in a sentence, before anything is trained or spent."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput, Stopped
from editscope.judges.registry import load_judge
from editscope.published import results
from editscope.suites import load_suite
from editscope.suites.protocol import protocol_for
from editscope.training.comparison import arms
from editscope.training.comparison.arms import Arm, train_arm
from editscope.training.comparison.evaluations import judge_names
from editscope.training.comparison.settings import read_plan
from editscope.training.comparison.start import open_comparison
from editscope.training.recipes.writing import recipe_texts, write_recipe
from editscope.training.run_files import FINAL, LORA
from editscope.training.settings import read_experiment
from editscope.training.supervised.start import keep_copy
from support.judged_data import make_picabench, make_worldedit
from support.judged_data_more import make_kris, make_rise
from support.training.comparisons import called, zero_lora
from support.training.experiments import write_experiment
from support.training.tiny_editors import settings_for

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small")]
PIXELS = '[[evaluations]]\nsuite = "tinygrafix"\nlimit = 1\n'
ARM = '[[arms]]\nname = "A"\n'


@pytest.fixture
def folder(tiny_pipeline: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an experiment in it, in which one is."""
    monkeypatch.chdir(tmp_path)
    write_experiment(tmp_path / "mine.toml", settings_for("kontext", tiny_pipeline("kontext")))
    return tmp_path


def opened(folder: Path, text: str, head: str = 'experiment = "mine.toml"\n') -> Any:
    (folder / "plan.toml").write_text(head + text)
    return open_comparison(folder / "plan.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (PIXELS, "plan.toml has no arms"),
        (ARM, "plan.toml has no evaluations"),
        (ARM + ARM + PIXELS, "two arms are called 'A'"),
        (ARM + '[[arms]]\nname = "a"\n' + PIXELS, "two arms are called 'a'"),
        ('[[arms]]\nname = "Base"\n' + PIXELS, "is the name of the model without training"),
        (ARM + "[arms.data]\nparts = []\n" + PIXELS, "arm 'A' trains on nothing: it has no data"),
        (ARM + 'weights = "none"\nexperiment = "b"\n' + PIXELS, "experiment and weights exclude each other"),
        (ARM + 'weights = "none"\n' + PIXELS, "is not a LoRA file, a folder with transformer/"),
        (ARM + 'speed = "fast"\n' + PIXELS, "there is no option 'speed'"),
        (
            ARM + '[[evaluations]]\nsuite = "picabench"\njudges = ["openai:x"]\n',
            "evaluation 'picabench': suite picabench needs",
        ),
        (
            ARM + '[[evaluations]]\nsuite = "picabench"\ndata = "none"\njudges = ["openai:x"]\n',
            "evaluation 'picabench':",
        ),
        (ARM + PIXELS + 'judges = ["openai:gpt-4o"]\n', "tinygrafix is scored by pixels; remove judges"),
        (ARM + PIXELS + PIXELS, "two are called 'tinygrafix'"),
        (ARM + PIXELS + 'instead = { B = "tinygrafix" }\n', "there is no arm 'B'"),
        (ARM + PIXELS + 'instead = { base = "paintbench" }\n', "is a different suite from tinygrafix"),
        (ARM + PIXELS + "limit = 0\n", "is not TOML"),
        (ARM + '[[evaluations]]\nsuite = "tinygrafix"\nlimit = 0\n', "limit: 0 must be 1 or more"),
    ],
)
def test_a_plan_that_cannot_work_is_refused_in_a_sentence(folder: Path, text: str, message: str) -> None:
    with pytest.raises(BadInput, match=message.replace("(", r"\(")):
        opened(folder, text)
    assert not (folder / "compared").exists()


def test_a_launched_training_without_weights_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arm = Arm("A", read_experiment(folder / "mine.toml"), folder / "out" / "a", document={})
    monkeypatch.setattr(arms, "_waited", lambda command: 0)
    (folder / "out" / "a" / FINAL).mkdir(parents=True)
    (folder / "out" / "a" / FINAL / "other.safetensors").touch()
    with pytest.raises(Stopped, match=r"training of A has written no weights to .*; to resume, run again"):
        train_arm(arm, 2, say=lambda _: None, resume_with="run again")
    (folder / "out" / "a" / FINAL / LORA).touch()
    train_arm(arm, 2, say=lambda _: None, resume_with="run again")
    assert arm.weights == folder / "out" / "a" / FINAL / LORA


def test_a_judged_suite_needs_judges(folder: Path) -> None:
    make_picabench(folder / "pica", 2)
    with pytest.raises(BadInput, match="picabench is scored by judges; write judges"):
        opened(folder, ARM + '[[evaluations]]\nsuite = "picabench"\ndata = "pica"\n')


def test_weights_of_another_base_model_are_refused(
    folder: Path, tiny_pipeline: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    zero_lora(settings_for("kontext", tiny_pipeline("kontext")), folder)
    named = ARM + 'weights = "zero.safetensors"\n' + PIXELS
    assert opened(folder, named).arms[1].weights == (folder / "zero.safetensors").resolve()
    write_experiment(folder / "qwen.toml", settings_for("qwen_plus", tiny_pipeline("qwen_plus")))
    with pytest.raises(BadInput, match=r"zero\.safetensors does not fit the base model .*qwen_plus: it has .*lora_"):
        opened(folder, named, 'experiment = "qwen.toml"\n')
    with pytest.raises(BadInput, match="all arms must have the same base model"):
        opened(folder, ARM + 'experiment = "qwen.toml"\n' + PIXELS)
    trained = folder / "trained"
    trained.mkdir()
    shutil.copy(folder / "qwen.toml", trained / "experiment.toml")
    with pytest.raises(BadInput, match="all arms must have the same base model"):
        opened(folder, ARM + 'weights = "trained"\n' + PIXELS)
    shutil.copy(folder / "mine.toml", trained / "experiment.toml")
    with pytest.raises(BadInput, match="has no weights yet"):
        opened(folder, ARM + 'weights = "trained"\n' + PIXELS)


def test_a_model_in_a_folder_is_the_same_however_it_is_named(
    folder: Path, tiny_pipeline: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy of an experiment in the folder of its run names a model by its absolute path."""
    (folder / "models").mkdir()
    (folder / "models" / "k").symlink_to(tiny_pipeline("kontext"))
    text = (folder / "mine.toml").read_text()
    (folder / "mine.toml").write_text(text.replace(str(tiny_pipeline("kontext")), "models/k"))
    trained = folder / "trained"
    (trained / FINAL).mkdir(parents=True)
    keep_copy(folder / "mine.toml", read_experiment(folder / "mine.toml"), trained)
    zero_lora(settings_for("kontext", tiny_pipeline("kontext")), folder)
    (folder / "zero.safetensors").rename(trained / FINAL / LORA)
    (folder / "own.toml").write_text(text.replace(str(tiny_pipeline("kontext")), str(folder / "models" / "k")))
    plan = ARM + 'weights = "trained"\n[[arms]]\nname = "B"\nexperiment = "own.toml"\n' + PIXELS
    assert opened(folder, plan).arms[1].weights == (trained / FINAL / LORA).resolve()
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    arm = opened(folder, ARM + PIXELS).arms[1]
    assert arm.document["model"]["pipeline"] == str(folder / "models" / "k"), "its file is written to another folder"


def test_a_limit_that_would_watch_nothing_is_refused_before_any_arm_is_trained(folder: Path) -> None:
    with (folder / "mine.toml").open("a") as file:
        file.write("\n[monitors]\nidentity_rate = 0.5\n")
    with pytest.raises(BadInput, match=r"^plan.toml, arm 'A', \[monitors\] identity_rate: watches the fixed cases"):
        opened(folder, ARM + PIXELS)
    done = folder / "compared" / "plan" / "arms" / "a"
    done.mkdir(parents=True)
    (done / "trained.json").write_text("{}")
    assert opened(folder, ARM + PIXELS).arms[1].done, "the tables of a finished comparison can still be written"


def test_an_arm_says_what_differs_beside_its_data(folder: Path) -> None:
    (folder / "fast.toml").write_text((folder / "mine.toml").read_text().replace("rate = 0.01", "rate = 0.02"))
    arm = opened(folder, ARM + 'experiment = "fast.toml"\n' + PIXELS).arms[1]
    assert arm.notes == ("more than its data differs: optimizer.rate is 0.02 (not 0.01)",)


def test_a_dry_run_says_what_is_trained_made_and_asked(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    make_picabench(folder / "pica", 4, hub=True)
    judges = '["openai:gpt-5", "openai:gpt-4o"]'
    levels = "picabench?levels=superficial,intermediate,explicit"
    (folder / "plan.toml").write_text(
        f'experiment = "mine.toml"\n{ARM}[[evaluations]]\nsuite = "{levels}"\ndata = "pica"\njudges = {judges}\n'
    )
    assert called("train", "compare", "plan.toml", "--dry-run", "--budget", "3") == 0
    printed = capsys.readouterr().out
    assert "2 of 2 steps to do" in printed
    assert "edits to make: 24, each once for all judges" in printed
    assert "judge openai:gpt-5: about 48 calls" in printed and "judge openai:gpt-4o: about 48 calls" in printed
    assert "total about $" in printed and "budget $3" in printed
    assert not (folder / "compared").exists()
    assert called("train", "compare", "plan.toml") == 2, "without a terminal, nobody agreed to spend"
    assert "add --yes, or set a limit with --budget" in capsys.readouterr().err
    assert not (folder / "compared").exists()


def test_judges_are_named_without_the_address_of_their_server() -> None:
    one, two = (f"openai:qwen?base_url=http://127.0.0.1:{port}/v1" for port in (8000, 8001))
    assert judge_names([one, two]) == {one: "openai:qwen", two: "openai:qwen #2"}


def test_recipes_are_plans_whose_suites_groups_metrics_and_published_rows_exist(tmp_path: Path) -> None:
    data = {
        "picabench": make_picabench(tmp_path / "pica", 2, hub=True),
        "worldedit": make_worldedit(tmp_path / "world", 2),
        "kris": make_kris(tmp_path / "kris", 1),
        "rise": make_rise(tmp_path / "rise", 1),
    }
    plans = [name for name in recipe_texts() if name.endswith("-comparison")]
    assert sorted(plans) == ["pica-comparison", "worldedit-comparison"]
    for name in plans:
        file = tmp_path / name / "plan.toml"
        assert f"editscope train compare {file} --dry-run" in write_recipe(file, name)[-1]
        plan = read_plan(file)
        assert read_experiment(file.parent / plan.experiment).data["parts"]
        for one in plan.evaluations:
            suite = load_suite(one.suite, root=str(data[one.suite.partition("?")[0]]))
            rubric = protocol_for(suite, None, {}, None).rubric()
            assert one.by in [group.name for group in rubric.aggregation(suite.aggregation).groups]
            assert set(one.metrics) <= {measure.name for measure in rubric.measures}
            for named in one.published.values():
                model, _, setting = named.partition(", ")
                assert [row for row in results(suite.name, model=model) if row.setting == setting]
            for judge in one.judges:
                load_judge(judge)
    assert "not in the paper: ours" in recipe_texts()["pica-comparison"]


def test_a_recipe_does_not_go_over_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "pica-kontext.toml").write_text("mine")
    sentences = write_recipe(tmp_path / "plan.toml", "pica-comparison")
    assert "already exists and is kept" in sentences[0] and (tmp_path / "pica-kontext.toml").read_text() == "mine"
    with pytest.raises(BadInput, match="already exists"):
        write_recipe(tmp_path / "plan.toml", "pica-comparison")
