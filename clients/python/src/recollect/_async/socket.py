"""Sends and receives the bytes of a connection with asyncio.

The two clients differ in ``await`` and in this module, which ``_sync/socket.py`` replaces.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from asyncio import sleep as sleep
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from contextlib import AbstractAsyncContextManager
from typing import BinaryIO

Body = bytes | BinaryIO | Iterable[bytes] | AsyncIterable[bytes]

_CHUNK_BYTES = 65_536


def owner() -> object:
    """Returns the owner of a new connection: the running event loop.

    No other loop can use the connection.
    """
    return asyncio.get_running_loop()


async def chunks_of(body: Body) -> AsyncIterator[bytes]:
    """Yields the pieces of a streamed body."""
    read: Callable[[int], bytes] | None = getattr(body, "read", None)
    if isinstance(body, bytes):
        yield body
    elif isinstance(body, AsyncIterable):
        async for piece in body:
            yield piece
    elif read is not None:
        while piece := await asyncio.to_thread(read, _CHUNK_BYTES):
            yield piece
    elif isinstance(body, Iterable):
        for piece in body:
            yield piece


class AsyncSocket:
    """One connection.

    ``deadline`` is the time of ``time.monotonic()`` at which every method raises TimeoutError.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, deadline: float | None) -> None:
        self._reader = reader
        self._writer = writer
        self.deadline = deadline

    @classmethod
    async def connect(cls, host: str, port: int, tls: ssl.SSLContext | None, deadline: float | None) -> AsyncSocket:
        """Opens a connection. Raises OSError."""
        async with _until(deadline):
            return cls(*await asyncio.open_connection(host, port, ssl=tls), deadline)

    async def send(self, data: bytes) -> None:
        async with _until(self.deadline):
            self._writer.write(data)
            await self._writer.drain()

    async def receive(self) -> bytes:
        """Returns the bytes that have arrived; no bytes at the end of the connection."""
        async with _until(self.deadline):
            return await self._reader.read(_CHUNK_BYTES)

    async def is_open(self) -> bool:
        """Returns whether the server has not closed the connection while it was idle."""
        # If the connection ended while the loop was busy, the loop notices it in its next turn.
        await sleep(0)
        return not (self._reader.at_eof() or self._reader.exception() or self._writer.transport.is_closing())

    def close(self) -> None:
        # `close` would wait until all remaining data is written.
        self._writer.transport.abort()


def _until(deadline: float | None) -> AbstractAsyncContextManager[object]:
    return asyncio.timeout(None if deadline is None else deadline - time.monotonic())
