"""Records between rubrics, judges and runs: what a judge is asked, what it says, and what that takes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from editscope.cases import NOTHING, Status
from editscope.errors import BadInput, EditscopeError
from editscope.outside import kind_of, name_received, received
from editscope.plugins import TEXT, Wanted, one_sentence, whole_number, wrong_attribute
from editscope.transport.account import Account
from editscope.transport.budget import Budget
from editscope.transport.forecast import PaidCalls

if TYPE_CHECKING:
    from editscope.judges.batches.post import BatchPost

Value: TypeAlias = "int | bool"
"""What a judge gives. A model that writes gives texts, lists of texts, and lists of rows of texts, too."""


@dataclass(frozen=True, eq=False)
class Picture:
    """An encoded picture as it goes to the judge. It is encoded once, whoever asks about it how often."""

    data: bytes
    mime: str = "image/jpeg"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes: what a cached verdict is filed under."""
        return sha256(self.data).hexdigest()

    @cached_property
    def base64(self) -> bytes:
        """The bytes in base64, for a JSON body."""
        from base64 import b64encode

        return b64encode(self.data)


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that a reply must hold: a yes or no, or an integer from ``low`` to ``high``."""

    name: str
    kind: Literal["yes_no", "integer"]
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class TextField(Field):
    """A text that a reply must hold, or several: what a model writes rather than judges.

    ``shape`` is text, texts (``low`` to ``high`` of them), choice (one of ``options``) or rows (``low`` to ``high``
    objects whose texts ``options`` names).
    """

    shape: Literal["text", "texts", "choice", "rows"] = "text"
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Schema:
    """The shape of a reply: one or several fields, and a reason in words beside them.

    Without fields a text is all that is asked for (a plan, a rewritten instruction): the reason, which must be there.
    """

    fields: tuple[Field, ...]
    reason: str = "reason"
    """The name of the text field that explains the verdict; "" where none is asked for."""


@dataclass(frozen=True, eq=False)
class Call:
    """One question to a judge: texts and pictures in order, and the shape of the reply.

    ``key`` names the call within its case and variant (``"kp"``, ``"q3"``); ``prompt`` is the name of the prompt
    in its pack and ``prompt_hash`` the hash of that file, which goes into every score. ``detail`` (how closely pictures
    are looked at, in OpenAI's words) and ``temperature`` (None: the server's own) are what the protocol asks for where
    the judge's spec says nothing.
    """

    key: str
    parts: tuple[str | Picture, ...]
    schema: Schema
    prompt: str = ""
    prompt_hash: str = ""
    system: str = ""
    detail: str = ""
    temperature: float | None = 0.0
    labels: tuple[str, ...] = ()
    """What its prompt calls each picture, for people who look at the request; the judge does not get them."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that the judge gets: texts, pictures and schema, in order, detail and temperature."""
        hashed = sha256(repr((self.system, self.schema)).encode())
        if (self.detail, self.temperature) != ("", 0.0):
            hashed.update(repr((self.detail, self.temperature)).encode())
        for part in self.parts:
            hashed.update(b"\x1e")
            hashed.update(b"T" + part.encode() if isinstance(part, str) else b"P" + part.digest.encode())
        return hashed.hexdigest()

    @property
    def wishes(self) -> dict[str, Any]:
        """What the protocol asks of any judge besides the reply: detail and temperature, where it asks."""
        wanted = {"temperature": self.temperature, "detail": self.detail or None}
        return {name: value for name, value in wanted.items() if value is not None}

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures alone, in order."""
        return tuple(part for part in self.parts if isinstance(part, Picture))


@dataclass(frozen=True, slots=True)
class Usage:
    """What a verdict took, all attempts together."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    latency_s: float = 0.0
    attempts: int = 1
    estimated: int = 0
    """Answers whose tokens the server did not report, or reported as nonsense; ours stand for them."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said to one call. Only ``ok`` has values; every other status says why there are none.

    ``values`` holds each field of the schema; ``reply`` is the text as it came; ``judge`` the spec without secrets and
    ``snapshot`` the model name that the server reported.
    """

    status: Status
    values: Mapping[str, Value] = field(default_factory=lambda: NOTHING)
    reason: str = ""
    reply: str = ""
    judge: str = ""
    snapshot: str = ""
    prompt_hash: str = ""
    usage: Usage = Usage()
    sample: int = 0
    cached: bool = False

    def to_json(self) -> dict[str, Any]:
        """The verdict for a journal line or the cache."""
        # Not asdict, which takes ten times as long for thousands of lines and fails at a read-only mapping.
        plain = {name: getattr(self, name) for name in self.__slots__}
        usage = {name: getattr(self.usage, name) for name in self.usage.__slots__}
        return {**plain, "values": dict(self.values), "usage": usage}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Verdict:
        """The verdict that ``to_json`` wrote; what a later version wrote besides is let be."""
        usage = Usage(**{name: value for name, value in data["usage"].items() if name in Usage.__slots__})
        return cls(**{**{name: value for name, value in data.items() if name in cls.__slots__}, "usage": usage})


def kept_verdict(verdict: Verdict) -> Verdict:
    """A verdict whose texts a run can keep, whoever made it: a judge of one's own, or a cache that somebody wrote."""
    snapshot, reason, reply = name_received(verdict.snapshot), received(verdict.reason), received(verdict.reply)
    return replace(verdict, snapshot=snapshot, reason=reason, reply=reply)


def checked_verdict(verdict: Any, call: Call, judge: str) -> Verdict:
    """What a judge gave, as a run can keep it; EditscopeError where it is not a verdict on this call.

    >>> call = Call("kp", (), Schema((Field("score", "integer", 1, 5),)))
    >>> checked_verdict(Verdict("ok", {"score": 99}), call, "python:m:Mine")
    Traceback (most recent call last):
    editscope.errors.EditscopeError: the judge python:m:Mine gave score=99 to 'kp'; it must be a number from 1 to 5
    """
    if not isinstance(verdict, Verdict):
        raise EditscopeError(f"the judge {judge} gave {kind_of(verdict)}, not an editscope.Verdict")
    if verdict.status not in get_args(Status):
        raise EditscopeError(
            f"the judge {judge} gave the status {verdict.status!r}, which is none of {', '.join(get_args(Status))}"
        )
    for wanted in call.schema.fields if verdict.status == "ok" else ():
        value: Any = verdict.values.get(wanted.name)
        if isinstance(wanted, TextField):
            fits, must = value is not None, "there"
        elif wanted.kind == "yes_no":
            fits, must = isinstance(value, bool), "True or False"
        else:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            fits, must = number and wanted.low <= value <= wanted.high, f"a number from {wanted.low} to {wanted.high}"
        if not fits:
            raise EditscopeError(f"the judge {judge} gave {wanted.name}={value!r} to {call.key!r}; it must be {must}")
    return kept_verdict(verdict)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some calls will take, each asked once and answered at the first attempt.

    ``cost_usd`` is None where the price of the model is not known.
    """

    calls: int = 0
    images: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None

    def __add__(self, other: Estimate) -> Estimate:
        both = (self.cost_usd, other.cost_usd)
        return Estimate(
            self.calls + other.calls,
            self.images + other.images,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if both[0] is None or both[1] is None else both[0] + both[1],
        )


TINY = Call("guess", ("?",), Schema((), reason="text"))


class Judge(ABC):
    """Base class of judges: override ``ask``, and ``check`` and ``close`` where there is a server or a model.

    ``spec`` names it, without secrets, so that the same judge can be made again; it is set when the judge is loaded.
    ``concurrency`` is how many calls it answers at the same time.
    """

    spec: str = ""
    concurrency: int = 1
    reserves: bool = False
    """Whether it reserves money from the account of a run itself; for others the run does, call by call."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that decides what it would say to a call: model, sampling settings; part of the cache key."""
        return {"spec": self.spec}

    @property
    def at_once(self) -> int:
        """How many calls it takes at the same time just now; at most ``concurrency``."""
        return self.concurrency

    @property
    def has_cache(self) -> bool:
        """Whether ``known`` looks calls up, so that a call that was answered before need not be made in full."""
        return False

    @property
    def batches(self) -> BatchPost | None:
        """What hands its calls in as batches; None where each is asked by itself."""
        return None

    def estimate(self, calls: Iterable[Call], samples: int = 1) -> Estimate:
        """What the calls will take, each asked ``samples`` times. A judge that does not say costs nothing."""
        listed = list(calls)
        images = sum(len(call.pictures) for call in listed)
        return Estimate(samples * len(listed), samples * images, cost_usd=0.0)

    def sends(self, call: Call) -> Mapping[str, Any]:
        """What goes to the model with a call besides its texts and pictures, for people who look at the request."""
        return call.wishes

    def paid_calls(self, estimate: Estimate) -> PaidCalls:
        """An estimate with what it takes to make the calls: a price, a key."""
        counts = (estimate.images, estimate.input_tokens, estimate.output_tokens)
        return PaidCalls(f"judge {self.spec}", estimate.calls, "call", *counts, cost_usd=estimate.cost_usd)

    def known(self, call: Call, sample: int = 0) -> Verdict | None:
        """The verdict that the judge has already, without asking anybody; None where it has none."""
        return None

    def use_budget(self, budget: Budget) -> None:  # noqa: B027 - a judge may cost nothing
        """Spend no more than this budget allows. Several judges can share one."""

    def use_account(self, account: Account | None) -> None:  # noqa: B027 - see ``reserves``
        """Spend no more than the budget of a run allows, edits and judges together."""

    async def check(self) -> None:  # noqa: B027 - a judge may have nothing to check
        """Raise BadInput before anything is spent: a wrong key, an unknown model, a server that is not there."""

    @abstractmethod
    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """Answer one call. Never raises for what the judge or the network does: that is a status."""

    async def close(self) -> None:  # noqa: B027 - or to close
        """Release connections or weights."""


def _plain(value: Any) -> bool:
    """Whether a value is a mapping that JSON can hold, as the key of a cached verdict must."""
    from json import dumps

    try:
        return isinstance(value, Mapping) and bool(dumps(dict(value)))
    except (TypeError, ValueError):
        return False


ATTRIBUTES: Mapping[str, Wanted] = {
    "spec": TEXT,
    "concurrency": whole_number(1),
    "identity": (_plain, "a mapping of texts and numbers"),
}


def check_attributes(judge: Judge, where: str) -> None:
    """Raise BadInput for an attribute of a judge that a run cannot use; ``where`` begins the sentence."""
    if wrong := wrong_attribute(judge, ATTRIBUTES):
        raise BadInput(f"{where}: {wrong}")


async def ask_judge(judge: Judge, call: Call, sample: int = 0) -> Verdict:
    """The verdict of a judge on a call, as a run can keep it; EditscopeError where it gave none on this call."""
    return checked_verdict(await judge.ask(call, sample), call, judge.spec)


async def check_judge(judge: Judge) -> None:
    """Raise BadInput where a judge cannot be asked, or where its check itself fails."""
    with one_sentence(f"judge {judge.spec}: its check failed"):
        await judge.check()


def may_cost(judge: Judge) -> bool:
    """Whether asking a judge may cost money, as far as anybody knows."""
    return judge.paid_calls(replace(judge.estimate([TINY]), calls=1)).may_cost
