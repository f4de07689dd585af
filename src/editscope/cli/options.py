"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from editscope.cli import completion, config

case_option = partial(typer.Option, rich_help_panel="Which cases")
edit_option = partial(typer.Option, rich_help_panel="Edits")
judge_option = partial(typer.Option, rich_help_panel="Judging")
machine_option = partial(typer.Option, rich_help_panel="Where the work is done")

SuiteName: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="SUITE",
        help="A suite and its options, such as picabench?region=whole; see `editscope suites`.",
        autocompletion=completion.suites,
    ),
]
Data: TypeAlias = Annotated[
    Path | None, case_option("--data", metavar="DIR", help="A set on disk [default: generate the cases in memory].")
]
Out: TypeAlias = Annotated[
    Path | None, typer.Option("--out", metavar="RUN", help="The run folder [default: a new one in runs/].")
]
Jobs: TypeAlias = Annotated[
    int | None,
    machine_option(
        "--jobs", "-j", metavar="N", min=1, help="Worker processes [default: EDITSCOPE_JOBS or one per core]."
    ),
]
Limit: TypeAlias = Annotated[
    int | None,
    case_option("--limit", metavar="N", min=1, help="At most N cases, spread over every group of the tables."),
]
Filters: TypeAlias = Annotated[
    list[str] | None,
    case_option("--where", metavar="TAG=VALUE", help="Only cases with this tag; repeat the option for more tags."),
]
Seed: TypeAlias = Annotated[int, edit_option("--seed", metavar="N", help="Seed of the run; each edit gets its own.")]
Timeout: TypeAlias = Annotated[
    float | None, edit_option("--timeout", metavar="SECONDS", help="Time limit for one edit.")
]
DryRun: TypeAlias = Annotated[bool, typer.Option("--dry-run", help="Show what would be done, and exit.")]
RequestPage: TypeAlias = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="With --dry-run: write the requests to the judge to this page."),
]
EditorSpecs: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--editor",
        "-e",
        metavar="SPEC",
        autocompletion=completion.editors,
        help="ref:NAME, folder:PATH, python:module:Class, diffusers:DIR, worker:COMMAND, http://…, openai:MODEL, "
        "gemini:MODEL, bfl:MODEL, ark:MODEL or chat:MODEL, with ?key=value and wrappers such as best_of(4, by=miou):…; "
        "see `editscope editors`. Repeat the option to run several editors and compare them.",
    ),
]
Engine: TypeAlias = Annotated[
    str, machine_option("--engine", metavar="local|ray", help="Run on this machine, or on a Ray cluster.")
]
RayAddress: TypeAlias = Annotated[
    str | None,
    machine_option(
        "--ray-address", metavar="HOST:PORT|auto|local", help="The Ray cluster [default: the one on this machine]."
    ),
]
Repeats: TypeAlias = Annotated[
    int, edit_option("--repeats", metavar="K", min=1, help="Edit each case K times, each time with its own seed.")
]
Budget: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="DOLLARS",
        help="Stop, resumable, before edits and judges together cost more than this, resumed parts included.",
    ),
]
Yes: TypeAlias = Annotated[
    bool, typer.Option("--yes", "-y", help="Spend money without a question; for scripts without a terminal.")
]
MaxEditCost: TypeAlias = Annotated[
    float | None,
    edit_option("--max-edit-cost", metavar="DOLLARS", help="Deprecated, use --budget: a limit for edits alone."),
]
MaxEdits: TypeAlias = Annotated[
    int | None, edit_option("--max-edits", metavar="N", help="Stop, resumable, after N edits.")
]
EditConcurrency: TypeAlias = Annotated[
    int | None,
    edit_option("--edit-concurrency", metavar="N", min=1, help="Make at most N edits at once."),
]
EditRpm: TypeAlias = Annotated[
    float | None, edit_option("--edit-rpm", metavar="N", help="Send a hosted editor at most N requests per minute.")
]
EditRetries: TypeAlias = Annotated[
    int | None,
    edit_option("--edit-retries", metavar="N", min=0, help="Retry a hosted editor N times after a network failure."),
]
Config: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        is_eager=True,
        callback=config.read,
        help="A TOML file with options of this command in snake_case; the command line overrides it.",
    ),
]
LabelsFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="People's scores of a random part of the edits, CSV or JSONL: calibrate the judge by them.",
    ),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
KeepGoing: TypeAlias = Annotated[
    bool,
    typer.Option("--keep-going", help="Go on even if the first five edits or verdicts all fail for the same reason."),
]
LogTargets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--log",
        metavar="TARGET",
        help="Log scores and a grid of cases to tensorboard:DIR, wandb:PROJECT or trackio:PROJECT; repeat for more.",
    ),
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress, only the result.")]


JudgeSpecs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        metavar="SPEC",
        autocompletion=completion.judges,
        help="openai:MODEL, responses:MODEL, gemini:MODEL, anthropic:MODEL or local:DIR, with ?base_url=… and more; "
        "repeat the option to ask several judges.",
    ),
]
Protocol: TypeAlias = Annotated[
    str | None,
    judge_option("--protocol", metavar="NAME", help="Judge by this rubric, such as kris or picabench?region=whole."),
]
Prompts: TypeAlias = Annotated[
    Path | None, judge_option("--prompts", metavar="DIR", help="A folder of prompts to use in place of the protocol's.")
]
Samples: TypeAlias = Annotated[int, judge_option("--samples", metavar="K", min=1, help="Make every call K times.")]
Missing: TypeAlias = Annotated[
    str | None,
    judge_option(
        "--missing", metavar="worst|skip|fail", help="Score a missing edit as worst, leave it out, or fail [worst]."
    ),
]
Accounting: TypeAlias = Annotated[
    str | None,
    judge_option(
        "--accounting",
        metavar="ours|released",
        help="Count failed calls and missing edits our way, or like the authors' tool [ours].",
    ),
]
MaxCost: TypeAlias = Annotated[
    float | None,
    judge_option("--max-cost", metavar="DOLLARS", help="Deprecated, use --budget: a limit for judges alone."),
]
MaxCalls: TypeAlias = Annotated[
    int | None, judge_option("--max-calls", metavar="N", help="Stop, resumable, after N requests to judges.")
]
Concurrency: TypeAlias = Annotated[
    int | None, judge_option("--concurrency", metavar="N", min=1, help="Make at most N calls to a judge at once [32].")
]
Batch: TypeAlias = Annotated[
    bool,
    judge_option(
        "--batch",
        help="Ask judges through the vendor's batch API: about half the price, results within 24 hours; resumable.",
    ),
]
Rpm: TypeAlias = Annotated[float | None, judge_option("--rpm", metavar="N", help="Send at most N requests per minute.")]
Tpm: TypeAlias = Annotated[float | None, judge_option("--tpm", metavar="N", help="Send at most N tokens per minute.")]
JudgeTimeout: TypeAlias = Annotated[
    float | None, judge_option("--judge-timeout", metavar="SECONDS", help="Time limit for one reply of a judge [120].")
]
Retries: TypeAlias = Annotated[
    int | None, judge_option("--retries", metavar="N", min=0, help="Retry N times after a network failure [5].")
]
Prices: TypeAlias = Annotated[
    Path | None,
    judge_option("--prices", metavar="FILE", help="A TOML file of prices that overrides the built-in ones."),
]
Cache: TypeAlias = Annotated[
    str | None, judge_option("--cache", metavar="DIR|off", help="Where to cache verdicts for all runs.")
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
