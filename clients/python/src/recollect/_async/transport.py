"""Speaks HTTP to one server: tries, time limits, reuse of connections, and streams."""

from __future__ import annotations

import json
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from .._attempts import (
    Answer,
    Failure,
    NotConnected,
    answered,
    broken,
    delay_s,
    is_redirect,
    is_refusal,
    parse,
    retry_after_s,
)
from .._errors import RecollectError, error_of, redirected, unreachable
from .._events import EventParser
from .._requests import Query, Repeat, Request, Server
from .http1 import AsyncConnection, AsyncResponse
from .socket import AsyncSocket, Body, owner, sleep

# Servers and load balancers close a connection that was idle for a minute. The client must close it
# first; otherwise it may send a request on a connection that the server has just closed.
_KEPT_S = 30.0
_MAX_KEPT = 10
_FIRST_RECONNECT_S = 0.5
_MAX_RECONNECT_S = 30.0


class AsyncTransport:
    def __init__(self, server: Server, *, max_tries: int, timeout_s: float) -> None:
        self._server = server
        self._max_tries = max_tries
        self._timeout_s = timeout_s
        # The idle connections, each with its owner and the time until which it is kept.
        self._kept: deque[tuple[AsyncConnection, object, float]] = deque(maxlen=_MAX_KEPT)

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
            attempt = await self._try_once(request)
            if isinstance(attempt, Answer):
                return attempt.body
            if not attempt.again or tries >= self._max_tries:
                raise attempt.error
            await sleep(delay_s(tries) if attempt.wait_s is None else attempt.wait_s)
            tries += 1

    async def open(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Body | None = None,
    ) -> AsyncResponse:
        """Sends a request once, without a time limit, and returns the open response.

        Raises RecollectError.
        """
        # The connection serves no other request, so it ends with the answer.
        last = {"connection": "close", **(headers or {})}
        request = self._server.request(method, path, query=query, headers=last)
        name = self._server.name
        try:
            connection = await self._connect(None)
        except NotConnected as cause:
            raise unreachable(name, cause.__cause__ or cause, in_doubt=False) from cause.__cause__
        try:
            response = await connection.exchange(request, body)
            if 200 <= response.status < 300:
                return response
            content = await response.read()
        except OSError as cause:
            connection.socket.close()
            raise unreachable(name, cause, in_doubt=method != "GET") from cause
        except BaseException:
            connection.socket.close()
            raise
        connection.socket.close()
        if is_redirect(response.status):
            raise redirected(response.status, name)
        raise error_of(response.status, parse(content), name, retry_after_s(response.headers.get("retry-after")))

    async def follow(self, path: str, query: Query | None = None) -> AsyncGenerator[Any, None]:
        """Yields the parsed data of a stream's events.

        With a query, the next connection continues after the cursor of the last event.

        The server ends a stream after some minutes, and a connection may break. In both cases the
        client connects again, for as long as the caller continues the loop. While the server is
        away, is overloaded or asks the client to wait (429), the client waits before it connects
        again, at least as long as the server asks. Raises RecollectError when the server refuses,
        for example because a key was revoked, or because too many streams are open at the first
        connection.
        """
        failures = 0
        was_open = False
        while True:
            asked_s = 0.0
            try:
                async with await self.open(
                    "GET", path, query=query, headers={"accept": "text/event-stream"}
                ) as response:
                    was_open = True
                    parser = EventParser()
                    async for chunk in response:
                        for data in parser.feed(chunk):
                            failures = 0
                            event = json.loads(data)
                            if query is not None:
                                query = {"cursor": event["cursor"]}
                            yield event
            except RecollectError as error:
                if is_refusal(error, was_open):
                    raise
                asked_s = error.retry_after_s or 0.0
            except OSError:
                # The connection broke.
                pass
            own_s = min(_MAX_RECONNECT_S, _FIRST_RECONNECT_S * 2 ** min(failures, 10))
            await sleep(max(asked_s, own_s * (0.5 + random.random() / 2)))
            failures += 1

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
        """Closes the idle connections."""
        kept, self._kept = self._kept, deque(maxlen=_MAX_KEPT)
        for connection, _, _ in kept:
            connection.socket.close()

    async def _try_once(self, request: Request) -> Answer | Failure:
        name = self._server.name
        deadline = time.monotonic() + self._timeout_s
        try:
            # The server may close an idle connection at this moment. A request that must not be
            # sent twice gets a new connection.
            connection = None if request.repeat == "if not done" else await self._take(deadline)
            connection = connection or await self._connect(deadline)
        except NotConnected as cause:
            return broken(request, cause, name)
        try:
            response = await connection.exchange(request)
            # The body is read inside the try, because a connection can also break in the middle of
            # an answer.
            content = await response.read()
        except OSError as cause:
            connection.socket.close()
            return broken(request, cause, name)
        except BaseException:
            # The request was cancelled. Its answer may still arrive on this connection and must not
            # be taken for the answer to the next request.
            connection.socket.close()
            raise
        self._keep(connection, response)
        return answered(request, response.status, response.headers, content, name)

    async def _connect(self, deadline: float | None) -> AsyncConnection:
        server = self._server
        try:
            return AsyncConnection(await AsyncSocket.connect(server.host, server.port, server.tls, deadline))
        except (OSError, UnicodeError) as cause:
            raise NotConnected from cause

    async def _take(self, deadline: float) -> AsyncConnection | None:
        """Returns the connection that was idle for the shortest time, if one can still be used."""
        while True:
            try:
                connection, whose, until = self._kept.pop()
            except IndexError:
                return None
            if whose == owner():
                if time.monotonic() < until and await connection.socket.is_open():
                    connection.socket.deadline = deadline
                    return connection
                connection.socket.close()

    def _keep(self, connection: AsyncConnection, response: AsyncResponse) -> None:
        if response.reusable and len(self._kept) < _MAX_KEPT:
            self._kept.append((connection, owner(), time.monotonic() + _KEPT_S))
        else:
            connection.socket.close()
