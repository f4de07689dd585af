"""Sources of examples: a suite, an exported data set of the factory, and endless streams of problems."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any

from editscope.call_options import check_options
from editscope.cases import Case
from editscope.errors import BadInput, unknown
from editscope.factory.output.reading import StoredPicture, TrainingRecord, load_training_set
from editscope.images import ImageLike, load, probe
from editscope.suites.base import Suite, parse_where
from editscope.suites.generated.stream import ProblemStream, training_namespace
from editscope.suites.generated.suite import GeneratedSuite
from editscope.suites.registry import benchmark, benchmarks, load_suite, split_spec
from editscope.training.configured_suites import in_entries
from editscope.training.data.buckets import ExampleShape, Size
from editscope.training.data.captions import Caption, CaptionChoice
from editscope.training.data.examples import EditExample
from editscope.training.data.settings import PartSettings

LOOKED_AT = 200
"""Records of a large set that are looked at before anything starts, evenly spaced; ten times as many for a folder."""


class TrainingSource(ABC):
    """Examples by number. A source is made from its settings, in every process that needs it."""

    compiled_in: tuple[str, ...] = ()

    def __init__(self, settings: PartSettings) -> None:
        self.part, self.settings = settings.label, settings
        self.captions = CaptionChoice(settings.levels)

    @property
    @abstractmethod
    def entries(self) -> int | None:
        """How many examples there are; None for an endless source."""

    @abstractmethod
    def shape(self, number: int) -> ExampleShape:
        """The size of an example, if possible without decoding or making its pictures."""

    @abstractmethod
    def example(self, number: int, chance: float) -> EditExample:
        """The example of a number, with the instruction that ``chance`` chooses; pictures as they are."""

    @abstractmethod
    def name_of(self, number: int) -> str:
        """An example in words, for messages."""

    @abstractmethod
    def check(self, answers: bool) -> None:
        """Raise BadInput if the source has no examples, lacks ``answers`` that are needed, or lacks a level."""

    @property
    def checked(self) -> str:
        """What ``check`` looks at, in words."""
        return f"instructions, inputs and answers of all {self.entries:,} records"

    def looked_at(self) -> tuple[Iterable[int], bool]:
        """Numbers of examples whose sizes are looked at before anything starts, and whether these are all."""
        return spaced(self.entries or 0, LOOKED_AT)

    @property
    def decides(self) -> dict[str, Any]:
        """What the order of examples depends on besides the settings."""
        return {"entries": self.entries}

    @property
    def content(self) -> str | None:
        """A hash of the records; None where ``decides`` knows them, or the settings."""
        return None

    def caption(self, captions: Sequence[Caption], chance: float, number: int) -> Caption:
        """The instruction to train on; BadInput for a record without any wanted level."""
        chosen = self.captions.choose(captions, chance)
        if chosen is None:
            has = ", ".join(dict.fromkeys(caption.level for caption in captions)) or "no instruction"
            wanted = ", ".join(self.settings.levels) or "an instruction"
            raise BadInput(f"{self.name_of(number)} has {has}, not {wanted}; choose other levels or remove it")
        return chosen


class SuiteExamples(TrainingSource):
    """The cases of a suite."""

    def __init__(self, settings: PartSettings) -> None:
        super().__init__(settings)
        self.suite: Suite = load_suite(settings.target, **({"root": settings.data} if settings.data else {}))
        self._ids = self.suite.select(parse_where(settings.where)) if settings.where else self.suite.ids
        self.compiled_in = self.suite.compiled_in

    @property
    def entries(self) -> int:
        """How many cases there are."""
        return len(self._ids)

    @property
    def decides(self) -> dict[str, Any]:
        """The cases themselves."""
        return {"entries": self.entries, "fingerprint": self.suite.fingerprint}

    def shape(self, number: int) -> ExampleShape:
        """From the header of a file, or from what a made suite knows of its canvas."""
        if isinstance(self.suite, GeneratedSuite):
            return ExampleShape(self.suite.size(self._ids[number]), 1)
        case = self.suite.case(self._ids[number])
        pictures = self.suite.inputs(case)
        return ExampleShape(_size(pictures[0] if case.answer is None else case.answer), len(pictures))

    def example(self, number: int, chance: float) -> EditExample:
        """One case."""
        case = self.suite.case(self._ids[number])
        return case_example(self, case, self.suite.inputs(case), number, chance)

    def name_of(self, number: int) -> str:
        """The case."""
        return f"part {self.part!r}: case {self._ids[number]}"

    @property
    def checked(self) -> str:
        """Every case of a folder; one of a made suite speaks for all."""
        made = isinstance(self.suite, GeneratedSuite)
        return "one case for all that are made" if made else f"instructions and answers of all {self.entries:,} cases"

    def check(self, answers: bool) -> None:
        """Look at every case of a folder; one of a made suite speaks for all."""
        if not self._ids:
            raise BadInput(f"part {self.part!r} has no cases")
        self.suite.check()
        made = isinstance(self.suite, GeneratedSuite)
        cases = [self.suite.case(case_id) for case_id in (self._ids[:1] if made else self._ids)]
        levels = {caption.level for case in cases for caption in captions_of(case, self.settings.language)}
        if not levels:
            languages = {text.language for case in cases for text in case.instructions}
            raise unknown("language", self.settings.language, languages, of=f"part {self.part!r}")
        check_levels(self.settings, levels)
        if answers and (without := [case for case in cases if case.answer is None]):
            raise BadInput(
                f"part {self.part!r}: {len(without)} of {len(cases)} cases have no answer, such as {without[0].id}; "
                "supervised training needs one for each, reinforcement does not"
            )
        for number, case in enumerate(cases):
            self.caption(captions_of(case, self.settings.language), 0.0, number)

    def looked_at(self) -> tuple[Iterable[int], bool]:
        """Headers of files are read quickly."""
        return spaced(self.entries, 10 * LOOKED_AT)


class SetExamples(TrainingSource):
    """The records of an exported build of the factory."""

    def __init__(self, settings: PartSettings) -> None:
        super().__init__(settings)
        self.records = load_training_set(settings.target, settings.split)
        self._shapes: dict[int, ExampleShape] = {}

    @property
    def entries(self) -> int:
        """How many records the split has."""
        return len(self.records)

    @cached_property
    def content(self) -> str:
        """The hash of the records of the split. That of the export is one of its plan, which may give other records."""
        return self.records.content_hash()

    def shape(self, number: int) -> ExampleShape:
        """From the header of a stored picture; known from then on."""
        if number not in self._shapes:
            record = self.records[number]
            pictures = len(record.pictures)
            self._shapes[number] = ExampleShape(_stored_size(self._main(record, number)), pictures)
        return self._shapes[number]

    def _main(self, record: TrainingRecord, number: int) -> StoredPicture:
        if record.answer is None and not record.pictures:
            raise BadInput(f"{self.name_of(number)} has no picture")
        return record.answer or record.pictures[0]

    def example(self, number: int, chance: float) -> EditExample:
        """One record."""
        record = self.records[number]
        captions = [Caption(level, text) for level, text in record.instructions.items()]
        caption = self.caption(captions, chance, number)
        return EditExample(
            id=record.id,
            part=self.part,
            pictures=tuple(picture.pixels() for picture in record.pictures),
            instruction=caption.text,
            answer=None if record.answer is None else record.answer.pixels(),
            level=caption.level,
            tags={name: value for name, value in record.fields.items() if isinstance(value, str)},
        )

    def name_of(self, number: int) -> str:
        """The record, by its place."""
        return f"part {self.part!r}: record {number} of the split {self.settings.split!r}"

    def check(self, answers: bool) -> None:
        """Look at the columns, and at the texts of all records; pictures are not read where metadata says enough."""
        if not len(self.records):
            raise BadInput(f"part {self.part!r}: the split {self.settings.split!r} has no records; choose another")
        roles = self.records.roles
        if answers and not roles.answer:
            raise BadInput(
                f"part {self.part!r}: {self.records.folder} has no column with answers; supervised training needs one, "
                "reinforcement does not"
            )
        check_levels(self.settings, roles.instructions)
        gap = self.records.first_gap(self.settings.levels, answers=answers)
        if gap is not None:
            number, what = gap
            raise BadInput(f"{self.name_of(number)} has {what}; exclude it from the export")


class StreamExamples(TrainingSource):
    """An endless stream of problems."""

    def __init__(self, settings: PartSettings, namespace: str = "") -> None:
        super().__init__(settings)
        self.stream = open_stream(settings.target, namespace or training_namespace(settings.stream_seed))
        self.compiled_in = self.stream.compiled_in

    @property
    def entries(self) -> None:
        """None: a stream is endless."""
        return None

    def shape(self, number: int) -> ExampleShape:
        """The canvas of the place."""
        return ExampleShape(self.stream.size(self.stream.place(number)), 1)

    def example(self, number: int, chance: float) -> EditExample:
        """One problem, made now."""
        case = self.stream.case(number)
        return case_example(self, case, case.images, number, chance)

    def name_of(self, number: int) -> str:
        """The problem, by its number."""
        return f"part {self.part!r}: problem {number}"

    @property
    def checked(self) -> str:
        """Every cell."""
        return f"that problems of all {len(self.stream.cells):,} cells can be made"

    def check(self, answers: bool) -> None:
        """Make sure that its problems can be made."""
        self.stream.check()
        if set(self.settings.levels) - {"default"}:
            raise BadInput(
                f"part {self.part!r}: there is no level to choose in a problem of a stream, which has one instruction; "
                f"{self._levels_of_source()}"
            )

    def _levels_of_source(self) -> str:
        """What to write in place of levels."""
        if "levels" not in inspect.signature(type(self.stream)).parameters:
            return "leave level and levels out"
        joint = "&" if "?" in self.settings.source else "?"
        return f'write them into the source: "{self.settings.source}{joint}levels={",".join(self.settings.levels)}"'

    def looked_at(self) -> tuple[Iterable[int], bool]:
        """One round has every cell."""
        return range(len(self.stream.cells)), True


def open_source(settings: PartSettings) -> TrainingSource:
    """The source of a part; BadInput if it cannot be opened."""
    kinds: dict[str, type[TrainingSource]] = {"suite": SuiteExamples, "set": SetExamples, "stream": StreamExamples}
    try:
        return kinds[settings.kind](settings)
    except BadInput as error:
        raise BadInput(f"part {settings.label!r}: {in_entries(str(error))}") from error


def open_stream(spec: str, namespace: str) -> ProblemStream:
    """The stream of a benchmark, by name and options: ``NAME?tasks=border``."""
    name, texts = split_spec(spec)
    record = benchmark(name)
    if not record.stream:
        known = [one.name for one in benchmarks() if one.stream]
        raise BadInput(f"{name} has no stream of problems; choose one of {', '.join(known)}")
    options, protocol = record.read_options(texts)
    made = record.part("stream")
    check_options(f"the stream of {name}", f"the stream of {name}", made, {**options, **protocol}, first=1)
    stream = made(namespace, **options)
    if not isinstance(stream, ProblemStream):
        raise BadInput(f"the stream of {name} ({record.stream}) is not a ProblemStream")
    return stream


def case_example(
    source: TrainingSource, case: Case, inputs: Sequence[ImageLike], number: int, chance: float
) -> EditExample:
    """A case as an example."""
    caption = source.caption(captions_of(case, source.settings.language), chance, number)
    return EditExample(
        id=case.id,
        part=source.part,
        pictures=tuple(load(picture) for picture in inputs),
        instruction=caption.text,
        answer=None if case.answer is None else load(case.answer),
        level=caption.level,
        tags=case.tags,
        case=case,
    )


def captions_of(case: Case, language: str) -> list[Caption]:
    """The instructions of a case in a language."""
    return [Caption(text.level, text.text) for text in case.instructions if text.language == language]


def check_levels(settings: PartSettings, levels: Iterable[str]) -> None:
    """Raise BadInput for a level that no record has."""
    known = tuple(levels)
    for level in settings.levels:
        if level not in known:
            raise unknown("level", level, known, of=f"part {settings.label!r}")


def spaced(count: int, most: int) -> tuple[list[int], bool]:
    """At most so many numbers below a count, evenly spaced, and whether these are all.

    >>> spaced(10, 3), spaced(2, 3)
    (([0, 3, 6], False), ([0, 1], True))
    """
    if count <= most:
        return list(range(count)), True
    return [place * count // most for place in range(most)], False


def _size(picture: ImageLike) -> Size:
    if isinstance(picture, str | Path):
        return probe(picture)
    height, width = load(picture).shape[:2]
    return width, height


def _stored_size(picture: StoredPicture) -> Size:
    from PIL import Image

    try:
        with Image.open(BytesIO(picture.data)) as opened:
            turned = opened.getexif().get(0x0112, 1) in (5, 6, 7, 8)
            return (opened.height, opened.width) if turned else (opened.width, opened.height)
    except OSError:
        height, width = picture.pixels().shape[:2]
        return width, height
