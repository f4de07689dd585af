"""Keys: a server that repeats them, in whatever form and field, does not get them into any file or onto the screen."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import numpy as np
import pytest

from editscope.editors import Request, load_editor
from editscope.editors.make_edits import made
from editscope.images import encode_png
from editscope.judges import Call
from editscope.judges.records import Field, Schema
from editscope.outside import forms_of, redacted
from support.foreign_suite import MANIFEST, PROMPT
from support.judged_data_more import make_own
from support.servers.editor_server import OpenAIServer
from support.servers.editor_server import Reply as EditReply
from support.servers.http_editor_server import Raw, RawServer
from support.servers.judge_server import Asked, Fault, JudgeServer, Reply, ask_all
from support.worker_skeleton import filled

JUDGE_KEY = "sk-judge/Zq8+Fh3=Lw0-Tn6_Xe"
EDITOR_KEY = "sk-editor~Ky7!Pd2-Rb9_Vm4"
ENVIRONMENT_KEY = "hf_EnvironmentOnly0123456789"
COMMANDS = """
import json, sys
from editscope.cli import main
for arguments in json.loads(sys.argv[1]):
    try:
        main(arguments)
    except SystemExit as done:
        assert done.code in (None, 0, 1), arguments
"""
"""Several commands in one process, which is started once."""
SCALE = Schema((Field("score", "integer", 1, 5),))


def written(key: str) -> list[str]:
    """A key in all the ways in which a server may repeat it."""
    found = [key, quote(key, safe=""), quote(quote(key, safe=""), safe=""), quote_plus(key), key.encode().hex()]
    found += ["".join(f"%{ord(letter):02X}" for letter in key), "".join(f"\\u{ord(letter):04x}" for letter in key)]
    found += [json.dumps(key)[1:-1].replace("/", "\\/"), "".join(f"&#{ord(letter)};" for letter in key)]
    for before in ("", "u", "u:"):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            whole = encode(f"{before}{key}{before}".encode()).decode()
            found += [whole, whole.rstrip("="), quote(whole, safe="")]
    return list(dict.fromkeys(found))


def traces(key: str) -> list[bytes]:
    """What must not be found: every form, of base64 the middle, which depends on the key alone."""
    plain = [form for form in written(key) if not form.endswith("=")][:9]
    middles = [
        encode(f"{before}{key}".encode()).decode()[4:-4]
        for before in ("", "u", "u:")
        for encode in (base64.b64encode, base64.urlsafe_b64encode)
    ]
    return [form.encode() for form in (*plain, *middles)]


ALL = " / ".join(form for key in (JUDGE_KEY, EDITOR_KEY, ENVIRONMENT_KEY) for form in written(key))


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JUDGE_SECRET", JUDGE_KEY)
    monkeypatch.setenv("EDITOR_SECRET", EDITOR_KEY)
    monkeypatch.setenv("SOME_TOKEN", ENVIRONMENT_KEY)
    monkeypatch.setattr("editscope.outside._known", None)  # as in a process that starts with this environment
    yield


def clean(content: bytes) -> None:
    for key in (JUDGE_KEY, EDITOR_KEY, ENVIRONMENT_KEY):
        for form in traces(key):
            assert form not in content, form


def test_every_form_of_a_key_is_found_and_other_texts_stay() -> None:
    from editscope.outside import keep_secret

    keep_secret(JUDGE_KEY)
    for form in written(JUDGE_KEY):
        clean(redacted(f"said <{form}>").encode())
    for text in ("50 % of it \\ is & red", "sk-judge", "%2F\\u0041&#65;", base64.b64encode(bytes(300)).decode()):
        assert redacted(text) == text
    assert all(len(form) >= len(JUDGE_KEY) - 2 for form in forms_of(JUDGE_KEY))


def test_a_key_that_comes_in_two_parts_is_found_where_they_are_joined() -> None:
    half = len(JUDGE_KEY) // 2
    content = [{"type": "text", "text": JUDGE_KEY[:half]}, {"type": "text", "text": JUDGE_KEY[half:]}]

    class Split(JudgeServer):
        async def _judge(self, request: Any, kind: str, key: str) -> Any:
            from support.servers.loopback import as_json

            message = {"role": "assistant", "content": content}
            return as_json({"model": "m", "choices": [{"message": message, "finish_reason": "stop"}]})

    with Split() as server:
        (verdict,) = ask_all(server.spec(key_env="JUDGE_SECRET"), Call("q", ("?",), SCALE), again=0)
    assert verdict.reply == "[key]"


def echo(asked: Asked) -> Reply | Fault:
    """All forms of all keys in every field, by turns in another kind of answer."""
    ways = (
        Reply({"reason": ALL, "score": 4}, snapshot=ALL),
        Reply(ALL, snapshot=ALL),
        Reply(refusal=ALL, snapshot=ALL),
        Fault(400, ALL, error={"code": ALL, "type": ALL}),
        Fault(403, ALL),
    )
    return ways[asked.number % len(ways)]


def echoing_edits() -> list[EditReply]:
    picture = base64.b64encode(encode_png(np.zeros((8, 8, 3), np.uint8))).decode()
    drawn = {"model": ALL, "data": [{"b64_json": picture, "revised_prompt": ALL}], "usage": {"output_tokens": ALL}}
    return [EditReply(raw=drawn), EditReply(refused=ALL), EditReply(raw={"error": ALL, ALL: ALL}), EditReply(raw=drawn)]


@pytest.mark.slow
def test_no_file_and_no_line_of_a_run_holds_a_key(tmp_path: Path) -> None:
    cases = [
        {"id": f"c{n}", "image": f"images/{n}.png", "instruction": f"Write {n}.", "tags": {"kind": "a"}}
        for n in range(4)
    ]
    suite = make_own(tmp_path / "suite", MANIFEST, cases, {"legible.txt": PROMPT})
    said = b""
    with JudgeServer(echo) as judge, OpenAIServer(echoing_edits()) as editor:
        run = ["run", str(suite), "--out", "run", "--judge", judge.spec(key_env="JUDGE_SECRET")]
        run += ["--editor", editor.spec(key_env="EDITOR_SECRET"), "--retries", "0", "--jobs", "1", "--cache", "cache"]
        shown = [["show", "run"], ["show", "run", "c0"], ["report", "run", "--out", "report.html"]]
        command = [sys.executable, "-c", COMMANDS, json.dumps([run, *shown])]
        done = subprocess.run(command, capture_output=True, cwd=tmp_path, check=False)
        assert b"Traceback" not in done.stderr and done.returncode == 0, done.stderr
        said += done.stdout + done.stderr
        assert judge.calls >= 2 and editor.calls >= 4
    clean(said)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"journal.jsonl", "run.json", "report.html"} <= {path.name for path in files}
    for path in files:
        clean(path.read_bytes())


@pytest.mark.slow
def test_an_http_editor_and_a_worker_cannot_repeat_keys_either(tmp_path: Path) -> None:
    request = Request("c", (np.zeros((8, 8, 3), np.uint8),), "Make it red.", seed=0)
    said = {"status": "refused", "reason": ALL, "trace": ALL, "asked": ALL, "model": ALL, "notes": [ALL]}
    answers = [Raw(body=said), Raw(body=ALL.encode(), type="text/plain"), Raw(400, body={"error": ALL})]
    edits = []
    with RawServer(answers) as server:
        editor = load_editor(f"{server.url}#key_env=EDITOR_SECRET")
        load_judges_key()
        editor.load()
        for _ in answers:
            edits += made(editor, [request])
        editor.close()
    worker = tmp_path / "worker.py"
    names = ("JUDGE_SECRET", "EDITOR_SECRET", "SOME_TOKEN")
    worker.write_text(
        filled(
            "def load(options):\n    print(dict(os.environ))\n    return {}\n\n"
            f"def edit(request):\n    said = ' '.join(os.environ[name] for name in {names!r})\n"
            "    return {'status': 'error', 'reason': said, 'trace': said, 'model': said}\n"
        )
    )
    editor = load_editor(f"worker:{sys.executable} {worker}?log={tmp_path / 'log.txt'}")
    editor.load()
    edits += made(editor, [request])
    editor.close()
    clean(repr(edits).encode())
    assert "[key]" in str(edits[-1].reason)
    clean((tmp_path / "log.txt").read_bytes())


def load_judges_key() -> None:
    """As a run does that has this judge, too."""
    from editscope.transport.keys import key_from

    assert key_from("JUDGE_SECRET") == JUDGE_KEY
