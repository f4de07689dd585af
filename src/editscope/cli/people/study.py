"""`editscope study`: studies with people, from the terminal."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.help import GroupedCommands, GroupedOptions
from editscope.cli.output.progress import progress_bar
from editscope.errors import BadInput
from editscope.wording import count

if TYPE_CHECKING:
    from editscope.studio.settings import Settings
    from editscope.studio.store.engine import Store

app = typer.Typer(
    cls=GroupedCommands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Run studies with people: pairs of edits or ratings, private links, results with intervals.",
)
Name = Annotated[str, typer.Argument(metavar="STUDY", help="The name of the study.")]
Dir = Annotated[Path, typer.Option("--dir", metavar="DIR", help="The folder of the studio [default: this one].")]


@contextmanager
def _opened(folder: Path) -> Iterator[tuple[Settings, Store]]:
    try:
        from editscope.studio.store.engine import Store
    except ModuleNotFoundError as error:
        raise BadInput(f"studies need {error.name}; install it with `pip install 'editscope[studio]'`") from error
    from editscope.studio.settings import DATABASE_VARIABLE, Settings

    settings = Settings(folder, database=os.environ.get(DATABASE_VARIABLE, "")).checked()
    store = Store.opened(settings)
    try:
        yield settings, store
    finally:
        store.close()


@app.command(cls=GroupedOptions)
def create(
    name: Annotated[str, typer.Argument(metavar="STUDY", help="A name for the study: letters, digits, dots, dashes.")],
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN...]", help="Runs of the models, as RUN or MODEL=RUN, all on the same cases."),
    ] = None,
    folder: Dir = Path(),
    material: Annotated[
        Path | None,
        typer.Option("--material", metavar="FILE.jsonl", help="Cases and edits from a file, instead of runs."),
    ] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", metavar="NAME", help="A study of a paper; `study presets` lists them.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="pairwise|ratings", help="Pairs of edits, or scores for each.")
    ] = None,
    question: Annotated[str | None, typer.Option("--question", metavar="TEXT", help="What raters are asked.")] = None,
    items: Annotated[
        int | None, typer.Option("--items", metavar="N", min=1, help="Cases of each level [default: all].")
    ] = None,
    levels: Annotated[
        list[str] | None, typer.Option("--levels", metavar="A,B", help="Levels of instructions [default: all].")
    ] = None,
    stratify: Annotated[
        str | None, typer.Option("--stratify", metavar="TAG", help="Spread the cases over the values of this tag.")
    ] = None,
    votes: Annotated[
        int | None, typer.Option("--votes", metavar="N", min=1, help="Votes for each pair or edit [default: 5].")
    ] = None,
    ties: Annotated[bool, typer.Option("--ties", help="Let raters say that there is no difference.")] = False,
    scale: Annotated[
        list[str] | None,
        typer.Option("--scale", metavar="NAME:1-5:WORST:BEST", help="A scale for ratings; repeat it for several."),
    ] = None,
    per_rater: Annotated[
        int | None, typer.Option("--per-rater", metavar="N", min=1, help="The most votes that one rater gives.")
    ] = None,
    break_after: Annotated[
        int, typer.Option("--break-after", metavar="N", min=0, help="Suggest a break after this many votes; 0: never.")
    ] = 50,
    qualification: Annotated[
        int, typer.Option("--qualification", metavar="N", min=0, help="Items with a known answer before the votes.")
    ] = 0,
    checks: Annotated[
        int, typer.Option("--check-every", metavar="N", min=0, help="An attention check in every N items; 0: none.")
    ] = 0,
    fastest: Annotated[
        float,
        typer.Option("--fastest", metavar="S", min=0, help="Leave out raters whose median vote is quicker than this."),
    ] = 0.0,
    calibration: Annotated[
        Path | None,
        typer.Option("--calibration", metavar="FILE.jsonl", help="Edits with known scores, shown first with feedback."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Decides which cases are drawn.")] = 0,
) -> None:
    """Make a study: copy the pictures, pair the edits, and draw the cases.

    Pairs of edits of three models, 40 cases, 5 votes for each pair:

      editscope study create people runs/a runs/b runs/c --items 40 --check-every 20

    A paper's study with its numbers:

      editscope study create people runs/* --preset NAME

    Scores on two scales:

      editscope study create scores runs/a runs/b --kind ratings --scale quality:1-5:poor:excellent --scale truth:1-5

    Then make links with `editscope study links`, and start `editscope studio` in the same folder.
    """
    from editscope.studio.studies.creating import create_study, read_calibration
    from editscope.studio.studies.design import StudyDesign
    from editscope.studio.studies.material import from_file, from_runs, sampled
    from editscope.suites.study import RatingScale, study_preset

    scales = tuple(map(RatingScale.read, scale)) if scale else None
    known = study_preset(preset) if preset else None
    changes: dict[str, Any] = {
        "kind": kind, "question": question, "votes": votes, "ties": ties or None, "scales": scales,
        "per_rater": per_rater, "break_after": break_after, "qualification": qualification, "check_every": checks,
        "fastest_s": fastest, "seed": seed,
    }  # fmt: skip
    given = {key: value for key, value in changes.items() if value is not None}
    design = (StudyDesign(**given) if known is None else StudyDesign.from_preset(known, **given)).checked()
    if (material is None) == (not runs):
        raise BadInput("give either runs or --material FILE.jsonl")
    content = from_file(material) if material is not None else from_runs(_named(runs or []))
    wanted = opt.names(levels) or (known.levels if known is not None else ())
    number = items or (known.items if known is not None else None)
    by = stratify if stratify is not None else known.stratify if known is not None else ""
    cases = sampled(content.cases, number, wanted, by, seed)
    first = read_calibration(calibration, design) if calibration is not None else []
    with _opened(folder) as (settings, store), progress_bar("pictures", lines=True) as progress:
        create_study(store, settings, name, design, content, cases, calibration=first, progress=progress)
    pairs = len(content.models) * (len(content.models) - 1) // 2 if design.kind == "pairwise" else len(content.models)
    what = "pair" if design.kind == "pairwise" else "edit"
    total = len(cases) * pairs * design.votes
    printing.say(
        f"{name}: {count(len(cases), 'case')}, {count(pairs, what)} of each, {count(design.votes, 'vote')} for each: "
        f"{count(total, 'vote')}"
    )
    if known is not None:
        if len(content.models) != known.models:
            printing.say(f"the paper had {known.models} models; this study has {len(content.models)}")
        if known.calibration > len(first):
            printing.say(
                f"the paper had {known.calibration} calibration pictures; add them with --calibration FILE.jsonl"
            )
        printing.say(known.remark)
    here = "" if folder == Path() else f" --dir {shlex.quote(str(folder))}"
    printing.say(f"next: editscope study links {name} --raters 20{here}")


def _named(runs: Sequence[str]) -> dict[str, Path]:
    """Runs by the name of their model: what stands before "=", else the editor's name, else the folder's."""
    from editscope.results import open_run

    listed: list[tuple[str, Path]] = []
    for text in runs:
        model, equals, place = text.partition("=")
        given = equals and not Path(text).exists()
        listed.append((model if given else "", Path(place) if given else Path(text)))
    editors = [model or str(open_run(path).info["editor"]["name"]) for model, path in listed]
    named: dict[str, Path] = {}
    for (model, path), editor in zip(listed, editors, strict=True):
        # Two runs of one editor are told apart by their folders, both of them.
        model = model or (editor if editors.count(editor) == 1 else path.absolute().name)
        if model in named:
            raise BadInput(f"two runs are called {model!r}; name them, as in MODEL={path}")
        named[model] = path.absolute()
    return named


@app.command(cls=GroupedOptions)
def presets() -> None:
    """List the studies of papers that `study create --preset` knows, with their numbers.

    editscope study presets
    """
    from editscope.suites.study import study_presets

    for preset in study_presets().values():
        printing.say(f"{preset.name}: {preset.title}")
        printing.say(f"  {preset.kind}, {preset.models} models, {preset.votes} votes each. {preset.remark}")


@app.command(cls=GroupedOptions)
def links(
    name: Name,
    folder: Dir = Path(),
    raters: Annotated[
        int, typer.Option("--raters", metavar="N", min=0, help="Add this many raters, each with a link.")
    ] = 0,
    names: Annotated[
        list[str] | None, typer.Option("--name", metavar="TEXT", help="Add a rater of this name; repeat it.")
    ] = None,
    address: Annotated[
        str, typer.Option("--address", metavar="URL", help="The studio's address, as raters reach it.")
    ] = "http://127.0.0.1:8765",
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV: rater, name, link.")] = False,
) -> None:
    """Add raters and print the private link of each.

    editscope study links people --raters 20 --address https://studio.example.org

    Without --raters it prints the links that there are.
    """
    from editscope.studio.studies.raters import add_raters, link
    from editscope.studio.studies.records import find_study, raters_of

    with _opened(folder) as (_, store), store.writing() as connection:
        study = find_study(connection, name)
        if raters or names:
            add_raters(connection, study, raters, names or ())
        shown = raters_of(connection, study.id)
    rows = [(rater.number, rater.name, link(address, rater)) for rater in shown if rater.revoked_at is None]
    if not rows:
        raise BadInput(f"{name} has no raters yet; add some with --raters 20")
    if as_csv:
        printing.say_csv(["rater", "name", "link"], rows)
        return
    for number, who, where in rows:
        printing.say(f"{number:>4}  {who + '  ' if who else ''}{where}")


@app.command(cls=GroupedOptions)
def status(
    name: Annotated[str | None, typer.Argument(metavar="[STUDY]", help="A study; without it, all of them.")] = None,
    folder: Dir = Path(),
    as_json: opt.AsJson = False,
) -> None:
    """Show how far studies are: votes, raters, agreement, and who was left out.

    editscope study status people
    """
    from editscope.studio.studies.overview import study_overview, study_progress
    from editscope.studio.studies.records import find_study, studies

    with _opened(folder) as (_, store), store.reading() as connection:
        if name is None:
            found = [(study, study_progress(connection, study)) for study in studies(connection)]
            if as_json:
                printing.say_json([{"study": study.name, "state": study.state, "progress": p} for study, p in found])
                return
            for study, progress in found:
                printing.say(f"{study.name}: {study.state}, {progress.votes:,} of {progress.wanted:,} votes")
            if not found:
                printing.say("no studies here; make one with `editscope study create`")
            return
        overview = study_overview(connection, find_study(connection, name))
    agreement = overview.results().kept.agreement
    progress = overview.progress
    if as_json:
        rows = [
            {"rater": r.rater.number, "votes": r.votes, "checks": r.checks, "checks_right": r.checks_right}
            for r in overview.raters
        ]
        shown = {"study": name, "state": overview.study.state, "progress": progress, "raters": rows}
        printing.say_json(shown | {"agreement": agreement, "exclusions": overview.exclusions})
        return
    printing.say(
        f"{name}: {overview.study.state}, {progress.votes:,} of {progress.wanted:,} votes ({progress.share:.0%}), "
        f"{progress.complete_items:,} of {progress.items:,} items complete, "
        f"{progress.started} of {progress.raters} raters started"
    )
    for scale, value in agreement.items():
        interval = "" if value.lo is None else f" ({value.lo:.2f} … {value.hi:.2f})"
        printing.say(f"Krippendorff's alpha, {scale}: {value.value:.2f}{interval} over {value.items:,} items")
    for exclusion in overview.exclusions:
        what = "vote" if exclusion.vote_id is not None else "all votes"
        printing.say(f"left out: rater {exclusion.rater}, {what}: {exclusion.reason} ({exclusion.made_by})")


@app.command(cls=GroupedOptions)
def export(
    name: Name,
    folder: Dir = Path(),
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="A .csv, .jsonl or .parquet file [default: CSV here].")
    ] = None,
) -> None:
    """Export every vote, with models, sides, times and the reason where it does not count.

    editscope study export people --out votes.csv
    """
    from editscope.studio.studies.exporting import csv_lines, export_rows, write_export, write_parquet
    from editscope.studio.studies.overview import study_overview
    from editscope.studio.studies.records import find_study

    kind = "csv" if out is None else out.suffix.removeprefix(".").lower()
    with _opened(folder) as (_, store), store.reading() as connection:
        study = find_study(connection, name)
        rows = export_rows(connection, study, study_overview(connection, study).exclusions)
        if out is None:
            for part in csv_lines(study, rows):
                printing.say(part, end="")
        elif kind == "parquet":
            write_parquet(study, rows, str(out))
        else:
            partial = out.with_name(f".{out.name}.partial")
            try:
                with partial.open("w", encoding="utf-8", newline="") as target:
                    write_export(study, rows, kind, target)
                partial.replace(out)
            finally:
                partial.unlink(missing_ok=True)
    if out is not None:
        printing.say(f"{out} has the votes of {name}")
