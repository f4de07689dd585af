"""`editscope show`: the tables of a run, or all about one case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from editscope import printing
from editscope.cli import options as opt

if TYPE_CHECKING:
    from editscope.results import CaseRecord, Run
    from editscope.results.calibration.calibrated_runs import Calibration


def show(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder, or an archive of `editscope pack`.")],
    case: Annotated[str | None, typer.Argument(metavar="[CASE]", help="The id of one case.")] = None,
    labels: opt.LabelsFile = None,
    as_json: opt.AsJson = False,
) -> None:
    """Show the tables of a run, or everything about one case.

    editscope show runs/mine

    editscope show runs/mine border/012

    editscope show runs/mine --labels labels.csv

    A run with --repeats shows all repeats of a case; border/012@~2 is the second.

    With --json the means of a run are percentages (0 to 100) and the scores of one case are fractions (0 to 1).
    """
    from editscope.cli.output import runs as output
    from editscope.results import open_run
    from editscope.runfolder.repeats import plain
    from editscope.wording import part_of_cases

    console = printing.console(soft_wrap=True)
    opened = open_run(run)
    if case is not None:
        case_record = opened.case(case)
        named = plain(case_record.variant)[1] > 0  # one of its repeats was asked for by its name
        records = [case_record] if named else opened.repeats_of(case_record)
        if as_json:
            printing.say_json(_case_as_json(opened, records))
            return
        for record in records:
            output.case(record, console)
        return
    people = None if labels is None else _by_people(opened, labels)
    info = opened.info
    often = f" × {opened.repeats}" if opened.repeats > 1 else ""
    header = [info["suite"]["name"], f"{part_of_cases(info['selection'])}{often}", f"editor {info['editor']['name']}"]
    if not as_json:
        console.print(" · ".join(header), markup=False)
    output.remarks(opened)
    if as_json:
        calibrated = {} if people is None else {"people": people.runs[0].estimate}
        printing.say_json({**_run_as_json(opened), **calibrated})
        return
    output.summary_table(opened, console)
    console.print(f" {output.intervals(opened)}", markup=False)
    output.result(opened, console)
    if people is not None:
        console.print(_people_in_words(opened, people), markup=False)


def _by_people(run: Run, labels: Path) -> Calibration:
    from editscope.results.calibration.calibrated_runs import calibration
    from editscope.results.calibration.labels_file import read_labels

    return calibration([run], [""], read_labels(labels))


def _people_in_words(run: Run, found: Calibration) -> str:
    from editscope.report.judged_runs import judged_metrics
    from editscope.results.calibration.calibration_text import agreement_in_words, mean_in_words

    metric = judged_metrics(run.info, [found.metric])[0]
    agreed = agreement_in_words(found.runs[0])
    return f" {metric.label}: {mean_in_words(found.runs[0], metric)}" + (f"\n {agreed}" if agreed else "")


def _run_as_json(run: Run) -> dict[str, object]:
    """A run for scripts: what it is, how much of it is done, and its whole summary."""
    return {
        "run": run.archive or run.path,
        "suite": run.info["suite"]["name"],
        "editor": run.info["editor"]["name"],
        "judged": run.judged,
        "cases": run.info["selection"]["n"],
        "repeats": run.repeats,
        "complete": run.complete,
        "coverage": run.coverage,
        "summary": run.summary,
    }


def _case_as_json(run: Run, records: list[CaseRecord]) -> dict[str, object]:
    return {"run": run.archive or run.path, "case": records[0].case_id, "records": records}
