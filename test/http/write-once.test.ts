import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scheduleSyncs } from "../../src/service/indexing/schedule-syncs.ts";
import { startTestApp, type TestApp } from "../support/test-app.ts";

const FILES = "/v1/agents/main/files";
const TALK = "/v1/agents/main/sessions/slack%3AC1/messages";

interface Told {
  status: number;
  replayed: boolean;
  text: string;
  code: string | undefined;
  etag: string | null;
}

describe("writes under an idempotency key, and conditional writes", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ worker: false });
    await app.put("first.md", "the first file");
  });
  afterAll(() => app.drop());

  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await app.runtime.app.request(path, { method, headers: { ...type, ...headers }, ...content });
    const text = await response.text();
    const told: Told = {
      status: response.status,
      replayed: response.headers.get("idempotency-replayed") === "true",
      text,
      code: (JSON.parse(text) as { code?: string }).code,
      etag: response.headers.get("etag"),
    };
    return told;
  };
  const once = (key: string) => ({ "idempotency-key": key });
  const saying = (text: string) => ({ messages: [{ role: "user", text }] });
  const messages = async () => (await app.call<{ messages: number }>("GET", "/v1/agents/main/status")).body.messages;
  const keys = async () => {
    const { rows } = await app.db.executeSql<{ n: number }>(
      "SELECT count(*)::int AS n FROM recollect.idempotency_keys",
    );
    return rows[0]?.n;
  };

  test("the same request twice is one write with one answer", async () => {
    const before = await messages();
    const first = await send("POST", TALK, saying("hello"), once("talk-1"));
    const second = await send("POST", TALK, saying("hello"), once("talk-1"));
    expect([first.status, first.replayed, second.status, second.replayed]).toEqual([200, false, 200, true]);
    expect(second.text).toBe(first.text);
    expect(await messages()).toBe(before + 1);
    // Without an Idempotency-Key no answer is remembered.
    await send("POST", TALK, saying("hello"));
    expect(await messages()).toBe(before + 2);
  });

  test("every kind of write is replayed, also when what it wrote is gone since", async () => {
    const fact = await send("POST", "/v1/agents/main/facts", { facts: [{ text: "The port is 8080." }] }, once("f1"));
    const [{ id }] = (JSON.parse(fact.text) as { facts: [{ id: string }] }).facts;
    const writes: [string, string, unknown?][] = [
      ["PUT", `${FILES}/a.md`, { content: "one" }],
      ["POST", FILES, { put: [{ path: "b.md", content: "two" }], delete: ["a.md"] }],
      ["DELETE", `${FILES}/b.md`],
      ["POST", "/v1/agents/main/tools/memory_store", { text: "The office is in Graz." }],
      ["PATCH", `/v1/agents/main/facts/${id}`, { importance: 1 }],
      ["PATCH", `/v1/agents/main/facts/${id}`, { text: "The port is 9090." }],
      ["DELETE", `/v1/agents/main/facts/${id}`],
      ["DELETE", "/v1/agents/main/sessions/slack%3AC1"],
    ];
    const firsts: Told[] = [];
    for (const [index, [method, path, body]] of writes.entries())
      firsts.push(await send(method, path, body, once(`every-${index}`)));
    expect(firsts.map((one) => [one.status, one.replayed])).toEqual(writes.map(() => [200, false]));
    for (const [index, [method, path, body]] of writes.entries()) {
      const again = await send(method, path, body, once(`every-${index}`));
      expect([method, path, again.replayed, again.text]).toEqual([method, path, true, firsts[index]?.text]);
    }
    expect((await send("GET", `${FILES}/a.md`)).status).toBe(404);
  });

  test("an agent is made, changed and erased once; its answers go with it, and the receipt stays", async () => {
    const made = await send("POST", "/v1/agents", { id: "brief" }, once("make"));
    expect(await send("POST", "/v1/agents", { id: "brief" }, once("make"))).toEqual({ ...made, replayed: true });
    expect((await send("POST", "/v1/agents", { id: "brief" })).code).toBe("agent_exists");
    const changed = await send("PATCH", "/v1/agents/brief", { name: "B" }, once("change"));
    expect(await send("PATCH", "/v1/agents/brief", { name: "B" }, once("change"))).toEqual({
      ...changed,
      replayed: true,
    });
    const before = await keys();
    const receipt = await send("DELETE", "/v1/agents/brief", undefined, once("erase"));
    expect(await keys()).toBe((before ?? 0) - 2 + 1);
    expect(await send("DELETE", "/v1/agents/brief", undefined, once("erase"))).toEqual({ ...receipt, replayed: true });
  });

  test("a key belongs to one request of one caller", async () => {
    await send("PUT", `${FILES}/k.md`, { content: "one" }, once("mine"));
    const other = await send("PUT", `${FILES}/k.md`, { content: "two" }, once("mine"));
    expect([other.status, other.code]).toEqual([422, "idempotency_key_reused"]);
    expect((await send("PUT", `${FILES}/l.md`, { content: "one" }, once("mine"))).status).toBe(422);
    const key = await app.key(["agent:write"]);
    const theirs = await send(
      "PUT",
      `${FILES}/l.md`,
      { content: "x" },
      { ...once("mine"), authorization: `Bearer ${key}` },
    );
    expect([theirs.status, theirs.replayed]).toEqual([200, false]);
    for (const bad of ["", "a".repeat(256), "a b"])
      expect([bad, (await send("PUT", `${FILES}/k.md`, { content: "one" }, once(bad))).code]).toEqual([
        bad,
        "invalid_request",
      ]);
  });

  test("who may not write any more is not told the answer", async () => {
    const key = await app.key(["agent:write"], { agentId: "main" });
    const asThem = { ...once("shown"), authorization: `Bearer ${key}` };
    expect((await send("PUT", `${FILES}/s.md`, { content: "x" }, asThem)).status).toBe(200);
    await app.db.executeSql("UPDATE recollect.api_keys SET scopes = '{search}' WHERE prefix = $1", [key.slice(0, 16)]);
    expect((await send("PUT", `${FILES}/s.md`, { content: "x" }, asThem)).code).toBe("forbidden");
  });

  test("what failed can be sent again under its key", async () => {
    const missing = await send("DELETE", `${FILES}/later.md`, undefined, once("later"));
    expect(missing.code).toBe("file_not_found");
    await app.put("later.md", "now it is there");
    expect((await send("DELETE", `${FILES}/later.md`, undefined, once("later"))).replayed).toBe(false);
  });

  test("many at once under one key are one write; the others are asked to come again", async () => {
    const before = await messages();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => send("POST", TALK, saying("at once"), once("many"))),
    );
    expect(await messages()).toBe(before + 1);
    expect(answers.filter((one) => one.status === 200 && !one.replayed)).toHaveLength(1);
    for (const one of answers) expect([200, 409]).toContain(one.status);
    expect(answers.filter((one) => one.status === 409).map((one) => one.code)).toEqual(
      answers.filter((one) => one.status === 409).map(() => "idempotency_key_in_use"),
    );
    expect((await send("POST", TALK, saying("at once"), once("many"))).replayed).toBe(true);
  });

  test("write and answer are committed together: without the answer's place there is no write", async () => {
    const before = await messages();
    await app.db.executeSql("ALTER TABLE recollect.idempotency_keys ADD CONSTRAINT broken CHECK (false) NOT VALID");
    expect((await send("POST", TALK, saying("never"), once("broken"))).status).toBe(500);
    await app.db.executeSql("ALTER TABLE recollect.idempotency_keys DROP CONSTRAINT broken");
    expect(await messages()).toBe(before);
    expect((await send("POST", TALK, saying("never"), once("broken"))).replayed).toBe(false);
  });

  test("after a day the key is free, and its answer is deleted", async () => {
    await send("PUT", `${FILES}/old.md`, { content: "one" }, once("old"));
    await app.db.executeSql("UPDATE recollect.idempotency_keys SET created_at = created_at - interval '25 hours'");
    const again = await send("PUT", `${FILES}/old.md`, { content: "two" }, once("old"));
    expect([again.status, again.replayed]).toEqual([200, false]);
    expect(await keys()).toBeGreaterThan(1);
    await scheduleSyncs(app.runtime.deps, { reason: "interval", throughMinute: 0 }, new AbortController().signal);
    expect(await keys()).toBe(1);
  });

  test("a file's tag is its hash, and a write can depend on it", async () => {
    const put = await send("PUT", `${FILES}/c.md`, { content: "one" }, { "if-none-match": "*" });
    expect([put.status, put.etag]).toEqual([200, `"${(JSON.parse(put.text) as { hash: string }).hash}"`]);
    expect((await send("GET", `${FILES}/c.md`)).etag).toBe(put.etag);
    const match = { "if-match": put.etag ?? "" };
    const wrong = { "if-match": '"0000"' };
    expect((await send("PUT", `${FILES}/c.md`, { content: "x" }, { "if-none-match": "*" })).status).toBe(412);
    expect((await send("PUT", `${FILES}/c.md`, { content: "x" }, wrong)).code).toBe("file_changed");
    expect((await send("PUT", `${FILES}/none.md`, { content: "x" }, { "if-match": "*" })).status).toBe(412);
    expect((await send("PUT", `${FILES}/c.md`, { content: "two" }, match)).status).toBe(200);
    expect((await send("DELETE", `${FILES}/c.md`, undefined, match)).status).toBe(412);
    expect((await send("DELETE", `${FILES}/c.md`, undefined, { "if-match": "*" })).status).toBe(200);
    const odd = [
      { "if-match": "0000" },
      { "if-match": 'W/"a"' },
      { "if-none-match": '"a"' },
      { ...match, "if-none-match": "*" },
    ];
    for (const headers of odd)
      expect((await send("PUT", `${FILES}/c.md`, { content: "x" }, headers as Record<string, string>)).status).toBe(
        400,
      );
  });

  test("of many who change a file as it was, one does", async () => {
    const { etag } = await send("PUT", `${FILES}/race.md`, { content: "start" });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        send("PUT", `${FILES}/race.md`, { content: `by ${n}` }, { "if-match": etag ?? "" }),
      ),
    );
    expect(answers.map((one) => one.status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
    const makers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        send("PUT", `${FILES}/new.md`, { content: `by ${n}` }, { "if-none-match": "*" }),
      ),
    );
    expect(makers.map((one) => one.status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
  });
});
