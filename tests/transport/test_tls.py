"""Servers behind TLS: what is wrong with a certificate, a scheme or a name is said at once, with the fix."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from editscope.editors import Request, load_editor
from editscope.errors import BadInput, Stopped
from support.places import TESTS
from support.tls_checks import hosted, judge, own

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl to make certificates")

Check = Callable[[str], None]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates signed by themselves, and by an authority that nobody knows: good, expired, of another name."""
    folder = tmp_path_factory.mktemp("tls")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    here = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    openssl("req", "-x509", *key, "-keyout", "self.key", "-out", "self.pem", "-days", "9", *here)
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-days", "9", "-subj", "/CN=Authority")
    (folder / "index.txt").touch()
    (folder / "ca.cnf").write_text(
        "[ca]\ndefault_ca = c\n[c]\ndatabase = index.txt\nnew_certs_dir = .\nrand_serial = yes\ndefault_md = sha256\n"
        "policy = p\ncopy_extensions = copy\nunique_subject = no\n[p]\ncommonName = supplied\n"
    )
    for name, subject, dates in (
        ("good", here, ("20200101000000Z", "20990101000000Z")),
        ("old", here, ("20200101000000Z", "20210101000000Z")),
        (
            "other",
            ("-subj", "/CN=o", "-addext", "subjectAltName=DNS:other.org"),
            ("20200101000000Z", "20990101000000Z"),
        ),
    ):
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", *subject)
        signing = ("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-notext")
        openssl(*signing, "-in", f"{name}.csr", "-out", f"{name}.pem", "-startdate", dates[0], "-enddate", dates[1])
    return folder


class Quiet(BaseHTTPRequestHandler):
    """Lists one model to whoever asks."""

    def do_GET(self) -> None:
        body = b'{"data": [{"id": "m"}], "id": "m"}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """A server that does not print what strangers do wrong."""

    def handle_error(self, *_: object) -> None:
        pass


@pytest.fixture
def serving(certificates: Path) -> Iterator[Callable[[str], int]]:
    """Starts a server with a certificate of that name, or without TLS for ""; gives its port."""
    running = []

    def start(name: str) -> int:
        server = Server(("127.0.0.1", 0), Quiet)
        if name:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        running.append(server)
        return int(server.server_address[1])

    yield start
    for server in running:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("check", [judge, hosted, own])
@pytest.mark.parametrize(
    ("certificate", "scheme", "said"),
    [
        ("self", "https", "signed by itself.*put the path of that certificate into SSL_CERT_FILE"),
        ("good", "https", "nobody whom this machine trusts.*SSL_CERT_FILE"),
        ("", "https", "it does not speak TLS at this port.*write http:// in its address"),
        ("self", "http", "it speaks TLS at this port.*write https:// in its address"),
    ],
)
def test_a_server_that_cannot_be_trusted_or_speaks_the_other_scheme_is_told_at_once(
    serving: Callable[[str], int], check: Check, certificate: str, scheme: str, said: str
) -> None:
    with pytest.raises(BadInput, match=said) as raised:
        check(f"{scheme}://127.0.0.1:{serving(certificate)}")
    assert "cannot be reached" in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("check", [judge, hosted, own])
def test_a_name_that_nobody_knows_is_named(check: Check) -> None:
    with pytest.raises(BadInput, match=r"there is no host 'nobody\.invalid'"):
        check("https://nobody.invalid:1")


CHILD = "import sys; sys.path.insert(0, sys.argv[1]); from support.tls_checks import check_all; check_all(sys.argv[2:])"


@pytest.mark.slow
def test_with_the_certificate_in_ssl_cert_file_a_server_is_trusted_unless_it_is_old_or_another(
    serving: Callable[[str], int], certificates: Path
) -> None:
    addresses = [f"https://127.0.0.1:{serving(name)}" for name in ("good", "old", "other")]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(TESTS), *addresses],
        env={**os.environ, "SSL_CERT_FILE": str(certificates / "ca.pem")},
        capture_output=True,
        text=True,
        timeout=600,
    )
    lines = done.stdout.splitlines()
    assert lines[:3] == ["ok"] * 3, done.stdout + done.stderr
    assert all("its certificate has expired" in line for line in lines[3:6])
    assert all("is for another name than 127.0.0.1" in line for line in lines[6:9])
    assert len(lines) == 9


@pytest.mark.slow
def test_an_editor_without_a_check_stops_at_the_first_edit_and_does_not_try_again(
    serving: Callable[[str], int],
) -> None:
    import numpy as np

    editor = load_editor(f"https://127.0.0.1:{serving('self')}/edit")
    editor.load()
    try:
        with pytest.raises(Stopped, match=r"cannot be asked any more: .*signed by itself"):
            editor.edit(Request("a", (np.zeros((4, 4, 3), np.uint8),), "Make it red.", 0))
    finally:
        editor.close()


def test_a_server_that_hangs_up_is_not_taken_for_one_of_the_other_scheme() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def hang_up() -> None:
            while True:
                try:
                    server.accept()[0].close()
                except OSError:
                    return

        threading.Thread(target=hang_up, daemon=True).start()
        for scheme in ("http", "https"):
            with pytest.raises(BadInput, match="cannot be reached") as raised:
                judge(f"{scheme}://127.0.0.1:{port}")
            assert "TLS" not in str(raised.value)
        server.shutdown(socket.SHUT_RDWR)
