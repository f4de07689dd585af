"""Editors by spec: which kinds there are, and the editor that a spec names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from editscope.editors.base import Editor
from editscope.editors.spec import WRAPPERS, Spec, parse_spec
from editscope.errors import BadInput, EditscopeError, unknown

__all__ = ["BUILT_IN", "GROUP", "Spec", "editor_kinds", "editor_of", "load_editor", "parse_spec", "unknown_wrapper"]

GROUP = "editscope.editors"
"""Other packages register a kind of editor here: a callable that takes the target and the options."""

BUILT_IN = {
    "ref": "editscope.editors.reference:load",
    "folder": "editscope.editors.folder:load",
    "python": "editscope.editors.python_class:load",
    "openai": "editscope.editors.hosted.vendors.openai_images:load",
    "gemini": "editscope.editors.hosted.vendors.gemini:load",
    "bfl": "editscope.editors.hosted.vendors.bfl:load",
    "ark": "editscope.editors.hosted.vendors.ark:load",
    "chat": "editscope.editors.hosted.vendors.chat_images:load",
    "diffusers": "editscope.editors.diffusion:load",
    "worker": "editscope.editors.worker:load",
    "http": "editscope.editors.http:load",
    "https": "editscope.editors.http:load",
}
"""Each is called as ``load(target, **options)``; the target of http and https is the whole address."""


def editor_kinds() -> tuple[str, ...]:
    """The kinds of editors that are installed, without the wrappers."""
    return tuple(sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))}))


def load_editor(text: str) -> Editor:
    """The editor that a spec names, constructed but not loaded."""
    return editor_of(parse_spec(text))


def editor_of(spec: Spec) -> Editor:
    """The editor of a spec that is taken apart already; a wrapper gets the editor inside first."""
    load = _loader(spec)
    _check_options(spec, load)
    if spec.inner is not None:
        editor = load(editor_of(spec.inner), *spec.args, **spec.options)
    else:
        editor = load(spec.target, **spec.options)
    if not isinstance(editor, Editor):
        raise BadInput(f"editor {str(spec)!r} gave a {type(editor).__name__}, not an editscope.Editor")
    return editor


def unknown_wrapper(name: str) -> BadInput:
    """The error for ``name(…):SPEC`` where no wrapper is called so."""
    if name in editor_kinds():
        return BadInput(
            f"{name} is no wrapper and takes no parentheses; its options follow a ?, as in {name}:TARGET?key=value"
        )
    return unknown("wrapper of editors", name, WRAPPERS)


def _loader(spec: Spec) -> Callable[..., Any]:
    kind = spec.kind
    place = WRAPPERS.get(kind) if spec.inner is not None else BUILT_IN.get(kind)
    if place is not None:
        return _imported(kind, place)
    points = {point.name: point for point in entry_points(group=GROUP)}
    if kind not in points:
        raise unknown("kind of editor", kind, {*editor_kinds(), *WRAPPERS})
    try:
        return points[kind].load()  # type: ignore[no-any-return]
    except Exception as error:
        raise BadInput(
            f"editors of kind {kind!r} are registered as {points[kind].value} but cannot be imported "
            f"({type(error).__name__}: {error}); install or remove that package"
        ) from error


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


def _check_options(spec: Spec, load: Callable[..., Any]) -> None:
    """Raise BadInput for an option that the loader does not take, where its signature says what it takes."""
    try:
        signature = inspect.signature(load)
    except (TypeError, ValueError):  # a callable that says nothing of itself
        return
    parameters = signature.parameters
    if any(one.kind is one.VAR_KEYWORD for one in parameters.values()):
        return
    known = [name for name, one in parameters.items() if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)]
    what = f"option of {spec.kind}(…)" if spec.inner is not None else f"option of editors of kind {spec.kind}"
    for name in spec.options:
        if name not in known[1:]:
            raise unknown(what, name, known[1:])
    try:
        signature.bind(spec.target, *spec.args, **spec.options)
    except TypeError as error:  # too many arguments, or one that is given twice
        shown = f"`editscope editors {spec.kind}` shows what there is"
        raise BadInput(f"{spec.kind}(…) takes other arguments ({error}); {shown}") from None
