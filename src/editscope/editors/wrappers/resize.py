"""Pictures of another size for the editor, its output mapped back: ``resize(longest=1024):EDITOR``."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast, get_args

import numpy as np
import numpy.typing as npt

from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.make_edits import decoded
from editscope.editors.sizing import How, Size, SizeMapping, fit_to
from editscope.editors.wrappers.base import Wrapper, traced
from editscope.errors import BadInput, unknown
from editscope.images import Pixels, Resample

OPTIONS: Mapping[str, str] = {
    "size": "WIDTHxHEIGHT, or several with / between them: the one nearest in aspect ratio",
    "longest": "the longer side in pixels",
    "area": "about so many pixels",
    "multiple": "sides are multiples of this",
    "how": "auto (default), stretch or pad",
    "resample": "lanczos (default), bicubic, bilinear, box or nearest",
    "back": "true (default) or false",
}


def load(
    inner: Editor,
    size: str | int = "",
    *,
    longest: int | None = None,
    multiple: int | None = None,
    area: int | None = None,
    how: str = "auto",
    resample: str = "lanczos",
    back: bool = True,
) -> Editor:
    """The wrapper of a spec."""
    numbers = {"longest": longest, "multiple": multiple, "area": area}
    for name, value in numbers.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise BadInput(f"resize({name}={value}) is not a whole number of pixels above 0")
    if how not in get_args(How):
        raise unknown("value of how= in resize(…)", str(how), get_args(How))
    if resample not in get_args(Resample):
        raise unknown("value of resample= in resize(…)", str(resample), get_args(Resample))
    given: dict[str, Any] = {name: value for name, value in numbers.items() if value is not None}
    if size != "" and (longest or multiple):
        raise BadInput("resize takes size=WxH, or longest=, area= and multiple=, not both")
    if size == "" and not given:
        raise BadInput("resize needs a size: resize(longest=1024), (1024x1024), (area=1048576) or (multiple=16)")
    if size != "":
        given["sizes"] = _sizes(str(size))
    else:
        given.setdefault("multiple", 1)
    return Resize(inner, {**given, "how": how, "resample": resample}, back)


class Resize(Wrapper):
    """Sends every picture as ``fit_to`` says, and gives the output the size of the first picture."""

    def __init__(self, inner: Editor, options: Mapping[str, Any], back: bool = True) -> None:
        super().__init__(inner, "resize")
        self.fit: Callable[[Size], SizeMapping] = partial(fit_to, **options)
        self.back = back

    def edit_batch(self, cases: Sequence[Request]) -> list[Edit]:
        """The edits of the resized pictures, mapped back."""
        began = time.perf_counter()
        fits = [tuple(self.fit((one.shape[1], one.shape[0])) for one in case.arrays) for case in cases]
        sent = [_sent(case, its) for case, its in zip(cases, fits, strict=True)]
        before = (time.perf_counter() - began) / max(1, len(cases))
        return [self._mapped(edit, its, before) for edit, its in zip(self.inside(sent), fits, strict=True)]

    def _mapped(self, edit: Edit, fits: tuple[SizeMapping, ...], before: float) -> Edit:
        began = time.perf_counter()
        record: dict[str, Any] = {"pictures": [str(fit) for fit in fits]}
        edit = decoded(edit)
        if edit.image is not None:
            pixels = cast("Pixels", edit.image)
            record["returned"] = f"{pixels.shape[1]}x{pixels.shape[0]}"
            edit = replace(edit, image=fits[0].back(pixels) if self.back and fits else pixels)
        latency = (edit.latency_s or 0.0) + before + time.perf_counter() - began
        return replace(edit, trace=traced("resize", record, edit.trace), latency_s=latency)


def _sent(case: Request, fits: tuple[SizeMapping, ...]) -> Request:
    arrays = tuple(fit.apply(pixels) for fit, pixels in zip(fits, case.arrays, strict=True))
    answer = case.answer if case.answer is None or not fits else fits[0].apply(case.answer)
    effects = tuple(replace(effect, mask=_sent_mask(effect.mask, fits[0])) for effect in case.effects if fits)
    return replace(case, arrays=arrays, answer=answer, effects=effects)


def _sent_mask(mask: npt.NDArray[np.bool_], fit: SizeMapping) -> npt.NDArray[np.bool_]:
    return fit.apply(np.where(mask[..., None], np.uint8(255), np.zeros(3, np.uint8)))[..., 0] > 127


def _sizes(text: str) -> tuple[Size, ...]:
    """The sizes in ``1024x1024`` or ``1024x1024/1536x1024``."""
    sizes = []
    for part in text.lower().split("/"):
        sides = part.strip().split("x")
        if len(sides) != 2 or not all(side.isascii() and side.isdigit() and 0 < int(side) < 65_536 for side in sides):
            raise BadInput(f"resize(size={text}) is not of the form 1024x768, or 1024x1024/1536x1024 for several")
        sizes.append((int(sides[0]), int(sides[1])))
    return tuple(sizes)
