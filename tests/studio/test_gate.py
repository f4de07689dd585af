"""Who gets in: loopback without a login, others with a token, and no site but the studio's own changes anything."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from editscope.errors import BadInput
from editscope.studio.settings import Settings
from support.studio.studio_server import studio

TOKEN = "a-long-secret-of-the-admin"


def ask(address: str, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of one answer; header names have ``_`` for ``-``."""
    host, _, port = address.removeprefix("http://").partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
    finally:
        connection.close()


def test_a_studio_of_loopback_answers_only_to_names_of_this_machine(tmp_path: Path) -> None:
    with studio(tmp_path) as address:
        assert ask(address, "/static/base/base.css")[0] == 200
        status, headers, text = ask(address, "/static/base/base.css", Host="attacker.example")
    assert status == 421 and "this machine only" in text
    assert "default-src 'none'" in headers["content-security-policy"]


def test_a_change_from_another_site_is_refused(tmp_path: Path) -> None:
    with studio(tmp_path) as address:
        for headers in (
            {"Origin": "http://attacker.example"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site"},
            {"Origin": "null"},
        ):
            status, _, text = ask(address, "/anything", "POST", **headers)
            assert status == 403, headers
            assert "did not come from a page of the studio" in text
        assert ask(address, "/anything", "POST", Origin=address, Sec_Fetch_Site="same-origin")[0] == 404


def test_a_form_or_a_huge_body_is_refused(tmp_path: Path) -> None:
    with studio(tmp_path) as address:
        form = {"Content_Type": "text/plain", "Content_Length": "1"}
        assert ask(address, "/anything", "POST", **form)[0] == 415
        large = {"Content_Type": "application/json", "Content_Length": str(1 << 40)}
        assert ask(address, "/anything", "POST", **large)[0] == 413
        assert ask(address, "/anything", "POST", Content_Type="application/json", Transfer_Encoding="chunked")[0] == 413


def test_with_a_token_an_admin_signs_in_once_and_nobody_else_gets_in(tmp_path: Path) -> None:
    with studio(tmp_path, admin_token=TOKEN) as address:
        assert ask(address, "/")[0] == 401
        assert ask(address, "/?token=wrong")[0] == 401
        status, headers, _ = ask(address, f"/?token={TOKEN}")
        assert status == 303 and TOKEN not in headers["location"]
        assert ask(address, f"//elsewhere.example/?token={TOKEN}")[1]["location"] == "/elsewhere.example/"
        cookie = headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and TOKEN not in cookie
        assert ask(address, "/nothing-here", Cookie=cookie.partition(";")[0])[0] == 404
        assert ask(address, "/nothing-here", Cookie="editscope_studio=forged")[0] == 401


@pytest.mark.parametrize(
    "path",
    ["/static/base/..%2f..%2fapp.py", "/static/../app.py", "/static/shared/page.js", "/static/base/%00", "/x" * 900],
)
def test_an_address_leads_to_no_other_file(path: str, tmp_path: Path) -> None:
    with studio(tmp_path) as address:
        status, _, text = ask(address, path)
    assert status == 404 and "create_app" not in text


def test_other_machines_need_a_token(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="EDITSCOPE_STUDIO_TOKEN"):
        Settings(tmp_path, host="0.0.0.0").checked()
    with pytest.raises(BadInput, match="at least 16"):
        Settings(tmp_path, host="0.0.0.0", admin_token="short").checked()
    with pytest.raises(BadInput, match="not a folder"):
        Settings(tmp_path / "none").checked()
