"""What packages register: none may be in the way of others, and a mistake gets one sentence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from editscope.cli import doctor
from editscope.editors.kinds import editor_kind
from editscope.errors import BadInput, EditscopeError
from editscope.judges.registry import load_judge
from editscope.plugins import load_registered, registered
from editscope.scoring.classic.registry import available
from editscope.suites import registry
from editscope.suites.benchmark import Benchmark, Headline, Option
from editscope.suites.listing import listed

GROUPS = ("suites", "judges", "editors", "metrics")
RAISING = """
import editscope as es
Name = es.Benchmark(name="raising", title="Raising", about="Nothing", load="raising:load")
def load(root=None):
    raise FileNotFoundError("no list.csv")
"""
RECORD = Benchmark(name="signs", title="Signs", about="Signs of shops", load="signs.suite:load")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Register one module in all groups, as an installer does; its name is that of the package."""

    def add(package: str, code: str, name: str = "", last: bool = False) -> None:
        site = tmp_path / package
        info = site / f"{package}-1.0.dist-info"
        info.mkdir(parents=True)
        (site / f"{package}.py").write_text(code)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        points = (f"[editscope.{group}]\n{name or package} = {package}:Name\n" for group in GROUPS)
        (info / "entry_points.txt").write_text("".join(points))
        monkeypatch.setattr(sys, "path", [*sys.path, str(site)] if last else [str(site), *sys.path])
        invalidate_caches()
        registry._points.cache_clear()

    yield add
    monkeypatch.undo()
    registry._points.cache_clear()


@pytest.mark.parametrize("code", ['raise ValueError("boom")', "import sys; sys.exit(3)", "def broken(:"])
def test_a_module_that_fails_at_import_is_named_where_it_is_used_and_nowhere_else(
    install: Callable[..., None], code: str
) -> None:
    install("failing", code)
    said = r"'failing': registered as failing:Name but cannot be imported \((ValueError|SystemExit|SyntaxError)"
    with pytest.raises(BadInput, match=said):
        registry.benchmark("failing")
    with pytest.raises(BadInput, match=said):
        load_judge("failing:x")
    assert "cannot be imported" in editor_kind("failing").missing()[0]
    assert "cannot be imported" in str(available()["failing"])
    assert "paintbench" in {record.name for record in registry.benchmarks()}


def test_a_suite_that_cannot_be_used_is_listed_with_the_reason(install: Callable[..., None]) -> None:
    install("failing", 'raise ValueError("boom")')
    install("raising", RAISING)
    said = {suite.name: suite.detail for suite in listed()}
    assert "cannot be imported (ValueError: boom)" in said["failing"]
    assert said["raising"] == "suite 'raising' (raising:load) could not be loaded (FileNotFoundError: no list.csv)"
    assert "standard set" in said["paintbench"]


def test_the_doctor_names_every_plugin_and_what_is_wrong_with_it(install: Callable[..., None]) -> None:
    assert doctor._plugins() == "no other package registers anything"
    install("raising", RAISING)
    assert doctor._plugins() == "suite raising, judge raising, editor raising, metric raising"
    install("failing", 'raise ValueError("boom")')
    with pytest.raises(EditscopeError) as error:
        doctor._plugins()
    for what in ("suite", "judges of kind", "editors of kind", "metric"):
        assert f"{what} 'failing': registered as failing:Name but cannot be imported" in str(error.value)
    install("mistyped", "import editscope as es\n" + RAISING.replace('"Nothing"', "7"))
    with pytest.raises(EditscopeError, match=r"suite 'mistyped' \(mistyped:Name\): about is 7, not a text"):
        doctor._plugins()
    assert "failing" not in doctor._suites() and "raising" in doctor._suites()


def test_a_name_that_two_packages_register_is_refused(install: Callable[..., None]) -> None:
    install("first", "Name = None", "signs")
    install("second", "Name = None", "signs")
    for group in GROUPS:
        point = registered(f"editscope.{group}")["signs"]
        with pytest.raises(BadInput, match="'signs': registered by first and second; uninstall all but one"):
            load_registered("plugin", point)


@pytest.mark.parametrize("last", [False, True])
def test_no_package_replaces_a_suite_that_ships(install: Callable[..., None], last: bool) -> None:
    install("other", "Name = None", "paintbench", last=last)
    assert registry.benchmark("paintbench").title == "PaintBench"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"title": None}, "title is None, not a text"),
        ({"cases": "four"}, "cases is 'four', not a whole number"),
        ({"load": "signs.suite.load"}, "load is 'signs.suite.load', not of the form"),
        ({"load": print}, "load is <built-in function print>, not a text"),
        ({"options": None}, "options is None, not a tuple of editscope.Option"),
        ({"options": ("kinds",)}, "options has 'kinds', not an editscope.Option"),
        ({"options": (Option("kinds", "Which.", "float"),)}, "in option 'kinds', type is 'float', which is none of"),  # type: ignore[arg-type]
        ({"options": (Option("a", "A."), Option("a", "A."))}, "options has 'a' twice"),
        ({"options": (Option("judge", "A."),)}, "in option 'judge', the name is taken by the flag --judge"),
        ({"options": (Option("dry_run", "A."),)}, "in option 'dry_run', the name is taken by the flag --dry-run"),
        ({"paper": "Signs"}, "paper is 'Signs', not an editscope.Paper"),
        ({"headline": "legible"}, "headline is 'legible', not an editscope.Headline"),
        ({"release": "tool"}, "release is 'tool', not a Release"),
        ({"main_groups": "kind"}, "main_groups is 'kind', not a tuple of two texts"),
        ({"scoring": "magic"}, "scoring is 'magic', which is neither pixels nor judged"),
        ({"place": "first"}, "place is 'first', not a whole number"),
    ],
)
def test_a_field_of_the_wrong_type_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as error:
        registry._as_record("signs", "signs.suite:SIGNS", replace(RECORD, **fields))
    assert str(error.value).startswith(f"suite 'signs' (signs.suite:SIGNS): {message}")


def test_a_headline_without_printed_results_does_not_affect_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    from editscope.published import asking

    monkeypatch.setitem(asking.HEADLINES, "signs", Headline("signs", "legible"))
    assert "signs" not in asking.suites() and "paintbench" in asking.suites()


def test_a_package_that_is_installed_while_a_process_runs_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert "late" not in registered("editscope.judges")
    info = tmp_path / "late-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: late\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[editscope.judges]\nlate = late:Judge\n")
    assert registered("editscope.judges")["late"].value == "late:Judge"
