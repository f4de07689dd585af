"""Instructions in several steps, each made on the output of the one before: ``turns(judge=SPEC):EDITOR``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast, get_args

from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.make_edits import decoded
from editscope.editors.wrappers.asking import CACHE_OPTION, JUDGE_OPTION, SEE_OPTION, Asker, cost, shown
from editscope.editors.wrappers.base import Wrapper, derived_seed, nested, total, traced
from editscope.errors import BadInput, unknown
from editscope.images import Pixels
from editscope.judges.prompts.packs import load_pack
from editscope.judges.records import Verdict
from editscope.judges.replies import is_refusal

Split = Literal["auto", "numbered", "lines", "semicolons", "sentences"]

MOST = 8
"""So many steps at most, where nobody says how many: a judge that repeats itself must not edit without end."""

OPTIONS: Mapping[str, str] = {
    "n": "at most so many steps (default 8)",
    "split": "auto (default), numbered, lines, semicolons or sentences",
    "judge": f"{JUDGE_OPTION}, which divides instead",
    "see": SEE_OPTION,
    "cache": CACHE_OPTION,
}

_NUMBER = re.compile(r"(?:(?<=\s)|^)(?:step\s*)?\(?([1-9][0-9]?)(?:[.):]\s|、|．)\s*", re.IGNORECASE)
_MARK = re.compile(r"^\s*(?:[-*•]|\(?[0-9]{1,2}[.):、．])\s*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'“(])|(?<=[。！？])\s*")


def load(
    inner: Editor, n: int | None = None, *, split: str = "auto", judge: str = "", see: str = "images", cache: str = ""
) -> Editor:
    """The wrapper of a spec."""
    if n is not None and (isinstance(n, bool) or not isinstance(n, int) or n < 1):
        raise BadInput(f"turns({n}) is not a number of steps, 1 or more")
    if split not in get_args(Split):
        raise unknown("value of split= in turns(…)", str(split), get_args(Split))
    if see not in ("images", "text"):
        raise unknown("value of see= in turns(…)", str(see), ("images", "text"))
    if judge and split != "auto":
        raise BadInput("turns splits by split=… or by judge=…, not both")
    return Turns(inner, n or MOST, split, Asker(judge, cache) if judge else None, see)


class Turns(Wrapper):
    """Divides the instruction and edits step by step. The picture of the last step replaces the first; others stay."""

    def __init__(self, inner: Editor, most: int, split: str, asker: Asker | None, see: str = "images") -> None:
        super().__init__(inner, "turns", asker)
        self.most = self.most_edits = most
        self.split, self.see = split, see

    def take_over(self) -> None:
        """Be like the editor inside, one request at a time: requests have different numbers of steps."""
        super().take_over()
        self.batch = 1

    @property
    def edits(self) -> int:  # type: ignore[override]
        """For the estimate: two steps, unless fewer are allowed. How many there are is known when they are made."""
        return min(2, self.most)

    def edit_batch(self, cases: Sequence[Request]) -> list[Edit]:
        """The last step of each, or the status of the step that failed."""
        return [self._one(case) for case in cases]

    def _one(self, case: Request) -> Edit:
        verdict = self._ask(case)
        if verdict is not None and verdict.status != "ok":
            reason = f"the instruction was not divided by {verdict.judge}: {verdict.reason}"
            paid = {"latency_s": verdict.usage.latency_s, "cost_usd": cost(verdict)}
            return Edit(case.case_id, case.variant, status=verdict.status, reason=reason, **paid)  # type: ignore[arg-type]
        text, way = (case.instruction, self.split) if verdict is None else (verdict.reason, "lines")
        steps = steps_of(text, way, self.most)
        return self._edited(case, steps, verdict)

    def _edited(self, case: Request, steps: Sequence[str], verdict: Verdict | None) -> Edit:
        edits: list[Edit] = []
        happened: list[dict[str, Any]] = []
        arrays = case.arrays
        for number, step in enumerate(steps):
            seed = derived_seed(case.seed, number)
            (edit,) = self.inside([replace(case, arrays=arrays, instruction=step, seed=seed)])
            edit = decoded(edit)
            edits.append(edit)
            happened.append(_told(edit, step, seed))
            if edit.status != "ok":
                break
            arrays = (cast("Pixels", edit.image), *arrays[1:])
        return self._summed(case, edits, happened, steps, verdict)

    def _summed(
        self,
        case: Request,
        made: list[Edit],
        happened: list[dict[str, Any]],
        steps: Sequence[str],
        verdict: Verdict | None,
    ) -> Edit:
        last = made[-1]
        reason = last.reason
        if last.status != "ok" and len(steps) > 1:
            reason = f"step {len(made)} of {len(steps)}: {last.reason or last.status}"
        record: dict[str, Any] = {"steps": happened}
        if verdict is not None:
            record |= {"judge": verdict.judge, "snapshot": verdict.snapshot, "prompt_hash": verdict.prompt_hash}
        prompt: str | None = "\n".join(f"{i}. {step}" for i, step in enumerate(steps, 1))
        if len(steps) == 1:
            prompt = last.asked or (steps[0] if steps[0] != case.instruction else None)
        memory = [edit.memory_mb for edit in made if edit.memory_mb is not None]
        attempts = [edit.attempts for edit in made if edit.attempts is not None]
        return replace(
            last,
            reason=reason,
            asked=prompt,
            trace=traced("turns", record),
            cost_usd=total([*(edit.cost_usd for edit in made), *([] if verdict is None else [cost(verdict)])]),
            latency_s=sum(edit.latency_s or 0.0 for edit in made) + (verdict.usage.latency_s if verdict else 0.0),
            memory_mb=max(memory, default=None),
            attempts=sum(attempts) if attempts else None,
            notes=tuple(dict.fromkeys(note for edit in made for note in edit.notes)),
        )

    def _ask(self, case: Request) -> Verdict | None:
        if self.asker is None:
            return None
        words = {"instruction": case.instruction, "most": str(self.most)}
        pictures = shown(case.arrays) if self.see == "images" else ()
        (verdict,) = self.asker.ask([load_pack("rewrite").call("steps", "steps", {"source": pictures}, words)])
        if verdict.status == "ok" and is_refusal(verdict.reason):
            return replace(verdict, status="refused", reason=f"it says: {verdict.reason[:200]}")
        return verdict


def steps_of(text: str, split: str = "auto", most: int = MOST) -> tuple[str, ...]:
    """The steps of an instruction, at most ``most`` of them: what is left over goes into the last one.

    ``auto`` takes numbered items where there are two or more, else lines, else parts between semicolons. What stands
    before the first number belongs to the first step.

    >>> steps_of("1. Paint the square red. 2. Remove the circle.")
    ('Paint the square red.', 'Remove the circle.')
    >>> steps_of("Make it night; add a moon; light the windows", most=2)
    ('Make it night', 'add a moon; light the windows')
    >>> steps_of("Remove the circle.")
    ('Remove the circle.',)
    """
    ways = ("numbered", "lines", "semicolons") if split == "auto" else (split,)
    for way in ways:
        parts = [part for one in _SPLITTERS[way](text) if (part := _MARK.sub("", one, count=1).strip())]
        if len(parts) > 1:
            steps = parts[: most - 1]
            return (*steps, _BETWEEN[way].join(parts[most - 1 :])) if len(parts) > most else tuple(parts)
    return (text.strip(),)


def _numbered(text: str) -> list[str]:
    """The items after 1, 2, 3 …; numbers that do not count up from 1 are part of the text."""
    cuts: list[tuple[int, int]] = []
    for match in _NUMBER.finditer(text):
        if int(match[1]) == len(cuts) + 1:
            cuts.append(match.span())
    if len(cuts) < 2:
        return []
    ends = [start for start, _ in cuts[1:]] + [len(text)]
    items = [text[begin:end] for (_, begin), end in zip(cuts, ends, strict=True)]
    return [f"{text[: cuts[0][0]].strip()} {items[0]}", *items[1:]]


_SPLITTERS: dict[str, Callable[[str], Iterable[str]]] = {
    "numbered": _numbered,
    "lines": str.splitlines,
    "semicolons": lambda text: re.split("[;；]", text),  # the second is the one of Chinese texts
    "sentences": _SENTENCE.split,
}
_BETWEEN = {"numbered": "\n", "lines": "\n", "semicolons": "; ", "sentences": " "}


def _told(edit: Edit, step: str, seed: int) -> dict[str, Any]:
    """What a step came to, for the trace."""
    size = None if edit.status != "ok" else f"{edit.image.shape[1]}x{edit.image.shape[0]}"  # type: ignore[union-attr]
    fields = {"instruction": step, "seed": seed, "status": edit.status, "reason": edit.reason, "size": size}
    fields |= {"asked": edit.asked, "latency_s": edit.latency_s, "cost_usd": edit.cost_usd}
    fields["trace"] = None if edit.trace is None else nested(edit.trace)
    return {name: value for name, value in fields.items() if value is not None}
