"""Completion in the shell: the names are those of the registries, and nothing heavy is loaded for them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from editscope.cli import completion


def test_the_names_are_those_of_the_registries() -> None:
    from editscope.editors.kinds import KINDS
    from editscope.editors.reference import FLAWS
    from editscope.editors.reference_effects import EFFECT_FLAWS
    from editscope.judges.registry import BUILT_IN, HOSTED
    from editscope.suites import suite_names

    kinds = {kind.name for kind in KINDS if not kind.wrapper and not kind.target_is_address}
    assert set(completion.EDITORS) == kinds
    assert set(completion.REFERENCES) == {*FLAWS, *EFFECT_FLAWS}
    assert set(completion.JUDGES) == {*HOSTED, *BUILT_IN}
    assert set(completion.suites("")) == {*suite_names()} - {"own"}


def test_the_flags_of_a_suite_are_those_that_it_declares() -> None:
    from editscope.suites.registry import benchmarks

    for record in benchmarks():
        declared = {(f"--{option.name.replace('_', '-')}", option.help) for option in record.options}
        assert set(completion.suite_flags([record.name], "--")) == declared


def test_words_that_name_no_suite_have_no_flags() -> None:
    assert completion.suite_flags(["run", "--data", "here"], "--") == []


def completed(*words: str) -> list[str]:
    """What Bash would be told for these words, the last of them not finished."""
    code = (
        "import sys\nfrom editscope.cli import main\n"
        "try:\n    main()\nfinally:\n"
        "    heavy = {'numpy', 'numba', 'PIL', 'pyarrow', 'matplotlib'} & set(sys.modules)\n"
        "    assert not heavy, heavy"
    )
    variables = {
        completion.VARIABLE: "complete_bash",
        "COMP_WORDS": "\n".join(("editscope", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("res",), ["resume", "rescore"]),
        (("run", "pa"), ["paintbench"]),
        (("run", "paintbench", "--edito"), ["--editor"]),
        (("run", "paintbench", "--editor", "fo"), ["folder:", "folder:PATH"]),
        (("run", "paintbench", "--editor", "ref", ":", "no"), ["noise"]),
        (("run", "paintbench", "--judge", "anth"), ["anthropic:", "anthropic:MODEL"]),
        (("run", "picabench", "--reg"), ["--region"]),
        (("run", "picabench?region=whole", "--psnr"), ["--psnr", "--psnr-size"]),
        (("generate", "paintbench", "--namesp"), ["--namespace"]),
        (("published", "kr"), ["kris"]),
        (("prompts", "ex"), ["export"]),
    ],
)
def test_what_is_begun_is_completed(words: tuple[str, ...], wanted: list[str]) -> None:
    assert completed(*words) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown(shell: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "editscope", "--show-completion", shell],
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert completion.VARIABLE in done.stdout
