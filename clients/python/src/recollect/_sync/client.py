# Made from `_async` by `npm run python`: change it there.
from __future__ import annotations

import ssl
from collections.abc import Generator, Mapping
from types import TracebackType
from typing import Any, Literal

from .. import types as api
from .._attempts import MAX_TRIES, TIMEOUT_S
from .._requests import Query, Repeat, given, segment, server_at
from .agent import AgentClient
from .http1 import Response
from .routes import Routes
from .socket import Body
from .transport import Transport


class RecollectClient:
    """A client of the server at ``url``.

    Requests are tried again when no server answers or the server asks for patience (429, 502, 503, 504; Retry-After is
    honoured). Writes are sent under an Idempotency-Key, so that however often they are tried they are made once.

    Args:
        url: where the API is, such as ``http://127.0.0.1:7420``.
        key: an API key; a server on the embedded database that listens on loopback needs none.
        tenant: the tenant to act in, for a key with the scope ``admin``.
        name: what errors call the server; its URL unless said otherwise.
        max_tries: how often a request is tried in all.
        timeout_s: how long one try may take, in seconds.
        ssl_context: for a server whose certificate the system does not know.

    Raises:
        ValueError: for a URL that is none of a server.
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
        self._transport = Transport(server, max_tries=max_tries, timeout_s=timeout_s)
        self._routes = Routes(self._transport, "/v1")
        self.agents = Agents(self._routes)

    def agent(self, id: str = "main") -> AgentClient:
        """The memory of one agent; ``main`` exists always. Makes no request."""
        return AgentClient(self._transport, id)

    def key(self) -> api.KeyInUse:
        """What the client's key is for."""
        return self._routes.read(api.KeyInUse, "/key")

    def tenants(self) -> Generator[api.Tenant, None, None]:
        """All tenants, for a key with the scope ``admin``."""
        return self._routes.read_all("/tenants", {}, "tenants")

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
        repeat: Repeat | None = None,
    ) -> Any:
        """Any other request of the API reference, with the same retries; the answer's JSON.

        Args:
            path: percent-encoded, such as ``/v1/bindings``.
            repeat: ``always``: the request changes nothing, or twice is the same as once. ``by key``: it is sent under an
                Idempotency-Key, so the server makes it once. ``if not done``: it is sent again only when it certainly was
                not carried out. GET is ``always``; what else is unless said otherwise is ``if not done``.

        Raises:
            RecollectError: the server refuses, or does not answer.
        """
        return self._transport.send(method, path, query=query, body=body, headers=headers, repeat=repeat)

    def open(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str | None] | None = None,
        body: Body | None = None,
    ) -> Response:
        """A request whose body or answer is a stream, such as an archive; it is tried once and has no time limit.

        Args:
            body: bytes, a file that is open for reading bytes, or pieces of bytes.

        Raises:
            RecollectError: the server refuses, or does not answer.
        """
        return self._transport.open(method, path, query=query, headers=headers, body=body)

    def close(self) -> None:
        """Closes the connections that rest. The client can still be used."""
        self._transport.close()

    def __enter__(self) -> RecollectClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Agents:
    """Profiles, each with its own memory."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes

    def create(
        self,
        id: str,
        *,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> api.ChangedAgent:
        body = given({"id": id, "name": name, "settings": settings, "limits": limits})
        return self._routes.write(api.ChangedAgent, "POST", "/agents", body)

    def get(self, id: str) -> api.Agent:
        return self._routes.read(api.Agent, f"/agents/{segment(id)}")

    def change(
        self,
        id: str,
        *,
        name: str | None = None,
        disabled: bool | None = None,
        settings: Mapping[str, Any] | None = None,
        limits: Mapping[str, Any] | None = None,
    ) -> api.ChangedAgent:
        """``settings`` and ``limits`` are JSON merge patches: a None in them removes the agent's own value."""
        body = given({"name": name, "disabled": disabled, "settings": settings, "limits": limits})
        return self._routes.write(api.ChangedAgent, "PATCH", f"/agents/{segment(id)}", body)

    def erase(self, id: str) -> api.ErasureReceipt:
        """Erases the agent for good, with all of its memory; the answer is the receipt."""
        return self._routes.write(api.ErasureReceipt, "DELETE", f"/agents/{segment(id)}")

    def make_branch(
        self,
        origin: str,
        as_: str,
        *,
        name: str | None = None,
        at: str | None = None,
        snapshot: str | None = None,
    ) -> api.Branch:
        """Makes an agent with all that another remembers; it is there when ``branch`` says that it is ready.

        Args:
            at: an ISO 8601 time: its files and facts are as of then, or as of a ``snapshot``.
        """
        body = given({"as": as_, "name": name, "at": at, "snapshot": snapshot})
        return self._routes.write(api.Branch, "POST", f"/agents/{segment(origin)}/branches", body)

    def branch(self, id: str) -> api.Branch:
        """What a branch was made of, and how far it is copied."""
        return self._routes.read(api.Branch, f"/agents/{segment(id)}/branch")

    def diff(self, id: str, other: str, limit: int | None = None) -> api.AgentDiff:
        """What two agents do not have alike of files and facts, at most so many of each."""
        return self._routes.read(api.AgentDiff, f"/agents/{segment(id)}/diff/{segment(other)}", limit=limit)

    def merge(
        self,
        id: str,
        into: str,
        *,
        dry_run: bool | None = None,
        prefer: Literal["branch", "target"] | None = None,
    ) -> api.MergedBranch:
        """Merges what a branch has changed into the agent that it was made of, all or nothing.

        Args:
            prefer: whose change counts where both have one; without it nothing is merged then.
        """
        body = {"into": into, "dryRun": dry_run, "prefer": prefer}
        return self._routes.ask_once(api.MergedBranch, f"/agents/{segment(id)}/merge", body)

    def list(self, *, cursor: str | None = None, limit: int | None = None) -> api.AgentPage:
        """One page; the next begins at ``nextCursor``."""
        return self._routes.read(api.AgentPage, "/agents", cursor=cursor, limit=limit)

    def all(self) -> Generator[api.Agent, None, None]:
        """All agents, page by page."""
        return self._routes.read_all("/agents", {}, "agents")
