"""The door for what comes from outside: texts become valid Unicode without keys, numbers are believed only if sane."""

from __future__ import annotations

import json
import math
import os
import re
import threading
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import Any

from editscope.errors import BadInput

LONGEST = 64 * 1024
"""Characters of one text that a run keeps: a reply, a trace, a reason. What is longer is cut, and says so."""

LONGEST_NAME = 500
"""Characters of a name, such as that of a model."""
LONGEST_REASON = 500
"""Characters of an exception's message."""

MOST_TOKENS = 10_000_000
"""More tokens than any model reads or writes in one answer."""
MOST_DOLLARS = 10_000.0
"""More dollars than one answer or one edit costs anywhere."""
MOST_SECONDS = 30 * 24 * 3600.0
MOST_MEGABYTES = 1e9

SHORTEST_KEY = 8
"""What is shorter ("EMPTY") is not a secret, and redacting it would spoil texts."""
SHORTEST_GUESS = 16
"""A variable of the environment that only seems to hold a key must be at least as long as this."""
MARK = "[key]"

_UNFIT = re.compile("[\x00\ud800-\udfff]")
_SECRET_WORDS = frozenset({"KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"})


def is_text(text: str) -> bool:
    """Whether a text can be kept as it is: whole characters, and no NUL.

    >>> is_text("溶"), is_text("\\ud800"), is_text("a\\0b")
    (True, False, False)
    """
    return _UNFIT.search(text) is None


def repaired(text: str) -> str:
    """A text that every file can hold: halves of characters and NULs become U+FFFD.

    >>> repaired("a\\ud800b\\0c")
    'a�b�c'
    """
    return text if text.isascii() and "\0" not in text else _UNFIT.sub("\ufffd", text)


def received(text: Any, longest: int = LONGEST) -> str:
    """A text from outside as a run may keep it: repaired, without keys, at most ``longest`` characters of it.

    >>> received("abcdef", longest=3)
    'abc … [cut: 6 characters]'
    """
    return shortened(redacted(repaired(text if isinstance(text, str) else str(text))), longest)


def shortened(text: str, longest: int = LONGEST) -> str:
    """A text with at most ``longest`` characters of it, and a note where it was longer.

    Cut after redacting, never before: the cut could leave a part of a key that nobody recognizes.
    """
    return text if len(text) <= longest else f"{text[:longest]} … [cut: {len(text):,} characters]"


def name_received(text: Any) -> str:
    """A name from outside, such as that of a model: one line, not too long."""
    return received(" ".join(str(text).split()), LONGEST_NAME)


def one_line(error: BaseException) -> str:
    """An exception in one line: its class and its message, without keys.

    >>> one_line(ValueError("too\\nsmall")), one_line(KeyboardInterrupt())
    ('ValueError: too small', 'KeyboardInterrupt')
    """
    message = received(" ".join(str(error).split()), LONGEST_REASON)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def reason_of(error: BaseException, most: int = 200) -> str:
    """The message of an exception in one line, at most ``most`` characters of it.

    >>> reason_of(ValueError("too\\nsmall")), reason_of(ValueError("too small"), most=3)
    ('too small', 'too')
    """
    return " ".join(str(error).split())[:most]


def kind_of(value: object) -> str:
    """The class of a value with its article, for messages.

    >>> kind_of(4), kind_of("four"), kind_of(None)
    ('an int', 'a str', 'None')
    """
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def received_json(value: Any) -> Any:
    """A decoded JSON value with every text in it repaired and without keys; nothing is cut."""
    if isinstance(value, str):
        return redacted(repaired(value))
    if isinstance(value, Mapping):
        return {received_json(name): received_json(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [received_json(one) for one in value]
    return value


def read_json(data: bytes | str) -> Any:
    """What JSON from outside says, every text of it valid and without keys; ValueError where it is not JSON.

    >>> read_json(b'{"model": "m\\\\ud800"}')
    {'model': 'm�'}
    """
    import orjson

    try:
        return received_json(orjson.loads(data))
    except orjson.JSONDecodeError:
        pass
    try:  # half a character, written as an escape, is no reason to pay for an answer twice
        text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
        return received_json(json.loads(text, parse_constant=_no_constant))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def required(where: str, text: str, fix: str = "write it again without") -> str:
    """A text that is an id, a tag or a path and must be as it is; BadInput, beginning with ``where``, if it cannot be.

    >>> required("cases.jsonl line 2, tag 'task'", "border")
    'border'
    """
    if is_text(text):
        return text
    raise BadInput(
        f"{where} is {ascii(text)[:200]}, which holds a NUL or half of a character; no text file can hold that: {fix}"
    )


# --- numbers --------------------------------------------------------------------------------------------------


def measure(value: Any, most: float) -> float | None:
    """A measure that somebody else reports: finite, from 0 to ``most``; None for everything else.

    >>> measure(1.5, 10), measure(-1, 10), measure(float("nan"), 10), measure(True, 10), measure("3", 10)
    (1.5, None, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        return None
    return float(value)


def count(value: Any, most: int = MOST_TOKENS) -> int | None:
    """A count that somebody else reports: whole, from 0 to ``most``; None for everything else.

    >>> count(7), count(7.0), count(-7), count(7.5), count("7"), count(10**18)
    (7, 7, None, None, None, None)
    """
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        return None
    return value


# --- keys -----------------------------------------------------------------------------------------------------


def keep_secret(key: str) -> None:
    """Know a key from now on: no text that comes in through this module will hold it, in any of its forms."""
    if len(key) >= SHORTEST_KEY:
        _secrets().add(key)


def redacted(text: str) -> str:
    """A text without any key that this process knows, whoever put it there and however it is written.

    Found are the key itself, its base64 wherever it begins, its hex digits, and each of these with percent signs, JSON
    escapes or HTML entities for some or all of its characters.

    >>> keep_secret("sk-12345678")
    >>> redacted("Incorrect API key provided: sk-12345678, sk%2D12345678, c2stMTIzNDU2Nzg=")
    'Incorrect API key provided: [key], [key], [key]g='
    """
    return _secrets().redacted(text)


class _Secrets:
    """All keys that the process knows, as the texts and patterns under which they can turn up."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._lock = threading.Lock()
        self._keys: set[str] = set()
        self._forms: tuple[str, ...] = ()
        self._escaped: re.Pattern[str] | None = None
        for key in keys:
            self.add(key)

    def add(self, key: str) -> None:
        if key in self._keys:
            return
        with self._lock:
            self._keys.add(key)
            # The longest first, so that a key which holds another one is found whole.
            forms = sorted({form for one in self._keys for form in forms_of(one)}, key=lambda form: (-len(form), form))
            self._forms, self._escaped = tuple(forms), None

    def redacted(self, text: str) -> str:
        for form in self._forms:
            if form in text:
                text = text.replace(form, MARK)
        if not self._forms or not ("%" in text or "\\" in text or "&" in text):
            return text
        meant = _ESCAPES.sub(_letter, text)  # quick, so that the slow search is only for texts in which there is a key
        if not any(form in meant for form in self._forms):
            return text
        if self._escaped is None:
            self._escaped = re.compile("|".join("".join(map(_any_writing, form)) for form in self._forms))
        return self._escaped.sub(MARK, text)


def forms_of(key: str) -> tuple[str, ...]:
    """A key as it is, in base64 of either alphabet at each of the three places where it can begin, and in hex.

    Of the base64 only what the key alone decides is listed, so that it is found inside of a longer text that was
    encoded as a whole.

    >>> forms_of("secret-key")[1:4]
    ('c2VjcmV0LWtle', 'NlY3JldC1rZX', 'zZWNyZXQta2V5')
    """
    data = key.encode("utf-8", "surrogatepass")
    forms = [key]
    for begins in range(3):
        encoded = b64encode(b"\0" * begins + data + b"\0\0").decode()
        first, last = -(-begins * 8 // 6), (begins + len(data)) * 8 // 6
        forms += [encoded[first:last], encoded[first:last].replace("+", "-").replace("/", "_")]
    forms += [data.hex(), data.hex().upper()]
    return tuple(dict.fromkeys(forms))


_ESCAPES = re.compile(
    r"%(?:25){0,3}([0-9a-fA-F]{2})|\\{1,4}(?:u00|x)([0-9a-fA-F]{2})|&#[xX]0{0,4}([0-9a-fA-F]{2});?|&#0{0,4}(\d{2,3});?"
    r"|\\{1,4}(?=[^\w\\])"
)


def _letter(escape: re.Match[str]) -> str:
    digits = escape[1] or escape[2] or escape[3]
    return chr(int(digits, 16)) if digits else chr(int(escape[4])) if escape[4] else ""


def _any_writing(letter: str) -> str:
    """A pattern for a character as it is, percent-encoded (also twice), escaped as in JSON, or as an HTML entity."""
    code = ord(letter)
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{code:02x}")
    slashes = r"\\{1,4}"  # never without a bound: a reply of nothing but backslashes must not take hours
    entity = rf"&#(?:0{{0,4}}{code}|[xX]0{{0,4}}{digits});?"
    ways = [re.escape(letter), rf"%(?:25){{0,3}}{digits}", rf"{slashes}(?:u00|x){digits}", entity]
    if not letter.isalnum():
        ways.append(rf"{slashes}{re.escape(letter)}")
    return f"(?:{'|'.join(ways)})"


_known: _Secrets | None = None


def _secrets() -> _Secrets:
    """The keys of this process; those that the environment seems to hold are known from the first use on."""
    global _known
    if _known is None:
        _known = _Secrets(filter(None, map(_guessed, os.environ.items())))
    return _known


def _guessed(variable: tuple[str, str]) -> str | None:
    """The value of a variable that by its name and looks is a key: a worker has it too, and may repeat it."""
    name, value = variable[0], variable[1].strip()
    if not _SECRET_WORDS & set(name.upper().split("_")) or len(value) < SHORTEST_GUESS:
        return None
    return value if value.isascii() and value.isprintable() and not {" ", "/"} & set(value[:1] + value[-1:]) else None
