"""Decides what an answer means, and whether to send the request again."""

from __future__ import annotations

import json
import random
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from ._errors import RecollectError, error_of, redirected, unreachable
from ._requests import Request

MAX_TRIES = 5
TIMEOUT_S = 60.0
_FIRST_DELAY_S = 0.2
_MAX_DELAY_S = 60.0
# Statuses after which a repeatable request is retried.
_PASSING = frozenset({429, 502, 503, 504})
# Statuses after which the server certainly did nothing. A gateway may answer 502 or 504 after the
# server has carried out the request.
_NOT_DONE = frozenset({429, 503})


class TimeLeft(dict[str, float | None]):
    """The time limits of httpx's operations during one try: the time that is left of the whole.

    httpx limits each operation on the network and has no limit for a whole request
    (https://github.com/encode/httpx/issues/1450). It asks ``get`` at the beginning of each phase:
    connecting, sending, and receiving head and body.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(dict.fromkeys(("connect", "read", "write", "pool"), seconds))
        self._deadline = time.monotonic() + seconds

    def get(self, _operation: str, _default: Any = None, /) -> float:
        # A socket takes 0 for "do not wait at all".
        return max(0.001, self._deadline - time.monotonic())

    def check(self) -> None:
        """Raises TimeoutError when no time is left."""
        if time.monotonic() > self._deadline:
            raise TimeoutError("The time limit of this call is over.")


@dataclass(frozen=True)
class Answer:
    body: Any


@dataclass(frozen=True)
class Failure:
    error: RecollectError
    again: bool
    wait_s: float | None = None


def answered(request: Request, status: int, headers: Mapping[str, str], content: bytes, name: str) -> Answer | Failure:
    """Returns the meaning of a complete answer."""
    if is_redirect(status):
        return Failure(redirected(status, name), again=False)
    body = parse(content)
    if 200 <= status < 300 and body is not None:
        return Answer(body)
    wait_s = retry_after_s(headers.get("retry-after"))
    error = error_of(status, body, name, wait_s)
    statuses = _NOT_DONE if request.repeat == "if not done" else _PASSING
    # A database that lacks a right or is too old does not change by waiting.
    passes = status in statuses and error.code != "database_unsupported"
    in_use = request.repeat == "by key" and error.code == "idempotency_key_in_use"
    return Failure(error, again=passes or in_use, wait_s=wait_s)


def broken(request: Request, cause: OSError | httpx.TransportError, name: str) -> Failure:
    """Returns the meaning of a connection that could not be made, or that ended too early."""
    reason = os_error(cause)
    if isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout):
        # No server accepted the connection, so the request cannot have arrived. Waiting does not
        # make a certificate valid.
        again = not isinstance(reason, ssl.SSLCertVerificationError)
        return Failure(unreachable(name, reason, in_doubt=False), again=again)
    again = request.repeat != "if not done"
    return Failure(unreachable(name, reason, in_doubt=not again), again=again)


def os_error(error: OSError | httpx.TransportError) -> OSError:
    """Returns the operating system's error behind one of httpx, or one that says the same."""
    if isinstance(error, OSError):
        return error
    found = error.__cause__
    if isinstance(error, httpx.NetworkError | httpx.TimeoutException) and found is not None:
        # httpcore raises its own error again `from None`, which leaves the reason in the context.
        found = found.__cause__ or found.__context__
    if isinstance(found, OSError):
        return found
    other = (TimeoutError if isinstance(error, httpx.TimeoutException) else ConnectionError)(str(error))
    other.__cause__ = error
    return other


def is_refusal(error: RecollectError, was_open: bool) -> bool:
    """Returns whether a new connection is useless.

    A server that has no free place for a stream sends no Retry-After. If this stream was open
    before, the place may be taken by the stream's own previous connection.
    """
    if error.status == 429:
        return error.retry_after_s is None and not was_open
    return error.status is not None and error.status < 500


def is_redirect(status: int) -> bool:
    return 300 <= status < 400


def parse(content: bytes) -> Any:
    """Returns the JSON of an answer; None if the answer is not JSON."""
    try:
        return json.loads(content)
    except ValueError:
        return None


def delay_s(tries: int) -> float:
    """Returns how long to wait after ``tries`` tries if the server does not say."""
    return float(_FIRST_DELAY_S * 2 ** (tries - 1) * (0.5 + random.random()))


def retry_after_s(header: str | None) -> float | None:
    """Returns Retry-After in seconds, at most a minute.

    The header holds seconds or an HTTP date (RFC 9110 §10.2.3).
    """
    if header is None:
        return None
    text = header.strip()
    if text.isascii() and text.isdecimal():
        # The number may have any length. More than a few digits are more than a minute.
        return min(_MAX_DELAY_S, float(text[:9]))
    try:
        wait_s = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, OverflowError):
        return None
    return min(_MAX_DELAY_S, max(0.0, wait_s))
