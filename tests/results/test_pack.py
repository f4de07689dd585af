"""Archives of runs: the same bytes every time, opened without trust, and whatever is wrong is said."""

from __future__ import annotations

import json
import shutil
import stat
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.results.archive.pack import MANIFEST, pack
from editscope.results.archive.verify import check_archive
from editscope.runfolder.journal import Journal
from editscope.runfolder.journal_lines import encoded_line
from support import run_surgery
from support.command_line import called

pytestmark = pytest.mark.slow

Content = dict[str, bytes]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run of edits that lie elsewhere, one of them missing."""
    from support.small_sets import make_small_set, put_small_outputs

    root = tmp_path_factory.mktemp("packed")
    data = make_small_set(root / "set")
    outputs = put_small_outputs(data, root / "outputs", lambda answer: answer[::-1])
    (outputs / "border/0001_output.png").unlink()
    suite = es.load_suite("paintbench", root=data)
    return es.run(suite, f"folder:{outputs}", out=root / "mine", jobs=1, progress=False).path


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def archive(run: Path, tmp_path: Path) -> Path:
    return pack(run, tmp_path / "mine.zip").path


def content(archive: Path) -> Content:
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def rewrite(archive: Path, files: Content, *entries: tuple[zipfile.ZipInfo, bytes]) -> None:
    """Put other files into an archive, with the manifest as ``files`` has it."""
    with zipfile.ZipFile(archive, "w") as opened:
        for name, data in files.items():
            opened.writestr(zipfile.ZipInfo(name), data)
        for info, data in entries:
            opened.writestr(info, data)


def sealed(files: Content) -> Content:
    """The same files with a manifest that promises just them: a forger who knows how."""
    manifest = json.loads(files[MANIFEST])
    manifest["files"] = {
        name: {"sha256": sha256(data).hexdigest(), "size": len(data)}
        for name, data in files.items()
        if name != MANIFEST
    }
    return {**files, MANIFEST: json.dumps(manifest).encode()}


def resummed(journal: bytes) -> bytes:
    """A forged journal whose checksums are right all the same."""
    return b"".join(encoded_line(json.loads(line)) + b"\n" for line in journal.splitlines())


class TestPacking:
    def test_the_same_run_makes_the_same_bytes(self, run: Path, tmp_path: Path) -> None:
        first = pack(run, tmp_path / "a.zip")
        moved = tmp_path / "elsewhere" / "mine"
        shutil.copytree(run, moved)
        second = pack(moved, tmp_path / "b.zip")
        assert first.path.read_bytes() == second.path.read_bytes()
        assert first.seal == second.seal

    def test_everything_is_inside_and_the_manifest_has_its_hash(self, archive: Path, run: Path) -> None:
        files = content(archive)
        manifest = json.loads(files.pop(MANIFEST))
        assert {"run.json", "journal.jsonl", "scores.parquet", "summary.json"} <= files.keys()
        assert sum(name.startswith("images/") for name in files) == 11  # of 12; one output is missing
        assert sum(name.startswith("thumbs/") for name in files) >= 11 * 4
        assert {name: entry["sha256"] for name, entry in manifest["files"].items()} == {
            name: sha256(data).hexdigest() for name, data in files.items()
        }
        assert manifest["versions"]["editscope"] == es.__version__
        assert manifest["suite"]["fingerprint"] == es.open_run(run).info["suite"]["fingerprint"]

    def test_pictures_are_stored_and_text_is_compressed(self, archive: Path) -> None:
        with zipfile.ZipFile(archive) as opened:
            kinds = {info.filename.rpartition(".")[2]: info.compress_type for info in opened.infolist()}
        assert kinds["png"] == kinds["webp"] == kinds["parquet"] == zipfile.ZIP_STORED
        assert kinds["json"] == kinds["jsonl"] == zipfile.ZIP_DEFLATED

    def test_it_goes_beside_the_run_and_says_its_seal(self, run: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, said, err = called(capsys, "pack", run)
        path = run.with_name("mine.zip")
        assert (code, err) == (0, "")
        assert said.startswith(f"{path} · ")
        assert f"seal {check_archive(path).seal[:16]}" in said
        path.unlink()

    def test_without_images_the_thumbnails_remain(self, run: Path, tmp_path: Path) -> None:
        small = pack(run, tmp_path / "small.zip", images=False)
        assert not any(name.startswith("images/") for name in content(small.path))
        assert not check_archive(small.path).problems
        record = es.open_run(small.path).case("removal/000")
        assert record.image is None  # the path on the packer's machine is not ours to open
        assert record.thumbs["edit"].is_file()

    def test_an_unfinished_run_is_packed_with_a_warning(
        self, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        half = tmp_path / "half"
        shutil.copytree(run, half)
        for name in ("scores.parquet", "summary.json"):
            (half / name).unlink()
        lines = (half / "journal.jsonl").read_bytes().splitlines(keepends=True)
        (half / "journal.jsonl").write_bytes(b"".join(lines[:9]) + b'{"step":"torn')
        code, _, err = called(capsys, "pack", half)
        assert code == 0
        assert "the run is not finished" in err
        verdict = check_archive(tmp_path / "half.zip")
        assert not verdict.problems
        assert 0 < verdict.scored < verdict.cases == 12
        assert not es.open_run(tmp_path / "half.zip").complete

    def test_edits_that_are_gone_are_named(self, run: Path, tmp_path: Path) -> None:
        moved = tmp_path / "mine"
        shutil.copytree(run, moved)
        for line in (lines := run_surgery.read(moved)):
            if line["case"] == "removal/000" and line["step"] == "edit":
                line["image"]["source"] = line["image"]["source"].replace("0000_output", "gone")
        run_surgery.write(moved, lines)
        packed = pack(moved)
        assert packed.lost == ("removal/000",)
        assert "1 edits are no longer where they were" in packed.warnings()[0]
        assert not check_archive(packed.path).problems

    def test_a_run_that_is_being_written_is_not_packed(self, run: Path, tmp_path: Path) -> None:
        with Journal(run), pytest.raises(BadInput, match="is being written by another process"):
            pack(run, tmp_path / "x.zip")
        assert not (tmp_path / "x.zip").exists()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["no-such-run"], "is not a run"),
            (["{run}", "--out", "{tmp}"], "is a folder"),
            (["{run}", "--out", "{tmp}/no/such/x.zip"], "there is no folder"),
            (["{zip}"], "pack takes a run folder"),
            (["--check", "{run}"], "is a folder"),
            (["--check", "{tmp}/nothing.zip"], "there is no file"),
        ],
    )
    def test_bad_input_is_one_sentence(
        self,
        arguments: list[str],
        said: str,
        run: Path,
        archive: Path,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        code, out, err = called(capsys, "pack", *(a.format(run=run, tmp=tmp_path, zip=archive) for a in arguments))
        assert (code, out) == (2, "")
        assert said in err
        assert len(err.strip().splitlines()) == 1


class TestOpening:
    def test_an_archive_is_the_run_it_was_made_of(self, run: Path, archive: Path) -> None:
        there, here = es.open_run(run), es.open_run(archive)
        assert here.rows() == there.rows()
        assert here.summary == there.summary
        assert here.coverage == {"ok": 11, "no_output": 1}
        assert [(r.case_id, r.metrics, r.reason) for r in here.records()] == [
            (r.case_id, r.metrics, r.reason) for r in there.records()
        ]
        for mine, theirs in zip(here.records(), there.records(), strict=True):
            assert (mine.image is None) == (theirs.image is None)
            if mine.image is not None and theirs.image is not None:
                assert mine.image.is_relative_to(here.path)
                assert mine.image.read_bytes() == theirs.image.read_bytes()
            assert {k: p.read_bytes() for k, p in mine.thumbs.items()} == {
                k: p.read_bytes() for k, p in theirs.thumbs.items()
            }

    def test_it_is_unpacked_once_whatever_its_name(self, archive: Path, cache: Path) -> None:
        first = es.open_run(archive)
        kept = first.path / "summary.json"
        before = kept.stat().st_mtime_ns
        assert es.open_run(archive.rename(archive.with_name("copy.zip"))).path == first.path
        assert kept.stat().st_mtime_ns == before
        assert first.path.name == "mine"
        assert len(list((cache / "archives").iterdir())) == 1

    def test_show_compare_and_report_take_it(
        self, run: Path, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, said, _ = called(capsys, "show", archive)
        assert code == 0
        assert "by task" in said
        code, said, _ = called(capsys, "show", archive, "removal/000")
        assert code == 0
        assert "edit in full" in said
        code, said, _ = called(capsys, "compare", run, archive)
        assert code == 0
        assert "have the same mIoU in all 12 cases" in said.replace("\n", " ")
        code, said, _ = called(capsys, "report", archive, "--out", tmp_path / "report.md")
        assert code == 0
        assert "PaintBench" in (tmp_path / "report.md").read_text()

    def test_a_refused_archive_leaves_nothing_behind(self, archive: Path, cache: Path) -> None:
        files = content(archive)
        files["thumbs/removal/000/input.webp"] = b"x" * len(files["thumbs/removal/000/input.webp"])
        rewrite(archive, files)
        with pytest.raises(BadInput, match="is not the file that was packed"):
            es.open_run(archive)
        assert not list((cache / "archives").iterdir())

    def test_no_room_is_said_before_anything_is_unpacked(
        self, archive: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))
        with pytest.raises(BadInput, match=r"make room, or set EDITSCOPE_CACHE"):
            es.open_run(archive)
        assert not cache.exists()


def flip(path: Path) -> None:
    """One bit of a picture, in the middle of its bytes."""
    with zipfile.ZipFile(path) as opened:
        info = opened.getinfo("images/removal/000_output.png")
    data = bytearray(path.read_bytes())
    data[info.header_offset + 30 + len(info.filename) + info.compress_size // 2] ^= 1
    path.write_bytes(data)


def without(name: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        files = content(path)
        del files[name]
        rewrite(path, files)

    return change


def with_entry(name: str, mode: int = 0, data: bytes = b"x") -> Callable[[Path], None]:
    """An archive with one more file, which its manifest knows."""

    def change(path: Path) -> None:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        files = content(path)
        manifest = json.loads(files[MANIFEST])
        manifest["files"][name] = {"sha256": sha256(data).hexdigest(), "size": len(data)}
        rewrite(path, {**files, MANIFEST: json.dumps(manifest).encode()}, (info, data))

    return change


def stranger(path: Path) -> None:
    rewrite(path, content(path), (zipfile.ZipInfo("thumbs/stranger.webp"), b"x"))


def twice(path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        rewrite(path, content(path), (zipfile.ZipInfo("run.json"), b"{}"))


def bomb(path: Path) -> None:
    """A journal of zeros that deflates to a thousandth."""
    size = 160 << 20
    files = content(path)
    digest = sha256()
    info = zipfile.ZipInfo("editor.log")
    info.compress_type = zipfile.ZIP_DEFLATED
    block = bytes(1 << 20)
    with zipfile.ZipFile(path, "w") as opened:
        with opened.open(info, "w") as sink:
            for _ in range(size // len(block)):
                sink.write(block)
                digest.update(block)
        manifest = json.loads(files.pop(MANIFEST))
        whole = size // len(block) * len(block)
        manifest["files"]["editor.log"] = {"sha256": digest.hexdigest(), "size": whole}
        for name, data in {**files, MANIFEST: json.dumps(manifest).encode()}.items():
            opened.writestr(zipfile.ZipInfo(name), data)


def newer(path: Path) -> None:
    files = content(path)
    manifest = json.loads(files[MANIFEST]) | {"format": 9}
    rewrite(path, {**files, MANIFEST: json.dumps(manifest).encode()})


WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "flipped bit": (flip, "images/removal/000_output.png cannot be read (Bad CRC-32"),
    "missing file": (without("summary.json"), "lacks 'summary.json', which its manifest promises"),
    "extra file": (stranger, "holds 'thumbs/stranger.webp', which its manifest does not know"),
    "no manifest": (without(MANIFEST), "without MANIFEST.json: `editscope pack` did not make it"),
    "path that climbs": (with_entry("thumbs/../../evil"), "'thumbs/../../evil' that would leave its folder"),
    "absolute path": (with_entry("/etc/evil"), "'/etc/evil' that would leave its folder"),
    "drive": (with_entry("C:evil"), "that would leave its folder"),
    "backslashes": (with_entry("..\\evil"), "that would leave its folder"),
    "symbolic link": (
        with_entry("images/link", stat.S_IFLNK | 0o777, b"/etc/passwd"),
        "'images/link', which is a link",
    ),
    "folder": (with_entry("images/evil/", 0, b""), "would leave its folder"),
    "device": (with_entry("images/device", stat.S_IFCHR | 0o666), "which is a special file"),
    "same name twice": (twice, "holds 'run.json' twice"),
    "truncated": (
        lambda path: path.write_bytes(path.read_bytes()[:-200]),
        "is neither a run folder nor a whole archive",
    ),
    "cut in half": (
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        "nor a whole archive",
    ),
    "text": (lambda path: path.write_text("hello"), "is neither a run folder nor a whole archive"),
    "empty": (lambda path: path.write_bytes(b""), "is neither a run folder nor a whole archive"),
    "bomb": (bomb, "more than any run does; it was not unpacked"),
    "newer format": (newer, "upgrade with pip install --upgrade editscope"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_archive_is_refused_in_one_sentence(
    what: str, archive: Path, cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, said = WRONG[what]
    change(archive)
    for command in (("show", archive), ("pack", "--check", archive)):
        code, out, err = called(capsys, *command)
        assert (code, out) == (2, "")
        assert "Traceback" not in err
        assert len(err.strip().splitlines()) == 1, err
        assert said in err, err
    assert not [path for path in cache.rglob("*") if path.is_file()]
    assert not list(tmp_path.rglob("evil*"))


class TestChecking:
    def test_a_good_archive_holds(self, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
        code, said, _ = called(capsys, "pack", "--check", archive)
        assert code == 0
        assert "tables that follow from the journal · 12 cases" in said

    def test_a_summary_that_was_made_better_is_found(self, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
        files = content(archive)
        summary = json.loads(files["summary.json"])
        true = summary["overall"]["miou"]["mean"]
        summary["overall"]["miou"]["mean"] = 99.5
        files["summary.json"] = json.dumps(summary).encode()
        rewrite(archive, sealed(files))
        code, _, err = called(capsys, "pack", "--check", archive)
        assert code == 2
        assert "summary.json does not follow from the journal" in err
        assert f"overall.miou.mean is 99.5 there and {true} here" in err

    def test_scores_of_another_run_are_found(self, archive: Path) -> None:
        files = content(archive)
        files["journal.jsonl"] = resummed(files["journal.jsonl"].replace(b'"fingerprint":"', b'"fingerprint":"0', 1))
        rewrite(archive, sealed(files))
        (problem,) = check_archive(archive).problems
        assert "scores.parquet does not follow from the journal: fingerprint[" in problem

    def test_an_edit_of_another_case_is_found(self, archive: Path) -> None:
        files = content(archive)
        files["images/removal/000_output.png"] = files["images/removal/001_output.png"]
        rewrite(archive, sealed(files))
        (problem,) = check_archive(archive).problems
        assert "the edit of removal/000 is not the one of the journal" in problem

    def test_a_manifest_that_counts_nothing_is_refused(self, archive: Path) -> None:
        files = content(archive)
        files[MANIFEST] = json.dumps({**json.loads(files[MANIFEST]), "cases": 99}).encode()
        rewrite(archive, files)
        with pytest.raises(BadInput, match="manifest"):
            check_archive(archive)

    def test_what_was_unpacked_and_changed_is_unpacked_again(self, archive: Path) -> None:
        wanted = es.open_run(archive).summary["overall"]
        journal = es.open_run(archive).path / "journal.jsonl"
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:8]))
        assert es.open_run(archive).summary["overall"] == wanted

    def test_all_that_is_wrong_is_said(self, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
        files = content(archive)
        for name in ("images/removal/000_output.png", "scores.parquet"):
            files[name] = b"x" * len(files[name])
        rewrite(archive, files)
        code, _, err = called(capsys, "pack", "--check", archive)
        assert code == 2
        assert "also wrong: " in err
        for name in ("images/removal/000_output.png", "scores.parquet"):
            assert f"{name} is not the file that was packed" in err

    @pytest.mark.parametrize(
        ("name", "data"),
        [
            ("run.json", b"{}"),
            ("journal.jsonl", b"rubbish\n"),
            ("journal.jsonl", b'{"step":"edit","case":"a"}\n{"step":"score","case":"a"}\n'),
            ("scores.parquet", b"no table"),
            ("summary.json", b"[1"),
        ],
    )
    def test_forged_files_of_any_kind_are_a_sentence(
        self, name: str, data: bytes, archive: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        rewrite(archive, sealed({**content(archive), name: data}))
        code, _, err = called(capsys, "pack", "--check", archive)
        assert code == 2
        assert "Traceback" not in err
        assert str(archive) in err
        if name in ("run.json", "journal.jsonl"):
            code, _, err = called(capsys, "show", archive)
            assert code == 2
            assert len(err.strip().splitlines()) == 1
            assert str(archive) in err

    def test_an_edit_that_is_in_the_journal_only_is_found(self, archive: Path) -> None:
        files = content(archive)
        del files["images/removal/000_output.png"]
        rewrite(archive, sealed(files))
        (problem,) = check_archive(archive).problems
        assert "the edit of removal/000 is in the journal and not in the archive" in problem

    def test_a_journal_that_points_outside_is_not_followed(self, archive: Path) -> None:
        files = content(archive)
        files["journal.jsonl"] = resummed(
            files["journal.jsonl"].replace(
                b'"packed":"images/removal/000_output.png"', b'"packed":"../../../etc/passwd"'
            )
        )
        rewrite(archive, sealed(files))
        with pytest.raises(BadInput, match="is outside the run"):
            es.open_run(archive).records()
        assert any("removal/000" in problem for problem in check_archive(archive).problems)
