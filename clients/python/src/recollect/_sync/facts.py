# Made from `_async` by `npm run python`: change it there.
from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Literal

from .. import types as api
from .._requests import Time, given, in_scope, narrowed, segment
from .._unset import UNSET, Unset
from .routes import Routes


class Facts:
    """The facts of an agent: single statements in its long-term memory.

    Times are ISO 8601, such as ``2026-05-18T12:00:00Z``.
    """

    def __init__(self, routes: Routes) -> None:
        self._routes = routes

    def add(
        self,
        text: str,
        *,
        subject: str | None = None,
        key: str | None = None,
        category: api.Category | None = None,
        importance: float | None = None,
        scope: api.Scope | None = None,
        tags: Sequence[str] | None = None,
        source: api.FactSourceInput | None = None,
        decay_class: api.DecayClass | None = None,
        valid_from: Time | None = None,
        expires_at: Time | None = None,
        valid_to: Time | None = None,
        supersedes: Sequence[str] | None = None,
    ) -> api.StoredFact:
        """Stores one fact.

        Args:
            text: one self-contained sentence, with names instead of pronouns.
            subject: the person or thing that the fact is about, by name.
            key: the property that the fact states, such as ``user.name``. The next fact with this
                key, scope and subject replaces it.
            importance: how important the fact is, 0 to 1.
            scope: the user, agent and session that the fact is for. A missing part means everybody.
            source: the source of the fact.
            decay_class: how fast the fact loses weight.
            valid_from: the time from which the fact holds; default: now.
            valid_to: the time in the past until which the fact held, if it holds no longer.
            supersedes: the ids of the facts that this fact replaces.
        """
        fact = {
            "text": text,
            "subject": subject,
            "key": key,
            "category": category,
            "importance": importance,
            "scope": in_scope(scope),
            "tags": tags,
            "source": source,
            "decayClass": decay_class,
            "validFrom": valid_from,
            "expiresAt": expires_at,
            "validTo": valid_to,
            "supersedes": supersedes,
        }
        stored = self._routes.write(api.StoredFacts, "POST", "/facts", {"facts": [given(fact)]})
        return stored["facts"][0]

    def add_many(self, facts: Sequence[api.FactInput]) -> api.StoredFacts:
        """Stores up to 50 facts. Either all are stored or none."""
        for fact in facts:
            if isinstance(fact, dict):
                in_scope(fact.get("scope"))
        return self._routes.write(api.StoredFacts, "POST", "/facts", {"facts": facts})

    def get(self, id: str) -> api.Fact:
        return self._routes.read(api.Fact, f"/facts/{segment(id)}")

    def history(self, id: str) -> api.FactHistory:
        """Returns all versions of a fact, oldest first."""
        return self._routes.read(api.FactHistory, f"/facts/{segment(id)}/history")

    def change(
        self,
        id: str,
        *,
        text: str | None = None,
        subject: str | None | Unset = UNSET,
        category: api.Category | None = None,
        importance: float | None = None,
        tags: Sequence[str] | None = None,
        decay_class: api.DecayClass | None = None,
        expires_at: Time | None | Unset = UNSET,
    ) -> api.ChangedFact:
        """Changes a fact. A new text or subject makes a new version, which ends the old one.

        With ``expires_at=None`` the fact no longer expires, with ``subject=None`` it has no subject.
        """
        change = given(
            {"text": text, "category": category, "importance": importance, "tags": tags, "decayClass": decay_class}
        )
        if subject is not UNSET:
            change["subject"] = subject
        if expires_at is not UNSET:
            change["expiresAt"] = expires_at
        return self._routes.write(api.ChangedFact, "PATCH", f"/facts/{segment(id)}", change)

    def forget(self, id: str, *, snapshots: bool = False) -> api.ForgottenFacts:
        """Deletes a fact with all versions that it replaced, for good.

        ``snapshots`` also deletes the fact from snapshots, which needs a key of the tenant.
        """
        query = {"snapshots": snapshots} if snapshots else None
        return self._routes.write(api.ForgottenFacts, "DELETE", f"/facts/{segment(id)}", None, None, query)

    def forget_source(
        self,
        source: str,
        *,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        session: str | Unset = UNSET,
    ) -> api.ForgottenOfSource:
        """Deletes for good the facts that come from a session or a file, at most 5,000.

        ``more`` in the answer says whether there are others.

        Args:
            source: the key or path of the session, or the path of the file.
            user: only facts that are for this user; ``agent`` and ``session`` work alike.
        """
        query = {"source": source, **narrowed(user=user, agent=agent, session=session)}
        return self._routes.write(api.ForgottenOfSource, "DELETE", "/facts", None, None, query)

    def forget_many(
        self,
        *,
        ids: Sequence[str] | None = None,
        person: str | None = None,
        subject: str | None = None,
        user: str | Unset = UNSET,
        source: str | None = None,
        sessions: bool | None = None,
        snapshots: bool | None = None,
        dry_run: bool | None = None,
    ) -> api.ForgottenMany:
        """Deletes facts for good, with their earlier versions. They meet all of the conditions.

        While ``more`` in the answer is true, the call must be repeated.

        Args:
            person: all facts about this person or for this user.
            source: the key or path of a session, or the path of a file.
            sessions: also deletes the conversations for this person or user. Those of others in which the
                person speaks stay: ``speaksIn`` names them.
            snapshots: removes the facts from snapshots too, which needs a key of the tenant.
            dry_run: deletes nothing and counts.
        """
        body = {
            "ids": ids,
            "person": person,
            "subject": subject,
            "source": source,
            "sessions": sessions,
            "snapshots": snapshots,
            "dryRun": dry_run,
            **narrowed(user=user),
        }
        return self._routes.write(api.ForgottenMany, "POST", "/facts/forget", given(body))

    def people(
        self,
        *,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        session: str | Unset = UNSET,
        limit: int | None = None,
    ) -> api.FactPeople:
        """Counts the facts that hold by the person or thing that they are about, and by user."""
        scope = narrowed(user=user, agent=agent, session=session)
        return self._routes.read(api.FactPeople, "/facts/people", **scope, limit=limit)

    def search(
        self,
        query: str,
        *,
        max_results: int | None = None,
        min_score: float | None = None,
        as_of: Time | None = None,
        scope: api.Scope | None = None,
        categories: Sequence[api.Category] | None = None,
        tags: Sequence[str] | None = None,
        min_importance: float | None = None,
        subject: str | None = None,
        explain: bool | None = None,
        timezone: str | None = None,
    ) -> api.FoundFacts:
        """Returns the facts that fit a question or some words best.

        Args:
            as_of: the time whose facts to search. Finds what was believed at that time.
            scope: the scope to search. Facts of others are left out.
            tags: the tags that a fact must have, all of them.
            timezone: the time zone of days such as yesterday; default: the agent's setting.
            subject: the person or thing that the facts are about.
        """
        body = {
            "query": query,
            "maxResults": max_results,
            "minScore": min_score,
            "asOf": as_of,
            "scope": in_scope(scope),
            "categories": categories,
            "tags": tags,
            "minImportance": min_importance,
            "subject": subject,
            "explain": explain,
            "timezone": timezone,
        }
        return self._routes.ask(api.FoundFacts, "/facts/search", body)

    def list(
        self,
        *,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        session: str | Unset = UNSET,
        subject: str | None = None,
        source: str | None = None,
        key: str | None = None,
        tag: str | None = None,
        category: api.Category | None = None,
        min_importance: float | None = None,
        as_of: Time | None = None,
        all: bool | None = None,
        person: str | None = None,
        q: str | None = None,
        source_kind: Literal["message", "file", "call"] | None = None,
        stored_since: str | None = None,
        stored_before: str | None = None,
        sort: Literal["newest", "oldest", "importance", "said"] | None = None,
        total: bool | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> api.FactPage:
        """Returns one page. The next page begins at ``nextCursor``.

        ``all`` also lists facts that no longer hold, ``q`` only facts with a text, ``total`` counts
        the facts of all pages. A page may have few facts, or none, although others follow.
        """
        own = _filter(user, agent, session, subject, source, key, tag, category, min_importance, as_of, all)
        more = _further(person, q, source_kind, stored_since, stored_before, sort)
        return self._routes.read(api.FactPage, "/facts", **own, **more, total=total, cursor=cursor, limit=limit)

    def all(
        self,
        *,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        session: str | Unset = UNSET,
        subject: str | None = None,
        source: str | None = None,
        key: str | None = None,
        tag: str | None = None,
        category: api.Category | None = None,
        min_importance: float | None = None,
        as_of: Time | None = None,
        all: bool | None = None,
        person: str | None = None,
        q: str | None = None,
        source_kind: Literal["message", "file", "call"] | None = None,
        stored_since: str | None = None,
        stored_before: str | None = None,
        sort: Literal["newest", "oldest", "importance", "said"] | None = None,
        limit: int | None = None,
    ) -> Generator[api.Fact, None, None]:
        """Yields all facts that match a filter. Reads them page by page.

        ``limit`` is the number of rows per page.
        """
        own = _filter(user, agent, session, subject, source, key, tag, category, min_importance, as_of, all)
        more = _further(person, q, source_kind, stored_since, stored_before, sort)
        return self._routes.read_all("/facts", {**own, **more, "limit": limit}, "facts")


def _filter(
    user: str | Unset,
    agent: str | Unset,
    session: str | Unset,
    subject: str | None,
    source: str | None,
    key: str | None,
    tag: str | None,
    category: api.Category | None,
    min_importance: float | None,
    as_of: Time | None,
    all: bool | None,
) -> dict[str, Time | float | bool | None]:
    return {
        **narrowed(user=user, agent=agent, session=session),
        "subject": subject,
        "source": source,
        "key": key,
        "tag": tag,
        "category": category,
        "minImportance": min_importance,
        "asOf": as_of,
        "all": all,
    }


def _further(
    person: str | None,
    q: str | None,
    source_kind: str | None,
    stored_since: str | None,
    stored_before: str | None,
    sort: str | None,
) -> dict[str, str | None]:
    return {
        "person": person,
        "q": q,
        "sourceKind": source_kind,
        "storedSince": stored_since,
        "storedBefore": stored_before,
        "sort": sort,
    }
