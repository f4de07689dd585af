"""Page of a training, in one file that holds what it shows."""

from __future__ import annotations

from pathlib import Path

from editscope.errors import BadInput
from editscope.report.html.frame import OPENING, asset, page_head, top_bar
from editscope.report.html.gallery import IMG_SRC
from editscope.report.html.markup import Html, el
from editscope.report.html.plots import installed, script
from editscope.runfolder.files import write_whole
from editscope.training.log.metrics_file import FILE, LoggedTraining, read_training
from editscope.training.page.curves import curve_sections, short
from editscope.training.page.findings import best_steps, steps_there, stop
from editscope.training.page.sample_section import samples_section
from editscope.training.page.tables import (
    best_section,
    clock,
    events_section,
    in_words,
    mixture_section,
    settings_section,
)

NAME = "report.html"
STYLES = ("report.css", "plots.css", "viewer.css", "training.css", "print.css")
SCRIPTS = ("page.js", "plots.js", "cases.js", "errormap.js", "gallery.js", "stage.js", "training.js")


def is_training(folder: Path) -> bool:
    """Whether a folder is one of a training."""
    return (folder / FILE).is_file()


def write_training_page(folder: str | Path, out: str | Path | None = None, title: str | None = None) -> Path:
    """Write the page of the training in a folder, into it unless another file is named; whole or not at all."""
    folder = Path(folder)
    if not is_training(folder):
        raise BadInput(f"{folder} holds no training: it has no {FILE}; name the folder of an experiment")
    out = folder / NAME if out is None else Path(out)
    if out.suffix.lower() != ".html":
        raise BadInput(f"--out {out}: the report of a training is an HTML page; use a name that ends in .html")
    if out.is_dir():
        raise BadInput(f"--out {out} is a folder; use the name of a file in it")
    write_whole(out, training_page(folder, out, title).encode())
    return out


def training_page(folder: Path, out: Path, title: str | None = None) -> str:
    """The whole page; full-size samples are read from the folder next to it."""
    record = read_training(folder)
    heading = short(title or folder.absolute().name, 200)
    sections = _sections(folder, out, record)
    theme, own = asset("theme.js"), "\n".join(asset(name) for name in SCRIPTS)
    plotly = script() if installed() and any("figure" in html for _, _, html in sections) else None
    scripts = [code for code in (theme, own, plotly) if code]
    links = [el("a", label, href=f"#{address}") for address, label, _ in sections]
    parts = [
        f"{OPENING}{page_head(heading, STYLES, scripts, IMG_SRC)}",
        "<body>",
        top_bar(links),
        "<main>",
        _title(record, heading),
        _first(record, folder),
        *(html for _, _, html in sections),
        "</main>",
    ]
    if plotly is not None:
        parts.append(f'<script type="text/plain" id="plotly">{plotly}</script>')
    return "\n".join([*parts, f"<script>{own}</script>", "</body>\n</html>\n"])


def _sections(folder: Path, out: Path, record: LoggedTraining) -> list[tuple[str, str, Html]]:
    tables = [
        ("best", "Best", best_section(best_steps(record, steps_there(folder)))),
        *curve_sections(record),
        ("samples", "Cases", samples_section(folder, out, record)),
        ("events", "Events", events_section(record)),
        ("mixture", "Data", mixture_section(record)),
        ("settings", "Settings", settings_section(record)),
    ]
    return [(address, label, html) for address, label, html in tables if html is not None]


def _title(record: LoggedTraining, heading: str) -> Html:
    facts = []
    if record.metrics:
        facts += [f"{record.last_step:,} steps", clock(record.seconds_at(record.last_step))]
    back = len(record.starts) - 1
    if back > 0:
        facts.append(f"started {back + 1} times, the last time from step {record.starts[-1]:,}")
    return el("div", el("h1", heading), el("p", " · ".join(facts)) if facts else None, cls="title")


def _first(record: LoggedTraining, folder: Path) -> Html:
    """What to know first."""
    sentences = in_words(record, best_steps(record, steps_there(folder)))
    stopped = stop(record)
    notices = [f"Stopped at step {stopped.step:,}: {short(stopped.sentence, 400)}"] if stopped else []
    if record.damaged:
        lines = "One line" if record.damaged == 1 else f"{record.damaged:,} lines"
        notices.append(
            f"{lines} of {FILE} cannot be read as written and {'is' if record.damaged == 1 else 'are'} left out."
        )
    if not record.metrics:
        notices.append("No step was logged yet; write this report again when the training has made some.")
    return el(
        "div",
        [el("p", text, cls="lead" if place == 0 else None) for place, text in enumerate(sentences)],
        [el("p", text, cls="notice") for text in notices],
        cls="in-words",
    )
