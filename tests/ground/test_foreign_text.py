"""Texts from outside: whatever comes in through any door, a run can keep it, resume it, show it and report it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from drills import counts
from editscope.cases import Edit
from editscope.cli import main
from editscope.editors import Editor, Request, load_editor
from editscope.editors.make_edits import failed, made
from editscope.errors import BadInput
from editscope.images import encode_png
from editscope.judges import Call, Verdict
from editscope.judges.cache import CachedJudge, VerdictCache
from editscope.judges.records import Field, Judge, Schema
from editscope.outside import LONGEST, is_text
from editscope.runfolder.journal import Journal, read_journal
from editscope.runfolder.run_json import info_json
from editscope.runs.engine.case_steps import edit_line
from editscope.runs.plan import make_plan
from editscope.runs.start import resume
from editscope.suites import load_suite
from editscope.suites.own.data import load as load_own
from support.foreign_suite import MANIFEST, PROMPT
from support.judged_data_more import make_own
from support.nasty_strings import BUNDLES, NASTY
from support.places import TESTS
from support.servers.editor_server import OpenAIServer
from support.servers.editor_server import Reply as EditReply
from support.servers.editor_server_ark import ArkServer, Drawn
from support.servers.editor_server_bfl import BFLServer, Task
from support.servers.editor_server_chat import ChatServer
from support.servers.editor_server_gemini import GeminiServer
from support.servers.http_editor_server import Raw, RawServer
from support.servers.judge_server import Asked, Fault, JudgeServer, Reply, ask_all
from support.worker_skeleton import filled

SCALE = Schema((Field("score", "integer", 1, 5),))
WORKER = """
sys.path.insert(0, {tests!r})
from support.nasty_strings import BUNDLES as NASTY

def load(options):
    return {{"name": NASTY[0], "model": NASTY[1], "max_images": 1}}

def edit(request):
    text = NASTY[int(request.case[1:])]
    print(text.encode("utf-8", "replace").decode())
    said = {{"trace": text, "model": text, "reason": text}}
    if int(request.case[1:]) % 10 == 3:
        return dict(said, status="refused")
    return dict(said, image=request.images[0])
"""


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "BFL_API_KEY", "ARK_API_KEY"):
        monkeypatch.setenv(name, "key-of-this-test-file")
    yield


def request(number: int = 0, instruction: str = "Make it red.") -> Request:
    return Request(f"c{number}", (np.full((8, 8, 3), 200, np.uint8),), instruction, seed=0)


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, names too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for one in pair for text in texts(one))
    elif isinstance(value, list | tuple):
        yield from (text for one in value for text in texts(one))


def keep(folder: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Write lines to a journal and read them back: nothing is lost, and every text is one."""
    folder.mkdir(parents=True, exist_ok=True)
    with Journal(folder) as journal:
        for line in lines:
            journal.append(line)
    kept = read_journal(folder)
    assert len(kept) == len(lines)
    for line, back in zip(lines, kept, strict=True):
        back.pop("sum")  # the checksum of the line
        assert list(texts(line)) == list(texts(json.loads(json.dumps(back))))  # valid where it came in, not here
        assert all(is_text(text) and len(text) <= LONGEST + 100 for text in texts(back))


def verdict_lines(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    return [
        {"step": "verdict", "case": f"c{n}", "key": "q", "sample": 0, "digest": "0", "verdict": verdict.to_json()}
        for n, verdict in enumerate(verdicts)
    ]


def edit_lines(edits: Sequence[Edit]) -> list[dict[str, Any]]:
    return [edit_line(edit, n) for n, edit in enumerate(edits)]


def nasty(number: int) -> str:
    return NASTY[number % len(NASTY)]


# --- judges ---------------------------------------------------------------------------------------------------


def odd_answers(asked: Asked) -> Reply | Fault:
    """The text of the call's number in the reply, the model, a refusal, an error: by turns."""
    kind, _, number = asked.text.partition("#")
    text = (BUNDLES if "bundle" in kind else NASTY)[int(number.split()[0])]
    ways = (
        Reply({"reason": text, "score": 4}, snapshot=text),
        Reply(json.dumps({"reason": text, "score": 4}), snapshot=text),  # half a character only in the inner JSON
        Reply(text),
        Reply(refusal=text or "no", snapshot=text),
        Fault(400, text),
    )
    return ways[asked.number % len(ways)]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("kind", ["openai", "responses", "gemini", "anthropic"])
def test_replies_of_judges_can_be_kept(tmp_path: Path, kind: str) -> None:
    calls = [Call("q", (f"number #{n} ",), SCALE) for n in range(len(NASTY))]
    with JudgeServer(odd_answers) as server:
        verdicts = ask_all(server.spec("m", kind), *calls, again=0, retries=0, give_up=10_000)
    assert len(verdicts) == len(NASTY)
    assert {verdict.status for verdict in verdicts} >= {"ok", "unparsed", "refused", "error"}
    keep(tmp_path, verdict_lines(verdicts))


def test_half_a_character_in_a_reply_is_no_reason_to_ask_again() -> None:
    with JudgeServer(lambda asked: Reply({"reason": "a \ud800 b", "score": 4}, snapshot="m\udfff")) as server:
        (verdict,) = ask_all(server.spec(), Call("q", ("?",), SCALE))
    assert (server.calls, verdict.status, verdict.values) == (1, "ok", {"score": 4})
    assert (verdict.reason, verdict.snapshot) == ("a \ufffd b", "m\ufffd")


class OddJudge(Judge):
    """A judge of one's own, which says what it likes."""

    spec = "odd"

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        text = nasty(sample)
        return Verdict("ok", {"score": 3}, reason=text, reply=text, snapshot=text, judge=self.spec, sample=sample)


def test_a_judge_of_ones_own_and_the_cache_can_be_kept(tmp_path: Path) -> None:
    call, judge = Call("q", ("?",), SCALE), CachedJudge(OddJudge(), VerdictCache(tmp_path / "cache"))

    async def ask() -> list[Verdict]:
        return [await judge.ask(call, sample) for sample in range(len(NASTY))]

    asked, cached = asyncio.run(ask()), asyncio.run(ask())
    asyncio.run(judge.close())
    assert all(verdict.cached for verdict in cached)
    keep(tmp_path / "asked", verdict_lines(asked))
    keep(tmp_path / "cached", verdict_lines(cached))


def test_a_cache_that_somebody_else_wrote_is_mended_when_it_is_read(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    foreign = Verdict("ok", {"score": 3}, reason="x").to_json() | {"reason": "a\ud800", "reply": "b\0", "snapshot": "c"}
    cache._db.execute("INSERT INTO verdicts VALUES (?, ?)", ("k", json.dumps(foreign)))
    found = cache.get("k")
    cache.close()
    assert found is not None and (found.reason, found.reply) == ("a\ufffd", "b\ufffd")


# --- editors --------------------------------------------------------------------------------------------------


class OddEditor(Editor):
    """An editor of one's own: it says, or raises, what it likes."""

    def edit(self, case: Request) -> Edit:
        number = int(case.case_id[1:])
        text = nasty(number)
        if number % 5 == 4:
            raise ValueError(text)
        status: Any = ("ok", "refused", "error", "no_output")[number % 4]
        said: dict[str, Any] = {"reason": text, "trace": text, "asked": text, "model": text, "notes": (text, text)}
        return Edit(case.case_id, image=case.arrays[0], status=status, latency_s=float("nan"), **said)


def test_what_an_editor_of_ones_own_says_or_raises_can_be_kept(tmp_path: Path) -> None:
    edits = []
    for number in range(len(NASTY)):
        try:
            edits += made(OddEditor(), [request(number)])
        except ValueError as error:
            edits += failed(error, [request(number)])
    keep(tmp_path, edit_lines(edits))


def test_an_editor_that_gives_a_status_of_its_own_has_failed() -> None:
    class Unheard(Editor):
        def edit(self, case: Request) -> Edit:
            return Edit(case.case_id, status="fine")  # type: ignore[arg-type]

    (edit,) = made(Unheard(), [request()])
    assert edit.status == "error" and "the status 'fine'" in str(edit.reason)


def http_answers() -> list[Raw]:
    picture = encode_png(np.zeros((8, 8, 3), np.uint8))
    found = []
    for number, text in enumerate(BUNDLES):
        said = {"status": "refused", "reason": text, "trace": text, "asked": text, "model": text, "notes": [text]}
        header = "".join(letter for letter in text if letter.isprintable() and ord(letter) < 256)[:100]
        ways = (
            Raw(body=said),
            Raw(422, body=said),
            Raw(body=text.encode("utf-8", "surrogatepass"), type="text/plain"),
            Raw(400, body={"error": {"message": text}}),
            Raw(body=picture, headers={"X-Model": header}),
        )
        found.append(ways[number % len(ways)])
    return found


def test_what_an_http_editor_says_can_be_kept(tmp_path: Path) -> None:
    with RawServer(http_answers()) as server:
        editor = load_editor(server.url)
        editor.limit(es.EditLimits(concurrency=1, retries=0))
        editor.load()
        try:
            edits = [edit for number in range(len(BUNDLES)) for edit in made(editor, [request(number)])]
        finally:
            editor.close()
    assert {edit.status for edit in edits} == {"ok", "refused", "no_output", "error"}
    keep(tmp_path, edit_lines(edits))


def refused_or_said(text: str, number: int) -> EditReply:
    return (EditReply(refused=text), EditReply(text=text, picture=b""))[number % 2]


def refused_or_failed_task(text: str, number: int) -> EditReply:
    return (Task(refused=text), Task(status="Error", details={"error": text}))[number % 2]


def refused_or_no_picture(text: str, number: int) -> EditReply:
    return (Drawn(refused=text), Drawn(errors=({"code": "InternalServiceError", "message": text},)))[number % 2]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize(
    ("server", "reply"),
    [
        (OpenAIServer, refused_or_said),
        (ChatServer, refused_or_said),
        (GeminiServer, refused_or_said),
        (BFLServer, refused_or_failed_task),
        (ArkServer, refused_or_no_picture),
    ],
)
def test_what_a_hosted_editor_says_can_be_kept(
    tmp_path: Path, server: Callable[..., Any], reply: Callable[[str, int], EditReply], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("editscope.editors.hosted.client.GIVE_UP", 10_000)
    few = [text for text in NASTY if text.strip()][:: counts.times(usual=4, full=1)]
    with server([reply(text, number) for number, text in enumerate(few)]) as there:
        editor = load_editor(there.spec())
        editor.limit(es.EditLimits(concurrency=1, retries=0))
        editor.load()
        try:
            edits = [edit for number in range(len(few)) for edit in made(editor, [request(number)])]
        finally:
            editor.close()
    assert len(edits) == len(few)
    keep(tmp_path, edit_lines(edits))


@pytest.mark.drill
def test_a_rewritten_instruction_can_be_kept_and_sent_on(tmp_path: Path) -> None:
    few = [text for text in NASTY if len(text) < 1000][:: counts.times(usual=4, full=1)]
    with JudgeServer([Reply({"trace": f"about {text}"}) for text in few]) as server:
        editor = load_editor(f"rewrite(judge={server.spec()}, cache=off):ref:identity")
        editor.load()
        try:
            edits = [edit for n in range(len(few)) for edit in made(editor, [request(n, f"Make {n} red.")])]
        finally:
            editor.close()
    assert sum(edit.status == "ok" for edit in edits) > len(few) // 2
    assert all(is_text(edit.asked or "") for edit in edits)
    keep(tmp_path, edit_lines(edits))


# --- a whole run ----------------------------------------------------------------------------------------------


def foreign_suite(folder: Path) -> Path:
    """A case for each of the strings, which stands in its instruction and in a tag where a file can hold it."""
    cases = [
        {
            "id": f"c{number}",
            "image": "images/1.png",
            "instruction": f"bundle #{number} {text if is_text(text) else ''}"[:3000],
            "tags": {
                "kind": f"k{number % 3} [bold]\x1b[31m",
                "odd": text[:100] if is_text(text) and text.strip() else "-",
            },
        }
        for number, text in enumerate(BUNDLES)
    ]
    return make_own(folder, MANIFEST, cases, {"legible.txt": PROMPT})


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, JudgeServer]]:
    """A run in which a worker and a judge say all the strings."""
    folder = tmp_path_factory.mktemp("foreign")
    worker = folder / "worker.py"
    worker.write_text(filled(WORKER.format(tests=str(TESTS))), encoding="utf-8")
    suite = load_suite(str(foreign_suite(folder / "suite")))
    with pytest.MonkeyPatch.context() as patch, JudgeServer(odd_answers) as server:
        patch.setenv("OPENAI_API_KEY", "key-of-this-test-file")
        es.run(
            suite,
            f"worker:{sys.executable} {worker}",
            judge=server.spec(),
            out=folder / "run",
            progress=False,
            jobs=1,
            cache=folder / "cache",
            retries=0,
        )
        yield folder / "run", server


@pytest.mark.slow
def test_a_run_of_nasty_strings_is_whole_and_its_resume_asks_nobody(ran: tuple[Path, JudgeServer]) -> None:
    folder, server = ran
    lines = read_journal(folder)
    assert sum(line["step"] == "edit" for line in lines) == len(BUNDLES)
    assert sum(line["step"] == "score" for line in lines) == len(BUNDLES)
    assert all(is_text(text) for line in lines for text in texts(line))
    before, calls = (folder / "journal.jsonl").read_bytes(), server.calls
    resume(folder, progress=False)
    assert server.calls == calls and (folder / "journal.jsonl").read_bytes() == before


@pytest.mark.slow
def test_a_run_of_nasty_strings_can_be_shown_and_reported(
    ran: tuple[Path, JudgeServer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = ran
    main_done(["show", str(folder)])
    for number in (0, 1, 2, 3, 9, 20):
        main_done(["show", str(folder), f"c{number}"])
    for ending in ("html", "tex", "csv", "md"):
        main_done(["report", str(folder), "--out", str(tmp_path / f"report.{ending}")])
        (tmp_path / f"report.{ending}").read_bytes().decode("utf-8")
    run = es.open_run(folder)
    assert run.cases().worst(3).show().encode()
    capsys.readouterr()


def main_done(arguments: list[str]) -> None:
    try:
        main(arguments)
    except SystemExit as done:
        assert done.code in (None, 0), arguments


# --- what cannot be mended is refused -------------------------------------------------------------------------

BAD = ("\ud800", "a\x00b", "\udcff.png")


@pytest.mark.parametrize("field", ["id", "instruction", "tags", "hint", "questions", "extra"])
def test_a_case_that_no_file_can_hold_is_refused_with_file_and_field(tmp_path: Path, field: str) -> None:
    for number, bad in enumerate(BAD):
        case: dict[str, Any] = {"id": "c1", "image": "images/1.png", "instruction": "Write.", "tags": {"kind": "a"}}
        case[field] = {"tags": {"kind": bad}, "questions": [{"question": bad}]}.get(field, bad)
        folder = make_own(tmp_path / str(number), MANIFEST, [], {"legible.txt": PROMPT})
        (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
        with pytest.raises(BadInput, match=f"cases.jsonl row 1.*field '{field}' holds a NUL or half of a character"):
            load_own(folder)


@pytest.mark.parametrize("field", ["instruction", "task", "mode", "note"])
def test_a_problem_of_a_set_that_no_file_can_hold_is_refused(
    tmp_path: Path, make_set: Callable[..., Path], field: str
) -> None:
    sidecar = make_set(tmp_path, per_task=1) / "border" / "000.json"
    sidecar.write_text(json.dumps({**json.loads(sidecar.read_text()), field: "\ud800"}))
    with pytest.raises(BadInput, match=rf"000.json: field '{field}' holds a NUL or half of a character"):
        load_suite("paintbench", root=tmp_path)


@pytest.mark.slow
def test_tags_of_a_suite_of_ones_own_code_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    suite = load_suite("paintbench", tasks="border", per_mode=1)
    asked: list[str] = []

    class Counting(Editor):
        def edit(self, case: Request) -> np.ndarray[Any, Any]:
            asked.append(case.case_id)
            return case.arrays[0]

    suite.tags = lambda case_id: {"task": "border", "color": "red\ud800"}  # type: ignore[method-assign]
    with pytest.raises(BadInput, match=r"tag 'color' is 'color=red\\ud800'"):
        es.run(suite, Counting(), out=tmp_path / "run", progress=False)
    assert not asked and not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has file names that are no Unicode")
def test_paths_that_are_no_unicode_get_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/odd-\xff")
    Path(odd).mkdir()
    for arguments in (
        ["run", "paintbench", "--editor", f"folder:{odd}", "--limit", "2"],
        ["run", "paintbench", "--editor", "ref:identity", "--out", odd, "--limit", "2"],
        ["run", odd, "--editor", "ref:identity"],
        ["show", odd],
        ["report", odd],
        ["suite", "check", odd],
    ):
        with pytest.raises(SystemExit) as done:
            main(arguments)
        said = capsys.readouterr().err
        assert done.value.code == 2 and "rename the file or folder" in said and len(said.splitlines()) == 1, arguments
    with pytest.raises(BadInput, match="half of a character"):
        es.run(es.load_suite("paintbench"), "ref:identity", out=odd, limit=1, progress=False)
    with pytest.raises(BadInput, match="half of a character"):
        load_editor(f"folder:{odd}")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has file names that are no Unicode")
def test_a_file_with_a_name_that_is_no_unicode_is_listed_and_the_run_goes_on(
    tmp_path: Path, make_set: Callable[..., Path], put_outputs: Callable[..., Path]
) -> None:
    data = make_set(tmp_path / "data", per_task=1)
    outputs = put_outputs(data, tmp_path / "outputs")
    Path(os.fsdecode(os.fsencode(outputs) + b"/border/odd-\xff\x1b[31m.png")).write_bytes(b"x")
    plan = make_plan(load_suite("paintbench", root=data), f"folder:{outputs}", out=tmp_path / "run")
    assert plan.info["files"]["unmatched"] == ["border/odd-\ufffd\x1b[31m.png"]
    assert json.loads(info_json(plan.info))["files"]["unmatched"] == plan.info["files"]["unmatched"]
