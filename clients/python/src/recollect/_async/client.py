from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, Mapping
from types import TracebackType
from typing import Any, Literal

from .. import types as api
from .._attempts import MAX_TRIES, TIMEOUT_S
from .._requests import Query, Repeat, Time, given, segment, server_at
from .._runtime import AsyncBody
from .agent import AsyncAgentClient
from .response import AsyncResponse
from .routes import AsyncRoutes
from .transport import AsyncTransport


class AsyncRecollectClient:
    """A client of the server at ``url``.

    Requests are retried when no server answers, and when the server answers 429, 502, 503 or 504;
    Retry-After is honoured. Writes carry an Idempotency-Key, so a write that is retried is still
    made only once.

    Args:
        url: the address of the API, such as ``http://127.0.0.1:7420``.
        key: an API key. A server with the embedded database that listens on loopback needs none.
        tenant: the tenant to act in, for a key with the scope ``admin``.
        name: the name of the server in error messages; default: its URL.
        max_tries: the maximum number of tries of a request.
        timeout_s: the time limit of one try, in seconds.
        ssl_context: the TLS settings for a server whose certificate the system does not know.

    Raises:
        ValueError: the URL is not the address of a server.
        RecollectError: ``timeout_s`` is not a number above 0.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        tenant: str | None = None,
        name: str | None = None,
        max_tries: int = MAX_TRIES,
        timeout_s: float = TIMEOUT_S,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        server = server_at(url, key=key, tenant=tenant, name=name, ssl_context=ssl_context)
        self._transport = AsyncTransport(server, max_tries=max_tries, timeout_s=timeout_s)
        self._routes = AsyncRoutes(self._transport, "/v1")
        self.agents = AsyncAgents(self._routes)

    def agent(self, id: str = "main") -> AsyncAgentClient:
        """Returns the client for the memory of one agent.

        The agent ``main`` always exists. Makes no request.
        """
        return AsyncAgentClient(self._transport, id)

    async def key(self) -> api.KeyInUse:
        """Returns the tenant, scopes and agent of the client's key."""
        return await self._routes.read(api.KeyInUse, "/key")

    async def activity_summary(
        self,
        *,
        days: int | None = None,
        per: Literal["hour", "day"] | None = None,
        by: Literal["none", "actor", "agent"] | None = None,
    ) -> api.ActivitySummary:
        """Sums up how the agents of the tenant were used. Needs a key with the scope ``tenant``."""
        return await self._routes.read(api.ActivitySummary, "/activity/summary", days=days, per=per, by=by)

    def tenants(self) -> AsyncGenerator[api.Tenant, None]:
        """Yields all tenants. Needs a key with the scope ``admin``."""
        return self._routes.read_all("/tenants", {}, "tenants")

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
        repeat: Repeat | None = None,
    ) -> Any:
        """Makes any other request of the API reference, with the same retries.

        Returns the answer's JSON.

        Args:
            path: the percent-encoded path, such as ``/v1/bindings``.
            repeat: ``always``: the request changes nothing, or making it twice has the effect of
                making it once. ``by key``: the request carries an Idempotency-Key, so the server
                makes it once. ``if not done``: the request is sent again only when the server
                certainly did not carry it out. The default is ``always`` for GET and
                ``if not done`` for other methods.

        Raises:
            RecollectError: the server refuses, or does not answer.
        """
        return await self._transport.send(method, path, query=query, body=body, headers=headers, repeat=repeat)

    async def open(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: AsyncBody | None = None,
    ) -> AsyncResponse:
        """Makes a request whose body or answer is a stream, such as an archive.

        The request is tried once and has no time limit.

        Args:
            body: bytes, a file that is open for reading bytes, or an iterable of bytes.

        Raises:
            RecollectError: the server refuses, or does not answer.
        """
        return await self._transport.open(method, path, query=query, headers=headers, body=body)

    async def close(self) -> None:
        """Closes the client and the connections that it reuses.

        Later calls, and further tries of requests that are under way, raise RecollectError.
        """
        await self._transport.close()

    async def __aenter__(self) -> AsyncRecollectClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class AsyncAgents:
    """The agents of a tenant, each with its own memory."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def create(
        self,
        id: str,
        *,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> api.ChangedAgent:
        body = given({"id": id, "name": name, "settings": settings, "limits": limits})
        return await self._routes.write(api.ChangedAgent, "POST", "/agents", body)

    async def get(self, id: str) -> api.Agent:
        return await self._routes.read(api.Agent, f"/agents/{segment(id)}")

    async def change(
        self,
        id: str,
        *,
        name: str | None = None,
        disabled: bool | None = None,
        settings: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> api.ChangedAgent:
        """Changes an agent.

        ``settings`` and ``limits`` are JSON merge patches: None in them removes the agent's own
        value.
        """
        body = given({"name": name, "disabled": disabled, "settings": settings, "limits": limits})
        return await self._routes.write(api.ChangedAgent, "PATCH", f"/agents/{segment(id)}", body)

    async def erase(self, id: str) -> api.ErasureReceipt:
        """Erases the agent and all of its memory for good. Returns the receipt."""
        return await self._routes.write(api.ErasureReceipt, "DELETE", f"/agents/{segment(id)}")

    async def make_branch(
        self,
        origin: str,
        as_: str,
        *,
        name: str | None = None,
        at: Time | None = None,
        snapshot: str | None = None,
    ) -> api.Branch:
        """Makes an agent with everything that another agent remembers.

        The new agent can be used once ``branch`` says ``ready``.

        Args:
            at: the time whose files and facts the new agent gets, as an ISO 8601 time.
            snapshot: the snapshot whose files and facts the new agent gets, instead of ``at``.
        """
        body = given({"as": as_, "name": name, "at": at, "snapshot": snapshot})
        return await self._routes.write(api.Branch, "POST", f"/agents/{segment(origin)}/branches", body)

    async def branch(self, id: str) -> api.Branch:
        """Returns the agent that a branch was made of, and how much of it has been copied."""
        return await self._routes.read(api.Branch, f"/agents/{segment(id)}/branch")

    async def branches(self, id: str) -> api.BranchList:
        """Lists the branches that were made of an agent, the newest first, at most a hundred."""
        return await self._routes.read(api.BranchList, f"/agents/{segment(id)}/branches")

    async def diff(self, id: str, other: str, limit: int | None = None) -> api.AgentDiff:
        """Lists the files and facts in which two agents differ, at most ``limit`` of each."""
        return await self._routes.read(api.AgentDiff, f"/agents/{segment(id)}/diff/{segment(other)}", limit=limit)

    async def merge(
        self,
        id: str,
        into: str,
        *,
        dry_run: bool | None = None,
        prefer: Literal["branch", "target"] | None = None,
    ) -> api.MergedBranch:
        """Merges the changes of a branch into the agent that it was made of.

        Either all changes are merged or none.

        Args:
            prefer: the side whose change wins in a conflict. Without it, a conflict stops the merge
                and nothing is merged.
        """
        body = {"into": into, "dryRun": dry_run, "prefer": prefer}
        return await self._routes.ask_once(api.MergedBranch, f"/agents/{segment(id)}/merge", body)

    async def list(self, *, cursor: str | None = None, limit: int | None = None) -> api.AgentPage:
        """Returns one page. The next page begins at ``nextCursor``."""
        return await self._routes.read(api.AgentPage, "/agents", cursor=cursor, limit=limit)

    def all(self) -> AsyncGenerator[api.Agent, None]:
        """Yields all agents. Reads them page by page."""
        return self._routes.read_all("/agents", {}, "agents")
