"""Local judge, ``local:DIR``: a vision-language model whose verdict is the likeliest of the allowed answers."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from typing import Any

from editscope.errors import BadInput, EditscopeError, unknown
from editscope.judges.local.likelihood import Answers, Search, Tokens, allowed
from editscope.judges.local.model import ChatPrompt, LocalModel, ModelPlacement, fingerprint
from editscope.judges.records import Call, Field, Judge, Schema, TextField, Usage, Value, Verdict
from editscope.judges.replies import Broken, asked_name, is_refusal, parse
from editscope.outside import name_received, received
from editscope.specs import Spec

DTYPES = ("auto", "float32", "bfloat16", "float16")
TEXT_TOKENS = 256
"""The most tokens of a reply that is a text alone, where the settings name no limit for reasons."""
WRITTEN_TOKENS = 2048
"""The most tokens of a reply that holds texts or rows."""
GATHER_S = 0.002
"""How long a batch that is not full waits for more."""


@dataclass(frozen=True)
class LocalSettings:
    """What decides a verdict besides the weights, and ``batch``, which does not."""

    dtype: str = "auto"
    device: str = "auto"
    batch: int = 4
    side: int = 0
    reason: int = 0
    temperature: float = 0.0
    tokens: int = WRITTEN_TOKENS


def load(target: str, **options: str) -> LocalJudge:
    """The judge for ``local:DIR?dtype=…&device=…&batch=…&side=…&reason=…&temperature=…&tokens=…``; nothing loaded."""
    known = tuple(LocalSettings.__dataclass_fields__)
    for name in options:
        if name not in known:
            raise unknown("option", name, known, of="judges of kind local")
    settings = LocalSettings(
        dtype=_word(target, "dtype", options.get("dtype", "auto"), DTYPES),
        device=options.get("device", "auto"),
        batch=int(_number(target, "batch", options.get("batch", "4"), 1, 4096)),
        side=int(_number(target, "side", options.get("side", "0"), 0, 1 << 16)),
        reason=int(_number(target, "reason", options.get("reason", "0"), 0, 4096)),
        temperature=_number(target, "temperature", options.get("temperature", "0"), 0, 10, whole=False),
        tokens=int(_number(target, "tokens", options.get("tokens", str(WRITTEN_TOKENS)), 1, 1 << 17)),
    )
    folder = Path(target).expanduser()
    if not (folder / "config.json").is_file():
        what = "is not a folder" if not folder.is_dir() else "has no config.json"
        raise BadInput(f"the judge local:{target} {what}; use the folder of a model that transformers can load")
    return LocalJudge(folder, settings, str(Spec("local", target, options)))


@dataclass(eq=False)
class _WaitingCall:
    call: Call
    sample: int
    answer: asyncio.Future[Verdict]


@dataclass(eq=False)
class _OpenAnswer:
    """One call while its answer is being put together."""

    call: Call
    sample: int
    shown: ChatPrompt
    reply: str = "{"
    reason: str = ""
    weighed: str = ""
    read: int = 0
    written: int = 0

    def __post_init__(self) -> None:
        self.values: dict[str, Value] = {}


class LocalJudge(Judge):
    """A model in a folder. Calls that come at the same time are answered in batches, in a thread of their own.

    A verdict is the likeliest of the answers that the schema allows, field after field; with ``temperature`` one drawn
    by likelihood, the same for the same call and sample. With ``reason`` the model writes so many tokens of
    reasons first, and the answer follows from them. Where a call asks for texts or rows, the model writes its reply
    itself, always the likeliest tokens and at most ``tokens`` of them, and it is read as that of a served model.
    """

    def __init__(self, folder: Path, settings: LocalSettings, spec: str) -> None:
        self.spec = spec
        self.settings = settings
        self.concurrency = 2 * settings.batch  # one batch is with the model while the next one gathers
        self.folder = folder
        self._fingerprint = fingerprint(folder)
        self._model: LocalModel | None = None
        self._waiting: deque[_WaitingCall] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._thread: ThreadPoolExecutor | None = None

    @property
    def snapshot(self) -> str:
        """The name of the folder and what is in it."""
        return f"{self.folder.resolve().name}@{self._fingerprint}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """The weights and the settings that decide a verdict; not where the folder lies or how calls are batched."""
        deciding = {name: value for name, value in asdict(self.settings).items() if name not in ("batch", "device")}
        if self.settings.tokens == WRITTEN_TOKENS:
            del deciding["tokens"]  # it decides nothing about marks, and came later than they
        return {"kind": "local", "weights": self._fingerprint, **deciding}

    async def check(self) -> None:
        """Load the model; BadInput where it cannot be, or where a library is missing."""
        await asyncio.get_running_loop().run_in_executor(self._own_thread(), self._loaded)

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """The verdict on one call, from the next batch that has room."""
        loop = asyncio.get_running_loop()
        waiting = _WaitingCall(call, sample, loop.create_future())
        self._waiting.append(waiting)
        if self._worker is None or self._worker.done():
            self._worker = loop.create_task(self._work())
        return await waiting.answer

    async def close(self) -> None:
        """Release the weights."""
        if self._worker is not None:
            self._worker.cancel()
            self._worker = None
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = None
        self._model = None

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            if len(self._waiting) < self.settings.batch:
                await asyncio.sleep(GATHER_S)
            batch = self._next_batch()
            try:
                verdicts = await loop.run_in_executor(self._own_thread(), self._judged, batch)
            except EditscopeError as error:
                for waiting in batch:
                    if not waiting.answer.done():
                        waiting.answer.set_exception(error)
                continue
            for waiting, verdict in zip(batch, verdicts, strict=True):
                if not waiting.answer.done():
                    waiting.answer.set_result(verdict)

    def _next_batch(self) -> list[_WaitingCall]:
        """The calls that have waited longest, of one shape: the same answers are weighed for all of them."""
        shape = _shape(self._waiting[0].call)
        batch: list[_WaitingCall] = []
        others: deque[_WaitingCall] = deque()
        while self._waiting and len(batch) < self.settings.batch:
            waiting = self._waiting.popleft()
            if not waiting.answer.done():  # else whoever asked has gone
                (batch if _shape(waiting.call) == shape else others).append(waiting)
        self._waiting.extendleft(reversed(others))
        return batch

    def _own_thread(self) -> ThreadPoolExecutor:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="editscope-local-judge")
        return self._thread

    # --- in the thread ----------------------------------------------------------------------------

    def _loaded(self) -> LocalModel:
        if self._model is None:
            wanted = self.settings
            self._model = LocalModel(self.folder, ModelPlacement(wanted.dtype, wanted.device, wanted.side))
        return self._model

    def _judged(self, batch: Sequence[_WaitingCall]) -> list[Verdict]:
        """The verdicts on calls of one shape; what the model cannot do at once is tried in halves, then one by one."""
        if not batch:
            return []
        model = self._loaded()
        start = time.perf_counter()
        try:
            return self._weighed(model, batch, start)
        except EditscopeError as error:  # a picture that cannot be decoded, say
            problem = str(error)
        except Exception as error:  # what a model does is a status: out of memory, a picture too thin for it, a NaN
            problem = f"the model failed ({type(error).__name__}: {' '.join(str(error).split())[:300]})"
        if len(batch) == 1:
            return [self._verdict("error", batch[0], Usage(cost_usd=0.0), reason=problem)]
        half = len(batch) // 2
        return [*self._judged(batch[:half]), *self._judged(batch[half:])]

    def _weighed(self, model: LocalModel, batch: Sequence[_WaitingCall], start: float) -> list[Verdict]:
        open_answers = [_OpenAnswer(waiting.call, waiting.sample, model.shown(waiting.call)) for waiting in batch]
        schema = batch[0].call.schema
        if any(isinstance(wanted, TextField) for wanted in schema.fields):
            return self._written(model, batch, open_answers, start)
        if (self.settings.reason or not schema.fields) and schema.reason:
            self._give_reasons(model, open_answers, schema.reason)
        for number, wanted in enumerate(schema.fields):
            self._answer(model, open_answers, wanted, last=number == len(schema.fields) - 1)
        seconds = round((time.perf_counter() - start) / len(batch), 4)
        return [
            self._verdict(
                "ok" if schema.fields or open_answer.reason else "unparsed",
                waiting,
                Usage(open_answer.read, open_answer.written, 0.0, seconds),
                values=open_answer.values,
                reason=open_answer.reason or open_answer.weighed,
                reply=open_answer.reply,
            )
            for waiting, open_answer in zip(batch, open_answers, strict=True)
        ]

    def _written(
        self, model: LocalModel, batch: Sequence[_WaitingCall], open_answers: Sequence[_OpenAnswer], start: float
    ) -> list[Verdict]:
        """Replies that the model writes itself, begun with the brace of a JSON object, read as strictly as any."""
        begun = [model.encode("{")] * len(batch)
        texts = model.continued([one.shown for one in open_answers], begun, self.settings.tokens)
        seconds = round((time.perf_counter() - start) / len(batch), 4)
        verdicts = []
        for waiting, open_answer, text in zip(batch, open_answers, texts, strict=True):
            reply = "{" + text
            written = min(self.settings.tokens, len(model.encode(text)))
            usage = Usage(len(model.encode(open_answer.shown.text)), written, 0.0, seconds)
            parsed = parse(reply, waiting.call.schema)
            if isinstance(parsed, Broken):
                status = "refused" if is_refusal(text) else "unparsed"
                verdicts.append(self._verdict(status, waiting, usage, reason=parsed.why, reply=reply))
            else:
                values, reason = parsed.values, parsed.reason
                verdicts.append(self._verdict("ok", waiting, usage, values=values, reason=reason, reply=reply))
        return verdicts

    def _give_reasons(self, model: LocalModel, open_answers: Sequence[_OpenAnswer], name: str) -> None:
        begin = f"{{{dumps(name)}: "
        opened = model.encode(begin + '"')
        most = self.settings.reason or TEXT_TOKENS
        texts = model.continued([one.shown for one in open_answers], [opened] * len(open_answers), most)
        for open_answer, text in zip(open_answers, texts, strict=True):
            open_answer.reason = until_quote(text)
            open_answer.reply = f"{begin}{dumps(open_answer.reason, ensure_ascii=False)}, "
            open_answer.written += len(model.encode(open_answer.reason))

    def _answer(self, model: LocalModel, open_answers: Sequence[_OpenAnswer], wanted: Field, *, last: bool) -> None:
        """Weigh the values of one field for every call, and write the chosen one into its reply."""
        values = allowed(wanted)
        end = "}" if last else ", "
        texts = [[f"{one.reply}{dumps(asked_name(wanted))}: {said}{end}" for _, said in values] for one in open_answers]
        tokens = [Answers.of(row, model.encode) for row in texts]
        searches = [Search(answers.rests, all_of_them=self.settings.temperature > 0) for answers in tokens]
        while open_ones := [i for i, search in enumerate(searches) if search.wanted is not None]:
            paths: list[Tokens] = [(*tokens[i].shared, *(searches[i].wanted or ())) for i in open_ones]
            found, lengths = model.log_likelihoods([open_answers[i].shown for i in open_ones], paths)
            for place, i in enumerate(open_ones):
                searches[i].told({token: float(found[place, token]) for token in searches[i].next_tokens})
                open_answers[i].read = max(open_answers[i].read, lengths[place])
        for open_answer, search, row in zip(open_answers, searches, texts, strict=True):
            chosen = self._chosen(search, open_answer, wanted)
            open_answer.values[wanted.name] = values[chosen][0]
            open_answer.reply = row[chosen]
            open_answer.written += 1
            open_answer.weighed += ("; " if open_answer.weighed else "") + _weights_said(wanted, search, values)

    def _chosen(self, search: Search, open_answer: _OpenAnswer, wanted: Field) -> int:
        if not self.settings.temperature:
            return search.best
        seed = sha256(f"{open_answer.call.digest}|{open_answer.sample}|{wanted.name}".encode()).digest()
        return search.drawn(int.from_bytes(seed[:8]) / 2**64, self.settings.temperature)

    def _verdict(
        self,
        status: Any,
        waiting: _WaitingCall,
        usage: Usage,
        *,
        values: Mapping[str, Value] | None = None,
        reason: str = "",
        reply: str = "",
    ) -> Verdict:
        return Verdict(
            status=status,
            values=values or {},
            reason=received(reason),
            reply=received(reply),
            judge=self.spec,
            snapshot=name_received(self.snapshot),
            prompt_hash=waiting.call.prompt_hash,
            usage=usage,
            sample=waiting.sample,
        )


def until_quote(text: str) -> str:
    r"""The text of a JSON string up to its closing quote, or all of it where a limit cut it off.

    >>> until_quote('a \\"red\\" ball", "score": 4}'), until_quote("a red ba")
    ('a "red" ball', 'a red ba')
    """
    at, escaped = 0, False
    while at < len(text) and (escaped or text[at] != '"'):
        escaped = not escaped and text[at] == "\\"
        at += 1
    inside = text[:at]
    try:
        return str(loads(f'"{inside}"', strict=False)).strip()
    except ValueError:  # cut off within an escape
        return inside.strip()


def _shape(call: Call) -> tuple[Schema, bool]:
    return call.schema, bool(call.pictures)


def _weights_said(wanted: Field, search: Search, values: Sequence[tuple[Value, str]]) -> str:
    """The likelihoods in words, beside a verdict that has no other reason."""
    weighed, others = search.shares()
    entries = [f"{values[number][1]} {share:.3f}" for number, share in weighed.items()]
    return f"{asked_name(wanted)}: " + ", ".join([*entries, f"others {others:.3f}"] if others else entries)


def _word(target: str, name: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise BadInput(f"judge local:{target}, option {name}: {value!r} is none of {', '.join(known)}")
    return value


def _number(target: str, name: str, value: str, low: float, high: float, *, whole: bool = True) -> float:
    try:
        number: float = int(value) if whole else float(value)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:
        raise BadInput(
            f"judge local:{target}, option {name}: {value!r} is not a {'whole ' * whole}number from {low:g} to {high:g}"
        )
    return number
