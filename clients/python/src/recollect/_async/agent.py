from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal, cast

from .. import types as api
from .._requests import Day, Time, given, in_scope, segment
from .facts import AsyncFacts
from .files import AsyncFiles
from .routes import AsyncRoutes
from .sessions import AsyncSessions, Messages
from .transport import AsyncTransport


class AsyncAgentClient:
    """The operations on the memory of one agent. Every method raises RecollectError.

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
        self.evaluations = AsyncEvaluations(self._routes)

    async def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        corpus: Literal["memory", "sessions", "facts", "all"] | None = None,
        after: Day | None = None,
        before: Day | None = None,
        paths: Sequence[str] | None = None,
        scope: api.Scope | None = None,
        include_text: bool | None = None,
        explain: bool | None = None,
        fusion: Literal["adaptive", "weighted", "rrf"] | None = None,
        session_key: str | None = None,
        as_of: Time | None = None,
        timezone: str | None = None,
    ) -> api.SearchAnswer | api.SearchUnavailable:
        """Calls ``memory_search``, which returns the best passages for a question or some words.

        The answer always has ``results``. While the memory cannot be searched, ``results`` is empty
        and the answer also has ``unavailable`` and ``action``, which says what to do.

        Args:
            query: a question, or some words. Exact names, error codes and paths are found too.
            min_score: the lowest score to include, 0 to 1. A score of 0.5 means that the hit is as
                likely an answer as not.
            corpus: the texts to search: files (``memory``), conversations, facts, or all of them.
            after: the first day whose texts to search, ``YYYY-MM-DD``.
            before: the day before which a text must date.
            paths: the only paths to search. ``*`` matches any characters; a folder ends with ``/``.
            scope: the scope to search. Facts and conversations of others are left out.
            include_text: whether to add the whole text to each hit.
            explain: whether to explain the rank of each hit.
            fusion: the way in which this search combines the arms; default: the agent's setting.
            session_key: the conversation that makes the search.
            as_of: the time whose memory to search, as an ISO 8601 time. Texts that have changed
                since are found by words only.
            timezone: the time zone in which days begin and end, such as ``Europe/Lisbon``;
                default: the agent's setting.
        """
        body = {
            "query": query,
            "maxResults": max_results,
            "minScore": min_score,
            "corpus": corpus,
            "after": after,
            "before": before,
            "paths": paths,
            "scope": in_scope(scope),
            "includeText": include_text,
            "explain": explain,
            "fusion": fusion,
            "sessionKey": session_key,
            "asOf": as_of,
            "timezone": timezone,
        }
        answer = await self._routes.ask(object, "/tools/memory_search", body)
        return cast(api.SearchAnswer | api.SearchUnavailable, answer)

    async def get(
        self,
        path: str,
        *,
        from_: int | None = None,
        from_char: int | None = None,
        lines: int | None = None,
        as_of: Time | None = None,
        scope: api.Scope | None = None,
    ) -> api.ReadLines | api.LinesNotFound:
        """Calls ``memory_get``, which returns some lines of a file, session or fact.

        The lines begin with line ``from_``, counted from 1. A line that is too long for one answer
        is read on with the same ``from_``, and the answer's ``nextChar`` as ``from_char``.

        Args:
            as_of: the time whose text to read, as an ISO 8601 time.
            scope: the scope to read. Facts and conversations of others are not found.
        """
        body = {
            "path": path,
            "from": from_,
            "fromChar": from_char,
            "lines": lines,
            "asOf": as_of,
            "scope": in_scope(scope),
        }
        answer = await self._routes.ask(object, "/tools/memory_get", body)
        return cast(api.ReadLines | api.LinesNotFound, answer)

    async def recall(
        self,
        message: str,
        *,
        scope: api.Scope | None = None,
        subject: str | None = None,
        max_instructions: int | None = None,
        max_facts: int | None = None,
        max_quotes: int | None = None,
        max_distance: float | None = None,
        max_chars: int | None = None,
        timezone: str | None = None,
    ) -> api.Recalled:
        """Returns the instructions that hold, and the facts and quotations that bear on a message.

        ``block`` in the answer is a text with them for the prompt. With ``subject``, only facts about
        this person or thing are recalled.

        Args:
            timezone: the time zone of days such as yesterday; default: the agent's setting.
        """
        body = {
            "message": message,
            "scope": in_scope(scope),
            "subject": subject,
            "maxInstructions": max_instructions,
            "maxFacts": max_facts,
            "maxQuotes": max_quotes,
            "maxDistance": max_distance,
            "maxChars": max_chars,
            "timezone": timezone,
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
        """Stores what the user says in a turn about themselves, their wishes and their decisions.

        The messages themselves are not stored.
        """
        body = {"messages": messages, "scope": in_scope(scope), "session": session, "dryRun": dry_run}
        return await self._routes.ask_once(api.Captured, "/capture", body)

    async def tools(
        self,
        format: Literal["openai", "anthropic", "mcp", "gemini"] = "openai",
        *,
        session_key: str | None = None,
    ) -> api.ToolDefinitions:
        """Returns the tool definitions for a model's API, and the prompt section about them."""
        return await self._routes.read(api.ToolDefinitions, "/tools", format=format, sessionKey=session_key)

    async def call_tool(self, name: str, input: Any) -> dict[str, Any]:
        """Carries out a model's call of one of these tools.

        The answer goes back to the model unchanged.
        """
        return await self._routes.write(dict[str, Any], "POST", f"/tools/{segment(name)}", input)

    async def status(self) -> api.AgentStatus:
        """Returns the state of the index, the contents of the memory and the pending work."""
        return await self._routes.read(api.AgentStatus, "/status")

    async def activity(self, *, cursor: str | None = None, limit: int | None = None) -> api.ActivityPage:
        """Lists the callers that searched, recalled and captured, newest entry first."""
        return await self._routes.read(api.ActivityPage, "/activity", cursor=cursor, limit=limit)

    async def activity_summary(
        self,
        *,
        days: int | None = None,
        per: Literal["hour", "day"] | None = None,
        by: Literal["none", "actor"] | None = None,
    ) -> api.ActivitySummary:
        """Sums up the activity by the hour or day, with the times that answers took.

        Args:
            days: how many days, with today; default: 30.
            by: ``actor`` also sums up the calls of each caller.
        """
        return await self._routes.read(api.ActivitySummary, "/activity/summary", days=days, per=per, by=by)

    async def growth(self, days: int | None = None) -> api.Growth:
        """Counts the stored content by the day on which it was stored.

        The answer covers the last 90 days by default.
        """
        return await self._routes.read(api.Growth, "/growth", days=days)

    def watch_status(self, *, timeout_s: float | None = None) -> AsyncGenerator[api.AgentStatus, None]:
        """Yields the status at once and after every change, until the caller leaves the loop.

        The client reconnects by itself. A status that does not change, such as that of an agent whose
        provider refuses its texts, is yielded once.

        Args:
            timeout_s: raises TimeoutError after this time, at the latest after twice this time; default: no limit.
        """
        return self._routes.transport.follow(self._routes.prefix + "/events", timeout_s=timeout_s)

    async def changes(
        self,
        *,
        since: Time | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        order: Literal["oldest", "newest"] | None = None,
        texts: bool | None = None,
        until: Time | None = None,
        kind: str | None = None,
        person: str | None = None,
        key: str | None = None,
        by: str | None = None,
    ) -> api.ChangePage:
        """Lists the changes to files and facts, oldest first.

        The page's ``cursor`` continues after the page, and stays valid for later changes.

        Args:
            order: ``newest`` lists the changes backwards from now. The arguments after ``texts``
                need it.
            texts: adds the words of each change.
            kind: a kind of change, such as ``fact.stored``, or its first word.
            person: only facts about this person or for this user.
            by: only changes by this caller, a key's prefix, ``local`` or ``system``.
        """
        query = {"since": since, "cursor": cursor, "limit": limit, "order": order, "texts": texts, "until": until}
        filters = {"kind": kind, "person": person, "key": key, "by": by}
        return await self._routes.read(api.ChangePage, "/changes", **query, **filters)

    def watch_changes(
        self, *, since: Time | None = None, cursor: str | None = None, timeout_s: float | None = None
    ) -> AsyncGenerator[api.ChangePage, None]:
        """Yields the same changes as they happen, until the caller leaves the loop.

        The client reconnects by itself and continues after the last page.

        Args:
            timeout_s: as of ``watch_status``.
        """
        query = {"since": since, "cursor": cursor}
        return self._routes.transport.follow(self._routes.prefix + "/changes/events", query, timeout_s)

    async def map(self, *, limit: int | None = None) -> api.MemoryMap:
        """Returns passages and facts as points on a plane, near each other if they mean similar things.

        A background job makes the map when it is first read.
        """
        return await self._routes.read(api.MemoryMap, "/map", limit=limit)

    async def settings(self) -> api.AgentSettings:
        """Returns the settings in force, and the origin of each."""
        return await self._routes.read(api.AgentSettings, "/settings")

    async def sync(self) -> api.Queued:
        """Requests that a background job indexes everything that is not indexed yet."""
        return await self._routes.ask(api.Queued, "/sync", {})


class AsyncIngest:
    """Uses a chat model to turn texts into facts.

    It reads the agent's own files in the background, or a text that is not stored.
    """

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def start(self, *, paths: Sequence[str] | None = None, dry_run: bool | None = None) -> api.Ingest:
        """Starts to read the agent's own files in the background.

        ``paths`` are globs; the default is the agent's setting.
        """
        return await self._routes.ask_once(api.Ingest, "/ingest", {"paths": paths, "dryRun": dry_run})

    async def status(self) -> api.Ingest:
        return await self._routes.read(api.Ingest, "/ingest")

    async def text(
        self, path: str, content: str, *, from_: int | None = None, dry_run: bool | None = None
    ) -> api.IngestedText:
        """Reads a text without storing it.

        One call reads a part of a long text. ``next`` in the answer is the ``from_`` of the next
        call.
        """
        body = {"path": path, "content": content, "from": from_, "dryRun": dry_run}
        return await self._routes.ask(api.IngestedText, "/ingest/text", body)


class AsyncSnapshots:
    """The snapshots of an agent: states of its files and facts that a rollback can return to."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def take(self, name: str, *, expires_at: Time | None = None) -> api.Snapshot:
        """Takes a snapshot. It needs space only for later changes.

        Args:
            expires_at: the time at which the snapshot is deleted, as an ISO 8601 time; default: the
                snapshot stays until somebody deletes it.
        """
        body = given({"name": name, "expiresAt": expires_at})
        return await self._routes.write(api.Snapshot, "POST", "/snapshots", body)

    async def list(self) -> api.SnapshotList:
        """Lists the snapshots, newest first."""
        return await self._routes.read(api.SnapshotList, "/snapshots")

    async def compare(self, name: str) -> api.SnapshotDifference:
        """Compares the current files and facts with the snapshot."""
        return await self._routes.read(api.SnapshotDifference, f"/snapshots/{segment(name)}/diff")

    async def roll_back(self, name: str) -> api.RolledBack:
        """Returns files and facts to the state of the snapshot, all or nothing.

        ``undo`` in the answer names a snapshot of the state before the rollback. Sessions do not
        change.
        """
        return await self._routes.write(api.RolledBack, "POST", f"/snapshots/{segment(name)}/rollback", {})

    async def delete(self, name: str) -> api.DeletedSnapshot:
        return await self._routes.write(api.DeletedSnapshot, "DELETE", f"/snapshots/{segment(name)}")


class AsyncShares:
    """The other agents of the tenant that may read an agent's memory.

    Needs a key with the scope ``tenant``.
    """

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def list(self) -> api.ShareList:
        return await self._routes.read(api.ShareList, "/shares")

    async def offer(
        self, reader: str, *, folders: Sequence[str] | None = None, sessions: bool | None = None
    ) -> api.Share:
        """Offers the memory to another agent, read-only.

        The other agent reads it once it takes the offer.

        Args:
            folders: the folders whose files to offer; default: all of the memory.
            sessions: whether to offer conversations too; only with all of the memory.
        """
        body = given({"folders": folders, "sessions": sessions})
        return await self._routes.write(api.Share, "PUT", f"/shares/{segment(reader)}", body)

    async def withdraw(self, reader: str) -> api.WithdrawnShare:
        """Withdraws the offer. The reader loses access from its next request on."""
        return await self._routes.write(api.WithdrawnShare, "DELETE", f"/shares/{segment(reader)}")


class AsyncReads:
    """The other agents' memories that an agent reads besides its own."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def list(self) -> api.ShareList:
        """Lists the memories, including offers that the agent has not taken."""
        return await self._routes.read(api.ShareList, "/reads")

    async def take(self, sharer: str) -> api.Share:
        """Takes another agent's offer.

        Searches then cover the shared memory, and its paths begin with ``@`` and the other agent's
        id.
        """
        return await self._routes.write(api.Share, "PUT", f"/reads/{segment(sharer)}", {})

    async def leave(self, sharer: str) -> api.LeftShare:
        return await self._routes.write(api.LeftShare, "DELETE", f"/reads/{segment(sharer)}")


class AsyncEvaluations:
    """Sets of questions with their right answers, and runs that measure how well a search finds these."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def sets(self) -> api.EvalSetList:
        return await self._routes.read(api.EvalSetList, "/eval-sets")

    async def set(self, name: str) -> api.WholeEvalSet:
        return await self._routes.read(api.WholeEvalSet, f"/eval-sets/{segment(name)}")

    async def put(
        self, name: str, items: Sequence[api.EvalQuestion], *, description: str | None = None
    ) -> api.EvalSet:
        """Stores a set. A set that already has the name is replaced, and its runs stay."""
        body = given({"items": items, "description": description})
        return await self._routes.write(api.EvalSet, "PUT", f"/eval-sets/{segment(name)}", body)

    async def delete(self, name: str) -> api.DeletedEval:
        """Deletes a set with its runs."""
        return await self._routes.write(api.DeletedEval, "DELETE", f"/eval-sets/{segment(name)}")

    async def start(self, name: str, *, label: str | None = None) -> api.EvalRun:
        """Starts a run in the background. It has ended when its state is not ``waiting``."""
        return await self._routes.write(api.EvalRun, "POST", f"/eval-sets/{segment(name)}/runs", given({"label": label}))

    async def runs(self, name: str) -> api.EvalRunList:
        """Lists the runs of a set, newest first."""
        return await self._routes.read(api.EvalRunList, f"/eval-sets/{segment(name)}/runs")

    async def run(self, name: str, id: str) -> api.WholeEvalRun:
        return await self._routes.read(api.WholeEvalRun, f"/eval-sets/{segment(name)}/runs/{segment(id)}")

    async def delete_run(self, name: str, id: str) -> api.DeletedEval:
        return await self._routes.write(api.DeletedEval, "DELETE", f"/eval-sets/{segment(name)}/runs/{segment(id)}")

    async def compare(self, name: str, id: str, before: str) -> api.EvalComparison:
        """Compares a run with an earlier one, question by question."""
        path = f"/eval-sets/{segment(name)}/runs/{segment(id)}/compare/{segment(before)}"
        return await self._routes.read(api.EvalComparison, path)
