"""`editscope prompts show|export|check`: what judges are asked, and prompts of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.errors import BadInput
from editscope.wording import count

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Show, export and check the prompts of judges.")

Suite = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="A judged suite, or audit, best_of or rewrite."),
]


@app.command()
def show(
    suite: Suite,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One prompt [default: list all].")] = None,
    prompts: Annotated[
        Path | None, typer.Option("--prompts", metavar="DIR", help="Your own prompts instead of ours.")
    ] = None,
) -> None:
    """List the prompts of a suite, or print one.

    editscope prompts show kris

    editscope prompts show kris knowledge
    """
    from editscope.judges.prompts.packs import load_pack
    from editscope.judges.prompts.promptfile import header_lines
    from editscope.suites.rubrics import prompts_folder

    pack = load_pack(suite, prompts, prompts_folder(suite))
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


@app.command()
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


@app.command()
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
