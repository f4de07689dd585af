"""Options from a TOML file: the same as on the command line, which wins."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from editscope.cli.config import options
from editscope.errors import BadInput

Cli = Callable[..., "CompletedProcess[str]"]
KNOWN = ("suite", "editor", "judge", "where", "limit", "tasks", "quiet", "timeout", "data", "out")
LISTS = frozenset(("judge", "where", "tasks"))


def written(folder: Path, text: str) -> Path:
    (folder / "run.toml").write_text(text)
    return folder / "run.toml"


def read(folder: Path, text: str) -> dict[str, object]:
    return options(written(folder, text), KNOWN, LISTS)


def test_tables_turn_into_specs(tmp_path: Path) -> None:
    text = """
suite = "paintbench"
limit = 6
quiet = true
tasks = ["border", "removal"]
[editor]
spec = "rewrite(judge=openai:gpt-4o):diffusers:models/kontext?steps=20"
guidance = 2.5
compile = false
[[judge]]
spec = "openai:gpt-4o?seed=1"
temperature = 0.5
[[judge]]
spec = "gemini:gemini-2.5-pro"
[where]
condition = ["baseline", "striped"]
task = "border"
"""
    assert read(tmp_path, text) == {
        "suite": "paintbench",
        "limit": 6,
        "quiet": True,
        "tasks": ["border", "removal"],
        "editor": "rewrite(judge=openai:gpt-4o):diffusers:models/kontext?compile=false&guidance=2.5&steps=20",
        "judge": ["openai:gpt-4o?seed=1&temperature=0.5", "gemini:gemini-2.5-pro"],
        "where": ["condition=baseline,striped", "task=border"],
    }


def test_the_command_line_wins_over_the_file(small_set: Path, tmp_path: Path, editscope: Cli) -> None:
    text = f"""
suite = "paintbench"
data = "{small_set}"
out = "{tmp_path / "from-file"}"
limit = 2
seed = 7
where = ["task=border,recolor"]
[editor]
spec = "ref:noise"
strength = 2
"""
    path = written(tmp_path, text)
    assert editscope("run", "--config", path, "--seed", "9", "--out", tmp_path / "given").returncode == 0
    info = json.loads((tmp_path / "given/run.json").read_text())
    assert info["editor"]["spec"] == "ref:noise?strength=2"
    assert info["seed"] == 9
    assert info["selection"]["limit"] == 2
    assert info["selection"]["where"] == {"task": ["border", "recolor"]}
    assert not (tmp_path / "from-file").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("editr = 'ref:noise'", "no option 'editr' of run in .*run.toml; did you mean 'editor'"),
        ("suite = =1", r"--config .*run.toml is not TOML \(.*line 1"),
        ("limit = [1, 2]", "limit in .*run.toml is a list; write a text, a number, true or false"),
        ("[editor]\nsteps = 30", r"\[editor\] in .*run.toml has no spec"),
        ("editor = 5", "editor in .*run.toml is a number; write a spec, or a table"),
        ("[editor]\nspec = 'ref:noise'\nsteps = [1]", "editor.steps in .*run.toml is a list"),
        ("[limit]\nn = 3", "limit in .*run.toml is a table"),
    ],
)
def test_what_is_wrong_with_a_file_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "variable"),
    [
        ("[editor]\nspec = 'openai:gpt-image-1'\napi_key = 'sk-verysecret'", "OPENAI_API_KEY"),
        ("[editor]\nspec = 'best_of(2, by=miou):bfl:flux-kontext-pro'\nkey = 'sk-verysecret'", "BFL_API_KEY"),
        ("[judge]\nspec = 'gemini:gemini-2.5-pro'\nauth_token = 'sk-verysecret'", "GEMINI_API_KEY"),
        ("openai_api_key = 'sk-verysecret'", "OPENAI_API_KEY"),
        ("api_key = 'sk-verysecret'", "ARK_API_KEY"),
    ],
)
def test_a_key_in_a_file_is_refused_and_not_repeated(tmp_path: Path, text: str, variable: str) -> None:
    with pytest.raises(BadInput, match=variable) as raised:
        read(tmp_path, text)
    assert "verysecret" not in str(raised.value)


def test_the_variable_with_the_key_may_be_named(tmp_path: Path) -> None:
    found = read(tmp_path, "[editor]\nspec = 'openai:gpt-image-1'\nkey_env = 'MY_KEY'")
    assert found == {"editor": "openai:gpt-image-1?key_env=MY_KEY"}


def test_a_file_that_is_not_there_is_said(tmp_path: Path, editscope: Cli) -> None:
    called = editscope("run", "--config", tmp_path / "none.toml")
    assert called.returncode == 2
    assert called.stderr == f"editscope: --config {tmp_path / 'none.toml'} cannot be read (No such file or directory)\n"
