"""Kinds of editors: one record for each, with how it is written, what it needs, and where its loader is.

The registry, ``editscope editors``, ``editscope doctor`` and error messages all read this table.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from typing import Any

from editscope import plugins
from editscope.cases import NOTHING
from editscope.errors import BadInput, unknown

GROUP = "editscope.editors"
"""The entry points with which other packages register a kind: a callable that takes the target and the options, or
an ``EditorKind`` that names one."""

HOSTED = ("aiohttp", "orjson")
LOCAL = ("torch", "diffusers", "transformers")


@dataclass(frozen=True, slots=True)
class EditorKind:
    """One kind of editor, or one wrapper around editors.

    ``loader`` is a function as ``module:function``, imported when it is needed. An editor's is called with the target
    and the options of the spec, a wrapper's with the editor inside, the arguments and the options. ``options_in`` is
    where its options are declared, as ``module:NAME`` of a mapping or of a class with ``options``; ``options`` are
    those that it has besides. ``targets_in`` is a function as ``module:function`` that gives its targets, where they
    are few, each with a sentence. ``packages`` are modules that must be importable, and ``extra`` installs them.
    ``key_env`` is the variable with the key, which is optional unless ``key_needed``. ``page`` is its page in the
    documentation.
    """

    name: str
    title: str
    example: str
    page: str = ""
    loader: str = ""
    options_in: str = ""
    targets_in: str = ""
    options: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    wrapper: bool = False
    aliases: tuple[str, ...] = ()
    extra: str = ""
    packages: tuple[str, ...] = ()
    checked_by: str = ""
    """A function as ``module:function`` that says what is wrong with the files that ship for it."""
    key_env: str = ""
    key_needed: bool = True
    gpu: bool = False
    target_is_path: bool = False
    """Whether the target may be a path, which a run makes absolute."""
    target_optional: bool = False
    """Whether the name of the kind alone is a spec."""
    target_is_address: bool = False
    """Whether the whole spec is an address, with options after a ``#``."""
    model_prefixes: tuple[str, ...] = ()
    """How the names of its models begin, for somebody who writes a model without a kind."""
    plugin: str = ""
    """The package that registered it; "" for a kind that ships with Editscope."""
    problem: str = ""
    """Why a plugin cannot be imported."""

    def missing(self, key_env: str = "", target: str = "") -> tuple[str, ...]:
        """What keeps it from running here, each with the fix.

        ``key_env`` is another variable than the usual one, ``target`` what is used in place of the files that ship.
        """
        reasons = [self.problem] if self.problem else []
        lacking = [name for name in self.packages if not importable(name)]
        if lacking:
            fix = f"'editscope[{self.extra}]'" if self.extra else " ".join(lacking)
            reasons.append(f"{' and '.join(lacking)} not installed: pip install {fix}")
        if self.checked_by and not target:
            module, _, name = self.checked_by.partition(":")
            damage: str = getattr(import_module(module), name)()
            reasons += [damage] if damage else []
        variable = key_env or self.key_env
        if variable and self.key_needed and not os.environ.get(variable, "").strip():
            reasons.append(f"no key: set the variable {variable}")
        return tuple(reasons)

    def remarks(self) -> tuple[str, ...]:
        """What a user should know before it runs, though nothing is missing."""
        if not self.gpu:
            return ()
        from editscope.editors.gpus import gpu_count

        count = gpu_count()
        return (f"{count} GPU{'s' if count > 1 else ''} seen",) if count else ("no GPU seen: it will be slow",)

    def described_targets(self) -> dict[str, str]:
        """Its targets, each with what it does; none where anything can be one."""
        if not self.targets_in:
            return {}
        module, _, name = self.targets_in.partition(":")
        return dict(getattr(import_module(module), name)())

    def described_options(self) -> dict[str, str]:
        """Its options, each with what it takes."""
        if not self.options_in:
            return dict(self.options)
        module, _, name = self.options_in.partition(":")
        declared: Any = getattr(import_module(module), name)
        options: Mapping[str, Any] = declared if isinstance(declared, Mapping) else declared.options
        texts = {name: option if isinstance(option, str) else option.wants for name, option in options.items()}
        return {**texts, **self.options}


_ADDRESS = {"base_url": "the address of a compatible server", "key_env": "the variable with the key"}


def _hosted(name: str, title: str, example: str, page: str, service: str, key_env: str, **more: Any) -> EditorKind:
    """A kind behind a vendor's API; ``service`` is ``module:Class`` in ``hosted.vendors``."""
    place = f"editscope.editors.hosted.vendors.{service}"
    return EditorKind(
        name,
        title,
        example,
        page,
        loader=f"{place.partition(':')[0]}:load",
        options_in=place,
        options=_ADDRESS,
        extra="judge",
        packages=HOSTED,
        key_env=key_env,
        **more,
    )


def _wrapper(name: str, title: str, example: str, **more: Any) -> EditorKind:
    place = f"editscope.editors.wrappers.{name}"
    return EditorKind(
        name,
        title,
        example,
        "docs/wrappers.md",
        loader=f"{place}:load",
        options_in=f"{place}:OPTIONS",
        wrapper=True,
        **more,
    )


KINDS: tuple[EditorKind, ...] = (
    EditorKind(
        "ref",
        "reference editors, from perfect to useless, for trying things out",
        "ref:noise?strength=2",
        "docs/reference-editors.md",
        loader="editscope.editors.reference:load",
        options_in="editscope.editors.reference:OPTIONS",
        targets_in="editscope.editors.reference:names",
    ),
    EditorKind(
        "small",
        "a small network of ours for geometric pictures, on the processor; the weights ship with it",
        "small",
        "docs/small-editor.md",
        loader="editscope.editors.small.editor:load",
        extra="small",
        packages=("onnxruntime",),
        checked_by="editscope.editors.small.weights:weights_problem",
        target_is_path=True,
        target_optional=True,
    ),
    EditorKind(
        "folder",
        "edits that were made elsewhere, as files",
        "folder:my-outputs",
        "docs/getting-started.md",
        loader="editscope.editors.folder:load",
        target_is_path=True,
    ),
    EditorKind(
        "python",
        "a class of your own, in this process",
        "python:my_model:MyEditor?steps=30",
        "docs/own-editor.md",
        loader="editscope.editors.python_class:load",
        options_in="editscope.editors.python_class:OPTIONS",
    ),
    EditorKind(
        "diffusers",
        "a pipeline of the diffusers library, in this process",
        "diffusers:black-forest-labs/FLUX.1-Kontext-dev",
        "docs/diffusers.md",
        loader="editscope.editors.diffusion:load",
        options_in="editscope.editors.diffusion.options:OPTIONS",
        extra="local",
        packages=LOCAL,
        gpu=True,
        target_is_path=True,
    ),
    EditorKind(
        "worker",
        "a program of your own in its own environment, over pipes",
        "worker:env/bin/python my_worker.py?think=1",
        "docs/worker.md",
        loader="editscope.editors.worker:load",
        options_in="editscope.editors.worker.editor:OPTIONS",
        gpu=True,
    ),
    EditorKind(
        "http",
        "your own server, or `editscope serve-editor`; https too, options after a #",
        "http://127.0.0.1:8008#concurrency=4",
        "docs/http-editor.md",
        loader="editscope.editors.http:load",
        options_in="editscope.editors.http:OPTIONS",
        aliases=("https",),
        extra="judge",
        packages=HOSTED,
        target_is_address=True,
    ),
    _hosted(
        "openai",
        "OpenAI image edits (gpt-image-1, 1.5, 2)",
        "openai:gpt-image-1?quality=high",
        "docs/hosted-editors.md",
        "openai_images:OpenAIImages",
        "OPENAI_API_KEY",
        model_prefixes=("gpt-image",),
    ),
    _hosted(
        "gemini",
        "Google's Gemini image models (Nano Banana)",
        "gemini:gemini-2.5-flash-image",
        "docs/hosted-gemini.md",
        "gemini:GeminiImages",
        "GEMINI_API_KEY",
        model_prefixes=("gemini-",),
    ),
    _hosted(
        "bfl",
        "Black Forest Labs (FLUX.1 Kontext, FLUX.2)",
        "bfl:flux-kontext-pro",
        "docs/hosted-bfl.md",
        "bfl:BlackForest",
        "BFL_API_KEY",
        model_prefixes=("flux-",),
    ),
    _hosted(
        "ark",
        "Volcengine Ark (SeedEdit, Seedream)",
        "ark:doubao-seedream-4-0-250828",
        "docs/hosted-ark.md",
        "ark:Ark",
        "ARK_API_KEY",
        model_prefixes=("doubao-", "seed"),
    ),
    _hosted(
        "chat",
        "any OpenAI-compatible chat server that answers with pictures",
        "chat:MODEL?base_url=https://openrouter.ai/api/v1&key_env=OPENROUTER_API_KEY",
        "docs/hosted-editors.md",
        "chat_images:ChatImages",
        "OPENAI_API_KEY",
        key_needed=False,
    ),
    _wrapper(
        "rewrite",
        "a language model plans the edit or words the instruction anew",
        "rewrite(judge=openai:gpt-4o):openai:gpt-image-1",
        extra="judge",
        packages=HOSTED,
    ),
    _wrapper("best_of", "several edits, the best kept", "best_of(4, by=miou):diffusers:DIR"),
    _wrapper(
        "resize",
        "the editor sees another size, its output is mapped back",
        "resize(longest=1024):python:my_model:MyEditor",
    ),
    _wrapper(
        "join",
        "several pictures as one, for an editor that takes one",
        "join(row, gap=16):diffusers:DIR",
    ),
    _wrapper(
        "turns",
        "an instruction in steps, each on the last output",
        "turns(judge=openai:gpt-4o):gemini:gemini-2.5-flash-image",
    ),
)
"""The kinds that ship with Editscope, in the order in which they are listed."""

BUILT_IN: dict[str, EditorKind] = {
    name: kind for kind in KINDS if not kind.wrapper for name in (kind.name, *kind.aliases)
}
"""The editors among them, by every name that a spec may begin with."""

WRAPPERS: dict[str, EditorKind] = {kind.name: kind for kind in KINDS if kind.wrapper}
"""The wrappers among them."""


def importable(package: str) -> bool:
    """Whether a package is installed, looked up without importing it."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def registered() -> dict[str, EntryPoint]:
    """The kinds that other packages register, none of them imported. A name that ships with Editscope stays ours."""
    return plugins.registered(GROUP, BUILT_IN)


def all_kinds() -> tuple[EditorKind, ...]:
    """The kinds that ship, and after them those of other packages, which are imported to see what they declare."""
    return (*KINDS, *(plugin_kind(point) for point in registered().values()))


def editor_kind(name: str) -> EditorKind:
    """The kind of that name; BadInput with the nearest one where there is none."""
    if kind := BUILT_IN.get(name) or WRAPPERS.get(name):
        return kind
    plugins = registered()
    if name not in plugins:
        raise unknown("kind of editor", name, [*(kind.name for kind in KINDS), *plugins])
    return plugin_kind(plugins[name])


def plugin_kind(point: EntryPoint) -> EditorKind:
    """What a plugin declares: its own record, or else the docstring and the parameters of its callable."""
    package = plugins.package_of(point)
    unnamed = EditorKind(
        point.name, f"registered by {package}", f"{point.name}:TARGET", loader=point.value, plugin=package
    )
    try:
        declared = plugins.load_registered("editors of kind", point)
    except BadInput as error:
        return replace(unnamed, problem=str(error).partition(": ")[2])
    if isinstance(declared, EditorKind):
        return replace(declared, name=point.name, plugin=package)
    doc = (declared.__doc__ or "").strip().partition("\n")[0]
    return replace(unnamed, title=doc or unnamed.title, options=_parameters(declared))


def _parameters(load: Callable[..., Any]) -> dict[str, str]:
    """The options of a callable that takes the target first."""
    try:
        parameters = list(inspect.signature(load).parameters.values())[1:]
    except (TypeError, ValueError):  # a callable that says nothing of itself
        return {}
    options = {}
    for one in parameters:
        if one.kind is one.VAR_KEYWORD:
            options["…"] = "other options are passed on"
        elif one.kind is not one.VAR_POSITIONAL:
            options[one.name] = "required" if one.default is one.empty else f"{one.default!r} by default"
    return options
