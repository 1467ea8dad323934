"""The parts that tests share: one interface for both clients, and servers that fail on purpose."""

from __future__ import annotations

import asyncio
import inspect
import os
import socket
import threading
import time
import unittest
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from recollect import AsyncRecollectClient, RecollectClient

URL = os.environ.get("RECOLLECT_TEST_URL", "")
KEY = os.environ.get("RECOLLECT_TEST_KEY")


class Blocking:
    """Makes an asynchronous object blocking, so that one test covers both clients."""

    def __init__(self, target: Any, runner: asyncio.Runner) -> None:
        self._target = target
        self._runner = runner

    def __getattr__(self, name: str) -> Any:
        return self._seen(getattr(self._target, name))

    def __iter__(self) -> Iterator[Any]:
        steps = aiter(self._target)
        try:
            while True:
                try:
                    yield self._runner.run(_step(steps))
                except StopAsyncIteration:
                    return
        finally:
            if hasattr(steps, "aclose"):
                self._runner.run(_closed(steps))

    def __enter__(self) -> Blocking:
        self._runner.run(self._target.__aenter__())
        return self

    def __exit__(self, *error: Any) -> None:
        self._runner.run(self._target.__aexit__(*error))

    def _seen(self, value: Any) -> Any:
        if inspect.isroutine(value):
            return lambda *args, **named: self._done(value(*args, **named))
        return self._done(value)

    def _done(self, value: Any) -> Any:
        if inspect.iscoroutine(value):
            value = self._runner.run(value)
        ours = type(value).__module__.startswith("recollect")
        return Blocking(value, self._runner) if ours or inspect.isasyncgen(value) else value


async def _step(steps: Any) -> Any:
    return await anext(steps)


async def _closed(steps: Any) -> None:
    await steps.aclose()


class BothClients(unittest.TestCase):
    """A suite that `both` runs once with each client."""

    blocking = True

    def client(self, url: str = URL, **options: Any) -> Any:
        if self.blocking:
            client = RecollectClient(url, **options)
            self.addCleanup(client.close)
            return client
        runner = asyncio.Runner()
        self.addCleanup(runner.close)
        asynchronous = Blocking(AsyncRecollectClient(url, **options), runner)
        self.addCleanup(asynchronous.close)
        return asynchronous


def both(suite: type[BothClients]) -> type[BothClients]:
    """Adds a copy of the suite that uses the asynchronous client."""
    name = f"{suite.__name__}Async"
    module = inspect.getmodule(suite)
    setattr(module, name, type(name, (suite,), {"blocking": False, "__module__": suite.__module__}))
    return suite


@dataclass
class Asked:
    """A request as a test's server received it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    at: float
    connection: int


Answerer = Callable[[socket.socket, Asked], None]


class FaultyServer:
    """A server that gives the answers of a list and records the requests."""

    def __init__(self, case: unittest.TestCase, *answers: Answerer, otherwise: Answerer | None = None) -> None:
        self.asked: list[Asked] = []
        self.connections = 0
        self._answers = list(answers)
        self._otherwise = otherwise or reply(200, b'{"status":"created"}')
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        case.addCleanup(self.close)

    def close(self) -> None:
        for one in [self._listener, *self._open]:
            try:
                # `close` alone does not wake a thread that waits on the socket.
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection, self.connections), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while (asked := read_request(stream, number)) is not None:
                    self.asked.append(asked)
                    (self._answers.pop(0) if self._answers else self._otherwise)(connection, asked)
        except (OSError, ValueError):
            pass


def read_request(stream: Any, number: int = 0) -> Asked | None:
    first = stream.readline().decode().split()
    if not first:
        return None
    headers = {}
    while line := stream.readline().decode("latin-1").strip():
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = b""
    if headers.get("transfer-encoding") == "chunked":
        while size := int(stream.readline(), 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
    else:
        body = stream.read(int(headers.get("content-length", "0")))
    return Asked(first[0], first[1], headers, body, time.monotonic(), number)


def reply(status: int, body: bytes, **headers: str) -> Answerer:
    def answer(connection: socket.socket, _: Asked) -> None:
        named = {"content-type": "application/json", "content-length": str(len(body))}
        named.update({name.replace("_", "-"): value for name, value in headers.items()})
        lines = [f"HTTP/1.1 {status} Because", *(f"{name}: {value}" for name, value in named.items()), "", ""]
        connection.sendall("\r\n".join(lines).encode("latin-1") + body)

    return answer


def problem(status: int, code: str, **headers: str) -> Answerer:
    body = f'{{"code":"{code}","detail":"It is {code}.","status":{status},"requestId":"r1"}}'
    return reply(status, body.encode(), **headers)


def raw(*pieces: bytes, then_close: bool = True) -> Answerer:
    """Returns an answerer that sends exactly these bytes, piece by piece."""

    def answer(connection: socket.socket, _: Asked) -> None:
        for piece in pieces:
            connection.sendall(piece)
        if then_close:
            hang_up(connection, _)

    return answer


def hang_up(connection: socket.socket, _: Asked) -> None:
    connection.shutdown(socket.SHUT_RDWR)
    connection.close()


def never(_: socket.socket, __: Asked) -> None:
    """Sends no answer and leaves the connection open."""


def until(true: Callable[[], object], what: str, limit_s: float = 60) -> None:
    """Waits until a condition is true that another thread fulfils."""
    end = time.monotonic() + limit_s
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"waited {limit_s} s for {what}")
        time.sleep(0.005)
