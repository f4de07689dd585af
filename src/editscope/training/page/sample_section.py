"""Fixed cases of a training on its page: input, answer and edits at steps, each to be looked at in full size."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from editscope.errors import EditscopeError
from editscope.images import encode_thumbnail, load, thumbnail
from editscope.report.html.markup import Child, Html, el, json_for_script
from editscope.training.log.metrics_file import LoggedTraining, SampleCase
from editscope.training.log.samples import chosen_steps
from editscope.training.page.curves import curve_card, short

MOST_STEPS, MOST_CASES = 10, 12
SIDE = 256
"""The longer side of a picture inside the page; the one beside it is shown where there is one."""


def samples_section(folder: Path, out: Path, record: LoggedTraining) -> Html | None:
    """The cases of the last look with their edits at steps; pictures lie inside the page, full sizes beside it."""
    steps = chosen_steps(sorted(step for step, cases in record.samples.items() if cases), MOST_STEPS)
    if not steps:
        return None
    cases = record.samples[steps[-1]][:MOST_CASES]
    edits = {step: {case.id: case.edit for case in record.samples[step]} for step in steps}
    pictures = _Pictures(folder, out)
    rows: list[Html] = []
    data: list[dict[str, Any]] = []
    for number, case in enumerate(cases):
        made = [edits[step].get(case.id) for step in steps]
        rows.append(_row(pictures, number, case, steps, made))
        given = [pictures.pair(file) for file in case.inputs]
        answer = None if case.answer is None else pictures.pair(case.answer)
        texts = {"id": short(case.id, 200), "text": short(case.instruction, 4000)}
        data.append(
            {**texts, "inputs": given, "answer": answer, "edits": [file and pictures.pair(file) for file in made]}
        )
    hint = (
        "The same cases every time. A click shows them large: beside one another, with a divider, blinking, or at all "
        "steps; a double click zooms in."
    )
    if len(record.samples) > len(steps):
        hint += f" Shown are {len(steps)} of {len(record.samples):,} looks."
    names = [f"step {step:,}" for step in steps]
    parts: list[Child] = [
        el("div", rows, cls="samples"),
        el("dialog", cls="viewer", aria_label="Fixed case"),
        el("script", json_for_script({"steps": names, "cases": data}), type="application/json", id="samples-data"),
    ]
    return curve_card("samples", "Fixed cases", hint, parts)


class _Pictures:
    """The pictures of samples: small ones as the page holds them, and addresses of the files."""

    def __init__(self, folder: Path, out: Path) -> None:
        self._folder, self._out = folder, out
        self._small: dict[str, str] = {}

    def small(self, file: str) -> str:
        """A picture as an address that holds it; "" where it cannot be read."""
        if file not in self._small:
            try:
                pixels = thumbnail(load(self._folder / file), SIDE)
                data = b64encode(encode_thumbnail(pixels)).decode()
                self._small[file] = f"data:image/webp;base64,{data}"
            except (EditscopeError, OSError):
                self._small[file] = ""
        return self._small[file]

    def pair(self, file: str) -> list[str] | None:
        """The small picture and the address of the file, from where the page is; None where there is no picture."""
        if not self.small(file):
            return None
        place = os.path.relpath((self._folder / file).absolute(), self._out.absolute().parent)
        return [self.small(file), quote(Path(place).as_posix())]


def _row(pictures: _Pictures, number: int, case: SampleCase, steps: Sequence[int], made: Sequence[str | None]) -> Html:
    several = len(case.inputs) > 1
    shots = [
        _shot(pictures, f"Input {n + 1}" if several else "Input", file, number, "input", n)
        for n, file in enumerate(case.inputs)
    ]
    if case.answer is not None:
        shots.append(_shot(pictures, "Answer", case.answer, number, "answer"))
    shots += [
        _shot(pictures, f"Step {step:,}", file, number, "edit", place)
        for place, (step, file) in enumerate(zip(steps, made, strict=True))
    ]
    title = el("p", el("small", short(case.id, 200)), " ", short(case.instruction, 4000))
    return el("article", title, el("div", shots, cls="shots"), cls="sample-case")


def _shot(pictures: _Pictures, label: str, file: str | None, number: int, role: str, place: int = 0) -> Html:
    source = pictures.small(file) if file else ""
    if not source:
        return el("figure", el("span", "no picture", cls="none"), el("figcaption", label))
    image = el("img", src=source, alt=f"{label} of case {number + 1}", loading="lazy")
    button = el(
        "button", image, type="button", data_case=number, data_role=role, data_place=place, title="Look at it large"
    )
    return el("figure", button, el("figcaption", label))
