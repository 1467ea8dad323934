"""Speaks HTTP to one server: tries, time limits, reuse of connections, and streams."""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import AsyncGenerator, Mapping
from typing import Any

import httpx

from .._attempts import (
    Answer,
    Failure,
    TimeLeft,
    answered,
    broken,
    delay_s,
    is_redirect,
    is_refusal,
    parse,
    retry_after_s,
)
from .._errors import RecollectError, error_of, redirected
from .._events import EventParser
from .._requests import Query, Repeat, Request, Server
from .._runtime import AsyncBody, AsyncRuntime, cut
from .response import AsyncResponse

_LIMITS = httpx.Limits(
    max_connections=None,
    # httpcore counts the busy connections too, and closes idle ones above this number.
    max_keepalive_connections=20,
    # Servers and load balancers close a connection that was idle for a minute. The client must
    # close it first; otherwise it may send a request on a connection that the server has just
    # closed.
    keepalive_expiry=30.0,
)
# httpx ends a slow operation at the deadline and says which one it was. The limit around the whole
# try comes a moment later, for an answer whose head arrives byte by byte.
_GRACE_S = 0.5
_FIRST_RECONNECT_S = 0.5
_MAX_RECONNECT_S = 30.0
_STEP_S = 0.5


class AsyncTransport:
    def __init__(self, server: Server, *, max_tries: int, timeout_s: float) -> None:
        if not 0 < timeout_s < math.inf:
            message = f"timeout_s must be a finite number of seconds above 0; {timeout_s} was given."
            raise RecollectError("invalid_request", message)
        self._server = server
        self._max_tries = max_tries
        self._timeout_s = timeout_s
        # The pools whose connections are reused, by the owner of the connections.
        self._pools: dict[object, httpx.AsyncHTTPTransport] = {}
        self._is_closed = False
        self._streams: set[AsyncResponse] = set()

    async def send(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
        repeat: Repeat | None = None,
    ) -> Any:
        """Sends one request with a JSON answer. Retries it while a retry may help.

        Raises RecollectError.
        """
        request = self._server.request(method, path, query=query, headers=headers, body=body, repeat=repeat)
        tries = 1
        while True:
            self._check_open()
            attempt = await self._try_once(request)
            if isinstance(attempt, Answer):
                return attempt.body
            if not attempt.again or tries >= self._max_tries:
                raise attempt.error
            await AsyncRuntime.sleep(delay_s(tries) if attempt.wait_s is None else attempt.wait_s)
            tries += 1

    async def open(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: AsyncBody | None = None,
        left: TimeLeft | None = None,
    ) -> AsyncResponse:
        """Sends a request once, and returns the open response.

        Without ``left`` there is no time limit. Raises RecollectError.
        """
        self._check_open()
        # The connection serves no other request, so it ends with the answer.
        last = {"connection": "close", **(headers or {})}
        request = self._server.request(method, path, query=query, headers=last)
        name = self._server.name
        content = body if isinstance(body, bytes | None) else AsyncRuntime.pieces(body)
        pool = self._new_pool()
        try:
            message = _message(self._server, request, content, left)
            response = AsyncResponse(await pool.handle_async_request(message), pool)
            if 200 <= response.status < 300:
                return response
            answer = await response.read()
        except (OSError, httpx.TransportError) as cause:
            await pool.aclose()
            raise broken(request, cause, name).error
        except BaseException:
            await pool.aclose()
            raise
        await response.close()
        if is_redirect(response.status):
            raise redirected(response.status, name)
        raise error_of(response.status, parse(answer), name, retry_after_s(response.headers.get("retry-after")))

    async def follow(
        self, path: str, query: Query | None = None, timeout_s: float | None = None
    ) -> AsyncGenerator[Any, None]:
        """Yields the parsed data of a stream's events.

        With a query, the next connection continues after the cursor of the last event.

        The server ends a stream after some minutes, and a connection may break. In both cases the
        client connects again, for as long as the caller continues the loop. While the server is
        away, is overloaded or asks the client to wait (429), the client waits before it connects
        again, at least as long as the server asks. Raises RecollectError when the server refuses,
        for example because a key was revoked, or because too many streams are open at the first
        connection. Raises TimeoutError when ``timeout_s`` is over: httpx waits for the whole body as
        long as was left at its beginning, so this may take twice the time.
        """
        left = None if timeout_s is None else TimeLeft(timeout_s)
        failures = 0
        was_open = False
        while True:
            self._check_open()
            asked_s = 0.0
            try:
                async with await self.open(
                    "GET", path, query=query, headers={"accept": "text/event-stream"}, left=left
                ) as response:
                    was_open = True
                    self._streams.add(response)
                    try:
                        # The client may have been closed while it waited for the head of the answer.
                        self._check_open()
                        parser = EventParser()
                        async for chunk in response:
                            self._check_open()
                            if left is not None:
                                left.check()
                            for data in parser.feed(chunk):
                                failures = 0
                                event = json.loads(data)
                                if query is not None:
                                    query = {"cursor": event["cursor"]}
                                yield event
                    finally:
                        self._streams.discard(response)
            except RecollectError as error:
                if is_refusal(error, was_open):
                    raise
                asked_s = error.retry_after_s or 0.0
            except OSError:
                # The connection broke, the client was closed, or no time is left.
                pass
            self._check_open()
            if left is not None:
                left.check()
            own_s = min(_MAX_RECONNECT_S, _FIRST_RECONNECT_S * 2 ** min(failures, 10))
            await self._pause(max(asked_s, own_s * (0.5 + random.random() / 2)), left)
            failures += 1

    async def _pause(self, seconds: float, left: TimeLeft | None) -> None:
        """Waits in short steps, so that a close and the end of a time limit are noticed soon."""
        until = time.monotonic() + seconds
        while (rest := until - time.monotonic()) > 0:
            self._check_open()
            if left is not None:
                left.check()
            await AsyncRuntime.sleep(min(rest, _STEP_S))

    async def pages(self, path: str, query: Query, rows: str) -> AsyncGenerator[Any, None]:
        """Yields the rows of all pages of a list."""
        cursor: str | None = None
        while True:
            page = await self.send("GET", path, query={**query, "cursor": cursor})
            for row in page[rows]:
                yield row
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    async def close(self) -> None:
        """Closes the transport, with its open streams and the connections of the running event loop or process."""
        self._is_closed = True
        for stream in [*self._streams]:
            stream.abort()
        pool = self._pools.get(AsyncRuntime.owner())
        if pool is not None:
            await pool.aclose()

    def _check_open(self) -> None:
        if self._is_closed:
            raise RecollectError("service_unreachable", "This client was closed; make a new one.")

    async def _try_once(self, request: Request) -> Answer | Failure:
        # The server may close an idle connection at this moment. A request that must not be sent
        # twice gets a new connection.
        alone = request.repeat == "if not done"
        pool = self._new_pool() if alone else self._kept_pool()
        try:
            async with AsyncRuntime.limit(self._timeout_s + _GRACE_S):
                response, content = await self._exchange(pool, request)
        except (OSError, httpx.TransportError) as cause:
            return broken(request, cause, self._server.name)
        finally:
            if alone:
                await pool.aclose()
        return answered(request, response.status_code, response.headers, content, self._server.name)

    async def _exchange(self, pool: httpx.AsyncHTTPTransport, request: Request) -> tuple[httpx.Response, bytes]:
        """Returns the response to a request, and its body."""
        left = TimeLeft(self._timeout_s)
        body = None if request.body is None else _pieces_until(request.body, left)
        response = await pool.handle_async_request(_message(self._server, request, body, left))
        try:
            pieces = []
            # The bytes as they were sent, so that no answer grows in memory by being unpacked.
            async for piece in response.aiter_raw():
                left.check()
                pieces.append(piece)
            return response, b"".join(pieces)
        finally:
            await response.aclose()

    def _kept_pool(self) -> httpx.AsyncHTTPTransport:
        owner = AsyncRuntime.owner()
        pool = self._pools.get(owner)
        if pool is None:
            for other in [one for one in list(self._pools) if AsyncRuntime.is_gone(one)]:
                self._pools.pop(other, None)
            pool = self._pools.setdefault(owner, self._new_pool())
        return pool

    def _new_pool(self) -> httpx.AsyncHTTPTransport:
        """Returns httpx's connections, without its client.

        The client would add cookies, and write a log line for each request.
        """
        return httpx.AsyncHTTPTransport(verify=self._server.tls, trust_env=False, limits=_LIMITS)


async def _pieces_until(body: bytes, left: TimeLeft) -> AsyncGenerator[bytes, None]:
    """Yields a body piece by piece, until the time is over.

    The limit of httpx starts again with each part of a body that the server accepts.
    """
    for piece in cut(body):
        left.check()
        yield piece


def _message(
    server: Server, request: Request, body: bytes | AsyncGenerator[bytes, None] | None, left: TimeLeft | None = None
) -> httpx.Request:
    """Returns a request as httpx takes it, with a body of its own."""
    headers = [(name.encode(), value.encode("latin-1")) for name, value in request.headers.items()]
    if request.body is not None:
        headers.append((b"content-length", b"%d" % len(request.body)))
    # httpx would decode and encode the path of a URL anew.
    extensions: dict[str, Any] = {"target": request.target.encode()}
    if left is not None:
        extensions["timeout"] = left
    return httpx.Request(request.method, server.origin, headers=headers, content=body, extensions=extensions)
