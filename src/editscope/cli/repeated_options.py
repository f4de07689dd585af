"""Options given twice: an error that names the option and both values, where the command line would take the last."""

from __future__ import annotations

from collections import Counter
from typing import Any

from editscope.errors import BadInput


def refuse_repeated(order: list[Any], args: list[str]) -> None:
    """Raise BadInput for an option that takes one value and was given twice.

    ``order`` has each parameter as often as the parser met it; ``args`` are the arguments, for the message.
    """
    for parameter, times in Counter(order).items():
        if (
            times < 2
            or parameter.param_type_name != "option"
            or parameter.multiple
            or getattr(parameter, "count", False)
        ):
            continue
        flag = max(parameter.opts, key=len)
        values = [] if parameter.is_flag else values_of([*parameter.opts, *parameter.secondary_opts], args)
        listed = f": {' and '.join(map(repr, values))}" if len(values) > 1 else ""
        raise BadInput(f"{flag} is given twice{listed}; give it once")


def values_of(flags: list[str], args: list[str]) -> list[str]:
    """The values that an option was given, in any of the ways in which it can be written.

    >>> values_of(["--jobs", "-j"], ["--jobs", "2", "-j3", "--jobs=4", "-j", "5"])
    ['2', '3', '4', '5']
    """
    values = []
    for place, argument in enumerate(args):
        if argument in flags and place + 1 < len(args):
            values.append(args[place + 1])
            continue
        for flag in flags:
            glued = flag + ("=" if flag.startswith("--") else "")
            if argument.startswith(glued) and argument != flag and not (glued == flag and argument.startswith("--")):
                values.append(argument.removeprefix(glued))
    return values
