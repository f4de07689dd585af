"""Loader of the classes that a user names in a spec: ``python:module:Class?key=value``.

Editors, judges, suites and metrics share it, so a mistake gets the same sentence everywhere.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from importlib import import_module
from inspect import getsourcefile, isclass, isfunction, unwrap
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from editscope.call_options import check_options
from editscope.errors import BadInput
from editscope.outside import kind_of, one_line
from editscope.plugins import one_sentence

KIND = "python"
"""What such a spec begins with."""
CLASS, FUNCTION = "class", "function"
"""What a target can be, as errors call it."""

Base = TypeVar("Base")


def load_object(what: str, target: str, base: type[Base], options: Mapping[str, Any]) -> Base:
    """Import ``module:Class`` and construct it with the options as keyword arguments.

    ``what`` begins the sentence of an error ("editor", "judge", "metric"); ``base`` is the class that it must derive
    from. The current folder is searched too, after everything that is installed.
    """
    where = f"{what} {KIND}:{target}"
    candidate = find_class(what, target, options)
    with one_sentence(f"{where} could not be constructed"):
        instance = candidate(**options)
    if not isinstance(instance, base):
        fix = f"; write `class {candidate.__name__}(editscope.{base.__name__}):`" if isinstance(candidate, type) else ""
        raise BadInput(f"{where} is {kind_of(instance)}, not an editscope.{base.__name__}{fix}")
    return instance


def find_class(what: str, target: str, options: Mapping[str, Any]) -> Callable[..., Any]:
    """Import ``module:Class``, and check by its signature that it takes the options; nothing is constructed."""
    where = f"{what} {KIND}:{target}"
    candidate = find_object(what, target)
    if not callable(candidate):
        raise BadInput(f"{where}: {target.partition(':')[2]!r} is {kind_of(candidate)}, not a class")
    check_options(target.partition(":")[2], where, candidate, options)
    return candidate  # type: ignore[no-any-return]


def find_object(what: str, target: str) -> Any:
    """Import ``module:Name`` and return what the name stands for, as it is: a function where ``what`` is one."""
    where = f"{what} {KIND}:{target}"
    noun = FUNCTION if what == FUNCTION else CLASS
    module_name, colon, name = target.partition(":")
    if not colon or not module_name or not name:
        near = spec_of_file(target, noun)
        hint = f"; did you mean {near}?" if near else ""
        raise BadInput(f"{where} is not of the form {KIND}:module:{FUNCTION if noun == FUNCTION else 'Class'}{hint}")
    return _attribute(_module(module_name, name, where), name, where, noun)


def source_hash(code: Any) -> str:
    """A hash of the file that a function or a class is in; "" where it has none.

    For a class, the files of its base classes count too, as far as they are not Editscope's or Python's.
    """
    others = {__package__, *sys.stdlib_module_names}
    parents = [one for one in getattr(code, "__mro__", ()) if one.__module__.partition(".")[0] not in others]
    files = dict.fromkeys(filter(None, map(_file_of, parents or [unwrap(code)])))
    try:
        return sha256(b"".join(Path(file).read_bytes() for file in files)).hexdigest()[:16] if files else ""
    except OSError:
        return ""


def _file_of(code: Any) -> str:
    try:
        return getsourcefile(code) or ""
    except TypeError:  # made by C, or at run time
        return ""


def spec_of_file(text: str, noun: str = CLASS) -> str:
    """The spec of a class or function in a Python file, however somebody named it; "" where there is no such file.

    ``my_model:Painter``, ``my_model.py:Painter`` and ``./my_model.py`` all mean ``python:my_model:Painter``. Without a
    name it is the one class or function that the file defines, or CLASS or FUNCTION where there is another number.
    """
    place, _, name = text.partition(":")
    path = Path(place if place.endswith(".py") else f"{place.replace('.', '/')}.py")
    try:
        if not place or not path.is_file():
            return ""
        path = path.resolve().relative_to(Path.cwd().resolve())
    except (OSError, ValueError):  # no path at all, or one outside of the current folder, where nothing is imported
        return ""
    module = ".".join(path.with_suffix("").parts)
    if not all(part.isidentifier() for part in module.split(".")):
        return ""
    defined = [] if name else _defined_in(path, noun)
    return f"{KIND}:{module}:{name or (defined[0] if len(defined) == 1 else noun.upper())}"


def _defined_in(path: Path, noun: str) -> list[str]:
    """The classes or functions that a file defines, read without running it."""
    import ast

    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [part.name for part in tree.body if isinstance(part, ast.FunctionDef if noun == FUNCTION else ast.ClassDef)]


def _module(name: str, wanted: str, where: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:  # a module may do anything at import
        absent = isinstance(error, ModuleNotFoundError) and error.name in (name, name.partition(".")[0])
        near = _near_file(name, wanted) if absent else ""
        hint = f"did you mean {near}?" if near else f"looked in {here} too"
        raise BadInput(f"{where} cannot be imported ({one_line(error)}); {hint}") from error


def _near_file(name: str, wanted: str) -> str:
    """The spec of a file of the current folder that is nearly called so; "" where there is none."""
    if exact := spec_of_file(f"{name}:{wanted}"):
        return exact
    stems = [path.stem for path in Path.cwd().glob("*.py")]
    near = difflib.get_close_matches(name, stems, n=1, cutoff=0.7)
    return f"{KIND}:{near[0]}:{wanted}" if near else ""


def _attribute(module: ModuleType, name: str, where: str, noun: str) -> Any:
    attribute = getattr(module, name, None)
    if attribute is None:
        source = getattr(module, "__file__", None)
        own = Path.cwd() / f"{module.__name__.replace('.', '/')}.py"
        hidden = own.is_file() and not (source and Path(source).exists() and own.samefile(source))
        if hidden and name in _defined_in(own, noun):
            raise BadInput(
                f"{where}: Python imported {source or f'its own module {module.__name__}'} in place of {own.name} in "
                f"{own.parent}, and that has no {noun} {name!r}; rename your file, for example to my_{own.name}"
            )
        wanted = isfunction if noun == FUNCTION else isclass
        known = [key for key, value in vars(module).items() if wanted(value)]
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise BadInput(f"{where}: module {module.__name__} has no {noun} {name!r}{hint}")
    return attribute
