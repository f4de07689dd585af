"""Identity of an editor in run.json: its spec, or for an object from Python its class and settings; and its code."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import weakref
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any

from editscope.editors import Editor, parse_spec
from editscope.editors.spec import rooted
from editscope.outside import redacted, repaired
from editscope.runs.editor_code import code_of
from editscope.transport.keys import is_secret

NOT_SETTINGS = frozenset(
    ("name", "workers", "at_once", "batch", "gpu", "own_clock", "budget_account", "last_cost", "reserves")
)
"""Attributes of every editor that do not decide what an edit looks like; the name is compared by itself."""
LONGEST_TEXT = 200
"""Characters of a text that run.json holds as it is; of a longer one it holds a hash."""
LONGEST_VALUE = 1000
"""The same for a list or a dict, as JSON."""
DEEPEST = 8
"""Levels of lists and dicts; what is nested deeper, or holds itself, is not a setting."""
MORE_SECRETS = frozenset(("keys", "apikey", "passwd", "credential", "credentials"))
_LIKE_A_KEY = re.compile(
    r"(?:sk-|pk-|hf_|gh[a-z]_|github_|xai-|r8_|AIza|AKIA|Bearer ).{8,}|(?=.*\d)[A-Za-z0-9+/=]{32,}|"
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)


def editor_info(editor: Editor, spec: str | None) -> dict[str, Any]:
    """What run.json says of an editor. ``spec`` is what the user wrote; None for an object from Python."""
    if spec is not None:
        spec = rooted(spec)  # so that the run can be resumed from anywhere
    info: dict[str, Any] = {
        "spec": spec,
        "name": editor.name or type(editor).__name__,
        "options": {} if spec is None else dict(parse_spec(spec).options),
        "cwd": str(Path.cwd()),
    }
    if editor.trained_on:
        info["trained_on"] = editor.trained_on
    if spec is None:
        info["settings"] = settings_at_start(editor)
    code = code_of(editor)
    return info if code is None else {**info, "code": [code.to_json()]}


class NotASetting(Exception):
    """A value that is not made of texts, numbers and the like."""


def settings_of(editor: Editor) -> dict[str, Any]:
    """The simple attributes of an editor, by name: texts, numbers, flags, paths, and lists and dicts of these.

    Left out are private attributes (``_name``), those that hold a key, and what a run may change when it goes on, such
    as ``workers``. Of a long text there is a hash. The settings of an editor inside, or of a dataclass, are a dict.
    """
    settings = {}
    for name, value in vars(editor).items():
        if name in NOT_SETTINGS or _is_private(name):
            continue
        try:
            settings[name] = _simple(value)
        except NotASetting:
            continue
    return settings


def _is_private(name: str) -> bool:
    words = re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()
    return name.startswith("_") or is_secret(words) or bool(MORE_SECRETS & set(words.split("_")))


def _simple(value: Any, depth: int = 0) -> Any:
    """A value as run.json holds it; NotASetting for one that it does not."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < 2**53 else str(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, str | PurePath):
        return _text(str(value))
    if depth > DEEPEST:
        raise NotASetting
    if isinstance(value, Editor):
        return {"class": type(value).__name__, **settings_of(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        named = {key if isinstance(key, str) else repr(_simple(key, DEEPEST)): one for key, one in value.items()}
        return _short({name: _simple(one, depth + 1) for name, one in named.items() if not _is_private(name)})
    if isinstance(value, list | tuple):
        return _short([_simple(one, depth + 1) for one in value])
    raise NotASetting


def _text(text: str) -> str:
    text = repaired(text)
    if redacted(text) != text:
        raise NotASetting
    if len(text) > LONGEST_TEXT or _LIKE_A_KEY.fullmatch(text):
        return f"[{len(text):,} characters, hash {_hash(text)}]"
    return text


def _short(value: Any) -> Any:
    text = json.dumps(value, sort_keys=True)
    return value if len(text) <= LONGEST_VALUE else f"[{len(value):,} entries, hash {_hash(text)}]"


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


# --- an object that has worked --------------------------------------------------------------------------------

_MISSING = object()


@dataclasses.dataclass(eq=False)
class _Used:
    """The settings of an object when its run began, and those that have changed while it worked."""

    editor: weakref.ref[Editor]
    began: dict[str, Any]
    worked: dict[str, Any] = dataclasses.field(default_factory=dict)


_used: dict[int, _Used] = {}


def settings_at_start(editor: Editor) -> dict[str, Any]:
    """The settings of an object as a run is to record them.

    A counter that the editor has changed while it worked has the value that it had before, so that the same object
    can go on with its run. What was set in between counts.
    """
    now, used = settings_of(editor), _used.get(id(editor))
    known = used is not None and used.editor() is editor
    if used is not None and known:
        for name, value in used.worked.items():
            if now.get(name, _MISSING) == value:
                now.pop(name, None)
                now |= {name: used.began[name]} if name in used.began else {}
        used.began = now
    else:
        key = id(editor)
        _used[key] = _Used(weakref.ref(editor, lambda _: _used.pop(key, None)), now)
    return now


def has_worked(editor: Editor) -> None:
    """Note which settings of an object its run has changed."""
    used = _used.get(id(editor))
    if used is None or used.editor() is not editor:
        return
    now = settings_of(editor)
    used.worked = {
        name: now.get(name, _MISSING)
        for name in {*now, *used.began}
        if now.get(name, _MISSING) != used.began.get(name, _MISSING)
    }


# --- what differs ---------------------------------------------------------------------------------------------


def settings_apart(there: Mapping[str, Any], asked: Mapping[str, Any]) -> tuple[str, str] | None:
    """The settings in which two editors of run.json differ, of either in words; None where they do not.

    A setting that only one of them has counts where both have the same code: a class that was mended may have more.
    """
    if "settings" not in there or "settings" not in asked:  # a spec says all, and older versions recorded none
        return None
    old, new = dict(_flat(there["settings"])), dict(_flat(asked["settings"]))
    known = {version["hash"] for version in there.get("code", ())}
    same_code = any(version["hash"] in known for version in asked.get("code", ()))
    names = [
        name
        for name in dict.fromkeys([*old, *new])
        if old.get(name, _MISSING) != new.get(name, _MISSING) and (same_code or (name in old and name in new))
    ]
    return (_listed(names, old), _listed(names, new)) if names else None


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _listed(names: list[str], settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={_brief(settings[name])}" if name in settings else f"no {name}" for name in names)


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"
