"""Language model that plans before the editor draws, or rewords the instruction: ``rewrite(judge=SPEC):EDITOR``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.wrappers.asking import CACHE_OPTION, JUDGE_OPTION, SEE_OPTION, Asker, cost, own_prompt, shown
from editscope.editors.wrappers.base import Wrapper, total, traced
from editscope.errors import BadInput, unknown
from editscope.judges.prompts.packs import load_pack
from editscope.judges.prompts.promptfile import Prompt
from editscope.judges.records import Call, Verdict
from editscope.judges.replies import is_refusal

Mode = Literal["trace", "instruction", "paraphrase"]
See = Literal["images", "text"]
Fallback = Literal["none", "original"]

OPTIONS: Mapping[str, str] = {
    "judge": JUDGE_OPTION,
    "mode": "trace (default), instruction or paraphrase",
    "prompt": "a prompt file of your own",
    "see": SEE_OPTION,
    "fallback": "none (default) or original: what to send where the judge says nothing",
    "hint": "true: the judge is told what the suite tells its own judge; an upper bound",
    "cache": CACHE_OPTION,
}


def load(
    inner: Editor,
    judge: str = "",
    mode: str = "trace",
    *,
    prompt: str = "",
    see: str = "images",
    fallback: str = "none",
    hint: bool = False,
    cache: str = "",
) -> Editor:
    """The wrapper of a spec."""
    if not judge:
        raise BadInput("rewrite needs a language model: rewrite(judge=openai:gpt-4o):EDITOR")
    for what, given, known in (("mode", mode, Mode), ("see", see, See), ("fallback", fallback, Fallback)):
        if given not in get_args(known):
            raise unknown(f"value of {what}= in rewrite(…)", str(given), get_args(known))
    ours = load_pack("rewrite")[mode]
    written = own_prompt(prompt, ours) if prompt else ours
    return Rewrite(inner, Asker(judge, cache), mode, written, see, fallback, hint)


class Rewrite(Wrapper):
    """Asks ``judge`` for a trace that goes before the instruction, or for an instruction that replaces it."""

    asker: Asker

    def __init__(
        self,
        inner: Editor,
        asker: Asker,
        mode: str,
        prompt: Prompt,
        see: str = "images",
        fallback: str = "none",
        hint: bool = False,
    ) -> None:
        self.mode, self.prompt, self.see, self.fallback, self.hint = mode, prompt, see, fallback, hint
        super().__init__(inner, "rewrite" if mode == "trace" else f"rewrite-{mode}", asker)

    def take_over(self) -> None:
        """Be like the editor inside, and get the suite's hint where the rewriter is to have it."""
        super().take_over()
        self.wants_hint = self.wants_hint or self.hint

    def edit_batch(self, cases: Sequence[Request]) -> list[Edit]:
        """The edits of the rewritten requests; a request that could not be rewritten has the status of that."""
        verdicts = [self._read(one) for one in self.asker.ask([self._call(case) for case in cases])]
        sent = {
            place: replace(case, instruction=self.worded(case.instruction, verdict))
            for place, (case, verdict) in enumerate(zip(cases, verdicts, strict=True))
            if verdict.status == "ok" or self.fallback == "original"
        }
        edits = dict(zip(sent, self.inside(list(sent.values())), strict=True))
        return [
            self._edited(edits[place], sent[place], case, verdict) if place in edits else self._failed(case, verdict)
            for place, (case, verdict) in enumerate(zip(cases, verdicts, strict=True))
        ]

    def worded(self, instruction: str, verdict: Verdict) -> str:
        """The text that the editor gets."""
        if verdict.status != "ok":
            return instruction
        if self.mode == "trace":
            return f"Plan:\n{verdict.reason}\n\nInstruction:\n{instruction}"
        return verdict.reason

    def _call(self, case: Request) -> Call:
        pictures = shown(case.arrays) if self.see == "images" else ()
        words = {"instruction": case.instruction, "hint": case.hint if self.hint else ""}
        return self.prompt.call(f"rewrite-{self.mode}", {"source": pictures}, words)

    def _read(self, verdict: Verdict) -> Verdict:
        """The verdict, refused where the text that came is a refusal put into the right shape."""
        if verdict.status == "ok" and is_refusal(verdict.reason):
            return replace(verdict, status="refused", reason=f"it says: {verdict.reason[:200]}")
        return verdict

    def _edited(self, edit: Edit, sent: Request, case: Request, verdict: Verdict) -> Edit:
        notes = edit.notes
        if verdict.status != "ok":
            notes = (*notes, f"not rewritten ({verdict.reason}); the original instruction was used")
        elif self.hint and case.hint:
            notes = (*notes, "rewritten with the suite's hint: an upper bound")
        return replace(
            edit,
            asked=edit.asked or sent.instruction,
            trace=traced("rewrite", self._said(case, verdict), edit.trace),
            cost_usd=total([edit.cost_usd, cost(verdict)]),
            latency_s=(edit.latency_s or 0.0) + verdict.usage.latency_s,
            notes=notes,
        )

    def _failed(self, case: Request, verdict: Verdict) -> Edit:
        return Edit(
            case.case_id,
            case.variant,
            status=verdict.status,
            reason=f"the instruction was not rewritten by {self.asker.spec}: {verdict.reason}",
            latency_s=verdict.usage.latency_s,
            cost_usd=cost(verdict),
            trace=traced("rewrite", self._said(case, verdict)),
        )

    def _said(self, case: Request, verdict: Verdict) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "see": self.see,
            "judge": verdict.judge or self.asker.spec,
            "snapshot": verdict.snapshot,
            "prompt_hash": verdict.prompt_hash or self.prompt.hash,
            "status": verdict.status,
            "instruction": case.instruction,
            "written": verdict.reason if verdict.status == "ok" else None,
            "cached": verdict.cached,
        }
