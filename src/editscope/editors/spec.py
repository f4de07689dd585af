"""Grammar of editor specs: ``kind:target?key=value``, and wrappers around it as ``wrapper(arguments):SPEC``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING
from editscope.editors.kinds import BUILT_IN, KINDS, WRAPPERS
from editscope.errors import BadInput
from editscope.python_class import spec_of_file
from editscope.specs import Spec, escaped, read_option, read_value, split_options, split_spec, write_option
from editscope.transport.keys import no_secret

ADDRESSES = tuple(name for name, kind in BUILT_IN.items() if kind.target_is_address)
"""Kinds whose target is the whole address, its own ``?query`` included; their options follow a ``#``."""

EXAMPLE = "such as ref:identity, folder:PATH or best_of(4, by=miou):openai:gpt-image-1?quality=high"
MODELS = {prefix: kind.name for kind in KINDS for prefix in kind.model_prefixes}
"""How the names of hosted models begin, for somebody who gives nothing else."""
PLACES = tuple(kind.name for kind in KINDS if kind.target_is_path)
PATHS = ("prompt", "lora", "network", "cwd")
"""Kinds whose target, and options whose value, may be a path."""
ALONE = tuple(kind.name for kind in KINDS if kind.target_optional)
"""Kinds that need no target."""
OPENING, CLOSING = "([{", ")]}"

_NAME = re.compile(r"[A-Za-z][\w.-]*")
_OPTION = re.compile(r"\s*([A-Za-z_]\w*)\s*=")


@dataclass(frozen=True, slots=True)
class EditorSpec(Spec):
    """An editor spec, taken apart. A wrapper has ``args`` beside its options, and the spec ``inner`` in its target."""

    options: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    args: tuple[Any, ...] = ()
    inner: EditorSpec | None = None

    @property
    def chain(self) -> tuple[EditorSpec, ...]:
        """The wrappers from the outside in, and last the editor that they are around."""
        return (self,) if self.inner is None else (self, *self.inner.chain)

    def __str__(self) -> str:
        if self.inner is not None:
            listed = [_argument(value) for value in self.args]
            listed += [f"{key}={_argument(value)}" for key, value in sorted(self.options.items())]
            return self.kind + (f"({', '.join(listed)})" if listed else "") + f":{self.inner}"
        options = "&".join(f"{escaped(key, '=')}={write_option(value)}" for key, value in sorted(self.options.items()))
        if self.kind in ADDRESSES:
            return self.target + (f"#{options}" if options else "")
        alone = not self.target and self.kind in ALONE
        target = "" if alone else f":{_mark_escaped(self.target)}"
        return f"{self.kind}{target}" + (f"?{options}" if options else "")


def parse_spec(text: str) -> EditorSpec:
    """Take an editor spec apart; numbers and true/false in options are read as such.

    >>> parse_spec("ref:noise?strength=2")
    EditorSpec(kind='ref', target='noise', options={'strength': 2}, args=(), inner=None)
    >>> found = parse_spec("best_of(4, by=miou):rewrite(judge=openai:gpt-4o?seed=1):openai:gpt-image-1?quality=high")
    >>> [(one.kind, one.args, dict(one.options)) for one in found.chain]
    [('best_of', (4,), {'by': 'miou'}), ('rewrite', (), {'judge': 'openai:gpt-4o?seed=1'}), \
('openai', (), {'quality': 'high'})]
    """
    text = text.strip()
    name = _NAME.match(text)
    kind = name[0] if name else ""
    after = text[len(kind) :]
    if kind and after.startswith("("):
        return _wrapped(text, kind, after)
    if kind in WRAPPERS and after.startswith(":"):
        return EditorSpec(kind, *_inside(text, kind, after[1:]))
    if kind in ADDRESSES and after.startswith("://"):
        return _address(text, kind)
    if kind in ADDRESSES and after.startswith(":"):
        raise BadInput(f"editor {text!r} is not an address, such as {kind}://127.0.0.1:8000/edit")
    kind, target, query = split_spec(text)
    body = text.partition("?")[0]
    if kind in ALONE and not (target or "").strip():
        return EditorSpec(kind, "", _options(kind, query))
    if target is None:
        raise BadInput(f"editor {body!r} is not of the form kind:target; {_meant(body)}")
    if not target.strip():
        raise BadInput(f"editor {body!r} has no target after {kind}:, {_example(kind)}")
    return EditorSpec(kind, _mark_read(target), _options(f"{kind}:{target}", query))


def rooted(text: str) -> str:
    """The spec with its relative paths made absolute where they lead somewhere, so that it means the same anywhere.

    Those are the targets of ``folder:`` and ``diffusers:`` and options that name files. Other specs stay as written.
    """
    spec = parse_spec(text)
    absolute = _rooted(spec)
    return text if absolute == spec else str(absolute)


def _rooted(spec: EditorSpec) -> EditorSpec:
    options = {key: _all_absolute(value) if key in PATHS else value for key, value in spec.options.items()}
    if spec.inner is not None:
        inner = _rooted(spec.inner)
        return replace(spec, options=options, inner=inner, target=str(inner))
    return replace(spec, options=options, target=_absolute(spec.target) if spec.kind in PLACES else spec.target)


def _all_absolute(paths: Any) -> Any:
    """A path, or several with commas between as LoRA weights are given."""
    whole = _absolute(paths)
    if whole != paths or not isinstance(paths, str):
        return whole
    return ",".join(_absolute(path.strip()) for path in paths.split(",")) if "," in paths else paths


def _absolute(path: Any) -> Any:
    try:
        return str(Path(path).resolve()) if isinstance(path, str) and path and Path(path).exists() else path
    except (OSError, ValueError):  # no path at all
        return path


def _wrapped(text: str, kind: str, after: str) -> EditorSpec:
    end = _closing(after)
    if end is None:
        raise BadInput(f"editor {text!r} has a parenthesis that is not closed; write {kind}(…):SPEC, {EXAMPLE}")
    if kind not in WRAPPERS and (":" in after[end:] or not after[end + 1 :]):
        from editscope.editors.registry import unknown_wrapper

        raise unknown_wrapper(kind)
    if not after[end + 1 :].startswith(":"):
        raise BadInput(f"editor {text!r} has no :SPEC after {kind}(…), {EXAMPLE}")
    args, options = _arguments(text, kind, after[1:end])
    target, _, _, inner = _inside(text, kind, after[end + 2 :])
    return EditorSpec(kind, target, options, args, inner)


def _inside(text: str, kind: str, rest: str) -> tuple[str, Mapping[str, Any], tuple[Any, ...], EditorSpec]:
    """Target, options, arguments and inner spec of a wrapper that says nothing in parentheses."""
    if not rest.strip():
        raise BadInput(f"editor {text!r} names no editor after {kind}:, {EXAMPLE}")
    try:
        inner = parse_spec(rest)
    except RecursionError:
        raise BadInput(f"editor {text[:60]!r}… has too many wrappers") from None
    return str(inner), {}, (), inner


def _address(text: str, kind: str) -> EditorSpec:
    target, _, options = text.partition("#")
    host = re.split(r"[/?]", target.removeprefix(f"{kind}://"), maxsplit=1)[0]
    if "@" in host:
        raise BadInput(f"the address of an editor at {host.rpartition('@')[2]} holds a name or password; take it out")
    if not host:
        raise BadInput(f"editor {text!r} names no host, such as {kind}://127.0.0.1:8000/edit")
    return EditorSpec(kind, target, _options(target, options, "#"))


def _options(body: str, query: str, mark: str = "?") -> dict[str, Any]:
    """The options of a spec, read as numbers and truth values where they are such."""
    hint = "" if mark == "#" else " (a ? of the target itself is written %3F)"
    options = split_options(f"editor {body!r}", query, mark, hint)
    for name, value in options.items():
        _no_secret(body, name, value)
    return {name: read_option(value) for name, value in options.items()}


def _no_secret(body: str, name: str, value: str) -> None:
    """Raise BadInput for an option that would hold a key; those of an own class may be called anything."""
    if not body.startswith("python:"):
        no_secret(f"editor {body!r}", name, value)


def _arguments(text: str, kind: str, listed: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    args: list[Any] = []
    options: dict[str, Any] = {}
    for part in _split(listed):
        named = _OPTION.match(part)
        if named is None and options:
            raise BadInput(f"editor {text!r}: in {kind}(…) {part.strip()!r} comes after key=value; put it first")
        if named is None:
            args.append(_value(part))
        elif named[1] in options:
            raise BadInput(f"editor {text!r} has {named[1]!r} twice in {kind}(…)")
        else:
            value = _value(part[named.end() :])
            _no_secret(kind, named[1], value)
            options[named[1]] = value
    return tuple(args), options


def _scan(text: str) -> Iterator[tuple[int, str, int]]:
    """Position, sign and depth of every sign outside of double quotes."""
    depth, quoted, skip = 0, False, False
    for place, sign in enumerate(text):
        if skip:
            skip = False
        elif quoted:
            skip, quoted = sign == "\\", sign != '"'
        elif sign == '"':
            quoted = True
        else:
            depth += (sign in OPENING) - (sign in CLOSING)
            yield place, sign, depth


def _closing(text: str) -> int | None:
    """Where the parenthesis with which the text begins is closed."""
    return next((place for place, _, depth in _scan(text) if depth == 0), None)


def _split(listed: str) -> list[str]:
    """The arguments between commas that stand in no parenthesis and in no quotes."""
    cuts = [place for place, sign, depth in _scan(listed) if sign == "," and depth == 0]
    parts = [listed[a + 1 : b] for a, b in zip([-1, *cuts], [*cuts, len(listed)], strict=True)]
    return parts if listed.strip() else []


def _value(text: str) -> Any:
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] == '"':
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    return read_value(text)


def _argument(value: Any) -> str:
    """A value as it stands in parentheses; in quotes where it would be taken for something else."""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    plain = value == value.strip() and value and not isinstance(read_value(value), int | float)
    if plain and '"' not in value and _OPTION.match(value) is None and _stands_alone(value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def _stands_alone(value: str) -> bool:
    """Whether parentheses are balanced and every comma is inside of one."""
    depth = 0
    for _, sign, depth in _scan(value):
        if depth < 0 or (sign == "," and depth == 0):
            return False
    return depth == 0


def _mark_escaped(target: str) -> str:
    """A target with its own ? as %3F, which ``_mark_read`` takes back."""
    return re.sub(r"%(?=3F|25)", "%25", target).replace("?", "%3F")


def _mark_read(target: str) -> str:
    return re.sub(r"%(3F|25)", lambda match: {"3F": "?", "25": "%"}[match[1]], target)


def _meant(text: str) -> str:
    """What somebody who gave no kind may have meant."""
    if not text:
        return EXAMPLE
    path = Path(text)
    try:
        if (path / "model_index.json").is_file():
            return f"did you mean diffusers:{text}?"
        if path.is_dir():
            return f"did you mean folder:{text}?"
        if path.suffix == ".py":
            own = spec_of_file(text) or f"python:{path.stem}:CLASS"
            return f"did you mean {own}, or worker:python {text} for a script of its own?"
        if path.is_file() and path.suffix.lower() in (".safetensors", ".ckpt", ".bin", ".pt"):
            return f"a file of weights belongs to a pipeline: diffusers:DIR, or diffusers:DIR?lora={text}"
    except OSError:  # too long for a path, or not to be looked at
        pass
    if own := spec_of_file(text) or spec_of_file(":".join(text.rsplit(".", 1))):
        return f"did you mean {own}?"
    if text in WRAPPERS:
        return f"{text} stands before another editor, as in {text}:openai:gpt-image-1"
    if (kind := _near(text)) is not None:
        return f"write what it is to use after {kind}:, {_example(kind)}"
    kind = next((kind for begins, kind in MODELS.items() if text.startswith(begins)), None)
    return EXAMPLE if kind is None else f"did you mean {kind}:{text}?"


def _near(text: str) -> str | None:
    """The kind of editor that somebody named who named nothing else, or nearly so."""
    from editscope.editors.registry import editor_kinds

    near = difflib.get_close_matches(text, [kind for kind in editor_kinds() if kind not in ADDRESSES], 1, 0.75)
    return near[0] if near else None


def _example(kind: str) -> str:
    """An example of a kind, for a sentence."""
    known = BUILT_IN.get(kind) or WRAPPERS.get(kind)
    return EXAMPLE if known is None else f"such as {known.example}"
