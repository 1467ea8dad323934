"""A connection's bytes by a blocking socket. What differs between the two clients beside ``await`` is here and in ``_async/socket.py``."""

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
    """Who may use a connection: two processes after a fork would mix their requests on one."""
    return os.getpid()


def chunks_of(body: Body) -> Iterator[bytes]:
    """The pieces of a streamed body."""
    read: Callable[[int], bytes] | None = getattr(body, "read", None)
    if isinstance(body, bytes):
        yield body
    elif read is not None:
        while piece := read(_CHUNK_BYTES):
            yield piece
    else:
        yield from body


class Socket:
    """One connection. ``deadline`` is the moment of ``time.monotonic()`` at which everything raises TimeoutError."""

    def __init__(self, connection: socket.socket, deadline: float | None) -> None:
        self._connection = connection
        self.deadline = deadline

    @classmethod
    def connect(cls, host: str, port: int, tls: ssl.SSLContext | None, deadline: float | None) -> Socket:
        """Raises OSError."""
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
        # Piece by piece: over TLS the limit is one for each piece of its own.
        for start in range(0, len(data), _CHUNK_BYTES):
            self._connection.settimeout(_left(self.deadline))
            self._connection.sendall(memoryview(data)[start : start + _CHUNK_BYTES])

    def receive(self) -> bytes:
        """What has come; nothing at the end."""
        self._connection.settimeout(_left(self.deadline))
        return self._connection.recv(_CHUNK_BYTES)

    def is_open(self) -> bool:
        """Whether the other side has not closed it while it rested."""
        try:
            self._connection.settimeout(0)
            # Nothing is expected: what comes now is the end, or not for us.
            self._connection.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except OSError:
            pass
        return False

    def close(self) -> None:
        self._connection.close()


def _left(deadline: float | None) -> float | None:
    """The seconds until a deadline. Raises TimeoutError when it is over."""
    if deadline is None:
        return None
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("The time for one try is over.")
    return left
