"""A folder of outputs is matched to cases before a run starts, and what does not match is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from editscope.cases import Edit
from editscope.editors import Editor, Request, load_editor
from editscope.errors import BadInput
from editscope.images import write_png

IDS = [f"{task}/{number:03d}" for task in ("border", "removal") for number in range(3)]
PICTURE = np.zeros((8, 8, 3), np.uint8)


def put(root: Path, *names: str) -> Path:
    for name in names:
        write_png(root / name, PICTURE)
    return root


def find(editor: Editor, case_id: str) -> Edit:
    found = editor.edit(Request(case_id, (PICTURE,), "do", 0))
    assert isinstance(found, Edit)
    return found


def test_released_names_are_found_with_four_digits_or_three(tmp_path: Path) -> None:
    put(tmp_path, "border/0000_output.png", "border/001_output.png")
    editor = load_editor(f"folder:{tmp_path}")
    assert find(editor, "border/000").image == tmp_path.resolve() / "border/0000_output.png"
    assert find(editor, "border/001").image == tmp_path.resolve() / "border/001_output.png"
    assert find(editor, "border/002").status == "no_output"


def test_missing_unmatched_and_unreadable_files_are_listed(tmp_path: Path) -> None:
    put(tmp_path, "border/0000_output.png", "border/0001_output.png", "border/0777_output.png", "stray.png")
    put(tmp_path, "border/0000_input.png", "border/000_output.png")
    (tmp_path / "removal").mkdir()
    (tmp_path / "removal/0000_output.png").write_text("not a picture")
    (tmp_path / "removal/0001_output.png").write_bytes(b"")
    found = load_editor(f"folder:{tmp_path}").inventory(IDS, IDS)
    assert found.outputs == 2
    assert found.missing == ("border/002", "removal/002")
    assert [said.split(":")[0] for said in found.unreadable] == ["removal/0000_output.png", "removal/0001_output.png"]
    assert found.unmatched == (
        "border/0000_input.png",
        "border/0777_output.png",
        "stray.png",
        "border/000_output.png (a second file for border/000; border/0000_output.png is used)",
    )


def test_files_of_cases_that_were_not_selected_are_not_unmatched(tmp_path: Path) -> None:
    put(tmp_path, *(f"{i.rpartition('/')[0]}/{int(i[-3:]):04d}_output.png" for i in IDS))
    found = load_editor(f"folder:{tmp_path}").inventory(IDS[:1], IDS)
    assert (found.outputs, found.missing, found.unmatched) == (1, (), ())


def test_the_folder_that_the_releases_put_around_the_tasks_is_looked_into(tmp_path: Path) -> None:
    put(tmp_path, "PaintBench/border/0000_output.png", "TinyGrafixBench/network_add_node/0000_output.png")
    editor = load_editor(f"folder:{tmp_path}")
    found = editor.inventory(IDS[:1], IDS)
    assert (found.outputs, found.missing) == (1, ())
    assert found.unmatched == ()  # the other benchmark's outputs are none of this run's business
    assert find(editor, "network_add_node/000").status == "ok"


@pytest.mark.parametrize("ending", ["jpg", "jpeg", "webp", "PNG"])
def test_other_picture_endings_are_accepted(tmp_path: Path, ending: str) -> None:
    from PIL import Image

    (tmp_path / "border").mkdir()
    Image.fromarray(PICTURE).save(tmp_path / f"border/0000_output.{ending}")
    assert load_editor(f"folder:{tmp_path}").inventory(IDS[:1], IDS).outputs == 1


def test_png_is_preferred_to_a_lossy_file_of_the_same_case(tmp_path: Path) -> None:
    from PIL import Image

    put(tmp_path, "border/0000_output.png")
    Image.fromarray(PICTURE).save(tmp_path / "border/0000_output.jpg")
    found = load_editor(f"folder:{tmp_path}")
    image = find(found, "border/000").image
    assert isinstance(image, Path)
    assert image.suffix == ".png"


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = put(tmp_path / "outside", "secret.png") / "secret.png"
    root = tmp_path / "outputs"
    (root / "border").mkdir(parents=True)
    (root / "border/0000_output.png").symlink_to(outside)
    editor = load_editor(f"folder:{root}")
    assert editor.inventory(IDS[:1], IDS).unreadable == (
        "border/0000_output.png: a link out of the folder, not followed",
    )
    assert find(editor, "border/000").status == "no_output"


def test_a_case_id_cannot_reach_out_of_the_folder(tmp_path: Path) -> None:
    put(tmp_path, "outside_output.png")
    (tmp_path / "outputs").mkdir()
    assert find(load_editor(f"folder:{tmp_path / 'outputs'}"), "../outside").status == "no_output"


def test_the_digest_changes_when_an_output_does(tmp_path: Path) -> None:
    put(tmp_path, "border/0000_output.png")
    before = load_editor(f"folder:{tmp_path}").inventory(IDS, IDS).digest
    write_png(tmp_path / "border/0000_output.png", np.full((9, 9, 3), 50, np.uint8))
    assert load_editor(f"folder:{tmp_path}").inventory(IDS, IDS).digest != before


def test_a_folder_takes_no_options(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="takes no options"):
        load_editor(f"folder:{tmp_path}?strength=1")


def test_a_file_that_is_called_as_its_case_is_found_where_the_suite_says_nothing(tmp_path: Path) -> None:
    put(tmp_path, "sign-1.png", "sign-2.png", "sign-2_output.png")
    editor = load_editor(f"folder:{tmp_path}")
    found = editor.inventory(("sign-1", "sign-2"), ("sign-1", "sign-2"))
    assert (found.outputs, found.missing) == (2, ())
    assert found.unmatched == ("sign-2.png (a second file for sign-2; sign-2_output.png is used)",)
    assert find(editor, "sign-1").image == tmp_path.resolve() / "sign-1.png"


NAMES = {
    "pair_1": {v: (f"images/paths/pair_1_{v}", f"pair_1_{v}") for v in ("A", "B")},
    "one_1": {"": ("images/ones/one_1", "one_1")},
    "one_2": {"": ("images/ones/one_2", "one_2")},
}


def test_edits_are_found_where_the_suite_says_each_variant_apart(tmp_path: Path) -> None:
    put(tmp_path, "images/paths/pair_1_A.png", "pair_1_B.png", "images/ones/one_1.png")
    editor = load_editor(f"folder:{tmp_path}")
    for variant, place in (("A", "images/paths/pair_1_A.png"), ("B", "pair_1_B.png")):
        request = Request("pair_1", (PICTURE,), "do", 0, variant=variant, outputs=NAMES["pair_1"][variant])
        found = editor.edit(request)
        assert isinstance(found, Edit)
        assert (found.variant, found.image) == (variant, tmp_path.resolve() / place)
    gone = editor.edit(Request("one_2", (PICTURE,), "do", 0, outputs=NAMES["one_2"][""]))
    assert isinstance(gone, Edit)
    assert gone.status == "no_output"


def test_missing_second_and_stray_files_of_named_edits_are_listed(tmp_path: Path) -> None:
    put(tmp_path, "images/paths/pair_1_A.png", "images/ones/one_1.png", "one_1.png", "images/ones/one_3.png")
    (tmp_path / "images/ones/one_2.jpg").write_bytes(b"no picture")
    found = load_editor(f"folder:{tmp_path}").inventory(tuple(NAMES), tuple(NAMES), NAMES)
    assert found.outputs == 2
    assert found.missing == ("pair_1 [B]",)
    assert [said.split(":")[0] for said in found.unreadable] == ["images/ones/one_2.jpg"]
    assert found.unmatched == (
        "images/ones/one_3.png",
        "one_1.png (a second file for one_1; images/ones/one_1.png is used)",
    )


def test_a_name_from_a_suite_cannot_reach_out_of_the_folder(tmp_path: Path) -> None:
    put(tmp_path, "secret.png")
    (tmp_path / "outputs").mkdir()
    editor = load_editor(f"folder:{tmp_path / 'outputs'}")
    found = editor.edit(Request("x", (PICTURE,), "do", 0, outputs=("../secret", str(tmp_path / "secret"))))
    assert isinstance(found, Edit)
    assert found.status == "no_output"
