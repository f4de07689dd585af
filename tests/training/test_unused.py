"""What a kind of training would ignore is refused, with file, table, entry and fix; what is on by default may stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.training.models.settings import ModelSettings
from editscope.training.planner.experiment import PlannerExperiment, read_planner
from editscope.training.recipes.writing import write_recipe
from editscope.training.settings import read_experiment
from editscope.training.supervised.start import check_settings
from support.training.experiments import STREAM, write_experiment


def check(folder: Path, limit: str, *, every: int, source: str = "stream:tinygrafix") -> None:
    """Check the settings of a supervised run with a limit."""
    more = f"[monitors]\n{limit}\n[tracking]\nsamples_every = {every}\n"
    file = write_experiment(folder / "mine.toml", ModelSettings("nothing"), more=more)
    file.write_text(file.read_text().replace(STREAM, f'[[data.parts]]\nsource = "{source}"\n'))
    check_settings(read_experiment(file), file.name)


@pytest.mark.parametrize("fall", ["0.05", "0"])
def test_a_limit_on_rewards_is_refused_in_supervised_training(fall: str, tmp_path: Path) -> None:
    sentence = (
        r"^mine.toml, \[monitors\] held_out_fall: remove this entry, which supervised training does not use: "
        ".*; write held_out_above"
    )
    with pytest.raises(BadInput, match=sentence):
        check(tmp_path, f"held_out_fall = {fall}", every=2)


@pytest.mark.parametrize("limit", ["identity_rate = 0.9", "over_edit_ratio = 2.0", "held_out_above = 0.1"])
def test_a_limit_on_fixed_cases_that_are_not_edited_is_refused(limit: str, tmp_path: Path) -> None:
    name = limit.split()[0]
    with pytest.raises(
        BadInput, match=rf"^mine.toml, \[monitors\] {name}: watches the fixed cases, which .* write samples_every"
    ):
        check(tmp_path, limit, every=0)
    check(tmp_path, limit, every=2)


def test_a_limit_on_held_out_cases_is_refused_if_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"^mine.toml, \[monitors\] held_out_above: .* also trained on; train on streams"
    ):
        check(tmp_path, "held_out_above = 0.1", every=2, source="suite:tinygrafix")
    check(tmp_path, "identity_rate = 0.5", every=2, source="suite:tinygrafix")


@pytest.mark.parametrize("limit", ["", "identity_rate = false", "held_out_fall = false", "window = 3"])
def test_what_changes_nothing_may_be_written(limit: str, tmp_path: Path) -> None:
    check(tmp_path, limit, every=0)


def planner(folder: Path, entry: str) -> PlannerExperiment:
    """The experiment of a planner with one more entry."""
    (folder / "pairs.jsonl").write_text(json.dumps({"instruction": "melt it", "plan": "a puddle"}))
    file = folder / "planner.toml"
    file.write_text(f'[planner]\nmodel = "m"\n[training]\nsteps = 2\n{entry}\n[data]\npairs = "pairs.jsonl"\n')
    return read_planner(file)


@pytest.mark.parametrize("entry", ["drop_instruction = 0.1", 'cache = "cache"'])
def test_an_entry_of_supervised_training_is_refused_for_a_planner(entry: str, tmp_path: Path) -> None:
    name = entry.split()[0]
    with pytest.raises(
        BadInput, match=rf"^planner.toml, \[training\] {name}: remove this entry, which the training of a planner"
    ):
        planner(tmp_path, entry)
    assert planner(tmp_path, "drop_instruction = 0.0").training.drop_instruction == 0


def test_recipes_have_nothing_that_is_ignored(tmp_path: Path) -> None:
    for recipe in ("pica-kontext", "pica-qwen", "worldedit-painter"):
        write_recipe(tmp_path / f"{recipe}.toml", recipe)
        check_settings(read_experiment(tmp_path / f"{recipe}.toml"), recipe)
    write_recipe(tmp_path / "planner.toml", "worldedit-planner")
    read_planner(tmp_path / "planner.toml")
