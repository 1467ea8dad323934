"""Tests each method against a running service."""

from __future__ import annotations

import io
import json
import socket
import threading
import unittest
import uuid
from datetime import date, datetime, timedelta, timezone
from typing import Any

from recollect import RecollectClient, RecollectError
from support import KEY, URL, BothClients, both, read_request

TEXT = "Grüße aus 大阪 – the gateway 🚪 listens on 8080.\u2028\u0000"


@both
@unittest.skipUnless(URL, "RECOLLECT_TEST_URL names no service")
class Memory(BothClients):
    def setUp(self) -> None:
        self.recollect = self.client(key=KEY)
        self.agent_id = f"t{uuid.uuid4().hex[:12]}"
        self.recollect.agents.create(self.agent_id)
        self.agent = self.recollect.agent(self.agent_id)
        self.addCleanup(self.recollect.agents.erase, self.agent_id)

    def refuses(self, code: str, ask: Any) -> RecollectError:
        with self.assertRaises(RecollectError) as found:
            ask()
        self.assertEqual(found.exception.code, code)
        return found.exception

    def test_files(self) -> None:
        files = self.agent.files
        self.assertEqual(files.put("notes/a b#1.md", "# Ports\n\nThe gateway listens on 8080.")["status"], "created")
        put = [{"path": f"many/{n}.md", "content": f"file {n}", "mtime": "2026-05-01T00:00:00Z"} for n in range(5)]
        self.assertEqual(len(files.write(put=put, origin="here")["files"]), 5)
        self.assertEqual(files.origins()["origins"], [{"origin": "here", "files": 5}])
        self.assertIn("8080", files.get("notes/a b#1.md")["content"])
        page = files.list(prefix="many/", limit=2)
        self.assertEqual([file["path"] for file in page["files"]], ["many/0.md", "many/1.md"])
        page = files.list(prefix="many/", limit=2, cursor=page["nextCursor"])
        self.assertEqual([file["path"] for file in page["files"]], ["many/2.md", "many/3.md"])
        self.assertEqual(len([*files.all(prefix="many/", limit=2)]), 5)
        self.assertEqual(len([*files.all(origin="here")]), 5)
        self.assertEqual(len(files.chunks("notes/a b#1.md", limit=1)["chunks"]), 1)
        self.assertEqual(files.write(delete=["many/0.md"])["deleted"], ["many/0.md"])
        found = self.agent.search("gateway port", max_results=1, include_text=True, paths=["notes/"])
        self.assertEqual([hit["path"] for hit in found["results"]], ["notes/a b#1.md"])
        self.assertNotIn("unavailable", found)
        self.assertIn("8080", self.agent.get("notes/a b#1.md", from_=3, lines=1)["text"])
        self.assertEqual(self.agent.get("none.md")["status"], "not_found")
        self.assertEqual(files.delete("notes/a b#1.md"), {"deleted": ["notes/a b#1.md"]})
        error = self.refuses("file_not_found", lambda: files.get("notes/a b#1.md"))
        self.assertEqual(error.status, 404)
        self.assertRegex(error.request_id or "", r"^[0-9a-f-]{36}$")

    def test_times_and_days_are_taken_as_python_has_them(self) -> None:
        now = datetime.now(timezone.utc)
        said: Any = [{"role": "user", "content": "The ferry leaves at noon.", "at": now - timedelta(days=1)}]
        self.agent.sessions.append("times", said)
        self.assertEqual(len(self.agent.sessions.list(order="recent", since=now - timedelta(days=2))["sessions"]), 1)
        self.assertEqual(self.agent.sessions.list(order="recent", since=now)["sessions"], [])
        today = now.date()
        found = self.agent.search("ferry", after=today - timedelta(days=3), before=today + timedelta(days=1))
        self.assertEqual([hit["source"] for hit in found["results"]], ["sessions"])
        self.assertEqual(self.agent.search("ferry", before=date(2020, 1, 1))["results"], [])
        fact = self.agent.facts.add("The ferry is red", valid_from=datetime(2026, 5, 1, tzinfo=timezone.utc))
        self.assertEqual(self.agent.facts.get(fact["id"])["validFrom"], "2026-05-01T00:00:00.000Z")
        local = datetime(2026, 5, 2, 12)
        fact = self.agent.facts.add("The quay is long", valid_from=local)
        self.assertEqual(datetime.fromisoformat(self.agent.facts.get(fact["id"])["validFrom"]), local.astimezone())
        error = self.refuses("invalid_request", lambda: self.agent.search("ferry", paths=[object()]))
        self.assertIn("not object", str(error))

    def test_a_write_can_depend_on_the_file(self) -> None:
        files = self.agent.files
        first = files.put("c.md", "one", if_none_match="*")["hash"]
        files.put("c.md", "two", if_match=first)
        self.assertEqual(self.refuses("file_changed", lambda: files.put("c.md", "3", if_match=first)).status, 412)
        self.refuses("file_changed", lambda: files.delete("c.md", if_match=first))
        self.assertEqual(files.delete("c.md", if_match="*"), {"deleted": ["c.md"]})

    def test_text_of_every_script_comes_back_as_it_was(self) -> None:
        files = self.agent.files
        text = TEXT.replace("\u0000", "")
        files.put("ü/日本 語.md", text)
        self.assertEqual(files.get("ü/日本 語.md")["content"], text)
        self.assertEqual([file["path"] for file in files.all(prefix="ü/")], ["ü/日本 語.md"])
        self.assertEqual(self.agent.search("大阪")["results"][0]["path"], "ü/日本 語.md")
        self.refuses("invalid_encoding", lambda: files.put("half.md", "half \ud83d"))

    def test_a_large_file(self) -> None:
        text = "".join(f"line {n} of a large file, with an ü\n" for n in range(100_000))
        self.assertGreater(len(text), 3_500_000)
        self.assertEqual(self.agent.files.put("large.md", text)["status"], "created")
        self.assertEqual(self.agent.files.get("large.md")["content"], text)
        self.refuses("invalid_request", lambda: self.agent.files.put("larger.md", text + text))

    def test_a_path_reaches_nothing_else(self) -> None:
        for path in (f"../../{self.agent_id}", "..", "a/../../../" + self.agent_id, f"../sessions/{self.agent_id}"):
            self.refuses("invalid_path", lambda path=path: self.agent.files.delete(path))
        self.assertEqual(self.recollect.agents.get(self.agent_id)["status"], "active")

    def test_sessions(self) -> None:
        sessions = self.agent.sessions
        turn = [{"role": "user", "content": "My name is Petra."}, {"role": "assistant", "content": "Hello!"}]
        appended = sessions.append("slack:C1/ü", turn, end=True, capture=True, scope={"user": "petra"})
        self.assertEqual((appended["lastMessage"], appended["captured"]["stored"]), (2, 1))
        self.assertEqual([one["text"] for one in sessions.get("slack:C1/ü", after=1)["messages"]], ["Hello!"])
        sessions.append("other", turn, capture=False)
        self.assertEqual(len([*sessions.all(limit=1)]), 2)
        (listed,) = sessions.list(prefix="slack:")["sessions"]
        self.assertTrue(listed["key"].endswith("slack:C1/ü"), listed)
        self.assertEqual(sessions.delete("slack:C1/ü")["messages"], 2)

    def test_facts(self) -> None:
        facts = self.agent.facts
        stored = facts.add("The office is in Graz.", key="office.city", tags=["places"], expires_at="2099-01-01T00:00:00Z")
        self.assertEqual(stored["status"], "stored")
        self.assertEqual(facts.get(stored["id"])["expiresAt"][:4], "2099")
        facts.change(stored["id"], importance=0.9)
        self.assertIn("expiresAt", facts.get(stored["id"]))
        facts.change(stored["id"], expires_at=None)
        self.assertNotIn("expiresAt", facts.get(stored["id"]))
        moved = facts.change(stored["id"], text="The office is in Vienna.")
        self.assertEqual(len(facts.history(moved["id"])["facts"]), 2)
        self.assertEqual(facts.search("office", max_results=1)["facts"][0]["text"], "The office is in Vienna.")
        many = facts.add_many([{"text": f"Shelf {n} is full.", "category": "fact"} for n in range(3)])
        self.assertEqual([one["status"] for one in many["facts"]], ["stored"] * 3)
        self.assertEqual(len(facts.list(limit=2)["facts"]), 2)
        self.assertEqual(len([*facts.all(limit=2)]), 4)
        self.assertEqual(len([*facts.all(all=True)]), 5)
        self.assertEqual([fact["text"] for fact in facts.all(tag="places", key="office.city")], ["The office is in Vienna."])
        recalled = self.agent.recall("Where is the office?", max_facts=1)
        self.assertIn("Vienna", recalled["block"])
        self.assertEqual(len(facts.forget(moved["id"])["forgotten"]), 2)

    def test_a_user_that_is_none_is_refused_as_it_would_mean_everybody(self) -> None:
        facts, sessions = self.agent.facts, self.agent.sessions
        kept = [facts.add(f"{name} likes figs.", scope={"user": name})["id"] for name in ("ana", "bo")]
        sessions.append("s", [{"role": "user", "content": "Hello"}], scope={"user": "ana"})
        for part in ("user", "agent", "session"):
            none = {part: None}
            calls = {
                "facts.forget_source": lambda: facts.forget_source("note:1", **none),
                "facts.list": lambda: facts.list(**none),
                "facts.all": lambda: list(facts.all(**none)),
                "facts.people": lambda: facts.people(**none),
                "facts.add": lambda: facts.add("Somebody likes figs.", scope=none),
                "facts.add_many": lambda: facts.add_many([{"text": "Somebody likes figs.", "scope": none}]),
                "facts.search": lambda: facts.search("figs", scope=none),
                "sessions.list": lambda: sessions.list(**none),
                "sessions.all": lambda: list(sessions.all(**none)),
                "sessions.append": lambda: sessions.append("s", [{"role": "user", "content": "x"}], scope=none),
                "files.chunks": lambda: self.agent.files.chunks("facts/1", **none),
                "search": lambda: self.agent.search("figs", scope=none),
                "get": lambda: self.agent.get("facts/1", scope=none),
                "recall": lambda: self.agent.recall("figs?", scope=none),
                "capture": lambda: self.agent.capture([{"role": "user", "content": "I like figs."}], scope=none),
            }
            for name, call in calls.items():
                with self.subTest(name, part=part):
                    message = self.refuses("invalid_request", call).message
                    self.assertIn(f"`{part}` is given and None.", message)
        for call in (
            lambda: facts.forget_many(ids=kept, user=None),
            lambda: sessions.get("s", user=None),
            lambda: self.recollect.request("GET", f"/v1/agents/{self.agent_id}/facts", query={"user": None}),
        ):
            message = "`user` is given and None. Give the id of a user, or leave `user` out."
            self.assertEqual(self.refuses("invalid_request", call).message, message)
        self.assertIn("`scope_session`", self.refuses("invalid_request", lambda: sessions.get("s", scope_session=None)).message)
        self.assertEqual([fact["id"] for fact in facts.all(sort="oldest")], kept)
        self.assertEqual([fact["id"] for fact in facts.list(user="ana")["facts"]], kept[:1])
        self.assertEqual(len(sessions.get("s", user="ana")["messages"]), 1)
        self.assertEqual(facts.forget_many(user="bo")["forgotten"], kept[1:])
        # A model writes None for what it leaves out.
        found = self.agent.call_tool("memory_recall", {"query": "figs", "scope": {"user": None}})
        self.assertEqual(found["facts"], [])

    def test_capture(self) -> None:
        turn = [{"role": "user", "content": "I live in Oslo."}]
        dry = self.agent.capture(turn, dry_run=True)
        self.assertEqual(len(dry["facts"]), 1)
        self.assertEqual(self.agent.capture(turn, session="s", scope={"user": "u"})["stored"], 1)

    def test_what_a_model_is_given_and_a_call_of_a_model(self) -> None:
        answer = self.agent.tools("anthropic")
        self.assertGreater(len(answer["tools"]), 3)
        self.assertIn("memory_search", answer["prompt"])
        called = self.agent.call_tool("memory_store", {"text": "Tea, not coffee."})
        self.assertEqual(called["facts"][0]["status"], "stored")

    def test_ingest(self) -> None:
        self.assertEqual(self.agent.ingest.status()["state"], "none")
        # No chat model is set up, and waiting does not change that.
        ingest = self.client(key=KEY, max_tries=1).agent(self.agent_id).ingest
        self.refuses("model_unavailable", lambda: ingest.start(paths=["*.md"], dry_run=True))
        self.refuses("model_unavailable", lambda: ingest.text("a.md", "A text.", from_=0, dry_run=True))

    def test_the_agent(self) -> None:
        self.assertEqual(self.agent.status()["files"], 0)
        self.assertIn("query.maxResults", self.agent.settings()["descriptions"])
        self.assertEqual(self.agent.sync(), {"queued": True})

    def test_the_status_as_it_changes_until_the_loop_is_left(self) -> None:
        files: list[int] = []
        for status in self.agent.watch_status():
            files.append(status["files"])
            if len(files) == 1:
                self.agent.files.put("watched.md", "something new")
            if files[-1] == 1:
                break
        self.assertEqual((files[0], files[-1]), (0, 1))
        self.refuses("agent_not_found", lambda: [*self.recollect.agent("nobody").watch_status()])
        with self.assertRaises(TimeoutError):
            for _ in self.agent.watch_status(timeout_s=0.3):
                pass

    def test_agents_and_the_key(self) -> None:
        agents = self.recollect.agents
        made = self.agent_id + "b"
        self.assertEqual(agents.create(made, name="Made", settings={"query": {"maxResults": 3}})["name"], "Made")
        self.assertEqual(agents.change(made, name="Renamed", settings={"query": None})["settings"], {})
        self.assertIn(made, [agent["id"] for agent in agents.all()])
        self.assertEqual(len(agents.list(limit=1)["agents"]), 1)
        self.assertTrue(agents.change(made, disabled=True)["status"], "disabled")
        self.assertEqual(agents.erase(made)["agentId"], made)
        self.refuses("agent_not_found", lambda: agents.get(made))
        self.assertIn("admin", self.recollect.key()["scopes"])
        self.assertGreater(len([*self.recollect.tenants()]), 0)
        self.assertEqual(self.recollect.request("GET", "/v1/bindings")["bindings"], [])
        self.assertEqual(self.refuses("unauthenticated", self.client(key="rcl_wrong").key).status, 401)

    def test_an_archive_out_and_in(self) -> None:
        self.agent.files.put("a.md", "kept")
        with self.recollect.open("GET", f"/v1/agents/{self.agent_id}/archive", query={"vectors": False}) as response:
            self.assertEqual(response.headers["content-type"], "application/gzip")
            archive = response.read()
        copy = self.agent_id + "c"
        gzip = {"content-type": "application/gzip"}
        with self.recollect.open("POST", "/v1/archives", query={"as": copy}, headers=gzip, body=io.BytesIO(archive)) as imported:
            self.assertEqual(json.loads(imported.read())["files"], 1)
        self.assertEqual(self.recollect.agent(copy).files.get("a.md")["content"], "kept")
        self.recollect.agents.erase(copy)

    def test_a_write_is_made_once_though_its_answer_was_lost(self) -> None:
        proxy = LosesAnswers(self)
        agent = self.client(proxy.url, key=KEY).agent(self.agent_id)
        appended = agent.sessions.append("s", [{"role": "user", "content": "It rains."}])
        self.assertEqual((appended["appended"], appended["lastMessage"]), (1, 1))
        self.assertEqual(agent.facts.add("The umbrella is blue.")["status"], "stored")
        self.assertEqual(agent.files.put("a.md", "x")["status"], "created")
        self.assertEqual(agent.files.delete("a.md"), {"deleted": ["a.md"]})
        self.assertEqual((proxy.lost, proxy.replayed), (4, 4))
        self.assertEqual(len(self.agent.sessions.get("s")["messages"]), 1)
        # A request without an Idempotency-Key is not repeated. The caller learns that the result is
        # unknown.
        error = self.refuses("service_unreachable", lambda: agent.capture([{"role": "user", "content": "I live in Rome."}]))
        self.assertIn("check whether the request was carried out", error.message)
        self.assertEqual(proxy.lost, 5)


class LosesAnswers:
    """Passes requests on to the service, and loses the first answer to each."""

    def __init__(self, case: unittest.TestCase) -> None:
        self.lost = 0
        self.replayed = 0
        self._seen: set[str] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        case.addCleanup(self._listener.close)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                if asked := read_request(stream):
                    answer = self._pass_on(asked)
                    name = asked.headers.get("idempotency-key", "none")
                    if name in self._seen:
                        self.replayed += b"idempotency-replayed: true" in answer.lower()
                        connection.sendall(answer)
                    else:
                        self._seen.add(name)
                        self.lost += 1

    def _pass_on(self, asked: Any) -> bytes:
        host, _, port = URL.removeprefix("http://").rstrip("/").rpartition(":")
        headers = {**asked.headers, "connection": "close"}
        head = [f"{asked.method} {asked.target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        with socket.create_connection((host, int(port))) as service:
            service.sendall("\r\n".join(head).encode("latin-1") + asked.body)
            return b"".join(iter(lambda: service.recv(65_536), b""))


@unittest.skipUnless(URL, "RECOLLECT_TEST_URL names no service")
class Streams(unittest.TestCase):
    def test_a_stream_ends_when_its_client_is_closed(self) -> None:
        client = RecollectClient(URL, key=KEY)
        client.agent("streamed").files.put("a.md", "x")
        began = threading.Event()
        ended: list[str] = []

        def follow() -> None:
            try:
                for _ in client.agent("streamed").watch_status():
                    began.set()
            except RecollectError as error:
                ended.append(error.code)

        thread = threading.Thread(target=follow)
        thread.start()
        self.assertTrue(began.wait(60))
        client.close()
        thread.join(60)
        self.assertEqual(ended, ["service_unreachable"])
