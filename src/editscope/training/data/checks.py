"""Checks of training data before anything starts: answers, levels, sizes."""

from __future__ import annotations

from collections.abc import Sequence

from editscope.errors import BadInput
from editscope.training.data.buckets import BucketKey, bucket_of
from editscope.training.data.settings import DataSettings
from editscope.training.data.sources import TrainingSource

MOST_SIZES = 32
"""The most sizes of pictures without buckets: with more, it takes long to fill a batch of one size."""


def check_data(
    settings: DataSettings,
    sources: Sequence[TrainingSource],
    *,
    batch: int,
    multiple: int,
    answers: bool,
    where: str,
) -> list[str]:
    """Raise BadInput for the first thing that would stop the training later; returns sentences on what was checked.

    ``batch`` is that of all processes.
    """
    checked = []
    for source in sources:
        source.check(answers)
    seen: dict[BucketKey, str] = {}
    own: dict[tuple[int, int], str] = {}
    complete = True
    for source in sources:
        looked_at, all_of_them = source.looked_at()
        numbers = list(looked_at)
        complete &= all_of_them
        sizes = "all sizes" if all_of_them else f"{len(numbers):,} sizes, evenly spaced"
        checked.append(f"checked part {source.part!r}: {source.checked}; {sizes}")
        for number in numbers:
            shape, name = source.shape(number), source.name_of(number)
            own.setdefault(shape.size, name)
            seen.setdefault(bucket_of(shape, settings.sizes, multiple, name), name)
    if not settings.sizes.mixed and len(own) > 1:
        (first, one), (second, other) = list(own.items())[:2]
        raise BadInput(
            f"{where}: pictures have {len(own)} sizes ({one} is {first[0]}×{first[1]}, {other} is "
            f"{second[0]}×{second[1]}) and mixed = false forbids this; write sizes = ['{first[0]}x{first[1]}'] with "
            "mixed = true, or remove the others"
        )
    if not settings.sizes.sizes and len(seen) > MOST_SIZES:
        raise BadInput(
            f"{where}: pictures have over {MOST_SIZES} sizes, so it would take long to fill batches of one size; "
            "list the sizes of buckets in [data.sizes] sizes"
        )
    if complete:
        _check_used(settings, seen, where)
    entries = [(source.entries or 0) * source.settings.repeats for source in sources]
    if settings.epochs and sum(entries) * settings.epochs < batch:
        raise BadInput(
            f"{where}: {settings.epochs} epochs of {sum(entries)} records are fewer than one batch of {batch}"
        )
    return checked


def check_epochs(
    settings: DataSettings, sources: Sequence[TrainingSource], wanted: tuple[int, int], where: str
) -> None:
    """Raise BadInput if the epochs are too short for the training; ``wanted`` are its steps, and examples per step.

    With several sizes the data may end a little earlier: each size can leave an incomplete batch.
    """
    steps, examples = wanted
    entries = sum((source.entries or 0) * source.settings.repeats for source in sources)
    given = settings.epochs * entries // examples
    if settings.epochs and given < steps:
        advice = f"write steps = {given}, more epochs, or remove epochs" if given else "remove epochs"
        raise BadInput(
            f"{where}, [data] epochs: {settings.epochs} of {entries:,} records give {given:,} "
            f"step{'s' * (given != 1)} of {examples} examples, and [training] steps is {steps:,}; {advice}"
        )


def _check_used(settings: DataSettings, seen: dict[BucketKey, str], where: str) -> None:
    for size in settings.sizes.sizes:
        if size not in {(key.width, key.height) for key in seen}:
            used = ", ".join(sorted({f"{key.width}x{key.height}" for key in seen}))
            raise BadInput(
                f"{where}, [data.sizes] sizes: no picture uses the bucket {size[0]}x{size[1]} (used: {used}); remove it"
            )
