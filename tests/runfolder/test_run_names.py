"""Runs are called by their editors, and by no more than what sets them apart."""

from __future__ import annotations

from typing import Any

from editscope.runfolder.run_names import editor_with_options, run_names


def editor(spec: str, name: str = "") -> dict[str, Any]:
    return {"name": name or spec.partition("?")[0].rpartition(":")[2], "spec": spec}


def test_runs_of_one_class_are_called_by_the_options_that_differ() -> None:
    specs = [f"python:m:Painter?size=200&crash={crash}" for crash in ("0.3", "0.5")]
    assert run_names([editor(spec) for spec in specs], ["a", "b"]) == ["Painter?crash=0.3", "Painter?crash=0.5"]


def test_a_class_with_and_without_an_option_needs_no_folder() -> None:
    both = [editor("python:better:Better"), editor("python:better:Better?area=1")]
    assert run_names(both, ["x", "y"]) == ["Better", "Better?area=1"]


def test_options_that_do_not_tell_all_runs_apart_get_the_folder_too() -> None:
    three = [editor("python:m:M"), editor("python:m:M?a=1"), editor("python:m:M?a=1")]
    assert run_names(three, ["x", "y", "z"]) == ["M", "M?a=1 · y", "M?a=1 · z"]


def test_classes_of_one_name_in_two_modules_are_called_by_their_specs() -> None:
    both = [editor("python:one:M"), editor("python:two:M")]
    assert run_names(both, ["run", "run"]) == ["M · python:one:M", "M · python:two:M"]


def test_the_same_editor_on_another_set_keeps_its_name() -> None:
    both = [editor("python:m:M"), editor("python:m:M?a=1")]
    assert run_names(both, ["x", "y"], ["paintbench", "kris"]) == ["M", "M"]


def test_the_address_of_a_server_is_no_part_of_a_name() -> None:
    assert editor_with_options(editor("openai:gpt?base_url=http://127.0.0.1/v1&quality=high")) == "gpt?quality=high"
    assert editor_with_options({"name": "Mine", "spec": None}) == "Mine"
