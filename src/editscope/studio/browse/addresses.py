"""Addresses of pages and pictures: every id in them is quoted."""

from __future__ import annotations

from urllib.parse import quote, urlencode


def picture(run: str, case: str, variant: str, kind: str, side: int = 0) -> str:
    """The address of a picture.

    >>> picture("a/b", "x&y", "", "edit", 160)
    '/picture?run=a%2Fb&case=x%26y&kind=edit&side=160'
    """
    pairs = [("run", run), ("case", case), ("variant", variant), ("kind", kind), ("side", side or "")]
    return f"/picture?{urlencode([(name, value) for name, value in pairs if value != ''])}"


def run_page(run: str) -> str:
    """The address of the page of a run."""
    return f"/runs/{quote(run)}"


def case_page(set_id: str, case: str, variant: str = "", query: str = "") -> str:
    """The address of the page of a case; ``query`` is the question whose answer it is one of."""
    own = urlencode([(name, value) for name, value in (("id", case), ("variant", variant)) if value != ""])
    return f"/sets/{quote(set_id)}/case?{own}" + (f"&{query}" if query else "")


def gallery(set_id: str, query: str = "") -> str:
    """The address of the gallery of a set."""
    return f"/sets/{quote(set_id)}/cases" + (f"?{query}" if query else "")
