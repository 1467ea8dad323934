# Made from `_async` by `npm run python`: change it there.
"""The open response of a request whose answer is a stream."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType

import httpx

from .._attempts import os_error


class Response:
    """An open response.

    Iterate over its body, or ``read`` all of it. Leave it with ``with``, or ``close`` it.

    Attributes:
        status: the HTTP status.
        headers: the headers by name, in lower case.
    """

    def __init__(self, response: httpx.Response, pool: httpx.HTTPTransport) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers
        self._response = response
        # The pool of the only connection, which has this response.
        self._pool = pool
        # The bytes as they were sent. A gzip archive stays one, and no answer grows in memory by
        # being unpacked.
        self._pieces = response.iter_raw()

    def read(self) -> bytes:
        """Returns the rest of the body. Raises OSError when the connection breaks."""
        return b"".join([piece for piece in self])

    def __iter__(self) -> Response:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self._pieces)
        except httpx.StreamError as error:
            raise OSError("The answer is closed.") from error
        except httpx.TransportError as error:
            raise os_error(error) from error

    def close(self) -> None:
        """Closes the connection, whether or not the whole body was read."""
        self._response.close()
        self._pool.close()

    def abort(self) -> None:
        """Ends the connection, so that whoever reads the body stops waiting. Works from any thread."""
        stream = self._response.extensions.get("network_stream")
        connection = stream and stream.get_extra_info("socket")
        if connection is not None:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Response:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
