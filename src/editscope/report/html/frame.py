"""Frame of all pages: a head that lets nothing be fetched and no other script run, and the bar at the top."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files

from editscope.report.html.markup import Child, Html, el

LOGO = Html(
    '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">'
    '<circle cx="12" cy="12" r="8"/><path d="M12 1v6M12 17v6M1 12h6M17 12h6"/>'
    '<rect x="10.5" y="10.5" width="3" height="3" fill="currentColor" stroke="none"/></svg>'
)
MENU = Html(
    '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" '
    'aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h16"/></svg>'
)
HALF_MOON = Html(
    '<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" '
    'stroke-width="2"/><path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/></svg>'
)
OPENING = '<!doctype html>\n<html lang="en" data-theme="light">\n'


def asset(name: str) -> str:
    """The text of a style sheet or script."""
    return (files("editscope.report.html") / "assets" / name).read_text(encoding="utf-8")


def page_head(title: str, styles: Sequence[str], scripts: Sequence[str], img_src: str = "data:") -> Html:
    """The head of a page; ``scripts`` are the texts of all that may run, and the first of them runs before all else."""
    hashes = " ".join(f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'" for code in scripts)
    policy = (
        f"default-src 'none'; img-src {img_src}; style-src 'unsafe-inline'; "
        f"script-src {hashes}; base-uri 'none'; form-action 'none'"
    )
    return el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="generator", content="Editscope"),
        el("title", f"{title} · Editscope"),
        el("link", rel="icon", href="data:,"),
        el("script", Html(scripts[0])),
        el("style", Html("\n".join(asset(name) for name in styles))),
    )


def top_bar(links: Child, *more: Child, skip: Child = None) -> Html:
    """The bar with links to sections, which is a menu where the window is narrow, and the switch of the theme."""
    return el(
        "header",
        el(
            "div",
            el("a", LOGO, "Editscope", cls="logo", href="#top"),
            el("nav", links, aria_label="Sections", id="sections"),
            *more,
            el(
                "button",
                MENU,
                type="button",
                cls="menu",
                aria_label="Sections",
                aria_expanded="false",
                aria_controls="sections",
            ),
            el("button", HALF_MOON, type="button", cls="theme", aria_label="Switch to dark", title="Light or dark"),
        ),
        skip,
        cls="top",
        id="top",
    )
