"""Pages for the admin of studies: the list, one study with its result, links, exclusions and exports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import Field

from editscope.studio.failures import Missing, told_without_paths
from editscope.studio.rendering import page
from editscope.studio.sent import Number, SentBody, SentText
from editscope.studio.state import Studio, studio_of
from editscope.studio.studies.exporting import csv_lines, export_rows, json_lines
from editscope.studio.studies.overview import StudyOverview, study_overview, study_progress
from editscope.studio.studies.people_metrics import PeopleAgainstMetric, compare_with_metric, metric_values, runs_of
from editscope.studio.studies.raters import add_raters, link, set_revoked, set_state
from editscope.studio.studies.reading import counted, exclude, lift
from editscope.studio.studies.records import find_study, studies
from editscope.studio.studies.results import Preferences, StudyResult

router = APIRouter()
Here = Annotated[Studio, Depends(studio_of)]
KINDS = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


class NewRaters(SentBody):
    """Raters to add."""

    number: int = Field(1, ge=1, le=1000)


class NewState(SentBody):
    """Whether a study gives out items, or a link works."""

    open: bool


class NewExclusion(SentBody):
    """A rater whose votes do not count, and why."""

    rater: Number
    reason: SentText = Field(min_length=1, max_length=2000)


@router.get("/studies", response_class=HTMLResponse)
def listed(request: Request, studio: Here) -> HTMLResponse:
    """All studies."""
    with studio.store.reading() as connection:
        rows = [(study, study_progress(connection, study)) for study in studies(connection)]
    return page(request, "studies/list.html", part="studies", rows=rows)


@router.get("/studies/{name}", response_class=HTMLResponse)
def one(request: Request, name: str, studio: Here) -> HTMLResponse:
    """One study: progress, result, raters and exclusions."""
    with studio.store.reading() as connection:
        overview = study_overview(connection, find_study(connection, name))
    results = overview.results()
    links = {row.rater.number: link(str(request.base_url), row.rater) for row in overview.raters}
    shown: dict[str, Any] = {
        "overview": overview,
        "study": overview.study,
        "results": results,
        "links": links,
        "labels": {scale.name: scale.label for scale in overview.study.design.scales},
        "tables": _tables(results.kept),
        "moved": _moved(results.kept, results.everything),
        "data": {"study": name, "plots": _plots(overview, results.kept)},
    }
    return page(request, "studies/study.html", part="studies", **shown)


@router.get("/studies/{name}/api/people")
def people(name: str, studio: Here, metric: str = "") -> dict[str, Any]:
    """People against a metric of the runs that the study was made from."""
    with studio.store.reading() as connection:
        overview = study_overview(connection, find_study(connection, name))
    votes = counted(overview.votes, overview.exclusions)
    if not votes:
        raise Missing("There are no votes yet.")
    with told_without_paths(studio.settings.folder):
        values = metric_values(runs_of(overview.study), metric)
    compared = [_plot_data(pair) for pair in compare_with_metric(overview.study, votes, values)]
    return {"metric": values.metric, "judge": values.judge, "compared": compared}


def _plot_data(pair: PeopleAgainstMetric) -> dict[str, Any]:
    found = [{"method": c.method, "value": c.value, "lo": c.lo, "hi": c.hi, "n": c.n} for c in pair.correlations]
    return {
        "over": pair.over, "people": pair.people, "labels": pair.labels, "x": pair.x, "y": pair.y,
        "correlations": found, "note": pair.note,
    }  # fmt: skip


@router.post("/studies/{name}/api/raters")
def more_raters(name: str, wanted: NewRaters, studio: Here) -> dict[str, Any]:
    """Add raters."""
    with studio.store.writing() as connection:
        added = add_raters(connection, find_study(connection, name), wanted.number)
    return {"added": len(added)}


@router.post("/studies/{name}/api/state")
def change_state(name: str, wanted: NewState, studio: Here) -> dict[str, Any]:
    """Open or close a study."""
    with studio.store.writing() as connection:
        set_state(connection, find_study(connection, name), wanted.open)
    return {"open": wanted.open}


@router.post("/studies/{name}/api/raters/{number}")
def change_link(name: str, number: Number, wanted: NewState, studio: Here) -> dict[str, Any]:
    """Withdraw a link, or make it work again."""
    with studio.store.writing() as connection:
        set_revoked(connection, find_study(connection, name), number, not wanted.open)
    return {"open": wanted.open}


@router.post("/studies/{name}/api/exclusions")
def add_exclusion(name: str, wanted: NewExclusion, studio: Here) -> dict[str, Any]:
    """Leave a rater out."""
    with studio.store.writing() as connection:
        exclude(connection, find_study(connection, name), wanted.rater, wanted.reason)
    return {"rater": wanted.rater}


@router.delete("/studies/{name}/api/exclusions/{number}")
def lift_exclusion(name: str, number: Number, studio: Here) -> dict[str, Any]:
    """Count a rater again."""
    with studio.store.writing() as connection:
        lift(connection, find_study(connection, name), number)
    return {"lifted": number}


@router.get("/studies/{name}/votes.{kind}", response_class=StreamingResponse)
def votes(name: str, kind: str, studio: Here) -> StreamingResponse:
    """All votes, streamed."""
    if kind not in KINDS:
        raise Missing("Votes are exported as votes.csv or votes.jsonl.")
    with studio.store.reading() as connection:
        study = find_study(connection, name)
        exclusions = study_overview(connection, study).exclusions

    def parts() -> Iterator[str]:
        with studio.store.reading() as connection:
            rows = export_rows(connection, study, exclusions)
            yield from csv_lines(study, rows) if kind == "csv" else json_lines(rows)

    headers = {"Content-Disposition": f'attachment; filename="{study.name}-votes.{kind}"', "Cache-Control": "no-store"}
    return StreamingResponse(parts(), media_type=KINDS[kind], headers=headers)


def _tables(result: StudyResult) -> list[tuple[str, Preferences, dict[str, Any]]]:
    """The ratings, all levels together first."""
    if result.preferences is None:
        return []
    named = [("All levels" if result.levels else "", result.preferences), *result.levels.items()]
    return [(name, found, {r.model: r for r in found.bradley_terry}) for name, found in named]


def _moved(kept: StudyResult, everything: StudyResult) -> list[tuple[str, str, float, float]]:
    """Each model with and without the exclusions: what, model, kept, everything."""
    if kept.votes == everything.votes or not kept.votes:
        return []
    if kept.preferences is not None and everything.preferences is not None:
        before = {rating.model: rating.rating for rating in everything.preferences.elo}
        return [("Elo", r.model, r.rating, before[r.model]) for r in kept.preferences.elo if r.model in before]
    means = {(mean.scale, mean.model): mean.mean for mean in everything.means}
    return [(m.scale, m.model, m.mean, means[m.scale, m.model]) for m in kept.means if (m.scale, m.model) in means]


def _plots(overview: StudyOverview, result: StudyResult) -> dict[str, Any]:
    """What the page draws: mean scores as bars for each scale, and whether people can be held against runs."""
    scales = {scale.name: scale.label for scale in overview.study.design.scales}
    bars = [
        {"scale": scales[mean.scale], "model": mean.model, "mean": mean.mean, "lo": mean.lo, "hi": mean.hi}
        for mean in result.means
    ]
    return {"means": bars, "runs": bool(result.votes) and any(model["run"] for model in overview.study.models)}
