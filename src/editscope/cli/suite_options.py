"""Options of suites on the command line: flags that a benchmark declares, beside those that every suite shares.

``editscope run 'picabench?region=whole'`` and ``editscope run picabench --region whole`` mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import typer

from editscope.cli.help import GroupedOptions
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.suites import Benchmark, Option

GIVEN, DEFAULTS = "editscope.suite_options", "editscope.suite_defaults"
WORDS = "editscope.words"
"""Where a context keeps the arguments as they were typed, for completion."""


class SuiteCommand(GroupedOptions):
    """A command that also takes the options of the suite it is about."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Set the options of suites aside, and read the rest as usual."""
        ctx.meta[WORDS] = tuple(args)
        if any(argument.startswith("--") for argument in args) and not ctx.resilient_parsing:
            shared = {name for parameter in self.params for name in (*parameter.opts, *parameter.secondary_opts)}
            shared |= {"--", "--help"}
            args, ctx.meta[GIVEN] = _set_aside(args, shared, self._options(args, shared))
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> list[Any]:  # type: ignore[override]
        """What a shell offers: the flags of the named suite beside those that every suite shares."""
        from editscope.cli.completion import suite_flags

        items: list[Any] = super().shell_complete(ctx, incomplete)
        if not incomplete.startswith("-"):
            return items
        flags = suite_flags(ctx.meta.get(WORDS, ()), incomplete)
        return items + [_completion_item()(flag, help=text) for flag, text in flags]

    def _options(self, args: list[str], shared: set[str]) -> dict[str, Option]:
        """The options that these arguments may mean, by name: those of benchmarks that are named here come first.

        Those of all other benchmarks only where a flag is none of them, since each benchmark has to be imported.
        """
        valued = {name for p in self.params for name in p.opts if not getattr(p, "is_flag", False)} - {"--protocol"}
        named = [text for before, text in zip(["", *args], args, strict=False) if before not in valued]
        named += [text.partition("=")[2] for text in args if text.startswith("--protocol=")]
        options: dict[str, Option] = {}
        for record in filter(None, map(_benchmark_of, reversed(named))):
            options |= {option.name: option for option in record.options}
        flags = {text.partition("=")[0] for text in args if text.startswith("--")} - shared
        if all(_option_name(flag) in options for flag in flags):
            return options
        return known_options() | options


class GenerateCommand(SuiteCommand):
    """The same, with the options of every suite that is made from seeds in its help."""

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the usual options, then those of each suite."""
        from editscope.suites.registry import benchmarks

        super().format_options(ctx, formatter)
        for record in benchmarks():
            if record.write_set:
                rows = [(f"--{flag_of(option.name)} {metavar(option)}", option.help) for option in record.options]
                with formatter.section(f"Options of {record.name}"):
                    formatter.write_dl(rows)


def _completion_item() -> Any:
    """Click's class of what a shell offers; newer versions of Typer bring their own Click."""
    from importlib import import_module

    try:
        return import_module("typer._click.shell_completion").CompletionItem
    except ImportError:
        return import_module("click.shell_completion").CompletionItem


def known_options() -> dict[str, Option]:
    """The options of all installed benchmarks, by name."""
    from editscope.suites.registry import benchmarks

    return {option.name: option for record in reversed(benchmarks()) for option in record.options}


def _benchmark_of(spec: str) -> Benchmark | None:
    """The benchmark that an argument names; None where it names none, or one that cannot be read."""
    from editscope.suites.registry import known_benchmark, split_spec

    try:
        return None if spec.startswith("-") else known_benchmark(split_spec(spec)[0])
    except BadInput:  # whoever loads the suite says what is wrong
        return None


def flag_of(name: str) -> str:
    """The name of an option as a flag.

    >>> flag_of("psnr_size")
    'psnr-size'
    """
    return name.replace("_", "-")


def _option_name(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def metavar(option: Option) -> str:
    """What stands for the value of an option in help texts."""
    kinds = {"text": "TEXT", "names": "A,B", "number": "N", "size": "WxH", "flag": "1|0"}
    return "|".join(option.values) if option.values and option.type != "names" else kinds[option.type]


def suite_spec(context: typer.Context, suite: str, protocol: str | None = None) -> tuple[str, dict[str, Any]]:
    """The spec of the suite with all options that were given for it, and the options that belong to ``--protocol``."""
    from editscope.suites.registry import known_benchmark, split_spec

    plain, written = split_spec(suite)
    flags: Mapping[str, str] = {**context.meta.get(DEFAULTS, {}), **context.meta.get(GIVEN, {})}
    for name in context.meta.get(GIVEN, {}):
        if name in written:
            raise BadInput(f"{name} is set twice: in {suite!r} and as --{flag_of(name)}; set it once")
    other = known_benchmark(protocol.partition("?")[0]) if protocol else None
    of_protocol = {option.name: option for option in other.options if option.of == "protocol"} if other else {}
    foreign = other is not None and other.name != plain
    judged = {name: of_protocol[name].read(text) for name, text in flags.items() if foreign and name in of_protocol}
    texts = {name: text for name, text in {**flags, **written}.items() if name not in judged}
    return (f"{plain}?{urlencode(texts, quote_via=quote, safe=',')}" if texts else plain), judged


def default_text(value: Any) -> str:
    """A value of a settings file as the text of an option.

    >>> default_text(["border", "removal"]), default_text(True), default_text(12)
    ('border,removal', '1', '12')
    """
    if isinstance(value, list):
        return ",".join(map(str, value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def _check_spelling(flag: str, shared: set[str], known: Mapping[str, Option]) -> None:
    """Raise BadInput for a flag that is nearly an option of some suite; other mistakes are told by Typer."""
    flags = {f"--{flag_of(name)}" for name in known}
    if flag.startswith("--") and flag not in shared:
        near = get_close_matches(flag, [*flags, *shared], n=1, cutoff=0.8)
        if near and near[0] in flags:
            raise BadInput(f"there is no option {flag}; did you mean {near[0]}?")


def _set_aside(args: list[str], shared: set[str], known: Mapping[str, Option]) -> tuple[list[str], dict[str, str]]:
    """The arguments without options of suites, and those options."""
    rest: list[str] = []
    given: dict[str, str] = {}
    left = list(args)
    while left:
        argument = left.pop(0)
        flag, equals, value = argument.partition("=")
        option = known.get(_option_name(flag))
        if argument == "--":
            rest += [argument, *left]
            break
        if not flag.startswith("--") or flag in shared or option is None:
            _check_spelling(flag, shared, known)
            rest.append(argument)
            continue
        if not equals:
            if option.type == "flag":
                value = left.pop(0) if left and left[0].lower() in ("1", "0", "true", "false") else "1"
            elif not left:
                raise BadInput(f"{flag} needs a value, such as {flag} {metavar(option)}")
            else:
                value = left.pop(0)
        if option.name in given and option.type != "names":
            raise BadInput(f"{flag} is given twice: {given[option.name]!r} and {value!r}; give it once")
        given[option.name] = f"{given[option.name]},{value}" if option.name in given else value
    return rest, given
