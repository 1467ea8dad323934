"""Tests which requests are retried, and which are not."""

from __future__ import annotations

import json
import socket
import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any

from recollect import RecollectError
from recollect._attempts import retry_after_s
from support import Asked, BothClients, FaultyServer, both, hang_up, never, problem, reply

DONE = b'{"path":"a.md","status":"created"}'


def stream(*files: int) -> Any:
    data = "".join(f'event: status\ndata: {{"files":{n}}}\n\n' for n in files).encode()
    return reply(200, data, content_type="text/event-stream")


@both
class Retries(BothClients):
    def faulty(self, *answers: Any, **options: Any) -> tuple[FaultyServer, Any]:
        server = FaultyServer(self, *answers, otherwise=reply(200, DONE))
        return server, self.client(server.url, **{"max_tries": 4, "timeout_s": 30, **options})

    def refused(self, code: str) -> Any:
        class Refused:
            error: RecollectError

            def __enter__(this) -> Any:
                return this

            def __exit__(this, kind: Any, error: Any, trace: Any) -> bool:
                self.assertIsInstance(error, RecollectError)
                self.assertEqual(error.code, code)
                this.error = error
                return True

        return Refused()

    def test_a_write_is_sent_again_under_the_same_key_until_it_is_answered(self) -> None:
        passing = problem(503, "database_unavailable", retry_after="0")
        server, client = self.faulty(hang_up, passing, reply(502, b"<html>gateway</html>", retry_after="0"))
        self.assertEqual(client.agent().files.put("a.md", "text")["status"], "created")
        keys = [one.headers.get("idempotency-key", "") for one in server.asked]
        self.assertEqual(len(keys), 4)
        self.assertEqual(len(set(keys)), 1)
        self.assertRegex(keys[0], r"^[0-9a-f-]{36}$")
        self.assertEqual({one.body for one in server.asked}, {b'{"content":"text"}'})
        client.agent().files.put("a.md", "text")
        self.assertNotEqual(server.asked[4].headers["idempotency-key"], keys[0])

    def test_a_write_whose_first_try_is_still_being_answered_asks_again(self) -> None:
        server, client = self.faulty(problem(409, "idempotency_key_in_use", retry_after="0"))
        client.agent().sessions.append("slack:C1", [{"role": "user", "text": "hello"}])
        self.assertEqual(len(server.asked), 2)

    def test_retry_after_is_waited_for_in_seconds_and_as_a_date(self) -> None:
        server, client = self.faulty(problem(429, "rate_limited", retry_after="1"))
        client.agent().status()
        self.assertGreater(server.asked[1].at - server.asked[0].at, 0.95)
        server, client = self.faulty(problem(429, "rate_limited", retry_after="Thu, 01 Jan 1970 00:00:00 GMT"))
        client.agent().status()
        self.assertEqual(len(server.asked), 2)

    def test_what_cannot_change_by_waiting_is_not_sent_again(self) -> None:
        server, client = self.faulty(problem(404, "file_not_found"), problem(500, "internal"))
        with self.refused("file_not_found") as found:
            client.agent().files.get("a.md")
        self.assertEqual((found.error.status, found.error.request_id), (404, "r1"))
        with self.refused("internal"):
            client.agent().files.put("a.md", "x")
        self.assertEqual(len(server.asked), 2)

    def test_gives_up_after_as_many_tries_as_it_may_make(self) -> None:
        server, client = self.faulty(*[problem(503, "database_unavailable", retry_after="0")] * 9)
        with self.refused("database_unavailable"):
            client.agent().status()
        self.assertEqual(len(server.asked), 4)

    def test_what_may_have_been_done_and_has_no_key_is_not_sent_twice(self) -> None:
        turn = [{"role": "user", "content": "I live in Graz."}]
        server, client = self.faulty(hang_up, reply(502, b"gateway"), reply(504, b"gateway"))
        with self.refused("service_unreachable") as found:
            client.agent().capture(turn)
        self.assertIn("check whether the request was carried out", str(found.error))
        for status in (502, 504):
            with self.refused("service_unreachable") as found:
                client.request("POST", "/v1/keys", body={})
            self.assertEqual(found.error.status, status)
        self.assertEqual(len(server.asked), 3)
        server, client = self.faulty(
            problem(429, "rate_limited", retry_after="0"), problem(503, "shutting_down", retry_after="0")
        )
        client.agent().ingest.start()
        self.assertEqual(len(server.asked), 3)
        self.assertNotIn("idempotency-key", server.asked[0].headers)

    def test_it_takes_a_new_connection_for_what_must_not_be_sent_twice(self) -> None:
        server, client = self.faulty()
        client.agent().status()
        client.agent().status()
        self.assertEqual(server.connections, 1)
        client.agent().capture([])
        self.assertEqual(server.connections, 2)

    def test_a_server_that_is_not_there_is_asked_again(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            url = f"http://127.0.0.1:{free.getsockname()[1]}"
        began = time.monotonic()
        with self.refused("service_unreachable") as found:
            self.client(url, max_tries=3).agent().capture([])
        self.assertIn(f"No answer from {url}; is the server running?", str(found.error))
        self.assertGreater(time.monotonic() - began, 0.2 * 0.5 + 0.4 * 0.5)
        self.assertIsInstance(found.error.__cause__, OSError)

    def test_another_server_than_ours_is_said_to_be_one(self) -> None:
        _, client = self.faulty(reply(404, b"<html>nginx</html>"), reply(200, b"<html>a page</html>"))
        for status in (404, 200):
            with self.refused("service_unreachable") as found:
                client.agent().status()
            self.assertIn(f"answered (status {status}) but not as Recollect does", str(found.error))

    def test_a_proxy_that_refuses_a_large_body_is_said_to_be_one(self) -> None:
        _, client = self.faulty(reply(413, b"<html>413 Request Entity Too Large</html>"))
        with self.refused("service_unreachable") as found:
            client.agent().status()
        self.assertIn("refused the request as too large (status 413)", str(found.error))

    def test_a_redirect_is_not_followed(self) -> None:
        server, client = self.faulty(*[reply(308, b"", location="https://elsewhere.example/")] * 2)
        with self.refused("service_unreachable") as found:
            client.agent().files.put("a.md", "secret")
        self.assertIn("redirects to another address", str(found.error))
        with self.refused("service_unreachable"):
            for _ in client.agent().watch_status():
                self.fail("a redirect is no stream")
        self.assertEqual(len(server.asked), 2)

    def test_an_error_in_the_form_of_an_older_server_is_understood(self) -> None:
        error = {"code": "invalid_path", "message": "No such path.", "requestId": "r1", "details": {"at": 1}}
        _, client = self.faulty(reply(400, json.dumps({"error": error}).encode()))
        with self.refused("invalid_path") as found:
            client.agent().status()
        self.assertEqual((found.error.message, found.error.request_id), ("No such path.", "r1"))
        self.assertEqual(found.error.details, {"at": 1})

    def test_a_try_that_takes_too_long_is_given_up_and_the_next_may_succeed(self) -> None:
        server, client = self.faulty(never, timeout_s=0.3, max_tries=2)
        self.assertEqual(client.agent().status(), json.loads(DONE))
        self.assertEqual(len(server.asked), 2)

    def test_a_try_is_limited_as_a_whole_not_each_byte_of_it(self) -> None:
        def drip(connection: socket.socket, _: Asked) -> None:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
            for _piece in range(1000):
                connection.sendall(b"x")
                time.sleep(0.05)

        _, client = self.faulty(drip, max_tries=1, timeout_s=0.5)
        began = time.monotonic()
        with self.refused("service_unreachable") as found:
            client.agent().status()
        self.assertLess(time.monotonic() - began, 20)
        self.assertIsInstance(found.error.__cause__, TimeoutError)

    def test_a_body_that_the_server_takes_slowly_is_limited_as_well(self) -> None:
        class Slow(FaultyServer):
            def _serve(self, connection: socket.socket, number: int) -> None:
                with suppress(OSError):
                    while connection.recv(262_144):
                        time.sleep(0.25)

        server = Slow(self)
        began = time.monotonic()
        with self.refused("service_unreachable") as found:
            # One part of the body after another is accepted within the limit, and all of them after
            # half a minute.
            client = self.client(server.url, max_tries=1, timeout_s=3)
            client.agent().files.put("a.md", "x" * 40_000_000)
        self.assertLess(time.monotonic() - began, 20)
        self.assertIsInstance(found.error.__cause__, TimeoutError)

    def test_a_stream_goes_on_after_a_limit_and_while_the_server_is_away(self) -> None:
        server, client = self.faulty(
            problem(429, "rate_limited", retry_after="0"),
            stream(1),
            problem(429, "rate_limited", retry_after="2"),
            stream(2),
            problem(429, "rate_limited"),
            stream(3),
            problem(503, "overloaded"),
            stream(4),
            reply(502, b"<html>gateway</html>"),
            stream(5),
            problem(404, "agent_not_found"),
        )
        seen = []
        with self.refused("agent_not_found"):
            for status in client.agent().watch_status():
                seen.append(status["files"])
        self.assertEqual(seen, [1, 2, 3, 4, 5])
        self.assertGreater(server.asked[3].at - server.asked[2].at, 1.95)

    def test_too_many_streams_are_said_at_once(self) -> None:
        server, client = self.faulty(problem(429, "rate_limited"))
        with self.refused("rate_limited") as caught:
            for _ in client.agent().watch_status():
                self.fail("there is no stream")
        self.assertIsNone(caught.error.retry_after_s)
        self.assertEqual(len(server.asked), 1)

    def test_a_stream_that_breaks_is_followed_by_another_and_a_refusal_ends_it(self) -> None:
        server, client = self.faulty(stream(1, 2), hang_up, stream(3), problem(401, "unauthenticated"))
        seen = []
        with self.refused("unauthenticated"):
            for status in client.agent().watch_status():
                seen.append(status["files"])
        self.assertEqual(seen, [1, 2, 3])
        self.assertEqual(len(server.asked), 4)

    def test_a_stream_is_tried_once(self) -> None:
        server, client = self.faulty(problem(503, "database_unavailable"), hang_up)
        with self.refused("database_unavailable"):
            client.open("GET", "/v1/agents/main/archive")
        with self.refused("service_unreachable") as found:
            client.open("POST", "/v1/archives", body=b"abc")
        self.assertIn("check whether the request was carried out", str(found.error))
        self.assertEqual(len(server.asked), 2)

    def test_an_outage_of_search_is_an_answer(self) -> None:
        outage = {"results": [], "disabled": True, "unavailable": True, "error": "e", "warning": "w", "action": "a"}
        _, client = self.faulty(reply(200, json.dumps(outage).encode()))
        answer = client.agent().search("anything")
        self.assertEqual(answer["results"], [])
        self.assertTrue("unavailable" in answer and answer["action"] == "a")


class RetryAfter(BothClients):
    def test_seconds_dates_and_nonsense(self) -> None:
        self.assertEqual(retry_after_s("2"), 2)
        self.assertEqual(retry_after_s("9" * 400), 60)
        self.assertEqual(retry_after_s(formatdate(time.time() + 3600, usegmt=True)), 60)
        self.assertEqual(retry_after_s("Thu, 01 Jan 1970 00:00:00 GMT"), 0)
        for nonsense in ("", " ", "soon", "-1", "1.5", "٣", None):
            self.assertIsNone(retry_after_s(nonsense), nonsense)
