"""The few things in which the two clients differ: waiting, time limits, and streamed bodies.

The blocking modules are generated from the asynchronous ones, with the names of this module without
``Async``.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from typing import BinaryIO

Body = bytes | BinaryIO | Iterable[bytes]
AsyncBody = Body | AsyncIterable[bytes]

_PIECE_BYTES = 65_536


class AsyncRuntime:
    """The parts of the asynchronous client that need asyncio."""

    sleep = staticmethod(asyncio.sleep)

    @staticmethod
    def owner() -> object:
        """Returns the owner of a new connection: the running event loop.

        No other loop can use the connection.
        """
        return asyncio.get_running_loop()

    @staticmethod
    def is_gone(owner: object) -> bool:
        return isinstance(owner, asyncio.AbstractEventLoop) and owner.is_closed()

    @staticmethod
    def limit(seconds: float) -> AbstractAsyncContextManager[object]:
        """Raises TimeoutError when the block takes longer."""
        return asyncio.timeout(seconds)

    @staticmethod
    async def pieces(body: AsyncBody) -> AsyncGenerator[bytes, None]:
        """Yields a body piece by piece."""
        read: Callable[[int], bytes] | None = getattr(body, "read", None)
        if isinstance(body, AsyncIterable):
            async for piece in body:
                yield piece
        elif read is not None:
            while piece := await asyncio.to_thread(read, _PIECE_BYTES):
                yield piece
        else:
            for piece in cut(body):
                yield piece


class Runtime:
    """The parts of the blocking client that block the calling thread."""

    sleep = staticmethod(time.sleep)

    @staticmethod
    def owner() -> object:
        """Returns the owner of a new connection: the process.

        After a fork, two processes would mix their requests on one connection.
        """
        return os.getpid()

    @staticmethod
    def is_gone(owner: object) -> bool:
        return owner != os.getpid()

    @staticmethod
    def limit(_seconds: float) -> AbstractContextManager[object]:
        """Limits nothing: a thread that waits for a socket can only be woken by the socket."""
        return nullcontext()

    @staticmethod
    def pieces(body: Body) -> Generator[bytes, None, None]:
        """Yields a body piece by piece."""
        read: Callable[[int], bytes] | None = getattr(body, "read", None)
        if read is not None:
            while piece := read(_PIECE_BYTES):
                yield piece
        else:
            yield from cut(body)


def cut(body: Body) -> Iterable[bytes]:
    """Returns the pieces of a body that needs no reading."""
    if isinstance(body, bytes):
        return (body[start : start + _PIECE_BYTES] for start in range(0, len(body), _PIECE_BYTES))
    return body
