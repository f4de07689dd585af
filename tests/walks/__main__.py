"""``make personas``: five people walk through Editscope in a clean environment, and what they saw is kept."""

from __future__ import annotations

import argparse
import importlib
import platform
import shutil
import sys
import time
from pathlib import Path

from editscope.version import __version__
from walks.clean import environment, install
from walks.transcripts import write_index, write_transcript
from walks.walk import Walk

PERSONAS = ("student", "engineer", "author", "trainer", "phone")


def walked(persona: str, folder: Path, python: Path) -> tuple[Walk, str]:
    """One person's walk in a new folder, with its transcript written, also where the walk broke off."""
    module = importlib.import_module(f"walks.{persona}")
    place = folder / persona
    shutil.rmtree(place, ignore_errors=True)
    walk = Walk(persona, place, environment(python, place / "home"))
    try:
        module.walk(walk)
    finally:
        write_transcript(walk, f"Somebody who {module.ABOUT}.")
    return walk, module.ABOUT


def main() -> int:
    """Walk; 1 where something was not as expected."""
    parser = argparse.ArgumentParser(description="Walk through Editscope as five people would, and keep what they saw.")
    parser.add_argument("persona", nargs="*", choices=[*PERSONAS, []], help="who walks [all five]")
    parser.add_argument("--out", type=Path, default=Path("walks"), help="the folder for transcripts [walks]")
    parser.add_argument("--python", type=Path, help="an environment that has Editscope [a new one, made with pip]")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    if given.python is None:
        shutil.rmtree(given.out / "environment", ignore_errors=True)
        print("installing Editscope into a new environment", flush=True)
    python = given.python or install(given.out.resolve() / "environment")
    remarks = [
        f"Editscope {__version__} on Python {platform.python_version()}, {platform.system()}; "
        + ("an environment that was there" if given.python else f"installed in {time.monotonic() - began:.0f} s")
        + "."
    ]
    walks = []
    for persona in given.persona or PERSONAS:
        walks.append(walked(persona, given.out.resolve(), python))
        walk = walks[-1][0]
        print(f"{persona}: {len(walk.steps)} steps, {len(walk.faults)} not as expected", flush=True)
        for fault in walk.faults:
            print(f"  {fault}", flush=True)
    print(write_index(walks, given.out.resolve(), remarks))
    return 1 if any(walk.faults for walk, _ in walks) else 0


if __name__ == "__main__":
    sys.exit(main())
