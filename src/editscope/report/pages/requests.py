"""Page of requests to a judge: every text as it is sent, every picture as a thumbnail in its place."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editscope.errors import BadImage
from editscope.images import decode, encode_thumbnail, thumbnail
from editscope.judges import Call, Picture
from editscope.judges.request_text import labeled_parts, setting_lines
from editscope.outside import redacted, repaired
from editscope.printing import plain
from editscope.report.html.frame import LOGO, OPENING, asset, page_head
from editscope.report.html.markup import Html, el
from editscope.runfolder.files import write_whole

STYLES = ("report.css", "requests.css", "print.css")
SIDE = 320
"""The longer side of a thumbnail."""


def write_requests(out: str | Path, about: str, requests: Sequence[tuple[Call, Mapping[str, Any]]]) -> Path:
    """Write the page of some requests, each with what ``judge.sends`` says goes with it."""
    path = Path(out)
    write_whole(path, requests_page(about, requests).encode())
    return path


def requests_page(about: str, requests: Sequence[tuple[Call, Mapping[str, Any]]]) -> str:
    """The page, whole. It holds its pictures and asks nobody for anything; no key is in it."""
    theme = asset("theme.js")
    head = page_head(f"Requests about {shown(about)}", STYLES, [theme])
    number = f"{len(requests)} requests" if len(requests) > 1 else "One request"
    body = el(
        "body",
        el("header", el("div", el("a", LOGO, "Editscope", cls="logo", href="#top")), cls="top", id="top"),
        el(
            "main",
            el("div", el("h1", "What the judge gets"), el("p", f"{number} about {shown(about)}"), cls="title"),
            [_request(call, settings) for call, settings in requests],
        ),
    )
    return f"{OPENING}{head}\n{body}\n</html>\n"


def shown(text: str) -> str:
    """A text from outside as the page shows it: without keys, and without what would change how it is read."""
    return plain(redacted(repaired(text)))


def _request(call: Call, settings: Mapping[str, Any]) -> Html:
    _, *lines = setting_lines(call, settings)
    parts = [
        el("pre", shown(part)) if isinstance(part, str) else _picture(label, part)
        for label, part in labeled_parts(call)
    ]
    return el(
        "section",
        el("h2", f"Prompt {shown(call.prompt)} ", el("code", call.prompt_hash, title="The hash of the prompt")),
        el("ul", [el("li", shown(line)) for line in lines], cls="sent-with"),
        [el("h3", "System"), el("pre", shown(call.system))] if call.system else None,
        el("div", parts, cls="sent"),
        cls="card",
    )


def _picture(label: str, picture: Picture) -> Html:
    try:
        small = b64encode(encode_thumbnail(thumbnail(decode(picture.data).pixels, SIDE))).decode()
        image = el("img", src=f"data:image/webp;base64,{small}", alt=shown(label))
    except BadImage as error:  # a judge of your own may be given anything
        image = el("p", shown(str(error)), cls="hint")
    return el("figure", image, el("figcaption", shown(label)))
