"""`editscope prompts show|export|check` as a user calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from editscope.cli import main
from editscope.judges.prompts.packs import load_pack, pack_folders, pack_names


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `editscope prompts …`."""
    code = 0
    try:
        main(["prompts", *arguments])
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.slow
def test_show_lists_the_prompts_of_a_suite_with_their_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    for suite in pack_names():
        code, out, _ = call(capsys, "show", suite)
        assert code == 0
        pack = load_pack(suite)
        assert [line.split()[:2] for line in out.splitlines()[:-1]] == [[name, pack[name].hash] for name in pack.names]
        assert out.splitlines()[-1].endswith(f"version {pack.version} · hash {pack.hash}")


@pytest.mark.slow
def test_show_prints_one_prompt_that_is_a_prompt_file_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in load_pack("wiseedit").names:
        code, out, err = call(capsys, "show", "wiseedit", name)
        assert code == 0
        assert err == f"hash {load_pack('wiseedit')[name].hash}\n"
        (tmp_path / f"{name}.txt").write_text(out, encoding="utf-8")
    assert load_pack("wiseedit", tmp_path).hash == load_pack("wiseedit").hash


@pytest.mark.slow
def test_export_writes_the_files_as_they_ship_and_check_accepts_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for suite in pack_names():
        folder = tmp_path / suite
        assert call(capsys, "export", suite, str(folder))[0] == 0
        for path in folder.iterdir():
            assert path.read_bytes() == (pack_folders()[suite] / path.name).read_bytes()
        code, out, _ = call(capsys, "check", str(folder))
        assert code == 0
        pack = load_pack(suite)
        assert out.count("as ours") == len(pack.names)
        assert f"can replace the prompts of {suite} · version {pack.version} · hash {pack.hash}" in out


def test_check_says_what_was_changed_and_show_prints_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "own"
    call(capsys, "export", "picabench", str(folder))
    path = folder / "question.txt"
    path.write_text(path.read_text(encoding="utf-8").replace("version: 1", "version: 1b"), encoding="utf-8")
    code, out, _ = call(capsys, "check", str(folder))
    assert code == 0
    assert f"version 1b · changed, ours is version 1 {load_pack('picabench')['question'].hash}" in out
    code, out, _ = call(capsys, "show", "picabench", "question", "--prompts", str(folder))
    assert out.startswith("version: 1b\n")


def test_check_lists_every_problem_and_ends_with_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "own"
    call(capsys, "export", "inedit", str(folder))
    (folder / "pp.txt").unlink()
    (folder / "ac.txt").write_text("{nonsense}", encoding="utf-8")
    code, _, err = call(capsys, "check", str(folder))
    assert code == 2
    assert "has no pp.txt" in err
    assert "has a place {nonsense} for a word" in err
    assert err.splitlines()[-1] == f"editscope: {folder} cannot replace the prompts of inedit: 2 problems"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "krs"), "there is no prompt pack 'krs'; did you mean 'kris'?"),
        (("show", "kris", "knowlege"), "there is no prompt of kris 'knowlege'; did you mean 'knowledge'?"),
        (("check", "nowhere-at-all"), "nowhere-at-all is not a folder of prompts"),
        (("show", "../worldedit"), "there is no prompt pack '../worldedit'"),
    ],
)
def test_bad_input_is_one_sentence(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_export_overwrites_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "vc.txt").write_text("mine", encoding="utf-8")
    code, _, err = call(capsys, "export", "worldedit", str(tmp_path))
    assert code == 2
    assert "is not empty" in err
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["mine"]
