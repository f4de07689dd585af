"""Verdicts that were paid for are never paid for again: between runs, between processes, after a kill."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from editscope.cachefolder import cache_folder
from editscope.errors import BadInput, Stopped
from editscope.judges import Call, Field, Picture, Schema, Usage, Verdict
from editscope.judges.cache import VerdictCache, verdict_key
from editscope.judges.registry import load_judge
from support.servers.judge_server import KEY, Fault, JudgeServer, Outcome, Reply, ask_all

SCALE = Schema((Field("score", "integer", 1, 5),))
CALL = Call("q", ("Rate.", Picture(b"\xff\xd8one")), SCALE, "quality", "hash-1")
GOOD = Reply({"score": 4, "reason": "gut 好"})


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_a_second_run_makes_no_call_and_gets_the_same_verdicts(tmp_path: Path) -> None:
    calls = [replace(CALL, parts=(f"Rate {n}.", CALL.parts[1])) for n in range(20)]
    with JudgeServer([GOOD]) as server:
        first = ask_all(server.spec(), *calls, cache=tmp_path)
        second = ask_all(server.spec(), *calls, cache=tmp_path)
    assert server.calls == 20
    assert not any(verdict.cached for verdict in first)
    assert all(verdict.cached for verdict in second)
    assert [replace(verdict, cached=False) for verdict in second] == first


@pytest.mark.parametrize(
    "other",
    [
        replace(CALL, parts=("Rate!", CALL.parts[1])),
        replace(CALL, parts=("Rate.", Picture(b"\xff\xd8two"))),
        replace(CALL, prompt_hash="hash-2"),
        replace(CALL, system="Be kind."),
        replace(CALL, schema=Schema((Field("score", "integer", 1, 10),))),
    ],
)
def test_another_text_picture_prompt_or_scale_is_another_verdict(tmp_path: Path, other: Call) -> None:
    with JudgeServer([GOOD]) as server:
        ask_all(server.spec(), CALL, cache=tmp_path)
        (verdict,) = ask_all(server.spec(), other, cache=tmp_path)
    assert (server.calls, verdict.cached) == (2, False)


@pytest.mark.parametrize("options", [{"temperature": 1}, {"seed": 3}, {"max_tokens": 9}, {"detail": "low"}])
def test_other_sampling_settings_are_another_verdict(tmp_path: Path, options: dict[str, Any]) -> None:
    with JudgeServer([GOOD]) as server:
        ask_all(server.spec(), CALL, cache=tmp_path)
        ask_all(server.spec(**options), CALL, cache=tmp_path)
        ask_all(server.spec("gpt-4o-2024-11-20"), CALL, cache=tmp_path)
    assert server.calls == 3


def test_where_the_key_is_and_what_the_call_is_named_make_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_KEY", "another")
    with JudgeServer([GOOD]) as server:
        ask_all(server.spec(), CALL, cache=tmp_path)
        (verdict,) = ask_all(server.spec(key_env="OTHER_KEY"), replace(CALL, key="q17"), cache=tmp_path)
    assert server.calls == 1
    assert verdict.judge == server.spec(key_env="OTHER_KEY"), "a kept verdict names the judge as it was asked for"


def test_each_sample_is_its_own_verdict(tmp_path: Path) -> None:
    async def work(spec: str) -> list[int]:
        judge = load_judge(spec, cache=tmp_path)
        samples = [(await judge.ask(CALL, sample)).sample for sample in (0, 1, 2, 0, 1, 2)]
        await judge.close()
        return samples

    with JudgeServer([GOOD]) as server:
        assert asyncio.run(work(server.spec())) == [0, 1, 2, 0, 1, 2]
    assert server.calls == 3


def test_equal_calls_at_the_same_time_are_asked_once(tmp_path: Path) -> None:
    with JudgeServer([GOOD], latency=0.05) as server:
        verdicts = ask_all(server.spec(), *[CALL] * 10, cache=tmp_path)
    assert server.calls == 1
    assert {verdict.values["score"] for verdict in verdicts} == {4}


@pytest.mark.parametrize("bad", [Fault(400, "no"), Reply("hm"), Reply(refusal="no")])
def test_only_verdicts_are_kept_so_a_new_run_asks_again_for_the_rest(tmp_path: Path, bad: Outcome) -> None:
    with JudgeServer([bad, GOOD]) as server:
        (first,) = ask_all(server.spec(), CALL, cache=tmp_path, again=0)
        (second,) = ask_all(server.spec(), CALL, cache=tmp_path, again=0)
    assert first.status != "ok"
    assert (second.status, second.cached) == ("ok", False)


def test_an_estimate_leaves_out_what_the_cache_has(tmp_path: Path) -> None:
    other = replace(CALL, parts=("Another.",))
    with JudgeServer([GOOD]) as server:
        ask_all(server.spec(), CALL, cache=tmp_path)
        judge = load_judge(server.spec(), cache=tmp_path)
        assert judge.estimate([CALL, other], samples=2).calls == 3
        asyncio.run(judge.close())


def test_no_key_is_in_the_cache(tmp_path: Path) -> None:
    with JudgeServer([GOOD, Reply({"score": 1, "reason": f"your key is {KEY}"})]) as server:
        ask_all(server.spec(), CALL, replace(CALL, prompt_hash="2"), cache=tmp_path)
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


WRITER = """
import sys
from editscope.judges import Verdict
from editscope.judges.cache import VerdictCache
cache = VerdictCache(sys.argv[1])
for number in range(int(sys.argv[3])):
    cache.put(f"{sys.argv[2]}-{number}", Verdict("ok", {"score": number % 5 + 1}, reason="x" * 2000))
    print(number, flush=True)
"""


def writer(folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(folder), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_several_processes_write_at_the_same_time_and_nothing_is_lost(tmp_path: Path) -> None:
    writers = [writer(tmp_path, name, 200) for name in ("a", "b", "c")]
    for process in writers:
        process.communicate(timeout=600)
        assert process.returncode == 0
    cache = VerdictCache(tmp_path)
    assert len(cache) == 600
    cache.close()


@pytest.mark.slow
def test_after_a_kill_every_verdict_that_was_put_is_there(tmp_path: Path) -> None:
    with writer(tmp_path, "k", 1_000_000) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 50:
                os.kill(process.pid, signal.SIGKILL)
                break
    cache = VerdictCache(tmp_path)
    assert all(cache.get(f"k-{number}") is not None for number in range(51))
    cache.close()


def test_a_file_that_is_no_cache_is_named_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "verdicts.sqlite").write_bytes(b"not a database, but long enough to be looked at" * 40)
    with pytest.raises(BadInput, match=r"verdicts\.sqlite cannot be opened .* --cache off"):
        VerdictCache(tmp_path)
    with pytest.raises(BadInput, match="--cache DIR"):
        VerdictCache(tmp_path / "verdicts.sqlite")


def test_a_cache_that_breaks_stops_the_run_before_anything_is_paid_twice(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path)
    cache._db.execute("DROP TABLE verdicts")
    cache.put("k", Verdict("ok", {"score": 1}))  # the verdict is paid for and goes its way
    with pytest.raises(Stopped, match="has become unreadable"):
        cache.get("k")
    cache.close()


def test_a_verdict_comes_out_as_it_went_in(tmp_path: Path) -> None:
    verdict = Verdict("ok", {"a": True, "b": 3}, "r", "{}", "openai:m", "m-1", "p", Usage(1, 2, None, 0.5, 2), 3)
    cache = VerdictCache(tmp_path)
    cache.put("k", verdict)
    assert cache.get("k") == replace(verdict, cached=True)
    assert cache.get("other") is None
    cache.close()


def test_the_key_of_a_verdict_is_the_same_in_every_process() -> None:
    identity = {"kind": "openai", "model": "m", "temperature": None}
    assert verdict_key(identity, CALL, 1) == verdict_key(dict(reversed(identity.items())), CALL, 1)
    assert verdict_key(identity, CALL, 0) == "575f0d59e10c345a3f25fcd2ae403663508ae1e09b9ee0aa914190d927ca0742"


def test_the_cache_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("EDITSCOPE_CACHE")
    assert cache_folder().name == "editscope"
