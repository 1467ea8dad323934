# Made from `_async` by `npm run python`: change it there.
from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Literal

from .. import types as api
from .._requests import Document, Time, condition_of, given, narrowed, segment, segments
from .._unset import UNSET, Unset
from .routes import Routes


class Files:
    """The files of an agent."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes

    def put(
        self,
        path: str,
        content: str,
        *,
        mtime: Time | None = None,
        if_match: str | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> api.WrittenFile:
        """Writes a file. The next search finds it.

        Args:
            mtime: the time of the file's last change, as an ISO 8601 time; default: now.
            if_match: the hash that the file must have now, or ``*`` for any hash.
            if_none_match: ``*`` requires that the file does not exist yet.
        """
        condition = condition_of(if_match, if_none_match)
        body = given({"content": content, "mtime": mtime})
        return self._routes.write(api.WrittenFile, "PUT", f"/files/{segments(path)}", body, condition)

    def put_document(
        self,
        path: str,
        document: bytes,
        media_type: str,
        *,
        mtime: Time | None = None,
        origin: str | None = None,
        take_over: bool | None = None,
        if_match: str | None = None,
        if_none_match: Literal["*"] | None = None,
    ) -> api.WrittenFile:
        """Writes the text of a PDF, Word or HTML document. The next search finds it.

        Args:
            media_type: the media type of the document, such as ``application/pdf``.
            mtime: the time of the file's last change, as an ISO 8601 time; default: now.
            origin: the name of the synced folder that sends the document.
            take_over: whether the file becomes the origin's file, regardless of its former owner.
            if_match: the hash that the file must have now, or ``*`` for any hash.
            if_none_match: ``*`` requires that the file does not exist yet.
        """
        condition = condition_of(if_match, if_none_match)
        query = {"mtime": mtime, "origin": origin, "takeOver": take_over}
        body = Document(document, media_type)
        return self._routes.write(api.WrittenFile, "PUT", f"/files/{segments(path)}", body, condition, query)

    def get(self, path: str) -> api.File:
        return self._routes.read(api.File, f"/files/{segments(path)}")

    def delete(
        self, path: str, *, if_match: str | None = None, if_none_match: Literal["*"] | None = None
    ) -> api.DeletedFiles:
        condition = condition_of(if_match, if_none_match)
        return self._routes.write(api.DeletedFiles, "DELETE", f"/files/{segments(path)}", None, condition)

    def write(
        self,
        *,
        put: Sequence[api.NamedFile] | None = None,
        delete: Sequence[str] | None = None,
        origin: str | None = None,
        take_over: bool | None = None,
    ) -> api.WrittenFiles:
        """Writes and deletes up to 100 files. Either all changes are made or none.

        Args:
            put: the files to write, each with ``path``, ``content`` and optionally ``mtime``.
            origin: the name of the synced folder that the files belong to.
            take_over: whether the origin may take files that belong to no origin.
        """
        body = given({"put": put, "delete": delete, "origin": origin, "takeOver": take_over})
        return self._routes.write(api.WrittenFiles, "POST", "/files", body)

    def list(
        self,
        *,
        prefix: str | None = None,
        origin: str | None = None,
        delimiter: Literal["/"] | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> api.FilePage:
        """Returns one page. The next page begins at ``nextCursor``.

        With the delimiter ``/``, the page lists the files of one folder and its subfolders.
        """
        return self._routes.read(
            api.FilePage, "/files", prefix=prefix, origin=origin, delimiter=delimiter, cursor=cursor, limit=limit
        )

    def all(
        self, *, prefix: str | None = None, origin: str | None = None, limit: int | None = None
    ) -> Generator[api.ListedFile, None, None]:
        """Yields all files. Reads them page by page. ``limit`` is the number of rows per page."""
        return self._routes.read_all("/files", {"prefix": prefix, "origin": origin, "limit": limit}, "files")

    def chunks(
        self,
        path: str,
        *,
        user: str | Unset = UNSET,
        agent: str | Unset = UNSET,
        session: str | Unset = UNSET,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> api.ChunkPage:
        """Returns a page of the chunks in the index for a file, session or fact, given its path.

        Args:
            user: if parts of a scope are given, a session or fact of another scope counts as
                missing.
        """
        scope = narrowed(user=user, agent=agent, session=session)
        return self._routes.read(api.ChunkPage, "/chunks", path=path, **scope, cursor=cursor, limit=limit)

    def origins(self) -> api.OriginList:
        """Lists the folders from which files are synced."""
        return self._routes.read(api.OriginList, "/origins")

    def history(self, path: str, *, cursor: str | None = None, limit: int | None = None) -> api.VersionPage:
        """Lists the earlier versions of a file, newest first, and the current one."""
        return self._routes.read(api.VersionPage, "/versions", path=path, cursor=cursor, limit=limit)

    def deleted(
        self, *, prefix: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> api.DeletedFilePage:
        """Lists the deleted files that can be restored, by path, each with its last version."""
        return self._routes.read(
            api.DeletedFilePage, "/deleted-files", prefix=prefix, cursor=cursor, limit=limit
        )

    def version(self, version: str) -> api.FileVersionText:
        return self._routes.read(api.FileVersionText, f"/versions/{segment(version)}")

    def diff(self, version: str, to: str | None = None) -> api.VersionDiff:
        """Compares a version with the file's current text, or with another version of the file.

        The answer is a unified diff.
        """
        return self._routes.read(api.VersionDiff, f"/versions/{segment(version)}/diff", to=to)

    def restore(
        self, version: str, *, if_match: str | None = None, if_none_match: Literal["*"] | None = None
    ) -> api.WrittenFile:
        """Writes the text of a version to the version's path. Works for a deleted file too."""
        condition = condition_of(if_match, if_none_match)
        return self._routes.write(
            api.WrittenFile, "POST", f"/versions/{segment(version)}/restore", {}, condition
        )

    def forget_history(self, path: str) -> api.ForgottenVersions:
        """Deletes all earlier versions of a file for good. The current text stays."""
        return self._routes.write(api.ForgottenVersions, "DELETE", "/versions", None, None, {"path": path})
