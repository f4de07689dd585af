"""The steps of a recording, each a short list of commands whose flags stay."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping

from support.recorded.recorder import Recorder

JUDGED = ("picabench", "worldedit", "wiseedit", "wiseedit-complex", "inedit", "kris", "rise", "own-judged")
SUITES = ("paintbench", "tinygrafix", "picabench", "worldedit", "wiseedit", "inedit", "kris", "rise")
PACKS = ("picabench", "worldedit", "wiseedit", "inedit", "kris", "rise", "audit", "best_of", "rewrite")
KINDS = ("ref", "folder", "python", "diffusers", "worker", "http", "openai", "gemini", "bfl", "ark", "chat")
SPECS = ("ref:noise?strength=2", "best_of(4, by=miou):ref:drift", "python:painter:Painter?brush=3")

SHOWN = {
    "pixels-drift": "removal/001",
    "pixels-repeats": "recolor/000",
    "pixels-folder": "removal/001",
    "judged-kris": "physics/1",
    "judged-picabench": "00001",
    "coarse-worldedit": "time_000",
}
"""Cases that are shown."""


def generated_sets(recorder: Recorder) -> None:
    """Every file of small made sets, with all tasks of both benchmarks."""
    small = ("--per-mode", "1", "--canvas", "384x384", "--conditions", "baseline,striped")
    recorder.command("generate/paintbench", "generate", "paintbench", "--out", "paintbench", *small, "-q")
    scenes = ("--tasks", "border,recolor,counting", "--conditions", "n_med,nonstandard", "--per-cell", "1")
    fresh = (*scenes, "--namespace", "fresh", "--points", "box", "--split", "test")
    recorder.command("generate/paintbench-fresh", "generate", "paintbench", "--out", "paintbench-fresh", *fresh, "-q")
    recorder.command("generate/tinygrafix", "generate", "tinygrafix", "--out", "tinygrafix", "--per-task", "1", "-q")
    for scoring in ("judged", "pixels"):
        recorder.command(f"generate/own-{scoring}", "suite", "new", f"own-{scoring}", "--scoring", scoring)
    recorder.finish()
    for name in ("paintbench", "paintbench-fresh", "tinygrafix", "own-judged", "own-pixels"):
        recorder.write_hashes(f"generate/{name}", name)
    for scoring in ("judged", "pixels"):
        recorder.command(f"generate/own-{scoring}-check", "suite", "check", f"own-{scoring}")


def pixel_runs(recorder: Recorder) -> None:
    """Runs that are scored by pixels: reference editors, repeats, edits in a folder, an editor that fails."""
    for flaw in ("drift", "shift"):
        recorder.run(f"pixels-{flaw}", "paintbench", "--data", "paintbench", "--editor", f"ref:{flaw}", "--limit", "40")
    spec = "ref:noise?strength=2"
    repeats = ("--data", "paintbench", "--editor", spec, "--limit", "12", "--repeats", "3")
    recorder.run("pixels-repeats", "paintbench", *repeats, "--where", "condition=baseline")
    recorder.run("pixels-memory", "paintbench", "--editor", "ref:half", "--limit", "5", "--strata", "paper")
    for flaw in ("jpeg", "resized"):
        recorder.run(f"charts-{flaw}", "tinygrafix", "--data", "tinygrafix", "--editor", f"ref:{flaw}")
    recorder.run("pixels-painter", "paintbench", "--data", "paintbench-fresh", "--editor", "python:painter:Painter")
    recorder.run("pixels-own", "own", "--data", "own-pixels", "--editor", "ref:cropped")
    recorder.finish()
    _fill_outputs(recorder)
    recorder.run("pixels-folder", "paintbench", "--data", "paintbench", "--editor", "folder:outputs", "--limit", "40")


def _fill_outputs(recorder: Recorder) -> None:
    """A folder of edits with files that are missing, in the way, or no pictures."""
    outputs = recorder.work / "outputs"
    shutil.copytree(recorder.work / "pixels-shift" / "images", outputs)
    files = sorted(outputs.rglob("*.png"))
    files[0].unlink()
    files[1].write_bytes(b"no picture")
    shutil.copy(files[2], files[2].with_name("9999_output.png"))


def judged_runs(recorder: Recorder) -> None:
    """A run of each judged benchmark, and the ways to ask and to count that every suite shares."""
    judge = ("--judge", recorder.judge.spec())
    painter, coarse = ("--editor", "python:painter:Painter"), ("--editor", "python:painter:Painter?brush=20")
    for name in JUDGED:
        suite, data = ("own", name) if name == "own-judged" else (name, name.removesuffix("-complex"))
        recorder.run(f"judged-{name}", suite, "--data", data, *painter, *judge)
    off = ("--cache", "off")
    recorder.run("coarse-picabench", "picabench", "--data", "picabench", *coarse, *judge, *off, "--samples", "2")
    panel = (*judge, "--judge", recorder.judge.spec("gpt-5"))
    recorder.run("coarse-worldedit", "worldedit", "--data", "worldedit", *coarse, *panel, *off, "--missing", "skip")
    repeats = ("--repeats", "2", "--limit", "8")
    recorder.run("coarse-kris", "kris", "--data", "kris", *coarse, *judge, *off, *repeats)
    released = (*off, "--accounting", "released")
    recorder.run("coarse-rise", "rise", "--data", "rise", *coarse, *judge, *released)
    picabench = {"region": "whole", "psnr": "channel-sum", "levels": "superficial,explicit"}
    recorder.run("options-picabench", "picabench", "--data", "picabench", *painter, *judge, *off, **picabench)
    worldedit = {"forms": "implicit,paraphrase", "kp_gate": "enforced"}
    recorder.run("options-worldedit", "worldedit", "--data", "worldedit", *painter, *judge, *off, **worldedit)
    wiseedit = {"languages": "en,cn", "unsupported": "skip"}
    recorder.run("options-wiseedit", "wiseedit", "--data", "wiseedit", *painter, *judge, *off, **wiseedit)
    recorder.finish()
    recorder.run("cached-kris", "kris", "--data", "kris", *painter, *judge)


def rescored_runs(recorder: Recorder) -> None:
    """Runs that are judged or counted again: another judge, another protocol, another accounting."""
    other = ("--judge", recorder.judge.spec("gpt-5"), "--cache", "off")
    ways: Mapping[str, tuple[str, ...]] = {
        "rescored-rise": ("judged-rise", *other),
        "rescored-protocol": ("judged-picabench", *other, "--protocol", "kris"),
        "rescored-pixels": ("pixels-painter", *other, "--protocol", "kris"),
        "rescored-released": ("judged-picabench", "--accounting", "released"),
    }
    for name, arguments in ways.items():
        recorder.rescore(name, *arguments)


def results(recorder: Recorder) -> None:
    """What reads runs: show, compare, report, figures, pack."""
    for run in recorder.fix_times():
        recorder.command(f"show/{run}", "show", run)
    recorder.finish()  # whoever reads a run first makes its tables anew, and says so
    for run, case in SHOWN.items():
        recorder.command(f"show/{run}-case", "show", run, case)
    pairs = {
        "pixels": ("pixels-drift", "pixels-shift"),
        "folder": ("pixels-drift", "pixels-shift", "pixels-folder"),
        "charts": ("charts-jpeg", "charts-resized"),
        "picabench": ("judged-picabench", "coarse-picabench"),
        "worldedit": ("judged-worldedit", "coarse-worldedit"),
        "rise": ("judged-rise", "coarse-rise"),
        "judges": ("judged-rise", "rescored-rise"),
    }
    for name, runs in pairs.items():
        recorder.command(f"compare/{name}", "compare", *runs, "--all-groups")
        recorder.command(f"compare/{name}-csv", "compare", *runs, "--csv")
    reports = {name: runs for name, runs in pairs.items() if name not in ("folder", "judges")}
    reports |= {name: (f"judged-{name}",) for name in ("wiseedit", "inedit", "kris", "own-judged")}
    reports |= {"repeats": ("pixels-repeats",), "several-suites": ("pixels-shift", "charts-jpeg", "judged-kris")}
    for name, runs in reports.items():
        recorder.report(name, *runs)
    recorder.figures("pixels", "pixels-drift", "pixels-shift")
    recorder.figures("judged", "judged-picabench", "coarse-picabench", "judged-kris")
    for name in ("pixels-repeats", "judged-picabench"):
        recorder.archive(name)


def listings(recorder: Recorder) -> None:
    """What the program says without a run: suites, editors, prompts, published results, the plan of an audit."""
    recorder.command("list/suites", "suites")
    recorder.command("list/suites-data", "suites", "--data", ".")
    recorder.command("list/editors", "editors")
    for kind in KINDS:
        recorder.command(f"list/editors-{kind}", "editors", kind)
    for number, spec in enumerate(SPECS):
        recorder.command(f"list/editors-spec-{number}", "editors", spec, "--json")
    for pack in PACKS:
        recorder.prompts(pack)
    recorder.command("published/list", "published")
    recorder.command("published/models", "published", "--models")
    for suite in SUITES:
        recorder.command(f"published/{suite}", "published", suite)
        recorder.command(f"published/{suite}-csv", "published", suite, "--csv")
        recorder.command(f"published/{suite}-slips", "published", suite, "--slips")
    audit = ("judge", "audit", "--judge", recorder.judge.spec(), "--n", "3", "--out", "audit")
    recorder.command("audit/plan", *audit, "--dry-run")
    recorder.command("audit/audit", *audit, "--cache", "off", "-q", expected=(0, 1))


STEPS: Mapping[str, Callable[[Recorder], None]] = {
    "generated sets": generated_sets,
    "pixel runs": pixel_runs,
    "judged runs": judged_runs,
    "rescored runs": rescored_runs,
    "results": results,
    "listings": listings,
}
"""In this order: later steps read what earlier ones made."""
