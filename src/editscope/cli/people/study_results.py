"""`editscope study elo` and `editscope study correlate`: what people prefer, and which metric agrees with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.help import GroupedOptions
from editscope.cli.people.study import Dir, Name, _opened, app
from editscope.errors import BadInput

if TYPE_CHECKING:
    from editscope.studio.studies.results import Preferences, StudyResult

__all__ = ["app", "correlate", "elo"]


@app.command(cls=GroupedOptions)
def elo(
    name: Name,
    folder: Dir = Path(),
    everything: Annotated[bool, typer.Option("--all", help="Count excluded votes too.")] = False,
    as_json: opt.AsJson = False,
) -> None:
    """Rate the models: Elo beside Bradley–Terry, or mean scores, with 95 % intervals over cases.

    editscope study elo people

    Excluded votes do not count; --all shows the result with them.
    """
    from editscope.studio.studies.overview import study_overview
    from editscope.studio.studies.records import find_study

    with _opened(folder) as (_, store), store.reading() as connection:
        overview = study_overview(connection, find_study(connection, name))
    results = overview.results()
    chosen = results.everything if everything else results.kept
    if not chosen.votes:
        raise BadInput(f"{name} has no votes that count yet")
    if as_json:
        printing.say_json(results)
        return
    left_out = results.everything.votes - results.kept.votes
    counted = "all votes" if everything else f"{left_out:,} left out" if left_out else "none left out"
    printing.say(f"{name}: {chosen.votes:,} votes of {chosen.raters} raters, {counted}")
    _say(chosen)


def _say(result: StudyResult) -> None:
    if result.preferences is not None:
        _say_preferences("", result.preferences)
        for level, preferences in result.levels.items():
            _say_preferences(level, preferences)
    for mean in result.means:
        interval = "" if mean.lo is None else f" ({mean.lo:.2f} … {mean.hi:.2f})"
        printing.say(f"  {mean.scale:<24} {mean.model:<32} {mean.mean:.2f}{interval}  {mean.ratings:,} ratings")


def _say_preferences(level: str, preferences: Preferences) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column(level or "Model")
    for heading in ("Elo", "95 %", "± order", "Bradley–Terry", "95 %", "won", "votes"):
        table.add_column(heading, justify="right")
    strengths = {rating.model: rating for rating in preferences.bradley_terry}
    for rating in preferences.elo:
        other = strengths[rating.model]
        table.add_row(
            rating.model,
            f"{rating.rating:.0f}",
            _interval(rating.lo, rating.hi),
            f"{rating.sd or 0:.0f}",
            f"{other.rating:.0f}",
            _interval(other.lo, other.hi),
            f"{100 * rating.share:.0f} %",
            f"{rating.votes:.0f}",
        )
    printing.console().print(table)
    if preferences.note:
        printing.say(preferences.note)


def _interval(lo: float | None, hi: float | None, digits: int = 0) -> str:
    return "–" if lo is None or hi is None else f"{lo:.{digits}f} … {hi:.{digits}f}"


@app.command(cls=GroupedOptions)
def correlate(
    name: Name,
    folder: Dir = Path(),
    metric: Annotated[
        str, typer.Option("--metric", metavar="M", help="A metric of the runs [default: their headline].")
    ] = "",
    runs: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="MODEL=RUN", help="Another run of a model, such as one with another judge."),
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """Hold people against a metric or judge: Pearson, Spearman and Kendall, over models and over edits.

    editscope study correlate people --metric accuracy

    Over models, the points are models: their rating by people and their mean in the run. Over cases, the points are
    edits, and the interval draws whole cases.
    """
    from editscope.studio.studies.overview import study_overview
    from editscope.studio.studies.people_metrics import compare_with_metric, metric_values, runs_of
    from editscope.studio.studies.reading import counted
    from editscope.studio.studies.records import find_study

    named = {}
    for text in runs or ():
        model, equals, place = text.partition("=")
        if not equals:
            raise BadInput(f"--run {text!r} is not of the form MODEL=RUN")
        named[model] = Path(place)
    with _opened(folder) as (_, store), store.reading() as connection:
        overview = study_overview(connection, find_study(connection, name))
    votes = counted(overview.votes, overview.exclusions)
    if not votes:
        raise BadInput(f"{name} has no votes that count yet")
    values = metric_values(runs_of(overview.study, named or None), metric)
    compared = compare_with_metric(overview.study, votes, values)
    if as_json:
        printing.say_json(compared)
        return
    judge = f", judge {values.judge}" if values.judge else ""
    printing.say(f"{name}: people against {values.metric}{judge}")
    for pair in compared:
        printing.say(f"over {pair.over}, {pair.people}, {len(pair.x):,} points{': ' + pair.note if pair.note else ''}")
        for one in pair.correlations:
            printing.say(f"  {one.method:<9} {one.value:+.3f}  ({_interval(one.lo, one.hi, 2)})")
