"""Server-sent events."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_LINE_END = re.compile(r"\r\n|\r|\n")


class EventParser:
    """Splits a stream into the data of its events.

    The format is described at https://html.spec.whatwg.org/multipage/server-sent-events.html.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._rest = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Yields the data of the events that end within the chunk."""
        text = self._rest + self._decoder.decode(chunk)
        # A CR at the end of the chunk may be the first half of a line end whose LF is in the next
        # chunk.
        held = "\r" if text.endswith("\r") else ""
        *lines, rest = _LINE_END.split(text.removesuffix("\r"))
        self._rest = rest + held
        for line in lines:
            if line == "" and self._data:
                yield "\n".join(self._data)
                self._data = []
            name, _, value = line.partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
