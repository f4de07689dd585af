"""A small suite of one judged metric, for texts that come from outside."""

from __future__ import annotations

PROMPT = """version: 1
pictures: source, edit
words: instruction
reply: score 1-5
---
{instruction} [[source]]
[[edit]]
"""
MANIFEST = """
name = "foreign"
tags = ["kind"]

[[metrics]]
name = "legible"
prompt = "legible.txt"
"""
