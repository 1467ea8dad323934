"""Tests how answers are read from a connection, and which connections are reused."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import ssl
import tempfile
import unittest
from typing import Any
from unittest import mock

import recollect
from recollect import AsyncRecollectClient, RecollectClient, RecollectError
from recollect._events import EventParser
from recollect._requests import encode, query_of, segments, server_at
from support import BothClients, FaultyServer, both, hang_up, problem, raw, reply, until

OK = b"HTTP/1.1 200 OK\r\n"


@both
class Answers(BothClients):
    def answer(self, *pieces: bytes, then_close: bool = True) -> Any:
        server = FaultyServer(self, raw(*pieces, then_close=then_close))
        return self.client(server.url, max_tries=1, timeout_s=20).request("GET", "/v1/key")

    def test_in_chunks_cut_anywhere(self) -> None:
        whole = OK + b'Transfer-Encoding: Chunked\r\n\r\n5;a=b\r\n{"a":\r\n9 \r\n"\xc3\xbc\xc3\xbc123"\r\n1\r\n}\r\n0\r\nx: y\r\n\r\n'
        for cut in range(1, len(whole), 7):
            self.assertEqual(self.answer(whole[:cut], whole[cut:], then_close=False), {"a": "üü123"})

    def test_until_the_connection_ends(self) -> None:
        self.assertEqual(self.answer(b'HTTP/1.0 200 OK\r\n\r\n{"a":', b"1}"), {"a": 1})

    def test_after_the_beginning_of_an_answer(self) -> None:
        early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"
        self.assertEqual(self.answer(early, OK + b"content-length: 2\r\n\r\n[]"), [])

    def test_what_is_no_answer_is_refused(self) -> None:
        for broken in (
            b"-ERR unknown command\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n",
            b"HTTP/1.1 OK\r\n\r\n",
            OK + b"content-length: -1\r\n\r\n",
            OK + b"content-length: 1e3\r\n\r\n",
            OK + b"content-length: 9\r\n\r\n{}",
            OK + b"transfer-encoding: chunked\r\n\r\nz\r\n{}\r\n0\r\n\r\n",
            OK + b"transfer-encoding: chunked\r\n\r\n2\r\n{}xx0\r\n\r\n",
            OK + b"transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n",
            OK + b"a: b\r\n" * 40_000 + b"\r\n",
            OK + b"a: " + b"b" * 200_000,
        ):
            with self.assertRaises(RecollectError) as found:
                self.answer(broken)
            self.assertEqual(found.exception.code, "service_unreachable", broken[:60])
            self.assertIsNone(found.exception.status)

    def test_a_connection_is_kept_and_one_that_was_closed_is_not_used(self) -> None:
        ended = []

        def last(connection: Any, asked: Any) -> None:
            reply(200, b"{}")(connection, asked)
            hang_up(connection, asked)
            ended.append(True)

        closes = reply(200, b"{}", connection="Close")
        server = FaultyServer(self, reply(200, b"{}"), last, reply(200, b"{}"), closes, reply(200, b"{}"))
        client = self.client(server.url, max_tries=1)
        for number in range(5):
            client.request("GET", "/v1/key")
            if number == 1:
                until(lambda: ended, "the end of the connection")
        self.assertEqual([one.connection for one in server.asked], [1, 1, 2, 2, 3])

    def test_a_closed_client_refuses_every_call(self) -> None:
        server = FaultyServer(self)
        client = self.client(server.url)
        memory = client.agent()
        memory.status()
        client.close()
        client.close()
        for call in (
            memory.status,
            lambda: memory.files.put("a.md", "text"),
            lambda: client.request("POST", "/x"),
            lambda: client.open("GET", "/x"),
            lambda: list(memory.files.all()),
            lambda: list(memory.watch_status()),
        ):
            with self.assertRaises(RecollectError) as found:
                call()
            self.assertEqual(found.exception.code, "service_unreachable")
            self.assertIn("was closed", found.exception.message)
        self.assertEqual(len(server.asked), 1)


    def test_an_unread_body_ends_with_its_response(self) -> None:
        ended = []

        def endless(connection: Any, _: Any) -> None:
            connection.sendall(OK + b"\r\n")
            try:
                while True:
                    connection.sendall(b"x" * 65_536)
            except OSError:
                ended.append(True)

        server = FaultyServer(self, endless)
        with self.client(server.url).open("GET", "/v1/agents/main/archive") as response:
            for piece in response:
                self.assertGreater(len(piece), 0)
                break
        until(lambda: ended, "the end of the connection")

    def test_bodies_that_are_streams(self) -> None:
        server = FaultyServer(self, otherwise=reply(201, b"{}"))
        client = self.client(server.url)
        big = bytes(range(256)) * 1024
        for body in (big, io.BytesIO(big), [big[:1000], b"", big[1000:]], (big[n : n + 4096] for n in range(0, len(big), 4096))):
            response = client.open("POST", "/v1/archives", query={"as": "a b&c"}, headers={"Content-Type": "application/gzip"}, body=body)
            self.assertEqual((response.status, response.read()), (201, b"{}"))
            self.assertEqual(server.asked[-1].body, big)
        self.assertEqual(server.asked[0].target, "/v1/archives?as=a+b%26c")
        self.assertEqual(server.asked[0].headers["content-length"], str(len(big)))
        self.assertEqual(server.asked[1].headers["content-type"], "application/gzip")

    def test_who_asks(self) -> None:
        server = FaultyServer(self)
        client = self.client(f"{server.url}/behind/", key="rcl_secret", tenant="acme")
        client.agent("a/b ü").status()
        asked = server.asked[0]
        self.assertEqual(asked.target, "/behind/v1/agents/a%2Fb%20%C3%BC/status")
        self.assertEqual(asked.headers["authorization"], "Bearer rcl_secret")
        self.assertEqual(asked.headers["recollect-tenant"], "acme")
        self.assertEqual(asked.headers["user-agent"], f"recollect-python/{recollect.__version__}")
        with self.assertRaises(ValueError):
            self.client(server.url, key="rcl_x\r\nx: y").agent().status()
        with self.assertRaises(ValueError):
            self.client(server.url).request("GET", "/v1/key", headers={"x: y\r\nz": "1"})
        self.assertNotIn("rcl_secret", repr(server_at(server.url, key="rcl_secret")))

    def test_a_packed_answer_is_not_unpacked(self) -> None:
        packed = gzip.compress(b"{}")
        server = FaultyServer(self, otherwise=reply(200, packed, content_encoding="gzip"))
        client = self.client(server.url)
        self.assertEqual(client.open("GET", "/v1/agents/main/archive").read(), packed)
        with self.assertRaises(RecollectError) as found:
            client.agent().status()
        self.assertEqual((found.exception.code, found.exception.status), ("service_unreachable", 200))
        self.assertNotIn("accept-encoding", server.asked[0].headers)

    def test_the_environment_names_no_proxy_and_no_password(self) -> None:
        proxy = FaultyServer(self)
        server = FaultyServer(self)
        with tempfile.NamedTemporaryFile("w") as netrc:
            netrc.write("machine 127.0.0.1 login petra password secret\n")
            netrc.flush()
            with mock.patch.dict(os.environ, {"http_proxy": proxy.url, "ALL_PROXY": proxy.url, "NETRC": netrc.name}):
                self.client(server.url).agent().status()
        self.assertEqual((len(proxy.asked), len(server.asked)), (0, 1))
        self.assertNotIn("authorization", server.asked[0].headers)

    def test_a_server_that_speaks_no_tls(self) -> None:
        server = FaultyServer(self)
        client = self.client(server.url.replace("http:", "https:"), max_tries=2, timeout_s=5)
        with self.assertRaises(RecollectError) as found:
            client.agent().status()
        self.assertIsInstance(found.exception.__cause__, OSError)


class Threads(unittest.TestCase):
    def test_share_a_client(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        server = FaultyServer(self, otherwise=lambda connection, asked: reply(200, asked.body)(connection, asked))
        with RecollectClient(server.url) as client, ThreadPoolExecutor(16) as pool:
            answers = pool.map(lambda n: client.request("POST", "/x", body={"n": n}, repeat="always"), range(200))
            self.assertEqual([answer["n"] for answer in answers], list(range(200)))
        self.assertLess(server.connections, 100)


class Requests(unittest.TestCase):
    def test_addresses(self) -> None:
        for wrong in ("", "memory.example", "ftp://a", "http://", "http://a?b=c", "http://me:pw@a", "http://a:99999", "http://ä", "http://1.2.3.999", f"http://{'a' * 64}"):
            with self.assertRaises(ValueError, msg=wrong):
                RecollectClient(wrong)
        server = server_at("https://[::1]/x/")
        self.assertEqual((server.origin, server.authority, server.base), ("https://[::1]", "[::1]", "/x"))
        for url, base in (("http://a/v1", ""), ("http://a/v1/", ""), ("http://a/console/", ""), ("http://a/m/v1", "/m"), ("http://a/mv1", "/mv1")):
            self.assertEqual(server_at(url).base, base)
        own = ssl.create_default_context()
        self.assertIs(server_at("https://a", ssl_context=own).tls, own)

    def test_no_request_is_sent_again_after_the_close(self) -> None:
        def later(connection: Any, asked: Any) -> None:
            client.close()
            problem(503, "later")(connection, asked)

        server = FaultyServer(self, later)
        client = RecollectClient(server.url)
        with self.assertRaises(RecollectError) as found:
            client.agent().status()
        self.assertIn("was closed", found.exception.message)
        self.assertEqual(len(server.asked), 1)

    def test_requests_that_are_none(self) -> None:
        client = RecollectClient("http://127.0.0.1:9")
        for method, path in (("GET", "v1/key"), ("GET", "/v1/a b"), ("GET", "/v1\r\nx: y"), ("get it", "/v1"), ("GET", "/ü")):
            with self.assertRaises(ValueError, msg=path):
                client.request(method, path)

    def test_a_path_leads_to_no_other_route(self) -> None:
        self.assertEqual(segments("a b/ü#?.md"), "a%20b/%C3%BC%23%3F.md")
        self.assertEqual(segments("..a/...//.b"), "..a/...//.b")
        for path in ("..", "../../main", "a/../b", "./a", "", None):
            with self.assertRaises(RecollectError) as found:
                segments(path)
            self.assertEqual(found.exception.code, "invalid_path")
        for id in ("", ".", "..", None):
            with self.assertRaises(RecollectError):
                RecollectClient("http://127.0.0.1:9").agents.erase(id)

    def test_values(self) -> None:
        self.assertEqual(query_of({"a": True, "b": None, "c": 0.5, "d": "ü &"}), "?a=true&c=0.5&d=%C3%BC+%26")
        self.assertEqual(encode({"a": "ü\ud800\U0001f600"}), b'{"a":"\xc3\xbc\\ud800\xf0\x9f\x98\x80"}')

    def test_a_number_that_is_none_is_refused(self) -> None:
        agent = RecollectClient("http://127.0.0.1:9").agent()
        for none in (float("nan"), float("inf"), float("-inf")):
            for name, call in {
                "minScore": lambda: agent.search("x", min_score=none),
                "minImportance": lambda: agent.facts.list(min_importance=none),
                "importance": lambda: agent.facts.add_many([{"text": "x", "importance": none}]),
            }.items():
                with self.assertRaises(RecollectError, msg=name) as found:
                    call()
                message = f"{name} must be a finite number; {none} was given."
                self.assertEqual((found.exception.code, found.exception.message), ("invalid_request", message))
        for timeout_s in (-1, 0, float("nan"), float("inf")):
            for client in (RecollectClient, AsyncRecollectClient):
                with self.assertRaises(RecollectError) as found:
                    client("http://127.0.0.1:9", timeout_s=timeout_s)
                self.assertEqual(found.exception.code, "invalid_request")
                self.assertIn("timeout_s", found.exception.message)

    def test_an_error_survives_the_way_out_of_a_process(self) -> None:
        error = RecollectError("a", "It is a.", status=400, request_id="r", details={"x": 1})
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual(copy.__dict__, error.__dict__)
        self.assertEqual(str(copy), "It is a. (a)")


class Events(unittest.TestCase):
    def test_whatever_ends_a_line_and_wherever_it_is_cut(self) -> None:
        stream = "\ufeffdata: a\r\n: comment\r\n\r\nevent: x\rdata:b\rdata\rdata:  ü\r\rid: 1\n\ndata: c\n\ndata: unfinished\n".encode()
        for cut in range(len(stream)):
            parser = EventParser()
            self.assertEqual([*parser.feed(stream[:cut]), *parser.feed(stream[cut:])], ["a", "b\n\n ü", "c"], cut)
        parser = EventParser()
        self.assertEqual([data for n in range(len(stream)) for data in parser.feed(stream[n : n + 1])], ["a", "b\n\n ü", "c"])
