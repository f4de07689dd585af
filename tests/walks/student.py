"""A student with a model: the demo, a class around a pipeline of their own, its mistakes, a report."""

from __future__ import annotations

from walks.pages import look
from walks.walk import Walk

ABOUT = "has a model of their own, called like a diffusers pipeline, and needs a number for it today"

PIPELINE = '''
"""My model. It is called like a pipeline of diffusers."""

from types import SimpleNamespace

from PIL import ImageEnhance, ImageFilter


class SoftPaint:
    def __call__(self, image, prompt, num_inference_steps=4, seed=0):
        for step in range(num_inference_steps):
            print(f"denoising step {step + 1}/{num_inference_steps}")
            image = image.filter(ImageFilter.MedianFilter(3))
        return SimpleNamespace(images=[ImageEnhance.Color(image).enhance(1.1)])
'''

EDITOR = """
import editscope as es

from soft_paint import SoftPaint


class MyEditor(es.Editor):
    def __init__(self, steps: int = 2):
        self.steps = steps

    def load(self):
        self.pipe = SoftPaint()

    def edit(self, case):
        return self.pipe(case.images[0], case.instruction, num_inference_steps=self.steps, seed=case.seed).images{which}
"""

PYTHON = """
import editscope as es
from my_model import MyEditor

suite = es.load_suite("paintbench")
run = es.run(suite, MyEditor(steps=1), limit=10, out="runs/python")
print(run.summary["overall"]["miou"])
for case in run.cases().worst(2):
    print(case.case_id, case.failure, case.instruction)
"""

PLAIN = """
import editscope as es
from soft_paint import SoftPaint

try:
    es.run(es.load_suite("paintbench"), SoftPaint(), limit=5, out="runs/plain")
except es.EditscopeError as error:
    print(error)
"""


def walk(w: Walk) -> None:
    """From nothing to a report on a model of one's own."""
    w.say("The first minute")
    w.type("editscope demo", shows=["report"], makes=["demo/report.html"])
    look(w, "demo/report.html")
    w.type("editscope", code=2, shows=["demo", "run", "doctor"], again=True)
    w.type("editscope doctor", shows=["python", "paintbench"])
    w.type("editscope suites", shows=["paintbench", "1,920"], again=True)

    w.say("A model of my own, with a mistake in it")
    w.write("soft_paint.py", PIPELINE)
    w.write("my_model.py", EDITOR.replace("{which}", ""))
    mine = "editscope run paintbench --limit 40"
    w.type(
        f"{mine} --editor python:my_model:MyEditor --out runs/mine",
        code=3,
        shows=["the first 5 edits", "list", "--keep-going", "errors.log"],
        lacks=["denoising step"],
    )
    w.type("cat runs/mine/errors.log")
    w.write("my_model.py", EDITOR.replace("{which}", "[0]"))
    w.type(f"{mine} --editor 'python:my_model:MyEditor?stepz=1' --out runs/mine2", code=2, shows=["stepz", "steps"])
    w.type(f"{mine} --editor 'python:my_model:MyEditor?steps=four' --out runs/mine2", code=2, shows=["steps", "four"])
    w.type(f"{mine} --editor python:my_modell:MyEditor", code=2, shows=["my_modell"])

    w.say("Now it works; I stop it and go on later")
    w.type(
        f"{mine} --editor python:my_model:MyEditor --out runs/mine",
        keys=[(" 2/40", "\x03")],
        code=3,
        shows=["editscope resume runs/mine"],
    )
    w.type(
        "editscope resume runs/mine",
        shows=["mIoU", "40 of 1,920 cases", "editor.log", "editscope report runs/mine"],
        lacks=["denoising step"],
    )
    w.type("editscope show runs/mine", shows=["overall", "by condition", "40 of 1,920 cases"], again=True)
    w.type("editscope show runs/mine border/000", code=2, shows=["border/000"])
    w.type("editscope report runs/mine --out mine.html", makes=["mine.html"])
    look(w, "mine.html")
    w.type("editscope report runs/mine --out mine.tex", makes=["mine.tex"])
    w.type("cat mine.tex", shows=["40 of 1,920 cases"])

    w.say("The same from Python")
    w.write("evaluate.py", PYTHON)
    w.type("python evaluate.py", shows=["'mean'"])
    w.write("plain.py", PLAIN)
    w.type("python plain.py", shows=["MyEditor(editscope.Editor)"])
