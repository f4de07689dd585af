"""Rendering of pages: templates, what all of them share, and how texts from outside are shown."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from editscope.report.html.frame import HALF_MOON, LOGO
from editscope.version import __version__
from editscope.wording import plain

SHARED_ASSETS = ("report.css", "theme.js", "errormap.js")
"""Files that the studio shares with the report: one design, one place for it."""


@cache
def environment() -> Environment:
    """The templates, which escape everything that is not marked as safe and fail on a name that does not exist."""
    made = Environment(
        loader=PackageLoader("editscope.studio", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"plain": plain, "count": count}
    made.globals |= {"logo": LOGO, "half_moon": HALF_MOON, "version": __version__}
    return made


def page(request: Request, template: str, status_code: int = 200, **values: Any) -> HTMLResponse:
    """A page from a template; ``part`` is the entry of the menu that it belongs to."""
    from editscope.studio.parts import PARTS

    shared = {"menu": [part for part in PARTS if part.label], "part": "", "path": request.url.path}
    html = environment().get_template(template).render(shared | values)
    return HTMLResponse(html, status_code=status_code, headers={"Cache-Control": "no-store"})


def count(number: int, thing: str, things: str = "") -> str:
    """A number with what it counts.

    >>> count(1, "case"), count(2520, "case"), count(2, "study", "studies")
    ('1 case', '2,520 cases', '2 studies')
    """
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def shared_asset(name: str) -> bytes:
    """The bytes of a file that the studio shares with the report."""
    return (files("editscope.report.html") / "assets" / name).read_bytes()
