"""Versions of an editor's code: run.json lists them, and the line of each edit says by which one it was made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from editscope.wording import count

CODE = "code"
"""The key of an edit's line, and of the editor in run.json."""


def versions_of(info: Mapping[str, Any], edits: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """How many of these edits each version of the code has made, in the order in which they appeared.

    Edits whose line does not say it are left out: those of older versions, and of editors without code of their own.

    >>> info = {"editor": {"code": [{"hash": "a1", "file": "my.py"}, {"hash": "b2", "file": "my.py"}]}}
    >>> versions_of(info, [{"code": "b2"}, {"code": "a1"}, {"code": "a1"}, {}])
    [{'hash': 'a1', 'file': 'my.py', 'edits': 2}, {'hash': 'b2', 'file': 'my.py', 'edits': 1}]
    """
    edits_by = Counter(line[CODE] for line in edits if line.get(CODE))
    listed = {version["hash"]: version["file"] for version in info["editor"].get(CODE, ())}
    last = next(reversed(listed.values()), "the editor’s code")
    hashes = [*(one for one in listed if one in edits_by), *(one for one in edits_by if one not in listed)]
    return [{"hash": one, "file": listed.get(one, last), "edits": edits_by[one]} for one in hashes]


def several_versions(info: Mapping[str, Any], edits: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What summary.json says where edits of several versions count; nothing where all are of one."""
    versions = versions_of(info, edits)
    return {"code_versions": versions} if len(versions) > 1 else {}


def versions_in_words(summary: Mapping[str, Any]) -> str:
    """A sentence for a run whose edits were made by several versions of the code; "" for every other.

    >>> a, b = {"file": "my.py", "edits": 12}, {"file": "my.py", "edits": 8}
    >>> versions_in_words({"code_versions": [a, b]})
    'edits were made by 2 versions of my.py: 12 by the first, 8 by the second'
    """
    versions = summary.get("code_versions") or ()
    if not versions:
        return ""
    files = " and ".join(dict.fromkeys(version["file"] for version in versions))
    whole = f"edits were made by {count(len(versions), 'version')} of {files}"
    if len(versions) > 2:
        return f"{whole}: {', '.join(format(version['edits'], ',') for version in versions)} edits"
    return f"{whole}: {versions[0]['edits']:,} by the first, {versions[1]['edits']:,} by the second"
