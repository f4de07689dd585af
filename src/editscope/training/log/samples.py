"""Fixed cases of a training: the edits of the same few cases at many steps, as files and as one grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from editscope.images import Pixels, encode_png
from editscope.runfolder.files import safe_path, write_whole
from editscope.trackers.case_grid import drawn_grid, read_for_grid
from editscope.training.log.metrics_file import SampleCase
from editscope.training.rewards.base import Rollout

FOLDER = "samples"
GRID = f"{FOLDER}/grid.png"
MOST_STEPS = 8
"""How many steps a grid shows; the first and the last are among them."""


def save_samples(folder: Path, step: int, rollouts: Sequence[Rollout]) -> tuple[SampleCase, ...]:
    """Keep the edits of a step below ``samples/``; inputs and answers are written where they are not there yet."""
    return tuple(_saved(folder, step, rollout) for rollout in rollouts)


def write_grid(folder: Path, samples: Mapping[int, Sequence[SampleCase]]) -> Path:
    """Draw input, answer and edits at steps of each case of the last look into one picture."""
    path = folder / GRID
    write_whole(path, encode_png(sample_grid(folder, samples), palette=False), sync=False)
    return path


def sample_grid(folder: Path, samples: Mapping[int, Sequence[SampleCase]]) -> Pixels:
    """The grid as pixels; a picture that cannot be read leaves a gap."""
    steps = chosen_steps(sorted(samples))
    cases = samples[steps[-1]]
    edits = {step: {case.id: case.edit for case in samples[step]} for step in steps}
    most_inputs = max((len(case.inputs) for case in cases), default=0)
    answers = any(case.answer for case in cases)
    columns = ["input" if most_inputs == 1 else f"input {n + 1}" for n in range(most_inputs)]
    columns += [*(["answer"] if answers else []), *(f"step {step:,}" for step in steps)]
    rows = []
    for case in cases:
        files: list[str | None] = [*case.inputs, *[None] * (most_inputs - len(case.inputs))]
        files += [*([case.answer] if answers else []), *(edits[step].get(case.id) for step in steps)]
        rows.append([None if file is None else read_for_grid(folder / file) for file in files])
    return drawn_grid(rows, columns, [f"{case.id} · {case.instruction}" for case in cases])


def chosen_steps(steps: Sequence[int], most: int = MOST_STEPS) -> list[int]:
    """Steps spread over all, with the first and the last.

    >>> chosen_steps([0, 100, 200, 300, 400, 500], most=3)
    [0, 300, 500]
    """
    if len(steps) <= most:
        return list(steps)
    return [steps[-(-place * (len(steps) - 1) // (most - 1))] for place in range(most)]


def _saved(folder: Path, step: int, rollout: Rollout) -> SampleCase:
    example = rollout.example
    place = Path(FOLDER) / safe_path(example.id)
    names = ["input"] if len(example.pictures) == 1 else [f"input-{n + 1}" for n in range(len(example.pictures))]
    inputs = tuple(str(place / f"{name}.png") for name in names)
    answer = None if example.answer is None else str(place / "answer.png")
    given = [*zip(inputs, example.pictures, strict=True), *([(answer, example.answer)] if answer else [])]
    for file, pixels in given:
        if pixels is not None and not (folder / file).exists():
            write_whole(folder / file, encode_png(pixels), sync=False)
    edit = str(place / f"step-{step:06d}.png")
    write_whole(folder / edit, encode_png(rollout.picture), sync=False)
    return SampleCase(example.id, example.instruction, inputs, answer, edit)
