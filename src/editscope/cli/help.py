"""Help texts: commands and options in named groups, plain names of arguments, and examples that can be copied."""

from __future__ import annotations

import inspect
import re
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from editscope.cli.mistakes import USAGE_ERROR, in_words
from editscope.cli.repeated_options import refuse_repeated

PROGRAM = "editscope "
"""How a paragraph of a help text begins that is a command to copy."""

_RANGE = re.compile(r"(?:[-\d.]+<=?)?x(?:[<>]=?[-\d.]+)?")
_WORDS = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""")


class _PlainHelp:
    """What the help of commands and of groups shares."""

    help: str | None

    def format_usage(self, ctx: Any, formatter: Any) -> None:
        """Write the usage line with plain names: ``RUN`` where it is required, ``[CASE]`` where it is not."""
        pieces = ["[OPTIONS]"]
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            if parameter.param_type_name == "argument":
                name = argument_name(parameter)
                pieces.append(name if parameter.required else f"[{name}]")
        if isinstance(self, TyperGroup):
            pieces.append("COMMAND …")
        formatter.write_usage(ctx.command_path, " ".join(pieces))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the paragraphs of the text; commands are broken between words, with a backslash."""
        with formatter.indentation():
            for paragraph in inspect.cleandoc(self.help or "").split("\n\n"):
                formatter.write_paragraph()
                if paragraph.lstrip().startswith(PROGRAM):
                    indent = " " * (formatter.current_indent + 2)
                    formatter.write("".join(f"{line}\n" for line in example_lines(paragraph, formatter.width, indent)))
                else:
                    formatter.write_text(paragraph)


class GroupedOptions(_PlainHelp, TyperCommand):
    """A command whose help lists options by ``rich_help_panel``, in the order of the first option of each.

    An option that takes one value may be given once.
    """

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the arguments; BadInput for an option that is given twice, unknown, or no number."""
        given = list(args)
        try:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
            refuse_repeated(order, args)
            return super().parse_args(ctx, args)
        except USAGE_ERROR as error:
            mistake = None if ctx.resilient_parsing else in_words(error, self, ctx.command_path, given)
            if mistake is None:
                raise
            raise mistake from None

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the arguments, then the options without a panel, then one section for each panel."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                sections["Arguments"].append((argument_name(parameter), record[1]))
            else:
                panel = getattr(parameter, "rich_help_panel", None) or "Options"
                sections.setdefault(panel, []).append((record[0], without_ranges(record[1])))
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class GroupedCommands(_PlainHelp, TyperGroup):
    """A group whose help lists commands by ``rich_help_panel``, each with the first sentence of its help."""

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write one section for each panel, with the names in columns of one width."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        wide = max(map(len, commands))
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in commands.items():
            if command is not None and not command.hidden:
                panel = getattr(command, "rich_help_panel", None) or "Commands"
                sections.setdefault(panel, []).append((f"{name:<{wide}}", first_sentence(command.help or "")))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def argument_name(parameter: Any) -> str:
    """The name of an argument as help shows it, without brackets."""
    name = (parameter.metavar or parameter.name.upper()).strip("[]")
    return f"{name}..." if parameter.nargs != 1 and not name.endswith("...") else name


def without_ranges(text: str) -> str:
    """A help text without the ranges that Typer adds; a number that is out of range gets a sentence of its own.

    >>> without_ranges("The number of problems.  [default: 40; x>=1]"), without_ranges("At most N.  [1<=x<=9]")
    ('The number of problems.  [default: 40]', 'At most N.')
    """
    before, bracket, added = text.rpartition("  [")
    parts = [part for part in added.rstrip("]").split("; ") if not _RANGE.fullmatch(part)]
    if not bracket or not added.endswith("]"):
        return text
    return f"{before}  [{'; '.join(parts)}]" if parts else before


def first_sentence(text: str) -> str:
    """The first sentence of a help text, without what follows a semicolon or a colon in it.

    >>> first_sentence("Continue a run that was stopped; finished steps are not repeated.\\n\\nMore.")
    'Continue a run that was stopped'
    """
    paragraph = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    return re.split(r"[.;:](?:\s|$)", paragraph, maxsplit=1)[0]


def example_lines(command: str, width: int, indent: str) -> list[str]:
    """A command in lines of a width, broken between words so that it can be copied as it stands.

    >>> example_lines("editscope run paintbench --editor 'python:my_model:Mine' --limit 40", 44, "  ")
    ['  editscope run paintbench --editor \\\\', "      'python:my_model:Mine' --limit 40"]
    """
    lines, line = [], indent
    for word in _WORDS.findall(command):
        if line.strip() and len(line) + 1 + len(word) > width - 2:
            lines.append(f"{line} \\")
            line = f"{indent}    {word}"
        else:
            line = f"{line} {word}" if line.strip() else f"{indent}{word}"
    return [*lines, line]
