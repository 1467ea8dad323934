# Made from `_async` by `npm run python`: change it there.
from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from .. import types as api
from .._requests import Time, given, in_scope, narrowed, segment
from .._unset import UNSET, Unset
from .routes import Routes

Messages = Sequence[api.MessageInput | Mapping[str, Any]]


class Sessions:
    """The conversations of an agent."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes

    def append(
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
        body = given({"messages": messages, "end": end, "capture": capture, "scope": in_scope(scope)})
        path = f"/sessions/{segment(session)}/messages"
        return self._routes.write(api.AppendedMessages, "POST", path, body)

    def get(
        self,
        session: str,
        *,
        after: int | None = None,
        before: int | None = None,
        limit: int | None = None,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        scope_session: str | Unset = UNSET,
    ) -> api.Session:
        """Returns a page of the messages with a number above ``after``.

        Args:
            before: instead, the last messages with a number below this one.
            user: if parts of a scope are given, a conversation of another scope counts as missing.
            scope_session: the scope's ``session``.
        """
        scope = narrowed(user=user, agent=agent, scope_session=scope_session)
        if "scope_session" in scope:
            scope["session"] = scope.pop("scope_session")
        query = {"after": after, "before": before, "limit": limit}
        return self._routes.read(api.Session, f"/sessions/{segment(session)}", **query, **scope)

    def delete(self, session: str, *, facts: bool = False) -> api.DeletedSession:
        """Deletes a session. ``facts`` also deletes the facts that come from it."""
        query = {"facts": facts} if facts else None
        return self._routes.write(api.DeletedSession, "DELETE", f"/sessions/{segment(session)}", None, None, query)

    def list(
        self,
        *,
        prefix: str | None = None,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        session: str | Unset = UNSET,
        order: Literal["key", "recent"] | None = None,
        details: bool | None = None,
        q: str | None = None,
        person: str | None = None,
        channel: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> api.SessionPage:
        """Returns one page. The next page begins at ``nextCursor``.

        ``user``, ``agent`` and ``session`` are the parts that a session's scope must have, exactly.

        Args:
            order: ``recent`` lists the session with the latest message first. ``q``, ``person``,
                ``channel``, ``since`` and ``until`` need it.
            details: adds who speaks, and the first and the last words.
            q: only sessions with this text in their key or in one of their last 100 messages.
            person: only sessions for this user, or in which somebody of this name has spoken.
            channel: only keys whose first part is this.
            since: only sessions whose last message is of this time or later.
        """
        scope = narrowed(user=user, agent=agent, session=session)
        more = _further(order, details, q, person, channel, since, until)
        return self._routes.read(
            api.SessionPage, "/sessions", **scope, **more, prefix=prefix, cursor=cursor, limit=limit
        )

    def all(
        self,
        *,
        prefix: str | None = None,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        session: str | Unset = UNSET,
        order: Literal["key", "recent"] | None = None,
        details: bool | None = None,
        q: str | None = None,
        person: str | None = None,
        channel: str | None = None,
        since: Time | None = None,
        until: Time | None = None,
        limit: int | None = None,
    ) -> Generator[api.ListedSession, None, None]:
        """Yields all sessions. Reads them page by page.

        ``limit`` is the number of rows per page.
        """
        scope = narrowed(user=user, agent=agent, session=session)
        more = _further(order, details, q, person, channel, since, until)
        return self._routes.read_all("/sessions", {**scope, **more, "prefix": prefix, "limit": limit}, "sessions")


def _further(
    order: str | None,
    details: bool | None,
    q: str | None,
    person: str | None,
    channel: str | None,
    since: Time | None,
    until: Time | None,
) -> dict[str, str | bool | datetime | None]:
    return {
        "order": order,
        "details": details,
        "q": q,
        "person": person,
        "channel": channel,
        "since": since,
        "until": until,
    }
