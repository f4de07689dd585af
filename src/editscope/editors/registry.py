"""Registry of editors: which kinds there are, and the editor that a spec names."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

from editscope.call_options import check_options
from editscope.editors.base import Editor, check_attributes
from editscope.editors.kinds import BUILT_IN, WRAPPERS, EditorKind, registered
from editscope.editors.spec import EditorSpec, parse_spec
from editscope.errors import BadInput, EditscopeError, unknown
from editscope.outside import kind_of
from editscope.plugins import load_registered, one_sentence
from editscope.python_class import KIND, find_class, spec_of_file

__all__ = ["EditorSpec", "check_spec", "editor_kinds", "editor_of", "load_editor", "parse_spec", "unknown_wrapper"]

_CLASS = re.compile(r"[a-z_]\w*(\.\w+)*:[A-Z]\w*")
"""What looks like a module and a class in it."""


def editor_kinds() -> tuple[str, ...]:
    """The kinds of editors that are installed, without the wrappers."""
    return tuple(sorted({*BUILT_IN, *registered()}))


def load_editor(text: str) -> Editor:
    """The editor that a spec names, constructed but not loaded."""
    return editor_of(parse_spec(text))


def editor_of(spec: EditorSpec) -> Editor:
    """The editor of a spec that is taken apart already; a wrapper gets the editor inside first."""
    load = _loader(spec)
    _check_options(spec, load)
    if spec.inner is not None:
        editor = load(editor_of(spec.inner), *spec.args, **spec.options)
    else:
        editor = _constructed(spec, load)
    if not isinstance(editor, Editor):
        raise BadInput(f"editor {str(spec)!r} returned {kind_of(editor)}, not an editscope.Editor")
    if not editor.name:
        editor.name = str(spec)
    check_attributes(editor, f"editor {spec}")
    return editor


def check_spec(spec: EditorSpec) -> None:
    """Raise BadInput for what is wrong with a spec and its options; constructs no class of the user's.

    For a spec whose paths are not there yet, such as those of checkpoints to come.
    """
    load = _loader(spec)
    _check_options(spec, load)
    if spec.inner is not None:
        check_spec(spec.inner)
        load(Editor(), *spec.args, **spec.options)
    elif spec.kind == KIND:
        find_class("editor", spec.target, spec.options)
    elif spec.kind in BUILT_IN:
        load(spec.target, **spec.options)


def unknown_wrapper(name: str) -> BadInput:
    """The error for ``name(…):SPEC`` where no wrapper is called so."""
    if name in editor_kinds():
        return BadInput(
            f"{name} is not a wrapper and takes no parentheses; its options follow a ?, as in {name}:TARGET?key=value"
        )
    return unknown("wrapper of editors", name, WRAPPERS)


def _loader(spec: EditorSpec) -> Callable[..., Any]:
    kind = WRAPPERS.get(spec.kind) if spec.inner is not None else BUILT_IN.get(spec.kind)
    if kind is not None:
        return _imported(spec.kind, kind.loader)
    plugins = registered()
    if spec.kind not in plugins:
        raise _unknown_kind(spec)
    point = plugins[spec.kind]
    declared: EditorKind | Callable[..., Any] = load_registered("editors of kind", point)
    return _imported(spec.kind, declared.loader) if isinstance(declared, EditorKind) else declared


def _unknown_kind(spec: EditorSpec) -> BadInput:
    """The error for a kind that does not exist; with the spec of a class of the user's where it names one."""
    known = {*editor_kinds(), *WRAPPERS}
    own = spec_of_file(f"{spec.kind}:{spec.target}")
    near = difflib.get_close_matches(spec.kind, known, n=1, cutoff=0.5)
    if not own and not near and _CLASS.fullmatch(f"{spec.kind}:{spec.target}"):
        own = f"{KIND}:{spec.kind}:{spec.target}"
    if not own:
        return unknown("kind of editor", spec.kind, known)
    meant = replace(spec, kind=KIND, target=own.partition(":")[2])
    return BadInput(f"there is no kind of editor {spec.kind!r}; did you mean {meant}? (a class of your own)")


def _constructed(spec: EditorSpec, load: Callable[..., Any]) -> Any:
    """What the loader of a kind makes; BadInput, in one line, where that of another package raises."""
    if spec.kind in BUILT_IN:
        return load(spec.target, **spec.options)
    with one_sentence(f"editor {spec.kind}:{spec.target} could not be constructed"):
        return load(spec.target, **spec.options)


def _imported(kind: str, place: str) -> Callable[..., Any]:
    module, _, function = place.partition(":")
    try:
        return getattr(import_module(module), function)  # type: ignore[no-any-return]
    except EditscopeError:
        raise
    except ImportError as error:
        needs = f" needs {error.name}" if error.name and not error.name.startswith("editscope") else ""
        raise BadInput(
            f"editors of kind {kind!r} cannot be used here:{needs or f' {error}'}; `editscope editors {kind}` says "
            "what to install"
        ) from error


def _check_options(spec: EditorSpec, load: Callable[..., Any]) -> None:
    """Raise BadInput for an option that the loader does not take, where its signature says what it takes."""
    owner = f"{spec.kind}(…)" if spec.inner is not None else f"editors of kind {spec.kind}"
    where = f"{spec.kind}(…)" if spec.inner is not None else f"editor {spec.kind}:{spec.target}"
    check_options(owner, where, load, spec.options, first=1)
    try:
        signature = inspect.signature(load)
    except (TypeError, ValueError):  # a callable that says nothing of itself
        return
    if any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values()):
        return
    try:
        signature.bind(spec.target, *spec.args, **spec.options)
    except TypeError as error:  # too many arguments, or one that is given twice
        shown = f"`editscope editors {spec.kind}` shows what there is"
        raise BadInput(f"{spec.kind}(…) takes other arguments ({error}); {shown}") from None
