"""Pictures of a case joined into one, for an editor that takes only one: ``join(row):EDITOR``."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast, get_args

from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.joined_pictures import How, join_pictures, which_is_which
from editscope.editors.wrappers.base import Wrapper, traced
from editscope.errors import BadInput, unknown

OPTIONS: Mapping[str, str] = {
    "how": "row (default), column or grid",
    "gap": "white pixels between them (default 0)",
    "tell": "true (default) or false: say before the instruction which is which",
}


def load(inner: Editor, how: str = "row", gap: int = 0, *, tell: bool = True) -> Editor:
    """The wrapper of a spec."""
    if how not in get_args(How):
        raise unknown("value of how= in join(…)", str(how), get_args(How))
    if isinstance(gap, bool) or not isinstance(gap, int) or not 0 <= gap <= 4096:
        raise BadInput(f"join(gap={gap}) is not a number of pixels from 0 to 4096")
    return Join(inner, cast("How", how), gap, tell)


class Join(Wrapper):
    """Joins the pictures of cases that have several, and tells the editor which is which; other cases pass as are."""

    def __init__(self, inner: Editor, how: How = "row", gap: int = 0, tell: bool = True) -> None:
        super().__init__(inner, "join")
        self.how, self.gap, self.tell = how, gap, tell

    def take_over(self) -> None:
        """Be like the editor inside, for any number of pictures."""
        super().take_over()
        self.max_images = None

    def edit_batch(self, cases: Sequence[Request]) -> list[Edit]:
        """The edits of the joined pictures, as they come: what the editor makes of a joined picture is its answer."""
        began = time.perf_counter()
        sent = [self._joined(case) for case in cases]
        before = (time.perf_counter() - began) / max(1, len(cases))
        return [
            self._said(edit, one, case, before) for edit, one, case in zip(self.inside(sent), sent, cases, strict=True)
        ]

    def _joined(self, case: Request) -> Request:
        if len(case.arrays) < 2:
            return case
        legend = which_is_which(len(case.arrays), self.how) if self.tell else ""
        instruction = f"{legend} {case.instruction}" if legend else case.instruction
        return replace(case, arrays=(join_pictures(case.arrays, self.how, self.gap),), instruction=instruction)

    def _said(self, edit: Edit, sent: Request, case: Request, before: float) -> Edit:
        if sent is case:
            return edit
        height, width = sent.arrays[0].shape[:2]
        happened = {"pictures": len(case.arrays), "how": self.how, "gap": self.gap, "sent": f"{width}x{height}"}
        prompt = edit.asked or (sent.instruction if self.tell else None)
        latency = (edit.latency_s or 0.0) + before
        return replace(edit, asked=prompt, trace=traced("join", happened, edit.trace), latency_s=latency)
