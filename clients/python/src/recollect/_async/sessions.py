from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from .. import types as api
from .._requests import given, segment
from .routes import AsyncRoutes

Messages = Sequence[api.MessageInput | Mapping[str, Any]]


class AsyncSessions:
    """The conversations of an agent."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def append(
        self,
        session: str,
        messages: Messages = (),
        *,
        end: bool | None = None,
        capture: bool | None = None,
        scope: api.Scope | None = None,
    ) -> api.AppendedMessages:
        """Appends messages in the chat API's form. The next search finds them.

        Args:
            messages: the messages, such as ``{"role": "user", "content": "…"}``, at most 500.
            end: whether the conversation is over.
            capture: whether to store what the user states as facts; default: the agent's setting.
            scope: the user, agent and session that the conversation and its captured facts are for.
                The first append that names a scope fixes it.
        """
        body = given({"messages": messages, "end": end, "capture": capture, "scope": scope})
        path = f"/sessions/{segment(session)}/messages"
        return await self._routes.write(api.AppendedMessages, "POST", path, body)

    async def get(
        self,
        session: str,
        *,
        after: int | None = None,
        limit: int | None = None,
        user: str | None = None,
        agent: str | None = None,
        scope_session: str | None = None,
    ) -> api.Session:
        """Returns a page of the messages with a number above ``after``.

        Args:
            user: if parts of a scope are given, a conversation of another scope counts as missing.
            scope_session: the scope's ``session``.
        """
        query = {"after": after, "limit": limit, "user": user, "agent": agent, "session": scope_session}
        return await self._routes.read(api.Session, f"/sessions/{segment(session)}", **query)

    async def delete(self, session: str, *, facts: bool = False) -> api.DeletedSession:
        """Deletes a session. ``facts`` also deletes the facts that come from it."""
        query = {"facts": facts} if facts else None
        return await self._routes.write(api.DeletedSession, "DELETE", f"/sessions/{segment(session)}", None, None, query)

    async def list(
        self,
        *,
        prefix: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> api.SessionPage:
        """Returns one page. The next page begins at ``nextCursor``.

        ``user``, ``agent`` and ``session`` are the parts that a session's scope must have, exactly.
        """
        query = {"prefix": prefix, "user": user, "agent": agent, "session": session, "cursor": cursor, "limit": limit}
        return await self._routes.read(api.SessionPage, "/sessions", **query)

    def all(
        self,
        *,
        prefix: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        limit: int | None = None,
    ) -> AsyncGenerator[api.SessionSummary, None]:
        """Yields all sessions. Reads them page by page.

        ``limit`` is the number of rows per page.
        """
        query = {"prefix": prefix, "user": user, "agent": agent, "session": session, "limit": limit}
        return self._routes.read_all("/sessions", query, "sessions")
