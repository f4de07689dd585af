"""`editscope doctor`: what works on this machine, and what to do about the rest."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

import typer

from editscope import printing
from editscope.cli import options as opt
from editscope.cli.output.progress import ProgressLine
from editscope.errors import EditscopeError
from editscope.version import __version__

INDENT = 24


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked: what there is where it works, and the fix where it does not."""

    name: str
    ok: bool
    detail: str
    fix: str = ""

    def in_words(self, wide: int) -> str:
        """The check in lines of a width, the fix below it."""
        state = "ok" if self.ok else "missing"
        lines = [*wrap(self.detail, wide - INDENT, break_long_words=False, break_on_hyphens=False)]
        lines += [] if self.ok else [f"fix: {self.fix}"]
        return f"{state:<9}{self.name:<14} " + ("\n" + INDENT * " ").join(lines)


def doctor(as_json: opt.AsJson = False) -> None:
    """Check what works on this machine, and show the fix for what does not; exit code 2 if something is missing.

    editscope doctor
    """
    shown = ProgressLine()
    checks = []
    for number, (name, check, fix) in enumerate(CHECKS, start=1):
        shown(f"checking {name} ·", number, len(CHECKS))
        try:
            checks.append(Check(name, True, check()))
        except Exception as error:
            checks.append(Check(name, False, f"{type(error).__name__}: {error}", fix))
        shown.end()
        if not as_json:
            printing.say(checks[-1].in_words(get_terminal_size().columns if sys.stdout.isatty() else 1000))
    ok = all(check.ok for check in checks)
    if as_json:
        printing.say_json({"ok": ok, "version": __version__, "checks": checks})
    if not ok:
        raise typer.Exit(2)


def _python() -> str:
    return sys.version.split()[0]


def _libraries() -> str:
    import numpy
    import PIL
    import pyarrow

    return f"numpy {numpy.__version__}, pillow {PIL.__version__}, pyarrow {pyarrow.__version__}"


def _compiler() -> str:
    import numba

    def double(x: int) -> int:
        return 2 * x

    compiled: Any = numba.njit(double)
    if compiled(21) != 42:
        raise EditscopeError("compiled code returns a wrong result")
    return f"numba {numba.__version__} compiles"


def _inflate() -> str:
    from isal import isal_zlib

    if isal_zlib.decompress(isal_zlib.compress(b"editscope" * 99)) != b"editscope" * 99:
        raise EditscopeError("a picture changes when it is written and read back")
    return "fast PNG reading and writing"


def _scoring() -> str:
    import numpy as np

    from editscope.scoring import score_pixels

    before = np.zeros((8, 8, 3), np.uint8)
    after = before.copy()
    after[2:4, 2:4] = 255
    if score_pixels(before, after, after).miou != 1:
        raise EditscopeError("a perfect edit does not score 1")
    return "a perfect edit scores 100"


def _suites() -> str:
    from editscope.suites import load_suite, suite_names

    cases = len(load_suite("paintbench"))
    usable = [name for name in suite_names() if not broken_suite(name)]
    return f"{', '.join(usable)} · paintbench has {cases:,} cases and needs no download"


def _runs_folder() -> str:
    folder = Path("runs") if Path("runs").is_dir() else Path()
    with tempfile.TemporaryFile(dir=folder):
        return f"{folder.resolve()} can be written"


def _cache() -> str:
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [Path(__file__).parent.parent, Path.home() / ".cache"]
    for place in places:
        if place.is_dir() and os.access(place, os.W_OK):
            return f"compiled code is kept in or below {place}"
    raise EditscopeError(f"none of {', '.join(map(str, places))} can be written, so each start compiles again")


def _editors() -> str:
    from editscope.editors.kinds import KINDS

    there = [kind for kind in KINDS if not kind.wrapper]
    ready = [kind.name for kind in there if not kind.missing()]
    rest = f"; {len(there) - len(ready)} more need something" if len(ready) < len(there) else ""
    return f"{', '.join(ready)} can run here{rest}: `editscope editors` says which"


def broken_suite(name: str) -> str:
    """Why a suite that is installed cannot be used; "" where it can."""
    from editscope.suites.registry import benchmark

    try:
        benchmark(name)
    except EditscopeError as error:
        return str(error)
    return ""


def _plugins() -> str:
    """What other packages register; an error that names each that cannot be used."""
    from editscope import plugins
    from editscope.editors.kinds import KINDS, all_kinds
    from editscope.judges.registry import GROUP as JUDGES
    from editscope.scoring.classic.registry import GROUP as METRICS
    from editscope.suites.registry import GROUP as SUITES

    reasons: dict[str, str] = {}
    for name, point in plugins.registered(SUITES).items():
        if plugins.package_of(point) != plugins.OURS:
            reasons[f"suite {name}"] = broken_suite(name)
    for name, point in plugins.registered(JUDGES).items():
        reasons[f"judge {name}"] = plugins.broken("judges of kind", point)
    for kind in all_kinds()[len(KINDS) :]:
        reasons[f"editor {kind.name}"] = kind.problem and f"editors of kind {kind.name!r}: {kind.problem}"
    for name, point in plugins.registered(METRICS).items():
        reasons[f"metric {name}"] = plugins.broken("metric", point)
    if any(reasons.values()):
        raise EditscopeError("; ".join(filter(None, reasons.values())))
    return ", ".join(reasons) or "no other package registers anything"


def _prices() -> str:
    from editscope.editors.hosted.prices import load_edit_prices
    from editscope.judges.prices import load_prices
    from editscope.transport.prices import OLD_DAYS, age_in_days

    sources = [price.source for price in load_prices().values()]
    sources += [price.source for price in load_edit_prices().values()]
    days = [source.day for source in sources if source.day is not None]
    old = sum(age_in_days(day) > OLD_DAYS for day in days)
    aged = f"; {old} are older than half a year: check them, or use --prices FILE" if old else ""
    return f"{len(sources)} models, prices of {min(days)} or later, {sources[0].text}{aged}"


def _gpus() -> str:
    from editscope.editors.gpus import gpu_count

    count = gpu_count()
    return f"{count} seen" if count else "none seen; hosted and reference editors need none"


CHECKS: tuple[tuple[str, Callable[[], str], str], ...] = (
    ("python", _python, "install Python 3.11 or newer"),
    ("libraries", _libraries, "pip install --force-reinstall editscope"),
    ("compiler", _compiler, "pip install --force-reinstall numba"),
    ("isal", _inflate, "pip install isal"),
    ("scoring", _scoring, "pip install --force-reinstall editscope"),
    ("suites", _suites, "pip install --force-reinstall editscope"),
    ("editors", _editors, "pip install --force-reinstall editscope"),
    ("plugins", _plugins, "install the named package again, or remove it"),
    ("prices", _prices, "pip install --force-reinstall editscope"),
    ("GPUs", _gpus, "make /dev readable"),
    ("run folder", _runs_folder, "go to a folder that you may write, or give --out"),
    ("code cache", _cache, "set NUMBA_CACHE_DIR to a folder that you may write"),
)
