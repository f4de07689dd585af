"""Claims about runs that are large: tables are read where they hold, and made without the whole journal in memory."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import editscope as es
from editscope.cli import main
from editscope.results.stored_tables import PixelScan, make_tables
from editscope.runfolder import journal_blocks
from editscope.runfolder.journal import Journal, progress, read_lines, read_source
from editscope.runfolder.journal_blocks import JournalBlocks
from editscope.runfolder.run_json import read_info
from editscope.runs import resume
from support.run_surgery import read, write
from support.small_sets import make_small_set


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run with repeats, some of whose edits failed."""
    folder = tmp_path_factory.mktemp("large")
    suite = es.load_suite("paintbench", root=make_small_set(folder / "set", per_task=2))
    return es.run(suite, Moody(), out=folder / "run", repeats=2, progress=False, jobs=1, keep_going=True).path


class Moody(es.Editor):
    """An editor that fails on some cases."""

    def edit(self, request: es.Request) -> es.Image:
        if request.case_id.endswith("1") and request.repeat:
            raise RuntimeError("no mood")
        return request.images[0]


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def parsed(run: es.Run) -> bool:
    """Whether a run has looked at the lines of its journal."""
    return "_journal" in vars(run) or vars(run).get("_scan") is not None


def test_the_summary_of_a_finished_run_is_read_and_not_made(run: Path) -> None:
    opened = es.open_run(run)
    assert opened.complete and opened.remark == "" and opened.summary["overall"]["miou"]["n"]
    assert opened.coverage == opened.summary["coverage"]
    assert not parsed(opened)
    assert opened.summary == es.open_run(run).summary


def test_a_journal_that_grew_is_never_shown_with_the_tables_from_before(run: Path) -> None:
    before = es.open_run(run)
    shown = before.summary["overall"]["miou"]["mean"]
    lines = read(run)
    last = next(line for line in reversed(lines) if line["step"] == "score")
    with Journal(run) as journal:
        journal.append({**last, "metrics": {**last["metrics"], "miou": 1.0}})
    after = es.open_run(run)
    assert after.summary["overall"]["miou"]["mean"] > shown
    # Whoever had it open before sees one journal in all that it shows.
    assert len(before.rows()["miou"]) == len(after.rows()["miou"])
    assert before.summary["overall"] == after.summary["overall"]


def test_tables_that_are_not_there_are_made_from_blocks_to_the_same_bytes(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {name: (run / name).read_bytes() for name in ("scores.parquet", "summary.json")}
    info = read_info(run)
    lines, source = read_lines(run)
    assert make_tables(info, progress(lines), source).files == kept
    for piece in (1, 300, 5_000, 1 << 20):
        monkeypatch.setattr(journal_blocks, "PIECE", piece)
        assert PixelScan.of(run, info).tables(info).files == kept
    for name in kept:
        (run / name).unlink()
    assert not es.open_run(run).remark
    assert {name: (run / name).read_bytes() for name in kept} == kept


def test_edits_that_were_made_again_count_once(run: Path) -> None:
    info, lines = read_info(run), read(run)
    first = [line for line in lines if (line["case"], line["variant"]) == (lines[0]["case"], lines[0]["variant"])]
    edit, score = first
    for more in ([edit], [edit, score], [score], [edit, edit, score, score]):
        write(run, [*lines, *more])
        found, source = read_lines(run)
        assert PixelScan.of(run, info).tables(info).files == make_tables(info, progress(found), source).files


def test_a_run_without_a_score_says_so(run: Path) -> None:
    write(run, [line for line in read(run) if line["step"] == "edit"])
    opened = es.open_run(run)
    assert not opened.complete and opened.coverage == {"ok": 0, "pending": opened.info["selection"]["n"]}
    with pytest.raises(es.EditscopeError, match="has no scored case yet"):
        _ = opened.summary


@pytest.mark.parametrize("piece", [1, 100, 1 << 20])
def test_lines_and_source_do_not_depend_on_how_much_is_read_at_a_time(
    piece: int, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, source = read_lines(run)
    with (run / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"step":"edit","case":"torn')
    monkeypatch.setattr(journal_blocks, "PIECE", piece)
    blocks = JournalBlocks(run / "journal.jsonl")
    assert [line for block in blocks for line in block] == lines
    assert blocks.source == read_source(run) == source


def test_a_damaged_line_is_named_by_its_number_in_any_block(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run / "journal.jsonl"
    raw = path.read_bytes().splitlines(keepends=True)
    raw[6] = raw[6].replace(b'"status":"', b'"status":"x', 1)
    path.write_bytes(b"".join(raw))
    for piece in (100, 1 << 20):
        monkeypatch.setattr(journal_blocks, "PIECE", piece)
        with pytest.raises(es.EditscopeError, match=r"journal\.jsonl: line 7 is not what Editscope writes: status"):
            _ = es.open_run(run).summary


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.rglob("*")}


def reference_run(folder: Path) -> Path:
    make_small_set(folder / "set", per_task=1)
    suite = es.load_suite("paintbench", root=folder / "set")
    return es.run(suite, "ref:drift", out=folder / "run", progress=False, jobs=1).path


def test_resuming_a_finished_run_writes_nothing_and_reads_no_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = reference_run(tmp_path)
    before = contents(run)

    def no_line(self: JournalBlocks) -> object:
        raise AssertionError("the journal was parsed")

    monkeypatch.setattr(JournalBlocks, "__iter__", no_line)
    assert resume(run, jobs=1, progress=False).complete
    with pytest.raises(SystemExit) as ended:
        main(["resume", str(run)])
    assert not ended.value.code
    assert "already, 0 to do" in capsys.readouterr().out
    assert contents(run) == before


def without_a_score(run: Path) -> None:
    lines = read(run)
    lines.remove(next(line for line in lines if line["step"] == "score"))
    write(run, lines)


def without_an_edit(run: Path) -> None:
    lines = read(run)
    lines.remove(next(line for line in lines if line["step"] == "edit"))
    write(run, lines)


@pytest.mark.parametrize("cut", [without_a_score, without_an_edit])
def test_a_run_whose_journal_lost_a_line_is_finished_whatever_its_tables_say(
    cut: Callable[[Path], None], tmp_path: Path
) -> None:
    run = reference_run(tmp_path)
    wanted = es.open_run(run).summary["overall"]
    cut(run)
    assert not es.open_run(run).complete
    assert resume(run, jobs=1, progress=False).complete
    assert es.open_run(run).summary["overall"] == wanted
