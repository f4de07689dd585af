"""Help texts in named groups: commands by their panel, options by theirs."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from editscope.cli.repeated_options import refuse_repeated


class GroupedOptions(TyperCommand):
    """A command whose help lists options by ``rich_help_panel``, in the order of the first option of each.

    An option that takes one value may be given once.
    """

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Read the arguments; BadInput for an option that is given twice."""
        _, _, order = self.make_parser(ctx).parse_args(list(args))
        refuse_repeated(order, args)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the arguments, then the options without a panel, then one section for each panel."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                panel = getattr(parameter, "rich_help_panel", None) or usual
                sections.setdefault(panel, []).append(record)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class GroupedCommands(TyperGroup):
    """A group whose help lists commands by ``rich_help_panel``."""

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write one section for each panel, with the names in columns of one width."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        wide = max(map(len, commands))
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, command in commands.items():
            if command is not None and not command.hidden:
                panel = getattr(command, "rich_help_panel", None) or "Commands"
                short = command.get_short_help_str(formatter.width - 6 - wide)
                sections.setdefault(panel, []).append((f"{name:<{wide}}", short))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
