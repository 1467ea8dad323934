"""What a request that came to nothing raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RecollectError(Exception):
    """Why a request came to nothing: the server's code and sentence, or ``service_unreachable`` when no server answered.

    Attributes:
        code: stable; docs/ERRORS.md lists them. A newer server may have more.
        message: what happened, and how to mend it.
        status: the HTTP status; None when there was no answer.
        request_id: what the server's log calls the request.
        details: more about it, by the code.
        retry_after_s: how long the server asked the client to wait before the next try, at most a minute.
    """

    code: str
    message: str
    status: int | None
    request_id: str | None
    details: Mapping[str, Any] | None
    retry_after_s: float | None

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        # Both, so that an error survives pickling on its way out of a worker process.
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.details = details
        self.retry_after_s = retry_after_s

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


def error_of(status: int, body: object, name: str, retry_after_s: float | None = None) -> RecollectError:
    """The error that a failed response tells of. ``name`` is what to call the server."""
    problem = body if isinstance(body, dict) else {}
    code, message = problem.get("code"), problem.get("detail")
    if code is None and isinstance(problem.get("error"), dict):
        # Older servers say it in `error` alone.
        problem = problem["error"]
        code, message = problem.get("code"), problem.get("message")
    if isinstance(code, str) and isinstance(message, str):
        request_id, details = problem.get("requestId"), problem.get("details")
        return RecollectError(
            code, message, status=status, request_id=request_id, details=details, retry_after_s=retry_after_s
        )
    other = f"{name} answered (status {status}) but not as Recollect does; check the URL."
    return RecollectError("service_unreachable", other, status=status, retry_after_s=retry_after_s)


def redirected(status: int, name: str) -> RecollectError:
    remedy = "use the address that answers; it may begin with https."
    sentence = f"{name} redirects to another address, which is not followed; {remedy}"
    return RecollectError("service_unreachable", sentence, status=status)


def unreachable(name: str, cause: BaseException, *, in_doubt: bool) -> RecollectError:
    """``in_doubt``: whether the server may have done what it was asked."""
    remedy = "look whether it was done before you try again." if in_doubt else "is the server running?"
    error = RecollectError("service_unreachable", f"No answer from {name}; {remedy}")
    error.__cause__ = cause
    return error
