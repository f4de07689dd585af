"""The house: folders that fit a screen, one name for one class, one folder for one benchmark, arrows for every room."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache

from support.places import ROOT, TESTS

SOURCE = ROOT / "src" / "editscope"
MOST_MODULES = 20
MOST_LINES = 400
BENCHMARKS = tuple(
    sorted(
        file.parent.name
        for file in SOURCE.glob("suites/*/__init__.py")
        if re.search(r"^BENCHMARK\b", file.read_text(encoding="utf-8"), re.MULTILINE) and file.parent.name != "own"
    )
)
"""The folders of benchmarks; not ``own``, which is a word and reads a folder of the user."""
AS_A_WORD = re.compile(rf"(?<![a-z])(?:{'|'.join(BENCHMARKS)})(?![a-z])", re.IGNORECASE)

CLASSES_TWICE = {
    "Request": "editors/worker/skeleton.py is copied into environments without Editscope and imports nothing of ours",
}
"""Class names that more than one file may have, each with the reason."""

EXAMPLE = "an example in a help text or message: the one benchmark that needs no download"
SHARED_PAPER = "the paper of the one prints results of the other"
WORD = "the English word"
LEARNED = "the small editor learns from the problems of this benchmark, and from no others"
NAMED_ELSEWHERE = {
    "audit/audit.py": ("paintbench", "the audit damages answers, and these are the problems it draws by default"),
    "audit/known_edit_set.py": (
        "mechanics optics paintbench tinygrafix",
        "a message names the suites whose truth is known",
    ),
    "audit/question_calls.py": ("picabench", "the protocol that asks the questions about the regions of a case"),
    "cli/app.py": ("paintbench", EXAMPLE),
    "cli/demo.py": ("paintbench", "the demo runs on problems that are made here"),
    "cli/doctor.py": ("paintbench", "the check loads the one suite that is always here"),
    "cli/evaluate/watch.py": ("paintbench", EXAMPLE),
    "cli/models/judge.py": ("mechanics optics paintbench tinygrafix", "the suites whose truth is known"),
    "cli/models/serve_editor.py": ("paintbench", EXAMPLE),
    "cli/models/worker.py": ("paintbench", EXAMPLE),
    "cli/options.py": ("kris picabench", EXAMPLE),
    "cli/output/published.py": ("paintbench", EXAMPLE),
    "cli/results/published.py": ("paintbench", EXAMPLE),
    "editors/diffusion/families.py": ("paintbench", "the paper whose settings of models are the defaults"),
    "editors/folder.py": ("paintbench", "released outputs lie in a folder of this name, and editors know no suite"),
    "factory/pipelines/picabench/steps.py": ("picabench", "steps that only its pipeline needs"),
    "factory/steps/registry.py": ("inedit picabench wiseedit worldedit", "steps that only one pipeline needs, by name"),
    "factory/pipelines/inedit/steps.py": (
        "inedit",
        "steps of the pipeline that builds it, with its joining and checklists",
    ),
    "factory/pipelines/wiseedit/steps.py": (
        "wiseedit",
        "steps of the pipeline that builds it, with its rule of ordinals",
    ),
    "factory/rules/camera/nouns.py": ("rise", WORD),
    "factory/rules/camera/verbs.py": ("rise", WORD),
    "factory/rules/caption_rules.py": ("rise optics mechanics", WORD),
    "factory/rules/moments/phrases.py": ("rise", WORD),
    "factory/rules/motion.py": ("picabench", "captions are written for its laws"),
    "factory/rules/sources.py": ("picabench wiseedit worldedit", "the papers that state the rules"),
    "report/paper_figures/correlation.py": ("rise", WORD),
    "scoring/failure.py": ("rise", WORD),
    "suites/kris/__init__.py": ("worldedit", SHARED_PAPER),
    "suites/kris/tables.py": ("worldedit", SHARED_PAPER),
    "suites/own/manifest.py": ("kris", "a message names a protocol that ships"),
    "suites/paintbench/__init__.py": ("tinygrafix", SHARED_PAPER),
    "suites/picabench/data.py": ("optics mechanics", "the names of groups of laws in its paper"),
    "suites/picabench/rubric.py": ("kris", "a message names a protocol that needs no questions"),
    "suites/protocol.py": ("kris", "a message names a protocol that ships"),
    "suites/rise/__init__.py": ("worldedit", SHARED_PAPER),
    "suites/rise/tables.py": ("worldedit", SHARED_PAPER),
    "suites/tinygrafix/__init__.py": ("paintbench", SHARED_PAPER),
    "suites/tinygrafix/tables.py": ("paintbench", SHARED_PAPER),
    "training/small/examples.py": ("paintbench", LEARNED),
    "training/small/stream.py": ("paintbench", LEARNED),
    "training/rewards/rubric.py": ("picabench", "the protocol that asks the questions about the regions of a case"),
}
"""Files that name a benchmark outside its folder: which, and why."""

NAMED_UPWARD = {
    "judges/prompts/packs.py": ("editscope.suites", "the name of a group of entry points, which is not imported"),
}
"""Files with the name of a module of a higher room, as a string: which, and why."""


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package, by its path below it."""
    files = sorted(SOURCE.rglob("*.py"))
    return {file.relative_to(SOURCE).as_posix(): ast.parse(file.read_text(encoding="utf-8")) for file in files}


@cache
def layers() -> tuple[tuple[str, ...], ...]:
    """The rooms by layer, the highest first, as pyproject.toml has them for import-linter."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (named,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return tuple(tuple(room.strip().removeprefix("editscope.") for room in layer.split("|")) for layer in named)


def test_every_folder_with_code_is_a_package() -> None:
    folders = {file.parent for file in SOURCE.rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == [], "import-linter passes it by"


def test_no_folder_has_more_modules_than_fit_a_screen() -> None:
    wide = {
        str(folder.relative_to(ROOT)): count
        for top in (SOURCE, TESTS)
        for folder in (top, *(path for path in top.rglob("*") if path.is_dir()))
        if (count := sum(file.stem != "__init__" for file in folder.glob("*.py"))) > MOST_MODULES
    }
    assert wide == {}, "group them in folders"


def test_no_file_is_longer_than_one_can_hold_in_mind() -> None:
    lines = {name: len((SOURCE / name).read_text(encoding="utf-8").splitlines()) for name in modules()}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}, "split them by what they hold"


def test_no_class_name_stands_for_two_things() -> None:
    places: dict[str, list[str]] = {}
    for name, module in modules().items():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(name)
    double = {name: files for name, files in places.items() if len(files) > 1}
    assert {name: files for name, files in double.items() if name not in CLASSES_TWICE} == {}, "rename all but one"
    assert set(CLASSES_TWICE) <= set(double), "an exception that is not needed any more"


def test_a_benchmark_is_named_in_its_folder_only() -> None:
    elsewhere: dict[str, set[str]] = {}
    for name, module in modules().items():
        names = {benchmark for text in _code(module) for benchmark in _benchmarks(text)} - _own(name)
        if names:
            elsewhere[name] = names
    allowed = {name: set(names.split()) for name, (names, _) in NAMED_ELSEWHERE.items()}
    left = {name: names - allowed.get(name, set()) for name, names in elsewhere.items()}
    assert {name: names for name, names in left.items() if names} == {}, "what is of one benchmark is in suites/NAME/"
    unused = {name: names - elsewhere.get(name, set()) for name, names in allowed.items()}
    assert {name: names for name, names in unused.items() if names} == {}, "an exception that is not needed any more"


def test_every_room_has_its_place_in_the_arrows() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/*.py")}
    files = {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__"}
    assert {room for layer in layers() for room in layer} == folders | files


def test_a_module_that_is_named_by_a_string_keeps_the_arrows() -> None:
    height = {room: place for place, layer in enumerate(reversed(layers())) for room in layer}
    against: dict[str, set[str]] = {}
    for name, module in modules().items():
        room = name.partition("/")[0].removesuffix(".py")
        for text in _strings(module) if room in height else ():
            other = _room(text)
            if other in height and other != room and height[other] >= height[room]:
                against.setdefault(name, set()).add(text)
    allowed = {name: set(texts.split()) for name, (texts, _) in NAMED_UPWARD.items()}
    assert against == allowed, "import-linter sees no string; name a module of a lower room, or add a reason"


def test_imports_at_run_time_name_the_whole_module() -> None:
    hidden = [
        f"{name}:{node.lineno}"
        for name, module in modules().items()
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and _hidden_import(node)
    ]
    assert hidden == [], 'write import_module("editscope.room.module")'


def test_no_asset_names_a_benchmark() -> None:
    assets = (path for kind in ("js", "css", "html") for path in SOURCE.rglob(f"*.{kind}"))
    named = {
        name: found
        for path in assets
        if (found := _benchmarks(path.read_text(encoding="utf-8")) - _own(name := path.relative_to(SOURCE).as_posix()))
    }
    assert named == {}, "what is of one benchmark is in suites/NAME/"


def _strings(module: ast.Module) -> Iterator[str]:
    """The strings of a module, and what stands before the first value of one with values in it."""
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _room(text: str) -> str:
    """The room of a module that a string names, alone, with an attribute or as the beginning of it; "" for others.

    >>> _room("editscope.cli.app"), _room("editscope.cli:main"), _room("editscope.cli."), _room("editscope run")
    ('cli', 'cli', 'cli', '')
    """
    match = re.fullmatch(r"editscope\.([a-z_]+)(?:[.:][\w.:]*)?", text)
    return match[1] if match else ""


def _hidden_import(call: ast.Call) -> bool:
    """Whether a call imports a module that no string of its own names: relatively, or with ``__import__``."""
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first = call.args[0] if call.args else None
    relative = isinstance(first, ast.Constant) and str(first.value).startswith(
        (".", "editscope") if len(call.args) > 1 else "."
    )
    return called == "__import__" or (called == "import_module" and relative)


def _own(name: str) -> set[str]:
    """The benchmark in whose folder a file is."""
    room, _, rest = name.partition("/")
    return {rest.partition("/")[0]} if room == "suites" and "/" in rest else set()


def _benchmarks(text: str) -> set[str]:
    """The benchmarks that an identifier or a string names, as words: "otherwise" names none.

    >>> sorted(_benchmarks("PaintBenchRows")), sorted(_benchmarks("kris_tags")), _benchmarks("otherwise")
    (['paintbench'], ['kris'], set())
    """
    camel = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text)
    spelled = {text, camel, *((camel.replace("_Bench", "bench"),) if "_" not in text else ())}
    return {name.lower() for spelling in spelled for name in AS_A_WORD.findall(spelling)}


def _code(module: ast.Module) -> Iterator[str]:
    """Identifiers, imports and strings of a module; not its docstrings, and comments are not parsed at all."""
    docstrings = {
        id(node.value)
        for node in ast.walk(module)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in docstrings:
                yield node.value
        elif isinstance(node, ast.alias):
            yield from filter(None, (node.name, node.asname))
        elif isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.keyword):
            yield node.arg or ""
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
