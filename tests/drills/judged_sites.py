"""Runs that a judge scores, with a hosted editor: two servers on loopback that count who was asked for what."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from aiohttp import web

import editscope as es
from drills.site import EDIT, VERDICT, Key, Leg, Site, sampled
from editscope.images import load, pixels_digest
from support.judged_data import make_picabench
from support.servers.editor_server import Fault, OpenAIServer, Seen, load_bytes
from support.servers.editor_server import Outcome as EditorOutcome
from support.servers.editor_server import Reply as EditorReply
from support.servers.judge_server import Asked, JudgeServer, Outcome, Reply, agreeable

EDITS, CALLS = 2, 3
"""How many edits and verdicts are asked for at once."""


class JudgedSite(Site):
    """Ten cases with two questions each. Every fourth edit is turned away and every third question refused until that
    is mended."""

    name = "judged"
    # An answer that came while a line was written waits for its own, and another question has taken its place.
    in_hand: ClassVar[Mapping[str, int]] = {EDIT: EDITS, VERDICT: 2 * CALLS}

    def __init__(self, folder: Path, cases: int = 10) -> None:
        super().__init__(folder)
        suite = es.load_suite("picabench", root=make_picabench(folder / "data", cases))
        self._cases = tuple(suite.ids)
        self._case_of = {pixels_digest(load(case.images[0])): case.id for case in suite}
        self._log: list[Key] = []
        self.env = {"OPENAI_API_KEY": "loopback-key"}
        self.editor = OpenAIServer(self._edit, latency=0.02).__enter__()
        self.judge = JudgeServer(self._judge, latency=0.02).__enter__()

    @property
    def cases(self) -> Sequence[str]:
        return self._cases

    def legs(self, place: str) -> list[Leg]:
        run, rescored = f"{place}/run", f"{place}/rescored"
        how = ("--cache", "off", "--jobs", "1", "-q", "--concurrency", str(CALLS))
        where = ("--data", "data", "--editor", self.editor.spec(), "--out", run, "--edit-concurrency", str(EDITS))
        resume = ("resume", run, *how)
        more = ("--repeats", "2", "--edit-again", "--ask-again")
        other = ("rescore", run, "--judge", self.judge.spec("gpt-5"), "--out", rescored, *how)
        legs = [
            Leg("run", ("run", "picabench", *where, "--judge", self.judge.spec(), *how), resume, run, code=1),
            Leg("edit again", (*resume, "--edit-again"), run=run, code=1, redo=("error",), mend="editor"),
            Leg(
                "ask again",
                (*resume, "--ask-again", "--edit-again"),
                run=run,
                redo=("error",),
                ask_again=True,
                mend="judge",
            ),
            Leg("repeats", (*resume, *more), run=run, redo=("error",), ask_again=True, repeats=2),
            Leg("rescore", other, ("resume", rescored, *how), run=rescored, repeats=2),
            Leg("pack", ("pack", run), run=run, steps=False, makes=f"{run}.zip"),
            Leg(
                "report",
                ("report", run, rescored, "--out", f"{place}/r.html"),
                run=run,
                steps=False,
                makes=f"{place}/r.html",
            ),
        ]
        return sampled(legs)

    def asked(self) -> list[Key]:
        return list(self._log)

    def contacts(self) -> int:
        return self.editor.calls + self.editor.checks + self.judge.calls + self.judge.checks

    def questions(self) -> list[Key]:
        return [(VERDICT, case, question) for case in self._cases for question in ("q1", "q2")]

    def close(self) -> None:
        for server in (self.editor, self.judge):
            server.__exit__()

    def _edit(self, seen: Seen) -> EditorOutcome:
        case = self._case_of[pixels_digest(load_bytes(seen.pictures[0]))]
        self._log.append((EDIT, case))
        broken = int(case) % 4 == 1 and "editor" not in self.mended
        return Fault(400, message="not yet mended") if broken else EditorReply()

    def _judge(self, asked: Asked) -> Outcome:
        found = re.search(r"thing (\d+)\.(\d+)", asked.text)
        if found is None:  # no question about an edit, but whether it is there
            return agreeable(asked)
        number, question = map(int, found.groups())
        self._log.append((VERDICT, f"{number:05d}", f"q{question + 1}"))
        if (number + question) % 3 == 0 and "judge" not in self.mended:
            return Reply(refusal="not yet mended")
        return {"answer": "Yes" if (number * 7 + question) % 5 else "No", "reason": "one sees it"}


class SlowCheckServer(JudgeServer):
    """A judge whose check takes a while, and who answers nothing before ``gate`` is open."""

    def __init__(self, check_s: float) -> None:
        super().__init__(lambda asked: {"answer": "Yes", "reason": "one sees it"})
        self.check_s = check_s
        self.gate = threading.Event()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            await asyncio.sleep(self.check_s)
        while request.method == "POST" and not self.gate.is_set():
            await asyncio.sleep(0.01)
        return await super().handle(request)
