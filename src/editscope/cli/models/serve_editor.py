"""`editscope serve-editor`: an editor behind HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from editscope import printing
from editscope.cli import completion
from editscope.errors import BadInput


def serve_editor(
    spec: Annotated[
        str, typer.Argument(metavar="SPEC", help="The editor, as in `run --editor`.", autocompletion=completion.editors)
    ],
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="The port to listen on; 0 picks a free one.")
    ] = 8008,
    max_pixels: Annotated[
        int | None, typer.Option("--max-pixels", metavar="N", min=1, help="The largest picture to accept.")
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", metavar="SECONDS", help="Time limit for one edit, if the editor keeps time itself."),
    ] = None,
    max_edits: Annotated[
        int | None, typer.Option("--max-edits", metavar="N", min=0, help="Stop a paid editor after this many edits.")
    ] = None,
    max_edit_cost: Annotated[
        float | None,
        typer.Option(
            "--budget",
            "--max-edit-cost",
            metavar="DOLLARS",
            min=0,
            help="Stop a paid editor before it costs more than this.",
        ),
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Listen beyond this machine without a token; anyone can then edit.")
    ] = False,
    idle_timeout: Annotated[
        float, typer.Option("--idle-timeout", metavar="SECONDS", help="How long a caller may stay silent [30].")
    ] = 30.0,
    max_connections: Annotated[
        int,
        typer.Option(
            "--max-connections", metavar="N", min=1, help="The maximum number of callers at the same time [256]."
        ),
    ] = 256,
) -> None:
    """Serve an editor over HTTP, for runs on other machines and for programs in other languages.

    editscope serve-editor diffusers:black-forest-labs/FLUX.1-Kontext-dev

    editscope run paintbench --editor http://127.0.0.1:8008/edit

    Beyond this machine it needs a token: set EDITSCOPE_SERVE_TOKEN here and where you start the run, and add
    #key_env=EDITSCOPE_SERVE_TOKEN to the address.
    """
    from editscope.editors import EditLimits, load_editor
    from editscope.editors.server.serve import serve
    from editscope.editors.server.site import TOKEN, ServerSettings
    from editscope.images import MAX_PIXELS
    from editscope.transport.keys import key_from

    if not 0 < idle_timeout < float("inf"):
        raise BadInput(f"--idle-timeout is {idle_timeout}; use a number of seconds above 0")
    settings = ServerSettings(
        host,
        port,
        key_from(TOKEN),
        max_pixels or MAX_PIXELS,
        silent_s=idle_timeout,
        most_connections=max_connections,
    )
    settings.check(open_to_all=no_token)
    editor = load_editor(spec)
    editor.limit(EditLimits(timeout_s=timeout, max_cost=max_edit_cost, max_calls=max_edits))

    def told(address: str) -> None:
        bearer = f' -H "Authorization: Bearer ${TOKEN}"' if settings.token else ""
        printing.say(f"{editor.name} answers at {address} · Ctrl-C stops it")
        printing.say(
            f' curl{bearer} -F image=@input.png -F instruction="Make it red." -F seed=0 {address} -o output.png'
        )
        named = f"#key_env={TOKEN}" if settings.token else ""
        printing.say(f" editscope run paintbench --editor {address}{named}")

    serve(editor, settings, told)
