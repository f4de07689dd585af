"""Names of several edits of one case: each repeat is a variant of it, and a file of its own in a folder of edits."""

from __future__ import annotations

MARK = "~"
"""Between the name of a variant and the number of its repeat; no suite has it in a variant's name."""


def repeated(variant: str, repeat: int) -> str:
    """The name of a variant in a repeat, counted from 0; the first has the plain name, so that one is as none.

    >>> repeated("", 0), repeated("", 1), repeated("explicit", 2)
    ('', '~2', 'explicit~3')
    """
    return f"{variant}{MARK}{repeat + 1}" if repeat else variant


def plain(name: str) -> tuple[str, int]:
    """The variant and the repeat behind a name.

    >>> plain("explicit~3"), plain("~2"), plain("en")
    (('explicit', 2), ('', 1), ('en', 0))
    """
    variant, mark, number = name.rpartition(MARK)
    return (variant, int(number) - 1) if mark and number.isdecimal() and int(number) > 1 else (name, 0)
