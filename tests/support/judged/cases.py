"""Cases of judged suites, made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editscope.cases import Case, Instruction, Question
from support.judged.lines import PIXELS

KRIS_TAGS = {"dimension": "d", "group": "g", "type": "t"}


def a_case(name: str, tags: Mapping[str, str], *texts: Instruction, **more: Any) -> Case:
    return Case(name, "s", (PIXELS,), texts or (Instruction("Wet it."),), tags, **more)


def bilingual(name: str, task: str) -> Case:
    texts = (Instruction("Wet it.", variant="en"), Instruction("弄湿", language="cn", variant="cn"))
    return a_case(name, {"task": task, "inputs": "single", "images": "1"}, *texts)


def asked(name: str, law: str, *labels: str) -> Case:
    tags = {"dimension": law, "law": law, "operation": "add", "level": "superficial"}
    return a_case(name, tags, questions=tuple(Question(f"Is it {n}?", label) for n, label in enumerate(labels)))
