"""`editscope judge one`: one verdict on one edit, by any rubric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.errors import BadInput, Stopped
from editscope.wording import count

if TYPE_CHECKING:
    from editscope.judges import Verdict
    from editscope.runs.judging.one_edit import JudgedEdit, OneEditPlan


def one(
    source: Annotated[
        list[Path], typer.Option("--source", metavar="FILE", help="The picture that was edited; repeat for several.")
    ],
    edit: Annotated[Path, typer.Option("--edit", metavar="FILE", help="The edit.")],
    instruction: Annotated[str, typer.Option("--instruction", metavar="TEXT", help="What the editor was asked to do.")],
    judge: opt.JudgeSpecs = None,
    rubric: Annotated[
        str,
        typer.Option(
            "--rubric",
            metavar="NAME|DIR|FILE",
            help="A judged benchmark, the folder of your own, a folder of prompts, a prompt file, or a prompt such as "
            "audit/fidelity [default: was it done, and is the rest as it was?].",
        ),
    ] = "",
    answer: Annotated[
        Path | None, typer.Option("--answer", metavar="FILE", help="The right edit, for rubrics that show it.")
    ] = None,
    reference: Annotated[
        list[Path] | None, typer.Option("--reference", metavar="FILE", help="A reference picture; repeat for several.")
    ] = None,
    hint: Annotated[str, typer.Option("--hint", metavar="TEXT", help="What the right result shows.")] = "",
    checklist: Annotated[str, typer.Option("--checklist", metavar="TEXT", help="What the judge is to check.")] = "",
    question: Annotated[
        list[str] | None,
        typer.Option(
            "--question", metavar="TEXT[=No]", help="A question whose answer should be Yes, or No; repeatable."
        ),
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option("--field", metavar="NAME=TEXT", help="A tag or another field of the case; repeatable."),
    ] = None,
    prompts: opt.Prompts = None,
    samples: opt.Samples = 1,
    json: Annotated[bool, typer.Option("--json", help="Print scores, verdicts and cost as JSON.")] = False,
    dry_run: opt.DryRun = False,
    html: opt.RequestPage = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="DOLLARS", help="Ask nothing that would cost more than this.")
    ] = None,
    yes: opt.Yes = False,
    judge_timeout: opt.JudgeTimeout = None,
    retries: opt.Retries = None,
    prices: opt.Prices = None,
    cache: opt.Cache = None,
) -> None:
    """Judge one edit, without a run.

    editscope judge one --source a.png --edit b.png --instruction "Make the sign say GO." --judge openai:gpt-4o

    See the request and its price first:

    editscope judge one --source a.png --edit b.png --instruction "…" --judge openai:gpt-4o --dry-run

    By the rubric of a benchmark, or of your own:

    editscope judge one --source a.png --edit b.png --instruction "…" --judge openai:gpt-4o --rubric signs

    Verdicts are cached as in runs, so the same question is paid once.
    """
    from editscope.cli.limits import budget_of, judge_limits
    from editscope.cli.spending import confirm
    from editscope.runs.judging.one_edit import ask_one, plan_one
    from editscope.runs.stop_message import HIGHER

    if html is not None and not dry_run:
        raise BadInput("--html writes what a judge would get; use it with --dry-run")
    plan = plan_one(
        source,
        edit,
        instruction,
        judge=judge or (),
        rubric=rubric,
        answer=answer,
        references=reference or (),
        hint=hint,
        checklist=checklist,
        questions=question or (),
        fields=dict(map(_field, field or ())),
        prompts=prompts,
        samples=samples,
        limits=judge_limits(
            max_cost=budget_of(budget), judge_timeout=judge_timeout, retries=retries, prices=prices, cache=cache
        ),
    )
    if dry_run:
        _say_plan(plan, html)
        return
    confirm(plan.forecast(), printing.console(stderr=True), yes=yes, quiet=json, limited=budget is not None)
    try:
        judged = ask_one(plan)
    except Stopped as stop:  # there is no run to resume
        raise type(stop)(HIGHER.sub("; give a higher --budget", str(stop))) from stop
    if json:
        printing.say_json(judged.to_json())
    else:
        _say(judged)
    if judged.status != "ok":
        raise typer.Exit(1)


def _field(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise BadInput(f"--field {text!r} is not of the form NAME=TEXT, such as category=text")
    return name.strip(), value.strip()


def _say_plan(plan: OneEditPlan, html: Path | None) -> None:
    from editscope.cli.output.requests import show_requests

    show_requests("this edit", plan.calls, plan.judges[0], html)
    for line in plan.forecast().lines():
        printing.say(f" {line}")
    printing.say(f" rubric {plan.rubric_name} · nothing was asked")


def _say(judged: JudgedEdit) -> None:
    measures = {measure.name: measure for measure in judged.measures}
    for name, score in judged.scores.items():
        measure = measures[name]
        low, high = measure.shown(measure.worst), measure.shown(measure.best)
        shown = "no verdict" if score is None else f"{score:.{1 if high > 10 else 2}f}"
        printing.say(f" {measure.label}: {shown} (from {low:g} to {high:g})")
    for key, verdicts in judged.verdicts.items():
        for verdict in verdicts:
            who = f" · {verdict.judge}" if len(judged.judges) > 1 else ""
            printing.say(f" {key}{who}: {_in_words(verdict)}")
    spent = judged.spent
    cost = "price unknown (--prices FILE)" if spent["cost_usd"] is None else f"${spent['cost_usd']:,.4f}"
    tokens = f"{spent['input_tokens']:,} tokens in, {spent['output_tokens']:,} out"
    cached = f" · {spent['cached']:,} from the cache" if spent["cached"] else ""
    calls = count(spent["calls"], "call")
    printing.say(f" rubric {judged.rubric} · judge {' + '.join(judged.judges)} · {calls}, {tokens}, {cost}{cached}")


def _in_words(verdict: Verdict) -> str:
    values = {True: "Yes", False: "No"}
    said = ", ".join(
        f"{name} {values[value] if isinstance(value, bool) else value}" for name, value in verdict.values.items()
    )
    reason = " ".join(verdict.reason.split())
    return " · ".join(filter(None, (said if verdict.status == "ok" else verdict.status, reason)))
