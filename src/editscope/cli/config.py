"""Options of `editscope run` from a TOML file; what is given on the command line wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from editscope.cli.suite_options import DEFAULTS, default_text, known_options
from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput, unknown
from editscope.files import SETTINGS, read_file

SECRET = frozenset(("key", "keys", "token", "secret", "password", "auth", "apikey", "credentials"))
VARIABLES = {
    "openai": "OPENAI_API_KEY",
    "chat": "OPENAI_API_KEY",
    "responses": "OPENAI_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "bfl": "BFL_API_KEY",
    "ark": "ARK_API_KEY",
}
NOT_HERE = ("config", "help")


def read(context: typer.Context, path: Path | None) -> Path | None:
    """Take the values of a file as defaults of the command that is called: the callback of --config."""
    if path is not None:
        known = {str(option.name): option for option in context.command.params if option.name not in NOT_HERE}
        lists = {name for name, option in known.items() if option.multiple}
        suite_options = known_options()
        chosen = options(
            path, (*known, *(name for name in suite_options if name not in known)), lists | set(suite_options)
        )
        context.default_map = {name: value for name, value in chosen.items() if name in known}
        context.meta[DEFAULTS] = {name: default_text(value) for name, value in chosen.items() if name not in known}
    return path


def options(path: Path, known: Sequence[str], lists: set[str] | frozenset[str] = frozenset()) -> dict[str, Any]:
    """The options that a TOML file holds, by the names of the command line in snake_case.

    ``[editor]`` and ``[judge]`` may be tables: ``spec`` and the options of it. ``where`` may be a table of tags.
    ``lists`` are options that may be given several times.
    """
    values: dict[str, Any] = {}
    for name, value in _parsed(path).items():
        if name not in known:
            _no_secret(path, name, "")
            raise unknown("option", name, known, of=f"run in {path}")
        if name in ("editor", "judge"):
            specs = [_spec(path, name, one) for one in (value if isinstance(value, list) else [value])]
            value = specs if len(specs) > 1 or name in lists else specs[0]
        elif name == "where":
            value = _where(path, value)
        values[name] = _plain(path, name, value, name in lists)
    return values


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return read_toml(read_file(path, SETTINGS).decode("utf-8-sig"))
    except OSError as error:
        raise BadInput(f"--config {path} cannot be read ({error.strerror})") from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"--config {path} is not TOML ({error})") from error


def _spec(path: Path, what: str, value: Any) -> str:
    """A spec from a string, or from a table with ``spec`` and options that are added to it."""
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise BadInput(f"{what} in {path} is a {_kind(value)}; write a spec, or a table with spec and its options")
    table = dict(value)
    spec = table.pop("spec", None)
    if not isinstance(spec, str):
        raise BadInput(f'[{what}] in {path} has no spec, such as spec = "openai:MODEL"')
    for name, option in table.items():
        _no_secret(path, name, spec)
        if not isinstance(option, str | int | float):
            raise BadInput(f"{what}.{name} in {path} is a {_kind(option)}; write a text, a number, true or false")
    return _with_options(spec, table) if what == "editor" else _judge_with(spec, table)


def _with_options(spec: str, said: Mapping[str, Any]) -> str:
    """An editor spec with more options; of wrapped editors the innermost gets them."""
    from dataclasses import replace

    from editscope.editors.spec import EditorSpec, parse_spec

    def added(one: EditorSpec) -> EditorSpec:
        if one.inner is None:
            return replace(one, options={**one.options, **said})
        inner = added(one.inner)
        return replace(one, inner=inner, target=str(inner))

    return str(added(parse_spec(spec))) if said else spec


def _judge_with(spec: str, said: Mapping[str, Any]) -> str:
    from urllib.parse import urlencode

    written = {name: str(value).lower() if isinstance(value, bool) else value for name, value in said.items()}
    more = urlencode(written, safe=":/,")
    return spec + ("" if not more else f"&{more}" if "?" in spec else f"?{more}")


def _where(path: Path, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    filters = []
    for tag, values in value.items():
        listed = values if isinstance(values, list) else [values]
        filters.append(f"{tag}={','.join(str(_plain(path, f'where.{tag}', one, False)) for one in listed)}")
    return filters


def _plain(path: Path, name: str, value: Any, several: bool) -> Any:
    """A value as the command line has it; BadInput for one that it could not have."""
    if isinstance(value, list) and several:
        return [str(_plain(path, name, one, False)) for one in value]
    if not isinstance(value, str | int | float):
        wanted = "a text, a number, true or false" + (", or a list of them" if several else "")
        raise BadInput(f"{name} in {path} is a {_kind(value)}; write {wanted}")
    return [str(value)] if several else value


def _no_secret(path: Path, name: str, spec: str) -> None:
    """Keys come from the environment only. The value is not repeated."""
    if name == "key_env" or not SECRET & set(name.lower().replace("-", "_").split("_")):
        return
    kind = next((kind for kind in VARIABLES if f"{kind}:" in spec or name.lower().startswith(kind)), None)
    variable = VARIABLES[kind] if kind else "OPENAI_API_KEY, GEMINI_API_KEY, BFL_API_KEY or ARK_API_KEY"
    raise BadInput(
        f"{path} holds {name!r}, but keys do not belong in a file: remove it and set the variable {variable}, "
        "or another one that key_env names"
    )


def _kind(value: Any) -> str:
    names = {"dict": "table", "bool": "truth value", "int": "number", "float": "number"}
    return names.get(type(value).__name__, type(value).__name__)
