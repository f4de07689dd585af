"""Addresses of browsing: runs, leaderboards, galleries, cases and comparisons."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse

from editscope.errors import BadInput, EditscopeError
from editscope.studio.browse.case_query import ORDERS, CaseQuery
from editscope.studio.browse.case_view import case_view, details
from editscope.studio.browse.comparing import Comparisons, comparison_view
from editscope.studio.browse.gallery_window import MOST_RUNS, shown_runs, window
from editscope.studio.browse.leaderboards import group_table, leaders
from editscope.studio.browse.run_list import run_sets, run_view
from editscope.studio.catalog.case_set import CaseSet
from editscope.studio.catalog.indexing import problem_of
from editscope.studio.failures import Missing
from editscope.studio.rendering import page
from editscope.studio.state import Studio, studio_of
from editscope.wording import failure, plain

router = APIRouter()
COMPARISONS = Comparisons()

Own = Annotated[Studio, Depends(studio_of)]
Text = Annotated[str, Query(max_length=4096)]
Texts = Annotated[list[str], Query(max_length=200)]


def _set(studio: Studio, set_id: str) -> CaseSet:
    """A set with at least one case."""
    studio.catalog.refresh()
    cases = studio.catalog.case_set(set_id)
    if not len(cases):
        raise Missing("The runs over these cases have no scored case yet; come back when the first is done.")
    return cases


def _query(request: Request) -> CaseQuery:
    return CaseQuery.of(request.query_params.multi_items())


@router.get("/", response_class=HTMLResponse)
def runs_page(request: Request, studio: Own) -> Response:
    """All runs, by the cases that they are over."""
    revision = studio.catalog.revision()
    waiting = studio.catalog.refresh()
    entries = studio.catalog.entries()
    return page(
        request, "browse/runs.html", part="browse", sets=run_sets(entries), waiting=waiting, revision=revision,
        problems=[entry for entry in entries if not entry.card.set_id], total=len(entries) + waiting,
    )  # fmt: skip


@router.get("/api/live")
def live(studio: Own) -> dict[str, Any]:
    """A text that changes whenever a run does."""
    return {"revision": studio.catalog.revision()}


@router.get("/runs/{run_id:path}", response_class=HTMLResponse)
def run_page(request: Request, studio: Own, run_id: str) -> Response:
    """One run: its figures, how its edits ended, and where it comes from."""
    revision = studio.catalog.revision()
    studio.catalog.refresh()
    view = run_view(studio.catalog, run_id)
    return page(request, "browse/run.html", part="browse", view=view, revision=revision)


@router.get("/sets/{set_id}", response_class=HTMLResponse)
def set_page(request: Request, studio: Own, set_id: str, metric: Text = "", by: Text = "") -> Response:
    """The leaderboard of a set of cases."""
    revision = studio.catalog.revision()
    cases = _set(studio, set_id)
    chosen = cases.metric(metric) or cases.metric(cases.first.headline) or cases.metrics[0]
    others = [one for one in cases.metrics if one.key != chosen.key][:3]
    entries = [entry for entry in studio.catalog.entries() if entry.card.set_id == set_id]
    return page(
        request, "browse/set.html", part="browse", cases=cases, metric=chosen, others=others, revision=revision,
        leaders=leaders(cases, entries, chosen, others), table=group_table(cases, chosen, by),
    )  # fmt: skip


@router.get("/sets/{set_id}/cases", response_class=HTMLResponse)
def gallery_page(request: Request, studio: Own, set_id: str, show: Texts = []) -> Response:  # noqa: B006
    """The gallery of a set of cases."""
    cases = _set(studio, set_id)
    tags = {tag: values for tag, values in cases.tag_values.items() if 1 < len(values) <= 200}
    return page(
        request, "browse/gallery.html", part="browse", cases=cases, query=_query(request), tags=tags, orders=ORDERS,
        shown={run.card.id for run in shown_runs(cases, show)}, most_runs=MOST_RUNS, plain=plain, failure=failure,
        revision=studio.catalog.revision(),
    )  # fmt: skip


@router.get("/api/sets/{set_id}/cases")
def gallery_cards(
    request: Request,
    studio: Own,
    set_id: str,
    show: Texts = [],  # noqa: B006
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=0, le=120)] = 60,
) -> dict[str, Any]:
    """A window on the gallery."""
    return window(_set(studio, set_id), _query(request), show, offset, limit)


@router.get("/sets/{set_id}/case", response_class=HTMLResponse)
def case_page(
    request: Request,
    studio: Own,
    set_id: str,
    case: Annotated[str, Query(alias="id", max_length=4096)],
    variant: Text = "",
) -> Response:
    """One case in every run."""
    cases = _set(studio, set_id)
    view = case_view(studio.catalog, cases, case, variant, _query(request))
    return page(request, "browse/case.html", part="browse", cases=cases, view=view)


@router.get("/api/sets/{set_id}/details")
def case_details(
    studio: Own, set_id: str, run: Text, case: Annotated[str, Query(alias="id", max_length=4096)], variant: Text = ""
) -> dict[str, Any]:
    """What one run says about a case: verdicts, what was asked, and where it comes from."""
    return details(studio.catalog, _set(studio, set_id), run, case, variant)


@router.get("/api/sets/{set_id}/given")
def case_given(studio: Own, set_id: str, case: Annotated[str, Query(alias="id", max_length=4096)]) -> dict[str, Any]:
    """The texts that the suite has of a case; nothing but a reason where the suite cannot be read here."""
    card = _set(studio, set_id).first
    try:
        return studio.pictures.given.about(card, case)
    except (EditscopeError, OSError) as error:
        return {"instructions": [], "problem": problem_of(error, studio.catalog.folder)}


@router.get("/sets/{set_id}/compare", response_class=HTMLResponse)
def compare_page(
    request: Request,
    studio: Own,
    set_id: str,
    run: Texts = [],  # noqa: B006
    metric: Text = "",
    by: Text = "",
) -> Response:
    """Runs against the first of them, case by case."""
    cases = _set(studio, set_id)
    wanted = list(dict.fromkeys(one for one in run if cases.run(one) is not None))
    chosen = wanted or [one.card.id for one in cases.ranked[:2]]
    view, problem = None, ""
    try:
        known = metric if cases.metric(metric) is not None else ""
        view = comparison_view(cases, chosen, COMPARISONS.of(studio.catalog, cases, chosen, known), by)
    except BadInput as error:
        problem = str(error)
    return page(
        request, "browse/compare.html", part="browse", cases=cases, view=view, problem=problem, chosen=chosen,
        metric=cases.metric(metric) or cases.metric(cases.first.headline), plain=plain,
    )  # fmt: skip
