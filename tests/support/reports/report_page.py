"""Reading the blocks of data that a page of the report carries."""

from __future__ import annotations

import json
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any


def blocks(page: Path) -> dict[str, Any]:
    """The JSON blocks of a page by their ids, as a browser would find them."""
    found: dict[str, Any] = {}

    class Finder(HTMLParser):
        name: str | None = None

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            fields = dict(attrs)
            self.name = fields.get("id") if tag == "script" and fields.get("type") == "application/json" else None

        def handle_endtag(self, tag: str) -> None:
            self.name = None

        def handle_data(self, data: str) -> None:
            if self.name:
                found[self.name] = json.loads(data)

    Finder().feed(page.read_text(encoding="utf-8"))
    return found


def places(found: dict[str, Any], role: str, run: int | None = None) -> list[int | str]:
    """Where the pictures of a role are, one entry per case; addresses are written out."""
    column = found["places"]["shared"][role] if run is None else found["places"]["own"][run][role]
    homes, like = found["places"]["homes"], column.get("like", ["", ""])
    at: list[int | str] = column["at"] or [-1] * len(found["data"]["cases"]["id"])
    return [like[0] + homes[case] + like[1] if place == -2 else place for case, place in enumerate(at)]


def text_of(html: str | None) -> str:
    """What a reader sees, without markup and without data for scripts."""
    seen = re.sub(r"<script.*?</script>", "", html or "", flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", seen)).split())
