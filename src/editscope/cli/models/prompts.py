"""`editscope prompts show|export|check`: what judges are asked, and prompts of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli.help import GroupedOptions
from editscope.errors import BadInput
from editscope.wording import count

if TYPE_CHECKING:
    from editscope.judges.prompts.packs import PromptPack
    from editscope.scoring.rubrics import Rubric
    from editscope.suites import Suite as LoadedSuite

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Show, export and check the prompts of judges.")

Suite = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="A judged suite, a folder with a suite.toml, or audit, best_of or rewrite."),
]


@app.command(cls=GroupedOptions)
def show(
    suite: Suite,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One prompt [default: list all].")] = None,
    prompts: Annotated[
        Path | None, typer.Option("--prompts", metavar="DIR", help="Your own prompts instead of ours.")
    ] = None,
    request: Annotated[
        bool, typer.Option("--request", help="Print one whole request instead: texts, pictures and settings in order.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write that request to a page with its pictures."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A request about a case of this data [default: a drawn scene]."),
    ] = None,
    case: Annotated[
        str | None, typer.Option("--case", metavar="ID", help="Which case [default: the first that fits].")
    ] = None,
    edit: Annotated[
        Path | None, typer.Option("--edit", metavar="FILE", help="The edit [default: the input stands in].")
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="SPEC", help="The request as it goes to this judge.")
    ] = None,
) -> None:
    """List the prompts of a suite, print one, or show the whole request that a judge gets.

    editscope prompts show kris

    editscope prompts show kris knowledge

    editscope prompts show kris knowledge --data KRIS_Bench --judge openai:gpt-4o --html request.html

    A benchmark of your own, by its folder:

    editscope prompts show signs legible --request
    """
    from editscope.judges.prompts.promptfile import header_lines

    suite_loaded, rubric, pack = _loaded(suite, prompts, data)
    if request or html is not None:
        wanted = name or pack.names[0]
        _show_request(suite_loaded, rubric, pack, wanted, case=case, edit=edit, judge=judge, html=html)
        return
    if name is not None:
        prompt = pack[name]
        printing.say("\n".join([*header_lines(prompt), "---", prompt.text]))
        printing.say(f"hash {prompt.hash}", error=True)
        return
    wide = max(map(len, pack.names))
    for one in pack.names:
        prompt = pack[one]
        version, *rest = header_lines(prompt)
        header = " · ".join(line for line in rest[:3] if not line.endswith(": "))
        printing.say(f"{one:<{wide}}  {prompt.hash}  {version} · {header}")
    prompts_shown = count(len(pack.names), "prompt")
    printing.say(f"{pack.name}: {prompts_shown} · version {pack.version} · hash {pack.hash}")


def _loaded(name: str, prompts: Path | None, data: Path | None) -> tuple[LoadedSuite | None, Rubric | None, PromptPack]:
    """A pack, and where there is data for it, the suite and its rubric."""
    from editscope.judges.prompts.packs import PromptPack, load_pack
    from editscope.suites import load_suite
    from editscope.suites.own.manifest import FILE
    from editscope.suites.protocol import protocol_for
    from editscope.suites.rubrics import prompts_folder

    if data is None and not Path(name, FILE).is_file():
        return None, None, load_pack(name, prompts, prompts_folder(name))
    suite = load_suite(name, **({} if data is None else {"root": data}))
    protocol = protocol_for(suite, prompts=prompts)
    rubric = protocol.rubric()
    pack = protocol.pack(rubric)
    if not isinstance(pack, PromptPack):
        raise BadInput(f"the rubric {rubric.name} brings its prompts in another form, so they cannot be shown")
    return suite, rubric, pack


def _show_request(
    suite: LoadedSuite | None,
    rubric: Rubric | None,
    pack: PromptPack,
    name: str,
    *,
    case: str | None,
    edit: Path | None,
    judge: str | None,
    html: Path | None,
) -> None:
    from editscope.cli.output.requests import show_requests
    from editscope.judges.registry import load_judge
    from editscope.runs.judging.sample_requests import case_call, scene_call

    if suite is None or rubric is None:
        if case is not None or edit is not None:
            raise BadInput("--case and --edit need the data that the case is in: --data DIR")
        about, call = f"a drawn scene, asked with {pack.name}/{name} (--data DIR shows a case)", scene_call(pack[name])
    else:
        case_id, call = case_call(suite, rubric, pack, name, case, edit)
        about = f"case {case_id}" + ("" if edit else " (its input stands in for the edit)")
    show_requests(about, [call], load_judge(judge) if judge else None, html)


@app.command(cls=GroupedOptions)
def export(
    suite: Suite,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
) -> None:
    """Copy the prompts of a suite into a folder; change them, and use them with `editscope run --prompts DIR`.

    editscope prompts export wiseedit my-prompts
    """
    from editscope.judges.prompts.packs import export_pack
    from editscope.suites.rubrics import prompts_folder

    written = export_pack(suite, folder, prompts_folder(suite))
    printing.say(f"{count(len(written), 'prompt')} in {folder} · check them with `editscope prompts check {folder}`")


@app.command(cls=GroupedOptions)
def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of prompts.")],
    suite: Annotated[
        str | None, typer.Option("--suite", metavar="SUITE", help="The suite they are for [default: the most similar].")
    ] = None,
) -> None:
    """Check your own prompts: compare names, headers, places and reply fields with ours, and show their hashes.

    editscope prompts check my-prompts
    """
    from editscope.judges.prompts.packs import PromptPack, examine
    from editscope.suites.rubrics import prompts_folder

    review = examine(folder, suite, prompts_folder(suite) if suite else None)
    wide = max(map(len, review.ours.names))
    for name, prompt in review.prompts.items():
        ours = review.ours[name]
        state = "as ours" if prompt.hash == ours.hash else f"changed, ours is version {ours.version} {ours.hash}"
        printing.say(f"{name:<{wide}}  {prompt.hash}  version {prompt.version} · {state}")
    for problem in review.problems:
        printing.say(f"  {problem}", error=True)
    if review.problems:
        count = len(review.problems)
        raise BadInput(f"{folder} cannot replace the prompts of {review.ours.name}: {count} problem{'s' * (count > 1)}")
    pack = PromptPack(review.ours.name, review.prompts, folder)
    printing.say(f"{folder} can replace the prompts of {pack.name} · version {pack.version} · hash {pack.hash}")
