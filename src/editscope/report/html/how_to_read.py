"""Notes at the end of the page: how its figures are made, for a reader who does not know the benchmark."""

from __future__ import annotations

from editscope.report.html.markup import Html, el
from editscope.report.model import Model, Sheet
from editscope.wording import count


def notes(model: Model) -> Html:
    """How to read the report, once for each kind of set."""
    explained = dict.fromkeys(text for sheet in model.sheets for text in _explained(sheet))
    return el(
        "section",
        el("h2", "How to read this"),
        [el("p", text) for text in explained],
        el(
            "p",
            f"Written by Editscope from {count(len(model.runs), 'run')}. This file holds all that it shows.",
            cls="foot",
        ),
        cls="notes",
    )


def _explained(sheet: Sheet) -> list[str]:
    if sheet.judged:
        return _judged(sheet)
    over = sheet.aggregation.overall.over
    levels = " and then ".join(over) if over else "cases"
    pixels = [
        "Every pixel of an edit is compared with the one right answer in CIE L*a*b* at the color tolerances "
        "ΔE 0 … 10. IoU is the share of right pixels among those that should have changed or did change wrongly; "
        "mIoU is its mean over the eleven tolerances."
    ]
    return [
        *(pixels if sheet.has_curves else []),
        f"The overall figure is the mean over cases, then over {levels}. Intervals are 95 % percentile intervals of "
        f"10,000 bootstrap resamples of the cases, seed 0, drawn {sheet.resampling}, and averaged in the same way.",
        "A case without an output counts as 0 and is listed. The dotted line on the ruler is the floor: what an "
        "editor that changes nothing would score on these cases.",
    ]


def _judged(sheet: Sheet) -> list[str]:
    """The same for scores that judges gave."""
    over = [{"case_id": "case", "metric": "metric"}.get(tag, tag) for tag in sheet.aggregation.overall.over]
    means = f"the mean over each {' and then over each '.join(over)}" if over else "the mean over all its numbers"
    protocol = sheet.runs[0].run.info["judging"]["protocol"]["name"]
    whose = "this suite" if protocol == "own" else f"the protocol {protocol}"
    return [
        f"Scores are what a vision-language model said to the prompts of {whose}; each case shows the "
        "questions, the replies and, where the judge saw a part of the picture, that part. Another judge, snapshot or "
        "wording gives other scores.",
        f"The overall figure is {means}. Intervals are 95 % percentile intervals of 10,000 bootstrap resamples of the "
        f"cases, seed 0, drawn {sheet.resampling}, and averaged in the same way; all numbers of a case are drawn "
        "together. They do not hold what the judge itself would vary when asked again.",
        "A call that a judge refused, or answered in another form than asked, or not at all, is not a number: it takes "
        "no part in a mean, it is counted, and bounds say what it could change.",
    ]
