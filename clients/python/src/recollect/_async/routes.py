"""The routes below one path, with the types of their answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any, TypeVar, cast

from .._requests import Query, given
from .transport import AsyncTransport

T = TypeVar("T")


class AsyncRoutes:
    """Makes requests to routes. Every method raises RecollectError.

    Fields and parameters that are None are left out.
    """

    def __init__(self, transport: AsyncTransport, prefix: str) -> None:
        self.transport = transport
        self.prefix = prefix

    async def read(self, _answer: type[T], path: str, /, **query: Any) -> T:
        return cast(T, await self.transport.send("GET", self.prefix + path, query=query))

    def read_all(self, path: str, query: Query, rows: str) -> AsyncGenerator[Any, None]:
        return self.transport.pages(self.prefix + path, query, rows)

    async def ask(self, _answer: type[T], path: str, body: Mapping[str, Any]) -> T:
        """Makes a request that changes nothing, or for which twice has the effect of once."""
        return cast(T, await self.transport.send("POST", self.prefix + path, body=given(body), repeat="always"))

    async def ask_once(self, _answer: type[T], path: str, body: Mapping[str, Any]) -> T:
        """Makes a request without an Idempotency-Key.

        It is repeated only when the server certainly did not carry it out.
        """
        return cast(T, await self.transport.send("POST", self.prefix + path, body=given(body)))

    async def write(
        self,
        _answer: type[T],
        method: str,
        path: str,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
        query: Query | None = None,
    ) -> T:
        """Makes a write, which the server carries out once, however often it is tried."""
        answer = await self.transport.send(
            method, self.prefix + path, query=query, body=body, headers=headers, repeat="by key"
        )
        return cast(T, answer)
