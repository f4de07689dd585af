"""The rubric of your own benchmark: the metrics and averages that its ``suite.toml`` lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.cases import Aggregation, Case, scale_of
from editscope.errors import BadInput, unknown
from editscope.files import read_file
from editscope.images import Pixels
from editscope.judges import Field, Schema
from editscope.scoring.rubrics.base import Measure, Unit, instruction_of
from editscope.scoring.rubrics.combining import Combined, majority
from editscope.scoring.rubrics.pictures import LazyPictures, pictures_of, pixels_picture
from editscope.scoring.rubrics.scales import Ask, ScaleRubric, unanswered

if TYPE_CHECKING:
    from editscope.judges.prompts.packs import Prompt, PromptPack

PICTURES = ("source", "edit", "answer", "references")
"""The pictures that a prompt may show."""
WORDS = ("instruction", "hint", "checklist")
"""The words that a prompt may say of any case; tags and other fields of the case come besides."""


@dataclass(frozen=True, eq=False)
class OwnMetric:
    """One metric with the prompt that asks for it and the field of the reply that is its value."""

    name: str
    label: str
    prompt: Prompt
    field: Field
    only: Mapping[str, Sequence[str]]
    right: bool
    own_file: bool = False
    """Whether the prompt is a file of the benchmark's author, not one that ships."""

    @property
    def measure(self) -> Measure:
        """A scale as its prompt has it, such as 1 to 5, or the share of good answers in percent."""
        low, high = self.ends
        percent = self.field.kind == "yes_no"
        return Measure(self.name, (self.name,), self.label, low, high, scale=100.0 if percent else 1.0)

    @property
    def ends(self) -> tuple[float, float]:
        """The worst and the best value."""
        return (0.0, 1.0) if self.field.kind == "yes_no" else (float(self.field.low), float(self.field.high))

    def fraction(self, value: float) -> float:
        """A value from 0, the worst, to 1."""
        low, high = self.ends
        return (value - low) / (high - low)

    def applies(self, case: Case) -> bool:
        """Whether the metric is for a case with these tags."""
        return all(case.tags.get(tag) in values for tag, values in self.only.items())


@dataclass(frozen=True)
class OwnAverage:
    """A number made of several metrics: the mean over cases of each case's mean, or the mean of metric means."""

    name: str
    label: str
    metrics: tuple[OwnMetric, ...]
    by_case: bool

    @property
    def direct(self) -> bool:
        """Whether the rows of its metrics can be averaged as they are: means of means on one scale."""
        return not self.by_case and len({metric.ends for metric in self.metrics}) == 1

    @property
    def measure(self) -> Measure:
        """On the scale of its metrics where they have the same one, else in percent of their scales."""
        first = self.metrics[0].measure
        if self.direct:
            return replace(first, name=self.name, metrics=tuple(m.name for m in self.metrics), label=self.label)
        rows = tuple(dict.fromkeys(self.rows(m) for m in self.metrics))
        if len({(metric.ends, metric.measure.scale) for metric in self.metrics}) > 1 or first.scale != 1.0:
            return Measure(self.name, rows, self.label)
        low, high = self.metrics[0].ends  # its rows are fractions of the scale
        return Measure(self.name, rows, self.label, zero=-low / (high - low), scale=high - low)

    def rows(self, metric: OwnMetric) -> str:
        """The metric of the rows that count for this average."""
        return self.name if self.by_case else f"{self.name}.{metric.name}"


class OwnRubric(ScaleRubric):
    """Metrics from prompts of one's own, or from those that ship.

    ``metrics`` lists objects with name, prompt (a path, or ``pack/name``), and where needed label, field, reply,
    images, only and right; ``averages`` objects with name, metrics, label and of. Metrics that name the same prompt
    are asked in one call.
    """

    name = "own"
    fold = ("metric",)
    default_side = 1024

    def configure(self) -> None:
        """Read the metrics and the averages, and their prompts."""
        super().configure()
        listed, averages = self._take("metrics", ()), self._take("averages", ())
        if not listed:
            raise BadInput("protocol own has no metrics: it is for a folder with a suite.toml that lists [[metrics]]")
        self.options |= {"metrics": listed} | ({"averages": averages} if averages else {})
        self.metrics = tuple(_metric(entry) for entry in listed)
        known = {metric.name: metric for metric in self.metrics}
        self.averages = tuple(_average(entry, known) for entry in averages)
        self.measures = (
            *(average.measure for average in self.averages),
            *(metric.measure for metric in self.metrics),
        )
        self.headline = self.measures[0].name

    def units(self, case: Case) -> tuple[Unit, ...]:
        """One for each variant; BadInput where a prompt needs what the case does not have."""
        from editscope.judges.prompts.promptfile import left_out

        units = super().units(case)
        pictures = {"source", "edit", *(["answer"] if case.answer is not None else [])}
        pictures |= {"references"} if case.references else set()
        for metric in self.metrics if units else ():
            words = {name for name, text in self.words(case, units[0]).items() if text}
            lacking = [
                f"the picture {p.name!r}" for p in metric.prompt.pictures if not (p.optional or p.name in pictures)
            ]
            lacking += [f"the word {w.name!r}" for w in metric.prompt.words if not (w.optional or w.name in words)]
            if not metric.applies(case):
                continue
            if lacking:
                raise BadInput(
                    f"case {case.id!r} has no {lacking[0].removeprefix('the ')}, which the prompt of metric "
                    f"{metric.name!r} ({metric.prompt.origin}) needs: give it to the case, mark it with '?' in the "
                    "prompt's header, or limit the metric with only"
                )
            for place in metric.prompt.unsaid(pictures, words):
                raise BadInput(f"case {case.id!r}: {metric.prompt.where(place)}: {left_out(place)}")
        return units

    def check_prompts(self, cases: Iterable[Case]) -> None:
        """Raise BadInput for a word in a prompt file of yours that no case has, so that nothing would ever fill it."""
        known = set(WORDS)
        wanted = [(metric.prompt, word) for metric in self.metrics if metric.own_file for word in metric.prompt.words]
        for case in cases:
            wanted = [(prompt, word) for prompt, word in wanted if word.name not in known]
            if not wanted:
                return
            for unit in super().units(case):
                known.update(name for name, text in self.words(case, unit).items() if text)
        for prompt, word in wanted:
            if word.name not in known:
                place = f"{{{word.written}}}"
                raise BadInput(f"{prompt.where(place)}: {place} is never filled: {unknown('word', word.name, known)}")

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """One call for each prompt, with the metrics of it that apply to the case."""
        calls = []
        for first, *others in self._by_prompt:
            asks: list[dict[str, str]] = [{}]
            for metric in (first, *others):
                if metric.applies(case):
                    # Two metrics of one field are asked one by one.
                    asks += [{}] if metric.field.name in asks[-1] else []
                    asks[-1][metric.field.name] = metric.name
            calls += [Ask(next(iter(a.values())) if n else first.name, first.name, a) for n, a in enumerate(asks) if a]
        return tuple(calls)

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The instruction, hint and checklist, and every tag and other text of the case by its name."""
        texts = {name: str(value) for name, value in case.details.items() if isinstance(value, (str, int, float))}
        plain = {"hint": case.hint or "", "checklist": case.checklist or ""}
        return {**case.tags, **texts, **plain, "instruction": instruction_of(case, unit.variants[0]).text}

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """Inputs, edit, answer and references."""
        form = self.form(case)
        return LazyPictures(
            source=lambda: pictures_of(case.images, form),
            edit=lambda: (pixels_picture(edits[unit.variants[0]], form),),
            answer=lambda: () if case.answer is None else pictures_of((case.answer,), form),
            references=lambda: pictures_of(case.references, form),
        )

    def read(self, ask: Ask, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """A score as it is; for yes or no 1 where most give the good answer."""
        named = {metric.name: metric for metric in self.metrics}
        return {
            name: one
            if one.value is None or named[name].field.kind != "yes_no"
            else one.with_value(majority(one.value if named[name].right else 1.0 - one.value))
            for name, one in found.items()
        }

    def derived(self, case: Case, unit: Unit, found: Mapping[str, Combined]) -> Mapping[str, Combined]:
        """The averages that need rows of their own: those by case, and those of metrics on different scales."""
        rows: dict[str, Combined] = {}
        for average in self.averages:
            parts = [(metric, found[metric.name]) for metric in average.metrics if metric.name in found]
            if average.direct or not parts:
                continue
            fractions = {
                metric: one.with_value(None if one.value is None else metric.fraction(one.value))
                for metric, one in parts
            }
            if average.by_case:
                rows[average.name] = _mean(list(fractions.values()))
            else:
                rows |= {average.rows(metric): one for metric, one in fractions.items()}
        return rows

    def aggregation(self, suite: Aggregation) -> Aggregation:
        """As everywhere; the headline is the one that the suite names, if it does."""
        aggregation = super().aggregation(suite)
        named = [measure.name for measure in self.measures]
        return replace(aggregation, headline=suite.headline if suite.headline in named else self.headline)

    def prompts(self, folder: str | Path | None = None) -> PromptPack:
        """The prompts of its metrics, or files ``<metric>.txt`` of a folder in their place."""
        from editscope.judges.prompts.packs import PromptPack, read_prompt
        from editscope.judges.prompts.promptfile import differences

        ours = {first.name: first.prompt for first, *_ in self._by_prompt}
        if folder is None:
            return PromptPack(self.name, ours)
        replaced = {name: read_prompt(Path(folder) / f"{name}.txt", prompt) for name, prompt in ours.items()}
        for name, prompt in replaced.items():
            for why in differences(prompt, ours[name]):
                raise BadInput(f"{prompt.origin} cannot stand in for the prompt of metric {name!r}: {why}")
        return PromptPack(self.name, replaced, Path(folder))

    @cached_property
    def _by_prompt(self) -> tuple[tuple[OwnMetric, ...], ...]:
        """The metrics in order, those of one prompt together."""
        by_prompt: dict[str, list[OwnMetric]] = {}
        for metric in self.metrics:
            by_prompt.setdefault(metric.prompt.hash, []).append(metric)
        return tuple(tuple(metrics) for metrics in by_prompt.values())


def _mean(parts: Sequence[Combined]) -> Combined:
    values = [part.value for part in parts if part.value is not None]
    status = unanswered({str(place): part for place, part in enumerate(parts)}) or "ok"
    if not values:
        return Combined(None, status)
    # Without an edit there are values, the worst, and the status says so; with one, the verdicts that are there count.
    return Combined(sum(values) / len(values), status if len(values) == len(parts) else "ok")


def _metric(given: Mapping[str, Any]) -> OwnMetric:
    """A metric as ``suite.toml`` has it, with its prompt read."""
    name, origin = str(given.get("name", "")), str(given.get("prompt", ""))
    if not name or not origin:
        raise BadInput(f"protocol own: a metric has no {'prompt' if name else 'name'} ({dict(given)!r})")
    prompt = _prompt(name, origin, given)
    _check_shown(name, prompt)
    fields = {field.name: field for field in prompt.schema.fields}
    wanted = given.get("field") or next(iter(fields))
    if wanted not in fields:
        raise unknown(f"field of the reply to metric {name}'s prompt", wanted, fields)
    return OwnMetric(
        name=name,
        label=given.get("label") or name.replace("_", " ").capitalize(),
        prompt=prompt,
        field=fields[wanted],
        only=given.get("only") or {},
        right=given.get("right", "yes") == "yes",
        own_file=origin.endswith(".txt"),
    )


def _check_shown(name: str, prompt: Prompt) -> None:
    """A metric can show what its prompt shows; it shows the edit, and gets a value back."""
    for place in prompt.pictures:
        if place.name not in PICTURES:
            where = prompt.where(f"[[{place.written}]]")
            raise BadInput(f"{where}: {unknown(f'picture, which metric {name} shows', place.name, PICTURES)}")
    if "edit" not in {place.name for place in prompt.pictures}:
        raise BadInput(f"{prompt.origin}, the prompt of metric {name!r}, never shows the edit: add [[edit]]")
    if not prompt.schema.fields:
        raise BadInput(f"{prompt.origin}, the prompt of metric {name!r}, asks for a text; ask for a score or yes/no")


def _average(given: Mapping[str, Any], known: Mapping[str, OwnMetric]) -> OwnAverage:
    name = str(given.get("name", "average"))
    for metric in given.get("metrics", ()):
        if metric not in known:
            raise unknown(f"metric, which average {name} names", metric, known)
    metrics = tuple(known[metric] for metric in given.get("metrics", ())) or tuple(known.values())
    return OwnAverage(
        name, given.get("label") or name.replace("_", " ").capitalize(), metrics, given.get("of") != "metrics"
    )


def _prompt(name: str, origin: str, given: Mapping[str, Any]) -> Prompt:
    """The prompt of a metric: one that ships, or a file, for which the metric stands in where it has no header."""
    from editscope.judges.prompts.packs import load_pack, read_prompt

    if not origin.endswith(".txt"):
        pack, _, inner = origin.partition("/")
        return load_pack(pack)[inner]
    reply = str(given.get("reply") or "").replace(" ", "")
    return read_prompt(origin, _like(name, origin, reply, given) if reply else None)


def _like(name: str, origin: str, reply: str, given: Mapping[str, Any]) -> Prompt:
    """A header for a prompt without one: the metric's images and scale, and whatever words the text names."""
    from editscope.judges.prompts.packs import Prompt
    from editscope.judges.prompts.places import places_of
    from editscope.judges.prompts.promptfile import LARGEST, Placeholder

    shown = tuple(given.get("images") or ("source", "edit"))
    for picture in shown:
        if picture not in PICTURES:
            raise unknown(f"picture, which metric {name} shows", picture, PICTURES)
    try:
        text = read_file(origin, LARGEST).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else f"byte {error.start} is not UTF-8"
        raise BadInput(f"{origin}, the prompt of metric {name!r}, cannot be read as text ({why})") from error
    said = sorted(places_of(text)[1].difference(PICTURES))  # {source} for [[source]] is a mistake, not a word
    words = tuple(Placeholder(word, word, optional=word != "instruction") for word in said)
    field = _field(name, str(given.get("field") or ""), reply)
    pictures = tuple(Placeholder(picture, picture, optional=picture not in ("source", "edit")) for picture in shown)
    return Prompt(name, "own", pictures, words, Schema((field,)), "", "", origin)


def _field(name: str, written: str, reply: str) -> Field:
    if reply == "yes/no":
        return Field(written or "answer", "yes_no")
    scale = scale_of(reply)
    if scale is None:
        raise BadInput(f"metric {name!r} has the reply {reply[:40]!r}; write a scale such as 1-5, or yes/no")
    return Field(written or "score", "integer", *scale)
