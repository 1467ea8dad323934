"""Tests the abilities of the asynchronous client alone: many requests at once, and cancellation."""

from __future__ import annotations

import asyncio
import gc
import time
import unittest
import warnings
from contextlib import aclosing
from typing import Any

from recollect import AsyncRecollectClient, RecollectError
from support import KEY, URL, Asked, FaultyServer, never, problem, reply, until


class Many(unittest.IsolatedAsyncioTestCase):
    async def test_requests_wait_together(self) -> None:
        arrived: list[Asked] = []

        def when_all_are_here(connection: Any, asked: Asked) -> None:
            arrived.append(asked)
            until(lambda: len(arrived) == 60, "60 requests at once")
            reply(200, asked.body)(connection, asked)

        server = FaultyServer(self, otherwise=when_all_are_here)
        async with AsyncRecollectClient(server.url) as client:
            ask = [client.request("POST", "/x", body={"n": n}, repeat="always") for n in range(60)]
            answers = await asyncio.gather(*ask)
        self.assertEqual([answer["n"] for answer in answers], list(range(60)))

    async def test_the_loop_goes_on_meanwhile(self) -> None:
        server = FaultyServer(self, never)
        async with AsyncRecollectClient(server.url, timeout_s=0.5, max_tries=1) as client:
            request = asyncio.ensure_future(client.agent().status())
            turns = 0
            while not request.done():
                await asyncio.sleep(0.01)
                turns += 1
            self.assertGreater(turns, 5)
            with self.assertRaises(RecollectError):
                await request

    async def test_a_try_is_limited_even_while_the_head_of_its_answer_arrives(self) -> None:
        def drip(connection: Any, _: Asked) -> None:
            for _piece in range(1000):
                connection.sendall(b"HTTP/1.1 102 Processing\r\n\r\n")
                time.sleep(0.05)

        server = FaultyServer(self, drip)
        began = time.monotonic()
        async with AsyncRecollectClient(server.url, timeout_s=0.5, max_tries=1) as client:
            with self.assertRaises(RecollectError) as found:
                await client.agent().status()
        self.assertLess(time.monotonic() - began, 20)
        self.assertIsInstance(found.exception.__cause__, TimeoutError)

    @unittest.skipUnless(URL, "RECOLLECT_TEST_URL names no service")
    async def test_writers_at_the_service(self) -> None:
        async with AsyncRecollectClient(URL, key=KEY) as client:
            files = client.agent("many").files
            await client.agents.create("many")
            written = await asyncio.gather(*[files.put(f"{n}.md", f"Text {n}") for n in range(40)])
            self.assertEqual({one["status"] for one in written}, {"created"})
            self.assertEqual(len([file async for file in files.all(limit=7)]), 40)


class Cancelled(unittest.IsolatedAsyncioTestCase):
    async def test_a_request_ends_with_its_connection_and_is_not_repeated(self) -> None:
        server = FaultyServer(self, never)
        async with AsyncRecollectClient(server.url, timeout_s=30) as client:
            request = asyncio.ensure_future(client.agent().files.put("a.md", "x"))
            await asyncio.to_thread(until, lambda: server.asked, "the request")
            request.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await request
            # The next request takes a new connection, so it does not mistake the answer to the
            # first request for its own.
            await client.agent().status()
        self.assertEqual([one.connection for one in server.asked], [1, 2])

    async def test_so_does_waiting_for_the_next_try(self) -> None:
        server = FaultyServer(self, problem(429, "rate_limited", retry_after="30"))
        began = time.monotonic()
        async with AsyncRecollectClient(server.url) as client:
            with self.assertRaises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await client.agent().status()
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(len(server.asked), 1)

    async def test_a_limit_around_it_is_the_callers_and_not_tried_again(self) -> None:
        server = FaultyServer(self, never)
        async with AsyncRecollectClient(server.url, timeout_s=30) as client:
            request = asyncio.ensure_future(client.agent().status())
            await asyncio.to_thread(until, lambda: server.asked, "the request")
            with self.assertRaises(TimeoutError):
                await asyncio.wait_for(request, 0.3)
        self.assertEqual(len(server.asked), 1)

    async def test_a_stream_that_waits(self) -> None:
        def first(connection: Any, _: Asked) -> None:
            connection.sendall(b'HTTP/1.1 200 OK\r\n\r\ndata: {"files":1}\n\n')
            ended.append(connection.recv(1))

        ended: list[bytes] = []
        server = FaultyServer(self, first)
        async with AsyncRecollectClient(server.url) as client:
            seen = asyncio.Event()

            async def follow() -> None:
                async for _ in client.agent().watch_status():
                    seen.set()

            task = asyncio.ensure_future(follow())
            await seen.wait()
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(until, lambda: ended, "the end of the connection")
        self.assertEqual((ended, len(server.asked)), ([b""], 1))

    async def test_a_stream_whose_client_is_closed(self) -> None:
        def first(connection: Any, _: Asked) -> None:
            connection.sendall(b'HTTP/1.1 200 OK\r\n\r\ndata: {"files":1}\n\n')
            connection.recv(1)

        server = FaultyServer(self, first)
        client = AsyncRecollectClient(server.url)
        seen = asyncio.Event()

        async def follow() -> None:
            async for _ in client.agent().watch_status():
                seen.set()

        task = asyncio.ensure_future(follow())
        await seen.wait()
        await client.close()
        with self.assertRaises(RecollectError) as found:
            await asyncio.wait_for(task, 60)
        self.assertEqual((found.exception.code, len(server.asked)), ("service_unreachable", 1))

    async def test_a_stream_that_is_left(self) -> None:
        def first(connection: Any, _: Asked) -> None:
            connection.sendall(b'HTTP/1.1 200 OK\r\n\r\ndata: {"files":1}\n\n')
            ended.append(connection.recv(1))

        ended: list[bytes] = []
        server = FaultyServer(self, first)
        async with AsyncRecollectClient(server.url) as client:
            async with aclosing(client.agent().watch_status()) as statuses:
                async for status in statuses:
                    self.assertEqual(status["files"], 1)
                    break
            await asyncio.to_thread(until, lambda: ended, "the end of the connection")


class Loops(unittest.TestCase):
    def test_a_client_outlives_its_event_loop(self) -> None:
        server = FaultyServer(self, otherwise=reply(200, b"{}"))
        client = AsyncRecollectClient(server.url)
        with warnings.catch_warnings():
            # Python warns about connections that were not closed before their loop.
            warnings.simplefilter("ignore", ResourceWarning)
            for _ in range(3):
                asyncio.run(client.agent().status())
            del client
            gc.collect()
        self.assertEqual(server.connections, 3)
