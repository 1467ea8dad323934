"""Sends and receives the bytes of a connection with a blocking socket.

The two clients differ in ``await`` and in this module, which replaces ``_async/socket.py``.
"""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from time import sleep as sleep
from typing import BinaryIO

Body = bytes | BinaryIO | Iterable[bytes]

_CHUNK_BYTES = 65_536


def owner() -> object:
    """Returns the owner of a new connection: the process.

    After a fork, two processes would mix their requests on one connection.
    """
    return os.getpid()


def chunks_of(body: Body) -> Iterator[bytes]:
    """Yields the pieces of a streamed body."""
    read: Callable[[int], bytes] | None = getattr(body, "read", None)
    if isinstance(body, bytes):
        yield body
    elif read is not None:
        while piece := read(_CHUNK_BYTES):
            yield piece
    else:
        yield from body


class Socket:
    """One connection.

    ``deadline`` is the time of ``time.monotonic()`` at which every method raises TimeoutError.
    """

    def __init__(self, connection: socket.socket, deadline: float | None) -> None:
        self._connection = connection
        self.deadline = deadline

    @classmethod
    def connect(cls, host: str, port: int, tls: ssl.SSLContext | None, deadline: float | None) -> Socket:
        """Opens a connection. Raises OSError."""
        connection = socket.create_connection((host, port), _left(deadline))
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tls is not None:
                connection.settimeout(_left(deadline))
                connection = tls.wrap_socket(connection, server_hostname=host)
        except BaseException:
            connection.close()
            raise
        return cls(connection, deadline)

    def send(self, data: bytes) -> None:
        # Sends the data in pieces. Over TLS, the timeout of `sendall` applies to each part that it
        # sends, not to the whole.
        for start in range(0, len(data), _CHUNK_BYTES):
            self._connection.settimeout(_left(self.deadline))
            self._connection.sendall(memoryview(data)[start : start + _CHUNK_BYTES])

    def receive(self) -> bytes:
        """Returns the bytes that have arrived; no bytes at the end of the connection."""
        self._connection.settimeout(_left(self.deadline))
        return self._connection.recv(_CHUNK_BYTES)

    def is_open(self) -> bool:
        """Returns whether the server has not closed the connection while it was idle."""
        try:
            self._connection.settimeout(0)
            # No data is expected. What arrives now is the end of the connection, or not for this
            # client.
            self._connection.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False

    def close(self) -> None:
        self._connection.close()


def _left(deadline: float | None) -> float | None:
    """Returns the seconds until a deadline. Raises TimeoutError when the deadline has passed."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("The time for one try is over.")
    return left
