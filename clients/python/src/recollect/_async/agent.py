from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal, cast

from .. import types as api
from .._requests import given, segment
from .facts import AsyncFacts
from .files import AsyncFiles
from .routes import AsyncRoutes
from .sessions import AsyncSessions, Messages
from .transport import AsyncTransport


class AsyncAgentClient:
    """Everything that is done with the memory of one agent. Every method raises RecollectError.

    Answers are the API's own JSON, with its names: ``hit["startLine"]``.
    """

    def __init__(self, transport: AsyncTransport, id: str) -> None:
        self.id = id
        self._routes = AsyncRoutes(transport, f"/v1/agents/{segment(id)}")
        self.files = AsyncFiles(self._routes)
        self.sessions = AsyncSessions(self._routes)
        self.facts = AsyncFacts(self._routes)
        self.ingest = AsyncIngest(self._routes)
        self.snapshots = AsyncSnapshots(self._routes)
        self.shares = AsyncShares(self._routes)
        self.reads = AsyncReads(self._routes)

    async def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        corpus: Literal["memory", "sessions", "facts", "all"] | None = None,
        after: str | None = None,
        before: str | None = None,
        paths: Sequence[str] | None = None,
        scope: api.Scope | None = None,
        include_text: bool | None = None,
        explain: bool | None = None,
        fusion: Literal["adaptive", "weighted", "rrf"] | None = None,
        session_key: str | None = None,
        as_of: str | None = None,
    ) -> api.SearchAnswer | api.SearchUnavailable:
        """``memory_search``: the best passages for a question or some words.

        The answer always has ``results``. While the memory cannot be searched they are empty, and ``"unavailable" in answer``;
        its ``action`` says what to do.

        Args:
            query: a question or key words; exact names, error codes and paths are found too.
            min_score: leaves out hits below, 0 to 1; 0.5 is as likely an answer as not.
            corpus: files (``memory``), conversations, facts, or all of them.
            after: only texts from this day on, ``YYYY-MM-DD``.
            before: only texts from before this day.
            paths: only these; ``*`` matches any characters, a folder ends with ``/``.
            scope: leaves out facts and conversations of others.
            include_text: adds the whole text to each hit.
            explain: how each hit was ranked.
            fusion: how the arms are combined in this search; the agent's setting unless given.
            session_key: the conversation that asks.
            as_of: what was in memory then, as an ISO 8601 time; texts that have changed since are found by words only.
        """
        body = {
            "query": query,
            "maxResults": max_results,
            "minScore": min_score,
            "corpus": corpus,
            "after": after,
            "before": before,
            "paths": paths,
            "scope": scope,
            "includeText": include_text,
            "explain": explain,
            "fusion": fusion,
            "sessionKey": session_key,
            "asOf": as_of,
        }
        answer = await self._routes.ask(object, "/tools/memory_search", body)
        return cast(api.SearchAnswer | api.SearchUnavailable, answer)

    async def get(
        self,
        path: str,
        *,
        from_: int | None = None,
        lines: int | None = None,
        as_of: str | None = None,
        scope: api.Scope | None = None,
    ) -> api.ReadLines | api.LinesNotFound:
        """``memory_get``: some lines of a file, session or fact, from line ``from_`` on, counted from 1.

        Args:
            as_of: what it said then, as an ISO 8601 time.
            scope: whom it is for: others' facts and conversations are not found.
        """
        body = {"path": path, "from": from_, "lines": lines, "asOf": as_of, "scope": scope}
        answer = await self._routes.ask(object, "/tools/memory_get", body)
        return cast(api.ReadLines | api.LinesNotFound, answer)

    async def recall(
        self,
        message: str,
        *,
        scope: api.Scope | None = None,
        max_facts: int | None = None,
        max_quotes: int | None = None,
        max_distance: float | None = None,
        max_chars: int | None = None,
    ) -> api.Recalled:
        """The facts that bear on a user's message, and a ``block`` of text with them for the prompt."""
        body = {
            "message": message,
            "scope": scope,
            "maxFacts": max_facts,
            "maxQuotes": max_quotes,
            "maxDistance": max_distance,
            "maxChars": max_chars,
        }
        return await self._routes.ask(api.Recalled, "/recall", body)

    async def capture(
        self,
        messages: Messages,
        *,
        scope: api.Scope | None = None,
        session: str | None = None,
        dry_run: bool | None = None,
    ) -> api.Captured:
        """Stores what the user of a turn states about himself, his wishes and decisions."""
        body = {"messages": messages, "scope": scope, "session": session, "dryRun": dry_run}
        return await self._routes.ask_once(api.Captured, "/capture", body)

    async def tools(
        self,
        format: Literal["openai", "anthropic", "mcp", "gemini"] = "openai",
        *,
        session_key: str | None = None,
    ) -> api.ToolDefinitions:
        """The definitions of tools for a model's API, and the prompt section about them."""
        return await self._routes.read(api.ToolDefinitions, "/tools", format=format, sessionKey=session_key)

    async def call_tool(self, name: str, input: Any) -> dict[str, Any]:
        """Carries out a model's call of one of those tools; the answer goes back to the model as it is."""
        return await self._routes.write(dict[str, Any], "POST", f"/tools/{segment(name)}", input)

    async def status(self) -> api.AgentStatus:
        """The index, its contents and pending work."""
        return await self._routes.read(api.AgentStatus, "/status")

    async def activity(self, *, cursor: str | None = None, limit: int | None = None) -> api.ActivityPage:
        """Who searched, recalled and captured, newest first."""
        return await self._routes.read(api.ActivityPage, "/activity", cursor=cursor, limit=limit)

    async def growth(self, days: int | None = None) -> api.Growth:
        """What there is by the day on which it was stored, of the last 90 days unless told otherwise."""
        return await self._routes.read(api.Growth, "/growth", days=days)

    def watch_status(self) -> AsyncGenerator[api.AgentStatus, None]:
        """The status at once and whenever it changes, until the loop is left. It reconnects by itself."""
        return self._routes.transport.follow(self._routes.prefix + "/events")

    async def changes(
        self, *, since: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> api.ChangePage:
        """What happened to files and facts, oldest first; the page's ``cursor`` goes on behind it, also later."""
        return await self._routes.read(api.ChangePage, "/changes", since=since, cursor=cursor, limit=limit)

    def watch_changes(
        self, *, since: str | None = None, cursor: str | None = None
    ) -> AsyncGenerator[api.ChangePage, None]:
        """The same as it happens, until the loop is left. It reconnects by itself, behind the last page."""
        query = {"since": since, "cursor": cursor}
        return self._routes.transport.follow(self._routes.prefix + "/changes/events", query)

    async def settings(self) -> api.AgentSettings:
        """The settings in force, and where each comes from."""
        return await self._routes.read(api.AgentSettings, "/settings")

    async def sync(self) -> api.Queued:
        """Has what is not indexed yet be indexed in the background."""
        return await self._routes.ask(api.Queued, "/sync", {})


class AsyncIngest:
    """Turns files into facts by a chat model: the agent's own in the background, or a text that is not kept."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def start(self, *, paths: Sequence[str] | None = None, dry_run: bool | None = None) -> api.Ingest:
        """Begins with the agent's files. ``paths``: globs; the agent's setting unless said otherwise."""
        return await self._routes.ask_once(api.Ingest, "/ingest", {"paths": paths, "dryRun": dry_run})

    async def status(self) -> api.Ingest:
        return await self._routes.read(api.Ingest, "/ingest")

    async def text(
        self, path: str, content: str, *, from_: int | None = None, dry_run: bool | None = None
    ) -> api.IngestedText:
        """Of a long text a part; ``next`` of the answer is the ``from_`` to go on with."""
        body = {"path": path, "content": content, "from": from_, "dryRun": dry_run}
        return await self._routes.ask(api.IngestedText, "/ingest/text", body)


class AsyncSnapshots:
    """States of an agent's files and facts to go back to."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def take(self, name: str, *, expires_at: str | None = None) -> api.Snapshot:
        """It costs what changes from now on.

        Args:
            expires_at: when it is deleted, as an ISO 8601 time; when somebody does it unless said otherwise.
        """
        body = given({"name": name, "expiresAt": expires_at})
        return await self._routes.write(api.Snapshot, "POST", "/snapshots", body)

    async def list(self) -> api.SnapshotList:
        """Newest first."""
        return await self._routes.read(api.SnapshotList, "/snapshots")

    async def compare(self, name: str) -> api.SnapshotDifference:
        """What is otherwise now."""
        return await self._routes.read(api.SnapshotDifference, f"/snapshots/{segment(name)}/diff")

    async def roll_back(self, name: str) -> api.RolledBack:
        """Makes files and facts what they were, all or nothing; ``undo`` names a snapshot of before. Sessions stay."""
        return await self._routes.write(api.RolledBack, "POST", f"/snapshots/{segment(name)}/rollback", {})

    async def delete(self, name: str) -> api.DeletedSnapshot:
        return await self._routes.write(api.DeletedSnapshot, "DELETE", f"/snapshots/{segment(name)}")


class AsyncShares:
    """What an agent lets others of its tenant read; for a key with the scope ``tenant``."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def list(self) -> api.ShareList:
        return await self._routes.read(api.ShareList, "/shares")

    async def offer(
        self, reader: str, *, folders: Sequence[str] | None = None, sessions: bool | None = None
    ) -> api.Share:
        """Offers the memory to another agent, read-only. It is read once the other takes it.

        Args:
            folders: of files; without them all of the memory.
            sessions: conversations too; only with all of the memory.
        """
        body = given({"folders": folders, "sessions": sessions})
        return await self._routes.write(api.Share, "PUT", f"/shares/{segment(reader)}", body)

    async def withdraw(self, reader: str) -> api.WithdrawnShare:
        """From the next request on it is not read."""
        return await self._routes.write(api.WithdrawnShare, "DELETE", f"/shares/{segment(reader)}")


class AsyncReads:
    """What an agent reads of others besides its own memory."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def list(self) -> api.ShareList:
        """Also what is offered and not taken."""
        return await self._routes.read(api.ShareList, "/reads")

    async def take(self, sharer: str) -> api.Share:
        """Takes what another agent offers: searches cover it, and its paths begin with ``@`` and its id."""
        return await self._routes.write(api.Share, "PUT", f"/reads/{segment(sharer)}", {})

    async def leave(self, sharer: str) -> api.LeftShare:
        return await self._routes.write(api.LeftShare, "DELETE", f"/reads/{segment(sharer)}")
