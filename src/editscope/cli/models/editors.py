"""`editscope editors`: which editors there are, what they need, and what a spec comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing

if TYPE_CHECKING:
    from editscope.editors.explain import Explained
    from editscope.editors.families import Family

HEADINGS = ("editor", "runs here", "example", "what it is")


def editors(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[KIND|SPEC]", help="A kind, such as openai, or a whole spec to be explained."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the kinds of editors, show one with its options, or explain a spec; exit code 2 where it makes no editor.

    editscope editors

    editscope editors diffusers

    editscope editors 'best_of(4, by=miou):openai:gpt-image-1?quality=high'
    """
    from editscope.editors.explain import all_families, described, explain

    families = all_families()
    chosen = next((one for one in families if one.kind == ("http" if what == "https" else what)), None)
    if what is None:
        if as_json:
            printing.say_json([described(one) for one in families])
        else:
            _list(families)
    elif chosen is not None:
        if as_json:
            printing.say_json(described(chosen))
        else:
            _show(chosen)
    else:
        found = explain(what)
        if as_json:
            printing.say_json(found.to_json())
        else:
            _explain(found)
        if not found.editor:  # a spec that a run would turn away
            raise typer.Exit(2)


def _list(families: tuple[Family, ...]) -> None:
    from rich.table import Table

    console = printing.console()
    for title, wrappers in (("", False), ("Wrappers, written before another spec:", True)):
        table = Table(box=None, pad_edge=False)
        for heading in HEADINGS:
            table.add_column(heading, no_wrap=heading in HEADINGS[:2], overflow="fold")
        for one in families:
            if one.wrapper == wrappers:
                missing = one.missing()
                table.add_row(one.kind, "no" if missing else "yes", one.example, one.title)
        if title:
            console.print(f"\n{title}")
        console.print(table)
    lacking = [(one.kind, said) for one in families for said in one.missing()]
    if lacking:
        console.print("\nTo use the others:")
    for said in dict.fromkeys(said for _, said in lacking):
        kinds = ", ".join(kind for kind, theirs in lacking if theirs == said)
        console.print(f"  {kinds}: {said}")
    console.print("\neditscope editors KIND shows the options of one; editscope editors SPEC explains a whole spec.")


def _show(one: Family) -> None:
    printing.say(f"{one.kind}: {one.title}\n")
    printing.say(f"  example   {one.example}")
    if one.extra:
        printing.say(f"  needs     pip install 'editscope[{one.extra}]'")
    if one.key_env:
        printing.say(f"  key       {one.key_env}{'' if one.key_needed else ', where the server wants one'}")
    for said in one.missing() or ("yes",):
        printing.say(f"  runs here {said if said == 'yes' else f'no: {said}'}")
    for said in one.remarks():
        printing.say(f"            {said}")
    if one.page:
        printing.say(f"  page      {one.page}")
    options = one.described_options()
    if options:
        printing.say("\n  options")
        wide = max(map(len, options))
        for name, wants in options.items():
            printing.say(f"    {name:<{wide}}  {wants}")


def _explain(found: Explained) -> None:
    printing.say(found.spec)
    for depth, part in enumerate(found.parts):
        said = [str(arg) for arg in part.args] + [f"{key}={value}" for key, value in part.options.items()]
        target = f" {part.target}" if part.target else ""
        options = f" ({', '.join(said)})" if said else ""
        printing.say(f"{'  ' * (depth + 1)}{part.kind}{target}{options}  {part.title}".rstrip())
    if found.editor:
        editor = found.editor
        processes = "as many as there are jobs" if editor["workers"] is None else editor["workers"]
        printing.say(f"\n  name       {editor['name']}")
        printing.say(f"  processes  {processes}{', a GPU each' if editor['gpu'] else ''}")
        printing.say(f"  at once    {editor['at_once']} in a process, {editor['batch']} in a batch")
        printing.say(
            f"  pictures   {'any number' if editor['max_images'] is None else editor['max_images']} for an edit"
        )
        printing.say(f"  price      {_dollars(editor['usd_per_edit'])}")
    for label, sentences in (("note", found.remarks), ("missing", found.missing)):
        for sentence in sentences:
            printing.say(f"  {label:<10} {sentence}")


def _dollars(cost: float | None) -> str:
    if cost is None:
        return "not known: give it in a file of prices"
    return f"about ${cost:.4g} for an edit" if cost else "nothing for an edit"
