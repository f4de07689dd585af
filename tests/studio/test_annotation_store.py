"""Annotation over HTTP: every save a revision, old bases refused, exports that load, no way out of the folder."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store
from editscope.studio.store.migrating import downgrade, upgrade
from editscope.suites import load_suite
from support.judged_data import draw
from support.studio.annotated import call, make_folders, newest, start_project
from support.studio.studio_server import studio


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_folders(tmp_path_factory.mktemp("annotated"))
    draw(folder / "photos" / "a.png", 1)
    draw(folder / "photos" / "b.png", 2)
    return folder


@pytest.fixture(scope="module")
def address(place: Path) -> Iterator[str]:
    with studio(place) as where:
        yield where


def save(address: str, project: int, case: int, base: int, values: Any, token: str) -> tuple[int, Any]:
    body = {"base": base, "values": values, "token": token}
    return call(address, f"/annotate/api/{project}/cases/{case}", "PUT", body)


def first_case(address: str, project: int, place: Path) -> int:
    with Store.opened(Settings(place)).reading() as connection:
        query = f"SELECT min(id) FROM annotation_cases WHERE project_id = {project}"
        return int(connection.exec_driver_sql(query).scalar_one())


def test_a_save_is_a_revision_a_resent_one_is_not_and_an_old_base_gets_both_versions(address: str, place: Path) -> None:
    project = start_project(address, "picabench", "physics", "revisions")
    case = first_case(address, project, place)
    number, values = newest(address, project, case)
    assert number == 1
    changed = values | {"explicit_prompt": "superficial wish 0, with its shadow"}
    status, answer = save(address, project, case, 1, changed, "token-one")
    assert (status, answer["revision"]) == (200, 2)
    assert save(address, project, case, 1, changed, "token-one")[1]["revision"] == 2, "a reply that was lost"
    assert save(address, project, case, 2, changed, "token-two")[1]["revision"] == 2, "nothing new"
    status, answer = save(address, project, case, 1, values | {"explicit_prompt": "other tab"}, "token-six")
    assert status == 409 and answer["revision"] == 2 and answer["values"] == changed
    assert newest(address, project, case) == (2, changed)
    status, answer = save(address, project, case, 2, values | {"explicit_prompt": "other tab"}, "token-six")
    assert (status, answer["revision"]) == (200, 3)
    revisions = call(address, f"/annotate/api/{project}/cases/{case}/history")[1]["revisions"]
    assert [one["kind"] for one in revisions] == ["edit", "edit", "start"]


def test_rules_are_told_while_typing_and_an_id_stays_unique(address: str, place: Path) -> None:
    project = start_project(address, "picabench", "physics", "rules")
    case = first_case(address, project, place)
    _, values = newest(address, project, case)
    values["questions"][0]["question"] = "Has the box been removed and is the floor clean?"
    values["index"] = "2"
    status, answer = call(address, f"/annotate/api/{project}/cases/{case}/check", "POST", {"values": values})
    messages = [remark["message"] for remark in answer["remarks"]]
    assert status == 200
    assert messages[0] == "Another case has the id '00002'; ids are unique."
    assert any("'and' may join two" in message for message in messages)
    assert any("'been' compares" in message for message in messages)


def test_an_export_into_a_new_folder_and_into_its_own_loads_with_the_suite(address: str, place: Path) -> None:
    project = start_project(address, "picabench", "physics", "exports")
    case = first_case(address, project, place)
    number, values = newest(address, project, case)
    values["regions"][0]["box"] = [10, 20, 300, 200]
    save(address, project, case, number, values, "token-export")
    status, answer = call(address, f"/annotate/api/{project}/export", "POST", {"folder": "physics two"})
    assert status == 200, answer
    assert (answer["folder"], answer["cases"], answer["loaded"]) == ("physics two", 3, 3)
    box = load_suite("picabench", root=place / "physics two")["00000"].questions[0].region
    assert box is not None and box.box == (10, 20, 310, 220)
    assert call(address, f"/annotate/api/{project}/export", "POST", {"folder": "physics two"})[0] == 400
    before = (place / "physics" / "meta_info.json").read_bytes()
    status, answer = call(address, f"/annotate/api/{project}/export", "POST", {})
    assert status == 200 and answer["files"] == ["meta_info.json"], answer
    assert [path.read_bytes() for path in (place / "physics").glob("*.bak")] == [before]
    assert call(address, f"/annotate/api/{project}/export", "POST", {})[1]["files"] == [], "nothing new"
    rows = json.loads((place / "physics" / "meta_info.json").read_text())
    rows[1]["edit_operation"] = "by hand"
    (place / "physics" / "meta_info.json").write_text(json.dumps(rows))
    status, answer = call(address, f"/annotate/api/{project}/export", "POST", {})
    assert status == 409 and "changed by something else" in answer["error"]
    (place / "physics" / "meta_info.json").write_bytes(before)


def test_a_set_starts_from_pictures_and_exports_what_is_ready(address: str, place: Path) -> None:
    project = start_project(address, "own", "photos")
    case = first_case(address, project, place)
    status, answer = call(address, f"/annotate/api/{project}/export", "POST", {"folder": "none", "ready_only": True})
    assert status == 400 and "No case is ready" in answer["error"]
    _, values = newest(address, project, case)
    ready = values | {"instruction": "Paint it red.", "tag_category": "color"}
    assert save(address, project, case, 1, ready, "token-ready")[1]["remarks"] == []
    status, answer = call(address, f"/annotate/api/{project}/export", "POST", {"folder": "signs", "ready_only": True})
    assert status == 200, answer
    assert (answer["cases"], answer["left_out"], answer["loaded"]) == (1, 1, 1)
    suite = load_suite(str(place / "signs"))
    assert suite.name == "signs" and suite["case-1"].instruction == "Paint it red."
    status, answer = call(address, f"/annotate/api/{project}/cases", "POST", {"pictures": ["b.png"]})
    assert status == 201
    assert newest(address, project, answer["case"])[1]["id"] == "case-3"
    body = {"base": 1, "token": "token-remove"}
    assert call(address, f"/annotate/api/{project}/cases/{answer['case']}", "DELETE", body)[0] == 200
    status, _ = call(address, f"/annotate/{project}/case/{answer['case']}")
    assert status == 404


@pytest.mark.parametrize(
    "path", ["../secret.png", "/etc/hostname", ".editscope-studio/studio.db", "meta_info.json", "a\0"]
)
def test_no_path_leads_out_of_the_data_or_to_what_is_no_picture(path: str, address: str, place: Path) -> None:
    draw(place / "secret.png", 9)
    project = start_project(address, "picabench", "physics", f"paths {path.encode().hex()}")
    for query in (f"picture?path={urllib.parse.quote(path)}", f"picture?path={urllib.parse.quote(path)}&side=160"):
        status, answer = call(address, f"/annotate/{project}/{query}")
        assert status == 404 and str(place) not in json.dumps(answer)
    if path != "meta_info.json":
        assert call(address, f"/annotate/api/{project}/cases", "POST", {"pictures": [path]})[0] in (404, 422)


@pytest.mark.parametrize("folder", ["..", "/", "../..", ".editscope-studio", "nothing", "physics/meta_info.json"])
def test_no_project_of_a_folder_outside(folder: str, address: str) -> None:
    body = {"name": "x", "layout": "own", "folder": folder}
    assert call(address, "/annotate/api/projects", "POST", body)[0] == 404


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"base": 1, "values": {"index": 5}, "token": "12345678"}, 400),
        ({"base": 1, "values": {"no such": "x"}, "token": "12345678"}, 400),
        ({"base": 1, "values": [], "token": "12345678"}, 422),
        ({"base": -1, "values": {}, "token": "12345678"}, 422),
        ({"base": 1, "values": {}, "token": ""}, 422),
        ({"values": {}}, 422),
    ],
)
def test_a_save_of_another_shape_gets_a_sentence(body: Any, status: int, address: str, place: Path) -> None:
    project = start_project(address, "worldedit", "world", f"shapes {json.dumps(body)}")
    case = first_case(address, project, place)
    answered, answer = call(address, f"/annotate/api/{project}/cases/{case}", "PUT", body)
    assert answered == status and answer["error"]


def test_an_error_of_a_file_names_it_without_the_path_of_the_machine(address: str, place: Path) -> None:
    (place / "broken").mkdir()
    (place / "broken" / "cases.jsonl").write_text("{not json")
    body = {"name": "broken", "layout": "worldedit", "folder": "broken"}
    status, answer = call(address, "/annotate/api/projects", "POST", body)
    assert status == 400 and answer["error"].startswith("broken/cases.jsonl row 1"), answer


def test_the_tables_come_and_go(tmp_path: Path) -> None:
    store = Store.opened(Settings(tmp_path))
    downgrade(store.engine, "0001")
    with store.reading() as connection:
        tables = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    assert not any(name.startswith("annotation") for name in tables)
    upgrade(store.engine)
    store.close()
