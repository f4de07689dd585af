"""The walk of one case through the house: which files it passes, in order, and how often it goes from one to another.

Only functions count, not imports; worker processes are followed too. Give another checkout to compare it:
``python benchmarks/walk_of_a_case.py --tree OTHER``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.append(str(HERE / "tests"))

FOLLOWER = """
import atexit, json, os, sys, threading, time

source, steps = os.environ["WALK_SOURCE"] + os.sep, []

def follow(frame, event, argument):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(source) or not code.co_flags & 1:
        return  # not a function of ours: bodies of modules and classes run when they are imported
    before = frame.f_back
    while before is not None and not before.f_code.co_filename.startswith(source):
        before = before.f_back
    caller = before.f_code.co_filename[len(source):] if before else ""
    steps.append((time.time(), caller, code.co_filename[len(source):]))

def write():
    sys.setprofile(None)
    with open(os.path.join(os.environ["WALK_OUT"], f"{os.getpid()}.json"), "w") as file:
        json.dump(steps, file)

atexit.register(write)
threading.setprofile(follow)
sys.setprofile(follow)
"""


def walk(tree: Path, python: str, arguments: list[str], folder: Path) -> tuple[list[str], list[tuple[str, str]]]:
    """The files that one command passes, in the order of the first call, and every call from one file into another."""
    steps, follower = folder / "steps", folder / "follower"
    steps.mkdir()
    follower.mkdir()
    (follower / "sitecustomize.py").write_text(FOLLOWER)
    source = tree / "src"
    paths = os.pathsep.join((str(follower), str(source)))
    env = {**os.environ, "PYTHONPATH": paths, "WALK_SOURCE": str(source / "editscope"), "WALK_OUT": str(steps)}
    command = [python, "-m", "editscope", *arguments, "--jobs", "1", "--quiet"]
    subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True)
    every = sorted(tuple(step) for path in steps.glob("*.json") for step in json.loads(path.read_text()))
    hops = [(before, file) for _, before, file in every if before and before != file]
    return list(dict.fromkeys(file for _, _, file in every)), hops


def main() -> None:
    """Print both walks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", type=Path, default=HERE, help="a checkout [this one]")
    parser.add_argument("--python", default=sys.executable, help="its Python [this one]")
    parser.add_argument("--files", action="store_true", help="also print the files, in order")
    asked = parser.parse_args()
    from support.judged_data import make_worldedit

    os.environ["OPENAI_API_KEY"] = "none"
    with tempfile.TemporaryDirectory() as name:
        folders = {title: Path(name, title) for title in ("pixel", "judged")}
        for folder in folders.values():
            folder.mkdir()
        data = make_worldedit(Path(name, "data"), 1)
        command = [sys.executable, "-m", "support.servers.judge_server"]
        with subprocess.Popen(command, cwd=HERE / "tests", stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                judge = f"openai:m?base_url={server.stdout.readline().strip()}"
                commands = {
                    "pixel": ["run", "paintbench", "--editor", "ref:drift"],
                    "judged": ["run", "worldedit", "--data", str(data), "--editor", "ref:identity", "--judge", judge],
                }
                for title, arguments in commands.items():
                    files, hops = walk(
                        asked.tree.resolve(), asked.python, [*arguments, "--limit", "1", "--out", "run"], folders[title]
                    )
                    print(
                        f"{title} case: {len(files)} files; {len(set(hops))} pairs of files that call each other, "
                        f"{len(hops):,} calls between them"
                    )
                    if asked.files:
                        print("\n".join(f"  {file}" for file in files))
            finally:
                server.kill()


if __name__ == "__main__":
    main()
