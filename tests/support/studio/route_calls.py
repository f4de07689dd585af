"""A request for each route of a studio, made from its schema: a route that is new is attacked by itself."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from sqlalchemy import select

from editscope.studio.app import create_app
from editscope.studio.settings import Settings
from editscope.studio.store.engine import METADATA, Store
from support.studio.api_schema import Document, with_filters, with_known_values
from support.studio.whole_studio import WholeStudio

RATERS = "/rate/"


@dataclass(frozen=True)
class RouteCall:
    """A request that a studio accepts. ``body`` is None where the route takes none."""

    method: str
    template: str
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Mapping[str, Any] | None
    fields: Mapping[str, Any]
    """The schemas of the fields of the body."""
    asks: tuple[str, ...]
    """The parameters that the route reads from its query."""

    @property
    def name(self) -> str:
        """The route, as the schema names it."""
        return f"{self.method} {self.template}"

    @property
    def changes(self) -> bool:
        """Whether it changes something."""
        return self.method not in ("GET", "HEAD")

    @property
    def for_raters(self) -> bool:
        """Whether a private link is its key."""
        return self.template.startswith(RATERS)

    def target(self, **raw: str) -> str:
        """The path and the query; ``raw`` replaces a parameter of the path by a text that is sent as it is."""
        path = self.template
        for name, value in self.path.items():
            path = path.replace(f"{{{name}}}", raw.get(name, quote(value, safe="")))
        return path + (f"?{urlencode(self.query)}" if self.query else "")

    def asking(self, name: str, value: str) -> RouteCall:
        """The same with another value in its query."""
        return replace(self, query={**self.query, name: value})

    def sending(self, name: str, value: Any) -> RouteCall:
        """The same with another value of a field of its body."""
        return replace(self, body={**(self.body or {}), name: value})

    def texts(self) -> Iterator[tuple[str, Any]]:
        """The fields of the body that hold texts, each with what makes a value of a text."""
        for name, schema in self.fields.items():
            kinds = [one.get("type") for one in schema.get("anyOf", [schema])]
            items = schema.get("items", {})
            if "string" in kinds:
                yield name, str
            elif "array" in kinds and items.get("type") == "string":
                yield name, lambda text: [text]


def described(folder: Path) -> Document:
    """The schema of a studio, with what galleries read from an address."""
    return with_filters(create_app(Settings(folder)).openapi())


def route_calls(studio: WholeStudio, address: str) -> list[RouteCall]:
    """A request for each route, with ids that exist."""
    document = described(studio.folder)
    known = with_known_values(document, studio, address)
    calls = []
    for template, operations in known["paths"].items():
        for method, operation in operations.items():
            given: dict[str, dict[str, str]] = {"path": {}, "query": {}}
            for parameter in operation["parameters"]:
                value = parameter.get("example", "")
                given[parameter["in"]][parameter["name"]] = str(value[0] if isinstance(value, list) else value)
            query = {name: value for name, value in given["query"].items() if value}
            reference = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if reference is None:
                body, fields = None, {}
            else:
                name = reference["$ref"].rpartition("/")[2]
                body = known["components"]["schemas"][name]["example"]
                fields = document["components"]["schemas"][name]["properties"]
            calls.append(RouteCall(method.upper(), template, given["path"], query, body, fields, tuple(given["query"])))
    return calls


@dataclass(frozen=True)
class RawAnswer:
    """Status, headers and body of an answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")


class RawClient:
    """One connection to a studio, that sends targets as they are: a browser would tidy them up."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)

    def send(
        self, method: str, target: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> RawAnswer:  # fmt: skip
        """The answer to a request; a body that is not bytes is sent as JSON."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        kind = {} if data is None else {"Content-Type": "application/json"}
        try:
            self._connection.putrequest(method, target, skip_accept_encoding=True)
            sent = {"Accept": "text/html", **kind, **(headers or {})}
            if data is not None:
                sent.setdefault("Content-Length", str(len(data)))
            for name, value in sent.items():
                self._connection.putheader(name, value)
            self._connection.endheaders(data)
            answer = self._connection.getresponse()
            headers_in = {name.lower(): value for name, value in answer.getheaders()}
            try:
                return RawAnswer(answer.status, headers_in, answer.read())
            except ConnectionResetError:  # it was refused without being read
                return RawAnswer(answer.status, headers_in, b"")
        except (http.client.HTTPException, OSError):
            self._connection.close()
            raise

    def call(self, call: RouteCall, **headers: str) -> RawAnswer:
        """The answer to a request of a route; names of headers have ``_`` for ``-``."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send(call.method, call.target(), call.body, named)

    def runs_are_read(self, cookie: str = "") -> None:
        """Wait until the studio has read all runs of its folder."""
        while "Reading runs" in self.send("GET", "/", headers={"Cookie": cookie}).text:
            pass

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


def everything_in(studio: WholeStudio) -> dict[str, list[Any]]:
    """All rows of all tables."""
    store = Store.opened(Settings(studio.folder, database=studio.database))
    try:
        with store.reading() as connection:
            return {
                name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
                for name, table in METADATA.tables.items()
            }
    finally:
        store.close()
