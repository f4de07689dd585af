"""Texts of runs without what is of this machine only: folders above a file, addresses of servers."""

from __future__ import annotations

import re

_PATH = re.compile(r"""(?:(?<=^)|(?<=[\s='"(:,\[]))(?:~?/(?!/)|[A-Za-z]:\\)[^\s'"?&,;)\]]*""")
"""An absolute path, or one below a home folder, where a word can begin."""
_ADDRESS = re.compile(r"(?<=[?&])(?:base_url|key_env)=[^&\s]*&?")


def without_folders(text: str) -> str:
    """A text whose absolute paths have only their last name.

    >>> without_folders("no file /home/ada/sets/a.png, see http://host/a/b and 1/2")
    'no file a.png, see http://host/a/b and 1/2'
    >>> without_folders("Model?weights=/data/step-100.pt"), without_folders("C:\\\\Users\\\\ada\\\\out")
    ('Model?weights=step-100.pt', 'out')
    """
    return _PATH.sub(lambda match: re.split(r"[/\\]", match[0].rstrip("/\\"))[-1] or "/", text)


def public_spec(spec: str) -> str:
    """The spec of an editor or judge without folders and without the address of its server.

    >>> public_spec("openai:gpt-4o?base_url=http://10.0.0.7/v1&seed=1"), public_spec("local:/models/Qwen3-VL")
    ('openai:gpt-4o?seed=1', 'local:Qwen3-VL')
    """
    return without_folders(_ADDRESS.sub("", spec).rstrip("?&"))
