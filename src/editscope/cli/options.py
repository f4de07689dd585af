"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from editscope.cli import config

case_option = partial(typer.Option, rich_help_panel="Which cases")
edit_option = partial(typer.Option, rich_help_panel="Edits")
judge_option = partial(typer.Option, rich_help_panel="Judging")
machine_option = partial(typer.Option, rich_help_panel="Where the work is done")

SuiteName: TypeAlias = Annotated[
    str, typer.Argument(metavar="SUITE", help="A suite, with its options where you want some; see `editscope suites`.")
]
Data: TypeAlias = Annotated[
    Path | None, case_option("--data", metavar="DIR", help="A set on disk; without it the cases are made in memory.")
]
Out: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="RUN", help="The run folder [default: a new one in runs/].")
]
Jobs: TypeAlias = Annotated[
    int | None, machine_option("--jobs", "-j", metavar="N", min=1, help="Worker processes [default: one per core].")
]
Limit: TypeAlias = Annotated[
    int | None, case_option("--limit", metavar="N", min=1, help="At most N cases, spread over the suite.")
]
Filters: TypeAlias = Annotated[
    list[str] | None,
    case_option("--where", metavar="TAG=VALUE", help="Only cases with this tag; give it again for another tag."),
]
Seed: TypeAlias = Annotated[int, edit_option("--seed", metavar="N", help="Seed of the run; each edit gets its own.")]
Timeout: TypeAlias = Annotated[
    float | None, edit_option("--timeout", metavar="SECONDS", help="Time for one edit; a hanging one is stopped.")
]
DryRun: TypeAlias = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and stop.")]
EditorSpec: TypeAlias = Annotated[
    str,
    typer.Option(
        "--editor",
        "-e",
        metavar="SPEC",
        help="ref:NAME, folder:PATH, python:module:Class, diffusers:DIR, worker:COMMAND, http://…, openai:MODEL, "
        "gemini:MODEL, bfl:MODEL, ark:MODEL or chat:MODEL, with ?key=value and wrappers such as best_of(4, by=miou):…; "
        "see `editscope editors`.",
    ),
]
Engine: TypeAlias = Annotated[
    str, machine_option("--engine", metavar="local|ray", help="Where the work is done: on this machine, or by Ray.")
]
RayAddress: TypeAlias = Annotated[
    str | None,
    machine_option("--ray-address", metavar="HOST:PORT|auto|local", help="Which cluster [default: the one here]."),
]
Repeats: TypeAlias = Annotated[
    int, edit_option("--repeats", metavar="K", min=1, help="Edit each case K times, each with a seed of its own.")
]
MaxEditCost: TypeAlias = Annotated[
    float | None,
    edit_option("--max-edit-cost", metavar="DOLLARS", help="Stop, resumable, before the editor costs more."),
]
MaxEdits: TypeAlias = Annotated[
    int | None, edit_option("--max-edits", metavar="N", help="Stop, resumable, after so many edits.")
]
EditConcurrency: TypeAlias = Annotated[
    int | None,
    edit_option("--edit-concurrency", metavar="N", min=1, help="Edits that one editor is asked for at once, at most."),
]
EditRpm: TypeAlias = Annotated[
    float | None, edit_option("--edit-rpm", metavar="N", help="Requests a minute to a hosted editor, at most.")
]
EditRetries: TypeAlias = Annotated[
    int | None,
    edit_option("--edit-retries", metavar="N", min=0, help="Attempts of a hosted editor after a transport failure."),
]
Config: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        is_eager=True,
        callback=config.read,
        help="A TOML file with options of this command in snake_case; what is given here wins.",
    ),
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, only the result.")]


JudgeSpecs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="SPEC",
        help="openai:MODEL, responses:MODEL, gemini:MODEL, anthropic:MODEL or local:DIR, with ?base_url=… and more; "
        "given several times, all are asked.",
    ),
]
Protocol: TypeAlias = Annotated[
    str | None,
    judge_option("--protocol", metavar="NAME", help="Judge by this rubric, such as kris or picabench?region=whole."),
]
Prompts: TypeAlias = Annotated[
    Path | None, judge_option("--prompts", metavar="DIR", help="Prompts that replace those of the protocol.")
]
Samples: TypeAlias = Annotated[int, judge_option("--samples", metavar="K", min=1, help="Ask every question K times.")]
Missing: TypeAlias = Annotated[
    str | None,
    judge_option("--missing", metavar="worst|skip|fail", help="What an edit that is not there counts [worst]."),
]
Accounting: TypeAlias = Annotated[
    str | None,
    judge_option(
        "--accounting",
        metavar="ours|released",
        help="Count failed calls and missing edits our way, or as the authors' tool does [ours].",
    ),
]
MaxCost: TypeAlias = Annotated[
    float | None, judge_option("--max-cost", metavar="DOLLARS", help="Stop, resumable, before judges cost more.")
]
MaxCalls: TypeAlias = Annotated[
    int | None, judge_option("--max-calls", metavar="N", help="Stop, resumable, before judges get more requests.")
]
Concurrency: TypeAlias = Annotated[
    int | None, judge_option("--concurrency", metavar="N", min=1, help="Calls to a judge at once, at most [32].")
]
Rpm: TypeAlias = Annotated[float | None, judge_option("--rpm", metavar="N", help="Requests a minute, at most.")]
Tpm: TypeAlias = Annotated[float | None, judge_option("--tpm", metavar="N", help="Tokens a minute, at most.")]
JudgeTimeout: TypeAlias = Annotated[
    float | None, judge_option("--judge-timeout", metavar="SECONDS", help="Time for one reply of a judge [120].")
]
Retries: TypeAlias = Annotated[
    int | None, judge_option("--retries", metavar="N", min=0, help="Attempts after a failure of transport [5].")
]
Prices: TypeAlias = Annotated[
    Path | None, judge_option("--prices", metavar="FILE", help="A TOML file of prices, over those that ship.")
]
Cache: TypeAlias = Annotated[
    str | None, judge_option("--cache", metavar="DIR|off", help="Where verdicts are kept for all runs.")
]


def names(values: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names given with commas or by repeating the option.

    >>> names(["border,removal", "recolor"])
    ('border', 'removal', 'recolor')
    """
    if not values:
        return None
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def given(**options: Any) -> dict[str, Any]:
    """Only the options that were given, so that a suite sees none it does not know.

    >>> given(tasks=None, n=10)
    {'n': 10}
    """
    return {name: value for name, value in options.items() if value is not None}
