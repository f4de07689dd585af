"""Compiled code runs wherever the package is installed, whether or not its cache can be kept."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import pytest

import editscope
from editscope.compiled import compiled


def double(x: int) -> int:
    return 2 * x


def test_without_a_place_for_the_cache_functions_are_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    njit = numba.njit

    def read_only(*args: Any, cache: bool = False, **options: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function 'double': no locator available for file")
        return njit(*args, **options)

    monkeypatch.setattr(numba, "njit", read_only)
    assert compiled()(double)(21) == 42


def test_a_full_disk_costs_the_cache_and_not_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    from numba.core.caching import IndexDataCacheFile

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "save", full)
    assert compiled()(double)(4) == 8


MODULE = """
from editscope.compiled import compiled

@compiled(inner=True)
def _square(x):
    return x * x

@compiled("i8")
def power(x):
    total = 1
    for _ in range(4):
        total *= _square(x)
    return total

@compiled("f8")
def other(x):
    return x + 1.0
"""
USE = """
import json, sys
from editscope.compiled import compile_ahead
import kernels
told = []
compile_ahead(["kernels"], lambda done, total: told.append((done, total)))
used = kernels.power(2), kernels.other(1.0)
misses = sum(sum(f.stats.cache_misses.values()) for f in (kernels.power, kernels.other, kernels._square))
print(json.dumps({"used": used, "misses": misses, "told": told}))
"""


@pytest.fixture
def package(tmp_path: Path) -> dict[str, str]:
    """The environment of processes that share a module with kernels, whose cache is empty."""
    (tmp_path / "kernels.py").write_text(MODULE)
    paths = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(tmp_path / "code")}


USER = """
import helpers
from editscope.compiled import compiled

@compiled(inner=True, uses=(helpers,))
def _scaled(x):
    return helpers.SCALE * x

@compiled("i8", uses=(helpers,))
def scaled(x):
    return _scaled(x)

@compiled("i8")
def kept(x):
    return helpers.SCALE * x
"""


def test_a_change_of_a_file_that_a_function_uses_makes_new_machine_code(
    package: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "users.py").write_text(USER)
    made = []
    for scale in (2, 30):
        (tmp_path / "helpers.py").write_text(f"SCALE = {scale}\n")
        code = "import users; print(users.scaled(7), users.kept(7))"
        done = subprocess.run([sys.executable, "-c", code], env=package, check=True, capture_output=True, text=True)
        made.append(done.stdout.split())
    assert made == [["14", "14"], ["210", "14"]]


def started(environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", USE], env=environment, stdout=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    said, _ = process.communicate()
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(said)
    assert found["used"] == [256, 2.0]
    return found


@pytest.mark.slow
def test_processes_that_start_together_compile_each_function_once(package: dict[str, str]) -> None:
    found = [ended(process) for process in [started(package) for _ in range(3)]]
    assert sum(one["misses"] for one in found) == 3, "power, other and _square, each in one of the processes"
    assert any(one["told"] and one["told"][-1][1] == 2 for one in found)
    assert ended(started(package)) == {"used": [256, 2.0], "misses": 0, "told": []}


@pytest.mark.slow
def test_a_process_that_is_killed_while_it_compiles_holds_up_nobody(package: dict[str, str]) -> None:
    first = started(package)
    lock = Path(package["NUMBA_CACHE_DIR"])
    while first.poll() is None and not list(lock.rglob("*.lock")):
        time.sleep(0.01)
    first.kill()
    first.communicate()
    ended(started(package))


@pytest.mark.slow
def test_code_of_an_older_file_is_never_run(package: dict[str, str], tmp_path: Path) -> None:
    ended(started(package))
    (tmp_path / "kernels.py").write_text(MODULE.replace("x + 1.0", "x + 2.0 - 1.0"))
    assert ended(started(package))["misses"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["paintbench?per_mode=1&conditions=baseline,striped", "tinygrafix?per_task=1"])
def test_the_signatures_that_are_compiled_ahead_are_those_that_a_run_uses(suite: str, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", DECLARED, suite, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    used = json.loads(found.stdout)
    others = {name: types for name, types in used.items() if not set(types["used"]) <= {types["declared"]}}
    assert others == {}, "compiled when it is called, and not ahead"
    if suite.startswith("paintbench"):
        assert not [name for name, types in used.items() if not types["used"]], "compiled ahead, and never called"


DECLARED = """
import json, sys
from importlib import import_module
from pathlib import Path
from editscope import compiled
from editscope.editors import load_editor
from editscope.runfolder.files import remember_home
from editscope.runs.engine.case_steps import CaseSteps
from editscope.runs.engine.worker_process import Job, do
from editscope.suites import load_suite

suite, folder = load_suite(sys.argv[1]), Path(sys.argv[2])
remember_home(folder)
steps = CaseSteps(suite, load_editor("ref:drift"), folder, 0)
names = {*steps.compiled_in}
for name in names:
    import_module(name)
for index, case_id in enumerate(suite.ids):
    do(Job(case_id, index), steps, True, lambda report: None)
types = {}
for kernel in compiled._KERNELS:
    function = kernel.function
    if function.py_func.__module__ in names:
        name = f"{function.py_func.__module__}.{function.py_func.__name__}"
        types[name] = {"declared": str(kernel.types), "used": [str(tuple(one)) for one in function.overloads]}
print(json.dumps(types))
"""


@pytest.mark.slow
def test_a_worker_imports_neither_plans_nor_scipy_and_numba_still_finds_it() -> None:
    script = """
import json, sys
import editscope.runs.engine.worker_process
from editscope.suites import load_suite
next(iter(load_suite("paintbench")))
loaded = [name for name in ("editscope.runs.plan", "scipy.linalg", "pandas", "pyarrow") if name in sys.modules]
from numba.np import arraymath
from importlib.util import find_spec
print(json.dumps([loaded, arraymath._HAVE_BLAS == (find_spec("scipy") is not None)]))
"""
    assert json.loads(subprocess.check_output([sys.executable, "-c", script])) == [[], True]


LINEAR = """
import sys
import numpy as np
import numba
from editscope.images import thumbnail

thumbnail(np.zeros((300, 300, 3), np.uint8))
print("scipy.linalg" in sys.modules)

@numba.njit
def product(a, b):
    return np.dot(a, b)[0, 0] + np.cov(a)[0, 0]

print(product(np.eye(2), np.eye(2)), "scipy.linalg" in sys.modules)
"""


@pytest.mark.slow
def test_scipy_is_imported_when_a_function_of_yours_needs_it_and_not_before() -> None:
    pytest.importorskip("scipy")
    done = subprocess.run([sys.executable, "-c", LINEAR], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "1.5", "True"]


def test_compiled_functions_name_the_files_that_they_use() -> None:
    """Machine code of a function that uses a name of another file is kept for that file too."""
    root = Path(editscope.__file__).parent
    missing = []
    for path in sorted(root.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        imported = {
            name.asname or name.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("editscope")
            for name in node.names
        }
        for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
            how = [text for text in map(ast.unparse, function.decorator_list) if text.startswith("compiled(")]
            used = {node.id for part in function.body for node in ast.walk(part) if isinstance(node, ast.Name)}
            if how and used & imported and "uses=" not in how[0]:
                missing.append(f"{path.relative_to(root)}: {function.name} uses {sorted(used & imported)}")
    assert not missing
