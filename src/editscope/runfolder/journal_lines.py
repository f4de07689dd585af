"""Lines of a journal: how they are written with a checksum, and what each kind of them must hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias, get_args

import xxhash

from editscope.cases import Status
from editscope.runfolder.shapes import (
    Check,
    dict_of,
    either,
    finite,
    flag,
    list_of,
    maybe,
    moment,
    one_of,
    record,
    scalar,
    text,
    whole,
)

Line: TypeAlias = dict[str, Any]

SUM = "sum"
_OPENING = b',"sum":"'
_LENGTH = len(_OPENING) + 16 + len(b'"}')

TOLERANCES = 11


def _unit(value: Any) -> str | None:
    return list_of(text)(value) or (None if value else " is empty")


STATUS = one_of(get_args(Status))
PLACE = either(maybe(record({"source": text}, {"packed": text})), text)

EDIT: Mapping[str, Check] = {
    "variant": text,
    "index": whole,
    "status": STATUS,
    "image": PLACE,
    "reason": maybe(text),
    "latency_s": maybe(finite),
    "cost_usd": maybe(finite),
    "trace": maybe(text),
    "notes": list_of(text),
    "at": moment,
}
MAYBE_EDIT: Mapping[str, Check] = {
    "asked": maybe(text),
    "memory_mb": maybe(finite),
    "attempts": maybe(whole),
    "model": maybe(text),
    "size": maybe(list_of(whole, 2)),
    "applicable": flag,
    "image_hash": maybe(text),
    "code": text,
}
SCORED: Mapping[str, Check] = {
    "variant": text,
    "index": whole,
    "status": STATUS,
    "tags": dict_of(text),
    "instruction": text,
    "fingerprint": text,
}
EFFECT = record(
    {"name": text, "direct": flag, "pixels": whole, "recovery": finite, "gain_recovery": finite, "strength": finite}
)
_EVIDENCE = record(
    {
        "edit_pixels": whole,
        "preservation_pixels": whole,
        "hits": list_of(whole, TOLERANCES),
        "spilled": list_of(whole, TOLERANCES),
        "changed_pixels": list_of(whole, TOLERANCES),
        "resized": flag,
        "output_size": maybe(list_of(whole, 2)),
    },
    {
        "floor_miou": finite,
        "effects": list_of(EFFECT),
        "ignored_pixels": whole,
        "gain": list_of(finite, 3),
        "gain_preservation": list_of(finite, TOLERANCES),
        "strength": finite,
        "fit": finite,
        "same_light": finite,
        "beside": finite,
        "made": finite,
    },
)


def evidence(value: Any) -> str | None:
    """What is wrong with the counts behind a pixel score: none is larger than what it is a part of."""
    wrong = _EVIDENCE(value)
    if wrong is None and max(value["hits"]) > value["edit_pixels"]:
        return f".hits are more than the {value['edit_pixels']} pixels of the edit"
    if wrong is None and max(value["spilled"]) > value["preservation_pixels"]:
        return f".spilled are more than the {value['preservation_pixels']} pixels around the edit"
    return wrong


PIXELS = record({**SCORED, "metrics": dict_of(finite), "evidence": evidence, "failure": text})
ROW = record(
    {"metric": text, "value": maybe(finite)},
    {
        "status": STATUS,
        "variant": text,
        "key": text,
        "tags": dict_of(text),
        "asked": whole,
        "answered": whole,
        "agreement": maybe(finite),
        "low": maybe(finite),
        "high": maybe(finite),
    },
)
CALL = record(
    {"key": text, "prompt": text, "prompt_hash": text, "digest": text},
    {"question": text, "label": text, "box": maybe(list_of(finite, 4))},
)
SPENT = record(
    {"calls": whole, "cached": whole, "input_tokens": whole, "output_tokens": whole, "cost_usd": maybe(finite)}
)
JUDGED = record(
    {
        **SCORED,
        "unit": _unit,
        "place": whole,
        "units": whole,
        "missing": maybe(STATUS),
        "applicable": flag,
        "rows": list_of(ROW),
        "pixels": dict_of(maybe(finite)),
        "calls": list_of(CALL),
        "verdicts": dict_of(whole),
        "snapshots": dict_of(dict_of(whole)),
        "spent": SPENT,
    },
    {"panel": dict_of(dict_of(list_of(maybe(finite)))), "white": list_of(ROW)},
)
USAGE = record(
    {"cost_usd": maybe(finite), "latency_s": finite, "input_tokens": whole, "output_tokens": whole},
    {"attempts": whole, "estimated": whole},
)
VERDICT = record(
    {
        "judge": text,
        "snapshot": text,
        "status": STATUS,
        "values": dict_of(scalar),
        "reason": text,
        "reply": text,
        "cached": flag,
        "usage": USAGE,
    },
    {"prompt_hash": text, "sample": whole},
)
ASKED = record({"key": text, "sample": whole, "digest": text, "verdict": VERDICT}, {"variant": text, "judge": text})
_EDIT = record(EDIT, MAYBE_EDIT)
_AGAIN = record({"variant": text})


def _panel(line: Line) -> str | None:
    """What is wrong with what several judges said: all of it must be about calls of the line."""
    keys = {call["key"] for call in line["calls"]}
    strange = [key for key in line.get("panel", ()) if key not in keys]
    return f".panel.{strange[0]} is about no call of the line" if strange else None


def encoded_line(line: Mapping[str, Any]) -> bytes:
    """A line as the journal has it, without its newline: JSON, and a checksum of it as its last key."""
    content = {name: value for name, value in line.items() if name != SUM} if SUM in line else line
    data = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%b%b%b%b" % (data[:-1], _OPENING, _sum(data), b'"}')


def checksum_holds(data: bytes, line: Mapping[str, Any]) -> bool:
    """Whether a line is as it was written, by its checksum; lines of version 0.1 have none and pass."""
    if data[-_LENGTH : -_LENGTH + len(_OPENING)] == _OPENING:
        return _sum(data[:-_LENGTH] + b"}") == data[-18:-2]
    return SUM not in line or encoded_line(line)[-18:-2] == str(line[SUM]).encode(errors="replace")


def fault(line: object) -> str | None:
    """What is wrong with the content of a line, in words; None where nothing is."""
    if type(line) is not dict:
        return "is not a JSON object"
    step, case = line.get("step"), line.get("case")
    if type(step) is not str or type(case) is not str:
        lacking = "case" if type(step) is str else "step"
        return f"lacks {lacking!r}" if lacking not in line else f"has a {lacking!r} that is not text"
    wrong: str | None = None
    if step == "edit":
        wrong = _EDIT(line)
    elif step == "score":
        wrong = (JUDGED(line) or _panel(line)) if "rows" in line or "unit" in line else PIXELS(line)
    elif step == "verdict":
        wrong = ASKED(line)
    elif step == "again":
        wrong = _AGAIN(line)
    if wrong is None:
        return None
    return wrong.strip() if wrong.startswith(" ") else f"is not what Editscope writes: {wrong.removeprefix('.')}"


def _sum(data: bytes) -> bytes:
    return xxhash.xxh3_64_hexdigest(data).encode()
