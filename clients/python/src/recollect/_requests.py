"""The server to which requests go, and the form of the requests."""

from __future__ import annotations

import json
import math
import re
import ssl
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal
from urllib.parse import quote, urlencode, urlsplit

import httpx

from ._errors import RecollectError
from ._unset import UNSET, Unset
from ._version import VERSION
from .types import Scope

Repeat = Literal["always", "by key", "if not done"]
Time = str | datetime
Day = str | date
Query = Mapping[str, str | int | float | bool | date | None]

# The characters that encodeURIComponent leaves unchanged.
_PLAIN = "-_.!~*'()"
_TARGET = re.compile(r"/[!-~]*")
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_HEADER = re.compile(r"[\t -~\x80-\xff]*")


@dataclass(frozen=True)
class Request:
    method: str
    target: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    repeat: Repeat


@dataclass(frozen=True)
class Document:
    """A body that is sent unchanged."""

    content: bytes = field(repr=False)
    media_type: str


@dataclass(frozen=True)
class Server:
    """One server, and the headers with which the client identifies itself."""

    origin: httpx.URL
    authority: str
    base: str
    tls: ssl.SSLContext
    # The headers contain the API key, so `repr` omits them and they do not reach logs.
    headers: Mapping[str, str] = field(repr=False)
    name: str

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: object = None,
        repeat: Repeat | None = None,
    ) -> Request:
        """Returns a request as it is sent, which is the same in each try.

        ``RecollectClient.request`` explains ``repeat``.
        """
        mode = repeat or ("always" if method == "GET" else "if not done")
        target = f"{self.base}{path}{query_of(query or {})}"
        if not re.fullmatch(r"[A-Z]+", method) or not _TARGET.fullmatch(target):
            raise ValueError(f"{method!r} {target!r} is no request: a path begins with / and is percent-encoded.")
        own = {"host": self.authority, **self.headers}
        if body is not None:
            own["content-type"] = body.media_type if isinstance(body, Document) else "application/json"
        if mode == "by key":
            # The key is made here, before the first try, so that all tries of one write share it.
            own["idempotency-key"] = str(uuid.uuid4())
        own.update({name.lower(): value for name, value in (headers or {}).items() if value is not None})
        if not all(_HEADER_NAME.fullmatch(name) and _HEADER.fullmatch(value) for name, value in own.items()):
            raise ValueError("A header has a line break or a character that HTTP cannot carry.")
        # Spaces around a value are no part of it. httpx refuses them.
        own = {name: value.strip(" \t") for name, value in own.items()}
        return Request(method, target, own, None if body is None else encode(body), mode)


def server_at(
    url: str,
    *,
    key: str | None = None,
    tenant: str | None = None,
    name: str | None = None,
    ssl_context: ssl.SSLContext | None = None,
) -> Server:
    """Returns the server at a URL. Raises ValueError if the URL is not the address of a server."""
    parts = urlsplit(url)
    more = parts.query or parts.fragment or parts.username
    wrong = f"{url!r} is no address of a server; give one like http://127.0.0.1:7420."
    if parts.scheme not in ("http", "https") or not parts.hostname or more or not url.isascii():
        raise ValueError(wrong)
    try:
        origin = httpx.URL(scheme=parts.scheme, host=parts.hostname, port=parts.port)
        # The system's resolver refuses other names with a UnicodeError, which is no OSError.
        parts.hostname.encode("idna")
    except (httpx.InvalidURL, ValueError) as cause:
        raise ValueError(wrong) from cause
    # httpx asks for a context without TLS too. This one loads no certificates, which takes long, and
    # so trusts nobody.
    plain = parts.scheme == "http"
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else ssl_context or ssl.create_default_context()
    headers = {"user-agent": f"recollect-python/{VERSION}"}
    if key is not None:
        headers["authorization"] = f"Bearer {key}"
    if tenant is not None:
        headers["recollect-tenant"] = tenant
    return Server(
        origin=origin,
        authority=parts.netloc,
        # People copy an address with `/v1` from other APIs, or that of the console.
        base=parts.path.rstrip("/").removesuffix("/v1").removesuffix("/console"),
        tls=tls,
        headers=headers,
        name=name or url,
    )


def encode(body: object) -> bytes:
    """Returns the bytes of a body: a document's own bytes, or JSON in UTF-8.

    A time and a day become ISO 8601; a time without a time zone is local.
    UTF-8 cannot carry half a surrogate pair, so it becomes the escape that JSON has for it.
    """
    if isinstance(body, Document):
        return body.content
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_written)
    except ValueError:
        _refuse_no_number("The body", body, set())
        raise
    return text.encode("utf-8", "backslashreplace")


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that the caller gave."""
    return {name: value for name, value in fields.items() if value is not None}


def narrowed(**parts: str | Unset) -> dict[str, str]:
    """Returns the parts of a scope that the caller gave.

    Raises RecollectError ``invalid_request`` for None, which is mostly a mistake of the caller's:
    without a user, the memories of all users are listed, or forgotten.
    """
    for name, value in parts.items():
        _refuse_none(name, value)
    return {name: value for name, value in parts.items() if value is not UNSET}


def in_scope(scope: Scope | None) -> Scope | None:
    """Returns a scope. Raises RecollectError ``invalid_request`` for a part that is None."""
    if isinstance(scope, dict):
        for name, value in scope.items():
            _refuse_none(name, value)
    return scope


def _refuse_none(name: str, value: object) -> None:
    if value is None:
        what = "the id of a user" if name == "user" else "a text"
        message = f"`{name}` is given and None. Give {what}, or leave `{name}` out."
        raise RecollectError("invalid_request", message)


def segment(value: str) -> str:
    """Returns a value as one segment of a path.

    Raises RecollectError if the value would lead to another route.
    """
    if not isinstance(value, str):
        raise RecollectError("invalid_path", f"An id or a path must be a str, not {value!r}.")
    if value in ("", ".", ".."):
        raise RecollectError("invalid_path", f"{value!r} names nothing; servers read it as another path.")
    return quote(value, safe=_PLAIN, errors="surrogatepass")


def segments(path: str) -> str:
    """Returns the path of a file, percent-encoded.

    Raises RecollectError if the path would lead to another route.
    """
    if not isinstance(path, str) or path == "":
        raise RecollectError("invalid_path", "A file has a path; give one like notes/today.md.")
    # An empty segment does not lead to another route. The server says what is wrong with it.
    return "/".join(one and segment(one) for one in path.split("/"))


def query_of(query: Query) -> str:
    if "user" in query:
        _refuse_none("user", query["user"])
    for name, value in query.items():
        _refuse_no_number(name, value, set())
    fields = [(name, _word(value)) for name, value in query.items() if value is not None]
    return f"?{urlencode(fields, errors='surrogatepass')}" if fields else ""


def condition_of(if_match: str | None, if_none_match: str | None) -> dict[str, str | None]:
    """Returns the headers for the condition under which a file is written."""
    tag = if_match if if_match is None or if_match == "*" else f'"{if_match}"'
    return {"if-match": tag, "if-none-match": if_none_match}


def _word(value: str | int | float | bool | date | None) -> str:
    if isinstance(value, date):
        return _written(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_no_number(name: str, value: object, seen: set[int]) -> None:
    """Raises RecollectError ``invalid_request`` if a number in a value is NaN or infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise RecollectError("invalid_request", f"{name} must be a finite number; {value} was given.")
    if not isinstance(value, dict | list | tuple) or id(value) in seen:
        return
    seen.add(id(value))
    inner = value.items() if isinstance(value, dict) else ((name, one) for one in value)
    for key, one in inner:
        _refuse_no_number(str(key), one, seen)


def _written(value: object) -> str:
    """Returns a time or a day in ISO 8601.

    Raises RecollectError ``invalid_request`` for what JSON has no form for.
    """
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    message = f"A field must be a text, a number, a boolean, a list, a dict, a datetime or a date, not {type(value).__name__}."
    raise RecollectError("invalid_request", message)
