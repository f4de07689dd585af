"""A package that extends Editscope with an editor, a metric and a judge: modules, and the entry points of a wheel."""

from __future__ import annotations

import sys
from pathlib import Path

EDITORS = '''
import editscope as es
from editscope.editors import EditorKind


class Painter(es.Editor):
    def __init__(self, color, gray=0):
        self.name, self.gray = f"painter-{color}", gray

    def edit(self, case):
        return case.arrays[0] * 0 + self.gray


def paint(color, *, gray=0):
    """Paints everything gray.

    More that no list shows.
    """
    return Painter(color, gray)


PAID = EditorKind(
    "other-name", "a paid painter", "acme-paid:blue", loader="acme_plugin.editors:paint",
    options={"gray": "a number up to 255"}, packages=("no_such_package_at_all",), key_env="ACME_KEY",
)
'''

METRICS = '''
import numpy as np
import editscope as es


class Darkness(es.Metric):
    """How much darker the edit is than its reference, on average."""

    name, label, unit, higher_is_better = "darkness", "Darkness", "levels", False

    def __init__(self, scale=1.0):
        self.scale = scale

    def measure(self, source, reference, output):
        assert source.shape == reference.shape == output.shape and output.dtype == np.uint8
        return self.scale * float(np.mean(reference.astype(float) - output))


class Nothing(es.Metric):
    def measure(self, source, reference, output):
        return None


class Fails(es.Metric):
    def measure(self, source, reference, output):
        raise ZeroDivisionError("no pixels")


class Endless(es.Metric):
    def measure(self, source, reference, output):
        return float("inf")


class Psnr(es.Metric):
    name = "psnr"


class Heavy(es.Metric):
    libraries = ("no_such_package_at_all",)


class Plain:
    pass
'''

JUDGES = '''
from editscope.judges import Judge, Verdict


class Generous(Judge):
    """Gives every field its highest value, or its lowest."""

    def __init__(self, lowest=False):
        self.lowest = lowest

    async def ask(self, call, sample=0):
        pick = (lambda field: field.low) if self.lowest else (lambda field: field.high)
        values = {
            field.name: pick(field) if field.kind == "integer" else not self.lowest for field in call.schema.fields
        }
        return Verdict("ok", values, reason="as always", judge=self.spec, prompt_hash=call.prompt_hash, sample=sample)


def registered(target, **options):
    return Generous(lowest=target == "lowest")
'''

ENTRY_POINTS = """
[editscope.editors]
acme = acme_plugin.editors:paint
acme-paid = acme_plugin.editors:PAID
acme-broken = acme_plugin.no_such_module:load

[editscope.metrics]
acme-darkness = acme_plugin.metrics:Darkness
acme-broken = acme_plugin.no_such_module:Metric

[editscope.judges]
acme = acme_plugin.judges:registered
"""


def write_plugin(folder: Path) -> Path:
    """Write the package and its metadata as an installer leaves them; ``folder`` then belongs on ``sys.path``.

    What was imported of an earlier one is forgotten: its folder may be gone.
    """
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_plugin"]:
        del sys.modules[name]
    package, info = folder / "acme_plugin", folder / "acme_plugin-1.2.dist-info"
    package.mkdir(parents=True)
    info.mkdir()
    (package / "__init__.py").write_text("")
    for name, code in (("editors", EDITORS), ("metrics", METRICS), ("judges", JUDGES)):
        (package / f"{name}.py").write_text(code)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-plugin\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    return folder
