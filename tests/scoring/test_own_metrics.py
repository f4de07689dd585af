"""A metric of your own is a class: named in a spec or registered by a package, measured and shown like ours."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.results.classic_measures import made_with, measures, metric_labels
from editscope.runs.measure import measure_run
from editscope.scoring.classic import MetricSettings, available, load_metric, parse_measures
from support.places import DOCS
from support.plugin_package import write_plugin

DARKNESS = "python:acme_plugin.metrics:Darkness"


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = write_plugin(tmp_path / "plugin")
    monkeypatch.syspath_prepend(str(folder))
    return folder


@pytest.fixture
def run(small_set: Path, tmp_path: Path) -> es.Run:
    return es.run(
        es.load_suite("paintbench", root=small_set), "ref:identity", out=tmp_path / "run", jobs=1, progress=False
    )


@pytest.mark.slow
def test_a_metric_is_a_class_with_a_name_and_a_method(plugin: Path, run: es.Run) -> None:
    once = measure_run(run.path, {DARKNESS: "", "psnr": ""})
    assert list(once) == ["case_id", "variant", "psnr", "psnr_outside", "darkness", "darkness_outside"]
    assert set(once["darkness_outside"]) == {0.0}  # what does nothing keeps everything outside the edit region
    assert any(once["darkness"])
    assert made_with(run.path)["darkness"] == {"class": "acme_plugin.metrics:Darkness"}
    twice = measure_run(run.path, {f"{DARKNESS}?scale=2": ""})
    assert twice["darkness"] == [2 * value for value in once["darkness"]]
    assert made_with(run.path)["darkness"]["scale"] == "2"


@pytest.mark.slow
def test_a_metric_of_a_package_has_the_name_that_the_package_registers(plugin: Path, run: es.Run) -> None:
    assert available()["acme-darkness"] is None
    assert "acme_plugin.no_such_module:Metric but cannot be imported" in str(available()["acme-broken"])
    wanted = parse_measures("acme-darkness?scale=3")
    assert "acme-darkness" in measure_run(run.path, wanted)
    assert made_with(run.path)["acme-darkness"] == {
        "class": "acme_plugin.metrics:Darkness",
        "scale": "3",
        "acme-plugin": "1.2",
    }
    assert metric_labels(run.path)["acme-darkness"].unit == "levels"


@pytest.mark.slow
def test_a_metric_without_a_value_leaves_the_cell_empty(plugin: Path, run: es.Run) -> None:
    found = measure_run(run.path, {"python:acme_plugin.metrics:Nothing": ""})
    assert set(found["nothing"]) == set(found["nothing_outside"]) == {None}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Fails", "it failed (ZeroDivisionError: no pixels)"),
        ("Endless", "it gave an infinite value; return None"),
    ],
)
def test_a_metric_that_fails_is_named_with_its_cases(plugin: Path, run: es.Run, name: str, message: str) -> None:
    with pytest.raises(BadInput, match=rf"metric {name.lower()}, in one of the cases border/.*{re.escape(message)}"):
        measure_run(run.path, {f"python:acme_plugin.metrics:{name}": ""}, jobs=1)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("darknes", "no measure 'darknes'"),
        ("acme-darknes", "did you mean 'acme-darkness'"),
        ("acme-broken", "cannot be imported (ModuleNotFoundError"),
        ("acme-darkness?scale", "not of the form ?key=value"),
        ("acme-darkness?size=1", "could not be constructed (TypeError"),
        ("psnr?scale=2", "measure psnr takes no options"),
        ("python:acme_plugin.metrics", "not of the form python:module:Class"),
        ("python:no_such_module_here:Metric", "cannot be imported (ModuleNotFoundError"),
        ("python:acme_plugin.metrics:Darknes", "did you mean 'Darkness'?"),
        ("python:acme_plugin.metrics:Darkness?size=1", "there is no option 'size' of "),
        ("python:acme_plugin.metrics:Plain", "is a Plain, not an editscope.Metric"),
        ("python:acme_plugin.metrics:Psnr", "is called 'psnr', which is a column already"),
        ("python:acme_plugin.metrics:Heavy", "it needs no_such_package_at_all: pip install no_such_package_at_all"),
    ],
)
def test_a_wrong_spec_gets_one_sentence(plugin: Path, spec: str, message: str) -> None:
    with pytest.raises(BadInput) as error:
        load_metric(spec, MetricSettings())
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.slow
def test_two_metrics_of_one_name_are_refused(plugin: Path, run: es.Run) -> None:
    with pytest.raises(BadInput, match="two metrics are called 'darkness'"):
        measure_run(run.path, {DARKNESS: "", f"{DARKNESS}?scale=2": ""})


def test_the_command_prints_it_and_the_report_shows_it_without_its_code(
    run: es.Run, tmp_path: Path, editscope: Callable[..., CompletedProcess[str]]
) -> None:
    folder = write_plugin(tmp_path / "plugin")
    with_plugin = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "160"}
    done = editscope("measure", run.path, "--measures", f"psnr,{DARKNESS}", env=with_plugin)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ Darkness \(levels\) +-?\d", done.stdout, re.MULTILINE), done.stdout
    assert "darkness: class acme_plugin.metrics:Darkness" in done.stdout
    report = editscope("report", run.path, "--out", tmp_path / "report.html")
    assert report.returncode == 0, report.stderr
    assert "Darkness, levels ↓" in (tmp_path / "report.html").read_text()


def test_the_metric_of_the_documentation_runs_as_it_stands(
    run: es.Run, tmp_path: Path, editscope: Callable[..., CompletedProcess[str]]
) -> None:
    blocks = re.findall(r"```python[^\n]*\n(.*?)```", (DOCS / "classic-measures.md").read_text(), re.DOTALL)
    (code,) = [block for block in blocks if "es.Metric" in block]
    (tmp_path / "here" / "my_metrics.py").write_text(code)
    (command,) = re.findall(
        r"editscope measure runs/mine (.*python:my_metrics.*)", (DOCS / "classic-measures.md").read_text()
    )
    done = editscope("measure", run.path, *shlex.split(command))
    assert done.returncode == 0, done.stderr
    assert len(measures(run.path)["equal"]) == 12
