"""`editscope studio`: the web application."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.errors import BadInput


def studio(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The folder with your runs and data; by default this one.")
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="HOST", help="The address to listen on; others than loopback need a token.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", min=0, max=65535, help="The port; by default 8765 or the next free one."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address, and open no browser.")] = False,
    demo: Annotated[
        bool, typer.Option("--demo", help="Make four small runs and a study first, in DIR or ./studio-demo.")
    ] = False,
) -> None:
    """Open the studio: see every edit, compare runs, mark regions, review data and run studies with people.

    editscope studio runs

    Without runs of your own, on made ones (half a minute, offline):

    editscope studio --demo

    For a team, on a server: set EDITSCOPE_STUDIO_TOKEN to a secret, then

    editscope studio runs --host 0.0.0.0 --no-browser

    What people enter is kept in DIR/.editscope-studio; EDITSCOPE_STUDIO_DATABASE names a PostgreSQL database instead.
    Ctrl-C stops the studio. Nothing that it called saved is lost.
    """
    try:
        from editscope.studio.serving import serve
    except ModuleNotFoundError as error:
        raise BadInput(f"the studio needs {error.name}; install it with `pip install 'editscope[studio]'`") from error
    from editscope.cli.people.demo_study import make_study
    from editscope.cli.people.studio_demo import COMPARED, FOLDER, make_demo
    from editscope.studio.settings import DATABASE_VARIABLE, TOKEN_VARIABLE, Settings

    shown = make_demo(folder or FOLDER) if demo else folder or Path()
    settings = Settings(
        shown,
        host=host,
        database=os.environ.get(DATABASE_VARIABLE, ""),
        admin_token=os.environ.get(TOKEN_VARIABLE, ""),
    )

    vote_at = make_study(settings.checked(), {name: shown / name for name in COMPARED}) if demo else ""

    def ready(address: str) -> None:
        printing.say(f"studio of {shown}: {address.partition('?')[0]}")
        if settings.needs_token:
            printing.say(f"open it once with ?token= and your {TOKEN_VARIABLE} at its end; your browser keeps a cookie")
        if vote_at:
            printing.say(f"vote in its study: {address.partition('?')[0].rstrip('/')}{vote_at}")
        printing.say("Ctrl-C stops it")
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    serve(settings, port=port, ready=ready)
