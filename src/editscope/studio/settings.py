"""Settings of a studio: which folder it shows, where it listens, and where it keeps what people enter."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from editscope.errors import BadInput

OWN_FOLDER = ".editscope-studio"
"""The folder inside the studio's folder that holds its database and its small pictures."""
PORT = 8765
TOKEN_VARIABLE = "EDITSCOPE_STUDIO_TOKEN"
DATABASE_VARIABLE = "EDITSCOPE_STUDIO_DATABASE"
SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class Settings:
    """What a studio is started with. ``database`` is a URL of SQLAlchemy; "" is SQLite in the studio's folder."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = PORT
    database: str = ""
    admin_token: str = ""

    @property
    def own_folder(self) -> Path:
        """The folder that the studio writes to."""
        return self.folder / OWN_FOLDER

    @property
    def open_to_others(self) -> bool:
        """Whether it listens on more than this machine's loopback address."""
        return not is_loopback(self.host)

    @property
    def needs_token(self) -> bool:
        """Whether an admin must show a token: always where others can reach the studio, else where one was set."""
        return self.open_to_others or bool(self.admin_token)

    def checked(self) -> Settings:
        """The settings themselves; BadInput where a studio cannot start with them."""
        if not self.folder.is_dir():
            raise BadInput(f"{self.folder} is not a folder; name one that holds runs, or an empty one to start with")
        if self.open_to_others and not self.admin_token:
            raise BadInput(
                f"--host {self.host} lets other machines reach the studio, so it needs an admin token: "
                f"set {TOKEN_VARIABLE} to a secret of at least {SHORTEST_TOKEN} characters"
            )
        if self.admin_token and len(self.admin_token) < SHORTEST_TOKEN:
            raise BadInput(
                f"{TOKEN_VARIABLE} has {len(self.admin_token)} characters; use at least {SHORTEST_TOKEN}, "
                'such as what `python -c "import secrets; print(secrets.token_urlsafe(24))"` prints'
            )
        return self


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("[::1]"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    name = host.strip("[]").lower()
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
