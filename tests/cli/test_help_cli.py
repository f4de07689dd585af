"""Help: every command teaches by an example that it accepts, in plain words, at 80 columns."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from editscope.cli.app import PANELS, make_app
from editscope.cli.help import GroupedCommands, GroupedOptions

ROOT: Any = typer.main.get_command(make_app())


def commands(group: Any = ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = dict(commands())


def help_of(path: tuple[str, ...], command: Any, width: int = 80) -> str:
    with ROOT.make_context("editscope", [], resilient_parsing=True, terminal_width=width, max_content_width=width):
        context = command.make_context(
            " ".join(("editscope", *path)), [], resilient_parsing=True, terminal_width=width, max_content_width=width
        )
        return str(command.get_help(context))


def examples(text: str) -> list[list[str]]:
    """The commands that a help text shows, each as the words that a shell would make of it."""
    whole = re.sub(r" \\\n\s+", " ", text)
    found = [line.strip() for line in whole.splitlines() if line.strip().startswith("editscope ")]
    return [shlex.split(line.partition(" > ")[0])[1:] for line in found]


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_shows_an_example_that_the_command_line_accepts(path: tuple[str, ...]) -> None:
    shown = examples(help_of(path, ALL[path]))
    assert any(tuple(words[: len(path)]) == path for words in shown), "no example of its own"
    for words in shown:
        called = next(known for known in ALL if tuple(words[: len(known)]) == known)
        ALL[called].make_context("editscope", words[len(called) :])  # raises where a word or an option is not known


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_is_plain_and_fits_80_columns(path: tuple[str, ...]) -> None:
    text = help_of(path, ALL[path])
    assert not re.search(r"[{}]", text.replace("{checkpoint}", "")), "braces"
    assert not re.search(r"<(str|int|float|path|bool|list)\b", text), "names of types"
    assert not re.search(r"\bx[<>]=", text), "ranges"
    assert max(map(len, text.splitlines())) <= 80


def test_the_commands_stand_in_groups_and_the_first_example_is_the_demo() -> None:
    with ROOT.make_context("editscope", [], resilient_parsing=True, terminal_width=80) as context:
        text = ROOT.get_help(context)
    assert [line[:-1] for line in text.splitlines() if line.rstrip(":") in PANELS] == list(PANELS)
    assert examples(text)[0] == ["demo"]
    assert "..." not in text, "no sentence is cut"


def test_every_command_has_the_help_of_the_house() -> None:
    assert all(isinstance(command, GroupedOptions) for command in ALL.values())
    assert isinstance(ROOT, GroupedCommands)
