"""Requests to judges, as commands print them and write them to a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from editscope import printing
from editscope.wording import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from editscope.judges import Call, Judge
    from editscope.runs import Plan

MOST_SHOWN = 12
"""Requests on a page; an edit may have hundreds of questions."""


def show_requests(about: str, calls: Sequence[Call], judge: Judge | None, html: Path | None) -> None:
    """Print the first request whole, or write all of them to a page and say where it is.

    Without a judge, what goes with a request is what the protocol asks of any.
    """
    from editscope.judges.request_text import request_text

    shown = [(call, call.wishes if judge is None else judge.sends(call)) for call in calls[:MOST_SHOWN]]
    if html is not None:
        from editscope.report.pages.requests import write_requests

        path = write_requests(html, about, shown)
        printing.say(f" {count(len(shown), 'request')} about {about}: {path}")
        return
    printing.say(f"request about {about}\n{request_text(*shown[0])}")
    if len(calls) > 1:
        others = count(len(calls) - 1, "more request")
        printing.say(f" {others} about {about}; --html FILE shows them all, with their pictures")


def show_first_requests(plan: Plan, html: Path | None) -> None:
    """The requests about the first edit of a plan with judges."""
    from editscope.runs.forecast import first_requests

    case_id, calls = first_requests(plan)
    assert plan.judging is not None
    if calls:
        stands_in = "" if plan.editor.in_place else " (its input stands in for the edit)"
        show_requests(f"case {case_id}{stands_in}", calls, plan.judging.judges[0], html)
