"""Compares the client with the served OpenAPI document and with the TypeScript client.

Each method is a route, with all of its fields, and each exists in both clients.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from recollect import AsyncRecollectClient, RecollectClient
from support import KEY, URL

# The methods that can request any route.
ANY_ROUTE = {"request", "open"}
# The route for files takes a text, with these fields in its body, or a document, with these
# parameters.
OF_A_DOCUMENT = {"mtime", "origin", "takeOver"}
# A query of tools for hosts, whose settings name only an address. A program states a scope.
OF_A_HOST = {"user"}


class Row(dict[str, Any]):
    """An answer in which every field exists, as a list of one row."""

    def __missing__(self, _: str) -> list[Any]:
        return [Row()]


class Recorder:
    """Replaces a client's transport and records the requests."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []

    def send(self, method: str, path: str, **more: Any) -> Any:
        self.sent.append({"method": method, "path": path, **more})
        return Row()

    def pages(self, path: str, query: Any, rows: str) -> Iterator[Any]:
        self.send("GET", path, query={**query, "cursor": None})
        yield Row()

    def follow(self, path: str, query: Any = None, timeout_s: float | None = None) -> Iterator[Any]:
        yield self.send("GET", path, **({} if query is None else {"query": query}))


def methods_of(client: Any) -> dict[str, Callable[..., Any]]:
    """Returns the methods of a client by name, such as `agent.files.put`."""
    roots = {"": client, "agents.": client.agents, "agent.": client.agent()}
    for name in ("files", "sessions", "facts", "ingest", "snapshots", "shares", "reads", "evaluations"):
        roots[f"agent.{name}."] = getattr(client.agent(), name)
    return {
        prefix + name: value
        for prefix, root in roots.items()
        for name, value in inspect.getmembers(root, inspect.isroutine)
        if not name.startswith("_") and (prefix, name) not in {("", "agent"), ("", "close")}
    }


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name)


@unittest.skipUnless(URL, "RECOLLECT_TEST_URL names no service")
class Contract(unittest.TestCase):
    def setUp(self) -> None:
        with RecollectClient(URL, key=KEY) as client:
            self.document = client.request("GET", "/openapi.json")

    def operation(self, method: str, path: str) -> tuple[str, dict[str, Any]]:
        fitting = [
            (f"{method} {template}", item[method.lower()])
            for template, item in self.document["paths"].items()
            if method.lower() in item and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path)
        ]
        self.assertTrue(fitting, f"the document has no {method} {path}")
        # A path without a parameter is the better fit.
        return min(fitting, key=lambda one: one[0].count("{"))

    def schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        return schema

    def sent(self, name: str, everything: bool = True) -> dict[str, Any]:
        recorder = Recorder()
        client = RecollectClient("http://127.0.0.1:9")
        client._transport = client._routes.transport = recorder  # type: ignore[assignment]
        method = methods_of(client)[name]
        arguments = inspect.signature(method).parameters.values()
        wanted = [one for one in arguments if everything or one.default is one.empty]
        given = {one.name: {} if one.name == "input" else "memory_store" for one in wanted}
        answer = method(**given)
        if inspect.isgenerator(answer):
            next(answer)
        self.assertEqual(len(recorder.sent), 1, name)
        return recorder.sent[0]

    def test_methods_send_what_the_document_describes(self) -> None:
        for name in methods_of(RecollectClient("http://127.0.0.1:9")):
            if name in ANY_ROUTE:
                continue
            with self.subTest(name):
                sent = self.sent(name)
                _, operation = self.operation(sent["method"], sent["path"])
                parameters = operation.get("parameters", [])
                query = {one["name"] for one in parameters if one["in"] == "query"}
                if name == "agent.files.put":
                    query -= OF_A_DOCUMENT
                if "/tools/memory_" in sent["path"]:
                    query -= OF_A_HOST
                self.assertEqual(set(sent.get("query") or {}) - self.any_page(name), query - self.any_page(name))
                headers = {one["name"] for one in parameters if one["in"] == "header"}
                self.assertEqual("idempotency-key" in headers, sent.get("repeat") == "by key")
                self.assertEqual(set(sent.get("headers") or {}), headers - {"idempotency-key"})
                if sent.get("body") is not None and name not in {"agent.call_tool", "agent.files.put_document"}:
                    self.assert_fields(name, sent["body"], operation)

    @staticmethod
    def any_page(name: str) -> set[str]:
        """Returns the parameters that an iterator over all pages may lack.

        No such iterator takes a cursor or a folder, or counts the rows that it yields anyway. The
        client's own iterators also take no limit.
        """
        return {"cursor", "limit", "delimiter", "total"} if name.endswith((".all", "tenants")) else set()

    def assert_fields(self, name: str, body: dict[str, Any], operation: dict[str, Any]) -> None:
        schema = self.schema(operation["requestBody"]["content"]["application/json"]["schema"])
        if name == "agent.facts.add":
            body, schema = body["facts"][0], self.schema(schema["properties"]["facts"]["items"])
        self.assertEqual(set(body), set(schema["properties"]))
        least = self.sent(name, everything=False)["body"]
        least = least["facts"][0] if name == "agent.facts.add" else least
        self.assertLessEqual(set(schema.get("required", [])), set(least))

    @unittest.skipUnless("RECOLLECT_TEST_CLIENT" in os.environ, "RECOLLECT_TEST_CLIENT lists no methods")
    def test_each_method_of_the_typescript_client_is_here_and_the_same_route(self) -> None:
        own = methods_of(RecollectClient("http://127.0.0.1:9"))
        theirs = json.loads(os.environ["RECOLLECT_TEST_CLIENT"])
        self.assertGreater(len(theirs), 30)
        for name, (method, path) in theirs.items():
            with self.subTest(name):
                self.assertIn(snake(name), own)
                if name not in ANY_ROUTE:
                    sent = self.sent(snake(name))
                    mine, _ = self.operation(sent["method"], sent["path"])
                    self.assertEqual(mine, self.operation(method, path.partition("?")[0])[0])

    def test_both_clients_take_the_same(self) -> None:
        one = methods_of(RecollectClient("http://127.0.0.1:9"))
        other = methods_of(AsyncRecollectClient("http://127.0.0.1:9"))
        self.assertEqual(set(one), set(other))
        for name, method in one.items():
            self.assertEqual(
                [*inspect.signature(method).parameters], [*inspect.signature(other[name]).parameters], name
            )
            self.assertFalse(inspect.iscoroutinefunction(method), name)
            is_async = inspect.iscoroutinefunction(other[name]) or name.endswith((".all", "tenants", "watch_status", "watch_changes"))
            self.assertTrue(is_async, name)
