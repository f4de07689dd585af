"""Fields of replies that a model writes, as the header of a prompt lists them."""

from __future__ import annotations

import re

from editscope.judges.records import TextField

_FIELD = re.compile(
    r"(\w+)\s+(?:(text)|texts\s+(\d+\s*-\s*\d+)|one of\s+(\w[^,]*)|rows\s+(\d+\s*-\s*\d+)\s+of\s+(\w[\w+ ]*))\Z"
)


def read_text_field(item: str) -> TextField | None:
    """The field of an entry of ``reply:``; None where it is none that a model writes.

    >>> read_text_field("keywords texts 3-8").shape, read_text_field("score 1-5")
    ('texts', None)
    >>> read_text_field("questions rows 4-5 of question+answer").options
    ('question', 'answer')
    """
    match = _FIELD.match(item)
    if match is None:
        return None
    name, text, texts, options, rows, columns = match.groups()
    if text:
        return TextField(name, "yes_no", shape="text")
    if options:
        return TextField(name, "yes_no", shape="choice", options=tuple(one.strip() for one in options.split("|")))
    low, high = (int(end) for end in (texts or rows).split("-"))
    if texts:
        return TextField(name, "yes_no", low, high, "texts")
    return TextField(name, "yes_no", low, high, "rows", tuple(one.strip() for one in columns.split("+")))


def text_field(field: TextField) -> str:
    """The entry of a field.

    >>> text_field(TextField("law", "yes_no", shape="choice", options=("heat", "light")))
    'law one of heat|light'
    """
    if field.shape == "choice":
        return f"{field.name} one of {'|'.join(field.options)}"
    if field.shape == "text":
        return f"{field.name} text"
    rows = f" of {'+'.join(field.options)}" if field.shape == "rows" else ""
    return f"{field.name} {field.shape} {field.low}-{field.high}{rows}"
