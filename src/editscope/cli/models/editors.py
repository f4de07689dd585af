"""`editscope editors`: which editors there are, what they need, and what a spec comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import completion
from editscope.cli import options as opt

if TYPE_CHECKING:
    from editscope.editors.explain import Explained
    from editscope.editors.kinds import EditorKind

HEADINGS = ("editor", "runs here", "example", "what it is")


def editors(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND|SPEC]",
            help="A kind, such as openai, or a whole spec to explain.",
            autocompletion=completion.editors,
        ),
    ] = None,
    as_json: opt.AsJson = False,
) -> None:
    """List the kinds of editors, show one with its options, or explain a spec; exit code 2 if the spec is invalid.

    editscope editors

    editscope editors diffusers

    editscope editors 'best_of(4, by=miou):openai:gpt-image-1?quality=high'
    """
    from editscope.editors.explain import described, explain
    from editscope.editors.kinds import all_kinds

    kinds = all_kinds()
    chosen = next((kind for kind in kinds if what in (kind.name, *kind.aliases)), None)
    if what is None:
        if as_json:
            printing.say_json([described(kind) for kind in kinds])
        else:
            _list(kinds)
    elif chosen is not None:
        if as_json:
            printing.say_json(described(chosen))
        else:
            _show(chosen)
    else:
        explained = explain(what)
        if as_json:
            printing.say_json(explained.to_json())
        else:
            _explain(explained)
        if not explained.editor:  # a spec that a run would turn away
            raise typer.Exit(2)


def _list(kinds: tuple[EditorKind, ...]) -> None:
    from rich.table import Table

    console = printing.console()
    for title, wrappers in (("", False), ("Wrappers, written before another spec:", True)):
        table = Table(box=None, pad_edge=False)
        for heading in HEADINGS:
            table.add_column(heading, no_wrap=True)
        shown = [kind for kind in kinds if kind.wrapper == wrappers]
        left = printing.room(console.width, [HEADINGS[0], *(kind.name for kind in shown)], [HEADINGS[1]])
        half = min(max(len(kind.example) for kind in shown), left // 2 - 1)
        for kind in shown:
            example, about = printing.folded(kind.example, half), printing.folded(kind.title, left - half - 2)
            table.add_row(kind.name, "no" if kind.missing() else "yes", example, about)
        if title:
            console.print(f"\n{title}")
        console.print(table)
    lacking = [(kind.name, reason) for kind in kinds for reason in kind.missing()]
    if lacking:
        console.print("\nTo use the others:")
    for reason in dict.fromkeys(reason for _, reason in lacking):
        names = ", ".join(name for name, other in lacking if other == reason)
        console.print(f"  {names}: {reason}")
    console.print("\nTo see the options of a kind: editscope editors KIND. To explain a spec: editscope editors SPEC.")


def _show(kind: EditorKind) -> None:
    printing.say(f"{kind.name}: {kind.title}\n")
    printing.say(f"  example   {kind.example}")
    if kind.plugin:
        printing.say(f"  package   {kind.plugin}")
    if kind.extra:
        printing.say(f"  needs     pip install 'editscope[{kind.extra}]'")
    if kind.key_env:
        printing.say(f"  key       {kind.key_env}{'' if kind.key_needed else ', if the server needs one'}")
    for reason in kind.missing() or ("yes",):
        printing.say(f"  runs here {reason if reason == 'yes' else f'no: {reason}'}")
    for remark in kind.remarks():
        printing.say(f"            {remark}")
    if kind.page:
        printing.say(f"  page      {kind.page}")
    for heading, entries in (("names", kind.described_targets()), ("options", kind.described_options())):
        if entries:
            printing.say(f"\n  {heading}")
            wide = max(map(len, entries))
            for name, about in entries.items():
                printing.say(f"    {name:<{wide}}  {about}")


def _explain(explained: Explained) -> None:
    printing.say(explained.spec)
    for depth, part in enumerate(explained.parts):
        arguments = [str(arg) for arg in part.args] + [f"{key}={value}" for key, value in part.options.items()]
        target = f" {part.target}" if part.target else ""
        options = f" ({', '.join(arguments)})" if arguments else ""
        printing.say(f"{'  ' * (depth + 1)}{part.kind}{target}{options}  {part.title}".rstrip())
    if explained.editor:
        editor = explained.editor
        processes = "as many as there are jobs" if editor["workers"] is None else editor["workers"]
        printing.say(f"\n  name       {editor['name']}")
        printing.say(f"  processes  {processes}{', a GPU each' if editor['gpu'] else ''}")
        printing.say(f"  at once    {editor['at_once']} in a process, {editor['batch']} in a batch")
        printing.say(
            f"  pictures   {'any number' if editor['max_images'] is None else editor['max_images']} for an edit"
        )
        printing.say(f"  price      {_dollars(editor['usd_per_edit'])}")
        for who, source in editor.get("price_sources", {}).items():
            printing.say(f"             {who}: {source}")
    for label, sentences in (("note", explained.remarks), ("missing", explained.missing)):
        for sentence in sentences:
            printing.say(f"  {label:<10} {sentence}")


def _dollars(cost: float | None) -> str:
    if cost is None:
        return "not known: give it in a file of prices"
    return f"about ${cost:.4g} for an edit" if cost else "nothing for an edit"
