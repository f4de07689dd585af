"""Judges by spec: ``openai:MODEL``, ``responses:MODEL``, ``gemini:MODEL``, ``anthropic:MODEL``, ``local:DIR``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from editscope.errors import BadInput, unknown
from editscope.judges.records import Judge, check_attributes
from editscope.outside import kind_of
from editscope.plugins import load_registered, one_sentence, registered
from editscope.specs import Spec, read_value, split_options, split_spec
from editscope.transport.keys import key_from, no_secret, plain_address
from editscope.transport.session import require_packages

GROUP = "editscope.judges"
"""Other packages register a kind of judge here: a class or a function that takes the target and the options of the
spec, read as numbers, true and false, and texts."""

HOSTED = {
    "openai": "editscope.judges.wire.chat:Chat",
    "responses": "editscope.judges.wire.responses:Responses",
    "gemini": "editscope.judges.wire.gemini:Gemini",
    "anthropic": "editscope.judges.wire.anthropic:Anthropic",
}
BUILT_IN = {"local": "editscope.judges.local.judge:load", "python": "editscope.judges.python_class:load"}

NUMBERS: Mapping[str, tuple[type, float, float]] = {
    "temperature": (float, 0.0, 2.0),
    "top_p": (float, 0.0, 1.0),
    "seed": (int, 0, 2**31 - 1),
    "max_tokens": (int, 1, 1_000_000),
}
WORDS: Mapping[str, tuple[str, ...]] = {
    "json": ("schema", "object", "off"),
    "detail": ("low", "medium", "high", "auto", "original"),
    "effort": ("none", "minimal", "low", "medium", "high", "xhigh"),
}
TAKEN = {
    "openai": ("seed", "detail", "effort"),
    "responses": ("detail", "effort"),
    "gemini": ("seed", "detail"),
    "anthropic": (),
}
EVERYWHERE = ("base_url", "key_env", "json", "temperature", "top_p", "max_tokens")


def parse_spec(text: str) -> Spec:
    """Take a judge spec apart. A key in it is an error, and is not repeated.

    >>> parse_spec("openai:gpt-4o?temperature=0")
    Spec(kind='openai', target='gpt-4o', options={'temperature': '0'})
    """
    kind, target, query = split_spec(text)
    judge = f"judge {text.partition('?')[0]!r}"
    if not target:
        raise BadInput(f"{judge} is not of the form kind:model, such as openai:gpt-4o or local:DIR")
    options = {name: unquote(value) for name, value in split_options(judge, query).items()}
    for name, value in options.items():
        no_secret(judge, name, value)
    return Spec(kind, target, options)


def judge_kinds() -> tuple[str, ...]:
    """The kinds of judges that are installed."""
    return tuple(sorted({*HOSTED, *BUILT_IN, *registered(GROUP)}))


def load_judge(
    spec: str,
    *,
    concurrency: int | None = None,
    rpm: float | None = None,
    tpm: float | None = None,
    timeout: float = 120.0,
    retries: int = 5,
    again: int = 2,
    backoff: float = 0.5,
    give_up: int = 25,
    cache: str | Path | None = None,
    max_cost: float | None = None,
    max_calls: int | None = None,
    prices: str | Path | None = None,
    batch: bool = False,
) -> Judge:
    """The judge that a spec names. Nothing is sent yet; ``check`` says whether it can be asked.

    ``cache`` is the folder of the shared cache (``cache_folder()``), None to go without. ``rpm`` and ``tpm``
    are requests and tokens a minute; ``retries`` is for failures of transport, ``again`` for replies
    that are no verdict; after ``give_up`` calls in a row without an answer the run is stopped. ``batch`` sends calls
    through the vendor's batch API, for which a run folder is needed.
    """
    parts = parse_spec(spec)
    _check_numbers(concurrency=concurrency, rpm=rpm, tpm=tpm, timeout=timeout, give_up=give_up)
    if retries < 0 or again < 0:
        raise BadInput(f"--retries is {retries} and --again is {again}; write 0 or more")
    if parts.kind in HOSTED:
        from editscope.transport.budget import Budget

        control = {"concurrency": concurrency, "rpm": rpm, "tpm": tpm}
        waits = {"timeout_s": timeout, "retries": retries, "again": again, "backoff_s": backoff, "give_up": give_up}
        judge = _hosted(parts, control, waits, Budget(max_cost, max_calls), prices, batch)
    elif batch:
        raise BadInput(
            f"the judge {parts.kind}:{parts.target} has no batch API; leave --batch out, or choose a judge of kind "
            f"{', '.join(HOSTED)}"
        )
    else:
        judge = _other(parts, spec)
    if cache is None:
        return judge
    from editscope.judges.cache import CachedJudge, VerdictCache

    return CachedJudge(judge, VerdictCache(cache))


def _hosted(
    parts: Spec,
    control: Mapping[str, Any],
    waits: Mapping[str, Any],
    budget: Any,
    prices: str | Path | None,
    batch: bool,
) -> Judge:
    require_packages(f"the judge {parts.kind}:{parts.target}")
    from editscope.judges.batches.judge import BatchedJudge
    from editscope.judges.client import HostedJudge
    from editscope.judges.prices import TABLE, load_prices
    from editscope.judges.wire.base import JudgeSettings
    from editscope.transport.prices import price_of, require_price
    from editscope.transport.traffic import Patience

    wire = _named(HOSTED[parts.kind])()
    options = _options(parts)
    key_env = str(options.pop("key_env", wire.key_env))
    base_url = str(options.pop("base_url", wire.home))
    price = price_of(parts.target, load_prices(prices))
    require_price(budget, price is not None, f"the judge {parts.target!r}", TABLE)
    price = price.in_batches() if batch and price is not None else price
    return (BatchedJudge if batch else HostedJudge)(
        wire,
        JudgeSettings(model=parts.target, base_url=base_url, **options),
        spec=str(parts),
        key=key_from(key_env),
        key_env=key_env,
        patience=Patience(**waits),
        budget=budget,
        price=price,
        **{name: value for name, value in control.items() if value is not None},
    )


def _options(parts: Spec) -> dict[str, Any]:
    known = (*EVERYWHERE, *TAKEN[parts.kind])
    read: dict[str, Any] = {}
    for name, value in parts.options.items():
        if name not in known:
            raise unknown("option", name, known, of=f"judges of kind {parts.kind}")
        read[name] = _read(parts, name, value)
    return read


def _read(parts: Spec, name: str, value: str) -> Any:
    where = f"judge {parts.kind}:{parts.target}, option {name}"
    if name in WORDS and value not in WORDS[name]:
        raise BadInput(f"{where}: {value!r} is none of {', '.join(WORDS[name])}")
    if name in NUMBERS:
        kind, low, high = NUMBERS[name]
        try:
            number = kind(value)
        except ValueError:
            number = None
        if number is None or not low <= number <= high:
            raise BadInput(f"{where}: {value!r} is not a number from {low:g} to {high:g}")
        return number
    if name == "base_url":
        return plain_address(where, value)
    return value


def _other(parts: Spec, text: str) -> Judge:
    points = registered(GROUP)
    if parts.kind in BUILT_IN:
        judge = _named(BUILT_IN[parts.kind])(parts.target, **parts.options)
    elif parts.kind in points:
        judge = _from_plugin(points[parts.kind], parts)
    else:
        raise unknown("kind of judge", parts.kind, judge_kinds())
    if not isinstance(judge, Judge):
        raise BadInput(f"judge {text!r} returned {kind_of(judge)}, not an editscope.Judge")
    if not judge.spec:
        judge.spec = str(parts)
    check_attributes(judge, f"judge {parts.kind}:{parts.target}")
    return judge


def _from_plugin(point: EntryPoint, parts: Spec) -> Any:
    """What another package makes of a spec; BadInput, in one line, where it makes nothing."""
    load = load_registered("judges of kind", point)
    with one_sentence(f"judge {parts.kind}:{parts.target} could not be constructed"):
        return load(parts.target, **{name: read_value(value) for name, value in parts.options.items()})


def _named(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    return getattr(import_module(module), attribute)  # type: ignore[no-any-return]


def _check_numbers(**given: float | None) -> None:
    for name, value in given.items():
        if value is not None and not 0 < value < float("inf"):
            raise BadInput(f"--{name.replace('_', '-')} is {value}; write a number above 0")
