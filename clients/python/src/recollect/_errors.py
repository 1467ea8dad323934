"""The error that a failed request raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class RecollectError(Exception):
    """The reason why a request failed.

    That is the server's code and sentence, or ``service_unreachable`` when no server answered.

    Attributes:
        code: the stable error code. docs/ERRORS.md lists the codes. A newer server may have more of
            them.
        message: what happened, and how to mend it.
        status: the HTTP status; None when no server answered.
        request_id: the id of the request in the server's log.
        details: more about the error, depending on the code.
        retry_after_s: the time that the server asked the client to wait before the next try, at
            most a minute.
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
        # Passes on both arguments, so that the error survives pickling on its way out of a worker
        # process.
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
    """Returns the error for a failed response.

    ``name`` is the name of the server in the message.
    """
    problem = body if isinstance(body, dict) else {}
    code, message = problem.get("code"), problem.get("detail")
    if code is None and isinstance(problem.get("error"), dict):
        # Older servers send code and message only in `error`.
        problem = problem["error"]
        code, message = problem.get("code"), problem.get("message")
    if isinstance(code, str) and isinstance(message, str):
        request_id, details = problem.get("requestId"), problem.get("details")
        return RecollectError(
            code, message, status=status, request_id=request_id, details=details, retry_after_s=retry_after_s
        )
    other = f"{name} answered (status {status}) but not as Recollect does; check the URL."
    if status == 413:
        remedy = "raise its limit for bodies, in nginx client_max_body_size."
        other = f"A proxy before {name} refused the request as too large (status 413); {remedy}"
    return RecollectError("service_unreachable", other, status=status, retry_after_s=retry_after_s)


def redirected(status: int, name: str) -> RecollectError:
    remedy = "use the address that answers; it may begin with https."
    sentence = f"{name} redirects to another address, which is not followed; {remedy}"
    return RecollectError("service_unreachable", sentence, status=status)


def unreachable(name: str, cause: BaseException, *, in_doubt: bool) -> RecollectError:
    """Returns the error for a request without an answer.

    ``in_doubt`` says whether the server may have done what it was asked.
    """
    remedy = "check whether the request was carried out before you try again." if in_doubt else "is the server running?"
    error = RecollectError("service_unreachable", f"No answer from {name}; {remedy}")
    error.__cause__ = cause
    return error
