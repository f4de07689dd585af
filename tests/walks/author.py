"""A benchmark author: a folder of cases, prompts with pictures in the middle of a line, requests to look at."""

from __future__ import annotations

from support.servers.judge_server import JudgeServer
from walks.pages import look
from walks.walk import Walk

ABOUT = "has thirty pictures of street signs and wants a benchmark that others can run"

FILE = "signs/prompts/following.txt"
PROMPT = """version: 2
pictures: source, edit
words: instruction
reply: score 1-5
---
Somebody asked for this: {instruction}

Original: [[source]] Edited: [[edit]]

How well was it done? 5: exactly. 3: about half of it. 1: not at all.

Reply with one JSON object and nothing else: {"reason": "<one sentence>", "score": <integer from 1 to 5>}
"""


def walk(w: Walk) -> None:
    """From an empty folder to a run by a judge, with every request looked at first."""
    with JudgeServer() as server:
        judge = f"--judge '{server.spec()}'"
        w.say("Start")
        w.type(
            "editscope suite new signs", shows=["editscope run signs"], makes=["signs/suite.toml", "signs/cases.jsonl"]
        )
        w.type("ls -R signs")
        w.type("cat signs/suite.toml")
        w.type("cat signs/cases.jsonl")
        w.type("editscope suite check signs", shows=["signs"], again=True)
        w.type("editscope prompts show signs", again=True)

        w.say("My own prompt, with both pictures in one line")
        w.write(FILE, PROMPT.replace("[[edit]]", "[[edti]]"))
        w.type("editscope suite check signs", code=2, shows=["[[edti]]", "edit", "following.txt"])
        w.write(FILE, PROMPT.replace(" Edited: [[edit]]", ""))
        w.type("editscope suite check signs", code=2, shows=["edit", "following.txt"])
        w.write(FILE, PROMPT)
        w.type("editscope suite check signs", shows=["signs"])
        w.type("editscope prompts show signs following --request", shows=["[source", "[edit"], again=True)
        w.type("editscope prompts show signs following --html request.html", makes=["request.html"])
        look(w, "request.html")

        w.say("A judge looks at it")
        w.type(f"editscope run signs --editor ref:identity {judge} --dry-run", shows=["nothing was done"])
        w.type(
            f"editscope run signs --editor ref:identity {judge} --out runs/same", shows=["editscope report runs/same"]
        )
        asked = [request for request in server.asked if "Somebody asked for this" in request.text]
        w.expect(
            asked and all(len(request.pictures) == 2 for request in asked),
            "every request of my prompt had two pictures",
        )
        w.type("editscope show runs/same", again=True)
        w.type("editscope report runs/same --out same.html", makes=["same.html"])
        look(w, "same.html")
        picture = next((w.place / "signs").rglob("*.png")).relative_to(w.place)
        w.type(
            f"editscope judge one --rubric signs --source {picture} --edit {picture} "
            f"--instruction 'Make the sign say GO.' {judge} --field category=text",
        )

        w.say("Cases with mistakes in them")
        cases = (w.place / "signs" / "cases.jsonl").read_text()
        w.write("signs/cases.jsonl", cases + '{"id": "new", "image": "images/nowhere.png", "instruction": "Go."}\n')
        w.type("editscope suite check signs", code=2, shows=["images/nowhere.png", "cases.jsonl"])
        w.type(f"editscope run signs --editor ref:identity {judge}", code=2, shows=["images/nowhere.png"])
