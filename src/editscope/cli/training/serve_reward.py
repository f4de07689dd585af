"""`editscope serve-reward`: rewards behind HTTP, for other trainers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from editscope import printing
from editscope.cli import completion
from editscope.errors import BadInput

MEBIBYTE = 1 << 20
MOST_MEBIBYTES = 4096


def serve_reward(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="SUITE|REWARD",
            help="A suite, or the specs of rewards, whose values are summed.",
            autocompletion=completion.suites,
        ),
    ],
    suite: Annotated[
        list[str] | None,
        typer.Option("--suite", metavar="SUITE", help="A suite whose problems requests may name; may be repeated."),
    ] = None,
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="The folder of the suite's data.")] = None,
    judge: Annotated[str, typer.Option("--judge", metavar="SPEC", help="The judge for a judged suite.")] = "",
    weights: Annotated[
        str, typer.Option("--weights", metavar="A,B", help="A weight for each reward, in their order; 1 by default.")
    ] = "",
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="HOST", help="The address to listen on; addresses other than loopback need a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="The port to listen on; 0 picks a free one.")
    ] = 8009,
    max_waiting: Annotated[
        int, typer.Option("--max-waiting", metavar="N", min=1, help="How many rollouts may wait; more are turned away.")
    ] = 2048,
    max_body: Annotated[
        int, typer.Option("--max-body", metavar="MIB", help="The largest request to accept, in MiB.")
    ] = 256,
    max_pixels: Annotated[
        int | None, typer.Option("--max-pixels", metavar="N", min=1, help="The largest picture to accept.")
    ] = None,
    max_connections: Annotated[
        int, typer.Option("--max-connections", metavar="N", min=1, help="The maximum number of connections at a time.")
    ] = 256,
    idle_timeout: Annotated[
        float, typer.Option("--idle-timeout", metavar="SECONDS", help="How long a connection may stay silent.")
    ] = 30.0,
    no_token: Annotated[
        bool,
        typer.Option("--no-token", help="Listen beyond this machine without a token; anyone can then send requests."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, print what would be served, and stop.")
    ] = False,
) -> None:
    """Serve rewards over HTTP, for trainers in other environments, on other machines and in other languages.

    editscope serve-reward paintbench

    editscope serve-reward 'fidelity?judge=openai:MODEL' 'causal?judge=openai:MODEL' --weights 1,0.5

    Beyond this machine it needs a token: set EDITSCOPE_SERVE_TOKEN here and where the trainer runs.
    """
    from editscope.editors.server.site import TOKEN, ServerSettings, need_aiohttp
    from editscope.images import MAX_PIXELS
    from editscope.training.rewards.server.serve import serve
    from editscope.training.rewards.server.served import describe, first_problem, served_reward
    from editscope.transport.keys import key_from

    if not 1 <= max_body <= MOST_MEBIBYTES:
        raise BadInput(f"--max-body is {max_body:,} MiB; use 1 to {MOST_MEBIBYTES:,} MiB")
    if not 0 < idle_timeout < float("inf"):
        raise BadInput(f"--idle-timeout is {idle_timeout}; use a number of seconds above 0")
    settings = ServerSettings(
        host,
        port,
        key_from(TOKEN),
        max_pixels or MAX_PIXELS,
        max_body=max_body * MEBIBYTE,
        most_waiting=max_waiting,
        silent_s=idle_timeout,
        most_connections=max_connections,
    )
    settings.check(open_to_all=no_token)
    need_aiohttp("serve-reward")
    served = served_reward(what, suites=suite or (), data=data, judge=judge, weights=_weights(weights))
    first_problem(served)
    served.reward.prepare()
    for line in describe(served):
        printing.say(line)
    if dry_run:
        served.reward.close()
        printing.say(f"would serve rewards at http://{host}:{port}; nothing was asked or paid")
        return

    def announce(address: str) -> None:
        printing.say(f"serving rewards at {address} · press Ctrl-C to stop")

    serve(served, settings, announce)


def _weights(text: str) -> list[float] | None:
    if not text:
        return None
    try:
        return [float(one) for one in text.split(",")]
    except ValueError:
        raise BadInput(f"--weights {text!r} is not a list of numbers such as 1,0.5") from None
