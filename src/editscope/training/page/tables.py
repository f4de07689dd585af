"""Tables of a training: the best steps, events, the mixture of the data, and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from editscope.report.html.markup import Html, el
from editscope.trackers.session import flat_settings
from editscope.training.log.metrics_file import LoggedTraining
from editscope.training.page.curves import curve_card, short, title_of
from editscope.training.page.findings import BestStep

MOST_EVENTS = 400
"""How many events the page lists; of more, the last ones."""
LONGEST = 400


def best_section(best: Sequence[BestStep]) -> Html | None:
    """Which checkpoint is the best by each held-out score."""
    if not best:
        return None
    head = ["Held-out score", "Best", "at step", "Checkpoint", "Last", "at step"]
    rows = [
        [
            *(
                title_of(one.metric),
                f"{one.value:.4g}",
                f"{one.step:,}",
                short(one.checkpoint, LONGEST) or "none was saved",
            ),
            *(f"{one.last_value:.4g}", f"{one.last_step:,}"),
        ]
        for one in best
    ]
    hint = (
        "By the highest score, or the lowest loss or distance, on cases that are never trained on; the sentence above "
        "is about the first line."
    )
    return curve_card("best", "The best checkpoint", hint, [_table(head, rows, text_columns=(3,))])


def events_section(record: LoggedTraining) -> Html | None:
    """What happened, the latest first."""
    if not record.events:
        return None
    events = record.events[-MOST_EVENTS:]
    rows = [
        el(
            "tr",
            el("th", f"{event.step:,}", scope="row"),
            el("td", clock(event.seconds)),
            el("td", short(event.kind), cls="text"),
            el("td", short(event.sentence, LONGEST), " (superseded)" if event.superseded else None, cls="text"),
            cls="superseded" if event.superseded else f"event {'bad' if event.kind == 'stopped' else ''}".strip(),
        )
        for event in reversed(events)
    ]
    head = el("tr", [el("th", name, scope="col") for name in ("Step", "After", "", "")])
    table = el("table", el("thead", head), el("tbody", rows), cls="listing events")
    hint = "The latest first. An event is superseded where the training later went back to a step before it."
    if len(record.events) > MOST_EVENTS:
        hint += f" These are the last {MOST_EVENTS} of {len(record.events):,}."
    return curve_card("events", "Events", hint, [el("div", table, cls="scroller tall")])


def mixture_section(record: LoggedTraining) -> Html | None:
    """What the training reads, by weight."""
    parts = next(iter(mixture(record.settings).values()), [])
    if not parts:
        return None
    names = list(dict.fromkeys(name for part in parts for name in part))
    total = sum(weight for part in parts if (weight := _number(part.get("weight"))) is not None)
    rows = [[_text(part.get(name)) for name in names] for part in parts]
    if all(_number(part.get("weight")) is not None for part in parts) and total > 0:
        names = [*names, "share"]
        rows = [
            [*row, f"{100 * (_number(part['weight']) or 0.0) / total:.1f} %"]
            for row, part in zip(rows, parts, strict=True)
        ]
    head = [short(name).replace("_", " ") for name in names]
    hint = "The parts that examples are drawn from; a part without a weight counts by its records."
    return curve_card("mixture", "Data", hint, [_table(head, rows, text_columns=range(1, len(names)))])


def settings_section(record: LoggedTraining) -> Html | None:
    """All settings by their names."""
    elsewhere = mixture(record.settings)
    flat = {name: value for name, value in flat_settings(record.settings).items() if name not in elsewhere}
    if not flat:
        return None
    rows = [
        el("tr", el("th", _dotted(name), scope="row"), el("td", _text(value), cls="text"))
        for name, value in flat.items()
    ]
    table = el("table", el("tbody", rows), cls="listing settings")
    hint = "As the last start of the training had them."
    return curve_card("settings", "Settings", hint, [el("div", table, cls="scroller")])


def mixture(settings: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """The parts of the data by the name of the setting that lists them; empty where none does.

    >>> mixture({"data": {"size": 512, "parts": [{"source": "set:mine", "weight": 2}]}})
    {'data.parts': [{'source': 'set:mine', 'weight': 2}]}
    """
    data = settings.get("data")
    lists = {f"data.{name}": value for name, value in data.items()} if isinstance(data, Mapping) else {"data": data}
    for name, value in lists.items():
        if isinstance(value, list) and value and all(isinstance(part, Mapping) for part in value):
            return {name: list(value)}
    return {}


def in_words(record: LoggedTraining, best: Sequence[BestStep]) -> list[str]:
    """What to know first, in sentences."""
    sentences = []
    if best:
        first = best[0]
        saved = short(first.checkpoint, LONGEST) or "No checkpoint was saved at that step."
        since = ""
        if first.last_step > first.step:
            since = f"; the last one, {first.last_step:,}, has {first.last_value:.4g}"
        score = title_of(first.metric)
        score = score if score[1:2].isupper() else score[:1].lower() + score[1:]
        sentences.append(f"The best step by {score} is {first.step:,} ({first.value:.4g}){since}. {saved}")
    elif record.metrics:
        sentences.append("No held-out score was logged, so nothing says which checkpoint is the best.")
    return sentences


def clock(seconds: float) -> str:
    """A time in words.

    >>> clock(42.4), clock(754), clock(45_296)
    ('42 s', '12 min 34 s', '12 h 35 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,} h {minutes % 60} min"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], text_columns: Sequence[int] = ()) -> Html:
    lines = [
        el(
            "tr",
            el("th", row[0], scope="row"),
            [el("td", cell, cls="text" if place in text_columns else None) for place, cell in enumerate(row[1:], 1)],
        )
        for row in rows
    ]
    headings = el(
        "tr", [el("th", name, scope="col", cls="text" if i in text_columns else None) for i, name in enumerate(head)]
    )
    return el("div", el("table", el("thead", headings), el("tbody", lines), cls="listing"), cls="scroller")


def _dotted(name: str) -> list[Html | str]:
    """A name that may be broken after its dots."""
    return [part for word in short(name, LONGEST).split(".") for part in (Html(".<wbr/>"), word)][1:]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{short(str(name))} {_text(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_text(one) for one in value)
    return short(str(value), LONGEST)
