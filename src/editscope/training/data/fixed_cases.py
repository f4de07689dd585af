"""Fixed cases of a training: a few examples to look at again and again, not trained on if possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from editscope.suites.generated.stream import held_out_namespace
from editscope.training.data.buckets import bucket_of, fit_example
from editscope.training.data.examples import EditExample
from editscope.training.data.settings import DataSettings, PartSettings
from editscope.training.data.sources import SetExamples, StreamExamples, TrainingSource, open_source, spaced

OTHER_SPLITS = ("validation", "valid", "val", "test")
"""Splits of a data set to look at if another one is trained on; the first one that exists."""


@dataclass(frozen=True, slots=True)
class FixedCases:
    """Examples in the sizes of their buckets. ``held_out`` says that none of them is trained on.

    ``origin`` is a sentence that says where the cases of each part come from.
    """

    examples: tuple[EditExample, ...]
    held_out: bool
    origin: str


def fixed_cases(settings: DataSettings, count: int, multiple: int) -> FixedCases:
    """So many examples, from the parts in turn; the same for the same settings.

    Of a stream they are the first problems of a namespace that no training reaches. Of a data set they are records of
    another split, where it has one. Of a suite, or a set with one split, they are records that are trained on too,
    evenly spaced over all.
    """
    examples: list[EditExample] = []
    held_out, sentences = True, []
    for place, part in enumerate(settings.parts):
        wanted = len(range(place, count, len(settings.parts)))
        if not wanted:
            continue
        source, apart, words = _apart(part)
        held_out &= apart
        numbers = _numbers(source, wanted)
        examples += [_fitted(source, number, settings, multiple) for number in numbers]
        sentences.append(f"{len(numbers)} of part {part.label!r}, {words}")
    return FixedCases(tuple(examples), held_out, "; ".join(sentences))


def are_held_out(settings: DataSettings, count: int) -> bool:
    """Whether none of so many fixed cases is trained on. Makes none of them."""
    return all(_apart(part)[1] for part in settings.parts[:count])


def _apart(part: PartSettings) -> tuple[TrainingSource, bool, str]:
    """A source of cases, whether they are held out, and that in words."""
    if part.kind == "stream":
        words = "from a stream of its own that is never trained on"
        return StreamExamples(part, held_out_namespace(part.stream_seed)), True, words
    source = open_source(part)
    if isinstance(source, SetExamples):
        for split in OTHER_SPLITS:
            if split != part.split and split in source.records.splits:
                other = open_source(replace(part, split=split))
                if other.entries:
                    return other, True, f"from its split {split!r}, which is not trained on"
    return source, False, "which are also trained on"


def _numbers(source: TrainingSource, wanted: int) -> Sequence[int]:
    return range(wanted) if source.entries is None else spaced(source.entries, wanted)[0]


def _fitted(source: TrainingSource, number: int, settings: DataSettings, multiple: int) -> EditExample:
    key = bucket_of(source.shape(number), settings.sizes, multiple, source.name_of(number))
    return fit_example(replace(source.example(number, 0.0), case=None), key, settings.sizes)
