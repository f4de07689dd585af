"""HTML from Python: elements as functions, and everything that is not markup is escaped."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape
from typing import Any, TypeAlias

VOID = frozenset({"br", "circle", "hr", "img", "input", "line", "link", "meta", "path", "polyline", "rect"})


class Html(str):
    """A string that is markup already."""

    __slots__ = ()


Child: TypeAlias = "str | int | Iterable[Child] | None"
Attribute: TypeAlias = "str | int | float | bool | None"


def el(tag: str, *children: Child, **attributes: Attribute) -> Html:
    """An element. ``cls`` is the class; other underscores become hyphens; None and False leave one out.

    >>> print(el("p", "1 < 2 ", el("b", "really"), cls="note", data_run=3, hidden=False))
    <p class="note" data-run="3">1 &lt; 2 <b>really</b></p>
    """
    opening = "".join([tag, *(_attribute(name, value) for name, value in attributes.items())])
    if tag in VOID:
        return Html(f"<{opening}/>")
    return Html(f"<{opening}>{join(children)}</{tag}>")


def join(children: Child) -> Html:
    """Children one after another; text is escaped, None is nothing.

    >>> print(join(["a & b", None, [Html("<br/>")]]))
    a &amp; b<br/>
    """
    if children is None:
        return Html("")
    if isinstance(children, Html):
        return children
    if isinstance(children, str | int):
        return Html(escape(str(children)))
    return Html("".join(join(child) for child in children))


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = "class" if name == "cls" else name.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    return f' {name}="{escape(f"{value:g}" if isinstance(value, float) else str(value))}"'


def json_for_script(data: Any) -> Html:
    """JSON that may stand inside a script element: no ``<``, so no tag of any kind can begin or end in it.

    >>> print(json_for_script({"text": "</script>"}))
    {"text":"\\u003c/script\\u003e"}
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Html(text)
