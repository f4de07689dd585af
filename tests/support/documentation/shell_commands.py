"""Commands that pages print: found in the shell's lines, and read by the command line without being run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from editscope.cli.app import make_app
from editscope.errors import BadInput
from support.documentation.markdown_blocks import Block

MORE = "…"
"""Stands for a value that the reader has, or, at the end, for options as in the line before."""
PROGRAM = "editscope"
_PROMPT = re.compile(r"[a-z]*\$ +")
_COMMENT = re.compile(r"\s+#\s.*$", re.MULTILINE)
_JOINS = {"|", "||", "&&", ";", "&"}
_FILES = {">", ">>", "<"}


def shell_lines(block: Block) -> list[str]:
    """What is typed in a console block: the lines after a prompt, with those that continue them, without comments."""
    typed: list[str] = []
    continued = False
    for line in block.text.splitlines():
        if prompt := _PROMPT.match(line):
            typed.append(line[prompt.end() :])
        elif continued:
            typed[-1] += "\n" + line.removeprefix("> ")
        else:
            continue
        typed[-1] = _COMMENT.sub("", typed[-1])
        continued = typed[-1].endswith("\\") or _open_loop(typed[-1])
    return typed


def simple_commands(line: str) -> list[list[str]]:
    """The commands of a shell line, each as the words that a shell would pass.

    >>> simple_commands("editscope suites --json | jq -r '.[] | .name'")
    [['editscope', 'suites', '--json'], ['jq', '-r', '.[] | .name']]
    """
    lexer = shlex.shlex(line.replace("\\\n", " ").replace("\n", " ; "), posix=True, punctuation_chars=";|&<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    commands: list[list[str]] = [[]]
    for word in lexer:
        if word in _JOINS:
            commands.append([])
        elif word in _FILES:
            next(lexer, "")
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def editscope_commands(line: str) -> Iterator[list[str]]:
    """The arguments of every call of Editscope in a line."""
    for command in simple_commands(line):
        words = command[1:] if command[0] == "do" else command
        if words[:1] == [PROGRAM]:
            yield words[1:]


@cache
def _program() -> Any:
    import typer

    return typer.main.get_command(make_app())


def read_arguments(arguments: Sequence[str]) -> dict[str, Any]:
    """The parameters of a command, by name, as it would get them; raises where it would not take the arguments."""
    words = list(arguments)
    if words[0].startswith("-"):  # such as --install-completion, which is done as soon as it is read
        if words[0] not in {name for parameter in _program().params for name in parameter.opts}:
            raise BadInput(f"there is no option {words[0]}")
        return {}
    if words[-1:] == [MORE] and not words[-2].startswith("-"):
        words.pop()
    context = _program().make_context(PROGRAM, words)
    command = _program()
    while hasattr(command, "resolve_command"):
        if not context._protected_args + context.args:
            return dict(context.params)
        name, command, rest = command.resolve_command(context, context._protected_args + context.args)
        context = command.make_context(name, rest, parent=context)
    return dict(context.params)


def mistake(arguments: Sequence[str]) -> str:
    """What is wrong with a command, in words; "" where it could be run.

    >>> mistake(["run", "paintbench", "--editor", "ref:half", "--limt", "3"])
    'there is no option --limt; did you mean --limit?'
    """
    try:
        read_arguments(arguments)
    except BadInput as error:
        return str(error)
    except SystemExit as end:
        return "" if not end.code else f"exit code {end.code}"
    except Exception as error:
        return "" if type(error).__name__ == "Exit" else f"{type(error).__name__}: {error}"
    return ""


def _open_loop(line: str) -> bool:
    return line.startswith("for ") and not re.search(r"\bdone$", line.strip())
