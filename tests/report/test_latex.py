"""Claims about the LaTeX report: it compiles as it is, whatever names say, and a paper can take any table of it."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import cycle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editscope.report import write
from editscope.report.model import gather
from editscope.report.paper_tables import paper_tables
from editscope.report.text.latex import ROWS, as_latex
from editscope.report.text.latex_escape import escaped
from editscope.results import Run
from editscope.suites.tables import table_ranks
from support.reports.report_runs import Line, make_run

pytestmark = pytest.mark.slow

NASTY = (
    "drift",
    "100% of a_b & #1 {x} ~^\\",
    "模型 v2",
    "naïve Čapek <b>",
    "a very long model name that nobody would ever print above a column",
    "x$y$z",
    "GPT-Image-2",
    'quo"te`d|',
    "ΔE ≤ 5 × 2",
    "tab\tand\nnewline",
    "ligature ﬁ ½ ™",
    "twelve 🙂",
)
TEX, POPPLER = shutil.which("pdflatex"), shutil.which("pdftotext")
needs_tex = pytest.mark.skipif(TEX is None, reason="pdflatex is not installed")


def nasty_runs(folder: Path) -> list[Run]:
    return [
        make_run(folder, name, skill=0.1 + 0.07 * i, missing=("border/001",) if i == 1 else (), thumbs=False)
        for i, name in enumerate(NASTY)
    ]


def compiled(tex: Path) -> str:
    """Compile a file and return what TeX says."""
    command = [str(TEX), "-interaction=nonstopmode", "-halt-on-error", tex.name]
    done = subprocess.run(command, cwd=tex.parent, capture_output=True, text=True, errors="replace", timeout=600)
    assert done.returncode == 0, done.stdout[-1500:]
    return done.stdout + tex.with_suffix(".log").read_text(errors="replace")


def too_wide(log: str) -> list[float]:
    return [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]


def text_of(pdf: Path) -> str:
    done = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True)
    return done.stdout


@needs_tex
def test_twelve_runs_with_any_names_compile_and_fit_the_page(tmp_path: Path) -> None:
    tex = write(nasty_runs(tmp_path), tmp_path / "tables.tex", title="50 % of #1 & <more>", published=True)
    log = compiled(tex)
    assert max(too_wide(log), default=0.0) < 3
    assert "Missing character" not in log
    if POPPLER:
        text = text_of(tex.with_suffix(".pdf"))
        for said in ("50 % of #1 & <more>", "GPT-Image-2", "Benchmark", "[U+6A21]"):
            assert said in text


@needs_tex
def test_every_table_can_be_taken_into_a_paper_of_two_columns(tmp_path: Path) -> None:
    runs = nasty_runs(tmp_path)[:3]
    text = write(runs, tmp_path / "all.tex").read_text(encoding="ascii")
    tables = re.findall(r"%<\*([\w-]+)>\n(.*?)%</\1>", text, flags=re.DOTALL)
    assert [name for name, _ in tables][:3] == ["paintbench-tasks", "paintbench-conditions", "paintbench-averages"]
    body = "\n".join(table for _, table in tables)
    paper = tmp_path / "paper.tex"
    head = "\\documentclass[10pt,twocolumn]{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n"
    paper.write_text(f"{head}Text.\n{body}\n\\clearpage\\end{{document}}\n")
    assert max(too_wide(compiled(paper)), default=0.0) < 3


@needs_tex
@pytest.mark.skipif(not (POPPLER and shutil.which("pdftoppm")), reason="poppler is not installed")
def test_the_printed_page_has_ink_inside_its_margins_only(tmp_path: Path) -> None:
    from PIL import Image, ImageOps

    tex = write(nasty_runs(tmp_path)[:1], tmp_path / "one.tex", published=True)
    compiled(tex)
    subprocess.run(["pdftoppm", "-r", "50", "-l", "1", "-png", "one.pdf", "page"], cwd=tmp_path, check=True)
    page = Image.open(next(tmp_path.glob("page*.png"))).convert("L")
    box = ImageOps.invert(page).point(lambda v: 255 if v > 40 else 0).getbbox()
    assert box is not None
    left, top, right, _ = box
    assert left >= 49  # one inch
    assert right <= page.width - 49
    assert top >= 49


def test_the_file_is_plain_ascii_and_always_the_same(tmp_path: Path) -> None:
    runs = nasty_runs(tmp_path)
    first = write(runs, tmp_path / "a.tex", published=True).read_bytes()
    assert first.isascii()
    assert first == write(runs, tmp_path / "b.tex", published=True).read_bytes()


def test_the_best_is_bold_and_the_second_underlined(tmp_path: Path) -> None:
    model = gather([make_run(tmp_path, n, skill=s) for n, s in (("a", 0.2), ("b", 0.9), ("c", 0.6))], None)
    text = "".join(as_latex(model))
    table = paper_tables(model.sheets[0])[0]
    places = [p for row in table_ranks(table) for p in row]
    first = text.split("%</paintbench-tasks>")[0].split(r"\toprule")[1]
    # The label of the benchmark's row and the headings are bold too.
    labels = sum(row.kind in ("head", "overall") for row in table.rows)
    assert first.count(r"\textbf{") == places.count(1) + labels
    assert first.count(r"\underline{") == places.count(2)


def test_a_table_has_its_own_name_and_label_in_every_set(tmp_path: Path) -> None:
    here, there = make_run(tmp_path, "a"), make_run(tmp_path, "a", fingerprint="other")
    charts = make_run(tmp_path, "a", suite="somebody-s", fingerprint="charts")
    text = "".join(as_latex(gather([here, there, charts], None)))
    names = re.findall(r"^%<\*([\w-]+)>$", text, flags=re.MULTILINE)
    assert {"paintbench-1-tasks", "paintbench-2-tasks", "somebody-s-rows"} <= set(names)
    assert sorted(names) == sorted(set(names)) == sorted(re.findall(r"\\label\{tab:([\w-]+)\}", text))


def test_only_averages_carry_half_widths_in_the_table_of_tasks(tmp_path: Path) -> None:
    text = "".join(as_latex(gather([make_run(tmp_path, "a")], None)))
    table = text.split("%</paintbench-tasks>")[0].split(r"\toprule")[1]
    for line in table.splitlines():
        if "Category average" in line or "Benchmark" in line:
            assert r"$\pm$" in line
        elif "Border" in line:
            assert r"$\pm$" not in line


def test_more_columns_than_fit_are_printed_in_parts(tmp_path: Path) -> None:
    runs = [make_run(tmp_path, f"model {i}", thumbs=False) for i in range(30)]
    text = "".join(as_latex(gather(runs, None)))
    tables = text.split("%</paintbench-tasks>")[0]
    parts = tables.count(r"\begin{table*}")
    assert parts >= 2
    assert f"Part {parts} of {parts}." in tables
    heads = [line for line in tables.splitlines() if line.startswith("Task &")]
    assert sorted(re.findall(r"model \d+", "".join(heads))) == sorted(f"model {i}" for i in range(30))


def test_more_rows_than_fit_are_printed_in_parts(tmp_path: Path) -> None:
    scenes = cycle(["baseline", *(f"scene {i}" for i in range(2 * ROWS))])

    def change(edit: Line, score: Line) -> None:
        score["tags"]["condition"] = next(scenes)

    run = make_run(tmp_path, "long", slots=1 + ROWS // 4, thumbs=False, change=change)
    text = "".join(as_latex(gather([run], None)))
    table = text.split("%<*paintbench-conditions-miou>")[1].split("%</")[0]
    assert table.count(r"\begin{table*}") == 3
    assert all(f"Scene {i} &" in table for i in range(2 * ROWS))


@given(st.text(max_size=40))
def test_any_text_becomes_ascii_without_bare_specials(text: str) -> None:
    made = escaped(text)
    assert made.isascii()
    assert "\n" not in made
    rest = re.sub(r"\\[A-Za-z]+|\\[\\{}$&%#_'`^~=.\"]|\$[^$]*\$", "", made)
    assert not re.search(r"[%&#$_]", rest)
    depth = 0
    for brace in re.sub(r"\\[{}]", "", made):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        assert depth >= 0
    assert depth == 0
