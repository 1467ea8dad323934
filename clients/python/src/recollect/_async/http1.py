"""HTTP/1.1 on one connection (RFC 9112): one request and its response, then the next request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http.client import HTTPException, parse_headers
from io import BytesIO
from types import TracebackType

from .._requests import Request
from .socket import AsyncSocket, Body, chunks_of

_MAX_HEAD_BYTES = 65_536
_STATUS = re.compile(rb"HTTP/1\.([01]) (\d{3})(?: .*)?")


class AsyncConnection:
    """One connection to a server.

    Raises ConnectionError for an answer that is not HTTP, or that ends too early.
    """

    def __init__(self, socket: AsyncSocket) -> None:
        self.socket = socket
        self._buffer = b""

    async def exchange(self, request: Request, body: Body | None = None) -> AsyncResponse:
        """Sends a request with its own body, or with ``body``, which may be a stream.

        The caller reads the body of the response.
        """
        streamed = body is not None and not isinstance(body, bytes)
        content = body if isinstance(body, bytes) else (request.body or b"")
        try:
            await self.socket.send(_head(request, None if streamed else len(content)) + content)
            if body is not None and streamed:
                await self._send_chunks(body)
        except ConnectionError:
            # The server may refuse a body before it has arrived. Its answer then says why. If there
            # is no answer, reading it fails as well.
            pass
        return await self._response(request)

    async def _send_chunks(self, body: Body) -> None:
        async for piece in chunks_of(body):
            # An empty chunk would end the body.
            if piece:
                await self.socket.send(b"%x\r\n%b\r\n" % (len(piece), piece))
        await self.socket.send(b"0\r\n\r\n")

    async def _response(self, request: Request) -> AsyncResponse:
        while True:
            first, _, rest = (await self.until(b"\r\n\r\n")).partition(b"\r\n")
            match = _STATUS.fullmatch(first)
            if match is None:
                raise ConnectionError("The answer is no HTTP.")
            status = int(match[2])
            # Statuses below 200 only announce the answer.
            if status >= 200:
                break
        headers = _headers(rest)
        closes = "close" in (request.headers.get("connection"), headers.get("connection", "").lower())
        kept = match[1] == b"1" and not closes
        empty = request.method == "HEAD" or status in (204, 304)
        return AsyncResponse(self, status, headers, kept=kept, empty=empty)

    async def until(self, mark: bytes) -> bytes:
        """Returns the bytes up to and including a mark."""
        while (end := self._buffer.find(mark)) < 0:
            if len(self._buffer) > _MAX_HEAD_BYTES:
                raise ConnectionError("The answer has a head without end.")
            self._buffer += await self._more()
        end += len(mark)
        head, self._buffer = self._buffer[:end], self._buffer[end:]
        return head

    async def piece(self, most: int | None) -> bytes:
        """Returns some bytes, at most ``most``; none only at the end of the connection."""
        if not self._buffer:
            self._buffer = await self.socket.receive()
        piece, self._buffer = self._buffer[:most], self._buffer[most:] if most is not None else b""
        return piece

    async def _more(self) -> bytes:
        data = await self.socket.receive()
        if not data:
            raise ConnectionError("The connection ended before an answer.")
        return data


class AsyncResponse:
    """An open response.

    Iterate over its body, or ``read`` all of it. Leave it with ``async with``, or ``close`` it.

    Attributes:
        status: the HTTP status.
        headers: the headers by name, in lower case.
        reusable: whether the body was read to its end and the connection may serve another request.
    """

    def __init__(
        self, connection: AsyncConnection, status: int, headers: Mapping[str, str], *, kept: bool, empty: bool
    ) -> None:
        self.status = status
        self.headers = headers
        self.reusable = False
        self._connection = connection
        self._chunked = not empty and headers.get("transfer-encoding", "").lower() == "chunked"
        self._began = False
        length = "0" if empty or self._chunked else headers.get("content-length")
        # The number of bytes left in the chunk or in the body. None: the body ends with the
        # connection, which then serves no other request.
        self._left = None if length is None else _number(length, 10)
        self._kept = kept and length is not None

    async def read(self) -> bytes:
        """Returns the rest of the body. Raises OSError when the connection breaks."""
        pieces = []
        async for piece in self:
            pieces.append(piece)
        return b"".join(pieces)

    def __aiter__(self) -> AsyncResponse:
        return self

    async def __anext__(self) -> bytes:
        if self._chunked and self._left == 0:
            await self._next_chunk()
        if self._left == 0:
            await self._end()
            raise StopAsyncIteration
        piece = await self._connection.piece(self._left)
        if self._left is not None:
            if not piece:
                raise ConnectionError("The connection ended within an answer.")
            self._left -= len(piece)
        elif not piece:
            self._left = 0
            await self._end()
            raise StopAsyncIteration
        return piece

    async def close(self) -> None:
        """Closes the connection, whether or not the whole body was read."""
        self._connection.socket.close()

    async def __aenter__(self) -> AsyncResponse:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _end(self) -> None:
        self.reusable = self._kept
        if not self._kept:
            await self.close()

    async def _next_chunk(self) -> None:
        until = self._connection.until
        if self._began and await until(b"\r\n") != b"\r\n":
            raise ConnectionError("The answer has a chunk that does not end.")
        self._began = True
        size = (await until(b"\r\n")).partition(b";")[0]
        self._left = _number(size.strip().decode("latin-1"), 16)
        if self._left == 0:
            self._chunked = False
            # Trailers are skipped.
            while await until(b"\r\n") != b"\r\n":
                pass


def _head(request: Request, length: int | None) -> bytes:
    """Returns the head of a request. Without a length, the body is a stream."""
    lines = [f"{request.method} {request.target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in request.headers.items()]
    if length is None:
        lines.append("transfer-encoding: chunked")
    elif length > 0 or request.method in ("POST", "PUT", "PATCH"):
        lines.append(f"content-length: {length}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _headers(lines: bytes) -> Mapping[str, str]:
    """Returns the headers by name, in lower case. Joins values of the same name, as HTTP allows."""
    try:
        parsed = parse_headers(BytesIO(lines))
    except HTTPException as cause:
        raise ConnectionError("The answer has headers without end.") from cause
    return {name.lower(): ", ".join(parsed.get_all(name, [])) for name in parsed.keys()}


def _number(text: str, base: int) -> int:
    digits = r"[0-9a-fA-F]{1,15}" if base == 16 else r"[0-9]{1,15}"
    if not re.fullmatch(digits, text):
        raise ConnectionError("The answer does not say how long it is.")
    return int(text, base)
