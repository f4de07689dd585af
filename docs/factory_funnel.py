"""The funnel of docs/factory.md: a pilot of 50 records of the PICA-100K pipeline, with made models on loopback.

PYTHONPATH=tests python docs/factory_funnel.py
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from editscope.factory.engine.build import Build
from editscope.factory.funnel import funnel_rows
from editscope.factory.funnel_plot import draw_funnel
from editscope.factory.models.loading import load_models
from editscope.factory.plan import read_plan
from factory.pipelines.test_pica100k_pipeline import breach_at_first, refusal, studio
from support.servers.judge_server import KEY

OUT = Path(__file__).parent / "images" / "factory-funnel.png"


def main() -> None:
    """Build the pilot and draw its funnel."""
    os.environ.setdefault("OPENAI_API_KEY", KEY)
    long = breach_at_first("explicit", {"superficial": "Move the stool " + "far to the right " * 8})
    with tempfile.TemporaryDirectory() as scratch, studio(refusal(13, "prompt"), long) as models:
        os.environ["EDITSCOPE_CACHE"] = str(Path(scratch) / "cache")
        folder = models.begun(Path(scratch) / "set")
        plan = read_plan(folder / "plan.toml")
        with Build(plan, folder / "build", limit=50, models=load_models(plan)) as build:
            result = build.run()
            rows = funnel_rows(plan, result.counts, build.store.spent())
    draw_funnel(rows, OUT, f"{plan.title}: a pilot of 50")


if __name__ == "__main__":
    main()
