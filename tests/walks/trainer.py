"""The owner of a training run: checkpoints that come in, a score that falls, JSON for scripts, rewards in batches."""

from __future__ import annotations

from walks.pages import look
from walks.walk import Walk

ABOUT = "trains a model for weeks, saves a checkpoint every few hours, and wants to know when it gets worse"

MODEL = '''
"""A model whose only weight is how much of an edit it does right; a checkpoint is a file that holds it."""

from pathlib import Path

import numpy as np

import editscope as es


class Model(es.Editor):
    def __init__(self, path: str):
        self.path = path

    def load(self):
        self.quality = float(Path(self.path).read_text())
        self.suite = es.load_suite("paintbench")

    def edit(self, case):
        answer = es.to_array(self.suite.case(case.case_id).answer)
        edited = np.array(case.arrays[0])
        done = np.random.default_rng(case.seed).random(edited.shape[:2]) < self.quality
        edited[done] = answer[done]
        return edited
'''

GUARD = """
import json
import subprocess
import sys

printed = subprocess.run(["editscope", "compare", *sys.argv[1:], "--json"], capture_output=True, text=True, check=True)
first = json.loads(printed.stdout)["rows"][0]
print(f"difference {first['difference']:.1f} ({first['lo']:.1f} to {first['hi']:.1f}), p = {first['p']:.4f}")
sys.exit(first["hi"] < 0)
"""

REWARD = """
import sys

import numpy as np

import editscope as es

suite = es.load_suite("paintbench")
cases = [suite.case(case_id) for case_id in suite.ids[:4]]
inputs = es.to_array([case.images[0] for case in cases], layout="nchw", dtype="float32")
answers = es.to_array([case.answer for case in cases], layout="nchw", dtype="float32")
outputs = answers.copy()
outputs[1] = inputs[1]                                    # nothing was done
outputs[2] = np.clip(outputs[2] + 0.02, 0, 1)             # a little off everywhere
rewards = [score.miou for score in es.score_batch(inputs, answers, outputs)]
print([round(reward, 3) for reward in rewards], "torch" in sys.modules)
try:
    es.score_batch(inputs, answers, outputs * 255)
except es.EditscopeError as error:
    print(error)
"""


def walk(w: Walk) -> None:
    """From the first checkpoint to an alarm, a comparison, and a reward."""
    w.write("mine.py", MODEL)
    w.say("Three checkpoints are there")
    (w.place / "out").mkdir()
    for step, quality in ((100, 0.5), (200, 0.7), (300, 0.72)):
        w.write(f"out/step-{step}.pt", f"{quality}\n")
    watch = (
        "editscope watch out --suite paintbench --limit 40 --pattern '*.pt' --settle 0 "
        "--editor 'python:mine:Model?path={checkpoint}' --out runs/watch --once"
    )
    w.type(watch.replace("{checkpoint}", "checkpoint"), code=2, shows=["{checkpoint}"])
    w.type(watch.replace("path=", "pth="), code=2, shows=["pth", "path"])
    w.type(watch, shows=["step-100.pt", "best so far"], makes=["runs/watch/watch.html"])
    look(w, "runs/watch/watch.html")

    w.say("The next one is worse, and one is broken")
    w.write("out/step-400.pt", "0.4\n")
    w.write("out/step-500.pt", "not a number\n")
    w.type(watch, code=1, shows=["step-400.pt", "FALLEN", "step-500.pt could not be evaluated"])
    w.type("cat runs/watch/watch.csv")
    w.type("editscope compare runs/watch/step-300.pt runs/watch/step-400.pt", shows=["***"], again=True)

    w.say("In scripts")
    shown = w.json("editscope show runs/watch/step-300.pt --json")
    w.expect(shown.get("cases") == 40 and shown.get("complete"), "the run has its 40 cases")
    w.write("guard.py", GUARD)
    w.script("python guard.py runs/watch/step-300.pt runs/watch/step-400.pt", code=1, shows=["difference -"])
    w.script("python guard.py runs/watch/step-100.pt runs/watch/step-200.pt", shows=["difference "])
    for command in ("suites", "editors", "published paintbench", "doctor"):
        w.json(f"editscope {command} --json")
    w.script("editscope show runs/nowhere --json", code=2, shows=["runs/nowhere"])

    w.say("A reward for reinforcement learning")
    w.write("reward.py", REWARD)
    w.script("python reward.py", shows=["[1.0, 0.0, 0.", "False", "triple 0", "divide by 255"])
