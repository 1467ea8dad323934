from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Literal

from .. import types as api
from .._requests import Document, condition_of, given, segment, segments
from .routes import AsyncRoutes


class AsyncFiles:
    """An agent's documents."""

    def __init__(self, routes: AsyncRoutes) -> None:
        self._routes = routes

    async def put(
        self,
        path: str,
        content: str,
        *,
        mtime: str | None = None,
        if_match: str | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> api.WrittenFile:
        """Writes a file; search finds it from now on.

        Args:
            mtime: when it was changed, as an ISO 8601 time; now unless said otherwise.
            if_match: the hash that the file must have, or ``*`` for any.
            if_none_match: ``*``: that there be no such file.
        """
        condition = condition_of(if_match, if_none_match)
        body = given({"content": content, "mtime": mtime})
        return await self._routes.write(api.WrittenFile, "PUT", f"/files/{segments(path)}", body, condition)

    async def put_document(
        self,
        path: str,
        document: bytes,
        media_type: str,
        *,
        mtime: str | None = None,
        origin: str | None = None,
        take_over: bool | None = None,
        if_match: str | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> api.WrittenFile:
        """Writes the text of a PDF, Word or HTML document; search finds it from now on.

        Args:
            media_type: of the document, such as ``application/pdf``.
            mtime: when it was changed, as an ISO 8601 time; now unless said otherwise.
            origin: the folder that sends it.
            take_over: whether the file becomes the origin's, whoever owned it.
            if_match: the hash that the file must have, or ``*`` for any.
            if_none_match: ``*``: that there be no such file.
        """
        condition = condition_of(if_match, if_none_match)
        query = {"mtime": mtime, "origin": origin, "takeOver": take_over}
        body = Document(document, media_type)
        return await self._routes.write(api.WrittenFile, "PUT", f"/files/{segments(path)}", body, condition, query)

    async def get(self, path: str) -> api.File:
        return await self._routes.read(api.File, f"/files/{segments(path)}")

    async def delete(
        self, path: str, *, if_match: str | None = None, if_none_match: Literal["*"] | None = None
    ) -> api.DeletedFiles:
        condition = condition_of(if_match, if_none_match)
        return await self._routes.write(api.DeletedFiles, "DELETE", f"/files/{segments(path)}", None, condition)

    async def write(
        self,
        *,
        put: Sequence[api.NamedFile] | None = None,
        delete: Sequence[str] | None = None,
        origin: str | None = None,
        take_over: bool | None = None,
    ) -> api.WrittenFiles:
        """Writes and deletes up to 100 files, all or nothing.

        Args:
            put: each with ``path``, ``content`` and perhaps ``mtime``.
            origin: the name of the synced folder that the files belong to.
            take_over: whether the origin may take files that belong to none.
        """
        body = given({"put": put, "delete": delete, "origin": origin, "takeOver": take_over})
        return await self._routes.write(api.WrittenFiles, "POST", "/files", body)

    async def list(
        self,
        *,
        prefix: str | None = None,
        origin: str | None = None,
        delimiter: Literal["/"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> api.FilePage:
        """One page; the next begins at ``nextCursor``. With the delimiter ``/`` of one folder, and the folders in it."""
        return await self._routes.read(
            api.FilePage, "/files", prefix=prefix, origin=origin, delimiter=delimiter, cursor=cursor, limit=limit
        )

    def all(
        self, *, prefix: str | None = None, origin: str | None = None, limit: int | None = None
    ) -> AsyncGenerator[api.ListedFile, None]:
        """All files, page by page. ``limit``: rows of a page."""
        return self._routes.read_all("/files", {"prefix": prefix, "origin": origin, "limit": limit}, "files")

    async def chunks(
        self,
        path: str,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> api.ChunkPage:
        """A page of the chunks that the index has of a file, a session or a fact, by its path.

        Args:
            user: with a part of a scope, a session or fact of another scope counts as missing.
        """
        query = {"path": path, "user": user, "agent": agent, "session": session, "cursor": cursor, "limit": limit}
        return await self._routes.read(api.ChunkPage, "/chunks", **query)

    async def origins(self) -> api.OriginList:
        """The folders that files are synced from."""
        return await self._routes.read(api.OriginList, "/origins")

    async def history(self, path: str, *, cursor: str | None = None, limit: int | None = None) -> api.VersionPage:
        """What a file said before, newest first, and what it says now."""
        return await self._routes.read(api.VersionPage, "/versions", path=path, cursor=cursor, limit=limit)

    async def deleted(
        self, *, prefix: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> api.DeletedFilePage:
        """Deleted files that can be restored, in path order, each with its last version."""
        return await self._routes.read(
            api.DeletedFilePage, "/deleted-files", prefix=prefix, cursor=cursor, limit=limit
        )

    async def version(self, version: str) -> api.FileVersionText:
        return await self._routes.read(api.FileVersionText, f"/versions/{segment(version)}")

    async def diff(self, version: str, to: str | None = None) -> api.VersionDiff:
        """What changed since a version, or between it and another of the file, as a unified diff."""
        return await self._routes.read(api.VersionDiff, f"/versions/{segment(version)}/diff", to=to)

    async def restore(
        self, version: str, *, if_match: str | None = None, if_none_match: Literal["*"] | None = None
    ) -> api.WrittenFile:
        """Writes what a version said to its path, also that of a deleted file."""
        condition = condition_of(if_match, if_none_match)
        return await self._routes.write(
            api.WrittenFile, "POST", f"/versions/{segment(version)}/restore", {}, condition
        )

    async def forget_history(self, path: str) -> api.ForgottenVersions:
        """Deletes all that a file said before, for good; what it says now stays."""
        return await self._routes.write(api.ForgottenVersions, "DELETE", "/versions", None, None, {"path": path})
