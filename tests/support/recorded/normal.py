"""Results without what differs from one recording to the next: times, versions, folders and ports; nothing else."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

JOURNAL_DROPS = frozenset({"at", "sum", "latency_s"})
RUN_DROPS = frozenset({"created", "editscope", "versions"})
SUMMARY_DROPS = frozenset({"made_from", "speed"})
SCORES_DROPS = frozenset({"latency_s"})

_TIME = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z| UTC)?")
_SPEED = re.compile(r"[\d.,]+ (ms|s|min) an edit \(95 %: [\d.,]+ (ms|s|min)\) · [\d.,]+ edits a second")
_DATA_URI = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64,([A-Za-z0-9+/=]+)")
_SCRIPT = re.compile(r"(<script[^>]*>)(.*?)(</script>)", re.DOTALL)
_SCRIPT_HASH = re.compile(r"sha256-[A-Za-z0-9+/]{43}=")
_VERSION = re.compile(r"(<dt>(?:created|editscope|python|platform|numpy|numba|pillow|isal)</dt><dd>)[^<]*(</dd>)")
_ENCODED = re.compile(r'"([A-Za-z0-9+/]{200,}={0,2})"')


def sha256(data: bytes) -> str:
    """The first half of the hash, which is enough to see a difference."""
    return hashlib.sha256(data).hexdigest()[:32]


def plain(text: str, places: Mapping[str, str]) -> str:
    """A text without times and speeds, and with names in place of folders and addresses."""
    for place, name in places.items():
        text = text.replace(place, name)
    return _SPEED.sub("SPEED", _TIME.sub("TIME", text))


def file_hashes(folder: Path, pattern: str = "*") -> str:
    """A line for each file under a folder: hash and path."""
    files = sorted(path for path in folder.rglob(pattern) if path.is_file())
    return "".join(f"{sha256(path.read_bytes())}  {path.relative_to(folder).as_posix()}\n" for path in files)


def journal(path: Path) -> str:
    """The lines of a journal, sorted: their order depends on which worker is done first."""
    lines = (json.loads(line) for line in path.read_bytes().splitlines())
    return "".join(sorted(json.dumps(_less(line, JOURNAL_DROPS), ensure_ascii=False) + "\n" for line in lines))


def fix_times(path: Path) -> None:
    """Give the lines of a journal times that follow from the case, so that what is shown of them can be compared.

    The lines lose their checksums, as lines of version 0.1 have none; Editscope then makes the tables anew.
    """
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    fixed = [json.dumps(_timed(_less(line, frozenset({"sum"})), _number(line)), ensure_ascii=False) for line in lines]
    path.write_text("".join(f"{line}\n" for line in fixed), encoding="utf-8")


def _number(line: Mapping[str, Any]) -> int:
    """A number below 1,000 that is the line's own."""
    verdict = line.get("verdict") or {}
    about = [line.get(name) for name in ("case", "variant", "key", "sample")] + [verdict.get("judge", "")[:12]]
    return int(hashlib.sha256(json.dumps(about).encode()).hexdigest(), 16) % 1000


def _timed(value: Any, number: int) -> Any:
    if isinstance(value, list):
        return [_timed(inner, number) for inner in value]
    if not isinstance(value, dict):
        return value
    timed = {name: _timed(inner, number) for name, inner in value.items()}
    if timed.get("latency_s") is not None:
        timed["latency_s"] = (number + 1) / 1000
    if "at" in timed:
        timed["at"] = f"2030-01-01T00:{number % 10:02d}:{number // 20:02d}.000+00:00"
    return timed


def run_json(path: Path) -> str:
    """What a run says about itself, less the versions of everything."""
    content = _less(json.loads(path.read_bytes()), RUN_DROPS)
    if content["files"]["digest"]:  # of paths and times of files
        content["files"]["digest"] = "DIGEST"
    for judge, snapshots in content.get("judging", {}).get("snapshots", {}).items():
        content["judging"]["snapshots"][judge] = dict(sorted(snapshots.items()))
    return _indented(content)


def summary(path: Path) -> str:
    """The figures of a run, less how long it took and which files they were made from."""
    return _indented(
        {name: value for name, value in json.loads(path.read_bytes()).items() if name not in SUMMARY_DROPS}
    )


def scores(path: Path) -> str:
    """The table of scores as CSV, floats in full."""
    from pyarrow import parquet

    table = parquet.read_table(path)
    columns = [name for name in table.column_names if name not in SCORES_DROPS]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([f"{name} ({table.schema.field(name).type})" for name in columns])
    writer.writerows(
        [repr(row[name]) if row[name] is not None else "" for name in columns] for row in table.to_pylist()
    )
    return text.getvalue()


def html(text: str) -> str:
    """A page line by line: pictures and Plotly as hashes, JSON indented.

    The hashes of scripts in the page's policy go, because the scripts themselves are there.
    """
    text = _SCRIPT_HASH.sub("sha256-HASH", _VERSION.sub(r"\1VERSION\2", text))
    text = _SCRIPT.sub(_script, text)
    text = _DATA_URI.sub(lambda match: f"data:{match[1]};sha256={sha256(match[2].encode())}", text)
    return re.sub(r"(</[a-z0-9]+>)(?=<)", r"\1\n", text)


def _script(match: re.Match[str]) -> str:
    opening, body, closing = match.groups()
    if 'id="plotly"' in opening:
        body = f"{len(body)} characters, {sha256(body.encode())}"
    elif "application/json" in opening:
        body = _ENCODED.sub(lambda found: f'"sha256={sha256(found[1].encode())}"', _indented(json.loads(body)))
    return f"{opening}\n{body}\n{closing}\n"


def _less(value: Any, names: frozenset[str]) -> Any:
    """A JSON value without these keys, however deep."""
    if isinstance(value, dict):
        return {key: _less(inner, names) for key, inner in value.items() if key not in names}
    return [_less(inner, names) for inner in value] if isinstance(value, list) else value


def _indented(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
